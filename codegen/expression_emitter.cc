#include "codegen/expression_emitter.h"

#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_parser.h"

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

Typed ExpressionEmitter::ListOf(const std::string& code, Kind item) {
  Typed list{.kind = Kind::kList, .code = code, .item = item};
  list.length = absl::StrCat("Len(", code, ")");
  list.at = [code, item](const std::string& i) {
    return Typed{.kind = item, .code = absl::StrCat("At(", code, ", ", i, ")")};
  };
  return list;
}

std::string ExpressionEmitter::CppType(const Typed& typed) const {
  switch (typed.kind) {
    case Kind::kHost:
      return "int64_t";
    case Kind::kDim:
      return DomainType();
    case Kind::kFloat:
      return "double";
    case Kind::kBool:
      return "bool";
    case Kind::kProp:
      return absl::StrCat("Prop<", DomainType(), ">");
    case Kind::kElement:
      return typed.element;
    case Kind::kEnum:
      return "int64_t";
    case Kind::kString:
      return "std::string";
    case Kind::kDType:
      return "ir::DType";
    case Kind::kList:
      return absl::StrCat("std::vector<", CppType(Typed{.kind = typed.item}), ">");
    case Kind::kValue:
      return "ir::Value*";
    case Kind::kValues:
      return "std::vector<ir::Value*>";
    default:
      return "auto";
  }
}

std::string ExpressionEmitter::AsHost(const Typed& typed, Place place) {
  if (typed.kind == Kind::kHost || typed.kind == Kind::kEnum) return typed.code;
  if (typed.kind == Kind::kBool) return absl::StrCat("int64_t{", typed.code, "}");
  if (typed.kind == Kind::kDim && DimsAreHost()) return HostOfDim(typed.code);
  if (typed.kind == Kind::kDim) {
    Error(place,
          "a host integer is needed, this dim may be symbolic (`int(d)` where it is static)");
  } else if (typed.kind != Kind::kError) {
    Error(place, "an integer is needed");
  }
  return "0";
}

std::string ExpressionEmitter::AsDim(const Typed& typed, Place place) {
  if (typed.kind == Kind::kDim) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat(DomainType(), "(", typed.code, ")");
  if (typed.kind == Kind::kProp) return absl::StrCat(DomainType(), "(", typed.code, ")");
  if (typed.kind == Kind::kBool) return absl::StrCat(DomainType(), "(int64_t{", typed.code, "})");
  if (typed.kind != Kind::kError) Error(place, "a dim is needed");
  return "0";
}

std::string ExpressionEmitter::AsBool(const Typed& typed, Place place) {
  if (typed.kind == Kind::kBool) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat("(", typed.code, " != 0)");
  if (typed.kind != Kind::kError) Error(place, "a condition is needed");
  return "false";
}

std::string ExpressionEmitter::AsProp(const Typed& typed, Place place) {
  if (typed.kind == Kind::kProp) return typed.code;
  return absl::StrCat("Truth<", DomainType(), ">(", AsBool(typed, place), ")");
}

std::string ExpressionEmitter::AsFloat(const Typed& typed, Place place) {
  if (typed.kind == Kind::kFloat) return typed.code;
  if (typed.kind == Kind::kHost) return absl::StrCat("static_cast<double>(", typed.code, ")");
  if (typed.kind != Kind::kError) Error(place, "a number is needed");
  return "0.0";
}

std::string ExpressionEmitter::AsElement(const Typed& typed, const std::string& element,
                                         Place place) {
  switch (typed.kind) {
    case Kind::kElement:
      return typed.element == element
                 ? typed.code
                 : absl::StrCat("kernels::Cast<", element, ">(", typed.code, ")");
    case Kind::kHost:
      return absl::StrCat("kernels::Lit<", element, ">(", typed.code, ")");
    case Kind::kBool:
      return absl::StrCat("kernels::Lit<", element, ">(int64_t{", typed.code, "})");
    case Kind::kDim:
      return absl::StrCat("kernels::Cast<", element, ">(", typed.code, ")");
    case Kind::kFloat:
      NoteElementOperation(false);
      return absl::StrCat("kernels::Lit<", element, ">(", typed.code, ")");
    case Kind::kCondition:
      return absl::StrCat("kernels::FromTruth<", element, ">(", typed.code, ")");
    case Kind::kError:
      return "0";
    default:
      Error(place, "an element is needed");
      return "0";
  }
}

