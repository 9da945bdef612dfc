#include "frontends/data/image_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "frontends/data/tensor_file.h"
#include "support/file.h"

namespace tessera::data {
namespace {

using Sizes = std::vector<std::optional<int64_t>>;

std::string Written(const std::string& bytes, const std::string& name = "image.png") {
  std::string path = ::testing::TempDir() + "/" + name;
  EXPECT_TRUE(support::WriteFile(path, bytes).ok());
  return path;
}

ir::Tensor Bytes(std::vector<int64_t> shape) {
  const int64_t count =
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>());
  std::vector<int> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(static_cast<int>(i * 37 % 256));
  return ir::Tensor::Of<int>(ir::DType::kU8, std::move(shape), values);
}

std::vector<double> Values(const ir::Tensor& tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.size(); ++i) values.push_back(tensor.AsDouble(i));
  return values;
}

TEST(ImageFile, EveryLayoutComesBackAsItWas) {
  for (const std::vector<int64_t>& shape : std::vector<std::vector<int64_t>>{
           {1, 3, 5, 7}, {1, 1, 2, 9}, {3, 6, 2}, {1, 4, 3, 5}, {1, 5, 7, 3}, {8, 6, 4}, {6, 5}}) {
    const ir::Tensor tensor = Bytes(shape);
    const auto bytes = SerializePng(tensor);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto read =
        ReadPicture(Written(*bytes), ir::DType::kU8, Sizes(shape.begin(), shape.end()));
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_TRUE(ir::Identical(*read, tensor));
  }
}

TEST(ImageFile, LayoutsOfOneFileAreTransposed) {
  const auto path = Written(*SerializePng(Bytes({1, 3, 2, 5})));
  const auto planar =
      ReadPicture(path, ir::DType::kU8, Sizes{std::nullopt, 3, std::nullopt, std::nullopt});
  const auto interleaved =
      ReadPicture(path, ir::DType::kU8, Sizes{std::nullopt, std::nullopt, std::nullopt, 3});
  ASSERT_TRUE(planar.ok() && interleaved.ok());
  EXPECT_EQ(planar->shape(), (std::vector<int64_t>{1, 3, 2, 5}));
  EXPECT_EQ(interleaved->shape(), (std::vector<int64_t>{1, 2, 5, 3}));
  for (int64_t c = 0; c < 3; ++c) {
    for (int64_t at = 0; at < 10; ++at)
      EXPECT_EQ(planar->AsInt(c * 10 + at), interleaved->AsInt(at * 3 + c));
  }
}

TEST(ImageFile, FloatsRunFromZeroToOne) {
  const std::vector<float> values = {
      -1, 0, 0.25f, 0.5f, 1, 7, std::numeric_limits<float>::quiet_NaN()};
  const auto bytes = SerializePng(ir::Tensor::Of<float>(ir::DType::kF32, {1, 7}, values));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto whole =
      ReadPicture(Written(*bytes), ir::DType::kU8, Sizes{std::nullopt, std::nullopt});
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(Values(*whole), (std::vector<double>{0, 0, 64, 128, 255, 255, 0}));
  const auto read =
      ReadPicture(Written(*bytes), ir::DType::kF32, Sizes{std::nullopt, std::nullopt});
  ASSERT_TRUE(read.ok());
  EXPECT_FLOAT_EQ(static_cast<float>(read->AsDouble(2)), 64.0f / 255);
  EXPECT_EQ(read->AsDouble(4), 1.0);
  const auto half =
      ReadPicture(Written(*bytes), ir::DType::kF16, Sizes{std::nullopt, std::nullopt});
  ASSERT_TRUE(half.ok());
  EXPECT_EQ(half->dtype(), ir::DType::kF16);
  EXPECT_NEAR(half->AsDouble(2), 64.0 / 255, 1e-3);
}

TEST(ImageFile, EveryFileCutOffIsRefused) {
  const std::string bytes = *SerializePng(Bytes({1, 3, 9, 11}));
  for (size_t length = 0; length + 12 < bytes.size(); ++length) {  // the last chunk says nothing
    const auto read = ReadPicture(Written(bytes.substr(0, length)), ir::DType::kF32,
                                  Sizes{1, 3, std::nullopt, std::nullopt});
    ASSERT_FALSE(read.ok()) << length;
    EXPECT_NE(read.status().message().find("image.png"), std::string::npos);
  }
}

