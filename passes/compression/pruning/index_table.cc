#include "passes/compression/pruning/index_table.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "nests/library.h"
#include "solver/expr.h"

namespace tessera::compression {
namespace {

using nests::Scalar;
using nests::ScalarNode;
using solver::Assignment;
using solver::Expr;

constexpr int64_t kMostPositions = 1 << 14;  // of one symbol

std::string NameOf(const nests::Axis& axis) {
  return std::string(solver::View(axis.symbol).symbol());
}

class Tabulator {
 public:
  Tabulator(const nests::Nest& nest, const nests::Computation& computation)
      : nest_(nest), computation_(computation) {}

  std::optional<IndexTable> Run() {
    for (const nests::Axis& axis : nest_.axes) axes_.push_back({axis, false, false});
    Collect(nest_.body);
    AddAccess(nest_.target, nullptr);
    CollectReads(nest_.body);
    if (!ChooseSizes()) return std::nullopt;
    for (const Loop& loop : axes_) {
      const absl::StatusOr<int64_t> extent = solver::Evaluate(loop.axis.extent, base_);
      if (!extent.ok() || *extent > kMostPositions) return std::nullopt;
      table_.symbols.push_back(
          {NameOf(loop.axis), loop.reduced, loop.products, Counts(NameOf(loop.axis))});
      if (*extent > 1 && !Along(NameOf(loop.axis), *extent)) return std::nullopt;
    }
    // What varies along one symbol by different rules at different others.
    for (IndexTable::Access& access : table_.accesses) {
      for (size_t a = 0; a < access.along.size(); ++a) {
        if (access.along[a].size() == 2) FindRuns(access, a);
        if (access.along[a].size() > 1) {
          FindDigits(access, a);
          access.mixed[a] = true;
        }
      }
    }
    return std::move(table_);
  }

 private:
  struct Loop {
    nests::Axis axis;
    bool reduced, products;
  };

  void AddAccess(nests::TensorId tensor, const ScalarNode* read) {
    IndexTable::Access access;
    access.tensor = tensor;
    const size_t rank = computation_.At(tensor).dims.size();
    access.along.resize(rank);
    access.mixed.resize(rank);
    access.runs.resize(rank);
    access.digits.resize(rank);
    if (read != nullptr) {
      numbers_[read] = table_.accesses.size();
      for (size_t a = 0; a < rank; ++a) access.mixed[a] = !read->at[a].data.IsNone();
    }
    table_.accesses.push_back(std::move(access));
  }

  static bool IsProduct(const Scalar& term) {
    if (term->kind == ScalarNode::kCast) return IsProduct(term->args[0]);
    return term->kind == ScalarNode::kCall && term->function == nests::Function::kMul;
  }

  // Reductions, and what is computed with positions.
  void Collect(const Scalar& scalar) {
    if (scalar->kind == ScalarNode::kReduce) {
      const bool products = scalar->reduction == nests::Reduction::kSum &&
                            std::all_of(scalar->args.begin(), scalar->args.end(), IsProduct);
      for (const nests::Axis& axis : scalar->axes) axes_.push_back({axis, true, products});
    }
    if (scalar->kind == ScalarNode::kIndex) counted_.push_back(scalar->index);
    for (const nests::Index& index : scalar->at) {
      if (!index.data.IsNone()) Collect(index.data);
    }
    for (const Scalar& arg : scalar->args) Collect(arg);
  }
  void CollectReads(const Scalar& scalar) {
    if (scalar->kind == ScalarNode::kRead && !numbers_.contains(&*scalar))
      AddAccess(scalar->tensor, &*scalar);
    for (const nests::Index& index : scalar->at) {
      if (!index.data.IsNone()) CollectReads(index.data);
    }
    for (const Scalar& arg : scalar->args) CollectReads(arg);
  }

  bool Counts(const std::string& symbol) const {
    return std::any_of(counted_.begin(), counted_.end(), [&](const Expr& e) {
      const std::vector<std::string> names = solver::SymbolsOf(e);
      return std::find(names.begin(), names.end(), symbol) != names.end();
    });
  }

