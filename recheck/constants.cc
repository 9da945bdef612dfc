#include "recheck/constants.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace tessera::recheck {
namespace {

using onnx::TensorProto;

constexpr int64_t kMostValues = 1024;               // that are followed one by one
constexpr int64_t kMostIndices = int64_t{1} << 24;  // of which the extremes are
constexpr int64_t kLongestRow = 16;                 // of which extremes are kept column by column

template <class To, class T>
std::vector<To> RawAs(const std::string& raw) {
  std::vector<To> values;
  for (size_t at = 0; at + sizeof(T) <= raw.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, raw.data() + at, sizeof value);
    values.push_back(static_cast<To>(value));
  }
  return values;
}

// -1: negative, or too many.
int64_t CountOf(const TensorProto& proto, int64_t most) {
  int64_t count = 1;
  for (const int64_t dim : proto.dims()) {
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count) || count > most) return -1;
  }
  return count;
}

// The bytes, where the data stands as such, in the model or a file beside it.
std::optional<std::string> Raw(const TensorProto& proto, const std::string& folder, int64_t most) {
  if (proto.data_location() != TensorProto::EXTERNAL)
    return proto.has_raw_data() ? std::optional(proto.raw_data()) : std::nullopt;
  std::string location;
  int64_t offset = 0, length = -1;
  for (const auto& entry : proto.external_data()) {
    if (entry.key() == "location") location = entry.value();
    const bool number =
        entry.key() != "offset" || (absl::SimpleAtoi(entry.value(), &offset) && offset >= 0);
    const bool size =
        entry.key() != "length" || (absl::SimpleAtoi(entry.value(), &length) && length >= 0);
    if (!number || !size) return std::nullopt;
  }
  if (location.empty() || location[0] == '/' || absl::StrContains(location, ".."))
    return std::nullopt;
  if (length > most || length < 0) return std::nullopt;
  std::ifstream file(folder + location, std::ios::binary);
  std::string bytes(static_cast<size_t>(length), '\0');
  if (!file.seekg(offset) || !file.read(bytes.data(), length)) return std::nullopt;
  return bytes;
}

template <class T, class List>
std::vector<int64_t> IntegersAs(const std::optional<std::string>& raw, const List& list) {
  if (raw) return RawAs<int64_t, T>(*raw);
  return {list.begin(), list.end()};
}

std::vector<int64_t> Integers(const TensorProto& proto, const std::optional<std::string>& raw) {
  switch (proto.data_type()) {
    case TensorProto::INT64:
      return IntegersAs<int64_t>(raw, proto.int64_data());
    case TensorProto::INT32:
      return IntegersAs<int32_t>(raw, proto.int32_data());
    case TensorProto::INT16:
      return IntegersAs<int16_t>(raw, proto.int32_data());
    case TensorProto::INT8:
      return IntegersAs<int8_t>(raw, proto.int32_data());
    case TensorProto::UINT8:
    case TensorProto::BOOL:
      return IntegersAs<uint8_t>(raw, proto.int32_data());
    case TensorProto::UINT16:
      return IntegersAs<uint16_t>(raw, proto.int32_data());
    case TensorProto::UINT32:
      return IntegersAs<uint32_t>(raw, proto.uint64_data());
    case TensorProto::UINT64: {
      // Terms have no numbers for those that wrap here.
      std::vector<int64_t> values = IntegersAs<int64_t>(raw, proto.uint64_data());
      const bool wrap = std::any_of(values.begin(), values.end(), [](int64_t v) { return v < 0; });
      return wrap ? std::vector<int64_t>() : values;
    }
    default:
      return {};
  }
}

std::vector<double> Doubles(const TensorProto& proto, const std::optional<std::string>& raw) {
  if (proto.data_type() == TensorProto::FLOAT)
    return raw ? RawAs<double, float>(*raw)
               : std::vector<double>(proto.float_data().begin(), proto.float_data().end());
  if (proto.data_type() == TensorProto::DOUBLE)
    return raw ? RawAs<double, double>(*raw)
               : std::vector<double>(proto.double_data().begin(), proto.double_data().end());
  return {};
}

