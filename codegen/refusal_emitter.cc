#include "codegen/refusal_emitter.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "codegen/info_emitter.h"

namespace tessera::codegen {
namespace {

using Operator = std::pair<std::string, bool>;  // and whether it is ATen's

// Each operator with the op whose clause takes it.
std::map<Operator, std::string> TakenIn(const std::vector<const File*>& files) {
  std::map<Operator, std::string> taken;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const OnnxClause& clause : op.onnx) {
        if (clause.domain.empty()) taken[{clause.name, false}] = op.name;
      }
      for (const AtenClause& clause : op.aten)
        taken[{clause.name.substr(0, clause.name.find('.')), true}] = op.name;
    }
  }
  return taken;
}

}  // namespace

void CheckRefusals(const std::vector<const File*>& files, Diagnostics& diagnostics) {
  std::map<Operator, std::string> taken;
  for (const File* file : files) {
    for (const RefuseDecl& refusal : file->refusals) {
      if (refusal.operators.empty())
        diagnostics.Error(refusal.place, "nothing is refused with that reason");
      if (taken.empty()) taken = TakenIn(files);
      for (const RefuseDecl::Operator& each : refusal.operators) {
        const auto [it, added] = taken.emplace(Operator{each.name, each.aten}, "");
        if (added) continue;
        if (it->second.empty()) {
          diagnostics.Error(each.place, absl::StrCat("`", each.name, "` is refused already"));
        } else {
          diagnostics.Error(
              each.place,
              absl::StrCat("`", each.name, "` is refused, and imported by `", it->second, "`"));
        }
      }
    }
  }
}

std::string EmitRefusals(const std::vector<const File*>& files, const std::string& title) {
  std::string code = absl::StrCat(
      "// Generated from definitions of ops.\n#include \"ir/refusals.h\"\n\nnamespace "
      "tessera::ops {\n\nabsl::Span<const ir::Refusal> ",
      title, "Refusals();\nabsl::Span<const ir::Refusal> ", title,
      "Refusals() {\n  static constexpr ir::Refusal kRefusals[] = {\n");
  for (const File* file : files) {
    for (const RefuseDecl& refusal : file->refusals) {
      for (const RefuseDecl::Operator& each : refusal.operators)
        absl::StrAppend(&code, "      {ir::Refusal::", each.aten ? "kAten" : "kOnnx", ", ",
                        Quote(each.name), ", ", Quote(refusal.reason), "},\n");
    }
  }
  return absl::StrCat(code, "  };\n  return kRefusals;\n}\n\n}  // namespace tessera::ops\n");
}

}  // namespace tessera::codegen
