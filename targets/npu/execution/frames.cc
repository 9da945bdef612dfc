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

// Entries of the inputs that have frames.
absl::StatusOr<int64_t> EntryCount(const Bundle& bundle, absl::Span<const ir::Tensor> inputs) {
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
                                                     " entries of `", bundle.frames,
                                                     "`, an input before it ", *count));
    count = size;
  }
  if (count.value_or(0) < 1)
    return absl::InvalidArgumentError(absl::StrCat("no entry of `", bundle.frames, "`"));
  return *count;
}

}  // namespace

absl::StatusOr<ir::Tensor> FrameOf(const ir::Tensor& tensor, int axis, int64_t at, int64_t count) {
  std::vector<int64_t> shape = tensor.shape();
  const Strides strides = StridesOf(shape, axis);
  const int64_t all = shape[static_cast<size_t>(axis)];
  const auto entry = static_cast<size_t>(strides.behind) * ir::SizeOf(tensor.dtype());
  const int64_t there = std::clamp<int64_t>(all - at, 0, count);
  shape[static_cast<size_t>(axis)] = count;
  absl::StatusOr<ir::Tensor> frame = ir::Tensor::Allocate(tensor.dtype(), std::move(shape));
  if (!frame.ok()) return frame;
  uint8_t* to = frame->mutable_data<uint8_t>();
  for (int64_t i = 0; i < strides.before; ++i) {
    const auto part =
        tensor.bytes().subspan(static_cast<size_t>(i * all + std::min(at, all)) * entry,
                               static_cast<size_t>(there) * entry);
    to = std::copy(part.begin(), part.end(), to);
    for (int64_t k = there; k < count; ++k) {
      const auto last =
          tensor.bytes().subspan(static_cast<size_t>((i + 1) * all - 1) * entry, entry);
      to = std::copy(last.begin(), last.end(), to);
    }
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

namespace {

// Of `entries` of the inputs, how many entries a value has.
int64_t CountOf(const FramedValue& framed, int64_t entries) {
  const int64_t sum = entries + framed.offset;
  return sum < 0 ? 0 : sum / framed.stride;
}

// What the network yields of an output: `frames` behind those that were before this run, for
// `entries` of the inputs in all. `like` is one of the frames.
absl::StatusOr<ir::Tensor> Collected(const FramedValue& framed, absl::Span<const ir::Tensor> frames,
                                     const ir::Tensor& like, int64_t frames_before,
                                     int64_t entries) {
  if (framed.axis >= like.rank() ||
      like.shape()[static_cast<size_t>(framed.axis)] != framed.entries)
    return absl::InvalidArgumentError(absl::StrCat(
        "output `", framed.name, "` is [", absl::StrJoin(like.shape(), ","),
        "] in a frame, which has ", framed.entries, " entries along axis ", framed.axis));
  if (frames.empty()) return FrameOf(like, framed.axis, 0, 0);
  absl::StatusOr<ir::Tensor> all = Joined(frames, framed.axis);
  if (!all.ok()) return all;
  // Entries of the stream, then of this run.
  const int64_t there = all->shape()[static_cast<size_t>(framed.axis)];
  const int64_t before = frames_before * framed.entries;
  const int64_t begin = std::clamp<int64_t>(framed.delay - before, 0, there);
  const int64_t end =
      std::clamp<int64_t>(CountOf(framed, entries) + framed.delay - before, begin, there);
  return FrameOf(*all, framed.axis, begin, end - begin);
}

// Of the entries of a gate's windows, how many lie within a stream of `entries`, if that is known.
int64_t CountWithin(const Gate& gate, int64_t entry, std::optional<int64_t> entries) {
  const GateWindow& window = gate.window;
  FramedValue from = gate.value;
  from.stride /= window.stride;
  from.offset -= from.stride * (window.before + window.after - window.size + window.stride);
  const int64_t begin = entry * window.stride - window.before;
  int64_t end = begin + window.size;
  if (entries.has_value()) end = std::min(end, CountOf(from, *entries));
  return std::max<int64_t>(end - std::max<int64_t>(begin, 0), 0);
}

// The numbers of frame `at`. `entries` is that of the inputs where the stream ends.
absl::StatusOr<ir::Tensor> GateOf(const Gate& gate, int64_t at, std::optional<int64_t> entries) {
  absl::StatusOr<ir::Tensor> made = ir::Tensor::Allocate(ir::DType::kF32, gate.shape);
  if (!made.ok()) return made;
  const Strides strides = StridesOf(gate.shape, gate.value.axis);
  const int64_t first = at * gate.value.entries - gate.value.delay;
  // Those of the frame that exist, and all so far.
  int64_t end = first + gate.value.entries;
  if (entries.has_value()) end = std::min(end, CountOf(gate.value, *entries));
  const int64_t all = std::max<int64_t>(end, 0);
  const int64_t own = std::max<int64_t>(end - std::max<int64_t>(first, 0), 0);
  const auto number = [&](int64_t entry) {
    const bool exists = entry >= 0 && entry < end;
    switch (gate.kind) {
      case GateKind::kExists:
        return exists ? 1.0f : 0.0f;
      case GateKind::kShareOfFrame:
        return exists ? 1.0f / static_cast<float>(own) : 0.0f;
      case GateKind::kFrameOfAll:
        return own > 0 ? static_cast<float>(own) / static_cast<float>(all) : 0.0f;
      case GateKind::kFirst:
        return exists && entry == 0 ? 1.0f : 0.0f;
      case GateKind::kSizeByThere:
        return exists
                   ? static_cast<float>(gate.window.size) /
                         static_cast<float>(std::max<int64_t>(CountWithin(gate, entry, entries), 1))
                   : 0.0f;
    }
    return 0.0f;
  };
  float* to = made->mutable_data<float>();
  for (int64_t i = 0; i < made->size(); ++i)
    to[i] = number(first + i / strides.behind % gate.shape[static_cast<size_t>(gate.value.axis)]);
  return made;
}

// Frames until every entry of every output has come.
int64_t FramesFor(const Bundle& bundle, int64_t entries) {
  int64_t frames = 0;
  for (const FramedValue& output : bundle.frame_outputs) {
    const int64_t last = CountOf(output, entries) + output.delay;
    frames = std::max(frames, (last + output.entries - 1) / output.entries);
  }
  return frames;
}

absl::Status CutFrame(const Bundle& bundle, absl::Span<const ir::Tensor> inputs, int64_t at,
                      NamedValues& values) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = bundle.inputs[i].name;
    const FramedValue* framed = bundle.frames.empty() ? nullptr : Find(bundle.frame_inputs, name);
    absl::StatusOr<ir::Tensor> value =
        framed == nullptr ? inputs[i]
                          : FrameOf(inputs[i], framed->axis, at * framed->entries, framed->entries);
    if (!value.ok()) return value.status();
    values[name] = *std::move(value);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ir::Tensor>> ForEachFrame(
    const Bundle& bundle, absl::Span<const ir::Tensor> inputs, StreamPosition& position,
    StreamEnd end, absl::FunctionRef<absl::Status(NamedValues&)> frame) {
  const bool none = end == StreamEnd::kLast && inputs.empty() && !bundle.frames.empty() &&
                    !position.outputs.empty();
  int64_t entries = 0;  // of this run
  if (!none) {
    if (absl::Status status = CheckInputs(bundle, inputs); !status.ok()) return status;
    const absl::StatusOr<int64_t> found = EntryCount(bundle, inputs);
    if (!found.ok()) return found.status();
    entries = *found;
  }
  const int64_t each = bundle.frames.empty() ? 1 : bundle.frame_inputs[0].entries;
  const int64_t full = (entries + each - 1) / each, all = position.frames * each + entries;
  const bool ends = end == StreamEnd::kLast || entries % each != 0;
  const int64_t count =
      ends && all > 0 ? std::max(full, FramesFor(bundle, all) - position.frames) : full;
  std::vector<std::vector<ir::Tensor>> collected(bundle.outputs.size());
  for (int64_t at = 0; at < count; ++at) {
    // Behind the end what comes in means nothing.
    NamedValues values = position.inputs;
    if (at < full) {
      if (absl::Status status = CutFrame(bundle, inputs, at, values); !status.ok()) return status;
      position.inputs = values;
    }
    for (const Gate& gate : bundle.gates) {
      absl::StatusOr<ir::Tensor> value =
          GateOf(gate, position.frames + at, ends ? std::optional<int64_t>(all) : std::nullopt);
      if (!value.ok()) return value.status();
      values[gate.value.name] = *std::move(value);
    }
    if (absl::Status status = frame(values); !status.ok()) return status;
    position.outputs.resize(bundle.outputs.size());
    for (size_t i = 0; i < bundle.outputs.size(); ++i) {
      const auto found = values.find(bundle.outputs[i].name);
      if (found == values.end())
        return absl::InvalidArgumentError(
            absl::StrCat("no stage yields the output `", bundle.outputs[i].name, "`"));
      // Without frames it is what the last entries leave.
      if (at < full || Find(bundle.frame_outputs, bundle.outputs[i].name) != nullptr)
        position.outputs[i] = found->second;
      collected[i].push_back(found->second);
    }
  }
  std::vector<ir::Tensor> outputs;
  for (size_t i = 0; i < collected.size(); ++i) {
    const FramedValue* framed =
        bundle.frames.empty() ? nullptr : Find(bundle.frame_outputs, bundle.outputs[i].name);
    absl::StatusOr<ir::Tensor> output =
        framed == nullptr || framed->axis < 0
            ? position.outputs[i]
            : Collected(*framed, collected[i], position.outputs[i], position.frames, all);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
  position.frames += count;
  // What outputs look like is known from there on.
  if (ends) position = {0, {}, std::move(position.outputs)};
  return outputs;
}

}  // namespace tessera::npu
