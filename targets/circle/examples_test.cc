// Every example of every core definition through Circle: compiled, written, read back, executed
// from the bytes, and compared with the reference. Each example runs twice: with the sizes that it
// has, and with one symbol for each size, so that shapes are computed at run time. What the format
// cannot hold, and what rests on the very sizes that it has, is in a golden, by name and reason.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "support/aligned_copy.h"
#include "support/file.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"
#include "testing/literals.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

// What an operator computes in another order than the definition says may differ in the last bits.
constexpr double kTolerance = 1e-5;

enum class Sizes : uint8_t { kKnown, kSymbols };

struct Case {
  const ops::OpExamples* op;
  const ops::Example* example;
  Sizes sizes;
  std::string name;  // `OP example N`, which does not change with the lines of the definition
};

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const ops::OpExamples& op : ops::CoreExamples()) {
    int number = 0;
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      const std::string name = absl::StrCat(op.op, " example ", ++number);
      cases.push_back({&op, &example, Sizes::kKnown, name});
      cases.push_back({&op, &example, Sizes::kSymbols, name + ", symbols"});
    }
  }
  return cases;
}

struct Network {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;
};

// The op on its operands as inputs; those whose elements inference needs are constants.
absl::Status Build(const ops::OpExamples& op, const ops::Example& example, Sizes sizes,
                   Network& network) {
  const ir::OpInfo& info = *ir::Registry::Global().Find(op.dialect, op.op);
  ir::Rewriter rewriter(network.graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(op.op));
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    if (!example.operands[i].present) {
      operands.push_back(nullptr);
      continue;
    }
    absl::StatusOr<ir::Tensor> tensor = testing::TensorOf(example.operands[i], 18 + i);
    if (!tensor.ok()) return tensor.status();
    if (info.operands[std::min(i, info.operands.size() - 1)].elements) {
      operands.push_back(rewriter.CreateConstant(*std::move(tensor)));
      continue;
    }
    std::vector<ir::Expr> dims;
    for (int64_t size : tensor->shape()) {
      dims.push_back(sizes == Sizes::kKnown || size < 2
                         ? ir::Expr(size)
                         : network.graph.context().Symbol(absl::StrCat("d", size)));
    }
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {tensor->dtype(), std::move(dims)});
    if (!input.ok()) return input.status();
    operands.push_back(*input);
    network.inputs.push_back(*std::move(tensor));
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < example.attrs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(example.attrs[i]))
      attrs.emplace_back(info.attrs[i].name, example.attrs[i]);
  }
  const std::vector<ir::Value*> results = builder.Create(op.dialect, op.op, operands, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

struct Outcome {
  std::string skipped;  // why nothing ran
  std::string failure;
};

std::string Text(const absl::Status& status) { return std::string(status.message()); }

Outcome Run(const Case& c) {
  Network network;
  const absl::Status built = Build(*c.op, *c.example, c.sizes, network);
  if (c.sizes == Sizes::kSymbols && !built.ok()) return {"rests on the sizes that it has", ""};
  if (!built.ok()) return {"", Text(built)};
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(network.graph);
  if (!reference.ok()) return {"", Text(reference.status())};
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(network.inputs);
  if (!expected.ok()) return {"", Text(expected.status())};
  const absl::StatusOr<CompileResult> compiled = Compile(network.graph, {});
  if (!compiled.ok()) {
    // A refusal says so; anything else is a defect.
    if (!absl::IsUnimplemented(compiled.status())) return {"", Text(compiled.status())};
    return {absl::StrReplaceAll(Text(compiled.status()), {{"\n", ""}}), ""};
  }
  const absl::StatusOr<std::string> bytes = WriteCircle(compiled->model);
  if (!bytes.ok()) return {"", Text(bytes.status())};
  const support::AlignedCopy copy(*bytes);
  const absl::StatusOr<Executor> executor = Executor::Create(copy.bytes, copy.owner);
  if (!executor.ok()) return {"", Text(executor.status())};
  const absl::StatusOr<std::vector<ir::Tensor>> actual = executor->Run(network.inputs);
  if (!actual.ok()) return {"", Text(actual.status())};
  if (actual->size() != expected->size()) return {"", "another number of results"};
  for (size_t i = 0; i < actual->size(); ++i) {
    const std::string difference = testing::Difference((*actual)[i], (*expected)[i], kTolerance);
    if (!difference.empty()) return {"", absl::StrCat("result ", i, ": ", difference)};
  }
  return {};
}

using Golden = std::map<std::string, std::string>;  // reasons by case

Golden ReadGolden(const std::string& text) {
  Golden golden;
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const size_t colon = line.find(": ");
    golden[line.substr(0, colon)] = colon == std::string::npos ? "" : line.substr(colon + 2);
  }
  return golden;
}

void Check(const Case& c, const Golden& golden) {
  const Outcome outcome = Run(c);
  EXPECT_EQ(outcome.failure, "");
  const auto expected = golden.find(c.name);
  EXPECT_EQ(outcome.skipped, expected == golden.end() ? "" : expected->second)
      << "bazel run //testing:update writes what does not run";
}

class BodyTest : public ::testing::Test {
 public:
  explicit BodyTest(std::function<void()> body) : body_(std::move(body)) {}
  void TestBody() override { body_(); }

 private:
  std::function<void()> body_;
};

void Register(const std::vector<Case>& cases, const Golden& golden) {
  std::map<std::string, int> named;
  for (const Case& c : cases) {
    std::string name =
        absl::StrCat("line", c.example->line, c.sizes == Sizes::kKnown ? "" : "_symbols");
    // What an op has of its family stands in one line, that of the op.
    const int number = ++named[absl::StrCat(c.op->op, ".", name)];
    if (number > 1) absl::StrAppend(&name, "_", number);
    ::testing::RegisterTest(
        c.op->op.c_str(), name.c_str(), nullptr, nullptr, c.op->file.c_str(), c.example->line,
        [&]() -> ::testing::Test* { return new BodyTest([&] { Check(c, golden); }); });
  }
  ::testing::RegisterTest("Golden", "names_what_there_is", nullptr, nullptr, __FILE__, __LINE__,
                          [&]() -> ::testing::Test* {
                            return new BodyTest([&] {
                              std::set<std::string> names;
                              for (const Case& c : cases) names.insert(c.name);
                              for (const auto& [name, reason] : golden)
                                EXPECT_EQ(names.count(name), 1u) << name;
                            });
                          });
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ir::Registry::Global().Add(ops::CoreOps());
  RegisterOperators();
  static const std::vector<Case> cases = Cases();
  const std::string mode = argc == 3 ? argv[1] : "";
  const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
  if (mode == "update" && workspace != nullptr) {
    std::string text;
    for (const Case& c : cases) {
      const Outcome outcome = Run(c);
      if (!outcome.skipped.empty()) absl::StrAppend(&text, c.name, ": ", outcome.skipped, "\n");
    }
    const absl::Status written = support::WriteFile(std::string(workspace) + "/" + argv[2], text);
    if (!written.ok()) std::cerr << written << "\n";
    return written.ok() ? 0 : 1;
  }
  const absl::StatusOr<std::string> text =
      mode == "check" ? support::ReadFile(argv[2])
                      : absl::InvalidArgumentError("usage: examples_test check|update GOLDEN");
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 2;
  }
  static const Golden golden = ReadGolden(*text);
  Register(cases, golden);
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::circle

int main(int argc, char** argv) { return tessera::circle::Main(argc, argv); }
