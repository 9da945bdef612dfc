#include "targets/vulkan/program/shader_pattern.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "nests/library.h"
#include "targets/vulkan/program/precision.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

using nests::Expr;
using nests::Scalar;
using nests::ScalarNode;

Scalar WithoutCasts(Scalar scalar) {
  while (scalar->kind == ScalarNode::kCast) scalar = Scalar(scalar->args[0]);
  return scalar;
}

// The dims of operands, as symbols; empty: one cannot be declared.
std::vector<std::vector<Expr>> DimsOf(const ir::Shader& shader, solver::Context& context) {
  std::map<std::string_view, Expr> sizes;
  std::vector<std::vector<Expr>> dims;
  for (const ir::ShaderOperand& operand : shader.operands) {
    dims.emplace_back();
    for (std::string_view name : operand.dims) {
      if (sizes.count(name) == 0) {
        const auto size = context.Declare(std::string(name), {1, INT32_MAX}, {}, "dim");
        if (!size.ok()) return {};
        sizes.emplace(name, *size);
      }
      dims.back().push_back(sizes.at(name));
    }
  }
  return dims;
}

class PatternMaker {
 public:
  explicit PatternMaker(const ir::Shader& shader) : shader_(shader) {}

  std::unique_ptr<ShaderPattern> Run() {
    const nests::Definition* definition =
        nests::Library::Global().Find(shader_.dialect, shader_.op);
    if (definition == nullptr) return nullptr;
    pattern_->context = std::make_unique<solver::Context>();
    std::vector<ir::OperandInfo<Expr>> operands;
    const std::vector<std::vector<Expr>> dims = DimsOf(shader_, *pattern_->context);
    for (const std::vector<Expr>& of : dims) {
      ir::OperandInfo<Expr> info;
      info.present = true;
      info.dtype = ir::DType::kF32;
      info.dims = of;  // not its own
      operands.push_back(info);
    }
    if (operands.size() != shader_.operands.size()) return nullptr;
    const absl::StatusOr<nests::Computation> computation =
        nests::ComputationOf(*definition, {operands, {}}, *pattern_->context);
    if (!computation.ok() || computation->nests.empty() ||
        computation->nests.size() != computation->temps.size() + 1)
      return nullptr;
    pattern_->reads.resize(operands.size());
    pattern_->scratch.resize(computation->temps.size());
    const nests::Nest& last = computation->nests.back();
    if (last.target.kind != nests::TensorId::kResult) return nullptr;
    for (const nests::Axis& axis : last.axes) pattern_->extents.push_back(axis.extent);
    pattern_->result_axes = last.axes.size();
    // Those of scratch tensors first: statements below read them by their axes.
    for (const nests::Nest& nest : computation->nests) {
      const bool is_last = &nest == &last;
      const auto place = static_cast<size_t>(nest.target.index);
      ShaderPattern::Statement& statement = is_last ? pattern_->result : pattern_->scratch[place];
      statement.name = is_last ? std::string(shader_.result) : computation->temps[place].name;
      if (!Take(nest, statement)) return nullptr;
    }
    return pattern_->result.body->kind == ScalarNode::kReduce ? std::move(pattern_) : nullptr;
  }

 private:
  // The axis along which positions are as many; a new one.
  std::optional<size_t> Axis(const nests::Axis& axis) {
    std::vector<Expr>& extents = pattern_->extents;
    const auto found = std::find(extents.begin(), extents.end(), axis.extent);
    const auto place = static_cast<size_t>(found - extents.begin());
    if (found == extents.end()) extents.push_back(axis.extent);
    const auto [symbol, added] = axes_.emplace(axis.symbol.ToString(), place);
    return !added && symbol->second != place ? std::nullopt : std::optional<size_t>(place);
  }

  bool Take(const nests::Nest& nest, ShaderPattern::Statement& statement) {
    axes_.clear();
    if (nest.order.along >= 0) return false;
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      const std::optional<size_t> axis = Axis(nest.axes[d]);
      const std::vector<size_t>& before = statement.axes;
      if (!axis.has_value() || nest.at[d] != nest.axes[d].symbol ||
          std::find(before.begin(), before.end(), *axis) != before.end())
        return false;
      statement.axes.push_back(*axis);
    }
    statement.body = WithoutCasts(InSinglePrecision(nest.body));
    return IsPlain(statement.body);
  }

  bool IsPlain(const Scalar& scalar) {
    if (scalar->kind == ScalarNode::kReduce &&
        (scalar->axes.size() != 1 || !Axis(scalar->axes.front()).has_value()))
      return false;
    if (scalar->kind == ScalarNode::kRead && !NoteRead(*scalar)) return false;
    return std::all_of(scalar->args.begin(), scalar->args.end(),
                       [&](const Scalar& arg) { return IsPlain(arg); });
  }

  bool NoteRead(const ScalarNode& read) {
    std::vector<size_t> places;
    for (const nests::Index& index : read.at) {
      const auto axis = index.data.IsNone() ? axes_.find(index.expr.ToString()) : axes_.end();
      if (axis == axes_.end()) return false;
      places.push_back(axis->second);
    }
    const auto number = static_cast<size_t>(read.tensor.index);
    if (!read.args.empty() || read.tensor.kind == nests::TensorId::kResult) return false;
    if (read.tensor.kind == nests::TensorId::kTemp) return pattern_->scratch[number].axes == places;
    std::vector<size_t>& known = pattern_->reads[number];
    if (!known.empty() && known != places) return false;
    known = std::move(places);
    return true;
  }

  const ir::Shader& shader_;
  std::unique_ptr<ShaderPattern> pattern_ = std::make_unique<ShaderPattern>();
  std::map<std::string, size_t> axes_;  // of the statement, by symbol
};

}  // namespace

size_t ShaderPattern::AxisOf(const nests::Axis& axis) const {
  return static_cast<size_t>(std::find(extents.begin(), extents.end(), axis.extent) -
                             extents.begin());
}

const ShaderPattern* PatternOf(const ir::Shader& shader) {
  static std::mutex mutex;
  static auto* const patterns = new std::map<const ir::Shader*, std::unique_ptr<ShaderPattern>>();
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, fresh] = patterns->try_emplace(&shader);
  if (fresh) found->second = PatternMaker(shader).Run();
  return found->second.get();
}

}  // namespace tessera::vulkan
