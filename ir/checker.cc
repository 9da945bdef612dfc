#include "ir/checker.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "solver/assignment.h"
#include "solver/data_sizes.h"
#include "solver/remedy.h"
#include "solver/syntax.h"

namespace tessera::ir {
namespace {

// What a constraint counts beyond 64 bits is no mistake of who asked: there is no such size.
absl::Status Violation(std::string_view id, const std::string& message, bool overflows = false) {
  return absl::Status(
      overflows ? absl::StatusCode::kOutOfRange : absl::StatusCode::kInvalidArgument,
      absl::StrCat("constraint `", AbslView(id), "`: ", message));
}

// ` (`PREDICATE` is false for H=33, W=2)`
std::string Witness(const Expr& predicate, const solver::Assignment& sizes,
                    const std::vector<solver::Remedy>& remedies) {
  if (predicate.IsConstant()) return "";
  std::string text = absl::StrCat(" (`", predicate.ToString(), "` is false");
  if (!sizes.empty()) absl::StrAppend(&text, " for ", solver::ToText(sizes));
  if (!remedies.empty()) absl::StrAppend(&text, "; true with ", solver::ToText(remedies));
  return text + ")";
}

}  // namespace

bool Checker<int64_t>::Require(std::string_view id, bool holds,
                               absl::FunctionRef<std::string()> message) {
  if (holds) return true;
  if (status_.ok()) {
    status_ = Violation(id, message());
    failed_ = std::string(id);
  }
  return false;
}

bool Checker<Expr>::Refutes(const Expr& proposition) const {
  return !proposition.IsInvalid() &&
         solver::Decide(context_, proposition).kind == solver::Verdict::kRefuted;
}

bool Checker<Expr>::Require(std::string_view id, bool holds,
                            absl::FunctionRef<std::string()> message) {
  return Require(id, Expr(holds ? 1 : 0), message);
}

bool Checker<Expr>::Require(std::string_view id, Expr holds,
                            absl::FunctionRef<std::string()> message) {
  if (holds.IsLiteral() && *holds.Constant() != 0) return true;
  std::string why;
  std::vector<solver::Remedy> remedies;
  if (holds.IsInvalid()) {
    why =
        " (a size overflows 64 bits, or takes too many terms to write, as such do that are divided "
        "again and again)";
  } else {
    const solver::Verdict verdict = solver::Decide(context_, holds);
    if (verdict.kind == solver::Verdict::kProved) {
      Obligation& obligation = proved_.emplace_back();
      obligation.constraint = std::string(id);
      obligation.predicate = holds;
      obligation.by = verdict.by;
      return true;
    }
    // Where data can be such that it holds, whoever executes the network sees whether they are.
    if (verdict.kind == solver::Verdict::kUnknown || solver::HoldsForSomeData(context_, holds)) {
      Obligation& obligation = open_.emplace_back();
      obligation.constraint = std::string(id);
      obligation.message = message();
      obligation.predicate = holds;
      return true;
    }
    // The statement as it was computed must be false there too, whatever the normal form says.
    const absl::StatusOr<int64_t> value =
        solver::EvaluateSyntax(solver::DerivationOf(holds), verdict.counterexample);
    if (value.ok() && *value != 0 && status_.ok()) {
      status_ = absl::InternalError(
          absl::StrCat("constraint `", AbslView(id), "`: `", holds.ToString(),
                       "` is refuted by sizes for which what it was computed from holds"));
      return false;
    }
    if (status_.ok()) {
      remedies = solver::FindRemedies(context_, holds, verdict.counterexample);
      why = Witness(holds, verdict.counterexample, remedies);
    }
  }
  if (status_.ok()) {
    // What is that large or long is not written down.
    status_ = Violation(id, holds.IsInvalid() ? "cannot be told" + why : message() + why,
                        holds.IsInvalid());
    if (!remedies.empty()) solver::Attach(remedies.front(), status_, std::string(id));
    failed_ = std::string(id);
  }
  return false;
}

}  // namespace tessera::ir
