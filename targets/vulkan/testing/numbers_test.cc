// Numbers that devices compute as they like if they are let, against the reference.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/tensor.h"
#include "targets/vulkan/testing/run_program.h"

namespace tessera::vulkan {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

template <typename T>
ir::Tensor Row(ir::DType dtype, const std::vector<T>& values) {
  return ir::Tensor::Of<T>(dtype, {static_cast<int64_t>(values.size())}, values);
}

ir::Tensor Made(const std::vector<int64_t>& shape, const std::function<float(int64_t)>& element) {
  int64_t size = 1;
  for (int64_t dim : shape) size *= dim;
  std::vector<float> values;
  for (int64_t i = 0; i < size; ++i) values.push_back(element(i));
  return ir::Tensor::Of<float>(ir::DType::kF32, shape, values);
}

// Of both signs, of all sizes, and between two numbers of f16, at ties of both parities.
std::vector<float> Numbers() {
  std::vector<float> numbers = {0.0f,     -0.0f,          kInfinity,  -kInfinity, kNan,
                                65504.0f, 65519.99f,      65520.0f,   1e30f,      1e-30f,
                                1e-45f,   2.98023224e-8f, 2.9803e-8f, 8.9407e-8f, 6.097555e-5f};
  for (float size = 1e-9f; size < 1e9f; size *= 1.37f) numbers.insert(numbers.end(), {size, -size});
  for (int i = 0; i < 64; ++i) numbers.push_back(1.0f + static_cast<float>(i) / 4096);
  while (numbers.size() % 4 != 0) numbers.push_back(1);
  return numbers;
}

TEST(Numbers, AreRoundedToTheNearestHalf) {
  for (const bool whole_fours : {true, false}) {
    std::vector<float> numbers = Numbers();
    if (!whole_fours) numbers.pop_back();
    const size_t n = numbers.size();
    EXPECT_EQ(DifferenceOf(absl::StrCat("input %0 \"x\" : f32[", n,
                                        "]\n%1 = core.Cast(%0) "
                                        "{to=f16} : f16[",
                                        n, "]\noutput \"y\" = %1\n"),
                           {Row(ir::DType::kF32, numbers)}, 0),
              "");
  }
}

// Winograd's method multiplies with numbers that are larger than those of the image.
TEST(Numbers, OfWinogradsMethodAreWithinHalf) {
  ir::Tensor x = Made({1, 32, 16, 16}, [](int64_t i) { return static_cast<float>(i * 37 % 4001); });
  ir::Tensor w =
      Made({32, 32, 3, 3}, [](int64_t i) { return static_cast<float>(i * 41 % 101) / 1e3f; });
  EXPECT_EQ(
      DifferenceOf("input %0 \"x\" : f32[1,32,16,16]\ninput %1 \"w\" : f32[32,32,3,3]\n"
                   "%2 = core.Conv(%0, %1) {pads_begin=[1,1], pads_end=[1,1]} : f32[1,32,16,16]\n"
                   "output \"y\" = %2\n",
                   {std::move(x), std::move(w)}, 8e-3, true),
      "");
}

// The pooled image is kept, since it is read twice, and no kernel but one of floats reads it.
TEST(Numbers, ThatDecideSomethingAreNotRounded) {
  const ir::Tensor x = Made(
      {1, 1, 20, 20}, [](int64_t i) { return 0.5f + static_cast<float>(i * 37 % 401) * 1e-5f; });
  const ir::Tensor border = Row<float>(ir::DType::kF32, {0.502f}),
                   factor = Row<float>(ir::DType::kF32, {1e4f});
  const std::string pooled =
      "input %0 \"x\" : f32[1,1,20,20]\ninput %1 \"a\" : f32[1]\ninput %2 \"b\" : f32[1]\n"
      "%3 = core.MaxPool(%0) {kernel_shape=[2,2]} : f32[1,1,19,19]\n"
      "%4 = core.Transpose(%3) {perm=[0,1,3,2]} : f32[1,1,19,19]\n"
      "%5 = core.Tanh(%4) : f32[1,1,19,19]\noutput \"t\" = %5\n";
  EXPECT_EQ(DifferenceOf(absl::StrCat(pooled,
                                      "%6 = core.Greater(%3, %1) : bool[1,1,19,19]\n"
                                      "%7 = core.Where(%6, %1, %2) : f32[1,1,19,19]\n"
                                      "output \"y\" = %7\n"),
                         {x, border, factor}, 1e-3, true),
            "");
  EXPECT_EQ(DifferenceOf(absl::StrCat(pooled,
                                      "%6 = core.Mul(%3, %2) : f32[1,1,19,19]\n"
                                      "%7 = core.Cast(%6) {to=i64} : i64[1,1,19,19]\n"
                                      "%8 = core.Cast(%7) {to=f32} : f32[1,1,19,19]\n"
                                      "output \"y\" = %8\n"),
                         {x, border, factor}, 1e-5, true),
            "");
}

TEST(Numbers, OfDoublesBecomeIntegersThatAreNotNegative) {
  std::vector<double> numbers = {0,          -0.0, -1,   -0.5, -1e30, kInfinity,
                                 -kInfinity, kNan, 1e30, 1e19, 7.9};
  const size_t n = numbers.size();
  EXPECT_EQ(
      DifferenceOf(absl::StrCat("input %0 \"x\" : f64[", n, "]\n%1 = core.Cast(%0) {to=u64} : u64[",
                                n, "]\noutput \"y\" = %1\n"),
                   {Row(ir::DType::kF64, numbers)}, 0),
      "");
}

// Each to the power of each, and 1 by it, which tells zeros apart.
TEST(Numbers, SpecialOnesHavePowers) {
  const std::vector<float> numbers = {0.0f,   -0.0f,   1.0f,  -1.0f,     0.5f,       -0.5f,
                                      2.0f,   -2.0f,   3.0f,  -3.0f,     1.5f,       -1.5f,
                                      100.0f, -101.0f, 1e30f, kInfinity, -kInfinity, kNan};
  const size_t n = numbers.size();
  EXPECT_EQ(DifferenceOf(absl::StrCat("input %0 \"x\" : f32[", n, "]\ninput %1 \"y\" : f32[", n,
                                      "]\ninput %9 \"o\" : f32[1]\n%2 = core.Reshape(%0) {shape=[",
                                      n, ",1]} : f32[", n, ",1]\n%3 = core.Pow(%2, %1) : f32[", n,
                                      ",", n, "]\n%4 = core.Div(%9, %3) : f32[", n, ",", n,
                                      "]\noutput \"p\" = %3\noutput \"r\" = %4\n"),
                         {Row(ir::DType::kF32, numbers), Row(ir::DType::kF32, numbers),
                          Row<float>(ir::DType::kF32, {1})},
                         1e-5),
            "");
}

// However often they go round, and near what the functions are 0 or infinite of.
TEST(Numbers, OfAnySizeAreAngles) {
  std::vector<float> numbers = {0.0f,        -0.0f,      1e8f,        1.4e8f, 12799.5f,
                                12800.5f,    3.4e38f,    kInfinity,   kNan,   1.57079637f,
                                3.14159274f, 6.2831855f, 16367173.0f, 1.6e29f};
  for (float size = 1e-7f; size < 1e38f; size *= 1.0937f)
    numbers.insert(numbers.end(), {size, -size});
  const size_t n = numbers.size();
  for (const std::string op : {"Sin", "Cos", "Tan"}) {
    EXPECT_EQ(DifferenceOf(absl::StrCat("input %0 \"x\" : f32[", n, "]\n%1 = core.", op,
                                        "(%0) : f32[", n, "]\noutput \"y\" = %1\n"),
                           {Row(ir::DType::kF32, numbers)}, op == "Tan" ? 1e-6 : 2e-7),
              "")
        << op;
  }
}

// What is added to a sum of all that came before it would lose five of its bits, each the same way.
TEST(Numbers, OfLongSumsAreAllCounted) {
  const std::string text =
      "input %0 \"x\" : f32[60000]\n%1 = core.ReduceSum(%0) {axes=[0]} : f32[1]\n"
      "output \"y\" = %1\n";
  EXPECT_EQ(DifferenceOf(text, {Row(ir::DType::kF32, std::vector<float>(60000, 0.1f))}, 2e-5), "");
  std::string rows = absl::StrCat(
      "input %0 \"x\" : f32[20000,3]\n%1 = core.ReduceSum(%0) {axes=[0,1]} : f32[1,1]\n",
      "output \"y\" = %1\n");
  ir::Tensor x = Made({20000, 3}, [](int64_t) { return 0.1f; });
  EXPECT_EQ(DifferenceOf(rows, {std::move(x)}, 2e-5), "");
}

}  // namespace
}  // namespace tessera::vulkan
