// Changes of links between what is there.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/change_plan.h"
#include "ir/draft.h"
#include "ir/rewriter.h"
#include "solver/assignment.h"
#include "solver/data_sizes.h"
#include "solver/decide.h"

namespace tessera::ir {

void Rewriter::Commit(ChangePlan& plan) {
  Changes();
  for (Operation* op : plan.moved()) graph_.list_.Remove(*op);
  for (Operation* op : plan.moved()) graph_.list_.InsertBefore(*op, plan.destination());
  for (const ChangePlan::Redirection& r : plan.redirections()) {
    Operation& op = *r.op;
    if (r.index >= op.operands_.size()) {
      op.operands_.resize(r.index + 1, nullptr);
      op.operand_slots_.resize(r.index + 1, -1);
    }
    Unlink(op, r.index);
    Link(op, r.index, r.value);
    while (!op.operands_.empty() && op.operands_.back() == nullptr) {
      op.operands_.pop_back();
      op.operand_slots_.pop_back();
    }
  }
  for (ChangePlan::Update& update : plan.updates()) {
    Operation& op = *update.op;
    for (size_t i = 0; i < op.results_.size(); ++i) {
      op.results_[i]->type_ = std::move(update.inferred.types[i]);
      op.results_[i]->elements_ = std::move(update.inferred.elements[i]);
      op.results_[i]->progression_ = std::move(update.inferred.progressions[i]);
    }
    ++op.inferences_;
    graph_.obligations_stale_ |= op.has_obligations_;
    Own(op, std::move(update.inferred.open), std::move(update.inferred.proved));
  }
}

absl::Status Rewriter::CheckSubstitution(const Value& from, const Value& to,
                                         std::vector<Obligation>& open,
                                         std::vector<Obligation>& proved) {
  const auto mismatch = [&](const std::string& why) {
    const auto name = [](const Value& value) {
      return value.name().empty() ? std::string() : absl::StrCat("`", value.name(), "` ");
    };
    return absl::InvalidArgumentError(absl::StrCat("replacing ", name(from), from.type().ToString(),
                                                   " by ", name(to), to.type().ToString(), ": ",
                                                   why));
  };
  if (from.type().dtype != to.type().dtype) return mismatch("another element type");
  if (from.type().rank() != to.type().rank()) return mismatch("another rank");
  for (size_t i = 0; i < from.type().dims.size(); ++i) {
    const Expr& a = from.type().dims[i];
    const Expr& b = to.type().dims[i];
    if (a == b && a.derivation() == b.derivation()) continue;
    const Expr equal = solver::Eq(a, b);
    const solver::Verdict verdict = solver::Decide(graph_.context(), equal);
    if (verdict.kind == solver::Verdict::kProved) {
      Obligation& obligation = proved.emplace_back();
      obligation.constraint = "equal.replaced";
      obligation.predicate = equal;
      obligation.by = verdict.by;
      continue;
    }
    const std::string dims =
        absl::StrCat("dim ", i, " is `", a.ToString(), "` and `", b.ToString(), "`");
    // Where data can be such that they are equal, whoever executes the network sees whether they
    // are.
    if (verdict.kind == solver::Verdict::kRefuted &&
        !solver::HoldsForSomeData(graph_.context(), equal)) {
      const std::string sizes = solver::ToText(verdict.counterexample);
      return mismatch(sizes.empty() ? dims : absl::StrCat(dims, ", which differ for ", sizes));
    }
    Obligation& obligation = open.emplace_back();
    obligation.constraint = "equal.replaced";
    obligation.message = dims;
    obligation.predicate = equal;
  }
  return absl::OkStatus();
}

absl::Status Rewriter::Substitute(absl::Span<const std::pair<Value*, Value*>> pairs) {
  ChangePlan plan;
  std::vector<std::pair<Obligation, const Operation*>> open, proved;
  for (const auto& [from, to] : pairs) {
    std::vector<Obligation> open_here, proved_here;
    const absl::Status status = CheckSubstitution(*from, *to, open_here, proved_here);
    if (!status.ok()) return status;
    for (Obligation& o : open_here) open.emplace_back(std::move(o), to->producer());
    for (Obligation& o : proved_here) proved.emplace_back(std::move(o), to->producer());
    for (const Use& use : from->uses_) plan.Redirect(use.op, static_cast<size_t>(use.index), to);
  }
  const absl::Status status = plan.Make(graph_.context());
  // Of one type as they are, a user can only mind elements that the replacement makes known: they
  // were there before, and the graph ends in that error whatever goes in.
  if (absl::IsInvalidArgument(status) && open.empty())
    return absl::FailedPreconditionError(absl::StrCat("for all inputs, ", status.message()));
  if (!status.ok()) return status;
  Commit(plan);
  for (auto& [obligation, producer] : proved) {
    if (producer == nullptr) {
      AddProved(std::move(obligation), "input", {});
    } else {
      AddProved(std::move(obligation), std::string(producer->info().name), producer->location());
    }
  }
  for (auto& [obligation, producer] : open) {
    const std::string_view op = producer == nullptr ? "input" : producer->info().name;
    if (producer != nullptr) obligation.location = producer->location();
    // What replaced may itself be replaced and erased; that it equalled the original stays due.
    AddObligation(std::move(obligation), std::string(op), nullptr);
  }
  // All are taken first: what replaces one result may be another that is itself replaced.
  std::vector<std::pair<int, Value*>> outputs;
  for (const auto& [from, to] : pairs) {
    for (const int index : from->outputs_) outputs.emplace_back(index, to);
    from->outputs_.clear();
  }
  Changes();
  for (const auto& [index, to] : outputs) {
    graph_.outputs_[static_cast<size_t>(index)] = to;
    to->outputs_.push_back(index);
  }
  for (const auto& [from, to] : pairs) {
    if (to->name_.empty() && from->producer_ != nullptr) to->name_ = from->name_;
  }
  return absl::OkStatus();
}

absl::Status Rewriter::ReplaceAllUses(Value* from, Value* to) {
  if (from == to) return absl::OkStatus();
  for (const Value* value : {from, to}) {
    if (value == nullptr || value->kind() != Value::Kind::kTensor || !Owns(value)) {
      return absl::InvalidArgumentError("replacing what is no tensor of the graph");
    }
  }
  const absl::Status status = Substitute({{from, to}});
  if (status.ok()) EraseIfUnused(from->producer_);
  return status;
}

absl::Status Rewriter::Replace(Operation* op, absl::Span<Value* const> replacements) {
  const auto fail = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("replacing `", AbslView(op->info().dialect), ".",
                                                   AbslView(op->info().name), "` of ",
                                                   op->results_.size(), " results: ", why));
  };
  if (replacements.size() != op->results_.size()) {
    return fail(absl::StrCat("there are ", replacements.size(), " replacements"));
  }
  std::vector<std::pair<Value*, Value*>> pairs;
  for (size_t i = 0; i < replacements.size(); ++i) {
    Value* const from = op->results_[i];
    Value* const to = replacements[i];
    if (from == to) continue;
    if (to == nullptr) {
      if (from->uses_.empty() && from->outputs_.empty()) continue;
      return fail(absl::StrCat("result ", i, " is used and has no replacement"));
    }
    if (to->kind() != Value::Kind::kTensor || !Owns(to)) {
      return fail(absl::StrCat("replacement ", i, " is no tensor of the graph"));
    }
    pairs.emplace_back(from, to);
  }
  const absl::Status status = Substitute(pairs);
  if (status.ok()) EraseIfUnused(op);
  return status;
}

