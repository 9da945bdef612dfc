// Transpose: writes in memory order, reads by stride.
#ifndef TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_
#define TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_

#include <cstdint>
#include <vector>

#include "codegen/support/nd.h"
#include "ir/op_info.h"

namespace tessera::ops {

template <class Word, class Shape>
void TransposeWords(const Shape& s, const ir::KernelArgs& args) {
  const Word* x = args.inputs[0]->data<Word>();
  Word* y = args.outputs[0].template mutable_data<Word>();
  const std::vector<int64_t> source = kernels::Strides(s.X);
  std::vector<int64_t> strides;
  for (int64_t d : s.perm) strides.push_back(source[static_cast<size_t>(d)]);
  std::vector<int64_t> rows = s.Y;
  const int64_t last = rows.empty() ? 1 : rows.back();
  const int64_t step = rows.empty() ? 0 : strides.back();
  if (!rows.empty()) rows.pop_back();
  for (kernels::Odometer at(rows); last > 0 && !at.done(); at.Next()) {
    const Word* from = x + kernels::Offset(at.index().data(), strides.data(), rows.size());
    Word* to = y + at.linear() * last;
    for (int64_t i = 0; i < last; ++i) to[i] = from[i * step];
  }
}

template <class Shape>
bool TransposeFast(const Shape& s, const ir::KernelArgs& args) {
  switch (ir::SizeOf(s.T)) {
    case 1:
      TransposeWords<uint8_t>(s, args);
      return true;
    case 2:
      TransposeWords<uint16_t>(s, args);
      return true;
    case 4:
      TransposeWords<uint32_t>(s, args);
      return true;
    default:
      TransposeWords<uint64_t>(s, args);
      return true;
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_TRANSPOSE_KERNEL_H_
