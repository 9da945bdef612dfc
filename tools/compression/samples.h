// Samples of a network's inputs in a folder.
#ifndef TESSERA_TOOLS_COMPRESSION_SAMPLES_H_
#define TESSERA_TOOLS_COMPRESSION_SAMPLES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/data/image_file.h"
#include "ir/graph.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::tools {

struct SampleOptions {
  size_t most = 0;        // so many at equal distances; 0: all
  data::Scaling scaling;  // of pictures
  // Before that: so many at equal distances are held out, and they are those, or the others.
  size_t held_out = 0;
  bool the_held_out = false;
};

// The folder holds either `test_data_set_K` folders in ONNX's layout, or files, each one sample, in
// order of their names: `.npz` with an array for each input, by their names or (`arr_0` ..) their
// order; of a network of one input also `.npy`, `.pb`, `.png` and `.jpg` (data::ReadPicture, then
// scaled) and `.wav` (data::ReadWav).
// Read when asked for. Errors: no such folder, nothing in it that is a sample, numbers for a
// scaling where there is no picture.
absl::StatusOr<std::unique_ptr<calibration::SampleSource>> OpenSamples(
    const std::string& folder, const ir::Graph& graph, const SampleOptions& options);

// All that there are. Errors as above, but for those that are about a network.
absl::StatusOr<size_t> CountSamples(const std::string& folder);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_SAMPLES_H_
