// Where an operator's text and other runtimes part, both are imported: sizes by scales as recorded
// from ONNX Runtime 1.32, and from ONNX's evaluator.
#include "frontends/onnx/readings.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "onnx/defs/parser.h"
#include "solver/expr.h"
#include "targets/reference/executor.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

struct Recorded {
  const char* scale;
  int64_t size, runtime, evaluator;
};
constexpr Recorded kRecorded[] = {
    {"0.7", 10, 7, 6},       {"0.7", 30, 21, 20}, {"0.7", 90, 63, 62},   {"0.35", 20, 7, 6},
    {"0.9", 10, 9, 8},       {"2.3", 10, 23, 22}, {"2.3", 90, 207, 206}, {"1.7", 10, 17, 17},
    {"0.1", 1000, 100, 100}, {"1.1", 10, 11, 11}, {"0.5", 11, 5, 5},     {"0.7", 11, 7, 7}};

absl::StatusOr<onnx_import::ImportResult> ImportResized(const std::string& scale, int opset,
                                                        bool rounded) {
  onnx::ModelProto model;
  const std::string text = opset == 9    ? "Upsample (x, by)"
                           : opset == 10 ? "Resize (x, by)"
                                         : "Resize (x, , by)";
  const auto status = onnx::OnnxParser(absl::StrCat("<ir_version: 8, opset_import: [\"\" : ", opset,
                                                    "]>\nresized (float[1,1,L] x) => (float y) "
                                                    "<float[0] none = {}, float[3] by = {1, 1, ",
                                                    scale, "}> { y = ", text, " }")
                                           .c_str())
                          .Parse(model);
  if (!status.IsOK()) return absl::InternalError(status.ErrorMessage());
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  onnx_import::ImportOptions options;
  options.dims.push_back(*onnx_import::ParseDimOption("L=10.."));
  if (rounded) options.readings.insert("rounded_sizes");
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                  bytes, "resized", options);
}

TEST(Readings, SizesByScales) {
  RegisterOps();
  for (const int opset : {11, 17}) {
    for (const Recorded& recorded : kRecorded) {
      for (const bool rounded : {false, true}) {
        const auto import = ImportResized(recorded.scale, opset, rounded);
        ASSERT_TRUE(import.ok()) << recorded.scale << ": " << import.status();
        const auto size =
            solver::Evaluate(import->graph->outputs()[0]->type().dims[2], {{"L", recorded.size}});
        ASSERT_TRUE(size.ok()) << size.status();
        EXPECT_EQ(*size, rounded ? recorded.runtime : recorded.evaluator)
            << recorded.size << " by " << recorded.scale << " in opset " << opset;
      }
    }
  }
}

absl::StatusOr<onnx_import::ImportResult> ImportScaledTo(int opset, bool nearest,
                                                         const char* quotient = "Div (g, f)") {
  const std::string text = opset == 9    ? "Upsample (x, by)"
                           : opset == 10 ? "Resize (x, by)"
                                         : "Resize (x, none, by)";
  onnx::ModelProto model;
  const auto status =
      onnx::OnnxParser(
          absl::StrCat(
              "<ir_version: 8, opset_import: [\"\" : ", opset,
              "]>\nscaled (float[1,1,L] x, float[1,1,M] z) => (float y) <float[0] none = {}, "
              "int64[3] two = {0, 0, 2}, float[1] number = {32}, float[2] ones = {1, 1}, int64[1] "
              "last = {2}> "
              "{ s = Shape (x)  l = Gather (s, last)  f = Cast <to = 1> (l)  t = Shape (z)  "
              "m = Gather (t, last)  g = Cast <to = 1> (m)  q = ",
              quotient, "  by = Concat <axis = 0> (ones, q)  r = ", text,
              "  y = Concat <axis = 1> (r, z) }")
              .c_str())
          .Parse(model);
  if (!status.IsOK()) return absl::InternalError(status.ErrorMessage());
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  onnx_import::ImportOptions options;
  if (nearest) options.readings.insert("nearest_sizes");
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                  bytes, "scaled", options);
}

// That the products are the sizes is true of the nearest integers alone.
TEST(Readings, ScalesThatAreQuotientsOfSizes) {
  RegisterOps();
  EXPECT_LT(1.0F / 41 * 41, 1.0F);
  for (const int opset : {9, 10, 11, 17}) {
    const auto nearest = ImportScaledTo(opset, true);
    ASSERT_TRUE(nearest.ok()) << nearest.status();
    EXPECT_EQ(nearest->graph->outputs()[0]->type().dims[2].ToString(), "M");
    const auto plain = ImportScaledTo(opset, false);
    ASSERT_FALSE(plain.ok());
    for (const char* mending : {"--reading nearest_sizes", "they are numbers with `--dim L=M`"})
      EXPECT_NE(plain.status().message().find(mending), std::string::npos) << plain.status();
  }
}

