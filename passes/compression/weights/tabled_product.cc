#include "passes/compression/weights/tabled_product.h"

#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/compression/weights/tabled_product_node.h"

namespace tessera::compression {
namespace {

// As the embedded file names them, in its order.
struct Types {
  std::string domain, product, adds, converts, looks_up, multiplies, reshapes, transposes, matrix;
};

Types ReadTypes() {
  const std::vector<std::string> names =
      absl::StrSplit(std::string(TabledProductNode()), absl::ByAnyChar(" \n"), absl::SkipEmpty());
  return {names.at(0), names.at(1), names.at(2), names.at(3), names.at(4),
          names.at(5), names.at(6), names.at(7), names.at(8)};
}

// Positions of 32 bits: of 64, folding would not take them, eight times as large as the codes.
constexpr int64_t kOnnxI32 = 6;

// Nodes one after the other.
class Nodes {
 public:
  using Input = ReplaceNode::Input;
  static Input Tensor(const std::string& name) { return {name, std::nullopt, -1, 0}; }
  static Input Constant(std::string name, ir::Tensor tensor) {
    return {std::move(name), std::move(tensor), -1, 0};
  }
  Input Add(std::string op_type, std::vector<Input> inputs,
            std::vector<ReplaceNode::Attribute> attributes = {}, std::string domain = "") {
    ReplaceNode::Node node;
    node.op_type = std::move(op_type);
    node.domain = std::move(domain);
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    change_.nodes.push_back(std::move(node));
    return {"", std::nullopt, static_cast<int>(change_.nodes.size()) - 1, 0};
  }
  ReplaceNode Take() { return std::move(change_); }

 private:
  ReplaceNode change_;
};

}  // namespace

const std::vector<double>& NormalFloats() {
  static const auto* const levels = new std::vector<double>{-1.0,
                                                            -0.6961928009986877,
                                                            -0.5250730514526367,
                                                            -0.39491748809814453,
                                                            -0.28444138169288635,
                                                            -0.18477343022823334,
                                                            -0.09105003625154495,
                                                            0.0,
                                                            0.07958029955625534,
                                                            0.16093020141124725,
                                                            0.24611230194568634,
                                                            0.33791524171829224,
                                                            0.44070982933044434,
                                                            0.5626170039176941,
                                                            0.7229568362236023,
                                                            1.0};
  return *levels;
}

ReplaceNode TabledNode(const PlainProduct& node, const std::string& weight,
                       const GroupedCodes& codes, const GroupedScheme& scheme) {
  const Types types = ReadTypes();
  // The first of two codes in the upper half of a byte.
  std::vector<uint8_t> packed((codes.codes.size() + 1) / 2);
  for (size_t i = 0; i < codes.codes.size(); ++i)
    packed[i / 2] |= static_cast<uint8_t>(codes.codes[i] << (i % 2 == 0 ? 4 : 0));
  constexpr int64_t kNormal = 1;
  Nodes nodes;
  const Nodes::Input product = nodes.Add(
      types.product,
      {Nodes::Tensor(node.data),
       Nodes::Constant(
           absl::StrCat(weight, "_packed"),
           ir::Tensor::Of<uint8_t>(ir::DType::kU8, {static_cast<int64_t>(packed.size())}, packed)),
       Nodes::Constant(
           absl::StrCat(weight, "_scales"),
           ir::Tensor::Of<float>(ir::DType::kF32, {codes.rows * codes.groups}, codes.scales))},
      {{"K", codes.inputs},
       {"N", codes.rows},
       {"block_size", scheme.group},
       {"quant_type", kNormal}},
      types.domain);
  if (!node.bias.empty()) nodes.Add(types.adds, {product, Nodes::Tensor(node.bias)});
  return nodes.Take();
}

ReplaceNode LookedUp(const PlainProduct& node, const std::string& weight, const GroupedCodes& codes,
                     const GroupedScheme& scheme) {
  const Types types = ReadTypes();
  const std::vector<int32_t> numbers(codes.codes.begin(), codes.codes.end());
  const std::vector<float> table(scheme.levels->begin(), scheme.levels->end());
  const std::vector<int64_t> shape = {codes.rows, codes.inputs};
  Nodes nodes;
  const Nodes::Input positions = nodes.Add(
      types.converts,
      {Nodes::Constant(absl::StrCat(weight, "_codes"),
                       ir::Tensor::Of<int32_t>(ir::DType::kI32,
                                               {codes.rows, codes.groups, scheme.group}, numbers)
                           .CastTo(ir::DType::kU4))},
      {{"to", kOnnxI32}});
  const Nodes::Input levels = nodes.Add(
      types.looks_up,
      {Nodes::Constant(
           "normal_floats",
           ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(table.size())}, table)),
       positions});
  const Nodes::Input scaled = nodes.Add(
      types.multiplies,
      {levels, Nodes::Constant(absl::StrCat(weight, "_scales"),
                               ir::Tensor::Of<float>(ir::DType::kF32, {codes.rows, codes.groups, 1},
                                                     codes.scales))});
  const Nodes::Input rows =
      nodes.Add(types.reshapes,
                {scaled, Nodes::Constant(absl::StrCat(weight, "_shape"),
                                         ir::Tensor::Of<int64_t>(ir::DType::kI64, {2}, shape))});
  const Nodes::Input matrix = nodes.Add(types.transposes, {rows});
  const Nodes::Input product = nodes.Add(types.matrix, {Nodes::Tensor(node.data), matrix});
  if (!node.bias.empty()) nodes.Add(types.adds, {product, Nodes::Tensor(node.bias)});
  return nodes.Take();
}

}  // namespace tessera::compression
