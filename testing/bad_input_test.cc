// Input that is wrong, as a user meets it: `//tools:compile` ends with exit code 1, names the
// place, and leaves what was at the output's path as it was. Built with sanitizers too.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/model_for_test.h"
#include "ir/absl_view.h"
#include "passes/pipeline.h"
#include "passes/runner.h"
#include "solver/prove.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "targets/circle/file/writer.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/discharge.h"

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;
using onnx_import::ModelForTest;

std::string UNet() {
  absl::StatusOr<std::string> bytes = support::ReadFile("testdata/unet_d1_padded/model.onnx");
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.value_or("");
}

// x, f32[1, 3, 8, 8], through a convolution and Relu to y.
ModelForTest SmallNetwork() {
  ModelForTest model;
  model.Input("x", {1, 3, 8, 8}).Floats("weights", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6});
  model.Node("Conv", {"x", "weights"}, {"c"}, "conv");
  model.Node("Relu", {"c"}, {"y"}, "relu");
  model.Output("y");
  return model;
}

class BadInputTest : public ::testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;  // of a process that was killed: minus the signal
    std::string complaint;
  };

  void SetUp() override {
    folder_ = ::testing::TempDir() + "/bad_input";
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    output_ = folder_ + "/artifact.circle";
  }

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Write(const std::string& name, const std::string& bytes) const {
    EXPECT_TRUE(support::WriteFile(Path(name), bytes).ok());
    return Path(name);
  }

  Outcome Compile(const std::string& model, std::vector<std::string> flags = {}) const {
    std::vector<std::string> words = {"tools/compile", model, "-o", output_};
    words.insert(words.end(), flags.begin(), flags.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log = ::testing::TempDir() + "/log";
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    pid_t process = 0;
    int status = 0;
    EXPECT_EQ(posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ),
              0);
    posix_spawn_file_actions_destroy(&actions);
    EXPECT_EQ(waitpid(process, &status, 0), process);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status),
            support::ReadFile(log).value_or("")};
  }

  // The message must have all of `parts`; nothing may be left behind, and nothing be replaced.
  void ExpectRefused(const std::string& model, const std::vector<std::string>& parts,
                     const std::vector<std::string>& flags = {}) const {
    for (const bool has_previous : {false, true}) {
      SCOPED_TRACE(absl::StrCat(model, has_previous ? " over an artifact" : ""));
      if (has_previous) Write("artifact.circle", "previous");
      const size_t entries = Entries();
      const Outcome outcome = Compile(model, flags);
      EXPECT_EQ(outcome.exit_code, cli::kBadInput) << outcome.complaint;
      for (const std::string& part : parts) {
        EXPECT_TRUE(absl::StrContains(outcome.complaint, part)) << "no `" << part << "` in:\n"
                                                                << outcome.complaint;
      }
      EXPECT_EQ(Entries(), entries);
      if (!has_previous) continue;
      EXPECT_EQ(support::ReadFile(output_).value_or(""), "previous");
    }
    fs::remove(output_);
  }
  void ExpectRefused(const ModelForTest& model, const std::vector<std::string>& parts) const {
    ExpectRefused(Write("bad.onnx", model.proto.SerializeAsString()), parts);
  }

 private:
  size_t Entries() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  std::string folder_, output_;
};

TEST_F(BadInputTest, TheNetworksThatAreDamagedHereCompile) {
  for (const std::string& bytes : {UNet(), SmallNetwork().proto.SerializeAsString()}) {
    const Outcome outcome = Compile(Write("good.onnx", bytes), {"--quiet"});
    EXPECT_EQ(outcome.exit_code, cli::kDone) << outcome.complaint;
    EXPECT_GT(fs::file_size(Path("artifact.circle")), 100u);
  }
}

