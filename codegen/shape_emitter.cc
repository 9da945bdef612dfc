#include "codegen/shape_emitter.h"

#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {

std::string AttrKindCode(const AttributeDecl& attribute) {
  if (attribute.kind == "dim") return attribute.list ? "kDims" : "kDim";
  if (attribute.kind == "float") return attribute.list ? "kFloats" : "kFloat";
  if (attribute.kind == "int") return attribute.list ? "kInts" : "kInt";
  if (attribute.kind == "bool") return "kBool";
  if (attribute.kind == "enum") return "kEnum";
  return "kDType";
}

namespace {

class ShapeEmitter : public ExpressionEmitter {
 public:
  using ExpressionEmitter::ExpressionEmitter;

  std::string Run() {
    BindOperandNames("");
    const std::string bind_operands = Capture([&] { BindOperands(); });
    const std::string defaults = Capture([&] { Defaults(); });
    const std::string bind_attributes = Capture([&] { Attributes(); });
    const std::string derive = Capture([&] { Derive(); });
    const std::string results = Capture([&] { Results(); });
    return absl::StrCat(
        "// ", op_.doc, "\n", "template <class Domain>\nstruct ", op_.name, "Shape {\n", members_,
        "\n  // Names missing operands only as absent: for defaults and importers, before all is "
        "known.\n",
        "  bool lenient = false;\n\n",
        "  bool BindOperands(absl::Span<const ir::OperandInfo<Domain>> operands, "
        "ir::Checker<Domain>& checker) {\n",
        Indented(bind_operands), "    return checker.status().ok();\n  }\n\n",
        "  absl::Status Complete(std::vector<ir::Attribute>& attrs, ir::Checker<Domain>& checker) "
        "{\n",
        "    (void)checker;\n", Indented(defaults), "    return absl::OkStatus();\n  }\n\n",
        "  bool BindAttrs(absl::Span<const ir::Attribute> attrs, ir::Checker<Domain>& checker) {\n "
        "   (void)attrs;\n",
        Indented(bind_attributes), "    return checker.status().ok();\n  }\n\n",
        "  bool Derive(ir::Checker<Domain>& checker) {\n", Indented(derive),
        "    return checker.status().ok();\n  }\n\n",
        "  void Results(std::vector<ir::ResultInfo<Domain>>& results) const {\n    "
        "(void)results;\n",
        Indented(results), "  }\n\n",
        "  bool Bind(const ir::InferArgs<Domain>& args, ir::Checker<Domain>& checker) {\n",
        "    return BindOperands(args.operands, checker) && BindAttrs(args.attrs, checker) && "
        "Derive(checker);\n  }\n};\n");
  }

 private:
  static std::string Indented(const std::string& block) {
    std::string result;
    size_t at = 0;
    while (at < block.size()) {
      const size_t end = block.find('\n', at);
      absl::StrAppend(&result, "  ", block.substr(at, end - at), "\n");
      at = end + 1;
    }
    return result;
  }

  void Declare(const std::string& type, const std::string& name, const std::string& init = "{}") {
    if (declared_.insert(name).second)
      absl::StrAppend(&members_, "  ", type, " ", name, init, ";\n");
  }

