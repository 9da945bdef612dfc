// A recording against the emulator.
#ifndef TESSERA_TARGETS_NPU_REPLAY_COMPARE_H_
#define TESSERA_TARGETS_NPU_REPLAY_COMPARE_H_

#include <string>

#include "targets/npu/emulator/emulator.h"
#include "targets/npu/replay/recording.h"

namespace tessera::npu {

struct Verdict {
  enum Kind { kMatched, kRejected, kFailed } kind = kFailed;
  // Of a failure what differs; of a rejection the emulator's own words.
  std::string text;
};

// Matched: each recorded output in type, shape and every byte, and whether anything saturated.
// Rejected: refused at the same item, operation, operand, parameter and dimension for the same
// reason.
Verdict Compare(const Recording& recording, const RunOptions& options = {});

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_REPLAY_COMPARE_H_
