// Reductions of ScalarText.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/rounds.h"

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
  std::vector<std::string> sums;
  for (size_t i = 0; i < lanes.size(); ++i) sums.push_back(NewSum(node));
  Accumulate(WithFoursLast(node, lanes), 0, lanes, sums);
  // An extreme of nothing may be another value than the one it starts from.
  for (const std::string& sum : sums) OfNothing(node, lanes.front(), sum);
  return sums;
}

namespace {

bool HasLoop(const ScalarNode& reduction) {
  return std::any_of(reduction.args.begin(), reduction.args.end(),
                     [](const Scalar& term) { return RoundsOfCalls(term) > 0; });
}

}  // namespace

std::string ScalarText::NewSum(const ScalarNode& reduction) {
  const std::string sum = code_.Name("a");
  code_.Add(absl::StrCat(std::string(TypeOf(reduction.number)), " ", sum, " = ",
                         LiteralOf(nests::IdentityOf(reduction.reduction, reduction.number)), ";"));
  return sum;
}

int64_t ScalarText::RoundsOfPart(const ScalarNode& node, size_t axis, const Lane& lane,
                                 const Expr& longest) {
  if (node.reduction != nests::Reduction::kSum || node.number != Number::kF32) return 0;
  int64_t each = 1;  // terms of a round, as far as known
  for (size_t a = axis + 1; a < node.axes.size() && each <= kTermsOfPart; ++a)
    each *= solver::Substitute(node.axes[a].extent, lane.symbols).Constant().value_or(1);
  if (each == 0 || solver::RangeOf(longest).hi <= kMostTermsAtOnce / each) return 0;
  return 4 * std::max<int64_t>(kTermsOfPart / (4 * each), 1);
}

std::string ScalarText::Combined(const ScalarNode& reduction, const std::string& a,
                                 const std::string& b) {
  constexpr Function kSteps[] = {Function::kAdd, Function::kMul, Function::kMin,
                                 Function::kMax, Function::kOr,  Function::kAnd};
  ScalarNode step;
  step.number = reduction.number;
  step.function = kSteps[static_cast<size_t>(reduction.reduction)];
  const Scalar zero = Scalar::Literal(nests::IdentityOf(reduction.reduction, reduction.number));
  step.args = {zero, zero};
  if (step.function != Function::kOr && step.function != Function::kAnd)
    return CallText(step, {a, b});
  const std::string truth = CallText(step, {Converted(reduction.number, Number::kBool, a),
                                            Converted(reduction.number, Number::kBool, b)});
  return Converted(Number::kBool, reduction.number, absl::StrCat("(", truth, ")"));
}

void ScalarText::OfNothing(const ScalarNode& node, const Lane& lane, const std::string& sum) {
  if (nests::IdentityOf(node.reduction, node.number) == node.literal) return;
  std::string empty;
  for (const nests::Axis& axis : node.axes) {
    const Expr extent = solver::Substitute(axis.extent, lane.symbols);
    absl::StrAppend(&empty, empty.empty() ? "" : " || ", index_.Truth(solver::Le(extent, 0)).text);
  }
  if (!empty.empty())
    code_.Add(absl::StrCat("if (", empty, ") ", sum, " = ", LiteralOf(node.literal), ";"));
}

void ScalarText::ReduceTogether(const Scalar& scalar, const Lane& lane, int workgroup,
                                const std::string& shared) {
  const ScalarNode& node = *scalar;
  if (node.kind != ScalarNode::kReduce) {
    for (const Scalar& arg : node.args) ReduceTogether(arg, lane, workgroup, shared);
    return;
  }
  if (code_.Recall(scalar, lane.id) != nullptr) return;
  const std::string invocation = code_.Variable(0, "int", "int(gl_LocalInvocationID.x)").text;
  const std::string sum = NewSum(node);
  Expr terms = 1;
  for (const nests::Axis& axis : node.axes) terms *= axis.extent;
  index_.Limit(terms + workgroup);
  const std::string count = index_.Int(terms).text, term = code_.Name("k");
  const size_t depth = code_.Open(absl::StrCat("for (int ", term, " = ", invocation, "; ", term,
                                               " < ", count, "; ", term, " += ", workgroup, ")"),
                                  solver::CeilDiv(index_.AtMost(terms), workgroup));
  index_.BindDigits(node.axes, term, depth);
  Accumulate(node, node.axes.size(), {lane}, {sum});
  for (const nests::Axis& axis : node.axes) index_.Unbind(axis.symbol);
  code_.Close();
  const std::string own = absl::StrCat(shared, "[", invocation, "]");
  code_.Add(absl::StrCat(own, " = ", sum, ";"));
  code_.Add("barrier();");
  const std::string others = code_.Name("n");
  code_.Open(absl::StrCat("for (int ", others, " = ", workgroup / 2, "; ", others, " > 0; ", others,
                          " /= 2)"),
             solver::Expr(std::bit_width(static_cast<unsigned>(workgroup))));
  code_.Add(absl::StrCat(
      "if (", invocation, " < ", others, ") ", own, " = ",
      Combined(node, own, absl::StrCat(shared, "[", invocation, " + ", others, "]")), ";"));
  code_.Add("barrier();");
  code_.Close();
  code_.Add(absl::StrCat(sum, " = ", shared, "[0];"));
  // Before what is shared is written again.
  code_.Add("barrier();");
  OfNothing(node, lane, sum);
  code_.Remember(scalar, lane.id, sum);
}

