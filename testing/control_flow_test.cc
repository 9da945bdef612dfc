// If, Loop and Scan of ONNX, as networks in its text form: what the importer makes of their
// subgraphs computes what they say, and what it refuses is refused with the reason.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "frontends/onnx/dim_option.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "onnx/defs/parser.h"
#include "support/aligned_copy.h"
#include "targets/circle/compile.h"
#include "targets/circle/executor.h"
#include "targets/circle/file/writer.h"
#include "targets/reference/executor.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

using ir::DType;
using ir::Tensor;

Tensor Floats(std::vector<int64_t> shape, std::vector<float> values) {
  return Tensor::Of<float>(DType::kF32, std::move(shape), values);
}

class ControlFlow : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ir::Registry::Global().Add(ops::CoreOps());
    circle::RegisterOperators();
  }

  static absl::StatusOr<onnx_import::ImportResult> Import(const std::string& graph,
                                                          const onnx_import::ImportOptions& options,
                                                          int opset) {
    const std::string text =
        absl::StrCat("<ir_version: 8, opset_import: [\"\" : ", opset, "]>\n", graph);
    onnx::ModelProto model;
    onnx::OnnxParser parser(text.c_str());
    if (const auto status = parser.Parse(model); !status.IsOK())
      return absl::InvalidArgumentError(status.ErrorMessage());
    auto bytes = std::make_shared<std::string>(model.SerializeAsString());
    return onnx_import::ImportBytes(
        {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "m.onnx", options);
  }

  static std::vector<std::vector<double>> Run(const std::string& graph,
                                              const std::vector<Tensor>& inputs, int opset = 16,
                                              const onnx_import::ImportOptions& options = {}) {
    const auto imported = Import(graph, options, opset);
    if (!imported.ok()) {
      ADD_FAILURE() << imported.status();
      return {};
    }
    const auto executor = reference::Executor::Create(*imported->graph);
    return ValuesOf(executor.ok() ? executor->Run(inputs) : executor.status());
  }

  static std::vector<std::vector<double>> RunReference(const std::string& graph,
                                                       const std::vector<Tensor>& inputs) {
    return Run(graph, inputs);
  }

  // Executed from the bytes of an artifact.
  static std::vector<std::vector<double>> RunCircle(const std::string& graph,
                                                    const std::vector<Tensor>& inputs) {
    return RunCircleOf(graph, inputs, {});
  }

  // `graphs`: how many its file has.
  static std::vector<std::vector<double>> RunCircleOf(const std::string& graph,
                                                      const std::vector<Tensor>& inputs,
                                                      const onnx_import::ImportOptions& options,
                                                      size_t graphs = 3) {
    const auto imported = Import(graph, options, 16);
    if (!imported.ok()) {
      ADD_FAILURE() << imported.status();
      return {};
    }
    const auto compiled = circle::Compile(*imported->graph, {});
    const auto bytes = compiled.ok() ? circle::WriteCircle(compiled->model) : compiled.status();
    if (!bytes.ok()) {
      ADD_FAILURE() << bytes.status();
      return {};
    }
    EXPECT_EQ(compiled->model.graphs.size(), graphs);  // the condition of a loop and its body
    const support::AlignedCopy copy(*bytes);
    const auto executor = circle::Executor::Create(copy.bytes, copy.owner);
    return ValuesOf(executor.ok() ? executor->Run(inputs) : executor.status());
  }

  static void ExpectBranches(const std::string& graph, std::vector<Tensor> inputs,
                             const std::vector<std::vector<double>>& yes,
                             const std::vector<std::vector<double>>& no, size_t graphs);

  static std::vector<std::vector<double>> ValuesOf(
      const absl::StatusOr<std::vector<Tensor>>& outputs) {
    if (!outputs.ok()) {
      ADD_FAILURE() << outputs.status();
      return {};
    }
    std::vector<std::vector<double>> values;
    for (const Tensor& output : *outputs) {
      values.emplace_back();
      for (int64_t i = 0; i < output.size(); ++i) values.back().push_back(output.AsDouble(i));
    }
    return values;
  }

  static std::string Error(const std::string& graph,
                           const onnx_import::ImportOptions& options = {}) {
    const auto imported = Import(graph, options, 16);
    return imported.ok() ? "imported" : std::string(imported.status().message());
  }
};

