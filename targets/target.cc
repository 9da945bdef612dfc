#include "targets/target.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/data_size.h"
#include "targets/size_facts.h"

namespace tessera::targets {

std::string Serialized::Join() const {
  std::string bytes;
  bytes.reserve(static_cast<size_t>(size));
  for (std::string_view piece : pieces) bytes += piece;
  return bytes;
}

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

absl::Status SizesFollowFromInputs(const ir::Graph& graph) {
  std::string decided;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (!ir::IsDataSize(*op)) continue;
    absl::StrAppend(&decided, "\n    `", std::get<ir::Expr>(op->attrs()[0]).ToString(), "` at `",
                    op->location().ToString(), "`");
  }
  if (decided.empty()) return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat("an artifact's sizes follow from those of its inputs; only the reference "
                   "executes a network with sizes that data decide:",
                   decided));
}

}  // namespace tessera::targets
