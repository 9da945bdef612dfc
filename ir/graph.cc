#include "ir/graph.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"

namespace tessera::ir {

const Tensor* Value::constant() const {
  return producer_ == nullptr ? nullptr : producer_->payload();
}

const Digest& Operation::payload_digest() const {
  if (payload_digest_ == nullptr) payload_digest_ = std::make_unique<Digest>(DigestOf(*payload_));
  return *payload_digest_;
}

Digest Operation::payload_place() const {
  Hasher hasher;
  hasher.Add(std::string_view("place"));
  hasher.Add(static_cast<uint64_t>(id_));
  return hasher.digest();
}

Graph::Graph() : context_(std::make_unique<solver::Context>()) {}
Graph::~Graph() = default;

std::vector<Operation*> Graph::TopologicalOrder() const {
  std::vector<Operation*> order;
  order.reserve(list_.size());
  for (Operation* op = list_.first(); op != nullptr; op = OperationList::Next(*op)) {
    order.push_back(op);
  }
  return order;
}

const std::vector<Obligation>& Graph::obligations() const {
  if (obligations_stale_) {
    const auto dead = [this](const Obligation& obligation) {
      if (obligation.owner < 0) return false;
      const Operation* owner = operations_[static_cast<size_t>(obligation.owner)].get();
      if (owner == nullptr) return true;
      return obligation.inference != 0 && obligation.inference != owner->inferences_;
    };
    obligations_.erase(std::remove_if(obligations_.begin(), obligations_.end(), dead),
                       obligations_.end());
    obligations_stale_ = false;
  }
  return obligations_;
}

namespace {

// Numbers values by their place, as the text form does, and expressions by their text.
class GraphHasher {
 public:
  GraphHasher(solver::Context& context, size_t values)
      : context_(context), numbers_(values, kUndefined) {}
  void Add(const Expr& e) {
    auto [it, fresh] = texts_.try_emplace(e);
    if (fresh) {
      Hasher text;
      text.Add(std::string_view(context_.Renormalize(e).ToString()));
      it->second = text.digest().low;
    }
    hasher_.Add(it->second);
  }
  void Add(const TensorType& type) {
    hasher_.Add(static_cast<uint64_t>(type.dtype));
    hasher_.Add(type.dims.size());
    for (const Expr& dim : type.dims) Add(dim);
  }
  void Add(const Attribute& attribute, const AttrSpec& spec) {
    hasher_.Add(static_cast<uint64_t>(spec.kind));
    if (const auto* dims = std::get_if<std::vector<Expr>>(&attribute)) {
      hasher_.Add(dims->size());
      for (const Expr& dim : *dims) Add(dim);
    } else {
      hasher_.Add(std::string_view(ToString(attribute, spec)));
    }
  }
  void Define(const Value* value) { numbers_[static_cast<size_t>(value->id())] = defined_++; }
  void Refer(const Value* value) {
    const size_t id = value == nullptr ? numbers_.size() : static_cast<size_t>(value->id());
    hasher_.Add(id < numbers_.size() ? numbers_[id] : kUndefined);
  }
  void Add(uint64_t word) { hasher_.Add(word); }
  void Add(std::string_view text) { hasher_.Add(text); }
  void Add(const Digest& digest) {
    hasher_.Add(digest.high);
    hasher_.Add(digest.low);
  }
  uint64_t result() const { return hasher_.digest().low; }

 private:
  static constexpr uint64_t kUndefined = ~uint64_t{0};

