// KeptBoxes without the table of what any two boxes share.
#ifndef TESSERA_OPS_DEFS_KEPT_BOXES_KERNEL_H_
#define TESSERA_OPS_DEFS_KEPT_BOXES_KERNEL_H_

#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/kernel_io.h"
#include "ir/op_info.h"

namespace tessera::ops {

template <class T, class Shape>
absl::Status KeptBoxesIn(const Shape& s, const ir::KernelArgs& args) {
  kernels::KernelIo io(args);
  const T* boxes = io.template Read<T>(0);
  const uint8_t* admitted = args.inputs[1]->template data<uint8_t>();
  const int64_t most = args.inputs[2]->template data<int64_t>()[0];
  const T* overlap = io.template Read<T>(3);
  uint8_t* kept = args.outputs[0].template mutable_data<uint8_t>();
  if (!io.status().ok()) return io.status();
  const auto common = [](T a, T b, T c, T d) {
    using kernels::Max, kernels::Min;
    return Max(Min(Max(a, b), Max(c, d)) - Max(Min(a, b), Min(c, d)), T(0));
  };
  const auto area = [](const T* box) { return std::abs((box[2] - box[0]) * (box[3] - box[1])); };
  std::vector<const T*> chosen;
  for (int64_t row = 0; row < s.B * s.C; ++row) {
    chosen.clear();
    for (int64_t t = 0; t < s.N; ++t) {
      const T* box = boxes + (row * s.N + t) * 4;
      bool keep = admitted[row * s.N + t] != 0 && static_cast<int64_t>(chosen.size()) < most;
      for (size_t k = 0; keep && k < chosen.size(); ++k) {
        const T* other = chosen[k];
        const T shared =
            common(other[0], other[2], box[0], box[2]) * common(other[1], other[3], box[1], box[3]);
        keep = !(shared > T(0) && shared / (area(other) + area(box) - shared) > overlap[0]);
      }
      if (keep) chosen.push_back(box);
      kept[row * s.N + t] = keep;
    }
  }
  io.Finish();
  return absl::OkStatus();
}

template <class Shape>
bool KeptBoxesFast(const Shape& s, const ir::KernelArgs& args) {
  return (s.T == ir::DType::kF64 ? KeptBoxesIn<double>(s, args) : KeptBoxesIn<float>(s, args)).ok();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_KEPT_BOXES_KERNEL_H_
