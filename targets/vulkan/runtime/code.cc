#include "targets/vulkan/runtime/code.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 31;  // more than any device shares
constexpr uint32_t kMagic = 0x07230203, kHeaderWords = 5;

// Numbers of the SPIR-V specification, version 1.5, and of SPV_KHR_cooperative_matrix.
enum Instruction : uint32_t {
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeBool = 20,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeVector = 23,
  kTypeArray = 28,
  kTypePointer = 32,
  kConstant = 43,
  kConstantComposite = 44,
  kFunctionCall = 57,
  kVariable = 59,
  kStore = 62,
  kCopyMemory = 63,
  kCopyMemorySized = 64,
  kAccessChain = 65,
  kPtrAccessChain = 67,
  kInBoundsPtrAccessChain = 70,
  kDecorate = 71,
  kCopyObject = 83,
  kAtomicStore = 228,
  kAtomicExchange = 229,
  kAtomicXor = 242,
  kExecutionModeId = 331,
  kCooperativeMatrixStore = 4458,
};
enum Decoration : uint32_t { kBuiltIn = 11, kBinding = 33, kDescriptorSet = 34 };
enum StorageClass : uint32_t {
  kUniformConstant = 0,
  kInput = 1,
  kUniform = 2,
  kWorkgroup = 4,
  kPrivate = 6,
  kFunction = 7,
  kStorageBuffer = 12
};
constexpr uint32_t kLocalSize = 17, kGlCompute = 5, kWorkgroupSize = 25;

// Capabilities that kernels have, and the features that they need of a device.
struct Capability {
  uint32_t number, features;
};
constexpr Capability kCapabilities[] = {
    {0, 0},                          // Matrix
    {1, 0},                          // Shader
    {9, TVK_FLOAT16},                // Float16
    {10, TVK_FLOAT64},               // Float64
    {11, TVK_INT64},                 // Int64
    {22, TVK_INT16},                 // Int16
    {39, TVK_INT8},                  // Int8
    {46, 0},                         // SampledBuffer
    {61, 0},                         // GroupNonUniform: of every device with Vulkan 1.1
    {4433, TVK_STORAGE16},           // StorageBuffer16BitAccess
    {4448, TVK_STORAGE8},            // StorageBuffer8BitAccess
    {5345, TVK_COOPERATIVE_MATRIX},  // VulkanMemoryModel
    {6022, TVK_COOPERATIVE_MATRIX},  // CooperativeMatrixKHR
};

class Reading {
 public:
  Reading(std::span<const uint32_t> code, CodeInterface& interface)
      : code_(code), interface_(interface) {}

  std::string Run() {
    if (code_.size() <= kHeaderWords || code_[0] != kMagic) return "is no SPIR-V";
    for (size_t at = kHeaderWords; at < code_.size();) {
      const uint32_t words = code_[at] >> 16;
      if (words == 0 || words > code_.size() - at) return "is cut off";
      if (std::string wrong = Read(code_[at] & 0xFFFF, code_.subspan(at + 1, words - 1));
          !wrong.empty())
        return wrong;
      at += words;
    }
    if (size_.has_value()) return "has a size of workgroups that is no constant";
    return entries_ == 1 ? "" : "has not one entry point";
  }

 private:
  static std::string Foreign(const std::string& what, uint32_t number) {
    return "has " + what + " " + std::to_string(number) + ", which no kernel has";
  }

  // Operands that there are too few of are read as none: the validator's is what a valid module is.
  static uint32_t At(std::span<const uint32_t> operands, size_t i) {
    return i < operands.size() ? operands[i] : ~0U;
  }

