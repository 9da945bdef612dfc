// What exceeds a limit of a generation is split, and computes what it was: random networks whose
// sizes are made from the limits themselves.
#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "targets/npu/device/device.h"
#include "targets/npu/legalization/limits.h"
#include "targets/npu/legalization/test_network.h"

namespace tessera::npu {
namespace {

using example::Ints;
using example::Network;
using ir::Attribute;
using ir::Value;

const char* const kDevices[] = {"gna-1.0", "gna-2.0", "gna-3.0", "gna-3.1", "gna-3.5"};

int64_t MostOf(const std::string& device, std::string_view layer, std::string_view place,
               char dim) {
  return Most(*FindDevice(device), layer, place, dim);
}

const char* RowLayer(const std::string& device) {
  return FindDevice(device)->Find("convolution_1d") != nullptr ? "convolution_1d"
                                                               : "convolution_row";
}

Value* Filter(Network& n, Value* x, int64_t filters, const Ints& kernel,
              const Ints& stride = {1, 1}, const Ints& around = {0, 0}, int64_t groups = 1) {
  const int64_t channels = *x->type().dims[3].Constant();
  return n.Npu(
      "ImageFilter",
      {x, n.Random({filters, kernel[0], kernel[1], channels / groups}), n.Random({filters})},
      {{"stride", Attribute(stride)},
       {"before", Attribute(around)},
       {"after", Attribute(around)},
       {"groups", groups}});
}

// Of the limits' two sides: as large as it may be, and larger.
TEST(Split, InputsOfWeightedSums) {
  for (const char* device : kDevices) {
    const int64_t most = MostOf(device, "affine", "input", 'H');
    for (const int64_t size : {most - 7, most + 9, 2 * most + 1}) {
      SCOPED_TRACE(size);
      Network n;
      Value* x = n.Input({1, size});
      n.Output(n.Core("Tanh", {n.Rows(x, 5)}));
      n.Check(device);
    }
  }
}

TEST(Split, InputsAndRowsOfSumsOfWeightedSums) {
  for (const char* device : kDevices) {
    const int64_t most = MostOf(device, "affine", "input", 'H');
    Network n;
    Value* a = n.Core("Relu", {n.Input({1, most - 20})});
    Value* b = n.Core("Tanh", {n.Input({1, 50}, "z")});
    n.Output(n.Core("Sigmoid", {n.Npu("DataSum", {n.Rows(a, 3), n.Rows(b, 3)})}));
    n.Output(n.Rows(b, MostOf(device, "affine", "output", 'H') + 3), "many");
    n.Check(device);
  }
}

TEST(Split, TapsOfRows) {
  std::mt19937 random(3);
  for (const char* device : kDevices) {
    const int64_t most = MostOf(device, RowLayer(device), "filters", 'W');
    for (int i = 0; i < 6; ++i) {
      const auto pick = [&](int64_t low, int64_t high) {
        return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
      };
      const int64_t channels = pick(1, 70), stride = pick(1, 3), filters = pick(1, 9);
      const int64_t kernel = most / channels + pick(1, 9), around = pick(0, 2);
      const int64_t width = kernel + pick(0, 40);
      SCOPED_TRACE(absl::StrCat(channels, " channels, ", kernel, " of ", width, ", by ", stride));
      Network n;
      Value* x = n.Core("Tanh", {n.Input({1, 1, width, channels})});
      n.Output(n.Core("Relu", {Filter(n, x, filters, {1, kernel}, {1, stride}, {0, around})}));
      n.Check(device);
    }
  }
}

TEST(Split, FiltersOfRows) {
  for (const char* device : kDevices) {
    // More than a layer of 3.x has; few positions, so that few weights are enough.
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 1, 12, 8})});
    n.Output(n.Core("Relu", {Filter(n, x, 8300, {1, 3}, {1, 1}, {0, 1})}));
    n.Check(device);
  }
}

TEST(Split, StridesOfRows) {
  for (const char* device : kDevices) {
    const int64_t most = MostOf(device, RowLayer(device), "convolution_stride", 'W');
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 1, 9 * (most / 8 + 3), 8})});
    n.Output(Filter(n, x, 8, {1, 3}, {1, most / 8 + 3}));
    n.Check(device);
  }
}

TEST(Split, FiltersThatAreNoMultiple) {
  for (const char* device : kDevices) {
    for (const int64_t filters : {1, 2, 3, 5}) {
      SCOPED_TRACE(filters);
      Network n;
      Value* x = n.Core("Tanh", {n.Input({1, 1, 64, 8})});
      n.Output(n.Core("Sigmoid", {Filter(n, x, filters, {1, 3}, {1, 2})}));
      n.Check(device);
    }
  }
}

