// What was asked of a model: each limit of its device that it meets, with what met it.
#ifndef TESSERA_TARGETS_NPU_MODEL_LIMIT_LOG_H_
#define TESSERA_TARGETS_NPU_MODEL_LIMIT_LOG_H_

#include <compare>
#include <set>
#include <string>

namespace tessera::npu {

struct MetLimit {
  std::string id;         // `affine.input.H`
  std::string statement;  // solver/certificate/statement.h: `8 <= 440 && 440 <= 65535 && ...`
  std::string message;    // `8..65535, a multiple of 8; here 440`; types have their names
  auto operator<=>(const MetLimit&) const = default;
};
using LimitLog = std::set<MetLimit>;

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_LIMIT_LOG_H_