TEST(Readings, ScalesThatAreInNoProportion) {
  RegisterOps();
  for (const int opset : {9, 10, 11, 17}) {
    const auto plain = ImportScaledTo(opset, false, "Div (number, f)");
    ASSERT_FALSE(plain.ok());
    EXPECT_NE(plain.status().message().find("--reading nearest_sizes"), std::string::npos);
    EXPECT_EQ(plain.status().message().find("they are numbers with"), std::string::npos);
  }
}

absl::StatusOr<onnx_import::ImportResult> ImportStatic(const std::string& node,
                                                       const std::string& reading = "") {
  onnx::ModelProto model;
  const auto status =
      onnx::OnnxParser(absl::StrCat("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                    "resized (float[1,1,N] x) => (float y) <float[3] by = {1, 1, ",
                                    node, " }")
                           .c_str())
          .Parse(model);
  if (!status.IsOK()) return absl::InternalError(status.ErrorMessage());
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  onnx_import::ImportOptions options;
  options.dims.push_back(*onnx_import::ParseDimOption("N=5"));
  if (!reading.empty()) options.readings.insert(reading);
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                  bytes, "resized", options);
}

// Where a reading makes no difference nothing is said of it.
TEST(Readings, AreToldWhereTheyWouldCount) {
  RegisterOps();
  constexpr char kBy[] = "} > { y = Resize <mode = \"linear\"> (x, , by)";
  constexpr char kCorners[] =
      "} > { y = Resize <mode = \"linear\", coordinate_transformation_mode = \"align_corners\"> "
      "(x, , by)";
  const auto told = [](const std::string& node, const std::string& reading = "") {
    const auto import = ImportStatic(node, reading);
    EXPECT_TRUE(import.ok()) << import.status();
    return import.ok() ? import->assumed_readings : std::vector<std::string>{"refused"};
  };
  // The float nearest to 1.8 is less.
  const std::vector<std::string> rounded = told(absl::StrCat("1.8", kBy));
  ASSERT_EQ(rounded.size(), 1u);
  EXPECT_EQ(rounded[0].find("assumed: `Resize_0` as the operator's text has it; with `--reading "
                            "rounded_sizes` a Resize by scales yields "),
            0u)
      << rounded[0];
  EXPECT_TRUE(told(absl::StrCat("1.8", kBy), "rounded_sizes").empty());
  for (const char* by : {"2", "1.5", "1.7", "0.7"})
    EXPECT_TRUE(told(absl::StrCat(by, kBy)).empty()) << by;
  const std::vector<std::string> corners = told(absl::StrCat("1.5", kCorners));
  ASSERT_EQ(corners.size(), 1u);
  EXPECT_NE(corners[0].find("--reading whole_lengths"), std::string::npos);
  EXPECT_TRUE(told(absl::StrCat("1.5", kCorners), "whole_lengths").empty());
  EXPECT_TRUE(told(absl::StrCat("2", kCorners)).empty());
  // And beside a refusal, for which it may be the reason.
  const auto refused =
      ImportStatic("1.8}, int64[1] nine = {9}> { r = Resize (x, , by)  y = Reshape (r, nine)");
  EXPECT_NE(refused.status().message().find("\nresized: assumed: `Resize_0` as the operator's"),
            std::string::npos)
      << refused.status();
}

TEST(Readings, WholeLengths) {
  RegisterOps();
  const std::string node =
      "1.5} > { y = Resize <mode = \"linear\", coordinate_transformation_mode = "
      "\"align_corners\"> (x, , by)";
  const auto last = [&](const std::string& reading) {
    const auto import = ImportStatic(node, reading);
    EXPECT_TRUE(import.ok()) << import.status();
    const auto executor = reference::Executor::Create(*import->graph);
    EXPECT_TRUE(executor.ok()) << executor.status();
    const auto y =
        executor->Run({ir::Tensor::Of<float>(ir::DType::kF32, {1, 1, 5}, {0, 1, 2, 3, 4})});
    EXPECT_TRUE(y.ok()) << y.status();
    return (*y)[0].AsDouble(6);
  };
  EXPECT_EQ(last("whole_lengths"), 4);
  EXPECT_NEAR(last(""), 6 * 4 / 6.5, 1e-6);
}

TEST(Readings, AreThoseThatDefinitionsAskFor) {
  std::set<std::string> asked, known;
  const std::regex call(R"(reading\((\w+)\))");
  size_t files = 0;
  for (const auto& file : std::filesystem::directory_iterator("ops_defs")) {
    if (file.path().extension() != ".op") continue;
    ++files;
    std::ifstream stream(file.path());
    std::ostringstream text;
    text << stream.rdbuf();
    const std::string content = text.str();
    for (std::sregex_iterator it(content.begin(), content.end(), call), end; it != end; ++it)
      asked.insert((*it)[1]);
  }
  for (const onnx_import::Reading& reading : onnx_import::Readings())
    known.insert(std::string(reading.name));
  EXPECT_GT(files, 100u);
  EXPECT_EQ(asked, known);
}

}  // namespace
}  // namespace tessera::testing
