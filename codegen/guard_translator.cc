#include "codegen/guard_translator.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"
#include "codegen/program.h"

namespace tessera::codegen {
namespace {

constexpr char kAlways[] = "(1 == 1)";
constexpr size_t kLongestText = 1 << 14;

bool IsRelation(const std::string& text) {
  return text == "==" || text == "!=" || text == "<" || text == "<=" || text == ">" || text == ">=";
}

std::string Quoted(const std::string& name) { return absl::StrCat("`", name, "`"); }

bool IsName(const NodePtr& node) { return node->kind == Node::kName; }

// The opposite of a proposition, with less of `!` where that is known to mean the same.
NodePtr Opposite(const NodePtr& node) {
  if (node->kind == Node::kUnary && node->text == "!") return node->children[0];
  auto opposite = std::make_shared<Node>(*node);
  if (node->kind == Node::kBinary && (node->text == "==" || node->text == "!=")) {
    opposite->text = node->text == "==" ? "!=" : "==";
    return opposite;
  }
  *opposite = Node{.kind = Node::kUnary, .text = "!", .place = node->place};
  opposite->children = {node};
  return opposite;
}

}  // namespace

std::set<std::string> SymbolsIn(const std::string& statement) {
  std::set<std::string> symbols;
  size_t from = statement.find('`');
  while (from != std::string::npos) {
    const size_t to = statement.find('`', from + 1);
    if (to == std::string::npos) break;
    symbols.insert(statement.substr(from + 1, to - from - 1));
    from = statement.find('`', to + 1);
  }
  return symbols;
}

GuardTranslator::GuardTranslator(const Op& op) : op_(op) {
  for (const TypeVariable& type : op.types) {
    names_[type.name] = {.kind = Meaning::kDType, .text = DTypeSymbol(type.name, type.classes)};
  }
  for (const Operand& operand : op.inputs) DeclareOperand(operand);
  for (const AttributeDecl& attribute : op.attributes) DeclareAttribute(attribute);
  for (const Statement& statement : op.statements) {
    if (statement.kind == Statement::kRequire) {
      requirements_.push_back(Truth(statement.value));
    } else {
      Define(statement.name, statement.binders, statement.value);
    }
  }
}

void GuardTranslator::DeclareOperand(const Operand& operand) {
  names_[operand.name] = {.kind = Meaning::kOperand, .operand = &operand};
  if (operand.form.kind == Form::kRank) {
    const std::string& rank = operand.form.rank_name;
    names_[rank] = {.kind = Meaning::kNumber, .text = Natural(rank)};
  }
  if (operand.form.kind != Form::kDims) return;
  for (const FormEntry& entry : operand.form.dims) {
    if (entry.name.empty()) continue;
    if (entry.pack) {
      names_[entry.name] = {.kind = Meaning::kList,
                            .length = Natural(absl::StrCat("len(", entry.name, ")")),
                            .integers = true};
    } else {
      names_[entry.name] = {.kind = Meaning::kNumber, .text = Natural(entry.name)};
    }
  }
}

void GuardTranslator::DeclareAttribute(const AttributeDecl& attribute) {
  Meaning meaning;
  meaning.attribute = &attribute;
  if (attribute.list) {
    // A length that nothing else names is what the list has.
    if (IsName(attribute.length) && Find(attribute.length) == nullptr) {
      names_[attribute.length->text] = {.kind = Meaning::kNumber,
                                        .text = Natural(attribute.length->text)};
    }
    meaning.length = Integer(attribute.length);
    meaning.integers = attribute.kind != "float";
  } else if (attribute.kind == "dtype") {
    meaning.kind = Meaning::kDType;
    meaning.text = DTypeSymbol(attribute.name, {"any", "narrow"});
  } else if (attribute.kind == "enum") {
    meaning.kind = Meaning::kEnum;
    const std::string symbol = Quoted(attribute.name);
    meaning.text = Symbol(
        attribute.name,
        {absl::StrCat(symbol, " >= 0"), absl::StrCat(symbol, " < ", attribute.enum_names.size())});
  } else if (attribute.kind == "bool") {
    meaning.kind = Meaning::kTruth;
    meaning.text = absl::StrCat("(", Bit(attribute.name), " == 1)");
  } else {
    meaning.kind = attribute.kind == "float" ? Meaning::kFloat : Meaning::kNumber;
    meaning.text = Quoted(attribute.name);
  }
  names_[attribute.name] = meaning;
  if (!attribute.list) Bounded(attribute.name, attribute);
}

void GuardTranslator::Let(const ClauseItem& item) {
  if (names_.count(item.name) != 0) generation_ += "'";
  Define(item.name, item.binders, item.value);
}

void GuardTranslator::Define(const std::string& name, const std::vector<Binder>& binders,
                             const NodePtr& value) {
  Meaning meaning;
  if (!binders.empty()) {
    if (binders.size() == 1 && binders[0].to != nullptr) {
      const Text from = Integer(binders[0].from), to = Integer(binders[0].to);
      if (from && to) meaning.length = absl::StrCat("max(0, ", *to, " - ", *from, ")");
    }
  } else if (const Meaning* same = IsName(value) ? Find(value) : nullptr) {
    meaning = *same;
  } else if (const Text number = Integer(value)) {
    meaning = {.kind = Meaning::kNumber, .text = *number};
  } else if (const Text dtype = DTypeOf(value)) {
    meaning = {.kind = Meaning::kDType, .text = *dtype};
  } else if (value->kind != Node::kList && value->kind != Node::kListFor) {
    meaning = {.kind = Meaning::kTruth, .text = Truth(value)};
  }
  // Names of names of names... grow without end.
  if (meaning.text.size() > kLongestText) {
    const std::string symbol = name + generation_;
    meaning.text = meaning.kind == Meaning::kTruth ? absl::StrCat("(", Bit(symbol), " == 1)")
                                                   : Symbol(symbol, {});
  }
  names_[name] = std::move(meaning);
}

const GuardTranslator::Meaning* GuardTranslator::Find(const NodePtr& node) const {
  const auto found = IsName(node) ? names_.find(node->text) : names_.end();
  return found == names_.end() ? nullptr : &found->second;
}

std::string GuardTranslator::TextOf(const NodePtr& node) const {
  std::string text = ExpressionText(node) + generation_;
  // A string may have characters that mean something in a table of statements.
  for (char& c : text) {
    if (c == '`' || c == '\t' || c == '\n' || c == '\r') c = '\'';
  }
  return text;
}

std::string GuardTranslator::Symbol(const std::string& name,
                                    const std::vector<std::string>& facts) {
  facts_[name] = facts;
  return Quoted(name);
}

std::string GuardTranslator::Natural(const std::string& name) {
  return Symbol(name, {absl::StrCat(Quoted(name), " >= 0")});
}

std::string GuardTranslator::Bit(const std::string& name) {
  return Symbol(name, {absl::StrCat(Quoted(name), " >= 0"), absl::StrCat(Quoted(name), " <= 1")});
}

std::string GuardTranslator::DTypeSymbol(const std::string& name,
                                         const std::vector<std::string>& classes) {
  std::vector<std::string> choices;
  const std::vector<std::string> admitted = DTypesIn(classes);
  for (size_t i = 0; i < DTypeNames().size(); ++i) {
    if (std::find(admitted.begin(), admitted.end(), DTypeNames()[i]) != admitted.end())
      choices.push_back(absl::StrCat(Quoted(name), " == ", i));
  }
  return Symbol(name, {absl::StrCat("(", absl::StrJoin(choices, " || "), ")")});
}

// Adds what the attribute's `where` says of the value, or of one element, that `name` stands for.
std::string GuardTranslator::Bounded(const std::string& name, const AttributeDecl& attribute) {
  if (attribute.where == nullptr) return Quoted(name);
  names_["it"] = attribute.list ? Meaning{.kind = Meaning::kNumber, .text = Quoted(name)}
                                : names_[attribute.name];
  const std::string bound = Truth(attribute.where);
  names_.erase("it");
  // One that names `it` within a text says nothing of this value.
  if (SymbolsIn(bound).count(name) != 0) facts_[name].push_back(bound);
  return Quoted(name);
}

std::vector<std::string> GuardTranslator::FactsOf(const std::string& claim) const {
  std::set<std::string> reached;
  std::set<size_t> used;
  std::vector<std::string> open{claim};
  const auto touches = [&](const std::string& requirement) {
    const std::set<std::string> symbols = SymbolsIn(requirement);
    return std::any_of(symbols.begin(), symbols.end(),
                       [&](const std::string& symbol) { return reached.count(symbol) != 0; });
  };
  while (!open.empty()) {
    const std::string statement = open.back();
    open.pop_back();
    for (const std::string& symbol : SymbolsIn(statement)) {
      if (!reached.insert(symbol).second) continue;
      const auto facts = facts_.find(symbol);
      if (facts != facts_.end())
        open.insert(open.end(), facts->second.begin(), facts->second.end());
    }
    for (size_t i = 0; i < requirements_.size(); ++i) {
      if (touches(requirements_[i]) && used.insert(i).second) open.push_back(requirements_[i]);
    }
  }
  std::vector<std::string> facts;
  for (const std::string& symbol : reached) {
    const auto known = facts_.find(symbol);
    if (known != facts_.end())
      facts.insert(facts.end(), known->second.begin(), known->second.end());
  }
  for (const size_t i : used) facts.push_back(requirements_[i]);
  return facts;
}

std::string GuardTranslator::Truth(const NodePtr& pointer) {
  const Node& node = *pointer;
  if (node.kind == Node::kUnary && node.text == "!")
    return absl::StrCat("(!", Truth(node.children[0]), ")");
  if (node.kind == Node::kBinary && (node.text == "&&" || node.text == "||"))
    return absl::StrCat("(", Truth(node.children[0]), " ", node.text, " ", Truth(node.children[1]),
                        ")");
  if (node.kind == Node::kBinary && IsRelation(node.text)) return Compare(pointer);
  if (node.kind == Node::kTernary) {
    const std::string condition = Truth(node.children[0]);
    return absl::StrCat("(", condition, " && ", Truth(node.children[1]), " || !", condition, " && ",
                        Truth(node.children[2]), ")");
  }
  if (node.kind == Node::kFold && (node.text == "forall" || node.text == "exists"))
    return Quantified(pointer);
  if (node.kind == Node::kCall) return Call(pointer);
  if (IsName(pointer)) {
    if (node.text == "true") return kAlways;
    if (node.text == "false") return absl::StrCat("(!", kAlways, ")");
    const Meaning* meaning = Find(pointer);
    if (meaning != nullptr && meaning->kind == Meaning::kTruth) return meaning->text;
  }
  return absl::StrCat("(", Bit(TextOf(pointer)), " == 1)");
}

std::string GuardTranslator::Quantified(const NodePtr& pointer) {
  if (pointer->text == "forall") return absl::StrCat("(", Bit(TextOf(pointer)), " == 1)");
  auto all = std::make_shared<Node>(*pointer);
  all->text = "forall";
  all->children = {Opposite(pointer->children[0])};
  return absl::StrCat("(!", Quantified(all), ")");
}

std::string GuardTranslator::Call(const NodePtr& pointer) {
  const Node& node = *pointer;
  if (node.text == "present" && node.children.size() == 1) {
    const Meaning* meaning = Find(node.children[0]);
    if (meaning != nullptr && meaning->operand != nullptr &&
        meaning->operand->arity == Operand::kRequired)
      return kAlways;
  }
  const std::string opaque = absl::StrCat("(", Bit(TextOf(pointer)), " == 1)");
  // What is proved is true, and not all that is true is proved.
  if (node.text == "proved" && node.children.size() == 1)
    return absl::StrCat("(", Truth(node.children[0]), " && ", opaque, ")");
  return opaque;
}

}  // namespace tessera::codegen
