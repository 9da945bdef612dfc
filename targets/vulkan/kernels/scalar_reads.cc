// Elements of tensors as ScalarText reads them.
#include <algorithm>
#include <set>

#include "absl/strings/match.h"
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

Term ScalarText::Both(const Term& a, const Term& b) {
  if (a.text.empty() || a.text == "true") return b.text == "true" ? Term{} : b;
  if (b.text.empty() || b.text == "true") return a;
  return code_.Variable(std::max(a.depth, b.depth), "bool", absl::StrCat(a.text, " && ", b.text));
}

Term ScalarText::IsThere(const ScalarNode& node, const Lane& lane) {
  Term there;
  for (const End& end : lane.ends) {
    const bool varies = std::any_of(node.at.begin(), node.at.end(), [&](const nests::Index& index) {
      const std::vector<std::string> symbols = solver::SymbolsOf(index.expr);
      return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& name) {
        return std::find(end.axes.begin(), end.axes.end(), name) != end.axes.end();
      });
    });
    if (varies) there = Both(there, index_.Truth(solver::Lt(end.at, end.extent)));
  }
  return there;
}

std::string ScalarText::Where(const Term& condition, const Term& offset, std::string_view type,
                              const std::string& otherwise,
                              const std::function<std::string(const std::string& index)>& element) {
  const size_t depth = code_.depth();
  if (condition.text.empty()) return code_.Variable(depth, type, element(offset.text)).text;
  // Neither branches: the load is of index 0 where it does not count.
  const Term safe = code_.Variable(std::max(condition.depth, offset.depth), "int",
                                   absl::StrCat(condition.text, " ? ", offset.text, " : 0"));
  return code_
      .Variable(
          depth, type,
          absl::StrCat("mix(", std::string(type), "(", otherwise, "), ", element(safe.text), ", ",
                       type == "vec4" ? "bvec4(" : "", condition.text, type == "vec4" ? "))" : ")"))
      .text;
}

std::vector<std::string> ScalarText::ReadByFours(const ScalarNode& node, const Lanes& lanes) {
  std::vector<std::string> values(lanes.size());
  const Tensor& tensor = program_.tensors[static_cast<size_t>(node.tensor.index)];
  const bool conditional = !node.args.empty();
  // Rows of whole fours: four that begin at a multiple of four are all inside, or all outside. Of
  // the only row what is behind its end is there too: memory is bound in whole pieces (kAlignment).
  const bool only = tensor.dims.size() == 1 && !conditional;
  if (lanes.size() < 2 || tensor.dims.empty() || (!only && !IsMultipleOf(tensor.dims.back(), 4)) ||
      (tensor.dtype != ir::DType::kF32 && tensor.dtype != ir::DType::kF16) ||
      node.number != Number::kF32 || options_.guarded ||
      (conditional && node.args[0]->kind != ScalarNode::kLiteral))
    return values;
  struct Place {
    std::vector<Expr> first;  // of the four, by dimension
    int64_t part = 0;
  };
  std::vector<Place> places;
  std::set<std::vector<std::string>> fours, elements;
  for (const Lane& lane : lanes) {
    Place place;
    for (const nests::Index& index : node.at) {
      if (!index.data.IsNone()) return values;
      place.first.push_back(solver::Substitute(index.expr, lane.symbols));
    }
    while (place.part < 4 && !index_.IsMultiple(place.first.back() - place.part, 4)) ++place.part;
    if (place.part == 4) return values;
    place.first.back() = place.first.back() - place.part;
    std::vector<std::string> key;
    for (const Expr& e : place.first) key.push_back(e.ToString());
    fours.insert(key);
    key.push_back(absl::StrCat(place.part));
    elements.insert(std::move(key));
    places.push_back(std::move(place));
  }
  if (fours.size() >= elements.size()) return values;
  const std::string otherwise =
      conditional ? Converted(node.args[0]->number, node.number, LiteralOf(node.args[0]->literal))
                  : LiteralOf(nests::IdentityOf(nests::Reduction::kSum, node.number));
  for (size_t i = 0; i < lanes.size(); ++i) {
    Term condition = only ? Term() : IsThere(node, lanes[i]);
    bool outside = false;
    for (size_t d = 0; conditional && d < places[i].first.size(); ++d) {
      const Expr& at = places[i].first[d];
      const Expr* extent = index_.ExtentOf(at);
      if (extent != nullptr && *extent == tensor.dims[d]) continue;
      index_.Limit(at);
      const Term truth =
          index_.Truth(solver::And(solver::Ge(at, 0), solver::Lt(at, tensor.dims[d])));
      outside |= truth.text == "false";
      condition = Both(condition, truth);
    }
    if (outside) {
      values[i] = otherwise;
      continue;
    }
    const Term offset = Offset(places[i].first, tensor.dims);
    const Term quarter = code_.Variable(offset.depth, "int", absl::StrCat(offset.text, " >> 2"));
    const std::string four =
        Where(condition, quarter, "vec4", otherwise,
              [&](const std::string& index) { return load_(node.tensor.index, index, true); });
    values[i] = absl::StrCat(four, ".", std::string(1, "xyzw"[places[i].part]));
  }
  return values;
}

