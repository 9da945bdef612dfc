#include "support/npy.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/dtype.h"

namespace tessera::support {
namespace {

using ir::DType;
using ir::Tensor;

// A file of the given version with `dict` as its header.
std::string File(char version, const std::string& dict, const std::string& contents) {
  std::string file = std::string("\x93NUMPY", 6) + version + '\0';
  const std::string header = dict + "\n";
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file.push_back(static_cast<char>(header.size() >> 8 * i & 0xff));
  return file + header + contents;
}

constexpr ir::DTypeSet kNarrow = ir::kNarrowIntTypes | ir::kNarrowFloatTypes;

TEST(Npy, RoundTripOfEveryDtypeAndRank) {
  for (int d = 0; d < ir::kDTypeCount; ++d) {
    if (ir::Contains(kNarrow, static_cast<DType>(d))) continue;
    for (const std::vector<int64_t>& shape :
         std::vector<std::vector<int64_t>>{{}, {3}, {2, 3}, {2, 0, 3}, {1, 1, 2, 1}}) {
      absl::StatusOr<Tensor> tensor = Tensor::Allocate(static_cast<DType>(d), shape);
      ASSERT_TRUE(tensor.ok());
      for (size_t i = 0; i < tensor->bytes().size(); ++i) {
        tensor->mutable_data<uint8_t>()[i] = static_cast<uint8_t>(d == 0 ? i % 2 : 7 * i + 1);
      }
      const std::string file = SerializeNpy(*tensor);
      EXPECT_EQ((file.size() - tensor->bytes().size()) % 64, 0u);
      const absl::StatusOr<Tensor> back = ParseNpy(file);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_TRUE(Identical(*tensor, *back)) << file;
    }
  }
}

TEST(Npy, NarrowTypesGoWide) {
  const float values[] = {0, 1, 2};
  for (int d = 0; d < ir::kDTypeCount; ++d) {
    const DType dtype = static_cast<DType>(d);
    if (!ir::Contains(kNarrow, dtype)) continue;
    const Tensor tensor = Tensor::Of<float>(dtype, {3}, values);
    const absl::StatusOr<Tensor> back = ParseNpy(SerializeNpy(tensor));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(ir::IsFloat(back->dtype()), ir::IsFloat(dtype));
    EXPECT_TRUE(Identical(back->CastTo(dtype), tensor)) << ir::NameOf(dtype);
  }
}

// What numpy.save writes, octet by octet.
TEST(Npy, WritesWhatNumPyWrites) {
  const float values[] = {1, 2};
  std::string expected = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  expected.resize(117, ' ');
  EXPECT_EQ(SerializeNpy(Tensor::Of<float>(DType::kF32, {2}, values)),
            File(1, expected, std::string("\0\0\x80\x3f\0\0\0\x40", 8)));
}

TEST(Npy, ReadsVersionsByteOrdersAndSpacing) {
  for (const char version : {1, 2, 3}) {
    const absl::StatusOr<Tensor> tensor =
        ParseNpy(File(version, "{\"shape\":(2L , ) ,'fortran_order':True,'descr':'>i2'}  ",
                      std::string("\1\2\xff\xfe", 4)));
    ASSERT_TRUE(tensor.ok()) << tensor.status();
    EXPECT_EQ(tensor->dtype(), DType::kI16);
    EXPECT_EQ(tensor->shape(), std::vector<int64_t>{2});
    EXPECT_EQ(tensor->AsInt(0), 0x0102);
    EXPECT_EQ(tensor->AsInt(1), -2);
  }
}

TEST(Npy, OddBoolsBecomeOne) {
  const absl::StatusOr<Tensor> tensor = ParseNpy(
      File(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", std::string("\0\1\7", 3)));
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->data<uint8_t>()[2], 1);
}

TEST(Npy, RefusesWhatItCannotHold) {
  const std::string four(4, '\0');
  const struct {
    std::string dict, contents, reason;
  } cases[] = {
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", four,
       "takes 8 bytes, the file holds 4"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "",
       "takes 4 bytes, the file holds 0"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1, 1)}", four, ""},
      {"{'descr': '<f2', 'fortran_order': True, 'shape': (2, 1)}", four, ""},
      {"{'descr': '|i1', 'fortran_order': True, 'shape': (2, 2)}", four, "Fortran-ordered"},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", four, "`<c8` has no counterpart"},
      {"{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}", four, "`f4` has no counterpart"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", four, "structured"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", four, "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", four, "holds no dim"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", four,
       "holds no dim"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", four, "*"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': 1}", four, "no tuple"},
      {"{'descr': '<f4', 'fortran_order': False}", four, "is missing"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", four, "twice"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", four, "unknown key `x`"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", four, "after `}`"},
      {"{'descr': '<f4' 'fortran_order': False, 'shape': (1,)}", four, "expected `,`"},
  };
  for (const auto& c : cases) {
    const absl::StatusOr<Tensor> tensor = ParseNpy(File(1, c.dict, c.contents));
    EXPECT_EQ(tensor.ok(), c.reason.empty()) << c.dict << " " << tensor.status();
    if (c.reason == "*" || tensor.ok()) continue;
    EXPECT_NE(tensor.status().message().find(c.reason), absl::string_view::npos) << tensor.status();
  }
}

TEST(Npy, EveryCutAndEveryFlippedByteIsAnErrorOrATensor) {
  const float values[] = {1, 2, 3, 4, 5, 6};
  const std::string file = SerializeNpy(Tensor::Of<float>(DType::kF32, {2, 3}, values));
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_FALSE(ParseNpy(file.substr(0, length)).ok()) << length;
  for (size_t i = 0; i < 128; ++i) {
    for (const char mask : {'\x01', '\x10', '\x80'}) {
      std::string flipped = file;
      flipped[i] = static_cast<char>(flipped[i] ^ mask);
      const absl::StatusOr<Tensor> tensor = ParseNpy(flipped);
      if (tensor.ok()) {
        EXPECT_EQ(tensor->bytes().size(), 24u);
      }
    }
  }
}

}  // namespace
}  // namespace tessera::support
