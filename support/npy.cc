#include "support/npy.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "support/printable.h"

namespace tessera::support {
namespace {

using ir::DType;

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kMaxRank = 64;

// Kind and size, without the byte order.
constexpr std::pair<std::string_view, DType> kCodes[] = {
    {"b1", DType::kBool}, {"i1", DType::kI8},  {"i2", DType::kI16},  {"i4", DType::kI32},
    {"i8", DType::kI64},  {"u1", DType::kU8},  {"u2", DType::kU16},  {"u4", DType::kU32},
    {"u8", DType::kU64},  {"f2", DType::kF16}, {"V2", DType::kBF16}, {"f4", DType::kF32},
    {"f8", DType::kF64},
};

struct Header {
  DType dtype = DType::kF32;
  bool big_endian = false;
  bool fortran = false;
  std::vector<int64_t> shape;
};

absl::Status Malformed(std::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("malformed .npy header: ", std::string(what)));
}

// The header is a Python dict literal with exactly the keys `descr`, `fortran_order` and `shape`,
// in any order.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : rest_(text) {}

  absl::StatusOr<Header> Parse() {
    Header header;
    bool descr = false, order = false, shape = false;
    if (!Take("{")) return Malformed("no `{`");
    while (!Take("}")) {
      const std::optional<std::string_view> key = String();
      if (!key.has_value() || !Take(":")) return Malformed("expected a key");
      absl::Status status;
      bool* seen = nullptr;
      if (*key == "descr") {
        seen = &descr;
        status = Descr(header);
      } else if (*key == "fortran_order") {
        seen = &order;
        header.fortran = Take("True");
        if (!header.fortran && !Take("False"))
          status = Malformed("`fortran_order` is neither True nor False");
      } else if (*key == "shape") {
        seen = &shape;
        status = Shape(header.shape);
      } else {
        return Malformed(absl::StrCat("unknown key `", Printable(*key), "`"));
      }
      if (!status.ok()) return status;
      if (*seen) return Malformed(absl::StrCat("key `", std::string(*key), "` twice"));
      *seen = true;
      if (!Take(",") && !rest_.starts_with("}")) return Malformed("expected `,` or `}`");
    }
    if (!descr || !order || !shape)
      return Malformed("`descr`, `fortran_order` or `shape` is missing");
    Skip();
    if (!rest_.empty()) return Malformed("text after `}`");
    return header;
  }

 private:
  void Skip() {
    while (!rest_.empty() && (rest_[0] == ' ' || rest_[0] == '\n' || rest_[0] == '\t'))
      rest_.remove_prefix(1);
  }
  bool Take(std::string_view token) {
    Skip();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    Skip();
    return true;
  }
  std::optional<std::string_view> String() {
    Skip();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view text = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return text;
  }
  absl::Status Descr(Header& header) {
    const std::optional<std::string_view> descr = String();
    if (!descr.has_value())
      return Malformed("`descr` is no string (structured arrays have no counterpart)");
    const std::string_view code = descr->substr(std::min<size_t>(1, descr->size()));
    const auto* found = std::find_if(std::begin(kCodes), std::end(kCodes),
                                     [&](const auto& c) { return c.first == code; });
    if (descr->empty() || std::string_view("<>|=").find((*descr)[0]) == std::string_view::npos ||
        found == std::end(kCodes)) {
      return absl::InvalidArgumentError(
          absl::StrCat("element type `", Printable(*descr), "` has no counterpart"));
    }
    header.dtype = found->second;
    header.big_endian = (*descr)[0] == '>';
    return absl::OkStatus();
  }
  absl::Status Shape(std::vector<int64_t>& shape) {
    if (!Take("(")) return Malformed("`shape` is no tuple");
    while (!Take(")")) {
      const size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      int64_t dim = 0;
      if (!absl::SimpleAtoi(std::string(rest_.substr(0, digits)), &dim))
        return Malformed("`shape` holds no dim");
      rest_.remove_prefix(digits);
      Take("L");  // Python 2
      shape.push_back(dim);
      if (shape.size() > kMaxRank) return Malformed(absl::StrCat("more than ", kMaxRank, " axes"));
      if (!Take(",") && !rest_.starts_with(")")) return Malformed("expected `,` or `)` in `shape`");
    }
    return absl::OkStatus();
  }

  std::string_view rest_;
};

// Where the header lies.
struct HeaderPlace {
  size_t begin = 0, length = 0;
};

absl::StatusOr<HeaderPlace> PlaceOf(std::string_view bytes) {
  if (!bytes.starts_with(kMagic) || bytes.size() < 10)
    return absl::InvalidArgumentError("not a .npy file");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<uint8_t>(bytes[i])); };
  const size_t version = byte(6);
  if (version < 1 || version > 3) {
    return absl::InvalidArgumentError(absl::StrCat(".npy version ", version, "; 1 to 3 are known"));
  }
  size_t begin = 10, length = byte(8) | byte(9) << 8;
  if (version > 1) {
    if (bytes.size() < kNpyStart) return absl::InvalidArgumentError("not a .npy file");
    begin = 12;
    length |= byte(10) << 16 | byte(11) << 24;
  }
  return HeaderPlace{begin, length};
}

}  // namespace

