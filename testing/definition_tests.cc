#include "testing/definition_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "ir/text.h"
#include "passes/dead_code.h"
#include "passes/fold.h"
#include "targets/reference/executor.h"
#include "targets/reference/run_op.h"
#include "testing/body_tests.h"
#include "testing/confluence.h"
#include "testing/example_case.h"
#include "testing/literals.h"
#include "testing/pattern_builder.h"
#include "testing/pattern_overlap.h"
#include "testing/rewrite_proofs.h"

namespace tessera::testing {
namespace {

using ops::Example;
using ops::Literal;
using ops::OpExamples;
using ops::RewriteExample;

void CheckReject(const OpExamples& op, const Example& example) {
  Case c;
  const absl::Status prepared = Prepare(op, example, c);
  ASSERT_TRUE(prepared.ok()) << prepared;
  ir::Checker<int64_t> checker;
  std::vector<std::vector<int64_t>> dims, elements;
  std::vector<ir::ResultInfo<int64_t>> results;
  std::vector<ir::OperandInfo<int64_t>> infos = Infos<int64_t>(c, dims, elements);
  // Of what has a shape alone the elements are not known.
  for (size_t i = 0; i < infos.size(); ++i) {
    if (!example.operands[i].random) continue;
    infos[i].has_elements = false;
    infos[i].elements = infos[i].extremes = {};
  }
  const absl::Status status = c.info->infer({infos, c.attrs}, checker, results);
  EXPECT_FALSE(status.ok()) << "accepted";
  EXPECT_EQ(std::string(checker.failed()), example.constraint) << status;
}

absl::StatusOr<std::vector<ir::Tensor>> Execute(const Case& c, const ir::Graph& graph) {
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return executor.status();
  return executor->Run(InputsOf(c, graph));
}

// Shapes by the symbolic domain, every dim a symbol, evaluated: those of the concrete domain.
void CheckDomains(const Case& c, const std::vector<ir::Tensor>& results) {
  solver::Context context;
  solver::Assignment assignment;
  std::vector<std::vector<ir::Expr>> dims(c.operands.size()), elements;
  std::vector<std::vector<ir::Expr>> unused;
  std::vector<ir::OperandInfo<ir::Expr>> infos = Infos<ir::Expr>(c, unused, elements);
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] == nullptr) continue;
    for (int64_t dim : c.operands[i]->shape()) {
      // Equal sizes are one symbol: constraints that hold for this example are then not refuted at
      // once.
      const std::string name = absl::StrCat("d", dim);
      if (dim < 2) {
        dims[i].push_back(ir::Expr(dim));
      } else {
        dims[i].push_back(context.Symbol(name));
        assignment[name] = dim;
      }
    }
    infos[i].dims = dims[i];
  }
  ir::Checker<ir::Expr> checker(context);
  std::vector<ir::ResultInfo<ir::Expr>> symbolic;
  const absl::Status status = c.info->infer_symbolic({infos, c.attrs}, checker, symbolic);
  // An example may rest on the very sizes that it has; then the general statement is rightly
  // refuted.
  if (!status.ok()) return;
  ASSERT_EQ(symbolic.size(), results.size());
  for (const ir::Obligation& obligation : checker.open()) {
    const absl::StatusOr<int64_t> holds = solver::Evaluate(obligation.predicate, assignment);
    ASSERT_TRUE(holds.ok()) << holds.status();
    EXPECT_EQ(*holds, 1) << obligation.constraint << ": " << obligation.predicate.ToString();
  }
  for (size_t r = 0; r < results.size(); ++r) {
    EXPECT_EQ(symbolic[r].dtype, results[r].dtype());
    std::vector<int64_t> shape;
    for (const ir::Expr& dim : symbolic[r].dims) {
      const absl::StatusOr<int64_t> size = solver::Evaluate(dim, assignment);
      ASSERT_TRUE(size.ok()) << size.status() << " in " << dim.ToString();
      shape.push_back(*size);
    }
    EXPECT_EQ(shape, results[r].shape());
  }
}

void CheckText(const ir::Graph& graph) {
  const std::string text = ir::Print(graph);
  const absl::StatusOr<std::unique_ptr<ir::Graph>> parsed = ir::Parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
  EXPECT_EQ(ir::Print(**parsed), text);
}

void CheckFolding(const Case& c, const std::vector<ir::Tensor>& results, double tolerance) {
  ir::Graph graph;
  const absl::Status built = BuildGraph(c, true, graph);
  ASSERT_TRUE(built.ok()) << built;
  passes::PassContext context;
  const absl::StatusOr<passes::PassResult> folded = passes::FoldConstants(graph, context);
  ASSERT_TRUE(folded.ok()) << folded.status();
  for (size_t i = 0; i < results.size(); ++i) {
    const ir::Tensor* constant = graph.outputs()[i]->constant();
    ASSERT_NE(constant, nullptr) << "result " << i << " did not fold";
    EXPECT_EQ(Difference(*constant, results[i], tolerance), "");
  }
}

