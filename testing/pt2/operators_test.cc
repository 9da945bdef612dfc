// Which operators of PyTorch have a clause, against lists of others.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>

#include "absl/types/span.h"
#include "ir/aten.h"

namespace tessera::ops {
absl::Span<const ir::AtenInfo* const> CoreAten();  // generated
}  // namespace tessera::ops

namespace tessera {
namespace {

TEST(Operators, NoneOfTicosIsLeftOut) {
  std::set<std::string> known;
  for (const ir::AtenInfo* clause : ops::CoreAten()) known.insert(std::string(clause->overload));
  std::ifstream list("testing/facts/tico_operators.txt");
  size_t count = 0;
  for (std::string line; std::getline(list, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++count;
    EXPECT_TRUE(known.contains(line)) << line;
  }
  EXPECT_EQ(count, 90U);
}

}  // namespace
}  // namespace tessera
