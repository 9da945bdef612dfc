#include "codegen/expression_emitter.h"

#include <algorithm>
#include <limits>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::codegen {

std::string ExpressionEmitter::Member(const std::string& name) {
  static const std::set<std::string> kReserved = {
      "default",   "union",    "double", "float",    "int",     "bool",     "long",  "short",
      "char",      "new",      "delete", "this",     "class",   "struct",   "enum",  "template",
      "operator",  "auto",     "const",  "static",   "switch",  "case",     "for",   "while",
      "do",        "if",       "else",   "return",   "break",   "continue", "and",   "or",
      "not",       "xor",      "signed", "unsigned", "void",    "true",     "false", "using",
      "namespace", "register", "args",   "checker",  "lenient", "Domain",   "EOF",   "NULL"};
  return kReserved.count(name) != 0 ? name + "_" : name;
}

Typed ExpressionEmitter::Error(Place place, const std::string& message) {
  diagnostics_.Error(place, message);
  return {};
}

std::string ExpressionEmitter::Capture(const std::function<void()>& f) {
  std::string outer = std::move(block_);
  block_.clear();
  f();
  std::string inner = std::move(block_);
  block_ = std::move(outer);
  return inner;
}

Typed ExpressionEmitter::Probe(const std::function<Typed()>& f) {
  Typed result;
  Capture([&] { result = f(); });
  return result;
}

const Typed* ExpressionEmitter::Find(const std::string& name) const {
  for (size_t i = scopes_.size(); i-- > 0;) {
    auto it = scopes_[i].find(name);
    if (it != scopes_[i].end()) return &it->second;
  }
  return nullptr;
}

Typed ExpressionEmitter::ListOf(const std::string& code, Kind item, const std::string& attribute) {
  Typed list{.kind = Kind::kList, .code = code, .item = item};
  list.length = absl::StrCat("Len(", code, ")");
  list.attribute = attribute;
  list.at = [code, item, attribute](const std::string& i) {
    return Typed{.kind = item,
                 .code = attribute.empty() ? absl::StrCat("At(", code, ", ", i, ")")
                                           : absl::StrCat("EntryOf(node, \"", attribute, "\", ",
                                                          code, ", ", i, ")")};
  };
  return list;
}

Typed ExpressionEmitter::Store(const Typed& typed, const std::string& stem) {
  if (typed.kind == Kind::kList) {
    const std::string vector = AsVector(typed, {});
    const std::string name = Unique(stem);
    Line(absl::StrCat("[[maybe_unused]] const ", CppType(typed), " ", name, " = ", vector, ";"));
    return ListOf(name, typed.item, typed.attribute);
  }
  if (typed.kind == Kind::kOperand || typed.kind == Kind::kOperands || typed.kind == Kind::kError)
    return typed;
  const std::string name = Unique(stem);
  Line(absl::StrCat("[[maybe_unused]] ",
                    typed.kind == Kind::kCondition ? "const auto"
                    : typed.kind == Kind::kValue || typed.kind == Kind::kValues
                        ? CppType(typed)
                        : absl::StrCat("const ", CppType(typed)),
                    " ", name, " = ", typed.code, ";"));
  Typed stored = typed;
  stored.code = name;
  return stored;
}

Typed ExpressionEmitter::DimsOf(const Typed& operand, Place place) {
  if (operand.kind == Kind::kOperand) {
    // One operand of a variadic carries its index.
    return ListOf(operand.index.empty()
                      ? operand.code + "_dims"
                      : absl::StrCat("At(", operand.code, "_dims, ", operand.index, ")"),
                  Kind::kDim);
  }
  if (operand.kind == Kind::kError) return {};
  return Error(place, "a tensor is needed");
}

Typed ExpressionEmitter::VariadicItem(const Typed& operands, const std::string& index) {
  Typed item = operands;
  item.kind = Kind::kOperand;
  item.index = index;
  return item;
}

std::string ExpressionEmitter::CountOf(const Typed& operands) {
  return absl::StrCat("Len(", operands.code, "_dims)");
}

void ExpressionEmitter::BindOperandNames(const std::string& prefix) {
  for (const TypeVariable& type : op_.types)
    Bind(type.name, {.kind = Kind::kDType, .code = prefix + Member(type.name)});
  std::set<std::string> fresh_lists;
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    const Operand& operand = op_.inputs[i];
    Bind(operand.name,
         {.kind = operand.arity == Operand::kVariadic ? Kind::kOperands : Kind::kOperand,
          .code = prefix + Member(operand.name),
          .operand = static_cast<int>(i),
          .declaration = &operand});
    if (operand.form.kind == Form::kRank)
      Bind(operand.form.rank_name,
           {.kind = Kind::kHost, .code = prefix + Member(operand.form.rank_name)});
    if (operand.arity == Operand::kVariadic) continue;
    for (const FormEntry& entry : operand.form.dims) {
      if (entry.name.empty()) continue;
      if (entry.pack) {
        Bind(entry.name, ListOf(prefix + Member(entry.name), Kind::kDim));
      } else {
        Bind(entry.name, {.kind = Kind::kDim, .code = prefix + Member(entry.name)});
      }
    }
  }
}

