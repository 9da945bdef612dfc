#include "targets/circle/file/writer.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "support/file.h"
#include "targets/circle/file/sample_models.h"

namespace tessera::circle {
namespace {

// The bytes, and their tables by the generated accessors.
struct Written {
  explicit Written(const FileModel& model) : bytes(WriteCircle(model).value()) {}
  const ::circle::Model& root() const { return *::circle::GetModel(bytes.data()); }
  const ::circle::SubGraph& graph() const { return *root().subgraphs()->Get(0); }
  const ::circle::Tensor& tensor(const std::string& name) const {
    for (const ::circle::Tensor* tensor : *graph().tensors()) {
      if (tensor->name()->str() == name) return *tensor;
    }
    ADD_FAILURE() << name;
    std::abort();
  }
  std::string bytes;
};

template <class T>
std::vector<int64_t> List(const flatbuffers::Vector<T>* list) {
  EXPECT_NE(list, nullptr);
  return {list->begin(), list->end()};
}

using Ints = std::vector<int64_t>;

TEST(Writer, FileHeader) {
  const Written file(EveryKindModel());
  EXPECT_EQ(file.bytes.substr(4, 4), "CIR0");
  EXPECT_EQ(file.root().version(), 0u);
  EXPECT_EQ(file.root().description()->str(), "every kind");
  EXPECT_EQ(file.root().subgraphs()->size(), 1u);
}

TEST(Writer, BothFieldsOfAnOperatorCodeAreFilled) {
  const Written file(EveryKindModel());
  std::vector<std::pair<int, int>> codes;
  for (const auto* code : *file.root().operator_codes()) {
    codes.emplace_back(code->deprecated_builtin_code(), code->builtin_code());
  }
  // Once each, though GELU is used twice.
  const std::vector<std::pair<int, int>> expected = {{-2, -2}, {127, 150}, {22, 22},
                                                     {9, 9},   {127, 173}, {32, 32}};
  EXPECT_EQ(codes, expected);
  EXPECT_EQ(file.root().operator_codes()->Get(3)->version(), 6);
  EXPECT_EQ(file.root().operator_codes()->Get(5)->custom_code()->str(), "MyOperator");
  EXPECT_EQ(file.root().operator_codes()->Get(0)->custom_code(), nullptr);
  EXPECT_EQ(file.graph().operators()->Get(6)->opcode_index(), 1u);
}

TEST(Writer, OnlyAnUnknownDimMakesASignature) {
  const Written file(EveryKindModel());
  EXPECT_EQ(List(file.tensor("x").shape()), (Ints{1, 8, 1, 4}));
  EXPECT_EQ(List(file.tensor("x").shape_signature()), (Ints{-1, 8, -1, 4}));
  EXPECT_EQ(List(file.tensor("weights").shape()), Ints{4});
  EXPECT_EQ(file.tensor("weights").shape_signature(), nullptr);
  EXPECT_EQ(List(file.tensor("scalar").shape()), Ints{});
  EXPECT_EQ(file.tensor("scalar").shape_signature(), nullptr);
}

TEST(Writer, Buffers) {
  const Written file(EveryKindModel());
  const auto& buffers = *file.root().buffers();
  EXPECT_EQ(buffers.Get(0)->data(), nullptr);
  EXPECT_EQ(file.tensor("x").buffer(), 0u);
  EXPECT_EQ(file.tensor("y0").buffer(), 0u);
  EXPECT_EQ(file.tensor("state").buffer(), 0u);
  EXPECT_NE(file.tensor("weights").buffer(), 0u);
  EXPECT_EQ(file.tensor("weights").buffer(), file.tensor("same").buffer());
  EXPECT_NE(file.tensor("weights").buffer(), file.tensor("scalar").buffer());
  std::set<const void*> places;
  for (size_t i = 1; i < buffers.size(); ++i) {
    ASSERT_NE(buffers.Get(i)->data(), nullptr);
    const auto* data = reinterpret_cast<const char*>(buffers.Get(i)->data()->data());
    EXPECT_EQ((data - file.bytes.data()) % 16, 0);
    EXPECT_TRUE(places.insert(data).second);
  }
  const auto* nibbles = buffers.Get(file.tensor("nibbles").buffer())->data();
  EXPECT_EQ(List(nibbles), (Ints{0x21, 0x43, 5}));
}

TEST(Writer, LargeConstantsThatDifferInOneByteStayApart) {
  FileModel model;
  std::vector<uint8_t> bytes(100000);
  const auto add = [&](const char* name) {
    model.main().tensors.push_back(
        Constant<uint8_t>(name, ::circle::TensorType_UINT8, {100000}, bytes));
  };
  add("a");
  bytes[50001] = 1;
  add("b");
  add("c");
  const Written file(model);
  EXPECT_NE(file.tensor("a").buffer(), file.tensor("b").buffer());
  EXPECT_EQ(file.tensor("b").buffer(), file.tensor("c").buffer());
  EXPECT_LT(file.bytes.size(), 201000u);
}

TEST(Writer, OptionsAreInTheirUnion) {
  const Written file(EveryKindModel());
  const auto& operators = *file.graph().operators();
  ASSERT_NE(operators.Get(0)->builtin_options_as_InstanceNormOptions(), nullptr);
  EXPECT_EQ(operators.Get(0)->builtin_options_as_InstanceNormOptions()->epsilon(), 0.25f);
  ASSERT_NE(operators.Get(4)->builtin_options_2_as_StablehloCustomCallOptions(), nullptr);
  EXPECT_EQ(operators.Get(4)->builtin_options_type(), ::circle::BuiltinOptions_NONE);
  EXPECT_EQ(operators.Get(4)->builtin_options_2_as_StablehloCustomCallOptions()->api_version(), -2);
  EXPECT_EQ(List(operators.Get(3)->inputs()), (Ints{11, 7, -1}));
  EXPECT_EQ(List(operators.Get(5)->custom_options()), (Ints{0, 1, 2}));
}

TEST(Writer, SignaturesAndMetadata) {
  const Written file(EveryKindModel());
  const auto& signature = *file.root().signature_defs()->Get(0);
  EXPECT_EQ(signature.signature_key()->str(), "serving");
  EXPECT_EQ(signature.outputs()->Get(1)->name()->str(), "second");
  EXPECT_EQ(signature.outputs()->Get(1)->tensor_index(), 14u);
  EXPECT_EQ(file.root().metadata()->size(), 3u);
  const Written plain(AddModel());
  EXPECT_EQ(plain.root().signature_defs(), nullptr);
  EXPECT_EQ(plain.root().metadata(), nullptr);
}

TEST(Writer, TheSameModelGivesTheSameBytes) {
  EXPECT_TRUE(*WriteCircle(EveryKindModel()) == *WriteCircle(EveryKindModel()));
}

TEST(Writer, ConstantsAreNotCopied) {
  const FileModel model = ConvModel();
  const auto file = SerializeCircle(model);
  ASSERT_TRUE(file.ok()) << file.status();
  bool found = false;
  for (const support::ByteRun& run : file->runs) {
    found |=
        run.bytes().data() == reinterpret_cast<const char*>(model.main().tensors[1].data.data());
  }
  EXPECT_TRUE(found);
}

// Gives the bytes of a constant that is there.
class Echo : public support::ByteSource {
 public:
  explicit Echo(const FileTensor& tensor) : tensor_(tensor) {}
  void Read(size_t begin, absl::Span<uint8_t> into) const override {
    std::copy_n(tensor_.data.begin() + static_cast<int64_t>(begin), into.size(), into.begin());
  }

