#include "targets/vulkan/program/reach.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

constexpr int64_t kMostStep = 1 << 16;

// In lowest terms, the denominator positive; of numbers that are small.
struct Fraction {
  int64_t n = 0, d = 1;
  friend bool operator==(const Fraction&, const Fraction&) = default;
};
Fraction Ratio(int64_t n, int64_t d) {
  const int64_t common = std::max<int64_t>(std::gcd(n, d), 1);
  return {n / common, d / common};
}
Fraction operator+(const Fraction& a, const Fraction& b) {
  return Ratio(a.n * b.d + b.n * a.d, a.d * b.d);
}
Fraction operator*(const Fraction& a, const Fraction& b) { return Ratio(a.n * b.n, a.d * b.d); }
Fraction operator-(const Fraction& a) { return {-a.n, a.d}; }
bool operator<(const Fraction& a, const Fraction& b) { return a.n * b.d < b.n * a.d; }
int64_t Ceiling(const Fraction& a) { return a.n >= 0 ? (a.n + a.d - 1) / a.d : -(-a.n / a.d); }

// Between factor * axis + least and factor * axis + most.
struct Line {
  Fraction factor, least, most;
};

// What the elements of a tensor follow from.
struct Seen {
  int axis = -1;  // the dimension along which parts are parts; -1: none
  Fraction ratio{1, 1}, before, after;
};