  std::string Read(uint32_t instruction, std::span<const uint32_t> operands) {
    switch (instruction) {
      case kCapability:
        return ReadCapability(At(operands, 0));
      case kEntryPoint:
        ++entries_;
        return At(operands, 0) == kGlCompute ? "" : "is no compute shader";
      case kExecutionMode:
        if (At(operands, 1) != kLocalSize) return Foreign("execution mode", At(operands, 1));
        for (size_t i = 0; i < 3; ++i) interface_.workgroup[i] = At(operands, 2 + i);
        return "";
      case kExecutionModeId:
        return Foreign("execution mode", At(operands, 1));
      case kDecorate:
        if (At(operands, 1) == kBuiltIn && At(operands, 2) == kWorkgroupSize)
          size_ = At(operands, 0);
        if (At(operands, 1) == kBinding) bindings_[At(operands, 0)] = At(operands, 2);
        if (At(operands, 1) == kDescriptorSet) sets_[At(operands, 0)] = At(operands, 2);
        return "";
      case kConstant:
        if (operands.size() == 3) constants_[operands[1]] = operands[2];
        return "";
      case kConstantComposite:
        if (At(operands, 1) == size_) return ReadSize(operands);
        return "";
      case kVariable:
        return ReadVariable(At(operands, 0), At(operands, 1), At(operands, 2));
      case kTypeBool:
        bytes_[At(operands, 0)] = 4;
        return "";
      case kTypeInt:
      case kTypeFloat:
        bytes_[At(operands, 0)] = At(operands, 1) / 8;
        return "";
      case kTypeVector:
        SetBytes(At(operands, 0), At(operands, 1), At(operands, 2));
        return "";
      case kTypeArray:
        if (const auto length = constants_.find(At(operands, 2)); length != constants_.end())
          SetBytes(At(operands, 0), At(operands, 1), length->second);
        return "";
      case kTypePointer:
        SetBytes(At(operands, 0), At(operands, 2), 1);
        return "";
      case kPtrAccessChain:
      case kInBoundsPtrAccessChain:
        return Foreign("instruction", instruction);
      case kCopyObject:
        if (const auto root = roots_.find(At(operands, 2)); root != roots_.end())
          roots_[At(operands, 1)] = root->second;
        return "";
      case kFunctionCall:
        // What becomes of a pointer there is not followed.
        for (size_t i = 3; i < operands.size(); ++i) Write(operands[i]);
        return "";
      case kStore:
      case kCopyMemory:
      case kCopyMemorySized:
      case kAtomicStore:
      case kCooperativeMatrixStore:
        Write(At(operands, 0));
        return "";
      default:
        break;
    }
    if (instruction == kAccessChain || instruction == kAccessChain + 1) {
      if (const auto root = roots_.find(At(operands, 2)); root != roots_.end())
        roots_[At(operands, 1)] = root->second;
    }
    // Of these the pointer comes behind the type and the result.
    if (instruction >= kAtomicExchange && instruction <= kAtomicXor) Write(At(operands, 2));
    return "";
  }

  // The built-in constant, which counts in the place of the execution mode that went before.
  std::string ReadSize(std::span<const uint32_t> operands) {
    for (size_t i = 0; i < 3; ++i) {
      const auto known = constants_.find(At(operands, 2 + i));
      if (known == constants_.end()) return "";
      if (known->second != interface_.workgroup[i]) return "has two sizes of workgroups";
    }
    size_.reset();
    return "";
  }

  std::string ReadCapability(uint32_t number) {
    const auto* const known =
        std::find_if(std::begin(kCapabilities), std::end(kCapabilities),
                     [&](const Capability& capability) { return capability.number == number; });
    if (known == std::end(kCapabilities)) return Foreign("capability", number);
    interface_.features |= known->features;
    return "";
  }

  // Of a type that is `count` others; of what is not known nothing is.
  void SetBytes(uint32_t type, uint32_t of, uint64_t count) {
    const auto known = bytes_.find(of);
    if (known != bytes_.end()) bytes_[type] = std::min(known->second * count, kMostBytes);
  }

