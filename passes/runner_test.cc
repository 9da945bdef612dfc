#include "passes/runner.h"

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/text.h"
#include "passes/pipeline.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::passes {
namespace {

constexpr char kText[] = R"(ir 1
symbol H : 1.. "dim 1 of input `x`"
input %0 "x" : f32[1,H]
%1 = ir.Constant digest 000102030405060708090a0b0c0d0e0f : f32[20,1]
%2 = ir.Constant digest f00102030405060708090a0b0c0d0e0f : i64[20]
%3 = core.Mul(%0, %1)
%4 = core.Gather(%3, %2) {axis=0}
%5 = core.Relu(%4)
output "y" = %5
)";

// What the reader fills in; the digests above only tell the two apart.
absl::StatusOr<ir::Tensor> Constant(const ir::Digest& digest) {
  return digest.high >> 56 == 0
             ? ir::Tensor::Of<float>(ir::DType::kF32, {20, 1}, std::vector<float>(20, 0.25f))
             : ir::Tensor::Of<int64_t>(ir::DType::kI64, {20}, std::vector<int64_t>(20, 1));
}

std::unique_ptr<ir::Graph> Network() {
  ir::Registry::Global().Add(ops::CoreOps());
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(kText, Constant);
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? *std::move(graph) : std::make_unique<ir::Graph>();
}

Pass Named(std::string name,
           std::function<absl::StatusOr<PassResult>(ir::Graph&, PassContext&)> run) {
  return {std::move(name), "", Phase::kOptimize, Numerics::kExact, {kAllParts, kContents},
          std::move(run)};
}

// Counts as `n` rewrites.
Pass Counts(std::string name, int64_t n) {
  return Named(std::move(name), [n](ir::Graph&, PassContext& context) {
    context.rewrites_left -= n;
    return PassResult{};
  });
}

Pass Idle(std::string name) {
  return Named(std::move(name), [](ir::Graph&, PassContext&) { return PassResult{}; });
}

Pass DropRelu() {
  return Named("drop", [](ir::Graph& graph, PassContext&) -> absl::StatusOr<PassResult> {
    ir::Rewriter rewriter(graph);
    ir::Value* const y = graph.outputs()[0];
    if (absl::Status status = rewriter.ReplaceAllUses(y, y->producer()->operand(0)); !status.ok())
      return status;
    rewriter.EraseUnused();
    return PassResult{true, 1};
  });
}

struct Written {
  RunOptions options;
  std::vector<Reproducer> files;
  Written() {
    options.reproducers.target = "somewhere";
    options.print_on_failure = false;
    options.reproducers.write = [this](Reproducer r) -> absl::StatusOr<std::string> {
      files.push_back(std::move(r));
      return "folder/file";
    };
  }
};

TEST(Runner, EachKindOfFailureOfOursMakesOneReproducer) {
  const struct {
    Pass pass;
    std::string message;
  } cases[] = {
      {Named("p",
             [](ir::Graph&, PassContext&) { return absl::InternalError("the pass's own words"); }),
       "pass `p`: the pass's own words"},
      {Named("p",
             [](ir::Graph&, PassContext&) {
               return PassResult{true, 1};
             }),
       "pass `p`: said that it changed the graph, and the graph is the same"},
      {Named("p",
             [](ir::Graph& graph, PassContext& context) {
               return DropRelu().run(graph, context).ok() ? PassResult{} : PassResult{true, 1};
             }),
       "pass `p`: changed the graph and did not say so"},
  };
  for (const auto& c : cases) {
    const std::unique_ptr<ir::Graph> graph = Network();
    const std::string before = ir::Print(*graph);
    Written written;
    written.options.disabled = {"off"};
    written.options.bisect_limit = 7;
    written.options.shuffle_seed = 3;
    std::vector<PassReport> reports;
    size_t failed_at = 0;
    const absl::Status status =
        passes::Run(*graph, {Idle("first"), c.pass, Idle("off"), Idle("last")}, written.options,
                    reports, &failed_at);
    EXPECT_TRUE(absl::IsInternal(status)) << status;
    EXPECT_EQ(status.message(), c.message + "\nwritten to see it again: `folder/file`");
    EXPECT_EQ(failed_at, 1u);
    ASSERT_EQ(written.files.size(), 1u);
    const Reproducer& file = written.files[0];
    EXPECT_EQ(file.position, 1u);
    EXPECT_EQ(file.passes, (std::vector<std::string>{"p", "last"}));
    EXPECT_EQ(file.failure, absl::InternalError(c.message));
    EXPECT_EQ(*file.ir, before);
    EXPECT_EQ(file.rewrites_left, 7);
    // Weights stay out, indices do not.
    ASSERT_EQ(file.absent.size(), 1u);
    EXPECT_EQ(file.absent[0].dtype, ir::DType::kF32);
    EXPECT_EQ(file.absent[0].shape, (std::vector<int64_t>{20, 1}));
    ASSERT_EQ(file.constants.size(), 1u);
    EXPECT_EQ(file.constants.begin()->second.dtype(), ir::DType::kI64);
  }
}

