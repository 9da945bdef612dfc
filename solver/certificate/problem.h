// A certificate's symbols and facts, read, and the claims about them.
#ifndef TESSERA_SOLVER_CERTIFICATE_PROBLEM_H_
#define TESSERA_SOLVER_CERTIFICATE_PROBLEM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/statement.h"

namespace tessera::certificate {

struct Claim {
  Statement statement;
  std::vector<uint32_t> symbols;  // for each of the statement's, its index in the problem
};

class Problem {
 public:
  // Errors: a symbol declared twice, a term or fact that is none, a term that is named like a
  // symbol.
  static absl::StatusOr<Problem> Read(const Certificate& certificate);

  // Errors: it does not parse, or has a symbol that is not declared or names a term like a symbol.
  absl::StatusOr<Claim> ReadClaim(std::string_view statement) const;

  const std::vector<DeclaredSymbol>& symbols() const { return symbols_; }
  const std::vector<Claim>& facts() const { return facts_; }

  // Indices, ascending, of the symbols and facts that are connected with a claim by common symbols.
  // By the witness, the other facts can be satisfied whatever the values of these symbols are.
  struct Neighbourhood {
    std::vector<uint32_t> symbols;
    std::vector<uint32_t> facts;
  };
  Neighbourhood NeighbourhoodOf(const Claim& claim) const;

 private:
  std::vector<DeclaredSymbol> symbols_;
  std::vector<Claim> facts_;
  absl::flat_hash_map<std::string, uint32_t> index_;
  Library library_;
};

}  // namespace tessera::certificate

#endif  // TESSERA_SOLVER_CERTIFICATE_PROBLEM_H_
