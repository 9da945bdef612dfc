#include "frontends/data/wav_file.h"

#include <cmath>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/data/sizes_text.h"
#include "support/file.h"

namespace tessera::data {
namespace {

constexpr uint64_t kIntegers = 1, kFloats = 3, kExtensible = 0xFFFE;

// Little endian.
uint64_t Unsigned(std::string_view bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

struct Sound {
  uint64_t format = 0, channels = 0, bits = 0;
  std::string_view data;

  size_t frame_bytes() const { return static_cast<size_t>(channels * (bits / 8)); }
  double At(size_t sample) const {
    const auto bytes = static_cast<size_t>(bits / 8);
    const uint64_t raw = Unsigned(data.substr(sample * bytes, bytes));
    if (format == kFloats && bits == 32) {
      const auto narrow = static_cast<uint32_t>(raw);
      float value = 0;
      std::memcpy(&value, &narrow, sizeof value);
      return double{value};
    }
    if (format == kFloats) {
      double value = 0;
      std::memcpy(&value, &raw, sizeof value);
      return value;
    }
    // 8 bits are unsigned, more are two's complement.
    const double half = std::ldexp(1.0, static_cast<int>(bits) - 1);
    const auto whole = static_cast<double>(raw);
    return (bits == 8 || whole < half ? whole - (bits == 8 ? half : 0) : whole - 2 * half) / half;
  }
};

// What is wrong with the file; empty: nothing.
std::string Parse(std::string_view bytes, Sound& sound) {
  if (bytes.size() < 12 || bytes.substr(0, 4) != "RIFF" || bytes.substr(8, 4) != "WAVE")
    return "no WAV file";
  bool found = false;
  for (size_t at = 12; bytes.size() - at >= 8;) {
    const std::string_view name = bytes.substr(at, 4);
    const uint64_t size = Unsigned(bytes.substr(at + 4, 4));
    at += 8;
    if (size > bytes.size() - at) return absl::StrCat("cut off within `", std::string(name), "`");
    const std::string_view chunk = bytes.substr(at, static_cast<size_t>(size));
    if (name == "fmt ") {
      if (size < 16) return "no WAV file: its format is cut off";
      sound.format = Unsigned(chunk.substr(0, 2));
      sound.channels = Unsigned(chunk.substr(2, 2));
      sound.bits = Unsigned(chunk.substr(14, 2));
      if (sound.format == kExtensible && size >= 26) sound.format = Unsigned(chunk.substr(24, 2));
    } else if (name == "data") {
      sound.data = chunk;
      found = true;
      break;
    }
    at += static_cast<size_t>(size + size % 2);
    if (at > bytes.size()) break;
  }
  if (!found || sound.channels == 0) return "no WAV file: it has no sound";
  const bool known =
      sound.format == kIntegers
          ? sound.bits == 8 || sound.bits == 16 || sound.bits == 24 || sound.bits == 32
          : sound.format == kFloats && (sound.bits == 32 || sound.bits == 64);
  if (!known)
    return absl::StrCat("sound of format ", sound.format, " in ", sound.bits, " bits is not read");
  if (sound.data.size() % sound.frame_bytes() != 0) return "cut off within a frame";
  return "";
}

bool Holds(const std::optional<int64_t>& size, int64_t n) { return !size || *size == n; }

}  // namespace

absl::StatusOr<ir::Tensor> ReadWav(const std::string& path, ir::DType dtype,
                                   absl::Span<const std::optional<int64_t>> sizes) {
  const auto wrong = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("`", path, "`: ", why));
  };
  if (!ir::Contains(ir::kFloatTypes, dtype))
    return wrong(absl::StrCat("an input of ", std::string(ir::NameOf(dtype)),
                              " takes no sound: those are floats"));
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  Sound sound;
  if (const std::string why = Parse(*bytes, sound); !why.empty()) return wrong(why);
  const auto channels = static_cast<int64_t>(sound.channels);
  const auto frames = static_cast<int64_t>(sound.data.size() / sound.frame_bytes());
  const size_t rank = sizes.size();
  // Axes of channels (none: -1) and of time.
  int channel = -1, time = 0;
  bool fits = rank >= 1 && rank <= 3;
  if (rank == 2) {
    channel = 0;
    time = 1;
  } else if (rank == 3) {
    const bool first = Holds(sizes[1], channels) && Holds(sizes[2], frames);
    channel = first ? 1 : 2;
    time = first ? 2 : 1;
    fits = Holds(sizes[0], 1);
  }
  fits = fits &&
         (channel < 0 ? channels == 1 : Holds(sizes[static_cast<size_t>(channel)], channels)) &&
         Holds(sizes[static_cast<size_t>(time)], frames);
  if (!fits)
    return wrong(absl::StrCat(channels, " channels of ", frames, " values do not fit an input of ",
                              SizesText(sizes)));
  std::vector<int64_t> shape(rank, 1);
  if (channel >= 0) shape[static_cast<size_t>(channel)] = channels;
  shape[static_cast<size_t>(time)] = frames;
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(ir::DType::kF32, shape);
  if (!tensor.ok()) return tensor.status();
  auto* values = tensor->mutable_data<float>();
  const int64_t by_time = time > channel ? 1 : channels, by_channel = time > channel ? frames : 1;
  for (int64_t t = 0; t < frames; ++t) {
    for (int64_t c = 0; c < channels; ++c) {
      values[t * by_time + c * by_channel] =
          static_cast<float>(sound.At(static_cast<size_t>(t * channels + c)));
    }
  }
  return dtype == ir::DType::kF32 ? *std::move(tensor) : tensor->CastTo(dtype);
}

}  // namespace tessera::data