TEST(Runner, WhatAPassIsUnsureOfIsCompared) {
  const auto run = [](const Pass& pass) {
    const std::unique_ptr<ir::Graph> graph = Network();
    std::vector<PassReport> reports;
    EXPECT_TRUE(passes::Run(*graph, {pass}, {}, reports).ok());
    return reports.at(0).changed;
  };
  EXPECT_TRUE(run(Named("drop", [](ir::Graph& graph, PassContext& context) {
    absl::StatusOr<PassResult> result = DropRelu().run(graph, context);
    result->changed = false;
    result->unsure = true;
    return result;
  })));
  EXPECT_FALSE(run(Named("idle", [](ir::Graph&, PassContext&) {
    PassResult result;
    result.unsure = true;
    return result;
  })));
}

TEST(Runner, PartsThatAPassDoesNotSayItWritesStay) {
  const auto run = [](Effects effects) {
    const std::unique_ptr<ir::Graph> graph = Network();
    Pass pass = DropRelu();
    pass.effects = effects;
    RunOptions options;
    options.print_on_failure = false;
    std::vector<PassReport> reports;
    return passes::Run(*graph, {pass}, options, reports);
  };
  EXPECT_TRUE(run({kAllParts, kLinks}).ok());
  EXPECT_EQ(run({kAllParts, kNoParts}).message(),
            "pass `drop`: says that it writes nothing, and changed the graph");

  // Puts one operation in front of the output: one of another kind, or one on another constant.
  const auto put = [](Parts writes, bool constant) {
    const std::unique_ptr<ir::Graph> graph = Network();
    Pass pass =
        Named("put", [constant](ir::Graph& now, PassContext&) -> absl::StatusOr<PassResult> {
          ir::Rewriter rewriter(now);
          rewriter.SetLocation(ir::Location::Of("put/here"));
          std::vector<ir::Value*> operands = {now.outputs()[0]};
          if (constant) {
            operands.push_back(rewriter.CreateConstant(
                ir::Tensor::Of<float>(ir::DType::kF32, {1, 1}, std::vector<float>(1, 2.0f))));
          }
          const char* const name = constant ? "Mul" : "Tanh";
          const absl::StatusOr<ir::Operation*> op =
              rewriter.Create(*ir::Registry::Global().Find("core", name), operands, {});
          if (!op.ok()) return op.status();
          if (absl::Status status = rewriter.SetOutput(0, (*op)->result()); !status.ok())
            return status;
          return PassResult{true, 1};
        });
    pass.effects.writes = writes;
    RunOptions options;
    options.print_on_failure = false;
    std::vector<PassReport> reports;
    return std::string(passes::Run(*graph, {pass}, options, reports).message());
  };
  EXPECT_EQ(put(kLinks | kOperators, false), "");
  EXPECT_EQ(put(kLinks | kConstants | kTypes, false),
            "pass `put`: does not say that it writes operators, and there is now `core.Tanh` at "
            "`put/here`");
  EXPECT_EQ(put(kLinks | kConstants, true), "");
  EXPECT_THAT(put(kLinks | kOperators | kTypes, true),
              ::testing::StartsWith(
                  "pass `put`: does not say that it writes constants, and there is now another"));
}