std::string ExpressionEmitter::AsCondition(const Typed& typed, Place place) {
  if (typed.kind == Kind::kCondition || typed.kind == Kind::kBool) return typed.code;
  if (typed.kind == Kind::kElement)
    return absl::StrCat("kernels::Ne(", typed.code, ", kernels::Lit<", typed.element,
                        ">(int64_t{0}))");
  return AsBool(typed, place);
}

std::string ExpressionEmitter::AsVector(const Typed& typed, Place place) {
  if (typed.kind == Kind::kError) return "{}";
  if (typed.kind != Kind::kList) {
    Error(place, "a list is needed");
    return "{}";
  }
  if (!typed.code.empty()) return typed.code;
  const std::string list = Unique("list");
  const std::string i = Unique("i");
  Line(absl::StrCat(CppType(typed), " ", list, ";"));
  Line(absl::StrCat("for (int64_t ", i, " = 0, ", i, "_end = ", typed.length, "; ", i, " < ", i,
                    "_end; ++", i, ") {"));
  const Typed item = typed.at(i);
  const std::string code = typed.item == Kind::kDim     ? AsDim(item, place)
                           : typed.item == Kind::kFloat ? AsFloat(item, place)
                                                        : AsHost(item, place);
  Line(absl::StrCat("  ", list, ".push_back(", code, ");"));
  Line("}");
  return list;
}