std::vector<Dim> ExtremesOf(const std::vector<int64_t>& values, int64_t last, Terms& terms) {
  const auto columns = static_cast<size_t>(last <= kLongestRow ? last : 1);
  std::vector<int64_t> low(columns), high(columns);
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t column = i % columns;
    low[column] = i < columns ? values[i] : std::min(low[column], values[i]);
    high[column] = i < columns ? values[i] : std::max(high[column], values[i]);
  }
  std::vector<Dim> extremes;
  for (const int64_t v : low) extremes.push_back(terms.Integer(v));
  for (const int64_t v : high) extremes.push_back(terms.Integer(v));
  return extremes;
}

}  // namespace

std::string DTypeNameOf(int onnx_type) {
  switch (onnx_type) {
    case TensorProto::FLOAT:
      return "f32";
    case TensorProto::UINT8:
      return "u8";
    case TensorProto::INT8:
      return "i8";
    case TensorProto::UINT16:
      return "u16";
    case TensorProto::INT16:
      return "i16";
    case TensorProto::INT32:
      return "i32";
    case TensorProto::INT64:
      return "i64";
    case TensorProto::BOOL:
      return "bool";
    case TensorProto::FLOAT16:
      return "f16";
    case TensorProto::DOUBLE:
      return "f64";
    case TensorProto::UINT32:
      return "u32";
    case TensorProto::UINT64:
      return "u64";
    case TensorProto::BFLOAT16:
      return "bf16";
    default:
      break;
  }
  // Numbers of later versions of onnx.proto than we build with, 17 on.
  constexpr std::array<const char*, 10> kLater = {
      "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "u4", "i4", "f4e2m1", "f8e8m0", "u2", "i2"};
  const int later = onnx_type - 17;
  return later >= 0 && later < static_cast<int>(kLater.size()) ? kLater[static_cast<size_t>(later)]
                                                               : "";
}

TensorPtr ReadConstant(const TensorProto& proto, const std::string& folder, Terms& terms) {
  auto tensor = std::make_shared<Tensor>();
  tensor->source = Tensor::Source::kConstants;
  tensor->dtype = DTypeNameOf(proto.data_type());
  if (tensor->dtype.empty()) return nullptr;
  for (const int64_t dim : proto.dims()) tensor->dims.push_back(terms.Integer(dim));
  const bool is_float = tensor->dtype[0] == 'f' || tensor->dtype == "bf16";
  const bool is_index = tensor->dtype == "i32" || tensor->dtype == "i64";
  const int64_t count = CountOf(proto, is_index ? kMostIndices : kMostValues);
  if (is_float) {
    // Floats are no sizes: that they are not known tells nothing.
    if (count < 0) return tensor;
    tensor->numbers = Doubles(proto, Raw(proto, folder, count * 8));
    tensor->has_numbers = static_cast<int64_t>(tensor->numbers.size()) == count;
    return tensor;
  }
  // Nobody follows the elements of large ones.
  if (count < 0 && !is_index) return tensor;
  const std::vector<int64_t> values =
      count < 0 ? std::vector<int64_t>() : Integers(proto, Raw(proto, folder, count * 8));
  if (static_cast<int64_t>(values.size()) != count) {
    tensor->unread = "a constant of which the values were not read";
    return tensor;
  }
  if (count > kMostValues) {
    const int64_t last = proto.dims_size() == 0 ? 1 : proto.dims(proto.dims_size() - 1);
    tensor->extremes = ExtremesOf(values, last, terms);
    return tensor;
  }
  tensor->has_numbers = tensor->has_elements = true;
  for (const int64_t value : values) {
    tensor->numbers.push_back(static_cast<double>(value));
    tensor->elements.push_back(terms.Integer(value));
  }
  return tensor;
}

}  // namespace tessera::recheck
