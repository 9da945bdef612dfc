#include "ir/constants_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::ir {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are stored as they lie");

constexpr char kMagic[24] = "tessera constants 1\n";
constexpr uint64_t kAlignment = 64;
constexpr uint32_t kMostDims = 64;

template <class T>
void Put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

class Cursor {
 public:
  explicit Cursor(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}
  template <class T>
  T Take() {
    T value{};
    if (bytes_.size() - at_ < sizeof(T)) {
      ok_ = false;
    } else {
      std::memcpy(&value, bytes_.data() + at_, sizeof(T));
      at_ += sizeof(T);
    }
    return value;
  }
  bool ok() const { return ok_; }

 private:
  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

uint64_t Aligned(uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("file of constants: ", what));
}

}  // namespace

absl::Status WriteConstants(const Graph& graph, const PrintOptions& options, std::ostream& out) {
  std::map<Digest, const Tensor*> constants;
  for (const Operation* op : graph.TopologicalOrder()) {
    const Tensor* const tensor = op->payload();
    if (tensor == nullptr || tensor->size() <= options.inline_elements) continue;
    constants.emplace(op->payload_digest(), tensor);
  }
  return WriteConstants(constants, out);
}

absl::Status WriteConstants(const std::map<Digest, const Tensor*>& constants, std::ostream& out) {
  uint64_t offset = sizeof(kMagic) + sizeof(uint64_t);
  for (const auto& [digest, tensor] : constants) offset += 40 + 8 * tensor->shape().size();
  std::string head(kMagic, sizeof(kMagic));
  Put(head, uint64_t{constants.size()});
  for (const auto& [digest, tensor] : constants) {
    offset = Aligned(offset);
    Put(head, offset);
    Put(head, uint64_t{tensor->byte_size()});
    Put(head, digest.high);
    Put(head, digest.low);
    Put(head, static_cast<uint32_t>(tensor->dtype()));
    Put(head, static_cast<uint32_t>(tensor->shape().size()));
    for (int64_t dim : tensor->shape()) Put(head, dim);
    offset += tensor->byte_size();
  }
  out << head;
  uint64_t written = head.size();
  for (const auto& [digest, tensor] : constants) {
    out << std::string(Aligned(written) - written, '\0');
    tensor->contents().ForEachPart([&](std::string_view part) {
      out.write(part.data(), static_cast<std::streamsize>(part.size()));
      return static_cast<bool>(out);
    });
    written = Aligned(written) + tensor->byte_size();
  }
  return out ? absl::OkStatus() : absl::UnavailableError("file of constants: writing fails");
}

absl::StatusOr<ConstantSource> ReadConstants(std::shared_ptr<const void> owner,
                                             absl::Span<const uint8_t> bytes) {
  if (bytes.size() < sizeof(kMagic) || std::memcmp(bytes.data(), kMagic, sizeof(kMagic)) != 0) {
    return Damaged("another format");
  }
  Cursor cursor(bytes.subspan(sizeof(kMagic)));
  const uint64_t count = cursor.Take<uint64_t>();
  auto constants = std::make_shared<std::map<Digest, Tensor>>();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = cursor.Take<uint64_t>();
    const uint64_t size = cursor.Take<uint64_t>();
    Digest digest;
    digest.high = cursor.Take<uint64_t>();
    digest.low = cursor.Take<uint64_t>();
    const uint32_t dtype = cursor.Take<uint32_t>();
    const uint32_t rank = cursor.Take<uint32_t>();
    if (!cursor.ok()) return Damaged("the entries end early");
    if (dtype >= static_cast<uint32_t>(kDTypeCount)) return Damaged("an unknown element type");
    if (rank > kMostDims) return Damaged(absl::StrCat("a rank of ", rank));
    std::vector<int64_t> shape;
    for (uint32_t d = 0; d < rank; ++d) shape.push_back(cursor.Take<int64_t>());
    if (!cursor.ok()) return Damaged("the entries end early");
    if (offset > bytes.size() || size > bytes.size() - offset) {
      return Damaged(absl::StrCat("a constant of ", size, " bytes at ", offset, " in a file of ",
                                  bytes.size()));
    }
    absl::StatusOr<Tensor> tensor = Tensor::View(static_cast<DType>(dtype), std::move(shape), owner,
                                                 bytes.subspan(offset, size));
    if (!tensor.ok()) return Damaged(tensor.status().message());
    constants->insert_or_assign(digest, *std::move(tensor));
  }
  return ConstantSource([constants](const Digest& digest) -> absl::StatusOr<Tensor> {
    const auto it = constants->find(digest);
    if (it == constants->end()) {
      return absl::NotFoundError(absl::StrCat("no constant ", digest.ToString()));
    }
    if (DigestOf(it->second) != digest) {
      return absl::DataLossError(absl::StrCat("constant ", digest.ToString(), " is damaged"));
    }
    return it->second;
  });
}

}  // namespace tessera::ir