std::string ExpressionEmitter::Message(const MessageText& message) {
  const std::string& text = message.text;
  const Place place = message.place;
  std::vector<std::string> parts;
  const auto quote = [](const std::string& s) {
    std::string quoted = "\"";
    for (char c : s) {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
    return quoted + "\"";
  };
  size_t at = 0;
  while (at < text.size()) {
    const size_t open = text.find('{', at);
    if (open == std::string::npos) {
      parts.push_back(quote(text.substr(at)));
      break;
    }
    const Place brace{place.source, place.offset + open};
    const size_t close = text.find('}', open);
    if (close == std::string::npos) {
      Error(brace, "`{` without `}`");
      break;
    }
    if (open > at) parts.push_back(quote(text.substr(at, open - at)));
    const size_t errors = diagnostics_.size();
    const NodePtr node =
        ParseExpression(*place.source, brace.offset + 1, place.offset + close, diagnostics_);
    if (diagnostics_.size() == errors) parts.push_back(MessagePart(node));
    at = close + 1;
  }
  return absl::StrCat("absl::StrCat(", absl::StrJoin(parts, ", "), ")");
}

std::string ExpressionEmitter::MessagePart(const NodePtr& node) {
  const Place place = node->place;
  const Typed value = Emit(node);
  if (value.kind == Kind::kList) return absl::StrCat("Text(", AsVector(value, place), ")");
  if (value.kind == Kind::kOperand || value.kind == Kind::kValue)
    return absl::StrCat("Text(", AsVector(DimsOf(value, place), place), ")");
  if (value.kind != Kind::kEnum) return absl::StrCat("Text(", value.code, ")");
  std::vector<std::string> names;
  for (const std::string& name : value.enum_names) names.push_back(absl::StrCat("\"", name, "\""));
  return absl::StrCat("EnumText(", value.code, ", {", absl::StrJoin(names, ", "), "})");
}

Typed ExpressionEmitter::Store(const Typed& typed, const std::string& stem) {
  if (typed.kind == Kind::kList) {
    const std::string vector = AsVector(typed, {});
    const std::string name = Unique(stem);
    Line(absl::StrCat("[[maybe_unused]] const ", CppType(typed), " ", name, " = ", vector, ";"));
    return ListOf(name, typed.item);
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

void ExpressionEmitter::Loops(const std::vector<Binder>& binders, size_t from,
                              const std::function<void()>& body) {
  if (from == binders.size()) {
    body();
    return;
  }
  const Binder& binder = binders[from];
  const auto rest = [&] { Loops(binders, from + 1, body); };
  Push();
  if (!SpecialLoop(binder, rest)) {
    const std::string i = Unique(Member(binder.name));
    if (binder.to != nullptr) {
      const std::string begin = AsHost(Emit(binder.from), binder.place);
      const std::string end = AsHost(Emit(binder.to), binder.place);
      const std::string last = Unique("end");
      Line(absl::StrCat("for (int64_t ", i, " = ", begin, ", ", last, " = ", end, "; ", i, " < ",
                        last, "; ++", i, ") {"));
      Bind(binder.name, Host(i));
      rest();
      Line("}");
    } else {
      const Typed source = Emit(binder.from);
      if (source.kind == Kind::kOperands || source.kind == Kind::kValues) {
        const std::string last = Unique("end");
        Line(absl::StrCat("for (int64_t ", i, " = 0, ", last, " = ", CountOf(source), "; ", i,
                          " < ", last, "; ++", i, ") {"));
        Bind(binder.name, VariadicItem(source, i));
        rest();
        Line("}");
      } else if (source.kind == Kind::kList) {
        const std::string last = Unique("end");
        const std::string length = source.length;
        Line(absl::StrCat("for (int64_t ", i, " = 0, ", last, " = ", length, "; ", i, " < ", last,
                          "; ++", i, ") {"));
        Bind(binder.name, source.at(i));
        rest();
        Line("}");
      } else if (source.kind != Kind::kError) {
        Error(binder.place,
              absl::StrCat("`", binder.name,
                           "` needs a range, a list or a variadic operand to run over"));
      }
    }
  }
  Pop();
}

Typed ExpressionEmitter::Comprehension(const std::vector<Binder>& binders, const NodePtr& body,
                                       Place place) {
  const Binder& binder = binders[0];
  if (binders.size() != 1) return Error(place, "one name runs in a list");
  Typed list{.kind = Kind::kList};
  std::function<Typed(const std::string&)> bound;
  if (binder.to != nullptr) {
    const std::string begin = AsHost(Emit(binder.from), binder.place);
    const std::string end = AsHost(Emit(binder.to), binder.place);
    const std::string plus = begin == "0" ? "" : absl::StrCat(begin, " + ");
    list.length =
        begin == "0" ? absl::StrCat("(", end, ")") : absl::StrCat("((", end, ") - (", begin, "))");
    bound = [this, plus](const std::string& i) {
      return Host(plus.empty() ? i : absl::StrCat("(", plus, i, ")"));
    };
  } else {
    const Typed source = Emit(binder.from);
    if (source.kind == Kind::kOperands || source.kind == Kind::kValues) {
      list.length = CountOf(source);
      bound = [this, source](const std::string& i) { return VariadicItem(source, i); };
    } else if (source.kind == Kind::kList) {
      list.length = source.length;
      bound = source.at;
    } else {
      return source.kind == Kind::kError
                 ? Typed{}
                 : Error(binder.place, "a range, a list or a variadic operand is needed");
    }
  }
  // The component is emitted where it is used, in the scope of here.
  const auto scopes = scopes_;
  const std::string name = binder.name;
  list.at = [this, scopes, bound, name, body](const std::string& i) {
    auto outer = std::move(scopes_);
    scopes_ = scopes;
    Push();
    Bind(name, bound(i));
    Typed item = Emit(body);
    scopes_ = std::move(outer);
    return item;
  };
  const Typed sample = Probe([&] { return list.at("0"); });
  if (sample.kind == Kind::kBool) {
    list.item = Kind::kHost;
  } else if (sample.kind == Kind::kHost || sample.kind == Kind::kDim ||
             sample.kind == Kind::kFloat || sample.kind == Kind::kValue) {
    list.item = sample.kind;
  } else if (sample.kind == Kind::kElement) {
    list.item = Kind::kElement;
  } else if (sample.kind == Kind::kProp) {
    list.item = Kind::kDim;
  } else {
    return sample.kind == Kind::kError
               ? Typed{}
               : Error(place, "a list holds integers, dims, numbers or terms");
  }
  return list;
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
    std::string name = node.text;
    name[0] = static_cast<char>(std::toupper(name[0]));
    if (node.text == "bf16") name = "BF16";
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
    if (item == Kind::kDim || item == Kind::kFloat || item == Kind::kValue) kind = item;
  }
  const std::string name = Unique("list");
  std::vector<std::string> codes;
  for (size_t i = 0; i < items.size(); ++i) {
    const Place place = node.children[i]->place;
    codes.push_back(kind == Kind::kDim     ? AsDim(items[i], place)
                    : kind == Kind::kFloat ? AsFloat(items[i], place)
                    : kind == Kind::kValue ? items[i].code
                                           : AsHost(items[i], place));
  }
  Typed type{.kind = Kind::kList, .item = kind};
  Line(absl::StrCat("const ", CppType(type), " ", name, " = {", absl::StrJoin(codes, ", "), "};"));
  return ListOf(name, kind);
}

}  // namespace tessera::codegen
