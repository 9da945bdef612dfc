#include "support/byte_run.h"

#include <algorithm>
#include <cstring>
#include <future>
#include <vector>

#include "support/mapped_pages.h"

namespace tessera::support {
namespace {

// What is made at once: enough that a thread is worth it.
constexpr size_t kPart = size_t{1} << 20;

}  // namespace

void ByteRun::Read(size_t begin, absl::Span<uint8_t> into) const {
  if (source_ != nullptr) {
    source_->Read(begin, into);
  } else if (!into.empty()) {
    std::memcpy(into.data(), bytes_.data() + begin, into.size());
  }
}

bool ByteRun::ForEachPart(absl::FunctionRef<bool(std::string_view)> take) const {
  if (source_ == nullptr) return bytes_.empty() || take(bytes_);
  std::vector<uint8_t> part(std::min(kPart, size_)), next;
  source_->Read(0, absl::MakeSpan(part));
  for (size_t begin = 0; begin < size_;) {
    begin += part.size();
    // The next part is made while this one is taken.
    next.resize(std::min(kPart, size_ - begin));
    std::future<void> made;
    if (!next.empty()) {
      // Where there are no more threads it is made afterwards.
      made = std::async(std::launch::async | std::launch::deferred,
                        [&] { source_->Read(begin, absl::MakeSpan(next)); });
    }
    const bool goes_on = take({reinterpret_cast<const char*>(part.data()), part.size()});
    if (made.valid()) made.get();
    if (!goes_on) return false;
    part.swap(next);
  }
  return true;
}

void ByteRun::Forget() const {
  constexpr size_t kWorthIt = size_t{1} << 18;
  if (size_ < kWorthIt) return;
  if (source_ != nullptr) {
    source_->Forget();
  } else {
    ForgetPages(bytes_);
  }
}

bool operator==(const ByteRun& a, const ByteRun& b) {
  if (a.size() != b.size()) return false;
  if (!a.IsMade() && !b.IsMade())
    return a.bytes().data() == b.bytes().data() || a.bytes() == b.bytes();
  std::vector<uint8_t> other(std::min(kPart, a.size()));
  size_t begin = 0;
  return (a.IsMade() ? a : b).ForEachPart([&](std::string_view part) {
    const absl::Span<uint8_t> same = absl::MakeSpan(other).first(part.size());
    (a.IsMade() ? b : a).Read(begin, same);
    begin += part.size();
    return std::memcmp(part.data(), same.data(), part.size()) == 0;
  });
}

std::string Join(absl::Span<const ByteRun> runs) {
  size_t size = 0;
  for (const ByteRun& run : runs) size += run.size();
  std::string bytes;
  bytes.reserve(size);
  for (const ByteRun& run : runs) {
    run.ForEachPart([&](std::string_view part) {
      bytes += part;
      return true;
    });
  }
  return bytes;
}

}  // namespace tessera::support
