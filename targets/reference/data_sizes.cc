#include "targets/reference/data_sizes.h"

#include <string>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "solver/expr.h"

namespace tessera::reference {
namespace {

using Operations = absl::flat_hash_set<const ir::Operation*>;

// By symbol, what counts it.
using Counting = absl::flat_hash_map<std::string, const ir::Operation*>;

void AddCounting(const ir::Expr& size, const Counting& counting, Operations& found) {
  if (size.IsConstant()) return;
  for (const std::string& symbol : solver::SymbolsOf(size)) {
    const auto it = counting.find(symbol);
    if (it != counting.end()) found.insert(it->second);
  }
}

void AddCounting(const ir::Operation& op, const Counting& counting, Operations& found) {
  for (const ir::Value* result : op.results()) {
    for (const ir::Expr& dim : result->type().dims) AddCounting(dim, counting, found);
  }
  for (const ir::Attribute& attr : op.attrs()) {
    if (const auto* size = std::get_if<ir::Expr>(&attr)) {
      AddCounting(*size, counting, found);
    } else if (const auto* sizes = std::get_if<std::vector<ir::Expr>>(&attr)) {
      for (const ir::Expr& size : *sizes) AddCounting(size, counting, found);
    }
  }
}

// What has to run before the step.
Operations Before(const ir::LoopNest& nest, const ir::Operation* step, const Counting& counting) {
  Operations before;
  const auto read = [&](const ir::Value* value) {
    if (value != nullptr && value->producer() != nullptr) before.insert(value->producer());
  };
  AddCounting(*step, counting, before);
  const auto loop = nest.ended_by.find(step);
  if (loop == nest.ended_by.end()) {
    for (const ir::Value* operand : step->operands()) read(operand);
  } else {
    const ir::Operation* begin = nest.loops[static_cast<size_t>(loop->second)].begin;
    for (const ir::Value* operand : begin->operands()) read(operand);
    for (const ir::Value* value : nest.CapturedBy(loop->second)) read(value);
    for (const auto& [op, home] : nest.home) {
      if (nest.IsInside(op, loop->second)) AddCounting(*op, counting, before);
    }
  }
  before.erase(step);
  return before;
}

}  // namespace

absl::StatusOr<std::vector<const ir::Operation*>> BehindSizes(const ir::LoopNest& nest) {
  Counting counting;
  for (const auto& [op, home] : nest.home) {
    if (!ir::IsDataSize(*op)) continue;
    if (home >= 0) {
      return absl::UnimplementedError(
          absl::StrCat("at `", op->location().ToString(),
                       "`: data decide a size at each position of a loop anew"));
    }
    for (std::string& symbol : solver::SymbolsOf(std::get<ir::Expr>(op->attrs()[0])))
      counting.emplace(std::move(symbol), op);
  }
  if (counting.empty()) return nest.steps;
  std::vector<std::pair<const ir::Operation*, Operations>> waiting;
  Operations waits;
  for (const ir::Operation* step : nest.steps) {
    waiting.emplace_back(step, Before(nest, step, counting));
    waits.insert(step);
  }
  // The order is right but for sizes, so that each turn gets beyond at least one that counts.
  std::vector<const ir::Operation*> ordered;
  while (!waiting.empty()) {
    std::vector<std::pair<const ir::Operation*, Operations>> later;
    for (auto& [step, before] : waiting) {
      bool ready = true;
      for (const ir::Operation* op : before) ready = ready && !waits.contains(op);
      if (!ready) {
        later.emplace_back(step, std::move(before));
        continue;
      }
      ordered.push_back(step);
      waits.erase(step);
    }
    if (later.size() == waiting.size()) {
      return absl::InternalError(absl::StrCat("at `", later[0].first->location().ToString(),
                                              "`: sizes that data decide wait for each other"));
    }
    waiting = std::move(later);
  }
  return ordered;
}

}  // namespace tessera::reference