  solver::Context& context_;
  Hasher hasher_;
  absl::flat_hash_map<Expr, uint64_t> texts_;
  std::vector<uint64_t> numbers_;  // by id
  uint64_t defined_ = 0;
};

}  // namespace

uint64_t Graph::Fingerprint() const {
  Hasher hasher;
  hasher.Add(HashSizes());
  hasher.Add(HashOperations(/*by_contents=*/true));
  return hasher.digest().low;
}

uint64_t Graph::State() const {
  // Of a context nothing goes, and what comes is a symbol or a fact.
  Hasher revision;
  revision.Add(revision_);
  revision.Add(context_->symbols().size());
  revision.Add(context_->facts().size());
  const uint64_t now = revision.digest().low;
  if (hashed_revision_ != now) {
    Hasher hasher;
    hasher.Add(HashSizes());
    hasher.Add(HashOperations(/*by_contents=*/false));
    hashed_ = hasher.digest().low;
    hashed_revision_ = now;
  }
  return hashed_;
}

uint64_t Graph::HashSizes() const {
  GraphHasher hasher(*context_, 0);
  for (const solver::SymbolInfo* symbol : context_->symbols()) {
    hasher.Add(std::string_view(symbol->name));
    hasher.Add(static_cast<uint64_t>(symbol->range.lo));
    hasher.Add(static_cast<uint64_t>(symbol->range.hi));
    hasher.Add(static_cast<uint64_t>(symbol->congruence.stride));
    hasher.Add(static_cast<uint64_t>(symbol->congruence.residue));
    hasher.Add(uint64_t{symbol->value.has_value()});
    if (symbol->value.has_value()) hasher.Add(*symbol->value);
  }
  for (const Expr& hypothesis : context_->hypotheses()) hasher.Add(hypothesis);
  return hasher.result();
}

uint64_t Graph::HashOperations(bool by_contents) const {
  GraphHasher hasher(*context_, values_.size());
  hasher.Add(inputs_.size());
  for (const Value* input : inputs_) {
    hasher.Add(std::string_view(input->name()));
    hasher.Add(input->type());
    hasher.Define(input);
  }
  std::vector<uint64_t> places(operations_.size());  // by id
  uint64_t place = 0;
  hasher.Add(list_.size());
  for (const Operation* op = list_.first(); op != nullptr; op = OperationList::Next(*op)) {
    places[static_cast<size_t>(op->id())] = place++;
    hasher.Add(op->info().dialect);
    hasher.Add(op->info().name);
    hasher.Add(op->operands().size());
    for (const Value* operand : op->operands()) hasher.Refer(operand);
    hasher.Add(op->barriers().size());
    for (const Value* barrier : op->barriers()) hasher.Refer(barrier);
    for (size_t i = 0; i < op->attrs().size(); ++i) hasher.Add(op->attr(i), op->info().attrs[i]);
    if (op->payload() != nullptr)
      hasher.Add(by_contents || !IsLarge(*op->payload()) ? op->payload_digest()
                                                         : op->payload_place());
    hasher.Add(op->results().size());
    for (const Value* result : op->results()) {
      hasher.Add(result->type());
      hasher.Define(result);
    }
    const bool ordering = op->barrier() != nullptr && !op->barrier()->UsesUnsorted().empty();
    hasher.Add(uint64_t{ordering});
    if (ordering) hasher.Define(op->barrier());
  }
  hasher.Add(outputs_.size());
  for (size_t i = 0; i < outputs_.size(); ++i) {
    hasher.Add(std::string_view(output_names_[i]));
    hasher.Refer(outputs_[i]);
  }
  // By owner, as the text form lists them: the order in which they came up is no part of a graph.
  std::vector<std::pair<uint64_t, const Obligation*>> open;
  for (const Obligation& obligation : obligations()) {
    open.emplace_back(obligation.owner < 0 ? place : places[static_cast<size_t>(obligation.owner)],
                      &obligation);
  }
  std::stable_sort(open.begin(), open.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  hasher.Add(open.size());
  for (const auto& [owner, obligation] : open) {
    hasher.Add(owner);
    hasher.Add(std::string_view(obligation->op));
    hasher.Add(std::string_view(obligation->constraint));
    hasher.Add(std::string_view(obligation->message));
    hasher.Add(obligation->predicate);
  }
  return hasher.result();
}

}  // namespace tessera::ir
