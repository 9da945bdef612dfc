#include "targets/vulkan/program/match_shader.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "nests/library.h"
#include "targets/vulkan/program/precision.h"

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

std::string NameOf(const nests::Axis& axis) {
  return std::string(solver::View(axis.symbol).symbol());
}

// What a definition computes: one nest, whose operands are read by plain axes.
struct Pattern {
  std::unique_ptr<solver::Context> context = std::make_unique<solver::Context>();
  std::vector<nests::Axis> axes;  // of the result, then of the reduction
  size_t result_axes = 0;
  Scalar reduction;
  std::vector<std::vector<size_t>> reads;  // by operand: axes
};

Scalar WithoutCasts(Scalar scalar) {
  while (scalar->kind == ScalarNode::kCast) scalar = Scalar(scalar->args[0]);
  return scalar;
}

// Null: the definition is of another form.
std::unique_ptr<Pattern> MakePattern(const ir::Shader& shader) {
  const nests::Definition* definition = nests::Library::Global().Find(shader.dialect, shader.op);
  if (definition == nullptr) return nullptr;
  auto pattern = std::make_unique<Pattern>();
  std::map<std::string_view, Expr> sizes;
  std::vector<std::vector<Expr>> dims;
  for (const ir::ShaderOperand& operand : shader.operands) {
    dims.emplace_back();
    for (std::string_view name : operand.dims) {
      if (sizes.count(name) == 0) {
        const auto size = pattern->context->Declare(std::string(name), {1, INT32_MAX}, {}, "dim");
        if (!size.ok()) return nullptr;
        sizes.emplace(name, *size);
      }
      dims.back().push_back(sizes.at(name));
    }
  }
  std::vector<ir::OperandInfo<Expr>> operands;
  for (const std::vector<Expr>& of : dims) {
    ir::OperandInfo<Expr> info;
    info.present = true;
    info.dtype = ir::DType::kF32;
    info.dims = of;
    operands.push_back(info);
  }
  const absl::StatusOr<nests::Computation> computation =
      nests::ComputationOf(*definition, {operands, {}}, *pattern->context);
  if (!computation.ok() || computation->nests.size() != 1) return nullptr;
  const nests::Nest& nest = computation->nests.front();
  pattern->axes = nest.axes;
  pattern->result_axes = nest.axes.size();
  pattern->reduction = WithoutCasts(InSinglePrecision(nest.body));
  if (nest.order.along >= 0 || pattern->reduction->kind != ScalarNode::kReduce) return nullptr;
  for (const nests::Axis& axis : pattern->reduction->axes) pattern->axes.push_back(axis);
  pattern->reads.resize(operands.size());
  bool plain = true;
  EachRead(pattern->reduction, [&](const ScalarNode& read, int) {
    std::vector<size_t> places;
    for (const nests::Index& index : read.at) {
      const auto axis = std::find_if(
          pattern->axes.begin(), pattern->axes.end(),
          [&](const nests::Axis& one) { return index.data.IsNone() && one.symbol == index.expr; });
      if (axis == pattern->axes.end()) return void(plain = false);
      places.push_back(static_cast<size_t>(axis - pattern->axes.begin()));
    }
    std::vector<size_t>& known = pattern->reads[static_cast<size_t>(read.tensor.index)];
    plain = plain && read.args.empty() && (known.empty() || known == places);
    known = std::move(places);
  });
  return plain ? std::move(pattern) : nullptr;
}

const Pattern* PatternOf(const ir::Shader& shader) {
  static std::mutex mutex;
  static auto* const patterns = new std::map<const ir::Shader*, std::unique_ptr<Pattern>>();
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, fresh] = patterns->try_emplace(&shader);
  if (fresh) found->second = MakePattern(shader);
  return found->second.get();
}

// What a printed kernel does not look at when it runs.
bool IsPlain(const Scalar& scalar) {
  return scalar->kind != ScalarNode::kWithin &&
         std::all_of(scalar->at.begin(), scalar->at.end(),
                     [](const nests::Index& index) { return index.data.IsNone(); }) &&
         std::all_of(scalar->args.begin(), scalar->args.end(), IsPlain);
}

void AddReductions(const Scalar& scalar, std::vector<Scalar>& found) {
  if (scalar->kind == ScalarNode::kReduce &&
      std::none_of(found.begin(), found.end(), [&](const Scalar& one) { return one == scalar; }))
    found.push_back(scalar);
  for (const Scalar& arg : scalar->args) AddReductions(arg, found);
}

bool Mentions(const Expr& e, const std::string& name) {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::find(symbols.begin(), symbols.end(), name) != symbols.end();
}

bool Mentions(const Scalar& scalar, const std::string& name) {
  const auto in = [&](const Scalar& arg) { return Mentions(arg, name); };
  return Mentions(scalar->index, name) ||
         std::any_of(scalar->at.begin(), scalar->at.end(),
                     [&](const nests::Index& index) { return Mentions(index.expr, name); }) ||
         std::any_of(scalar->args.begin(), scalar->args.end(), in);
}

using Elements = std::vector<Scalar>;  // by operand; none: not met yet

