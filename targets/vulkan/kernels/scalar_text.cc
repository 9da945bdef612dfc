#include "targets/vulkan/kernels/scalar_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

using nests::Number;
using nests::Scalar;
using nests::ScalarNode;

namespace {

bool AllEqual(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text == texts.front(); });
}

// A driver may compute (a + b) - b as a, which a network that wants to know what rounding took from
// a + b does not mean. Sums of products over axes stay free: there it is to multiply and add at
// once, and `precise` reaches all that a value is computed from.
bool IsPrecise(const ScalarNode& node) {
  const auto adds = [](const ScalarNode& sum) {
    return sum.kind == ScalarNode::kCall && nests::IsFloat(sum.number) &&
           (sum.function == nests::Function::kAdd || sum.function == nests::Function::kSub);
  };
  return adds(node) &&
         std::any_of(node.args.begin(), node.args.end(),
                     [&](const Scalar& arg) { return adds(*arg); }) &&
         std::none_of(node.args.begin(), node.args.end(), Reduces);
}

}  // namespace

std::string ScalarText::Declared(Number number, const std::string& value, bool precise) {
  const std::string type = absl::StrCat(precise ? "precise " : "", std::string(TypeOf(number)));
  return code_.Variable(code_.depth(), type, value).text;
}

std::string ScalarText::Fail(std::string_view why) {
  if (status_.ok()) status_ = absl::UnimplementedError(std::string(why));
  return "0";
}

std::vector<std::string> ScalarText::Values(const Scalar& scalar, const Lanes& lanes) {
  std::vector<std::string> values(lanes.size());
  Lanes open;
  std::vector<size_t> places;
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (const std::string* known = code_.Recall(scalar, lanes[i].id)) {
      values[i] = *known;
    } else {
      open.push_back(lanes[i]);
      places.push_back(i);
    }
  }
  if (open.empty()) return values;
  // Lanes for which all that it mentions is the same share it.
  Lanes distinct;
  std::vector<size_t> group(open.size());
  std::vector<Substitution> keys;
  const absl::flat_hash_set<std::string>& symbols = SymbolsIn(scalar);
  for (size_t i = 0; i < open.size(); ++i) {
    Substitution key;
    for (const auto& [name, value] : open[i].symbols) {
      if (symbols.contains(name)) key.emplace(name, value);
    }
    group[i] = static_cast<size_t>(std::find(keys.begin(), keys.end(), key) - keys.begin());
    if (group[i] < keys.size()) continue;
    keys.push_back(std::move(key));
    distinct.push_back(open[i]);
  }
  const std::vector<std::string> computed = Compute(scalar, distinct);
  for (size_t i = 0; i < open.size(); ++i) {
    values[places[i]] = computed[group[i]];
    code_.Remember(scalar, open[i].id, computed[group[i]]);
  }
  return values;
}

const absl::flat_hash_set<std::string>& ScalarText::SymbolsIn(const Scalar& scalar) {
  const auto known = symbols_.find(scalar);
  if (known != symbols_.end()) return *known->second;
  auto symbols = std::make_unique<absl::flat_hash_set<std::string>>();
  const auto note = [&](const Expr& e) {
    for (std::string& name : solver::SymbolsOf(e)) symbols->insert(std::move(name));
  };
  const auto merge = [&](const Scalar& part) {
    const absl::flat_hash_set<std::string>& names = SymbolsIn(part);
    symbols->insert(names.begin(), names.end());
  };
  note(scalar->index);
  for (const nests::Index& index : scalar->at) {
    note(index.expr);
    if (!index.data.IsNone()) merge(index.data);
  }
  for (const nests::Axis& axis : scalar->axes) note(axis.extent);
  for (const Scalar& arg : scalar->args) merge(arg);
  return *(symbols_[scalar] = std::move(symbols));
}

std::vector<std::string> ScalarText::Compute(const Scalar& scalar, const Lanes& lanes) {
  const ScalarNode& node = *scalar;
  switch (node.kind) {
    case ScalarNode::kLiteral:
      return std::vector<std::string>(lanes.size(), LiteralOf(node.literal));
    case ScalarNode::kIndex: {
      std::vector<std::string> values;
      for (const Lane& lane : lanes) {
        const Expr e = solver::Substitute(node.index, lane.symbols);
        if (node.number == Number::kBool) {
          values.push_back(index_.Truth(e).text);
        } else {
          index_.Limit(e);
          const Term term = index_.Int(e);
          values.push_back(
              code_.Variable(term.depth, "int64_t", absl::StrCat("Wide(", term.text, ")")).text);
        }
      }
      return values;
    }
    case ScalarNode::kCast: {
      // An index towards a float goes there at once, so that it needs no 64 bits.
      const ScalarNode& from = *node.args[0];
      std::vector<std::string> values;
      if (from.kind == ScalarNode::kIndex && from.number == Number::kI64 &&
          nests::IsFloat(node.number)) {
        for (const Lane& lane : lanes) {
          const Expr e = solver::Substitute(from.index, lane.symbols);
          index_.Limit(e);
          const Term term = index_.Int(e);
          values.push_back(
              code_
                  .Variable(term.depth, TypeOf(node.number),
                            absl::StrCat(std::string(TypeOf(node.number)), "(", term.text, ")"))
                  .text);
        }
        return values;
      }
      for (const std::string& value : Values(node.args[0], lanes))
        values.push_back(Declared(node.number, Converted(from.number, node.number, value)));
      return values;
    }
    case ScalarNode::kCall:
      return Call(node, lanes);
    case ScalarNode::kChoose:
      return Choose(node, lanes);
    case ScalarNode::kWithin:
      return Within(node, lanes);
    case ScalarNode::kReduce:
      return Reduce(node, lanes);
    case ScalarNode::kRead:
      return Read(node, lanes);
  }
  return std::vector<std::string>(lanes.size(), Fail("a scalar of an unknown kind"));
}

