#include "passes/compression/builder.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

std::optional<Point> At(const BuildContext& context, Place place, const ir::Operation& op,
                        int index, const ir::Value& value, bool made) {
  const Address& address = context.addresses.Of(op);
  if (address.node == nullptr) return std::nullopt;
  Point point{place, &op, index, &value, address.scope, address.node->name, ""};
  point.tensor = made ? context.addresses.TensorMade(address, value)
                      : context.addresses.TensorRead(address, value);
  if (point.tensor.empty()) return std::nullopt;
  return point;
}

}  // namespace

absl::Status SamplesAreMissing(const BuildContext& context, std::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(what), ": `", std::string(context.samples_flag), "` is missing"));
}

absl::Status NotFinite(const Point& point, int64_t elements) {
  // What stands in no tensor of the file has no name.
  return absl::InvalidArgumentError(absl::StrCat(
      point.tensor.empty() ? "what is read" : absl::StrCat("`", point.tensor, "`"), ", at `",
      point.scope, "`, was ", elements, " times infinite or not a number on the samples"));
}

absl::Status NotFinite(const BuildContext& context, const ir::Operation& op, int index,
                       int64_t elements) {
  const std::optional<Point> point = PreHook(context, op, index);
  if (point) return NotFinite(*point, elements);
  Point unnamed;
  unnamed.scope = context.addresses.Of(op).scope;
  return NotFinite(unnamed, elements);
}

bool ZerosStay(const BuildContext& context, const ir::Tensor& constant) {
  const float* x = constant.data<float>();
  return context.sparse || 2 * std::count(x, x + constant.size(), 0.0F) >= constant.size();
}

std::optional<Point> PreHook(const BuildContext& context, const ir::Operation& op, int index) {
  const ir::Value* value = op.operand(static_cast<size_t>(index));
  if (value == nullptr || value->constant() != nullptr) return std::nullopt;
  return At(context, Place::kPreHook, op, index, *value, false);
}

std::optional<Point> PostHook(const BuildContext& context, const ir::Operation& op, int index) {
  return At(context, Place::kPostHook, op, index, *op.result(static_cast<size_t>(index)), true);
}

std::optional<Point> WeightPoint(const BuildContext& context, const ir::Operation& op, int index) {
  const ir::Value* value = op.operand(static_cast<size_t>(index));
  const SourceNode* node = context.addresses.Of(op).node;
  // What the node does to the constant before the operation reads it.
  while (value != nullptr && value->constant() == nullptr && value->producer() != nullptr) {
    const ir::Operation& producer = *value->producer();
    const ir::QuantizeTrait& trait = TraitOf(producer.info());
    if (trait.kind != ir::Quantizable::kAgnostic || context.addresses.Of(producer).node != node)
      return std::nullopt;
    value = producer.operand(static_cast<size_t>(trait.data));
  }
  if (value == nullptr || value->constant() == nullptr) return std::nullopt;
  return At(context, Place::kWeight, op, index, *value, false);
}

}  // namespace tessera::compression
