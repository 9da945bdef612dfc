// What a JPEG file holds, by TurboJPEG.
#ifndef TESSERA_FRONTENDS_DATA_JPEG_SAMPLES_H_
#define TESSERA_FRONTENDS_DATA_JPEG_SAMPLES_H_

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tessera::data {

struct PixelRows {
  int64_t width = 0, height = 0;
  std::vector<uint8_t> samples;  // row by row, the channels of a pixel side by side
};

bool IsJpeg(std::string_view bytes);

// With so many channels: 1 (brightness), 3, or 4 (the last one 255). As stored: no note in the file
// turns it. The accurate transform and smooth colours, as most readers have them. `admit` is asked
// before memory is taken. Errors: it is no such file, damaged, cut off, or of four inks.
absl::StatusOr<PixelRows> DecodeJpeg(
    std::string_view bytes, int64_t channels,
    const std::function<absl::Status(int64_t width, int64_t height)>& admit);

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_JPEG_SAMPLES_H_
