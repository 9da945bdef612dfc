// Networks with sequences and optionals that are known when a model is imported: what they compute
// is what the same networks without them do, and what is not known is refused with its reason.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "onnx/defs/parser.h"
#include "solver/expr.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

onnx::ModelProto Parsed(const std::string& text) {
  onnx::ModelProto model;
  const std::string whole = absl::StrCat("<ir_version: 8, opset_import: [\"\" : 18]>\n", text);
  const auto status = onnx::OnnxParser(whole.c_str()).Parse(model);
  EXPECT_TRUE(status.IsOK()) << text << "\n" << status.ErrorMessage();
  for (auto& output : *model.mutable_graph()->mutable_output())
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  return model;
}

struct Pair {
  const char *with, *without;
};
const Pair kPairs[] = {
    {"at (float[T] a, float[T] b) => (float y) <int64 k = {-1}> "
     "{ s = SequenceConstruct (a, b)  x = SequenceAt (s, k)  y = Relu (x) }",
     "at (float[T] a, float[T] b) => (float y) { y = Relu (b) }"},
    {"inserted (float[T] a, float[T] b, float[T] c) => (float y) <int64 k = {-1}> "
     "{ s = SequenceConstruct (a, b)  t = SequenceInsert (s, c, k)  u = SequenceInsert (t, a) "
     "y = ConcatFromSequence <axis = -1> (u) }",
     "inserted (float[T] a, float[T] b, float[T] c) => (float y) "
     "{ y = Concat <axis = 0> (a, c, b, a) }"},
    {"erased (float[T,2] a, float[T,2] b, float[T,2] c) => (float y) <int64 k = {0}> "
     "{ e = SequenceEmpty ()  s = SequenceInsert (e, a)  t = SequenceInsert (s, b) "
     "u = SequenceInsert (t, c, k)  v = SequenceErase (u)  w = SequenceErase (v, k) "
     "z = SequenceInsert (w, c)  y = ConcatFromSequence <axis = 1, new_axis = 1> (z) }",
     "erased (float[T,2] a, float[T,2] b, float[T,2] c) => (float y) <int64[1] o = {1}> "
     "{ p = Unsqueeze (a, o)  q = Unsqueeze (c, o)  y = Concat <axis = 1> (p, q) }"},
    {"split (float[T,5] x) => (float y) <int64 two = {2}, int64 k = {2}> "
     "{ s = SplitToSequence <axis = 1> (x, two)  n = SequenceLength (s)  l = SequenceAt (s, k) "
     "f = Cast <to = 1> (n)  y = Mul (l, f) }",
     "split (float[T,5] x) => (float y) <int64[1] f = {4}, int64[1] e = {5}, int64[1] a = {1}, "
     "float three = {3}> { l = Slice (x, f, e, a)  y = Mul (l, three) }"},
    {"split_sizes (float[T,2] x) => (float y) <int64[1] two = {2}, int64 k = {1}> "
     "{ n = Shape <end = 1> (x)  h = Div (n, two)  r = Sub (n, h)  p = Concat <axis = 0> (h, r) "
     "s = SplitToSequence (x, p)  y = SequenceAt (s, k) }",
     "split_sizes (float[T,2] x) => (float y) <int64[1] two = {2}> "
     "{ n = Shape <end = 1> (x)  h = Div (n, two)  r = Sub (n, h)  p = Concat <axis = 0> (h, r) "
     "z, y = Split (x, p) }"},
    {"split_apart (float[3,T] x) => (float y) <int64 k = {1}> "
     "{ s = SplitToSequence <keepdims = 0> (x)  y = SequenceAt (s, k) }",
     "split_apart (float[3,T] x) => (float y) <int64 k = {1}> { y = Gather (x, k) }"},
    {"looped (float[T] x) => (float y) <int64 n = {3}, bool go = {1}> "
     "{ s = SequenceConstruct (x) "
     "  t = Loop (n, go, s) <body = each (int64 i, bool c, float[T] q) => (bool d, float[T] r) "
     "  { d = Identity (c)  l = SequenceLength (q)  p = Sub (l, i)  j = Sub (p, p) "
     "    e = SequenceAt (q, j)  f = Add (e, x)  r = SequenceInsert (q, f) }> "
     "  y = ConcatFromSequence <axis = 0> (t) }",
     "looped (float[T] x) => (float y) { f = Add (x, x)  y = Concat <axis = 0> (x, f, f, f) }"},
    {"optional (float[T] x) => (float y) "
     "{ o = Optional (x)  h = OptionalHasElement (o)  e = OptionalGetElement (o) "
     "  y = If (h) <then_branch = yes () => (float[T] a) { a = Relu (e) }, "
     "  else_branch = no () => (float[T] b) { b = Neg (x) }> }",
     "optional (float[T] x) => (float y) { y = Relu (x) }"},
    {"nothing (float[T] x) => (float y) "
     "{ h = OptionalHasElement ()  y = If (h) <then_branch = yes () => (float[T] a) "
     "{ a = Relu (x) }, else_branch = no () => (float[T] b) { b = Neg (x) }> }",
     "nothing (float[T] x) => (float y) { y = Neg (x) }"},
    {"optional_sequence (float[T] x) => (float y) <int64 k = {0}> "
     "{ s = SequenceConstruct (x)  o = Optional (s)  e = OptionalGetElement (o) "
     "  z = SequenceAt (e, k)  y = Relu (z) }",
     "optional_sequence (float[T] x) => (float y) { y = Relu (x) }"},
};