const ScalarNode* ScalarText::ReadIn(const ScalarNode& choice) const {
  const ScalarNode& read = *choice.args[0];
  const ScalarNode& number = *choice.args[1];
  if (read.kind != ScalarNode::kRead || number.kind != ScalarNode::kLiteral ||
      read.number != Number::kF32 || options_.guarded)
    return nullptr;
  const bool same = read.args.empty() || (read.args[0]->kind == ScalarNode::kLiteral &&
                                          read.args[0]->literal == number.literal);
  const bool known = std::all_of(read.at.begin(), read.at.end(),
                                 [](const nests::Index& index) { return index.data.IsNone(); });
  return same && known ? &read : nullptr;
}

std::string ScalarText::ReadAt(const ScalarNode& node, const Lane& lane,
                               const std::vector<std::string>& data, const Term& given,
                               const nests::Scalar& instead) {
  const int tensor_index = node.tensor.index;
  const Tensor& tensor = program_.tensors[static_cast<size_t>(tensor_index)];
  std::vector<Expr> known;  // with 0 where an index is data
  std::string offset_of_data;
  Term inside;
  const bool conditional = !node.args.empty();
  for (size_t d = 0; d < node.at.size(); ++d) {
    if (!data[d].empty()) {
      known.emplace_back(0);
      Expr stride = 1;
      for (size_t k = d + 1; k < tensor.dims.size(); ++k) stride *= tensor.dims[k];
      inside = Both(inside, code_.Variable(code_.depth(), "bool",
                                           absl::StrCat(data[d], " >= 0L && ", data[d], " < Wide(",
                                                        index_.Int(tensor.dims[d]).text, ")")));
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
    inside = Both(inside, truth);
  }
  if (!offset_of_data.empty()) {
    Expr elements = 1;  // what is data may be the last index there is
    for (const Expr& dim : tensor.dims) elements *= dim;
    index_.Limit(elements);
  }
  const Term offset = Offset(known, tensor.dims);
  const auto element = [&](const std::string& index) {
    return Widened(tensor.dtype, node.number, load_(tensor_index, index + offset_of_data, false));
  };
  const bool literal = conditional && node.args[0]->kind == ScalarNode::kLiteral;
  std::string otherwise;
  if (!conditional) {
    if (!inside.text.empty()) otherwise = Outside(node.number);
    // What a lane behind the end would read is nothing: it is not stored.
    if (inside.text.empty()) {
      inside = IsThere(node, lane);
      otherwise = LiteralOf(nests::IdentityOf(nests::Reduction::kSum, node.number));
    }
  } else if (literal) {
    otherwise = Converted(node.args[0]->number, node.number, LiteralOf(node.args[0]->literal));
  }
  if (!given.text.empty()) {
    inside = Both(inside, given);
    otherwise = Converted(instead->number, node.number, LiteralOf(instead->literal));
  }
  if (inside.text.empty()) return Declared(node.number, element(offset.text));
  if ((literal || !conditional) && node.number == Number::kF32 && offset_of_data.empty() &&
      !absl::StrContains(otherwise, "Outside"))
    return Where(inside, offset, TypeOf(node.number), otherwise, element);
  if (literal || !conditional)
    return Declared(node.number,
                    absl::StrCat(inside.text, " ? ", element(offset.text), " : ", otherwise));
  const std::string value = code_.Name("c");
  code_.Add(absl::StrCat(std::string(TypeOf(node.number)), " ", value, ";"));
  code_.Add(absl::StrCat("if (", inside.text, ") ", value, " = ", element(offset.text), ";"));
  code_.Open(absl::StrCat("if (!", inside.text, ")"));
  code_.Add(absl::StrCat(
      value, " = ",
      Converted(node.args[0]->number, node.number, Values(node.args[0], {lane}).front()), ";"));
  code_.Close();
  return value;
}

}  // namespace tessera::vulkan
