#include "tools/views/report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "report/html.h"
#include "report/markup.h"
#include "tools/views/report_script.h"
#include "tools/views/report_style.h"
#include "tools/views/svg.h"

namespace tessera::views {
namespace {

using report::Escaped;
using report::HtmlCard;
using report::HtmlTable;

std::string Code(std::string_view text) { return absl::StrCat("<code>", Escaped(text), "</code>"); }

std::string Count(size_t count, const char* singular, const char* plural) {
  return absl::StrCat(count, " ", count == 1 ? singular : plural);
}

class Page {
 public:
  explicit Page(const Report& report) : report_(report) {
    for (const Step& step : report.steps) {
      if (step.changed) last_ = &step.graph;
      total_ms_ += step.milliseconds;
      longest_ms_ = std::max(longest_ms_, step.milliseconds);
    }
  }

  std::string Html() const {
    return report::Html(report_.title, absl::StrCat(View(SvgStyle()), View(ReportStyle())),
                        absl::StrCat(Head(), Passes(), Shapes(), Obligations(), Kinds(), Graphs()),
                        ReportScript());
  }

 private:
  static absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

  static std::string Anchor(size_t step) { return absl::StrCat("pass-", step); }

  std::string Head() const {
    size_t changed = 0;
    for (size_t i = 1; i < report_.steps.size(); ++i) changed += report_.steps[i].changed;
    std::string html = absl::StrCat("<header><h1>", Escaped(report_.title), "</h1>\n");
    if (!report_.failure.empty())
      absl::StrAppend(&html, "<pre class=\"failure\">", Escaped(report_.failure), "</pre>\n");
    return absl::StrCat(
        html, "<div class=\"cards\">",
        HtmlCard(
            absl::StrCat(report_.steps.front().operations, " → ", report_.steps.back().operations),
            "operations, constants included"),
        HtmlCard(absl::StrCat(changed, " of ", report_.steps.size() - 1),
                 "passes changed the graph"),
        HtmlCard(absl::StrFormat("%.1f ms", total_ms_), "in all passes"),
        HtmlCard(absl::StrCat(last_->obligations.size()), "open obligations"), "</div>\n",
        "<nav><a href=\"#passes\">passes</a><a href=\"#shapes\">shapes</a>"
        "<a href=\"#obligations\">obligations</a><a href=\"#kinds\">operations by kind</a>"
        "<a href=\"#graphs\">graphs</a></nav></header>\n");
  }

  static std::string Checked(const Step& step) {
    std::vector<std::string> parts;
    for (const std::string& name : step.checked) parts.push_back(Code(name));
    for (const std::string& name : step.broken)
      parts.push_back(absl::StrCat("no longer ", Code(name)));
    return absl::StrJoin(parts, ", ");
  }

  std::string Passes() const {
    HtmlTable rows({"#", "pass", "what it does", "time, ms", "", "rewrites", "operations", "",
                    "reads", "writes", "checked after it"});
    for (size_t i = 0; i < report_.steps.size(); ++i) {
      const Step& step = report_.steps[i];
      const std::string name = Code(step.name);
      std::string delta;
      if (i > 0 && step.operations != report_.steps[i - 1].operations) {
        delta = absl::StrFormat("%+d", static_cast<int64_t>(step.operations) -
                                           static_cast<int64_t>(report_.steps[i - 1].operations));
      }
      rows.Add({absl::StrCat(i),
                step.changed ? absl::StrCat("<a href=\"#", Anchor(i), "\">", name, "</a>") : name,
                Escaped(step.doc), i == 0 ? "" : absl::StrFormat("%.2f", step.milliseconds),
                absl::StrFormat("<span class=\"bar\" style=\"width:%.0fpx\"></span>",
                                longest_ms_ > 0 ? 120 * step.milliseconds / longest_ms_ : 0),
                step.rewrites == 0 ? "" : absl::StrCat(step.rewrites),
                absl::StrCat(step.operations), delta, step.reads, step.writes, Checked(step)});
    }
    return absl::StrCat("<section id=\"passes\"><h2>Passes</h2>\n", std::move(rows).Done(),
                        "</section>\n");
  }

  std::string Shapes() const {
    HtmlTable rows({"", "name", "type"});
    for (const NodeView& node : last_->nodes) {
      if (node.kind == NodeView::kOperation) continue;
      rows.Add({node.kind == NodeView::kInput ? "input" : "output", Code(node.title),
                Code(absl::StrJoin(node.results, ", "))});
    }
    std::string html =
        absl::StrCat("<section id=\"shapes\"><h2>Shapes</h2>\n", std::move(rows).Done());
    if (last_->symbols.empty()) return html + "<p>Every dim is a number.</p></section>\n";
    html += "<p>The symbols, and what is known of them:</p><ul>\n";
    for (const std::string& symbol : last_->symbols)
      absl::StrAppend(&html, "<li>", Code(symbol), "</li>\n");
    return html + "</ul></section>\n";
  }

  static std::vector<std::string> Cells(const ObligationView& o) {
    return {Code(o.op), Escaped(o.scope), Code(o.constraint), Code(o.predicate),
            Escaped(o.message)};
  }

