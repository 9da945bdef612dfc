// Networks over time in frames: the entries are those of one long input.
#include "targets/npu/legalization/stream.h"

#include <string>

#include "gtest/gtest.h"
#include "targets/npu/legalization/test_network.h"

namespace tessera::npu {
namespace {

using example::Ints;
using example::Network;
using ir::Attribute;
using ir::Value;

// Of an image of one row whose columns are entries.
Value* Filter(Network& n, Value* x, int64_t filters, int64_t size, int64_t stride = 1,
              int64_t dilation = 1, int64_t before = 0, int64_t after = 0) {
  const int64_t channels = *x->type().dims[3].Constant();
  return n.Npu("ImageFilter", {x, n.Random({filters, 1, size, channels}), n.Random({filters})},
               {{"stride", Attribute(Ints{1, stride})},
                {"dilation", Attribute(Ints{1, dilation})},
                {"before", Attribute(Ints{0, before})},
                {"after", Attribute(Ints{0, after})}});
}

TEST(Stream, FiltersOneBehindTheOther) {
  for (const char* device : {"gna-2.0", "gna-3.5"}) {
    Network n;
    Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 5)});
    n.Output(n.Core("Relu", {Filter(n, x, 12, 3, 1, 2)}));
    n.CheckStream(device, 8, {9, 16, 21, 40});
    n.CheckStream(device, 4, {16, 19});
  }
}

TEST(Stream, ZerosBeforeTheFirstEntry) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 8}, 1), 16, 3, 1, 1, 2)});
  n.Output(n.Core("Tanh", {Filter(n, x, 8, 3, 1, 4, 8)}));
  n.CheckStream("gna-3.0", 4, {1, 4, 6, 20});
  n.CheckStream("gna-2.0", 8, {16, 17});
}

TEST(Stream, FiltersThatGoOnByMoreThanOne) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 3, 2)});
  n.Output(n.Core("Tanh", {Filter(n, x, 8, 4, 2)}));
  n.CheckStream("gna-2.0", 8, {10, 16, 24, 31, 33});
}

TEST(Stream, BranchesThatComeLateByDifferentTimes) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 16, 1)});
  Value* y = n.Core("Tanh", {Filter(n, x, 16, 5)});
  Value* part = n.Npu("Part", {x},
                      {{"starts", Attribute(std::vector<ir::Expr>{0, 0, 2, 0})},
                       {"sizes", Attribute(std::vector<ir::Expr>{1, 1, n.Symbol() - 4, 16})}});
  n.Output(n.Core("Relu", {n.Npu("DataSum", {y, part})}));
  n.CheckStream("gna-3.0", 8, {9, 16, 30});
}

TEST(Stream, SumsOfEachEntry) {
  Network n;
  Value* x = n.Rows(n.Timed({1, -1, 24}, 1), 16);
  n.Output(n.Rows(n.Core("Sigmoid", {x}), 8));
  n.CheckStream("gna-2.0", 4, {4, 7, 12});
}

TEST(Stream, WindowsOverTime) {
  Network n;
  Value* x = Filter(n, n.Timed({1, 1, -1, 16}, 9), 16, 3);
  n.Output(n.Npu("ImageWindow", {n.Core("Relu", {x})},
                 {{"kind", std::string_view("MEAN")},
                  {"window", Attribute(Ints{1, 2})},
                  {"stride", Attribute(Ints{1, 2})}}));
  n.CheckStream("gna-3.5", 8, {9, 16, 21});
}

// What a filter has before it is 1 at an input of zeros: zeros around it are not what it yields.
TEST(Stream, ZerosAroundEveryFilter) {
  for (const char* device : {"gna-2.0", "gna-3.5"}) {
    Network n;
    Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 5, 1, 1, 2, 2)});
    Value* y = n.Core("Sigmoid", {Filter(n, x, 8, 3, 1, 2, 2, 2)});
    n.Output(n.Core("Tanh", {Filter(n, y, 12, 3, 1, 1, 0, 1)}));
    n.CheckStream(device, 8, {9, 16, 21, 40});
    n.CheckStream(device, 4, {12, 19, 24});
  }
}

TEST(Stream, ZerosBeforeEntriesThatComeLate) {
  Network n;
  Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 8}, 9), 8, 3)});
  n.Output(Filter(n, x, 8, 3, 1, 1, 2));
  n.CheckStream("gna-3.0", 4, {9, 12, 18, 20});
}

TEST(Stream, ZerosAroundFiltersThatGoOnByMoreThanOne) {
  Network n;
  Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 3, 2, 1, 1, 1)});
  Value* y = n.Core("Sigmoid", {Filter(n, x, 8, 5, 2, 1, 2, 2)});
  n.Output(n.Core("Relu", {Filter(n, y, 8, 3, 1, 1, 1, 1)}));
  n.CheckStream("gna-3.5", 8, {9, 16, 23, 32, 37});
}

TEST(Stream, BranchesAroundAFilterWithZeros) {
  Network n;
  Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 16, 1)});
  Value* y = n.Core("Sigmoid", {Filter(n, x, 16, 3, 1, 1, 1, 1)});
  n.Output(n.Core("Relu", {n.Npu("DataSum", {x, y})}));
  n.CheckStream("gna-3.0", 4, {9, 16, 18});
}

TEST(Stream, WhatNeedsEntriesToComeIsRefused) {
  {
    Network n;
    Value* x = Filter(n, n.Timed({1, 1, -1, 16}, 9), 16, 3);
    n.Output(n.Npu("ImageWindow", {n.Core("Relu", {x})},
                   {{"kind", std::string_view("MEAN")},
                    {"window", Attribute(Ints{1, 3})},
                    {"after", Attribute(Ints{0, 2})}}));
    EXPECT_NE(n.StreamRefusal(4).find("less at the ends of the stream"), std::string::npos)
        << n.StreamRefusal(4);
  }
  {
    Network n;
    n.Output(Filter(n, n.Timed({1, 1, -1, 8}, 9), 8, 2, 2));
    EXPECT_NE(n.StreamRefusal(3).find("a frame has 3 of them"), std::string::npos)
        << n.StreamRefusal(3);
  }
  {
    Network n;
    n.Output(n.Npu("WeightedRows", {n.Input({1, 8}), n.Random({8, 8}), n.Random({8})}));
    EXPECT_NE(n.StreamRefusal(4).find("no input has an axis of that size"), std::string::npos)
        << n.StreamRefusal(4);
  }
}

}  // namespace
}  // namespace tessera::npu
