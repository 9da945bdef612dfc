#include "frontends/pt2/weights.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tessera::pt2_import {
namespace {

using Bytes = absl::Span<const uint8_t>;

absl::string_view TextOf(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

absl::StatusOr<std::vector<int64_t>> NumbersOf(const std::vector<Size>& sizes) {
  std::vector<int64_t> numbers;
  for (const Size& size : sizes) {
    if (!size.text.empty()) return absl::InvalidArgumentError("its sizes are symbolic");
    numbers.push_back(size.number);
  }
  return numbers;
}

absl::Status Prefixed(absl::string_view prefix, const absl::Status& status) {
  return {status.code(), absl::StrCat(prefix, ": ", status.message())};
}

// Whether elements lie next to each other in row-major order.
bool IsContiguous(const std::vector<int64_t>& sizes, const std::vector<int64_t>& strides) {
  int64_t expected = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != expected) return false;
    expected *= sizes[d];
  }
  return true;
}

}  // namespace

absl::StatusOr<Weights::Entry> Weights::EntryOf(const Payload& payload,
                                                const std::string& folder) const {
  if (payload.pickled) return absl::UnimplementedError("is a pickled object, not a plain tensor");
  if (!payload.meta.strided) return absl::UnimplementedError("is sparse, or of another layout");
  absl::StatusOr<ir::DType> dtype = HeldTypeOf(payload.meta.dtype);
  if (!dtype.ok()) return dtype.status();
  absl::StatusOr<std::vector<int64_t>> sizes = NumbersOf(payload.meta.sizes);
  absl::StatusOr<std::vector<int64_t>> strides = NumbersOf(payload.meta.strides);
  if (!sizes.ok()) return sizes.status();
  if (!strides.ok()) return strides.status();
  absl::StatusOr<Bytes> storage = archive_.Read(absl::StrCat(folder, payload.path));
  if (!storage.ok()) return storage.status();
  Entry entry{
      *dtype,          *storage, payload.meta.offset.number, *std::move(sizes), *std::move(strides),
      absl::OkStatus()};
  if (PartTypeOf(payload.meta.dtype)) SplitNumbers(entry);
  return entry;
}

void Weights::SplitNumbers(Entry& entry) {
  // Beyond this all leave their storage anyway.
  static constexpr int64_t kMost = int64_t{1} << 60;
  const auto twice = [](int64_t number) { return std::clamp(number, -kMost, kMost) * 2; };
  entry.offset = twice(entry.offset);
  for (int64_t& stride : entry.strides) stride = twice(stride);
  entry.sizes.push_back(2);
  entry.strides.push_back(1);
}

absl::Status Weights::AddPayloads(const std::string& list, const std::string& folder) {
  absl::StatusOr<Bytes> bytes = archive_.Read(list);
  if (!bytes.ok()) return bytes.status();
  absl::StatusOr<std::map<std::string, Payload>> payloads = ReadPayloads(TextOf(*bytes));
  if (!payloads.ok()) return Prefixed(list, payloads.status());
  for (const auto& [name, payload] : *payloads) {
    absl::StatusOr<Entry> entry = EntryOf(payload, folder);
    if (entry.ok()) {
      entries_[name] = *std::move(entry);
    } else {
      entries_[name].status = entry.status();
    }
  }
  return absl::OkStatus();
}

