#include "targets/vulkan/kernels/matrices.h"

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

// Of the device. The front end that is built in knows the extension not by name but by numbers of
// SPIR-V. A type's first number is the width of its floats, in the place of the type, which its
// text has no way to say: MatrixTypes (targets/vulkan/shader) puts that there. Sums are no
// literals, which would not become constants. 32: NonPrivatePointer, so that barriers order it.
constexpr char kDevice[] = R"glsl(
#define MATRIX(width, use) spirv_type(extensions = ["SPV_KHR_cooperative_matrix"], capabilities = [6022], id = 4456, width, (1 + 2), (8 + 8), (8 + 8), use)
#define MatrixA MATRIX((8 + 8), (0 + 0))
#define MatrixB MATRIX((8 + 8), (0 + 1))
#define MatrixC MATRIX((16 + 16), (1 + 1))
spirv_instruction(id = 4457) MatrixA ReadA(spirv_by_reference float16_t from, int layout_of, int stride, spirv_literal int how);
spirv_instruction(id = 4457) MatrixB ReadB(spirv_by_reference float16_t from, int layout_of, int stride, spirv_literal int how);
spirv_instruction(id = 4458) void Write(spirv_by_reference float to, MatrixC of, int layout_of, int stride, spirv_literal int how);
spirv_instruction(id = 4459) MatrixC MultiplyAdd(MatrixA a, MatrixB b, MatrixC c);
spirv_instruction(id = 80) MatrixC Filled(float entry);
#define Zeros() Filled(0.0)
#define LoadA(at, stride, by_columns) ReadA(tiles[at], by_columns, stride, 32)
#define LoadB(at, stride, by_columns) ReadB(tiles[at], by_columns, stride, 32)
#define StoreC(at, c) Write(sums[at], c, 0, 16, 32)
int Subgroup() { return int(gl_SubgroupID); }
int Lane() { return int(gl_SubgroupInvocationID); }
)glsl";

// A factor is where it lies, which stays as it is while it is multiplied with; of the sums an
// invocation has 8 in a row.
constexpr char kImitated[] = R"glsl(
struct MatrixA { int at, down, along; };
#define MatrixB MatrixA
struct MatrixC { float of[8]; };
#define LoadA(at, stride, by_columns) MatrixA(at, by_columns == 1 ? 1 : stride, by_columns == 1 ? stride : 1)
#define LoadB LoadA
int Subgroup() { return int(gl_LocalInvocationID.x) / 32; }
int Lane() { return int(gl_LocalInvocationID.x) % 32; }
MatrixC Zeros() {
  MatrixC zeros;
  for (int e = 0; e < 8; ++e) zeros.of[e] = 0.0;
  return zeros;
}
MatrixC MultiplyAdd(MatrixA a, MatrixB b, MatrixC c) {
  [[dont_unroll]] for (int e = 0; e < 8; ++e) {
    const int row = (Lane() * 8 + e) / 16, column = (Lane() * 8 + e) % 16;
    [[dont_unroll]] for (int k = 0; k < 16; ++k)
      c.of[e] += float(tiles[a.at + row * a.down + k * a.along]) *
                 float(tiles[b.at + k * b.down + column * b.along]);
  }
  return c;
}
void StoreC(int at, MatrixC c) {
  for (int e = 0; e < 8; ++e) sums[at + Lane() * 8 + e] = c.of[e];
}
)glsl";

std::string Memory(int64_t workgroup, int64_t shared_bytes) {
  const int64_t sums = workgroup / kSubgroup * kMatrixEntries;
  return absl::StrCat("shared float16_t tiles[", (shared_bytes - 4 * sums) / 2,
                      "];\nshared float sums[", sums, "];\n");
}

}  // namespace

std::string DeviceMatrices(int64_t workgroup, int64_t shared_bytes) {
  return absl::StrCat(Memory(workgroup, shared_bytes), kDevice);
}

std::string ImitatedMatrices(int64_t workgroup, int64_t shared_bytes) {
  return absl::StrCat(Memory(workgroup, shared_bytes), kImitated);
}

}  // namespace tessera::vulkan