void ExpressionEmitter::BindAttributes(const std::string& prefix) {
  for (const AttributeDecl& attribute : op_.attributes) {
    const std::string code = prefix + Member(attribute.name);
    const Kind item = attribute.kind == "dim"     ? Kind::kDim
                      : attribute.kind == "float" ? Kind::kFloat
                                                  : Kind::kHost;
    if (attribute.list) {
      if (attribute.length->kind == Node::kName && Find(attribute.length->text) == nullptr) {
        Bind(attribute.length->text,
             {.kind = Kind::kHost, .code = prefix + Member(attribute.length->text)});
      }
      Bind(attribute.name, ListOf(code, item));
    } else if (attribute.kind == "enum") {
      Bind(attribute.name, {.kind = Kind::kEnum, .code = code, .enum_names = attribute.enum_names});
    } else if (attribute.kind == "dtype") {
      Bind(attribute.name, {.kind = Kind::kDType, .code = code});
    } else if (attribute.kind == "bool") {
      Bind(attribute.name, {.kind = Kind::kBool, .code = code});
    } else {
      Bind(attribute.name, {.kind = item, .code = code});
    }
  }
}

void ExpressionEmitter::BindStatements(const std::string& prefix) {
  for (const Statement& statement : op_.statements) {
    if (statement.kind == Statement::kRequire) continue;
    Typed value = Probe([&] {
      return statement.binders.empty()
                 ? Emit(statement.value)
                 : Comprehension(statement.binders, statement.value, statement.place);
    });
    const std::string code = prefix + Member(statement.name);
    if (statement.kind == Statement::kShape || value.kind == Kind::kProp) {
      if (value.kind == Kind::kList) value.item = Kind::kDim;
      if (value.kind == Kind::kHost || value.kind == Kind::kProp) value.kind = Kind::kDim;
    }
    if (value.kind == Kind::kList) {
      Bind(statement.name, ListOf(code, value.item));
    } else {
      value.code = code;
      Bind(statement.name, value);
    }
  }
}

Typed ExpressionEmitter::Emit(const NodePtr& pointer) {
  Typed special;
  if (Special(pointer, special)) return special;
  const Node& node = *pointer;
  switch (node.kind) {
    case Node::kInt:
      return Host(absl::StrCat("int64_t{", node.text, "}"));
    case Node::kFloat:
      return {.kind = Kind::kFloat, .code = node.text};
    case Node::kString:
      return {.kind = Kind::kString, .code = absl::StrCat("std::string(\"", node.text, "\")")};
    case Node::kName:
      return Name(node);
    case Node::kUnary: {
      const Typed a = Emit(node.children[0]);
      if (node.text == "!") return Not(a, node.place);
      if (a.kind == Kind::kElement)
        return {.kind = Kind::kElement,
                .code = absl::StrCat("kernels::Neg(", a.code, ")"),
                .element = a.element};
      // Of 0 too it keeps the sign.
      if (a.kind == Kind::kFloat)
        return {.kind = Kind::kFloat, .code = absl::StrCat("(-", a.code, ")")};
      return Arithmetic("-", Host("int64_t{0}"), a, node.place);
    }
    case Node::kBinary:
      return node.text == "&&" || node.text == "||" ? Logic(node) : Binary(node);
    case Node::kCoalesce:
      return Coalesce(node);
    case Node::kTernary:
      return Ternary(node);
    case Node::kCall:
      return Call(node);
    case Node::kIndex:
      return Index(node);
    case Node::kList:
      return ListLiteral(node);
    case Node::kListFor:
      return Comprehension(node.binders, node.children[0], node.place);
    case Node::kFold:
      return Fold(node);
    default:
      return Error(node.place, "this form has no meaning here");
  }
}

Typed ExpressionEmitter::Name(const Node& node) {
  if (const Typed* found = Find(node.text)) return *found;
  if (node.text == "inf")
    return {.kind = Kind::kFloat, .code = "std::numeric_limits<double>::infinity()"};
  if (node.text == "nan")
    return {.kind = Kind::kFloat, .code = "std::numeric_limits<double>::quiet_NaN()"};
  if (node.text == "true" || node.text == "false") return {.kind = Kind::kBool, .code = node.text};
  if (IsDTypeName(node.text)) {
    const std::string name = node.text == "bool" ? "Bool" : absl::AsciiStrToUpper(node.text);
    return {.kind = Kind::kDType, .code = "ir::DType::k" + name};
  }
  std::vector<std::string> known;
  for (const auto& scope : scopes_) {
    for (const auto& [name, typed] : scope) known.push_back(name);
  }
  return Error(node.place,
               absl::StrCat("unknown name `", node.text, "`", Suggestion(node.text, known)));
}

Typed ExpressionEmitter::ListLiteral(const Node& node) {
  std::vector<Typed> items;
  Kind kind = Kind::kHost;
  for (const NodePtr& child : node.children) {
    items.push_back(Emit(child));
    const Kind item = items.back().kind;
    if (item == Kind::kError) return {};
    if (item == Kind::kDim || item == Kind::kFloat || item == Kind::kValue || item == Kind::kString)
      kind = item;
  }
  const std::string name = Unique("list");
  std::vector<std::string> codes;
  for (size_t i = 0; i < items.size(); ++i) {
    const Place place = node.children[i]->place;
    codes.push_back(kind == Kind::kDim                              ? AsDim(items[i], place)
                    : kind == Kind::kFloat                          ? AsFloat(items[i], place)
                    : kind == Kind::kValue || kind == Kind::kString ? items[i].code
                                                                    : AsHost(items[i], place));
  }
  Typed type{.kind = Kind::kList, .item = kind};
  Line(absl::StrCat("const ", CppType(type), " ", name, " = {", absl::StrJoin(codes, ", "), "};"));
  return ListOf(name, kind);
}

}  // namespace tessera::codegen
