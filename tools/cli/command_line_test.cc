#include "tools/cli/command_line.h"

#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tools/cli/exit_code.h"

namespace tessera::cli {
namespace {

struct Parsed {
  std::string model, target = "circle";
  std::vector<std::string> given;
  std::vector<std::string> dims;
  bool json = false;
  std::optional<int> code;
  std::string out, err;
};

Parsed Parse(std::vector<const char*> arguments) {
  Parsed p;
  CommandLine line("verify", "Verifies a network.");
  line.Positional("MODEL", "an ONNX file", &p.model)
      .Value("target|t", "NAME", "what to verify", &p.target)
      .Values("dim", "NAME=FACT", "a fact", &p.dims)
      .Switch("json", "print JSON", &p.json)
      .Example("net.onnx --dim N=1");
  arguments.insert(arguments.begin(), "path/verify");
  std::ostringstream out, err;
  p.code = line.Parse(static_cast<int>(arguments.size()), arguments.data(), out, err);
  p.given = line.given();
  p.out = out.str();
  p.err = err.str();
  return p;
}

TEST(CommandLine, KnowsWhatWasGiven) {
  EXPECT_EQ(Parse({"net.onnx"}).given, std::vector<std::string>());
  EXPECT_EQ(
      Parse({"--dim=A", "-t", "x", "net.onnx", "--dim=B", "--json=false", "--max-memory=8G"}).given,
      (std::vector<std::string>{"--dim", "--target"}));
  EXPECT_EQ(Parse({"net.onnx", "--json"}).given, std::vector<std::string>{"--json"});
}

TEST(CommandLine, TakesFlagsInEitherFormAndAnyOrder) {
  const Parsed p =
      Parse({"--dim", "H%8=0", "--json", "net.onnx", "--dim=W=1..4096", "-t", "reference"});
  ASSERT_EQ(p.code, std::nullopt) << p.err;
  EXPECT_EQ(p.model, "net.onnx");
  EXPECT_EQ(p.target, "reference");
  EXPECT_EQ(p.dims, (std::vector<std::string>{"H%8=0", "W=1..4096"}));
  EXPECT_TRUE(p.json);
  EXPECT_EQ(Parse({"m"}).target, "circle");
  EXPECT_EQ(Parse({"--target=npu", "m"}).target, "npu");
  EXPECT_FALSE(Parse({"m", "--json=false"}).json);
  EXPECT_EQ(Parse({"--", "--odd-name"}).model, "--odd-name");
  EXPECT_EQ(Parse({"-"}).model, "-");
}

TEST(CommandLine, WrongUsageNamesTheArgument) {
  const struct {
    std::vector<const char*> arguments;
    std::string complaint;
  } cases[] = {
      {{}, "MODEL is missing: an ONNX file"},
      {{"m", "n"}, "unexpected argument `n`"},
      {{"m", "--targt=x"}, "unknown flag `--targt`; did you mean `--target`?"},
      {{"m", "--hepl"}, "did you mean `--help`?"},
      {{"m", "--completely-different"}, "unknown flag `--completely-different`\n"},
      {{"m", "--dim"}, "`--dim` takes NAME=FACT"},
      {{"m", "--target=a", "-t", "b"}, "`-t` given twice"},
      {{"m", "--target="}, "`--target` takes NAME, which is empty"},
      {{"m", "--dim", ""}, "`--dim` takes NAME=FACT, which is empty"},
      {{"m", "--json="}, "`--json` takes true or false, which is empty"},
      {{""}, "an empty argument"},
      {{"m", "--json=maybe"}, "`--json=maybe`: the value is `true` or `false`"},
  };
  for (const auto& c : cases) {
    const Parsed p = Parse(c.arguments);
    EXPECT_EQ(p.code, kWrongUsage);
    EXPECT_TRUE(p.err.starts_with("verify: ")) << p.err;
    EXPECT_NE(p.err.find(c.complaint), std::string::npos) << p.err;
    EXPECT_EQ(p.out, "");
  }
}

TEST(CommandLine, HelpShowsAll) {
  for (const char* flag : {"--help", "-h"}) {
    const Parsed p = Parse({flag, "--unknown"});
    EXPECT_EQ(p.code, kDone);
    for (const char* text :
         {"Usage: verify MODEL [FLAGS]", "--target, -t NAME", "--dim NAME=FACT", "(repeatable)",
          "--max-memory SIZE", "  verify net.onnx --dim N=1\n", "2 wrong usage"}) {
      EXPECT_NE(p.out.find(text), std::string::npos) << text << " in\n" << p.out;
    }
    EXPECT_EQ(p.err, "");
  }
}

TEST(ExitCode, OnlyInternalErrorsAreOurs) {
  EXPECT_EQ(ExitCode(absl::OkStatus()), kDone);
  EXPECT_EQ(ExitCode(absl::InvalidArgumentError("")), kBadInput);
  EXPECT_EQ(ExitCode(absl::UnimplementedError("")), kBadInput);
  EXPECT_EQ(ExitCode(absl::InternalError("")), kOurBug);
}

}  // namespace
}  // namespace tessera::cli
