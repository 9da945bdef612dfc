// Products of matrices by a device's instruction for them, as kernels that are written by hand have
// them (SPV_KHR_cooperative_matrix): 16 by 16 entries that the 32 invocations of a subgroup hold
// together. Factors are f16, and sums f32.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_MATRICES_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_MATRICES_H_

#include <cstdint>
#include <string>

namespace tessera::vulkan {

inline constexpr int64_t kSubgroup = 32, kMatrixEntries = 16 * 16;

// What a kernel finds declared, in GLSL:
//   shared float16_t tiles[];    all of `shared_bytes` but for
//   shared float sums[];         room for a matrix of each subgroup
//   int Subgroup(), Lane()       the subgroup's number in the workgroup, the invocation's in that
//   MatrixA LoadA(at, stride, by_columns)
//                                of tiles[], rows `stride` apart, or columns (by_columns: 0 or 1,
//                                a constant); MatrixB LoadB likewise
//   MatrixC Zeros(), MultiplyAdd(a, b, c)
//   StoreC(at, c)                to sums[], rows 16 apart
// All of them are of the whole subgroup at once.
std::string DeviceMatrices(int64_t workgroup, int64_t shared_bytes);
// The same by ordinary arithmetic: 32 invocations in a row are a subgroup.
std::string ImitatedMatrices(int64_t workgroup, int64_t shared_bytes);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_MATRICES_H_
