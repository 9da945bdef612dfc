// Where choices of entries go: each kind of operation that they pass or that takes them in.
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "gtest/gtest.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/legalization/movement.h"
#include "targets/npu/legalization/test_network.h"

namespace tessera::npu {
namespace {

using example::Ints;
using example::Network;
using ir::Attribute;
using ir::Value;

Value* Picked(Network& n, Value* x, const Ints& entries) {
  return n.Npu("PickedEntries", {x, n.Integers(entries)});
}

Value* Filter(Network& n, Value* x, int64_t filters) {
  const int64_t channels = *x->type().dims[3].Constant();
  return n.Npu("ImageFilter", {x, n.Random({filters, 2, 2, channels}), n.Random({filters})},
               {{"before", Attribute(Ints{1, 0})}});
}

const Ints kOrder = {6, 0, 0, 7, -1, 3, 2, 1};

struct Counts {
  int device = 0, host = 0;
};

// Choices that are left after the passes, by whether an input of the network is what they read.
Counts Left(const Network& n) {
  Counts counts;
  for (const ir::Operation* op : n.graph().TopologicalOrder()) {
    if (StepOf(*op) != Step::kPicked) continue;
    ++(op->operand(0)->producer() == nullptr ? counts.host : counts.device);
  }
  return counts;
}

// After the passes, which keep what is computed, `device` choices are left within the network.
void ExpectLeft(Network& n, int device, int host = 0) {
  n.RunPipeline();
  const Counts counts = Left(n);
  EXPECT_EQ(counts.device, device);
  EXPECT_EQ(counts.host, host);
  n.Check("gna-3.5");
}

TEST(SinkGathers, IntoWeightsBefore) {
  Network n;
  n.Output(n.Core("Tanh", {Picked(n, n.Rows(n.Input({1, 16}), 8), kOrder)}));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, IntoWeightsBehind) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 8)});
  n.Output(n.Rows(Picked(n, x, kOrder), 4));
  n.Output(x, "z");
  ExpectLeft(n, 0);
}

TEST(SinkGathers, PastFunctionsBehind) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 8)});
  n.Output(n.Rows(n.Core("Relu", {n.Core("Neg", {Picked(n, x, kOrder)})}), 4));
  n.Output(x, "z");
  ExpectLeft(n, 0);
}

TEST(SinkGathers, PastFunctionsBefore) {
  for (const char* op : {"Relu", "Sigmoid", "Tanh", "Abs", "Exp", "Neg", "Elu"}) {
    SCOPED_TRACE(op);
    Network n;
    n.Output(Picked(n, n.Core(op, {n.Rows(n.Input({1, 16}), 8)}), kOrder));
    ExpectLeft(n, 0);
  }
}

TEST(SinkGathers, PastScalesAndNumbers) {
  Network n;
  Value* x = n.Npu("ScaledEntries", {n.Rows(n.Input({1, 16}), 8), n.Random({8}), n.Random({8})});
  n.Output(Picked(n, n.Core("Mul", {x, n.Number(3)}), kOrder));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, IntoBothSidesOfSumsAndProducts) {
  for (const char* op : {"DataSum", "DataProduct"}) {
    SCOPED_TRACE(op);
    Network n;
    Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 8)});
    Value* z = n.Core("Relu", {n.Rows(n.Input({1, 8}, "z"), 8)});
    n.Output(Picked(n, n.Npu(op, {x, z}), kOrder));
    ExpectLeft(n, 0);
  }
}

TEST(SinkGathers, IntoFiltersBefore) {
  Network n;
  n.Output(Picked(n, n.Core("Relu", {Filter(n, n.Input({1, 18, 17, 8}), 8)}), kOrder));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, IntoFiltersBehind) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Input({1, 18, 17, 8}), 8)});
  n.Output(Filter(n, Picked(n, x, kOrder), 8));
  n.Output(n.Core("Relu", {x}), "z");
  ExpectLeft(n, 0);
}

TEST(SinkGathers, PastWindows) {
  for (const char* kind : {"MAX", "MEAN"}) {
    SCOPED_TRACE(kind);
    Network n;
    Value* x = n.Npu("ImageWindow", {Filter(n, n.Input({1, 18, 17, 8}), 8)},
                     {{"kind", std::string_view(kind)},
                      {"window", Attribute(Ints{2, 2})},
                      {"stride", Attribute(Ints{2, 2})}});
    n.Output(Picked(n, x, kOrder));
    ExpectLeft(n, 0);
  }
}

