#include "frontends/data/image_file.h"

#include <png.h>

#include <cmath>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/data/jpeg_samples.h"
#include "frontends/data/sample_names.h"
#include "frontends/data/sizes_text.h"
#include "support/file.h"

namespace tessera::data {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 32;

// Where a picture's axes are in a shape; -1: it has none of that name.
struct Axes {
  int batch = -1, channels = -1, height = -1, width = -1;
};

bool IsChannels(const std::optional<int64_t>& size) { return size == 1 || size == 3 || size == 4; }

std::optional<Axes> AxesOf(absl::Span<const std::optional<int64_t>> sizes) {
  const int rank = static_cast<int>(sizes.size());
  if (rank == 2) return Axes{-1, -1, 0, 1};
  if (rank != 3 && rank != 4) return std::nullopt;
  const int first = rank - 3, batch = rank == 4 ? 0 : -1;
  if (batch == 0 && sizes[0].value_or(1) != 1) return std::nullopt;
  if (IsChannels(sizes[static_cast<size_t>(first)]))
    return Axes{batch, first, first + 1, first + 2};
  if (IsChannels(sizes.back())) return Axes{batch, first + 2, first, first + 1};
  return std::nullopt;
}

uint32_t FormatOf(int64_t channels) {
  return channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
}

// How far apart neighbours along each of a picture's axes lie.
struct Strides {
  int64_t channel = 0, row = 0, column = 0;
};
Strides StridesOf(const Axes& axes, absl::Span<const int64_t> shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  const auto of = [&](int axis) { return axis < 0 ? 0 : strides[static_cast<size_t>(axis)]; };
  return {of(axes.channels), of(axes.height), of(axes.width)};
}

// Frees what libpng holds of a picture that was begun.
struct Reading {
  png_image image = {};
  Reading() { image.version = PNG_IMAGE_VERSION; }
  ~Reading() { png_image_free(&image); }
  Reading(const Reading&) = delete;
};

absl::Status CheckSize(int64_t width, int64_t height, int64_t channels) {
  // Both are below 2^31, so that this does not overflow.
  if (width * height <= kMostBytes / channels) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a picture of ", width, "x", height, " is too large"));
}

absl::StatusOr<PixelRows> Decode(std::string_view bytes, int64_t channels) {
  const auto admit = [&](int64_t width, int64_t height) {
    return CheckSize(width, height, channels);
  };
  if (IsJpeg(bytes)) return DecodeJpeg(bytes, channels, admit);
  Reading reading;
  png_image& image = reading.image;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0)
    return absl::InvalidArgumentError(
        absl::StrCat("no JPEG file, and no PNG file: ", image.message));
  PixelRows picture{image.width, image.height, {}};
  if (absl::Status status = admit(picture.width, picture.height); !status.ok()) return status;
  image.format = FormatOf(channels);
  picture.samples.resize(static_cast<size_t>(PNG_IMAGE_SIZE(image)));
  if (png_image_finish_read(&image, nullptr, picture.samples.data(), 0, nullptr) == 0)
    return absl::InvalidArgumentError(image.message);
  return picture;
}

}  // namespace

bool IsPicture(std::string_view path) { return EndsWithOneOf(std::string(path), kPictures); }

absl::StatusOr<ir::Tensor> ReadPicture(const std::string& path, ir::DType dtype,
                                       absl::Span<const std::optional<int64_t>> sizes) {
  const auto wrong = [&](const std::string& why) {
    return absl::InvalidArgumentError(absl::StrCat("`", path, "`: ", why));
  };
  const std::optional<Axes> axes = AxesOf(sizes);
  if (!axes.has_value())
    return wrong(
        absl::StrCat("an input ", SizesText(sizes),
                     " takes no picture: one has 1, 3 or 4 channels, before its height and "
                     "width or behind them"));
  if (dtype != ir::DType::kU8 && !ir::Contains(ir::kFloatTypes, dtype))
    return wrong(absl::StrCat("an input of ", std::string(ir::NameOf(dtype)),
                              " takes no picture: those are floats or u8"));
  const absl::StatusOr<std::string> bytes = support::ReadFile(path);
  if (!bytes.ok()) return bytes.status();
  std::vector<int64_t> shape(sizes.size(), 1);
  int64_t channels = 1;
  if (axes->channels >= 0) {
    channels = *sizes[static_cast<size_t>(axes->channels)];
    shape[static_cast<size_t>(axes->channels)] = channels;
  }
  const absl::StatusOr<PixelRows> picture = Decode(*bytes, channels);
  if (!picture.ok()) return wrong(std::string(picture.status().message()));
  const auto fits = [&](int axis, int64_t size) {
    return sizes[static_cast<size_t>(axis)].value_or(size) == size;
  };
  if (!fits(axes->height, picture->height) || !fits(axes->width, picture->width))
    return wrong(absl::StrCat("a picture ", picture->width, " wide and ", picture->height,
                              " high, and the input is ", SizesText(sizes)));
  shape[static_cast<size_t>(axes->height)] = picture->height;
  shape[static_cast<size_t>(axes->width)] = picture->width;
  absl::StatusOr<ir::Tensor> tensor =
      ir::Tensor::Allocate(dtype == ir::DType::kU8 ? dtype : ir::DType::kF32, shape);
  if (!tensor.ok()) return tensor.status();
  const Strides strides = StridesOf(*axes, shape);
  const uint8_t* from = picture->samples.data();
  for (int64_t y = 0; y < picture->height; ++y) {
    for (int64_t x = 0; x < picture->width; ++x) {
      for (int64_t c = 0; c < channels; ++c, ++from) {
        const int64_t to = c * strides.channel + y * strides.row + x * strides.column;
        if (dtype == ir::DType::kU8)
          tensor->mutable_data<uint8_t>()[to] = *from;
        else
          tensor->mutable_data<float>()[to] = static_cast<float>(*from) / 255.0f;
      }
    }
  }
  return tensor->dtype() == dtype ? *std::move(tensor) : tensor->CastTo(dtype);
}

