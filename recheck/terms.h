// Integer terms over symbols, as definitions compute them: nothing is simplified but operations on
// numbers, and operands that change nothing.
#ifndef TESSERA_RECHECK_TERMS_H_
#define TESSERA_RECHECK_TERMS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "solver/certificate/statement.h"

namespace tessera::recheck {

using certificate::Operator;

// An index into Terms; equal terms have equal ones. Comparisons and logic are 0 or 1.
using Dim = uint32_t;

class Terms {
 public:
  Dim Integer(int64_t value);
  Dim Symbol(const std::string& name);
  // That the symbol's values have a remainder, where its stride is above 1.
  void Declare(Dim symbol, int64_t stride, int64_t residue) {
    remainders_[symbol] = {stride, residue};
  }
  // Stride and remainder.
  std::pair<int64_t, int64_t> RemainderOf(Dim symbol) const {
    const auto it = remainders_.find(symbol);
    return it == remainders_.end() ? std::pair<int64_t, int64_t>{1, 0} : it->second;
  }
  // Operands that the operator does not take are ignored. What leaves 64 bits, and divisors less
  // than 1, stay terms.
  Dim Make(Operator op, Dim a, Dim b = 0, Dim c = 0);
  Dim Import(const certificate::Statement& statement);
  // With terms in the place of its symbols.
  Dim Import(const certificate::Statement& statement, const std::vector<Dim>& symbols);

  std::optional<int64_t> Number(Dim dim) const;
  const std::vector<certificate::Term>& terms() const { return terms_; }
  const std::vector<std::string>& symbols() const { return symbols_; }
  // A statement whose value is that of the term.
  std::string Text(Dim dim) const;

 private:
  Dim Intern(const certificate::Term& term);

  struct Hash {
    size_t operator()(const certificate::Term& term) const;
  };
  std::vector<certificate::Term> terms_;
  std::vector<std::string> symbols_;
  absl::flat_hash_map<certificate::Term, Dim, Hash> index_;
  absl::flat_hash_map<std::string, Dim> of_symbols_;
  absl::flat_hash_map<Dim, std::pair<int64_t, int64_t>> remainders_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_TERMS_H_
