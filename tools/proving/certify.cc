#include "tools/proving/certify.h"

#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/smtlib.h"
#include "solver/decide.h"
#include "solver/syntax.h"
#include "support/sha256.h"

namespace tessera::proving {
namespace {

using certificate::Certificate;
using solver::Range;

std::string StatementOf(const solver::Expr& e) { return solver::ToText(solver::DerivationOf(e)); }

void AddSymbols(const solver::Context& context, Certificate& certificate) {
  for (const solver::SymbolInfo* symbol : context.symbols()) {
    certificate::DeclaredSymbol declared;
    declared.name = symbol->name;
    declared.origin = symbol->origin;
    if (symbol->range.lo != Range::kNegInf) declared.lo = symbol->range.lo;
    if (symbol->range.hi != Range::kPosInf) declared.hi = symbol->range.hi;
    if (symbol->congruence.stride > 1) {
      declared.stride = symbol->congruence.stride;
      declared.residue = symbol->congruence.residue;
    }
    certificate.symbols.push_back(std::move(declared));
  }
  for (const solver::Fact& fact : context.facts()) {
    if (fact.predicate.IsLiteral()) continue;
    certificate.facts.push_back({StatementOf(fact.predicate), fact.origin});
  }
}

// Sizes under which all facts hold: a counterexample of what is always false.
absl::StatusOr<certificate::Assignment> WitnessOf(solver::Context& context) {
  const solver::Verdict verdict = solver::Decide(context, solver::Expr(0));
  if (verdict.kind != solver::Verdict::kRefuted) {
    return absl::InvalidArgumentError(
        "no sizes were found that satisfy what is declared of them: nothing can be certified");
  }
  certificate::Assignment witness(verdict.counterexample.begin(), verdict.counterexample.end());
  for (const solver::SymbolInfo* symbol : context.symbols()) {
    if (witness.contains(symbol->name)) continue;
    const absl::StatusOr<int64_t> value =
        solver::Evaluate(context.Symbol(symbol->name), verdict.counterexample);
    witness[symbol->name] = value.ok() ? *value : symbol->range.lo;
  }
  return witness;
}

}  // namespace

certificate::FileDigest DigestOf(const std::string& path, absl::Span<const uint8_t> bytes) {
  const std::string_view piece(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return DigestOfPieces(path, absl::MakeConstSpan(&piece, 1));
}

certificate::FileDigest DigestOfPieces(const std::string& path,
                                       absl::Span<const std::string_view> pieces) {
  certificate::FileDigest digest;
  digest.file = path.substr(path.rfind('/') + 1);
  for (std::string_view piece : pieces) digest.bytes += static_cast<int64_t>(piece.size());
  digest.sha256 = support::Sha256(pieces);
  return digest;
}

absl::StatusOr<certificate::FileDigest> DigestOfFile(const std::string& path) {
  absl::StatusOr<support::FileSha256> file = support::Sha256OfFile(path);
  if (!file.ok()) return file.status();
  certificate::FileDigest digest;
  digest.file = path.substr(path.rfind('/') + 1);
  digest.bytes = file->bytes;
  digest.sha256 = std::move(file->digest);
  return digest;
}

absl::StatusOr<Certificate> Certify(ir::Graph& graph, const Ledger& ledger,
                                    std::vector<std::string> options) {
  Certificate certificate;
  certificate.options = std::move(options);
  solver::Context& context = graph.context();
  AddSymbols(context, certificate);
  absl::StatusOr<certificate::Assignment> witness = WitnessOf(context);
  if (!witness.ok()) return witness.status();
  certificate.witness = *std::move(witness);

  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  absl::flat_hash_set<Key> seen;
  absl::flat_hash_map<const void*, std::string> statements;  // by derivation: many recur
  for (const Entry& entry : ledger.entries()) {
    certificate::Obligation obligation;
    obligation.id = entry.obligation.constraint;
    obligation.stage = entry.stage;
    obligation.op = entry.obligation.op;
    obligation.scopes = entry.obligation.location.scopes;
    if (!obligation.scopes.empty()) obligation.node = obligation.scopes.front();
    obligation.message = entry.obligation.message;
    const solver::Expr predicate = solver::Derived(entry.obligation.predicate);
    const auto [statement, fresh] = statements.try_emplace(predicate.derivation());
    if (fresh) statement->second = StatementOf(predicate);
    obligation.statement = statement->second;
    obligation.verdict =
        entry.guarded ? certificate::Verdict::kGuarded : certificate::Verdict::kProved;
    obligation.by = entry.guarded ? "guard" : entry.obligation.by;
    if (!seen.emplace(obligation.id, obligation.op, obligation.node, obligation.statement).second) {
      continue;
    }
    certificate.obligations.push_back(std::move(obligation));
  }
  const absl::Status status = certificate::FillSmtLib(certificate);
  if (!status.ok()) return status;
  return certificate;
}

}  // namespace tessera::proving