  void BindOperands() {
    std::set<std::string> bound;
    if (op_.inputs.empty()) Line("(void)operands; (void)checker;");
    for (const TypeVariable& type : op_.types)
      Declare("ir::DType", Member(type.name), " = ir::DType::kF32");
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const Operand& operand = op_.inputs[i];
      const std::string name = Member(operand.name);
      const std::string info = Unique("info");
      if (operand.arity == Operand::kVariadic) {
        Declare("std::vector<std::vector<Domain>>", name + "_dims");
        Declare("std::vector<ir::DType>", name + "_dtypes");
        Line(absl::StrCat("for (size_t each = ", i, "; each < operands.size(); ++each) {"));
        Line(absl::StrCat("  const ir::OperandInfo<Domain>& ", info, " = operands[each];"));
        Line(absl::StrCat("  ", name, "_dims.emplace_back(", info, ".dims.begin(), ", info,
                          ".dims.end());"));
        Line(absl::StrCat("  ", name, "_dtypes.push_back(", info, ".dtype);"));
        CheckType(operand, info + ".dtype", bound, absl::StrCat("each == ", i));
        if (operand.form.kind == Form::kRank) {
          Declare("int64_t", Member(operand.form.rank_name), " = 0");
          const std::string rank = Member(operand.form.rank_name);
          Line(absl::StrCat("  if (each == ", i, ") ", rank, " = static_cast<int64_t>(", info,
                            ".dims.size());"));
          Line(absl::StrCat("  if (!checker.Require(\"rank.", operand.name,
                            "\", static_cast<int64_t>(", info, ".dims.size()) == ", rank,
                            ", [&] { return absl::StrCat(\"operands of `", operand.name,
                            "` have rank \", ", rank, ", \" and \", ", info,
                            ".dims.size()); })) return false;"));
        }
        Line("}");
        Line(absl::StrCat("if (!lenient && !checker.Require(\"operand.", operand.name,
                          "\", operands.size() > ", i, ", [&] { return std::string(\"`",
                          operand.name, "` needs at least one operand\"); })) return false;"));
        continue;
      }
      Declare("bool", "has_" + operand.name, " = false");
      Declare("std::vector<Domain>", name + "_dims");
      Declare("ir::DType", name + "_dtype", " = ir::DType::kF32");
      Line(absl::StrCat("has_", operand.name, " = operands.size() > ", i, " && operands[", i,
                        "].present;"));
      if (operand.arity == Operand::kRequired) {
        Line(absl::StrCat("if (!lenient && !checker.Require(\"operand.", operand.name, "\", has_",
                          operand.name, ", [&] { return std::string(\"operand `", operand.name,
                          "` is missing\"); })) return false;"));
      }
      Line(absl::StrCat("if (has_", operand.name, ") {"));
      Line(absl::StrCat("  const ir::OperandInfo<Domain>& ", info, " = operands[", i, "];"));
      Line(absl::StrCat("  ", name, "_dims.assign(", info, ".dims.begin(), ", info,
                        ".dims.end());"));
      Line(absl::StrCat("  ", name, "_dtype = ", info, ".dtype;"));
      CheckType(operand, info + ".dtype", bound, "");
      BindForm(operand, name + "_dims", bound);
      if (operand.elements) {
        Declare("std::vector<Domain>", name + "_elements");
        Line(absl::StrCat("  if (!lenient && !checker.Require(\"elements.", operand.name, "\", ",
                          info, ".has_elements, [&] { return std::string(\"the values of `",
                          operand.name, "` must be known\"); })) return false;"));
        Line(absl::StrCat("  ", name, "_elements.assign(", info, ".elements.begin(), ", info,
                          ".elements.end());"));
      }
      Line("}");
    }
  }

  // `first`: the condition under which a type variable is bound rather than checked, for variadic
  // operands.
  void CheckType(const Operand& operand, const std::string& dtype, std::set<std::string>& bound,
                 const std::string& first) {
    const TypeVariable* variable = nullptr;
    for (const TypeVariable& type : op_.types) {
      if (operand.classes.size() == 1 && operand.classes[0] == type.name) variable = &type;
    }
    const std::string set =
        variable != nullptr ? DTypeSetCode(variable->classes) : DTypeSetCode(operand.classes);
    if (set.empty()) {
      if (variable != nullptr) return;  // its declaration is wrong
      Error(operand.place,
            absl::StrCat("`", operand.classes[0],
                         "` is neither a type variable, a dtype nor a class of dtypes",
                         Suggestion(operand.classes[0], DTypeClassNames())));
      return;
    }
    if (variable == nullptr) {
      Line(absl::StrCat("  if (!checker.Require(\"type.", operand.name, "\", ir::Contains(", set,
                        ", ", dtype, "), [&] { return absl::StrCat(\"`", operand.name,
                        "` is \", Text(", dtype, "), \", not ",
                        absl::StrJoin(operand.classes, " or "), "\"); })) return false;"));
      return;
    }
    const std::string name = Member(variable->name);
    const bool fresh = bound.insert("type " + variable->name).second;
    const std::string mismatch =
        absl::StrCat("if (!checker.Require(\"type.", variable->name, "\", ", dtype, " == ", name,
                     ", [&] { return absl::StrCat(\"`", operand.name, "` is \", Text(", dtype,
                     "), \", other operands of type ", variable->name, " are \", Text(", name,
                     ")); })) return false;");
    if (!fresh && first.empty()) {
      Line("  " + mismatch);
      return;
    }
    const std::string bind = absl::StrCat(
        name, " = ", dtype, "; if (!checker.Require(\"type.", variable->name, "\", ir::Contains(",
        set, ", ", name, "), [&] { return absl::StrCat(\"`", operand.name, "` is \", Text(", dtype,
        "), \", not ", absl::StrJoin(variable->classes, " or "), "\"); })) return false;");
    if (!fresh) {
      Line("  " + mismatch);
    } else if (first.empty()) {
      Line("  " + bind);
    } else {
      Line(absl::StrCat("  if (", first, ") { ", bind, " }"));
      Line("  " + mismatch);
    }
  }

