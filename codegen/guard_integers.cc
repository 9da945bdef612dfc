// Integers in guards, and how they, dtypes, enumerated values and floats compare.
#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/guard_translator.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

// Between two literals of up to six digits there is always one more value.
constexpr double kUnitsPerOne = 2e6;
constexpr double kLargestFloat = 1e9;

std::optional<size_t> IndexOf(const std::vector<std::string>& list, const std::string& name) {
  const auto found = std::find(list.begin(), list.end(), name);
  if (found == list.end()) return std::nullopt;
  return static_cast<size_t>(found - list.begin());
}

std::string Mirrored(const std::string& relation) {
  if (relation[0] == '<') return ">" + relation.substr(1);
  if (relation[0] == '>') return "<" + relation.substr(1);
  return relation;
}

// The units in a literal; nothing where they are no whole number.
std::optional<int64_t> UnitsIn(const NodePtr& node) {
  if (node->kind == Node::kUnary && node->text == "-") {
    const std::optional<int64_t> units = UnitsIn(node->children[0]);
    return units ? std::optional<int64_t>(-*units) : std::nullopt;
  }
  if (node->kind != Node::kInt && node->kind != Node::kFloat) return std::nullopt;
  const double value =
      node->kind == Node::kInt ? static_cast<double>(node->int_value) : node->float_value;
  const double units = std::round(value * kUnitsPerOne);
  if (!(std::abs(value) < kLargestFloat) || units / kUnitsPerOne != value) return std::nullopt;
  return static_cast<int64_t>(units);
}

}  // namespace

GuardTranslator::Text GuardTranslator::Integer(const NodePtr& pointer) {
  Text text = Said(pointer);
  if (!text && integers_.count(TextOf(pointer)) > 0) text = Symbol(TextOf(pointer), {});
  return text;
}

void GuardTranslator::Integers(const NodePtr& node) {
  const bool sum = node->kind == Node::kBinary || node->kind == Node::kUnary;
  const bool call = node->kind == Node::kCall &&
                    (node->text == "min" || node->text == "max" || node->text == "abs");
  if (sum || call) {
    for (const NodePtr& child : node->children) Integers(child);
  } else if (node->kind == Node::kTernary) {
    Integers(node->children[1]);
    Integers(node->children[2]);
  } else {
    integers_.insert(TextOf(node));
  }
}

GuardTranslator::Text GuardTranslator::Said(const NodePtr& pointer) {
  const Node& node = *pointer;
  switch (node.kind) {
    case Node::kInt:
      return absl::StrCat(node.int_value);
    case Node::kName: {
      const Meaning* meaning = Find(pointer);
      if (meaning == nullptr || meaning->kind != Meaning::kNumber) return std::nullopt;
      return meaning->text;
    }
    case Node::kUnary: {
      const Text value = node.text == "-" ? Integer(node.children[0]) : std::nullopt;
      return value ? Text(absl::StrCat("(-", *value, ")")) : std::nullopt;
    }
    case Node::kBinary: {
      if (node.text != "+" && node.text != "-" && node.text != "*") return std::nullopt;
      const Text left = Integer(node.children[0]), right = Integer(node.children[1]);
      if (!left || !right) return std::nullopt;
      return absl::StrCat("(", *left, " ", node.text, " ", *right, ")");
    }
    case Node::kTernary: {
      const Text yes = Integer(node.children[1]), no = Integer(node.children[2]);
      if (!yes || !no) return std::nullopt;
      return absl::StrCat("ite(", Truth(node.children[0]), ", ", *yes, ", ", *no, ")");
    }
    case Node::kIndex:
      return Element(pointer);
    case Node::kCall:
      return IntegerCall(pointer);
    default:
      return std::nullopt;
  }
}

GuardTranslator::Text GuardTranslator::Element(const NodePtr& node) {
  const Meaning* list = Find(node->children[0]);
  if (list == nullptr || !list->integers) return std::nullopt;
  const std::string name = TextOf(node);
  if (list->attribute == nullptr) return Natural(name);
  Symbol(name, {});
  return Bounded(name, *list->attribute);
}

GuardTranslator::Text GuardTranslator::IntegerCall(const NodePtr& pointer) {
  const Node& node = *pointer;
  const auto of_operand = [&]() -> const Operand* {
    const Meaning* meaning = node.children.empty() ? nullptr : Find(node.children[0]);
    return meaning == nullptr ? nullptr : meaning->operand;
  };
  if (node.children.empty()) return std::nullopt;
  if (node.text == "len") return Length(node.children[0]);
  if (node.text == "int" && node.children.size() == 1) return Integer(node.children[0]);
  const std::string name = TextOf(pointer);
  if (node.text == "rank" && of_operand() != nullptr) return Rank(*of_operand());
  if ((node.text == "dim" || node.text == "uses") && of_operand() != nullptr) return Natural(name);
  if (node.text == "count" && of_operand() != nullptr)
    return Symbol(name, {absl::StrCat("`", name, "` >= 1")});
  const bool two = node.text == "floordiv" || node.text == "ceildiv" || node.text == "mod";
  const bool more = node.text == "min" || node.text == "max";
  const bool one = node.text == "abs";
  const size_t count = node.children.size();
  if (!(two && count == 2) && !(more && count >= 2) && !(one && count == 1)) return std::nullopt;
  std::vector<std::string> operands;
  for (const NodePtr& child : node.children) {
    const Text operand = Integer(child);
    if (!operand) return std::nullopt;
    operands.push_back(*operand);
  }
  return absl::StrCat(node.text, "(", absl::StrJoin(operands, ", "), ")");
}

