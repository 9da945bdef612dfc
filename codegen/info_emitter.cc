#include "codegen/info_emitter.h"

#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "codegen/kernel_emitter.h"
#include "codegen/shape_emitter.h"
#include "codegen/term_emitter.h"

namespace tessera::codegen {
std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

namespace {

// An array constant, or an empty span where there is nothing to hold.
std::string Array(const std::string& type, const std::string& name,
                  const std::vector<std::string>& items) {
  if (items.empty()) return absl::StrCat("constexpr absl::Span<const ", type, "> ", name, ";\n");
  return absl::StrCat("const ", type, " ", name, "[] = {\n    ", absl::StrJoin(items, ",\n    "),
                      "};\n");
}

std::string RoleCode(const Op& op, Diagnostics& diagnostics) {
  if (op.role.empty()) return "kNone";
  static const std::vector<std::string> kRoles = {"transpose", "reshape"};
  if (std::find(kRoles.begin(), kRoles.end(), op.role) == kRoles.end())
    diagnostics.Error(op.role_place,
                      absl::StrCat("unknown role `", op.role, "`", Suggestion(op.role, kRoles)));
  std::string code = "k";
  for (absl::string_view word : absl::StrSplit(op.role, '_')) {
    absl::StrAppend(&code, absl::AsciiStrToUpper(word.substr(0, 1)), word.substr(1));
  }
  return code;
}

std::string PermuteCode(const Op& op, const PermuteDecl& permute, Diagnostics& diagnostics) {
  const std::string kind = permute.kind == "axis"   ? "Axis"
                           : permute.kind == "axes" ? "Axes"
                           : permute.kind == "rows" ? "Rows"
                                                    : "";
  if (kind.empty())
    diagnostics.Error(permute.place,
                      absl::StrCat("unknown kind `", permute.kind, "`",
                                   Suggestion(permute.kind, {"axis", "axes", "rows"})));
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    if (op.attributes[i].name == permute.name)
      return absl::StrCat("{ir::PermuteRule::k", kind, ", ", i, "}");
  }
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name == permute.name)
      return absl::StrCat("{ir::PermuteRule::kOperand", kind == "Axis" ? "Axes" : kind, ", ", i,
                          "}");
  }
  diagnostics.Error(permute.place, absl::StrCat("`", op.name, "` has no attribute or operand `",
                                                permute.name, "`"));
  return "{}";
}