  void BindForm(const Operand& operand, const std::string& dims, std::set<std::string>& bound) {
    const Form& form = operand.form;
    if (form.kind == Form::kRank) {
      const std::string rank = Member(form.rank_name);
      Declare("int64_t", rank, " = 0");
      if (bound.insert(form.rank_name).second) {
        Line(absl::StrCat("  ", rank, " = Len(", dims, ");"));
      } else {
        Line(absl::StrCat("  if (!checker.Require(\"rank.", operand.name, "\", Len(", dims,
                          ") == ", rank, ", [&] { return absl::StrCat(\"`", operand.name,
                          "` has rank \", Len(", dims, "), \", not \", ", rank,
                          "); })) return false;"));
      }
      return;
    }
    if (form.kind != Form::kDims) return;
    size_t scalars = 0;
    const FormEntry* pack = nullptr;
    for (const FormEntry& entry : form.dims) {
      if (entry.pack) {
        if (pack != nullptr) Error(entry.place, "an operand has at most one pack");
        pack = &entry;
      } else {
        ++scalars;
      }
    }
    Line(absl::StrCat("  if (!checker.Require(\"rank.", operand.name, "\", Len(", dims, ") ",
                      pack != nullptr ? ">= " : "== ", scalars, ", [&] { return absl::StrCat(\"`",
                      operand.name, "` has rank \", Len(", dims, "), \", not ",
                      pack != nullptr ? "at least " : "", scalars, "\"); })) return false;"));
    size_t position = 0;
    bool after_pack = false;
    for (const FormEntry& entry : form.dims) {
      const size_t behind = form.dims.size() - 1 - position;
      const std::string at =
          after_pack ? absl::StrCat("Len(", dims, ") - ", behind + 1) : absl::StrCat(position);
      const std::string name = Member(entry.name);
      if (entry.pack) {
        const std::string slice = absl::StrCat("std::vector<Domain>(", dims, ".begin() + ",
                                               position, ", ", dims, ".end() - ", behind, ")");
        Declare("std::vector<Domain>", name);
        if (bound.insert(entry.name).second) {
          Line(absl::StrCat("  ", name, " = ", slice, ";"));
        } else {
          const std::string other = Unique("other");
          Line(absl::StrCat("  const std::vector<Domain> ", other, " = ", slice, ";"));
          Line(absl::StrCat("  if (!checker.Require(\"equal.", entry.name, "\", Len(", other,
                            ") == Len(", name, "), [&] { return absl::StrCat(\"`", operand.name,
                            "` has \", Text(", other, "), \" where ", entry.name, " is \", Text(",
                            name, ")); })) return false;"));
          Line(absl::StrCat("  for (int64_t d = 0; d < Len(", name, "); ++d) {"));
          Line(absl::StrCat("    if (!checker.Require(\"equal.", entry.name, "\", Eq(At(", name,
                            ", d), At(", other, ", d)), [&] { return absl::StrCat(\"`",
                            operand.name, "` has \", Text(", other, "), \" where ", entry.name,
                            " is \", Text(", name, ")); })) return false;"));
          Line("  }");
        }
        after_pack = true;
      } else if (entry.name.empty()) {
        Line(absl::StrCat("  if (!checker.Require(\"equal.", operand.name, "\", Eq(At(", dims, ", ",
                          at, "), Domain(", entry.literal, ")), [&] { return absl::StrCat(\"`",
                          operand.name, "` has dims \", Text(", dims, "), \", axis ", position,
                          " must be ", entry.literal, "\"); })) return false;"));
      } else {
        Declare("Domain", name);
        if (bound.insert(entry.name).second) {
          Line(absl::StrCat("  ", name, " = At(", dims, ", ", at, ");"));
        } else {
          Line(absl::StrCat("  if (!checker.Require(\"equal.", entry.name, "\", Eq(", name, ", At(",
                            dims, ", ", at, ")), [&] { return absl::StrCat(\"`", operand.name,
                            "` has \", Text(At(", dims, ", ", at, ")), \" where ", entry.name,
                            " is \", Text(", name, ")); })) return false;"));
        }
      }
      ++position;
    }
  }

