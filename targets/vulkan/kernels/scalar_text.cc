#include "targets/vulkan/kernels/scalar_text.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/types.h"

namespace tessera::vulkan {

using nests::Number;
using nests::Scalar;
using nests::ScalarNode;

namespace {

bool AllEqual(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text == texts.front(); });
}

}  // namespace

std::string ScalarText::Declared(Number number, const std::string& value) {
  return code_.Variable(code_.depth(), TypeOf(number), value).text;
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
    values.push_back(Declared(node.number, CallText(node, of_lane)));
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

Term ScalarText::Offset(const std::vector<Expr>& at, const std::vector<Expr>& dims) {
  Expr offset = 0;
  for (size_t d = 0; d < at.size(); ++d) offset = offset * dims[d] + at[d];
  index_.Limit(offset);
  return index_.Int(offset);
}

std::vector<std::string> ScalarText::Read(const ScalarNode& node, const Lanes& lanes) {
  std::vector<std::vector<std::string>> data;  // by axis, by lane; of those that are data
  for (const nests::Index& index : node.at) {
    if (index.data.IsNone()) {
      data.emplace_back();
      continue;
    }
    data.push_back(Values(index.data, lanes));
    for (std::string& text : data.back())
      text = Declared(Number::kI64, Converted(index.data->number, Number::kI64, text));
  }
  std::vector<std::string> values = ReadByFours(node, lanes);
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (!values[i].empty()) continue;
    std::vector<std::string> of_lane;
    for (const auto& texts : data) of_lane.push_back(texts.empty() ? "" : texts[i]);
    values[i] = ReadAt(node, lanes[i], of_lane);
  }
  return values;
}

std::string ScalarText::IsThere(const ScalarNode& node, const Lane& lane) {
  std::string there;
  for (const auto& [name, extent] : lane.ends) {
    const bool varies = std::any_of(node.at.begin(), node.at.end(), [&](const nests::Index& index) {
      const std::vector<std::string> symbols = solver::SymbolsOf(index.expr);
      return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
    });
    if (!varies) continue;
    const Term truth = index_.Truth(solver::Lt(lane.symbols.at(name), extent));
    absl::StrAppend(&there, there.empty() ? "" : " && ", truth.text);
  }
  return there;
}

std::vector<std::string> ScalarText::ReadByFours(const ScalarNode& node, const Lanes& lanes) {
  std::vector<std::string> values(lanes.size());
  const Tensor& tensor = program_.tensors[static_cast<size_t>(node.tensor.index)];
  const bool rows = !tensor.dims.empty() && tensor.dims.back().Constant().value_or(1) % 4 == 0;
  if (lanes.size() < 4 || !rows || tensor.dtype != ir::DType::kF32 || node.number != Number::kF32 ||
      !node.args.empty() || options_.guarded)
    return values;
  std::vector<Expr> offsets, last;
  for (const Lane& lane : lanes) {
    Expr offset = 0;
    for (size_t d = 0; d < node.at.size(); ++d) {
      if (!node.at[d].data.IsNone()) return values;
      last.resize(offsets.size() + 1);
      last.back() = solver::Substitute(node.at[d].expr, lane.symbols);
      offset = offset * tensor.dims[d] + last.back();
    }
    if (!IsThere(node, lane).empty()) return values;
    offsets.push_back(offset);
  }
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (!index_.IsMultiple(last[i], 4)) continue;
    std::vector<size_t> four;
    for (int64_t k = 0; k < 4; ++k) {
      const auto found = std::find(offsets.begin(), offsets.end(), offsets[i] + k);
      if (found != offsets.end()) four.push_back(static_cast<size_t>(found - offsets.begin()));
    }
    if (four.size() < 4) continue;
    index_.Limit(offsets[i]);
    const Term offset = index_.Int(offsets[i]);
    const Term quarter = code_.Variable(offset.depth, "int", absl::StrCat(offset.text, " >> 2"));
    const std::string vector =
        code_
            .Variable(code_.depth(), "vec4",
                      absl::StrCat(buffer_(node.tensor.index, true), "[", quarter.text, "]"))
            .text;
    for (size_t k = 0; k < 4; ++k) {
      constexpr const char* kParts[] = {".x", ".y", ".z", ".w"};
      values[four[k]] = absl::StrCat(vector, kParts[k]);
    }
  }
  return values;
}