absl::Status Rewriter::SetOperand(Operation* op, int index, Value* value) {
  std::vector<Value*> operands(op->operands_);
  const auto at = static_cast<size_t>(index);
  if (index < 0 || OperandSpecAt(op->info(), at) == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("`", AbslView(op->info().dialect), ".",
                                                   AbslView(op->info().name), "` has no operand ",
                                                   index));
  }
  if (at >= operands.size()) operands.resize(at + 1, nullptr);
  Value* const old = operands[at];
  if (old == value) return absl::OkStatus();
  operands[at] = value;
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  absl::Status status = CheckOperands(op->info(), operands);
  if (!status.ok()) {
    return Explain(status, {op->info(), {}, {}, op->attrs(), op->location()}, {});
  }
  ChangePlan plan;
  plan.Redirect(op, at, value);
  status = plan.Make(graph_.context());
  if (!status.ok()) return status;
  Commit(plan);
  if (old != nullptr) EraseIfUnused(old->producer_);
  return absl::OkStatus();
}

absl::Status Rewriter::SetOutput(size_t index, Value* value) {
  if (index >= graph_.outputs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat("no output ", index));
  }
  if (value == nullptr || value->kind() != Value::Kind::kTensor || !Owns(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("output `", graph_.output_names_[index], "` is no tensor of the graph"));
  }
  Changes();
  Value* const old = graph_.outputs_[index];
  old->outputs_.erase(
      std::find(old->outputs_.begin(), old->outputs_.end(), static_cast<int>(index)));
  value->outputs_.push_back(static_cast<int>(index));
  graph_.outputs_[index] = value;
  EraseIfUnused(old->producer_);
  return absl::OkStatus();
}

absl::Status Rewriter::AddBarrier(Operation* before, Operation* after) {
  if (before == after) return absl::InvalidArgumentError("an operation after itself");
  if (before->barrier_ != nullptr) {
    for (const Value* barrier : after->barriers_) {
      if (barrier == before->barrier_) return absl::OkStatus();
    }
  }
  ChangePlan plan;
  plan.Order(before, after);
  const absl::Status status = plan.Make(graph_.context());
  if (!status.ok()) return status;
  Commit(plan);
  Changes();
  if (before->barrier_ == nullptr) {
    before->barrier_ = NewValue(Value::Kind::kBarrier);
    before->barrier_->producer_ = before;
  }
  LinkBarrier(*after, before->barrier_);
  return absl::OkStatus();
}

}  // namespace tessera::ir
