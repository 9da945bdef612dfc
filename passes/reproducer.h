// Reproducers: what is needed to see a pass run again, and fail again. That is the graph as the
// pass was given it, or as one before it was, and the passes from there on. Weights stay out unless
// they are asked for.
//
//   tessera reproducer 1
//   target circle
//   passes canonicalize cse circle-legalize
//   rewrites-left 12
//   shuffle-seed 3
//   requested SOFTMAX.added_mask
//   failure INTERNAL "pass `canonicalize`: ..."
//   constants "net.4-canonicalize.reproducer.constants"
//   absent 8f...e1 : f32[16,3,3,3]
//   ir 1
//   ...
//
// Lines that say nothing (no limit of rewrites, no failure) are left out; `//` starts a comment
// line. From `ir` on it is the text form of the graph.
#ifndef TESSERA_PASSES_REPRODUCER_H_
#define TESSERA_PASSES_REPRODUCER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/digest.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "passes/pass.h"

namespace tessera::passes {

struct AbsentConstant {
  ir::Digest digest;
  ir::DType dtype;
  std::vector<int64_t> shape;
};

struct Reproducer {
  size_t position = 0;              // in its pipeline, of the pass that this is about; not written
  std::string about;                // that pass's name; not written
  std::string target;               // whose pipeline it was
  std::vector<std::string> passes;  // those to run on `ir`, in order
  int64_t rewrites_left = -1;       // -1: no limit
  uint64_t shuffle_seed = 0;
  bool strict_floats = false;
  std::set<std::string, std::less<>> requested, without;  // as in PassContext
  absl::Status failure;        // of that pass; OK: nothing failed, somebody wanted to see the pass
  std::string constants_file;  // beside this file; empty: there is none
  std::map<ir::Digest, ir::Tensor> constants;  // for that file
  std::vector<AbsentConstant> absent;          // in neither file
  // Null: none yet. Shared: most passes leave the graph, and so its text, as it is.
  std::shared_ptr<const std::string> ir;
};

std::string ToText(const Reproducer& reproducer);
// All but `position` and `constants`. Error: the line that is wrong.
absl::StatusOr<Reproducer> ParseReproducer(std::string_view text);

// Whether a constant goes into the side file though weights were not asked for: integers that
// shapes and indices are made of, as long as they are few.
bool IsSmallConstant(const ir::Tensor& tensor);

struct ReproducerOptions {
  std::string target;
  std::set<std::string> before;  // passes of which one is written before they run; `*` is every one
  bool refusals = false;         // also for a failure that is the input's, not ours
  bool weights = false;          // keep every constant
  // Where the text of a graph has more bytes, it is not made anew for each pass that finds another
  // graph: the passes before it are run again too. (Otherwise a tenth of the time of a compile with
  // 100,000 operations goes there.)
  size_t longest_text = size_t{1} << 20;
  // Puts one where the user finds it, and says where that is. Null: none are made.
  std::function<absl::StatusOr<std::string>(Reproducer)> write;
  // For who makes ready for a crash: told of every pass before it runs, and of null after the last.
  std::function<void(const Reproducer*)> prepare;
};

// Follows one run of a pipeline.
class ReproducerRecorder {
 public:
  ReproducerRecorder(const ReproducerOptions& options, const Pipeline& pipeline,
                     const std::set<std::string>& disabled)
      : options_(options), pipeline_(pipeline), disabled_(disabled) {}
  ~ReproducerRecorder() {
    if (options_.prepare) options_.prepare(nullptr);
  }
  ReproducerRecorder(const ReproducerRecorder&) = delete;

  // Before pass `index` runs; `changed`: the graph is not what it was at the last call.
  absl::Status Before(size_t index, const ir::Graph& graph, const PassContext& context,
                      bool changed);
  // The error, with the name of the file that was written for it, if one was.
  absl::Status Failed(const absl::Status& failure);

 private:
  const ReproducerOptions& options_;
  const Pipeline& pipeline_;
  const std::set<std::string>& disabled_;
  Reproducer current_;
  bool earlier_ = false;  // the graph is no longer what the text says
};

}  // namespace tessera::passes

#endif  // TESSERA_PASSES_REPRODUCER_H_
