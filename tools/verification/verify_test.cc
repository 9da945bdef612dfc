#include "tools/verification/verify.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "onnx/onnx_pb.h"
#include "support/file.h"
#include "support/npy.h"
#include "tools/cli/op_sets.h"

namespace tessera::verification {
namespace {

ir::Tensor Floats(std::vector<int64_t> shape, const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, std::move(shape), values);
}

void AddValue(onnx::ValueInfoProto* info, const char* name, int type,
              const std::vector<std::string>& dims) {
  info->set_name(name);
  auto* tensor = info->mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(type);
  auto* shape = tensor->mutable_shape();
  for (const std::string& dim : dims) {
    auto* added = shape->add_dim();
    if (std::isdigit(static_cast<unsigned char>(dim[0]))) {
      added->set_dim_value(std::stoll(dim));
    } else {
      added->set_dim_param(dim);
    }
  }
}

onnx::ModelProto Model() {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(13);
  model.mutable_graph()->set_name("test");
  return model;
}

// y = max(x, 0) for x of any number of rows.
onnx::ModelProto Rectifier() {
  onnx::ModelProto model = Model();
  onnx::GraphProto& graph = *model.mutable_graph();
  AddValue(graph.add_input(), "x", onnx::TensorProto::FLOAT, {"N", "2"});
  AddValue(graph.add_output(), "y", onnx::TensorProto::FLOAT, {"N", "2"});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Relu");
  node.add_input("x");
  node.add_output("y");
  return model;
}

// y = x in the shape that the second input says.
onnx::ModelProto Reshaper() {
  onnx::ModelProto model = Model();
  onnx::GraphProto& graph = *model.mutable_graph();
  AddValue(graph.add_input(), "x", onnx::TensorProto::FLOAT, {"4"});
  AddValue(graph.add_input(), "shape", onnx::TensorProto::INT64, {"2"});
  AddValue(graph.add_output(), "y", onnx::TensorProto::FLOAT, {"A", "B"});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Reshape");
  node.add_input("x");
  node.add_input("shape");
  node.add_output("y");
  return model;
}

// y = x[places], of an axis of 2.
onnx::ModelProto Gatherer() {
  onnx::ModelProto model = Model();
  onnx::GraphProto& graph = *model.mutable_graph();
  AddValue(graph.add_input(), "x", onnx::TensorProto::FLOAT, {"2", "3"});
  AddValue(graph.add_input(), "places", onnx::TensorProto::INT64, {"40"});
  AddValue(graph.add_output(), "y", onnx::TensorProto::FLOAT, {"40", "3"});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("Gather");
  node.add_input("x");
  node.add_input("places");
  node.add_output("y");
  return model;
}

// y = the indices of the entries of x that are not 0: how many there are, data decide.
onnx::ModelProto Chooser() {
  onnx::ModelProto model = Model();
  onnx::GraphProto& graph = *model.mutable_graph();
  AddValue(graph.add_input(), "x", onnx::TensorProto::FLOAT, {"N", "3"});
  AddValue(graph.add_output(), "y", onnx::TensorProto::INT64, {"2", "K"});
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type("NonZero");
  node.add_input("x");
  node.add_output("y");
  return model;
}

// z = x + y and twice u, of dims that are not declared equal.
onnx::ModelProto Adder() {
  onnx::ModelProto model = Model();
  onnx::GraphProto& graph = *model.mutable_graph();
  AddValue(graph.add_input(), "x", onnx::TensorProto::FLOAT, {"A"});
  AddValue(graph.add_input(), "y", onnx::TensorProto::FLOAT, {"B"});
  AddValue(graph.add_input(), "u", onnx::TensorProto::FLOAT, {"A"});
  AddValue(graph.add_output(), "z", onnx::TensorProto::FLOAT, {"A"});
  AddValue(graph.add_output(), "v", onnx::TensorProto::FLOAT, {"A"});
  for (const std::vector<const char*>& io :
       std::vector<std::vector<const char*>>{{"x", "y", "z"}, {"u", "u", "v"}}) {
    onnx::NodeProto& node = *graph.add_node();
    node.set_op_type("Add");
    node.add_input(io[0]);
    node.add_input(io[1]);
    node.add_output(io[2]);
  }
  return model;
}

void WritePb(const std::string& path, const std::string& name, const ir::Tensor& tensor) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(tensor.dtype() == ir::DType::kI64 ? onnx::TensorProto::INT64
                                                        : onnx::TensorProto::FLOAT);
  for (const int64_t dim : tensor.shape()) proto.add_dims(dim);
  proto.set_raw_data(
      std::string(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()));
  ASSERT_TRUE(support::WriteFile(path, proto.SerializeAsString()).ok());
}