using Values = std::vector<std::vector<double>>;

std::string Loop(absl::string_view count, absl::string_view again, absl::string_view inputs) {
  return absl::StrCat("g (float[2] x", inputs, R"() => (float[2] y, float[k,2] all) {
    )",
                      count, R"(
    go = Constant <value = bool {1}> ()
    y, all = Loop <body = b (int64 i, bool keep, float[2] h) => (bool again, float[2] next, float[2] seen) {
      number = Cast <to = 1> (i)
      sum = Add (h, number)
      next = Add (sum, x)
      limit = Constant <value = int64 {1}> ()
      )",
                      again, R"(
      seen = Neg (h)
    }> (n, go, x)
  })");
}

constexpr char kThree[] = "n = Constant <value = int64 {3}> ()";

TEST_F(ControlFlow, ALoopIsUnrolledAndCollects) {
  EXPECT_EQ(Run(Loop(kThree, "again = Identity (keep)", ""), {Floats({2}, {1, 2})}),
            (Values{{7, 11}, {-1, -2, -2, -4, -4, -7}}));
}

TEST_F(ControlFlow, ALoopEndsWhereItsConditionSaysSo) {
  EXPECT_EQ(Run(Loop(kThree, "again = Less (i, limit)", ""), {Floats({2}, {1, 2})}),
            (Values{{4, 7}, {-1, -2, -2, -4}}));
}

TEST_F(ControlFlow, ALoopWithoutIterationsYieldsItsStates) {
  EXPECT_EQ(Run(Loop("n = Constant <value = int64 {0}> ()", "again = Identity (keep)", ""),
                {Floats({2}, {1, 2})}),
            (Values{{1, 2}, {}}));
}

TEST_F(ControlFlow, WhatDecidesALoopMustBeKnown) {
  EXPECT_NE(Error(Loop("", "again = Identity (keep)", ", int64 n"))
                .find("the elements of its trip count must be known at compile time; they depend "
                      "on the graph input `n`; `--bind n=FILE` makes it a constant"),
            std::string::npos);
  const std::string error = Error(
      Loop(kThree, "total = ReduceSum <keepdims = 0> (h)\n again = Less (total, number)", ""));
  EXPECT_NE(error.find("the elements of its condition `Loop_2/0/again` must be known"),
            std::string::npos)
      << error;
}

constexpr char kAsLongAsW[] =
    "s = Shape (w)\n zero = Constant <value = int64 {0}> ()\n n = Gather (s, zero)";

TEST_F(ControlFlow, ALoopStaysWhereSizesSayHowOftenItRuns) {
  const std::string graph = Loop(kAsLongAsW, "again = Identity (keep)", ", float[T] w");
  for (const auto run : {&RunReference, &RunCircle}) {
    EXPECT_EQ(run(graph, {Floats({2}, {1, 2}), Floats({3}, {0, 0, 0})}),
              (Values{{7, 11}, {-1, -2, -2, -4, -4, -7}}));
    EXPECT_EQ(run(graph, {Floats({2}, {1, 2}), Floats({1}, {0})}), (Values{{2, 4}, {-1, -2}}));
  }
}

// As tf2onnx declares them, and reads entries at its number.
TEST_F(ControlFlow, ALoopsNumberHasTheAxisThatItsBodyDeclares) {
  for (const char* count : {kThree, kAsLongAsW}) {
    const std::string graph = absl::StrCat(R"(g (float[4] x, float[T] w) => (float[k,1] all) {
      )",
                                           count, R"(
      go = Constant <value = bool {1}> ()
      all = Loop <body = b (int64[1] i, bool[1] keep) => (bool again, float[1] seen) {
        again = Identity (keep)
        seen = Gather (x, i)
      }> (n, go)
    })");
    EXPECT_EQ(Run(graph, {Floats({4}, {1, 2, 3, 4}), Floats({3}, {0, 0, 0})}), (Values{{1, 2, 3}}));
  }
}

