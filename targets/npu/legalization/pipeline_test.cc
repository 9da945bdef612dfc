// Networks of core operations through the passes and the plan: they compute what they did, on the
// device.
#include <limits>
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

const char* const kAll[] = {"gna-1.0", "gna-2.0", "gna-3.0", "gna-3.5"};

// As networks have it: channels first around each convolution, and weighted sums of everything in
// the end.
TEST(Pipeline, BringsTranspositionsToTheEndsAndIntoWeights) {
  Network n;
  Value* x = n.Core(
      "Relu", {n.Core("Conv", {n.Input({1, 8, 20}), n.Random({32, 8, 3})},
                      {{"pads_begin", Attribute(Ints{1})}, {"pads_end", Attribute(Ints{1})}})});
  Value* y = n.Core("Tanh", {n.Core("Conv", {x, n.Random({32, 32, 5})},
                                    {{"strides", Attribute(Ints{2})},
                                     {"pads_begin", Attribute(Ints{2})},
                                     {"pads_end", Attribute(Ints{2})}})});
  n.Output(n.Core("MatMul", {n.Reshaped(y, {1, 320}), n.Random({320, 6})}));
  n.RunPipeline();
  n.Check("gna-2.0");
  n.Check("gna-3.0");
}

TEST(Pipeline, JoinsConvolutionsWhoseChannelsLieBesideEachOther) {
  Network n;
  Value* x = n.Core("Relu", {n.Core("Conv", {n.Input({1, 8, 18, 17}), n.Random({16, 8, 1, 1})})});
  const auto expanded = [&](int64_t taps, int64_t filters) {
    const Attribute pads(Ints{taps / 2, taps / 2});
    return n.Core("Relu", {n.Core("Conv", {x, n.Random({filters, 16, taps, taps})},
                                  {{"pads_begin", pads}, {"pads_end", pads}})});
  };
  Value* joined =
      n.Core("Concat", {expanded(1, 8), expanded(3, 16)}, {{"axis", Attribute(int64_t{1})}});
  n.Output(n.Core("Conv", {joined, n.Random({8, 24, 3, 3})}));
  n.RunPipeline();
  n.Check("gna-3.0");
  n.Check("gna-3.5");
}

// What a tensor is repeated to has an order of axes too.
TEST(Pipeline, FactorsPerChannelAreRepeatedOnTheHost) {
  Network n;
  Value* x = n.Core("Relu", {n.Core("Conv", {n.Input({1, 8, 18, 17}), n.Random({16, 8, 3, 3})})});
  Value* mean = n.Core("ReduceMean", {x}, {{"axes", Attribute(Ints{2, 3})}});
  Value* factor = n.Core("Sigmoid", {n.Core("Conv", {mean, n.Random({16, 16, 1, 1})})});
  n.Output(n.Core("Mul", {factor, x}));
  n.RunPipeline();
  n.Check("gna-3.5", true);
}

// Sides of strides beside each other, with what is cropped and what filters do not reach.
TEST(Pipeline, TransposedConvolutions) {
  struct Case {
    Ints x, w, strides, begin, end;
    int64_t group = 1;
  };
  const Case cases[] = {
      {{1, 8, 20}, {8, 4, 4}, {2}, {1}, {1}},
      {{1, 8, 15}, {8, 5, 3}, {2}, {0}, {0}},
      {{1, 8, 16}, {8, 4, 3}, {2}, {1}, {0}},
      {{1, 8, 9}, {8, 4, 5}, {1}, {2}, {2}},
      {{1, 4, 10}, {4, 3, 2}, {3}, {0}, {-1}},
      {{1, 8, 12}, {8, 2, 3}, {2}, {4}, {3}, 2},
      {{1, 8, 18, 20}, {8, 16, 2, 2}, {2, 2}, {0, 0}, {0, 0}},
      {{1, 16, 16, 16}, {16, 8, 4, 4}, {2, 2}, {1, 1}, {1, 1}},
      {{1, 8, 16, 16}, {8, 8, 3, 3}, {2, 2}, {1, 1}, {0, 0}},
      {{1, 8, 5, 4}, {8, 2, 3, 5}, {2, 3}, {0, 1}, {1, 0}, 4},
  };
  for (const Case& c : cases) {
    for (const char* device : kAll) {
      SCOPED_TRACE(absl::StrCat(c.x.back(), " by ", c.strides[0], " of ", c.w.back()));
      Network n;
      Value* x = n.Core("Tanh", {n.Input(c.x)});
      Value* y = n.Core("ConvTranspose", {x, n.Random(c.w), n.Random({c.w[1] * c.group})},
                        {{"strides", Attribute(c.strides)},
                         {"pads_begin", Attribute(c.begin)},
                         {"pads_end", Attribute(c.end)},
                         {"group", c.group}});
      n.Output(n.Core("Relu", {y}));
      n.RunPipeline();
      n.Check(device);
    }
  }
}

