// Inputs, outputs, new operations, erasure.
#include "ir/rewriter.h"

#include <algorithm>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/draft.h"
#include "ir/inference.h"
#include "ir/progressions.h"
#include "ir/registry.h"
#include "solver/decide.h"

namespace tessera::ir {
namespace {

std::vector<OperandInfo<Expr>> InfosOf(absl::Span<Value* const> operands) {
  std::vector<OperandInfo<Expr>> infos;
  infos.reserve(operands.size());
  for (const Value* operand : operands) {
    const bool tensor = operand != nullptr && operand->kind() == Value::Kind::kTensor;
    infos.push_back(InfoOf(tensor ? operand : nullptr));
  }
  return infos;
}

absl::Status CheckAttrs(const OpInfo& info, absl::Span<const Attribute> attrs, Blame& blame) {
  for (size_t i = 0; i < attrs.size(); ++i) {
    const AttrSpec& spec = info.attrs[i];
    blame = {Blame::kAttr, i};
    if (std::holds_alternative<std::monostate>(attrs[i])) continue;
    if (!HoldsKind(attrs[i], spec.kind)) {
      return absl::InvalidArgumentError(
          absl::StrCat("attribute `", AbslView(spec.name), "` is of another kind than declared"));
    }
    if (spec.kind == AttrKind::kEnum) {
      const int64_t ordinal = std::get<int64_t>(attrs[i]);
      if (ordinal < 0 || ordinal >= static_cast<int64_t>(spec.enum_names.size())) {
        return absl::InvalidArgumentError(absl::StrCat("attribute `", AbslView(spec.name), "` has ",
                                                       spec.enum_names.size(), " names, ordinal ",
                                                       ordinal, " is none"));
      }
    }
  }
  blame = {};
  return absl::OkStatus();
}

// Of what was proved: operations at one place may owe the same.
std::tuple<std::string, const void*, std::string> KeyOf(const Obligation& proved) {
  return {proved.constraint, proved.predicate.derivation(),
          absl::StrCat(proved.op, " ", proved.location.ToString())};
}

}  // namespace

bool Rewriter::Owns(const Value* value) const {
  const auto id = static_cast<size_t>(value->id());
  return id < graph_.values_.size() && graph_.values_[id].get() == value;
}

Value* Rewriter::NewValue(Value::Kind kind) {
  const int id = static_cast<int>(graph_.values_.size());
  graph_.values_.push_back(std::unique_ptr<Value>(new Value(kind, id)));
  return graph_.values_.back().get();
}

absl::StatusOr<Value*> Rewriter::AddInput(std::string name, TensorType type) {
  if (name.empty()) return absl::InvalidArgumentError("input without a name");
  if (graph_.taken_input_names_.contains(name)) {
    return absl::InvalidArgumentError(absl::StrCat("redeclaration of input `", name, "`"));
  }
  std::vector<Obligation> open;
  for (size_t i = 0; i < type.dims.size(); ++i) {
    const Expr& dim = type.dims[i];
    Obligation obligation;
    obligation.constraint = "size.input";
    obligation.message =
        absl::StrCat("dim ", i, " of input `", name, "` is `", dim.ToString(), "`");
    obligation.predicate = solver::Ge(dim, 0);
    const solver::Verdict verdict = solver::Decide(graph_.context(), obligation.predicate);
    if (dim.IsInvalid() || verdict.kind == solver::Verdict::kRefuted) {
      return absl::InvalidArgumentError(
          absl::StrCat(obligation.message, ", which may be negative"));
    }
    if (verdict.kind == solver::Verdict::kUnknown) open.push_back(std::move(obligation));
  }
  for (Obligation& obligation : open) AddObligation(std::move(obligation), "input", nullptr);
  Changes();
  Value* const value = NewValue(Value::Kind::kTensor);
  graph_.taken_input_names_.insert(name);
  value->name_ = std::move(name);
  value->type_ = std::move(type);
  graph_.inputs_.push_back(value);
  return value;
}

absl::Status Rewriter::AddOutput(std::string name, Value* value) {
  if (name.empty()) return absl::InvalidArgumentError("output without a name");
  if (value == nullptr || value->kind() != Value::Kind::kTensor || !Owns(value)) {
    return absl::InvalidArgumentError(
        absl::StrCat("output `", name, "` is no tensor of the graph"));
  }
  if (!graph_.taken_output_names_.insert(name).second) {
    return absl::InvalidArgumentError(absl::StrCat("redeclaration of output `", name, "`"));
  }
  Changes();
  value->outputs_.push_back(static_cast<int>(graph_.outputs_.size()));
  graph_.outputs_.push_back(value);
  graph_.output_names_.push_back(std::move(name));
  return absl::OkStatus();
}

void Rewriter::SetName(Value* value, std::string name) {
  if (value->kind() == Value::Kind::kTensor && value->producer() == nullptr) {
    graph_.taken_input_names_.erase(value->name_);
    graph_.taken_input_names_.insert(name);
  }
  Changes();
  value->name_ = std::move(name);
}

absl::Status Rewriter::CheckOperands(const OpInfo& info, absl::Span<Value* const> operands) const {
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandSpec* const spec = OperandSpecAt(info, i);
    if (spec == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat(operands.size(), " operands, the most are ", info.operands.size()));
    }
    const Value* const value = operands[i];
    const auto operand = [&] {
      return absl::StrCat("operand ", i, " `", AbslView(spec->name), "`");
    };
    if (value == nullptr) {
      if (spec->arity == Arity::kOptional) continue;
      return absl::InvalidArgumentError(operand() + " is absent");
    }
    if (value->kind() != Value::Kind::kTensor) {
      return absl::InvalidArgumentError(operand() + " is a barrier");
    }
    if (!Owns(value)) return absl::InvalidArgumentError(operand() + " belongs to another graph");
  }
  for (size_t i = operands.size(); i < info.operands.size(); ++i) {
    if (info.operands[i].arity == Arity::kRequired) {
      return absl::InvalidArgumentError(
          absl::StrCat("operand ", i, " `", AbslView(info.operands[i].name), "` is missing"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Operation*> Rewriter::Create(const OpInfo& info, std::vector<Value*> operands,
                                            std::vector<Attribute> attrs) {
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<OperandInfo<Expr>> infos;
  const auto fail = [&](const absl::Status& status, Blame blame) {
    std::vector<std::string> names;
    for (const Value* operand : operands) {
      names.push_back(operand == nullptr ? "" : operand->name());
    }
    return Explain(status, {info, infos, names, attrs, location_}, blame);
  };
  if (info.build != nullptr) {
    return fail(absl::InvalidArgumentError("a builder is expanded, never an operation"), {});
  }
  absl::Status status = CheckOperands(info, operands);
  infos = InfosOf(operands);
  if (!status.ok()) return fail(status, {});
  for (size_t i = 0; i < operands.size() && insertion_point_ != nullptr; ++i) {
    const Operation* const producer = operands[i] == nullptr ? nullptr : operands[i]->producer();
    if (producer == nullptr || OperationList::Precedes(*producer, *insertion_point_)) continue;
    return fail(absl::InvalidArgumentError(
                    absl::StrCat("operand ", i, " does not precede the insertion point")),
                {Blame::kOperand, i});
  }
  if (attrs.size() > info.attrs.size()) {
    return fail(absl::InvalidArgumentError(
                    absl::StrCat(attrs.size(), " attributes, the most are ", info.attrs.size())),
                {});
  }
  attrs.resize(info.attrs.size());
  Blame blame;
  status = CheckAttrs(info, attrs, blame);
  if (!status.ok()) return fail(status, blame);
  // As inference sees them: an entry for each absent operand.
  std::vector<OperandInfo<Expr>> padded = infos;
  if (padded.size() < info.operands.size()) padded.resize(info.operands.size());
  if (!info.operands.empty() && info.operands.back().arity == Arity::kVariadic &&
      infos.size() < info.operands.size()) {
    padded.pop_back();
  }
  status = info.complete(padded, attrs);
  if (status.ok() && attrs.size() != info.attrs.size()) {
    status = absl::InternalError("completion changed the number of attributes");
    attrs.resize(info.attrs.size());
  }
  if (status.ok()) status = CheckAttrs(info, attrs, blame);
  if (!status.ok()) return fail(status, blame);
  std::string failed;
  absl::StatusOr<Inferred> inferred =
      Infer(info, std::move(padded), attrs, graph_.context(), &failed);
  if (!inferred.ok()) {
    absl::Status explained = fail(inferred.status(), BlameFor(info, failed));
    NoteConstraint(failed, explained);
    return explained;
  }

  std::unique_ptr<Operation> op(new Operation);
  op->info_ = &info;
  op->operands_ = std::move(operands);
  op->attrs_ = std::move(attrs);
  return Insert(std::move(op), *std::move(inferred));
}

Value* Rewriter::CreateConstant(Tensor tensor) {
  std::unique_ptr<Operation> op(new Operation);
  op->info_ = &ConstantInfo();
  Inferred inferred;
  inferred.types.push_back({tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}});
  inferred.elements.push_back(TrackedElements(tensor));
  inferred.progressions.push_back(inferred.elements[0] == nullptr ? ExtremesOf(tensor) : nullptr);
  op->payload_ = std::make_unique<Tensor>(std::move(tensor));
  return Insert(std::move(op), std::move(inferred))->result();
}

absl::StatusOr<Value*> Rewriter::CreateSymbolicConstant(DType dtype, std::vector<int64_t> shape,
                                                        std::vector<Expr> elements) {
  std::vector<int64_t> numbers;
  for (const Expr& element : elements) {
    if (element.IsInvalid()) {
      return absl::OutOfRangeError("an element of a symbolic constant overflows 64 bits");
    }
    if (const auto number = element.Constant()) numbers.push_back(*number);
  }
  if (numbers.size() == elements.size()) {
    const absl::StatusOr<int64_t> count = ElementCount(shape, SizeOf(dtype));
    if (!count.ok()) return count.status();
    if (*count != static_cast<int64_t>(numbers.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(numbers.size(), " elements for a constant of ", *count));
    }
    Tensor tensor = Tensor::Of<int64_t>(dtype, std::move(shape), numbers);
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (!IsInteger(dtype) || tensor.AsInt(static_cast<int64_t>(i)) == numbers[i]) continue;
      return absl::OutOfRangeError(
          absl::StrCat("element ", numbers[i], " does not fit ", AbslView(NameOf(dtype))));
    }
    for (const Expr& element : elements) {
      if (element.IsLiteral()) continue;
      Obligation decision;
      decision.constraint = "decided.number";
      decision.predicate = solver::Eq(element, *element.Constant());
      decision.by = "normal-form";
      AddProved(std::move(decision), std::string(ConstantInfo().name), location_);
    }
    return CreateConstant(std::move(tensor));
  }
  if (elements.size() > static_cast<size_t>(kMaxTrackedElements)) {
    return absl::InvalidArgumentError(absl::StrCat("a symbolic constant of ", elements.size(),
                                                   " elements, the most are ",
                                                   kMaxTrackedElements));
  }
  const absl::StatusOr<Operation*> op =
      Create(SymbolicConstantInfo(), {}, {dtype, std::move(shape), std::move(elements)});
  if (!op.ok()) return op.status();
  return (*op)->result();
}

Operation* Rewriter::Insert(std::unique_ptr<Operation> owned, Inferred inferred) {
  Changes();
  Operation& op = *owned;
  op.id_ = static_cast<int>(graph_.operations_.size());
  op.location_ = location_;
  graph_.operations_.push_back(std::move(owned));
  graph_.list_.InsertBefore(op, insertion_point_);

  std::vector<Value*> operands = std::move(op.operands_);
  op.operands_.assign(operands.size(), nullptr);
  op.operand_slots_.assign(operands.size(), -1);
  for (size_t i = 0; i < operands.size(); ++i) Link(op, i, operands[i]);
  for (size_t i = 0; i < inferred.types.size(); ++i) {
    Value* const result = NewValue(Value::Kind::kTensor);
    result->producer_ = &op;
    result->result_index_ = static_cast<int>(i);
    result->type_ = std::move(inferred.types[i]);
    result->elements_ = std::move(inferred.elements[i]);
    result->progression_ = std::move(inferred.progressions[i]);
    op.results_.push_back(result);
  }
  op.inferences_ = 1;
  Own(op, std::move(inferred.open), std::move(inferred.proved));
  if (on_create_) on_create_(&op);
  return &op;
}

void Rewriter::Own(Operation& op, std::vector<Obligation> open, std::vector<Obligation> proved) {
  for (Obligation& obligation : proved) {
    AddProved(std::move(obligation), std::string(op.info().name), op.location());
  }
  for (Obligation& obligation : open) {
    obligation.inference = op.inferences_;
    AddObligation(std::move(obligation), std::string(op.info().name), &op);
  }
}

void Rewriter::AddObligation(Obligation open, std::string op_name, const Operation* owner) {
  Changes();
  open.op = std::move(op_name);
  if (owner != nullptr) open.location = owner->location();
  if (owner == nullptr && open.location.scopes.empty()) open.location = location_;
  open.owner = owner == nullptr ? -1 : owner->id();
  if (owner != nullptr) {
    graph_.operations_[static_cast<size_t>(open.owner)]->has_obligations_ = true;
  }
  graph_.obligations_.push_back(std::move(open));
}

void Rewriter::AddProved(Obligation proved, std::string op_name, const Location& location) {
  if (proved.predicate.IsLiteral()) return;
  proved.predicate = solver::Derived(proved.predicate);
  proved.op = std::move(op_name);
  proved.location = location;
  if (!graph_.proved_keys_.insert(KeyOf(proved)).second) return;
  graph_.proved_.push_back(std::move(proved));
}

void Rewriter::FilterObligations(absl::FunctionRef<bool(const Obligation&)> keep) {
  Changes();
  graph_.obligations();  // sweeps
  auto& all = graph_.obligations_;
  all.erase(std::remove_if(all.begin(), all.end(), [&](const Obligation& o) { return !keep(o); }),
            all.end());
}

void Rewriter::Link(Operation& op, size_t index, Value* value) {
  op.operands_[index] = value;
  op.operand_slots_[index] = -1;
  if (value == nullptr) return;
  op.operand_slots_[index] = static_cast<int>(value->uses_.size());
  value->uses_.push_back({&op, static_cast<int>(index)});
}

void Rewriter::Unlink(Operation& op, size_t index) {
  Value* const value = op.operands_[index];
  if (value == nullptr) return;
  const auto slot = static_cast<size_t>(op.operand_slots_[index]);
  const Use moved = value->uses_[slot] = value->uses_.back();
  moved.op->operand_slots_[static_cast<size_t>(moved.index)] = static_cast<int>(slot);
  value->uses_.pop_back();
  op.operands_[index] = nullptr;
  op.operand_slots_[index] = -1;
}

void Rewriter::LinkBarrier(Operation& op, Value* barrier) {
  op.barrier_slots_.push_back(static_cast<int>(barrier->uses_.size()));
  barrier->uses_.push_back({&op, static_cast<int>(op.barriers_.size())});
  op.barriers_.push_back(barrier);
}

void Rewriter::UnlinkBarrier(Operation& op, size_t index) {
  Value* const barrier = op.barriers_[index];
  const auto slot = static_cast<size_t>(op.barrier_slots_[index]);
  const Use moved = barrier->uses_[slot] = barrier->uses_.back();
  moved.op->barrier_slots_[static_cast<size_t>(moved.index)] = static_cast<int>(slot);
  barrier->uses_.pop_back();
}

bool Rewriter::IsUnused(const Operation& op) {
  if (op.info().effect) return false;
  if (op.barrier_ != nullptr && !op.barrier_->uses_.empty()) return false;
  return std::all_of(op.results_.begin(), op.results_.end(), [](const Value* result) {
    return result->uses_.empty() && result->outputs_.empty();
  });
}

void Rewriter::Erase(Operation* op, std::vector<Operation*>& maybe_unused) {
  Changes();
  if (on_erase_) on_erase_(op);
  for (size_t i = 0; i < op->operands_.size(); ++i) {
    const Value* const operand = op->operands_[i];
    if (operand == nullptr) continue;
    if (operand->producer() != nullptr) maybe_unused.push_back(operand->producer());
    Unlink(*op, i);
  }
  for (size_t i = 0; i < op->barriers_.size(); ++i) {
    maybe_unused.push_back(op->barriers_[i]->producer());
    UnlinkBarrier(*op, i);
  }
  if (insertion_point_ == op) insertion_point_ = OperationList::Next(*op);
  graph_.list_.Remove(*op);
  graph_.obligations_stale_ |= op->has_obligations_;
  for (const Value* result : op->results_) {
    graph_.values_[static_cast<size_t>(result->id())].reset();
  }
  if (op->barrier_ != nullptr) {
    graph_.values_[static_cast<size_t>(op->barrier_->id())].reset();
  }
  graph_.operations_[static_cast<size_t>(op->id())].reset();
}

void Rewriter::EraseIfUnused(Operation* op) {
  if (op == nullptr || !IsUnused(*op)) return;
  // Ids are looked up: one producer may be mentioned twice and be gone the second time.
  std::vector<int> candidates{op->id()};
  std::vector<Operation*> freed;
  while (!candidates.empty()) {
    Operation* const candidate = graph_.operations_[static_cast<size_t>(candidates.back())].get();
    candidates.pop_back();
    if (candidate == nullptr || !IsUnused(*candidate)) continue;
    freed.clear();
    Erase(candidate, freed);
    for (const Operation* producer : freed) candidates.push_back(producer->id());
  }
}

Rewriter::Mark Rewriter::Here() const { return {graph_.list_.last(), graph_.proved_.size()}; }

size_t Rewriter::EraseUnused() {
  return EraseUnusedBehind(nullptr, [](const Operation&) { return true; });
}

void Rewriter::TakeBackSince(const Mark& mark) {
  EraseUnusedBehind(mark.last, [](const Operation& op) {
    return op.results().empty() || op.result(0)->constant() == nullptr;
  });
  while (graph_.proved_.size() > mark.proved) {
    graph_.proved_keys_.erase(KeyOf(graph_.proved_.back()));
    graph_.proved_.pop_back();
  }
}

size_t Rewriter::EraseUnusedBehind(const Operation* last,
                                   absl::FunctionRef<bool(const Operation&)> may_go) {
  size_t count = 0;
  std::vector<Operation*> freed;
  for (Operation* op = graph_.list_.last(); op != last;) {
    Operation* const previous = OperationList::Previous(*op);
    if (IsUnused(*op) && may_go(*op)) {
      freed.clear();
      Erase(op, freed);
      ++count;
    }
    op = previous;
  }
  return count;
}

}  // namespace tessera::ir