 private:
  const FileTensor tensor_;
};

// What is made as it is written makes the same file, what is there twice is in it once.
TEST(Writer, ConstantsMayBeMadeAsTheyAreWritten) {
  FileModel there = ConvModel();
  const std::vector<float> large(300000, 0.5f);
  there.main().tensors.push_back(
      Constant("large", ::circle::TensorType_FLOAT32, {300, 1000}, large));
  there.main().tensors.push_back(there.main().tensors.back());
  there.main().tensors.back().name = "same";
  FileModel made = there;
  for (FileTensor& tensor : made.main().tensors) {
    if (!tensor.is_constant || tensor.name == "same") continue;
    tensor.source = std::make_shared<const Echo>(tensor);
    tensor.source_bytes = tensor.data.size();
    tensor.data = {};
    tensor.owner = nullptr;
  }
  const absl::StatusOr<std::string> expected = WriteCircle(there), actual = WriteCircle(made);
  ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status() << actual.status();
  EXPECT_TRUE(*actual == *expected);
  EXPECT_LT(actual->size(), 2 * large.size() * sizeof(float));
  const std::string path = ::testing::TempDir() + "/made.circle";
  ASSERT_TRUE(WriteCircleFile(made, path).ok());
  EXPECT_TRUE(*support::ReadFile(path) == *expected);
  made.main().tensors.back().source_bytes = 3;
  made.main().tensors.back().source = made.main().tensors[1].source;
  EXPECT_FALSE(WriteCircle(made).ok()) << "of another size than its shape says";
}

// flatc, which knows nothing of our code, reads the file by the schema.
TEST(Writer, FlatcReadsIt) {
  const char* flatc = std::getenv("FLATC");
  const char* schema = std::getenv("CIRCLE_SCHEMA");
  ASSERT_TRUE(flatc != nullptr && schema != nullptr) << "set by the build rule";
  const std::string folder = ::testing::TempDir(), path = folder + "/every_kind.circle";
  ASSERT_TRUE(WriteCircleFile(EveryKindModel(), path).ok());
  const std::string command = std::string(flatc) + " --json --strict-json --defaults-json -o " +
                              folder + " " + schema + " -- " + path;
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const auto json = nlohmann::json::parse(*support::ReadFile(folder + "/every_kind.json"));
  EXPECT_EQ(json["description"], "every kind");
  const auto& graph = json["subgraphs"][0];
  EXPECT_EQ(graph["tensors"].size(), EveryKindModel().main().tensors.size());
  EXPECT_EQ(graph["tensors"][0]["shape_signature"], (Ints{-1, 8, -1, 4}));
  EXPECT_EQ(graph["tensors"][4]["type"], "INT4");
  EXPECT_EQ(graph["tensors"][7]["quantization"]["zero_point"], (Ints{0, 3}));
  EXPECT_EQ(graph["operators"][0]["builtin_options_type"], "InstanceNormOptions");
  EXPECT_EQ(graph["operators"][0]["builtin_options"]["fused_activation_function"], "RELU6");
  EXPECT_EQ(graph["operators"][4]["builtin_options_2"]["custom_attributes"], (Ints{0, 255}));
  EXPECT_EQ(json["operator_codes"][0]["builtin_code"], "INSTANCE_NORM");
  const int buffer = graph["tensors"][3]["buffer"];
  EXPECT_EQ(json["buffers"][buffer]["data"], (Ints{0xf9, 0xff, 0xff, 0xff}));
  EXPECT_EQ(json["metadata"][2]["name"], "zeros");
}

}  // namespace
}  // namespace tessera::circle
