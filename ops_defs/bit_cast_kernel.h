// The bytes of a tensor as they are: what a type means by them cannot be said in numbers.
#ifndef TESSERA_OPS_DEFS_BIT_CAST_KERNEL_H_
#define TESSERA_OPS_DEFS_BIT_CAST_KERNEL_H_

#include <cstdint>
#include <cstring>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/op_info.h"

namespace tessera::ops {

template <class Shape>
absl::Status BitCastKernel(const Shape&, const ir::KernelArgs& args) {
  const absl::Span<const uint8_t> bytes = args.inputs[0]->bytes();
  if (!bytes.empty())
    std::memcpy(args.outputs[0].mutable_data<uint8_t>(), bytes.data(), bytes.size());
  return absl::OkStatus();
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_BIT_CAST_KERNEL_H_
