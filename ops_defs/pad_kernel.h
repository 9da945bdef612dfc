// Pad with a value: fills, then copies the rows of x that are kept.
#ifndef TESSERA_OPS_DEFS_PAD_KERNEL_H_
#define TESSERA_OPS_DEFS_PAD_KERNEL_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "codegen/support/nd.h"
#include "ir/op_info.h"

namespace tessera::ops {

template <class Word, class Shape>
void PadWords(const Shape& s, const ir::KernelArgs& args) {
  const Word* x = args.inputs[0]->data<Word>();
  Word* y = args.outputs[0].template mutable_data<Word>();
  const Word value = s.has_v ? *args.inputs[1]->data<Word>() : Word(0);
  std::fill(y, y + kernels::Count(s.Y), value);
  const size_t rank = s.X.size();
  const std::vector<int64_t> strides = kernels::Strides(s.Y);
  // The part of the last axis that stays, in coordinates of x.
  const int64_t begin = rank == 0 ? 0 : std::max<int64_t>(0, -s.pads_begin.back());
  const int64_t end =
      rank == 0 ? 1 : std::min<int64_t>(s.X.back(), s.Y.back() - s.pads_begin.back());
  const int64_t last = rank == 0 ? 1 : s.X.back();
  std::vector<int64_t> rows = s.X;
  if (rank > 0) rows.pop_back();
  for (kernels::Odometer at(rows); begin < end && !at.done(); at.Next()) {
    int64_t offset = rank == 0 ? 0 : begin + s.pads_begin.back();
    bool inside = true;
    for (size_t d = 0; d < rows.size(); ++d) {
      const int64_t i = at[d] + s.pads_begin[d];
      inside = inside && i >= 0 && i < s.Y[d];
      offset += i * strides[d];
    }
    if (!inside) continue;
    const Word* row = x + at.linear() * last;
    std::copy(row + begin, row + end, y + offset);
  }
}

template <class Shape>
bool PadFast(const Shape& s, const ir::KernelArgs& args) {
  if (s.mode != 0) return false;  // `constant`
  switch (ir::SizeOf(s.T)) {
    case 1:
      PadWords<uint8_t>(s, args);
      return true;
    case 2:
      PadWords<uint16_t>(s, args);
      return true;
    case 4:
      PadWords<uint32_t>(s, args);
      return true;
    default:
      PadWords<uint64_t>(s, args);
      return true;
  }
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_PAD_KERNEL_H_
