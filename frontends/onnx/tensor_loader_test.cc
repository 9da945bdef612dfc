#include "frontends/onnx/tensor_loader.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "frontends/onnx/packed_elements.h"
#include "gtest/gtest.h"

namespace tessera::onnx_import {
namespace {

namespace fs = std::filesystem;
using ir::DType;
using onnx::TensorProto;

// A file of one tensor, as it would be mapped.
struct File {
  explicit File(const TensorProto& tensor, std::string path = "") {
    bytes = std::make_shared<std::string>(tensor.SerializeAsString());
    auto result = SpliceTensor({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
    EXPECT_TRUE(result.ok()) << result.status();
    spliced = *std::move(result);
    EXPECT_TRUE(proto.ParseFromString(spliced.structure));
    loaded = TensorLoader(spliced, bytes, false, ExternalData(path)).Load(proto);
  }
  std::string error() const {
    return loaded.ok() ? "loaded" : std::string(loaded.status().message());
  }

  std::shared_ptr<std::string> bytes;
  SplicedModel spliced;
  TensorProto proto;
  absl::StatusOr<ir::Tensor> loaded = absl::UnknownError("");
};

TensorProto Proto(int type, std::vector<int64_t> dims) {
  TensorProto tensor;
  tensor.set_data_type(type);
  for (int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

template <class T>
void SetRaw(TensorProto& tensor, std::vector<T> values) {
  tensor.set_raw_data(values.data(), values.size() * sizeof(T));
}

TEST(TensorLoader, RawDataOfEveryType) {
  const std::pair<int, DType> types[] = {
      {TensorProto::FLOAT, DType::kF32},     {TensorProto::UINT8, DType::kU8},
      {TensorProto::INT8, DType::kI8},       {TensorProto::UINT16, DType::kU16},
      {TensorProto::INT16, DType::kI16},     {TensorProto::INT32, DType::kI32},
      {TensorProto::INT64, DType::kI64},     {TensorProto::BOOL, DType::kBool},
      {TensorProto::FLOAT16, DType::kF16},   {TensorProto::DOUBLE, DType::kF64},
      {TensorProto::UINT32, DType::kU32},    {TensorProto::UINT64, DType::kU64},
      {TensorProto::BFLOAT16, DType::kBF16},
  };
  for (const auto& [type, dtype] : types) {
    TensorProto proto = Proto(type, {2, 3});
    std::string raw;
    for (size_t i = 0; i < 6 * ir::SizeOf(dtype); ++i)
      raw.push_back(dtype == DType::kBool ? i % 2 : static_cast<char>(7 * i + 1));
    proto.set_raw_data(raw);
    File file(proto);
    ASSERT_TRUE(file.loaded.ok()) << file.error();
    EXPECT_EQ(file.loaded->dtype(), dtype);
    EXPECT_EQ(file.loaded->shape(), (std::vector<int64_t>{2, 3}));
    const auto bytes = file.loaded->bytes();
    EXPECT_EQ(std::string(bytes.begin(), bytes.end()), raw);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(file.loaded->data<uint8_t>()) % ir::SizeOf(dtype), 0u);
  }
}

TEST(TensorLoader, ContentsAreViews) {
  TensorProto proto = Proto(TensorProto::FLOAT, {100});
  proto.set_raw_data(std::string(400, 'w'));
  File file(proto);
  ASSERT_TRUE(file.loaded.ok()) << file.error();
  const char* data = reinterpret_cast<const char*>(file.loaded->bytes().data());
  EXPECT_GE(data, file.bytes->data());
  EXPECT_LT(data, file.bytes->data() + file.bytes->size());
}

TEST(TensorLoader, TypedFields) {
  TensorProto floats = Proto(TensorProto::FLOAT, {2});
  floats.add_float_data(1.5f);
  floats.add_float_data(-2.0f);
  File f32(floats);
  ASSERT_TRUE(f32.loaded.ok()) << f32.error();
  EXPECT_EQ(f32.loaded->AsDouble(1), -2.0);

  TensorProto half = Proto(TensorProto::FLOAT16, {2});
  half.add_int32_data(0x3c00);
  half.add_int32_data(0xc000);
  File f16(half);
  ASSERT_TRUE(f16.loaded.ok()) << f16.error();
  EXPECT_EQ(f16.loaded->AsDouble(0), 1.0);
  EXPECT_EQ(f16.loaded->AsDouble(1), -2.0);

  TensorProto brain = Proto(TensorProto::BFLOAT16, {1});
  brain.add_int32_data(0x4040);
  File bf16(brain);
  ASSERT_TRUE(bf16.loaded.ok()) << bf16.error();
  EXPECT_EQ(bf16.loaded->AsDouble(0), 3.0);

  TensorProto bools = Proto(TensorProto::BOOL, {2});
  bools.add_int32_data(0);
  bools.add_int32_data(7);
  File truth(bools);
  ASSERT_TRUE(truth.loaded.ok()) << truth.error();
  EXPECT_EQ(truth.loaded->bytes()[0], 0);
  EXPECT_EQ(truth.loaded->bytes()[1], 1);

  for (int type : {TensorProto::INT8, TensorProto::INT16, TensorProto::INT32}) {
    TensorProto ints = Proto(type, {1});
    ints.add_int32_data(-100);
    File file(ints);
    ASSERT_TRUE(file.loaded.ok()) << file.error();
    EXPECT_EQ(file.loaded->AsInt(0), -100);
  }
  for (int type : {TensorProto::UINT8, TensorProto::UINT16}) {
    TensorProto ints = Proto(type, {1});
    ints.add_int32_data(200);
    File file(ints);
    ASSERT_TRUE(file.loaded.ok()) << file.error();
    EXPECT_EQ(file.loaded->AsInt(0), 200);
  }
  for (int type : {TensorProto::UINT32, TensorProto::UINT64}) {
    TensorProto ints = Proto(type, {1});
    ints.add_uint64_data(4'000'000'000);
    File file(ints);
    ASSERT_TRUE(file.loaded.ok()) << file.error();
    EXPECT_EQ(file.loaded->AsInt(0), 4'000'000'000);
  }
  TensorProto doubles = Proto(TensorProto::DOUBLE, {});
  doubles.add_double_data(0.1);
  File f64(doubles);
  ASSERT_TRUE(f64.loaded.ok()) << f64.error();
  EXPECT_EQ(f64.loaded->AsDouble(0), 0.1);
  TensorProto longs = Proto(TensorProto::INT64, {1});
  longs.add_int64_data(-5'000'000'000);
  File i64(longs);
  ASSERT_TRUE(i64.loaded.ok()) << i64.error();
  EXPECT_EQ(i64.loaded->AsInt(0), -5'000'000'000);
}

TEST(TensorLoader, BoolBytesBecomeZeroOrOne) {
  TensorProto proto = Proto(TensorProto::BOOL, {3});
  SetRaw<uint8_t>(proto, {0, 255, 1});
  File file(proto);
  ASSERT_TRUE(file.loaded.ok()) << file.error();
  EXPECT_EQ(file.loaded->bytes()[1], 1);
}

TEST(TensorLoader, EmptyTensors) {
  EXPECT_TRUE(File(Proto(TensorProto::FLOAT, {0, 3})).loaded.ok());
  TensorProto with_raw = Proto(TensorProto::FLOAT, {0});
  with_raw.set_raw_data("");
  EXPECT_TRUE(File(with_raw).loaded.ok());
}

TEST(TensorLoader, SizesAreCheckedBeforeTheyAreTrusted) {
  TensorProto large = Proto(TensorProto::FLOAT, {3, 1024, 1024, 256});  // 3 GB
  large.set_raw_data("1234");
  EXPECT_EQ(File(large).error(), "`f32[3,1024,1024,256]` takes 3221225472 bytes, the file holds 4");
  large.clear_raw_data();
  large.add_float_data(1);
  EXPECT_EQ(File(large).error(),
            "`f32[3,1024,1024,256]` takes 805306368 elements, `float_data` holds 1");
  large.clear_float_data();
  EXPECT_EQ(File(large).error(),
            "`f32[3,1024,1024,256]` takes 805306368 elements, `float_data` holds 0");
  EXPECT_FALSE(File(Proto(TensorProto::FLOAT, {-1})).loaded.ok());
  EXPECT_FALSE(File(Proto(TensorProto::FLOAT, {int64_t{1} << 62, int64_t{1} << 62})).loaded.ok());
  EXPECT_FALSE(File(Proto(TensorProto::FLOAT, std::vector<int64_t>(65, 1))).loaded.ok());
}

TEST(TensorLoader, ValuesThatDoNotFit) {
  TensorProto proto = Proto(TensorProto::INT8, {1});
  proto.add_int32_data(128);
  EXPECT_EQ(File(proto).error(), "element 0 of `int32_data` is 128, beyond `i8`");
}

TEST(TensorLoader, ContentsGivenTwice) {
  TensorProto proto = Proto(TensorProto::FLOAT, {1});
  proto.set_raw_data("1234");
  proto.add_float_data(1);
  EXPECT_NE(File(proto).error().find("contents given twice"), std::string::npos);
}

// Numbers of onnx.proto 1.20; ours ends before.
constexpr int kFloat8E4M3Fn = 17, kFloat8E8M0 = 24, kUint4 = 21, kInt4 = 22, kFloat4E2M1 = 23,
              kUint2 = 25, kInt2 = 26;

TEST(TensorLoader, PackedElements) {
  // 1, -2, 3, -8, 7: two to a byte, the first low.
  const std::vector<uint8_t> packed = {0xe1, 0x83, 0x07};
  TensorProto raw = Proto(kInt4, {5});
  SetRaw<uint8_t>(raw, packed);
  TensorProto field = Proto(kInt4, {5});
  for (const uint8_t byte : packed) field.add_int32_data(byte);
  for (const TensorProto& proto : {raw, field}) {
    File file(proto);
    ASSERT_TRUE(file.loaded.ok()) << file.error();
    EXPECT_EQ(file.loaded->dtype(), DType::kI4);
    const int64_t expected[] = {1, -2, 3, -8, 7};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(file.loaded->AsInt(i), expected[i]) << i;
    EXPECT_EQ(Packed(*file.loaded), packed);
  }
  TensorProto nibbles = Proto(kUint4, {2});
  SetRaw<uint8_t>(nibbles, {0xf9});
  EXPECT_EQ(File(nibbles).loaded->AsInt(1), 15);
  TensorProto floats = Proto(kFloat4E2M1, {3});  // 0.5, -6, 1.5; what fills up is not looked at
  SetRaw<uint8_t>(floats, {0xf1, 0x53});
  EXPECT_EQ(File(floats).loaded->AsDouble(1), -6.0);
  EXPECT_EQ(File(floats).loaded->AsDouble(2), 1.5);
  TensorProto pairs = Proto(kInt2, {5});  // 1, -1, -2, 0, 1
  SetRaw<uint8_t>(pairs, {0x2d, 0x01});
  File ints(pairs);
  ASSERT_TRUE(ints.loaded.ok()) << ints.error();
  const int64_t expected[] = {1, -1, -2, 0, 1};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(ints.loaded->AsInt(i), expected[i]) << i;
  TensorProto unsigned_pairs = Proto(kUint2, {4});
  SetRaw<uint8_t>(unsigned_pairs, {0xe4});
  for (int i = 0; i < 4; ++i) EXPECT_EQ(File(unsigned_pairs).loaded->AsInt(i), i);
}

TEST(TensorLoader, SizesOfPackedElements) {
  TensorProto proto = Proto(kInt4, {5});
  SetRaw<uint8_t>(proto, {1, 2, 3, 4, 5});
  EXPECT_EQ(File(proto).error(), "`i4[5]` takes 3 bytes, the file holds 5");
  TensorProto field = Proto(kUint2, {5});
  field.add_int32_data(1);
  EXPECT_EQ(File(field).error(), "`u2[5]` takes 2 packed bytes, `int32_data` holds 1");
  field.add_int32_data(256);
  EXPECT_EQ(File(field).error(), "element 1 of `int32_data` is 256, beyond `u8`");
}

TEST(TensorLoader, FloatsOfABytePerElement) {
  TensorProto raw = Proto(kFloat8E4M3Fn, {2});
  SetRaw<uint8_t>(raw, {0x38, 0xfe});
  File file(raw);
  ASSERT_TRUE(file.loaded.ok()) << file.error();
  EXPECT_EQ(file.loaded->AsDouble(0), 1.0);
  EXPECT_EQ(file.loaded->AsDouble(1), -448.0);
  TensorProto scale = Proto(kFloat8E8M0, {1});
  scale.add_int32_data(126);
  EXPECT_EQ(File(scale).loaded->AsDouble(0), 0.5);
}

TEST(TensorLoader, TypesWithoutCounterpartByName) {
  EXPECT_EQ(File(Proto(TensorProto::STRING, {1})).error(),
            "element type `string` is not supported");
  EXPECT_EQ(File(Proto(TensorProto::COMPLEX64, {1})).error(),
            "element type `complex64` is not supported");
  EXPECT_EQ(File(Proto(TensorProto::COMPLEX128, {1})).error(),
            "element type `complex128` is not supported");
  EXPECT_EQ(File(Proto(99, {1})).error(), "element type number 99 is none of ONNX's");
  EXPECT_EQ(File(Proto(-1, {1})).error(), "element type number -1 is none of ONNX's");
}

class ExternalDataTest : public testing::Test {
 protected:
  void SetUp() override {
    root_ =
        fs::path(testing::TempDir()) /
        (std::string("external_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(root_);
    fs::create_directories(root_ / "model" / "weights");
    Write(root_ / "model" / "model.onnx", "model");
    Write(root_ / "model" / "weights" / "w.bin", "0123456789abcdef");
    Write(root_ / "secret.bin", "0123456789abcdef");
  }
  void TearDown() override { fs::remove_all(root_); }

  static void Write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }

  static TensorProto At(const std::string& location, const std::string& offset = "",
                        const std::string& length = "") {
    TensorProto proto = Proto(TensorProto::UINT8, {4});
    proto.set_data_location(TensorProto::EXTERNAL);
    const auto add = [&](const char* key, const std::string& value) {
      auto* entry = proto.add_external_data();
      entry->set_key(key);
      entry->set_value(value);
    };
    add("location", location);
    if (!offset.empty()) add("offset", offset);
    if (!length.empty()) add("length", length);
    return proto;
  }
  std::string Load(const TensorProto& proto) {
    File file(proto, (root_ / "model" / "model.onnx").string());
    if (!file.loaded.ok()) return file.error();
    const auto bytes = file.loaded->bytes();
    return std::string(bytes.begin(), bytes.end());
  }

  fs::path root_;
};

TEST_F(ExternalDataTest, OffsetAndLength) {
  EXPECT_EQ(Load(At("weights/w.bin", "4", "4")), "4567");
  EXPECT_EQ(Load(At("weights/w.bin", "12")), "cdef");
  EXPECT_EQ(Load(At("weights/w.bin", "8")), "89ab");
  EXPECT_EQ(Load(At("weights/w.bin")), "0123");
  EXPECT_EQ(Load(At("./weights//w.bin", "0", "4")), "0123");
}

TEST_F(ExternalDataTest, SizesAreThoseOfTheFile) {
  EXPECT_EQ(Load(At("weights/w.bin", "12", "8")),
            "external data at `weights/w.bin`: offset 12 and length 8 exceed the file of 16 bytes");
  EXPECT_NE(Load(At("weights/w.bin", "17")).find("exceed the file"), std::string::npos);
  EXPECT_NE(Load(At("weights/w.bin", "1", "18446744073709551615")).find("exceed the file"),
            std::string::npos);
  EXPECT_EQ(Load(At("weights/w.bin", "0", "5")), "`u8[4]` takes 4 bytes, the file holds 5");
  EXPECT_EQ(Load(At("weights/w.bin", "14")), "`u8[4]` takes 4 bytes, the file holds 2");
  EXPECT_NE(Load(At("weights/w.bin", "-1", "4")).find("`offset` `-1`, not a number"),
            std::string::npos);
  EXPECT_NE(Load(At("weights/w.bin", "0", "x")).find("`length` `x`, not a number"),
            std::string::npos);
}

TEST_F(ExternalDataTest, StaysInTheFolder) {
  EXPECT_NE(Load(At("../secret.bin", "0", "4")).find("`..` in a path"), std::string::npos);
  EXPECT_NE(Load(At("weights/../../secret.bin", "0", "4")).find("`..` in a path"),
            std::string::npos);
  EXPECT_NE(Load(At((root_ / "secret.bin").string(), "0", "4")).find("absolute path"),
            std::string::npos);
  EXPECT_NE(Load(At(std::string("weights\0/w.bin", 14))).find("zero byte"), std::string::npos);
  EXPECT_EQ(Load(At("")), "external data without a `location`");
  EXPECT_NE(Load(At("missing.bin")).find("`missing.bin`"), std::string::npos);
  EXPECT_NE(Load(At("weights")).find("not a regular file"), std::string::npos);
  fs::create_symlink("../secret.bin", root_ / "model" / "link.bin");
  EXPECT_NE(Load(At("link.bin", "0", "4")).find("leads out of the model's folder"),
            std::string::npos);
  fs::create_directory_symlink("..", root_ / "model" / "up");
  EXPECT_NE(Load(At("up/secret.bin", "0", "4")).find("leads out of the model's folder"),
            std::string::npos);
  fs::create_symlink("weights/w.bin", root_ / "model" / "inside.bin");
  EXPECT_EQ(Load(At("inside.bin", "0", "4")), "0123");
}

// As a build sandbox does it: every file is a link to where it really is.
TEST_F(ExternalDataTest, LinksBesideALinkedModel) {
  fs::create_directories(root_ / "sandbox");
  fs::create_symlink(root_ / "model" / "model.onnx", root_ / "sandbox" / "model.onnx");
  fs::create_symlink(root_ / "model" / "weights" / "w.bin", root_ / "sandbox" / "w.bin");
  fs::create_symlink(root_ / "secret.bin", root_ / "sandbox" / "secret.bin");
  File file(At("w.bin", "0", "4"), (root_ / "sandbox" / "model.onnx").string());
  EXPECT_TRUE(file.loaded.ok()) << file.error();
  File outside(At("secret.bin", "0", "4"), (root_ / "sandbox" / "model.onnx").string());
  EXPECT_NE(outside.error().find("leads out of the model's folder"), std::string::npos);
}

TEST_F(ExternalDataTest, NoFolderNoExternalData) {
  EXPECT_EQ(File(At("weights/w.bin")).error(),
            "external data at `weights/w.bin`, but the model is not a file in a folder");
}

}  // namespace
}  // namespace tessera::onnx_import
