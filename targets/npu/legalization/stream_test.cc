// Networks over time in frames: the entries are those of one long input.
#include "targets/npu/legalization/stream.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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

// A second input waits for what layers make of the first one.
TEST(Stream, AnInputThatJoinsBehindLayers) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 16, 5, 1, 1, 2, 2)});
  Value* y = Filter(n, x, 16, 3, 1, 1, 1, 1);
  Value* z = n.AlsoTimed({1, 1, -1, 16}, "z");
  n.Output(n.Core("Relu", {n.Npu("DataSum", {y, z})}));
  n.Output(n.Npu("DataProduct", {x, z}), "product");
  n.CheckStream("gna-3.0", 4, {9, 12, 18});
  n.CheckStream("gna-2.0", 8, {9, 24});
}

// Images whose columns are entries.
TEST(Stream, ColumnsOfImages) {
  for (const char* device : {"gna-2.0", "gna-3.5"}) {
    Network n;
    const auto filter = [&](Value* x, int64_t filters, int64_t before) {
      return n.Npu("ImageFilter", {x, n.Random({filters, 3, 3, 8}), n.Random({filters})},
                   {{"before", Attribute(Ints{1, before})}, {"after", Attribute(Ints{1, before})}});
    };
    Value* x = n.Core("Tanh", {filter(n.Timed({1, 6, -1, 8}, 9), 8, 0)});
    n.Output(n.Core("Sigmoid", {filter(x, 8, 1)}));
    n.CheckStream(device, 8, {9, 16, 21});
  }
}

// Of [entries, 1, features] with the units that it has.
std::vector<Value*> Recurrence(Network& n, Value* x, int64_t units, Value* initial = nullptr) {
  const int64_t features = *x->type().dims[2].Constant();
  Value* z = n.Core("MatMul", {x, n.Random({features, units})});
  return n.CoreResults("Rnn", {z, n.Random({units, units}), nullptr, initial},
                       {{"kind", Attribute(int64_t{1})}});
}

Value* AsSteps(Network& n, Value* x, const ir::Expr& steps) {
  const ir::Expr channels = x->type().dims[3];
  return n.Core("Reshape", {x}, {{"shape", Attribute(std::vector<ir::Expr>{steps, 1, channels})}});
}

TEST(Stream, RecurrencesBehindEntriesThatComeLate) {
  for (const bool begins_at_zero : {true, false}) {
    for (const int64_t taps : {3, 5, 7}) {
      SCOPED_TRACE(absl::StrCat(taps, " taps"));
      Network n;
      Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, taps)});
      Value* initial = begins_at_zero ? nullptr : n.Random({1, 8});
      Value* y = Recurrence(n, AsSteps(n, x, n.Symbol() - (taps - 1)), 8, initial)[0];
      n.Output(n.Rows(y, 8));
      n.RunPipeline(12);
      n.CheckStream("gna-3.0", 4, {9, 12, 18, 20});
      n.CheckStream("gna-2.0", 1, {9, 11});
    }
  }
}

TEST(Stream, RecurrencesOverEveryOtherEntry) {
  Network n;
  Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 3, 2, 1, 1, 1)});
  const ir::Expr steps = x->type().dims[2];
  n.Output(Recurrence(n, AsSteps(n, x, steps), 8, n.Random({1, 8}))[0]);
  n.RunPipeline(12);
  n.CheckStream("gna-3.0", 4, {9, 12, 18, 19});
}

// The state behind the last entry, wherever in a frame that is.
TEST(Stream, StatesBehindTheLastEntry) {
  Network n;
  const std::vector<Value*> both = Recurrence(n, n.Timed({-1, 1, 16}, 1), 8, n.Random({1, 8}));
  n.Output(both[0]);
  n.Output(both[1], "last");
  n.RunPipeline();
  n.CheckStream("gna-3.0", 4, {1, 3, 4, 6, 8, 11});
}

TEST(Stream, StatesBehindTheLastOfEntriesThatComeLate) {
  for (const bool begins_at_zero : {true, false}) {
    Network n;
    Value* x = n.Core("Sigmoid", {Filter(n, n.Timed({1, 1, -1, 16}, 3), 8, 3)});
    Value* initial = begins_at_zero ? nullptr : n.Random({1, 8});
    Value* last = Recurrence(n, AsSteps(n, x, n.Symbol() - 2), 8, initial)[1];
    n.Output(n.Core("Tanh", {n.Rows(last, 8)}));
    n.Output(x, "entries");
    n.RunPipeline(12);
    n.CheckStream("gna-3.0", 4, {3, 4, 9, 12, 18, 20});
    n.CheckStream("gna-2.0", 1, {3, 11});
  }
}

Value* Over(Network& n, Value* x, std::string_view kind, int64_t axis) {
  return n.Npu("OverEntries", {x}, {{"kind", kind}, {"axis", Attribute(axis)}});
}

TEST(Stream, MeansAndGreatestOfAllEntries) {
  for (const char* kind : {"MEAN", "MAX", "SUM"}) {
    SCOPED_TRACE(kind);
    Network n;
    Value* x = n.Core("Tanh", {n.Rows(n.Timed({1, -1, 24}, 1), 16)});
    n.Output(n.Rows(n.Reshaped(Over(n, x, kind, 1), {1, 16}), 8));
    n.CheckStream("gna-2.0", 4, {1, 3, 4, 7, 12, 29});
    n.CheckStream("gna-3.5", 1, {1, 2, 9});
  }
}

