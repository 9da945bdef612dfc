#include "tools/cli/reproducer_flags.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "support/file.h"
#include "tools/cli/exit_code.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::cli {
namespace {

constexpr char kText[] = R"(ir 1
input %0 "x" : f32[2,3]
%1 = ir.Constant digest 000102030405060708090a0b0c0d0e0f : f32[20,1,1]
%2 = ir.Constant digest f00102030405060708090a0b0c0d0e0f : i64[20]
%3 = core.Mul(%0, %1)
%4 = core.Gather(%3, %2) {axis=0}
output "y" = %4
)";

absl::StatusOr<ir::Tensor> Constant(const ir::Digest& digest) {
  return digest.high >> 56 == 0
             ? ir::Tensor::Of<float>(ir::DType::kF32, {20, 1, 1}, std::vector<float>(20, 0.25f))
             : ir::Tensor::Of<int64_t>(ir::DType::kI64, {20}, std::vector<int64_t>(20, 7));
}

// What a pass finds decides whether it fails.
passes::Pass FailsOn(const std::string& text) {
  return {"fails",
          "",
          passes::Phase::kOptimize,
          passes::Numerics::kExact,
          {passes::kAllParts, passes::kContents},
          [text](ir::Graph& graph, passes::PassContext&) -> absl::StatusOr<passes::PassResult> {
            const std::string printed = ir::Print(graph, {true, 100});
            if (printed.find(text) == std::string::npos) return passes::PassResult{};
            return absl::InternalError(absl::StrCat("the graph holds `", text, "`\nand more"));
          }};
}

passes::Pass Idle(const std::string& name) {
  return {name,
          "",
          passes::Phase::kOptimize,
          passes::Numerics::kExact,
          {passes::kAllParts, passes::kContents},
          [](ir::Graph&, passes::PassContext&) { return passes::PassResult{}; }};
}

class ReproducerFlagsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ir::Registry::Global().Add(ops::CoreOps());
    folder_ = absl::StrCat(::testing::TempDir(), "/",
                           ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(folder_);
  }

  // As a tool does: flags, a run that may fail, its message.
  std::optional<int> Run(std::vector<std::string> flags, const passes::Pipeline& pipeline) {
    CommandLine line("compile", "Compiles.");
    ReproducerFlags parsed;
    parsed.Declare(line);
    std::vector<const char*> arguments = {"compile"};
    for (const std::string& flag : flags) arguments.push_back(flag.c_str());
    std::ostringstream out, err;
    if (auto code = line.Parse(static_cast<int>(arguments.size()), arguments.data(), out, err))
      return code;
    passes::RunOptions options;
    options.print_on_failure = false;
    if (auto code = parsed.Resolve(line, pipeline, "models/net.onnx", "somewhere", options))
      return code;
    absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(kText, Constant);
    EXPECT_TRUE(graph.ok()) << graph.status();
    std::vector<passes::PassReport> reports;
    const absl::Status status = passes::Run(**graph, pipeline, options, reports);
    message_ = std::string(status.message());
    return ExitCode(status);
  }

  int Again(const std::string& path, const passes::Pipeline& known) {
    std::ostringstream out, err;
    std::vector<passes::PassReport> reports;
    passes::RunOptions options;
    options.print_on_failure = false;
    const int code = Reproduce("compile", path, known, options, reports, out, err);
    out_ = out.str();
    err_ = err.str();
    return code;
  }

  std::string folder_, message_, out_, err_;
};

TEST_F(ReproducerFlagsTest, AFailureComesAgain) {
  const passes::Pipeline pipeline = {FailsOn("core.Gather")};
  EXPECT_EQ(Run({"--reproducer", folder_}, pipeline), kOurBug);
  const std::string path = folder_ + "/net.1-fails.reproducer";
  EXPECT_NE(message_.find(path), std::string::npos) << message_;
  EXPECT_EQ(Again(path, pipeline), kOurBug);
  EXPECT_EQ(out_,
            "1 constants are not in the file: seeded values stand in for them\nthe same failure\n");
  EXPECT_NE(err_.find("internal error, please report it: pass `fails`: the graph holds"),
            std::string::npos)
      << err_;
  // Once the bug is mended, it says so.
  EXPECT_EQ(Again(path, {FailsOn("nothing of the kind")}), kBadInput);
  EXPECT_NE(err_.find("did not come again"), std::string::npos) << err_;
  EXPECT_EQ(Again(path, {FailsOn("core.Mul")}), kOurBug);
  EXPECT_NE(out_.find("another failure"), std::string::npos) << out_;
}

