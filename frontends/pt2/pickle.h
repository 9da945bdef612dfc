// The state dictionary that torch.save wrote: what tensors there are, and where in the archive
// their elements lie. Reads the pickle as data. Of its opcodes those are known that torch.save
// writes for a dictionary of tensors, of what it names those callables that rebuild a tensor; they
// are recognized, never called. Anything else is an error that names it.
#ifndef TESSERA_FRONTENDS_PT2_PICKLE_H_
#define TESSERA_FRONTENDS_PT2_PICKLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dtype.h"

namespace tessera::pt2_import {

struct PickledTensor {
  ir::DType dtype = ir::DType::kF32;
  bool complex = false;      // an element is two of `dtype`
  std::string storage;       // the entry `data/STORAGE`
  int64_t storage_size = 0;  // elements, as the pickle says
  int64_t offset = 0;        // elements
  std::vector<int64_t> sizes, strides;
};

// By name. Entries that are no tensors are left out.
absl::StatusOr<std::map<std::string, PickledTensor>> ReadPickledTensors(
    absl::Span<const uint8_t> pickle);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_PICKLE_H_