std::string EmitOp(const Program& program, const Op& op, const std::string& file_path,
                   Diagnostics& diagnostics) {
  const std::string& name = op.name;
  std::vector<std::string> operands, results, attributes, rewrites, lowerings, imports, permutes;
  KernelText kernel;
  if (!op.builder) kernel = EmitKernel(program, op, diagnostics);
  std::string code;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const Operand& operand = op.inputs[i];
    const char* arity = operand.arity == Operand::kRequired   ? "kRequired"
                        : operand.arity == Operand::kOptional ? "kOptional"
                                                              : "kVariadic";
    operands.push_back(absl::StrCat(
        "{", Quote(operand.name), ", ir::Arity::", arity, ", ", operand.elements ? "true" : "false",
        ", ", !op.builder && kernel.reads.size() > i && kernel.reads[i] ? "true" : "false", "}"));
  }
  for (const Operand& result : op.outputs)
    results.push_back(absl::StrCat("{", Quote(result.name), "}"));
  for (const AttributeDecl& attribute : op.attributes) {
    if (attribute.kind == "enum") {
      std::vector<std::string> names;
      for (const std::string& value : attribute.enum_names) names.push_back(Quote(value));
      absl::StrAppend(&code, "constexpr std::string_view k", name, "_", attribute.name, "[] = {",
                      absl::StrJoin(names, ", "), "};\n");
    }
    attributes.push_back(absl::StrCat(
        "{", Quote(attribute.name), ", ir::AttrKind::", AttrKindCode(attribute), ", ",
        attribute.kind == "enum" ? absl::StrCat("k", name, "_", attribute.name) : "{}", "}"));
  }
  absl::StrAppend(&code, Array("ir::OperandSpec", absl::StrCat("k", name, "Operands"), operands),
                  Array("ir::ResultSpec", absl::StrCat("k", name, "Results"), results),
                  Array("ir::AttrSpec", absl::StrCat("k", name, "Attrs"), attributes),
                  "[[maybe_unused]] absl::Span<const ir::OperandSpec> ", name,
                  "Operands() { return k", name, "Operands; }\n\n", kernel.code);
  absl::StrAppend(&code, "absl::Status ", name,
                  "Complete(absl::Span<const ir::OperandInfo<Expr>> operands, "
                  "std::vector<ir::Attribute>& attrs) {\n  const RankInfos ranks(operands);\n  ",
                  name,
                  "Shape<int64_t> s;\n  ir::Checker<int64_t> checker;\n  s.lenient = true;\n  "
                  "s.BindOperands(ranks.infos, checker);\n  ir::Checker<int64_t> unused;\n  return "
                  "s.Complete(attrs, unused);\n}\n\n");
  absl::StrAppend(&code, "template <class Domain>\nabsl::Status ", name,
                  "Infer(const ir::InferArgs<Domain>& args, ir::Checker<Domain>& checker, "
                  "std::vector<ir::ResultInfo<Domain>>& results) {\n  ",
                  name,
                  "Shape<Domain> s;\n  if (!s.Bind(args, checker)) return checker.status();\n  "
                  "s.Results(results);\n  return checker.status();\n}\n\n");
  if (op.builder) absl::StrAppend(&code, EmitBuilder(program, op, diagnostics));
  for (size_t i = 0; i < op.onnx.size(); ++i) {
    const OnnxClause& clause = op.onnx[i];
    const bool external = !clause.function.empty();
    if (!external) absl::StrAppend(&code, EmitImport(program, op, i, diagnostics));
    std::vector<std::string> names;
    for (const std::string& attribute : AttributesRead(clause)) names.push_back(Quote(attribute));
    const std::string list = absl::StrCat("k", name, "Import", i);
    absl::StrAppend(&code,
                    names.empty()
                        ? absl::StrCat("constexpr absl::Span<const std::string_view> ", list, ";\n")
                        : absl::StrCat("constexpr std::string_view ", list, "[] = {",
                                       absl::StrJoin(names, ", "), "};\n"));
    imports.push_back(absl::StrCat(
        "{", Quote(clause.name), ", ", Quote(clause.domain), ", ", clause.since, ", ", clause.until,
        ", ", list, ", ", external ? clause.function : absl::StrCat(name, "Import", i), "}"));
  }
  for (const RewriteDecl& rewrite : op.rewrites) {
    absl::StrAppend(&code, EmitRewrite(program, op, rewrite, diagnostics));
    rewrites.push_back(absl::StrCat("{", Quote(absl::StrCat(name, ".", rewrite.name)), ", ",
                                    Quote(RootOf(rewrite)), ", ", name, "_", rewrite.name, "}"));
  }
  for (const LowerClause& lower : op.lowers) {
    // Clauses for targets whose op set is not among the files given are parsed and kept, not
    // emitted.
    const bool known = std::any_of(program.files().begin(), program.files().end(),
                                   [&](const File& file) { return file.dialect == lower.target; });
    if (!known) continue;
    absl::StrAppend(&code, EmitLowering(program, op, lower, diagnostics));
    lowerings.push_back(
        absl::StrCat("{", Quote(lower.target), ", ", name, "Lower_", lower.target, "}"));
  }
  for (const PermuteDecl& permute : op.permutes)
    permutes.push_back(PermuteCode(op, permute, diagnostics));
  absl::StrAppend(&code, "\n", Array("ir::ImportInfo", absl::StrCat("k", name, "Imports"), imports),
                  Array("ir::RewriteInfo", absl::StrCat("k", name, "Rewrites"), rewrites),
                  Array("ir::LoweringInfo", absl::StrCat("k", name, "Lowerings"), lowerings),
                  Array("ir::PermuteRule", absl::StrCat("k", name, "Permutes"), permutes));
  if (op.has_code)
    absl::StrAppend(&code, "const ir::CodeInfo k", name, "Code = {", op.code, ", ", op.code_version,
                    ", ", Quote(op.options), "};\n");
  absl::StrAppend(
      &code, "\n}  // namespace\n\nconst ir::OpInfo& ", name,
      "Info() {\n  static const ir::OpInfo* info = new ir::OpInfo{\n      .dialect = ",
      Quote(op.dialect), ",\n      .name = ", Quote(name), ",\n      .doc = ", Quote(op.doc),
      ",\n      .file = ", Quote(file_path), ",\n      .operands = k", name,
      "Operands,\n      .results = k", name, "Results,\n      .attrs = k", name,
      "Attrs,\n      .complete = ", name, "Complete,\n      .infer = ", name,
      "Infer<int64_t>,\n      .infer_symbolic = ", name,
      "Infer<Expr>,\n      .kernel = ", op.builder ? "nullptr" : name + "Kernel",
      ",\n      .fast = ", kernel.fast ? "true" : "false",
      ",\n      .symbolic = ", kernel.symbolic ? name + "Symbolic" : "nullptr",
      ",\n      .elementwise = ", kernel.elementwise ? "true" : "false",
      ",\n      .index_valued = ", kernel.index_valued ? "true" : "false",
      ",\n      .effect = ", op.effect ? "true" : "false",
      ",\n      .role = ir::Role::", RoleCode(op, diagnostics), ",\n      .rewrites = k", name,
      "Rewrites,\n      .lowerings = k", name, "Lowerings,\n      .permutes = k", name,
      "Permutes,\n      .permutable = ", op.permutable ? "true" : "false",
      ",\n      .code = ", op.has_code ? absl::StrCat("&k", name, "Code") : "nullptr",
      ",\n      .build = ", op.builder ? name + "Build" : "nullptr",
      "};\n  return *info;\n}\n\nabsl::Span<const ir::ImportInfo> ", name, "Imports() { return k",
      name, "Imports; }\n\nnamespace {\n\n");
  return code;
}

}  // namespace

