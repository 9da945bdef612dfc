#include "targets/npu/replay/compare.h"

#include <cstring>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/npu/device/device.h"
#include "targets/npu/model/check.h"

namespace tessera::npu {
namespace {

std::string Index(const std::optional<int64_t>& index) {
  return index.has_value() ? absl::StrCat(*index) : "none";
}

// Of a refusal, in one form for both sides.
std::string Place(const std::string& item, const std::string& reason,
                  const std::optional<int64_t>& operation, const std::optional<int64_t>& operand,
                  const std::optional<int64_t>& parameter,
                  const std::optional<int64_t>& dimension) {
  return absl::StrCat(item, " ", reason, ", operation ", Index(operation), ", operand ",
                      Index(operand), ", parameter ", Index(parameter), ", dimension ",
                      Index(dimension));
}

Verdict CompareError(const Recording& recording, const RecordedError& error, const Device& device) {
  const std::optional<Violation> found = CheckModel(recording.model, device);
  if (!found.has_value())
    return {Verdict::kFailed,
            absl::StrCat("is accepted; recorded is ", error.item, " ", error.reason)};
  const std::string wanted = Place(error.item, error.reason, error.operation, error.operand,
                                   error.parameter, error.dimension);
  const std::string seen =
      Place(std::string(NameOf(found->item)), std::string(NameOf(found->reason)), found->operation,
            found->operand, found->parameter, found->dimension);
  const std::string text = found->Text(recording.model, device.name);
  if (seen == wanted) return {Verdict::kRejected, text};
  return {Verdict::kFailed, absl::StrCat("is refused for another reason: ", text,
                                         "\nrecorded: ", wanted, "\nseen: ", seen)};
}

// Empty: equal.
std::string Difference(const Operand& recorded, const ir::Tensor& computed) {
  if (computed.shape() != recorded.shape ||
      static_cast<int64_t>(ir::SizeOf(computed.dtype())) != SizeOf(recorded.type))
    return absl::StrCat("is ", std::string(ir::NameOf(computed.dtype())), "[",
                        absl::StrJoin(computed.shape(), ","), "], recorded is ",
                        NameOf(recorded.type), "[", absl::StrJoin(recorded.shape, ","), "]");
  const absl::Span<const uint8_t> wanted = recorded.data->bytes(), seen = computed.bytes();
  const size_t size = ir::SizeOf(computed.dtype());
  const size_t count = size == 0 ? 0 : seen.size() / size;
  size_t differing = 0, first = 0;
  for (size_t i = count; i-- > 0;) {
    if (std::memcmp(wanted.data() + i * size, seen.data() + i * size, size) == 0) continue;
    ++differing;
    first = i;
  }
  if (differing == 0) return "";
  // Little-endian integers of the recorded width.
  int64_t value = 0;
  std::memcpy(&value, wanted.data() + first * size, size);
  const int unused_bits = 64 - 8 * static_cast<int>(size);
  value = static_cast<int64_t>(static_cast<uint64_t>(value) << unused_bits) >> unused_bits;
  return absl::StrCat("differs in ", differing, " of ", count, " elements, first in element ",
                      first, ": ", computed.AsInt(static_cast<int64_t>(first)), ", recorded is ",
                      value);
}

}  // namespace

Verdict Compare(const Recording& recording, const RunOptions& options) {
  const Device* device = FindRecorded(recording.device);
  if (device == nullptr)
    return {Verdict::kFailed, absl::StrCat("there is no device `", recording.device, "`")};
  if (recording.error.has_value()) return CompareError(recording, *recording.error, *device);
  const absl::StatusOr<Execution> execution = RunModel(recording.model, *device, options);
  if (!execution.ok()) return {Verdict::kFailed, std::string(execution.status().message())};
  for (const RecordedOutput& output : recording.outputs) {
    if (output.operation >= static_cast<int64_t>(execution->outputs.size()))
      return {Verdict::kFailed, absl::StrCat("there is no operation ", output.operation)};
    const std::string difference =
        Difference(output.operand, execution->outputs[static_cast<size_t>(output.operation)]);
    if (!difference.empty())
      return {Verdict::kFailed,
              absl::StrCat("the output of operation ", output.operation, " ", difference)};
  }
  const int64_t saturations =
      std::accumulate(execution->saturations.begin(), execution->saturations.end(), int64_t{0});
  if (recording.saturated.has_value() && *recording.saturated != (saturations > 0))
    return {Verdict::kFailed, absl::StrCat(saturations, " saturations, recorded are ",
                                           *recording.saturated ? "some" : "none")};
  return {Verdict::kMatched, ""};
}

}  // namespace tessera::npu
