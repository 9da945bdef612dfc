#include "kernels/product.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::kernels {
namespace {

std::vector<float> Draw(int64_t size, std::mt19937& random) {
  std::normal_distribution<float> normal;
  std::vector<float> elements(static_cast<size_t>(size));
  for (float& element : elements) element = normal(random);
  return elements;
}

// As the header says it: in order, of doubles, rounded once.
float Expected(int64_t inner, Strided<const float> a, Strided<const float> b, int64_t i,
               int64_t j) {
  double sum = 0;
  for (int64_t k = 0; k < inner; ++k) {
    sum += double{a.data[i * a.row + k * a.column]} * double{b.data[k * b.row + j * b.column]};
  }
  return static_cast<float>(sum);
}

void ExpectProduct(int64_t rows, int64_t inner, int64_t columns, Strided<const float> a,
                   Strided<const float> b, bool by_columns) {
  for (const Registers registers : {Registers::kNarrow, Registers::kWide, Registers::kWidest}) {
    if (registers > WidestRegisters()) continue;
    constexpr float kUntouched = 1234;
    std::vector<float> elements(static_cast<size_t>(rows * columns + 3), kUntouched);
    const Strided<float> result = by_columns ? Strided<float>{elements.data(), 1, rows}
                                             : Strided<float>{elements.data(), columns, 1};
    MultiplyFloats(rows, inner, columns, a, b, result, registers);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const float expected = Expected(inner, a, b, i, j);
        const float seen = result.data[i * result.row + j * result.column];
        ASSERT_TRUE(std::bit_cast<uint32_t>(expected) == std::bit_cast<uint32_t>(seen) ||
                    (std::isnan(expected) && std::isnan(seen)))
            << rows << "x" << inner << "x" << columns << " registers "
            << static_cast<int>(registers) << " at " << i << ", " << j << ": " << seen
            << " instead of " << expected;
      }
    }
    for (size_t i = elements.size() - 3; i < elements.size(); ++i)
      ASSERT_EQ(elements[i], kUntouched);
  }
}

TEST(ProductTest, HasTheBitsOfSumsInOrder) {
  std::mt19937 random(1);
  for (const int64_t rows : {1, 2, 4, 7, 259}) {
    for (const int64_t columns : {1, 3, 8, 9, 265}) {
      for (const int64_t inner : {0, 1, 5, 256, 515}) {
        const std::vector<float> a = Draw(rows * inner, random), b = Draw(inner * columns, random);
        const Strided<const float> a_rows = {a.data(), inner, 1}, a_columns = {a.data(), 1, rows};
        const Strided<const float> b_rows = {b.data(), columns, 1},
                                   b_columns = {b.data(), 1, inner};
        ExpectProduct(rows, inner, columns, a_rows, b_rows, false);
        ExpectProduct(rows, inner, columns, a_rows, b_columns, false);
        ExpectProduct(rows, inner, columns, a_columns, b_rows, true);
        ExpectProduct(rows, inner, columns, a_columns, b_columns, true);
      }
    }
  }
}

TEST(ProductTest, InfinitiesStayInTheirRowsAndColumns) {
  std::mt19937 random(2);
  std::vector<float> a = Draw(6 * 5, random), b = Draw(5 * 11, random);
  a[7] = std::numeric_limits<float>::infinity();
  b[20] = -std::numeric_limits<float>::infinity();
  b[33] = std::numeric_limits<float>::quiet_NaN();
  ExpectProduct(6, 5, 11, {a.data(), 5, 1}, {b.data(), 11, 1}, false);
  ExpectProduct(1, 5, 11, {a.data() + 5, 5, 1}, {b.data(), 11, 1}, false);
}

// Of the smallest and the largest floats too: a fused sum and one of two roundings are the same.
TEST(ProductTest, ExtremesAreRoundedOnce) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> exponents(-149, 127);
  std::vector<float> a = Draw(8 * 40, random), b = Draw(40 * 8, random);
  for (std::vector<float>* elements : {&a, &b}) {
    for (float& element : *elements) element = std::ldexp(element, exponents(random));
  }
  ExpectProduct(8, 40, 8, {a.data(), 40, 1}, {b.data(), 8, 1}, false);
  ExpectProduct(8, 40, 1, {a.data(), 40, 1}, {b.data(), 8, 1}, false);
}

}  // namespace
}  // namespace tessera::kernels
