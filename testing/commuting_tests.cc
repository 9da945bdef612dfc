// What definitions say of transpositions, executed: for every example of an operator with a
// `permute` clause, or of one that works element by element, and every order of its axes, the
// operator on transposed operands yields its result transposed. And what the placement makes of
// it: transpositions in front of the operator go behind it where that is cheaper, and the other way
// round.
#include "testing/commuting_tests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "layout/commuting.h"
#include "layout/place.h"
#include "targets/reference/executor.h"
#include "testing/body_tests.h"
#include "testing/literals.h"

namespace tessera::testing {
namespace {

using layout::Commuting;
using layout::CommutingOf;
using layout::Identity;
using layout::Permutation;
using layout::Recreate;

constexpr double kTolerance = 1e-5;

// By the dialect's transposition, whose order is an operand or an attribute.
ir::Value* Transposed(ir::Value* x, const Permutation& p, const std::string& dialect,
                      ir::Rewriter& rewriter) {
  const ir::OpInfo& info = *ir::Registry::Global().WithRole(dialect, ir::Role::kTranspose);
  ir::TermBuilder builder(rewriter);
  std::vector<ir::Value*> operands = {x};
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  if (info.operands.size() > 1) {
    const std::vector<int32_t> axes(p.begin(), p.end());
    operands.push_back(rewriter.CreateConstant(
        ir::Tensor::Of<int32_t>(ir::DType::kI32, {static_cast<int64_t>(p.size())}, axes)));
  } else {
    attrs.emplace_back(info.attrs[0].name, ir::Attribute(std::vector<int64_t>(p.begin(), p.end())));
  }
  const std::vector<ir::Value*> results = builder.Create(info.dialect, info.name, operands, attrs);
  EXPECT_TRUE(builder.ok()) << builder.status();
  return results.empty() ? nullptr : results[0];
}

// What works element by element does so in any shape: the values again and again.
ir::Tensor Spread(const ir::Tensor& tensor, const std::vector<int64_t>& shape) {
  ir::Tensor spread = *ir::Tensor::Allocate(tensor.dtype(), shape);
  const size_t each = ir::SizeOf(tensor.dtype());
  for (int64_t i = 0; i < spread.size(); ++i) {
    const auto from = tensor.bytes().subspan(static_cast<size_t>(i % tensor.size()) * each, each);
    std::copy(from.begin(), from.end(),
              spread.mutable_data<uint8_t>() + static_cast<size_t>(i) * each);
  }
  return spread;
}

struct Instance {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;
  ir::Operation* op = nullptr;
};

// Operands that are no single number get the shape `wide`, unless that is empty.
bool Build(const ops::OpExamples& definition, const ops::Example& example, Instance& instance,
           const std::vector<int64_t>& wide = {}) {
  const ir::OpInfo& info = *ir::Registry::Global().Find(definition.dialect, definition.op);
  ir::Rewriter rewriter(instance.graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(definition.op));
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < example.operands.size(); ++i) {
    if (!example.operands[i].present) {
      operands.push_back(nullptr);
      continue;
    }
    absl::StatusOr<ir::Tensor> tensor = TensorOf(example.operands[i], 18 + i);
    EXPECT_TRUE(tensor.ok()) << tensor.status();
    if (!tensor.ok()) return false;
    if (!wide.empty() && tensor->size() > 0 && tensor->rank() > 0) tensor = Spread(*tensor, wide);
    if (info.operands[std::min(i, info.operands.size() - 1)].elements) {
      operands.push_back(rewriter.CreateConstant(*std::move(tensor)));
      continue;
    }
    const std::vector<ir::Expr> dims(tensor->shape().begin(), tensor->shape().end());
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {tensor->dtype(), dims});
    EXPECT_TRUE(input.ok()) << input.status();
    if (!input.ok()) return false;
    operands.push_back(*input);
    instance.inputs.push_back(*std::move(tensor));
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < example.attrs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(example.attrs[i]))
      attrs.emplace_back(info.attrs[i].name, example.attrs[i]);
  }
  const std::vector<ir::Value*> results =
      builder.Create(definition.dialect, definition.op, operands, attrs);
  EXPECT_TRUE(builder.ok()) << builder.status();
  if (results.empty()) return false;
  instance.op = results[0]->producer();
  return instance.op != nullptr;
}

