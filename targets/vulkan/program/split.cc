#include "targets/vulkan/program/split.h"

#include <set>
#include <string>
#include <utility>

#include "solver/decide.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kLongest = 8;  // parts that an invocation can hold

// By which numbers an axis is divided in an expression.
void Divisors(const Expr& e, const Expr& axis, std::set<int64_t>& found) {
  const solver::View view(e);
  if (view.kind() == solver::ExprKind::kFloorDiv && view.child(0) == axis) {
    const auto divisor = view.child(1).Constant();
    found.insert(divisor.value_or(0));
  }
  for (size_t i = 0; i < view.size(); ++i) Divisors(view.child(i), axis, found);
}

class Split {
 public:
  Split(Stage& stage, Axes& axes) : stage_(stage), axes_(axes) {}

  void Run() {
    if (stage_.IsRecurrence() || stage_.guarded) return;
    nests::Nest& nest = stage_.nests.front();
    std::vector<nests::Axis> axes;
    Rewrite rewrite;
    for (const nests::Axis& axis : nest.axes) {
      const int64_t length = LengthFor(nest, axis);
      if (length == 0) {
        axes.push_back(axis);
        continue;
      }
      const Expr parts = solver::CeilDiv(axis.extent, length);
      const Expr part = axes_.Fresh(parts), within = axes_.Fresh(Expr(length));
      const Expr whole = part * length + within;
      axes.push_back({part, parts});
      axes.push_back({within, Expr(length)});
      rewrite.symbols[std::string(solver::View(axis.symbol).symbol())] = whole;
      const solver::Congruence known = solver::CongruenceOf(axis.extent);
      if (known.stride % length != 0 || known.residue % length != 0)
        stage_.ends.emplace_back(whole, axis.extent);
    }
    if (rewrite.symbols.empty()) return;
    nest.axes = std::move(axes);
    for (Expr& e : nest.at) e = solver::Substitute(e, rewrite.symbols);
    nest.body = Rewritten(nest.body, rewrite);
  }

 private:
  // 0: the axis stays.
  static int64_t LengthFor(const nests::Nest& nest, const nests::Axis& axis) {
    std::set<int64_t> divisors;
    EachRead(nest.body, [&](const nests::ScalarNode& read, int depth) {
      if (depth == 0) return;
      for (const nests::Index& index : read.at) Divisors(index.expr, axis.symbol, divisors);
    });
    if (divisors.size() != 1 || *divisors.begin() < 2 || *divisors.begin() > kLongest) return 0;
    return *divisors.begin();
  }

  Stage& stage_;
  Axes& axes_;
};

}  // namespace

void SplitAxes(Program& program, Axes& axes) {
  for (Stage& stage : program.stages) Split(stage, axes).Run();
}

}  // namespace tessera::vulkan
