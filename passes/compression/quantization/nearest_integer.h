// Rounding to integers, several numbers at once.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_NEAREST_INTEGER_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_NEAREST_INTEGER_H_

namespace tessera::compression {

// The nearest integer, halves to even, of numbers below 2^22: what the addition does to a number
// whose last bit is worth one. A call of the library's function for each element takes longer than
// all else that is done to it. `Numbers` is f32 or an Eigen array of them.
template <class Numbers>
auto NearestInteger(const Numbers& x) {
  constexpr float kLastBitIsOne = 12582912;  // 1.5 * 2^23
  return (x + kLastBitIsOne) - kLastBitIsOne;
}

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_NEAREST_INTEGER_H_
