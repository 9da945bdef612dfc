// Index arithmetic of generated kernels: row-major strides, the odometer over an index space,
// scratch arrays. Dims are non-negative and their product fits int64 (inference has seen to that
// before a kernel runs).
#ifndef TESSERA_CODEGEN_SUPPORT_ND_H_
#define TESSERA_CODEGEN_SUPPORT_ND_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "absl/types/span.h"

namespace tessera::kernels {

// 1 for the empty list.
inline int64_t Product(absl::Span<const int64_t> list) {
  int64_t product = 1;
  for (int64_t v : list) product *= v;
  return product;
}
inline int64_t Product(std::initializer_list<int64_t> list) {
  return Product(absl::Span<const int64_t>(list.begin(), list.size()));
}

// The number of points of an index space.
inline int64_t Count(absl::Span<const int64_t> dims) { return Product(dims); }

inline std::vector<int64_t> Strides(absl::Span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

// Strides that read an operand at an index of `result_dims`: axes aligned right, 0 along unit dims
// of the operand. The operand has at most as many axes as the result; there is one stride per axis
// of the result.
inline std::vector<int64_t> BroadcastStrides(absl::Span<const int64_t> operand_dims,
                                             absl::Span<const int64_t> result_dims) {
  std::vector<int64_t> strides(result_dims.size(), 0);
  int64_t stride = 1;
  const size_t lead = result_dims.size() - operand_dims.size();
  for (size_t d = operand_dims.size(); d-- > 0;) {
    strides[lead + d] = operand_dims[d] == 1 ? 0 : stride;
    stride *= operand_dims[d];
  }
  return strides;
}

// One step through the index space `dims` in row-major order; false when it has wrapped to the
// origin. Over a space that is not empty:
//   do { ... } while (Next(index, dims, rank));
inline bool Next(int64_t* index, const int64_t* dims, size_t rank) {
  for (size_t d = rank; d-- > 0;) {
    if (++index[d] < dims[d]) return true;
    index[d] = 0;
  }
  return false;
}

inline int64_t Offset(const int64_t* index, const int64_t* strides, size_t rank) {
  int64_t offset = 0;
  for (size_t d = 0; d < rank; ++d) offset += index[d] * strides[d];
  return offset;
}

// The odometer with state of its own. Of a space without points it is done at once:
//   for (Odometer at(dims); !at.done(); at.Next()) Use(at[0], at[1], at.linear());
class Odometer {
 public:
  explicit Odometer(absl::Span<const int64_t> dims)
      : dims_(dims.begin(), dims.end()), index_(dims.size(), 0), done_(Count(dims) == 0) {}

  bool done() const { return done_; }
  // False when the last point has been passed.
  bool Next() {
    ++linear_;
    done_ = !kernels::Next(index_.data(), dims_.data(), dims_.size());
    return !done_;
  }
  int64_t operator[](size_t d) const { return index_[d]; }
  const std::vector<int64_t>& index() const { return index_; }
  int64_t linear() const { return linear_; }  // row-major position

 private:
  std::vector<int64_t> dims_;
  std::vector<int64_t> index_;
  int64_t linear_ = 0;
  bool done_;
};

}  // namespace tessera::kernels

#endif  // TESSERA_CODEGEN_SUPPORT_ND_H_