TEST_F(ReproducerFlagsTest, WeightsAreInTheFileOnlyWhenAskedFor) {
  const passes::Pipeline on_weights = {FailsOn("0.25,0.25")};
  const passes::Pipeline on_indices = {FailsOn("7,7,7")};
  const std::string path = folder_ + "/net.1-fails.reproducer";
  EXPECT_EQ(Run({"--reproducer", folder_}, on_indices), kOurBug);
  EXPECT_EQ(Again(path, on_indices), kOurBug);
  const absl::StatusOr<std::string> bytes = support::ReadFile(path + ".constants");
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const std::string weight("\0\0\x80\x3e", 4);  // 0.25f
  EXPECT_EQ(bytes->find(weight), std::string::npos);
  EXPECT_EQ(Run({"--reproducer", folder_}, on_weights), kOurBug);
  EXPECT_EQ(Again(path, on_weights), kBadInput);
  EXPECT_EQ(Run({"--reproducer", folder_, "--reproducer-weights"}, on_weights), kOurBug);
  EXPECT_EQ(Again(path, on_weights), kOurBug);
  EXPECT_EQ(out_, "the same failure\n");
}

passes::Pass Crashes() {
  return {
      "crashes",
      "",
      passes::Phase::kOptimize,
      passes::Numerics::kExact,
      {passes::kAllParts, passes::kContents},
      [](ir::Graph&, passes::PassContext&) -> absl::StatusOr<passes::PassResult> { std::abort(); }};
}

TEST_F(ReproducerFlagsTest, ACrashLeavesOneToo) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const std::string path = folder_ + "/net.2-crashes.reproducer";
  EXPECT_EXIT(Run({"--reproducer", folder_}, {FailsOn("nothing"), Crashes()}),
              ::testing::ExitedWithCode(kOurBug),
              "compile: internal error, please report it: pass `crashes`: abort .signal 6.\n.*"
              "written to see it again: `.*net.2-crashes.reproducer`");
  // The process that crashed had a folder of the same name.
  EXPECT_EQ(Again(path, {FailsOn("nothing"), Idle("crashes")}), kBadInput);
  EXPECT_NE(err_.find("pass `crashes` crashed"), std::string::npos) << err_;
}

TEST_F(ReproducerFlagsTest, OnDemandAndNone) {
  const passes::Pipeline idle = {FailsOn("nothing"), FailsOn("nothing")};
  EXPECT_EQ(Run({"--reproducer", folder_, "--emit-reproducer-before", "fails"}, idle), kDone);
  EXPECT_EQ(Again(folder_ + "/net.1-fails.reproducer", idle), kDone);
  EXPECT_NE(out_.find("the passes ran: fails fails\n"), std::string::npos) << out_;
  EXPECT_EQ(Again(folder_ + "/net.2-fails.reproducer", idle), kDone);
  EXPECT_EQ(Run({"--reproducer", "none"}, {FailsOn("core.Mul")}), kOurBug);
  EXPECT_EQ(message_, "pass `fails`: the graph holds `core.Mul`\nand more");
  EXPECT_EQ(Run({"--reproducer=none", "--emit-reproducer-before=fails"}, idle), kWrongUsage);
  EXPECT_EQ(Run({"--emit-reproducer-before=fail"}, idle), kWrongUsage);
}

TEST_F(ReproducerFlagsTest, DamagedFilesAreBadInput) {
  const passes::Pipeline pipeline = {FailsOn("core.Gather")};
  ASSERT_EQ(Run({"--reproducer", folder_}, pipeline), kOurBug);
  const std::string path = folder_ + "/net.1-fails.reproducer";
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(Again(folder_ + "/missing", pipeline), kBadInput);
  for (size_t length = 0; length < text->size(); length += 7) {
    ASSERT_TRUE(support::WriteFile(path, std::string_view(*text).substr(0, length)).ok());
    const int code = Again(path, pipeline);
    EXPECT_TRUE(code == kBadInput || code == kOurBug) << length;
    EXPECT_TRUE(code == kOurBug || err_.find(path) != std::string::npos) << err_;
  }
  ASSERT_TRUE(support::WriteFile(path, *text).ok());
  EXPECT_EQ(Again(path, {}), kBadInput);
  EXPECT_NE(err_.find("no pass `fails`"), std::string::npos) << err_;
  ASSERT_TRUE(support::WriteFile(path + ".constants", "short").ok());
  EXPECT_EQ(Again(path, pipeline), kBadInput);
  std::filesystem::remove(path + ".constants");
  EXPECT_EQ(Again(path, pipeline), kBadInput);
}

}  // namespace
}  // namespace tessera::cli
