#include "frontends/data/wav_file.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "ir/dtype.h"
#include "ir/tensor.h"

namespace tessera::data {
namespace {

std::string Number(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i)
    text.push_back(static_cast<char>(i < 8 ? value >> (8 * i) & 255 : 0));
  return text;
}

// A file of that format, with a chunk of odd size before the sound.
std::string Wav(uint64_t format, uint64_t channels, uint64_t bits, const std::string& sound) {
  std::string fmt = Number(format, 2) + Number(channels, 2) + Number(16000, 4) +
                    Number(16000 * channels * bits / 8, 4) + Number(channels * bits / 8, 2) +
                    Number(bits, 2);
  if (format == 0xFFFE) fmt += Number(22, 2) + Number(bits, 2) + Number(0, 4) + Number(1, 16);
  const std::string chunks = "WAVEfmt " + Number(fmt.size(), 4) + fmt + "LIST" + Number(3, 4) +
                             "abc" + std::string(1, '\0') + "data" + Number(sound.size(), 4) +
                             sound;
  return "RIFF" + Number(chunks.size(), 4) + chunks;
}

absl::StatusOr<ir::Tensor> Read(const std::string& bytes,
                                const std::vector<std::optional<int64_t>>& sizes,
                                ir::DType dtype = ir::DType::kF32) {
  const std::string path = testing::TempDir() + "/x.wav";
  std::ofstream(path, std::ios::binary) << bytes;
  return ReadWav(path, dtype, sizes);
}

std::vector<float> Values(const absl::StatusOr<ir::Tensor>& tensor) {
  EXPECT_TRUE(tensor.ok()) << tensor.status();
  if (!tensor.ok()) return {};
  return {tensor->data<float>(), tensor->data<float>() + tensor->size()};
}

TEST(Wav, IsReadInEveryFormat) {
  const std::vector<float> expected = {0, 0.5f, -0.5f, -1};
  EXPECT_EQ(Values(Read(Wav(1, 1, 8, "\x80\xC0\x40" + std::string(1, '\0')), {4})), expected);
  for (const uint64_t bits : {16, 24, 32}) {
    std::string sound;
    for (const uint64_t high : {0x00, 0x40, 0xC0, 0x80})
      sound += Number(high << (bits - 8), static_cast<int>(bits / 8));
    EXPECT_EQ(Values(Read(Wav(1, 1, bits, sound), {4})), expected) << bits;
    EXPECT_EQ(Values(Read(Wav(0xFFFE, 1, bits, sound), {4})), expected) << bits;
  }
  std::string narrow(16, '\0'), wide(32, '\0');
  for (size_t i = 0; i < 4; ++i) {
    const double value = double{expected[i]};
    std::memcpy(&narrow[4 * i], &expected[i], 4);
    std::memcpy(&wide[8 * i], &value, 8);
  }
  EXPECT_EQ(Values(Read(Wav(3, 1, 32, narrow), {4})), expected);
  EXPECT_EQ(Values(Read(Wav(3, 1, 64, wide), {4})), expected);
}

TEST(Wav, GoesWhereTheNetworkWantsIt) {
  // Two channels of three values.
  const std::string two = Wav(1, 2, 8, "\x90\x10\xA0\x20\xB0\x30");
  const std::vector<float> left = {0.125f, 0.25f, 0.375f}, right = {-0.875f, -0.75f, -0.625f};
  std::vector<float> apart = left;
  apart.insert(apart.end(), right.begin(), right.end());
  EXPECT_EQ(Values(Read(two, {2, 3})), apart);
  EXPECT_EQ(Values(Read(two, {std::nullopt, 2, std::nullopt})), apart);
  EXPECT_EQ(Read(two, {std::nullopt, 2, 3})->shape(), (std::vector<int64_t>{1, 2, 3}));
  const auto joined = Read(two, {1, std::nullopt, 2});
  EXPECT_EQ(Values(joined), (std::vector<float>{0.125f, -0.875f, 0.25f, -0.75f, 0.375f, -0.625f}));
  EXPECT_EQ(joined->shape(), (std::vector<int64_t>{1, 3, 2}));
  const std::string one = Wav(1, 1, 8, "\x90\xA0\xB0");
  for (const auto& sizes : std::vector<std::vector<std::optional<int64_t>>>{
           {3}, {1, 3}, {std::nullopt, std::nullopt}, {1, 1, 3}, {1, 3, 1}})
    EXPECT_EQ(Values(Read(one, sizes)), left);
}

TEST(Wav, WhatIsWrongIsSaid) {
  const std::string good = Wav(1, 2, 16, Number(1, 2) + Number(2, 2));
  for (const std::vector<std::optional<int64_t>>& sizes :
       std::vector<std::vector<std::optional<int64_t>>>{
           {}, {1}, {2, 2}, {1, 1}, {2, 2, 1}, {1, 1, 2, 1}}) {
    const absl::Status status = Read(good, sizes).status();
    EXPECT_TRUE(std::string(status.message()).find("2 channels of 1 values") != std::string::npos)
        << status;
  }
  EXPECT_FALSE(Read(good, {2, 1}, ir::DType::kI64).ok());
  EXPECT_FALSE(Read(Wav(1, 1, 12, "abc"), {2}).ok());
  EXPECT_FALSE(Read(Wav(2, 1, 16, "ab"), {1}).ok());
  EXPECT_FALSE(Read(Wav(1, 0, 16, ""), {0}).ok());
  EXPECT_FALSE(Read(Wav(1, 2, 16, "abcdef"), {2, 1}).ok());
  // Wherever it is cut off.
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(Read(good.substr(0, size), {2, 1}).ok()) << size;
}

}  // namespace
}  // namespace tessera::data