// As tf2onnx writes the layers of Keras: for as long as a counter is below a size.
std::string Counting(absl::string_view first, absl::string_view again) {
  return absl::StrCat(R"(g (float[2] x, float[T] w) => (float[2] y, float[k,2] all)
      <int64 zero = {0}, int64 one = {1}, int64 two = {2}, int64 most = {9223372036854775807}> {
    s = Shape (w)
    n = Gather (s, zero)
    f = Cast <to = 1> (n)
    )",
                      first, R"(
    last, y, all = Loop <body = b (int64 i, bool keep, int64 c, float[2] h)
        => (bool again, int64 d, float[2] next, float[2] seen) {
      d = Add (c, one)
      next = Add (h, x)
      seen = Neg (h)
      )",
                      again, R"(
    }> (most, go, zero, x)
  })");
}

TEST_F(ControlFlow, ALoopWhoseConditionCountsRunsAsOftenAsSizesSay) {
  const Tensor x = Floats({2}, {1, 2});
  const auto along = [](int64_t n) {
    return Floats({n}, std::vector<float>(static_cast<size_t>(n)));
  };
  constexpr char kBegins[] = "go = Less (zero, n)";
  for (const char* again :
       {"again = Less (d, n)", "again = Greater (n, d)",
        "e = Cast <to = 1> (d)\n again = Less (e, f)", "again = LessOrEqual (d, m)",
        "e = Sub (n, d)\n again = Greater (e, zero)", "e = Add (i, one)\n again = Less (e, n)",
        "a = Less (d, n)\n e = Add (i, one)\n o = Less (e, n)\n again = And (a, o)"}) {
    const std::string graph = Counting(absl::StrCat("m = Sub (n, one)\n", kBegins), again);
    for (const auto run : {&RunReference, &RunCircle}) {
      EXPECT_EQ(run(graph, {x, along(3)}), (Values{{4, 8}, {-1, -2, -2, -4, -3, -6}})) << again;
      EXPECT_EQ(run(graph, {x, along(1)}), (Values{{2, 4}, {-1, -2}})) << again;
    }
  }
  // What begins without a question runs once.
  const std::string once =
      Counting("m = Sub (n, two)\n go = Constant <value = bool {1}> ()", "again = Less (d, m)");
  EXPECT_EQ(Run(once, {x, along(5)}), (Values{{4, 8}, {-1, -2, -2, -4, -3, -6}}));
  EXPECT_EQ(Run(once, {x, along(1)}), (Values{{2, 4}, {-1, -2}}));
}

TEST_F(ControlFlow, WhatDoesNotCountOneByOneIsNotCounted) {
  constexpr char kAsLong[] = "what it collects is as long as it runs, which depends on data";
  for (const auto& [first, again] : std::vector<std::pair<const char*, const char*>>{
           {"go = Less (zero, n)", "e = Mul (d, d)\n again = Less (e, n)"},
           {"go = Less (zero, n)", "e = Mul (d, two)\n again = Less (e, n)"},
           {"go = Less (zero, n)", "e = ReduceSum <keepdims = 0> (h)\n again = Less (e, f)"},
           {"go = Less (two, n)", "again = Less (d, n)"}}) {
    EXPECT_NE(Error(Counting(first, again)).find(kAsLong), std::string::npos)
        << Error(Counting(first, again));
  }
}

// What is below 0 for some sizes wraps there: at its first position such a loop goes on.
TEST_F(ControlFlow, WhatWrapsIsNotCounted) {
  constexpr char kGraph[] = R"(g (float[N] a, float[M] b, float[2] x) => (float[2] y)
      <int64 zero = {0}, int64 one = {1}, int64 most = {9223372036854775807}, bool yes = {1}> {
    p = Shape (a)
    q = Shape (b)
    p0 = Gather (p, zero)
    q0 = Gather (q, zero)
    less = Sub (p0, q0)
    narrow = Cast <to = 2> (less)
    limit = Cast <to = 7> (narrow)
    last, y = Loop <body = c (int64 i, bool keep, int64 d, float[2] h)
        => (bool again, int64 e, float[2] next) {
      e = Add (d, one)
      again = Less (e, limit)
      next = Add (h, x)
    }> (most, yes, zero, x)
  })";
  onnx_import::ImportOptions options;
  for (const char* name : {"N", "M"}) {
    const auto option = onnx_import::ParseDimOption(absl::StrCat(name, "=1..200"));
    ASSERT_TRUE(option.ok()) << option.status();
    options.dims.push_back(*option);
  }
  const auto of = [](int64_t n) { return Floats({n}, std::vector<float>(static_cast<size_t>(n))); };
  EXPECT_EQ(Run(kGraph, {of(3), of(6), Floats({2}, {1, 2})}, 16, options), (Values{{254, 508}}));
  EXPECT_EQ(Run(kGraph, {of(6), of(3), Floats({2}, {1, 2})}, 16, options), (Values{{4, 8}}));
}

