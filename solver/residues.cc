#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "solver/bounds.h"
#include "solver/prover.h"
#include "solver/rules.h"

namespace tessera::solver::internal {
namespace {

constexpr int64_t kMaxResidueCases = 4096;
// Each case is tried with all hypotheses, combined with each other: cases times the square of the
// hypotheses' terms. Beyond, a statement takes seconds, and is not decided after all.
constexpr int64_t kMaxResidueWork = int64_t{1} << 16;

// The common multiple of the products of constant divisors above each leaf.
class Moduli {
 public:
  struct Entry {
    const Node* leaf;
    int64_t modulus;
  };

  // False: too many ways or too large.
  bool Collect(const Node* node, int64_t modulus) {
    if (node == nullptr || node->kind == Kind::kInvalid) return node == nullptr;
    if (!seen_.insert({node, modulus}).second) return true;
    if (seen_.size() > 512) return false;
    if (node->kind == Kind::kSymbol || node->kind == Kind::kQuotient)
      return modulus == 1 || Add(node, modulus);
    const absl::Span<const Slot> slots = node->slots();
    if (node->kind == Kind::kQuotient) return true;
    if (node->kind == Kind::kFloor && slots[1].node == nullptr) {
      int64_t product;
      if (__builtin_mul_overflow(modulus, slots[1].value, &product) || product > kMaxResidueCases)
        return false;
      return Collect(slots[0].node, product);
    }
    return std::all_of(slots.begin(), slots.end(),
                       [&](const Slot& slot) { return Collect(slot.node, modulus); });
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  bool Add(const Node* leaf, int64_t modulus) {
    for (Entry& entry : entries_) {
      if (entry.leaf == leaf) {
        entry.modulus = std::lcm(entry.modulus, modulus);
        return entry.modulus <= kMaxResidueCases;
      }
    }
    entries_.push_back({leaf, modulus});
    return true;
  }

  absl::flat_hash_set<std::pair<const Node*, int64_t>> seen_;
  std::vector<Entry> entries_;
};

}  // namespace

bool Prover::ProveByResidues(const Expr& e) {
  Moduli moduli;
  if (!moduli.Collect(Store::NodeOf(e), 1) || moduli.entries().empty()) return false;
  int64_t cases = 1;
  uint64_t symbols = 0;
  for (const Moduli::Entry& entry : moduli.entries()) {
    cases *= entry.modulus;
    if (cases > kMaxResidueCases) return false;
    symbols |= entry.leaf->symbols;
  }
  int64_t terms = 0;
  for (const Poly& h : hypotheses_) terms += static_cast<int64_t>(h.terms.size());
  if (terms > kMaxResidueWork || cases * terms * terms > kMaxResidueWork) return false;
  const std::vector<Poly> hypotheses = hypotheses_;
  for (int64_t index = 0; index < cases; ++index) {
    bool occurs = true;
    const auto leaf = [&](const Node* node) -> Expr {
      int64_t rest = index;
      for (const Moduli::Entry& entry : moduli.entries()) {
        const int64_t residue = rest % entry.modulus;
        rest /= entry.modulus;
        if (entry.leaf != node) continue;
        const bool quotient = node->kind == Kind::kQuotient;
        const int64_t stride = quotient ? node->slots()[0].value : 1;
        const int64_t offset = quotient ? node->slots()[1].value : 0;
        int64_t whole;
        if (__builtin_mul_overflow(stride, entry.modulus, &whole)) return Store::Of(node);
        // node = modulus*q + residue, hence symbol = stride*modulus*q + stride*residue + offset
        const Expr q = store_.Quotient(node->constant, whole, stride * residue + offset);
        const Range range = RangeOf(q);
        occurs = occurs && range.lo <= range.hi;
        if (range.lo == range.hi) return Expr(range.lo) * entry.modulus + residue;
        return q * entry.modulus + residue;
      }
      return Store::Of(node);
    };
    // Residues that a range excludes make no case: an empty range must not reach the rules.
    for (const Moduli::Entry& entry : moduli.entries()) leaf(entry.leaf);
    if (!occurs) continue;
    const Replacement replacement{.leaf = leaf, .symbols = symbols, .atom = nullptr, .value = 0};
    const Expr there = ToProposition(Rebuild(e, replacement));
    if (there == Expr(1)) continue;
    if (there == Expr(0)) return false;
    hypotheses_.clear();
    for (const Poly& h : hypotheses) {
      const Expr e_there = Rebuild(Finish(store_, h), replacement);
      if (!IsInvalid(e_there)) hypotheses_.emplace_back(e_there);
    }
    const bool proved = ProveHere(there, kMaxCaseDepth - 2);
    hypotheses_ = hypotheses;
    if (!proved) return false;
  }
  return Used(Layer::kResidues);
}

}  // namespace tessera::solver::internal