bool Has(const Expr& e, const std::string& name) {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

class Reaching {
 public:
  Reaching(const Program& program, solver::Context& context, const std::string& symbol)
      : program_(program),
        context_(context),
        symbol_(symbol),
        itself_(context.Renormalize(context.Symbol(symbol))),
        seen_(program.tensors.size()) {}

  absl::StatusOr<Reach> Run() {
    Reach reach;
    reach.symbol = symbol_;
    for (size_t t = 0; t < program_.tensors.size(); ++t) Begin(t);
    for (int input : program_.inputs) {
      const int axis = AxisOf(input);
      reach.input_axes.push_back(axis);
      if (axis < 0) continue;
      const Expr& dim =
          program_.tensors[static_cast<size_t>(input)].dims[static_cast<size_t>(axis)];
      if (context_.Renormalize(dim) != itself_) Fail("an input's size is not it alone");
      seen_[static_cast<size_t>(input)] = Seen{axis, {1, 1}, {}, {}};
    }
    for (const Stage& stage : program_.stages) {
      for (const Nest& nest : stage.nests) {
        if (!reason_.empty()) break;
        place_ = absl::StrCat("`", stage.name, "` at `", stage.location, "`: ");
        Follow(nest, stage.IsRecurrence());
      }
    }
    place_.clear();
    for (int output : program_.outputs) {
      const Seen seen = Of(output);
      if (seen.axis < 0 && AxisOf(output) >= 0) Fail("an output does not follow from the image");
      reach.outputs.push_back(
          {seen.axis, seen.ratio.n, seen.ratio.d, Ceiling(seen.before), Ceiling(seen.after)});
    }
    if (reason_.empty()) Step(reach);
    if (!reason_.empty())
      return absl::UnimplementedError(
          absl::StrCat("parts along `", symbol_, "` would not be exact: ", reason_));
    return reach;
  }

 private:
  void Fail(const std::string& reason) {
    if (reason_.empty()) reason_ = place_ + reason;
  }

  // The dimension that has the size; -1: none.
  int AxisOf(int tensor) {
    const std::vector<Expr>& dims = program_.tensors[static_cast<size_t>(tensor)].dims;
    int axis = -1;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (!Has(dims[d], symbol_)) continue;
      if (axis >= 0 || solver::SymbolsOf(dims[d]).size() != 1)
        Fail("a tensor has it along two axes, or along one with another size");
      axis = static_cast<int>(d);
    }
    return axis;
  }

  void Begin(size_t t) {
    const Tensor& tensor = program_.tensors[t];
    for (const Expr& e : tensor.elements) varies_[t] |= Has(e, symbol_);
  }

  // Of a tensor that has been computed; of a view what it views has.
  Seen Of(int index) {
    const Tensor& tensor = program_.tensors[static_cast<size_t>(index)];
    if (tensor.kind != Tensor::kView) {
      if (varies_[static_cast<size_t>(index)]) Fail("reads what sizes are");
      return seen_[static_cast<size_t>(index)];
    }
    Seen seen = Of(tensor.viewed);
    const int axis = AxisOf(index);
    if (seen.axis < 0 && axis < 0) return seen;
    const std::vector<Expr>& from = program_.tensors[static_cast<size_t>(tensor.viewed)].dims;
    const auto product = [](const std::vector<Expr>& dims, size_t begin, size_t end) {
      Expr all = 1;
      for (size_t d = begin; d < end; ++d) all *= dims[d];
      return all;
    };
    const size_t a = static_cast<size_t>(seen.axis), b = static_cast<size_t>(axis);
    if (seen.axis < 0 || axis < 0 || from[a] != tensor.dims[b] ||
        product(from, 0, a) != product(tensor.dims, 0, b) ||
        product(from, a + 1, from.size()) != product(tensor.dims, b + 1, tensor.dims.size()))
      Fail(absl::StrCat("`", tensor.name, "` is another shape of the image"));
    seen.axis = axis;
    return seen;
  }

  // `along`: the axis of the nest that parts are parts of; empty: none.
  std::optional<Line> LineOf(const Expr& e, const std::string& along) const {
    const solver::View view(e);
    switch (view.kind()) {
      case solver::ExprKind::kConstant:
        return Line{{}, Ratio(view.constant(), 1), Ratio(view.constant(), 1)};
      case solver::ExprKind::kSymbol: {
        const std::string name(view.symbol());
        if (name == along) return Line{{1, 1}, {}, {}};
        const auto length = lengths_.find(name);
        if (length == lengths_.end()) return std::nullopt;
        return Line{{}, {}, {std::max<int64_t>(length->second - 1, 0), 1}};
      }
      case solver::ExprKind::kSum: {
        Line sum{{}, Ratio(view.constant(), 1), Ratio(view.constant(), 1)};
        for (size_t i = 0; i < view.size(); ++i) {
          const std::optional<Line> term = LineOf(view.child(i), along);
          if (!term.has_value()) return std::nullopt;
          const Fraction factor{view.coefficient(i), 1};
          const bool falls = view.coefficient(i) < 0;
          sum.factor = sum.factor + term->factor * factor;
          sum.least = sum.least + (falls ? term->most : term->least) * factor;
          sum.most = sum.most + (falls ? term->least : term->most) * factor;
        }
        return sum;
      }
      case solver::ExprKind::kFloorDiv: {
        const std::optional<Line> whole = LineOf(view.child(0), along);
        const auto by = view.child(1).Constant();
        if (!whole.has_value() || !by.has_value() || *by < 1) return std::nullopt;
        const Fraction part{1, *by};
        return Line{whole->factor * part, whole->least * part + Fraction{1 - *by, *by},
                    whole->most * part};
      }
      default:
        return std::nullopt;
    }
  }

  void Follow(const Nest& nest, bool recurrence) {
    const int target = nest.target.index;
    const int axis = AxisOf(target);
    std::string along;
    lengths_.clear();
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      const std::string name(solver::View(nest.axes[d].symbol).symbol());
      if (const auto length = nest.axes[d].extent.Constant()) lengths_[name] = *length;
    }
    if (axis >= 0) {
      const Expr& at = nest.at[static_cast<size_t>(axis)];
      if (solver::View(at).kind() != solver::ExprKind::kSymbol || recurrence)
        return Fail("is not computed along it element by element");
      along = std::string(solver::View(at).symbol());
    }
    for (const nests::Axis& other : nest.axes) {
      if (Has(other.extent, symbol_) && solver::View(other.symbol).symbol() != along)
        return Fail("goes over all of it");
    }
    Seen result;
    bool follows = false;
    Visit(nest.body, along, result, follows);
    if (!reason_.empty()) return;
    if (follows != (axis >= 0))
      return Fail(follows ? "reads all of it" : "is as long, and follows from no input");
    Seen& seen = seen_[static_cast<size_t>(target)];
    if (axis < 0) return;
    if (seen.axis >= 0 && !(seen.ratio == result.ratio)) return Fail("has parts of several sizes");
    if (seen.axis < 0) seen = result;
    seen.axis = axis;
    seen.before = std::max(seen.before, result.before);
    seen.after = std::max(seen.after, result.after);
  }

  bool Mentions(const Expr& e, const std::string& along) const {
    return Has(e, symbol_) || (!along.empty() && Has(e, along));
  }

  void Visit(const Scalar& scalar, const std::string& along, Seen& result, bool& follows) {
    if (!reason_.empty()) return;
    if (scalar->kind == ScalarNode::kRead) Read(*scalar, along, result, follows);
    if ((scalar->kind == ScalarNode::kIndex || scalar->kind == ScalarNode::kChoose ||
         scalar->kind == ScalarNode::kWithin) &&
        Mentions(scalar->index, along))
      return Fail("depends on where in it an element is");
    for (const nests::Axis& axis : scalar->axes) {
      if (Mentions(axis.extent, along)) return Fail("goes over all of it");
      const std::string name(solver::View(axis.symbol).symbol());
      if (const auto length = axis.extent.Constant()) lengths_[name] = *length;
    }
    for (const Scalar& arg : scalar->args) Visit(arg, along, result, follows);
  }

  // Without what keeps it within 0 to size - 1: parts that have all that it reads are not kept from
  // anything, and others end where all does.
  Expr Unclamped(Expr at, const Expr& size, const std::string& along) const {
    const solver::View view(at);
    const bool sum = view.kind() == solver::ExprKind::kSum;
    for (size_t i = 0; i < (sum ? view.size() : 1); ++i) {
      const Expr least = sum ? view.child(i) : at;
      const int64_t factor = sum ? view.coefficient(i) : 1;
      const solver::View clamp(least);
      if (clamp.kind() != solver::ExprKind::kMin || clamp.size() != 2) continue;
      const size_t varies = Has(clamp.child(0), along) ? 0 : 1;
      const Expr rest = at - least * factor;
      if (rest + clamp.child(1 - varies) * factor == (factor == 1 ? size - 1 : Expr(0)) &&
          (factor == 1 || factor == -1))
        return Unclamped(rest + clamp.child(varies) * factor, size, along);
    }
    return at;
  }

  void Read(const ScalarNode& read, const std::string& along, Seen& result, bool& follows) {
    const Seen seen = Of(read.tensor.index);
    for (size_t d = 0; d < read.at.size(); ++d) {
      if (!read.at[d].data.IsNone()) {
        if (seen.axis >= 0) return Fail("looks up what data says");
        Visit(read.at[d].data, along, result, follows);
        continue;
      }
      const Expr& at = read.at[d].expr;
      if (static_cast<int>(d) != seen.axis) {
        if (Mentions(at, along)) return Fail("depends on where in it an element is");
        continue;
      }
      const Expr& size = program_.tensors[static_cast<size_t>(read.tensor.index)].dims[d];
      const std::optional<Line> line =
          along.empty() ? std::nullopt : LineOf(Unclamped(at, size, along), along);
      if (!line.has_value() || line->factor.n <= 0) return Fail("reads all of it, or not in order");
      const Fraction ratio = seen.ratio * line->factor;
      if (follows && !(ratio == result.ratio)) return Fail("reads several sizes of the image");
      result.ratio = ratio;
      // At least all that lies at the same place.
      result.before =
          std::max({result.before, Fraction{0, 1}, seen.before + -(seen.ratio * line->least)});
      result.after =
          std::max({result.after, ratio + Fraction{-1, 1}, seen.after + seen.ratio * line->most});
      follows = true;
    }
  }

  // The step for which all sizes along the way step too.
  void Step(Reach& reach) {
    const solver::SymbolInfo* info = context_.Find(symbol_);
    int64_t step = info == nullptr ? 1 : std::max<int64_t>(info->congruence.stride, 1);
    for (size_t t = 0; t < seen_.size(); ++t) {
      if (seen_[t].axis >= 0) step = std::lcm(step, seen_[t].ratio.n);
      if (step > kMostStep) return Fail("it is divided too often");
    }
    if (info == nullptr || info->congruence.residue != 0)
      return Fail("its sizes are multiples of nothing");
    reach.step = step;
    for (size_t t = 0; t < seen_.size(); ++t) {
      const Seen& seen = seen_[t];
      if (seen.axis < 0) continue;
      const Expr dim =
          context_.Renormalize(program_.tensors[t].dims[static_cast<size_t>(seen.axis)]);
      const int64_t own = step / seen.ratio.n * seen.ratio.d;
      const absl::StatusOr<int64_t> first = solver::Evaluate(dim, {{symbol_, step}});
      if (solver::Substitute(dim, {{symbol_, itself_ + step}}) != dim + own || !first.ok() ||
          seen.ratio * Fraction{*first, 1} + seen.after < Fraction{step, 1})
        return Fail(absl::StrCat("`", program_.tensors[t].name, "` is not longer by ", own,
                                 " where the image is by ", step));
    }
  }

  const Program& program_;
  solver::Context& context_;
  const std::string symbol_;
  const Expr itself_;                       // of multiples of 2 it is 2 * floordiv(H, 2)
  std::vector<Seen> seen_;                  // by tensor, views excepted
  std::map<size_t, bool> varies_;           // sizes as tensors that depend on it
  std::map<std::string, int64_t> lengths_;  // of axes, where they are known
  std::string place_, reason_;
};

}  // namespace

absl::StatusOr<Reach> ReachAlong(const Program& program, solver::Context& context,
                                 const std::string& symbol) {
  return Reaching(program, context, symbol).Run();
}

}  // namespace tessera::vulkan
