#include "recheck/loop_operations.h"

#include "absl/strings/str_cat.h"

namespace tessera::recheck {
namespace {

constexpr char kBegin[] = "LoopBegin", kEntry[] = "LoopEntry", kEnd[] = "LoopEnd";

Tensor Like(const Tensor& tensor) {
  Tensor like;
  like.dtype = tensor.dtype;
  like.dims = tensor.dims;
  return like;
}

}  // namespace

bool LoopOperations::IsListed() const { return session_.Lists(node_, kBegin); }

void LoopOperations::RequireEqual(const std::string& op, const std::string& id, Dim a, Dim b) {
  Terms& terms = session_.terms();
  if (terms.Number(a) && terms.Number(b)) {
    if (terms.Number(a) != terms.Number(b))
      session_.Fail(absl::StrCat("`", id, "` of `", op, "` at `", node_, "`: ", terms.Text(a),
                                 " is not ", terms.Text(b)));
    return session_.Met(node_, op, id);
  }
  session_.Require({node_, op, id, terms.Make(Operator::kEq, a, b), {}, Requirement::kImplied});
}

LoopOperations::Results LoopOperations::Take(const std::string& op, std::vector<TensorPtr> operands,
                                             const std::vector<Tensor>& computed) {
  const auto wrong = [&](const std::string& what) {
    session_.Fail(absl::StrCat("`", node_, "`: ", what));
    return std::nullopt;
  };
  const certificate::ListedOperation* const listed = session_.Next(node_);
  if (listed == nullptr || listed->op != op)
    return wrong(absl::StrCat("a loop has `", op, "`, the certificate lists ",
                              listed == nullptr ? "nothing more" : listed->op));
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  if (const std::string other = session_.CompareOperands(*listed, operands); !other.empty())
    return wrong(other);
  if (listed->results.size() != computed.size())
    return wrong(absl::StrCat("`", op, "` has ", computed.size(), " results"));
  std::vector<TensorPtr> results;
  Terms& terms = session_.terms();
  for (size_t i = 0; i < computed.size(); ++i) {
    const auto result = session_.Listed(listed->results[i]);
    if (result->dtype != computed[i].dtype || result->dims.size() != computed[i].dims.size() ||
        result->has_elements)
      return wrong(absl::StrCat("result ", i, " of `", op, "` is listed with another type"));
    for (size_t d = 0; d < result->dims.size(); ++d) {
      const Dim dim = result->dims[d];
      if (dim != computed[i].dims[d]) RequireEqual(op, "equal.normal", computed[i].dims[d], dim);
      session_.Require({node_,
                        op,
                        "size.result",
                        terms.Make(Operator::kGe, computed[i].dims[d], terms.Integer(0)),
                        {},
                        terms.Number(dim) ? Requirement::kAllowed : Requirement::kImplied});
    }
    results.push_back(result);
  }
  return results;
}

LoopOperations::Results LoopOperations::Begin(const TensorPtr& trips, const TensorPtr& condition,
                                              const std::vector<TensorPtr>& initial) {
  std::vector<TensorPtr> operands = {trips, condition};
  Tensor position;
  position.dtype = trips->dtype;
  std::vector<Tensor> computed = {position};
  for (const TensorPtr& state : initial) {
    if (state == nullptr) {
      session_.Leave(node_, "a state without a value");
      return std::nullopt;
    }
    operands.push_back(state);
    computed.push_back(Like(*state));
  }
  return Take(kBegin, std::move(operands), computed);
}

LoopOperations::Results LoopOperations::Entry(const TensorPtr& position, const TensorPtr& x,
                                              Dim length) {
  RequireEqual(kEntry, "length", x->dims[0], length);
  Tensor entry = Like(*x);
  entry.dims.erase(entry.dims.begin());
  return Take(kEntry, {position, x}, {entry});
}

LoopOperations::Results LoopOperations::End(const std::vector<TensorPtr>& here,
                                            const TensorPtr& again,
                                            const std::vector<TensorPtr>& step,
                                            std::optional<Dim> length) {
  const size_t states = here.size() - 1;
  std::vector<TensorPtr> operands = {here[0], again};
  operands.insert(operands.end(), here.begin() + 1, here.end());
  operands.insert(operands.end(), step.begin(), step.end());
  std::vector<Tensor> computed;
  for (size_t i = 0; i < step.size(); ++i) {
    computed.push_back(Like(i < states ? *here[1 + i] : *step[i]));
    if (i >= states) {
      if (!length) {
        session_.Leave(node_, "what a loop collects that runs as long as data says");
        return std::nullopt;
      }
      computed.back().dims.insert(computed.back().dims.begin(), *length);
      continue;
    }
    const Tensor &state = *here[1 + i], &next = *step[i];
    if (state.dtype != next.dtype || state.dims.size() != next.dims.size()) {
      session_.Fail(absl::StrCat("`", node_, "`: state ", i, " becomes another type"));
      return std::nullopt;
    }
    for (size_t d = 0; d < state.dims.size(); ++d)
      RequireEqual(kEnd, "state", state.dims[d], next.dims[d]);
  }
  return Take(kEnd, std::move(operands), computed);
}

}  // namespace tessera::recheck
