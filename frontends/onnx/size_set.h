// Sizes that a dim may have: an arithmetic progression within a range.
#ifndef TESSERA_FRONTENDS_ONNX_SIZE_SET_H_
#define TESSERA_FRONTENDS_ONNX_SIZE_SET_H_

#include <cstdint>

namespace tessera::onnx_import {

// All d with low <= d <= high and d mod modulus == residue, 0 <= residue < modulus. Bounds and
// modulus are at most 2^31 - 1, and low >= 0.
struct SizeSet {
  int64_t low, high;
  int64_t modulus = 1, residue = 0;

  // The bounds moved inwards to members; low > high when there is none.
  SizeSet Tightened() const;
  friend bool operator==(const SizeSet&, const SizeSet&) = default;
};

// Tightened. A modulus that would exceed the bounds leaves at most one member, and is replaced by
// the range of that.
SizeSet Intersection(const SizeSet& a, const SizeSet& b);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_SIZE_SET_H_
