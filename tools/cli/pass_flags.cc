#include "tools/cli/pass_flags.h"

#include <algorithm>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "tools/cli/table.h"

namespace tessera::cli {

void PassFlags::Declare(CommandLine& line) {
  line.Values("print-ir-after", "PASS", "prints the IR after a pass; `all` is every pass",
              &print_after_)
      .Values("print-ir-before", "PASS", "prints the IR before a pass", &print_before_)
      .Switch("print-ir-on-change", "prints the IR after each pass that changed it",
              &print_on_change_)
      .Values("disable-pass", "PASS", "leaves a pass out", &disabled_)
      .Values("enable-rewrite", "NAME",
              "applies a rewrite that applies only on request; `config` prints what there is",
              &requested_)
      .Values("disable-rewrite", "NAME", "leaves out a rewrite of any definition, as `Op.name`",
              &without_)
      .Switch("strict-floats",
              "leaves out rewrites that hold for finite numbers and not where something is NaN, "
              "infinite or -0 (`assumes finite`), and refuses operations that have no other form",
              &strict_floats_)
      .Value("bisect-limit", "N", "stops after N rewrites, to find the one that breaks",
             &bisect_limit_)
      .Value("max-folding", "MIB",
             "what is computed at compile time may take so many MiB more than what it comes from; "
             "beyond that it is computed at run time; default: 64, or four times the constants",
             &max_folding_)
      .Switch("trace-rewrites", "names each rewrite that applies, and where", &trace_)
      .Switch(
          "time-passes",
          "prints time, rewrites and operation count of each pass, the parts of a graph that it "
          "reads and writes, and what was checked to hold after it",
          &time_passes_);
}

std::optional<int> ResolvePasses(const CommandLine& line, const passes::Pipeline& known,
                                 const char* flag, const std::vector<std::string>& given,
                                 std::set<std::string>& passes, bool may_be_all) {
  std::vector<std::string> names;
  if (may_be_all) names.emplace_back("all");
  for (const passes::Pass& pass : known) {
    if (std::find(names.begin(), names.end(), pass.name) == names.end()) names.push_back(pass.name);
  }
  for (const std::string& name : given) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::optional<std::string> nearest = Nearest(name, names);
      return line.WrongUsage(
          absl::StrCat("`--", flag, " ", name, "`: no such pass; ",
                       nearest ? absl::StrCat("did you mean `", *nearest, "`?")
                               : absl::StrCat("there are ", absl::StrJoin(names, ", "))));
    }
    passes.insert(name == "all" ? "*" : name);
  }
  return std::nullopt;
}

namespace {

// The rewrites that a flag names. Otherwise the exit code, after a complaint on stderr.
std::optional<int> ResolveRewrites(const CommandLine& line, const std::vector<std::string>& known,
                                   const char* flag, const std::vector<std::string>& given,
                                   std::set<std::string, std::less<>>& rewrites) {
  for (const std::string& name : given) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::optional<std::string> nearest = Nearest(name, known);
      return line.WrongUsage(
          absl::StrCat("`--", flag, " ", name, "`: no such rewrite",
                       nearest ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
    }
    rewrites.insert(name);
  }
  return std::nullopt;
}

}  // namespace

std::optional<int> PassFlags::Resolve(const CommandLine& line, const passes::Pipeline& known,
                                      passes::RunOptions& options) const {
  if (auto code = ResolvePasses(line, known, "print-ir-after", print_after_, options.print_after))
    return code;
  if (auto code =
          ResolvePasses(line, known, "print-ir-before", print_before_, options.print_before))
    return code;
  if (auto code = ResolvePasses(line, known, "disable-pass", disabled_, options.disabled, false))
    return code;
  std::vector<std::string> on_request;
  for (const ir::RequestedRewrite& rewrite : ir::Registry::Global().RequestedRewrites())
    on_request.emplace_back(rewrite.name);
  if (auto code =
          ResolveRewrites(line, on_request, "enable-rewrite", requested_, options.requested))
    return code;
  if (auto code = ResolveRewrites(line, ir::Registry::Global().RewriteNames(), "disable-rewrite",
                                  without_, options.without))
    return code;
  for (const std::string& rewrite : requested_) {
    if (std::find(without_.begin(), without_.end(), rewrite) != without_.end())
      return line.WrongUsage(absl::StrCat("`--enable-rewrite ", rewrite,
                                          "` and `--disable-rewrite ", rewrite,
                                          "` exclude each other"));
  }
  for (const std::string& rewrite : options.without) options.requested.erase(rewrite);
  options.print_on_change = print_on_change_;
  options.trace_matches = trace_;
  options.strict_floats = strict_floats_;
  if (!bisect_limit_.empty() &&
      (!absl::SimpleAtoi(bisect_limit_, &options.bisect_limit) || options.bisect_limit < 0)) {
    return line.WrongUsage(
        absl::StrCat("`--bisect-limit ", bisect_limit_, "`: a number of rewrites is needed"));
  }
  if (!max_folding_.empty()) {
    int64_t mebibytes = 0;
    if (!absl::SimpleAtoi(max_folding_, &mebibytes) || mebibytes < 0 || mebibytes >= 1 << 30) {
      return line.WrongUsage(
          absl::StrCat("`--max-folding ", max_folding_, "`: a number of MiB is needed"));
    }
    options.folding_growth = mebibytes << 20;
  }
  return std::nullopt;
}

std::string PassTable(const std::vector<passes::PassReport>& reports) {
  std::vector<std::vector<std::string>> rows = {
      {"pass", "ms", "rewrites", "operations after", "reads", "writes", "checked after it"}};
  for (const passes::PassReport& report : reports) {
    std::vector<std::string> checked = report.checked;
    for (const std::string& broken : report.broken)
      checked.push_back(absl::StrCat("no longer ", broken));
    rows.push_back({report.name, absl::StrFormat("%.2f", report.milliseconds),
                    absl::StrCat(report.rewrites), absl::StrCat(report.operations),
                    passes::NamesOf(report.effects.reads), passes::NamesOf(report.effects.writes),
                    absl::StrJoin(checked, ", ")});
  }
  return Table(rows);
}

}  // namespace tessera::cli
