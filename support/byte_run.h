// Bytes one after the other that are there, or that are made when somebody asks for them and so
// need not all be in memory at once.
#ifndef TESSERA_SUPPORT_BYTE_RUN_H_
#define TESSERA_SUPPORT_BYTE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"

namespace tessera::support {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Those from `begin` on, as many as `into` holds, which are no more than there are. The same each
  // time, from any thread.
  virtual void Read(size_t begin, absl::Span<uint8_t> into) const = 0;
  // Nobody is about to read more: what is in memory for it may go.
  virtual void Forget() const {}
};

// Refers to bytes or to a source, which must live longer.
class ByteRun {
 public:
  ByteRun(std::string_view bytes) : bytes_(bytes), size_(bytes.size()) {}  // NOLINT: as one reads
  ByteRun(const std::string& bytes) : ByteRun(std::string_view(bytes)) {}  // NOLINT: it
  ByteRun(absl::Span<const uint8_t> bytes)                                 // NOLINT
      : ByteRun(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())) {}
  ByteRun(const ByteSource& source, size_t size) : source_(&source), size_(size) {}

  size_t size() const { return size_; }
  bool IsMade() const { return source_ != nullptr; }
  std::string_view bytes() const { return bytes_; }  // empty where they are made

  // Those from `begin` on, as many as `into` holds.
  void Read(size_t begin, absl::Span<uint8_t> into) const;
  // All of them in their order, at once where they are there. Ends where `take` says false.
  bool ForEachPart(absl::FunctionRef<bool(std::string_view)> take) const;
  // They are not read again soon: what of them is in memory only for that may go.
  void Forget() const;

 private:
  std::string_view bytes_;
  const ByteSource* source_ = nullptr;
  size_t size_;
};

bool operator==(const ByteRun& a, const ByteRun& b);

// All of them, one after the other.
std::string Join(absl::Span<const ByteRun> runs);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_BYTE_RUN_H_
