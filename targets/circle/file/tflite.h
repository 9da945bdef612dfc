// Circle files as TFLite files, for runtimes of others.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_TFLITE_H_
#define TESSERA_TARGETS_CIRCLE_FILE_TFLITE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace tessera::circle {

// The same bytes under TFLite's identifier and version. Errors: a file that `VerifyCircle` refuses,
// one that uses what only Circle has (see circle.fbs), and one whose writer did not store the
// version, which ours does.
absl::StatusOr<std::string> ToTflite(absl::Span<const uint8_t> circle);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_TFLITE_H_