// Progressive, with colours at half the size: as Pillow 13 reads it.
TEST(ImageFile, PhotographsAreWhatPillowHas) {
  const std::string photo = "frontends/data/testdata/photo.jpg";
  const auto expected = ReadTensorFile("frontends/data/testdata/photo.npy");
  ASSERT_TRUE(expected.ok()) << expected.status();
  const Sizes planar{1, 3, std::nullopt, std::nullopt};
  const auto read = ReadPicture(photo, ir::DType::kU8, planar);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(ir::Identical(*read, expected->tensor));
  const auto floats = ReadPicture(photo, ir::DType::kF32, Sizes{std::nullopt, std::nullopt, 4});
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_EQ(floats->shape(), (std::vector<int64_t>{19, 26, 4}));
  EXPECT_FLOAT_EQ(static_cast<float>(floats->AsDouble(1)),
                  static_cast<float>(read->AsInt(19 * 26)) / 255);
  EXPECT_EQ(floats->AsDouble(3), 1.0);
  EXPECT_TRUE(ReadPicture(photo, ir::DType::kU8, Sizes{std::nullopt, std::nullopt}).ok());

  // By its bytes, whatever its name is.
  const std::string bytes = *support::ReadFile(photo);
  EXPECT_TRUE(ReadPicture(Written(bytes, "photo.png"), ir::DType::kU8, planar).ok());
  for (size_t length = 0; length + 2 < bytes.size(); length += 7) {
    const auto cut =
        ReadPicture(Written(bytes.substr(0, length), "cut.jpg"), ir::DType::kU8, planar);
    ASSERT_FALSE(cut.ok()) << length;
    EXPECT_NE(cut.status().message().find("cut.jpg"), std::string::npos);
  }
  const auto inks = ReadPicture("frontends/data/testdata/inks.jpg", ir::DType::kU8, planar);
  ASSERT_FALSE(inks.ok());
  EXPECT_NE(inks.status().message().find("four inks"), std::string::npos) << inks.status();
}

TEST(ImageFile, NamesOfPictures) {
  for (const char* path : {"a.png", "a/b.JPG", "c.jpeg"}) EXPECT_TRUE(IsPicture(path)) << path;
  for (const char* path : {"png", "a.npy", "a.png/b", ""}) EXPECT_FALSE(IsPicture(path)) << path;
}

TEST(ImageFile, WhatIsNoPictureIsRefused) {
  const auto path = Written(*SerializePng(Bytes({1, 3, 2, 2})));
  EXPECT_FALSE(ReadPicture(path, ir::DType::kF32, Sizes{5, 40, std::nullopt}).ok());
  EXPECT_FALSE(ReadPicture(path, ir::DType::kF32, Sizes{2, 3, std::nullopt, std::nullopt}).ok());
  EXPECT_FALSE(ReadPicture(path, ir::DType::kI64, Sizes{1, 3, std::nullopt, std::nullopt}).ok());
  EXPECT_FALSE(ReadPicture(path + ".png", ir::DType::kF32, Sizes{1, 3, 2, 2}).ok());
  const auto larger = ReadPicture(path, ir::DType::kF32, Sizes{1, 3, std::nullopt, 4});
  ASSERT_FALSE(larger.ok());
  EXPECT_NE(larger.status().message().find("image.png`: a picture 2 wide and 2 high"),
            std::string::npos)
      << larger.status();
  EXPECT_FALSE(SerializePng(Bytes({2, 3, 2, 2})).ok());
  EXPECT_FALSE(SerializePng(Bytes({5, 6, 7})).ok());
  EXPECT_FALSE(SerializePng(Bytes({7})).ok());
  EXPECT_FALSE(SerializePng(Bytes({1, 3, 0, 4})).ok());
}

TEST(Scaled, EachChannelByItsOwnNumbers) {
  const ir::Tensor picture =
      ir::Tensor::Of<float>(ir::DType::kF32, {1, 3, 1, 2}, {0, 1, 0.5, 0.5, 1, 0});
  const auto scaled = Scaled(picture, {{0.5, 0.25, 0}, {0.5, 0.25, 1}});
  ASSERT_TRUE(scaled.ok()) << scaled.status();
  EXPECT_TRUE(ir::Identical(
      *scaled, ir::Tensor::Of<float>(ir::DType::kF32, {1, 3, 1, 2}, {-1, 1, 1, 1, 1, 0})));
  const auto behind = Scaled(picture.Reshaped({1, 2, 1, 3}), {{0.5, 0.25, 0}, {}});
  ASSERT_TRUE(behind.ok()) << behind.status();
  EXPECT_TRUE(ir::Identical(*behind, ir::Tensor::Of<float>(ir::DType::kF32, {1, 2, 1, 3},
                                                           {-0.5, 0.75, 0.5, 0, 0.75, 0})));
  EXPECT_FALSE(Scaled(picture, {{1, 2}, {}}).ok());
  EXPECT_FALSE(Scaled(picture, {{}, {0}}).ok());
  EXPECT_FALSE(Scaled(ir::Tensor::Of<uint8_t>(ir::DType::kU8, {1, 1}, {3}), {{1}, {}}).ok());
}

}  // namespace
}  // namespace tessera::data