// The first of them has no use for it.
TEST_F(ControlFlow, LoopsShareACondition) {
  constexpr char kGraph[] = R"(g (float[T] w, float[2] x) => (float[2] z)
      <bool yes = {1}, int64 zero = {0}> {
    s = Shape (w)
    n = Gather (s, zero)
    y = Loop <body = b (int64 i, bool keep, float[2] h) => (bool again, float[2] next) {
      again = Identity (keep)
      next = Add (h, h)
    }> (n, yes, x)
    z = Loop <body = c (int64 j, bool kept, float[2] g) => (bool more, float[2] then) {
      more = Identity (kept)
      then = Neg (g)
    }> (n, yes, y)
  })";
  EXPECT_EQ(Run(kGraph, {Floats({3}, {0, 0, 0}), Floats({2}, {1, 2})}), (Values{{-8, -16}}));
}

// Until its sum is 9, or n times.
std::string Search(absl::string_view count) {
  return absl::StrCat(R"(g (float[2] x, int64 n, bool go) => (float[2] y) {
    y = Loop <body = b (int64 i, bool keep, float[2] h) => (bool again, float[2] next) {
      number = Cast <to = 1> (i)
      sum = Add (h, number)
      next = Add (sum, x)
      total = ReduceSum <keepdims = 0> (next)
      limit = Constant <value = float {9.0}> ()
      again = Less (total, limit)
    }> ()",
                      count, R"(, go, x)
  })");
}

TEST_F(ControlFlow, ALoopStaysWhereDataSayHowOftenItRuns) {
  const auto run = [](int64_t n, bool go) {
    const std::vector<Tensor> inputs = {Floats({2}, {1, 2}),
                                        Tensor::Of<int64_t>(DType::kI64, {}, {n}),
                                        Tensor::Of<int64_t>(DType::kBool, {}, {go})};
    const Values values = Run(Search("n"), inputs);
    EXPECT_EQ(RunCircle(Search("n"), inputs), values);
    return values;
  };
  EXPECT_EQ(run(9, true), (Values{{4, 7}}));
  EXPECT_EQ(run(1, true), (Values{{2, 4}}));
  EXPECT_EQ(run(0, true), (Values{{1, 2}}));
  EXPECT_EQ(run(-3, true), (Values{{1, 2}}));
  EXPECT_EQ(run(9, false), (Values{{1, 2}}));
}

TEST_F(ControlFlow, ALoopsCountAndConditionMayHaveAnAxisOfOneEntry) {
  const auto run = [](int64_t n, bool go) {
    const std::string graph = R"(g (float[2] x, int64[1] n, bool[1] go) => (float[2] y) {
      y = Loop <body = b (int64 i, bool keep, float[2] h) => (bool[1] again, float[2] next) {
        next = Add (h, h)
        total = ReduceSum <keepdims = 1> (next)
        limit = Constant <value = float[1] {20}> ()
        again = Less (total, limit)
      }> (n, go, x)
    })";
    const std::vector<Tensor> inputs = {Floats({2}, {1, 2}),
                                        Tensor::Of<int64_t>(DType::kI64, {1}, {n}),
                                        Tensor::Of<int64_t>(DType::kBool, {1}, {go})};
    const Values values = Run(graph, inputs);
    EXPECT_EQ(RunCircle(graph, inputs), values);
    return values;
  };
  EXPECT_EQ(run(9, true), (Values{{8, 16}}));
  EXPECT_EQ(run(1, true), (Values{{2, 4}}));
  EXPECT_EQ(run(0, true), (Values{{1, 2}}));
  EXPECT_EQ(run(9, false), (Values{{1, 2}}));
}