GuardTranslator::Text GuardTranslator::Length(const NodePtr& node) {
  if (node->kind == Node::kList) {
    const bool plain = std::none_of(node->children.begin(), node->children.end(),
                                    [](const NodePtr& c) { return c->kind == Node::kSpread; });
    if (plain) return absl::StrCat(node->children.size());
  }
  if (node->kind == Node::kBinary && node->text == "++") {
    const Text left = Length(node->children[0]), right = Length(node->children[1]);
    if (left && right) return absl::StrCat("(", *left, " + ", *right, ")");
  }
  const Meaning* list = Find(node);
  if (list != nullptr && list->length) return list->length;
  return Natural(absl::StrCat("len(", TextOf(node), ")"));
}

GuardTranslator::Text GuardTranslator::Rank(const Operand& operand) {
  if (operand.form.kind == Form::kRank) return Natural(operand.form.rank_name);
  if (operand.form.kind != Form::kDims) return Natural(absl::StrCat("rank(", operand.name, ")"));
  int64_t single = 0;
  Text pack;
  for (const FormEntry& entry : operand.form.dims) {
    if (entry.pack) {
      pack = Natural(absl::StrCat("len(", entry.name, ")"));
    } else {
      ++single;
    }
  }
  return pack ? absl::StrCat("(", single, " + ", *pack, ")") : absl::StrCat(single);
}

GuardTranslator::Text GuardTranslator::DTypeOf(const NodePtr& node) {
  if (const Meaning* meaning = Find(node)) {
    return meaning->kind == Meaning::kDType ? Text(meaning->text) : std::nullopt;
  }
  if (node->kind != Node::kCall || node->text != "dtype" || node->children.size() != 1)
    return std::nullopt;
  const Meaning* meaning = Find(node->children[0]);
  if (meaning == nullptr || meaning->operand == nullptr) return std::nullopt;
  const std::vector<std::string>& classes = meaning->operand->classes;
  if (classes.size() == 1) {
    const auto type = names_.find(classes[0]);
    if (type != names_.end()) return type->second.text;
  }
  return DTypeSymbol(absl::StrCat("dtype(", node->children[0]->text, ")"), classes);
}

GuardTranslator::Text GuardTranslator::CompareNames(const NodePtr& left, const NodePtr& right) {
  const auto position = [](const std::vector<std::string>& list, const NodePtr& node) -> Text {
    const std::optional<size_t> index =
        node->kind == Node::kName ? IndexOf(list, node->text) : std::nullopt;
    return index ? Text(absl::StrCat(*index)) : std::nullopt;
  };
  const Meaning* named = Find(left);
  if (named != nullptr && named->kind == Meaning::kEnum) {
    const std::vector<std::string>& values = named->attribute->enum_names;
    if (const Text index = position(values, right))
      return absl::StrCat(named->text, " == ", *index);
    const Meaning* other = Find(right);
    if (other == nullptr || other->kind != Meaning::kEnum || other->attribute->enum_names != values)
      return std::nullopt;
    return absl::StrCat(named->text, " == ", other->text);
  }
  const Text dtype = DTypeOf(left);
  if (!dtype) return std::nullopt;
  Text other = DTypeOf(right);
  if (!other) other = position(DTypeNames(), right);
  return other ? Text(absl::StrCat(*dtype, " == ", *other)) : std::nullopt;
}

GuardTranslator::Text GuardTranslator::CompareFloats(const NodePtr& left, const NodePtr& right,
                                                     const std::string& relation) {
  const Meaning* named = Find(left);
  const std::optional<int64_t> units = UnitsIn(right);
  if (named == nullptr || named->kind != Meaning::kFloat || !units) return std::nullopt;
  return absl::StrCat("(", named->text, " ", relation, " ", *units, ")");
}

std::string GuardTranslator::Compare(const NodePtr& pointer) {
  const Node& node = *pointer;
  const NodePtr& left = node.children[0];
  const NodePtr& right = node.children[1];
  const Text a = Integer(left), b = Integer(right);
  if (a && b) return absl::StrCat("(", *a, " ", node.text, " ", *b, ")");
  if (const Text floats = CompareFloats(left, right, node.text)) return *floats;
  if (const Text floats = CompareFloats(right, left, Mirrored(node.text))) return *floats;
  const bool unequal = node.text == "!=";
  std::string equal;
  if (unequal || node.text == "==") {
    Text names = CompareNames(left, right);
    if (!names) names = CompareNames(right, left);
    if (names) equal = *names;
  }
  if (equal.empty()) {
    auto same = std::make_shared<Node>(node);
    if (unequal) same->text = "==";
    equal = absl::StrCat(Bit(TextOf(same)), " == 1");
  }
  return unequal ? absl::StrCat("(!(", equal, "))") : absl::StrCat("(", equal, ")");
}

}  // namespace tessera::codegen
