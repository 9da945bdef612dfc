#include "targets/vulkan/runtime/artifact.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "targets/vulkan/runtime/code.h"
#include "targets/vulkan/runtime/expressions.h"

namespace tessera::vulkan {
namespace {

constexpr std::array<uint64_t, 256> CrcTable() {
  std::array<uint64_t, 256> table{};
  for (uint64_t i = 0; i < 256; ++i) {
    uint64_t crc = i;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 1) != 0 ? (crc >> 1) ^ 0xC96C5795D7870F42ull : crc >> 1;
    table[i] = crc;
  }
  return table;
}

Status Bad(const std::string& what) { return {TVK_INVALID_FILE, what}; }

// Indices into the tables of a file.
class Check {
 public:
  explicit Check(const file::Model& model) : model_(model) {}

  Status Run() {
    if (!AreWellFormed(*model_.expressions(), model_.symbols()->size(), model_.axes()->size()))
      return Bad("an expression is malformed");
    for (Status (Check::*part)() :
         {&Check::Symbols, &Check::Guards, &Check::Tensors, &Check::Ends, &Check::Kernels,
          &Check::Dispatches, &Check::Code, &Check::Accesses, &Check::Tilings}) {
      if (Status status = (this->*part)(); !status.ok()) return status;
    }
    if (!IsExpression(model_.arena_bytes())) return Bad("the size of the arena is no expression");
    if ((static_cast<uint32_t>(model_.features()) & ~uint32_t{file::Feature_ANY}) != 0)
      return Bad("features of the device that this version does not know");
    return {};
  }

 private:
  bool IsExpression(uint32_t e) const { return e < model_.expressions()->size(); }
  bool AreExpressions(const flatbuffers::Vector<uint32_t>& list) const {
    for (uint32_t e : list) {
      if (!IsExpression(e)) return false;
    }
    return true;
  }
  const file::Tensor& At(uint32_t tensor) const { return *model_.tensors()->Get(tensor); }

  Status Symbols() {
    for (const file::Symbol* symbol : *model_.symbols()) {
      const std::string name = symbol->name()->str();
      if (symbol->input() >= model_.inputs()->size() ||
          model_.inputs()->Get(symbol->input()) >= model_.tensors()->size() ||
          symbol->axis() >= At(model_.inputs()->Get(symbol->input())).dims()->size())
        return Bad("symbol `" + name + "` is of no axis of an input");
      if (symbol->stride() < 0) return Bad("symbol `" + name + "` with a negative stride");
      if (symbol->scale() == 0 || !IsSmall(symbol->scale()) || !IsSmall(symbol->offset()))
        return Bad("symbol `" + name + "` follows from no size");
    }
    return {};
  }

  Status Guards() {
    for (const file::Guard* guard : *model_.guards()) {
      if (!IsExpression(guard->proposition())) return Bad("a guard is no expression");
    }
    return {};
  }

  Status Tensors() {
    for (const file::Tensor* tensor : *model_.tensors()) {
      const std::string name = "tensor `" + tensor->name()->str() + "`";
      if (tensor->dtype() > file::DType_MAX || tensor->storage() > file::Storage_MAX)
        return Bad(name + " has a type or storage that there is not");
      if (!AreExpressions(*tensor->dims()) || !IsExpression(tensor->offset()) ||
          (tensor->elements() != nullptr && !AreExpressions(*tensor->elements())))
        return Bad(name + " has a size that is no expression");
      if ((tensor->storage() == file::Storage_SIZES) != (tensor->elements() != nullptr))
        return Bad(name + ": elements belong to sizes, and sizes have elements");
    }
    return {};
  }

  Status Ends() {
    for (const auto* list : {model_.inputs(), model_.outputs()}) {
      const std::string end = list == model_.inputs() ? "input" : "output";
      for (uint32_t tensor : *list) {
        if (tensor >= model_.tensors()->size()) return Bad("an " + end + " is no tensor");
        if (At(tensor).storage() != file::Storage_ARENA)
          return Bad(end + " `" + At(tensor).name()->str() + "` does not lie in the arena");
      }
    }
    return {};
  }

