// Choices that depend on a seed alone.
#ifndef TESSERA_TESTING_SAMPLING_RANDOM_H_
#define TESSERA_TESTING_SAMPLING_RANDOM_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace tessera::testing {

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // The same seed under another name gives other choices.
  Random(uint64_t seed, std::string_view name) : state_(seed) {
    for (const char c : name) state_ = (state_ ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  }

  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In 0 .. n - 1; n is positive.
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  // One in n times.
  bool OneIn(int64_t n) { return Below(n) == 0; }
  // In -1 .. 1, with 24 bits: exact in f32.
  double Real() { return static_cast<double>(Next() >> 40) / static_cast<double>(1 << 23) - 1; }
  template <class T>
  const T& Of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(Below(static_cast<int64_t>(choices.size())))];
  }

 private:
  uint64_t state_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_RANDOM_H_