void CheckExample(const OpExamples& op, const Example& example) {
  Case c;
  const absl::Status prepared = Prepare(op, example, c);
  ASSERT_TRUE(prepared.ok()) << prepared;
  ir::Graph graph;
  const absl::Status built = BuildGraph(c, false, graph);
  ASSERT_TRUE(built.ok()) << built;
  const absl::Status verified = ir::Verify(graph);
  ASSERT_TRUE(verified.ok()) << verified;
  const absl::StatusOr<std::vector<ir::Tensor>> results = Execute(c, graph);
  ASSERT_TRUE(results.ok()) << results.status();
  uint64_t seed = 99;
  for (size_t i = 0; i < example.results.size(); ++i) {
    if (!example.results[i].present) continue;
    ASSERT_LT(i, results->size());
    const absl::StatusOr<ir::Tensor> expected = TensorOf(example.results[i], ++seed);
    ASSERT_TRUE(expected.ok()) << expected.status();
    EXPECT_EQ(Difference((*results)[i], *expected, example.tolerance), "") << "result " << i;
  }
  if (c.info->build == nullptr) {
    CheckDomains(c, *results);
    CheckFolding(c, *results, example.tolerance);
  }
  CheckText(graph);
}

// Of what the outputs are made.
std::string TextOf(ir::Graph& graph) {
  passes::PassContext context;
  const absl::StatusOr<passes::PassResult> removed = passes::RemoveDeadCode(graph, context);
  if (!removed.ok()) return std::string(removed.status().message());
  return ir::Print(graph, {.locations = false});
}

// Which leaves are constants decides whether a guard holds; every choice is tried, one must fire,
// and all that fire must change the graph, and agree.
void CheckRewrite(const RewriteExample& example) {
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  ASSERT_NE(rewrite, nullptr);
  int fired = 0;
  std::string problems;
  for (int mask = 0; mask < 32; ++mask) {
    ir::Graph graph;
    ir::Rewriter rewriter(graph);
    rewriter.SetLocation(ir::Location::Of(example.rewrite));
    PatternBuilder pattern(example, rewriter);
    pattern.set_mask(mask);
    const std::vector<ir::Value*> left = pattern.Build(example.pattern);
    if (!pattern.status().ok()) {
      problems = std::string(pattern.status().message());
      continue;
    }
    ir::Operation* root = pattern.last();
    ASSERT_NE(root, nullptr);
    const std::vector<ir::Value*> outputs(root->results().begin(), root->results().end());
    for (size_t i = 0; i < outputs.size(); ++i)
      ASSERT_TRUE(rewriter.AddOutput(absl::StrCat("out", i), outputs[i]).ok());
    absl::StatusOr<reference::Executor> before = reference::Executor::Create(graph);
    ASSERT_TRUE(before.ok()) << before.status();
    const absl::StatusOr<std::vector<ir::Tensor>> expected = before->Run(pattern.inputs());
    ASSERT_TRUE(expected.ok()) << expected.status();
    const std::string text = TextOf(graph);
    rewriter.SetInsertionPoint(root);
    ir::TermBuilder builder(rewriter);
    const std::vector<ir::Value*> right = rewrite->apply(*root, builder);
    ASSERT_TRUE(builder.ok()) << builder.status();
    if (right.empty()) continue;
    ++fired;
    for (size_t i = 0; i < right.size(); ++i) {
      const absl::Status replaced = rewriter.ReplaceAllUses(outputs[i], right[i]);
      ASSERT_TRUE(replaced.ok()) << replaced;
    }
    EXPECT_NE(TextOf(graph), text) << "applied, it leaves the graph as it was";
    const absl::Status verified = ir::Verify(graph);
    ASSERT_TRUE(verified.ok()) << verified;
    absl::StatusOr<reference::Executor> after = reference::Executor::Create(graph);
    ASSERT_TRUE(after.ok()) << after.status();
    const absl::StatusOr<std::vector<ir::Tensor>> actual = after->Run(pattern.inputs());
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < actual->size(); ++i)
      EXPECT_EQ(Difference((*actual)[i], (*expected)[i], 1e-4), "");
  }
  EXPECT_GT(fired, 0) << "never applied to its own example; " << problems;
}

// A left side that the rewrite leaves as it is, whichever leaves are constants.
void CheckKeeps(const RewriteExample& example) {
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  ASSERT_NE(rewrite, nullptr);
  int built = 0;
  std::string problems;
  for (int mask = 0; mask < 32; ++mask) {
    ir::Graph graph;
    ir::Rewriter rewriter(graph);
    rewriter.SetLocation(ir::Location::Of(example.rewrite));
    PatternBuilder pattern(example, rewriter);
    pattern.set_mask(mask);
    pattern.Build(example.pattern);
    if (!pattern.status().ok()) {
      problems = std::string(pattern.status().message());
      continue;
    }
    ++built;
    ir::Operation* root = pattern.last();
    ASSERT_NE(root, nullptr);
    rewriter.SetInsertionPoint(root);
    ir::TermBuilder builder(rewriter);
    EXPECT_TRUE(rewrite->apply(*root, builder).empty()) << "applied, with constants " << mask;
    EXPECT_TRUE(builder.ok()) << builder.status();
  }
  EXPECT_GT(built, 0) << "not a left side of the rewrite; " << problems;
}

