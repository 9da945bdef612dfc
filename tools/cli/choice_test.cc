#include "tools/cli/choice.h"

#include "gtest/gtest.h"

namespace tessera::cli {
namespace {

TEST(Choice, IsOneOfAFew) {
  EXPECT_EQ(NotOneOf("--runtime", "onert", {"any", "onert"}), "");
  EXPECT_EQ(NotOneOf("--runtime", "onret", {"any", "onert"}),
            "`--runtime onret`: did you mean `onert`? There are `any`, `onert`");
  EXPECT_EQ(NotOneOf("--runtime", "tensorflow", {"any"}), "`--runtime tensorflow`: there is `any`");
}

}  // namespace
}  // namespace tessera::cli
