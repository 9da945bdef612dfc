// Random terms over integers, drawn from a seed or from bytes, and their plain evaluation.
#ifndef TESSERA_SOLVER_TESTING_RANDOM_TERMS_H_
#define TESSERA_SOLVER_TESTING_RANDOM_TERMS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "solver/expr.h"
#include "solver/syntax.h"

namespace tessera::solver {

// A sequence of choices: endless from a seed, or from bytes, all 0 once these are used up.
class Choices {
 public:
  explicit Choices(uint64_t seed) : state_(seed) {}
  explicit Choices(absl::Span<const uint8_t> bytes) : bytes_(bytes), from_bytes_(true) {}

  // 0 .. n - 1; n in [1, 65536].
  uint32_t Below(uint32_t n);
  bool OneIn(uint32_t n) { return Below(n) == 0; }
  // Bytes are left; true for a seed.
  bool more() const { return !from_bytes_ || !bytes_.empty(); }

 private:
  uint64_t state_ = 0;
  absl::Span<const uint8_t> bytes_;
  bool from_bytes_ = false;
};

// Terms under construction: nodes that refer to earlier ones.
class Terms {
 public:
  using Id = uint32_t;
  Id Make(Op op, Id a = 0, Id b = 0, Id c = 0, int64_t value = 0) {
    nodes_.push_back({op, {a, b, c}, value});
    return static_cast<Id>(nodes_.size() - 1);
  }
  Id Integer(int64_t value) { return Make(Op::kInteger, 0, 0, 0, value); }
  Id Symbol(size_t index) { return Make(Op::kSymbol, 0, 0, 0, static_cast<int64_t>(index)); }
  const SyntaxNode& operator[](Id id) const { return nodes_[id]; }
  void Clear() { nodes_.clear(); }
  // The number of nodes of the term as a tree, counted up to `most`.
  size_t Size(Id id, size_t most) const;
  // What `root` consists of.
  Syntax Extract(Id root, const std::vector<std::string>& symbols) const;

 private:
  std::vector<SyntaxNode> nodes_;
};

// What a term may contain.
struct Grammar {
  int depth = 3;
  size_t free_symbols = 2;     // of any sign, x y z
  size_t divisor_symbols = 0;  // >= 1, A B; they divide, and occur elsewhere too
  bool choices = true;         // min, max, abs, ite, comparisons
};

// Names of a grammar's symbols, the free ones first.
std::vector<std::string> SymbolsOf(const Grammar& grammar);
Terms::Id RandomTerm(Choices& choices, const Grammar& grammar, Terms& terms);
Terms::Id RandomProposition(Choices& choices, const Grammar& grammar, Terms& terms);
// A divisor of the grammar, >= 1.
Terms::Id RandomDivisor(Choices& choices, const Grammar& grammar, Terms& terms);

// The value for these values of the symbols; false: it is not defined or leaves int64.
class PlainEvaluator {
 public:
  bool Evaluate(const Syntax& syntax, absl::Span<const int64_t> symbols, int64_t* value);

 private:
  std::vector<int64_t> values_;
  std::vector<char> defined_;
};

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_TESTING_RANDOM_TERMS_H_
