// Stored inputs and expected outputs beside a model, in the layout of ONNX's backend tests:
// `test_data_set_K/input_I.pb`, `output_O.pb`; `.npy` in place of `.pb` will do.
#ifndef TESSERA_TOOLS_VERIFICATION_DATA_SET_H_
#define TESSERA_TOOLS_VERIFICATION_DATA_SET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/cli/tensor_file.h"

namespace tessera::verification {

struct DataSet {
  std::string name;  // `test_data_set_0`
  std::vector<std::optional<cli::StoredTensor>>
      inputs;  // by number; absent where there is no such file
  std::vector<cli::StoredTensor> outputs;
};

// Folders `test_data_set_K` in `folder` by rising K; none is not an error.
absl::StatusOr<std::vector<std::string>> FindDataSets(const std::string& folder);

absl::StatusOr<DataSet> ReadDataSet(const std::string& folder);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_DATA_SET_H_
