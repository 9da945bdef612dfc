#include "codegen/shape_emitter.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/types/span.h"
#include "codegen/shape_class.h"

namespace tessera::codegen {

std::string AttrKindCode(const AttributeDecl& attribute) {
  if (attribute.kind == "dim") return attribute.list ? "kDims" : "kDim";
  if (attribute.kind == "float") return attribute.list ? "kFloats" : "kFloat";
  if (attribute.kind == "int") return attribute.list ? "kInts" : "kInt";
  if (attribute.kind == "bool") return "kBool";
  if (attribute.kind == "enum") return "kEnum";
  return "kDType";
}

ShapeCode ShapeEmitter::Run() {
  BindOperandNames("");
  const std::string bind_operands = Capture([&] { BindOperands(); });
  const std::string defaults = Capture([&] { Defaults(); });
  const std::string bind_attributes = Capture([&] { Attributes(); });
  const std::string derive = Capture([&] { Derive(); });
  const std::string results = Capture([&] { Results(); });
  ShapeCode code;
  absl::StrAppend(
      &code.types, "// ", op_.doc, "\ntemplate <class Domain>\nstruct ", op_.name, "Shape {\n",
      members_,
      "\n  // Names missing operands only as absent: for defaults and importers, before "
      "all is known.\n  bool lenient = false;\n\n");
  const auto function = [&](const std::string& result, const std::string& head,
                            const std::string& body) {
    absl::StrAppend(&code.types, "  ", result, " ", head, ";\n");
    absl::SubstituteAndAppend(&code.functions,
                              "template <class Domain>\n$0 $1Shape<Domain>::$2 {\n$3}\n\n", result,
                              op_.name, head, body);
  };
  const std::string status = "  return checker.status().ok();\n";
  function("bool",
           "BindOperands(absl::Span<const ir::OperandInfo<Domain>> operands, ir::Checker<Domain>& "
           "checker)",
           bind_operands + status);
  function("absl::Status",
           "Complete(std::vector<ir::Attribute>& attrs, ir::Checker<Domain>& checker)",
           absl::StrCat("  (void)checker;\n", defaults, "  return absl::OkStatus();\n"));
  function("bool", "BindAttrs(absl::Span<const ir::Attribute> attrs, ir::Checker<Domain>& checker)",
           absl::StrCat("  (void)attrs;\n", bind_attributes, status));
  function("bool", "Derive(ir::Checker<Domain>& checker)", derive + status);
  function("void", "Results(std::vector<ir::ResultInfo<Domain>>& results) const",
           absl::StrCat("  (void)results;\n", results));
  function("bool", "Bind(const ir::InferArgs<Domain>& args, ir::Checker<Domain>& checker)",
           "  return BindOperands(args.operands, checker) && BindAttrs(args.attrs, checker) && "
           "Derive(checker);\n");
  absl::StrAppend(&code.types, "};\n");
  absl::SubstituteAndAppend(&code.functions, "template struct $0Shape<Expr>;\n", op_.name);
  return code;
}

void ShapeEmitter::Declare(const std::string& type, const std::string& name,
                           const std::string& init) {
  if (declared_.insert(name).second) absl::StrAppend(&members_, "  ", type, " ", name, init, ";\n");
}

void ShapeEmitter::Derive() {
  for (const Statement& statement : op_.statements) {
    if (statement.kind == Statement::kRequire) {
      Require(statement, statement.value);
      continue;
    }
    const std::string name = Member(statement.name);
    Typed value = statement.binders.empty()
                      ? Emit(statement.value)
                      : Comprehension(statement.binders, statement.value, statement.place);
    if (value.kind == Kind::kError) {
      Bind(statement.name, {});  // one error is enough
      continue;
    }
    if (value.kind == Kind::kProp)
      value = {.kind = Kind::kDim, .code = AsDim(value, statement.place)};
    if (statement.kind == Statement::kShape) {
      if (value.kind == Kind::kHost)
        value = {.kind = Kind::kDim, .code = AsDim(value, statement.place)};
      if (value.kind == Kind::kList && value.item == Kind::kHost) {
        value.item = Kind::kDim;
        value.code.clear();
      }
    }
    if (value.kind == Kind::kList) {
      Declare(CppType(value), name);
      Line(absl::StrCat(name, " = ", AsVector(value, statement.place), ";"));
      Bind(statement.name, ListOf(name, value.item));
    } else {
      Declare(CppType(value), name);
      Line(absl::StrCat(name, " = ", value.code, ";"));
      Typed bound = value;
      bound.code = name;
      Bind(statement.name, bound);
    }
    if (statement.kind == Statement::kShape) {
      const std::string message = absl::StrCat("[&] { return absl::StrCat(\"", statement.name,
                                               " = \", Text(", name, "), \" is negative\"); }");
      if (value.kind == Kind::kList) {
        Line(absl::StrCat("for (const Domain& size : ", name, ") {"));
        Line(absl::StrCat("  if (!checker.Require(\"size.", statement.name,
                          "\", Ge(size, Domain(0)), ", message, ")) return false;"));
        Line("}");
      } else {
        Line(absl::StrCat("if (!checker.Require(\"size.", statement.name, "\", Ge(", name,
                          ", Domain(0)), ", message, ")) return false;"));
      }
    }
  }
  if (op_.statements.empty()) Line("(void)checker;");
}

void ShapeEmitter::Require(const Statement& statement, const NodePtr& condition) {
  if (condition->kind == Node::kFold && condition->text == "forall") {
    Loops(condition->binders, 0, [&] { Require(statement, condition->children[0]); });
    return;
  }
  const Typed holds = Emit(condition);
  if (holds.kind == Kind::kError) return;
  const std::string code = holds.kind == Kind::kProp ? holds.code : AsBool(holds, statement.place);
  std::string message;
  const std::string before = Capture([&] { message = Message(statement.message); });
  Line(absl::StrCat("if (!checker.Require(\"", statement.name, "\", ", code, ", [&] {"));
  block_ += before;
  Line(absl::StrCat("  return ", message, ";"));
  Line("})) return false;");
}

void ShapeEmitter::Results() {
  for (const Operand& result : op_.outputs) {
    if (op_.builder) break;
    std::string dtype;
    for (const TypeVariable& type : op_.types) {
      if (result.classes[0] == type.name) dtype = Member(type.name);
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      if (attribute.kind == "dtype" && result.classes[0] == attribute.name)
        dtype = Member(attribute.name);
    }
    if (dtype.empty()) {
      const Typed named = IsDTypeName(result.classes[0])
                              ? Emit(NameNode(result.classes[0], result.place))
                              : Error(result.place, absl::StrCat("`", result.classes[0],
                                                                 "` does not say one dtype"));
      dtype = named.code;
    }
    const std::string info = Unique("result");
    Line("{");
    Line(absl::StrCat("  ir::ResultInfo<Domain> ", info, ";"));
    Line(absl::StrCat("  ", info, ".dtype = ", dtype, ";"));
    if (result.form.kind == Form::kLike) {
      const Typed* like = Find(result.form.like);
      if (like == nullptr || like->kind != Kind::kOperand) {
        Error(result.place, absl::StrCat("`", result.form.like, "` is not an operand"));
      } else {
        Line(absl::StrCat("  ", info, ".dims = ", like->code, "_dims;"));
      }
    } else if (result.form.kind != Form::kDims) {
      Error(result.place, "a result states its dims");
    }
    for (const FormEntry& entry : result.form.dims) {
      const Typed dim = entry.expression != nullptr ? Emit(entry.expression)
                        : entry.name.empty() ? Host(absl::StrCat("int64_t{", entry.literal, "}"))
                                             : Emit(NameNode(entry.name, entry.place));
      if (dim.kind == Kind::kList) {
        const std::string list = AsVector(dim, entry.place);
        Line(absl::StrCat("  ", info, ".dims.insert(", info, ".dims.end(), ", list, ".begin(), ",
                          list, ".end());"));
      } else {
        Line(absl::StrCat("  ", info, ".dims.push_back(", AsDim(dim, entry.place), ");"));
      }
    }
    Line(absl::StrCat("  results.push_back(std::move(", info, "));"));
    Line("}");
  }
}

NodePtr ShapeEmitter::NameNode(const std::string& name, Place place) {
  auto node = std::make_shared<Node>();
  node->kind = Node::kName;
  node->text = name;
  node->place = place;
  return node;
}

ShapeCode EmitShapes(const Program& program, const File& file, Diagnostics& diagnostics) {
  ShapeCode all;
  for (const Op& op : file.ops) {
    const ShapeCode each = ShapeEmitter(program, op, diagnostics).Run();
    absl::StrAppend(&all.types, each.types, "\n");
    absl::StrAppend(&all.functions, each.functions, "\n");
  }
  return all;
}

}  // namespace tessera::codegen
