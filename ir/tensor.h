// A dense, row-major host tensor. Its bytes are owned jointly, so that a constant can be a view
// into a memory-mapped model file and is never copied unless it is transformed.
#ifndef TESSERA_IR_TENSOR_H_
#define TESSERA_IR_TENSOR_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dtype.h"
#include "support/byte_run.h"

namespace tessera::ir {

// The product of `shape`, or an error where a dim is negative or the product of dims times
// `element_bytes` exceeds 2^40.
absl::StatusOr<int64_t> ElementCount(absl::Span<const int64_t> shape, size_t element_bytes);

class Tensor {
 public:
  Tensor() = default;  // f32 of shape [0]

  // Zero-filled. Error: a negative dim, or more than `kMaxBytes`.
  static absl::StatusOr<Tensor> Allocate(DType dtype, std::vector<int64_t> shape);
  // A view of `data`, which must hold the elements, little-endian, and lives as long as `owner`.
  static absl::StatusOr<Tensor> View(DType dtype, std::vector<int64_t> shape,
                                     std::shared_ptr<const void> owner,
                                     absl::Span<const uint8_t> data);
  // Of bytes that are made when they are asked for: all of them, and kept, for who reads elements;
  // a few at a time, and not kept, for who reads the source. Error: as of `Allocate`.
  static absl::StatusOr<Tensor> Deferred(DType dtype, std::vector<int64_t> shape,
                                         std::shared_ptr<const support::ByteSource> source);
  // From values, converted like `CastTo`; aborts unless `shape` has as many elements: for values of
  // our own making. T is any arithmetic type.
  template <class T>
  static Tensor Of(DType dtype, std::vector<int64_t> shape, absl::Span<const T> values);

  static constexpr int64_t kMaxBytes = int64_t{1} << 36;

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& shape() const { return shape_; }
  int64_t rank() const { return static_cast<int64_t>(shape_.size()); }
  int64_t size() const { return size_; }  // elements
  size_t byte_size() const { return static_cast<size_t>(size_) * SizeOf(dtype_); }
  absl::Span<const uint8_t> bytes() const { return {Elements(), byte_size()}; }
  // What makes the bytes, from the first to the last; null: they are there.
  std::shared_ptr<const support::ByteSource> source() const;
  // The same for tensors that have the same bytes in common, whether or not these are there.
  const void* place() const {
    return deferred_ == nullptr ? data_ : static_cast<const void*>(deferred_.get());
  }
  // The bytes where they are there, else what makes them.
  support::ByteRun contents() const;
  // Aligned for the dtype: where a view is not, its first reader pays for one copy, shared by all
  // copies of the tensor.
  template <class T>
  const T* data() const {
    return reinterpret_cast<const T*>(realigned_ == nullptr ? Elements() : Realigned());
  }
  // Only for a tensor from `Allocate` that is not shared yet.
  template <class T>
  T* mutable_data() {
    return reinterpret_cast<T*>(const_cast<uint8_t*>(data_));
  }
  const std::shared_ptr<const void>& owner() const { return owner_; }

  // The same bytes under another shape of equally many elements (aborts otherwise).
  Tensor Reshaped(std::vector<int64_t> shape) const;
  // Element `i` as a number, whatever the dtype (u64 above 2^63 wraps).
  double AsDouble(int64_t i) const;
  int64_t AsInt(int64_t i) const;
  // A converted copy: C++ conversion rules, round to nearest even towards f16 and bf16, non-zero is
  // true. Where C++ leaves a float to integer conversion undefined: out of range saturates, NaN
  // becomes 0. Aborts where memory runs out.
  Tensor CastTo(DType dtype) const;

 private:
  struct AlignedCopy;
  struct DeferredBytes;
  const uint8_t* Realigned() const;
  const uint8_t* Made() const;
  const uint8_t* Elements() const { return deferred_ == nullptr ? data_ : Made(); }

  DType dtype_ = DType::kF32;
  std::vector<int64_t> shape_{0};
  int64_t size_ = 0;
  std::shared_ptr<const void> owner_;
  const uint8_t* data_ = nullptr;
  std::shared_ptr<AlignedCopy> realigned_;   // null: data_ is aligned
  std::shared_ptr<DeferredBytes> deferred_;  // null: data_ has them
};

// Same dtype, shape and bytes.
bool Identical(const Tensor& a, const Tensor& b);

}  // namespace tessera::ir

#endif  // TESSERA_IR_TENSOR_H_
