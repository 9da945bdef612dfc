#include "targets/npu/program/memory_use.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

class Uses {
 public:
  Uses(const Program& program, RegionKind region)
      : program_(program),
        region_(region),
        last_(std::max<int64_t>(0, static_cast<int64_t>(program.operations.size()) - 1)) {}

  // Something that is there from the beginning; also where nothing says what it is.
  void Begin(const std::string& name, int64_t offset, int64_t size) {
    live_.push_back(uses_.size());
    uses_.push_back({name, 0, 0, offset, size});
  }
  void Write(const std::string& name, int64_t step, int64_t offset, int64_t size) {
    // What is written over is no longer there.
    live_.erase(std::remove_if(live_.begin(), live_.end(),
                               [&](size_t i) {
                                 const MemoryUse& use = uses_[i];
                                 return offset <= use.offset &&
                                        use.offset + use.size <= offset + size;
                               }),
                live_.end());
    live_.push_back(uses_.size());
    uses_.push_back({name, step, step, offset, size});
  }
  void Read(const std::string& name, int64_t step, int64_t offset, int64_t size) {
    bool found = false;
    for (const size_t i : live_) {
      MemoryUse& use = uses_[i];
      if (use.offset >= offset + size || offset >= use.offset + use.size) continue;
      use.last = std::max(use.last, step);
      found = true;
    }
    if (found) return;
    Begin(name, offset, size);
    uses_.back().last = step;
  }

  std::vector<MemoryUse> Collect() {
    const auto bytes = [&](const std::vector<int64_t>& shape, DataType type,
                           const Address& address) {
      const absl::StatusOr<int64_t> size = BytesAt(program_, shape, type, address);
      return address.region == region_ && size.ok() ? *size : 0;
    };
    for (const Endpoint& input : program_.inputs) {
      const int64_t size = bytes(input.shape, input.type, input.address);
      if (size > 0) Begin(input.name, input.address.offset, size);
    }
    for (size_t step = 0; step < program_.operations.size(); ++step) {
      const ProgramOperation& operation = program_.operations[step];
      const std::string name =
          operation.note.name.empty() ? operation.note.scope : operation.note.name;
      const auto each = [&](bool written) {
        for (size_t k = 0; k < operation.operands.size(); ++k) {
          const ProgramOperand& operand = operation.operands[k];
          if (operand.mode != Mode::kDefault || (k == kOutput) != written) continue;
          const int64_t size = bytes(operand.shape, operand.type, operand.address);
          if (size == 0) continue;
          const auto at = static_cast<int64_t>(step);
          if (written) {
            Write(name, at, operand.address.offset, size);
          } else {
            const char* const what = k == kWeights  ? "weights of "
                                     : k == kBiases ? "biases of "
                                     : k == kTable  ? "table of "
                                                    : "read by ";
            Read(absl::StrCat(what, name), at, operand.address.offset, size);
          }
        }
      };
      each(false);
      each(true);
    }
    for (const Endpoint& output : program_.outputs) {
      const int64_t size = bytes(output.shape, output.type, output.address);
      if (size > 0) Read(output.name, last_, output.address.offset, size);
    }
    // The next run finds what is there.
    if (region_ == RegionKind::kState) {
      for (MemoryUse& use : uses_) use.last = last_;
    }
    return std::move(uses_);
  }

 private:
  const Program& program_;
  const RegionKind region_;
  const int64_t last_;
  std::vector<MemoryUse> uses_;
  std::vector<size_t> live_;  // of uses_: what is there
};

}  // namespace

std::vector<MemoryUse> MemoryUses(const Program& program, RegionKind region) {
  return Uses(program, region).Collect();
}

}  // namespace tessera::npu