TEST_F(ControlFlow, ALoopKeepsTheShapesOfItsStates) {
  const std::string error = Error(R"(g (float[2] x, int64 n) => (float[k] y) {
    go = Constant <value = bool {1}> ()
    y = Loop <body = b (int64 i, bool keep, float[m] h) => (bool again, float[o] next) {
      again = Identity (keep)
      next = Concat <axis = 0> (h, h)
    }> (n, go, x)
  })");
  EXPECT_NE(error.find("axis 0 of state 0 has 2 entries and gets 4"), std::string::npos) << error;
}

TEST_F(ControlFlow, AScanOfAnyLengthStays) {
  const std::string graph = R"(g (float[1] start, float[T,2] x) => (float[1] last, float[T,1] all) {
    last, all = Scan <num_scan_inputs = 1,
                      body = b (float[1] h, float[2] e) => (float[1] next, float[1] seen) {
      s = ReduceSum <keepdims = 1> (e)
      next = Add (h, s)
      seen = Neg (next)
    }> (start, x)
  })";
  for (const auto run : {&RunReference, &RunCircle}) {
    EXPECT_EQ(run(graph, {Floats({1}, {5}), Floats({3, 2}, {1, 2, 3, 4, 5, 6})}),
              (Values{{26}, {-8, -15, -26}}));
  }
}

TEST_F(ControlFlow, DataDecideSizesBesideALoopAndNotInIt) {
  constexpr char kBeside[] = R"(g (float[L,2] x, float[2] h) => (float y, float z)
      <float zero = {0}> {
    s, y = Scan <num_scan_inputs = 1, body = b (float[2] a, float[2] e)
        => (float[2] n, float[2] o) { n = Add (a, e)  o = Identity (n) }> (h, x)
    c = Greater (s, zero)
    z = Compress (s, c)
  })";
  EXPECT_EQ(RunCircle(kBeside, {Floats({3, 2}, {1, -1, 2, -1, -5, 4}), Floats({2}, {0, 1})}),
            (Values{{1, 0, 3, -1, -2, 3}, {3}}));

  const auto inside = [](const char* length) {
    return absl::StrCat("g (float[", length, R"(,2] x, float[1] h) => (float y)
        <int64[1] one = {1}> {
      s, y = Scan <num_scan_inputs = 1, body = b (float[1] a, float[2] e)
          => (float[1] n, float[1] o) {
        p = NonZero (e)  d = Shape (p)  k = Gather (d, one)  f = Cast <to = 1> (k)
        n = Add (a, f)  o = Identity (n)
      }> (h, x)
    })");
  };
  const auto imported = Import(inside("L"), {}, 16);
  ASSERT_TRUE(imported.ok()) << imported.status();
  const std::string refusal(circle::Compile(*imported->graph, {}).status().message());
  EXPECT_NE(refusal.find("data decide a size in a loop"), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("where `--dim` says one length"), std::string::npos) << refusal;
  EXPECT_EQ(RunCircleOf(inside("3"), {Floats({3, 2}, {1, 0, 2, 3, 0, 0}), Floats({1}, {0})}, {}, 1),
            (Values{{1, 3, 3}}));
}

// As exporters of detectors write it: candidates above a threshold, of which there may be none.
TEST_F(ControlFlow, BoxesAreKeptOfThoseThatDataChoose) {
  constexpr char kGraph[] = R"(g (float[3] score, float[3,4] box) => (int64[k,3] kept)
      <float half = {0.5}, int64[1] one = {0}, int64[2] two = {0, 1}, int64 most = {2}, float overlap = {0.4}> {
    c = Greater (score, half)
    b = Compress <axis = 0> (box, c)
    s = Compress <axis = 0> (score, c)
    boxes = Unsqueeze (b, one)
    scores = Unsqueeze (s, two)
    kept = NonMaxSuppression (boxes, scores, most, overlap)
  })";
  const Tensor boxes = Floats({3, 4}, {0, 0, 1, 1, 0, 0.1F, 1, 1, 5, 5, 6, 6});
  for (const auto& [scores, kept] : std::vector<std::pair<std::vector<float>, Values>>{
           {{0.9F, 0.8F, 0.7F}, {{0, 0, 0, 0, 0, 2}}},
           {{0.1F, 0.8F, 0.9F}, {{0, 0, 1, 0, 0, 0}}},
           {{0.1F, 0.2F, 0.3F}, {{}}}}) {
    const std::vector<Tensor> inputs = {Floats({3}, scores), boxes};
    EXPECT_EQ(Run(kGraph, inputs), kept);
    EXPECT_EQ(RunCircle(kGraph, inputs), kept);
  }
}