TEST(Pipeline, DilatedTransposedConvolutions) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 8, 9, 8})});
    n.Output(n.Core("ConvTranspose", {x, n.Random({8, 4, 2, 3})},
                    {{"strides", Attribute(Ints{2, 1})},
                     {"dilations", Attribute(Ints{2, 3})},
                     {"pads_begin", Attribute(Ints{1, 2})},
                     {"group", int64_t{2}}}));
    n.Output(n.Core("ConvTranspose", {n.Input({1, 8, 12}, "z"), n.Random({8, 8, 3}), n.Random({8})},
                    {{"dilations", Attribute(Ints{2})}}),
             "row");
    n.RunPipeline();
    n.Check(device);
  }
}

// By whole factors, where the nearest entry is never in doubt.
TEST(Pipeline, RepeatedEntries) {
  struct Rule {
    const char *coordinates, *rounding;
  };
  for (const Rule rule : {Rule{"asymmetric", "floor"},
                          {"half_pixel", "round_prefer_floor"},
                          {"half_pixel_symmetric", "round_prefer_ceil"}}) {
    for (const char* device : kAll) {
      SCOPED_TRACE(rule.coordinates);
      Network n;
      const auto resized = [&](Value* x, const Ints& sizes) {
        return n.Core("Resize", {x},
                      {{"sizes", Attribute(sizes)},
                       {"coordinates", std::string_view(rule.coordinates)},
                       {"nearest_mode", std::string_view(rule.rounding)}});
      };
      n.Output(resized(n.Core("Tanh", {n.Input({1, 8, 9, 8})}), {1, 8, 18, 24}));
      n.Output(resized(n.Core("Tanh", {n.Input({1, 8, 12}, "z")}), {1, 8, 24}), "row");
      n.RunPipeline();
      n.Check(device);
    }
  }
}

// Entries between entries, and beyond the first and the last one.
TEST(Pipeline, LinesBetweenEntries) {
  for (const char* coordinates : {"half_pixel", "pytorch_half_pixel", "asymmetric"}) {
    for (const char* device : kAll) {
      SCOPED_TRACE(coordinates);
      Network n;
      const auto resized = [&](Value* x, const Ints& sizes) {
        return n.Core("Resize", {x},
                      {{"sizes", Attribute(sizes)},
                       {"mode", std::string_view("linear")},
                       {"coordinates", std::string_view(coordinates)}});
      };
      n.Output(resized(n.Core("Tanh", {n.Input({1, 8, 5, 8})}), {1, 8, 10, 24}));
      n.Output(resized(n.Core("Tanh", {n.Input({1, 8, 12}, "z")}), {1, 8, 48}), "row");
      n.Output(resized(n.Core("Tanh", {n.Input({1, 8, 1, 3}, "w")}), {1, 8, 2, 3}), "one");
      n.RunPipeline();
      n.Check(device);
    }
  }
}

