// Reductions of ScalarText.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/types.h"

namespace tessera::vulkan {

using nests::Function;
using nests::Number;
using nests::Scalar;
using nests::ScalarNode;

std::vector<std::string> ScalarText::Reduce(const ScalarNode& node, const Lanes& lanes) {
  // Lanes of other lengths are reduced by themselves.
  bool together = true;
  for (const nests::Axis& axis : node.axes) {
    for (const Lane& lane : lanes)
      together &= solver::Substitute(axis.extent, lane.symbols) ==
                  solver::Substitute(axis.extent, lanes.front().symbols);
  }
  if (!together) {
    std::vector<std::string> values;
    for (const Lane& lane : lanes) values.push_back(Reduce(node, {lane}).front());
    return values;
  }
  const nests::Value start = nests::IdentityOf(node.reduction, node.number);
  std::vector<std::string> sums;
  for (size_t i = 0; i < lanes.size(); ++i) {
    sums.push_back(code_.Name("a"));
    code_.Add(absl::StrCat(std::string(TypeOf(node.number)), " ", sums.back(), " = ",
                           LiteralOf(start), ";"));
  }
  Accumulate(node, 0, lanes, sums);
  // An extreme of nothing that is another value than the one it starts from.
  if (!(start == node.literal)) {
    std::string empty;
    for (const nests::Axis& axis : node.axes) {
      const Expr extent = solver::Substitute(axis.extent, lanes.front().symbols);
      absl::StrAppend(&empty, empty.empty() ? "" : " || ",
                      index_.Truth(solver::Le(extent, 0)).text);
    }
    for (const std::string& sum : sums) {
      if (!empty.empty())
        code_.Add(absl::StrCat("if (", empty, ") ", sum, " = ", LiteralOf(node.literal), ";"));
    }
  }
  return sums;
}

void ScalarText::Accumulate(const ScalarNode& node, size_t axis, const Lanes& lanes,
                            const std::vector<std::string>& sums) {
  if (axis < node.axes.size()) {
    const Expr& symbol = node.axes[axis].symbol;
    const Expr extent = solver::Substitute(node.axes[axis].extent, lanes.front().symbols);
    // The axes from here on, if their lengths are known and few.
    const int64_t own = static_cast<int64_t>(lanes.size()), most = options_.unroll_of_lanes;
    int64_t terms = static_cast<int64_t>(node.args.size());
    for (size_t a = axis; a < node.axes.size(); ++a) {
      const auto length = solver::Substitute(node.axes[a].extent, lanes.front().symbols).Constant();
      terms = length.has_value() && terms <= most ? terms * *length : most + 1;
    }
    const std::string name(solver::View(symbol).symbol());
    if (terms * own <= options_.unroll ||
        (own > 1 && terms <= options_.unroll_of_each && terms * own <= most)) {
      for (int64_t k = 0; k < *extent.Constant(); ++k) {
        Lanes inner = lanes;
        for (Lane& lane : inner) {
          lane.id = NewLane();
          lane.symbols[name] = k;
        }
        Accumulate(node, axis + 1, inner, sums);
      }
      return;
    }
    const std::string k = code_.Name("k");
    const std::string length = index_.Int(extent).text;
    const size_t depth =
        code_.Open(absl::StrCat("for (int ", k, " = 0; ", k, " < ", length, "; ++", k, ")"));
    index_.Bind(symbol, {k, depth}, extent);
    Accumulate(node, axis + 1, lanes, sums);
    index_.Unbind(symbol);
    code_.Close();
    return;
  }
  for (const Scalar& term : node.args) {
    const bool product = node.reduction == nests::Reduction::kSum && node.number == Number::kF32 &&
                         term->kind == ScalarNode::kCall && term->function == Function::kMul &&
                         term->args[0]->number == Number::kF32 &&
                         term->args[1]->number == Number::kF32;
    if (product) {
      const std::vector<std::string> a = Values(term->args[0], lanes);
      const std::vector<std::string> b = Values(term->args[1], lanes);
      for (size_t i = 0; i < lanes.size(); ++i)
        code_.Add(absl::StrCat(sums[i], " = fma(", a[i], ", ", b[i], ", ", sums[i], ");"));
      continue;
    }
    const std::vector<std::string> values = Values(term, lanes);
    for (size_t i = 0; i < lanes.size(); ++i) {
      const std::string value = Converted(term->number, node.number, values[i]);
      constexpr Function kSteps[] = {Function::kAdd, Function::kMul, Function::kMin,
                                     Function::kMax, Function::kOr,  Function::kAnd};
      const Function step = kSteps[static_cast<size_t>(node.reduction)];
      ScalarNode combine;
      combine.number = node.number;
      combine.function = step;
      const Scalar zero = Scalar::Literal(nests::IdentityOf(node.reduction, node.number));
      combine.args = {zero, zero};
      const bool logic = step == Function::kOr || step == Function::kAnd;
      const std::string combined =
          logic ? CallText(combine, {Converted(node.number, Number::kBool, sums[i]),
                                     Converted(node.number, Number::kBool, value)})
                : CallText(combine, {sums[i], value});
      code_.Add(absl::StrCat(
          sums[i], " = ",
          logic ? Converted(Number::kBool, node.number, absl::StrCat("(", combined, ")"))
                : combined,
          ";"));
    }
  }
}

}  // namespace tessera::vulkan