absl::StatusOr<size_t> NpyHeaderSize(std::string_view begin) {
  const absl::StatusOr<HeaderPlace> place = PlaceOf(begin);
  if (!place.ok()) return place.status();
  return place->begin + place->length;
}

absl::StatusOr<size_t> NpySize(std::string_view header) {
  const absl::StatusOr<HeaderPlace> place = PlaceOf(header);
  if (!place.ok()) return place.status();
  const absl::StatusOr<Header> parsed =
      HeaderParser(header.substr(place->begin, place->length)).Parse();
  if (!parsed.ok()) return parsed.status();
  const size_t width = ir::SizeOf(parsed->dtype);
  const absl::StatusOr<int64_t> count = ir::ElementCount(parsed->shape, width);
  if (!count.ok()) return count.status();
  return place->begin + place->length + static_cast<size_t>(*count) * width;
}

absl::StatusOr<ir::Tensor> ParseNpy(std::string_view bytes) {
  const absl::StatusOr<HeaderPlace> place = PlaceOf(bytes);
  if (!place.ok()) return place.status();
  const auto [begin, length] = *place;
  if (length > bytes.size() - begin) {
    return Malformed(absl::StrCat(length, " bytes claimed, ", bytes.size() - begin, " left"));
  }
  absl::StatusOr<Header> header = HeaderParser(bytes.substr(begin, length)).Parse();
  if (!header.ok()) return header.status();
  bytes.remove_prefix(begin + length);

  if (header->fortran && std::count_if(header->shape.begin(), header->shape.end(),
                                       [](int64_t d) { return d != 1; }) > 1) {
    return absl::InvalidArgumentError("Fortran-ordered array; save `numpy.ascontiguousarray(x)`");
  }
  const size_t width = ir::SizeOf(header->dtype);
  const absl::StatusOr<int64_t> count = ir::ElementCount(header->shape, width);
  if (!count.ok()) return count.status();
  if (static_cast<uint64_t>(*count) * width != bytes.size()) {
    return absl::InvalidArgumentError(absl::StrCat("shape takes ",
                                                   static_cast<uint64_t>(*count) * width,
                                                   " bytes, the file holds ", bytes.size()));
  }
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(header->dtype, std::move(header->shape));
  if (!tensor.ok() || bytes.empty()) return tensor;
  uint8_t* const out = tensor->mutable_data<uint8_t>();
  std::memcpy(out, bytes.data(), bytes.size());
  if (header->big_endian) {
    for (size_t i = 0; i < bytes.size(); i += width) std::reverse(out + i, out + i + width);
  }
  if (header->dtype == DType::kBool) {
    std::transform(out, out + bytes.size(), out, [](uint8_t b) { return b != 0; });
  }
  return tensor;
}

std::string SerializeNpy(const ir::Tensor& given) {
  const DType type = given.dtype();
  const DType wide = ir::Contains(ir::kNarrowFloatTypes, type)  ? DType::kF32
                     : type == DType::kI4 || type == DType::kI2 ? DType::kI8
                     : ir::Contains(ir::kNarrowIntTypes, type)  ? DType::kU8
                                                                : type;
  const ir::Tensor tensor = wide == type ? given : given.CastTo(wide);
  const auto* const code = std::find_if(std::begin(kCodes), std::end(kCodes),
                                        [&](const auto& c) { return c.second == tensor.dtype(); });
  std::string header =
      absl::StrCat("{'descr': '", ir::SizeOf(tensor.dtype()) == 1 ? "|" : "<",
                   std::string(code->first), "', 'fortran_order': False, 'shape': (");
  for (size_t d = 0; d < tensor.shape().size(); ++d)
    absl::StrAppend(&header, d == 0 ? "" : " ", tensor.shape()[d], ",");
  // A tuple of several has no comma at its end, one of one has.
  if (tensor.rank() > 1) header.pop_back();
  absl::StrAppend(&header, "), }");
  // The contents begin at a multiple of 64; a newline ends the header.
  const size_t preamble = kMagic.size() + 4;
  header.append(63 - (preamble + header.size()) % 64, ' ');
  header.push_back('\n');

  std::string file(kMagic);
  file.push_back('\x01');
  file.push_back('\x00');
  file.push_back(static_cast<char>(header.size() & 0xff));
  file.push_back(static_cast<char>(header.size() >> 8));
  file += header;
  const absl::Span<const uint8_t> bytes = tensor.bytes();
  file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return file;
}

}  // namespace tessera::support