  std::string Obligations() const {
    const std::vector<std::string> heads = {"operation", "where", "constraint", "holds if",
                                            "otherwise"};
    std::string html = "<section id=\"obligations\"><h2>Obligations</h2>\n";
    if (last_->obligations.empty()) {
      html += "<p>None is open: every constraint of every definition holds for all sizes.</p>\n";
    } else {
      HtmlTable rows(heads);
      for (const ObligationView& o : last_->obligations) rows.Add(Cells(o));
      absl::StrAppend(&html,
                      "<p>Open: not decided for all sizes, checked when the network runs.</p>\n",
                      std::move(rows).Done());
    }
    size_t proved = 0;
    std::vector<std::string> with_stage = heads;
    with_stage.insert(with_stage.begin(), "met at");
    HtmlTable rows(with_stage);
    for (const Proof& proof : report_.proofs) {
      if (proof.guarded) continue;
      ++proved;
      std::vector<std::string> cells = Cells(proof.obligation);
      cells.insert(cells.begin(), Escaped(proof.stage));
      rows.Add(cells);
    }
    if (proved > 0) {
      absl::StrAppend(&html, "<details class=\"proofs\"><summary>", Count(proved, "was", "were"),
                      " proved for all sizes by the prover</summary>\n", std::move(rows).Done(),
                      "</details>\n");
    }
    return html + "</section>\n";
  }

  std::string Kinds() const {
    const GraphView& first = report_.steps.front().graph;
    std::set<std::string> kinds;
    int most = 1;
    for (const GraphView* graph : {&first, last_}) {
      for (const auto& [kind, count] : graph->counts) {
        kinds.insert(kind);
        most = std::max(most, count);
      }
    }
    const auto cell = [&](const GraphView& graph, const std::string& kind) -> std::string {
      const auto it = graph.counts.find(kind);
      if (it == graph.counts.end()) return "";
      return absl::StrFormat("<span class=\"bar\" style=\"width:%.0fpx\"></span> %d",
                             std::max(2.0, 160.0 * it->second / most), it->second);
    };
    HtmlTable rows({"operation", "imported", "at the end"});
    for (const std::string& kind : kinds)
      rows.Add({Code(kind), cell(first, kind), cell(*last_, kind)});
    return absl::StrCat("<section id=\"kinds\"><h2>Operations by kind</h2>\n",
                        std::move(rows).Done(), "</section>\n");
  }

  std::string Graphs() const {
    std::string html =
        "<section id=\"graphs\"><h2>Graphs</h2>\n<p>After the import, and after each pass that "
        "changed something: <span class=\"key added\">new</span> <span class=\"key changed\">other "
        "operands, attributes or types</span>. A node shows its constants, attributes and the "
        "types "
        "of its results; point at it for all of them.</p>\n";
    for (size_t i = 0; i < report_.steps.size(); ++i) {
      if (report_.steps[i].changed) html += Graph(i);
    }
    return html + "</section>\n";
  }

  // Operations that are no nodes.
  static int64_t Constants(const Step& step) {
    int64_t constants = static_cast<int64_t>(step.operations);
    for (const auto& [kind, count] : step.graph.counts) constants -= count;
    return constants;
  }

  std::string Graph(size_t i) const {
    const Step& step = report_.steps[i];
    std::map<std::string, int> delta = step.graph.counts;
    size_t added = 0, changed = 0;
    for (const NodeView& node : step.graph.nodes) {
      added += node.change == NodeView::kAdded;
      changed += node.change == NodeView::kChanged;
    }
    std::string html =
        absl::StrCat("<details id=\"", Anchor(i), "\"", &step.graph == last_ ? " open" : "",
                     "><summary>", i, " <b>", Escaped(step.name), "</b> <span>");
    if (i == 0) {
      absl::StrAppend(&html, Count(step.operations, "operation", "operations"));
    } else {
      absl::StrAppend(&html, added, " new, ", changed, " changed, ", step.removed.size(), " gone");
    }
    html += "</span></summary>\n";
    if (i > 0) {
      const Step* before = nullptr;
      for (size_t k = 0; k < i; ++k) {
        if (report_.steps[k].changed) before = &report_.steps[k];
      }
      for (const auto& [kind, count] : before->graph.counts) delta[kind] -= count;
      std::vector<std::string> parts;
      for (const auto& [kind, count] : delta) {
        if (count != 0)
          parts.push_back(absl::StrFormat("<code>%s</code> %+d", Escaped(kind), count));
      }
      const int64_t constants = Constants(step) - Constants(*before);
      if (constants != 0) parts.push_back(absl::StrFormat("constants %+d", constants));
      if (!parts.empty()) absl::StrAppend(&html, "<p>", absl::StrJoin(parts, ", "), "</p>\n");
    }
    if (!step.removed.empty()) {
      absl::StrAppend(&html, "<details class=\"gone\"><summary>",
                      Count(step.removed.size(), "operation is gone", "operations are gone"),
                      "</summary><ul>\n");
      for (const RemovedNode& node : step.removed)
        absl::StrAppend(&html, "<li>", Code(node.title), " ", Escaped(node.scope), "</li>\n");
      html += "</ul></details>\n";
    }
    return absl::StrCat(html, "<div class=\"view\">",
                        ToInlineSvg(step.graph, absl::StrCat("g", i, "n")), "</div></details>\n");
  }

  const Report& report_;
  const GraphView* last_ = nullptr;
  double total_ms_ = 0, longest_ms_ = 0;
};

}  // namespace

std::string ToHtml(const Report& report) { return Page(report).Html(); }

}  // namespace tessera::views
