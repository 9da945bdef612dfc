// Content digests: 128 bits, equal on every machine and in every run. They tell constants apart and
// are no defence against an adversary.
#ifndef TESSERA_IR_DIGEST_H_
#define TESSERA_IR_DIGEST_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "ir/tensor.h"

namespace tessera::ir {

struct Digest {
  uint64_t high = 0;
  uint64_t low = 0;

  std::string ToString() const;  // 32 hexadecimal digits
  static std::optional<Digest> FromString(std::string_view text);
  friend auto operator<=>(const Digest&, const Digest&) = default;
};

// Accumulates pieces; what they are and where they end is part of what is hashed.
class Hasher {
 public:
  void Add(uint64_t word);
  void Add(std::string_view text);
  void AddBytes(const support::ByteRun& bytes);
  Digest digest() const;

 private:
  uint64_t a_ = 0x243f6a8885a308d3;  // digits of pi
  uint64_t b_ = 0x13198a2e03707344;
};

// Of dtype, shape and bytes.
Digest DigestOf(const Tensor& tensor);

// Whether to go through a constant costs something: where another way will do, it is taken.
inline bool IsLarge(const Tensor& tensor) { return tensor.byte_size() > 4096; }

}  // namespace tessera::ir

#endif  // TESSERA_IR_DIGEST_H_
