#include "frontends/data/data_set.h"

#include <filesystem>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "support/file.h"
#include "support/npy.h"

namespace tessera::data {
namespace {

std::string Folder(const std::string& name) {
  const std::string folder = ::testing::TempDir() + "/data_set_test/" + name;
  std::filesystem::remove_all(folder);
  EXPECT_TRUE(support::MakeFolder(folder).ok());
  return folder;
}

ir::Tensor Floats(const std::vector<float>& values) {
  return ir::Tensor::Of<float>(ir::DType::kF32, {static_cast<int64_t>(values.size())}, values);
}

void WriteNpy(const std::string& path, const std::vector<float>& values) {
  ASSERT_TRUE(support::WriteFile(path, support::SerializeNpy(Floats(values))).ok());
}

void WritePb(const std::string& path, const std::string& name, const std::vector<float>& values) {
  onnx::TensorProto proto;
  proto.set_name(name);
  proto.set_data_type(onnx::TensorProto::FLOAT);
  proto.add_dims(static_cast<int64_t>(values.size()));
  for (const float v : values) proto.add_float_data(v);
  ASSERT_TRUE(support::WriteFile(path, proto.SerializeAsString()).ok());
}

TEST(DataSet, FoldersComeByNumber) {
  const std::string folder = Folder("folders");
  for (const char* name :
       {"test_data_set_10", "test_data_set_2", "test_data_set_x", "other", "test_data_set_0"}) {
    ASSERT_TRUE(support::MakeFolder(folder + "/" + name).ok());
  }
  const absl::StatusOr<std::vector<std::string>> found = FindDataSets(folder);
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->size(), 3u);
  EXPECT_EQ(std::filesystem::path((*found)[1]).filename(), "test_data_set_2");
  EXPECT_EQ(std::filesystem::path((*found)[2]).filename(), "test_data_set_10");
  EXPECT_TRUE(FindDataSets(Folder("empty"))->empty());
  EXPECT_NE(FindDataSets(folder + "/none").status().message().find("/none`"),
            absl::string_view::npos);
}

TEST(DataSet, ReadsBothFormatsAndLeavesGapsAmongInputs) {
  const std::string folder = Folder("test_data_set_3");
  WritePb(folder + "/input_0.pb", "x", {1, 2});
  WriteNpy(folder + "/input_2.npy", {3});
  WritePb(folder + "/output_0.pb", "y", {4});
  WriteNpy(folder + "/output_1.npy", {5, 6});
  const absl::StatusOr<DataSet> set = ReadDataSet(folder);
  ASSERT_TRUE(set.ok()) << set.status();
  EXPECT_EQ(set->name, "test_data_set_3");
  ASSERT_EQ(set->inputs.size(), 3u);
  EXPECT_EQ(set->inputs[0]->name, "x");
  EXPECT_TRUE(Identical(set->inputs[0]->tensor, Floats({1, 2})));
  EXPECT_FALSE(set->inputs[1].has_value());
  EXPECT_EQ(set->inputs[2]->name, "");
  ASSERT_EQ(set->outputs.size(), 2u);
  EXPECT_TRUE(Identical(set->outputs[1].tensor, Floats({5, 6})));
}

TEST(DataSet, DamageIsAnErrorThatNamesTheFile) {
  const std::string gap = Folder("gap");
  WriteNpy(gap + "/output_1.npy", {1});
  EXPECT_NE(ReadDataSet(gap).status().message().find("has no output_0"), absl::string_view::npos);

  const std::string twice = Folder("twice");
  WriteNpy(twice + "/input_0.npy", {1});
  WritePb(twice + "/input_0.pb", "x", {1});
  EXPECT_NE(ReadDataSet(twice).status().message().find("input_0 twice"), absl::string_view::npos);

  for (const char* name : {"/input_0.npy", "/input_0.pb", "/output_0.npy"}) {
    const std::string damaged = Folder("damaged");
    ASSERT_TRUE(support::WriteFile(damaged + name, "\xff\xff damaged").ok());
    EXPECT_NE(ReadDataSet(damaged).status().message().find(name), absl::string_view::npos) << name;
  }

  const std::string far = Folder("far");
  WriteNpy(far + "/input_999999.npy", {1});
  EXPECT_FALSE(ReadDataSet(far).ok());
}

}  // namespace
}  // namespace tessera::data