TEST(Sequences, ComputeWhatTheSameComputesWithoutThem) {
  RegisterOps();
  for (const Pair& pair : kPairs) {
    const onnx::ModelProto with = Parsed(pair.with), without = Parsed(pair.without);
    const auto import = Import(with, {});
    ASSERT_TRUE(import.ok()) << import.status();
    EXPECT_TRUE(import->graph->obligations().empty()) << pair.with;
    for (const solver::Assignment& at : Sizes(SymbolsOf(with), 4, 4, 1)) {
      const Trial trial = Try(without, at);
      ASSERT_TRUE(trial.results.ok()) << trial.results.status();
      EXPECT_EQ(Difference(*import->graph, trial), "") << pair.with << " at " << ToText(at);
    }
  }
}

TEST(Sequences, AnOutputThatIsOneIsAnOutputForEachEntry) {
  RegisterOps();
  const onnx::ModelProto with = Parsed(
      "g (float[T] x) => (float y, float z) { a = Relu (x)  b = Neg (x) "
      "y = SequenceConstruct (a, b)  z = Abs (x) }");
  const onnx::ModelProto without = Parsed(
      "g (float[T] x) => (float y_0, float y_1, float z) "
      "{ y_0 = Relu (x)  y_1 = Neg (x)  z = Abs (x) }");
  const auto import = Import(with, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph->output_names(), (std::vector<std::string>{"y_0", "y_1", "z"}));
  EXPECT_EQ(import->flattened,
            std::vector<std::string>{"output: the sequence `y` is `y_0`, `y_1` here"});
  const Trial trial = Try(without, {{"T", 5}});
  ASSERT_TRUE(trial.results.ok()) << trial.results.status();
  EXPECT_EQ(Difference(*import->graph, trial), "");
}

