#include "targets/vulkan/program/row_memory.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/rows.h"

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

// An element of a tensor by the axes of the last nest.
struct Element {
  int tensor = 0;
  std::vector<Expr> at;
  friend bool operator==(const Element&, const Element&) = default;
};

// The one reduction of a row that a scalar has; null: none, or several.
const ScalarNode* ReductionOf(const Scalar& scalar) {
  const ScalarNode* found = nullptr;
  int count = 0;
  EachReduction(scalar, [&](const Scalar& reduction, int depth) {
    if (depth > 0) return;
    found = &*reduction;
    ++count;
  });
  return count == 1 ? found : nullptr;
}

// Reads that every point does: of what is read under a condition nobody says that it lies inside.
void EachReadAlways(const Scalar& scalar,
                    const std::function<void(const ScalarNode& read)>& visit) {
  if (scalar->kind == ScalarNode::kChoose) return;
  if (scalar->kind == ScalarNode::kRead) visit(*scalar);
  for (const Scalar& arg : scalar->args) EachReadAlways(arg, visit);
}

class Keeping {
 public:
  Keeping(Stage& stage, const Program& program)
      : stage_(stage), program_(program), axes_(RowAxesOf(stage)) {}

  void Run(int64_t floats) {
    const std::optional<int64_t> elements = MostPoints(axes_.others);
    if (!elements.has_value() || *elements == 0) return;
    for (const nests::Nest& nest : stage_.nests) names_.push_back(NamesIn(nest));
    std::vector<Element> read;  // by any nest, once for each
    for (size_t n = 0; n < stage_.nests.size(); ++n) {
      const int64_t begin = static_cast<int64_t>(read.size());
      EachReadAlways(stage_.nests[n].body, [&](const ScalarNode& node) {
        const auto element = ElementOf(node, n);
        if (element.has_value() &&
            std::find(read.begin() + begin, read.end(), *element) == read.end())
          read.push_back(*element);
      });
    }
    std::vector<nests::Nest> before;
    for (const Element& element : read) {
      if (*elements > floats || std::count(read.begin(), read.end(), element) < 2 ||
          std::find(kept_.begin(), kept_.end(), element) != kept_.end())
        continue;
      before.push_back(Kept(element));
      kept_.push_back(element);
      floats -= *elements;
    }
    if (kept_.empty()) return;
    for (size_t n = 0; n < stage_.nests.size(); ++n) ReadKept(n);
    before.insert(before.end(), std::make_move_iterator(stage_.nests.begin()),
                  std::make_move_iterator(stage_.nests.end()));
    stage_.nests = std::move(before);
  }