  // A value for each symbol that is no axis: the least that its facts allow from some size on.
  bool ChooseSizes() {
    std::set<std::string> axes;
    for (const Loop& loop : axes_) {
      axes.insert(NameOf(loop.axis));
      base_[NameOf(loop.axis)] = 0;
    }
    std::vector<Expr> all;
    for (const Loop& loop : axes_) all.push_back(loop.axis.extent);
    for (const std::vector<nests::TensorInfo>* list :
         {&computation_.operands, &computation_.temps, &computation_.results}) {
      for (const nests::TensorInfo& info : *list) nests::Append(all, info.dims);
    }
    for (const Expr& e : nest_.at) all.push_back(e);
    CollectExprs(nest_.body, all);
    for (const Expr& e : all) {
      for (const std::string& name : solver::SymbolsOf(e)) {
        if (axes.contains(name) || base_.contains(name)) continue;
        const Expr symbol = SymbolIn(e, name);
        const solver::Range range = solver::RangeOf(symbol);
        const solver::Congruence steps = solver::CongruenceOf(symbol);
        constexpr int64_t kSmall = 8;
        int64_t size =
            std::clamp(kSmall, std::max<int64_t>(range.lo, 0), std::max<int64_t>(range.hi, 0));
        if (steps.stride > 1) {
          size += ((steps.residue - size) % steps.stride + steps.stride) % steps.stride;
          if (size > range.hi) size -= steps.stride;
        }
        base_[name] = size;
      }
    }
    return true;
  }
  static Expr SymbolIn(const Expr& e, const std::string& name) {
    const solver::View view(e);
    if (view.kind() == solver::ExprKind::kSymbol && view.symbol() == name) return e;
    for (size_t i = 0; i < view.size(); ++i) {
      const std::vector<std::string> names = solver::SymbolsOf(view.child(i));
      if (std::find(names.begin(), names.end(), name) != names.end())
        return SymbolIn(view.child(i), name);
    }
    return e;
  }
  static void CollectExprs(const Scalar& scalar, std::vector<Expr>& all) {
    if (scalar->kind == ScalarNode::kIndex || scalar->kind == ScalarNode::kChoose ||
        scalar->kind == ScalarNode::kWithin)
      all.push_back(scalar->index);
    for (const nests::Index& index : scalar->at) {
      all.push_back(index.expr);
      if (!index.data.IsNone()) CollectExprs(index.data, all);
    }
    for (const Scalar& arg : scalar->args) CollectExprs(arg, all);
  }

  // Indices at each value of one symbol, the others being `others`, and some of them `fixed`.
  using Indices = std::vector<std::vector<std::vector<int64_t>>>;  // [access][axis][value]
  using Fixed = std::vector<std::pair<std::string, int64_t>>;
  bool Sweep(const std::string& symbol, int64_t extent, int64_t others, Indices& indices,
             const Fixed& fixed = {}) {
    Assignment at = base_;
    for (const Loop& loop : axes_) {
      const absl::StatusOr<int64_t> size = solver::Evaluate(loop.axis.extent, base_);
      if (!size.ok()) return false;
      at[NameOf(loop.axis)] = std::min(others, std::max<int64_t>(0, *size - 1));
    }
    for (const auto& [name, value] : fixed) at[name] = value;
    indices.assign(table_.accesses.size(), {});
    for (size_t i = 0; i < indices.size(); ++i)
      indices[i].assign(table_.accesses[i].along.size(),
                        std::vector<int64_t>(static_cast<size_t>(extent), -1));
    for (int64_t v = 0; v < extent; ++v) {
      at[symbol] = v;
      for (size_t d = 0; d < nest_.at.size(); ++d) {
        const absl::StatusOr<int64_t> index = solver::Evaluate(nest_.at[d], at);
        if (!index.ok()) return false;
        indices[0][d][static_cast<size_t>(v)] = *index;
      }
      if (!Follow(nest_.body, at, static_cast<size_t>(v), indices)) return false;
    }
    return true;
  }

  bool Follow(const Scalar& scalar, const Assignment& at, size_t v, Indices& indices) {
    if (scalar->kind == ScalarNode::kChoose) {
      const absl::StatusOr<int64_t> holds = solver::Evaluate(scalar->index, at);
      return holds.ok() && Follow(scalar->args[*holds != 0 ? 0 : 1], at, v, indices);
    }
    if (scalar->kind == ScalarNode::kRead) {
      const nests::TensorInfo& info = computation_.At(scalar->tensor);
      std::vector<int64_t> here(scalar->at.size(), -1);
      for (size_t a = 0; a < scalar->at.size(); ++a) {
        if (!scalar->at[a].data.IsNone()) {
          if (!Follow(scalar->at[a].data, at, v, indices)) return false;
          continue;
        }
        const absl::StatusOr<int64_t> index = solver::Evaluate(scalar->at[a].expr, at);
        const absl::StatusOr<int64_t> size = solver::Evaluate(info.dims[a], base_);
        if (!index.ok() || !size.ok()) return false;
        // Outside along an axis: nothing is read there. Of sizes that are not known, it may be.
        if (*index >= 0 && *index < *size) here[a] = *index;
      }
      std::vector<std::vector<int64_t>>& axes = indices[numbers_.at(&*scalar)];
      for (size_t a = 0; a < here.size(); ++a) axes[a][v] = here[a];
    }
    for (const Scalar& arg : scalar->args) {
      if (!Follow(arg, at, v, indices)) return false;
    }
    return true;
  }

