// Elements that all others of a result lie between, where its elements do not follow the index but
// those of an operand are known so far.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/op_info.h"
#include "solver/decide.h"

namespace tessera::ir {

// Where an op moves the elements of its operands and computes none. (Defined in moved_extremes.cc;
// progressions.cc says why there is no header.)
std::vector<Expr> ExtremesOfMoved(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                                  absl::Span<const Attribute> attrs, const TensorType& type,
                                  solver::Context& context);

namespace {

using solver::ExprKind;

constexpr size_t kMostExtremes = 256;

bool Proves(solver::Context& context, const Expr& proposition) {
  return !proposition.IsInvalid() &&
         solver::Decide(context, proposition).kind == solver::Verdict::kProved;
}

// How a value follows the one of a symbol.
enum class Way : int8_t { kFree, kUp, kDown, kNeither };

Way Opposite(Way way) { return way == Way::kUp ? Way::kDown : way == Way::kDown ? Way::kUp : way; }
Way Both(Way a, Way b) {
  if (a == Way::kFree || a == b) return b;
  return b == Way::kFree ? a : Way::kNeither;
}

// Every other symbol is at least 1, or the way is not told.
Way WayOf(const Expr& e, std::string_view moving, bool others_positive) {
  const solver::View view(e);
  Way all = Way::kFree;
  switch (view.kind()) {
    case ExprKind::kConstant:
      return Way::kFree;
    case ExprKind::kSymbol:
      return view.symbol() == moving ? Way::kUp : Way::kFree;
    case ExprKind::kSum:
      // A least one of several is, with the rest of the sum, the least (or greatest) of several.
      for (size_t i = 0; i < view.size(); ++i) {
        const Expr least = view.child(i);
        const solver::View choices(least);
        if (choices.kind() != ExprKind::kMin) continue;
        const Expr rest = e - least * view.coefficient(i);
        for (size_t k = 0; k < choices.size(); ++k) {
          const Expr sum = rest + choices.child(k) * view.coefficient(i);
          if (sum.IsInvalid()) return Way::kNeither;
          all = Both(all, WayOf(sum, moving, others_positive));
        }
        return all;
      }
      for (size_t i = 0; i < view.size(); ++i) {
        const Way way = WayOf(view.child(i), moving, others_positive);
        all = Both(all, view.coefficient(i) < 0 ? Opposite(way) : way);
      }
      return all;
    case ExprKind::kMin:
      for (size_t i = 0; i < view.size(); ++i)
        all = Both(all, WayOf(view.child(i), moving, others_positive));
      return all;
    case ExprKind::kFloorDiv: {
      const Way by = WayOf(view.child(1), moving, others_positive);
      const std::optional<int64_t> number = view.child(1).Constant();
      const bool positive = number ? *number > 0 : others_positive;
      if (by != Way::kFree || !positive) break;
      return WayOf(view.child(0), moving, others_positive);
    }
    case ExprKind::kProduct:
      for (size_t i = 0; i < view.size(); ++i) {
        const Way way = WayOf(view.child(i), moving, others_positive);
        if (way != Way::kFree && all != Way::kFree) return Way::kNeither;
        const bool positive =
            others_positive && solver::View(view.child(i)).kind() == ExprKind::kSymbol;
        if (way == Way::kFree && !positive) return Way::kNeither;
        all = Both(all, way);
      }
      return all;
    default:
      break;
  }
  // What does not move at all has no way.
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::find(symbols.begin(), symbols.end(), moving) == symbols.end() ? Way::kFree
                                                                            : Way::kNeither;
}

// The one element of the result of an elementwise op, of operands of one element.
std::optional<Expr> ElementOf(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                              const std::vector<Expr>& elements, absl::Span<const Attribute> attrs,
                              const TensorType& type, solver::Context& context) {
  std::vector<SymbolicTensor> tensors(operands.size());
  std::vector<const SymbolicTensor*> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    tensors[i].dtype = operands[i].dtype;
    tensors[i].dims.assign(operands[i].dims.size(), Expr(1));
    tensors[i].elements = {elements[i]};
    tensors[i].has_elements = true;
    inputs.push_back(&tensors[i]);
  }
  SymbolicTensor output{.dtype = type.dtype,
                        .dims = std::vector<Expr>(type.dims.size(), Expr(1)),
                        .elements = {Expr()},
                        .has_elements = true};
  if (!info.symbolic({&context, inputs, absl::MakeSpan(&output, 1), attrs}).ok() ||
      !output.has_elements || output.needs != Expr(1) || output.elements[0].IsInvalid())
    return std::nullopt;
  return output.elements[0];
}

// The operand that moves; the others are the same everywhere.
std::vector<Expr> ThroughElements(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                                  absl::Span<const Attribute> attrs, const TensorType& type,
                                  solver::Context& context) {
  std::optional<size_t> moving;
  std::vector<Expr> elements(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandInfo<Expr>& operand = operands[i];
    const OperandSpec* const spec = OperandSpecAt(info, i);
    if (!operand.present || spec == nullptr || !spec->data || operand.extremes.empty()) return {};
    if (!operand.has_elements) {
      if (moving) return {};
      moving = i;
      continue;
    }
    elements[i] = operand.elements[0];
    if (!std::all_of(operand.elements.begin(), operand.elements.end(),
                     [&](const Expr& e) { return e == elements[i]; }))
      return {};
  }
  if (!moving || operands[*moving].extremes.size() > kMostExtremes) return {};
  // In a context of its own the symbols are no part of the network.
  solver::Context apart;
  const absl::Span<const Expr> extremes = operands[*moving].extremes;
  const bool counts = std::all_of(extremes.begin(), extremes.end(),
                                  [&](const Expr& e) { return Proves(context, solver::Ge(e, 0)); });
  const auto symbol = [&](const std::string& name, int64_t least) {
    return *apart.Declare(name, {least, solver::Range::kPosInf}, {}, "an element");
  };
  constexpr char kMoving[] = "moving";
  std::vector<Expr> symbols = elements;
  symbols[*moving] = symbol(kMoving, counts ? 0 : solver::Range::kNegInf);
  bool others_positive = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i == *moving || elements[i].IsConstant()) continue;
    const bool positive = Proves(context, solver::Ge(elements[i], 1));
    others_positive = others_positive && positive;
    symbols[i] = symbol(absl::StrCat("other", i), positive ? 1 : solver::Range::kNegInf);
  }
  const std::optional<Expr> element = ElementOf(info, operands, symbols, attrs, type, apart);
  if (!element) return {};
  const Way way = WayOf(*element, kMoving, others_positive);
  if (way != Way::kUp && way != Way::kDown) return {};
  std::vector<Expr> result;
  for (const Expr& extreme : extremes) {
    elements[*moving] = extreme;
    const std::optional<Expr> at = ElementOf(info, operands, elements, attrs, type, context);
    if (!at) return {};
    result.push_back(*at);
  }
  return result;
}

}  // namespace

// Declared in progressions.cc.
std::vector<Expr> FindExtremes(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                               absl::Span<const Attribute> attrs, const TensorType& type,
                               solver::Context& context) {
  const bool known =
      std::any_of(operands.begin(), operands.end(), [](const OperandInfo<Expr>& operand) {
        return operand.present && !operand.has_elements && !operand.extremes.empty();
      });
  if (!known) return {};
  return info.elementwise ? ThroughElements(info, operands, attrs, type, context)
                          : ExtremesOfMoved(info, operands, attrs, type, context);
}

}  // namespace tessera::ir
