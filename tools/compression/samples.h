// Samples of a network's inputs in a folder.
#ifndef TESSERA_TOOLS_COMPRESSION_SAMPLES_H_
#define TESSERA_TOOLS_COMPRESSION_SAMPLES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::tools {

// The folder holds either `test_data_set_K` folders in ONNX's layout, or `.npy` (or `.pb`) files,
// each one sample of the network's only input; in order of their names; the first
// `most`, or all. Read when asked for.
// Errors: no such folder, nothing in it that is a sample.
absl::StatusOr<std::unique_ptr<calibration::SampleSource>> OpenSamples(const std::string& folder,
                                                                       const ir::Graph& graph,
                                                                       size_t most = 0);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_SAMPLES_H_