TEST_F(ControlFlow, NodesWithSubgraphsTakeNoOtherAttributes) {
  const std::string error = Error(R"(g (bool c, float[2] x) => (float[2] y) {
    y = If <depth = 3, then_branch = a () => (float[2] p) { p = Neg (x) },
            else_branch = b () => (float[2] q) { q = Abs (x) }> (c)
  })");
  EXPECT_NE(error.find("unknown attribute `depth`"), std::string::npos) << error;
}

onnx_import::ImportOptions Unrolling(int64_t most) {
  onnx_import::ImportOptions options;
  options.max_unroll = most;
  return options;
}

TEST_F(ControlFlow, WhatIsTooLongToBeUnrolledStaysALoop) {
  const std::vector<Tensor> inputs = {Floats({2}, {1, 2})};
  const std::string loop = Loop(kThree, "again = Identity (keep)", "");
  const Values values = {{7, 11}, {-1, -2, -2, -4, -4, -7}};
  EXPECT_EQ(Run(loop, inputs, 16, Unrolling(2)), values);
  EXPECT_EQ(RunCircleOf(loop, inputs, Unrolling(2)), values);
  // It ends before.
  EXPECT_EQ(Run(Loop(kThree, "again = Less (i, limit)", ""), inputs, 16, Unrolling(2)),
            (Values{{4, 7}, {-1, -2, -2, -4}}));
  const std::string scan = R"(g (float[2] start, float[3,2] x) => (float[2] last, float[3,2] all) {
    last, all = Scan <num_scan_inputs = 1, body = b (float[2] h, float[2] e) => (float[2] next, float[2] seen) {
      next = Add (h, e)
      seen = Neg (next)
    }> (start, x)
  })";
  const std::vector<Tensor> scanned = {Floats({2}, {1, 2}), Floats({3, 2}, {1, 2, 3, 4, 5, 6})};
  EXPECT_EQ(Run(scan, scanned, 16, Unrolling(2)), Run(scan, scanned));
  EXPECT_EQ(RunCircleOf(scan, scanned, Unrolling(2)), Run(scan, scanned));
}

TEST_F(ControlFlow, WhatIsTooLongAndNoLoopIsRefused) {
  const std::string error =
      Error(Loop(kThree, "e = Mul (i, i)\n again = Less (e, n)", ""), Unrolling(2));
  EXPECT_NE(error.find("more than 2 iterations, which `--max-unroll` allows; it is no loop either: "
                       "what it collects is as long as it runs, which depends on data"),
            std::string::npos)
      << error;
}

TEST_F(ControlFlow, NoDeclarationIsAskedForOfWhatDataDecide) {
  const std::string error =
      Error(Loop("p = NonZero (x)\n s = Shape (p)\n place = Constant <value = int64 {1}> ()\n"
                 "n = Gather (s, place)",
                 "e = Mul (i, i)\n again = Less (e, n)", ""));
  EXPECT_NE(error.find(", which data decide; to unroll it needs a number, and no declaration makes "
                       "one of it; it is no loop either: "),
            std::string::npos)
      << error;
  EXPECT_EQ(error.find("--dim"), std::string::npos) << error;
}

TEST_F(ControlFlow, AScanReadsAndCollectsAlongAnyAxis) {
  const std::string graph = R"(g (float[1] start, float[2,3] x) => (float[1] last, float[1,3] all) {
    last, all = Scan <num_scan_inputs = 1, scan_input_axes = [-1], scan_input_directions = [1],
                      scan_output_axes = [1], scan_output_directions = [0],
                      body = b (float[1] h, float[2] e) => (float[1] next, float[1] seen) {
      s = ReduceSum <keepdims = 1> (e)
      next = Add (h, s)
      seen = Identity (next)
    }> (start, x)
  })";
  EXPECT_EQ(Run(graph, {Floats({1}, {10}), Floats({2, 3}, {1, 2, 3, 10, 20, 30})}),
            (Values{{76}, {43, 65, 76}}));
}

