// Expressions of sizes and axes, evaluated many times over.
#ifndef TESSERA_NESTS_INDEX_PROGRAM_H_
#define TESSERA_NESTS_INDEX_PROGRAM_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "solver/expr.h"

namespace tessera::nests {

// Which slot holds the value of a symbol.
class Slots {
 public:
  // The slot of a new symbol, or of one that hides another of the same name until Close.
  size_t Open(const std::string& name);
  void Close(const std::string& name);
  // -1: unknown.
  int64_t Find(std::string_view name) const;
  size_t size() const { return count_; }

 private:
  std::map<std::string, std::vector<size_t>, std::less<>> slots_;
  size_t count_ = 0;
};

// A division by what is not positive yields 0: such values are in branches not taken.
class IndexProgram {
 public:
  IndexProgram() = default;
  // Error: a symbol without a slot, or an invalid expression.
  static absl::Status Compile(const solver::Expr& e, const Slots& slots, IndexProgram& program);
  int64_t Run(absl::Span<const int64_t> values) const;

 private:
  struct Step {
    solver::ExprKind kind;
    int64_t number = 0;  // a constant, a slot, or how many values are taken
    std::vector<int64_t> coefficients;
  };
  absl::Status Add(const solver::Expr& e, const Slots& slots);
  std::vector<Step> steps_;  // postfix
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_INDEX_PROGRAM_H_
