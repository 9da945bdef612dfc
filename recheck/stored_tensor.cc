// Parameters, buffers and constants of an exported program.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "onnx/onnx_pb.h"
#include "recheck/constants.h"
#include "recheck/program_reader.h"

namespace tessera::recheck {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 24;

int OnnxTypeOf(const std::string& dtype) {
  for (int type = 1; type <= 16; ++type) {
    if (DTypeNameOf(type) == dtype) return type;
  }
  return 0;
}

int64_t BytesOf(const std::string& dtype) {
  if (dtype == "bool") return 1;
  const size_t digit = dtype.find_first_of("0123456789");
  return digit == std::string::npos ? 0 : std::stoll(dtype.substr(digit)) / 8;
}

// The elements in row-major order; nothing: they leave the storage, or are too many.
std::optional<std::string> Gathered(const Program::Stored& stored) {
  const std::vector<ProgramSize>& sizes = stored.tensor.sizes;
  const std::vector<ProgramSize>& strides = stored.tensor.strides;
  const int64_t bytes = BytesOf(stored.tensor.dtype) * (stored.tensor.complex ? 2 : 1);
  if (bytes == 0 || sizes.size() != strides.size()) return std::nullopt;
  const auto held = static_cast<int64_t>(stored.storage.size()) / bytes;
  int64_t count = 1;
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (strides[d].number < 0 || strides[d].number > held ||
        __builtin_mul_overflow(count, sizes[d].number, &count) || count > kMostElements)
      return std::nullopt;
  }
  std::string raw;
  raw.reserve(static_cast<size_t>(count * bytes));
  std::vector<int64_t> at(sizes.size(), 0);
  for (int64_t n = 0; n < count; ++n) {
    int64_t element = stored.tensor.offset;
    for (size_t d = 0; d < at.size(); ++d) element += at[d] * strides[d].number;
    if (element < 0 || element >= held) return std::nullopt;
    raw.append(stored.storage.data() + element * bytes, static_cast<size_t>(bytes));
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < sizes[d].number) break;
      at[d] = 0;
    }
  }
  return raw;
}

}  // namespace

TensorPtr ProgramReader::Stored(const ProgramInput& input) {
  const auto stated = program_.tensors.find(input.name);
  const auto stored = program_.stored.find(input.stored);
  if (stated == program_.tensors.end()) {
    session_.Fail(absl::StrCat("of `", input.stored, "` the program has no type"));
    return nullptr;
  }
  const std::string& dtype = stated->second.dtype;
  if (OnnxTypeOf(dtype) == 0) return nullptr;
  onnx::TensorProto proto;
  proto.set_data_type(OnnxTypeOf(dtype));
  for (const ProgramSize& size : stated->second.sizes) {
    if (!size.text.empty() || size.number < 0) return nullptr;
    proto.add_dims(size.number);
  }
  if (stated->second.complex) proto.add_dims(2);
  if (stored == program_.stored.end()) {
    auto tensor = std::make_shared<Tensor>();
    tensor->dtype = dtype;
    for (const int64_t size : proto.dims()) tensor->dims.push_back(session_.terms().Integer(size));
    if (dtype[0] != 'f' && dtype != "bf16") tensor->unread = "a constant that is pickled";
    return tensor;
  }
  bool same = stored->second.tensor.dtype == dtype &&
              stored->second.tensor.complex == stated->second.complex &&
              stored->second.tensor.sizes.size() == stated->second.sizes.size();
  for (size_t d = 0; same && d < stated->second.sizes.size(); ++d)
    same = stored->second.tensor.sizes[d].number == stated->second.sizes[d].number;
  if (!same)
    session_.Fail(absl::StrCat("`", input.stored, "` is stored with another type than the program ",
                               "has for `", input.name, "`"));
  if (std::optional<std::string> raw = same ? Gathered(stored->second) : std::nullopt)
    proto.set_raw_data(*std::move(raw));
  return ReadConstant(proto, "", session_.terms());
}

}  // namespace tessera::recheck
