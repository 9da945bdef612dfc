// WAV files as tensors of sound. Read here: Debian's libsndfile comes with five libraries of
// codecs, for a format that is a header before numbers.
#ifndef TESSERA_FRONTENDS_DATA_WAV_FILE_H_
#define TESSERA_FRONTENDS_DATA_WAV_FILE_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/dtype.h"
#include "ir/tensor.h"

namespace tessera::data {

// The sound in the file at `path` as a network wants it that takes `sizes` (nullopt: any) of
// `dtype`, a type of floats: [T]; [C, T] or [1, T]; [N, C, T], or [N, T, C] where only the last
// size can be that of the file's channels. N becomes 1. Values run from -1 to 1, at the rate that
// the file has. Read are integers of 8, 16, 24 and 32 bits and floats of 32 and 64, not compressed
// (RIFF WAVE, formats 1 and 3, also as 0xFFFE). Errors name the path: no such file, cut off, sizes
// or a dtype that the sound has not.
absl::StatusOr<ir::Tensor> ReadWav(const std::string& path, ir::DType dtype,
                                   absl::Span<const std::optional<int64_t>> sizes);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_WAV_FILE_H_