TEST(Split, RowsThatAreTooLongForTheirLayer) {
  for (const char* device : kDevices) {
    const int64_t most = MostOf(device, RowLayer(device), "input", 'W');
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 1, most / 8 + 50, 8})});
    n.Output(n.Core("Relu", {Filter(n, x, 4, {1, 200}, {1, 2})}));
    n.Check(device);
  }
}

// The five limits of an image's sizes, of the generations that have such layers.
TEST(Split, ChannelsOfImages) {
  for (const char* device : {"gna-3.0", "gna-3.1", "gna-3.5"}) {
    for (const int64_t channels : {3, 121, 200, 400}) {
      SCOPED_TRACE(channels);
      Network n;
      Value* x = n.Core("Tanh", {n.Input({1, 18, 24, channels})});
      n.Output(n.Core("Relu", {Filter(n, x, 8, {3, 3}, {1, 1}, {1, 1})}));
      n.Check(device);
    }
  }
  Network n;
  Value* x = n.Core("Tanh", {n.Input({1, 20, 20, 1040})});
  n.Output(Filter(n, x, 8, {3, 3}, {2, 2}));
  n.Check("gna-3.5");
}

TEST(Split, FiltersOfImages) {
  for (const char* device : {"gna-3.0", "gna-3.1", "gna-3.5"}) {
    for (const int64_t filters : {3, 12, 1100}) {
      SCOPED_TRACE(filters);
      Network n;
      Value* x = n.Core("Tanh", {n.Input({1, 32, 40, 8})});
      n.Output(n.Core("Relu", {Filter(n, x, filters, {3, 3}, {2, 2})}));
      n.Check(device);
    }
  }
}

TEST(Split, RowsOfImages) {
  std::mt19937 random(5);
  for (const int64_t around : {0, 1}) {
    for (const int64_t stride : {1, 2}) {
      for (const int64_t width : {17, 40}) {
        SCOPED_TRACE(absl::StrCat(around, " ", stride, " ", width));
        Network n;
        const int64_t height = MostOf("gna-3.0", "convolution_2d", "input", 'H') + 30 +
                               static_cast<int64_t>(random() % 400);
        Value* x = n.Core("Tanh", {n.Input({1, height, width, 8})});
        n.Output(Filter(n, x, 16, {3, 3}, {stride, 1}, {around, around}));
        n.Check("gna-3.0");
      }
    }
  }
}

TEST(Split, GroupsOfManyChannels) {
  for (const char* device : {"gna-3.0", "gna-3.5"}) {
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 24, 24, 240})});
    n.Output(n.Core("Relu", {Filter(n, x, 240, {3, 3}, {2, 2}, {1, 1}, 240)}));
    n.Check(device);
  }
}

// Sizes of images of every kind beyond the limits of the first generation that has them.
TEST(Split, RandomImages) {
  std::mt19937 random(11);
  const auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int compiled = 0;
  for (int i = 0; i < 40; ++i) {
    const int64_t height = pick(3, 40), width = pick(3, 40), channels = pick(1, 24);
    const Ints kernel = {pick(1, std::min<int64_t>(9, height)),
                         pick(1, std::min<int64_t>(9, width))};
    const Ints stride = {pick(1, 4), pick(1, 4)};
    const int64_t filters = pick(1, 20);
    SCOPED_TRACE(absl::StrCat(i, ": ", height, "x", width, "x", channels, ", ", filters, " of ",
                              kernel[0], "x", kernel[1], " by ", stride[0], "x", stride[1]));
    for (const char* device : kDevices) {
      Network n;
      Value* x = n.Core("Tanh", {n.Input({1, height, width, channels})});
      n.Output(n.Core("Relu", {Filter(n, x, filters, kernel, stride,
                                      {pick(0, kernel[0] - 1), pick(0, kernel[1] - 1)})}));
      const std::string refusal = n.Refusal(device);
      if (!refusal.empty()) {
        EXPECT_NE(refusal.find(device), std::string::npos) << refusal;
        continue;
      }
      ++compiled;
      n.Check(device);
    }
  }
  EXPECT_GE(compiled, 195);
}

TEST(Split, PartsAndJoinsInSeveralPlaces) {
  for (const char* device : kDevices) {
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 8, 6016})});
    Value* part =
        n.Npu("Part", {x},
              {{"starts", Attribute(Ints{0, 1, 32})}, {"sizes", Attribute(Ints{1, 5, 3200})}});
    Value* other =
        n.Npu("Part", {x},
              {{"starts", Attribute(Ints{0, 2, 64})}, {"sizes", Attribute(Ints{1, 5, 800})}});
    n.Output(n.Core("Relu", {n.Npu("Join", {part, other}, {{"axis", int64_t{2}}})}));
    n.Check(device);
  }
}

}  // namespace
}  // namespace tessera::npu
