// The nodes behind Exprs and the facts behind a Context. Internal to this package.
#ifndef TESSERA_SOLVER_STORE_H_
#define TESSERA_SOLVER_STORE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "solver/expr.h"
#include "solver/slots.h"
#include "solver/syntax.h"

namespace tessera::solver::internal {

enum class Kind : uint8_t {
  kInvalid,
  kSymbol,    // constant: index of the symbol
  kQuotient,  // (symbol - residue)/stride, exact by the facts; constant: index; slots: stride,
              // residue
  kSum,  // constant + slots (monomial, coefficient), ordered; >= 2 summands or a coefficient != 1
  kProduct,  // slots: >= 2 factors, ordered
  kFloor,    // slots: numerator, divisor
  kMin,      // slots: 0 and the differences to it, see minimum.cc
  kIte,      // slots: condition, value if it holds, value if not
  kEq,       // slots: what is 0
  kGe,       // slots: what is >= 0
  kAnd,      // slots: propositions, ordered
};

struct Node {
  Store* store = nullptr;  // null: the invalid node
  uint64_t key =
      0;  // depth, then a digest of the content: the order of nodes does not depend on history
  uint32_t id = 0;  // order of creation
  Kind kind = Kind::kInvalid;
  uint16_t depth = 0;
  uint32_t size = 0;                      // number of slots, which follow this header
  mutable uint32_t generation = 0;        // facts up to this generation were used to build it
  mutable uint32_t range_generation = 0;  // of the facts that `range` follows from; 0: none
  mutable uint32_t value_stamp = 0;
  mutable uint32_t copy_stamp = 0;
  mutable bool computing_range = false;
  mutable uint8_t value_error = 0;
  int64_t constant = 0;
  uint64_t symbols = 0;  // bit i%64 for each symbol i that occurs
  mutable Range range;
  mutable int64_t value = 0;  // of the evaluation value_stamp
  mutable Slot copy{};        // of the rebuilding copy_stamp

  absl::Span<const Slot> slots() const { return {reinterpret_cast<const Slot*>(this + 1), size}; }
  bool IsProposition() const {
    return kind == Kind::kEq || kind == Kind::kGe || kind == Kind::kAnd;
  }
};
static_assert(sizeof(Node) % alignof(Slot) == 0);

// An operation as it was called.
struct Term {
  Store* store;
  Op op;
  const Term* operands[3];
  int64_t value;        // of an integer; of a symbol: its index
  uint32_t weight = 0;  // set by Intern: number of operations, shared ones counted at each use
  friend bool operator==(const Term&, const Term&) = default;
};

// The order of monomials, factors and propositions: symbols first, by declaration, then by depth,
// so that what contains another comes after it.
inline bool Before(const Node* a, const Node* b) {
  return a->key != b->key ? a->key < b->key : a->id < b->id;
}

struct SymbolEntry {
  SymbolInfo info;
  const Node* node = nullptr;
  Expr current;  // what stands for the symbol: its node, stride*quotient + residue, or its value
};

// Sizes beyond which an expression is kept as an opaque atom or becomes Invalid, so that no input
// can make the work explode.
inline constexpr size_t kMaxTerms = 512;
inline constexpr size_t kMaxProductTerms = 1024;
inline constexpr size_t kMaxDegree = 12;
inline constexpr size_t kMaxMinElements = 8;
inline constexpr uint16_t kMaxDepth = 200;

class Store {
 public:
  explicit Store(Context* context);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  static Expr Of(const Node* node) { return Expr(node); }
  static Expr Of(const Slot& slot) {
    return slot.node == nullptr ? Expr(slot.value) : Expr(slot.node);
  }
  static Expr Of(const Expr& e, const Term* term) {
    Expr result = e;
    result.term_ = term;
    return result;
  }
  static const Term* TermOf(const Expr& e) { return e.term_; }
  static Slot SlotOf(const Expr& e) { return {e.node_, e.value_}; }
  static const Node* NodeOf(const Expr& e) { return e.node_; }
  static const Node* InvalidNode();

  // The one node of this content.
  const Node* Intern(Kind kind, int64_t constant, absl::Span<const Slot> slots);
  // The same as an Expr; Invalid where a slot is or where it would be too deep.
  Expr Atom(Kind kind, int64_t constant, absl::Span<const Slot> slots);

  const Term* Intern(Term term);
  // How `e` was computed; where that is not known, a computation of its normal form.
  const Term* TermFor(const Expr& e);

  int FindSymbol(std::string_view name) const;  // -1: none
  SymbolEntry& AddSymbol(std::string name, Range range, Congruence congruence, std::string origin);
  // (symbol - residue)/stride
  Expr Quotient(int64_t symbol, int64_t stride, int64_t residue);
  // Sets `current` from range and congruence, after one of them changed.
  void Refresh(SymbolEntry& entry);
  void NewGeneration() { ++generation; }

  Context* const context;
  std::deque<SymbolEntry> symbols;
  std::vector<Fact> facts;
  std::vector<Expr> hypotheses;
  std::vector<Expr> divisors;  // not positive by ranges when they were used
  absl::flat_hash_set<Expr> divisor_set;
  bool contradictory = false;
  bool tie_rule = false;  // rule R10 is on: the second pass of a decision
  uint32_t generation = 1;
  uint32_t next_stamp = 0;
  size_t witness_generation = 0;  // number of facts, + 1, when has_witness was found out
  bool has_witness = false;
  // By goal, the layer that proved it: more facts take nothing from that. The same is asked after
  // every pass.
  absl::flat_hash_map<const Node*, const char*> proved;
  // What could not be decided when there was as much known as `undecided_when` says.
  absl::flat_hash_set<const Node*> undecided;
  std::array<size_t, 3> undecided_when{};
  // By operation, bounds of what it was computed to be, when the facts were of that generation.
  absl::flat_hash_map<const Term*, Range> term_ranges;
  uint32_t term_ranges_when = 0;
  // How much was done here, by the terms that were looked at: the same on every machine.
  uint64_t work = 0;

 private:
  struct TermHash {
    size_t operator()(const Term* term) const;
  };
  struct TermEq {
    bool operator()(const Term* a, const Term* b) const { return *a == *b; }
  };

  void* Allocate(size_t bytes);
  void Grow();

  absl::flat_hash_map<std::string, int> symbol_index_;
  absl::flat_hash_set<const Term*, TermHash, TermEq> terms_;
  absl::flat_hash_map<const Node*, const Term*> terms_of_nodes_;
  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  size_t free_bytes_ = 0;
  uint32_t node_count_ = 0;
  std::array<const Node*, 128> small_table_{};
  std::unique_ptr<const Node*[]> large_table_;
  const Node** table_ = small_table_.data();
  size_t capacity_ = 128;
};

inline uint64_t SymbolBit(int64_t index) { return uint64_t{1} << (index % 64); }

inline bool IsInvalid(const Expr& e) {
  const Node* node = Store::NodeOf(e);
  return node != nullptr && node->kind == Kind::kInvalid;
}

// `value` as the result of the operation; where the operands are numbers or of unknown origin,
// it is left alone. `value` must not be one of the operands unless `op` leaves it unchanged.
Expr Recorded(const Expr& value, Op op, const Expr& a, const Expr& b = Expr(),
              const Expr& c = Expr());
// Without its origin: what is computed from it is not recorded.
inline Expr Bare(const Expr& e) { return Store::Of(e, nullptr); }

// The store that both belong to; null where there is none, both are integers, or they disagree.
Store* CommonStore(const Expr& a, const Expr& b);

}  // namespace tessera::solver::internal

#endif  // TESSERA_SOLVER_STORE_H_
