// Defaults of ONNX whose sign no comparison sees: what a LabelEncoder has no label for becomes -0.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "onnx/defs/parser.h"
#include "targets/reference/executor.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

absl::StatusOr<std::vector<ir::Tensor>> Labels(int version, const std::string& attributes) {
  const std::string text = absl::StrCat(
      "<ir_version: 8, opset_import: [\"\" : 18, \"ai.onnx.ml\" : ", version, "]>\n",
      "labels (int64[2] x) => (float[2] y) { y = ai.onnx.ml.LabelEncoder <keys_int64s = [1], "
      "values_floats = [5.0]",
      attributes, "> (x) }");
  onnx::ModelProto model;
  onnx::OnnxParser parser(text.c_str());
  if (const auto status = parser.Parse(model); !status.IsOK())
    return absl::InvalidArgumentError(status.ErrorMessage());
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  const auto imported = onnx_import::ImportBytes(
      {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "m.onnx", {});
  if (!imported.ok()) return imported.status();
  auto executor = reference::Executor::Create(*imported->graph);
  if (!executor.ok()) return executor.status();
  return executor->Run({ir::Tensor::Of<int64_t>(ir::DType::kI64, {2}, std::vector<int64_t>{1, 7})});
}

TEST(SignedDefaults, of_a_label_encoder) {
  ir::Registry::Global().Add(ops::CoreOps());
  for (const int version : {2, 4}) {
    const auto labels = Labels(version, "");
    ASSERT_TRUE(labels.ok()) << labels.status();
    EXPECT_EQ(labels->at(0).AsDouble(0), 5.0);
    EXPECT_EQ(labels->at(0).AsDouble(1), 0.0);
    EXPECT_TRUE(std::signbit(labels->at(0).AsDouble(1))) << "in version " << version;
    const auto positive = Labels(version, ", default_float = 0.0");
    ASSERT_TRUE(positive.ok()) << positive.status();
    EXPECT_FALSE(std::signbit(positive->at(0).AsDouble(1))) << "in version " << version;
  }
}

}  // namespace
}  // namespace tessera::testing