bool ScalarText::IsReadByFours(const ScalarNode& node, const Expr& symbol, const Expr& extent,
                               const Lanes& lanes) const {
  if (options_.guarded || !IsMultipleOf(extent, 4) ||
      static_cast<int64_t>(lanes.size()) > kMostLanesByFours)
    return false;
  bool any = false;
  for (const Scalar& term : node.args) {
    EachRead(term, [&](const ScalarNode& read, int) {
      const Tensor& tensor = program_.tensors[static_cast<size_t>(read.tensor.index)];
      if (read.number != Number::kF32 || tensor.dims.empty() || !read.at.back().data.IsNone() ||
          (tensor.dtype != ir::DType::kF32 && tensor.dtype != ir::DType::kF16) ||
          !IsMultipleOf(tensor.dims.back(), 4))
        return;
      any = any || std::all_of(lanes.begin(), lanes.end(), [&](const Lane& lane) {
              const Expr rest = read.at.back().expr - symbol;
              return index_.IsMultiple(solver::Substitute(rest, lane.symbols), 4);
            });
    });
  }
  return any;
}

ScalarNode ScalarText::WithFoursLast(const ScalarNode& node, const Lanes& lanes) const {
  ScalarNode turned = node;
  std::vector<std::string> own;
  for (const nests::Axis& axis : node.axes) own.emplace_back(solver::View(axis.symbol).symbol());
  const auto depends = [&](const nests::Axis& axis) {
    const std::vector<std::string> symbols = solver::SymbolsOf(axis.extent);
    return std::find_first_of(symbols.begin(), symbols.end(), own.begin(), own.end()) !=
           symbols.end();
  };
  if (std::any_of(node.axes.begin(), node.axes.end(), depends)) return turned;
  for (size_t a = node.axes.size(); a-- > 0;) {
    const nests::Axis& axis = node.axes[a];
    const Expr extent = solver::Substitute(axis.extent, lanes.front().symbols);
    if (!IsReadByFours(node, axis.symbol, extent, lanes)) continue;
    std::rotate(turned.axes.begin() + static_cast<int64_t>(a),
                turned.axes.begin() + static_cast<int64_t>(a) + 1, turned.axes.end());
    break;
  }
  return turned;
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
    const bool innermost = axis + 1 == node.axes.size();
    const int64_t step = innermost && IsReadByFours(node, symbol, extent, lanes) ? 4 : 1;
    // The terms from `first` on, as lanes of their own: each adds to the sum of the lane it is of.
    const auto accumulate = [&](const Expr& first, const std::vector<std::string>& into) {
      Lanes inner;
      std::vector<std::string> sums_of_inner;
      for (size_t i = 0; i < lanes.size(); ++i) {
        for (int64_t k = 0; k < step; ++k) {
          inner.push_back(lanes[i]);
          inner.back().id = NewLane();
          inner.back().symbols[name] = first + k;
          sums_of_inner.push_back(into[i]);
        }
      }
      Accumulate(node, axis + 1, inner, sums_of_inner);
    };
    // Loops in a row take drivers minutes to compile.
    const bool loops = HasLoop(node);
    if (terms * own <= (loops ? 4 : options_.unroll) ||
        (own > 1 && !loops && terms <= options_.unroll_of_each && terms * own <= most)) {
      for (int64_t k = 0; k < *extent.Constant(); k += step) accumulate(k, sums);
      return;
    }
    const std::string k = code_.Name("k");
    const std::string length = index_.Int(extent).text;
    const Expr longest = index_.AtMost(extent);
    const int64_t part = RoundsOfPart(node, axis, lanes.front(), longest);
    std::string first = "0", end = length;
    std::vector<std::string> parts = sums;
    if (part > 0) {
      first = code_.Name("f");
      end = code_.Name("e");
      code_.Count(solver::CeilDiv(longest, part));
      code_.Open(absl::StrCat("for (int ", end, " = 0, ", first, " = 0; ", first, " < ", length,
                              "; ", first, " = ", end, ")"));
      code_.Add(absl::StrCat(end, " = ", length, " - ", first, " > ", part, " ? ", first, " + ",
                             part, " : ", length, ";"));
      for (std::string& sum : parts) sum = NewSum(node);
    }
    const size_t depth = code_.Open(
        absl::StrCat("for (int ", k, " = ", first, "; ", k, " < ", end, "; ", k, " += ", step, ")"),
        solver::CeilDiv(longest, step));
    index_.Bind(symbol, {k, depth}, extent, step);
    if (step == 1) {
      Accumulate(node, axis + 1, lanes, parts);
    } else {
      accumulate(symbol, parts);
    }
    index_.Unbind(symbol);
    code_.Close();
    if (part > 0) {
      for (size_t i = 0; i < sums.size(); ++i)
        code_.Add(absl::StrCat(sums[i], " = ", Combined(node, sums[i], parts[i]), ";"));
      code_.Close();
    }
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
      code_.Add(absl::StrCat(sums[i], " = ", Combined(node, sums[i], value), ";"));
    }
  }
}

}  // namespace tessera::vulkan
