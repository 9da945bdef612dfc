// A real model, damaged in seeded ways. Built with sanitizers, this finds what the importer, the
// generated clauses and shape inference trust too much.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "frontends/onnx/import_fuzz.h"
#include "frontends/onnx/model_splice.h"
#include "gtest/gtest.h"
#include "ir/registry.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();  // generated
}  // namespace tessera::ops

namespace tessera::onnx_import {
namespace {

class ImportDamageTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ir::Registry::Global().Add(ops::CoreOps()); }
  void SetUp() override {
    std::ifstream file("testdata/unet_d1_padded/model.onnx", std::ios::binary);
    model_.assign(std::istreambuf_iterator<char>(file), {});
    ASSERT_GT(model_.size(), 50'000u);
  }
  // False: refused.
  static bool Import(const std::vector<uint8_t>& bytes) {
    bool imported = false;
    EXPECT_EQ(FuzzImport(bytes.data(), bytes.size(), imported), "");
    return imported;
  }
  // Offsets of all bytes that are not weights.
  std::vector<size_t> StructureOffsets() const {
    auto spliced = SpliceModel(model_);
    EXPECT_TRUE(spliced.ok()) << spliced.status();
    std::vector<bool> weight(model_.size(), false);
    for (const auto blob : spliced->blobs) {
      std::fill_n(weight.begin() + (blob.data() - model_.data()), blob.size(), true);
    }
    std::vector<size_t> offsets;
    for (size_t i = 0; i < weight.size(); ++i) {
      if (!weight[i]) offsets.push_back(i);
    }
    return offsets;
  }

  std::vector<uint8_t> model_;
};

TEST_F(ImportDamageTest, TheModelItself) { EXPECT_TRUE(Import(model_)); }

TEST_F(ImportDamageTest, FlippedBitsAnywhere) {
  std::mt19937 random(1);
  int imported = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint8_t> damaged = model_;
    damaged[random() % damaged.size()] ^= 1 << random() % 8;
    imported += Import(damaged);
  }
  EXPECT_GT(imported, 500);  // most bytes are weights, and any weight is as good as another
  EXPECT_LT(imported, 1000);
}

TEST_F(ImportDamageTest, FlippedBitsInTheStructure) {
  const std::vector<size_t> offsets = StructureOffsets();
  ASSERT_GT(offsets.size(), 3000u);
  std::mt19937 random(2);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<uint8_t> damaged = model_;
    for (int flips = 1 + round % 3; flips > 0; --flips) {
      damaged[offsets[random() % offsets.size()]] ^= 1 << random() % 8;
    }
    refused += !Import(damaged);
  }
  EXPECT_GT(refused, 500);
}

TEST_F(ImportDamageTest, Truncations) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const size_t size = round < 100 ? static_cast<size_t>(round) : random() % model_.size();
    EXPECT_FALSE(Import({model_.begin(), model_.begin() + static_cast<std::ptrdiff_t>(size)}))
        << size;
  }
}

TEST_F(ImportDamageTest, PiecesInOtherPlaces) {
  const std::vector<size_t> offsets = StructureOffsets();
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    std::vector<uint8_t> damaged = model_;
    const size_t from = offsets[random() % offsets.size()], to = offsets[random() % offsets.size()];
    const size_t length =
        std::min<size_t>({1 + random() % 64, damaged.size() - from, damaged.size() - to});
    std::copy_n(model_.begin() + static_cast<std::ptrdiff_t>(from), length,
                damaged.begin() + static_cast<std::ptrdiff_t>(to));
    Import(damaged);
  }
}

}  // namespace
}  // namespace tessera::onnx_import