TEST(Runner, ReportsWhatWasCheckedAfterEachPass) {
  const Invariant even = {"even", "all is even", [](const ir::Graph&) { return absl::OkStatus(); }};
  const std::unique_ptr<ir::Graph> graph = Network();
  Pass first = Idle("first"), last = Idle("last");
  first.establishes = {&even};
  last.breaks = {&even};
  last.effects = {kLinks | kSizes, kNoParts};
  std::vector<PassReport> reports;
  ASSERT_TRUE(passes::Run(*graph, {first, DropRelu(), last}, {}, reports).ok());
  ASSERT_EQ(reports.size(), 3u);
  EXPECT_EQ(reports[0].checked, std::vector<std::string>{"even"});
  EXPECT_EQ(reports[1].checked, std::vector<std::string>{"even"});
  EXPECT_TRUE(reports[2].checked.empty());
  EXPECT_EQ(reports[2].broken, std::vector<std::string>{"even"});
  EXPECT_EQ(NamesOf(reports[2].effects.reads), "links, sizes");
  EXPECT_EQ(NamesOf(reports[2].effects.writes), "nothing");
  EXPECT_EQ(NamesOf(kAllParts), "all");
}

TEST(Runner, ShowsTheGraphThatThePassWasGiven) {
  const std::unique_ptr<ir::Graph> graph = Network();
  Written written;
  std::vector<PassReport> reports;
  const Pass fails =
      Named("fails", [](ir::Graph&, PassContext&) { return absl::InternalError("no"); });
  EXPECT_FALSE(
      passes::Run(*graph, {Idle("a"), DropRelu(), Idle("b"), fails}, written.options, reports)
          .ok());
  ASSERT_EQ(written.files.size(), 1u);
  EXPECT_EQ(*written.files[0].ir, ir::Print(*graph));
  EXPECT_EQ(written.files[0].ir->find("Relu"), std::string::npos);
}

TEST(Runner, RefusalsAreNotOursUnlessAskedFor) {
  const Pass refuses =
      Named("p", [](ir::Graph&, PassContext&) { return absl::UnimplementedError("no such op"); });
  for (const bool refusals : {false, true}) {
    const std::unique_ptr<ir::Graph> graph = Network();
    Written written;
    written.options.reproducers.refusals = refusals;
    std::vector<PassReport> reports;
    const absl::Status status = passes::Run(*graph, {refuses}, written.options, reports);
    EXPECT_TRUE(absl::IsUnimplemented(status));
    EXPECT_EQ(written.files.size(), refusals ? 1u : 0u);
  }
}

TEST(Runner, APassIsNotRunAgainOnAGraphThatItLeftAsItWas) {
  int runs = 0;
  const Pass counted = Named("counted", [&runs](ir::Graph&, PassContext&) {
    ++runs;
    return PassResult{};
  });
  const std::unique_ptr<ir::Graph> graph = Network();
  RunOptions options;
  std::vector<PassReport> reports;
  ASSERT_TRUE(passes::Run(*graph, {counted, counted, DropRelu(), counted, Idle("a"), counted},
                          options, reports)
                  .ok());
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(reports.size(), 6u);
}

TEST(Runner, ALongTextIsOfAnEarlierGraphUnlessAskedFor) {
  const Pass fails =
      Named("p", [](ir::Graph&, PassContext&) { return absl::InternalError("words"); });
  for (const bool asked : {false, true}) {
    const std::unique_ptr<ir::Graph> graph = Network();
    const std::string before = ir::Print(*graph);
    Written written;
    written.options.bisect_limit = 7;
    written.options.reproducers.longest_text = before.size() - 1;
    if (asked) written.options.reproducers.before = {"b"};
    std::vector<PassReport> reports;
    EXPECT_FALSE(
        passes::Run(*graph, {Idle("a"), DropRelu(), Idle("b"), fails}, written.options, reports)
            .ok());
    ASSERT_EQ(written.files.size(), asked ? 2u : 1u);
    const Reproducer& file = written.files.back();
    EXPECT_EQ(file.position, 3u);
    EXPECT_EQ(file.about, "p");
    // The graph stays as it was asked for: nothing is printed again where nothing changed.
    EXPECT_EQ(file.passes, asked ? std::vector<std::string>({"p"})
                                 : std::vector<std::string>({"drop", "b", "p"}));
    EXPECT_EQ(*file.ir == before, !asked);
    EXPECT_EQ(file.rewrites_left, 7);
  }
}

