#include "targets/vulkan/program/distribute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

constexpr size_t kMostStages = 8;  // that one may become

bool OnlyMoves(const Scalar& scalar) {
  switch (scalar->kind) {
    case ScalarNode::kRead:
      return std::all_of(scalar->at.begin(), scalar->at.end(),
                         [](const nests::Index& index) { return index.data.IsNone(); }) &&
             std::all_of(scalar->args.begin(), scalar->args.end(), OnlyMoves);
    case ScalarNode::kLiteral:
      return true;
    case ScalarNode::kCast:
    case ScalarNode::kChoose:
      return std::all_of(scalar->args.begin(), scalar->args.end(), OnlyMoves);
    default:
      return false;
  }
}

// A stage that fills a part of a tensor: from `begin` on along `dimension`.
struct Part {
  size_t stage = 0;
  Expr begin, length;
};

class Distribution {
 public:
  Distribution(Program& program, Axes& axes) : program_(program), axes_(axes) {}

  void Run() {
    std::set<int> kept(program_.outputs.begin(), program_.outputs.end());
    for (const Tensor& tensor : program_.tensors) {
      if (tensor.kind == Tensor::kView) kept.insert(tensor.viewed);
    }
    // Few tensors have several writers; what others read is not looked through for each of the
    // rest.
    std::vector<size_t> writers = WritersOf();
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      if (writers[t] > 1 && program_.tensors[t].kind == Tensor::kComputed &&
          kept.count(static_cast<int>(t)) == 0 && Distribute(static_cast<int>(t)))
        writers = WritersOf();
    }
  }

 private:
  // Nests that write each tensor.
  std::vector<size_t> WritersOf() const {
    std::vector<size_t> writers(program_.tensors.size());
    for (const Stage& stage : program_.stages) {
      for (const Nest& nest : stage.nests) ++writers[static_cast<size_t>(nest.target.index)];
    }
    return writers;
  }

  // Whether stages have changed.
  bool Distribute(int tensor) {
    std::vector<size_t> writers;
    std::set<size_t> readers;
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      for (const Nest& nest : program_.stages[s].nests) {
        if (nest.target.index == tensor) writers.push_back(s);
        EachRead(nest.body, [&](const ScalarNode& read, int) {
          if (read.tensor.index == tensor) readers.insert(s);
        });
      }
    }
    if (writers.size() < 2 || readers.empty() || readers.size() * writers.size() > kMostStages)
      return false;
    size_t dimension = 0;
    std::vector<Part> parts;
    for (size_t s : writers) {
      std::optional<Part> part = PartOf(s, parts.empty() ? nullptr : &dimension, dimension);
      if (!part.has_value()) return false;
      parts.push_back(*std::move(part));
    }
    // One behind the other, from end to end.
    Expr end = 0;
    for (const Part& part : parts) {
      if (part.begin != end) return false;
      end = end + part.length;
    }
    const Tensor& whole = program_.tensors[static_cast<size_t>(tensor)];
    if (end != whole.dims[dimension]) return false;
    for (size_t s : readers) {
      if (!AxisFor(program_.stages[s], tensor, dimension).has_value()) return false;
    }
    // From behind, so that the places before stay what they are.
    for (auto s = readers.rbegin(); s != readers.rend(); ++s) Replace(*s, tensor, dimension, parts);
    for (const Part& part : parts) program_.stages[part.stage].nests.clear();
    std::erase_if(program_.stages, [](const Stage& stage) { return stage.nests.empty(); });
    return true;
  }

  // `known`: the dimension along which others are parts; without it, `dimension` is what it is.
  std::optional<Part> PartOf(size_t s, const size_t* known, size_t& dimension) const {
    const Stage& stage = program_.stages[s];
    if (stage.nests.size() != 1 || stage.IsRecurrence() || stage.guarded) return std::nullopt;
    const Nest& nest = stage.nests.front();
    const Tensor& tensor = program_.tensors[static_cast<size_t>(nest.target.index)];
    if (!OnlyMoves(nest.body) || nest.axes.size() != nest.at.size()) return std::nullopt;
    std::optional<size_t> along;
    for (size_t d = 0; d < nest.at.size(); ++d) {
      if (nest.axes[d].extent == tensor.dims[d]) {
        if (nest.at[d] != nest.axes[d].symbol) return std::nullopt;
        continue;
      }
      if (along.has_value()) return std::nullopt;
      along = d;
    }
    if (!along.has_value() || (known != nullptr && *known != *along)) return std::nullopt;
    dimension = *along;
    const Expr begin = nest.at[*along] - nest.axes[*along].symbol;
    const std::vector<std::string> symbols = solver::SymbolsOf(begin);
    for (const nests::Axis& axis : nest.axes) {
      if (std::find(symbols.begin(), symbols.end(), axis.symbol.ToString()) != symbols.end())
        return std::nullopt;
    }
    return Part{s, begin, nest.axes[*along].extent};
  }

  // The axis of the stage by which it reads the tensor along the dimension, everywhere.
  std::optional<size_t> AxisFor(const Stage& stage, int tensor, size_t dimension) const {
    if (stage.nests.size() != 1 || stage.IsRecurrence() || stage.guarded) return std::nullopt;
    const Nest& nest = stage.nests.front();
    const Tensor& whole = program_.tensors[static_cast<size_t>(tensor)];
    std::optional<size_t> found;
    bool all = true;
    EachRead(nest.body, [&](const ScalarNode& read, int) {
      if (read.tensor.index != tensor) return;
      for (size_t a = 0; a < nest.axes.size(); ++a) {
        if (!read.at[dimension].data.IsNone() || read.at[dimension].expr != nest.axes[a].symbol ||
            nest.axes[a].extent != whole.dims[dimension])
          continue;
        all &= !found.has_value() || *found == a;
        found = a;
        return;
      }
      all = false;
    });
    // Data for other indices is not looked for in what is moved.
    EachRead(nest.body, [&](const ScalarNode& read, int) {
      if (read.tensor.index != tensor) return;
      for (const nests::Index& index : read.at) all &= index.data.IsNone();
    });
    return all ? found : std::nullopt;
  }

  void Replace(size_t s, int tensor, size_t dimension, const std::vector<Part>& parts) {
    const Stage stage = program_.stages[s];
    const size_t axis = *AxisFor(stage, tensor, dimension);
    std::vector<Stage> several;
    for (const Part& part : parts) {
      const Stage& moves = program_.stages[part.stage];
      Stage one = stage;
      Nest& nest = one.nests.front();
      const Expr symbol = axes_.Fresh(part.length);
      Rewrite rewrite;
      rewrite.axes = &axes_;
      rewrite.symbols[std::string(solver::View(nest.axes[axis].symbol).symbol())] =
          symbol + part.begin;
      std::vector<std::pair<Expr, Expr>> fresh;
      for (size_t a = 0; a < nest.axes.size(); ++a) {
        if (a == axis) continue;
        const Expr other = axes_.Fresh(nest.axes[a].extent);
        rewrite.symbols[std::string(solver::View(nest.axes[a].symbol).symbol())] = other;
        nest.axes[a].symbol = other;
      }
      nest.axes[axis] = {symbol, part.length};
      for (Expr& e : nest.at) e = solver::Substitute(e, rewrite.symbols);
      rewrite.read = [&](const ScalarNode& read, std::vector<nests::Index> at, Scalar otherwise) {
        if (read.tensor.index != tensor)
          return Scalar::Read(read.tensor, read.number, std::move(at), std::move(otherwise));
        return Moved(moves.nests.front(), part, dimension, read.number, at, otherwise);
      };
      nest.body = Rewritten(nest.body, rewrite);
      one.name = absl::StrCat(moves.name, " + ", stage.name);
      several.push_back(std::move(one));
    }
    program_.stages[s] = std::move(several.front());
    program_.stages.insert(program_.stages.begin() + static_cast<int64_t>(s) + 1,
                           std::make_move_iterator(several.begin() + 1),
                           std::make_move_iterator(several.end()));
  }

  // What is moved to these indices.
  Scalar Moved(const Nest& moves, const Part& part, size_t dimension, nests::Number number,
               const std::vector<nests::Index>& at, const Scalar& otherwise) {
    const Tensor& whole = program_.tensors[static_cast<size_t>(moves.target.index)];
    Rewrite rewrite;
    rewrite.axes = &axes_;
    Expr inside = 1;
    for (size_t d = 0; d < at.size(); ++d) {
      const Expr index = d == dimension ? at[d].expr - part.begin : at[d].expr;
      rewrite.symbols[std::string(solver::View(moves.axes[d].symbol).symbol())] = index;
      if (d != dimension)
        inside = solver::And(inside,
                             solver::And(solver::Ge(index, 0), solver::Lt(index, whole.dims[d])));
    }
    const Scalar body = Scalar::Cast(
        number, Scalar::Cast(nests::NumberOf(whole.dtype), Rewritten(moves.body, rewrite)));
    return otherwise.IsNone() ? body : Scalar::Choose(inside, body, otherwise);
  }

  Program& program_;
  Axes& axes_;
};

}  // namespace

void DistributeOverParts(Program& program, Axes& axes) { Distribution(program, axes).Run(); }

}  // namespace tessera::vulkan
