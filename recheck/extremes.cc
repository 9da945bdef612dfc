// Elements that all others of a result lie between, where they do not follow the index.
#include <algorithm>
#include <optional>
#include <utility>

#include "recheck/interpreter.h"
#include "recheck/way.h"

namespace tessera::recheck {

using codegen::Node;
using codegen::RefStatement;

namespace {

constexpr size_t kMostExtremes = 256;
constexpr int64_t kLongestRow = 16;  // of which extremes are kept column by column

}  // namespace

size_t Interpreter::ColumnsOf(const std::vector<Dim>& dims, size_t extremes) const {
  const std::optional<int64_t> last =
      dims.empty() ? std::optional<int64_t>() : terms_.Number(dims.back());
  if (!last || *last < 2 || *last > kLongestRow || extremes % static_cast<size_t>(*last) != 0)
    return 1;
  return static_cast<size_t>(*last);
}

// Computed elementwise from one operand, by what only grows or only falls with it; the others are
// the same everywhere.
std::vector<Dim> Interpreter::ExtremesThrough(const Op& op, const RefStatement& ref,
                                              const std::vector<Value>& operands, size_t rank) {
  const TensorPtr* moving = nullptr;
  std::vector<TensorPtr> tensors;
  for (const Value& operand : operands) tensors.push_back(AsTensor(operand));
  for (const TensorPtr& tensor : tensors) {
    if (tensor == nullptr) return {};
    const std::vector<Dim>& elements = tensor->elements;
    if (tensor->has_elements) {
      if (elements.empty() ||
          std::any_of(elements.begin(), elements.end(), [&](Dim e) { return e != elements[0]; }))
        return {};
    } else if (moving != nullptr || tensor->extremes.empty()) {
      return {};
    } else {
      moving = &tensor;
    }
  }
  if (moving == nullptr || tensors.size() != op.inputs.size()) return {};
  const std::vector<Value> position(rank, Value::Int(terms_.Integer(0)));
  const bool reading = std::exchange(reading_, true), data = std::exchange(data_, false);
  const auto at = [&](Dim element) {
    scopes_.emplace_back();
    for (size_t i = 0; i < tensors.size(); ++i) {
      auto single = std::make_shared<Tensor>();
      single->dtype = tensors[i]->dtype;
      single->dims.assign(tensors[i]->dims.size(), terms_.Integer(1));
      single->has_elements = true;
      single->elements = {&tensors[i] == moving ? element : tensors[i]->elements[0]};
      Bind(op.inputs[i].name, Value::Of(std::move(single)));
    }
    Value value = ElementAt(ref, position);
    scopes_.pop_back();
    return ok() && !data_ && value.kind == Value::kInt ? std::optional(value.dim) : std::nullopt;
  };
  const Dim symbol = terms_.Symbol("`moving");
  const std::optional<Dim> element = at(symbol);
  const Way way = element ? WayOf(terms_, *element, symbol) : Way::kNeither;
  std::vector<Dim> result;
  if (way == Way::kUp || way == Way::kDown) {
    for (const Dim extreme : (*moving)->extremes) {
      const std::optional<Dim> here = at(extreme);
      if (here) result.push_back(*here);
    }
  }
  if (result.size() != (*moving)->extremes.size()) result.clear();
  reading_ = reading;
  data_ = data;
  unsupported_.clear();
  return result;
}

// All elements of all operands, and no others, joined along an axis.
std::vector<Dim> Interpreter::ExtremesOfParts(const RefStatement& ref,
                                              const std::vector<Value>& operands,
                                              const std::vector<Dim>& dims) {
  if (ref.indices.size() != 1 || ref.indices[0].axis == nullptr || ref.value->kind != Node::kIndex)
    return {};
  const bool across =
      AsHost(Evaluate(ref.indices[0].axis)) + 1 == static_cast<int64_t>(dims.size());
  const size_t columns = ColumnsOf(dims, 0);
  std::vector<std::vector<Dim>> lists(columns);
  size_t at = 0;  // the first column of a part
  for (const Value& operand : operands) {
    const TensorPtr part = AsTensor(operand);
    if (part == nullptr) return {};
    const std::vector<Dim>& extremes = part->has_elements ? part->elements : part->extremes;
    if (extremes.empty()) return {};
    const size_t of_part = ColumnsOf(part->dims, extremes.size());
    const int64_t width = terms_.Number(part->dims.back()).value_or(1);
    const size_t first = across && columns > 1 ? at : 0;
    const size_t count = columns == 1 ? 1 : across ? static_cast<size_t>(width) : columns;
    for (size_t j = 0; j < count && first + j < columns; ++j) {
      for (size_t k = of_part == 1 ? 0 : j % of_part; k < extremes.size(); k += of_part)
        lists[first + j].push_back(extremes[k]);
    }
    at += static_cast<size_t>(width);
  }
  size_t rows = 0;
  for (const std::vector<Dim>& list : lists) {
    if (list.empty()) return {};
    rows = std::max(rows, list.size());
  }
  if (rows * columns > kMostExtremes) return {};
  std::vector<Dim> result;
  for (size_t r = 0; r < rows; ++r) {
    for (const std::vector<Dim>& list : lists) result.push_back(list[r % list.size()]);
  }
  return result;
}

std::vector<Dim> Interpreter::FindExtremes(const Op& op, const std::vector<Value>& operands,
                                           const std::vector<Dim>& dims) {
  const RefStatement* ref = nullptr;
  for (const RefStatement& each : op.refs) {
    if (each.kind == RefStatement::kFast) continue;
    if (ref != nullptr) return {};
    ref = &each;
  }
  if (ref == nullptr) return {};
  std::vector<Dim> found;
  if (ref->kind == RefStatement::kEach) {
    found = ExtremesOfParts(*ref, operands, dims);
  } else if (ref->kind == RefStatement::kAssign && ref->indices.size() == 1 &&
             ref->indices[0].pack && IsElementwise(*ref)) {
    found = ExtremesThrough(op, *ref, operands, dims.size());
  } else if ((op.role == "reshape" || op.role == "transpose") && operands.size() == 1) {
    const TensorPtr from = AsTensor(operands[0]);
    if (from != nullptr && ColumnsOf(from->dims, from->extremes.size()) == 1 &&
        ColumnsOf(dims, 0) == 1)
      found = from->extremes;
  }
  unsupported_.clear();
  return found;
}

}  // namespace tessera::recheck
