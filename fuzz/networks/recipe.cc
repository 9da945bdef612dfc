#include "fuzz/networks/recipe.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"

namespace tessera::fuzz {
namespace {

bool AllDecided(const ir::Graph& graph) {
  return std::all_of(graph.obligations().begin(), graph.obligations().end(),
                     [](const ir::Obligation& obligation) { return !obligation.by.empty(); });
}

// Which inputs and symbols are left, under their new numbers.
void DropUnusedInputs(Recipe& recipe) {
  std::set<int> used(recipe.outputs.begin(), recipe.outputs.end());
  for (const Step& step : recipe.steps) {
    for (const RecipeOperand& operand : step.operands) used.insert(operand.value);
  }
  std::vector<int> number;  // of each input; below 0: gone
  std::vector<RecipeInput> inputs;
  for (size_t i = 0; i < recipe.inputs.size(); ++i) {
    const bool kept = used.count(static_cast<int>(i)) != 0;
    number.push_back(kept ? static_cast<int>(inputs.size()) : -1);
    if (kept) inputs.push_back(recipe.inputs[i]);
  }
  const int gone = static_cast<int>(recipe.inputs.size() - inputs.size());
  const auto renumber = [&](int& value) {
    if (value < 0) return;
    value =
        value < static_cast<int>(number.size()) ? number[static_cast<size_t>(value)] : value - gone;
  };
  for (Step& step : recipe.steps) {
    for (RecipeOperand& operand : step.operands) renumber(operand.value);
  }
  for (int& output : recipe.outputs) renumber(output);
  recipe.inputs = std::move(inputs);

  std::map<int, int> symbols;
  std::vector<RecipeSymbol> kept;
  for (RecipeInput& input : recipe.inputs) {
    for (RecipeDim& dim : input.dims) {
      if (dim.symbol < 0) continue;
      const auto [at, fresh] = symbols.emplace(dim.symbol, static_cast<int>(kept.size()));
      if (fresh) kept.push_back(recipe.symbols[static_cast<size_t>(dim.symbol)]);
      dim.symbol = at->second;
    }
  }
  recipe.symbols = std::move(kept);
}

}  // namespace

int Recipe::FirstResult(size_t step) const {
  int first = static_cast<int>(inputs.size());
  for (size_t i = 0; i < step; ++i) first += steps[i].results;
  return first;
}

std::string LabelOf(const Recipe& recipe, size_t step) {
  return absl::StrCat(std::string(recipe.steps[step].info->name), "_", recipe.FirstResult(step));
}

absl::Status AddInputs(const Recipe& recipe, ir::Graph& graph, std::vector<ir::Value*>& values) {
  std::vector<ir::Expr> symbols;
  for (const RecipeSymbol& symbol : recipe.symbols) {
    const absl::StatusOr<ir::Expr> declared = graph.context().Declare(
        symbol.name, {symbol.least, symbol.most}, {symbol.stride, 0}, "the network");
    if (!declared.ok()) return declared.status();
    symbols.push_back(*declared);
  }
  ir::Rewriter rewriter(graph);
  for (size_t i = 0; i < recipe.inputs.size(); ++i) {
    std::vector<ir::Expr> dims;
    for (const RecipeDim& dim : recipe.inputs[i].dims) {
      dims.push_back(dim.symbol < 0 ? ir::Expr(dim.size)
                                    : symbols[static_cast<size_t>(dim.symbol)]);
    }
    const absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {recipe.inputs[i].dtype, std::move(dims)});
    if (!input.ok()) return input.status();
    values.push_back(*input);
  }
  return absl::OkStatus();
}

absl::Status AddStep(const Step& step, ir::Graph& graph, std::vector<ir::Value*>& values) {
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  // As LabelOf has it.
  rewriter.SetLocation(
      ir::Location::Of(absl::StrCat(std::string(step.info->name), "_", values.size())));
  std::vector<ir::Value*> operands, constants;
  for (const RecipeOperand& operand : step.operands) {
    if (operand.constant.has_value()) {
      constants.push_back(rewriter.CreateConstant(*operand.constant));
      operands.push_back(constants.back());
    } else {
      operands.push_back(operand.value < 0 ? nullptr : values[static_cast<size_t>(operand.value)]);
    }
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < step.attrs.size(); ++i)
    attrs.emplace_back(step.info->attrs[i].name, step.attrs[i]);
  const std::vector<ir::Value*> results =
      builder.Create(step.info->dialect, step.info->name, operands, attrs);
  absl::Status status = builder.status();
  if (status.ok() && static_cast<int>(results.size()) != step.results)
    status = absl::InternalError(absl::StrCat(results.size(), " results of ", step.results));
  if (status.ok() && std::count(results.begin(), results.end(), nullptr) != 0)
    status = absl::UnimplementedError("a result that is not made");
  if (status.ok() && !AllDecided(graph))
    status = absl::FailedPreconditionError("not decided by the expressions alone");
  if (status.ok()) values.insert(values.end(), results.begin(), results.end());
  return status;
}

absl::Status Build(const Recipe& recipe, ir::Graph& graph, std::vector<ir::Value*>& values) {
  absl::Status status = AddInputs(recipe, graph, values);
  for (size_t i = 0; i < recipe.steps.size() && status.ok(); ++i)
    status = AddStep(recipe.steps[i], graph, values);
  ir::Rewriter rewriter(graph);
  for (size_t i = 0; i < recipe.outputs.size() && status.ok(); ++i) {
    status =
        rewriter.AddOutput(absl::StrCat("out", i), values[static_cast<size_t>(recipe.outputs[i])]);
  }
  if (status.ok()) rewriter.EraseUnused();
  return status;
}

std::vector<int> UnusedResults(const Recipe& recipe) {
  std::set<int> used;
  for (const Step& step : recipe.steps) {
    for (const RecipeOperand& operand : step.operands) used.insert(operand.value);
  }
  std::vector<int> unused;
  int value = static_cast<int>(recipe.inputs.size());
  for (const Step& step : recipe.steps) {
    for (int i = 0; i < step.results; ++i, ++value) {
      if (used.count(value) == 0) unused.push_back(value);
    }
  }
  return unused;
}

Recipe Without(const Recipe& recipe, const std::set<size_t>& steps) {
  Recipe result;
  result.symbols = recipe.symbols;
  result.inputs = recipe.inputs;
  std::vector<int> number;  // new numbers of values; below 0: gone
  for (size_t i = 0; i < recipe.inputs.size(); ++i) number.push_back(static_cast<int>(i));
  int next = static_cast<int>(recipe.inputs.size());
  for (size_t i = 0; i < recipe.steps.size(); ++i) {
    Step step = recipe.steps[i];
    bool kept = steps.count(i) == 0;
    for (RecipeOperand& operand : step.operands) {
      if (operand.value < 0) continue;
      operand.value = number[static_cast<size_t>(operand.value)];
      kept = kept && operand.value >= 0;
    }
    for (int r = 0; r < step.results; ++r) number.push_back(kept ? next++ : -1);
    if (kept) result.steps.push_back(std::move(step));
  }
  for (const int output : recipe.outputs) {
    if (number[static_cast<size_t>(output)] >= 0)
      result.outputs.push_back(number[static_cast<size_t>(output)]);
  }
  for (const int unused : UnusedResults(result)) {
    if (std::find(result.outputs.begin(), result.outputs.end(), unused) == result.outputs.end())
      result.outputs.push_back(unused);
  }
  DropUnusedInputs(result);
  return result;
}

}  // namespace tessera::fuzz