TEST(Runner, OnDemandAndWithWeights) {
  const std::unique_ptr<ir::Graph> graph = Network();
  Written written;
  written.options.reproducers.before = {"drop"};
  written.options.reproducers.weights = true;
  std::vector<PassReport> reports;
  EXPECT_TRUE(
      passes::Run(*graph, {Counts("a", 9), DropRelu(), Idle("b")}, written.options, reports).ok());
  ASSERT_EQ(written.files.size(), 1u);
  EXPECT_TRUE(written.files[0].failure.ok());
  EXPECT_EQ(written.files[0].rewrites_left, -1);
  EXPECT_EQ(written.files[0].constants.size(), 2u);
  EXPECT_TRUE(written.files[0].absent.empty());
}

TEST(Reproducer, TextIsReadAsItWasWritten) {
  Reproducer file;
  file.target = "circle";
  file.passes = {"a", "b-c"};
  file.rewrites_left = 0;
  file.shuffle_seed = std::numeric_limits<uint64_t>::max();
  file.failure = absl::InternalError(
      "two\nlines, a \"quote\", \\ and \x01"
      "f");
  file.constants_file = "x \"y\".constants";
  file.absent = {{{1, 2}, ir::DType::kBF16, {3, 4}}, {{3, 4}, ir::DType::kI8, {}}};
  file.ir = std::make_shared<const std::string>("ir 1\nanything\n");
  const std::string text = ToText(file);
  const absl::StatusOr<Reproducer> read = ParseReproducer(text);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToText(*read), text);
  EXPECT_EQ(read->failure, file.failure);
  EXPECT_EQ(read->constants_file, file.constants_file);
  EXPECT_EQ(read->shuffle_seed, file.shuffle_seed);
  EXPECT_EQ(*read->ir, *file.ir);
}

TEST(Reproducer, WrongTextNamesTheLine) {
  const struct {
    std::string text, complaint;
  } cases[] = {
      {"", "line 1: `tessera reproducer 1` is expected"},
      {"ir 1\n", "line 1: `tessera reproducer 1` is expected"},
      {"tessera reproducer 1\npasses a\n", "no `ir`"},
      {"tessera reproducer 1\nir 1\n", "no `passes`"},
      {"tessera reproducer 1\n\npases a\nir 1\n", "line 3: `pases a` is no line of a reproducer"},
      {"tessera reproducer 1\nrewrites-left -1\nir 1\n", "line 2"},
      {"tessera reproducer 1\nfailure OOPS \"\"\nir 1\n", "line 2"},
      {"tessera reproducer 1\nfailure INTERNAL \"\\x\"\nir 1\n", "line 2"},
      {"tessera reproducer 1\nconstants \"../secret\"\nir 1\n", "line 2"},
      {"tessera reproducer 1\nabsent 12 : f32[1]\nir 1\n", "line 2"},
      {"tessera reproducer 1\nabsent 000102030405060708090a0b0c0d0e0f : f32[-1]\nir 1\n", "line 2"},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<Reproducer> read = ParseReproducer(c.text);
    ASSERT_FALSE(read.ok()) << c.text;
    EXPECT_NE(std::string(read.status().message()).find(c.complaint), std::string::npos)
        << read.status();
  }
}

