#include "ir/digest.h"

#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace tessera::ir {
namespace {

constexpr uint64_t kOddA = 0xa4093822299f31d1;
constexpr uint64_t kOddB = 0x082efa98ec4e6c89;

__extension__ typedef unsigned __int128 uint128;

// The product of 64-bit words folded to one: both halves depend on all bits of both factors.
uint64_t Fold(uint64_t x, uint64_t y) {
  const uint128 product = static_cast<uint128>(x) * y;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Little-endian, whatever the machine.
uint64_t Word(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// 128 bits of state, to which both words of a step go twice: where one product is zero, the other
// and the old state keep what went into it.
struct Stripe {
  uint64_t a = 0, b = 0;

  void Add(uint64_t first, uint64_t second) {
    const uint64_t x = Fold(first ^ a, second ^ kOddA), y = Fold(first ^ kOddB, second ^ b);
    const uint64_t old = a;
    a = x + b;
    b = y ^ (old + kOddA);
  }
};

constexpr size_t kStriped = 256;  // bytes, from which stripes pay

void AddWords(const uint8_t* bytes, size_t size, Hasher& hasher) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) hasher.Add(Word(bytes + i));
  if (i == size) return;
  uint8_t rest[8] = {};
  std::memcpy(rest, bytes + i, size - i);
  hasher.Add(Word(rest));
}

}  // namespace

std::string Digest::ToString() const {
  return absl::StrCat(absl::Hex(high, absl::kZeroPad16), absl::Hex(low, absl::kZeroPad16));
}

std::optional<Digest> Digest::FromString(std::string_view text) {
  if (text.size() != 32) return std::nullopt;
  Digest digest;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    uint64_t nibble;
    if (c >= '0' && c <= '9') {
      nibble = static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      nibble = static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return std::nullopt;
    }
    uint64_t& half = i < 16 ? digest.high : digest.low;
    half = half << 4 | nibble;
  }
  return digest;
}

void Hasher::Add(uint64_t word) {
  // Adding the folded products to the old state keeps it from collapsing where a factor is zero.
  const uint64_t a = a_, b = b_;
  a_ = Fold(a ^ word, kOddA) + b;
  b_ = Fold(b ^ word, kOddB) ^ (a + kOddA);
}

void Hasher::Add(std::string_view text) {
  if (text.size() >= kStriped) {
    AddBytes(text);
    return;
  }
  Add(text.size());
  AddWords(reinterpret_cast<const uint8_t*>(text.data()), text.size(), *this);
}

void Hasher::AddBytes(const support::ByteRun& bytes) {
  Add(bytes.size());
  // One chain of multiplications waits for each of them; four chains run as fast as memory.
  Stripe stripes[4];
  for (uint64_t s = 0; s < 4; ++s) stripes[s] = {a_ ^ s, b_ + s};
  const bool striped = bytes.size() >= kStriped;
  size_t left = bytes.size();
  bytes.ForEachPart([&](std::string_view part) {
    const auto* const data = reinterpret_cast<const uint8_t*>(part.data());
    size_t i = 0;
    // All parts but the last are made of whole stripes.
    for (; striped && i + 64 <= part.size(); i += 64) {
      for (size_t s = 0; s < 4; ++s)
        stripes[s].Add(Word(data + i + 16 * s), Word(data + i + 16 * s + 8));
    }
    left -= part.size();
    if (left > 0) return true;
    for (const Stripe& stripe : stripes) {
      if (!striped) break;
      Add(stripe.a);
      Add(stripe.b);
    }
    AddWords(data + i, part.size() - i, *this);
    return true;
  });
}

Digest Hasher::digest() const {
  Hasher last = *this;
  last.Add(uint64_t{0});
  last.Add(uint64_t{1});
  return {last.a_, last.b_};
}

Digest DigestOf(const Tensor& tensor) {
  Hasher hasher;
  hasher.Add(static_cast<uint64_t>(tensor.dtype()));
  hasher.Add(tensor.shape().size());
  for (int64_t dim : tensor.shape()) hasher.Add(static_cast<uint64_t>(dim));
  hasher.AddBytes(tensor.contents());
  return hasher.digest();
}

}  // namespace tessera::ir