// Rectifies, and adds `error` to the last element.
class Rectifying : public Target {
 public:
  explicit Rectifying(float error) : error_(error) {}
  std::string_view name() const override { return "rectifying"; }
  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    return graph.operation_count() == 1 ? "artifact" : "unexpected";
  }
  absl::StatusOr<std::vector<ir::Tensor>> Execute(
      std::string_view artifact, absl::Span<const ir::Tensor> inputs) const override {
    if (artifact != "artifact") return absl::InvalidArgumentError("not the artifact");
    std::vector<float> values(inputs[0].data<float>(), inputs[0].data<float>() + inputs[0].size());
    for (float& v : values) v = std::max(v, 0.0f);
    values.back() += error_;
    return std::vector<ir::Tensor>{Floats(inputs[0].shape(), values)};
  }
  double tolerance() const override { return 1e-5; }

 private:
  float error_;
};

// Has a form for a number of rows alone.
class Counted : public Rectifying {
 public:
  Counted() : Rectifying(0) {}
  absl::StatusOr<std::string> Compile(ir::Graph& graph) const override {
    if (!graph.inputs()[0]->type().dims[0].IsConstant())
      return absl::UnimplementedError("no form in it:\n    `Relu` of N rows");
    return Rectifying::Compile(graph);
  }
};

class VerifyTest : public ::testing::Test {
 protected:
  void SetUp() override {
    cli::LinkOps();
    folder_ = ::testing::TempDir() + "/verify_test";
    std::filesystem::remove_all(folder_);
    ASSERT_TRUE(support::MakeFolder(folder_).ok());
    request_.model = folder_ + "/model.onnx";
    request_.data = folder_;
  }
  void Write(const onnx::ModelProto& model) {
    ASSERT_TRUE(support::WriteFile(request_.model, model.SerializeAsString()).ok());
  }
  std::string Set(int number) {
    const std::string set = absl::StrCat(folder_, "/test_data_set_", number);
    EXPECT_TRUE(support::MakeFolder(set).ok());
    return set;
  }

  std::string folder_;
  Request request_;
};

TEST_F(VerifyTest, RandomIndicesLieInTheirAxis) {
  Write(Gatherer());
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->cases.size(), 1u);
  EXPECT_EQ(report->cases[0].error, "");
  ASSERT_EQ(report->cases[0].notes.size(), 1u);
  EXPECT_EQ(report->cases[0].notes[0].find("integers of 0 to 1: the network refuses others ("), 0u)
      << report->cases[0].notes[0];
}

