#include "tools/compression/judges.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::tools {
namespace {

// So many are compared where nobody says how many.
constexpr size_t kMost = 32;
// A quarter is held out of no fewer: less than a dozen gives ranges that the others leave.
constexpr size_t kLeastToDivide = 16, kHeldOutOf = 4;

}  // namespace

absl::StatusOr<ChosenJudges> ChooseJudges(CompressionRequest& request, const std::string& evaluate,
                                          bool bounded) {
  if (!evaluate.empty()) return ChosenJudges{{evaluate, 0, Judges::Kind::kOthers}, ""};
  ChosenJudges chosen{{request.data, kMost, Judges::Kind::kTheSame}, ""};
  if (!bounded) return chosen;
  const absl::StatusOr<size_t> count = CountSamples(request.data);
  if (!count.ok()) return count.status();
  if (*count < kLeastToDivide) {
    chosen.note = absl::StrCat(
        "the bound is judged by the samples that compression is given too, ", *count, " of ",
        request.data,
        ": on others the error may be far larger; give others to judge by, or at least ",
        kLeastToDivide, ", of which a part is held out then");
    return chosen;
  }
  request.samples.held_out = std::min(kMost, *count / kHeldOutOf);
  chosen.judges.kind = Judges::Kind::kHeldOut;
  if (request.statistics != nullptr && !request.statistics->empty())
    chosen.note = absl::StrCat("whether the statistics are of samples that are held out of ",
                               request.data, " is not known; where they are, those flatter");
  return chosen;
}

}  // namespace tessera::tools
