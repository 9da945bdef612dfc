// Elements of small integer tensors by the reference semantics of their definitions.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;
using codegen::NodePtr;
using codegen::RefIndex;
using codegen::RefStatement;

// `x[i...]`, `x[broadcast i...]`, `x[take(o, axis), e, ...]`: an element of a tensor; of a list, an
// entry.
Value Interpreter::Read(const Node& node, bool& outside) {
  const Value base = Evaluate(node.children[0]);
  if (base.kind == Value::kAbsent) {
    outside = true;
    return {};
  }
  const TensorPtr tensor = AsTensor(base);
  if (tensor == nullptr) {
    if (base.kind != Value::kList || node.children.size() != 2)
      return Unsupported("an index into what is no tensor");
    const int64_t at = AsHost(Evaluate(node.children[1]));
    if (at < 0 || at >= static_cast<int64_t>(base.items.size()))
      return Value::Int(terms_.Integer(0));
    return base.items[static_cast<size_t>(at)];
  }
  std::vector<Value> index;
  bool broadcast = false;
  for (size_t i = 1; i < node.children.size(); ++i) {
    NodePtr child = node.children[i];
    if (child->kind == Node::kBroadcast) {
      broadcast = true;
      child = child->children[0];
    }
    if (child->kind == Node::kSpread) child = child->children[0];
    const Value value = Evaluate(child);
    if (value.kind == Value::kList) {
      index.insert(index.end(), value.items.begin(), value.items.end());
    } else {
      index.push_back(value);
    }
  }
  if (!ok()) return {};
  const size_t rank = tensor->dims.size();
  if (broadcast && index.size() >= rank)
    index.erase(index.begin(), index.begin() + static_cast<std::ptrdiff_t>(index.size() - rank));
  if (index.size() != rank) return Unsupported("an index of another rank");
  const Progression* const follows =
      result_dims_ != nullptr && !tensor->has_elements ? tensor->progression.get() : nullptr;
  const bool passes =
      passing_ && !tensor->has_elements && (tensor->has_numbers || !tensor->through.empty());
  if (!tensor->has_elements && follows == nullptr && !passes) {
    if (!tensor->unread.empty()) return Unsupported(tensor->unread);
    data_ = true;
    return Value::Int(terms_.Integer(0));
  }
  int64_t at = 0;
  for (size_t d = 0; d < rank; ++d) {
    const std::optional<int64_t> size = terms_.Number(tensor->dims[d]);
    if (!size && follows != nullptr) {
      // It goes along with the result, or is not known to.
      const Dim of_result = (*result_dims_)[result_dims_->size() - rank + d];
      data_ = data_ || rank > result_dims_->size() ||
              !session_.TakeEqual(node_.name, tensor->dims[d], of_result);
      continue;
    }
    int64_t i = broadcast && size == 1 ? 0 : AsHost(index[d]);
    if (!size) AsHost(Value::Int(tensor->dims[d]));
    if (!ok()) return {};
    if (i < 0 || i >= *size) {
      outside = true;
      return {};
    }
    at = at * *size + i;
  }
  const auto place = static_cast<size_t>(at);
  if (passes) return ReadThrough(*tensor, place);
  const std::vector<Dim>& elements = follows == nullptr ? tensor->elements : follows->first;
  if (place >= elements.size()) return Unsupported("an element that is not listed");
  Dim element = elements[place];
  for (size_t d = 0; follows != nullptr && d < rank; ++d) {
    if (terms_.Number(tensor->dims[d])) continue;
    const Dim way = terms_.Make(Operator::kMultiply, follows->steps[place][d], AsDim(index[d]));
    element = terms_.Make(Operator::kAdd, element, way);
  }
  return Value::Int(element);
}

// Every operand written at an offset along an axis: of each element of the result the operand, and
// its place there.
std::vector<std::pair<TensorPtr, size_t>> Interpreter::Joined(const RefStatement& ref,
                                                              const std::vector<Value>& operands,
                                                              const std::vector<int64_t>& shape) {
  const RefIndex& index = ref.indices[0];
  const int64_t axis = AsHost(Evaluate(index.axis));
  if (!ok() || ref.indices.size() != 1 || ref.value->kind != Node::kIndex || axis < 0 ||
      axis >= static_cast<int64_t>(shape.size())) {
    Unsupported("how operands are joined");
    return {};
  }
  const auto a = static_cast<size_t>(axis);
  int64_t outer = 1, inner = 1;
  for (size_t d = 0; d < shape.size(); ++d) (d < a ? outer : inner) *= d == a ? 1 : shape[d];
  std::vector<std::pair<TensorPtr, size_t>> places;
  for (int64_t o = 0; o < outer; ++o) {
    for (const Value& operand : operands) {
      const TensorPtr part = AsTensor(operand);
      if (part == nullptr || part->dims.size() <= a) {
        Unsupported("how operands are joined");
        return {};
      }
      const int64_t count = AsHost(Value::Int(part->dims[a])) * inner;
      for (int64_t i = 0; ok() && i < count; ++i)
        places.emplace_back(part, static_cast<size_t>(o * count + i));
    }
  }
  return places;
}

void Interpreter::Join(const RefStatement& ref, const std::vector<Value>& operands,
                       const std::vector<int64_t>& shape, Tensor& result) {
  for (const Value& operand : operands) {
    const TensorPtr part = AsTensor(operand);
    if (part != nullptr && part->has_elements) continue;
    data_ = part != nullptr && part->unread.empty();
    if (!data_) Unsupported("elements that are not derived");
    return;
  }
  for (const auto& [part, at] : Joined(ref, operands, shape)) {
    if (at >= part->elements.size()) {
      Unsupported("elements that are not listed");
      return;
    }
    result.elements.push_back(part->elements[at]);
  }
  result.has_elements = ok();
}

