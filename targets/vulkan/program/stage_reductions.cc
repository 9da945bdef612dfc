#include "targets/vulkan/program/stage_reductions.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rounds.h"

namespace tessera::vulkan {
namespace {

using nests::Axis;
using nests::Scalar;
using nests::ScalarNode;

std::string NameOf(const Axis& axis) { return std::string(solver::View(axis.symbol).symbol()); }

void EachSymbol(const Scalar& scalar, const std::function<void(const std::string&)>& visit) {
  const auto of = [&](const Expr& e) {
    for (const std::string& symbol : solver::SymbolsOf(e)) visit(symbol);
  };
  of(scalar->index);
  for (const nests::Index& index : scalar->at) {
    if (index.data.IsNone())
      of(index.expr);
    else
      EachSymbol(index.data, visit);
  }
  for (const Axis& axis : scalar->axes) of(axis.extent);
  for (const Scalar& arg : scalar->args) EachSymbol(arg, visit);
}

class Staging {
 public:
  Staging(Program& program, Axes& axes, int64_t most)
      : program_(program), axes_(axes), most_(most) {}

  void Run() {
    std::vector<Stage> stages = std::move(program_.stages);
    program_.stages.clear();
    for (Stage& stage : stages) {
      if (!stage.IsRecurrence() && stage.nests.size() == 1 && stage.ends.empty()) {
        stage_ = &stage;
        nests::Nest& nest = stage.nests.front();
        nest.body = Staged(nest.body);
      }
      program_.stages.push_back(std::move(stage));
    }
  }

 private:
  // The scalar with its outermost reductions by stages, which are added to the program. What is
  // computed under a condition may read where there is something under it alone.
  Scalar Staged(const Scalar& scalar) {
    if (scalar->kind == ScalarNode::kReduce) return OfReduction(scalar);
    if (scalar->kind != ScalarNode::kCall && scalar->kind != ScalarNode::kCast) return scalar;
    std::vector<Scalar> args;
    for (const Scalar& arg : scalar->args) args.push_back(Staged(arg));
    return scalar->kind == ScalarNode::kCast
               ? Scalar::Cast(scalar->number, args[0])
               : Scalar::Call(scalar->function, scalar->number, std::move(args));
  }

  Scalar OfReduction(const Scalar& scalar) {
    if (!IsLong(*scalar)) return scalar;
    Scalar reduction = WithoutSingles(*scalar);
    while (IsLong(*reduction)) {
      const std::optional<Scalar> shorter =
          reduction->axes.size() > 1 ? AlongLast(*reduction) : ByParts(*reduction);
      if (!shorter.has_value()) break;
      reduction = *shorter;
    }
    return reduction;
  }

  bool IsLong(const ScalarNode& reduction) const {
    int64_t rounds = 1;  // of a term
    for (const Scalar& term : reduction.args) rounds += RoundsOfCalls(term);
    Expr terms = 1;
    for (const Axis& axis : reduction.axes) terms *= axis.extent;
    if (terms.IsInvalid()) return true;
    const int64_t most = solver::RangeOf(terms).hi;
    const int64_t parts = most > kMostTermsAtOnce ? most / (kTermsOfPart / 2) : 0;
    return most > (most_ - parts) / rounds;
  }

  // Along axes of one position there is nothing to go.
  static Scalar WithoutSingles(const ScalarNode& reduction) {
    Rewrite rewrite;
    std::vector<Axis> axes;
    for (const Axis& axis : reduction.axes) {
      if (axis.extent == Expr(1))
        rewrite.symbols[NameOf(axis)] = 0;
      else
        axes.push_back(axis);
    }
    std::vector<Scalar> terms;
    for (const Scalar& term : reduction.args) terms.push_back(Rewritten(term, rewrite));
    return Scalar::Reduce(reduction.reduction, reduction.number, reduction.literal, std::move(axes),
                          std::move(terms));
  }

  std::optional<Scalar> AlongLast(const ScalarNode& reduction) {
    std::vector<Axis> others(reduction.axes.begin(), reduction.axes.end() - 1);
    return Through(reduction, others, {reduction.axes.back()}, reduction.args);
  }

  // Of one axis of known length: parts of as many terms as there are parts.
  std::optional<Scalar> ByParts(const ScalarNode& reduction) {
    const auto length = reduction.axes.front().extent.Constant();
    if (!length.has_value()) return std::nullopt;
    int64_t each = 1;
    while (each * each < *length) each *= 2;
    const Axis part{axes_.Fresh(solver::CeilDiv(*length, each)), solver::CeilDiv(*length, each)};
    const Axis within{axes_.Fresh(each), each};
    const Expr at = part.symbol * each + within.symbol;
    Rewrite rewrite;
    rewrite.symbols[NameOf(reduction.axes.front())] = at;
    std::vector<Scalar> terms;
    for (const Scalar& term : reduction.args) {
      const Scalar there = Rewritten(term, rewrite);
      terms.push_back(*length % each == 0
                          ? there
                          : Scalar::Choose(solver::Lt(at, *length), there,
                                           Scalar::Literal(nests::IdentityOf(reduction.reduction,
                                                                             term->number))));
    }
    return Through(reduction, {part}, {within}, terms);
  }

