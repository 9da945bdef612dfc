#include "targets/vulkan/program/match_shader.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "targets/vulkan/program/links.h"
#include "targets/vulkan/program/shader_pattern.h"

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

std::string NameOf(const nests::Axis& axis) {
  return std::string(solver::View(axis.symbol).symbol());
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

// What is known of the stage while it is compared. All scalars are in the names of the last stage's
// axes, and of those of sums as they were met first.
struct Match {
  std::vector<Scalar> elements;                // by operand; none: not met yet
  std::vector<std::vector<nests::Axis>> sums;  // by the definition's axis: the stage's
  // A statement before the last: the stage, where its results are read, what it makes of `sum`.
  struct Scratch {
    size_t stage = 0;
    std::vector<Expr> at;
    Scalar body, sum;
  };
  std::vector<std::optional<Scratch>> scratch;  // as the pattern's
};

class Matching {
 public:
  Matching(const ShaderPattern& pattern, const Program& program, const Links& links)
      : pattern_(pattern), program_(program), links_(links) {}

  // All ways in which `scalar` is `pattern`: two where factors may change places.
  std::vector<Match> Unified(const Scalar& pattern, const Scalar& scalar, const Match& match) {
    if (pattern->number != scalar->number) return {};
    if (pattern->kind == ScalarNode::kRead)
      return pattern->tensor.kind == nests::TensorId::kTemp ? OfScratch(*pattern, scalar, match)
                                                            : OfOperand(*pattern, scalar, match);
    if (pattern->kind != scalar->kind || pattern->args.size() != scalar->args.size()) return {};
    switch (pattern->kind) {
      case ScalarNode::kLiteral:
        return pattern->literal == scalar->literal ? std::vector<Match>{match}
                                                   : std::vector<Match>{};
      case ScalarNode::kCast:
        return OfArguments(*pattern, *scalar, match, false);
      case ScalarNode::kReduce:
        return OfReduction(*pattern, *scalar, match);
      case ScalarNode::kCall: {
        if (pattern->function != scalar->function) return {};
        std::vector<Match> ways = OfArguments(*pattern, *scalar, match, false);
        if (pattern->function == nests::Function::kMul ||
            pattern->function == nests::Function::kAdd) {
          for (Match& way : OfArguments(*pattern, *scalar, match, true))
            ways.push_back(std::move(way));
        }
        return ways;
      }
      default:
        return {};
    }
  }

 private:
  static std::vector<Match> OfOperand(const ScalarNode& pattern, const Scalar& scalar,
                                      const Match& match) {
    std::vector<Scalar> reductions;
    AddReductions(scalar, reductions);
    const Scalar& known = match.elements[static_cast<size_t>(pattern.tensor.index)];
    if (!reductions.empty() || (!known.IsNone() && !(known == scalar))) return {};
    Match more = match;
    more.elements[static_cast<size_t>(pattern.tensor.index)] = scalar;
    return {std::move(more)};
  }

  std::vector<Match> OfArguments(const ScalarNode& pattern, const ScalarNode& scalar,
                                 const Match& match, bool swapped) {
    std::vector<Match> ways = {match};
    for (size_t i = 0; i < pattern.args.size(); ++i) {
      std::vector<Match> longer;
      for (const Match& way : ways) {
        for (Match& one : Unified(pattern.args[i], scalar.args[swapped ? 1 - i : i], way))
          longer.push_back(std::move(one));
      }
      ways = std::move(longer);
    }
    return ways;
  }

  // Along axes that take the names of those of an earlier sum along the same axis.
  std::vector<Match> OfReduction(const ScalarNode& pattern, const ScalarNode& scalar,
                                 const Match& match) {
    if (pattern.reduction != scalar.reduction || !(pattern.literal == scalar.literal)) return {};
    Match more = match;
    std::vector<nests::Axis>& known = more.sums[pattern_.AxisOf(pattern.axes.front())];
    if (known.empty()) {
      known = scalar.axes;
      return OfArguments(pattern, scalar, more, false);
    }
    if (known.size() != scalar.axes.size()) return {};
    Rewrite renaming;
    for (size_t i = 0; i < known.size(); ++i) {
      if (known[i].extent != scalar.axes[i].extent) return {};
      renaming.symbols[NameOf(scalar.axes[i])] = known[i].symbol;
    }
    ScalarNode renamed = scalar;
    for (Scalar& arg : renamed.args) arg = Rewritten(arg, renaming);
    return OfArguments(pattern, renamed, more, false);
  }

  // An element of what a stage before computes, which is the statement.
  std::vector<Match> OfScratch(const ScalarNode& pattern, const Scalar& scalar,
                               const Match& match) {
    if (scalar->kind != ScalarNode::kRead || !scalar->args.empty()) return {};
    const auto number = static_cast<size_t>(pattern.tensor.index);
    const std::optional<size_t> stage = links_.WriterOf(scalar->tensor.index);
    if (!stage.has_value()) return {};
    Match::Scratch scratch;
    scratch.stage = *stage;
    for (const nests::Index& index : scalar->at) scratch.at.push_back(index.expr);
    if (const auto& known = match.scratch[number]; known.has_value())
      return known->stage == scratch.stage && known->at == scratch.at ? std::vector<Match>{match}
                                                                      : std::vector<Match>{};
    const nests::Nest& nest = program_.stages[*stage].nests.front();
    Rewrite rewrite;
    for (size_t d = 0; d < nest.axes.size(); ++d)
      rewrite.symbols[NameOf(nest.axes[d])] = scratch.at[d];
    scratch.body = Rewritten(nest.body, rewrite);
    const Scalar& statement = pattern_.scratch[number].body;
    scratch.sum = scratch.body;
    if (statement->kind == ScalarNode::kReduce) {
      std::vector<Scalar> reductions;
      AddReductions(scratch.body, reductions);
      if (reductions.size() != 1) return {};
      scratch.sum = reductions.front();
    }
    std::vector<Match> ways = Unified(statement, scratch.sum, match);
    for (Match& way : ways) way.scratch[number] = scratch;
    return ways;
  }

  const ShaderPattern& pattern_;
  const Program& program_;
  const Links& links_;
};

// Gives each of the stage's axes to the definition's axis that the same operands are read by.
bool Distribute(const ShaderPattern& pattern, const std::vector<Scalar>& elements,
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

// Nothing but the stage and its other statements reads what these compute.
bool IsReadWithin(const Program& program, const Links& links, const Match& match, size_t last) {
  std::set<size_t> within = {last};
  for (const auto& scratch : match.scratch) {
    if (!within.insert(scratch->stage).second) return false;
  }
  return std::all_of(match.scratch.begin(), match.scratch.end(), [&](const auto& scratch) {
    const std::vector<size_t>& readers =
        links.ReadersOf(program.stages[scratch->stage].nests.front().target.index);
    return std::all_of(readers.begin(), readers.end(),
                       [&](size_t reader) { return within.count(reader) != 0; });
  });
}

// The statements before the last. False: a stage computes something around a sum of which the
// shader does not ask what is made.
bool TakeScratch(const ShaderPattern& pattern, const Match& match, ShaderUse& use) {
  for (size_t t = 0; t < pattern.scratch.size(); ++t) {
    const ShaderPattern::Statement& statement = pattern.scratch[t];
    const Match::Scratch& scratch = *match.scratch[t];
    use.stages.push_back(scratch.stage);
    const std::string function = MadeFunction(statement.name);
    if (use.shader->source.find(function + "(") != std::string_view::npos)
      use.made.push_back({function, statement.axes, scratch.body, scratch.sum});
    else if (!(scratch.body == scratch.sum))
      return false;
  }
  std::sort(use.stages.begin(), use.stages.end());
  return true;
}

// What a match says of the stage; nothing: axes are not the definition's.
std::optional<ShaderUse> UseOf(const ir::Shader& shader, const ShaderPattern& pattern,
                               const Program& program, const Links& links, size_t stage,
                               const Scalar& sum, const Match& match) {
  const nests::Nest& nest = program.stages[stage].nests.front();
  ShaderUse use;
  use.shader = &shader;
  use.axes.resize(pattern.extents.size());
  use.result_axes = pattern.result_axes;
  use.result = sum;
  if (!Distribute(pattern, match.elements, nest.axes, 0, pattern.result_axes, use))
    return std::nullopt;
  for (size_t p = pattern.result_axes; p < pattern.extents.size(); ++p) {
    for (const nests::Axis& axis : match.sums[p]) {
      for (const nests::Axis& other : nest.axes) {
        if (Mentions(axis.extent, NameOf(other))) return std::nullopt;
      }
    }
    if (!Distribute(pattern, match.elements, match.sums[p], p, p + 1, use)) return std::nullopt;
  }
  for (size_t o = 0; o < match.elements.size(); ++o)
    use.operands.push_back({match.elements[o], pattern.reads[o]});
  if (!TakeScratch(pattern, match, use) || !IsReadWithin(program, links, match, stage))
    return std::nullopt;
  return use;
}

}  // namespace

std::optional<ShaderUse> MatchShader(const ir::Shader& shader, const Program& program,
                                     const Links& links, size_t stage, Axes& axes) {
  const ShaderPattern* const pattern = PatternOf(shader);
  if (pattern == nullptr || !IsPlain(program.stages[stage])) return std::nullopt;
  const nests::Nest& nest = program.stages[stage].nests.front();
  std::vector<Scalar> reductions;
  AddReductions(nest.body, reductions);
  if (reductions.size() != 1) return std::nullopt;
  Match nothing;
  nothing.elements.resize(shader.operands.size());
  nothing.sums.resize(pattern->extents.size());
  nothing.scratch.resize(pattern->scratch.size());
  std::optional<ShaderUse> best;
  Matching matching(*pattern, program, links);
  for (const Match& match : matching.Unified(pattern->result.body, reductions.front(), nothing)) {
    std::optional<ShaderUse> use =
        UseOf(shader, *pattern, program, links, stage, reductions.front(), match);
    if (!use.has_value()) continue;
    // Neighbours in memory are neighbours along the last axis of the result.
    const std::vector<nests::Axis>& last = use->axes[use->result_axes - 1].of;
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

void UseShader(ShaderUse use, Program& program, size_t stage) {
  Stage& last = program.stages[stage];
  std::vector<nests::Nest> nests;
  std::vector<std::string> names;
  for (size_t s : use.stages) {
    Stage& before = program.stages[s];
    nests.push_back(std::move(before.nests.front()));
    program.tensors[static_cast<size_t>(nests.back().target.index)].kind = Tensor::kWithin;
    if (names.empty() || names.back() != before.name) names.push_back(before.name);
    before.nests.clear();
  }
  names.push_back(last.name);
  last.name = absl::StrJoin(names, " + ");
  last.nests.insert(last.nests.begin(), std::make_move_iterator(nests.begin()),
                    std::make_move_iterator(nests.end()));
  use.stages.clear();
  last.shader = std::move(use);
}

void DropEmptyStages(Program& program) {
  std::erase_if(program.stages, [](const Stage& stage) { return stage.nests.empty(); });
}

}  // namespace tessera::vulkan
