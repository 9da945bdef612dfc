#include "codegen/aten_emitter.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "codegen/import_facts.h"
#include "codegen/info_emitter.h"
#include "codegen/shape_emitter.h"
#include "codegen/term_emitter.h"

namespace tessera::codegen {
namespace {

// `<Op>Aten<clause>Info`, a function: what the index calls.
std::string InfoName(const Op& op, size_t clause) {
  return absl::StrCat(op.name, "Aten", clause, "Info");
}

// A clause for complex tensors stands beside one for real ones.
using Claim = std::tuple<std::string, bool, bool>;
Claim ClaimOf(const AtenClause& clause) { return {clause.name, clause.written, clause.complex}; }

std::string NumbersOf(const AtenClause& clause) {
  return absl::StrCat("ir::AtenNumbers::", clause.complex  ? "kComplex"
                                           : clause.linear ? "kLinear"
                                           : clause.parts  ? "kParts"
                                                           : "kReal");
}

std::string Names(const std::string& list, std::vector<std::string> names) {
  if (names.empty())
    return absl::StrCat("constexpr absl::Span<const std::string_view> ", list, ";\n");
  for (std::string& name : names) name = Quote(name);
  return absl::StrCat("constexpr std::string_view ", list, "[] = {", absl::StrJoin(names, ", "),
                      "};\n");
}

bool HasAten(const File& file) {
  return std::any_of(file.ops.begin(), file.ops.end(),
                     [](const Op& op) { return !op.aten.empty(); });
}

// Those that `extern` clauses name, beside their definitions.
std::set<std::string> HeadersOf(const std::vector<const File*>& files,
                                const std::vector<std::string>& paths) {
  std::set<std::string> headers;
  for (size_t i = 0; i < files.size(); ++i) {
    for (const Op& op : files[i]->ops) {
      for (const AtenClause& clause : op.aten) {
        if (clause.header.empty()) continue;
        headers.insert(absl::StrCat(paths[i].substr(0, paths[i].rfind('/') + 1), clause.header));
      }
    }
  }
  return headers;
}

}  // namespace

void CheckAten(const std::vector<const File*>& files, Diagnostics& diagnostics) {
  std::map<Claim, const Op*> claimed;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const AtenClause& clause : op.aten) {
        if (!absl::StrContains(clause.name, '.'))
          diagnostics.Error(clause.place, absl::StrCat("`", clause.name,
                                                       "` names no overload, as `relu.default`"));
        const auto [it, added] = claimed.emplace(ClaimOf(clause), &op);
        if (!added)
          diagnostics.Error(clause.place,
                            absl::StrCat("`", clause.name, "` of ATen is claimed by `",
                                         it->second->name, "` already"));
      }
    }
  }
}

std::string EmitAtenClauses(const Program& program, const std::vector<const File*>& files,
                            const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::string code =
      "// Generated from definitions of ops.\n#include <algorithm>\n#include <cmath>\n#include "
      "<limits>\n#include <string>\n#include <utility>\n#include <vector>\n\n#include "
      "\"codegen/support/domain.h\"\n#include \"codegen/support/kernel_io.h\"\n#include "
      "\"codegen/support/term_support.h\"\n#include \"ir/aten.h\"\n#include \"ir/scan.h\"\n";
  for (const std::string& header : HeadersOf(files, paths))
    absl::StrAppend(&code, "#include \"", header, "\"\n");
  absl::StrAppend(&code, "\nnamespace tessera::ops {\n\n");
  for (size_t i = 0; i < files.size(); ++i) {
    const File& file = *files[i];
    if (!HasAten(file)) continue;
    absl::StrAppend(&code, EmitShapes(program, file, diagnostics).types);
    for (const Op& op : file.ops) {
      for (size_t n = 0; n < op.aten.size(); ++n) {
        const AtenClause& clause = op.aten[n];
        std::vector<std::string> attributes;
        for (const std::string& name : AttributesRead(clause)) attributes.push_back(name);
        const std::string stem = absl::StrCat(op.name, "Aten", n);
        const bool external = !clause.function.empty();
        std::vector<std::string> arguments = clause.arguments;
        if (!external && !arguments.empty() && absl::EndsWith(clause.inputs.back(), "..."))
          arguments.back() += "...";
        const std::string apply = external ? "" : EmitAten(program, op, n, diagnostics);
        absl::StrAppend(&code, "namespace {\n\n", apply, Names("k" + stem + "Inputs", arguments),
                        Names("k" + stem + "Attributes", attributes),
                        "\n}  // namespace\n\nconst ir::AtenInfo& ", InfoName(op, n),
                        "();\nconst ir::AtenInfo& ", InfoName(op, n),
                        "() {\n  static constexpr ir::AtenInfo info = {", Quote(clause.name), ", ",
                        Quote(paths[i]), ", ", clause.view ? "true" : "false", ", ",
                        clause.written ? "true" : "false", ", ", NumbersOf(clause), ", k", stem,
                        "Inputs, k", stem, "Attributes, ", external ? clause.function : stem,
                        "};\n  return info;\n}\n\n");
      }
    }
  }
  // Only where it is used: the other sources stay as they are.
  const std::string behind = "#include \"ir/aten.h\"\n";
  if (absl::StrContains(code, "ir::Counted("))
    code.insert(code.find(behind) + behind.size(), "#include \"ir/counted.h\"\n");
  return absl::StrCat(code, "}  // namespace tessera::ops\n");
}

std::string EmitAtenIndex(const std::vector<const File*>& files, const std::string& title) {
  std::map<Claim, std::string> infos;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (size_t n = 0; n < op.aten.size(); ++n)
        infos.emplace(ClaimOf(op.aten[n]), InfoName(op, n));
    }
  }
  std::string code =
      absl::StrCat("// Generated: the overloads of ATen that `", title,
                   "` has.\n#include <vector>\n\n#include \"ir/aten.h\"\n\nnamespace "
                   "tessera::ops {\n\n");
  for (const auto& [claim, info] : infos)
    absl::StrAppend(&code, "const ir::AtenInfo& ", info, "();\n");
  absl::StrAppend(&code, "\nabsl::Span<const ir::AtenInfo* const> ", title,
                  "Aten();\nabsl::Span<const ir::AtenInfo* const> ", title,
                  "Aten() {\n  static const auto* list = new std::vector<const ir::AtenInfo*>{\n");
  for (const auto& [claim, info] : infos) absl::StrAppend(&code, "      &", info, "(),\n");
  return absl::StrCat(code, "  };\n  return *list;\n}\n\n}  // namespace tessera::ops\n");
}

}  // namespace tessera::codegen