// What stands in front of the operation that is refused is no reason.
TEST(Pipeline, TranspositionsBesideWhatIsRefused) {
  Network n;
  Value* x = n.Core("Conv", {n.Input({1, 8, 18, 17}), n.Random({8, 8, 3, 3})});
  x = n.Core("Resize", {n.Core("Relu", {x})},
             {{"sizes", Attribute(Ints{1, 8, 32, 30})}, {"mode", std::string_view("cubic")}});
  n.Output(n.Core("Conv", {x, n.Random({8, 8, 3, 3})}));
  n.RunPipeline();
  const std::string refusal = n.Refusal("gna-3.5");
  EXPECT_NE(refusal.find("1 operation(s) without a form"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("`Resize` at ``: the device has no cubic curves"), std::string::npos)
      << refusal;
}

// One after the other: filters, windows, and sums of what is left of each.
TEST(Pipeline, SeveralImages) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Core("Conv", {n.Input({3, 8, 10, 8}), n.Random({16, 8, 3, 3})});
    x = n.Core("MaxPool", {n.Core("Relu", {x})},
               {{"kernel_shape", Attribute(Ints{2, 2})}, {"strides", Attribute(Ints{2, 2})}});
    n.Output(n.Core("MatMul", {n.Reshaped(x, {3, 192}), n.Random({192, 10})}));
    n.RunPipeline();
    n.Check(device);
  }
}

TEST(Pipeline, ZerosThatAreCounted) {
  for (const char* device : kAll) {
    Network n;
    Value* x = n.Core("Tanh", {n.Input({1, 8, 17, 16})});
    const auto padded = [&](const Ints& begin, const Ints& end) {
      return n.Core("Pad", {x}, {{"pads_begin", Attribute(begin)}, {"pads_end", Attribute(end)}});
    };
    n.Output(n.Core("AveragePool", {padded({0, 0, 1, 1}, {0, 0, 1, 1})},
                    {{"kernel_shape", Attribute(Ints{3, 3})}, {"strides", Attribute(Ints{2, 2})}}));
    n.Output(n.Core("Relu", {padded({0, 0, 1, 2}, {0, 0, 1, 2})}), "even");
    n.RunPipeline();
    n.Check(device);
  }
}

// The greatest of a row is taken away first.
TEST(Pipeline, SoftmaxOfWideExponents) {
  for (const char* device : kAll) {
    for (const char* op : {"Softmax", "LogSoftmax"}) {
      Network n;
      Value* x = n.Core("Mul", {n.Rows(n.Input({1, 16}), 60), n.Number(8)});
      n.Output(n.Core(op, {n.Reshaped(x, {1, 60})}, {{"axis", int64_t{1}}}));
      n.Output(n.Core(op, {n.Reshaped(x, {4, 15})}, {{"axis", int64_t{1}}}), "rows");
      n.RunPipeline();
      n.Check(device);
    }
  }
}

// Elements of which there are fewer than a copy takes, behind zeros.
TEST(Pipeline, TheGreatestOfAnAxisOfFewEntries) {
  for (const Ints& shape : {Ints{7, 6, 4}, Ints{5, 3, 8}, Ints{5, 6, 8}}) {
    Network n;
    n.Output(n.Core("ReduceMax", {n.Input(shape)}, {{"axes", Attribute(Ints{2})}}));
    n.RunPipeline();
    n.Check("gna-3.5", true);
    n.Check("gna-2.0", true);
  }
}

// To the device zeros around an image are no part of it, which filters may not be larger than.
TEST(Pipeline, FiltersThatAreLargerThanTheImage) {
  Network n;
  n.Output(n.Core("Relu", {n.Core("Conv", {n.Input({1, 8, 3, 3}), n.Random({8, 8, 5, 5})},
                                  {{"pads_begin", Attribute(Ints{2, 2})},
                                   {"pads_end", Attribute(Ints{2, 2})}})}));
  n.RunPipeline();
  n.Check("gna-3.0");
  n.Check("gna-3.5");
}

TEST(Pipeline, CutsBeforeTables) {
  Network n;
  Value* x = n.Core("Sigmoid", {n.Core("MatMul", {n.Input({1, 16}), n.Random({16, 30})})});
  const auto part = [&](int64_t from) {
    return n.Core("Slice", {x},
                  {{"starts", Attribute(Ints{0, from})}, {"sizes", Attribute(Ints{1, 15})}});
  };
  n.Output(n.Core("Mul", {part(0), part(15)}));
  n.RunPipeline();
  n.Check("gna-2.0");
}

