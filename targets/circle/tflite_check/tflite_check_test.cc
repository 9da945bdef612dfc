// Files of our writer, run by TFLite.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/tflite.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/tflite_check/tflite_oracle.h"

namespace tessera::circle {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

absl::StatusOr<std::string> Tflite(const FileModel& model) {
  const absl::StatusOr<std::string> circle = WriteCircle(model);
  if (!circle.ok()) return circle.status();
  return ToTflite(Bytes(*circle));
}

ir::Tensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), absl::MakeConstSpan(values));
}

std::vector<float> Values(const ir::Tensor& tensor) {
  return {tensor.data<float>(), tensor.data<float>() + tensor.size()};
}

TEST(TfliteCheck, AdditionOfDynamicSize) {
  const absl::StatusOr<std::string> model = Tflite(AddModel());
  ASSERT_TRUE(model.ok()) << model.status();
  const std::vector<float> a{1, 2, 3, 4, 5, 6}, b{0.5f, -2, 0, 1e6f, 7, -6};
  for (TfliteKernels kernels : {TfliteKernels::kReference, TfliteKernels::kOptimized}) {
    const auto outputs = RunTflite(*model, {Floats({3, 2}, a), Floats({3, 2}, b)}, kernels);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    ASSERT_EQ(outputs->size(), 1u);
    EXPECT_EQ((*outputs)[0].shape(), (std::vector<int64_t>{3, 2}));
    EXPECT_EQ(Values((*outputs)[0]), (std::vector<float>{1.5f, 0, 3, 1000004, 12, 0}));
  }
}

// max(0, bias + sum over a 3x3 window and 2 channels), stride 2 down and 1 across. SAME: down, 4
// rows at stride 2 give 2, which need 2 + 3 = 5 rows, so 1 row of zeros, all of it below; across, 1
// column of zeros on each side.
std::vector<float> Convolved(const FileModel& model, const std::vector<float>& image) {
  const auto* filter = reinterpret_cast<const float*>(model.main().tensors[1].data.data());
  const auto* bias = reinterpret_cast<const float*>(model.main().tensors[2].data.data());
  std::vector<float> result;
  for (int p = 0; p < 2; ++p) {
    for (int q = 0; q < 5; ++q) {
      for (int m = 0; m < 3; ++m) {
        double sum = bias[m];
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            const int row = 2 * p + i, column = q + j - 1;
            if (row >= 4 || column < 0 || column >= 5) continue;
            for (int c = 0; c < 2; ++c) {
              sum +=
                  double{image[(row * 5 + column) * 2 + c]} * filter[((m * 3 + i) * 3 + j) * 2 + c];
            }
          }
        }
        result.push_back(static_cast<float>(std::max(0.0, sum)));
      }
    }
  }
  return result;
}

TEST(TfliteCheck, Convolution) {
  const FileModel file = ConvModel();
  const absl::StatusOr<std::string> model = Tflite(file);
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<float> image;
  for (int i = 0; i < 4 * 5 * 2; ++i) image.push_back(static_cast<float>(i * 7 % 11) / 8 - 0.5f);
  const std::vector<float> expected = Convolved(file, image);
  // The values are multiples of 1/32 below 2^6, so that no sum of them is rounded.
  for (TfliteKernels kernels : {TfliteKernels::kReference, TfliteKernels::kOptimized}) {
    const auto outputs = RunTflite(*model, {Floats({1, 4, 5, 2}, image)}, kernels);
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ((*outputs)[0].shape(), (std::vector<int64_t>{1, 2, 5, 3}));
    EXPECT_EQ(Values((*outputs)[0]), expected);
  }
  EXPECT_NE(std::count(expected.begin(), expected.end(), 0.0f), 0);
  EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 1.0f);
}

TEST(TfliteCheck, TheRuntimeRefusesWhatIsNotTflite) {
  const absl::Status status = RunTflite(*WriteCircle(AddModel()), {}).status();
  EXPECT_NE(status.message().find("TFL3"), absl::string_view::npos) << status;
  EXPECT_FALSE(RunTflite(*Tflite(AddModel()), {}).ok());
}

TEST(TfliteCheck, WhatOnlyCircleHasIsNotConverted) {
  const absl::Status code = Tflite(EveryKindModel()).status();
  EXPECT_EQ(code.message(), "operator 0 `INSTANCE_NORM`: its code is not of TFLite");
  FileModel model = AddModel();
  for (FileTensor& tensor : model.main().tensors) tensor.type = ::circle::TensorType_UINT4;
  EXPECT_EQ(Tflite(model).status().message(), "tensor 0 `a`: type UINT4 is not of TFLite");
  EXPECT_FALSE(ToTflite(Bytes("CIR0")).ok());
}

TEST(TfliteCheck, OnlyIdentifierAndVersionChange) {
  const std::string circle = *WriteCircle(ConvModel()), tflite = *Tflite(ConvModel());
  ASSERT_EQ(circle.size(), tflite.size());
  int changed = 0;
  for (size_t i = 0; i < circle.size(); ++i) changed += circle[i] != tflite[i];
  EXPECT_EQ(changed, 4 + 1);  // CIR0 and TFL3 have no letter in common at a place
  EXPECT_EQ(tflite.substr(4, 4), "TFL3");
}

}  // namespace
}  // namespace tessera::circle
