// Model to bytes to model; and bytes that are damaged.
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>

#include "gtest/gtest.h"
#include "support/file.h"
#include "targets/circle/file/calls.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/result_sizes.h"
#include "targets/circle/file/sample_models.h"
#include "targets/circle/file/writer.h"

namespace tessera::circle {
namespace {

absl::Span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

void ExpectSameGraph(const FileGraph& a, const FileGraph& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.outputs, b.outputs);
  ASSERT_EQ(a.tensors.size(), b.tensors.size());
  for (size_t i = 0; i < a.tensors.size(); ++i) {
    const FileTensor &x = a.tensors[i], &y = b.tensors[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.shape, y.shape);
    EXPECT_EQ(x.is_constant, y.is_constant);
    EXPECT_EQ(x.is_variable, y.is_variable);
    EXPECT_TRUE(x.data == y.data);
    ASSERT_EQ(x.quantization.has_value(), y.quantization.has_value());
    if (!x.quantization) continue;
    EXPECT_EQ(x.quantization->min, y.quantization->min);
    EXPECT_EQ(x.quantization->max, y.quantization->max);
    EXPECT_EQ(x.quantization->scale, y.quantization->scale);
    EXPECT_EQ(x.quantization->zero_point, y.quantization->zero_point);
    EXPECT_EQ(x.quantization->axis, y.quantization->axis);
  }
  ASSERT_EQ(a.operators.size(), b.operators.size());
  for (size_t i = 0; i < a.operators.size(); ++i) {
    const FileOperator &x = a.operators[i], &y = b.operators[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(x.builtin_code, y.builtin_code);
    EXPECT_EQ(x.version, y.version);
    EXPECT_EQ(x.custom_code, y.custom_code);
    EXPECT_EQ(x.custom_options, y.custom_options);
    EXPECT_EQ(x.inputs, y.inputs);
    EXPECT_EQ(x.outputs, y.outputs);
    EXPECT_EQ(x.options_table, y.options_table);
    EXPECT_TRUE(x.options == y.options);
  }
}

void ExpectSame(const FileModel& a, const FileModel& b) {
  EXPECT_EQ(a.description, b.description);
  EXPECT_EQ(a.metadata, b.metadata);
  ASSERT_EQ(a.graphs.size(), b.graphs.size());
  for (size_t g = 0; g < a.graphs.size(); ++g) ExpectSameGraph(a.graphs[g], b.graphs[g]);
  ASSERT_EQ(a.signatures.size(), b.signatures.size());
  for (size_t i = 0; i < a.signatures.size(); ++i) {
    EXPECT_EQ(a.signatures[i].key, b.signatures[i].key);
    EXPECT_EQ(a.signatures[i].inputs, b.signatures[i].inputs);
    EXPECT_EQ(a.signatures[i].outputs, b.signatures[i].outputs);
  }
}

TEST(RoundTrip, EveryKind) {
  const FileModel model = EveryKindModel();
  EXPECT_TRUE(ErrorsOf(CheckCircle(model)).ok()) << ErrorsOf(CheckCircle(model));
  const auto bytes = WriteCircle(model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = ReadCircle(Bytes(*bytes), nullptr);
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectSame(model, *read);
  EXPECT_TRUE(VerifyCircle(Bytes(*bytes)).ok()) << VerifyCircle(Bytes(*bytes));
  // What was read writes the same bytes again.
  EXPECT_TRUE(*WriteCircle(*read) == *bytes);
}

TEST(RoundTrip, GraphsThatOperatorsRun) {
  for (const FileModel& model : {WhileModel(), IfModel()}) {
    const std::string bytes = *WriteCircle(model);
    const auto read = ReadCircle(Bytes(bytes), nullptr);
    ASSERT_TRUE(read.ok()) << read.status().message();
    ASSERT_EQ(read->graphs.size(), 3u);
    EXPECT_EQ(CallOf(read->main().operators[0]).graphs, (std::vector<int64_t>{1, 2}));
    for (size_t g = 0; g < 3; ++g) EXPECT_EQ(read->graphs[g].outputs, model.graphs[g].outputs);
    const std::string again = *WriteCircle(*read);
    ExpectSame(*ReadCircle(Bytes(again), nullptr), *read);
  }
}

TEST(RoundTrip, SizesThatAreKeptBack) {
  for (FileModel model : {WhileModel(), ComputedSizeLoopModel()}) {
    const FileOperator loop = model.main().operators.back();
    const std::string said = *WriteCircle(model);
    EXPECT_TRUE(SaysUnknownSizes(*ReadCircle(Bytes(said), nullptr), loop));
    KeepBackLoopSizes(model);
    const std::string bytes = *WriteCircle(model);
    EXPECT_NE(bytes, said);
    const auto read = ReadCircle(Bytes(bytes), nullptr);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_FALSE(SaysUnknownSizes(*read, loop));
    // The sizes are there again, of the body's copies too.
    for (size_t g = 0; g < model.graphs.size(); ++g) {
      for (size_t t = 0; t < model.graphs[g].tensors.size(); ++t)
        EXPECT_EQ(read->graphs[g].tensors[t].shape, model.graphs[g].tensors[t].shape);
    }
    EXPECT_TRUE(ErrorsOf(CheckCircle(*read)).ok()) << ErrorsOf(CheckCircle(*read));
    EXPECT_EQ(*WriteCircle(*read), bytes);
  }
}

TEST(RoundTrip, SizesOfResultsThatWereKeptBack) {
  FileModel model = ComputedShapeModel();
  KeepBackResultSizes(model);
  const auto bytes = WriteCircle(model);
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = ReadCircle(Bytes(*bytes), nullptr);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->main().tensors.size(), model.main().tensors.size());
  for (size_t t = 0; t < model.main().tensors.size(); ++t)
    EXPECT_EQ(read->main().tensors[t].shape, model.main().tensors[t].shape);
  EXPECT_FALSE(SaysUnknownSize(read->main().tensors[2]));
  EXPECT_TRUE(ErrorsOf(CheckCircle(*read)).ok()) << ErrorsOf(CheckCircle(*read));
  EXPECT_EQ(*WriteCircle(*read), *bytes);
}

TEST(RoundTrip, SizesOfDamagedLoopsAreLeft) {
  for (const std::vector<int64_t>& graphs :
       {std::vector<int64_t>{1, 7}, {7, 2}, {0, 0}, {1, 1}, {2, 0}}) {
    FileModel model = WhileModel();
    model.main().operators[0].options = {{"cond_subgraph_index", graphs[0]},
                                         {"body_subgraph_index", graphs[1]}};
    model.graphs[2].operators.push_back(model.main().operators[0]);
    KeepBackLoopSizes(model);
    RestoreLoopSizes(model);
    EXPECT_EQ(model.graphs.size(), 3u);
  }
}

TEST(RoundTrip, OptionsThatAreLeftOutReadAsDefaults) {
  const auto bytes = WriteCircle(ConvModel());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const auto read = ReadCircle(Bytes(*bytes), nullptr);
  ASSERT_TRUE(read.ok()) << read.status();
  const std::vector<std::pair<std::string, OptionValue>> expected = {
      {"padding", "SAME"},
      {"stride_w", int64_t{1}},
      {"stride_h", int64_t{2}},
      {"fused_activation_function", "RELU"},
      {"dilation_w_factor", int64_t{1}},
      {"dilation_h_factor", int64_t{1}},
      {"quantized_bias_type", "FLOAT32"},
  };
  EXPECT_TRUE(read->main().operators[0].options == expected);
  EXPECT_EQ(std::get<int64_t>(*FindOption(read->main().operators[0], "stride_h")), 2);
  EXPECT_EQ(FindOption(read->main().operators[0], "stride"), nullptr);
}

TEST(RoundTrip, DataBehindTheFlatBuffer) {
  FileModel model = EveryKindModel();
  model.main().tensors[1] = Constant<float>("weights", ::circle::TensorType_FLOAT32, {100},
                                            std::vector<float>(100, 1.5f));
  const auto file = SerializeCircle(model, /*max_flatbuffer_bytes=*/1000);
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string bytes = file->Join();
  EXPECT_EQ(static_cast<int64_t>(bytes.size()), file->size);
  const auto read = ReadCircle(Bytes(bytes), nullptr);
  ASSERT_TRUE(read.ok()) << read.status();
  ExpectSame(model, *read);
  const auto& buffers = *::circle::GetModel(bytes.data())->buffers();
  const ::circle::Buffer* weights = nullptr;
  for (const ::circle::Buffer* buffer : buffers) {
    if (buffer->size() == 400) weights = buffer;
  }
  ASSERT_NE(weights, nullptr);
  EXPECT_EQ(weights->offset() % 16, 0u);
  EXPECT_EQ(weights->data(), nullptr);
  EXPECT_FALSE(VerifyCircle(Bytes(bytes).first(bytes.size() - 1)).ok());
}

TEST(RoundTrip, ThroughAFile) {
  const std::string path = ::testing::TempDir() + "/round_trip.circle";
  ASSERT_TRUE(WriteCircleFile(EveryKindModel(), path).ok());
  const auto read = ReadCircleFile(path);
  ASSERT_TRUE(read.ok()) << read.status();
  std::filesystem::remove(path);
  ExpectSame(EveryKindModel(), *read);  // the constants are views of the map, which they keep
  EXPECT_EQ(ReadCircleFile(path).status().code(), absl::StatusCode::kNotFound);
  ASSERT_TRUE(support::WriteFile(path, "not a model").ok());
  const absl::Status status = ReadCircleFile(path).status();
  EXPECT_NE(status.message().find(path), absl::string_view::npos) << status;
}

TEST(RoundTrip, AModelThatIsWrongIsNotWritten) {
  const std::string path = ::testing::TempDir() + "/wrong.circle";
  ASSERT_TRUE(support::WriteFile(path, "previous").ok());
  FileModel model = AddModel();
  model.main().operators[0].inputs = {0, 7};
  EXPECT_FALSE(WriteCircleFile(model, path).ok());
  EXPECT_EQ(support::ReadFile(path).value_or(""), "previous");
}

TEST(Damage, AnyTruncationIsRefused) {
  const std::string bytes = *WriteCircle(EveryKindModel());
  for (size_t length = 0; length < bytes.size(); ++length) {
    const std::string part = bytes.substr(0, length);
    const absl::Status status = VerifyCircle(Bytes(part));
    EXPECT_FALSE(status.ok()) << length;
  }
}

// Reads what may be damaged, and uses all that was read.
void Use(const std::string& bytes) {
  const auto read = ReadCircle(Bytes(bytes), nullptr);
  if (!read.ok()) {
    EXPECT_FALSE(read.status().message().empty());
    return;
  }
  uint32_t sum = 0;
  for (const FileGraph& graph : read->graphs) {
    for (const FileTensor& tensor : graph.tensors) {
      for (uint8_t byte : tensor.data) sum += byte;
    }
  }
  EXPECT_LT(sum, 1u << 31);
  if (!ErrorsOf(CheckCircle(*read)).ok()) return;
  const auto again = WriteCircle(*read);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(VerifyCircle(Bytes(*again)).ok());
}

TEST(Damage, FlippedBitsDoNotCrash) {
  const std::string bytes = *WriteCircle(EveryKindModel());
  std::mt19937 random(20);
  int refused = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string damaged = bytes;
    for (int flips = 1 + i % 4; flips > 0; --flips) {
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    }
    refused += !ReadCircle(Bytes(damaged), nullptr).ok();
    Use(damaged);
  }
  // Some hit data, names or sizes, and leave a file that can be read.
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 1000);
}

