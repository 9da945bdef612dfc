#include "tools/views/dump.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/text.h"
#include "support/file.h"
#include "tools/views/dot.h"
#include "tools/views/svg.h"

namespace tessera::views {

void Dump::Begin(const ir::Graph& graph) {
  status_ = support::MakeFolder(folder_);
  fingerprint_ = graph.Fingerprint();
  Step step;
  step.name = "import";
  step.doc = "the network as it was read";
  step.changed = true;
  Take(std::move(step), graph);
}

void Dump::Follow(passes::RunOptions& options) {
  options.before = [this, then = std::move(options.before)](const passes::Pass& pass,
                                                            const ir::Graph& graph) {
    if (report_.steps.empty()) Begin(graph);
    if (then) then(pass, graph);
  };
  options.after = [this, then = std::move(options.after)](const passes::Pass& pass,
                                                          const ir::Graph& graph) {
    const uint64_t now = graph.Fingerprint();
    Step step;
    step.name = pass.name;
    step.doc = pass.doc;
    step.changed = now != fingerprint_;
    fingerprint_ = now;
    Take(std::move(step), graph);
    if (then) then(pass, graph);
  };
}

void Dump::Take(Step step, const ir::Graph& graph) {
  step.operations = graph.operation_count();
  if (step.changed) {
    const std::string name = absl::StrCat(report_.steps.size(), "-", step.name);
    GraphView view = View(graph);
    if (!report_.steps.empty()) step.removed = Compare(previous_, view);
    if (formats_.count(Format::kText) != 0) Write(name + ".ir", ir::Print(graph));
    if (formats_.count(Format::kDot) != 0) Write(name + ".dot", ToDot(view, name));
    if (formats_.count(Format::kSvg) != 0) Write(name + ".svg", ToSvg(view));
    previous_ = view;
    if (formats_.count(Format::kHtml) != 0) step.graph = std::move(view);
  }
  report_.steps.push_back(std::move(step));
}

void Dump::Write(const std::string& name, const std::string& text) {
  if (status_.ok()) status_ = support::WriteFile(absl::StrCat(folder_, "/", name), text);
}

absl::Status Dump::Finish(const std::vector<passes::PassReport>& reports, const absl::Status& ended,
                          std::vector<Proof> proofs) {
  report_.proofs = std::move(proofs);
  for (size_t i = 0; i < reports.size() && i + 1 < report_.steps.size(); ++i) {
    report_.steps[i + 1].milliseconds = reports[i].milliseconds;
    report_.steps[i + 1].rewrites = reports[i].rewrites;
    report_.steps[i + 1].reads = passes::NamesOf(reports[i].effects.reads);
    report_.steps[i + 1].writes = passes::NamesOf(reports[i].effects.writes);
    report_.steps[i + 1].checked = reports[i].checked;
    report_.steps[i + 1].broken = reports[i].broken;
  }
  if (!ended.ok()) report_.failure = std::string(ended.message());
  if (formats_.count(Format::kHtml) != 0 && !report_.steps.empty())
    Write("report.html", ToHtml(report_));
  return status_;
}

}  // namespace tessera::views