TEST_F(BadInputTest, PathsThatLeadToNoFile) {
  ExpectRefused(Path("none.onnx"), {"none.onnx", "No such file"});
  fs::create_directory(Path("folder"));
  ExpectRefused(Path("folder"), {"folder", "not a regular file"});
  fs::create_symlink("nowhere", Path("dangling"));
  ExpectRefused(Path("dangling"), {"dangling", "No such file"});
  fs::create_symlink("loop", Path("loop"));
  ExpectRefused(Path("loop"), {"loop"});
}

TEST_F(BadInputTest, OutputsThatCannotBe) {
  const std::string model = Write("good.onnx", SmallNetwork().proto.SerializeAsString());
  const Outcome missing = Compile(model, {"--quiet", "--emit-ir", Path("none/ir.txt")});
  EXPECT_EQ(missing.exit_code, cli::kBadInput);
  EXPECT_TRUE(absl::StrContains(missing.complaint, "none/ir.txt")) << missing.complaint;
}

TEST_F(BadInputTest, EmptyAndTruncatedFiles) {
  ExpectRefused(Write("empty.onnx", ""), {"empty.onnx", "empty"});
  const std::string bytes = UNet();
  std::mt19937 random(1);
  for (int round = 0; round < 40; ++round) {
    const size_t size = round < 10 ? round + 1 : random() % bytes.size();
    ExpectRefused(Write("cut.onnx", bytes.substr(0, size)), {"cut.onnx: "});
  }
  ExpectRefused(Write("text.onnx", "This is no model.\n"), {"text.onnx: no ONNX model"});
}

TEST_F(BadInputTest, Cycle) {
  ModelForTest model;
  model.Input("x", {1, 4});
  model.Node("Add", {"x", "b"}, {"a"}, "first");
  model.Node("Relu", {"a"}, {"b"}, "second");
  model.Output("b");
  ExpectRefused(model, {"bad.onnx: ", "cycle", "first", "second"});
}

TEST_F(BadInputTest, DuplicateNames) {
  ModelForTest model = SmallNetwork();
  model.Node("Relu", {"x"}, {"c"}, "again");
  ExpectRefused(model, {"bad.onnx: ", "again", "`c`"});
  ModelForTest inputs = SmallNetwork();
  inputs.Input("x", {1});
  ExpectRefused(inputs, {"bad.onnx: ", "`x`"});
}

TEST_F(BadInputTest, MissingInitializer) {
  ModelForTest model = SmallNetwork();
  model.graph().clear_initializer();
  ExpectRefused(model, {"bad.onnx: ", "conv", "`weights`"});
}

TEST_F(BadInputTest, AttributeOfAnotherType) {
  ModelForTest model = SmallNetwork();
  onnx::AttributeProto& strides = *model.graph().mutable_node(0)->add_attribute();
  strides.set_name("strides");
  strides.set_type(onnx::AttributeProto::STRING);
  strides.set_s("two");
  ExpectRefused(model, {"bad.onnx: ", "conv", "strides"});
}

TEST_F(BadInputTest, NegativeDim) {
  ModelForTest input;
  input.Input("x", {1, -4}).Output("y").Node("Relu", {"x"}, {"y"}, "relu");
  ExpectRefused(input, {"bad.onnx: ", "`x`", "-4"});
  ModelForTest weights = SmallNetwork();
  weights.graph().mutable_initializer(0)->set_dims(0, -2);
  ExpectRefused(weights, {"bad.onnx: ", "weights", "-2"});
}

TEST_F(BadInputTest, ContentsOutsideTheFolder) {
  Write("data.bin", std::string(64, 'x'));
  const std::string absolute = fs::absolute(Path("data.bin")).string();
  fs::create_symlink("/etc/passwd", Path("link.bin"));
  const std::map<std::string, std::string> locations = {{"../bad_input/data.bin", ".."},
                                                        {absolute, "absolute"},
                                                        {"link.bin", "link.bin"},
                                                        {"none.bin", "none.bin"},
                                                        {"", "location"}};
  for (const auto& [location, part] : locations) {
    ModelForTest model = SmallNetwork();
    onnx::TensorProto& weights = *model.graph().mutable_initializer(0);
    weights.clear_raw_data();
    weights.set_data_location(onnx::TensorProto::EXTERNAL);
    onnx::StringStringEntryProto& entry = *weights.add_external_data();
    entry.set_key("location");
    entry.set_value(location);
    ExpectRefused(model, {"bad.onnx: ", "weights", part});
  }
}

