// Sums of products of integers back to integers of few bits, as TensorFlow Lite's reference kernels
// do it; what the definitions say of it in the op language, for their fast kernels.
#ifndef TESSERA_TARGETS_CIRCLE_INTEGERS_REQUANTIZE_H_
#define TESSERA_TARGETS_CIRCLE_INTEGERS_REQUANTIZE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace tessera::ops::circle_integers {

// A positive factor as multiplier * 2^(shift - 31), 2^30 <= multiplier < 2^31, or nothing at all.
class Multiplier {
 public:
  // Whether its shifts are those of a word. No network has others: TensorFlow Lite takes factors
  // below 2^8 at 16 bits.
  static bool Takes(double factor) { return factor >= 0 && factor < 8192; }

  explicit Multiplier(double factor) {
    const double fraction = std::frexp(factor, &shift_);
    multiplier_ = static_cast<int64_t>(std::floor(fraction * 2147483648.0 + 0.5));
    if (multiplier_ == int64_t{1} << 31) {
      multiplier_ /= 2;
      ++shift_;
    }
    if (shift_ < -31) multiplier_ = shift_ = 0;
  }

  // Rounded twice: halves up, then halves away from zero.
  int64_t Scale32(int64_t sum) const {
    const int64_t product = Product(Product(sum, int64_t{1} << std::max(shift_, 0)), multiplier_);
    const int64_t half = int64_t{1} << 30;
    const int64_t high = (product + (product >= 0 ? half : 1 - half)) / (int64_t{1} << 31);
    const int right = std::max(-shift_, 0);
    const int64_t rest = high - ((high >> right) << right);
    const int64_t middle = (((int64_t{1} << right) - 1) >> 1) + (high < 0 ? 1 : 0);
    return (high >> right) + (rest > middle ? 1 : 0);
  }
  // By 16 bits of the multiplier, rounded once: halves up.
  int64_t Scale64(int64_t sum) const {
    const int64_t few = multiplier_ < 0x7fff0000 ? (multiplier_ + (1 << 15)) >> 16 : 0x7fff;
    return (Product(sum, few) + (int64_t{1} << (14 - shift_))) >> (15 - shift_);
  }
  // By all of them, rounded once: halves up.
  int64_t ScaleOnce(int64_t sum) const {
    return (Product(sum, multiplier_) + (int64_t{1} << (30 - shift_))) >> (31 - shift_);
  }

 private:
  // Files may ask for sums that no network has.
  static int64_t Product(int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }

  int64_t multiplier_ = 0;
  int shift_ = 0;
};

// What a type and a fused activation leave of a stored result. `kind` is the schema's ordinal:
// NONE, RELU, RELU_N1_TO_1, RELU6.
struct StoredRange {
  template <class T>
  static StoredRange Of(T, int64_t kind, double scale, int64_t zero_point) {
    StoredRange range{std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    const auto stored = [&](double real) {
      return zero_point + static_cast<int64_t>(std::round(static_cast<float>(real / scale)));
    };
    if (kind != 0) range.low = std::max(range.low, stored(kind == 2 ? -1 : 0));
    if (kind >= 2) range.high = std::min(range.high, stored(kind == 3 ? 6 : 1));
    return range;
  }
  // Not std::clamp: the ends may have changed places.
  int64_t Clamp(int64_t v) const { return std::min(std::max(v, low), high); }

  int64_t low, high;
};

}  // namespace tessera::ops::circle_integers

#endif  // TESSERA_TARGETS_CIRCLE_INTEGERS_REQUANTIZE_H_
