#include "support/run_program.h"

#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "support/file.h"
#include "support/npy.h"
#include "support/npy_series.h"
#include "support/temporary_folder.h"

namespace tessera::support {
namespace {

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  std::string path;
  {
    const TemporaryFolder folder, other;
    path = folder.path();
    ASSERT_FALSE(path.empty());
    EXPECT_NE(path, other.path());
    ASSERT_TRUE(WriteFile(path + "/file", "text").ok());
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(RunProgram, KeepsWhatItPrintsAndHowItEnds) {
  const TemporaryFolder folder;
  const std::string log = folder.path() + "/log";
  auto code = RunProgram({"/bin/sh", "-c", "echo out; echo err >&2; exit 7"}, log);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(ReadFile(log).value_or(""), "out\nerr\n");
  code = RunProgram({"sh", "-c", "kill -9 $$"}, log);
  ASSERT_TRUE(code.ok()) << code.status();
  EXPECT_EQ(*code, -1);
  EXPECT_EQ(RunProgram({"/no/such/program"}, log).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(ReadNpySeries, EndsBeforeTheFirstThatIsNotThere) {
  const TemporaryFolder folder;
  const std::string prefix = folder.path() + "/output_";
  EXPECT_TRUE(ReadNpySeries(prefix)->empty());
  for (const char* name : {"0.npy", "1.npy", "3.npy"}) {
    const auto tensor = ir::Tensor::Of<int64_t>(ir::DType::kI32, {}, {name[0] - '0'});
    ASSERT_TRUE(WriteFile(prefix + name, SerializeNpy(tensor)).ok());
  }
  const auto series = ReadNpySeries(prefix);
  ASSERT_TRUE(series.ok()) << series.status();
  ASSERT_EQ(series->size(), 2u);
  EXPECT_EQ((*series)[1].AsInt(0), 1);
  ASSERT_TRUE(WriteFile(prefix + "2.npy", "no tensor").ok());
  EXPECT_FALSE(ReadNpySeries(prefix).ok());
}

}  // namespace
}  // namespace tessera::support
