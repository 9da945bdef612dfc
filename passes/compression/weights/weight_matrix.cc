#include "passes/compression/weights/weight_matrix.h"

#include <vector>

namespace tessera::compression {

Matrix MatrixLayout::Read(const ir::Tensor& constant) const {
  Matrix matrix(rows(), inputs());
  const float* from = constant.data<float>();
  for (int64_t r = 0; r < rows(); ++r) {
    for (int64_t k = 0; k < inputs(); ++k) matrix(r, k) = from[IndexOf(r, k)];
  }
  return matrix;
}

StoredCodes Stored(const GroupedCodes& codes, const GroupedScheme& scheme,
                   absl::Span<const int64_t> shape, int64_t axis) {
  const MatrixLayout layout(shape, axis);
  StoredCodes stored;
  // Levels are what a narrow float holds.
  const std::vector<double>* levels = scheme.levels;
  stored.codes = *ir::Tensor::Allocate(levels == nullptr ? ir::DType::kI32 : ir::DType::kF32,
                                       {shape.begin(), shape.end()});
  for (int64_t r = 0; r < codes.rows; ++r) {
    for (int64_t k = 0; k < codes.inputs; ++k) {
      const int code = codes.codes[static_cast<size_t>(r * codes.inputs + k)];
      const int64_t place = layout.IndexOf(r, k);
      if (levels == nullptr)
        stored.codes.mutable_data<int32_t>()[place] = code;
      else
        stored.codes.mutable_data<float>()[place] =
            static_cast<float>((*levels)[static_cast<size_t>(code)]);
    }
  }
  Grid& grid = stored.grid;
  switch (scheme.bits) {
    case 2:
      grid.storage = scheme.symmetric ? ir::DType::kI2 : ir::DType::kU2;
      break;
    case 4:
      grid.storage = scheme.symmetric ? ir::DType::kI4 : ir::DType::kU4;
      break;
    default:
      grid.storage = scheme.symmetric ? ir::DType::kI8 : ir::DType::kU8;
  }
  if (levels != nullptr) {
    grid.storage = ir::DType::kF4E2M1;
    grid.scale_storage = scheme.binary_scales ? ir::DType::kF8E8M0 : ir::DType::kF32;
  } else {
    const Codes limits = Codes::Of(grid.storage);
    grid.low = limits.low;
    grid.high = limits.high;
  }
  std::vector<float> scales = codes.scales;
  std::vector<int32_t> zero_points(codes.zero_points.begin(), codes.zero_points.end());
  std::vector<int64_t> scale_shape = {codes.rows};
  grid.axis = axis;
  if (codes.groups > 1) {
    // A matrix: the axis of the inputs is divided.
    grid.axis = 1 - axis;
    grid.block = scheme.group;
    scale_shape = axis == 0 ? std::vector<int64_t>{codes.rows, codes.groups}
                            : std::vector<int64_t>{codes.groups, codes.rows};
    if (axis == 1) {
      for (int64_t r = 0; r < codes.rows; ++r) {
        for (int64_t g = 0; g < codes.groups; ++g) {
          const auto from = static_cast<size_t>(r * codes.groups + g);
          const auto into = static_cast<size_t>(g * codes.rows + r);
          scales[into] = codes.scales[from];
          zero_points[into] = codes.zero_points[from];
        }
      }
    }
  }
  grid.scale = ir::Tensor::Of<float>(ir::DType::kF32, scale_shape, scales);
  if (levels == nullptr)
    grid.zero_point = ir::Tensor::Of<int32_t>(ir::DType::kI32, scale_shape, zero_points);
  return stored;
}

}  // namespace tessera::compression