  void Defaults() {
    if (op_.attributes.empty()) Line("(void)attrs;");
    for (size_t i = 0; i < op_.attributes.size(); ++i) {
      const AttributeDecl& attribute = op_.attributes[i];
      Line(absl::StrCat("if (std::holds_alternative<std::monostate>(attrs[", i, "])) {"));
      if (attribute.default_value == nullptr) {
        Line(absl::StrCat("  return absl::InvalidArgumentError(\"attribute `", attribute.name,
                          "` is missing\");"));
      } else {
        Line(absl::StrCat("  attrs[", i, "] = ir::Attribute(", DefaultCode(attribute), ");"));
      }
      Line("}");
    }
  }

  std::string DefaultCode(const AttributeDecl& attribute) {
    if (attribute.kind == "enum") {
      for (size_t i = 0; i < attribute.enum_names.size(); ++i) {
        if (attribute.enum_names[i] == attribute.default_value->text)
          return absl::StrCat("int64_t{", i, "}");
      }
      Error(
          attribute.default_value->place,
          absl::StrCat("`", attribute.default_value->text, "` is not a value of `", attribute.name,
                       "`", Suggestion(attribute.default_value->text, attribute.enum_names)));
      return "int64_t{0}";
    }
    const Typed value = Emit(attribute.default_value);
    const Place place = attribute.default_value->place;
    if (attribute.kind == "dtype") {
      if (value.kind != Kind::kDType && value.kind != Kind::kError)
        Error(place, "a dtype is needed");
      return value.code;
    }
    if (!attribute.list) {
      if (attribute.kind == "dim") return absl::StrCat("Expr(", AsHost(value, place), ")");
      return attribute.kind == "float" ? AsFloat(value, place) : AsHost(value, place);
    }
    const std::string type = attribute.kind == "dim"     ? "Expr"
                             : attribute.kind == "float" ? "double"
                                                         : "int64_t";
    if (value.kind == Kind::kList) {
      if (attribute.kind == "dim" && value.item == Kind::kHost)
        return absl::StrCat("ToExprs(", AsVector(value, place), ")");
      return AsVector(value, place);
    }
    std::string length = "int64_t{0}";
    if (attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr) {
      Error(place, "a list of free length needs a list as its default");
    } else {
      length = AsHost(Emit(attribute.length), place);
    }
    return absl::StrCat("std::vector<", type, ">(static_cast<size_t>(", length, "), ",
                        attribute.kind == "float"
                            ? AsFloat(value, place)
                            : absl::StrCat(type, "(", AsHost(value, place), ")"),
                        ")");
  }