TEST_F(BadInputTest, MoreContentsThanTheFileHas) {
  ModelForTest raw = SmallNetwork();
  raw.graph().mutable_initializer(0)->set_dims(0, 250'000'000);  // 3 GB
  ExpectRefused(raw, {"bad.onnx: ", "weights", "3000000000 bytes"});

  Write("data.bin", std::string(24, 'x'));
  ModelForTest external = SmallNetwork();
  onnx::TensorProto& weights = *external.graph().mutable_initializer(0);
  weights.clear_raw_data();
  weights.set_dims(0, 250'000'000);
  weights.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] :
       {std::pair("location", "data.bin"), std::pair("length", "3000000000")}) {
    onnx::StringStringEntryProto& entry = *weights.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
  ExpectRefused(external, {"bad.onnx: ", "weights", "data.bin"});

  // Without any contents, by an operator that makes them.
  ModelForTest filled;
  filled.Ints("shape", {1 << 20, 1 << 20});
  filled.Node("ConstantOfShape", {"shape"}, {"y"}, "fill");
  filled.Output("y");
  const Outcome outcome =
      Compile(Write("filled.onnx", filled.proto.SerializeAsString()), {"--quiet"});
  EXPECT_TRUE(outcome.exit_code == cli::kDone || outcome.exit_code == cli::kBadInput)
      << outcome.exit_code << " " << outcome.complaint;
}

TEST_F(BadInputTest, LengthBeyondTheFile) {
  std::string bytes = SmallNetwork().proto.SerializeAsString();
  // Field 7 of ModelProto, length-delimited, of 3 GiB.
  bytes += std::string("\x3a\x80\x80\x80\x80\x0c", 6);
  ExpectRefused(Write("long.onnx", bytes), {"long.onnx: no ONNX model"});
}

TEST_F(BadInputTest, OperatorsAndVersionsThatThereAreNot) {
  ModelForTest op = SmallNetwork();
  op.graph().mutable_node(1)->set_op_type("Relo");
  ExpectRefused(op, {"bad.onnx: ", "relu", "`Relo`"});
  ModelForTest domain = SmallNetwork();
  domain.graph().mutable_node(1)->set_domain("com.example");
  ExpectRefused(domain, {"bad.onnx: ", "relu", "com.example"});
  ModelForTest version = SmallNetwork();
  version.proto.mutable_opset_import(0)->set_version(0);
  ExpectRefused(version, {"bad.onnx: ", "0"});
  version.proto.mutable_opset_import(0)->set_version(99);
  const Outcome newer =
      Compile(Write("newer.onnx", version.proto.SerializeAsString()), {"--strict-opset"});
  EXPECT_EQ(newer.exit_code, cli::kBadInput);
  EXPECT_TRUE(absl::StrContains(newer.complaint, "99")) << newer.complaint;
  ModelForTest none = SmallNetwork();
  none.proto.clear_opset_import();
  ExpectRefused(none, {"bad.onnx: ", "opset"});
}