  std::string ReadVariable(uint32_t type, uint32_t id, uint32_t storage) {
    if (storage == kWorkgroup) {
      const auto known = bytes_.find(type);
      if (known == bytes_.end()) return "shares memory of a size that is not known";
      interface_.shared_bytes = std::min(interface_.shared_bytes + known->second, kMostBytes);
      return "";
    }
    if (storage == kInput || storage == kPrivate || storage == kFunction) return "";
    const bool bound =
        storage == kUniform || storage == kUniformConstant || storage == kStorageBuffer;
    if (!bound) return Foreign("a variable of storage class", storage);
    const auto binding = bindings_.find(id), set = sets_.find(id);
    if (binding == bindings_.end() || set == sets_.end() || set->second != 0)
      return "has a variable that is bound by none of the file's numbers";
    (storage == kUniform         ? interface_.uniforms
     : storage == kStorageBuffer ? interface_.buffers
                                 : interface_.texels)
        .insert(binding->second);
    if (storage == kStorageBuffer) roots_[id] = binding->second;
    return "";
  }

  void Write(uint32_t pointer) {
    if (const auto root = roots_.find(pointer); root != roots_.end())
      interface_.written.insert(root->second);
  }

  const std::span<const uint32_t> code_;
  CodeInterface& interface_;
  int entries_ = 0;
  std::optional<uint32_t> size_;                  // what is decorated as it, until it is read
  std::map<uint32_t, uint32_t> constants_;        // of one word, that nothing specializes
  std::map<uint32_t, uint64_t> bytes_;            // by type; of a pointer what it points to
  std::map<uint32_t, uint32_t> bindings_, sets_;  // by variable
  std::map<uint32_t, uint32_t> roots_;            // bindings of storage buffers, by pointer
};

// The first of `some` that `all` has not.
std::optional<uint32_t> Beyond(const std::set<uint32_t>& some, const std::set<uint32_t>& all) {
  for (uint32_t one : some) {
    if (all.count(one) == 0) return one;
  }
  return std::nullopt;
}

}  // namespace

std::string ReadCode(std::span<const uint32_t> code, CodeInterface& interface) {
  return Reading(code, interface).Run();
}

std::string CheckCode(const file::Kernel& kernel, uint32_t features,
                      const std::set<uint32_t>& written) {
  CodeInterface code;
  if (std::string wrong = ReadCode({kernel.code()->data(), kernel.code()->size()}, code);
      !wrong.empty())
    return wrong;
  if (code.workgroup[0] != kernel.workgroup() || code.workgroup[1] != 1 || code.workgroup[2] != 1)
    return "runs " + std::to_string(code.workgroup[0]) + " by " +
           std::to_string(code.workgroup[1]) + " by " + std::to_string(code.workgroup[2]) +
           " invocations at once, the file says " + std::to_string(kernel.workgroup());
  if (code.shared_bytes > kernel.shared_bytes())
    return "shares " + std::to_string(code.shared_bytes) +
           " bytes among its invocations, the file says " + std::to_string(kernel.shared_bytes());
  if ((code.features & ~features) != 0) return "needs features that the file does not name";
  std::set<uint32_t> uniforms, buffers, texels, may_write = written;
  if (kernel.parameters() > 0) uniforms.insert(0);
  const uint32_t last = kernel.bindings() + (kernel.checks() ? 1 : 0);
  for (uint32_t i = 1; i <= last; ++i) buffers.insert(i);
  if (kernel.checks()) may_write.insert(last);
  for (uint32_t number : *kernel.texels()) texels.insert(kTexelBinding + number);
  for (uint32_t number : *kernel.quads()) texels.insert(kQuadBinding + number);
  for (const auto& [some, all] :
       {std::pair(&code.uniforms, &uniforms), std::pair(&code.buffers, &buffers),
        std::pair(&code.texels, &texels)}) {
    if (const auto binding = Beyond(*some, *all))
      return "uses binding " + std::to_string(*binding) + ", which the file does not name";
  }
  if (const auto binding = Beyond(code.written, may_write))
    return "writes binding " + std::to_string(*binding) + ", which the file says is only read";
  return "";
}

}  // namespace tessera::vulkan
