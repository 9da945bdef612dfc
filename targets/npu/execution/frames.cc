#include "targets/npu/execution/frames.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::npu {
namespace {

// How many entries there are before and behind an axis.
struct Strides {
  int64_t before = 1, behind = 1;
};

Strides StridesOf(const std::vector<int64_t>& shape, int axis) {
  Strides strides;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (static_cast<int>(d) < axis) strides.before *= shape[d];
    if (static_cast<int>(d) > axis) strides.behind *= shape[d];
  }
  return strides;
}

const FramedValue* Find(const std::vector<FramedValue>& list, const std::string& name) {
  for (const FramedValue& framed : list) {
    if (framed.name == name) return &framed;
  }
  return nullptr;
}

absl::Status CheckInputs(const Bundle& bundle, absl::Span<const ir::Tensor> inputs) {
  if (inputs.size() != bundle.inputs.size())
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs; the network has ", bundle.inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NetworkPort& port = bundle.inputs[i];
    bool same = inputs[i].dtype() == port.dtype && inputs[i].shape().size() == port.dims.size();
    for (size_t d = 0; same && d < port.dims.size(); ++d)
      same = port.dims[d] < 0 || port.dims[d] == inputs[i].shape()[d];
    if (!same)
      return absl::InvalidArgumentError(absl::StrCat(
          "input `", port.name, "` is ", std::string(ir::NameOf(inputs[i].dtype())), "[",
          absl::StrJoin(inputs[i].shape(), ","), "]; the network takes ",
          std::string(ir::NameOf(port.dtype)), "[", absl::StrJoin(port.dims, ","), "]"));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> FrameCount(const Bundle& bundle, absl::Span<const ir::Tensor> inputs) {
  if (bundle.frames.empty()) return 1;
  std::optional<int64_t> count;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const FramedValue* framed = Find(bundle.frame_inputs, bundle.inputs[i].name);
    if (framed == nullptr) continue;
    if (framed->axis < 0 || framed->axis >= inputs[i].rank())
      return absl::InvalidArgumentError(
          absl::StrCat("input `", framed->name, "` has no axis ", framed->axis));
    const int64_t size = inputs[i].shape()[static_cast<size_t>(framed->axis)];
    if (count.has_value() && *count != size)
      return absl::InvalidArgumentError(absl::StrCat("input `", framed->name, "` has ", size,
                                                     " frames of `", bundle.frames,
                                                     "`, an input before it ", *count));
    count = size;
  }
  if (count.value_or(0) < 1)
    return absl::InvalidArgumentError(absl::StrCat("no frame of `", bundle.frames, "`"));
  return *count;
}

}  // namespace

absl::StatusOr<ir::Tensor> FrameOf(const ir::Tensor& tensor, int axis, int64_t at) {
  std::vector<int64_t> shape = tensor.shape();
  const Strides strides = StridesOf(shape, axis);
  const auto run = static_cast<size_t>(strides.behind) * ir::SizeOf(tensor.dtype());
  const size_t row = run * static_cast<size_t>(shape[static_cast<size_t>(axis)]);
  shape[static_cast<size_t>(axis)] = 1;
  absl::StatusOr<ir::Tensor> frame = ir::Tensor::Allocate(tensor.dtype(), std::move(shape));
  if (!frame.ok()) return frame;
  uint8_t* to = frame->mutable_data<uint8_t>();
  for (int64_t i = 0; i < strides.before; ++i) {
    const auto part =
        tensor.bytes().subspan(static_cast<size_t>(i) * row + static_cast<size_t>(at) * run, run);
    to = std::copy(part.begin(), part.end(), to);
  }
  return frame;
}

absl::StatusOr<ir::Tensor> Joined(absl::Span<const ir::Tensor> frames, int axis) {
  if (frames.empty()) return absl::InvalidArgumentError("no frames");
  std::vector<int64_t> shape = frames[0].shape();
  if (axis < 0 || axis >= frames[0].rank())
    return absl::InvalidArgumentError(absl::StrCat("no axis ", axis, " to put frames along"));
  const Strides strides = StridesOf(shape, axis);
  for (size_t i = 1; i < frames.size(); ++i) {
    if (frames[i].shape() != frames[0].shape() || frames[i].dtype() != frames[0].dtype())
      return absl::InternalError("frames of different shapes");
  }
  shape[static_cast<size_t>(axis)] *= static_cast<int64_t>(frames.size());
  absl::StatusOr<ir::Tensor> all = ir::Tensor::Allocate(frames[0].dtype(), std::move(shape));
  if (!all.ok()) return all;
  uint8_t* to = all->mutable_data<uint8_t>();
  const size_t run =
      frames[0].bytes().size() / static_cast<size_t>(std::max<int64_t>(strides.before, 1));
  for (int64_t i = 0; i < strides.before; ++i) {
    for (const ir::Tensor& frame : frames) {
      const auto part = frame.bytes().subspan(static_cast<size_t>(i) * run, run);
      to = std::copy(part.begin(), part.end(), to);
    }
  }
  return all;
}

absl::StatusOr<std::vector<ir::Tensor>> ForEachFrame(
    const Bundle& bundle, absl::Span<const ir::Tensor> inputs,
    absl::FunctionRef<absl::Status(NamedValues&)> frame) {
  if (absl::Status status = CheckInputs(bundle, inputs); !status.ok()) return status;
  const absl::StatusOr<int64_t> count = FrameCount(bundle, inputs);
  if (!count.ok()) return count.status();
  std::vector<std::vector<ir::Tensor>> collected(bundle.outputs.size());
  for (int64_t at = 0; at < *count; ++at) {
    NamedValues values;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string& name = bundle.inputs[i].name;
      const FramedValue* framed = bundle.frames.empty() ? nullptr : Find(bundle.frame_inputs, name);
      absl::StatusOr<ir::Tensor> value =
          framed == nullptr ? inputs[i] : FrameOf(inputs[i], framed->axis, at);
      if (!value.ok()) return value.status();
      values[name] = *std::move(value);
    }
    if (absl::Status status = frame(values); !status.ok()) return status;
    for (size_t i = 0; i < bundle.outputs.size(); ++i) {
      const auto found = values.find(bundle.outputs[i].name);
      if (found == values.end())
        return absl::InvalidArgumentError(
            absl::StrCat("no stage yields the output `", bundle.outputs[i].name, "`"));
      collected[i].push_back(found->second);
    }
  }
  std::vector<ir::Tensor> outputs;
  for (size_t i = 0; i < collected.size(); ++i) {
    const FramedValue* framed =
        bundle.frames.empty() ? nullptr : Find(bundle.frame_outputs, bundle.outputs[i].name);
    absl::StatusOr<ir::Tensor> output =
        framed == nullptr ? collected[i].back() : Joined(collected[i], framed->axis);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace tessera::npu
