#include "frontends/onnx/node_view.h"

#include <algorithm>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/float_sizes.h"
#include "frontends/onnx/known_value.h"
#include "frontends/onnx/quoting.h"
#include "ir/absl_view.h"

namespace tessera::onnx_import {

using onnx::AttributeProto;

ir::Value* NodeView::Input(int index) const {
  return index >= 0 && static_cast<size_t>(index) < inputs_.size() ? inputs_[index].value : nullptr;
}

bool NodeView::Wants(int output) const {
  return output >= 0 && static_cast<size_t>(output) < wanted_.size() && wanted_[output];
}

bool NodeView::HasAttr(std::string_view name) const {
  return attributes_.contains(std::string(name));
}

const AttributeProto* NodeView::Find(std::string_view name, AttributeType type) {
  const auto it = attributes_.find(std::string(name));
  if (it == attributes_.end()) return nullptr;
  const AttributeType found = TypeOf(*it->second);
  if (found == type) return it->second;
  Fail(absl::StrCat("attribute ", Quoted(it->first), " is ", NameOf(found), ", expected ",
                    NameOf(type)));
  return nullptr;
}

std::optional<int64_t> NodeView::Int(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::INT);
  return attribute == nullptr ? std::nullopt : std::optional<int64_t>(attribute->i());
}

std::optional<double> NodeView::Float(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOAT);
  return attribute == nullptr ? std::nullopt : std::optional<double>(attribute->f());
}

std::optional<std::string> NodeView::String(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::STRING);
  return attribute == nullptr ? std::nullopt : std::optional<std::string>(attribute->s());
}

std::optional<std::vector<int64_t>> NodeView::Ints(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::INTS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<int64_t>(attribute->ints().begin(), attribute->ints().end());
}

std::optional<std::vector<double>> NodeView::Floats(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::FLOATS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<double>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<std::vector<std::string>> NodeView::Strings(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::STRINGS);
  if (attribute == nullptr) return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(), attribute->strings().end());
}

std::optional<ir::DType> NodeView::DTypeAttr(std::string_view name) {
  const std::optional<int64_t> number = Int(name);
  // 0 is `UNDEFINED`, by which newer operators say that the attribute says nothing.
  if (!number || *number == 0) return std::nullopt;
  absl::StatusOr<ir::DType> dtype = absl::InvalidArgumentError("element type out of range");
  if (*number >= 0 && *number <= INT32_MAX) dtype = DTypeFromProto(static_cast<int32_t>(*number));
  if (dtype.ok()) return *dtype;
  Fail(absl::StrCat("attribute ", Quoted(ir::AbslView(name)), " is ", *number, ": ",
                    dtype.status().message()));
  return std::nullopt;
}

ir::Value* NodeView::TensorAttr(std::string_view name) {
  const AttributeProto* attribute = Find(name, AttributeProto::TENSOR);
  if (attribute == nullptr) return nullptr;
  absl::StatusOr<ir::Tensor> tensor = loader_.Load(attribute->t());
  if (!tensor.ok()) {
    Fail(absl::StrCat("attribute ", Quoted(attribute->name()), ": ", tensor.status().message()));
    return nullptr;
  }
  return builder_.Constant(*std::move(tensor));
}

std::string NodeView::InputName(const ir::Value* input) const {
  const auto it = std::find_if(inputs_.begin(), inputs_.end(),
                               [&](const NamedInput& i) { return i.value == input; });
  return it != inputs_.end() ? Quoted(it->name) : "an operand";
}

std::vector<ir::Expr> NodeView::Elements(ir::Value* input) {
  if (input == nullptr) {
    Fail("the elements of an absent input are needed");
    return {};
  }
  solver::Context& context = builder_.rewriter().graph().context();
  if (std::optional<std::vector<ir::Expr>> elements =
          KnownElements(context, *input, builder_.rewriter().location().ToString())) {
    return *std::move(elements);
  }
  Fail(absl::StrCat("the elements of ", InputName(input), " must be known at compile time; ",
                    WhyUnknown(context, *input)));
  return {};
}

bool NodeView::DependsOnData(const ir::Value* input) const {
  return input != nullptr && onnx_import::DependsOnData(*input);
}

std::vector<double> NodeView::Numbers(ir::Value* input) {
  if (input == nullptr) {
    Fail("the values of an absent input are needed");
    return {};
  }
  if (const std::optional<ir::Tensor> tensor = EvaluateSmall(*input)) {
    std::vector<double> numbers(static_cast<size_t>(tensor->size()));
    for (size_t i = 0; i < numbers.size(); ++i) {
      numbers[i] = tensor->AsDouble(static_cast<int64_t>(i));
    }
    return numbers;
  }
  solver::Context& context = builder_.rewriter().graph().context();
  if (std::optional<NumbersOfSizes> sizes = EvaluateToNumbers(context, *input);
      sizes && EnsureExact(context, sizes->needs, builder_.rewriter().location().ToString()))
    return std::move(sizes->numbers);
  Fail(absl::StrCat("the values of ", InputName(input), " must be known numbers at compile time; ",
                    WhyUnknown(context, *input)));
  return {};
}

bool NodeView::Reads(std::string_view reading) const {
  const bool chosen = readings_.contains(std::string(reading));
  if (!chosen) missed_.emplace(reading);
  return chosen;
}

bool NodeView::HasNumbers(const ir::Value* input) const {
  return input != nullptr &&
         (EvaluateSmall(*input).has_value() ||
          EvaluateToNumbers(builder_.rewriter().graph().context(), *input).has_value());
}

void NodeView::Fail(std::string reason) {
  if (std::find(failures_.begin(), failures_.end(), reason) == failures_.end())
    failures_.push_back(std::move(reason));
}

}  // namespace tessera::onnx_import
