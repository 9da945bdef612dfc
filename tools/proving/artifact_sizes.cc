#include "tools/proving/artifact_sizes.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/problem.h"
#include "solver/certificate/statement.h"
#include "solver/data_sizes.h"

namespace tessera::proving {
namespace {

using certificate::Certificate;
using Json = nlohmann::json;

void CompareSymbol(const Json& own, const certificate::DeclaredSymbol& declared,
                   std::vector<std::string>& failures) {
  const auto compare = [&](const char* key, int64_t otherwise, int64_t expected) {
    const auto value = own.find(key);
    const int64_t here =
        value != own.end() && value->is_number_integer() ? value->get<int64_t>() : otherwise;
    if (here != expected)
      failures.push_back(absl::StrCat("symbol `", declared.name, "`: `", key, "` is ", expected,
                                      ", in the artifact it is ", here));
  };
  compare("min", INT64_MIN, declared.lo.value_or(INT64_MIN));
  compare("max", INT64_MAX, declared.hi.value_or(INT64_MAX));
  // A stride of 0: a single size, which the range says too.
  if (own.contains("stride") && own["stride"] == 0 && declared.lo && declared.lo == declared.hi)
    return;
  compare("stride", 1, declared.stride);
  compare("residue", 0, declared.residue);
}

// Which of the facts the ranges of symbols do not say already.
absl::StatusOr<std::vector<size_t>> BeyondRanges(const Certificate& certificate,
                                                 const std::vector<size_t>& facts,
                                                 certificate::CheckOptions options) {
  if (facts.empty()) return facts;
  Certificate ranges;
  ranges.symbols = certificate.symbols;
  ranges.witness = certificate.witness;
  ranges.terms = certificate.terms;
  ranges.sha256 = certificate::Seal(ranges);
  options.model.clear();
  options.proofs.clear();
  options.also.clear();
  for (const size_t i : facts) options.also.push_back(certificate.facts[i].statement);
  const absl::StatusOr<certificate::CheckReport> report = certificate::Check(ranges, options);
  if (!report.ok()) return report.status();
  std::vector<size_t> beyond;
  for (size_t k = 0; k < facts.size(); ++k) {
    if (k >= report->also.size() || report->also[k].outcome != certificate::Outcome::kProved)
      beyond.push_back(facts[k]);
  }
  return beyond;
}

}  // namespace

std::string TextOf(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : "";
}

std::vector<Json> ListOf(const Json& facts, const char* key) {
  std::vector<Json> list;
  const auto it = facts.find(key);
  if (it == facts.end() || !it->is_array()) return list;
  for (const Json& each : *it) {
    if (each.is_object()) list.push_back(each);
  }
  return list;
}

void CompareSymbols(const Json& facts, const Certificate& certificate,
                    const std::set<std::string>& positions, std::vector<std::string>& failures) {
  std::set<std::string> missing;
  std::map<std::string, const certificate::DeclaredSymbol*> symbols;
  for (const certificate::DeclaredSymbol& symbol : certificate.symbols) {
    symbols[symbol.name] = &symbol;
    if (!positions.contains(symbol.name)) missing.insert(symbol.name);
  }
  for (const Json& own : ListOf(facts, "symbols")) {
    const std::string name = TextOf(own, "name");
    missing.erase(name);
    const auto it = symbols.find(name);
    if (it != symbols.end()) {
      CompareSymbol(own, *it->second, failures);
    } else {
      failures.push_back(absl::StrCat("the artifact has a symbol `", name,
                                      "`, which the certificate does not declare"));
    }
  }
  for (const std::string& name : missing)
    failures.push_back(absl::StrCat("the artifact does not check the size of the symbol `", name,
                                    "`, which the certificate declares"));
}

void CompareCounted(const Json& facts, const Certificate& certificate,
                    std::vector<std::string>& failures) {
  std::set<std::string> own, stated;
  for (const Json& counted : ListOf(facts, "counted")) {
    if (!TextOf(counted, "tensor").empty()) own.insert(TextOf(counted, "symbol"));
  }
  for (const certificate::DeclaredSymbol& symbol : certificate.symbols) {
    if (solver::IsDataSizeOrigin(symbol.origin)) stated.insert(symbol.name);
  }
  for (const std::string& name : stated) {
    if (!own.contains(name))
      failures.push_back(absl::StrCat("the artifact does not say which tensor tells `", name,
                                      "`, which data decide"));
  }
  for (const std::string& name : own) {
    if (!stated.contains(name))
      failures.push_back(absl::StrCat("the artifact says which tensor tells `", name,
                                      "`, which data do not decide"));
  }
}

absl::Status CompareRelations(const Json& facts, const Certificate& certificate,
                              certificate::CheckOptions options,
                              std::vector<std::string>& failures) {
  const absl::StatusOr<certificate::Problem> problem = certificate::Problem::Read(certificate);
  if (!problem.ok()) return problem.status();
  std::set<size_t> missing;
  for (size_t i = 0; i < problem->facts().size(); ++i) missing.insert(i);
  for (const Json& relation : ListOf(facts, "relations")) {
    const std::string text = TextOf(relation, "predicate");
    const absl::StatusOr<certificate::Claim> own = problem->ReadClaim(text);
    bool stated = false;
    for (size_t i = 0; own.ok() && i < problem->facts().size(); ++i) {
      if (!certificate::Same(problem->facts()[i].statement, own->statement)) continue;
      stated = true;
      missing.erase(i);
    }
    if (!stated)
      failures.push_back(absl::StrCat("the artifact asks for `", text,
                                      "`, which the certificate does not assume"));
  }
  const absl::StatusOr<std::vector<size_t>> beyond =
      BeyondRanges(certificate, {missing.begin(), missing.end()}, std::move(options));
  if (!beyond.ok()) return beyond.status();
  for (const size_t i : *beyond)
    failures.push_back(absl::StrCat("assumed is `",
                                    certificate::Shown(certificate.facts[i].statement),
                                    "`, which the artifact does not check at run time"));
  return absl::OkStatus();
}

}  // namespace tessera::proving
