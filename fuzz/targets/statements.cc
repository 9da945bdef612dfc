// Statements, as `prove --statement` and certificates have them: in two languages of which one is
// contained in the other.
#include "solver/statements.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "fuzz/targets/target.h"
#include "solver/certificate/statement.h"

namespace tessera::fuzz {
namespace {

// Of the normal form alone: other verdicts take a solver's time.
solver::Verdict DecidedByForm(solver::Context&, const solver::Expr& claim) {
  solver::Verdict verdict;
  if (claim.IsConstant())
    verdict.kind = *claim.Constant() != 0 ? solver::Verdict::kProved : solver::Verdict::kUnknown;
  return verdict;
}

std::string TrySyntax(std::string_view text) {
  const absl::StatusOr<solver::Syntax> syntax = solver::ParseSyntax(text);
  if (!syntax.ok()) return "";
  const std::string shown = solver::ToText(*syntax);
  const absl::StatusOr<solver::Syntax> again = solver::ParseSyntax(shown);
  if (!again.ok()) return absl::StrCat("not read back: ", shown);
  if (solver::ToText(*again) != shown) return absl::StrCat("read back as something else: ", shown);
  for (const int64_t size : {int64_t{0}, int64_t{1}, int64_t{7}, int64_t{-3}, int64_t{1} << 40}) {
    solver::Assignment assignment;
    for (const std::string& symbol : syntax->symbols) assignment[symbol] = size;
    const absl::StatusOr<int64_t> one = solver::EvaluateSyntax(*syntax, assignment),
                                  other = solver::EvaluateSyntax(*again, assignment);
    if (one.ok() != other.ok() || (one.ok() && *one != *other))
      return absl::StrCat("read back with another value: ", shown);
  }
  return "";
}

}  // namespace

std::string Try(std::string_view bytes) {
  if (bytes.size() > 4096) return "";
  if (const std::string wrong = TrySyntax(bytes); !wrong.empty()) return wrong;
  (void)certificate::ParseStatement(bytes);
  const absl::StatusOr<solver::Statement> statement = solver::ParseStatement(bytes);
  if (!statement.ok()) return "";
  solver::Context context;
  (void)solver::DecideStatement(context, *statement, DecidedByForm);
  return "";
}

// One for each line of the corpus.
std::vector<std::string> Seeds(const std::vector<std::string>& corpus) {
  std::vector<std::string> seeds;
  for (const std::string& file : corpus) {
    for (const absl::string_view line : absl::StrSplit(file, '\n', absl::SkipEmpty()))
      seeds.emplace_back(line);
  }
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
