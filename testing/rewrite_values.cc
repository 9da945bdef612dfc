#include "testing/rewrite_values.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "ir/text.h"
#include "nests/equal.h"
#include "nests/piecewise.h"
#include "targets/reference/executor.h"
#include "testing/pattern_builder.h"

namespace tessera::testing {
namespace {

constexpr int kRounds = 6;  // of special values

// One theory with what it says of both sides.
struct InTheory {
  InTheory(Proof proof, nests::Theory theory) : proof(proof), terms(theory) {}

  absl::Status Left(ir::Graph& graph) { return Of(graph, sides.left, sides.left_requires); }
  absl::Status Right(ir::Graph& graph) { return Of(graph, sides.right, sides.right_requires); }

  Proof proof;
  nests::Terms terms;
  nests::Sides sides;

 private:
  absl::Status Of(ir::Graph& graph, std::vector<nests::OutputTerms>& outputs,
                  std::vector<nests::Terms::Element>& requires_) {
    auto computed = nests::TermsOf(graph, terms);
    if (!computed.ok()) return computed.status();
    outputs = *std::move(computed);
    requires_ = terms.TakeRequired();
    return absl::OkStatus();
  }
};

// Values where floats part from numbers.
ir::Tensor Special(const ir::Tensor& like, std::mt19937_64& random, int round) {
  if (!ir::IsFloat(like.dtype())) return like;
  const double inf = std::numeric_limits<double>::infinity();
  const double most = std::numeric_limits<float>::max();
  const double least = std::numeric_limits<float>::denorm_min();
  // One kind of exception at a time in the first rounds, so that one does not hide another.
  const std::vector<std::vector<double>> kinds = {
      {-0.0, 0.0, 1.0, -1.0}, {inf, 2.0, -0.5, 1.0},   {most, -most, 0.5, 2.0},
      {inf, -inf, 0.0, 1.0},  {-1.0, least, 0.0, 3.0}, {std::nan(""), inf, -0.0, 1.0}};
  const std::vector<double>& kind = kinds[static_cast<size_t>(round) % kinds.size()];
  std::vector<double> values;
  for (int64_t i = 0; i < like.size(); ++i) values.push_back(kind[random() % kind.size()]);
  return ir::Tensor::Of<double>(like.dtype(), like.shape(), values);
}

// As floats, but for rounding: NaN, infinities and signs of zero are told apart.
std::string Exception(const ir::Tensor& left, const ir::Tensor& right) {
  if (left.dtype() != right.dtype() || left.shape() != right.shape()) return "types differ";
  for (int64_t i = 0; i < left.size(); ++i) {
    const double a = left.AsDouble(i), b = right.AsDouble(i);
    if (std::isnan(a) && std::isnan(b)) continue;
    const bool same = std::isfinite(a) && std::isfinite(b)
                          ? std::abs(a - b) <= 1e-4 * std::max(1.0, std::abs(b)) &&
                                (a != 0 || b != 0 || std::signbit(a) == std::signbit(b))
                          : a == b;
    if (!same) return absl::StrCat("element ", i, " is ", a, " on the left, ", b, " on the right");
  }
  return "";
}

std::string Text(const ir::Tensor& tensor) {
  std::vector<std::string> values;
  for (int64_t i = 0; i < std::min<int64_t>(tensor.size(), 8); ++i)
    values.push_back(std::signbit(tensor.AsDouble(i)) && tensor.AsDouble(i) == 0
                         ? "-0"
                         : absl::StrCat(tensor.AsDouble(i)));
  return absl::StrCat("[", absl::StrJoin(values, ", "), tensor.size() > 8 ? ", ..." : "", "]");
}

struct Sampled {
  std::vector<ir::Tensor> inputs, outputs;
};

std::vector<Sampled> Sample(const ir::Graph& graph, const std::vector<ir::Tensor>& like) {
  std::vector<Sampled> samples;
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(graph);
  if (!executor.ok()) return samples;
  std::mt19937_64 random(7);
  for (int round = 0; round < kRounds; ++round) {
    Sampled sample;
    for (const ir::Tensor& tensor : like) sample.inputs.push_back(Special(tensor, random, round));
    auto outputs = executor->Run(sample.inputs);
    if (outputs.ok()) sample.outputs = *std::move(outputs);
    samples.push_back(std::move(sample));
  }
  return samples;
}

// Where the right side parts from what the left side gave; empty: nowhere.
std::string FirstException(const std::vector<Sampled>& left, const std::vector<Sampled>& right) {
  for (size_t round = 0; round < std::min(left.size(), right.size()); ++round) {
    const size_t outputs = std::min(left[round].outputs.size(), right[round].outputs.size());
    for (size_t i = 0; i < outputs; ++i) {
      const std::string difference = Exception(left[round].outputs[i], right[round].outputs[i]);
      if (difference.empty()) continue;
      std::string inputs;
      for (const ir::Tensor& input : left[round].inputs)
        absl::StrAppend(&inputs, inputs.empty() ? "" : ", ", Text(input));
      return absl::StrCat("for ", inputs, ": ", difference);
    }
  }
  return "";
}

void Weaken(RewriteValues& values, Proof proof, const std::string& why) {
  if (proof <= values.proof) return;
  values.proof = proof;
  values.why = why;
}

// The graph before, and what `replace` makes of its outputs; false: nothing.
bool CompareSides(ir::Graph& graph, const std::vector<ir::Tensor>& inputs,
                  const std::function<std::vector<ir::Value*>()>& replace,
                  const std::vector<ir::Value*>& outputs, RewriteValues& values) {
  // A theory says nothing new that is stronger than what held of the graphs before.
  std::deque<InTheory> theories;
  for (const auto& [proof, theory] : {std::pair(Proof::kExact, nests::Theory::kExact),
                                      std::pair(Proof::kReals, nests::Theory::kReals),
                                      std::pair(Proof::kRounded, nests::Theory::kRounded)}) {
    if (proof >= values.proof) theories.emplace_back(proof, theory);
  }
  absl::Status status;
  for (InTheory& theory : theories) status.Update(theory.Left(graph));
  const std::vector<Sampled> sampled_left = Sample(graph, inputs);
  const std::vector<ir::Value*> replaced = replace();
  if (replaced.empty()) return false;
  ir::Rewriter rewriter(graph);
  for (size_t i = 0; i < replaced.size(); ++i) {
    if (!rewriter.ReplaceAllUses(outputs[i], replaced[i]).ok()) return false;
  }
  ++values.fired;
  for (InTheory& theory : theories) status.Update(theory.Right(graph));
  std::string why(status.message());
  Proof proof = Proof::kSampled;
  for (const InTheory& theory : theories) {
    if (!status.ok()) break;
    const std::string unproved = nests::FirstUnproved(theory.sides, theory.terms);
    if (unproved.empty()) {
      proof = theory.proof;
      break;
    }
    why = unproved;
  }
  Weaken(values, proof, why);
  if (proof == Proof::kExact) return true;
  if (values.exception.empty())
    values.exception = FirstException(sampled_left, Sample(graph, inputs));
  return true;
}

// One choice of leaves; false: the example does not say it, or the rewrite does not apply.
bool CheckChoice(const ops::RewriteExample& example, int mask, std::set<std::string>& seen,
                 RewriteValues& values) {
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  rewriter.SetLocation(ir::Location::Of(example.rewrite));
  PatternBuilder pattern(example, rewriter);
  pattern.set_mask(mask);
  pattern.Build(example.pattern);
  ir::Operation* root = pattern.last();
  if (!pattern.status().ok() || root == nullptr) return false;
  const std::vector<ir::Value*> outputs(root->results().begin(), root->results().end());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!rewriter.AddOutput(absl::StrCat("out", i), outputs[i]).ok()) return false;
  }
  if (!seen.insert(ir::Print(graph)).second) return false;
  const ir::RewriteInfo* rewrite = FindRewrite(example.rewrite, example.pattern.text);
  if (rewrite == nullptr) return false;
  ir::TermBuilder builder(rewriter);
  const auto replace = [&] {
    rewriter.SetInsertionPoint(root);
    std::vector<ir::Value*> replaced = rewrite->apply(*root, builder);
    return builder.ok() ? replaced : std::vector<ir::Value*>();
  };
  return CompareSides(graph, pattern.inputs(), replace, outputs, values);
}

}  // namespace

