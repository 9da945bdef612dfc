// Stored inputs and expected outputs beside a model, in the layout of ONNX's backend tests:
// `test_data_set_K/input_I.pb`, `output_O.pb`; `.npy` in place of `.pb` will do.
#ifndef TESSERA_FRONTENDS_DATA_DATA_SET_H_
#define TESSERA_FRONTENDS_DATA_DATA_SET_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontends/data/tensor_file.h"

namespace tessera::data {

struct DataSet {
  std::string name;                                 // `test_data_set_0`
  std::vector<std::optional<StoredTensor>> inputs;  // by number; absent where there is no such file
  std::vector<StoredTensor> outputs;
};

// Folders `test_data_set_K` in `folder` by rising K; none is not an error.
absl::StatusOr<std::vector<std::string>> FindDataSets(const std::string& folder);
// Whether `folder` is one itself: it has some input_K or output_K.
bool HoldsDataSet(const std::string& folder);

absl::StatusOr<DataSet> ReadDataSet(const std::string& folder);

// The inputs in the order of a network's: by name where all names are known, else by number. Error
// (InvalidArgument): another number of inputs, or one that is absent.
absl::StatusOr<std::vector<ir::Tensor>> Arranged(const DataSet& set,
                                                 absl::Span<const std::string> names);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_DATA_SET_H_