TEST(Stream, MeansAndGreatestOfEntriesThatComeLate) {
  for (const char* kind : {"MEAN", "MAX", "SUM"}) {
    for (const int64_t taps : {3, 5, 6}) {
      SCOPED_TRACE(absl::StrCat(kind, " behind ", taps, " taps"));
      Network n;
      Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, taps, 1, 1, 1, 1)});
      Value* y = n.Core("Tanh", {Filter(n, x, 8, 2, 2)});
      // Below 0 throughout: what is none is no 0.
      y = n.Npu("DataSum",
                {n.Core("Neg", {n.Core("Sigmoid", {y})}), n.Core("Neg", {n.Core("Sigmoid", {y})})});
      n.Output(n.Core("Relu", {n.Core("Neg", {Over(n, y, kind, 2)})}));
      n.Output(Over(n, x, kind, 2), "of the first");
      n.CheckStream("gna-3.0", 4, {9, 12, 18, 20, 21});
      n.CheckStream("gna-2.0", 8, {9, 16, 19});
    }
  }
}

// What is known in the end goes with what else is, and with no entry.
TEST(Stream, EndsThatMeet) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, 5)});
  Value* y = n.Core("Tanh", {Filter(n, x, 8, 3)});
  n.Output(n.Npu("DataSum", {Over(n, x, "MEAN", 2), Over(n, y, "MAX", 2)}));
  n.CheckStream("gna-3.0", 4, {9, 12, 18, 19});
  Network mixed;
  Value* z = mixed.Rows(mixed.Timed({1, -1, 16}, 1), 8);
  mixed.Output(mixed.Core("Mul", {z, Over(mixed, z, "MEAN", 1)}));
  EXPECT_NE(mixed.StreamRefusal(4).find("takes what is known behind the last one"),
            std::string::npos)
      << mixed.StreamRefusal(4);
}

// From the operations of networks: a mean over time, and over what lies behind it.
TEST(Stream, MeansOfNetworks) {
  for (const char* over : {"ReduceMean", "ReduceMax", "ReduceSum"}) {
    Network n;
    Value* x = n.Core("Relu", {n.Core("Conv", {n.Timed({1, 8, -1}, 3), n.Random({16, 8, 3})})});
    Value* all = n.Core(over, {x}, {{"axes", Attribute(Ints{2})}});
    n.Output(n.Core("MatMul", {n.Reshaped(all, {1, 16}), n.Random({16, 6})}));
    n.RunPipeline(9);
    n.CheckStream("gna-2.0", 8, {3, 9, 16, 30});
    Network image;
    Value* y = image.Core(
        "Tanh", {image.Core("Conv", {image.Timed({1, 8, 6, -1}, 9), image.Random({8, 8, 3, 3})})});
    image.Output(image.Core(over, {y}, {{"axes", Attribute(Ints{2, 3})}}));
    image.RunPipeline(9);
    image.CheckStream("gna-3.5", 4, {9, 16, 19});
  }
}

// Windows that the ends cut: what is none is no 0, of values that are all below it.
TEST(Stream, WindowsThatTheEndsCut) {
  for (const char* kind : {"MAX", "MEAN"}) {
    for (const int64_t stride : {1, 2, 4}) {
      for (const int64_t taps : {1, 3, 4}) {
        SCOPED_TRACE(absl::StrCat(kind, " by ", stride, " behind ", taps, " taps"));
        Network n;
        Value* x = Filter(n, n.Timed({1, 1, -1, 16}, 9), 8, taps);
        x = n.Npu("ImageWindow", {n.Core("Neg", {n.Core("Sigmoid", {x})})},
                  {{"kind", std::string_view(kind)},
                   {"window", Attribute(Ints{1, 4})},
                   {"stride", Attribute(Ints{1, stride})},
                   {"before", Attribute(Ints{0, 1})},
                   {"after", Attribute(Ints{0, 2})}});
        n.Output(n.Core("Tanh", {Filter(n, x, 8, 1)}));
        n.CheckStream("gna-3.5", 8, {9, 13, 16, 21, 24});
        n.CheckStream("gna-2.0", 4, {9, 12, 19});
      }
    }
  }
}

// Rows of images have windows and ends of their own.
TEST(Stream, WindowsOverImagesThatTheEndsCut) {
  for (const char* kind : {"MAX", "MEAN"}) {
    SCOPED_TRACE(kind);
    Network n;
    Value* x = n.Core("Tanh", {n.Timed({1, 6, -1, 8}, 9)});
    n.Output(n.Npu("ImageWindow", {x},
                   {{"kind", std::string_view(kind)},
                    {"window", Attribute(Ints{3, 3})},
                    {"stride", Attribute(Ints{2, 2})},
                    {"before", Attribute(Ints{1, 1})},
                    {"after", Attribute(Ints{0, 1})}}));
    n.CheckStream("gna-3.5", 4, {9, 12, 18});
  }
}

TEST(Stream, WhatNeedsEntriesToComeIsRefused) {
  {
    Network n;
    n.Output(n.Npu("ImageWindow", {n.Core("Relu", {n.Timed({1, 1, -1, 16}, 9)})},
                   {{"kind", std::string_view("MAX")},
                    {"window", Attribute(Ints{1, 2})},
                    {"before", Attribute(Ints{0, 1})},
                    {"after", Attribute(Ints{0, 1})}}));
    EXPECT_NE(n.StreamRefusal(4).find("no entry in common"), std::string::npos)
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
