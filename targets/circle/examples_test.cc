// Every example of every core definition through Circle: compiled, written, read back, executed
// from the bytes, and compared with the reference. Each example runs twice: with the sizes that it
// has, and with one symbol for each size, so that shapes are computed at run time. What the format
// cannot hold, and what rests on the very sizes that it has, is in a golden, by name and reason.
//
//   examples_test check GOLDEN [--gtest_...]
//   examples_test update GOLDEN
#include "codegen/support/examples.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "ir/registry.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"
#include "testing/example_case.h"
#include "testing/golden_cases.h"
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

std::string Text(const absl::Status& status) { return std::string(status.message()); }

testing::Outcome Run(const testing::NamedExample& example, Sizes sizes) {
  testing::Case c;
  ir::Graph graph;
  absl::Status status = testing::Prepare(*example.op, *example.example, c);
  if (!status.ok()) return {"", Text(status)};
  const auto dims_of = [&](const std::vector<int64_t>& lengths) {
    std::vector<ir::Expr> dims;
    for (const int64_t length : lengths) {
      dims.push_back(sizes == Sizes::kKnown || length < 2
                         ? ir::Expr(length)
                         : graph.context().Symbol(absl::StrCat("d", length)));
    }
    return dims;
  };
  status = testing::BuildGraph(c, dims_of, graph);
  if (sizes == Sizes::kSymbols && !status.ok()) return {"rests on the sizes that it has", ""};
  if (!status.ok()) return {"", Text(status)};
  const std::vector<ir::Tensor> inputs = testing::InputsOf(c, graph);
  absl::StatusOr<reference::Executor> reference = reference::Executor::Create(graph);
  if (!reference.ok()) return {"", Text(reference.status())};
  const absl::StatusOr<std::vector<ir::Tensor>> expected = reference->Run(inputs);
  if (!expected.ok()) return {"", Text(expected.status())};
  const absl::StatusOr<CompileResult> compiled = Compile(graph, {});
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
  const absl::StatusOr<std::vector<ir::Tensor>> actual = executor->Run(inputs);
  if (!actual.ok()) return {"", Text(actual.status())};
  return {"", testing::Difference(*actual, *expected, kTolerance)};
}

std::vector<testing::GoldenCase> Cases() {
  std::vector<testing::GoldenCase> cases;
  for (const testing::NamedExample& each : testing::Accepted(ops::CoreExamples())) {
    const std::string line = absl::StrCat("line", each.example->line);
    for (const auto& [sizes, suffix] :
         {std::pair(Sizes::kKnown, ""), {Sizes::kSymbols, "symbols"}}) {
      const bool plain = sizes == Sizes::kKnown;
      cases.push_back({plain ? each.name : absl::StrCat(each.name, ", ", suffix), each.op->op,
                       plain ? line : absl::StrCat(line, "_", suffix), each.op->file,
                       each.example->line, [each, sizes = sizes] { return Run(each, sizes); }});
    }
  }
  return cases;
}

}  // namespace
}  // namespace tessera::circle

int main(int argc, char** argv) {
  tessera::ir::Registry::Global().Add(tessera::ops::CoreOps());
  tessera::circle::RegisterOperators();
  return tessera::testing::RunGoldenCases(argc, argv, tessera::circle::Cases());
}