TEST_F(VerifyTest, ReferenceAgainstStoredOutputsOfSeveralSizes) {
  Write(Rectifier());
  WritePb(Set(0) + "/input_0.pb", "x", Floats({1, 2}, {-1, 2}));
  WritePb(Set(0) + "/output_0.pb", "y", Floats({1, 2}, {0, 2}));
  WritePb(Set(1) + "/input_0.pb", "x", Floats({2, 2}, {-1, 2, 3, -4}));
  WritePb(Set(1) + "/output_0.pb", "y", Floats({2, 2}, {0, 2, 3, 0.01f}));
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->cases.size(), 2u);
  EXPECT_TRUE(report->cases[0].holds());
  EXPECT_FALSE(report->cases[1].holds());
  // A set's own folder is that set.
  request_.data = Set(1) + "/";
  const absl::StatusOr<Report> one = Verify(request_);
  ASSERT_TRUE(one.ok()) << one.status();
  ASSERT_EQ(one->cases.size(), 1u);
  EXPECT_EQ(one->cases[0].name, "test_data_set_1");
  EXPECT_FALSE(one->cases[0].holds());
  EXPECT_FALSE(report->holds());
  EXPECT_NEAR(report->cases[1].outputs[0].comparison.peir, 0.01 / 3, 1e-6);
  EXPECT_EQ(report->cases[1].inputs[0], std::pair(std::string("x"), std::string("f32[2,2]")));
  EXPECT_NE(report->ToText().find("1 of 2 cases hold"), std::string::npos) << report->ToText();
  const auto json = nlohmann::json::parse(report->ToJson());
  EXPECT_EQ(json["holds"], false);
  EXPECT_EQ(json["cases"][0]["outputs"][0]["holds"], true);
  EXPECT_EQ(json["cases"][0]["outputs"][0]["snr_db"], nullptr);
  EXPECT_EQ(json["cases"][1]["outputs"][0]["against"], "stored");
}

TEST_F(VerifyTest, TargetAgainstReference) {
  Write(Rectifier());
  WritePb(Set(0) + "/input_0.pb", "x", Floats({1, 2}, {-1, 2}));
  WritePb(Set(0) + "/output_0.pb", "y", Floats({1, 2}, {0, 2}));
  const Rectifying exact(0), wrong(0.001f);
  request_.target = &exact;
  absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  EXPECT_EQ(report->cases[0].outputs.size(), 2u);  // stored, and target
  request_.target = &wrong;
  report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->holds());
  EXPECT_TRUE(report->cases[0].outputs[0].comparison.holds);
  EXPECT_FALSE(report->cases[0].outputs[1].comparison.holds);
}

TEST_F(VerifyTest, SeededInputsOfSeveralSizesWhereThereIsNoData) {
  Write(Rectifier());
  const Rectifying exact(0);
  request_.target = &exact;
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  ASSERT_EQ(report->cases.size(), 4u);
  EXPECT_EQ(report->cases[0].name, "random N=1");
  EXPECT_EQ(report->cases[0].inputs[0].second, "f32[1,2]");
  EXPECT_NE(report->cases[1].name, report->cases[2].name);
}

TEST_F(VerifyTest, SizesThatDataDecideNeedNoValueBeforeARun) {
  Write(Chooser());
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->cases.size(), 4u);
  for (const CaseReport& at : report->cases) EXPECT_EQ(at.error, "") << at.name;
  EXPECT_EQ(report->cases[0].name, "random N=1");
}

TEST_F(VerifyTest, AnInputNeededAtCompileTimeIsSpecialised) {
  Write(Reshaper());
  const int64_t shape[] = {2, 2};
  WritePb(Set(0) + "/input_0.pb", "x", Floats({4}, {1, 2, 3, 4}));
  WritePb(Set(0) + "/input_1.pb", "shape", ir::Tensor::Of<int64_t>(ir::DType::kI64, {2}, shape));
  WritePb(Set(0) + "/output_0.pb", "y", Floats({2, 2}, {1, 2, 3, 4}));
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  ASSERT_EQ(report->cases[0].notes.size(), 1u);
  EXPECT_NE(report->cases[0].notes[0].find("specialised: `shape`"), std::string::npos);
}

TEST_F(VerifyTest, WhatATargetRefusesForAllSizesIsSaidToBeRefusedByIt) {
  Write(Rectifier());
  const Counted counted;
  request_.target = &counted;
  WritePb(Set(0) + "/input_0.pb", "x", Floats({2, 2}, {1, -2, 3, 4}));
  WritePb(Set(0) + "/output_0.pb", "y", Floats({2, 2}, {1, 0, 3, 4}));
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  ASSERT_EQ(report->cases[0].notes.size(), 1u);
  EXPECT_EQ(report->cases[0].notes[0],
            "specialised: imported for `x of 2x2` alone; for all sizes it is refused: target "
            "`rectifying`: no form in it: `Relu` of N rows");
}