  void Attributes() {
    // A fresh name as a list's length is bound by the list, so lengths are looked at before the
    // names are known.
    for (size_t i = 0; i < op_.attributes.size(); ++i) {
      const AttributeDecl& attribute = op_.attributes[i];
      const std::string name = Member(attribute.name);
      const std::string at = absl::StrCat("attrs[", i, "]");
      if (attribute.list) {
        const bool fresh =
            attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr;
        const std::string item = attribute.kind == "dim"     ? "Domain"
                                 : attribute.kind == "float" ? "double"
                                                             : "int64_t";
        Declare(absl::StrCat("std::vector<", item, ">"), name);
        if (attribute.kind == "dim") {
          Line(absl::StrCat(name, " = FromExprs<Domain>(std::get<std::vector<Expr>>(", at, "));"));
        } else {
          Line(absl::StrCat(name, " = std::get<std::vector<", item, ">>(", at, ");"));
        }
        if (fresh) {
          Declare("int64_t", Member(attribute.length->text), " = 0");
          Line(absl::StrCat(Member(attribute.length->text), " = Len(", name, ");"));
          Bind(attribute.length->text, Host(Member(attribute.length->text)));
        } else {
          const std::string length = AsHost(Emit(attribute.length), attribute.place);
          Line(absl::StrCat("if (!checker.Require(\"length.", attribute.name, "\", Len(", name,
                            ") == ", length, ", [&] { return absl::StrCat(\"`", attribute.name,
                            "` has \", Len(", name, "), \" entries, not \", ", length,
                            "); })) return false;"));
        }
        Bind(attribute.name, ListOf(name, attribute.kind == "dim"     ? Kind::kDim
                                          : attribute.kind == "float" ? Kind::kFloat
                                                                      : Kind::kHost));
      } else {
        const std::string type = attribute.kind == "dim"     ? "Domain"
                                 : attribute.kind == "float" ? "double"
                                 : attribute.kind == "dtype" ? "ir::DType"
                                 : attribute.kind == "bool"  ? "bool"
                                                             : "int64_t";
        Declare(type, name);
        if (attribute.kind == "dim") {
          Line(absl::StrCat(name, " = FromExpr<Domain>(std::get<Expr>(", at, "));"));
        } else if (attribute.kind == "bool") {
          Line(absl::StrCat(name, " = std::get<int64_t>(", at, ") != 0;"));
        } else {
          Line(absl::StrCat(name, " = std::get<", type, ">(", at, ");"));
        }
      }
    }
    BindAttributes("");
    for (const AttributeDecl& attribute : op_.attributes) {
      if (attribute.where == nullptr) continue;
      const Typed value = *Find(attribute.name);
      const auto check = [&](const Typed& it) {
        Push();
        Bind("it", it);
        const Typed holds = Emit(attribute.where);
        const std::string code =
            holds.kind == Kind::kProp ? holds.code : AsBool(holds, attribute.place);
        Line(absl::StrCat("if (!checker.Require(\"where.", attribute.name, "\", ", code,
                          ", [&] { return absl::StrCat(\"`", attribute.name, "` has \", Text(",
                          it.code, ")); })) return false;"));
        Pop();
      };
      if (value.kind == Kind::kList) {
        Line(absl::StrCat("for (int64_t entry = 0; entry < ", value.length, "; ++entry) {"));
        check(value.at("entry"));
        Line("}");
      } else {
        check(value);
      }
    }
  }

  void Derive() {
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

  void Require(const Statement& statement, const NodePtr& condition) {
    if (condition->kind == Node::kFold && condition->text == "forall") {
      Loops(condition->binders, 0, [&] { Require(statement, condition->children[0]); });
      return;
    }
    const Typed holds = Emit(condition);
    if (holds.kind == Kind::kError) return;
    const std::string code =
        holds.kind == Kind::kProp ? holds.code : AsBool(holds, statement.place);
    std::string message;
    const std::string before = Capture([&] { message = Message(statement.message); });
    Line(absl::StrCat("if (!checker.Require(\"", statement.name, "\", ", code, ", [&] {"));
    block_ += before;
    Line(absl::StrCat("  return ", message, ";"));
    Line("})) return false;");
  }

  void Results() {
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

  static NodePtr NameNode(const std::string& name, Place place) {
    auto node = std::make_shared<Node>();
    node->kind = Node::kName;
    node->text = name;
    node->place = place;
    return node;
  }

  std::string members_;
  std::set<std::string> declared_;
};

}  // namespace

std::string EmitShapeHeader(const Program& program, const File& file, const std::string& stem,
                            Diagnostics& diagnostics) {
  std::string guard = absl::StrCat("TESSERA_OPS_", file.dialect, "_", stem, "_SHAPE_H_");
  absl::AsciiStrToUpper(&guard);
  std::string header =
      absl::StrCat("// Generated from ", stem, ".op.\n#ifndef ", guard, "\n#define ", guard,
                   "\n\n#include <algorithm>\n#include <cmath>\n#include <limits>\n#include "
                   "<string>\n#include <utility>\n#include <vector>\n\n"
                   "#include \"codegen/support/domain.h\"\n\nnamespace tessera::ops {\n\n");
  for (const Op& op : file.ops)
    absl::StrAppend(&header, ShapeEmitter(program, op, diagnostics).Run(), "\n");
  absl::StrAppend(&header, "}  // namespace tessera::ops\n\n#endif  // ", guard, "\n");
  return header;
}

}  // namespace tessera::codegen
