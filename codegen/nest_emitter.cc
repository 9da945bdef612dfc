#include "codegen/nest_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/nest_class.h"
#include "codegen/recurrence.h"
#include "codegen/shape_emitter.h"

namespace tessera::codegen {
namespace {

std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string TensorVariable(const std::string& name) { return "t_" + name; }

}  // namespace

// A third open type is an error of the kernel.
std::string NestEmitter::ElementType(const std::vector<std::string>& classes, Place) {
  const std::string type = types_.Of(classes);
  return type.empty() ? "T" : type;
}

std::string NestEmitter::DTypeOfElement(const std::string& element) const {
  if (element == "T" && !types_.primary.empty()) return "s." + Member(types_.primary);
  if (element == "U" && !types_.secondary.empty()) return "s." + Member(types_.secondary);
  return ExpressionEmitter::DTypeOfElement(element);
}

const Operand* NestEmitter::FindResult(const std::string& name) const {
  for (const Operand& result : op_.outputs) {
    if (result.name == name) return &result;
  }
  return nullptr;
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
    for (const RefStatement& ref : op_.refs) {
      if (ref.kind == RefStatement::kTemp || ref.kind == RefStatement::kAssign) Assign(ref);
      if (ref.kind == RefStatement::kEach) Each(ref);
    }
  });
}

void NestEmitter::BindIndices(const RefStatement& ref, const std::string& target,
                              const std::string& extents, const Operand* result) {
  const auto packs = std::count_if(ref.indices.begin(), ref.indices.end(),
                                   [](const RefIndex& index) { return index.pack; });
  std::vector<std::string> names, lengths;
  for (size_t i = 0; i < ref.indices.size(); ++i) {
    const RefIndex& index = ref.indices[i];
    std::string length = absl::StrCat("Len(", extents, ") - ", ref.indices.size() - 1);
    if (packs > 1) {
      // Several packs divide the result as its declaration does.
      if (result == nullptr || result->form.dims.size() != ref.indices.size() ||
          !result->form.dims[i].pack) {
        Error(index.place,
              "several packs on the left need the same packs in the result's declaration");
        return;
      }
      length = absl::StrCat("Len(s.", Member(result->form.dims[i].name), ")");
    }
    lengths.push_back(index.pack ? length : "1");
    names.push_back(index.pack ? absl::StrCat("{\"", index.name, "\", ", length, "}")
                               : absl::StrCat("{\"", index.name, "\"}"));
  }
  const std::string ix = Unique("ix");
  Line(absl::StrCat("[[maybe_unused]] const std::vector<Expr> ", ix, " = b.Open(", target, ", ",
                    extents, ", {", absl::StrJoin(names, ", "), "});"));
  std::string offset = "0";
  for (size_t i = 0; i < ref.indices.size(); ++i) {
    const RefIndex& index = ref.indices[i];
    if (index.pack) {
      const std::string name = Unique(Member(index.name));
      Line(absl::StrCat("[[maybe_unused]] const std::vector<Expr> ", name, " = nests::Part(", ix,
                        ", ", offset, ", ", lengths[i], ");"));
      Bind(index.name, ListOf(name, Kind::kDim));
    } else {
      Bind(index.name, {.kind = Kind::kDim, .code = absl::StrCat("At(", ix, ", ", offset, ")")});
    }
    offset = offset == "0" ? lengths[i] : absl::StrCat(offset, " + ", lengths[i]);
  }
}

void NestEmitter::Define(const RefStatement& ref, const std::string& element) {
  const Typed value = Emit(ref.value);
  Line(absl::StrCat("b.Assign(", AsElement(value, element, ref.place), ");"));
}

void NestEmitter::Assign(const RefStatement& ref) {
  const bool temp = ref.kind == RefStatement::kTemp;
  const Operand* result = FindResult(ref.target);
  if (!temp && result == nullptr) return;  // the kernel's emitter has said so
  const std::string element =
      ElementType(temp ? std::vector<std::string>{ref.type} : result->classes, ref.place);
  const std::string target = TensorVariable(ref.target);
  element_hint_ = element;
  std::string extents = absl::StrCat("b.At(", target, ").dims");
  if (temp) {
    extents = Unique("extents");
    Line(absl::StrCat("std::vector<Expr> ", extents, ";"));
    for (const RefIndex& index : ref.indices) {
      if (index.list == nullptr) return;
      Typed extent = Emit(index.list);
      if (extent.kind == Kind::kList) {
        if (extent.item != Kind::kDim) extent.code.clear();
        extent.item = Kind::kDim;
        Line(absl::StrCat("nests::Append(", extents, ", ", AsVector(extent, index.place), ");"));
      } else {
        Line(absl::StrCat(extents, ".push_back(", AsDim(extent, index.place), ");"));
      }
    }
    Line(absl::StrCat("const nests::TensorId ", target, " = b.Temp(", Quote(ref.target), ", ",
                      element, ", ", extents, ");"));
  }
  Push();
  BindIndices(ref, target, extents, result);
  Define(ref, element);
  Pop();
  if (temp) {
    tensors_[ref.target] = {target, element};
    Bind(ref.target, {.kind = Kind::kOperand, .code = target, .operand = -2});
  }
}

void NestEmitter::Each(const RefStatement& ref) {
  const Operand* result = FindResult(ref.target);
  for (const Operand& operand : op_.inputs) {
    if (operand.name == ref.each && operand.arity == Operand::kVariadic) each_ = &operand;
  }
  if (result == nullptr || each_ == nullptr || ref.indices.size() != 1) return;
  const std::string element = ElementType(result->classes, ref.place);
  element_hint_ = element;
  const std::string dims = absl::StrCat("s.", Member(each_->name), "_dims");
  Line(absl::StrCat("for (int64_t which = 0; which < Len(", dims, "); ++which) {"));
  Push();
  Line(absl::StrCat("const std::vector<Expr>& extents = ", dims, "[static_cast<size_t>(which)];"));
  BindIndices(ref, TensorVariable(ref.target), "extents", result);
  if (ref.indices[0].axis != nullptr) {
    const std::string axis = AsHost(Emit(ref.indices[0].axis), ref.place);
    Line(absl::StrCat("b.Shift(", axis, ", ",
                      Expression(Emit(ref.indices[0].shift), ref.indices[0].place), ");"));
  }
  Define(ref, element);
  Pop();
  Line("}");
  each_ = nullptr;
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
    // The same text as in the definition's own source, which no other source includes.
    absl::StrAppend(&code, EmitShapes(program, *file, diagnostics));
    for (const Op& op : file->ops) {
      if (op.builder) continue;
      std::string missing;
      for (const RefStatement& ref : op.refs) {
        if (ref.kind == RefStatement::kExtern) missing = absl::StrCat("ref extern ", ref.function);
        if (SequentialIndex(ref).has_value())
          missing = absl::StrCat("`", ref.target, "` is a recurrence");
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
