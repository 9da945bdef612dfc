#include "frontends/data/jpeg_samples.h"

#include <turbojpeg.h>

#include <memory>
#include <type_traits>

#include "absl/strings/str_cat.h"

namespace tessera::data {
namespace {

struct Destroy {
  void operator()(void* reader) const { tjDestroy(reader); }
};

int FormatOf(int64_t channels) {
  return channels == 1 ? TJPF_GRAY : channels == 3 ? TJPF_RGB : TJPF_RGBA;
}

}  // namespace

bool IsJpeg(std::string_view bytes) { return bytes.substr(0, 3) == "\xff\xd8\xff"; }

absl::StatusOr<PixelRows> DecodeJpeg(
    std::string_view bytes, int64_t channels,
    const std::function<absl::Status(int64_t width, int64_t height)>& admit) {
  const std::unique_ptr<std::remove_pointer_t<tjhandle>, Destroy> reader(tjInitDecompress());
  if (reader == nullptr) return absl::InternalError(tjGetErrorStr2(nullptr));
  const auto* const data = reinterpret_cast<const unsigned char*>(bytes.data());
  int width = 0, height = 0, subsampling = 0, colours = 0;
  if (tjDecompressHeader3(reader.get(), data, bytes.size(), &width, &height, &subsampling,
                          &colours) != 0)
    return absl::InvalidArgumentError(tjGetErrorStr2(reader.get()));
  if (colours == TJCS_CMYK || colours == TJCS_YCCK)
    return absl::InvalidArgumentError("a picture of four inks (CMYK) has no red, green and blue");
  if (absl::Status status = admit(width, height); !status.ok()) return status;
  PixelRows picture{width, height, {}};
  picture.samples.resize(static_cast<size_t>(int64_t{width} * height * channels));
  // A file of few bytes may ask for scan after scan.
  constexpr int kFlags = TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS;
  // What is only warned of is a picture whose rest was made up.
  if (tjDecompress2(reader.get(), data, bytes.size(), picture.samples.data(), width, 0, height,
                    FormatOf(channels), kFlags) != 0)
    return absl::InvalidArgumentError(tjGetErrorStr2(reader.get()));
  return picture;
}

}  // namespace tessera::data