  Status Kernels() {
    for (const file::Kernel* kernel : *model_.kernels()) {
      if (kernel->workgroup() == 0 || kernel->workgroup() > 1024 ||
          kernel->bindings() > kMostBindings - 2 || kernel->parameters() > 4096)
        return Bad("a kernel with limits that no kernel has");
      for (const auto* list : {kernel->texels(), kernel->quads()}) {
        std::set<uint32_t> numbers;
        for (uint32_t number : *list) {
          if (number == 0 || number > kernel->bindings() || !numbers.insert(number).second)
            return Bad("a kernel with texels of a buffer that it does not bind");
        }
      }
    }
    return {};
  }

  Status Dispatches() {
    for (const file::Dispatch* dispatch : *model_.dispatches()) {
      const std::string name = "dispatch `" + dispatch->name()->str() + "`";
      if (dispatch->kernel() >= model_.kernels()->size()) return Bad(name + " is of no kernel");
      const file::Kernel& kernel = *model_.kernels()->Get(dispatch->kernel());
      if (dispatch->bindings()->size() != kernel.bindings() ||
          dispatch->parameters()->size() != kernel.parameters())
        return Bad(name + " binds another number of tensors or parameters than its kernel has");
      if (!IsExpression(dispatch->invocations()) || !IsExpression(dispatch->flops()) ||
          !IsExpression(dispatch->bytes()) || !IsExpression(dispatch->steps()) ||
          !AreExpressions(*dispatch->parameters()) || !AreExpressions(*dispatch->limits()))
        return Bad(name + " has a size that is no expression");
      for (const file::Binding* binding : *dispatch->bindings()) {
        if (binding->tensor() >= model_.tensors()->size()) return Bad(name + " binds no tensor");
        if (binding->written() && At(binding->tensor()).storage() != file::Storage_ARENA)
          return Bad(name + " writes what is constant");
      }
      for (const auto* list : {kernel.texels(), kernel.quads()}) {
        for (uint32_t number : *list) {
          const file::Binding& binding = *dispatch->bindings()->Get(number - 1);
          const file::DType dtype = At(binding.tensor()).dtype();
          if (binding.written() || (dtype != file::DType_F32 && dtype != file::DType_F16))
            return Bad(name + " reads texels of what has none");
        }
      }
    }
    return {};
  }

  // What kernels do by their code is what the file says of them.
  Status Code() {
    std::vector<std::map<uint32_t, size_t>> written(model_.kernels()->size());  // by binding
    std::vector<size_t> uses(model_.kernels()->size(), 0);
    for (const file::Dispatch* dispatch : *model_.dispatches()) {
      ++uses[dispatch->kernel()];
      for (uint32_t i = 0; i < dispatch->bindings()->size(); ++i) {
        if (dispatch->bindings()->Get(i)->written()) ++written[dispatch->kernel()][i + 1];
      }
    }
    for (uint32_t i = 0; i < written.size(); ++i) {
      std::set<uint32_t> by_all;
      for (const auto& [binding, count] : written[i]) {
        if (count == uses[i]) by_all.insert(binding);
      }
      const std::string wrong =
          CheckCode(*model_.kernels()->Get(i), static_cast<uint32_t>(model_.features()), by_all);
      if (!wrong.empty()) return Bad("the code of kernel " + std::to_string(i) + " " + wrong);
    }
    return {};
  }

  bool AreAxes(const flatbuffers::Vector<uint32_t>& list) const {
    for (uint32_t axis : list) {
      if (axis >= model_.axes()->size()) return false;
    }
    return true;
  }

  Status Accesses() {
    if (!AreExpressions(*model_.axes())) return Bad("an axis has a length that is no expression");
    for (const file::Dispatch* dispatch : *model_.dispatches()) {
      const std::string name = "dispatch `" + dispatch->name()->str() + "`";
      if (!AreAxes(*dispatch->axes()) || dispatch->tiles()->size() != dispatch->axes()->size() ||
          dispatch->counts()->size() != dispatch->axes()->size() ||
          !AreExpressions(*dispatch->counts()))
        return Bad(name + " has axes that there are not");
      for (const file::Access* access : *dispatch->accesses()) {
        if (access->binding() >= dispatch->bindings()->size() || !AreAxes(*access->axes()) ||
            !AreExpressions(*access->given()) || !AreExpressions(*access->at()))
          return Bad(name + " has an access of what there is not");
        const uint32_t tensor = dispatch->bindings()->Get(access->binding())->tensor();
        if (access->at()->size() != At(tensor).dims()->size() ||
            access->looked_at()->size() != access->at()->size() ||
            (access->written() && !dispatch->bindings()->Get(access->binding())->written()))
          return Bad(name + " has an access of another rank than its tensor's");
      }
    }
    return {};
  }