// The example's rewrite with every other of its dialect, and with itself, where they meet.
void CheckOverlaps(const std::vector<OpExamples>& definitions, const OpExamples& op,
                   const RewriteExample& example) {
  std::set<std::pair<std::string, std::string>> pairs;
  int graphs = 0;
  const auto check = [&](const RewriteExample& meeting) {
    const Confluence confluence = CheckConfluence(meeting, op.dialect);
    EXPECT_EQ(confluence.failure, "");
    pairs.insert(confluence.pairs.begin(), confluence.pairs.end());
    graphs += confluence.graphs;
  };
  check(example);
  std::string apart;   // patterns that meet, of which never both applied
  bool before = true;  // of two, the first asks for what they have at their roots
  for (const OpExamples& other : definitions) {
    if (other.dialect != op.dialect) continue;
    for (const RewriteExample& inner : other.rewrites) {
      if (&inner == &example) before = false;
      const std::vector<RewriteExample> overlaps =
          Overlaps(example, inner, !before && &inner != &example);
      for (const RewriteExample& overlap : overlaps) check(overlap);
      if (!overlaps.empty() && pairs.count(std::minmax(example.rewrite, inner.rewrite)) == 0)
        absl::StrAppend(&apart, apart.empty() ? "" : "; ", inner.rewrite);
    }
  }
  std::string names;
  for (const auto& [a, b] : pairs)
    absl::StrAppend(&names, names.empty() ? "" : "; ", a, " and ", b);
  ::testing::Test::RecordProperty("competing", names);
  ::testing::Test::RecordProperty("apart", apart);
  ::testing::Test::RecordProperty("graphs", graphs);
}

// By the names of the ops that define them, in an op in order of definition.
void CheckOrder(const std::vector<OpExamples>& definitions) {
  std::map<std::string, const OpExamples*> ops;
  for (const OpExamples& op : definitions) ops[op.op] = &op;
  std::map<std::string, std::vector<std::string>> defined, registered;
  const ir::Registry& registry = ir::Registry::Global();
  for (const auto& [op_name, op] : ops) {
    for (const RewriteExample& example : op->rewrites) {
      const std::string& root = example.pattern.text;
      const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, root);
      ASSERT_NE(rewrite, nullptr) << example.rewrite;
      const auto late = registry.LateRewritesAt(root);
      const auto requested = registry.RequestedRewritesAt(root);
      auto list = registry.RewritesAt(root);
      std::string kind = "at ";
      if (std::find(late.begin(), late.end(), rewrite) != late.end())
        kind = "late at ", list = late;
      if (std::find(requested.begin(), requested.end(), rewrite) != requested.end())
        kind = "requested at ", list = requested;
      std::vector<std::string>& names = defined[kind + root];
      if (names.empty() || names.back() != example.rewrite) names.push_back(example.rewrite);
      std::vector<std::string>& found = registered[kind + root];
      found.clear();
      for (const ir::RewriteInfo* known : list) {
        // Other sets may have rewrites at the same root.
        const std::string name(known->name);
        if (ops.count(name.substr(0, name.find('.'))) != 0) found.push_back(name);
      }
    }
  }
  EXPECT_EQ(registered, defined);
}

}  // namespace

void RegisterDefinitionTests(const std::vector<OpExamples>& definitions) {
  // What an op has of its family stands in one line, that of the op.
  BodyTests tests;
  tests.Add("Rewrites", "in_order_of_definition", __FILE__, __LINE__,
            [&definitions] { CheckOrder(definitions); });
  for (const OpExamples& op : definitions) {
    for (const Example& example : op.examples) {
      const std::string name = absl::StrCat(
          example.reject ? "reject_" + example.constraint + "_" : "example_", "line", example.line);
      tests.Add(op.op, name, op.file, example.line, [&op, &example] {
        example.reject ? CheckReject(op, example) : CheckExample(op, example);
      });
    }
    for (const RewriteExample& example : op.keeps)
      tests.Add(op.op, absl::StrCat("keeps_", example.rewrite, "_line", example.line), op.file,
                example.line, [&example] { CheckKeeps(example); });
    for (const RewriteExample& example : op.rewrites) {
      tests.Add(op.op, absl::StrCat("rewrite_", example.rewrite, "_line", example.line), op.file,
                example.line, [&example] { CheckRewrite(example); });
      tests.Add(op.op, absl::StrCat("proof_", example.rewrite, "_line", example.line), op.file,
                example.line, [&example] {
                  const RewriteProof proof = ProveRewrite(example);
                  EXPECT_EQ(proof.failure, "");
                  EXPECT_GE(proof.symbols, 1) << "applies to numbers only: a proof of nothing";
                  ::testing::Test::RecordProperty("symbols", proof.symbols);
                  ::testing::Test::RecordProperty("statements", proof.statements);
                });
      tests.Add(op.op, absl::StrCat("confluence_", example.rewrite, "_line", example.line), op.file,
                example.line, [&] { CheckOverlaps(definitions, op, example); });
    }
  }
}

}  // namespace tessera::testing