TEST_F(BadInputTest, DeepNesting) {
  for (const int depth : {40, 90, 5000}) {
    ModelForTest model;
    model.Input("x", {1, 4}).Input("c", {}, onnx::TensorProto::BOOL).Output("y");
    onnx::GraphProto* graph = &model.graph();
    for (int level = 0; level < depth; ++level) {
      onnx::NodeProto& node = ModelForTest::AddNode(*graph->mutable_node(), "If", {"c"},
                                                    {level == 0 ? "y" : absl::StrCat("y", level)},
                                                    absl::StrCat("if", level));
      onnx::GraphProto& other = ModelForTest::Graph(node, "else_branch");
      ModelForTest::AddNode(*other.mutable_node(), "Relu", {"x"}, {absl::StrCat("e", level)});
      other.add_output()->set_name(absl::StrCat("e", level));
      graph = &ModelForTest::Graph(node, "then_branch");
      graph->add_output()->set_name(absl::StrCat("y", level + 1));
    }
    ModelForTest::AddNode(*graph->mutable_node(), "Relu", {"x"}, {absl::StrCat("y", depth)});
    ExpectRefused(model, {"bad.onnx: "});
  }
}

// Not wrong, only long: recursion along the network would end the process.
TEST_F(BadInputTest, LongChain) {
  ModelForTest model;
  model.Input("x", {1, 4}).Output("y");
  constexpr int kLength = 20'000;
  for (int i = 0; i < kLength; ++i) {
    model.Node(i % 2 == 0 ? "Sigmoid" : "Tanh", {i == 0 ? "x" : absl::StrCat("v", i)},
               {i == kLength - 1 ? "y" : absl::StrCat("v", i + 1)});
  }
  const Outcome outcome = Compile(Write("long.onnx", model.proto.SerializeAsString()), {"--quiet"});
  EXPECT_EQ(outcome.exit_code, cli::kDone) << outcome.complaint;
}

// What `//tools:compile` does between its command line and its output.
absl::Status CompileBytes(const std::string& bytes) {
  auto owner = std::make_shared<std::vector<uint8_t>>(bytes.begin(), bytes.end());
  const absl::StatusOr<onnx_import::ImportResult> import =
      onnx_import::ImportBytes(*owner, owner, "flipped.onnx", {});
  if (!import.ok()) return import.status();
  solver::Prover prover;
  proving::Ledger ledger;
  if (absl::Status status =
          ledger.Discharge(*import->graph, prover, "import", /*guards=*/false, "flipped.onnx");
      !status.ok())
    return status;
  circle::CompileOptions options;
  options.before_emission = [&](ir::Graph& graph) {
    return ledger.Discharge(graph, prover, "circle", /*guards=*/false, "flipped.onnx");
  };
  std::vector<passes::PassReport> reports;
  if (absl::Status status =
          passes::Run(*import->graph, passes::CanonicalPipeline(), options.run, reports);
      !status.ok())
    return status;
  const absl::StatusOr<circle::CompileResult> compiled = circle::Compile(*import->graph, options);
  return compiled.ok() ? circle::SerializeCircle(compiled->model).status() : compiled.status();
}

// A flip in a weight makes another network, one elsewhere mostly none. Every 25th goes through the
// tool itself.
TEST_F(BadInputTest, AThousandFlippedBits) {
  cli::LinkOps();
  circle::RegisterOperators();
  for (const bool is_small : {false, true}) {
    const std::string bytes = is_small ? SmallNetwork().proto.SerializeAsString() : UNet();
    std::mt19937 random(7);
    int refused = 0;
    for (int round = 0; round < 500; ++round) {
      std::string flipped = bytes;
      const size_t bit = random() % (8 * bytes.size());
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << bit % 8);
      const absl::Status status = CompileBytes(flipped);
      EXPECT_NE(cli::ExitCode(status), cli::kOurBug) << "bit " << bit << ": " << status;
      refused += !status.ok();
      if (round % 25 != 0) continue;
      const std::string path = Write("flipped.onnx", flipped);
      if (status.ok()) {
        EXPECT_EQ(Compile(path, {"--quiet"}).exit_code, cli::kDone) << "bit " << bit;
        fs::remove(Path("artifact.circle"));
      } else {
        ExpectRefused(path, {"flipped.onnx"});
      }
    }
    EXPECT_GT(refused, is_small ? 100 : 5);
    EXPECT_LT(refused, 500);
  }
}

}  // namespace
}  // namespace tessera::testing
