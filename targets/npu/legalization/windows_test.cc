// Windows that the device does not pool by itself, and what lies beside each other channel by
// channel, as steps that it has.
#include "targets/npu/legalization/windows.h"

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "targets/npu/legalization/test_network.h"

namespace tessera::npu {
namespace {

using example::Ints;
using example::Network;
using ir::Attribute;
using ir::Value;

constexpr const char* kDevices[] = {"gna-1.0", "gna-2.0", "gna-3.0", "gna-3.5"};

Value* Filter(Network& n, Value* x, int64_t filters, const Ints& size) {
  const int64_t channels = *x->type().dims[3].Constant();
  return n.Npu("ImageFilter",
               {x, n.Random({filters, size[0], size[1], channels}), n.Random({filters})});
}

Value* Window(Network& n, Value* x, std::string_view kind, const Ints& window, const Ints& stride,
              const Ints& before = {0, 0}, const Ints& after = {0, 0}) {
  return n.Npu("ImageWindow", {x},
               {{"kind", kind},
                {"window", Attribute(window)},
                {"stride", Attribute(stride)},
                {"before", Attribute(before)},
                {"after", Attribute(after)}});
}

// Behind a function that is below 0 here and there, so that zeros around the image are no help.
TEST(Windows, OfOneRow) {
  for (const std::string_view kind : {"MAX", "MEAN"}) {
    for (const int64_t stride : {1, 2, 3}) {
      for (const int64_t before : {0, 1}) {
        for (const int64_t after : {0, 1, 2}) {
          for (const char* device : kDevices) {
            SCOPED_TRACE(absl::StrCat(stride, " ", before, " ", after));
            Network n;
            Value* x = n.Core("Tanh", {Filter(n, n.Input({1, 1, 36, 8}), 16, {1, 5})});
            n.Output(Filter(n, Window(n, x, kind, {1, 3}, {1, stride}, {0, before}, {0, after}), 8,
                            {1, 1}));
            n.Check(device);
          }
        }
      }
    }
  }
}

TEST(Windows, OfImages) {
  for (const std::string_view kind : {"MAX", "MEAN"}) {
    for (const Ints& around : {Ints{0, 0}, Ints{1, 1}, Ints{1, 0}}) {
      for (const char* device : kDevices) {
        SCOPED_TRACE(absl::StrCat(around[0], " ", around[1]));
        Network n;
        Value* x = Filter(n, n.Input({1, 10, 10, 4}), 4, {3, 3});
        n.Output(Window(n, n.Core("Tanh", {x}), kind, {3, 2}, {2, 2}, around, {1, 1}));
        n.Check(device);
      }
    }
  }
}

TEST(Windows, OfWhatComesIn) {
  Network n;
  n.Output(Window(n, n.Input({1, 1, 40, 8}), "MAX", {1, 3}, {1, 2}));
  for (const char* device : kDevices) n.Check(device);
}

// All pixels of many channels: rows behind columns take fewer weights.
TEST(Windows, MeansOfManyChannels) {
  for (const char* device : kDevices) {
    Network n;
    n.Output(Window(n, n.Core("Tanh", {n.Input({1, 8, 9, 320})}), "MEAN", {8, 9}, {1, 1}));
    n.Check(device);
  }
}

// The last window has less than the one before it: no entry is in all of them.
TEST(Windows, WithoutAnEntryThatAllHave) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Input({1, 1, 16, 8}), 8, {1, 1})});
  n.Output(Window(n, x, "MAX", {1, 2}, {1, 1}, {0, 1}, {0, 1}));
  for (const char* device : kDevices) n.Check(device);
}

TEST(Windows, ChannelsOfLargeImagesBesideEachOther) {
  for (const char* device : {"gna-3.0", "gna-3.5"}) {
    Network n;
    Value* x = n.Input({1, 64, 64, 8});
    Value* a = n.Core("Tanh", {Filter(n, x, 8, {1, 1})});
    Value* b = n.Core("Relu", {Filter(n, x, 16, {1, 1})});
    Value* c = n.Core("Sigmoid", {Filter(n, x, 8, {1, 1})});
    n.Output(n.Core("Relu", {n.Npu("Join", {a, b, c}, {{"axis", int64_t{3}}})}));
    n.Check(device);
  }
}

TEST(Windows, VectorsWhoseSizesAreNoMultiple) {
  for (const char* device : {"gna-2.0", "gna-3.0"}) {
    Network n;
    Value* x = n.Core("Tanh", {Filter(n, n.Input({1, 1, 41, 8}), 12, {1, 5})});
    n.Output(n.Rows(n.Reshaped(x, {37, 12}), 4));
    n.Check(device);
  }
}

}  // namespace
}  // namespace tessera::npu
