// What a device runs: operations whose operands lie in regions of memory, and how numbers of the
// network become integers there.
#ifndef TESSERA_TARGETS_NPU_PROGRAM_PROGRAM_H_
#define TESSERA_TARGETS_NPU_PROGRAM_PROGRAM_H_

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/tensor.h"
#include "targets/npu/device/device.h"
#include "targets/npu/model/model.h"

namespace tessera::npu {

// As the device's allocator tags its memory.
enum class RegionKind : uint8_t { kInput, kOutput, kScratch, kState, kReadOnly };
inline constexpr int kRegionCount = 5;
std::string_view NameOf(RegionKind kind);  // `input`

struct Region {
  int64_t size = 0;  // bytes
  // Of kState (at the beginning of a sequence) and kReadOnly, `size` bytes; else none.
  std::optional<ir::Tensor> data;
  int64_t lower_bound = 0;  // of the plan: no plan takes less
  bool optimal = false;
};

struct Address {
  RegionKind region = RegionKind::kScratch;
  int64_t offset = 0;  // bytes
};

struct ProgramOperand {
  Mode mode = Mode::kAbsent;
  std::vector<int64_t> shape;
  DataType type = DataType::kNone;
  std::string layout;
  Address address;
};

// What an operation came from and what was decided about it; nothing that it needs to run.
struct LayerNote {
  std::string name;                                            // of the value that it yields
  std::string scope;                                           // where in the network
  double input_scale = 0, weight_scale = 0, output_scale = 0;  // integers per unit
  bool proved = true;  // its sums cannot leave 32 bits, whatever the inputs
  // Of its table, if it has one.
  int64_t segments = 0, fewest_segments = 0;
  double table_error = 0;  // in parts of the function's range
  bool exact = false;
};

struct ProgramOperation {
  OperationType type = OperationType::kCopy;
  std::vector<ProgramOperand> operands;
  std::map<std::string, Parameter, std::less<>> parameters;
  LayerNote note;
};

// Where a value of the network comes in or leaves: `scale` integers are 1.0.
struct Endpoint {
  std::string name;
  std::vector<int64_t> shape;
  DataType type = DataType::kInt16;
  Address address;
  double scale = 1;
};

// A value that stays from one run to the next one: the one that a run leaves at `from` is what the
// next one finds at `to`. Its first value is that of the region.
struct StateNote {
  std::string input, output;  // names in the network
};

struct Program {
  std::string device;
  std::array<Region, kRegionCount> regions;
  std::vector<ProgramOperation> operations;
  std::vector<Endpoint> inputs, outputs;
  std::vector<StateNote> states;  // kept by the program itself

  Region& region(RegionKind kind) { return regions[static_cast<size_t>(kind)]; }
  const Region& region(RegionKind kind) const { return regions[static_cast<size_t>(kind)]; }
};

inline constexpr int64_t kMostBytes = int64_t{1} << 28;  // of a region, as of a model

// Bytes of an operand or endpoint; an error where that is not within its region, is written where
// nothing may be, or no type has that size.
absl::StatusOr<int64_t> BytesAt(const Program& program, const std::vector<int64_t>& shape,
                                DataType type, const Address& address);

// The model as the device's library takes it; read-only operands have their data.
Model ModelOf(const Program& program);

// That everything lies within its region, that what is written is not read-only, and that the
// device runs each operation (model/check.h). The error names operation, operand, limit and value.
absl::Status CheckProgram(const Program& program);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_PROGRAM_PROGRAM_H_
