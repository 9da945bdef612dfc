#include "tools/compression/samples.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/data/image_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/rewriter.h"
#include "support/file.h"

namespace tessera::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A folder of its own for each test.
std::string Folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/" + name;
  std::filesystem::create_directory(folder);
  return folder;
}

ir::Tensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), values);
}

TEST(Samples, ArchivesHaveAnArrayForEachInput) {
  const auto bytes = support::ReadFile("frontends/data/testdata/two.npz");
  ASSERT_TRUE(bytes.ok());
  const std::string folder = Folder("archives");
  ASSERT_TRUE(support::WriteFile(folder + "/a.npz", *bytes).ok());
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.AddInput("length", {ir::DType::kI64, {1}}).ok());
  ASSERT_TRUE(rewriter.AddInput("x", {ir::DType::kF32, {1, 3}}).ok());
  const auto samples = OpenSamples(folder, graph, {});
  ASSERT_TRUE(samples.ok()) << samples.status();
  const auto inputs = (*samples)->Load(0);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  ASSERT_EQ(inputs->size(), 2u);
  EXPECT_TRUE(ir::Identical((*inputs)[0], ir::Tensor::Of<int64_t>(ir::DType::kI64, {1}, {7})));
  EXPECT_TRUE(ir::Identical((*inputs)[1], Floats({1, 3}, {1, 2, 3})));

  ASSERT_TRUE(rewriter.AddInput("mask", {ir::DType::kF32, {1, 3}}).ok());
  EXPECT_THAT(std::string((*OpenSamples(folder, graph, {}))->Load(0).status().message()),
              HasSubstr("no array for input `mask`; there are `x`, `length`"));
}

TEST(Samples, WhatIsHeldOutAndTheOthersAreAll) {
  const std::string folder = Folder("many");
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.AddInput("x", {ir::DType::kF32, {1}}).ok());
  constexpr size_t kAll = 18;
  for (size_t i = 0; i < kAll; ++i)
    ASSERT_TRUE(support::WriteFile(absl::StrCat(folder, "/", 10 + i, ".npy"), "").ok());
  EXPECT_EQ(*CountSamples(folder), kAll);
  const auto names = [&](size_t most, size_t held_out, bool the_held_out) {
    SampleOptions options;
    options.most = most;
    options.held_out = held_out;
    options.the_held_out = the_held_out;
    const auto samples = OpenSamples(folder, graph, options);
    std::vector<std::string> found;
    for (size_t s = 0; s < (*samples)->size(); ++s)
      found.push_back((*samples)->NameOf(s).substr(folder.size() + 1, 2));
    return found;
  };
  EXPECT_THAT(names(0, 4, true), ElementsAre("12", "16", "21", "25"));
  EXPECT_THAT(names(2, 4, true), ElementsAre("16", "25"));
  for (const size_t held_out : {1, 4, 17, 18}) {
    std::vector<std::string> all = names(0, held_out, true);
    EXPECT_EQ(all.size(), held_out);
    for (const std::string& other : names(0, held_out, false)) all.push_back(other);
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, names(0, 0, false)) << held_out;
  }
  EXPECT_EQ(names(0, 0, false).size(), kAll);
  EXPECT_EQ(names(100, 0, false).size(), kAll);
}

TEST(Samples, PicturesAreScaled) {
  const std::string folder = Folder("pictures");
  const auto png = data::SerializePng(Floats({3, 1, 1}, {0, 1, 0}));
  ASSERT_TRUE(png.ok());
  ASSERT_TRUE(support::WriteFile(folder + "/a.png", *png).ok());
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.AddInput("x", {ir::DType::kF32, {1, 3, 1, 1}}).ok());
  const auto samples = OpenSamples(folder, graph, {0, {{0.5, 0.5, 0.25}, {0.5}}});
  ASSERT_TRUE(samples.ok()) << samples.status();
  const auto inputs = (*samples)->Load(0);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_TRUE(ir::Identical((*inputs)[0], Floats({1, 3, 1, 1}, {-1, 1, -0.5})));
  const auto wrong = OpenSamples(folder, graph, {0, {{1, 2}, {}}});
  EXPECT_THAT(std::string((*wrong)->Load(0).status().message()),
              HasSubstr("2 numbers for the 3 channels"));
}

TEST(Samples, SoundsAreRead) {
  const std::string folder = Folder("sounds");
  // Two values of 8 bits.
  const std::string header(
      "RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0@\x1F\0\0@\x1F\0\0\1\0\x08\0data\2\0\0\0", 44);
  ASSERT_TRUE(support::WriteFile(folder + "/a.wav", header + "\xC0\x40").ok());
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.AddInput("x", {ir::DType::kF32, {1, 2}}).ok());
  const auto samples = OpenSamples(folder, graph, {});
  ASSERT_TRUE(samples.ok()) << samples.status();
  const auto inputs = (*samples)->Load(0);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_TRUE(ir::Identical((*inputs)[0], Floats({1, 2}, {0.5, -0.5})));
}

TEST(Samples, WhatIsNoSampleIsRefused) {
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ASSERT_TRUE(rewriter.AddInput("x", {ir::DType::kF32, {1}}).ok());
  ASSERT_TRUE(rewriter.AddInput("y", {ir::DType::kF32, {1}}).ok());
  const auto refused = [&](const std::string& folder, const SampleOptions& options = {}) {
    return std::string(OpenSamples(folder, graph, options).status().message());
  };
  const std::string folder = Folder("others");
  EXPECT_THAT(refused(folder), HasSubstr("nor files that end in"));
  ASSERT_TRUE(support::WriteFile(folder + "/a.npy", "").ok());
  EXPECT_THAT(refused(folder), HasSubstr("a.npy`: that is one input, and the network has 2"));
  ASSERT_TRUE(support::WriteFile(folder + "/b.webp", "").ok());
  EXPECT_THAT(refused(folder), HasSubstr("b.webp`: samples of that kind are not read"));
  std::filesystem::remove(folder + "/a.npy");
  std::filesystem::rename(folder + "/b.webp", folder + "/b.npz");
  EXPECT_THAT(refused(folder, {0, {{1}, {}}}), HasSubstr("no picture"));
}

}  // namespace
}  // namespace tessera::tools
