// What the entries of a frame are multiplied by, as the run itself knows it.
#ifndef TESSERA_TARGETS_NPU_ARTIFACT_GATE_KIND_H_
#define TESSERA_TARGETS_NPU_ARTIFACT_GATE_KIND_H_

#include <cstdint>

namespace tessera::npu {

// Entries of a frame exist or not: there is nothing before the first one and behind the last one.
// The numbers are stored.
enum class GateKind : uint8_t {
  kExists = 0,        // 1 for those that exist, else 0
  kShareOfFrame = 1,  // of those that exist in the frame, each an equal part of 1; else 0
  kFrameOfAll = 2,  // the frame's part of all that there were so far, one number; 0 if it has none
  kFirst = 3,       // 1 for the first entry of all, else 0
  // For entries that exist, the size of the window that they are of by how many entries it has.
  kSizeByThere = 4,
};
inline constexpr uint8_t kGateKinds = 5;

// Entry q is of the `size` entries from q * stride - before on; behind the last one there may be
// `after`. Of the kind kSizeByThere.
struct GateWindow {
  int64_t size = 1, stride = 1, before = 0, after = 0;
  bool operator==(const GateWindow&) const = default;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_ARTIFACT_GATE_KIND_H_