absl::StatusOr<ir::Tensor> Scaled(const ir::Tensor& picture, const Scaling& scaling) {
  if (scaling.mean.empty() && scaling.deviation.empty()) return picture;
  const std::vector<std::optional<int64_t>> sizes(picture.shape().begin(), picture.shape().end());
  const std::optional<Axes> axes = AxesOf(sizes);
  if (!axes.has_value() || !ir::Contains(ir::kFloatTypes, picture.dtype()))
    return absl::InvalidArgumentError(absl::StrCat("pictures of ",
                                                   std::string(ir::NameOf(picture.dtype())),
                                                   " are not scaled: those of floats are"));
  const int64_t channels =
      axes->channels < 0 ? 1 : picture.shape()[static_cast<size_t>(axes->channels)];
  for (const std::vector<double>* numbers : {&scaling.mean, &scaling.deviation}) {
    if (numbers->size() > 1 && static_cast<int64_t>(numbers->size()) != channels)
      return absl::InvalidArgumentError(
          absl::StrCat(numbers->size(), " numbers for the ", channels, " channels of a picture"));
  }
  for (const double deviation : scaling.deviation) {
    if (!(deviation > 0))
      return absl::InvalidArgumentError(absl::StrCat("a deviation of ", deviation));
  }
  const auto of = [](const std::vector<double>& numbers, int64_t c, double otherwise) {
    return numbers.empty() ? otherwise : numbers[numbers.size() == 1 ? 0 : static_cast<size_t>(c)];
  };
  const Strides strides = StridesOf(*axes, picture.shape());
  ir::Tensor scaled = picture.CastTo(ir::DType::kF32);
  float* const elements = scaled.mutable_data<float>();
  for (int64_t i = 0; i < scaled.size(); ++i) {
    const int64_t c = strides.channel == 0 ? 0 : i / strides.channel % channels;
    elements[i] = static_cast<float>((double{elements[i]} - of(scaling.mean, c, 0)) /
                                     of(scaling.deviation, c, 1));
  }
  return picture.dtype() == ir::DType::kF32 ? scaled : scaled.CastTo(picture.dtype());
}

absl::StatusOr<std::string> SerializePng(const ir::Tensor& tensor) {
  const std::vector<std::optional<int64_t>> sizes(tensor.shape().begin(), tensor.shape().end());
  const std::optional<Axes> axes = AxesOf(sizes);
  if (!axes.has_value())
    return absl::InvalidArgumentError(
        absl::StrCat(SizesText(sizes),
                     " is no picture: one has 1, 3 or 4 channels, before its height "
                     "and width or behind them"));
  if (tensor.dtype() != ir::DType::kU8 && tensor.dtype() != ir::DType::kF16 &&
      tensor.dtype() != ir::DType::kF32 && tensor.dtype() != ir::DType::kF64)
    return absl::InvalidArgumentError(
        absl::StrCat("elements of ", std::string(ir::NameOf(tensor.dtype())), " are no picture"));
  const auto size = [&](int axis) {
    return axis < 0 ? 1 : tensor.shape()[static_cast<size_t>(axis)];
  };
  const int64_t channels = size(axes->channels), height = size(axes->height),
                width = size(axes->width);
  constexpr int64_t kMostPixels = 1 << 30;
  if (height == 0 || width == 0 || height > kMostPixels / width)
    return absl::InvalidArgumentError(absl::StrCat("PNG has no picture of ", width, "x", height));
  const Strides strides = StridesOf(*axes, tensor.shape());
  std::vector<uint8_t> samples;
  samples.reserve(static_cast<size_t>(tensor.size()));
  for (int64_t y = 0; y < height; ++y) {
    for (int64_t x = 0; x < width; ++x) {
      for (int64_t c = 0; c < channels; ++c) {
        const double value =
            tensor.AsDouble(c * strides.channel + y * strides.row + x * strides.column);
        if (tensor.dtype() == ir::DType::kU8)
          samples.push_back(static_cast<uint8_t>(value));
        else  // of NaN neither holds
          samples.push_back(static_cast<uint8_t>(value >= 1  ? 255.0
                                                 : value > 0 ? std::floor(value * 255 + 0.5)
                                                             : 0.0));
      }
    }
  }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<uint32_t>(width);
  image.height = static_cast<uint32_t>(height);
  image.format = FormatOf(channels);
  png_alloc_size_t bytes = 0;
  std::string file;
  if (png_image_write_to_memory(&image, nullptr, &bytes, 0, samples.data(), 0, nullptr) != 0) {
    file.resize(bytes);
    if (png_image_write_to_memory(&image, file.data(), &bytes, 0, samples.data(), 0, nullptr) !=
        0) {
      file.resize(bytes);
      return file;
    }
  }
  return absl::InternalError(image.message);
}

}  // namespace tessera::data
