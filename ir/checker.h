// Receives the constraints that generated shape code meets, in one domain.
#ifndef TESSERA_IR_CHECKER_H_
#define TESSERA_IR_CHECKER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "ir/graph.h"
#include "solver/decide.h"

namespace tessera::ir {

template <class E>
class Checker;

// Concrete: a constraint holds or is an error `constraint `ID`: MESSAGE`.
template <>
class Checker<int64_t> {
 public:
  // False: stop (an error is recorded).
  bool Require(std::string_view id, bool holds, absl::FunctionRef<std::string()> message);
  static bool Refutes(bool proposition) { return !proposition; }
  absl::Status status() const { return status_; }
  // Id of the constraint that failed, empty if none did.
  std::string_view failed() const { return failed_; }

 private:
  absl::Status status_;
  std::string failed_;
};

// Symbolic: proved by normal form and ranges, refuted (an error that carries the residual and a
// size), or kept as an open obligation.
template <>
class Checker<Expr> {
 public:
  explicit Checker(solver::Context& context) : context_(context) {}
  bool Require(std::string_view id, Expr holds, absl::FunctionRef<std::string()> message);
  bool Require(std::string_view id, bool holds, absl::FunctionRef<std::string()> message);
  // Whether admissible sizes are known for which `proposition` is false; records nothing.
  bool Refutes(const Expr& proposition) const;
  absl::Status status() const { return status_; }
  std::string_view failed() const { return failed_; }
  // All that was required holds for all sizes.
  bool Settled() const { return status_.ok() && open_.empty(); }
  // Op and location are filled in by the caller.
  std::vector<Obligation>& open() { return open_; }
  std::vector<Obligation>& proved() { return proved_; }
  solver::Context& context() { return context_; }

 private:
  solver::Context& context_;
  absl::Status status_;
  std::string failed_;
  std::vector<Obligation> open_, proved_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_CHECKER_H_
