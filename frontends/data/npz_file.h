// NumPy's .npz files: archives of .npy files, as `numpy.savez` writes them.
#ifndef TESSERA_FRONTENDS_DATA_NPZ_FILE_H_
#define TESSERA_FRONTENDS_DATA_NPZ_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/data/tensor_file.h"

namespace tessera::data {

// The arrays in the archive's order, by the names that `numpy.savez` was given (`arr_0`, `arr_1` ..
// where it was given none). Errors: no archive, cut off, a wrong checksum, what is no .npy file,
// compressed arrays (`numpy.savez_compressed`), more than 4 GB.
absl::StatusOr<std::vector<StoredTensor>> ParseNpz(std::string_view bytes);
// Of a file; errors name the path.
absl::StatusOr<std::vector<StoredTensor>> ReadNpz(const std::string& path);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_NPZ_FILE_H_