  // `terms` along `within` by a stage of its own, and what that writes along `others`.
  std::optional<Scalar> Through(const ScalarNode& reduction, const std::vector<Axis>& others,
                                const std::vector<Axis>& within, const std::vector<Scalar>& terms) {
    std::vector<Axis> kept;  // of the result, that terms vary with
    for (const Axis& axis : stage_->nests.front().axes) {
      bool varies = false;
      for (const Scalar& term : terms)
        EachSymbol(term, [&](const std::string& symbol) { varies |= symbol == NameOf(axis); });
      if (varies) kept.push_back(axis);
    }
    kept.insert(kept.end(), others.begin(), others.end());
    std::vector<Axis> all = kept;
    all.insert(all.end(), within.begin(), within.end());
    if (!AreFixed(all) || !IsReadOnce(terms, all)) return std::nullopt;

    Tensor tensor;
    tensor.name = absl::StrCat(
        program_.tensors[static_cast<size_t>(stage_->nests.front().target.index)].name, ".part");
    tensor.dtype = nests::DTypeOf(reduction.number);
    nests::Nest nest;
    std::vector<nests::Index> read_at;
    Rewrite rewrite;
    for (const Axis& axis : kept) {
      tensor.dims.push_back(axis.extent);
      nest.axes.push_back({axes_.Fresh(axis.extent), axis.extent});
      nest.at.push_back(nest.axes.back().symbol);
      rewrite.symbols[NameOf(axis)] = nest.axes.back().symbol;
      read_at.emplace_back(axis.symbol);
    }
    std::vector<Axis> along;
    for (const Axis& axis : within) {
      along.push_back({axes_.Fresh(axis.extent), axis.extent});
      rewrite.symbols[NameOf(axis)] = along.back().symbol;
    }
    std::vector<Scalar> moved;
    for (const Scalar& term : terms) moved.push_back(Rewritten(term, rewrite));
    nest.body = Scalar::Reduce(reduction.reduction, reduction.number, reduction.literal,
                               std::move(along), std::move(moved));
    program_.tensors.push_back(std::move(tensor));
    const int target = static_cast<int>(program_.tensors.size()) - 1;
    nest.target = InProgram(target);
    Stage stage;
    stage.nests.push_back(std::move(nest));
    stage.name = stage_->name;
    stage.location = stage_->location;
    stage.guarded = stage_->guarded;
    const Stage* const reader = std::exchange(stage_, &stage);
    stage.nests.front().body = OfReduction(stage.nests.front().body);
    stage_ = reader;
    program_.stages.push_back(std::move(stage));
    return Scalar::Reduce(
        reduction.reduction, reduction.number, reduction.literal, others,
        {Scalar::Read(InProgram(target), reduction.number, std::move(read_at), {})});
  }

  // Lengths of axes that no axis decides.
  bool AreFixed(const std::vector<Axis>& axes) const {
    std::vector<std::string> names;
    for (const Axis& axis : stage_->nests.front().axes) names.push_back(NameOf(axis));
    for (const Axis& axis : axes) names.push_back(NameOf(axis));
    return std::none_of(axes.begin(), axes.end(), [&](const Axis& axis) {
      const std::vector<std::string> symbols = solver::SymbolsOf(axis.extent);
      return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& symbol) {
        return std::find(names.begin(), names.end(), symbol) != names.end();
      });
    });
  }

  // Whether some tensor is read by all of the axes, so that what is written is no more than that.
  static bool IsReadOnce(const std::vector<Scalar>& terms, const std::vector<Axis>& axes) {
    bool once = false;
    for (const Scalar& term : terms) {
      EachRead(term, [&](const ScalarNode& read, int) {
        once |= std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
          return axis.extent == Expr(1) ||
                 std::any_of(read.at.begin(), read.at.end(), [&](const nests::Index& index) {
                   if (!index.data.IsNone()) return false;
                   const std::vector<std::string> symbols = solver::SymbolsOf(index.expr);
                   return std::find(symbols.begin(), symbols.end(), NameOf(axis)) != symbols.end();
                 });
        });
      });
    }
    return once;
  }

  Program& program_;
  Axes& axes_;
  const int64_t most_;
  const Stage* stage_ = nullptr;
};

}  // namespace

void StageReductions(Program& program, Axes& axes, int64_t most_rounds) {
  Staging(program, axes, most_rounds).Run();
}

}  // namespace tessera::vulkan