// All ways in which `scalar` is `pattern`: two where factors may change places.
std::vector<Elements> Unified(const Scalar& pattern, const Scalar& scalar,
                              const Elements& elements) {
  if (pattern->number != scalar->number) return {};
  if (pattern->kind == ScalarNode::kRead) {
    std::vector<Scalar> reductions;
    AddReductions(scalar, reductions);
    const size_t operand = static_cast<size_t>(pattern->tensor.index);
    if (!reductions.empty() || (!elements[operand].IsNone() && !(elements[operand] == scalar)))
      return {};
    Elements more = elements;
    more[operand] = scalar;
    return {std::move(more)};
  }
  if (pattern->kind != scalar->kind || pattern->args.size() != scalar->args.size()) return {};
  const auto in_order = [&](bool swapped) {
    std::vector<Elements> ways = {elements};
    for (size_t i = 0; i < pattern->args.size(); ++i) {
      std::vector<Elements> longer;
      for (const Elements& way : ways) {
        for (Elements& one : Unified(pattern->args[i], scalar->args[swapped ? 1 - i : i], way))
          longer.push_back(std::move(one));
      }
      ways = std::move(longer);
    }
    return ways;
  };
  switch (pattern->kind) {
    case ScalarNode::kLiteral:
      return pattern->literal == scalar->literal ? std::vector<Elements>{elements}
                                                 : std::vector<Elements>{};
    case ScalarNode::kCast:
      return in_order(false);
    case ScalarNode::kReduce:
      if (pattern->reduction != scalar->reduction || !(pattern->literal == scalar->literal))
        return {};
      return in_order(false);
    case ScalarNode::kCall: {
      if (pattern->function != scalar->function) return {};
      std::vector<Elements> ways = in_order(false);
      if (pattern->function == nests::Function::kMul ||
          pattern->function == nests::Function::kAdd) {
        for (Elements& way : in_order(true)) ways.push_back(std::move(way));
      }
      return ways;
    }
    default:
      return {};
  }
}

// Gives each of the stage's axes to the definition's axis that the same operands are read by.
bool Distribute(const Pattern& pattern, const Elements& elements,
                const std::vector<nests::Axis>& axes, size_t from, size_t to, ShaderUse& use) {
  for (const nests::Axis& axis : axes) {
    std::vector<size_t> fitting;
    for (size_t p = from; p < to; ++p) {
      bool fits = true;
      for (size_t o = 0; o < elements.size(); ++o) {
        const bool read = std::find(pattern.reads[o].begin(), pattern.reads[o].end(), p) !=
                          pattern.reads[o].end();
        fits = fits && read == Mentions(elements[o], NameOf(axis));
      }
      if (fits) fitting.push_back(p);
    }
    if (fitting.size() == 1)
      use.axes[fitting.front()].of.push_back(axis);
    else if (axis.extent == Expr(1))
      use.single.push_back(axis);
    else
      return false;
  }
  return true;
}

}  // namespace

std::optional<ShaderUse> MatchShader(const ir::Shader& shader, const Stage& stage, Axes& axes) {
  const Pattern* const pattern = PatternOf(shader);
  if (pattern == nullptr || stage.nests.size() != 1 || stage.IsRecurrence() || stage.guarded ||
      !stage.ends.empty())
    return std::nullopt;
  const nests::Nest& nest = stage.nests.front();
  std::vector<Scalar> reductions;
  AddReductions(nest.body, reductions);
  if (reductions.size() != 1 || nest.axes.empty() || !IsPlain(nest.body)) return std::nullopt;
  for (const nests::Axis& axis : nest.axes) {
    for (const nests::Axis& other : reductions.front()->axes) {
      if (Mentions(other.extent, NameOf(axis))) return std::nullopt;
    }
  }
  std::optional<ShaderUse> best;
  for (const Elements& elements :
       Unified(pattern->reduction, reductions.front(), Elements(shader.operands.size()))) {
    ShaderUse use;
    use.shader = &shader;
    use.axes.resize(pattern->axes.size());
    use.result_axes = pattern->result_axes;
    use.result = reductions.front();
    if (!Distribute(*pattern, elements, nest.axes, 0, pattern->result_axes, use) ||
        !Distribute(*pattern, elements, use.result->axes, pattern->result_axes,
                    pattern->axes.size(), use))
      continue;
    for (size_t o = 0; o < elements.size(); ++o)
      use.operands.push_back({elements[o], pattern->reads[o]});
    // Neighbours in memory are neighbours along the last axis of the result.
    const std::vector<nests::Axis>& last = use.axes[use.result_axes - 1].of;
    const bool beside = std::find(last.begin(), last.end(), nest.axes.back()) != last.end();
    if (!best.has_value() || beside) best = std::move(use);
    if (beside) break;
  }
  if (!best.has_value()) return std::nullopt;
  for (ShaderUse::Axis& axis : best->axes) {
    Expr extent = 1;
    for (const nests::Axis& of : axis.of) extent *= of.extent;
    axis.flat = {axes.Fresh(extent), extent};
  }
  for (std::string_view size : shader.sizes) {
    for (size_t o = 0; o < shader.operands.size() && best->sizes.size() < shader.sizes.size();
         ++o) {
      const auto& dims = shader.operands[o].dims;
      const auto dim = std::find(dims.begin(), dims.end(), size);
      if (dim == dims.end()) continue;
      const size_t place = static_cast<size_t>(dim - dims.begin());
      best->sizes.push_back(best->axes[best->operands[o].axes[place]].flat.extent);
      break;
    }
  }
  return best;
}

}  // namespace tessera::vulkan
