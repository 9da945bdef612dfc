// Drives the fuzz target over the corpus and over pseudo-random bytes.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "gtest/gtest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

TEST(ExprFuzzer, Corpus) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator("solver/testdata/expr_fuzzer")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::vector<uint8_t> bytes(std::istreambuf_iterator<char>(in), {});
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0) << entry.path();
    ++inputs;
  }
  EXPECT_GE(inputs, 8);
}

TEST(ExprFuzzer, RandomBytes) {
  std::mt19937 random(20240229);
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 20000; ++i) {
    bytes.resize(random() % 200);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    EXPECT_EQ(LLVMFuzzerTestOneInput(bytes.data(), bytes.size()), 0);
  }
}

}  // namespace