std::string ScalarText::ReadAt(const ScalarNode& node, const Lane& lane,
                               const std::vector<std::string>& data) {
  const int tensor_index = node.tensor.index;
  const Tensor& tensor = program_.tensors[static_cast<size_t>(tensor_index)];
  std::vector<Expr> known;  // with 0 where an index is data
  std::string offset_of_data, inside;
  const auto require = [&](const std::string& condition) {
    absl::StrAppend(&inside, inside.empty() ? "" : " && ", condition);
  };
  const bool conditional = !node.args.empty();
  for (size_t d = 0; d < node.at.size(); ++d) {
    if (!data[d].empty()) {
      known.emplace_back(0);
      Expr stride = 1;
      for (size_t k = d + 1; k < tensor.dims.size(); ++k) stride *= tensor.dims[k];
      require(absl::StrCat(data[d], " >= 0L && ", data[d], " < Wide(",
                           index_.Int(tensor.dims[d]).text, ")"));
      absl::StrAppend(&offset_of_data, " + int(", data[d], ") * ", index_.Int(stride).text);
      continue;
    }
    const Expr at = solver::Substitute(node.at[d].expr, lane.symbols);
    known.push_back(at);
    if (!conditional && !options_.guarded) continue;
    // Along an axis as long as the tensor it is inside.
    const Expr* extent = index_.ExtentOf(at);
    if (extent != nullptr && *extent == tensor.dims[d]) continue;
    index_.Limit(at);
    const Expr within = solver::And(solver::Ge(at, 0), solver::Lt(at, tensor.dims[d]));
    const Term truth = index_.Truth(within);
    // GLSL takes no index that is known to be outside, not even where it is not used.
    if (truth.text == "false") {
      return conditional ? Converted(node.args[0]->number, node.number,
                                     Values(node.args[0], {lane}).front())
                         : Declared(node.number, Outside(node.number));
    }
    if (truth.text != "true") require(truth.text);
  }
  const Term offset = Offset(known, tensor.dims);
  const std::string element =
      Widened(tensor.dtype, node.number,
              absl::StrCat(buffer_(tensor_index, false), "[", offset.text, offset_of_data, "]"));
  if (!conditional) {
    // What a lane behind the end would read is nothing: it is not stored.
    const std::string there = IsThere(node, lane);
    if (inside.empty() && !there.empty())
      return Declared(
          node.number,
          absl::StrCat(there, " ? ", element, " : ",
                       LiteralOf(nests::IdentityOf(nests::Reduction::kSum, node.number))));
  }
  if (inside.empty()) return Declared(node.number, element);
  std::string otherwise;
  if (!conditional) {
    otherwise = Outside(node.number);
  } else if (node.args[0]->kind == ScalarNode::kLiteral) {
    otherwise = Converted(node.args[0]->number, node.number, LiteralOf(node.args[0]->literal));
  } else {
    const std::string value = code_.Name("c");
    const std::string is_inside =
        code_.Variable(code_.depth(), "bool", absl::StrCat("(", inside, ")")).text;
    code_.Add(absl::StrCat(std::string(TypeOf(node.number)), " ", value, ";"));
    code_.Add(absl::StrCat("if (", is_inside, ") ", value, " = ", element, ";"));
    code_.Open(absl::StrCat("if (!", is_inside, ")"));
    code_.Add(absl::StrCat(
        value, " = ",
        Converted(node.args[0]->number, node.number, Values(node.args[0], {lane}).front()), ";"));
    code_.Close();
    return value;
  }
  return Declared(node.number, absl::StrCat(inside, " ? ", element, " : ", otherwise));
}

}  // namespace tessera::vulkan