RewriteValues CheckValues(const ops::RewriteExample& example) {
  RewriteValues values;
  std::set<std::string> seen;
  for (int mask = 0; mask < 32; ++mask) CheckChoice(example, mask, seen, values);
  return values;
}

RewriteValues CheckLowering(const Case& example, std::string_view target) {
  RewriteValues values;
  for (const ir::LoweringInfo& lowering : example.info->lowerings) {
    if (lowering.target != target) continue;
    for (const bool constants : {false, true}) {
      ir::Graph graph;
      if (!BuildGraph(example, constants, graph).ok()) continue;
      ir::Operation* root = graph.outputs()[0]->producer();
      const std::vector<ir::Tensor> inputs = InputsOf(example, graph);
      const std::vector<ir::Value*> outputs(root->results().begin(), root->results().end());
      ir::Rewriter rewriter(graph);
      rewriter.SetInsertionPoint(root);
      rewriter.SetLocation(root->location());
      ir::TermBuilder builder(rewriter);
      CompareSides(
          graph, inputs,
          [&] {
            std::vector<ir::Value*> replaced = lowering.apply(*root, builder);
            return builder.ok() ? replaced : std::vector<ir::Value*>();
          },
          outputs, values);
    }
  }
  return values;
}

}  // namespace tessera::testing