  bool Along(const std::string& symbol, int64_t extent) {
    Indices first, second;
    if (!Sweep(symbol, extent, 0, first) || !Sweep(symbol, extent, 1, second)) return false;
    for (size_t i = 0; i < first.size(); ++i) {
      for (size_t a = 0; a < first[i].size(); ++a) {
        const std::vector<int64_t>& values = first[i][a];
        const auto varies = [](const std::vector<int64_t>& list) {
          return std::any_of(list.begin(), list.end(), [&](int64_t x) { return x != list[0]; });
        };
        if (!varies(values) && !varies(second[i][a])) continue;
        if (values != second[i][a]) table_.accesses[i].mixed[a] = true;
        table_.accesses[i].along[a][symbol] = values;
      }
    }
    return true;
  }

  // Of the one of the two symbols at which they are such runs, if it is one.
  void FindRuns(IndexTable::Access& access, size_t axis) {
    const auto number = static_cast<size_t>(&access - table_.accesses.data());
    const std::map<std::string, std::vector<int64_t>>& along = access.along[axis];
    const auto& [first, of_first] = *along.begin();
    const auto& [second, of_second] = *along.rbegin();
    if (of_first.size() * of_second.size() > static_cast<size_t>(kMostPositions)) return;
    std::map<std::string, std::vector<IndexTable::Access::Run>> found;
    for (const auto& [major, minor, all, extent] :
         {std::tuple(first, second, of_first.size(), of_second.size()),
          std::tuple(second, first, of_second.size(), of_first.size())}) {
      std::vector<IndexTable::Access::Run> runs;
      for (size_t v = 0; v < all; ++v) {
        const Fixed fixed = {{major, static_cast<int64_t>(v)}};
        Indices here, elsewhere;
        if (!Sweep(minor, static_cast<int64_t>(extent), 0, here, fixed) ||
            !Sweep(minor, static_cast<int64_t>(extent), 1, elsewhere, fixed))
          return;
        const std::vector<int64_t>& values = here[number][axis];
        if (values != elsewhere[number][axis]) return;  // others matter too
        const IndexTable::Access::Run run(values.front(), values.back());
        bool whole = run.first >= 0;
        for (size_t k = 0; k < values.size(); ++k)
          whole = whole && values[k] == run.first + static_cast<int64_t>(k);
        if (!whole) break;
        runs.push_back(run);
      }
      if (runs.size() < all) continue;
      std::vector<IndexTable::Access::Run> ordered = runs;
      std::sort(ordered.begin(), ordered.end());
      ordered.erase(std::unique(ordered.begin(), ordered.end()), ordered.end());
      bool apart = true;
      for (size_t i = 1; i < ordered.size(); ++i)
        apart = apart && ordered[i - 1].second < ordered[i].first;
      if (apart) found.emplace(major, std::move(runs));
    }
    if (found.size() == 1) access.runs[axis] = std::move(found);
  }

  void FindDigits(IndexTable::Access& access, size_t axis) {
    const auto number = static_cast<size_t>(&access - table_.accesses.data());
    const std::map<std::string, std::vector<int64_t>>& along = access.along[axis];
    std::vector<std::string> symbols;
    for (const auto& [symbol, indices] : along) symbols.push_back(symbol);
    std::sort(symbols.begin(), symbols.end(), [&](const std::string& a, const std::string& b) {
      return along.at(a)[1] > along.at(b)[1];
    });
    int64_t step = 1;
    for (size_t i = symbols.size(); i-- > 0;) {
      const std::vector<int64_t>& indices = along.at(symbols[i]);
      for (size_t v = 0; v < indices.size(); ++v) {
        if (indices[v] != static_cast<int64_t>(v) * step) return;
      }
      step *= static_cast<int64_t>(indices.size());
      if (step > kMostPositions) return;
    }
    // Each entry in its turn, whatever the other symbols are.
    const std::string& last = symbols.back();
    const auto extent = static_cast<int64_t>(along.at(last).size());
    for (int64_t first = 0; first < step; first += extent) {
      Fixed fixed;
      int64_t rest = first / extent;
      for (size_t i = symbols.size() - 1; i-- > 0;) {
        const auto size = static_cast<int64_t>(along.at(symbols[i]).size());
        fixed.emplace_back(symbols[i], rest % size);
        rest /= size;
      }
      for (const int64_t others : {0, 1}) {
        Indices here;
        if (!Sweep(last, extent, others, here, fixed)) return;
        for (int64_t v = 0; v < extent; ++v) {
          if (here[number][axis][static_cast<size_t>(v)] != first + v) return;
        }
      }
    }
    access.digits[axis] = std::move(symbols);
  }

  const nests::Nest& nest_;
  const nests::Computation& computation_;
  IndexTable table_;
  std::vector<Loop> axes_;
  std::vector<Expr> counted_;
  std::map<const ScalarNode*, size_t> numbers_;
  Assignment base_;
};

}  // namespace

std::optional<IndexTable> TabulateIndices(const nests::Nest& nest,
                                          const nests::Computation& computation) {
  return Tabulator(nest, computation).Run();
}

}  // namespace tessera::compression
