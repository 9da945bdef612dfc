// An artifact as C++ source for the public library of the device (version 3.0, `gna2-api.h`): who
// has a device builds it with the library's headers and runs what the emulator ran.
#ifndef TESSERA_TARGETS_NPU_GNA_API_SOURCE_H_
#define TESSERA_TARGETS_NPU_GNA_API_SOURCE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {

// For each stage of the device a namespace `stageN` within `name`: what goes in and comes out and
// where, and functions that fill memory and build the model's structures over it. Error
// (InvalidArgument): `name` is no identifier; the artifact has no stage on the device.
absl::StatusOr<std::string> SourceOf(const Bundle& bundle, std::string_view name);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_GNA_API_SOURCE_H_
