#include "tools/proving/certify.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/order.h"
#include "solver/certificate/smtlib.h"
#include "solver/decide.h"
#include "solver/shared_syntax.h"
#include "solver/syntax.h"
#include "support/sha256.h"

namespace tessera::proving {
namespace {

using certificate::Certificate;

constexpr char kImport[] = "import";  // the stage
using solver::Range;

std::string StatementOf(const solver::Expr& e) { return solver::ToText(solver::DerivationOf(e)); }

using Symbols = std::vector<const solver::SymbolInfo*>;

// Those of the network.
Symbols SymbolsOf(const solver::Context& context, const Ledger& ledger) {
  Symbols symbols = context.symbols();
  symbols.resize(std::min(symbols.size(), ledger.symbols()));
  return symbols;
}

void AddSymbols(const solver::Context& context, const Symbols& symbols, Certificate& certificate) {
  for (const solver::SymbolInfo* symbol : symbols) {
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

// The least sizes that are declared; nothing: not all facts hold of them.
std::optional<certificate::Assignment> LeastSizes(const solver::Context& context,
                                                  const Symbols& symbols) {
  certificate::Assignment least;
  solver::Assignment sizes;
  for (const solver::SymbolInfo* symbol : symbols) {
    if (symbol->range.lo == Range::kNegInf) return std::nullopt;
    least[symbol->name] = sizes[symbol->name] = symbol->range.lo;
  }
  for (const solver::Fact& fact : context.facts()) {
    const absl::StatusOr<int64_t> holds = solver::Evaluate(fact.predicate, sizes);
    if (!holds.ok() || *holds == 0) return std::nullopt;
  }
  return least;
}

// Sizes under which all facts hold: the least, or a counterexample of what is always false.
absl::StatusOr<certificate::Assignment> WitnessOf(solver::Context& context,
                                                  const Symbols& symbols) {
  if (std::optional<certificate::Assignment> least = LeastSizes(context, symbols)) return *least;
  const solver::Verdict verdict = solver::Decide(context, solver::Expr(0));
  if (verdict.kind != solver::Verdict::kRefuted) {
    return absl::InvalidArgumentError(
        "no sizes were found that satisfy what is declared of them: nothing can be certified");
  }
  certificate::Assignment witness;
  for (const solver::SymbolInfo* symbol : symbols) {
    const absl::StatusOr<int64_t> value =
        solver::Evaluate(context.Symbol(symbol->name), verdict.counterexample);
    witness[symbol->name] = value.ok() ? *value : symbol->range.lo;
  }
  return witness;
}

// Texts that are filled in when all of them are known.
class SharedTexts {
 public:
  // `text` must stay where it is.
  void Put(const solver::Expr& e, std::string* text) {
    if (e.IsConstant() && e.IsLiteral()) {
      *text = absl::StrCat(*e.Constant());
      return;
    }
    roots_.push_back(shared_.Add(e));
    places_.push_back(text);
  }
  void Put(const std::vector<solver::Expr>& list, std::vector<std::string>& texts) {
    texts.resize(list.size());
    for (size_t i = 0; i < list.size(); ++i) Put(list[i], &texts[i]);
  }
  // Called when all texts are there.
  void WhenDone(std::function<void()> f) { done_ = std::move(f); }
  // The terms that they share.
  std::vector<std::string> Finish() {
    solver::SharedTexts texts = solver::ToTexts(shared_.syntax(), roots_);
    for (size_t i = 0; i < places_.size(); ++i) *places_[i] = std::move(texts.texts[i]);
    if (done_) done_();
    return std::move(texts.definitions);
  }

 private:
  solver::SharedSyntax shared_;
  std::vector<uint32_t> roots_;
  std::vector<std::string*> places_;
  std::function<void()> done_;
};

void AddObligations(const Ledger& ledger, Certificate& certificate, SharedTexts& texts) {
  // A statement that is not large is to be read without looking elsewhere.
  constexpr size_t kLarge = 64;
  using Key = std::tuple<std::string, std::string, std::vector<std::string>, const void*>;
  absl::flat_hash_set<Key> seen;
  absl::flat_hash_map<const void*, size_t> first;  // obligation by derivation: many recur
  std::vector<std::pair<size_t, size_t>> same;
  std::vector<solver::Expr> large;
  std::vector<size_t> of_large;
  certificate.obligations.reserve(ledger.entries().size());
  seen.reserve(ledger.entries().size());
  for (const Entry& entry : ledger.entries()) {
    certificate::Obligation obligation;
    obligation.id = entry.obligation.constraint;
    obligation.stage = entry.stage;
    obligation.op = entry.obligation.op;
    obligation.scopes = entry.obligation.location.scopes;
    if (!obligation.scopes.empty()) obligation.node = obligation.scopes.front();
    const solver::Expr predicate = solver::Derived(entry.obligation.predicate);
    const void* const derivation = predicate.derivation();
    // The artifact has a guard for each place.
    std::vector<std::string> places =
        entry.guarded ? obligation.scopes : std::vector<std::string>{obligation.node};
    if (!seen.emplace(obligation.id, obligation.op, std::move(places), derivation).second) continue;
    // Of what is proved there is nothing to say at run time.
    if (entry.guarded) obligation.message = entry.obligation.message;
    obligation.verdict =
        entry.guarded ? certificate::Verdict::kGuarded : certificate::Verdict::kProved;
    const size_t index = certificate.obligations.size();
    const auto [known, fresh] = first.try_emplace(derivation, index);
    if (!fresh) {
      same.emplace_back(index, known->second);
    } else if (const solver::Syntax syntax = solver::DerivationOf(predicate);
               syntax.nodes.size() <= kLarge) {
      obligation.statement = solver::ToText(syntax);
    } else {
      large.push_back(predicate);
      of_large.push_back(index);
    }
    certificate.obligations.push_back(std::move(obligation));
  }
  // Now they stay where they are.
  for (size_t i = 0; i < large.size(); ++i)
    texts.Put(large[i], &certificate.obligations[of_large[i]].statement);
  texts.WhenDone([&certificate, same = std::move(same)] {
    for (const auto& [index, known] : same)
      certificate.obligations[index].statement = certificate.obligations[known].statement;
  });
}

void AddTensor(const RecordedTensor& recorded, certificate::ListedTensor& tensor,
               SharedTexts& texts) {
  tensor.name = recorded.name;
  tensor.type = recorded.type;
  texts.Put(recorded.dims, tensor.dims);
  if (recorded.elements) texts.Put(*recorded.elements, tensor.elements.emplace());
}

void AddImported(const Record& imported, Certificate& certificate, SharedTexts& texts) {
  absl::flat_hash_map<std::pair<std::string, std::string>, std::vector<int64_t>> obligations;
  for (size_t i = 0; i < certificate.obligations.size(); ++i) {
    const certificate::Obligation& o = certificate.obligations[i];
    if (o.stage == kImport) obligations[{o.node, o.op}].push_back(static_cast<int64_t>(i));
  }
  certificate.inputs.resize(imported.inputs.size());
  for (size_t i = 0; i < imported.inputs.size(); ++i)
    AddTensor(imported.inputs[i], certificate.inputs[i], texts);
  certificate.outputs = imported.outputs;
  certificate.operations.resize(imported.operations.size());
  for (size_t i = 0; i < imported.operations.size(); ++i) {
    const RecordedOperation& recorded = imported.operations[i];
    certificate::ListedOperation& operation = certificate.operations[i];
    operation.node = recorded.node;
    operation.op = recorded.op;
    operation.operands = recorded.operands;
    operation.results.resize(recorded.results.size());
    for (size_t k = 0; k < recorded.results.size(); ++k)
      AddTensor(recorded.results[k], operation.results[k], texts);
    if (const auto it = obligations.find({recorded.node, recorded.op}); it != obligations.end())
      operation.obligations = it->second;
  }
}

}  // namespace

certificate::FileDigest DigestOf(const std::string& path, absl::Span<const uint8_t> bytes) {
  return NamedDigest(path, static_cast<int64_t>(bytes.size()), support::Sha256(bytes));
}

certificate::FileDigest NamedDigest(const std::string& path, int64_t bytes, std::string sha256) {
  certificate::FileDigest digest;
  digest.file = path.substr(path.rfind('/') + 1);
  digest.bytes = bytes;
  digest.sha256 = std::move(sha256);
  return digest;
}

absl::StatusOr<certificate::FileDigest> DigestOfFile(const std::string& path) {
  absl::StatusOr<support::FileSha256> file = support::Sha256OfFile(path);
  if (!file.ok()) return file.status();
  return NamedDigest(path, file->bytes, std::move(file->digest));
}

absl::StatusOr<std::vector<certificate::FileDigest>> DigestsOfData(
    const std::map<std::string, std::string>& data) {
  std::vector<certificate::FileDigest> digests;
  for (const auto& [location, path] : data) {
    absl::StatusOr<certificate::FileDigest> digest = DigestOfFile(path);
    if (!digest.ok()) return digest.status();
    digest->file = location;
    digests.push_back(*std::move(digest));
  }
  return digests;
}

absl::StatusOr<Certificate> Certify(ir::Graph& graph, const Record& imported, const Ledger& ledger,
                                    std::vector<std::string> options) {
  Certificate certificate;
  certificate.options = std::move(options);
  solver::Context& context = graph.context();
  const Symbols symbols = SymbolsOf(context, ledger);
  AddSymbols(context, symbols, certificate);
  absl::StatusOr<certificate::Assignment> witness = WitnessOf(context, symbols);
  if (!witness.ok()) return witness.status();
  certificate.witness = *std::move(witness);

  SharedTexts texts;
  AddObligations(ledger, certificate, texts);
  AddImported(imported, certificate, texts);
  certificate.terms = texts.Finish();
  certificate::PutInOrder(certificate);
  const absl::Status status = certificate::FillSmtLib(certificate);
  if (!status.ok()) return status;
  return certificate;
}

}  // namespace tessera::proving
