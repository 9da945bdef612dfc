#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"
#include "tools/cli/table.h"
#include "tools/verification/verify.h"

namespace tessera::verification {
namespace {

nlohmann::ordered_json Figure(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

// What is allowed, by which of the rules of comparison.h.
std::string Allowed(const OutputReport& output) {
  if (output.comparison.exact) return "exact";
  const std::string rule = output.least_snr > 0 ? absl::StrCat(output.least_snr, " dB")
                                                : cli::NumberText(output.tolerance);
  return output.step > 0 ? absl::StrCat(rule, " or 1 step") : rule;
}

// Of the output's grid.
std::string Steps(const OutputReport& output) {
  if (output.step == 0) return "";
  return absl::StrFormat("%.4g, of %.4g%% of elements", output.comparison.steps,
                         100 * output.comparison.differing);
}

}  // namespace

bool CaseReport::holds() const {
  return error.empty() && passed_over.empty() &&
         std::all_of(outputs.begin(), outputs.end(),
                     [](const OutputReport& output) { return output.comparison.holds; });
}

bool Report::holds() const {
  const auto holds = [](const CaseReport& c) { return c.holds(); };
  return std::any_of(cases.begin(), cases.end(), holds) &&
         std::all_of(cases.begin(), cases.end(),
                     [&](const CaseReport& c) { return holds(c) || !c.passed_over.empty(); });
}

std::string Report::ToText() const {
  std::vector<std::vector<std::string>> rows = {{"case", "output", "compared", "max abs", "max rel",
                                                 "SNR dB", "PEIR", "steps off", "allowed", ""}};
  std::string complaints;
  for (const CaseReport& c : cases) {
    for (const OutputReport& o : c.outputs) {
      rows.push_back({c.name, o.output, absl::StrCat(o.side, " / ", o.against),
                      cli::NumberText(o.comparison.max_abs), cli::NumberText(o.comparison.max_rel),
                      cli::NumberText(o.comparison.snr), cli::NumberText(o.comparison.peir),
                      Steps(o), Allowed(o), o.comparison.holds ? "holds" : "FAILS"});
      if (!o.comparison.holds) {
        absl::StrAppend(&complaints, c.name, ": `", o.output, "` of ", o.side, " ",
                        o.comparison.complaint, "\n");
      }
    }
    if (c.outputs.empty())
      rows.push_back({c.name, "", "", "", "", "", "", "", "",
                      !c.passed_over.empty() ? "passed over"
                      : c.error.empty()      ? "runs"
                                             : "FAILS"});
    if (!c.passed_over.empty())
      absl::StrAppend(&complaints, c.name, ": passed over: ", c.passed_over, "\n");
    if (!c.error.empty()) absl::StrAppend(&complaints, c.name, ": ", c.error, "\n");
  }
  const auto on_grid = [](const CaseReport& c) {
    return std::any_of(c.outputs.begin(), c.outputs.end(),
                       [](const OutputReport& o) { return o.step > 0; });
  };
  if (std::none_of(cases.begin(), cases.end(), on_grid)) {
    constexpr std::ptrdiff_t kSteps = 7;
    for (std::vector<std::string>& row : rows) row.erase(row.begin() + kSteps);
  }
  std::string text;
  for (const std::string& note : notes) absl::StrAppend(&text, note, "\n");
  for (const CaseReport& c : cases) {
    absl::StrAppend(&text, c.name, ":");
    for (const auto& [name, type] : c.inputs) absl::StrAppend(&text, " `", name, "` ", type);
    absl::StrAppend(&text, "\n");
    for (const std::string& note : c.notes) absl::StrAppend(&text, "  ", note, "\n");
  }
  const size_t held =
      std::count_if(cases.begin(), cases.end(), [](const CaseReport& c) { return c.holds(); });
  const size_t compared = std::count_if(cases.begin(), cases.end(),
                                        [](const CaseReport& c) { return c.passed_over.empty(); });
  absl::StrAppend(&text, cli::Table(rows), complaints, held, " of ", compared, " cases hold\n");
  return text;
}

std::string Report::ToJson() const {
  nlohmann::ordered_json json = {
      {"model", model}, {"target", target}, {"holds", holds()}, {"notes", notes}};
  json["cases"] = nlohmann::ordered_json::array();
  for (const CaseReport& c : cases) {
    nlohmann::ordered_json entry = {{"name", c.name}, {"holds", c.holds()}};
    entry["inputs"] = nlohmann::ordered_json::object();
    for (const auto& [name, type] : c.inputs) entry["inputs"][name] = type;
    entry["notes"] = c.notes;
    if (!c.error.empty()) entry["error"] = c.error;
    if (!c.passed_over.empty()) entry["passed_over"] = c.passed_over;
    entry["outputs"] = nlohmann::ordered_json::array();
    for (const OutputReport& o : c.outputs) {
      nlohmann::ordered_json output = {{"output", o.output},
                                       {"side", o.side},
                                       {"against", o.against},
                                       {"holds", o.comparison.holds},
                                       {"exact", o.comparison.exact},
                                       {"tolerance", o.comparison.exact ? 0 : o.tolerance},
                                       {"max_abs", Figure(o.comparison.max_abs)},
                                       {"max_rel", Figure(o.comparison.max_rel)},
                                       {"snr_db", Figure(o.comparison.snr)},
                                       {"peir", Figure(o.comparison.peir)}};
      if (o.least_snr > 0 && !o.comparison.exact) output["least_snr_db"] = o.least_snr;
      if (o.step > 0) {
        output["step"] = o.step;
        output["steps_off"] = Figure(o.comparison.steps);
        output["differing"] = o.comparison.differing;
      }
      if (!o.comparison.holds) output["complaint"] = o.comparison.complaint;
      entry["outputs"].push_back(std::move(output));
    }
    json["cases"].push_back(std::move(entry));
  }
  // Names come from the model and need not be UTF-8.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tessera::verification
