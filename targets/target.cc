#include "targets/target.h"

#include <cstdint>
#include <optional>
#include <set>
#include <variant>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/data_size.h"
#include "targets/size_facts.h"

namespace tessera::targets {

std::string Serialized::Join() const { return support::Join(runs); }

report::Page Artifact::Report() const {
  report::Page page;
  for (const Part& part : Describe({true, true})) {
    // The first line of a text says what it is about.
    std::vector<std::string> lines = absl::StrSplit(part.text, '\n', absl::SkipEmpty());
    if (!lines.empty()) {
      page.sections.push_back({std::string(absl::StripSuffix(lines[0], ":")), {}, {}, {}, {}});
      lines.erase(lines.begin());
    } else if (page.sections.empty()) {
      page.sections.push_back({"Contents", {}, {}, {}, {}});
    }
    for (std::string& line : lines) page.sections.back().paragraphs.push_back(std::move(line));
    if (!part.table.empty()) page.sections.back().tables.push_back(part.table);
  }
  return page;
}

std::string Artifact::SizeFacts() const {
  const auto facts = metadata().find(kSizeFactsName);
  return facts == metadata().end() ? "" : facts->second;
}

namespace {

// The inputs that decide what the operation counts: none where one of them has more elements than
// somebody would give as numbers.
std::vector<std::string> FewNumbersOf(const ir::Operation& counted) {
  constexpr int64_t kMostElements = 16;
  std::set<std::string> names;
  std::vector<const ir::Value*> work(counted.operands().begin(), counted.operands().end());
  absl::flat_hash_set<const ir::Value*> seen;
  while (!work.empty()) {
    const ir::Value* const value = work.back();
    work.pop_back();
    if (value == nullptr || !seen.insert(value).second) continue;
    if (value->producer() != nullptr) {
      const auto operands = value->producer()->operands();
      work.insert(work.end(), operands.begin(), operands.end());
      continue;
    }
    int64_t elements = 1;
    for (const ir::Expr& dim : value->type().dims) {
      const std::optional<int64_t> size = dim.Constant();
      if (!size || *size > kMostElements) return {};
      elements *= *size;
      if (elements > kMostElements) return {};
    }
    names.insert(value->name());
  }
  return {names.begin(), names.end()};
}

}  // namespace

absl::Status TakesSizes(const Compilation& compilation, const ir::Graph& graph) {
  if (compilation.CountsSizes()) return absl::OkStatus();
  std::string decided;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (!ir::IsDataSize(*op)) continue;
    absl::StrAppend(&decided, "\n    `", std::get<ir::Expr>(op->attrs()[0]).ToString(), "` at `",
                    op->location().ToString(), "`");
    for (const std::string& name : FewNumbersOf(*op))
      absl::StrAppend(&decided, "; `--bind ", name, "=FILE` makes `", name, "` a constant");
  }
  if (decided.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("sizes of such an artifact follow from those of its inputs; the reference and "
                   "Circle have sizes that data decide:",
                   decided));
}

}  // namespace tessera::targets