TEST_F(VerifyTest, WhatDoesNotImportForAllSizesIsImportedForThoseOfTheData) {
  Write(Adder());
  EXPECT_FALSE(Verify(request_).ok());  // A and B may differ
  // By name, and by place where the files say no name.
  for (const bool named : {true, false}) {
    const std::string set = Set(named ? 0 : 1);
    const int64_t size = named ? 2 : 3;
    const std::vector<float> ones(static_cast<size_t>(size), 1.0f), twos(ones.size(), 2.0f);
    const std::vector<std::string> names = {"u", "x", "y"};
    for (size_t i = 0; i < 3; ++i) {
      WritePb(absl::StrCat(set, "/input_", i, ".pb"), named ? names[i] : "", Floats({size}, ones));
    }
    WritePb(set + "/output_0.pb", "", Floats({size}, twos));
    WritePb(set + "/output_1.pb", "", Floats({size}, twos));
  }
  absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  ASSERT_EQ(report->cases.size(), 2u);
  EXPECT_NE(report->ToText().find("imported for `u of 2`, `x of 2`, `y of 2` alone"),
            std::string::npos)
      << report->ToText();
  EXPECT_NE(report->ToText().find("; for all sizes it is refused: "), std::string::npos)
      << report->ToText();
  // One name is one size.
  WritePb(Set(0) + "/input_0.pb", "u", Floats({4}, {1, 1, 1, 1}));
  report = Verify(request_);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.status().message().find("no size is left by `x of 2`, `u of 4`"),
            std::string::npos)
      << report.status();
}

TEST_F(VerifyTest, DataOfOtherSizesThanTheNetworkWasGivenArePassedOver) {
  Write(Rectifier());
  for (const int rows : {1, 2}) {
    const std::vector<float> ones(static_cast<size_t>(rows) * 2, 1.0f);
    WritePb(Set(rows) + "/input_0.pb", "x", Floats({rows, 2}, ones));
    WritePb(Set(rows) + "/output_0.pb", "y", Floats({rows, 2}, ones));
  }
  onnx_import::DimOption two;
  two.name = "N";
  two.low = two.high = 2;
  request_.options.dims = {two};
  absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->holds()) << report->ToText();
  EXPECT_NE(report->cases[0].passed_over.find("axis 0 is 1, expected 2"), std::string::npos)
      << report->ToText();
  EXPECT_TRUE(report->cases[1].passed_over.empty());
  EXPECT_NE(report->ToText().find("1 of 1 cases hold"), std::string::npos) << report->ToText();
  // Of nothing that was compared nothing holds.
  request_.options.dims[0].low = request_.options.dims[0].high = 3;
  report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->holds());
}

TEST_F(VerifyTest, ACaseThatCannotRunFailsAndSaysWhy) {
  Write(Rectifier());
  WritePb(Set(0) + "/input_0.pb", "x", Floats({1, 3}, {1, 2, 3}));
  WritePb(Set(0) + "/output_0.pb", "y", Floats({1, 3}, {1, 2, 3}));
  const absl::StatusOr<Report> report = Verify(request_);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->holds());
  EXPECT_NE(report->cases[0].error.find("input `x` axis 1 is 3, expected 2"), std::string::npos);
  EXPECT_NE(report->ToText().find("expected 2"), std::string::npos);
}

TEST_F(VerifyTest, WhatIsWrongAsAWholeIsAnError) {
  EXPECT_FALSE(Verify(request_).ok());  // no model
  Write(Rectifier());
  request_.data = folder_ + "/none";
  EXPECT_FALSE(Verify(request_).ok());
}

}  // namespace
}  // namespace tessera::verification
