// A graph of device layers as what runs and what lies in memory: each layer with the pooling and
// the function behind it, and values as buffers, of which some are parts of others.
#ifndef TESSERA_TARGETS_NPU_QUANTIZATION_NETWORK_H_
#define TESSERA_TARGETS_NPU_QUANTIZATION_NETWORK_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/npu/legalization/misfit.h"
#include "targets/npu/pwl/function.h"

namespace tessera::npu {

// What the operations of the layers' dialect are to the device (targets/npu/layers).
enum class LayerKind : uint8_t {
  kAffine,            // x, w, bias
  kDiagonal,          // x, w, bias
  kAccumulate,        // x, w, and a sum in place of biases
  kProduct,           // x, and numbers in place of weights
  kRowConvolution,    // x, filters, bias
  kImageConvolution,  // x, filters, bias
  kCopy,              // x
  kInterleave,        // x
  kDeinterleave,      // x
};
// Of an operation of the dialect; empty: it is none of them.
std::optional<LayerKind> LayerKindOf(const ir::Operation& op);
inline bool Multiplies(LayerKind kind) { return kind < LayerKind::kCopy; }

inline constexpr size_t kNone = static_cast<size_t>(-1);

struct Buffer {
  const ir::Value* value = nullptr;
  int64_t elements = 0;
  // It keeps 32 bits: a sum, in the scale of its layer.
  bool is_sum = false;
  // It is part of another one, from this element on.
  size_t owner = kNone;
  int64_t offset = 0;
  const ir::Tensor* constant = nullptr;  // numbers that are always the same
  bool is_input = false, is_output = false;
};

struct NetworkLayer {
  LayerKind kind = LayerKind::kAffine;
  const ir::Operation* op = nullptr;
  const ir::Operation* pool = nullptr;
  bool pools_sums = false;  // pooling comes before the table
  // What the table takes, and what it yields; without a table both are the sum.
  const ir::Value* sum = nullptr;
  const ir::Value* activated = nullptr;
  const ir::Value* result = nullptr;         // what lies in memory
  std::optional<Function> function;          // of the table
  size_t x = kNone, y = kNone, out = kNone;  // buffers; y: the second one that is data
};

struct Network {
  std::vector<Buffer> buffers;
  std::vector<NetworkLayer> layers;     // in order
  std::vector<size_t> inputs, outputs;  // buffers, in the graph's order
};

// `narrow` names outputs that are to have 16 bits even where they are sums. A layer whose operand
// is not in memory as it needs it is added to `misfits`, and the network ends before it. Errors
// (Unimplemented): an operation that is neither a layer nor memory alone nor elementwise behind a
// layer; each names it and where it is.
absl::StatusOr<Network> NetworkOf(ir::Graph& graph, const absl::flat_hash_set<std::string>& narrow,
                                  std::vector<Misfit>& misfits);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_QUANTIZATION_NETWORK_H_
