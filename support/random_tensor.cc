#include "support/random_tensor.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera::support {
namespace {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

template <class T, class F>
void Fill(ir::Tensor& tensor, F draw) {
  T* const data = tensor.mutable_data<T>();
  for (int64_t i = 0; i < tensor.size(); ++i) data[i] = static_cast<T>(draw());
}

}  // namespace

absl::StatusOr<ir::Tensor> RandomTensor(ir::DType dtype, std::vector<int64_t> shape,
                                        uint64_t seed) {
  SplitMix64 random(seed);
  // 24 bits: exact in f32, so that f32 and f64 get the same values.
  const auto real = [&] {
    return static_cast<double>(random.Next() >> 40) / static_cast<double>(1 << 23) - 1;
  };
  const auto digit = [&] { return random.Next() % 10; };
  const auto byte = [&] { return random.Next() >> 56; };
  const bool half = dtype == ir::DType::kF16 || dtype == ir::DType::kBF16;
  const bool by_float = half || ir::Contains(ir::kNarrowFloatTypes, dtype);
  absl::StatusOr<ir::Tensor> tensor =
      ir::Tensor::Allocate(by_float ? ir::DType::kF32 : dtype, std::move(shape));
  if (!tensor.ok()) return tensor;
  switch (dtype) {
    case ir::DType::kBool:
      Fill<uint8_t>(*tensor, [&] { return random.Next() >> 63; });
      break;
    case ir::DType::kI8:
    case ir::DType::kU8:
      Fill<uint8_t>(*tensor, byte);
      break;
    case ir::DType::kI16:
    case ir::DType::kU16:
      Fill<uint16_t>(*tensor, digit);
      break;
    case ir::DType::kI32:
    case ir::DType::kU32:
      Fill<uint32_t>(*tensor, digit);
      break;
    case ir::DType::kI64:
    case ir::DType::kU64:
      Fill<uint64_t>(*tensor, digit);
      break;
    case ir::DType::kF16:
    case ir::DType::kBF16:
    case ir::DType::kF32:
      Fill<float>(*tensor, real);
      break;
    case ir::DType::kF64:
      Fill<double>(*tensor, real);
      break;
    case ir::DType::kI4:
    case ir::DType::kU4:
      Fill<uint8_t>(*tensor, [&] { return random.Next() >> 60; });
      break;
    case ir::DType::kI2:
    case ir::DType::kU2:
      Fill<uint8_t>(*tensor, [&] { return random.Next() >> 62; });
      break;
    case ir::DType::kF8E8M0:  // which has neither zero nor negative numbers
      Fill<float>(*tensor, [&] { return std::max(std::fabs(real()), 0x1p-24); });
      break;
    case ir::DType::kF8E4M3FN:
    case ir::DType::kF8E4M3FNUZ:
    case ir::DType::kF8E5M2:
    case ir::DType::kF8E5M2FNUZ:
    case ir::DType::kF4E2M1:
      Fill<float>(*tensor, real);
      break;
  }
  return by_float ? tensor->CastTo(dtype) : *std::move(tensor);
}

}  // namespace tessera::support