TEST(SinkGathers, PastReshapesAndTranspositionsThatKeepTheLastAxis) {
  Network n;
  Value* x = n.Core("Tanh", {Filter(n, n.Input({1, 18, 17, 8}), 8)});
  x = n.Core("Transpose", {x}, {{"perm", Attribute(Ints{0, 2, 1, 3})}});
  n.Output(Picked(n, n.Reshaped(x, {16, 18, 8}), kOrder));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, IntoWhatIsJoined) {
  for (const int64_t axis : {0, 1}) {
    SCOPED_TRACE(axis);
    Network n;
    Value* x = n.Rows(n.Input({1, 16}), axis == 0 ? 8 : 5);
    Value* z = n.Core("Relu", {n.Rows(n.Input({1, 8}, "z"), axis == 0 ? 8 : 3)});
    // Of each part once, else it is read several times.
    n.Output(Picked(n, n.Npu("Join", {x, z}, {{"axis", Attribute(axis)}}),
                    axis == 0 ? kOrder : Ints{7, 5, 4, 0, 2}));
    ExpectLeft(n, 0);
  }
}

TEST(SinkGathers, ChoicesOfChoicesAreOne) {
  Network n;
  Value* x = Picked(n, n.Rows(n.Input({1, 16}), 8), kOrder);
  n.Output(Picked(n, x, {1, 3, 5}));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, AllInTheirOrderIsNone) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 3)});
  n.Output(Picked(n, x, {0, -2, 2}));
  n.Output(n.Core("Relu", {x}), "z");
  ExpectLeft(n, 0);
}

TEST(SinkGathers, ToTheInputs) {
  Network n;
  Value* x = n.Core("Relu", {n.Npu("DataProduct", {n.Input({1, 8}), n.Input({1, 8}, "z")})});
  n.Output(Picked(n, x, kOrder));
  ExpectLeft(n, 0, 2);
}

// Two read it, and neither has weights.
TEST(SinkGathers, WhatReachesNoEndIsALayer) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 8)});
  n.Output(n.Npu("DataProduct", {Picked(n, x, kOrder), x}));
  ExpectLeft(n, 1);
}

// An operation of each kind between weights and a choice, in either order: a kind that is added has
// to be among them.
struct Kind {
  // Of x [1, 18, 16, 8]; eight entries along the last axis.
  std::function<Value*(Network&, Value*)> make;
  bool passes_up, passes_down;
};

std::map<std::string, Kind> Kinds() {
  const auto of = [](Step step) { return std::string(NameOf(step)); };
  const Ints two = {2, 2}, starts = {0, 1, 0, 0}, sizes = {1, 16, 15, 8};
  std::map<std::string, Kind> kinds;
  kinds[of(Step::kRows)] = {[](Network& n, Value* x) { return n.Rows(x, 8); }, true, true};
  kinds[of(Step::kFilter)] = {[](Network& n, Value* x) { return Filter(n, x, 8); }, true, true};
  kinds[of(Step::kWindow)] = {[=](Network& n, Value* x) {
                                return n.Npu("ImageWindow", {x},
                                             {{"kind", std::string_view("MAX")},
                                              {"window", Attribute(two)},
                                              {"stride", Attribute(two)}});
                              },
                              true, true};
  kinds[of(Step::kScaled)] = {[](Network& n, Value* x) {
                                return n.Npu("ScaledEntries", {x, n.Random({8}), n.Random({8})});
                              },
                              true, false};
  for (const Step step : {Step::kSum, Step::kProduct})
    kinds[of(step)] = {
        [=](Network& n, Value* x) {
          return n.Npu(NameOf(step), {x, Filter(n, n.Input({1, 18, 17, 8}, "z"), 8)});
        },
        true, false};
  kinds[of(Step::kJoin)] = {[](Network& n, Value* x) {
                              return n.Npu("Join", {x, Filter(n, n.Input({1, 18, 17, 8}, "z"), 8)},
                                           {{"axis", Attribute(int64_t{1})}});
                            },
                            true, false};
  kinds[of(Step::kOver)] = {
      [](Network& n, Value* x) {
        return n.Npu("OverEntries", {x},
                     {{"kind", std::string_view("MEAN")}, {"axis", Attribute(int64_t{2})}});
      },
      true, true};
  kinds[of(Step::kPart)] = {
      [=](Network& n, Value* x) {
        return n.Npu("Part", {x}, {{"starts", Attribute(starts)}, {"sizes", Attribute(sizes)}});
      },
      true, true};
  kinds[of(Step::kPicked)] = {[](Network& n, Value* x) {
                                return Picked(n, x, {7, 6, 5, 4, 3, 2, 1, 0});
                              },
                              true, true};
  kinds[of(Step::kRounded)] = {[](Network& n, Value* x) {
                                 return n.Npu(
                                     "RoundedToScale", {x, n.Number(0.1), n.Number(0)},
                                     {{"low", Attribute(-128.0)}, {"high", Attribute(127.0)}});
                               },
                               true, true};
  kinds[of(Step::kPositive)] = {[](Network& n, Value* x) { return n.Npu("PositivePart", {x}); },
                                true, true};
  // Those that have a role, or are tables by their definitions.
  kinds["Reshape"] = {[](Network& n, Value* x) {
                        return n.Reshaped(x, {1, 288, 1, 8});
                      },
                      true, true};
  kinds["Transpose"] = {[](Network& n, Value* x) {
                          return n.Core("Transpose", {x}, {{"perm", Attribute(Ints{0, 2, 1, 3})}});
                        },
                        true, true};
  kinds["Tanh"] = {[](Network& n, Value* x) { return n.Core("Tanh", {x}); }, true, true};
  return kinds;
}

