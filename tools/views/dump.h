// Shows in files what the passes of one run do: text, dot and svg after the import and after each
// pass that changed the graph, and one report of all in HTML.
#ifndef TESSERA_TOOLS_VIEWS_DUMP_H_
#define TESSERA_TOOLS_VIEWS_DUMP_H_

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "passes/runner.h"
#include "tools/views/report.h"

namespace tessera::views {

enum class Format { kText, kDot, kSvg, kHtml };

class Dump {
 public:
  // Files in `folder`, which is made where it is missing: `4-canonicalize.svg`, `0-import.dot`,
  // `report.html`. `title` names the model.
  Dump(std::set<Format> formats, std::string folder, std::string title)
      : formats_(std::move(formats)), folder_(std::move(folder)) {
    report_.title = std::move(title);
  }

  // Lets a run with `options` call this object, which must outlive it, before the first pass and
  // after each; what was to be called stays so.
  void Follow(passes::RunOptions& options);
  // After the run: its reports, how it ended, and what became of the obligations. The error is the
  // first that writing met.
  absl::Status Finish(const std::vector<passes::PassReport>& reports, const absl::Status& ended,
                      std::vector<Proof> proofs = {});

 private:
  void Begin(const ir::Graph& graph);
  void Take(Step step, const ir::Graph& graph);
  void Write(const std::string& name, const std::string& text);

  const std::set<Format> formats_;
  const std::string folder_;
  Report report_;
  GraphView previous_;
  uint64_t fingerprint_ = 0;
  absl::Status status_;
};

}  // namespace tessera::views

#endif  // TESSERA_TOOLS_VIEWS_DUMP_H_
