#include "testing/nest_tests.h"

#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "nests/interpret.h"
#include "nests/library.h"
#include "targets/reference/run_op.h"
#include "testing/body_tests.h"
#include "testing/example_case.h"
#include "testing/literals.h"
#include "testing/nest_bounds.h"
#include "testing/pattern_builder.h"
#include "testing/rewrite_values.h"

namespace tessera::testing {
namespace {

using ops::Example;
using ops::OpExamples;
using ops::RewriteExample;

void CheckInterpreter(const nests::Definition& definition, const OpExamples& op,
                      const Example& example) {
  Case c;
  const absl::Status prepared = Prepare(op, example, c);
  ASSERT_TRUE(prepared.ok()) << prepared;
  const absl::StatusOr<std::vector<ir::Tensor>> expected =
      reference::RunOp(*c.info, c.operands, c.attrs, reference::MaxLiveBytes(), false);
  ASSERT_TRUE(expected.ok()) << expected.status();
  solver::Context context;
  std::vector<std::vector<ir::Expr>> dims, elements;
  const absl::StatusOr<nests::Computation> computation =
      nests::ComputationOf(definition, {Infos<ir::Expr>(c, dims, elements), c.attrs}, context);
  ASSERT_TRUE(computation.ok()) << computation.status();
  const absl::StatusOr<std::vector<ir::Tensor>> results =
      nests::Interpret(*computation, c.operands);
  ASSERT_TRUE(results.ok()) << results.status() << "\n" << nests::ToString(*computation);
  ASSERT_EQ(results->size(), expected->size());
  for (size_t i = 0; i < results->size(); ++i) {
    EXPECT_EQ(Difference((*results)[i], (*expected)[i], 0), "") << "result " << i << "\n"
                                                                << nests::ToString(*computation);
  }
}

// No access is refuted, and some are looked at.
void CheckAccesses(const nests::Definition& definition, const OpExamples& op) {
  const DefinitionBounds bounds = BoundsOf(definition, op);
  EXPECT_EQ(bounds.wrong, "");
  EXPECT_GT(bounds.accesses, 0);
  ::testing::Test::RecordProperty("instances", bounds.instances);
  ::testing::Test::RecordProperty("accesses", bounds.accesses);
  ::testing::Test::RecordProperty("proved", bounds.proved);
}

// What is missing, as the golden lists it.
std::string Missing(const std::vector<OpExamples>& definitions) {
  std::map<std::string, std::string> lines;
  for (const OpExamples& op : definitions) {
    const nests::Definition* definition = nests::Library::Global().Find(op.dialect, op.op);
    if (op.builder || definition == nullptr) continue;
    const std::string name = absl::StrCat(op.dialect, ".", op.op);
    if (definition->build == nullptr) {
      lines[name] = absl::StrCat(name, " ", std::string(definition->missing), "\n");
      continue;
    }
    for (const std::string& access : BoundsOf(*definition, op).unproved)
      absl::StrAppend(&lines[name], name, " ", access, "\n");
  }
  std::string text;
  for (const auto& [name, line] : lines) text += line;
  return text;
}

// Both sides have the same values: for every float, unless the rewrite says that it assumes finite
// numbers, which it does not where there is no need.
void CheckRewriteValues(const RewriteExample& example) {
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  ASSERT_NE(rewrite, nullptr);
  const RewriteValues values = CheckValues(example);
  EXPECT_GT(values.fired, 0);
  if (!ir::Registry::Global().AssumesFinite(*rewrite)) {
    EXPECT_EQ(values.exception, "") << "holds of finite numbers at most: say `assumes finite`";
  } else {
    EXPECT_NE(static_cast<int>(values.proof), static_cast<int>(Proof::kExact))
        << "is proved for every value: `assumes finite` says too little";
  }
}

}  // namespace

void RegisterNestTests(const std::vector<OpExamples>& definitions, const std::string& golden) {
  // What an op has of its family stands in one line, that of the op.
  BodyTests tests;
  tests.Add("Nests", "nothing_is_missing_but_what_is_listed", __FILE__, __LINE__,
            [&definitions, golden] { EXPECT_EQ(Missing(definitions), golden); });
  for (const OpExamples& op : definitions) {
    for (const RewriteExample& example : op.rewrites)
      tests.Add(op.op, absl::StrCat("values_", example.rewrite, "_line", example.line), op.file,
                example.line, [&example] { CheckRewriteValues(example); });
    if (op.builder) continue;
    const nests::Definition* definition = nests::Library::Global().Find(op.dialect, op.op);
    tests.Add(op.op, "has_a_definition", op.file, 1,
              [definition] { EXPECT_NE(definition, nullptr); });
    if (definition == nullptr || definition->build == nullptr) continue;
    tests.Add(op.op, "stays_within_its_tensors", op.file, 1,
              [definition, &op] { CheckAccesses(*definition, op); });
    for (const Example& example : op.examples) {
      if (example.reject) continue;
      tests.Add(op.op, absl::StrCat("interpreted_line", example.line), op.file, example.line,
                [definition, &op, &example] { CheckInterpreter(*definition, op, example); });
    }
  }
}

}  // namespace tessera::testing
