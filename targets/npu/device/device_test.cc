#include "targets/npu/device/device.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "targets/npu/device/parse.h"

namespace tessera::npu {
namespace {

using ::testing::HasSubstr;

TEST(Devices, EveryGenerationIsThere) {
  std::set<std::string> names;
  for (const Device& device : Devices()) names.insert(device.name);
  for (const char* name :
       {"gna-1.0", "gna-1.0e", "gna-2.0", "gna-3.0", "gna-3.1", "gna-3.5", "gna-sw"})
    EXPECT_TRUE(names.contains(name)) << name;
  EXPECT_EQ(FindDevice("gna-2.0"), FindRecorded("2.0"));
  EXPECT_EQ(FindDevice("gna-9"), nullptr);
}

// Descriptions are complete, and mention nothing that is not there.
TEST(Devices, DescriptionsAreWhole) {
  const std::set<std::string> parameters = {"convolution_stride", "zero_padding", "pooling_window",
                                            "pooling_stride", "copy_shape"};
  for (const Device& device : Devices()) {
    EXPECT_FALSE(device.doc.empty()) << device.name;
    EXPECT_FALSE(device.recorded.empty()) << device.name;
    EXPECT_GT(device.alignment, 0);
    EXPECT_GT(device.operations.most, 0);
    for (int64_t elements : device.buffer) EXPECT_GE(elements, 8) << device.name;
    for (const auto& [name, layer] : device.layers) {
      const std::string place_of = absl::StrCat(device.name, " ", name, " ");
      EXPECT_TRUE(layer.places.contains("input") && layer.places.contains("output")) << place_of;
      for (const auto& [place, description] : layer.places) {
        EXPECT_FALSE(description.dims.empty()) << place_of << place;
        EXPECT_EQ(description.types.empty(), parameters.contains(place)) << place_of << place;
      }
      std::set<std::string> rules;
      for (const Rule& rule : layer.rules) {
        EXPECT_TRUE(rules.insert(rule.name).second) << place_of << rule.name;
        EXPECT_FALSE(layer.places.contains(rule.name)) << place_of << rule.name;
        const Place* place = layer.Find(rule.place);
        ASSERT_NE(place, nullptr) << place_of << rule.name;
        if (rule.kind == Rule::kRange) {
          EXPECT_NE(place->Find(rule.dim), nullptr) << rule.name;
        }
        if (rule.kind == Rule::kSameType) {
          EXPECT_NE(layer.Find(rule.other), nullptr) << rule.name;
        }
        for (const Condition& condition : rule.when) {
          const Place* other = layer.Find(condition.place);
          ASSERT_NE(other, nullptr) << place_of << rule.name;
          if (condition.types.empty()) {
            EXPECT_NE(other->Find(condition.dim), nullptr) << rule.name;
          }
        }
      }
    }
  }
}

TEST(Devices, TheBufferIsSharedByVectors) {
  const Device& second = *FindDevice("gna-2.0");
  const Device& third = *FindDevice("gna-3.0");
  EXPECT_EQ(second.BufferPerVector(1, DataType::kInt16, DataType::kInt16), 12288);
  EXPECT_EQ(second.BufferPerVector(5, DataType::kInt16, DataType::kInt8), 2400);
  EXPECT_EQ(third.BufferPerVector(6, DataType::kInt8, DataType::kInt8), 5376);
  EXPECT_EQ(third.BufferPerVector(6, DataType::kInt8, DataType::kInt16), 2688);
  EXPECT_EQ(FindDevice("gna-1.0e")->BufferPerVector(1, DataType::kInt16, DataType::kInt16), 6144);
}

TEST(ParseDevices, ALaterGenerationSaysWhatIsDifferent) {
  const auto devices = ParseDevices(R"(
# The second.
device b like a
recorded 2
layers affine
input W 1..4
weights : i8
rule r input W 2..4 when pwl, weights : i8
without q
# The first.
device a
recorded 1
layers affine
input H 8..64 by i8:16 i16:8  W 1..8 : i16   # two axes
weights H 1..8 by 4 : i8 i16
rule q input W 1..1
)");
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2u);
  const Device& b = (*devices)[1];
  EXPECT_EQ(b.doc, "The second.");
  const Layer& layer = *b.Find("affine");
  EXPECT_EQ(layer.Find("input")->Find('H')->MultipleFor(DataType::kInt8), 16);
  EXPECT_EQ(layer.Find("input")->Find('H')->Text(DataType::kInt16), "8..64, a multiple of 8");
  EXPECT_EQ(layer.Find("input")->Find('W')->most, 4);
  EXPECT_EQ(layer.Find("input")->types.size(), 1u);
  EXPECT_EQ(layer.Find("weights")->Find('H')->multiple, 4);
  ASSERT_EQ(layer.rules.size(), 1u);
  EXPECT_TRUE(layer.rules[0].with_table);
  EXPECT_EQ((*devices)[0].Find("affine")->rules.size(), 1u);
}

TEST(ParseDevices, NamesTheLineOfWhatIsWrong) {
  const auto error = [](const std::string& text) {
    return std::string(ParseDevices(text).status().message());
  };
  EXPECT_THAT(error("recorded 1"), HasSubstr("line 1: no `device` yet"));
  EXPECT_THAT(error("device a\nspeed 3"), HasSubstr("line 2: `speed` means nothing here"));
  EXPECT_THAT(error("device a\noperations 7"), HasSubstr("`7` is no range"));
  EXPECT_THAT(error("device a\noperations 7..3"), HasSubstr("`7..3` is empty"));
  EXPECT_THAT(error("device a\nbuffer 1 2"), HasSubstr("line 2: a number of elements is missing"));
  EXPECT_THAT(error("device a\nlayers x\ninput Q 1..2"), HasSubstr("`Q` is no dim"));
  EXPECT_THAT(error("device a\nlayers x\ninput H 1..2 : i7"), HasSubstr("`i7` is no type"));
  EXPECT_THAT(error("device a\nlayers x\ninput H 1..2 by 0"), HasSubstr("a multiple of 0"));
  EXPECT_THAT(error("device a\nlayers x\nproducts i8 i8"), HasSubstr("`plain` or `compound`"));
  EXPECT_THAT(error("device a\nwithout x"), HasSubstr("there is no `x` to take out"));
  EXPECT_THAT(error("device a like b"), HasSubstr("`a` is like `b`, which is not there"));
  EXPECT_THAT(error("device a\ndevice a"), HasSubstr("line 2: a second device `a`"));
  EXPECT_THAT(error("device a like b\ndevice b like a"),
              HasSubstr("which is not there or like it"));
}

}  // namespace
}  // namespace tessera::npu
