#include "targets/vulkan/shader/matrix_types.h"

#include <algorithm>
#include <functional>
#include <map>

namespace tessera::vulkan {
namespace {

// Numbers of the SPIR-V specification and of SPV_KHR_cooperative_matrix.
constexpr uint32_t kCapability = 17, kTypeVoid = 19, kTypeFloat = 22, kTypeForwardPointer = 39,
                   kConstant = 43, kTypeMatrix = 4456;
constexpr uint32_t kCooperativeMatrix = 6022;
constexpr size_t kHeaderWords = 5;

// `visit` gets each instruction's number and its words, the first of which holds that; false ends.
void Each(absl::Span<const uint32_t> code,
          const std::function<bool(uint32_t, absl::Span<const uint32_t>)>& visit) {
  for (size_t at = kHeaderWords; at < code.size();) {
    const size_t words = code[at] >> 16;
    if (words == 0 || words > code.size() - at ||
        !visit(code[at] & 0xFFFF, code.subspan(at, words)))
      return;
    at += words;
  }
}

}  // namespace

bool HasMatrices(absl::Span<const uint32_t> code) {
  bool has = false;
  Each(code, [&](uint32_t number, absl::Span<const uint32_t> words) {
    has |= number == kCapability && words.size() == 2 && words[1] == kCooperativeMatrix;
    return number == kCapability;
  });
  return has;
}

absl::StatusOr<std::vector<uint32_t>> WithMatrixTypes(absl::Span<const uint32_t> code) {
  std::map<uint32_t, uint32_t> floats, constants;  // types by width, values by constant
  std::vector<uint32_t> first;                     // the types of floats, as they are declared
  Each(code, [&](uint32_t number, absl::Span<const uint32_t> words) {
    if (number == kTypeFloat && words.size() == 3) {
      floats[words[2]] = words[1];
      first.insert(first.end(), words.begin(), words.end());
    }
    if (number == kConstant && words.size() == 4) constants[words[2]] = words[3];
    return true;
  });
  std::vector<uint32_t> typed(code.begin(), code.begin() + kHeaderWords);
  bool placed = false, whole = true;
  Each(code, [&](uint32_t number, absl::Span<const uint32_t> words) {
    if (!placed && number >= kTypeVoid && number <= kTypeForwardPointer) {
      typed.insert(typed.end(), first.begin(), first.end());
      placed = true;
    }
    if (number == kTypeFloat) return true;
    typed.insert(typed.end(), words.begin(), words.end());
    if (number != kTypeMatrix) return true;
    const auto width = words.size() == 7 ? constants.find(words[2]) : constants.end();
    const auto type = width == constants.end() ? floats.end() : floats.find(width->second);
    whole &= type != floats.end();
    if (whole) typed[typed.size() - words.size() + 2] = type->second;
    return true;
  });
  if (!whole || !placed) return absl::InternalError("has matrices of what are no floats");
  return typed;
}

}  // namespace tessera::vulkan
