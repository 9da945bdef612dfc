// Reads descriptions of devices (`targets/npu/devices/*.device`), one behind the other:
//
//   # What it is, in a sentence.
//   device NAME [like NAME]                 with all that the other one says, and then
//   recorded NAME | operations RANGE | alignment BYTES | buffer [i8] E1 ... E8
//   without LAYER...                        before any `layers`: those are taken out
//   layers LAYER...                         what follows is said of each of these
//     PLACE (DIM RANGE [by MULTIPLE])... [: TYPE...]
//     products INPUT WEIGHTS plain|compound, ...
//     rule NAME PLACE DIM RANGE [by MULTIPLE] [when CONDITION, ...]
//     rule NAME PLACE is PLACE [when CONDITION, ...]       they have one type
//     rule NAME PLACE square [when CONDITION, ...]
//     without RULE...
//
// RANGE is `LEAST..MOST`, MULTIPLE a number or `TYPE:NUMBER...`, CONDITION `PLACE DIM RANGE`,
// `PLACE : TYPE...` or `pwl`. What is said again replaces what was said before: of a place the
// named dims, or its types. `#` starts a comment.
#ifndef TESSERA_TARGETS_NPU_DEVICE_PARSE_H_
#define TESSERA_TARGETS_NPU_DEVICE_PARSE_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "targets/npu/device/device.h"

namespace tessera::npu {

// Sorted by name; a device may be like one that stands after it. Errors: `line N: ...`.
absl::StatusOr<std::vector<Device>> ParseDevices(std::string_view text);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_DEVICE_PARSE_H_
