// Rewrites find what commutes in every order of its operands, whichever their pattern has.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "codegen/support/signatures.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/circle/compile.h"
#include "testing/pattern_builder.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<OpExamples>& CircleExamples();
const std::vector<Signature>& CircleSignatures();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

constexpr int kMasks = 32;  // of what is constant, as for the examples themselves

struct Facts {
  std::set<std::string> commuting;  // dialect.op
  std::set<std::string> ordered;    // dialect.rewrite
};

Facts FactsOf(const std::vector<const std::vector<ops::Signature>*>& all) {
  Facts facts;
  for (const auto* signatures : all) {
    for (const ops::Signature& signature : *signatures) {
      if (signature.commutes)
        facts.commuting.insert(absl::StrCat(signature.dialect, ".", signature.op));
      for (const ops::RewriteSignature& rewrite : signature.rewrites) {
        if (rewrite.ordered)
          facts.ordered.insert(absl::StrCat(signature.dialect, ".", rewrite.name));
      }
    }
  }
  return facts;
}

void Commuting(ops::Pattern& pattern, const Facts& facts, std::vector<ops::Pattern*>& found) {
  if (pattern.kind != ops::Pattern::kOp) return;
  if (facts.commuting.count(absl::StrCat(pattern.dialect, ".", pattern.text)) > 0)
    found.push_back(&pattern);
  for (ops::Pattern& operand : pattern.operands) Commuting(operand, facts, found);
}

// Some choice of constants makes the rewrite apply.
bool Applies(const ops::RewriteExample& example, const ir::RewriteInfo& rewrite) {
  for (int mask = 0; mask < kMasks; ++mask) {
    ir::Graph graph;
    ir::Rewriter rewriter(graph);
    rewriter.SetLocation(ir::Location::Of(example.rewrite));
    PatternBuilder pattern(example, rewriter);
    pattern.set_mask(mask);
    pattern.Build(example.pattern);
    if (!pattern.status().ok() || pattern.last() == nullptr) continue;
    rewriter.SetInsertionPoint(pattern.last());
    ir::TermBuilder builder(rewriter);
    if (!rewrite.apply(*pattern.last(), builder).empty() && builder.ok()) return true;
  }
  return false;
}

int CheckAll(const std::vector<ops::OpExamples>& all, const Facts& facts) {
  int orders = 0;
  for (const ops::OpExamples& op : all) {
    for (const ops::RewriteExample& example : op.rewrites) {
      if (facts.ordered.count(absl::StrCat(op.dialect, ".", example.rewrite)) > 0) continue;
      ops::RewriteExample other = example;
      std::vector<ops::Pattern*> commuting;
      Commuting(other.pattern, facts, commuting);
      const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
      EXPECT_NE(rewrite, nullptr) << example.rewrite;
      if (rewrite == nullptr) continue;
      for (unsigned order = 1; order < 1u << commuting.size(); ++order) {
        // A Gray code: each order is one exchange from the one before.
        size_t changed = 0;
        while ((order >> changed & 1) == 0) ++changed;
        std::swap(commuting[changed]->operands[0], commuting[changed]->operands[1]);
        EXPECT_TRUE(Applies(other, *rewrite))
            << op.file << ":" << example.line << ": " << example.rewrite << " in order " << order;
        ++orders;
        commuting.clear();
        Commuting(other.pattern, facts, commuting);
      }
    }
  }
  return orders;
}

TEST(OperandOrder, EveryRewriteFindsWhatCommutes) {
  ir::Registry::Global().Add(ops::CoreOps());
  circle::RegisterOperators();
  const Facts facts = FactsOf({&ops::CoreSignatures(), &ops::CircleSignatures()});
  EXPECT_GE(CheckAll(ops::CoreExamples(), facts), 10);
  EXPECT_GE(CheckAll(ops::CircleExamples(), facts), 50);
}

}  // namespace
}  // namespace tessera::testing