// Whether `rule` made a difference between the two.
bool Followed(const ir::PermuteRule& rule, const ir::Operation& op, const ir::Operation& moved) {
  const size_t index = static_cast<size_t>(rule.index);
  const bool of_operand =
      rule.kind == ir::PermuteRule::kOperandRows || rule.kind == ir::PermuteRule::kOperandAxes;
  if (!of_operand) return op.attr(index) != moved.attr(index);
  const auto* before = op.operand(index)->elements();
  const auto* after = moved.operand(index)->elements();
  return before != nullptr && after != nullptr && *before != *after;
}

// Whether the example in the order p is the example; nullopt where it has no such order. Adds the
// rules that made a difference to `followed`.
std::optional<std::string> Compare(const ops::OpExamples& definition, const ops::Example& example,
                                   const Permutation& p, const std::string& movement,
                                   std::set<int>& followed) {
  Instance instance;
  if (!Build(definition, example, instance)) return "the example cannot be built";
  const std::optional<Commuting> commuting = CommutingOf(*instance.op);
  if (!commuting.has_value() || commuting->rank != static_cast<int64_t>(p.size()) ||
      !commuting->broadcast.empty())
    return std::nullopt;
  const std::optional<Permutation> order = commuting->ResultOrder(p);
  if (!order.has_value()) return std::nullopt;
  ir::Rewriter rewriter(instance.graph);
  rewriter.SetLocation(ir::Location::Of(definition.op));
  std::vector<ir::Value*> operands(instance.op->operands().begin(), instance.op->operands().end());
  for (const size_t i : commuting->moved)
    operands[i] = Transposed(operands[i], p, movement, rewriter);
  const absl::StatusOr<ir::Operation*> moved = Recreate(*instance.op, p, operands, rewriter);
  if (!moved.ok()) return std::string(moved.status().message());
  const absl::Span<const ir::PermuteRule> rules = instance.op->info().permutes;
  for (size_t i = 0; i < rules.size(); ++i) {
    if (Followed(rules[i], *instance.op, **moved)) followed.insert(static_cast<int>(i));
  }
  ir::Value* const expected = Transposed(instance.op->result(), *order, movement, rewriter);
  for (const auto& [name, value] :
       {std::pair{"expected", expected}, {"actual", (*moved)->result()}}) {
    const absl::Status added = rewriter.AddOutput(name, value);
    if (!added.ok()) return std::string(added.message());
  }
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(instance.graph);
  if (!executor.ok()) return std::string(executor.status().message());
  const absl::StatusOr<std::vector<ir::Tensor>> results = executor->Run(instance.inputs);
  if (!results.ok()) return std::string(results.status().message());
  return Difference((*results)[1], (*results)[0], kTolerance);
}

enum class Direction : uint8_t { kForward, kBackward };

std::string_view NameOf(Direction direction) {
  return direction == Direction::kForward ? "sinks_forward" : "sinks_backward";
}

absl::StatusOr<std::vector<ir::Tensor>> Executed(const Instance& instance) {
  const absl::StatusOr<reference::Executor> executor = reference::Executor::Create(instance.graph);
  if (!executor.ok()) return executor.status();
  return executor->Run(instance.inputs);
}

