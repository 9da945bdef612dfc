#include "passes/compression/quantization/dynamic_product.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/compression/quantization/dynamic_nodes_text.h"
#include "passes/compression/quantization/plain_product.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

// ONNX's number of f32.
constexpr int64_t kOnnxFloat = 1;

// Types of nodes: by what they do, or by the type of the node that they are the counterpart of.
const std::map<std::string, std::string>& Types() {
  static const auto* const types = [] {
    auto* made = new std::map<std::string, std::string>;
    for (const absl::string_view line :
         absl::StrSplit(std::string(DynamicNodesText()), '\n', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> words = absl::StrSplit(line, ' ');
      made->insert(words);
    }
    return made;
  }();
  return *types;
}

ir::Tensor Transposed(const ir::Tensor& codes) {
  const int64_t rows = codes.shape()[0], columns = codes.shape()[1];
  std::vector<int32_t> turned;
  turned.reserve(static_cast<size_t>(codes.size()));
  for (int64_t c = 0; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r)
      turned.push_back(static_cast<int32_t>(codes.AsInt(r * columns + c)));
  }
  return ir::Tensor::Of<int32_t>(ir::DType::kI32, {columns, rows}, turned);
}

}  // namespace

std::optional<IntegerForm> IntegerFormOf(const BuildContext& context, const ir::Operation& op) {
  const Address& address = context.addresses.Of(op);
  if (address.node == nullptr) return std::nullopt;
  const auto type = Types().find(address.node->op_type);
  if (type == Types().end()) return std::nullopt;
  IntegerForm form;
  form.node = type->second;
  const ir::QuantizeTrait& trait = TraitOf(op.info());
  const ir::Value* bias = nullptr;
  if (IsMatrixProduct(op)) {
    const std::optional<PlainProduct> plain = AsPlainProduct(context, op);
    if (!plain) return std::nullopt;
    form.matrix = true;
    form.data = plain->data;
    form.bias = plain->bias;
    return form;
  }
  // All of the node, as it stands in the file.
  form.data = context.addresses.TensorRead(address, *op.operand(static_cast<size_t>(trait.data)));
  const ir::Value* weight = op.operand(static_cast<size_t>(trait.weight));
  if (form.data.empty() || context.addresses.TensorRead(address, *weight).empty() ||
      context.addresses.TensorMade(address, *op.result()).empty() || trait.bias < 0)
    return std::nullopt;
  bias = op.operand(static_cast<size_t>(trait.bias));
  if (bias == nullptr) return form;
  form.bias = context.addresses.TensorRead(address, *bias);
  form.added = bias->constant();
  if (form.bias.empty() || form.added == nullptr) return std::nullopt;
  return form;
}

ReplaceNode AsIntegers(const IntegerForm& form, const std::string& weight, int64_t axis,
                       const ir::Tensor& codes, const Grid& grid,
                       const std::optional<ir::Tensor>& bias) {
  ReplaceNode change;
  const auto tensor = [](const std::string& name) {
    return ReplaceNode::Input{name, std::nullopt, -1, 0};
  };
  const auto constant = [](const std::string& name, ir::Tensor value) {
    return ReplaceNode::Input{name, std::move(value), -1, 0};
  };
  const auto add = [&](ReplaceNode::Node node) {
    change.nodes.push_back(std::move(node));
    return static_cast<int>(change.nodes.size()) - 1;
  };
  const auto made = [](int node, int result = 0) {
    return ReplaceNode::Input{"", std::nullopt, node, result};
  };
  ReplaceNode::Node quantizes;
  quantizes.op_type = Types().at("quantizes");
  quantizes.inputs = {tensor(form.data)};
  quantizes.results = 3;
  quantizes.shared = true;
  const int data = add(quantizes);
  ReplaceNode::Node product;
  product.op_type = form.node;
  // A matrix has its channels last.
  const ir::Tensor& stored = form.matrix && axis == 0 ? Transposed(codes) : codes;
  product.inputs = {made(data),
                    constant(absl::StrCat(weight, "_quantized"), stored.CastTo(grid.storage)),
                    made(data, 2)};
  product.same_attributes = !form.matrix;
  const int sums = add(product);
  ReplaceNode::Node converts;
  converts.op_type = Types().at("converts");
  converts.inputs = {made(sums)};
  converts.attributes = {{"to", kOnnxFloat}};
  const int numbers = add(converts);
  // One per channel, before the axes that follow it in the result.
  std::vector<int64_t> shape = grid.scale.shape();
  if (!form.matrix && !shape.empty()) shape.resize(codes.shape().size() - 1, 1);
  ReplaceNode::Node scales;
  scales.op_type = Types().at("multiplies");
  scales.inputs = {made(data, 1),
                   constant(absl::StrCat(weight, "_scale"), grid.scale.Reshaped(shape))};
  const int factors = add(scales);
  ReplaceNode::Node real;
  real.op_type = scales.op_type;
  real.inputs = {made(numbers), made(factors)};
  const int result = add(real);
  if (!bias && form.bias.empty()) return change;
  ReplaceNode::Node adds;
  adds.op_type = Types().at("adds");
  adds.inputs = {made(result)};
  const ir::Tensor* term = bias ? &*bias : form.added;
  const std::string name = form.bias.empty() ? absl::StrCat(weight, "_bias") : form.bias;
  if (term == nullptr) {
    adds.inputs.push_back(tensor(form.bias));
  } else {
    std::vector<int64_t> along = {term->size()};
    if (!form.matrix) along.resize(codes.shape().size() - 1, 1);
    adds.inputs.push_back(constant(absl::StrCat(name, "_along_channels"), term->Reshaped(along)));
  }
  add(adds);
  return change;
}

}  // namespace tessera::compression
