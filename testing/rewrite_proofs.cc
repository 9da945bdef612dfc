#include "testing/rewrite_proofs.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "solver/prove.h"
#include "testing/pattern_builder.h"

namespace tessera::testing {
namespace {

constexpr int64_t kLargest = 1 << 20;

// Sizes of the example that are symbols, and their least values.
using Free = std::map<int64_t, int64_t>;

struct Left {
  std::unique_ptr<ir::Graph> graph;
  ir::Operation* root = nullptr;
};

// Null: the left side is not legal for all sizes.
std::optional<Left> BuildLeft(const ops::RewriteExample& example, int mask, const Free& free,
                              ir::DType dtype = ir::DType::kF32) {
  Left left;
  left.graph = std::make_unique<ir::Graph>();
  solver::Context& context = left.graph->context();
  ir::Rewriter rewriter(*left.graph);
  rewriter.SetLocation(ir::Location::Of(example.rewrite));
  PatternBuilder pattern(example, rewriter);
  pattern.set_mask(mask);
  pattern.set_dtype(dtype);
  pattern.set_dims([&](const ir::Tensor& tensor) {
    std::vector<ir::Expr> dims;
    for (const int64_t size : tensor.shape()) {
      const auto symbol = free.find(size);
      if (symbol == free.end()) {
        dims.push_back(size);
        continue;
      }
      const auto declared = context.Declare(absl::StrCat("s", size), {symbol->second, kLargest}, {},
                                            "a size of the example");
      dims.push_back(declared.ok() ? *declared : solver::Expr::Invalid());
    }
    return dims;
  });
  pattern.Build(example.pattern);
  if (!pattern.status().ok() || pattern.last() == nullptr) return std::nullopt;
  if (!left.graph->obligations().empty()) return std::nullopt;
  left.root = pattern.last();
  return left;
}

// Every size of an input, in descending order: large ones are extents, small ones often windows.
std::set<int64_t, std::greater<>> SizesOf(const ops::RewriteExample& example) {
  std::set<int64_t, std::greater<>> sizes;
  for (const auto& [name, literals] : example.operands) {
    for (const ops::Literal& literal : literals) {
      for (const int64_t size : literal.shape) {
        if (size > 1) sizes.insert(size);
      }
    }
  }
  return sizes;
}

// Applied to nothing: fired stays false.
struct Applied {
  bool fired = false;
  int statements = 0;
  std::string failure;
};

Applied Apply(const ops::RewriteExample& example, const ir::RewriteInfo& rewrite, Left& left) {
  Applied applied;
  ir::Rewriter rewriter(*left.graph);
  const std::vector<ir::Value*> outputs(left.root->results().begin(), left.root->results().end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    const absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), outputs[i]);
    if (!status.ok()) return {true, 0, std::string(status.message())};
  }
  rewriter.SetLocation(ir::Location::Of(example.rewrite));
  rewriter.SetInsertionPoint(left.root);
  const size_t before = left.graph->proved().size();
  ir::TermBuilder builder(rewriter);
  const std::vector<ir::Value*> right = rewrite.apply(*left.root, builder);
  if (!builder.ok()) return {true, 0, std::string(builder.status().message())};
  if (right.empty()) return applied;
  applied.fired = true;
  for (size_t i = 0; i < right.size(); ++i) {
    const absl::Status status = rewriter.ReplaceAllUses(outputs[i], right[i]);
    if (!status.ok()) return {true, 0, std::string(status.message())};
  }
  applied.statements = static_cast<int>(left.graph->proved().size() - before);
  solver::Prover prover;
  for (const ir::Obligation& open : left.graph->obligations()) {
    const solver::Verdict verdict = prover.Prove(left.graph->context(), open.predicate);
    if (verdict.kind == solver::Verdict::kProved) {
      ++applied.statements;
      continue;
    }
    absl::StrAppend(
        &applied.failure, "`", open.op, "`: ", open.constraint, ": ", open.message,
        verdict.kind == solver::Verdict::kRefuted ? " is refuted: `" : " is undecided: `",
        open.predicate.ToString(), "`\n");
  }
  return applied;
}

}  // namespace

RewriteProof ProveRewrite(const ops::RewriteExample& example) {
  RewriteProof best;
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  if (rewrite == nullptr) {
    best.failure = "no such rewrite";
    return best;
  }
  for (int mask = 0; mask < 32; ++mask) {
    // Other element types that the left side may have, the right side must have too.
    for (const ir::DType dtype : {ir::DType::kF16, ir::DType::kF64, ir::DType::kI32,
                                  ir::DType::kI64, ir::DType::kU8, ir::DType::kBool}) {
      std::optional<Left> left = BuildLeft(example, mask, {}, dtype);
      if (!left.has_value()) continue;
      const Applied applied = Apply(example, *rewrite, *left);
      if (applied.failure.empty()) continue;
      return {0, 0, absl::StrCat(std::string(ir::NameOf(dtype)), ": ", applied.failure)};
    }
    if (!BuildLeft(example, mask, {}).has_value()) continue;
    Free free;
    for (const int64_t size : SizesOf(example)) {
      for (const int64_t least : {int64_t{1}, size}) {
        Free more = free;
        more[size] = least;
        std::optional<Left> left = BuildLeft(example, mask, more);
        if (!left.has_value()) continue;
        const Applied applied = Apply(example, *rewrite, *left);
        if (!applied.fired) continue;
        // Legal on the left for all these sizes: what is not proved of the right is a fault.
        if (!applied.failure.empty()) return {static_cast<int>(more.size()), 0, applied.failure};
        free = more;
        if (static_cast<int>(free.size()) > best.symbols) {
          best = {static_cast<int>(free.size()), applied.statements, ""};
        }
        break;
      }
    }
  }
  return best;
}

}  // namespace tessera::testing