int ChoicesAfterSinking(Network& n) {
  passes::PassContext context;
  EXPECT_TRUE(SinkGathers(n.graph(), context).ok());
  const Counts counts = Left(n);
  return counts.device + counts.host;
}

TEST(SinkGathers, EachKindOfOperation) {
  const std::map<std::string, Kind> kinds = Kinds();
  for (const Step step : StepsBeforeThePlan())
    EXPECT_TRUE(kinds.contains(std::string(NameOf(step)))) << NameOf(step) << " has no case here";
  for (const auto& [name, kind] : kinds) {
    SCOPED_TRACE(name);
    Network up;
    up.Output(Picked(up, kind.make(up, Filter(up, up.Input({1, 18, 17, 8}), 8)), kOrder));
    EXPECT_EQ(ChoicesAfterSinking(up) == 0, kind.passes_up);
    // Its entries are read elsewhere too, so that the choice has to go down.
    Network down;
    Value* x = Filter(down, down.Input({1, 18, 17, 8}), 8);
    down.Output(x, "other");
    down.Output(down.Rows(kind.make(down, Picked(down, x, kOrder)), 4));
    EXPECT_EQ(ChoicesAfterSinking(down) == 0, kind.passes_down);
  }
}

// What the operations of networks become.
TEST(SinkGathers, GathersAndSlicesThatSkipEntries) {
  Network n;
  Value* x = n.Rows(n.Input({1, 16}), 12);
  Value* a = n.Core("Gather", {n.Core("Tanh", {x}), n.Integers({3, 1, -1, 0})},
                    {{"axis", Attribute(int64_t{1})}});
  Value* b = n.Core("Slice", {n.Core("Sigmoid", {n.Rows(n.Input({1, 8}, "z"), 12)})},
                    {{"starts", Attribute(Ints{0, 11})},
                     {"sizes", Attribute(Ints{1, 4})},
                     {"steps", Attribute(Ints{1, -3})}});
  n.Output(n.Core("Mul", {a, b}));
  ExpectLeft(n, 0);
}

TEST(SinkGathers, RotatedEntries) {
  Network n;
  Value* x = n.Core("Tanh", {n.Rows(n.Input({1, 16}), 12)});
  const auto part = [&](int64_t from, int64_t count) {
    return n.Core("Slice", {x},
                  {{"starts", Attribute(Ints{0, from})}, {"sizes", Attribute(Ints{1, count})}});
  };
  n.Output(
      n.Rows(n.Core("Concat", {part(5, 7), part(0, 5)}, {{"axis", Attribute(int64_t{1})}}), 4));
  ExpectLeft(n, 0);
}

}  // namespace
}  // namespace tessera::npu
