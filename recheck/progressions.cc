// Integer tensors whose elements follow the index along axes of symbolic size.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;
using codegen::NodePtr;
using codegen::RefStatement;

namespace {

// The position along an axis, as a symbol that no statement can spell.
Dim PositionAlong(Terms& terms, size_t axis) { return terms.Symbol(absl::StrCat("`", axis)); }

// A term as base + steps * positions; without steps where it has no position in it.
struct Affine {
  Dim base = 0;
  std::vector<Dim> steps;  // one per axis, or none
};

class Splitter {
 public:
  Splitter(Terms& terms, size_t axes) : terms_(terms), axes_(axes) {}

  // Nothing: it does not grow by the same at each position.
  std::optional<Affine> Split(Dim dim) {
    const certificate::Term term = terms_.terms()[dim];
    for (size_t axis = 0; axis < axes_; ++axis) {
      if (dim != PositionAlong(terms_, axis)) continue;
      Affine position{terms_.Integer(0), std::vector<Dim>(axes_, terms_.Integer(0))};
      position.steps[axis] = terms_.Integer(1);
      return position;
    }
    std::vector<Affine> parts;
    bool free = true;
    for (int i = 0; i < certificate::Arity(term.op); ++i) {
      std::optional<Affine> part = Split(term.operands[i]);
      if (!part) return std::nullopt;
      free = free && part->steps.empty();
      parts.push_back(*std::move(part));
    }
    if (free) return Affine{dim, {}};
    switch (term.op) {
      case Operator::kNegate:
        return Each(Operator::kNegate, parts[0], parts[0]);
      case Operator::kAdd:
      case Operator::kSubtract:
        return Each(term.op, parts[0], parts[1]);
      case Operator::kMultiply:
        if (parts[0].steps.empty()) return Scaled(parts[1], parts[0].base);
        if (parts[1].steps.empty()) return Scaled(parts[0], parts[1].base);
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  Affine Each(Operator op, const Affine& a, const Affine& b) {
    Affine result{terms_.Make(op, a.base, b.base), {}};
    const auto at = [&](const Affine& part, size_t axis) {
      return part.steps.empty() ? terms_.Integer(0) : part.steps[axis];
    };
    for (size_t axis = 0; axis < axes_; ++axis)
      result.steps.push_back(terms_.Make(op, at(a, axis), at(b, axis)));
    return result;
  }
  Affine Scaled(const Affine& a, Dim factor) {
    Affine result{terms_.Make(Operator::kMultiply, a.base, factor), {}};
    for (const Dim step : a.steps)
      result.steps.push_back(terms_.Make(Operator::kMultiply, step, factor));
    return result;
  }

  Terms& terms_;
  const size_t axes_;
};

bool IsElementwiseAt(const RefStatement& ref, const Node& node) {
  if (node.kind == Node::kIndex) {
    NodePtr index = node.children.size() == 2 ? node.children[1] : nullptr;
    for (const Node::Kind kind : {Node::kBroadcast, Node::kSpread}) {
      if (index != nullptr && index->kind == kind) index = index->children[0];
    }
    return index != nullptr && index->kind == Node::kName && index->text == ref.indices[0].name;
  }
  return std::all_of(node.children.begin(), node.children.end(),
                     [&](const NodePtr& child) { return IsElementwiseAt(ref, *child); });
}

// Axes of one entry come and go.
std::shared_ptr<const Progression> Reshaped(Session& session, const std::string& node,
                                            const Tensor& from, const std::vector<Dim>& dims) {
  Terms& terms = session.terms();
  const auto axes_of = [&](const std::vector<Dim>& all) {
    std::vector<size_t> axes;
    for (size_t i = 0; i < all.size(); ++i) {
      if (terms.Number(all[i]) != 1) axes.push_back(i);
    }
    return axes;
  };
  const std::vector<size_t> before = axes_of(from.dims), after = axes_of(dims);
  if (from.progression == nullptr || before.size() != after.size()) return nullptr;
  for (size_t i = 0; i < before.size(); ++i) {
    if (!session.TakeEqual(node, from.dims[before[i]], dims[after[i]])) return nullptr;
  }
  auto result = std::make_shared<Progression>(*from.progression);
  for (std::vector<Dim>& steps : result->steps) {
    std::vector<Dim> moved(dims.size(), terms.Integer(0));
    for (size_t i = 0; i < before.size(); ++i) moved[after[i]] = steps[before[i]];
    steps = std::move(moved);
  }
  return result;
}

}  // namespace

bool Interpreter::IsElementwise(const RefStatement& ref) {
  return IsElementwiseAt(ref, *ref.value);
}

std::shared_ptr<const Progression> Interpreter::Follow(const Op& op,
                                                       const std::vector<Value>& operands,
                                                       const std::vector<Dim>& dims) {
  if (op.role == "reshape") {
    const TensorPtr from = operands.empty() ? nullptr : AsTensor(operands[0]);
    return from == nullptr ? nullptr : Reshaped(session_, node_.name, *from, dims);
  }
  const RefStatement* ref = nullptr;
  for (const RefStatement& each : op.refs) {
    if (each.kind == RefStatement::kFast) continue;
    if (ref != nullptr || each.kind != RefStatement::kAssign) return nullptr;
    ref = &each;
  }
  const bool of_index = op.inputs.empty() && dims.size() == 1;
  if (ref == nullptr || ref->indices.size() != 1 ||
      !(of_index || (ref->indices[0].pack && IsElementwise(*ref))))
    return nullptr;
  // Each entry over the axes of known size, at positions along the others.
  std::vector<std::vector<Value>> positions(1);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    const std::optional<int64_t> size = terms_.Number(dims[axis]);
    if (size.value_or(1) > kMaxTracked) return nullptr;
    std::vector<std::vector<Value>> longer;
    for (const std::vector<Value>& position : positions) {
      for (int64_t i = 0; i < size.value_or(1); ++i) {
        longer.push_back(position);
        longer.back().push_back(Value::Int(size ? terms_.Integer(i) : PositionAlong(terms_, axis)));
      }
      if (longer.size() > kMaxTracked) return nullptr;
    }
    positions = std::move(longer);
  }
  auto result = std::make_shared<Progression>();
  Splitter splitter(terms_, dims.size());
  result_dims_ = &dims;
  const bool reading = std::exchange(reading_, true), data = std::exchange(data_, false);
  for (const std::vector<Value>& position : positions) {
    const Value element = ElementAt(*ref, position);
    if (!ok() || data_ || element.kind != Value::kInt) break;
    std::optional<Affine> affine = splitter.Split(element.dim);
    if (!affine) break;
    affine->steps.resize(dims.size(), terms_.Integer(0));
    result->first.push_back(affine->base);
    result->steps.push_back(std::move(affine->steps));
  }
  reading_ = reading;
  data_ = data;
  result_dims_ = nullptr;
  unsupported_.clear();
  return result->first.size() == positions.size() && !positions.empty() ? result : nullptr;
}

std::vector<Dim> Interpreter::ExtremesOf(const Progression& progression,
                                         const std::vector<Dim>& dims) {
  const Dim zero = terms_.Integer(0), one = terms_.Integer(1);
  std::vector<Dim> low = progression.first, high = progression.first;
  for (size_t i = 0; i < progression.first.size(); ++i) {
    for (size_t axis = 0; axis < dims.size(); ++axis) {
      const Dim way = terms_.Make(Operator::kMultiply, progression.steps[i][axis],
                                  terms_.Make(Operator::kSubtract, dims[axis], one));
      low[i] = terms_.Make(Operator::kAdd, low[i], terms_.Make(Operator::kMin, way, zero));
      high[i] = terms_.Make(Operator::kAdd, high[i], terms_.Make(Operator::kMax, way, zero));
    }
  }
  low.insert(low.end(), high.begin(), high.end());
  return low;
}

}  // namespace tessera::recheck
