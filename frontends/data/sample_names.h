// Which files are samples, by how their names end, in either case.
#ifndef TESSERA_FRONTENDS_DATA_SAMPLE_NAMES_H_
#define TESSERA_FRONTENDS_DATA_SAMPLE_NAMES_H_

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/types/span.h"

namespace tessera::data {

inline constexpr const char* kPictures[] = {".png", ".jpg", ".jpeg"};
// Of a network's only input, as pictures are; and of any number of inputs.
inline constexpr const char* kOfOneInput[] = {".npy", ".pb", ".wav"};
inline constexpr const char* kOfAnyInputs[] = {".npz"};
// Folders of ONNX's layout begin so.
inline constexpr char kDataSetFolder[] = "test_data_set_";

inline bool EndsWithOneOf(const std::string& path, absl::Span<const char* const> ends) {
  return std::any_of(ends.begin(), ends.end(),
                     [&](const char* end) { return absl::EndsWithIgnoreCase(path, end); });
}

}  // namespace tessera::data

#endif  // TESSERA_FRONTENDS_DATA_SAMPLE_NAMES_H_