std::string EmitSource(const Program& program, const File& file, const std::string& stem,
                       const std::string& folder, Diagnostics& diagnostics) {
  std::set<std::string> headers;
  for (const Op& op : file.ops) {
    for (const RefStatement& ref : op.refs) {
      if (!ref.header.empty()) headers.insert(ref.header);
    }
    for (const OnnxClause& clause : op.onnx) {
      if (!clause.header.empty()) headers.insert(clause.header);
    }
  }
  std::string ops;
  for (const Op& op : file.ops)
    absl::StrAppend(&ops, EmitOp(program, op, absl::StrCat(folder, "/", stem, ".op"), diagnostics));
  std::string code = absl::StrCat(
      "// Generated from ", stem,
      ".op.\n#include <algorithm>\n#include <cmath>\n#include <limits>\n#include "
      "<string>\n#include "
      "<utility>\n#include <vector>\n\n#include \"codegen/support/domain.h\"\n#include "
      "\"codegen/support/kernel_io.h\"\n#include \"codegen/support/term_support.h\"\n");
  if (absl::StrContains(ops, "ir::Counted(")) absl::StrAppend(&code, "#include \"ir/counted.h\"\n");
  if (absl::StrContains(ops, "ir::ScanTerm")) absl::StrAppend(&code, "#include \"ir/scan.h\"\n");
  for (const std::string& header : headers)
    absl::StrAppend(&code, "#include \"", folder, "/", header, "\"\n");
  const ShapeCode shapes = EmitShapes(program, file, diagnostics);
  absl::StrAppend(&code, "\nnamespace tessera::ops {\n\n", shapes.types, shapes.functions,
                  "namespace {\n\n", ops, "}  // namespace\n}  // namespace tessera::ops\n");
  return code;
}

std::string EmitIndex(const std::vector<const File*>& files, const std::string& title) {
  std::vector<std::string> names, late, assuming, requested;
  std::string dialect = "core";
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      names.push_back(op.name);
      dialect = op.dialect;
      for (const RewriteDecl& rewrite : op.rewrites) {
        const std::string rewrite_name = Quote(absl::StrCat(op.name, ".", rewrite.name));
        if (rewrite.late) late.push_back(rewrite_name);
        if (rewrite.assumes_finite) assuming.push_back(rewrite_name);
        if (rewrite.requested)
          requested.push_back(absl::StrCat("{", rewrite_name, ", ", Quote(rewrite.doc), "}"));
      }
    }
  }
  std::sort(names.begin(), names.end());
  std::string code = absl::StrCat("// Generated: the ops of `", title,
                                  "`.\n#include \"ir/registry.h\"\n\nnamespace tessera::ops {\n\n");
  for (const std::string& name : names)
    absl::StrAppend(&code, "const ir::OpInfo& ", name, "Info();\nabsl::Span<const ir::ImportInfo> ",
                    name, "Imports();\n");
  absl::StrAppend(&code, "\nconst ir::Dialect& ", title, "Ops();\nconst ir::Dialect& ", title,
                  "Ops() {\n  static const auto* ops = new std::vector<const ir::OpInfo*>{\n");
  for (const std::string& name : names) absl::StrAppend(&code, "      &", name, "Info(),\n");
  absl::StrAppend(
      &code,
      "  };\n  static const auto* imports = new std::vector<absl::Span<const ir::ImportInfo>>{\n");
  for (const std::string& name : names) absl::StrAppend(&code, "      ", name, "Imports(),\n");
  absl::StrAppend(&code, "  };\n  static const auto* late = new std::vector<std::string_view>{",
                  absl::StrJoin(late, ", "), "};\n");
  absl::StrAppend(&code, "  static const auto* assuming = new std::vector<std::string_view>{",
                  absl::StrJoin(assuming, ", "), "};\n");
  absl::StrAppend(&code, "  static const auto* requested = new std::vector<ir::RequestedRewrite>{",
                  absl::StrJoin(requested, ", "), "};\n");
  absl::StrAppend(
      &code, "  static const auto* dialect = new ir::Dialect{\"", dialect,
      "\", *ops, *imports, {}, *late, *assuming, *requested};\n  return *dialect;\n}\n\n}  // "
      "namespace tessera::ops\n");
  return code;
}

}  // namespace tessera::codegen