// Whether a transposition on the one side of the operator goes to the other, and nothing changes by
// that; nullopt where there is none that could.
std::optional<std::string> Sink(const ops::OpExamples& definition, const ops::Example& example,
                                const std::vector<int64_t>& wide, const Permutation& p,
                                const std::string& movement, Direction direction) {
  Instance instance;
  if (!Build(definition, example, instance, wide)) return "the example cannot be built";
  const std::optional<Commuting> commuting = CommutingOf(*instance.op);
  if (!commuting.has_value() || commuting->rank != static_cast<int64_t>(p.size()) ||
      !commuting->broadcast.empty() || commuting->moved.empty())
    return std::nullopt;
  const std::optional<Permutation> order = commuting->ResultOrder(p);
  if (!order.has_value()) return std::nullopt;
  const bool forward = direction == Direction::kForward;
  const auto stays = [](const ir::Value& value, const Permutation& q) {
    return layout::KeepsOrder(q, value.type().dims);
  };
  std::vector<ir::Value*> operands(instance.op->operands().begin(), instance.op->operands().end());
  bool moves = !forward && !stays(*instance.op->result(), *order);
  for (const size_t i : commuting->moved) moves = moves || (forward && !stays(*operands[i], p));
  if (!moves || (!forward && commuting->OperandOrder(*order) != p)) return std::nullopt;
  ir::Rewriter rewriter(instance.graph);
  rewriter.SetLocation(ir::Location::Of(definition.op));
  ir::Value* result = nullptr;
  if (forward) {
    for (const size_t i : commuting->moved)
      operands[i] = Transposed(operands[i], p, movement, rewriter);
    const absl::StatusOr<ir::Operation*> moved = Recreate(*instance.op, p, operands, rewriter);
    if (!moved.ok()) return std::string(moved.status().message());
    result = (*moved)->result();
  } else {
    result = Transposed(instance.op->result(), *order, movement, rewriter);
  }
  if (const absl::Status added = rewriter.AddOutput("y", result); !added.ok())
    return std::string(added.message());
  rewriter.EraseUnused();
  const absl::StatusOr<std::vector<ir::Tensor>> before = Executed(instance);
  if (!before.ok()) return std::string(before.status().message());
  // The side that it is on is the dear one.
  const auto cost = [&](const layout::Move& move) {
    const bool dear = forward ? move.from_input : move.to_output;
    return layout::ElementsMoved(move) << (dear ? 20 : 0);
  };
  const absl::StatusOr<bool> placed = layout::PlaceTransposes(instance.graph, movement, cost);
  if (!placed.ok()) return std::string(placed.status().message());
  for (const ir::Operation* op : instance.graph.TopologicalOrder()) {
    if (op->info().role != ir::Role::kTranspose) continue;
    const ir::Operation* producer = op->operand(0)->producer();
    if (producer != nullptr && producer->info().role == ir::Role::kConstant) continue;
    if ((producer == nullptr) == forward) return "a transposition stays where it was";
  }
  const absl::StatusOr<std::vector<ir::Tensor>> after = Executed(instance);
  if (!after.ok()) return std::string(after.status().message());
  return Difference(*after, *before, kTolerance);
}

int64_t HighestRank(const ops::Example& example) {
  size_t rank = 0;
  for (const ops::Literal& literal : example.operands) rank = std::max(rank, literal.shape.size());
  return static_cast<int64_t>(rank);
}

// Of all operators, by direction.
struct Counts {
  int operators = 0, cases = 0;
  std::vector<std::string> without;
};
std::map<Direction, Counts>& SunkSoFar() {
  static auto* const counts = new std::map<Direction, Counts>;
  return *counts;
}

// A list may speak of axes, as the shape that a tensor is repeated to does.
bool HasLists(const ir::OpInfo& info) {
  return std::any_of(info.attrs.begin(), info.attrs.end(),
                     [](const ir::AttrSpec& spec) {
                       return spec.kind == ir::AttrKind::kInts || spec.kind == ir::AttrKind::kDims;
                     }) ||
         std::any_of(info.operands.begin(), info.operands.end(),
                     [](const ir::OperandSpec& spec) { return spec.elements; });
}

// The shape in which an example of what works element by element has several axes; empty: that of
// the example.
std::vector<int64_t> WideShape(const ops::Example& example, const ir::OpInfo& info) {
  if (!info.elementwise || HasLists(info) || HighestRank(example) > 2) return {};
  for (const ops::Literal& literal : example.operands) {
    if (std::find(literal.shape.begin(), literal.shape.end(), 0) != literal.shape.end()) return {};
  }
  return {2, 3, 4};
}

