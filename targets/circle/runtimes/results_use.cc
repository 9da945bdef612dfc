#include "targets/circle/runtimes/results_use.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "targets/circle/file/result_sizes.h"

namespace tessera::circle {
namespace {

// Tensors whose sizes follow from computed shapes, positions or numbers.
std::vector<bool> LateTensors(const FileModel& model) {
  const FileGraph& main = model.main();
  std::vector<bool> late(main.tensors.size(), false);
  FileUses uses(model, main);
  for (const FileOperator& op : main.operators) {
    const bool follows = std::any_of(op.inputs.begin(), op.inputs.end(), [&](int32_t input) {
      return input >= 0 && late[static_cast<size_t>(input)];
    });
    if (!follows && uses.Of(op).forms.count(kComputed) == 0) continue;
    for (const int32_t output : op.outputs) late[static_cast<size_t>(output)] = true;
  }
  return late;
}

}  // namespace

Use UseOfResults(const FileModel& model) {
  const FileGraph& main = model.main();
  Use use;
  use.op = kResults;
  use.types = kAnyTypes;
  const auto is_float = [&](int32_t index) {
    return main.tensors[static_cast<size_t>(index)].type == ::circle::TensorType_FLOAT32;
  };
  const auto is_unknown = [&](int32_t index) {
    return SaysUnknownSize(main.tensors[static_cast<size_t>(index)]);
  };
  if (std::any_of(main.inputs.begin(), main.inputs.end(), is_float) ||
      std::any_of(main.outputs.begin(), main.outputs.end(), is_float) ||
      std::none_of(main.outputs.begin(), main.outputs.end(), is_unknown))
    return use;
  const std::vector<bool> late = LateTensors(model);
  if (std::any_of(main.outputs.begin(), main.outputs.end(), [&](int32_t output) {
        return is_unknown(output) && late[static_cast<size_t>(output)];
      }))
    use.forms.insert(kLateIntegers);
  return use;
}

}  // namespace tessera::circle
