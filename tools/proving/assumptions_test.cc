// What the importer takes for granted of sizes, and what it asks for, on networks as they are.
#include "tools/cli/assumptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/model_for_test.h"
#include "solver/prove.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/discharge.h"

namespace tessera::proving {
namespace {

using onnx_import::Assume;
using onnx_import::ImportOptions;
using onnx_import::ImportResult;
using onnx_import::ModelForTest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

class Assumptions : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cli::LinkOps(); }

  static absl::StatusOr<ImportResult> Import(const ModelForTest& model,
                                             const ImportOptions& options) {
    auto bytes = std::make_shared<std::string>(model.proto.SerializeAsString());
    return onnx_import::ImportBytes(
        {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "net.onnx",
        options);
  }
  static absl::StatusOr<ImportResult> Import(const ModelForTest& model, Assume assume,
                                             const std::vector<std::string>& dims = {}) {
    ImportOptions options;
    options.assume = assume;
    options.dims = onnx_import::ParseDimOptions(dims).value();
    return Import(model, options);
  }
  // What was assumed of a model that imports, all of whose shapes are proved.
  static std::vector<std::string> Assumed(const ModelForTest& model, Assume assume,
                                          const std::vector<std::string>& dims = {}) {
    const absl::StatusOr<ImportResult> import = Import(model, assume, dims);
    if (!import.ok()) return {std::string(import.status().message())};
    solver::Prover prover;
    Ledger ledger;
    const absl::Status proved =
        ledger.Discharge(*import->graph, prover, "import", false, "net.onnx");
    if (!proved.ok()) return {std::string(proved.message())};
    std::vector<std::string> texts;
    for (const onnx_import::DimOption& dim : import->assumed)
      texts.push_back(onnx_import::Proposition(dim));
    return texts;
  }
  static std::string Refusal(const ModelForTest& model, Assume assume = Assume::kNothing,
                             const std::vector<std::string>& dims = {}) {
    return std::string(Import(model, assume, dims).status().message());
  }

  static void Sizes(onnx::NodeProto& node, const char* name, const std::vector<int64_t>& sizes) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t size : sizes) attribute.add_ints(size);
  }

  // The features of a wav2vec2: windows on windows on windows.
  static ModelForTest Wav2vec2() {
    ModelForTest model(13);
    model.Input("x0", {1, 1, "samples"}).Output("x7");
    const int64_t kernels[] = {10, 3, 3, 3, 3, 2, 2};
    for (size_t i = 0; i < std::size(kernels); ++i) {
      const std::string w = absl::StrCat("w", i);
      model.Floats(w, {1, 1, kernels[i]}, std::vector<float>(static_cast<size_t>(kernels[i]), 1));
      onnx::NodeProto& conv =
          model.Node("Conv", {absl::StrCat("x", i), w}, {absl::StrCat("x", i + 1)});
      Sizes(conv, "strides", {i == 0 ? 5 : 2});
    }
    return model;
  }

  // Pools of which the last takes what the others leave, in both axes.
  static ModelForTest Inception() {
    ModelForTest model(13);
    model.Input("x", {1, 1, "height", "width"}).Output("y");
    std::string last = "x";
    for (const char* next : {"a", "b", "c"}) {
      onnx::NodeProto& pool = model.Node("MaxPool", {last}, {next});
      Sizes(pool, "kernel_shape", {3, 3});
      Sizes(pool, "strides", {2, 2});
      last = next;
    }
    Sizes(model.Node("AveragePool", {last}, {"y"}), "kernel_shape", {8, 8});
    return model;
  }

  // Scores of a decoder with a cache, and a mask with a length of its own.
  static ModelForTest Decoder(const char* past, const char* total) {
    ModelForTest model(13);
    model.Input("q", {1, 2, "seq", 4}).Input("k", {1, 2, "seq", 4}).Input("cache", {1, 2, past, 4});
    model.Input("mask", {1, 1, "seq", total}).Output("y");
    ModelForTest::Int(model.Node("Concat", {"cache", "k"}, {"keys"}), "axis", 2);
    Sizes(model.Node("Transpose", {"keys"}, {"turned"}), "perm", {0, 1, 3, 2});
    model.Node("MatMul", {"q", "turned"}, {"scores"});
    model.Node("Add", {"scores", "mask"}, {"y"}, "/add");
    return model;
  }

  // Down by windows of 3 and up again, which gives odd sizes back.
  static ModelForTest OddUNet() {
    ModelForTest model(13);
    model.Input("x", {1, 1, "H", "W"}).Output("y");
    model.Floats("w", {1, 1, 3, 3}, std::vector<float>(9, 1));
    onnx::NodeProto& pool = model.Node("MaxPool", {"x"}, {"down"});
    Sizes(pool, "kernel_shape", {3, 3});
    Sizes(pool, "strides", {2, 2});
    Sizes(model.Node("ConvTranspose", {"down", "w"}, {"up"}), "strides", {2, 2});
    ModelForTest::Int(model.Node("Concat", {"x", "up"}, {"y"}, "/join"), "axis", 1);
    return model;
  }
};

TEST_F(Assumptions, WindowsAreTakenToFit) {
  EXPECT_THAT(Assumed(Wav2vec2(), Assume::kWindows), ElementsAre("samples >= 400"));
  EXPECT_THAT(Assumed(Wav2vec2(), Assume::kAny), ElementsAre("samples >= 400"));
  EXPECT_THAT(Refusal(Wav2vec2()), HasSubstr("are right with `--dim samples=400..`"));
  EXPECT_THAT(Assumed(Inception(), Assume::kWindows),
              UnorderedElementsAre("height >= 71", "width >= 71"));
  EXPECT_THAT(Refusal(Inception()), HasSubstr("--dim height=71.."));
  // What is declared is not assumed as well, and what is declared too small is refused.
  EXPECT_THAT(Assumed(Inception(), Assume::kWindows, {"height=71..", "width=80"}), IsEmpty());
  EXPECT_THAT(Refusal(Wav2vec2(), Assume::kAny, {"samples=10..399"}), Not(IsEmpty()));
}