// Each operation doubles what the one before it yields: the first few are computed.
TEST(Runner, FoldingDoesNotFillTheMemory) {
  ir::Registry::Global().Add(ops::CoreOps());
  std::string text =
      "ir 1\n%0 = ir.Constant digest 000102030405060708090a0b0c0d0e0f : f32[65536]\n";
  for (int i = 0; i < 24; ++i)
    absl::StrAppend(&text, "%", i + 1, " = core.Concat(%", i, ", %", i, ") {axis=0}\n");
  absl::StrAppend(&text, "output \"y\" = %24\n");
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph =
      ir::Parse(text, [](const ir::Digest&) -> absl::StatusOr<ir::Tensor> {
        return ir::Tensor::Of<float>(ir::DType::kF32, {65536}, std::vector<float>(65536, 0.25f));
      });
  ASSERT_TRUE(graph.ok()) << graph.status();
  RunOptions options;
  options.folding_growth = int64_t{1} << 20;
  std::vector<PassReport> reports;
  ASSERT_TRUE(passes::Run(**graph, CanonicalPipeline(), options, reports).ok());
  int64_t bytes = 0;
  for (const ir::Operation* op : (*graph)->TopologicalOrder()) {
    if (op->results().size() == 1 && op->result(0)->constant() != nullptr)
      bytes += static_cast<int64_t>(op->result(0)->constant()->bytes().size());
  }
  EXPECT_EQ(bytes, int64_t{1} << 20);
  EXPECT_EQ((*graph)->operation_count(), 1 + 22);
}

TEST(Runner, SizesBeyondAllCountingAreRefused) {
  ir::Registry::Global().Add(ops::CoreOps());
  const auto run = [](const std::string& least, const std::string& half) {
    const absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(
        absl::StrCat("ir 1\nsymbol N : ", least, ".. \"dim 0 of input `x`\"\n",
                     "input %0 \"x\" : f32[N,1]\n%1 = core.Expand(%0) {shape=[N,", half,
                     "]} at \"widen\"\n%2 = core.Tanh(%1) at \"bend\"\noutput \"y\" = %2\n"),
        Constant);
    if (!graph.ok()) return graph.status();
    std::vector<PassReport> reports;
    return passes::Run(**graph, {Idle("idle")}, RunOptions(), reports);
  };
  EXPECT_EQ(run("2", "1152921504606846976"),
            absl::UnimplementedError("2 tensor(s) of more bytes than 64 bits count:\n"
                                     "  `Expand` at `widen`: f32[N,1152921504606846976]\n"
                                     "  `Tanh` at `bend`: f32[N,1152921504606846976]"));
  // At one size at least they can be counted, if no more than that.
  EXPECT_EQ(run("1", "1152921504606846976"), absl::OkStatus());
  EXPECT_EQ(run("0", "9223372036854775807"), absl::OkStatus());
}

const Invariant& NoRelu() {
  static const auto* const invariant =
      new Invariant{"no-relu", "no operation is a Relu", [](const ir::Graph& graph) {
                      for (const ir::Operation* op : graph.TopologicalOrder()) {
                        if (op->info().name == "Relu") return absl::InternalError("there is one");
                      }
                      return absl::OkStatus();
                    }};
  return *invariant;
}

Pass Needing(Pass pass) {
  pass.needs = {&NoRelu()};
  return pass;
}

Pass Establishing(Pass pass) {
  pass.establishes = {&NoRelu()};
  return pass;
}

TEST(Invariants, HoldFromThePassThatSeesToThem) {
  const auto graph = Network();
  std::vector<PassReport> reports;
  const absl::Status status = passes::Run(
      *graph, {Establishing(DropRelu()), Needing(Idle("after"))}, RunOptions(), reports);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(Invariants, ThePassThatDoesNotEstablishWhatItSaysIsAtFault) {
  const auto graph = Network();
  std::vector<PassReport> reports;
  EXPECT_EQ(passes::Run(*graph, {Establishing(Idle("idle"))}, RunOptions(), reports),
            absl::InternalError("pass `idle`: left the graph without `no-relu` (no operation is a "
                                "Relu): there is one"));
}

TEST(Invariants, AreMissedByWhoeverNeedsThem) {
  std::vector<PassReport> reports;
  EXPECT_EQ(
      passes::Run(*Network(), {Needing(Idle("after"))}, RunOptions(), reports),
      absl::InternalError("pass `after`: needs `no-relu` (no operation is a Relu): there is one"));
  RunOptions options;
  options.disabled = {"drop"};
  EXPECT_EQ(
      passes::Run(*Network(), {Establishing(DropRelu()), Needing(Idle("after"))}, options, reports),
      absl::FailedPreconditionError(
          "pass `after`: needs `no-relu` (no operation is a Relu), which `drop` sees to, and "
          "that pass is off"));
}

}  // namespace
}  // namespace tessera::passes
