// Programs that torch.export.save wrote: the reference against what PyTorch computed, and Circle,
// executed from its bytes, against the reference; what is refused, and how.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "frontends/onnx/import.h"
#include "frontends/pt2/archive_writer.h"
#include "gtest/gtest.h"
#include "support/file.h"
#include "tools/cli/import_model.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/discharge.h"
#include "tools/verification/target.h"
#include "tools/verification/verify.h"

namespace tessera {
namespace {

std::string PathOf(const std::string& name) { return "testdata/pt2/" + name + "/model.pt2"; }

struct Program {
  const char* name;
  size_t cases;  // stored ones
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

class ExportedProgram : public ::testing::TestWithParam<Program> {
 protected:
  void SetUp() override { cli::LinkOps(); }
};

TEST_P(ExportedProgram, ComputesWhatPyTorchDoes) {
  verification::Request request;
  request.model = PathOf(GetParam().name);
  request.data = std::string("testdata/pt2/") + GetParam().name;
  request.target = verification::FindTarget("circle");
  ASSERT_NE(request.target, nullptr);
  request.options.check = proving::ShapeCheck(request.model);
  request.random_sizes = 3;
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  size_t stored = 0;
  for (const verification::CaseReport& one : report->cases) {
    EXPECT_EQ(one.passed_over, "");
    for (const verification::OutputReport& output : one.outputs)
      stored += output.against == "stored" ? 1 : 0;
  }
  EXPECT_GE(stored, GetParam().cases) << report->ToText();
}

INSTANTIATE_TEST_SUITE_P(
    All, ExportedProgram,
    ::testing::Values(Program{"conv", 2}, Program{"conv_core", 2}, Program{"tied", 1},
                      Program{"unet", 2}, Program{"recurrent", 1}, Program{"decoder", 2},
                      Program{"decoder_core", 2}, Program{"resizes", 1}, Program{"views", 2},
                      Program{"modes", 2}, Program{"unbatched", 2}, Program{"deep", 1},
                      Program{"deep_batches", 2}, Program{"bags", 2}, Program{"areas", 2},
                      Program{"choices", 2}, Program{"positions", 2}, Program{"states", 2},
                      Program{"states_core", 2}, Program{"rotary", 2}, Program{"rotary_core", 2},
                      Program{"spectrogram", 2}, Program{"mixing", 2}, Program{"quantized", 1},
                      Program{"halved", 2}, Program{"pyramid", 2}, Program{"experts", 2},
                      Program{"masked", 2}, Program{"repeated", 1}, Program{"related", 2},
                      Program{"kept", 2}, Program{"converted", 2}, Program{"copied", 1},
                      Program{"between", 2}, Program{"asked", 2}, Program{"looped", 3},
                      Program{"rounds", 2}, Program{"chosen", 22}, Program{"counted", 20},
                      Program{"read_out", 24}, Program{"legacy_conv", 2}, Program{"legacy_tied", 1},
                      Program{"legacy_masked", 1}, Program{"legacy_last", 1}),
    [](const auto& info) { return std::string(info.param.name); });

// Every operator, with arguments that are not its defaults (testdata/pt2/operators.py).
class ExportedOperators : public ExportedProgram {};

// `target` is null where the reference alone is meant.
void HoldsAsStored(const Program& program, const verification::Target* target) {
  verification::Request request;
  request.model = PathOf(program.name);
  request.data = std::string("testdata/pt2/") + program.name;
  request.target = target;
  request.random_sizes = 0;
  const absl::StatusOr<verification::Report> report = verification::Verify(request);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  size_t stored = 0;
  for (const verification::CaseReport& one : report->cases) stored += one.outputs.size();
  EXPECT_EQ(stored, program.cases) << report->ToText();
}

TEST_P(ExportedOperators, ComputeWhatPyTorchDoes) { HoldsAsStored(GetParam(), nullptr); }

// The reference alone: Circle has no number of samples that data decide, nor the bits of floats.
INSTANTIATE_TEST_SUITE_P(Sampled, ExportedOperators,
                         ::testing::Values(Program{"boxes", 16}, Program{"bits", 12},
                                           Program{"bits_core", 12}),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(
    All, ExportedOperators,
    ::testing::Values(Program{"operators_elements", 14}, Program{"operators_shapes", 11},
                      Program{"operators_layers", 9}, Program{"operators_composed", 14},
                      Program{"operators_named", 8}, Program{"operators_losses", 7},
                      Program{"operators_complex", 9}, Program{"operators_corners", 5},
                      Program{"operators_special", 5}, Program{"operators_lists", 4},
                      Program{"operators_series", 5}, Program{"operators_factors", 3},
                      Program{"operators_ranks", 3}, Program{"operators_arguments", 7},
                      Program{"operators_defaults", 5}, Program{"operators_mixed", 4},
                      Program{"operators_matrices", 2}, Program{"operators_digits", 3}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ExportedNumbers, HoldInCircleToo) {
  cli::LinkOps();
  HoldsAsStored({"operators_numbers", 20}, verification::FindTarget("circle"));
  HoldsAsStored({"operators_digits", 6}, verification::FindTarget("circle"));
}

std::string Refusal(const std::string& name) {
  cli::LinkOps();
  const auto import = cli::ImportModel(PathOf(name), {});
  EXPECT_FALSE(import.ok());
  return std::string(import.status().message());
}

void ExpectHas(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
}

TEST(Refused, AllThatIsUnsupportedAtOnceWithModuleAndLine) {
  const std::string text = Refusal("unsupported");
  for (const char* op : {"linalg_eigvalsh.default", "linalg_svdvals.default"})
    ExpectHas(text, std::string("`") + op + "`, module `inner`, `make.py:");
  for (const char* op : {"igamma.default", "special_zeta.default", "linalg_matrix_exp.default"})
    ExpectHas(text, std::string("op `") + op + "` is not supported");
  ExpectHas(text, "return torch.linalg.eigvalsh(x), torch.linalg.svdvals(x)");
}

TEST(Refused, WhatNoDefinitionHasOfComplexNumbers) {
  const std::string text = Refusal("unsupported_complex");
  ExpectHas(text, "op `atan.default` of complex numbers is not supported");
  ExpectHas(text, "op `asin.default` of complex numbers is not supported");
  ExpectHas(text, "argument `tensors` is real beside complex ones");
}

// By what a definition says of the operator, whichever overload, in place or not.
TEST(Refused, RandomNumbers) {
  for (const char* random : {"rand_like.default", "normal_.default", "randperm.generator"}) {
    auto entries = pt2_import::ReadEntries(support::ReadFile(PathOf("conv")).value());
    ASSERT_TRUE(entries.has_value());
    for (pt2_import::WrittenEntry& entry : *entries)
      absl::StrReplaceAll({{"aten.relu.default", absl::StrCat("aten.", random)}}, &entry.bytes);
    const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/random.pt2");
    ASSERT_TRUE(support::WriteFile(path, pt2_import::WriteArchive(*entries)).ok());
    const auto import = cli::ImportModel(path, {});
    ExpectHas(std::string(import.status().message()),
              absl::StrCat("op `", random, "` draws numbers at random"));
  }
}

// An archive of its own, of which one entry has another text.
std::string Changed(const std::string& name, const std::string& entry, const std::string& from,
                    const std::string& to) {
  auto entries = pt2_import::ReadEntries(support::ReadFile(PathOf(name)).value());
  EXPECT_TRUE(entries.has_value());
  int found = 0;
  for (pt2_import::WrittenEntry& each : *entries) {
    if (absl::EndsWith(each.name, entry)) found += absl::StrReplaceAll({{from, to}}, &each.bytes);
  }
  EXPECT_GT(found, 0) << from;
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/changed.pt2");
  EXPECT_TRUE(support::WriteFile(path, pt2_import::WriteArchive(*entries)).ok());
  return path;
}

TEST(Refused, BigEndianNumbers) {
  cli::LinkOps();
  const auto import = cli::ImportModel(Changed("conv", "byteorder", "little", "big"), {});
  ASSERT_FALSE(import.ok());
  ExpectHas(std::string(import.status().message()), "byteorder: its numbers are big-endian");
}

// What may be a view, of which nothing says how what is written over it is in the whole; nothing
// that follows from these.
TEST(Refused, WhatIsWrittenOverSomeViews) {
  const std::string text = Refusal("overlaid");
  for (const char* view : {"einsum.default", "meshgrid.indexing", "cartesian_prod.default"})
    ExpectHas(text, absl::StrCat("and what `", view, "` makes of it may share memory"));
  ExpectHas(text, "which is read later by other names too, another shape");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

std::string Guarded(const std::string& guard) {
  return Changed("conv", "models/model.json", "\"guards_code\":[",
                 absl::StrCat("\"guards_code\":[\"", guard, "\", "));
}

onnx_import::ImportOptions Declared(const std::vector<std::string>& dims) {
  onnx_import::ImportOptions options;
  options.dims = onnx_import::ParseDimOptions(dims).value();
  return options;
}

TEST(Refused, GuardsThatCannotBeRead) {
  cli::LinkOps();
  const auto import = [](const char* guard, const std::vector<std::string>& dims) {
    return cli::ImportModel(Guarded(guard), Declared(dims)).status();
  };
  for (const char* guard :
       {"L['x'].size()[0] ** L['x'].size()[3] > 99", "L['x'].size()[3] / L['x'].size()[0] > 1.5",
        "L['x'].size()[0] > 3 or L['x'].size()[3] > 9"}) {
    const std::string refused =
        absl::StrCat("exported for sizes with `", guard,
                     "`, which is not read here: declare the sizes by `--dim`");
    ExpectHas(std::string(import(guard, {}).message()), refused);
    ExpectHas(std::string(import(guard, {"s77=4"}).message()), refused);
    EXPECT_TRUE(import(guard, {"s77=4", "s0=10"}).ok()) << import(guard, {"s77=4", "s0=10"});
  }
  ExpectHas(
      std::string(import("L['x'].size()[3] / L['x'].size()[0] > 1.5", {"s77=9", "s0=9"}).message()),
      "which those that are admitted need not satisfy: declare such by `--dim`");
  // Of what is no size nothing is asked.
  for (const char* guard : {"L['x'].dtype == torch.float32", "not L['x'].requires_grad", "u0 > 3"})
    EXPECT_TRUE(import(guard, {}).ok()) << import(guard, {});
}

TEST(Refused, WhereAPartOfOtherMemoryBegins) {
  ExpectHas(Refusal("placed"), "where a part of other memory begins is not known");
}

// Parts along a last axis, as what they are handed over says.
TEST(Complex, PartsLieAlongALastAxis) {
  cli::LinkOps();
  const auto import = cli::ImportModel(PathOf("rotary"), {});
  ASSERT_TRUE(import.ok()) << import.status();
  const ir::Value& z = *import->graph->inputs()[1];
  ASSERT_EQ(z.type().rank(), 4);
  EXPECT_EQ(z.type().dims.back().Constant(), 2);
  EXPECT_EQ(z.type().dtype, ir::DType::kF32);
  const std::string all = absl::StrJoin(import->states, "\n");
  ExpectHas(all, "complex: input `z` has real and imaginary parts along a last axis of 2");
  ExpectHas(all, "complex: output `cat` has real and imaginary parts along a last axis of 2");
}

TEST(Assumed, ThatSizesAreThoseTheProgramWasMadeFor) {
  cli::LinkOps();
  const auto import = cli::ImportModel(PathOf("halved"), {});
  ASSERT_TRUE(import.ok()) << import.status();
  const std::vector<std::string> assumed = onnx_import::AssumptionTexts(*import);
  const std::string all = absl::StrJoin(assumed, "\n");
  ExpectHas(all, "8 <= ");
  ExpectHas(all, " <= 9 (the exported program says so)");
}

// Computed as Python does.
TEST(Assumed, WhatGuardsInFloatsComeDownTo) {
  cli::LinkOps();
  for (const auto& [guard, fact] : std::vector<std::pair<const char*, const char*>>{
           {"(L['x'].size()[0] / 2) > 4.0", "s77 >= 9 ("},
           {"math.ceil(L['x'].size()[0] / 2) > 4", "9 <= s77 <= 64"},
           {"round(L['x'].size()[0] / 3) == 3", "1 <= s77 <= 10 ("},
           {"0.3*torch.sym_float(L['X'].size()[0]) > 2.5", "s77 >= 9 ("},
           {"2 ** L['x'].size()[0] > 600", "s77 >= 10 ("},
           {"(L['x'].size()[0] & 1) == 0", "s77%2 == 0"},
           {"L['x'].size()[0] >= 3 and L['x'].size()[3] / 2 > 4.0", "s0 >= 9 ("},
           {"L['x'].size()[1] == 3 and L['x'].size()[2] >= 16", "x_d2 >= 16 ("}}) {
    const auto import = cli::ImportModel(Guarded(guard), {});
    ASSERT_TRUE(import.ok()) << guard << ": " << import.status();
    ExpectHas(absl::StrJoin(onnx_import::AssumptionTexts(*import), "\n"), fact);
  }
}

TEST(Assumed, RemaindersThatGuardsComeDownTo) {
  cli::LinkOps();
  const auto import = cli::ImportModel(PathOf("pyramid"), {});
  ASSERT_TRUE(import.ok()) << import.status();
  const std::string all = absl::StrJoin(onnx_import::AssumptionTexts(*import), "\n");
  ExpectHas(all, "s0%4 == 0 (the exported program says so)");
  ExpectHas(all, "s53%4 == 0 (the exported program says so)");
}

// Right for half of the sizes, of several remainders: a declaration decides.
TEST(Assumed, NothingOfSeveralRemainders) {
  const std::string text = Refusal("enlarged");
  ExpectHas(text,
            "which those that are admitted need not satisfy: declare such by `--dim s53%8=0`");
  onnx_import::ImportOptions options;
  options.assume = onnx_import::Assume::kAny;
  const auto import = cli::ImportModel(PathOf("enlarged"), options);
  ASSERT_TRUE(import.ok()) << import.status();
  const std::string all = absl::StrJoin(onnx_import::AssumptionTexts(*import), "\n");
  ExpectHas(all, "%8 == 0 (found by `--dim auto`)");
}

// Before decomposition operators write over them, after it the signature says what becomes of them.
TEST(States, GoInBehindInputsAndComeOutBehindOutputs) {
  cli::LinkOps();
  for (const char* name : {"states", "states_core"}) {
    const auto import = cli::ImportModel(PathOf(name), {});
    ASSERT_TRUE(import.ok()) << import.status();
    std::vector<std::string> inputs;
    for (const ir::Value* input : import->graph->inputs())
      inputs.emplace_back(input->name().begin(), input->name().end());
    EXPECT_EQ(absl::StrJoin(inputs, " "), "x position total count rows window.last");
    const auto names = import->graph->output_names();
    ASSERT_EQ(names.size(), 6u);
    EXPECT_EQ(absl::StrJoin(names.begin() + 2, names.end(), " "),
              "count_next rows_next window.last_next total_next");
    const std::string all = absl::StrJoin(import->states, "\n");
    ExpectHas(all,
              "state: input `rows` is zeros at the first call, and then what output `rows_next`");
    ExpectHas(all,
              "input `window.last` is what the program has as `window.last` at the first call");
    EXPECT_EQ(import->states.size(), 3u);  // nothing of `total`, which is the caller's
  }
}

TEST(Refused, TrainingWithWhatToCall) {
  const std::string text = Refusal("trained");
  ExpectHas(text, "module `drop`");
  ExpectHas(text, "call `model.eval()` before `torch.export.export`");
}

}  // namespace
}  // namespace tessera