void CheckSinking(const ops::OpExamples& definition, const ir::OpInfo& info,
                  const std::string& movement, Direction direction) {
  if (!info.permutable && HasLists(info)) return;  // it does not commute
  int cases = 0;
  for (const ops::Example& example : definition.examples) {
    if (example.reject) continue;
    const std::vector<int64_t> wide = WideShape(example, info);
    const auto highest = std::max(HighestRank(example), static_cast<int64_t>(wide.size()));
    for (int64_t rank = 2; rank <= highest; ++rank) {
      Permutation p = Identity(rank);
      while (std::next_permutation(p.begin(), p.end())) {
        const std::optional<std::string> difference =
            Sink(definition, example, wide, p, movement, direction);
        if (!difference.has_value()) continue;
        ++cases;
        EXPECT_EQ(*difference, "") << definition.file << ":" << example.line << " in the order ["
                                   << absl::StrJoin(p, ", ") << "]";
      }
    }
  }
  Counts& counts = SunkSoFar()[direction];
  if (cases == 0) counts.without.push_back(std::string(info.name));
  counts.operators += cases > 0 ? 1 : 0;
  counts.cases += cases;
}

// What the tests before it went through: as many cases as are asked for, both ways, and none of the
// operators without one.
void CheckCounts(int least) {
  for (const auto& [direction, counts] : SunkSoFar()) {
    std::cout << NameOf(direction) << ": " << counts.operators << " operators, " << counts.cases
              << " cases; none: " << absl::StrJoin(counts.without, ", ") << "\n";
    EXPECT_GE(counts.cases, least) << NameOf(direction);
    EXPECT_TRUE(counts.without.empty()) << NameOf(direction) << ": an operator without a case";
  }
  EXPECT_EQ(SunkSoFar().size(), 2u);
}

void Check(const ops::OpExamples& definition, const ir::OpInfo& info, const std::string& movement) {
  int compared = 0;
  std::set<int> followed;
  for (const ops::Example& example : definition.examples) {
    if (example.reject) continue;
    for (int64_t rank = 2; rank <= HighestRank(example); ++rank) {
      Permutation p = Identity(rank);
      while (std::next_permutation(p.begin(), p.end())) {
        const std::optional<std::string> difference =
            Compare(definition, example, p, movement, followed);
        if (!difference.has_value()) break;  // nor in any other order of as many axes
        ++compared;
        EXPECT_EQ(*difference, "") << definition.file << ":" << example.line << " in the order ["
                                   << absl::StrJoin(p, ", ") << "]";
      }
    }
  }
  if (info.permutable) {
    EXPECT_GT(compared, 0) << "`permute` without an example of two axes or more";
    EXPECT_EQ(followed.size(), info.permutes.size()) << "no example shows what each part does";
  }
}

}  // namespace

void RegisterCommutingTests(const std::vector<ops::OpExamples>& examples,
                            const std::string& movement) {
  BodyTests tests;
  for (const ops::OpExamples& definition : examples) {
    const ir::OpInfo* info = ir::Registry::Global().Find(definition.dialect, definition.op);
    if (info == nullptr || (!info->permutable && !info->elementwise)) continue;
    tests.Add(definition.op, "commutes_with_transposes", definition.file, 1,
              [&definition, &movement, info] { Check(definition, *info, movement); });
    for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
      tests.Add(definition.op, std::string(NameOf(direction)), definition.file, 1,
                [&definition, &movement, info, direction] {
                  CheckSinking(definition, *info, movement, direction);
                });
    }
  }
}

void RegisterSinkingCount(int least) {
  static BodyTests* const tests = new BodyTests;
  tests->Add("Sinking", "cases", __FILE__, __LINE__, [least] { CheckCounts(least); });
}

}  // namespace tessera::testing
