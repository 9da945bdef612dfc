// Layers of any size, legalized for a generation: what the plan computes in floats is what they do,
// each sum and table stands where the device has it, and what exceeds a limit is named by its id.
#include "targets/npu/legalization/legalize.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/test_network.h"

namespace tessera::npu {
namespace {

using example::Ints;
using example::Network;
using ir::Attribute;
using ir::Value;

const char* const kAll[] = {"gna-1.0", "gna-2.0", "gna-3.0", "gna-3.5"};

TEST(Legalize, WeightedSumsOfSizesThatAreNoMultiple) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Rows(n.Input({1, 13}), 9);
    n.Output(n.Rows(n.Core("Tanh", {x}), 5));
    n.Check(device);
  }
}

TEST(Legalize, AResultWithSeveralTables) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Rows(n.Input({1, 16}), 8);
    Value* a = n.Core("Tanh", {x});
    Value* b = n.Core("Sigmoid", {x});
    n.Output(n.Npu("DataProduct", {a, b}));
    n.Output(n.Core("Relu", {a}), "z");
    n.Check(device);
  }
}

TEST(Legalize, ReadersBehindViewsAreReaders) {
  Network n;
  Value* x = n.Npu("DataProduct", {n.Rows(n.Input({1, 16}), 8), n.Rows(n.Input({1, 8}, "z"), 8)});
  Value* turned = n.Core("Transpose", {x}, {{"perm", Attribute(Ints{1, 0})}});
  n.Output(n.Core("Relu", {turned}));
  n.Output(n.Core("Tanh", {turned}), "other");
  n.Check("gna-2.0");
}

TEST(Legalize, SumsOfData) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Input({1, 24});
    Value* a = n.Core("Tanh", {n.Rows(x, 11)});
    Value* b = n.Rows(x, 11);
    Value* c = n.Npu("DataSum", {a, b});
    // Neither is a sum that nothing else reads.
    n.Output(n.Npu("DataSum", {n.Core("Relu", {c}), a}));
    n.Output(n.Core("Sigmoid", {n.Npu("DataSum", {b, n.Rows(x, 11)})}), "z");
    n.Check(device);
  }
}

TEST(Legalize, PartsOfWeightedSumsAreSomeRows) {
  Network n;
  Value* x = n.Rows(n.Input({1, 16}), 40);
  Value* part =
      n.Npu("Part", {x}, {{"starts", Attribute(Ints{0, 13})}, {"sizes", Attribute(Ints{1, 20})}});
  n.Output(n.Core("Tanh", {part}));
  n.Check("gna-2.0");
}

TEST(Legalize, PartsBeginWhereMemoryMay) {
  for (int64_t begin : {32, 33}) {
    Network n;
    Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 96)});
    n.Output(
        n.Rows(n.Npu("Part", {x},
                     {{"starts", Attribute(Ints{0, begin})}, {"sizes", Attribute(Ints{1, 32})}}),
               3));
    n.Output(n.Rows(x, 2), "z");
    n.Check("gna-3.0");  // else by weights
  }
}

TEST(Legalize, JoinedVectors) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Input({1, 16});
    Value* a = n.Core("Tanh", {n.Rows(x, 64)});
    Value* joined =
        n.Npu("Join", {a, n.Core("Sigmoid", {n.Rows(x, 7)})}, {{"axis", Attribute(int64_t{1})}});
    n.Output(n.Rows(joined, 4));
    n.Output(n.Rows(a, 4), "z");
    n.Check(device);
  }
}

TEST(Legalize, ABatchComesFrameByFrame) {
  Network n;
  n.Output(n.Rows(n.Core("Relu", {n.Rows(n.Frames({10}), 8)}), 3));
  n.Check("gna-2.0");
  const absl::StatusOr<Plan> plan = n.PlanFor("gna-2.0");
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->frames, "N");
  ASSERT_EQ(plan->frame_inputs.size(), 1u);
  EXPECT_EQ(plan->frame_inputs[0].axis, 0);
}

