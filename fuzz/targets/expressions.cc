// The normal form and what is decided by it, against plain evaluation: bytes are choices of a
// random term.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "fuzz/targets/target.h"
#include "solver/testing/check_expression.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  solver::ExpressionChecker checker;
  solver::Choices choices(
      absl::Span<const uint8_t>(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  return choices.OneIn(4) ? checker.CheckDecision(choices) : checker.CheckForm(choices);
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  std::vector<std::string> seeds = {"", std::string(100, '\0'), std::string(100, '\xff')};
  testing::Random random(1);
  for (int i = 0; i < 8; ++i) {
    std::string& bytes = seeds.emplace_back(20 + random.Below(180), ' ');
    for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  }
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>&,
                    testing::Random& random) {
  return WithOtherBytes(bytes, random);
}

}  // namespace tessera::fuzz