std::vector<std::string> ScalarText::Call(const ScalarNode& node, const Lanes& lanes) {
  std::vector<std::vector<std::string>> args;  // by argument, by lane
  const bool select = node.function == nests::Function::kSelect;
  const Number common = node.args[select ? 1 : 0]->number;
  for (size_t i = 0; i < node.args.size(); ++i) {
    args.push_back(Values(node.args[i], lanes));
    const Number to = select && i == 0 ? Number::kBool
                      : node.function == nests::Function::kAnd ||
                              node.function == nests::Function::kOr ||
                              node.function == nests::Function::kNot
                          ? Number::kBool
                          : common;
    for (std::string& text : args.back()) text = Converted(node.args[i]->number, to, text);
  }
  std::vector<std::string> values;
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    std::vector<std::string> of_lane;
    for (const auto& arg : args) of_lane.push_back(arg[lane]);
    values.push_back(Declared(node.number, CallText(node, of_lane), IsPrecise(node)));
  }
  return values;
}

// One of two scalars; the other one is not computed.
std::vector<std::string> ScalarText::Choose(const ScalarNode& node, const Lanes& lanes) {
  std::vector<std::string> conditions;
  for (const Lane& lane : lanes) {
    const Expr e = solver::Substitute(node.index, lane.symbols);
    index_.Limit(e);
    conditions.push_back(index_.Truth(e).text);
  }
  if (!AllEqual(conditions)) {
    std::vector<std::string> values;
    for (const Lane& lane : lanes) values.push_back(Choose(node, {lane}).front());
    return values;
  }
  if (conditions.front() == "true") return Values(node.args[0], lanes);
  if (conditions.front() == "false") return Values(node.args[1], lanes);
  if (const ScalarNode* read = ReadIn(node)) {
    std::vector<std::string> values;
    for (const Lane& lane : lanes)
      values.push_back(Converted(
          read->number, node.number,
          ReadAt(*read, lane, std::vector<std::string>(read->at.size()),
                 index_.Truth(solver::Substitute(node.index, lane.symbols)), node.args[1])));
    return values;
  }
  std::vector<std::string> chosen;
  for (size_t i = 0; i < lanes.size(); ++i) {
    chosen.push_back(code_.Name("c"));
    code_.Add(absl::StrCat(std::string(TypeOf(node.number)), " ", chosen.back(), ";"));
  }
  const auto branch = [&](const std::string& head, const Scalar& scalar) {
    code_.Open(head);
    const std::vector<std::string> values = Values(scalar, lanes);
    for (size_t i = 0; i < lanes.size(); ++i)
      code_.Add(
          absl::StrCat(chosen[i], " = ", Converted(scalar->number, node.number, values[i]), ";"));
    code_.Close();
  };
  branch(absl::StrCat("if (", conditions.front(), ")"), node.args[0]);
  // Not `else`: what is hoisted out of the second branch stands between the two.
  branch(absl::StrCat("if (!", conditions.front(), ")"), node.args[1]);
  return chosen;
}

std::string ScalarText::Outside(Number number) {
  checks_ = true;
  return absl::StrCat("Outside_", std::string(TypeOf(number)), "()");
}

std::vector<std::string> ScalarText::Within(const ScalarNode& node, const Lanes& lanes) {
  const std::vector<std::string> values = Values(node.args[0], lanes);
  const Number from = node.args[0]->number;
  std::vector<std::string> checked;
  for (size_t i = 0; i < lanes.size(); ++i) {
    const Expr e = solver::Substitute(node.index, lanes[i].symbols);
    const std::string v = Declared(Number::kI64, Converted(from, Number::kI64, values[i]));
    const std::string extent = absl::StrCat("Wide(", index_.Int(e).text, ")");
    const std::string inside = Declared(
        Number::kI64,
        absl::StrCat(v, " >= 0L && ", v, " < ", extent, " ? ", v, " : ", Outside(Number::kI64)));
    checked.push_back(Declared(node.number, Converted(Number::kI64, node.number, inside)));
  }
  return checked;
}

}  // namespace tessera::vulkan