  // Of 32 bits, so that INT64_MIN is divided by nothing.
  static bool IsSmall(int64_t value) { return IsIn(value, -INT32_MAX, INT32_MAX); }
  // Positions and factors that no arithmetic with sizes overflows.
  static bool IsIn(int64_t value, int64_t least, int64_t most) {
    return least <= value && value <= most;
  }
  static bool IsAxis(int32_t axis, const file::Tensor& tensor) {
    return IsIn(axis, -1, static_cast<int64_t>(tensor.dims()->size()) - 1);
  }

  Status Tilings() {
    constexpr int64_t kMostFactor = 1 << 20;
    if (model_.arena_limit() < 0) return Bad("less memory than none");
    for (const file::Tiling* tiling : *model_.tilings()) {
      if (tiling->symbol() >= model_.symbols()->size() || !IsIn(tiling->step(), 1, kMostFactor) ||
          tiling->inputs()->size() != model_.inputs()->size() ||
          tiling->outputs()->size() != model_.outputs()->size())
        return Bad("parts along what there is not");
      for (uint32_t i = 0; i < tiling->inputs()->size(); ++i) {
        if (!IsAxis(tiling->inputs()->Get(i), At(model_.inputs()->Get(i))))
          return Bad("parts of an input along what there is not");
      }
      for (uint32_t i = 0; i < tiling->outputs()->size(); ++i) {
        const file::TiledOutput& output = *tiling->outputs()->Get(i);
        if (!IsAxis(output.axis(), At(model_.outputs()->Get(i))) ||
            !IsIn(output.numerator(), 1, kMostFactor) ||
            !IsIn(output.denominator(), 1, kMostFactor) || !IsIn(output.before(), 0, INT32_MAX) ||
            !IsIn(output.after(), 0, INT32_MAX))
          return Bad("parts of an output along what there is not");
      }
    }
    return {};
  }

  const file::Model& model_;
};

}  // namespace

uint64_t Crc64(std::span<const uint8_t> bytes) {
  static constexpr std::array<uint64_t, 256> kTable = CrcTable();
  uint64_t crc = ~uint64_t{0};
  for (uint8_t byte : bytes) crc = kTable[(crc ^ byte) & 0xFF] ^ (crc >> 8);
  return ~crc;
}

Status ReadArtifact(std::span<const uint8_t> bytes, const file::Model*& model) {
  if (bytes.size() < 8 + kTrailerBytes ||
      !flatbuffers::BufferHasIdentifier(bytes.data(), file::ModelIdentifier()))
    return Bad("not a .tvk file");
  const std::span<const uint8_t> body = bytes.first(bytes.size() - kTrailerBytes);
  uint64_t crc = 0;
  if (std::memcmp(body.data() + body.size(), kTrailerTag, 8) != 0)
    return Bad("the file is cut off: it does not end with its checksum");
  std::memcpy(&crc, body.data() + body.size() + 8, sizeof crc);
  if (crc != Crc64(body)) return Bad("the file is damaged: its checksum is another one");
  flatbuffers::Verifier verifier(body.data(), body.size(), 64, 1u << 28);
  if (!file::VerifyModelBuffer(verifier)) return Bad("the file is damaged: no FlatBuffer");
  model = file::GetModel(body.data());
  if (model->settings() == nullptr) return Bad("the file does not say how it was made");
  if (model->version() != kFileVersion)
    return Bad("the file has version " + std::to_string(model->version()) +
               ", this runtime reads version " + std::to_string(kFileVersion));
  return Check(*model).Run();
}

size_t BytesOf(file::DType dtype) {
  constexpr std::array<size_t, file::DType_MAX + 1> kBytes = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4,
                                                              8, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  return kBytes[static_cast<size_t>(dtype)];
}

}  // namespace tessera::vulkan
