#include "passes/pipeline.h"

#include "absl/strings/str_cat.h"
#include "passes/canonicalize.h"
#include "passes/common_subexpressions.h"
#include "passes/dead_code.h"
#include "passes/fold.h"

namespace tessera::passes {

Pass CanonicalizePass(const std::string& dialect) {
  return {dialect == "core" ? "canonicalize" : absl::StrCat("canonicalize-", dialect),
          "folds constants and applies the rewrites of the op definitions",
          Phase::kCanonicalize,
          Numerics::kLastBits,
          Effects{kAllParts, kContents},
          [dialect](ir::Graph& graph, PassContext& context) {
            return Canonicalize(graph, dialect, context);
          }};
}

Pass CommonSubexpressionPass() {
  return {"cse",
          "one operation for equal operations on equal operands",
          Phase::kCanonicalize,
          Numerics::kExact,
          Effects{kContents, kLinks},
          MergeCommonSubexpressions};
}

Pass DeadCodePass() {
  return {"dead-code",
          "removes operations whose results are not used",
          Phase::kCanonicalize,
          Numerics::kExact,
          Effects{kLinks, kLinks},
          RemoveDeadCode};
}

Pipeline CanonicalPipeline() {
  return {
      DeadCodePass(),
      {"fold-constants", "computes what depends on constants only", Phase::kCanonicalize,
       Numerics::kExact, Effects{kContents, kLinks | kConstants}, FoldConstants},
      CommonSubexpressionPass(),  // before the rewrites, which ask for single uses
      CanonicalizePass("core"),
      CommonSubexpressionPass(),
  };
}

}  // namespace tessera::passes
