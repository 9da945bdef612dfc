#include "targets/vulkan/program/half.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

constexpr int64_t kFew = 256;  // constants of no more elements are no traffic
// The largest number of f16, and the least that has all its bits.
constexpr float kLargest = 65504, kNormal = 6.103515625e-5f;

// Beside its largest element what f16 rounds or drops is small.
bool Holds(const ir::Tensor& tensor) {
  float most = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const float size = std::fabs(tensor.data<float>()[i]);
    if (!(size <= kLargest)) return false;  // NaN neither
    most = std::max(most, size);
  }
  return most == 0 || most >= 16 * kNormal;
}

bool Mentions(const Expr& e, const std::vector<nests::Axis>& axes) {
  const std::vector<std::string> symbols = solver::SymbolsOf(e);
  return std::any_of(axes.begin(), axes.end(), [&](const nests::Axis& axis) {
    return std::find(symbols.begin(), symbols.end(), axis.symbol.ToString()) != symbols.end();
  });
}

// Reductions of whole rows: what is read varies with each axis of the result, and no index goes
// along one of these and of the reduction at once, as those of windows do. Of rows of any length
// there is one number each.
bool ReducesRows(const nests::Nest& nest, const nests::Scalar& scalar,
                 const std::vector<nests::Axis>& around, const Program& program) {
  std::vector<nests::Axis> reduced = around;
  reduced.insert(reduced.end(), scalar->axes.begin(), scalar->axes.end());
  if (scalar->kind == nests::ScalarNode::kRead && !reduced.empty() &&
      program.tensors[static_cast<size_t>(scalar->tensor.index)].kind != Tensor::kConstant) {
    for (const nests::Index& index : scalar->at) {
      if (!index.data.IsNone() ||
          (Mentions(index.expr, nest.axes) && Mentions(index.expr, reduced)))
        return false;
    }
    for (const nests::Axis& axis : nest.axes) {
      const bool varies = std::any_of(scalar->at.begin(), scalar->at.end(), [&](const auto& index) {
        return Mentions(index.expr, {axis});
      });
      if (!varies && axis.extent != Expr(1)) return false;
    }
  }
  return std::all_of(scalar->args.begin(), scalar->args.end(), [&](const nests::Scalar& arg) {
    return ReducesRows(nest, arg, reduced, program);
  });
}

// What is read to say where something else is read.
void EachPlace(const nests::Scalar& scalar, const std::function<void(int tensor)>& visit) {
  for (const nests::Index& index : scalar->at) {
    if (!index.data.IsNone())
      EachRead(index.data, [&](const nests::ScalarNode& read, int) { visit(read.tensor.index); });
  }
  for (const nests::Scalar& arg : scalar->args) EachPlace(arg, visit);
}

// Whether all that `condition` reads is read by both of what it chooses from: an activation, of
// which either side is near the other where the numbers that it looks at are near the border.
bool ChoosesBetweenItsOwn(const nests::Scalar& condition, const nests::ScalarNode& choice) {
  const auto tensors = [](const nests::Scalar& scalar) {
    std::set<int> read;
    EachRead(scalar, [&](const nests::ScalarNode& node, int) { read.insert(node.tensor.index); });
    return read;
  };
  const std::set<int> judged = tensors(condition), first = tensors(choice.args[1]),
                      second = tensors(choice.args[2]);
  return std::includes(first.begin(), first.end(), judged.begin(), judged.end()) &&
         std::includes(second.begin(), second.end(), judged.begin(), judged.end());
}

// What is read to say whether something holds of numbers, or to make integers or truth values of
// them.
void EachJudged(const nests::Scalar& scalar, const std::function<void(int tensor)>& visit) {
  using nests::Function;
  using nests::ScalarNode;
  const bool calls = scalar->kind == ScalarNode::kCall;
  const bool compares =
      calls && ((scalar->function >= Function::kEq && scalar->function <= Function::kNot) ||
                (scalar->function >= Function::kIsInf && scalar->function <= Function::kIsNegInf));
  const bool converts =
      (scalar->kind == ScalarNode::kCast || scalar->kind == ScalarNode::kWithin) &&
      !nests::IsFloat(scalar->number);
  const bool selects = calls && scalar->function == Function::kSelect;
  for (size_t i = 0; i < scalar->args.size(); ++i) {
    const nests::Scalar& arg = scalar->args[i];
    if (nests::IsFloat(arg->number) && (compares || converts || (selects && i == 0)))
      EachRead(arg, [&](const ScalarNode& read, int) { visit(read.tensor.index); });
    if (!(selects && i == 0 && ChoosesBetweenItsOwn(arg, *scalar))) EachJudged(arg, visit);
  }
}

// Tensors whose last bits decide more than a value: which of several is the greatest, where
// something is read, what is divided by. They are small, or there is no other way.
std::vector<int> Decisive(const Program& program) {
  std::vector<int> found;
  std::vector<bool> of_rows(program.tensors.size(), false);
  for (const Stage& stage : program.stages) {
    for (const nests::Nest& nest : stage.nests) {
      const size_t target = static_cast<size_t>(program.StorageOf(nest.target.index));
      bool reduces = false, others = false, rows = false;
      EachRead(nest.body, [&](const nests::ScalarNode& read, int depth) {
        const size_t storage = static_cast<size_t>(program.StorageOf(read.tensor.index));
        reduces |= depth > 0;
        rows |= of_rows[storage];
        others |= !of_rows[storage] && program.tensors[storage].kind == Tensor::kComputed;
        others |= program.tensors[storage].kind == Tensor::kInput;
        if (!ir::IsFloat(program.tensors[target].dtype)) found.push_back(read.tensor.index);
      });
      EachPlace(nest.body, [&](int tensor) { found.push_back(tensor); });
      EachJudged(nest.body, [&](int tensor) { found.push_back(tensor); });
      // And what is made of such numbers alone.
      if (reduces ? ReducesRows(nest, nest.body, {}, program) : rows && !others) {
        of_rows[target] = true;
        found.push_back(nest.target.index);
      }
    }
  }
  return found;
}

}  // namespace

void StoreInHalf(Program& program) {
  program.half = true;
  std::vector<bool> wide(program.tensors.size(), false);
  const auto keep = [&](int tensor) {
    wide[static_cast<size_t>(program.StorageOf(tensor))] = true;
  };
  for (int input : program.inputs) keep(input);
  for (int output : program.outputs) keep(output);
  for (int tensor : Decisive(program)) keep(tensor);
  for (const Stage& stage : program.stages) {
    if (!stage.IsRecurrence()) continue;
    for (const nests::Nest& nest : stage.nests) keep(nest.target.index);
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    Tensor& tensor = program.tensors[i];
    if (tensor.dtype != ir::DType::kF32) wide[i] = true;
    if (wide[i] || tensor.kind == Tensor::kView) continue;
    if (tensor.kind == Tensor::kConstant) {
      if (tensor.constant->size() <= kFew || !Holds(*tensor.constant)) {
        wide[i] = true;
        continue;
      }
      tensor.constant = tensor.constant->CastTo(ir::DType::kF16);
    }
    tensor.dtype = ir::DType::kF16;
  }
  for (size_t i = 0; i < program.tensors.size(); ++i) {
    Tensor& tensor = program.tensors[i];
    if (tensor.kind == Tensor::kView)
      tensor.dtype =
          program.tensors[static_cast<size_t>(program.StorageOf(static_cast<int>(i)))].dtype;
  }
}

}  // namespace tessera::vulkan