TEST(Damage, NumbersOfEveryKindDoNotCrash) {
  for (const FileModel& model : {EveryKindModel(), WhileModel()}) {
    const std::string bytes = *WriteCircle(model);
    for (uint32_t value : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xffffffffu, 0x10000u}) {
      for (size_t place = 0; place + 4 <= bytes.size(); place += 4) {
        std::string damaged = bytes;
        std::memcpy(&damaged[place], &value, sizeof value);
        Use(damaged);
      }
    }
  }
}

TEST(Damage, SharedTablesDoNotExhaustMemory) {
  // Half a million operators that are one table, whose inputs are a list of half a million numbers.
  flatbuffers::FlatBufferBuilder builder;
  const auto many = builder.CreateVector(std::vector<int32_t>(1 << 19, -1));
  const auto code = ::circle::CreateOperatorCode(builder, 0);
  const auto op = ::circle::CreateOperator(builder, 0, many);
  const auto operators = builder.CreateVector(std::vector(1 << 19, op));
  const auto graph = ::circle::CreateSubGraph(builder, 0, 0, 0, operators);
  const auto buffer = ::circle::CreateBuffer(builder);
  ::circle::FinishModelBuffer(
      builder, ::circle::CreateModel(builder, 0, builder.CreateVector(std::vector{code}),
                                     builder.CreateVector(std::vector{graph}), 0,
                                     builder.CreateVector(std::vector{buffer})));
  const std::string bytes(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                          builder.GetSize());
  const absl::Status status = ReadCircle(Bytes(bytes), nullptr).status();
  EXPECT_NE(status.message().find("far larger than the file"), absl::string_view::npos) << status;
}

