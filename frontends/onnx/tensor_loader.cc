#include "frontends/onnx/tensor_loader.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/packed_elements.h"
#include "frontends/onnx/page_release.h"
#include "frontends/onnx/quoting.h"
#include "ir/absl_view.h"

namespace tessera::onnx_import {
namespace {

using ir::DType;
using onnx::TensorProto;

std::string TypeText(DType dtype, const std::vector<int64_t>& dims) {
  return absl::StrCat("`", ir::AbslView(ir::NameOf(dtype)), "[", absl::StrJoin(dims, ","), "]`");
}

absl::Status WrongCount(DType dtype, const std::vector<int64_t>& dims, int64_t expected,
                        absl::string_view unit, absl::string_view where, uint64_t found) {
  return absl::InvalidArgumentError(absl::StrCat(TypeText(dtype, dims), " takes ", expected, " ",
                                                 unit, ", ", where, " holds ", found));
}

// The elements of a typed field, each of which must fit `To` (bit patterns of 16-bit floats:
// uint16_t).
template <class To, class Field>
absl::StatusOr<ir::Tensor> FromField(DType dtype, std::vector<int64_t> dims, int64_t count,
                                     const Field& field, absl::string_view name) {
  if (field.size() != count) return WrongCount(dtype, dims, count, "elements", name, field.size());
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(dtype, std::move(dims));
  if (!tensor.ok()) return tensor.status();
  To* out = tensor->mutable_data<To>();
  using From = std::decay_t<decltype(field.Get(0))>;
  for (int64_t i = 0; i < count; ++i) {
    const From value = field.Get(static_cast<int>(i));
    if constexpr (std::is_integral_v<From> && !std::is_same_v<From, To>) {
      if (!std::in_range<To>(value)) {
        return absl::InvalidArgumentError(absl::StrCat("element ", i, " of ", name, " is ", value,
                                                       ", beyond `",
                                                       ir::AbslView(ir::NameOf(dtype)), "`"));
      }
    }
    out[i] = static_cast<To>(value);
  }
  return tensor;
}

bool HasTypedContents(const TensorProto& tensor) {
  return tensor.float_data_size() > 0 || tensor.int32_data_size() > 0 ||
         tensor.int64_data_size() > 0 || tensor.double_data_size() > 0 ||
         tensor.uint64_data_size() > 0 || tensor.string_data_size() > 0;
}

// Fields hold packed bytes, one each.
absl::StatusOr<ir::Tensor> FromPackedField(DType dtype, std::vector<int64_t> dims, int64_t count,
                                           const TensorProto& tensor, absl::string_view name) {
  const int64_t bytes = BytesInFile(dtype, count);
  if (tensor.int32_data_size() != bytes) {
    return WrongCount(dtype, dims, bytes, "packed bytes", name,
                      static_cast<uint64_t>(tensor.int32_data_size()));
  }
  const absl::StatusOr<ir::Tensor> packed =
      FromField<uint8_t>(DType::kU8, {bytes}, bytes, tensor.int32_data(), name);
  if (!packed.ok()) return packed.status();
  return Unpacked(dtype, std::move(dims), packed->bytes());
}

// onnx.proto, TensorProto: which field holds which type.
absl::StatusOr<ir::Tensor> FromTypedFields(const TensorProto& tensor, DType dtype,
                                           std::vector<int64_t> dims, int64_t count) {
  constexpr absl::string_view kInt32 = "`int32_data`", kUint64 = "`uint64_data`";
  switch (dtype) {
    case DType::kF32:
      return FromField<float>(dtype, std::move(dims), count, tensor.float_data(), "`float_data`");
    case DType::kF64:
      return FromField<double>(dtype, std::move(dims), count, tensor.double_data(),
                               "`double_data`");
    case DType::kI64:
      return FromField<int64_t>(dtype, std::move(dims), count, tensor.int64_data(), "`int64_data`");
    case DType::kU64:
      return FromField<uint64_t>(dtype, std::move(dims), count, tensor.uint64_data(), kUint64);
    case DType::kU32:
      return FromField<uint32_t>(dtype, std::move(dims), count, tensor.uint64_data(), kUint64);
    case DType::kI32:
      return FromField<int32_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
    case DType::kI16:
      return FromField<int16_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
    case DType::kI8:
      return FromField<int8_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
    case DType::kU16:
    case DType::kF16:
    case DType::kBF16:
      return FromField<uint16_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
    case DType::kI4:
    case DType::kU4:
    case DType::kI2:
    case DType::kU2:
    case DType::kF4E2M1:
      return FromPackedField(dtype, std::move(dims), count, tensor, kInt32);
    case DType::kU8:
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
    case DType::kF8E8M0:
      return FromField<uint8_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
    case DType::kBool: {
      absl::StatusOr<ir::Tensor> loaded =
          FromField<uint8_t>(dtype, std::move(dims), count, tensor.int32_data(), kInt32);
      if (loaded.ok()) {
        uint8_t* bytes = loaded->mutable_data<uint8_t>();
        std::transform(bytes, bytes + count, bytes, [](uint8_t byte) { return byte != 0; });
      }
      return loaded;
    }
  }
  return absl::InternalError("element type without a typed field");
}

}  // namespace

absl::StatusOr<DType> DTypeFromProto(int32_t data_type) {
  switch (data_type) {
    case TensorProto::FLOAT:
      return DType::kF32;
    case TensorProto::UINT8:
      return DType::kU8;
    case TensorProto::INT8:
      return DType::kI8;
    case TensorProto::UINT16:
      return DType::kU16;
    case TensorProto::INT16:
      return DType::kI16;
    case TensorProto::INT32:
      return DType::kI32;
    case TensorProto::INT64:
      return DType::kI64;
    case TensorProto::BOOL:
      return DType::kBool;
    case TensorProto::FLOAT16:
      return DType::kF16;
    case TensorProto::DOUBLE:
      return DType::kF64;
    case TensorProto::UINT32:
      return DType::kU32;
    case TensorProto::UINT64:
      return DType::kU64;
    case TensorProto::BFLOAT16:
      return DType::kBF16;
    default:
      break;
  }
  // Numbers of later versions of onnx.proto than we build with.
  constexpr std::pair<int, DType> kLater[] = {
      {17, DType::kF8E4M3FN},   {18, DType::kF8E4M3FNUZ}, {19, DType::kF8E5M2},
      {20, DType::kF8E5M2FNUZ}, {21, DType::kU4},         {22, DType::kI4},
      {23, DType::kF4E2M1},     {24, DType::kF8E8M0},     {25, DType::kU2},
      {26, DType::kI2},
  };
  for (const auto& [number, dtype] : kLater) {
    if (number == data_type) return dtype;
  }
  constexpr std::pair<int, absl::string_view> kOthers[] = {
      {0, "undefined"}, {8, "string"}, {14, "complex64"}, {15, "complex128"}};
  for (const auto& [number, name] : kOthers) {
    if (number == data_type) {
      return absl::UnimplementedError(absl::StrCat("element type `", name, "` is not supported"));
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("element type number ", data_type, " is none of ONNX's"));
}

absl::StatusOr<uint64_t> BytesOf(const TensorProto& tensor) {
  const absl::StatusOr<DType> dtype = DTypeFromProto(tensor.data_type());
  if (!dtype.ok()) return dtype.status();
  const std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  const absl::StatusOr<int64_t> count = ir::ElementCount(dims, ir::SizeOf(*dtype));
  if (!count.ok()) return count.status();
  return static_cast<uint64_t>(BytesInFile(*dtype, *count));
}

absl::StatusOr<ir::Tensor> TensorLoader::FromBytes(DType dtype, std::vector<int64_t> dims,
                                                   int64_t count, support::MappedFile contents) {
  const int64_t expected = BytesInFile(dtype, count);
  if (contents.bytes.size() != static_cast<uint64_t>(expected)) {
    return WrongCount(dtype, dims, expected, "bytes", "the file", contents.bytes.size());
  }
  const absl::Span<const uint8_t> bytes = contents.bytes;
  if (BitsInFile(dtype) < 8) return Unpacked(dtype, std::move(dims), bytes);
  const bool odd_bool = dtype == DType::kBool && std::any_of(bytes.begin(), bytes.end(),
                                                             [](uint8_t byte) { return byte > 1; });
  if (!odd_bool) {
    return ir::Tensor::View(dtype, std::move(dims), std::move(contents.owner), bytes);
  }
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(dtype, std::move(dims));
  if (!tensor.ok()) return tensor;
  std::transform(bytes.begin(), bytes.end(), tensor->mutable_data<uint8_t>(),
                 [](uint8_t byte) { return byte != 0; });
  return tensor;
}

absl::StatusOr<ir::Tensor> TensorLoader::Load(const TensorProto& tensor) {
  absl::StatusOr<DType> dtype = DTypeFromProto(tensor.data_type());
  if (!dtype.ok()) return dtype.status();
  if (tensor.has_segment())
    return absl::UnimplementedError("a tensor stored in segments is not supported");
  if (tensor.dims_size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", tensor.dims_size(), " exceeds ", kMaxRank));
  }
  std::vector<int64_t> dims(tensor.dims().begin(), tensor.dims().end());
  absl::StatusOr<int64_t> count = ir::ElementCount(dims, ir::SizeOf(*dtype));
  if (!count.ok()) return count.status();

  absl::Span<const uint8_t> raw;  // empty: absent, as some exporters write it
  if (tensor.has_raw_data()) {
    absl::StatusOr<absl::Span<const uint8_t>> blob = model_.Blob(tensor.raw_data());
    if (!blob.ok()) return blob.status();
    raw = *blob;
  }
  const bool external = tensor.data_location() == TensorProto::EXTERNAL;
  if (external + !raw.empty() + HasTypedContents(tensor) > 1) {
    return absl::InvalidArgumentError(
        "contents given twice; a tensor has one of external data, `raw_data` and one typed field");
  }
  if (external) {
    absl::StatusOr<support::MappedFile> contents =
        external_.Find(tensor, static_cast<uint64_t>(BytesInFile(*dtype, *count)));
    if (!contents.ok()) return contents.status();
    return FromBytes(*dtype, std::move(dims), *count, WithPageRelease(*std::move(contents)));
  }
  if (!raw.empty()) {
    support::MappedFile contents{owner_, raw};
    if (mapped_) contents = WithPageRelease(std::move(contents));
    return FromBytes(*dtype, std::move(dims), *count, std::move(contents));
  }
  return FromTypedFields(tensor, *dtype, std::move(dims), *count);
}

}  // namespace tessera::onnx_import