TEST(Sequences, MapsOfEachRowAreTheRows) {
  RegisterOps();
  onnx::ModelProto mapped = Parsed("g (float[T,3] x) => (float z) { y = Neg (x)  z = Relu (y) }");
  auto& ml = *mapped.add_opset_import();
  ml.set_domain("ai.onnx.ml");
  ml.set_version(1);
  onnx::NodeProto& node = *mapped.mutable_graph()->mutable_node(1);
  node.set_op_type("ZipMap");
  node.set_domain("ai.onnx.ml");
  onnx::AttributeProto& keys = *node.add_attribute();
  keys.set_name("classlabels_int64s");
  keys.set_type(onnx::AttributeProto::INTS);
  for (const int key : {4, -1, 7}) keys.add_ints(key);
  // As converters of classifiers write it.
  mapped.mutable_graph()->mutable_output(0)->mutable_type()->mutable_sequence_type();
  const auto import = Import(mapped, {});
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(import->graph->output_names(), std::vector<std::string>{"z"});
  EXPECT_EQ(import->flattened,
            std::vector<std::string>{"output: the maps of `z` are a tensor here, in each row the "
                                     "entries for 4, -1, 7, in this order"});
  const Trial trial = Try(Parsed("g (float[T,3] x) => (float z) { z = Neg (x) }"), {{"T", 5}});
  ASSERT_TRUE(trial.results.ok()) << trial.results.status();
  EXPECT_EQ(Difference(*import->graph, trial), "");
  keys.add_ints(9);
  const auto refused = Import(mapped, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(absl::StrContains(refused.status().message(), "4 keys for rows of `3` entries"))
      << refused.status();
}

TEST(Sequences, WhatIsNotKnownIsRefused) {
  RegisterOps();
  const std::vector<std::pair<std::string, std::string>> refusals = {
      {"g (float[T] x) => (float y) { y = SequenceEmpty () }",
       "is a sequence of 0 tensors; outputs are tensors"},
      {"g (float[T] x) => (float y_1, float y) { y_1 = Neg (x)  y = SequenceConstruct (x, x) }",
       "entry 1 of its sequence, as an output: redeclaration of output `y_1`"},
      {"g (float[T] x) => (float y) { s = SequenceConstruct (x, x)  y = Relu (s) }",
       "input 0 is a sequence of 2 tensors, expected a tensor"},
      {"g (float[T] x) => (float y) <int64 k = {2}> { s = SequenceConstruct (x, x) "
       "y = SequenceAt (s, k) }",
       "position 2 of 2 entries"},
      {"g (float[T] x) => (float y) <int64 k = {-3}> { s = SequenceConstruct (x, x) "
       "t = SequenceInsert (s, x, k)  y = ConcatFromSequence <axis = 0> (t) }",
       "position -3 of 2 entries"},
      {"g (float[T] x, int64 k) => (float y) { s = SequenceConstruct (x, x) "
       "y = SequenceAt (s, k) }",
       "the elements of its position must be known at compile time"},
      {"g (float[T] x) => (float y) { n = Size (x)  s = SequenceConstruct (x, x) "
       "y = SequenceAt (s, n) }",
       "its position is `T`, which depends on the size of the input"},
      {"g (float[T] x) => (float y) <int64 k = {0}> { s = SplitToSequence (x) "
       "y = SequenceAt (s, k) }",
       "how many entries its sequence has depends on the size of the input, `T`"},
      {"g (float[T] x) => (float y) { o = Optional ()  y = OptionalGetElement (o) }",
       "its optional holds nothing"},
      {"g (float[T] x, int64[T] z) => (float y) <int64 k = {0}> { s = SequenceConstruct (x, z) "
       "y = SequenceAt (s, k) }",
       "its inputs have different element types"},
      {"g (float[T] x) => (float y) <int64 k = {0}> { y = SequenceAt (x, k) }",
       "its first input is no sequence"},
      {"g (float[T] x) => (float y) { e = SequenceEmpty ()  y = ConcatFromSequence <axis = 0> (e) "
       "}",
       "its sequence has no entries"},
      {"g (float[T] x, bool c) => (float y) <int64 k = {0}> "
       "{ s = If (c) <then_branch = a () => (float[T] p) { p = SequenceConstruct (x) }, "
       "else_branch = b () => (float[T] q) { q = SequenceConstruct (x, x) }> "
       "y = SequenceAt (s, k) }",
       "its condition"},
  };
  for (const auto& [text, reason] : refusals) {
    const auto import = Import(Parsed(text), {});
    ASSERT_FALSE(import.ok()) << text;
    EXPECT_TRUE(absl::StrContains(std::string(import.status().message()), reason))
        << text << "\n"
        << import.status();
  }
}

}  // namespace
}  // namespace tessera::testing