TEST(Legalize, WhatMixesFramesIsRefused) {
  Network n;
  Value* x = n.Frames({4});
  n.Output(n.Npu("Join", {x, x}, {{"axis", Attribute(int64_t{0})}}));
  EXPECT_NE(n.Refusal("gna-3.0").find("frames of one entry of `N`"), std::string::npos)
      << n.Refusal("gna-3.0");
}

struct Convolution {
  Ints image, kernel, stride = {1, 1}, dilation = {1, 1}, before = {0, 0}, after = {0, 0};
  int64_t filters = 8, groups = 1;
};

class Convolutions : public ::testing::TestWithParam<int> {};

const Convolution kConvolutions[] = {
    {{1, 40, 8}, {1, 5}, {1, 2}, {1, 1}, {0, 2}, {0, 2}},
    {{1, 40, 8}, {1, 3}, {1, 1}, {1, 2}, {0, 2}, {0, 2}, 12},
    {{1, 33, 3}, {1, 9}, {1, 3}, {1, 1}, {0, 0}, {0, 1}},
    {{6, 5, 16}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 4},
    {{12, 6, 1}, {4, 3}, {2, 2}, {1, 1}, {1, 1}, {2, 1}, 4},
    {{9, 5, 2}, {3, 3}, {1, 1}, {2, 1}, {2, 1}, {2, 1}, 8, 2},
    {{9, 5, 32}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 32, 32},
    {{40, 16, 32}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 32, 32},
    {{20, 18, 16}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, 8},
    {{20, 18, 16}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 8, 4},
    {{20, 18, 16}, {1, 1}, {2, 2}, {1, 1}, {0, 0}, {0, 0}},
    {{7, 9, 3}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 5},
};

TEST_P(Convolutions, AreWhatTheyWere) {
  const Convolution& c = kConvolutions[GetParam()];
  for (const char* device : kAll) {
    Network n;
    Ints image = {1};
    image.insert(image.end(), c.image.begin(), c.image.end());
    Value* filters = n.Random({c.filters, c.kernel[0], c.kernel[1], c.image[2] / c.groups});
    // Behind a layer, so that zeros around the image are the device's.
    Value* x = n.Core("Tanh", {n.Input(image)});
    Value* y = n.Npu("ImageFilter", {x, filters, n.Random({c.filters})},
                     {{"stride", Attribute(c.stride)},
                      {"dilation", Attribute(c.dilation)},
                      {"before", Attribute(c.before)},
                      {"after", Attribute(c.after)},
                      {"groups", Attribute(c.groups)}});
    n.Output(n.Core("Relu", {y}));
    n.Check(device);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Convolutions,
                         ::testing::Range(0, static_cast<int>(std::size(kConvolutions))));

TEST(Legalize, Pools) {
  Network n;
  Value* x = n.Input({1, 17, 16, 8});
  Value* y = n.Npu("ImageFilter", {x, n.Random({8, 3, 3, 8}), n.Random({8})},
                   {{"before", Attribute(Ints{1, 1})}, {"after", Attribute(Ints{1, 1})}});
  Value* pooled = n.Npu("ImageWindow", {n.Core("Relu", {y})},
                        {{"kind", std::string_view("MAX")},
                         {"window", Attribute(Ints{2, 2})},
                         {"stride", Attribute(Ints{2, 2})}});
  // Of what is read elsewhere too, behind a convolution that changes nothing; means of everything.
  Value* again = n.Npu("ImageWindow", {x},
                       {{"kind", std::string_view("MAX")},
                        {"window", Attribute(Ints{2, 2})},
                        {"stride", Attribute(Ints{2, 2})}});
  Value* mean = n.Npu("ImageWindow", {x},
                      {{"kind", std::string_view("MEAN")}, {"window", Attribute(Ints{17, 16})}});
  n.Output(pooled);
  n.Output(again, "z");
  n.Output(n.Rows(n.Reshaped(mean, {1, 8}), 3), "m");
  n.Check("gna-3.0");
  n.Check("gna-3.5");
  n.Check("gna-2.0");
}

TEST(Legalize, WhatTheDeviceLacksRunsOnTheHostIfAsked) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 32)});
  Value* turned = n.Core("Transpose", {n.Reshaped(x, {4, 8})}, {{"perm", Attribute(Ints{1, 0})}});
  n.Output(n.Rows(n.Core("Relu", {n.Reshaped(turned, {1, 32})}), 3));
  EXPECT_NE(n.Refusal("gna-3.0").find("`Transpose`"), std::string::npos) << n.Refusal("gna-3.0");
  n.Check("gna-3.0", true);
  const absl::StatusOr<Plan> plan = n.PlanFor("gna-3.0", true);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->stretches.size(), 3u);
}

