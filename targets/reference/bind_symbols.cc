#include "targets/reference/bind_symbols.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/data_size.h"
#include "solver/assignment.h"

namespace tessera::reference {
namespace {

using solver::Assignment;
using solver::Expr;

struct Seen {
  const ir::Value* input;
  size_t axis;
  Expr dim;
  int64_t size;

  std::string Place() const { return absl::StrCat("input `", input->name(), "` axis ", axis); }
};

std::string RangeText(const std::string& name, const solver::Range& range) {
  const bool low = range.lo != solver::Range::kNegInf, high = range.hi != solver::Range::kPosInf;
  return absl::StrCat(low ? absl::StrCat(range.lo, " <= ") : "", name,
                      high ? absl::StrCat(" <= ", range.hi) : "");
}

std::string Origin(const std::string& origin) {
  return origin.empty() ? "" : absl::StrCat(" (", origin, ")");
}

// Symbols of `e` without a value; those that the facts determine need none.
std::vector<std::string> Unbound(const ir::Graph& graph, const Expr& e,
                                 const Assignment& assignment) {
  std::vector<std::string> unbound;
  for (std::string& name : solver::SymbolsOf(e)) {
    const solver::SymbolInfo* const info = graph.context().Find(name);
    const bool determined = info != nullptr && info->value.has_value();
    if (!determined && !assignment.contains(name)) unbound.push_back(std::move(name));
  }
  return unbound;
}

// The value of `symbol` with which `seen.dim` is `seen.size`, if the dim is affine in it, or with
// `direct`: if it is the symbol itself. Found through two points that the declared facts admit; the
// final check of all dims confirms it.
std::optional<int64_t> Solve(const ir::Graph& graph, const Seen& seen, const std::string& symbol,
                             bool direct, Assignment assignment) {
  const solver::SymbolInfo* const info = graph.context().Find(symbol);
  if (info == nullptr) return std::nullopt;
  const int64_t step = std::max<int64_t>(info->congruence.stride, 1);
  int64_t base = std::max<int64_t>(info->range.lo, 0);
  base += ((info->congruence.residue - base) % step + step) % step;
  assignment[symbol] = base;
  const absl::StatusOr<int64_t> at_base = solver::Evaluate(seen.dim, assignment);
  assignment[symbol] = base + step;
  const absl::StatusOr<int64_t> at_next = solver::Evaluate(seen.dim, assignment);
  int64_t rise = 0, gap = 0, value = 0;
  if (!at_base.ok() || !at_next.ok() || __builtin_sub_overflow(*at_next, *at_base, &rise) ||
      rise == 0 || rise % step != 0) {
    return std::nullopt;
  }
  const int64_t slope = rise / step;
  if (direct && (slope != 1 || *at_base != base)) return std::nullopt;
  if (__builtin_sub_overflow(seen.size, *at_base, &gap) || gap % slope != 0 ||
      __builtin_add_overflow(base, gap / slope, &value)) {
    return std::nullopt;
  }
  return value;
}

absl::StatusOr<std::vector<Seen>> ReadShapes(const ir::Graph& graph,
                                             absl::Span<const ir::Tensor> inputs) {
  if (inputs.size() != graph.inputs().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs; the graph has ", graph.inputs().size()));
  }
  std::vector<Seen> all;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const ir::Value& input = *graph.inputs()[i];
    const ir::TensorType& type = input.type();
    if (inputs[i].dtype() != type.dtype || inputs[i].rank() != type.rank()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "input `", input.name(), "` is `", std::string(ir::NameOf(inputs[i].dtype())), "[",
          absl::StrJoin(inputs[i].shape(), ","), "]`, expected `", type.ToString(), "`"));
    }
    for (size_t axis = 0; axis < type.dims.size(); ++axis) {
      all.push_back({&input, axis, type.dims[axis], inputs[i].shape()[axis]});
    }
  }
  return all;
}