TEST_F(ControlFlow, AScanOfAnyLengthGoesAlongAnyAxis) {
  for (const char* directions : {"0", "1"}) {
    const auto graph = [&](absl::string_view length) {
      return absl::StrCat("g (float[2] start, float[2,", length, "] x, float[", length,
                          R"(,2] w) => (float[2] last, float[2,n] all, float[n,2] other) {
        last, all, other = Scan <num_scan_inputs = 2, scan_input_axes = [-1, 0],
            scan_input_directions = [)",
                          directions,
                          ", 1], scan_output_axes = [1, 0], scan_output_directions = [0, ",
                          directions, R"(],
            body = b (float[2] h, float[2] e, float[2] f) => (float[2] next, float[2] seen, float[2] more) {
          half = Mul (h, f)
          next = Add (half, e)
          seen = Neg (next)
          more = Identity (half)
        }> (start, x, w)
      })");
    };
    const std::vector<Tensor> inputs = {Floats({2}, {1, 2}), Floats({2, 3}, {1, 2, 3, 4, 5, 6}),
                                        Floats({3, 2}, {1, 2, 3, 1, 2, 3})};
    const Values unrolled = Run(graph("3"), inputs);
    EXPECT_EQ(Run(graph("T"), inputs), unrolled);
    EXPECT_EQ(RunCircle(graph("T"), inputs), unrolled);
  }
}

std::string Branches(absl::string_view other) {
  return absl::StrCat(R"(g (bool c, float[2] x) => (float[m] y) {
    y = If <then_branch = yes () => (float[2] r) { r = Neg (x) },
            else_branch = no () => (float[m] r) { )",
                      other, R"( }> (c)
  })");
}

TEST_F(ControlFlow, AnIfThatNothingDecidesChooses) {
  const std::string graph = Branches("r = Add (x, x)");
  const Tensor x = Floats({2}, {1, 2});
  EXPECT_EQ(Run(graph, {Tensor::Of<int64_t>(DType::kBool, {}, {1}), x}), (Values{{-1, -2}}));
  EXPECT_EQ(Run(graph, {Tensor::Of<int64_t>(DType::kBool, {}, {0}), x}), (Values{{2, 4}}));
}

// Values for both of its branches, from the reference and from Circle.
void ControlFlow::ExpectBranches(const std::string& graph, std::vector<Tensor> inputs,
                                 const std::vector<std::vector<double>>& yes,
                                 const std::vector<std::vector<double>>& no, size_t graphs) {
  for (const bool holds : {true, false}) {
    inputs[0] = Tensor::Of<int64_t>(DType::kBool, {}, {holds});
    EXPECT_EQ(Run(graph, inputs), holds ? yes : no);
    EXPECT_EQ(RunCircleOf(graph, inputs, {}, graphs), holds ? yes : no);
  }
}

TEST_F(ControlFlow, OnlyTheBranchThatIsTakenIsRun) {
  // What both need, or others, is computed before: `both` and `s`.
  ExpectBranches(
      R"(g (bool c, float[T,2] x, float[2] w) => (float[T,2] y, float[T,2] z, float[T,2] t) {
    s = Abs (x)
    both = Mul (x, w)
    t = Add (s, both)
    y, z = If <then_branch = yes () => (float[T,2] p, float[T,2] q) {
                 a = Add (both, w)
                 p = Mul (a, s)
                 q = Neg (a)
               },
               else_branch = no () => (float[T,2] p, float[T,2] q) {
                 p = Identity (both)
                 b = Sub (x, w)
                 q = Mul (b, b)
               }> (c)
  })",
      {Tensor(), Floats({1, 2}, {-1, 2}), Floats({2}, {3, 4})}, {{0, 24}, {0, -12}, {-2, 10}},
      {{-3, 8}, {16, 4}, {-2, 10}}, 3);
}