TEST(Legalize, WhatIsTooLargeForOneLayerIsSplit) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 1, 10000, 16})});
    Value* y = n.Npu("ImageFilter", {x, n.Random({16, 1, 1, 16}), n.Random({16})});
    Value* z = n.Npu("ImageFilter", {y, n.Random({4, 1, 3, 16}), n.Random({4})},
                     {{"before", Attribute(Ints{0, 1})}, {"after", Attribute(Ints{0, 1})}});
    n.Output(n.Core("Relu", {z}));
    n.Output(n.Npu("DataSum", {y, n.Npu("DataProduct", {x, y})}), "sum");
    n.Check(device);
  }
}

// What lies behind a value in memory is what a table makes of nothing, not zero.
TEST(Legalize, ZerosBehindAValueThatEndsAnywhere) {
  for (const char* device : kAll) {
    for (const int64_t size : {18, 26, 30, 34, 36}) {
      for (const int64_t after : {1, 2}) {
        SCOPED_TRACE(size);
        Network n;
        Value* x = n.Reshaped(n.Core("Sigmoid", {n.Rows(n.Input({1, 16}), size)}), {1, 1, size, 1});
        n.Output(n.Npu("ImageFilter", {x, n.Random({4, 1, 3, 1}), n.Random({4})},
                       {{"after", Attribute(Ints{0, after})}}));
        n.Check(device);
      }
    }
  }
}

// 1 / 0 in what is rounded up would be no number, whatever its weight.
TEST(Legalize, FunctionsThatAreInfiniteAtZero) {
  Network n;
  Value* e = n.Core("Exp", {n.Rows(n.Input({1, 16}), 30)});
  Value* shares =
      n.Core("Reciprocal", {n.Npu("WeightedRows", {e, n.Ones({30, 30}), n.Ones({30})})});
  n.Output(n.Rows(n.Npu("DataProduct", {e, shares}), 12));
  n.Check("gna-2.0");
}

TEST(Legalize, MoreRowsThanOneLayerHasAndATable) {
  Network n;
  n.Output(n.Core("Tanh", {n.Rows(n.Input({1, 8}), 70000)}));
  n.Check("gna-2.0");
}

TEST(Legalize, FiltersThatGoOnByMoreThanTheyAreLarge) {
  for (const char* device : kAll) {
    Network n;
    n.Output(n.Npu("ImageFilter", {n.Input({1, 1, 64, 8}), n.Random({8, 1, 3, 8}), n.Random({8})},
                   {{"stride", Attribute(Ints{1, 12})}}));
    n.Check(device);
  }
}

TEST(Legalize, AllRefusalsAreListedWithTheirLimits) {
  Network n;
  Value* x = n.Input({65, 40, 40, 8});
  Value* y = n.Npu("ImageFilter", {x, n.Random({3, 3, 3, 8}), n.Random({3})});
  n.Output(y);
  Value* one = n.Input({1, 500, 401, 3}, "one");
  n.Output(n.Npu("ImageFilter", {one, n.Random({3, 3, 3, 3}), n.Random({3})},
                 {{"stride", Attribute(Ints{1, 2})}}),
           "z");
  const std::string text = n.Refusal("gna-2.0");
  EXPECT_NE(text.find("2 operation(s) without a form in gna-2.0"), std::string::npos) << text;
  EXPECT_NE(text.find("; gna-2.0 convolution_1d.filters.W: 8..768, a multiple of 8"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("the device takes one image, here 65"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::npu