// Every dim, now that the symbols are known.
absl::Status CheckDims(absl::Span<const Seen> all, const Assignment& assignment) {
  for (const Seen& seen : all) {
    const absl::StatusOr<int64_t> expected = solver::Evaluate(seen.dim, assignment);
    if (!expected.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(seen.Place(), " is ", seen.size,
                                                     ", expected `", seen.dim.ToString(),
                                                     "`: ", expected.status().message()));
    }
    if (*expected == seen.size) continue;
    std::string text = absl::StrCat(seen.Place(), " is ", seen.size, ", expected ", *expected);
    if (!seen.dim.IsConstant()) {
      absl::StrAppend(&text, " = `", seen.dim.ToString(), "` for ", solver::ToText(assignment));
    }
    return absl::InvalidArgumentError(text);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Assignment> BindSymbols(const ir::Graph& graph,
                                       absl::Span<const ir::Tensor> inputs) {
  const absl::StatusOr<std::vector<Seen>> all = ReadShapes(graph, inputs);
  if (!all.ok()) return all.status();
  Assignment assignment;
  for (const bool direct : {true, false}) {
    for (bool progress = true; progress;) {
      progress = false;
      for (const Seen& seen : *all) {
        const std::vector<std::string> unbound = Unbound(graph, seen.dim, assignment);
        if (unbound.size() != 1) continue;
        const std::optional<int64_t> value = Solve(graph, seen, unbound[0], direct, assignment);
        if (!value.has_value()) continue;
        assignment[unbound[0]] = *value;
        progress = true;
      }
    }
    // Before dims are evaluated at these values, which need not be admissible.
    if (absl::Status facts = CheckFacts(graph, assignment); !facts.ok()) return facts;
  }
  for (const Seen& seen : *all) {
    const std::vector<std::string> unbound = Unbound(graph, seen.dim, assignment);
    if (unbound.empty()) continue;
    return absl::InvalidArgumentError(absl::StrCat(seen.Place(), " is ", seen.size, ", expected `",
                                                   seen.dim.ToString(), "`: no `", unbound[0],
                                                   "` follows from the inputs' shapes"));
  }
  if (const absl::Status status = CheckDims(*all, assignment); !status.ok()) return status;
  return assignment;
}

std::set<std::string> DataSizes(const ir::Graph& graph) {
  std::set<std::string> counted;
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (!ir::IsDataSize(*op)) continue;
    for (std::string& symbol : solver::SymbolsOf(std::get<Expr>(op->attrs()[0])))
      counted.insert(std::move(symbol));
  }
  return counted;
}

absl::Status BindDataSize(const ir::Graph& graph, const ir::Operation& op, int64_t counted,
                          Assignment& assignment) {
  const Seen seen{nullptr, 0, std::get<Expr>(op.attrs()[0]), counted};
  const std::vector<std::string> unbound = Unbound(graph, seen.dim, assignment);
  if (unbound.size() == 1) {
    const std::optional<int64_t> value = Solve(graph, seen, unbound[0], false, assignment);
    if (value.has_value()) assignment[unbound[0]] = *value;
  }
  const absl::StatusOr<int64_t> size = solver::Evaluate(seen.dim, assignment);
  if (size.ok() ? *size != counted : true) {
    return absl::InvalidArgumentError(
        absl::StrCat("data decide a size of ", counted, ", expected `", seen.dim.ToString(), "`"));
  }
  if (absl::Status facts = CheckFacts(graph, assignment); !facts.ok()) return facts;
  return CheckObligations(graph, assignment);
}

absl::Status CheckFacts(const ir::Graph& graph, const Assignment& assignment) {
  const solver::Context& context = graph.context();
  for (const auto& [name, value] : assignment) {
    const solver::SymbolInfo* const symbol = context.Find(name);
    if (symbol == nullptr) continue;
    std::string broken;
    const int64_t stride = symbol->congruence.stride, residue = symbol->congruence.residue;
    if (!symbol->range.Contains(value)) {
      broken = RangeText(name, symbol->range);
    } else if (stride == 0 ? value != residue
                           : ((value - residue) % stride + stride) % stride != 0) {
      broken = stride == 0 ? absl::StrCat(name, " == ", residue)
                           : absl::StrCat(name, " % ", stride, " == ", residue);
    } else {
      continue;
    }
    return absl::InvalidArgumentError(absl::StrCat("dim `", name, "` is ", value, ", declared is ",
                                                   broken, Origin(symbol->origin)));
  }
  for (const solver::Fact& fact : context.facts()) {
    if (!Unbound(graph, fact.predicate, assignment).empty()) continue;
    const absl::StatusOr<int64_t> holds = solver::Evaluate(fact.predicate, assignment);
    if (holds.ok() && *holds != 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(solver::ToText(assignment), ", declared is ",
                                                   fact.predicate.ToString(), Origin(fact.origin)));
  }
  return absl::OkStatus();
}

absl::Status CheckObligations(const ir::Graph& graph, const Assignment& assignment) {
  std::vector<std::string> broken;
  std::optional<std::set<std::string>> counted;  // found when a size is not known yet
  for (const ir::Obligation& obligation : graph.obligations()) {
    const std::vector<std::string> open = Unbound(graph, obligation.predicate, assignment);
    if (!open.empty() && !counted.has_value()) counted = DataSizes(graph);
    if (std::any_of(open.begin(), open.end(),
                    [&](const std::string& symbol) { return counted->contains(symbol); }))
      continue;
    const absl::StatusOr<int64_t> holds = solver::Evaluate(obligation.predicate, assignment);
    if (holds.ok() && *holds != 0) continue;
    std::string text =
        absl::StrCat("`", obligation.op, "` at `", obligation.location.ToString(),
                     "`: constraint `", obligation.constraint, "`: ", obligation.message);
    if (!holds.ok()) absl::StrAppend(&text, " (", holds.status().message(), ")");
    broken.push_back(std::move(text));
  }
  if (broken.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      assignment.empty() ? "" : absl::StrCat("for ", solver::ToText(assignment), ":\n"),
      absl::StrJoin(broken, "\n")));
}

}  // namespace tessera::reference