// Normalized rows between weighted sums: no transposition is left, whatever axis numbers belong to.
TEST(Pipeline, RowsThatAreNormalized) {
  for (const bool first : {false, true}) {
    Network n;
    Value* x = n.Input({1, 12, 16});
    if (!first) x = n.Core("Tanh", {n.Core("MatMul", {x, n.Random({16, 16})})});
    const Attribute last(Ints{2});
    Value* mean = n.Core("ReduceMean", {x}, {{"axes", last}});
    Value* centred = n.Core("Sub", {x, mean});
    Value* square = n.Core("ReduceMean", {n.Core("Mul", {centred, centred})}, {{"axes", last}});
    Value* deviation = n.Core("Sqrt", {n.Core("Add", {square, n.Number(0.1)})});
    Value* y = n.Core("Div", {centred, deviation});
    y = n.Core("Add", {n.Core("Mul", {y, n.Random({16})}), n.Random({16})});
    y = n.Core("Relu",
               {n.Core("Add", {n.Core("MatMul", {y, n.Random({16, 24})}), n.Random({24})})});
    n.Output(n.Core("Add", {n.Core("MatMul", {y, n.Random({24, 8})}), n.Random({1, 1, 8})}));
    n.RunPipeline();
    n.Check("gna-2.0");
    n.Check("gna-3.5");
  }
}

// Channels that a factor of their own scales, channels first, amid convolutions of one row.
TEST(Pipeline, FactorsPerChannelOfRowsOfPixels) {
  Network n;
  Value* x = n.Core("Relu", {n.Core("Conv", {n.Input({1, 8, 20}), n.Random({16, 8, 3})})});
  Value* mean = n.Core("ReduceMean", {x}, {{"axes", Attribute(Ints{2})}});
  Value* factor = n.Core("Sigmoid", {n.Core("Conv", {mean, n.Random({16, 16, 1})})});
  Value* scaled = n.Core("Mul", {x, factor});
  n.Output(n.Core("Relu", {n.Core("Conv", {scaled, n.Random({8, 16, 3})})}));
  n.RunPipeline();
  n.Check("gna-2.0");
  n.Check("gna-3.5");
}

// A sequence of known length, read from both ends, twice.
TEST(Pipeline, RecurrencesInBothDirections) {
  Network n;
  const auto turned = [&](Value* x) {
    const Ints sizes = ShapeOf(*x);
    return n.Core("Slice", {x},
                  {{"starts", Attribute(Ints{sizes[0] - 1, 0, 0})},
                   {"sizes", Attribute(sizes)},
                   {"steps", Attribute(Ints{-1, 1, 1})}});
  };
  const auto recurrence = [&](Value* x) {
    Value* all =
        n.Core("Add", {n.Core("MatMul", {x, n.Random({ShapeOf(*x)[2], 32})}), n.Random({32})});
    std::vector<Value*> steps;
    Value* state = nullptr;
    Value* weights = n.Random({32, 32});
    for (int64_t at = 0; at < 6; ++at) {
      Value* now = n.Core("Gather", {all, n.Index(at)}, {{"axis", Attribute(int64_t{0})}});
      if (state != nullptr) now = n.Core("Add", {now, n.Core("MatMul", {state, weights})});
      state = n.Core("Tanh", {now});
      steps.push_back(n.Reshaped(state, {1, 1, 32}));
    }
    return n.Core("Concat", steps, {{"axis", Attribute(int64_t{0})}});
  };
  const auto both = [&](Value* x) {
    Value* ahead = recurrence(x);
    Value* back = turned(recurrence(turned(x)));
    return n.Core("Concat", {ahead, back}, {{"axis", Attribute(int64_t{2})}});
  };
  Value* x = n.Core("Transpose", {n.Input({1, 6, 16})}, {{"perm", Attribute(Ints{1, 0, 2})}});
  n.Output(n.Core("MatMul", {both(both(x)), n.Random({64, 8})}));
  n.RunPipeline();
  n.Check("gna-2.0");
  n.Check("gna-3.5");
}