TEST_F(ControlFlow, BranchesHaveLoopsAndBranches) {
  const auto branch = [](absl::string_view d) {
    return absl::StrCat(R"(r = If <then_branch = a () => (float[2] p) {
        p1 = Add (x, x)  p2 = Mul (p1, x)  p = Neg (p2) },
      else_branch = b () => (float[2] p) { p1 = Sub (x, h)  p2 = Mul (p1, h)  p = Abs (p2) }> ()",
                        d, ")");
  };
  ExpectBranches(absl::StrCat(R"(g (bool c, float[2] x, int64 n, bool d) => (float[2] y) {
    h = Exp (x)
    y = If <then_branch = yes () => (float[2] r) {
              go = Constant <value = bool {1}> ()
              r = Loop <body = b (int64 i, bool keep, float[2] k) => (bool again, float[2] next) {
                again = Identity (keep)
                next = Add (k, x)
              }> (n, go, x)
            },
            else_branch = no () => (float[2] r) { )",
                              branch("d"), "}> (c)\n}"),
                 {Tensor(), Floats({2}, {0, 1}), Tensor::Of<int64_t>(DType::kI64, {}, {3}),
                  Tensor::Of<int64_t>(DType::kBool, {}, {1})},
                 {{0, 4}}, {{0, -2}}, 7);
}

TEST_F(ControlFlow, ALoopHasBranches) {
  const std::string graph = R"(g (bool c, float[2] x, int64 n) => (float[2] y) {
    go = Constant <value = bool {1}> ()
    one = Constant <value = int64 {1}> ()
    y = Loop <body = b (int64 i, bool keep, float[2] h) => (bool again, float[2] next) {
      again = Identity (keep)
      first = Less (i, one)
      next = If <then_branch = yes () => (float[2] r) { r1 = Add (h, x)  r2 = Mul (r1, r1)  r = Sub (r2, h) },
                 else_branch = no () => (float[2] r) { r = Neg (h) }> (first)
    }> (n, go, x)
  })";
  // 1, 2: 4 - 1, 16 - 2; then its negative.
  ExpectBranches(graph, {Tensor(), Floats({2}, {1, 2}), Tensor::Of<int64_t>(DType::kI64, {}, {2})},
                 {{-3, -14}}, {{-3, -14}}, 5);
}

// What a choice yields decides another by the same condition.
TEST_F(ControlFlow, BranchesFollowOneAnother) {
  const auto branches = [](absl::string_view y, absl::string_view x) {
    return absl::StrCat(y, " = If <then_branch = a", y, " () => (float[2] p", y, ") { s", y,
                        " = Add (", x, ", ", x, ")  u", y, " = Exp (s", y, ")  p", y, " = Neg (u",
                        y, ") }, else_branch = b", y, " () => (float[2] p", y, ") { s", y,
                        " = Sub (", x, ", w)  p", y, " = Mul (s", y, ", ", x, ") }> (c)\n");
  };
  ExpectBranches(absl::StrCat("g (bool c, float[2] x, float[2] w) => (float[2] z) {\n",
                              branches("y", "x"), "m = Relu (y)\n", branches("z", "m"), "}"),
                 {Tensor(), Floats({2}, {0, 3}), Floats({2}, {1, 1})}, {{-1, -1}}, {{0, 30}}, 5);
}

TEST_F(ControlFlow, BranchesOfOtherShapesMustBeDecided) {
  const std::string error = Error(Branches("r = Concat <axis = 0> (x, x)"));
  EXPECT_NE(error.find("the elements of its condition `c` must be known at compile time"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("it is no choice between both: "), std::string::npos) << error;
  EXPECT_NE(error.find("its branches yield [2] and [4]"), std::string::npos) << error;
}

TEST_F(ControlFlow, SubgraphsNestAndSeeWhatIsOutside) {
  const std::string graph = R"(g (float[1] x) => (float[1] y) {
    two = Constant <value = int64 {2}> ()
    go = Constant <value = bool {1}> ()
    y = Loop <body = outer (int64 i, bool a, float[1] h) => (bool a2, float[1] next) {
      a2 = Identity (a)
      next = Loop <body = inner (int64 j, bool b, float[1] k) => (bool b2, float[1] more) {
        b2 = Identity (b)
        first = Equal (i, j)
        more = If <then_branch = same () => (float[1] r) { r = Add (k, x) },
                   else_branch = other () => (float[1] r) { r = Add (k, h) }> (first)
      }> (two, a, h)
    }> (two, go, x)
  })";
  // 1 -> 1 + 1, + 1 = 3; 3 -> 3 + 3, + 1 = 7.
  EXPECT_EQ(Run(graph, {Floats({1}, {1})}), (Values{{7}}));
}

}  // namespace
}  // namespace tessera::testing