Value Interpreter::ElementAt(const RefStatement& ref, const std::vector<Value>& position) {
  scopes_.emplace_back();
  // One pack takes what the plain indices leave.
  size_t plain = 0, at = 0;
  for (const RefIndex& index : ref.indices) plain += index.pack ? 0 : 1;
  for (const RefIndex& index : ref.indices) {
    if (index.pack) {
      const size_t length = position.size() - std::min(plain, position.size());
      Bind(index.name, Value::List({position.begin() + static_cast<std::ptrdiff_t>(at),
                                    position.begin() + static_cast<std::ptrdiff_t>(at + length)}));
      at += length;
    } else if (at < position.size()) {
      Bind(index.name, position[at++]);
    }
  }
  Value element = Evaluate(ref.value);
  scopes_.pop_back();
  return element;
}

void Interpreter::RunReference(const Op& op, const std::vector<Value>& operands,
                               std::vector<Tensor>& results) {
  for (const RefStatement& ref : op.refs) {
    if (!ok() || data_) return;
    if (ref.kind == RefStatement::kFast) continue;
    size_t which = results.size();
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      if (op.outputs[i].name == ref.target) which = i;
    }
    if (ref.kind == RefStatement::kTemp) {
      Compute(ref);
      continue;
    }
    if (which == results.size() || ref.kind == RefStatement::kExtern) {
      Unsupported(absl::StrCat("how `", op.name, "` computes"));
      return;
    }
    Tensor& result = results[which];
    std::vector<int64_t> shape;
    int64_t count = 1;
    for (const Dim dim : result.dims) {
      shape.push_back(AsHost(Value::Int(dim)));
      count *= shape.back();
    }
    if (ref.kind == RefStatement::kEach) {
      Join(ref, operands, shape, result);
      continue;
    }
    for (int64_t n = 0; ok() && !data_ && n < count; ++n) {
      const Value element = ElementAt(ref, PositionOf(n, shape));
      if (!ok() || data_) return;
      result.elements.push_back(element.kind == Value::kFloat
                                    ? terms_.Integer(static_cast<int64_t>(element.number))
                                    : AsDim(element));
    }
    result.has_elements = true;
  }
}

namespace {

// Nothing is known of its elements: they are computed from the inputs' values.
bool IsData(const Tensor& tensor) {
  return !tensor.has_elements && !tensor.has_numbers && tensor.through.empty() &&
         tensor.unread.empty() && tensor.extremes.empty() && tensor.progression == nullptr;
}

}  // namespace

bool Interpreter::Reference(const Op& op, const std::vector<Value>& operands,
                            std::vector<Tensor>& results, std::string& unread) {
  const bool reading = std::exchange(reading_, true), data = std::exchange(data_, false);
  RunReference(op, operands, results);
  reading_ = reading;
  const bool known =
      ok() && !data_ &&
      std::all_of(results.begin(), results.end(), [](const Tensor& t) { return t.has_elements; });
  const bool of_data = std::any_of(operands.begin(), operands.end(), [&](const Value& operand) {
    return operand.kind == Value::kTensor && IsData(*operand.tensor);
  });
  if (!known && !data_ && !of_data)
    unread = unsupported_.empty() ? "elements that are not derived" : unsupported_;
  unsupported_.clear();
  data_ = data;
  return known;
}

namespace {

struct Bounds {
  std::string dtype;
  int64_t low, high;
};
const Bounds kBounds[] = {{"i8", -128, 127},
                          {"u8", 0, 255},
                          {"i16", -32768, 32767},
                          {"u16", 0, 65535},
                          {"i32", INT32_MIN, INT32_MAX},
                          {"u32", 0, UINT32_MAX}};

}  // namespace

std::optional<Dim> Interpreter::FitsIn(const std::string& dtype, Dim element) {
  for (const Bounds& bounds : kBounds) {
    if (bounds.dtype != dtype) continue;
    const Dim above = terms_.Make(Operator::kGe, element, terms_.Integer(bounds.low));
    const Dim below = terms_.Make(Operator::kLe, element, terms_.Integer(bounds.high));
    return terms_.Make(Operator::kAnd, above, below);
  }
  return std::nullopt;
}

void Interpreter::RequireFits(const std::string& dtype, Dim element) {
  if (const std::optional<Dim> fits = FitsIn(dtype, element))
    Require(absl::StrCat("fits.", dtype), Value::Int(*fits));
}

void Interpreter::CompareElements(const Op& op, Tensor& computed, Tensor& listed,
                                  const std::string& unread) {
  if (!listed.has_elements) {
    // Where they are known here, what follows may rest on their not being so.
    listed.unread = computed.has_elements ? "elements that the certificate does not list" : unread;
    return;
  }
  if (!computed.has_elements) {
    Unsupported(unread.empty() ? absl::StrCat("the elements of what `", op.name, "` yields")
                               : unread);
    return;
  }
  if (listed.elements.size() != computed.elements.size()) {
    Wrong(absl::StrCat("`", op.name, "` yields ", computed.elements.size(),
                       " elements, the certificate lists ", listed.elements.size()));
    return;
  }
  for (size_t k = 0; ok() && k < computed.elements.size(); ++k) {
    const Dim element = computed.elements[k];
    if (element != listed.elements[k])
      Require("equal.normal", Value::Int(terms_.Make(Operator::kEq, element, listed.elements[k])),
              {}, Requirement::kImplied);
    RequireFits(listed.dtype, element);
  }
}

}  // namespace tessera::recheck