// Any axis of known size. The greatest of the last of three axes is that of a row of pixels.
TEST(Pipeline, ReductionsOverAnyAxis) {
  for (const char* over : {"ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin"}) {
    for (const Ints& axes : {Ints{1}, Ints{2}, Ints{1, 2}}) {
      SCOPED_TRACE(absl::StrCat(over, " over ", axes[0], axes.size() > 1 ? " and 2" : ""));
      const bool sums = over == std::string("ReduceSum") || over == std::string("ReduceMean");
      if (!sums && axes == Ints{2}) continue;
      Network n;
      Value* x = n.Core("Tanh", {n.Core("MatMul", {n.Input({1, 6, 16}), n.Random({16, 16})})});
      n.Output(n.Core(over, {x}, {{"axes", Attribute(axes)}}));
      n.RunPipeline();
      n.Check("gna-2.0");
      n.Check("gna-3.5");
    }
  }
}

TEST(Pipeline, RecurrencesKeepTheirStatesBetweenFrames) {
  for (const char* op : {"Lstm", "Gru", "Rnn"}) {
    SCOPED_TRACE(op);
    const bool lstm = op == std::string("Lstm"), gru = op == std::string("Gru");
    const int64_t gates = lstm ? 4 : gru ? 3 : 1, units = 8;
    Network n;
    Value* z = n.Core("MatMul", {n.Frames({1, 16}), n.Random({16, gates * units})});
    if (gates > 1) {
      z = n.Core("Reshape", {z},
                 {{"shape", Attribute(std::vector<ir::Expr>{n.Symbol(), 1, gates, units})}});
      n.Output(n.Core(op, {z, n.Random({gates, units, units})},
                      {{"kinds", Attribute(lstm ? Ints{0, 1, 1} : Ints{0, 1})}}));
    } else {
      n.Output(n.Core(op, {z, n.Random({units, units})}, {{"kind", Attribute(int64_t{1})}}));
    }
    n.RunPipeline();
    n.Check("gna-3.0", false, 5);
  }
}

// A choice that goes leaves the transpositions around it beside each other; one of a single entry
// leaves one that moves nothing.
TEST(Pipeline, TranspositionsAroundChoicesThatGo) {
  {
    Network n;
    Value* x = n.Input({6, 5, 8});
    Value* some = n.Core("Slice", {n.Core("Transpose", {x}, {{"perm", Attribute(Ints{2, 0, 1})}})},
                         {{"starts", Attribute(Ints{0, 0, 0})},
                          {"sizes", Attribute(Ints{8, 2, 5})},
                          {"steps", Attribute(Ints{1, 1, 1})}});
    n.Output(n.Core("Gather", {some, n.Integers({0, 1})}, {{"axis", Attribute(int64_t{1})}}));
    n.RunPipeline();
    n.Check("gna-3.5", true);
  }
  {
    Network n;
    Value* x = n.Core("Relu", {n.Input({1, 4, 6})});
    Value* turned = n.Core("Slice", {x},
                           {{"starts", Attribute(Ints{0, 0, 0})},
                            {"sizes", Attribute(Ints{1, 4, 6})},
                            {"steps", Attribute(Ints{-1, 1, 1})}});
    n.Output(n.Core("Transpose", {turned}, {{"perm", Attribute(Ints{1, 0, 2})}}));
    n.Output(x, "other");
    n.RunPipeline();
    n.Check("gna-3.5", true);
  }
  {
    Network n;
    Value* x = n.Input({5, 6});
    Value* pairs =
        n.Core("GatherND",
               {n.Input({6, 5, 8}, "z"),
                n.Core("Reshape", {n.Integers({0, 1, 1, 0})}, {{"shape", Attribute(Ints{2, 2})}})},
               {{"depth", Attribute(int64_t{2})}, {"batch_dims", Attribute(int64_t{0})}});
    n.Output(n.Core("Gather", {pairs, n.Integers({0, 1})}, {{"axis", Attribute(int64_t{0})}}));
    Value* one =
        n.Core("Gather", {n.Core("Relu", {x}), n.Integers({3})}, {{"axis", Attribute(int64_t{0})}});
    n.Output(n.Core("Transpose", {one}, {{"perm", Attribute(Ints{1, 0})}}), "one");
    n.RunPipeline();
    n.Check("gna-3.5", true);
  }
}

}  // namespace
}  // namespace tessera::npu
