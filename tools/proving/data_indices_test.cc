// What is shown of indices that data decide, from what the definitions say of their elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "onnx/defs/parser.h"
#include "solver/prove.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/discharge.h"

namespace tessera::proving {
namespace {

class DataIndicesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cli::LinkOps(); }

  // The statements of constraint `index`, or what is left of such; empty: neither.
  static std::string Said(const std::string& graph) {
    onnx::ModelProto model;
    const auto parsed = onnx::OnnxParser::Parse(
        model, absl::StrCat("<ir_version: 8, opset_import: [\"\" : 18]>\nnet ", graph).c_str());
    EXPECT_TRUE(parsed.IsOK()) << parsed.ErrorMessage();
    auto bytes = std::make_shared<std::string>(model.SerializeAsString());
    const absl::StatusOr<onnx_import::ImportResult> import = onnx_import::ImportBytes(
        {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "net.onnx", {});
    EXPECT_TRUE(import.ok()) << import.status();
    if (!import.ok()) return "";
    solver::Prover prover;
    Ledger ledger;
    const absl::Status status =
        ledger.Discharge(*import->graph, prover, "import", false, "net.onnx");
    EXPECT_TRUE(status.ok()) << status;
    std::string text;
    for (const Entry& entry : ledger.entries()) {
      // One statement where the least index is that there is an entry.
      if (entry.obligation.constraint == "index" || entry.obligation.constraint == "entries")
        absl::StrAppend(&text, entry.obligation.predicate.ToString(), "\n");
    }
    for (const std::string& line : ledger.data_indices()) absl::StrAppend(&text, line, "\n");
    return text;
  }
  static void ExpectShown(const std::string& graph) {
    const std::string said = Said(graph);
    EXPECT_FALSE(said.empty()) << graph;
    EXPECT_EQ(said.find("are data"), std::string::npos) << graph << "\n" << said;
  }
  // The ends are those that are known, or none.
  static void ExpectLeft(const std::string& graph, const std::string& what) {
    const std::string said = Said(graph);
    EXPECT_NE(said.find(what), std::string::npos) << graph << "\n" << said;
  }
};

TEST_F(DataIndicesTest, PositionsInAnAxis) {
  ExpectShown(
      "(float[N,L] x, float[L,3] t) => (float y) "
      "{ i = ArgMax <axis = 1, keepdims = 0> (x)  y = Gather (t, i) }");
  ExpectShown(
      "(float[N,L] x) => (float y) <int64[1] k = {1}> "
      "{ v, i = TopK (x, k)  y = GatherElements <axis = 1> (x, i) }");
  ExpectShown(
      "(float[L] x, float[L,2] t) => (float y) <int64[1] sh = {-1}> "
      "{ i = NonZero (x)  f = Reshape (i, sh)  y = Gather (t, f) }");
  ExpectLeft(
      "(float[N,L] x, float[M,3] t) => (float y) "
      "{ i = ArgMax <axis = 1, keepdims = 0> (x)  y = Gather (t, i) }",
      "`indices` of `Gather` are data between `0` and `L - 1`");
}

TEST_F(DataIndicesTest, ThroughWhatMovesAndComputes) {
  // Counted from the end, one further than that, and one entry too far.
  ExpectShown(
      "(float[N,L] x, float[L] t) => (float y) "
      "{ i = ArgMin <axis = 1, keepdims = 0> (x)  j = Neg (i)  y = Gather (t, j) }");
  ExpectShown(
      "(float[N,L] x, float[L] t) => (float y) <int64 one = {1}> "
      "{ i = ArgMin <axis = 1, keepdims = 0> (x)  j = Neg (i)  k = Sub (j, one)  "
      "y = Gather (t, k) }");
  ExpectLeft(
      "(float[N,L] x, float[L] t) => (float y) <int64 two = {2}> "
      "{ i = ArgMin <axis = 1, keepdims = 0> (x)  j = Neg (i)  k = Sub (j, two)  "
      "y = Gather (t, k) }",
      "data between `-L - 1` and `-2`");
  ExpectShown(
      "(float[N,L] x, float[N,L] w, float[L] t) => (float y) "
      "{ i = ArgMax <axis = 1> (x)  j = ArgMin <axis = 1> (w)  k = Concat <axis = 1> (i, j)  "
      "c = Cast <to = 6> (k)  y = Gather (t, c) }");
  ExpectShown(
      "(bool[B,S] mask, float[S] x) => (float y) <int64[1] ax = {1}, int64 one = {1}> "
      "{ c = Cast <to = 7> (mask)  s = ReduceSum <keepdims = 0> (c, ax)  q = Sub (s, one)  "
      "y = Gather (x, q) }");
}

TEST_F(DataIndicesTest, WhatIsClippedOrARemainder) {
  const std::string table = "<float[4] table = {0, 1, 2, 3}, ";
  ExpectShown("(int64[N] i) => (float y) " + table +
              "int64 lo = {0}, int64 hi = {3}> { c = Clip (i, lo, hi)  y = Gather (table, c) }");
  ExpectLeft("(int64[N] i) => (float y) " + table +
                 "int64 lo = {0}, int64 hi = {4}> { c = Clip (i, lo, hi)  y = Gather (table, c) }",
             "data between `0` and `4`");
  ExpectShown("(int64[N] i) => (float y) " + table +
              "int64 four = {4}> { c = Mod (i, four)  y = Gather (table, c) }");
  ExpectLeft("(int64[N] i) => (float y) " + table +
                 "int64 four = {4}> { c = Mod <fmod = 1> (i, four)  k = Sub (c, four)  "
                 "y = Gather (table, k) }",
             "data between `-7` and `-1`");
  // A float that is no number is any integer where runtimes convert it.
  ExpectLeft("(float[N] x) => (float y) " + table +
                 "float lo = {0}, float hi = {3}> { c = Clip (x, lo, hi)  i = Cast <to = 7> (c)  "
                 "y = Gather (table, i) }",
             "are data\n");
}

// Integers that wrap lie anywhere.
TEST_F(DataIndicesTest, NothingIsSaidOfWhatMayWrap) {
  ExpectLeft(
      "(int64[N] i, float[9] t) => (float y) <int64 lo = {0}, int64 four = {4611686018427387904}> "
      "{ c = Max (i, lo)  k = Mul (c, four)  y = Gather (t, k) }",
      "are data\n");
  ExpectLeft(
      "(int64[N] i, float[9] t) => (float y) <int64 lo = {0}, int64 hi = {300}> "
      "{ c = Clip (i, lo, hi)  n = Cast <to = 3> (c)  k = Cast <to = 7> (n)  y = Gather (t, k) }",
      "data between `-128` and `127`");
}

}  // namespace
}  // namespace tessera::proving
