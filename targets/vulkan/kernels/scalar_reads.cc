// Elements of tensors as ScalarText reads them.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/types.h"

namespace tessera::vulkan {

using nests::Number;
using nests::ScalarNode;

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