TEST_F(Assumptions, EqualitiesOnlyOnRequest) {
  const ModelForTest decoder = Decoder("past", "total");
  const std::string refusal = Refusal(decoder, Assume::kWindows);
  EXPECT_THAT(refusal, HasSubstr("true with `--dim total=seq+past`"));
  // With one position the mask would broadcast, and the network run.
  EXPECT_THAT(refusal, HasSubstr("is false for "));
  EXPECT_THAT(refusal, Not(HasSubstr("total=1")));
  EXPECT_THAT(Assumed(decoder, Assume::kAny), ElementsAre("total == seq+past"));
  EXPECT_THAT(Assumed(decoder, Assume::kNothing, {"total=past+seq"}), IsEmpty());
  // A remedy names a dim as its symbol is called.
  EXPECT_THAT(Assumed(Decoder("past.len", "total len"), Assume::kAny),
              ElementsAre("total_len == seq+past_len"));
}

TEST_F(Assumptions, RemaindersOnlyOnRequest) {
  const std::string refusal = Refusal(OddUNet(), Assume::kWindows);
  EXPECT_THAT(refusal, HasSubstr("--dim H%2=1"));
  EXPECT_THAT(refusal, HasSubstr("--dim W%2=1"));
  EXPECT_THAT(refusal, HasSubstr("or with `--dim auto`, which takes these"));
  EXPECT_THAT(Assumed(OddUNet(), Assume::kAny),
              UnorderedElementsAre("H >= 3", "W >= 3", "H%2 == 1", "W%2 == 1"));
}

// A window on as many entries as two lengths differ by: false only where they are equal, far out,
// which nothing but Z3 finds.
TEST_F(Assumptions, WhatOnlyZ3RefutesIsMendedToo) {
  constexpr int64_t kFar = 1234567;
  ModelForTest model(13);
  model.Input("x", {1, 1, "T"}).Output("y").Ints("at", {2}).Ints("far", {kFar});
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Gather", {"shape", "at"}, {"t"});
  model.Node("Sub", {"t", "far"}, {"above"});
  model.Node("Sub", {"far", "t"}, {"below"});
  model.Node("Max", {"above", "below"}, {"apart"});
  model.Ints("unit", {1, 1});
  ModelForTest::Int(model.Node("Concat", {"unit", "apart"}, {"sizes"}), "axis", 0);
  model.Node("ConstantOfShape", {"sizes"}, {"z"});
  Sizes(model.Node("MaxPool", {"z"}, {"y"}, "/pool"), "kernel_shape", {1});
  const auto import = [&](Assume assume) {
    ImportOptions options;
    options.assume = assume;
    options.check = ShapeCheck("net.onnx");
    return Import(model, options);
  };
  const absl::StatusOr<ImportResult> refused = import(Assume::kNothing);
  ASSERT_FALSE(refused.ok());
  const std::string refusal(refused.status().message());
  EXPECT_THAT(refusal, HasSubstr(absl::StrCat("T=", kFar)));
  EXPECT_THAT(refusal, HasSubstr("true with `--dim "));
  const absl::StatusOr<ImportResult> mended = import(Assume::kAny);
  ASSERT_TRUE(mended.ok()) << mended.status();
  EXPECT_THAT(mended->assumed, Not(IsEmpty()));
  EXPECT_THAT(mended->graph->obligations(), IsEmpty());
}

TEST_F(Assumptions, AreSaid) {
  ImportOptions options;
  options.assume = Assume::kWindows;
  const absl::StatusOr<ImportResult> import = Import(Wav2vec2(), options);
  ASSERT_TRUE(import.ok()) << import.status();
  EXPECT_EQ(cli::AssumptionLines(*import, options),
            "assumed: samples >= 400 (so that windows fit; `--strict-dims` refuses instead)\n");
  EXPECT_THAT(import->graph->context().Find("samples")->origin,
              HasSubstr("assumed: samples >= 400"));
}

// A size that is halved in floats is exact up to 2^24 only.
TEST_F(Assumptions, NarrowerThanDeclared) {
  ModelForTest model(13);
  model.Input("x", {1, 1, "T"}).Output("y").Ints("at", {2}).Floats("half", {1}, {0.5});
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Gather", {"shape", "at"}, {"t"});
  ModelForTest::Int(model.Node("Cast", {"t"}, {"f"}), "to", onnx::TensorProto::FLOAT);
  model.Node("Mul", {"f", "half"}, {"h"});
  model.Node("Floor", {"h"}, {"floor"});
  ModelForTest::Int(model.Node("Cast", {"floor"}, {"n"}), "to", onnx::TensorProto::INT64);
  model.Node("ConstantOfShape", {"n"}, {"y"});
  for (const std::string& dim : {std::string(), std::string("T=1..")}) {
    ImportOptions options;
    if (!dim.empty()) options.dims.push_back(onnx_import::ParseDimOption(dim).value());
    const absl::StatusOr<ImportResult> import = Import(model, options);
    ASSERT_TRUE(import.ok()) << import.status();
    const std::string text = cli::AssumptionLines(*import, options);
    EXPECT_THAT(text, HasSubstr("sizes are computed in floats"));
    EXPECT_EQ(text.find("narrower than `--dim T=1..`") != std::string::npos, !dim.empty()) << text;
  }
}

}  // namespace
}  // namespace tessera::proving