absl::Status Weights::AddPickled(const std::string& name) {
  absl::StatusOr<Bytes> bytes = archive_.Read(name);
  if (!bytes.ok()) return bytes.status();
  if (bytes->empty()) return absl::OkStatus();  // nothing to save
  absl::StatusOr<Archive> saved = Archive::Open(*bytes);
  if (!saved.ok()) return Prefixed(name, saved.status());
  const std::optional<std::string> folder = saved->FolderOf("/data.pkl");
  if (!folder) return absl::InvalidArgumentError(absl::StrCat(name, ": no entry `data.pkl`"));
  if (const auto order = saved->Read(*folder + "/byteorder");
      order.ok() && TextOf(*order) != "little")
    return absl::UnimplementedError(absl::StrCat(name, ": its numbers are big-endian"));
  absl::StatusOr<Bytes> pickle = saved->Read(*folder + "/data.pkl");
  if (!pickle.ok()) return Prefixed(name, pickle.status());
  absl::StatusOr<std::map<std::string, PickledTensor>> tensors = ReadPickledTensors(*pickle);
  if (!tensors.ok()) return Prefixed(name, tensors.status());
  for (auto& [tensor_name, tensor] : *tensors) {
    absl::StatusOr<Bytes> storage = saved->Read(absl::StrCat(*folder, "/data/", tensor.storage));
    Entry& entry = entries_[tensor_name];
    if (!storage.ok()) {
      entry.status = Prefixed(name, storage.status());
      continue;
    }
    entry = {tensor.dtype,
             *storage,
             tensor.offset,
             std::move(tensor.sizes),
             std::move(tensor.strides),
             absl::OkStatus()};
    if (tensor.complex) SplitNumbers(entry);
  }
  return absl::OkStatus();
}

absl::StatusOr<ir::Tensor> Weights::Load(const std::string& name) const {
  const auto it = entries_.find(name);
  if (it == entries_.end()) return absl::InvalidArgumentError("is not in the archive");
  const Entry& entry = it->second;
  if (!entry.status.ok()) return entry.status;
  const size_t bytes = ir::SizeOf(entry.dtype);
  absl::StatusOr<int64_t> count = ir::ElementCount(entry.sizes, bytes);
  if (!count.ok()) return count.status();
  if (entry.strides.size() != entry.sizes.size() || entry.offset < 0)
    return absl::InvalidArgumentError("its strides or its offset are wrong");
  // The last element that is read; none of the numbers can be larger than the storage.
  const int64_t held = static_cast<int64_t>(entry.storage.size() / bytes);
  int64_t last = entry.offset;
  for (size_t d = 0; d < entry.sizes.size() && *count > 0; ++d) {
    const int64_t steps = entry.sizes[d] - 1;
    if (entry.strides[d] < 0 || (steps > 0 && entry.strides[d] > held / steps))
      return absl::InvalidArgumentError("it leaves its storage");
    last += steps * entry.strides[d];
    if (last > held) break;
  }
  if (*count > 0 && last >= held)
    return absl::InvalidArgumentError(absl::StrCat("it leaves its storage, which holds ", held,
                                                   " elements (the archive may be cut off)"));
  // Elements that repeat: an expanded scalar is fine, a gigabyte out of four bytes is not.
  if (*count > held && *count > (int64_t{1} << 24))
    return absl::InvalidArgumentError(absl::StrCat("it repeats ", held, " elements to ", *count));
  if (*count == 0 || IsContiguous(entry.sizes, entry.strides)) {
    const size_t begin = *count == 0 ? 0 : static_cast<size_t>(entry.offset) * bytes;
    return ir::Tensor::View(entry.dtype, entry.sizes, owner_,
                            entry.storage.subspan(begin, static_cast<size_t>(*count) * bytes));
  }
  absl::StatusOr<ir::Tensor> copy = ir::Tensor::Allocate(entry.dtype, entry.sizes);
  if (!copy.ok()) return copy.status();
  auto* out = copy->mutable_data<uint8_t>();
  std::vector<int64_t> index(entry.sizes.size(), 0);
  int64_t at = entry.offset;
  for (int64_t i = 0; i < *count; ++i) {
    std::memcpy(out + static_cast<size_t>(i) * bytes,
                entry.storage.data() + static_cast<size_t>(at) * bytes, bytes);
    for (size_t d = index.size(); d-- > 0;) {
      at += entry.strides[d];
      if (++index[d] < entry.sizes[d]) break;
      at -= index[d] * entry.strides[d];
      index[d] = 0;
    }
  }
  return copy;
}

std::vector<std::string> Weights::Sharing(const std::string& name) const {
  std::vector<std::string> others;
  const auto it = entries_.find(name);
  if (it == entries_.end()) return others;
  for (const auto& [other, entry] : entries_) {
    if (other != name && !entry.storage.empty() &&
        entry.storage.data() == it->second.storage.data())
      others.push_back(other);
  }
  return others;
}

}  // namespace tessera::pt2_import
