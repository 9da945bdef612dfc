#include "codegen/nest_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "codegen/info_emitter.h"
#include "codegen/nest_class.h"
#include "codegen/recurrence.h"
#include "codegen/shape_emitter.h"

namespace tessera::codegen {

// A third open type is an error of the kernel.
std::string NestEmitter::ElementType(const std::vector<std::string>& classes, Place) {
  const std::string type = types_.Of(classes);
  return type.empty() ? "T" : type;
}

// The shape, the element types and the tensors of the signature.
void NestEmitter::Head() {
  Line(absl::StrCat(op_.name, "Shape<Expr> s;"));
  Line("ir::Checker<Expr> checker(context);");
  Line("if (!s.Bind(args, checker)) return b.Fail(checker.status());");
  Line("for (const ir::Obligation& open : checker.open()) b.Require(open.predicate);");
  const auto number = [&](const std::string& name, bool truth) {
    return name.empty() ? std::string("nests::Number::kI64")
                        : absl::StrCat("nests::", truth ? "NumberOf" : "OpenNumberOf", "(s.",
                                       Member(name), ")");
  };
  Line(absl::StrCat("[[maybe_unused]] const nests::Number T = ", number(types_.primary, false),
                    ", U = ", number(types_.secondary, true),
                    ", I = nests::Number::kI64, B = nests::Number::kBool, F = "
                    "nests::Number::kF64;"));
  for (const Operand& operand : op_.inputs) {
    const std::string element = ElementType(operand.classes, operand.place);
    const std::string name = TensorVariable(operand.name), member = "s." + Member(operand.name);
    const bool variadic = operand.arity == Operand::kVariadic;
    tensors_[operand.name] = {name, element, variadic};
    if (variadic) {
      Line(absl::StrCat("std::vector<nests::TensorId> ", name, ";"));
      Line(absl::StrCat("for (size_t each = 0; each < ", member, "_dims.size(); ++each) ", name,
                        ".push_back(b.Operand(absl::StrCat(", Quote(operand.name + "."),
                        ", each), ", member, "_dtypes[each], ", element, ", ", member,
                        "_dims[each], true));"));
      continue;
    }
    Line(absl::StrCat("[[maybe_unused]] const nests::TensorId ", name, " = b.Operand(",
                      Quote(operand.name), ", ", member, "_dtype, ", element, ", ", member,
                      "_dims, s.has_", operand.name, ");"));
  }
  Line("std::vector<ir::ResultInfo<Expr>> results;");
  Line("s.Results(results);");
  for (size_t i = 0; i < op_.outputs.size(); ++i) {
    const Operand& result = op_.outputs[i];
    Line(absl::StrCat("const nests::TensorId ", TensorVariable(result.name), " = b.Result(",
                      Quote(result.name), ", results[", i, "].dtype, ",
                      ElementType(result.classes, result.place), ", results[", i, "].dims);"));
  }
}

std::string NestEmitter::Run() {
  return Capture([&] {
    Head();
    BindOperandNames("s.");
    BindAttributes("s.");
    BindStatements("s.");
    for (const std::vector<const RefStatement*>& group : RefGroups(op_)) {
      const RefStatement& ref = *group[0];
      if (SequentialIndex(ref).has_value()) {
        Recur(group);
      } else if (ref.kind == RefStatement::kEach) {
        Each(ref);
      } else {
        Assign(ref);
      }
    }
  });
}

size_t ShardOf(const std::string& stem, size_t shards) {
  uint64_t hash = 14695981039346656037u;  // FNV-1a: the same on every machine
  for (const char c : stem) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return hash % shards;
}

std::string EmitNests(const Program& program, const std::vector<const File*>& files,
                      Diagnostics& diagnostics) {
  std::string code =
      "// Generated from definitions of ops.\n#include <algorithm>\n#include <cmath>\n#include "
      "<limits>\n#include <string>\n#include <utility>\n#include <vector>\n\n#include "
      "\"codegen/support/domain.h\"\n#include \"nests/elements.h\"\n#include "
      "\"nests/library.h\"\n\nnamespace tessera::ops {\n\n";
  std::string functions, definitions;
  for (const File* file : files) {
    absl::StrAppend(&code, EmitShapes(program, *file, diagnostics).types);
    for (const Op& op : file->ops) {
      if (op.builder) continue;
      std::string missing;
      for (const RefStatement& ref : op.refs) {
        if (ref.kind == RefStatement::kExtern) missing = absl::StrCat("ref extern ", ref.function);
      }
      std::string body;
      if (missing.empty()) {
        const size_t before = diagnostics.size();
        body = NestEmitter(program, op, diagnostics).Run();
        missing = diagnostics.TakeFrom(before);
      }
      const std::string function = missing.empty() ? absl::StrCat(op.name, "Nests") : "nullptr";
      if (missing.empty())
        absl::StrAppend(&functions, "void ", function,
                        "(const ir::InferArgs<Expr>& args, solver::Context& context, "
                        "nests::Builder& b) {\n",
                        body, "}\n\n");
      absl::StrAppend(&definitions, "const nests::Definition& ", op.name,
                      "Definition();\nconst nests::Definition& ", op.name,
                      "Definition() {\n  static constexpr nests::Definition definition = {",
                      Quote(op.dialect), ", ", Quote(op.name), ", ", function, ", ", Quote(missing),
                      "};\n  return definition;\n}\n\n");
    }
  }
  if (!functions.empty())
    absl::StrAppend(&code, "namespace {\n\n", functions, "}  // namespace\n\n");
  return absl::StrCat(code, definitions, "}  // namespace tessera::ops\n");
}

std::string EmitNestIndex(const std::vector<const File*>& files, const std::string& title) {
  std::vector<std::string> names;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      if (!op.builder) names.push_back(op.name);
    }
  }
  std::sort(names.begin(), names.end());
  std::string code = absl::StrCat("// Generated: the nests of `", title,
                                  "`.\n#include \"nests/library.h\"\n\nnamespace tessera::ops "
                                  "{\n\n");
  for (const std::string& name : names)
    absl::StrAppend(&code, "const nests::Definition& ", name, "Definition();\n");
  absl::StrAppend(&code, "\nabsl::Span<const nests::Definition* const> ", title,
                  "Nests();\nabsl::Span<const nests::Definition* const> ", title,
                  "Nests() {\n  static const auto* list = new std::vector<const "
                  "nests::Definition*>{\n");
  for (const std::string& name : names) absl::StrAppend(&code, "      &", name, "Definition(),\n");
  return absl::StrCat(code, "  };\n  return *list;\n}\n\n}  // namespace tessera::ops\n");
}

}  // namespace tessera::codegen
