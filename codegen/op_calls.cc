// Calls of ops and builders in terms.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/term_expressions.h"

namespace tessera::codegen {

std::string TermExpressions::AttributeCode(const AttributeDecl& declaration, const NodePtr& node,
                                           Typed* bound, const std::string& stem) {
  const Place place = node->place;
  const auto wrap = [](const std::string& code) {
    return absl::StrCat("ir::TermAttribute(ir::Attribute(", code, "))");
  };
  if (declaration.kind == "enum") {
    if (node->kind == Node::kName &&
        std::find(declaration.enum_names.begin(), declaration.enum_names.end(), node->text) !=
            declaration.enum_names.end()) {
      const Typed* same = Find(node->text);
      if (same == nullptr) {
        const auto ordinal =
            std::find(declaration.enum_names.begin(), declaration.enum_names.end(), node->text) -
            declaration.enum_names.begin();
        if (bound != nullptr)
          *bound = {.kind = Kind::kEnum,
                    .code = absl::StrCat("int64_t{", ordinal, "}"),
                    .enum_names = declaration.enum_names};
        return wrap(absl::StrCat("int64_t{", ordinal, "}"));
      }
    }
    if (node->kind == Node::kTernary) {
      // Each side names a value.
      const std::string choice = Unique(stem);
      std::string yes, no;
      const std::string condition = Guard(node->children[0]);
      yes = AttributeCode(declaration, node->children[1], nullptr, stem);
      no = AttributeCode(declaration, node->children[2], nullptr, stem);
      return absl::StrCat("(", condition, " ? ", yes, " : ", no, ")");
    }
    const Typed value = Emit(node);
    if (value.kind == Kind::kEnum) {
      if (value.enum_names != declaration.enum_names)
        Error(place, absl::StrCat("another enum than that of `", declaration.name, "`"));
      if (bound != nullptr) *bound = value;
      return wrap(value.code);
    }
    if (value.kind == Kind::kString) {
      const Typed stored = Store(value, stem);
      if (bound != nullptr) *bound = stored;
      return absl::StrCat("ir::TermAttribute(std::string_view(", stored.code, "))");
    }
    if (value.kind != Kind::kError)
      Error(place, absl::StrCat("a value of `", declaration.name, "` is needed",
                                Suggestion("", declaration.enum_names)));
    return wrap("int64_t{0}");
  }
  Typed value = Emit(node);
  if (value.kind == Kind::kError) return wrap("int64_t{0}");
  if (declaration.kind == "dtype") {
    if (value.kind != Kind::kDType) Error(place, "a dtype is needed");
    if (bound != nullptr) *bound = value;
    return wrap(value.code);
  }
  if (declaration.list) {
    if (value.kind != Kind::kList) {
      Error(place, absl::StrCat("`", declaration.name, "` is a list"));
      return wrap("int64_t{0}");
    }
    const Typed stored = Store(value, stem);
    if (bound != nullptr) *bound = stored;
    return wrap(stored.code);
  }
  if (declaration.kind == "float") {
    const Typed stored = Store({.kind = Kind::kFloat, .code = AsFloat(value, place)}, stem);
    if (bound != nullptr) *bound = stored;
    return wrap(stored.code);
  }
  if (declaration.kind == "bool") {
    const Typed stored =
        Store({.kind = Kind::kBool,
               .code = value.kind == Kind::kProp ? absl::StrCat("b.Proves(", value.code, ")")
                                                 : AsBool(value, place)},
              stem);
    if (bound != nullptr) *bound = stored;
    return wrap(absl::StrCat("int64_t{", stored.code, "}"));
  }
  if (value.kind == Kind::kBool) value = Host(absl::StrCat("int64_t{", value.code, "}"));
  if (value.kind != Kind::kHost && value.kind != Kind::kDim) {
    Error(place, absl::StrCat("`", declaration.name, "` is an integer"));
    return wrap("int64_t{0}");
  }
  const Typed stored = Store(value, stem);
  if (bound != nullptr) {
    *bound = stored;
    if (declaration.kind == "int" && stored.kind == Kind::kDim)
      *bound = Store(Host(absl::StrCat("b.HostInt(", stored.code, ")")), stem);
  }
  return wrap(stored.code);
}

void TermExpressions::Arguments(const std::vector<NodePtr>& children, const std::string& list) {
  for (const NodePtr& child : children) {
    const bool spread = child->kind == Node::kSpread;
    const NodePtr& inner = spread ? child->children[0] : child;
    if (spread && inner->kind == Node::kListFor) {
      Loops(inner->binders, 0, [&] {
        const Typed item = Emit(inner->children[0]);
        if (item.kind != Kind::kValue && item.kind != Kind::kError)
          Error(inner->place, "a list of terms is needed");
        Line(absl::StrCat(list, ".push_back(", item.code, ");"));
      });
      continue;
    }
    const Typed value = Emit(inner);
    if (value.kind == Kind::kError) continue;
    if (value.kind == Kind::kValues) {
      Line(absl::StrCat("Append(", list, ", ", value.code, ");"));
    } else if (value.kind == Kind::kValue) {
      Line(absl::StrCat(list, ".push_back(", value.code, ");"));
    } else {
      Error(inner->place, "a term is needed");
    }
  }
}

Typed TermExpressions::OpCall(const Node& node, const Op& target) {
  std::string like;  // the operation whose attributes are carried over
  if (node.rest) {
    const auto carried = carried_.find(&target);
    if (carried == carried_.end())
      return Error(node.place, absl::StrCat("`..` carries attributes of a matched `", target.name,
                                            "` over, and no pattern of one ends in `..`"));
    if (carried->second.size() > 1)
      return Error(node.place, absl::StrCat("`..` of which `", target.name, "`? The pattern has ",
                                            carried->second.size(), " that end in `..`"));
    carried->second[0].taken = true;
    like = carried->second[0].operation;
  }
  const std::string arguments = Unique("arguments");
  Line(absl::StrCat("Values ", arguments, ";"));
  Arguments(node.children, arguments);
  const bool variadic = !target.inputs.empty() && target.inputs.back().arity == Operand::kVariadic;
  if (!variadic && node.children.size() > target.inputs.size())
    return Error(node.place, absl::StrCat("`", target.name, "` takes at most ",
                                          target.inputs.size(), " operand(s)"));
  std::vector<std::string> attributes;
  for (const auto& [name, value] : node.named) {
    const AttributeDecl* declaration = nullptr;
    std::vector<std::string> known;
    for (const AttributeDecl& attribute : target.attributes) {
      if (attribute.name == name) declaration = &attribute;
      known.push_back(attribute.name);
    }
    if (declaration == nullptr) {
      Error(value->place, absl::StrCat("`", target.name, "` has no attribute `", name, "`",
                                       Suggestion(name, known)));
      continue;
    }
    attributes.push_back(
        absl::StrCat("{\"", name, "\", ", AttributeCode(*declaration, value, nullptr, name), "}"));
  }
  if (like.empty()) {
    for (const AttributeDecl& attribute : target.attributes) {
      const bool given = std::any_of(node.named.begin(), node.named.end(), [&](const auto& named) {
        return named.first == attribute.name;
      });
      if (!given && attribute.default_value == nullptr)
        Error(node.place,
              absl::StrCat("`", target.name, "` needs attribute `", attribute.name, "`"));
    }
  }
  const std::string results = Unique("results");
  if (!like.empty()) {
    Line(absl::StrCat("const Values ", results, " = b.CreateLike(",
                      like == "op_root" ? "root" : "*" + like, ", ", arguments, ", {",
                      absl::StrJoin(attributes, ", "), "});"));
  } else {
    Line(absl::StrCat("const Values ", results, " = b.Create(\"", target.dialect, "\", \"",
                      target.name, "\", ", arguments, ", {", absl::StrJoin(attributes, ", "),
                      "});"));
  }
  return {
      .kind = Kind::kValue, .code = absl::StrCat("ResultAt(", results, ", 0)"), .length = results};
}

}  // namespace tessera::codegen