 private:
  // What the axes of a nest are called in the last one, those of one position being 0; nothing: it
  // goes along no whole row.
  std::optional<Substitution> NamesIn(const nests::Nest& nest) const {
    Substitution names;
    if (&nest == &stage_.nests.back()) {
      for (const nests::Axis& axis : axes_.others) {
        if (axis.extent == Expr(1)) names.emplace(Name(axis), 0);
      }
      return names;
    }
    const ScalarNode* const reduction = ReductionOf(nest.body);
    if (reduction == nullptr) return std::nullopt;
    const std::vector<nests::Axis> along = Long(axes_.others), own = Long(reduction->axes);
    if (own.size() != along.size()) return std::nullopt;
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i].extent != along[i].extent) return std::nullopt;
      names.emplace(Name(own[i]), along[i].symbol);
    }
    for (const nests::Axis& axis : reduction->axes) names.try_emplace(Name(axis), 0);
    for (size_t i = 0; i < axes_.rows.size(); ++i)
      names.emplace(Name(nest.axes[i]), axes_.rows[i].symbol);
    return names;
  }
  static std::vector<nests::Axis> Long(std::vector<nests::Axis> axes) {
    std::erase_if(axes, [](const nests::Axis& axis) { return axis.extent == Expr(1); });
    return axes;
  }
  static std::string Name(const nests::Axis& axis) {
    return std::string(solver::View(axis.symbol).symbol());
  }

  // Nothing: it is none of the row's elements, or they are no floats.
  std::optional<Element> ElementOf(const ScalarNode& node, size_t nest) const {
    const Tensor& tensor = program_.tensors[static_cast<size_t>(node.tensor.index)];
    if (!names_[nest].has_value() || node.number != nests::Number::kF32 || !node.args.empty() ||
        tensor.kind == Tensor::kWithin || tensor.kind == Tensor::kSizes)
      return std::nullopt;
    Element element{node.tensor.index, {}};
    std::vector<std::string> symbols;
    for (const nests::Index& index : node.at) {
      if (!index.data.IsNone()) return std::nullopt;
      element.at.push_back(solver::Substitute(index.expr, *names_[nest]));
      for (const std::string& name : solver::SymbolsOf(element.at.back())) symbols.push_back(name);
    }
    const bool varies =
        std::all_of(axes_.others.begin(), axes_.others.end(), [&](const nests::Axis& axis) {
          return axis.extent == Expr(1) ||
                 std::find(symbols.begin(), symbols.end(), Name(axis)) != symbols.end();
        });
    return varies ? std::optional(std::move(element)) : std::nullopt;
  }

  // The nest that reads it once.
  nests::Nest Kept(const Element& element) {
    Stage::Rows& rows = *stage_.rows;
    if (rows.kept.empty()) rows.first_kept = static_cast<int>(program_.tensors.size());
    nests::Nest nest;
    nest.axes = axes_.rows;
    nest.axes.insert(nest.axes.end(), axes_.others.begin(), axes_.others.end());
    nest.target = InProgram(rows.first_kept + static_cast<int>(rows.kept.size()));
    std::vector<nests::Index> at;
    for (const Expr& e : element.at) at.emplace_back(e);
    nest.body = Scalar::Read(InProgram(element.tensor), nests::Number::kF32, std::move(at), {});
    Tensor tensor;
    tensor.kind = Tensor::kWithin;
    tensor.name =
        absl::StrCat(program_.tensors[static_cast<size_t>(element.tensor)].name, " (of a row)");
    for (const nests::Axis& axis : axes_.others) {
      nest.at.push_back(axis.symbol);
      tensor.dims.push_back(axis.extent);
    }
    rows.kept.push_back(std::move(tensor));
    return nest;
  }

  void ReadKept(size_t n) {
    nests::Nest& nest = stage_.nests[n];
    const ScalarNode* const reduction = ReductionOf(nest.body);
    size_t next = 0;
    // Where the nest is in the row, by the row's axes.
    std::vector<Expr> along;
    const std::vector<nests::Axis> own = n + 1 == stage_.nests.size() || reduction == nullptr
                                             ? Long(axes_.others)
                                             : Long(reduction->axes);
    for (const nests::Axis& axis : axes_.others)
      along.push_back(axis.extent == Expr(1) || next == own.size() ? Expr(0) : own[next++].symbol);
    Rewrite rewrite;
    rewrite.read = [&](const ScalarNode& node, std::vector<nests::Index> at, Scalar otherwise) {
      const auto element = ElementOf(node, n);
      const auto kept =
          element.has_value() ? std::find(kept_.begin(), kept_.end(), *element) : kept_.end();
      if (kept == kept_.end())
        return Scalar::Read(node.tensor, node.number, std::move(at), std::move(otherwise));
      std::vector<nests::Index> place;
      for (const Expr& e : along) place.emplace_back(e);
      return Scalar::Read(
          InProgram(stage_.rows->first_kept + static_cast<int>(kept - kept_.begin())), node.number,
          std::move(place), {});
    };
    nest.body = Rewritten(nest.body, rewrite);
  }

  Stage& stage_;
  const Program& program_;
  const RowAxes axes_;
  std::vector<std::optional<Substitution>> names_;  // by nest
  std::vector<Element> kept_;
};

}  // namespace

std::optional<int64_t> MostPoints(const std::vector<nests::Axis>& axes) {
  int64_t most = 1;
  for (const nests::Axis& axis : axes) {
    const solver::Range range = solver::RangeOf(axis.extent);
    if (__builtin_mul_overflow(most, range.hi, &most)) return std::nullopt;
  }
  return most;
}

void KeepRows(Stage& stage, const Program& program, int64_t floats) {
  Keeping(stage, program).Run(floats);
}

}  // namespace tessera::vulkan
