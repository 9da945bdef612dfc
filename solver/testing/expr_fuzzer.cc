// The solver against plain evaluation, on terms that bytes stand for: a target of libFuzzer. Its
// driver is the test beside it, which runs everywhere. Where there is a clang, coverage drives it:
// clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. and the absl that the packages
// have, on solver/testing/{expr_fuzzer,check_expression,random_rewrites,random_terms}.cc and all of
// the sources of //solver:expr; then ./a.out -max_len=256 CORPUS solver/testdata/expr_fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/types/span.h"
#include "solver/testing/check_expression.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tessera::solver::Choices;
  using tessera::solver::ExpressionChecker;
  ExpressionChecker checker;
  Choices choices(absl::Span<const uint8_t>(data, size));
  const std::string wrong =
      choices.OneIn(4) ? checker.CheckDecision(choices) : checker.CheckForm(choices);
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