TEST(Damage, SharedGraphsDoNotExhaustMemory) {
  // Five hundred graphs that are one, of five hundred tensors that are one.
  flatbuffers::FlatBufferBuilder builder;
  const auto name = builder.CreateString(std::string(100, 'x'));
  const auto tensor = ::circle::CreateTensor(builder, 0, ::circle::TensorType_FLOAT32, 0, name);
  const auto tensors = builder.CreateVector(std::vector(500, tensor));
  const auto graph = ::circle::CreateSubGraph(builder, tensors);
  const auto graphs = builder.CreateVector(std::vector(500, graph));
  const auto buffers = builder.CreateVector(std::vector{::circle::CreateBuffer(builder)});
  ::circle::FinishModelBuffer(builder, ::circle::CreateModel(builder, 0, 0, graphs, 0, buffers));
  const std::string bytes(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                          builder.GetSize());
  const absl::Status status = ReadCircle(Bytes(bytes), nullptr).status();
  EXPECT_NE(status.message().find("far larger than the file"), absl::string_view::npos) << status;
}

TEST(Damage, OtherFilesAreRefused) {
  EXPECT_FALSE(VerifyCircle({}).ok());
  std::string tflite = *WriteCircle(AddModel());
  tflite.replace(4, 4, "TFL3");
  const absl::Status status = VerifyCircle(Bytes(tflite));
  EXPECT_NE(status.message().find("not a Circle file"), absl::string_view::npos) << status;
  EXPECT_FALSE(ReadCircle(Bytes(tflite).subspan(1), nullptr).ok());
}

}  // namespace
}  // namespace tessera::circle
