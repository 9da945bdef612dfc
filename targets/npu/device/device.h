// A generation of the device: what its layers admit and what its arithmetic depends on. All of it
// is data, read from `targets/npu/devices/*.device`; a generation is one file there.
//
// A layer is what the device runs in one step: `affine`, `grouped` (affine with a matrix of
// biases), `diagonal`, `recurrent`, `copy`, `interleave`, `deinterleave`, `convolution_1d`
// (pooling before the table), `convolution_row` (one-dimensional, on the engine of
// `convolution_2d`), `convolution_2d`. A place is one of its operands or parameters.
//
// Each limit has an id, by which messages and certificates name it: `affine.input.H`,
// `affine.input.type`, `convolution_2d.square`, `operations`.
#ifndef TESSERA_TARGETS_NPU_DEVICE_DEVICE_H_
#define TESSERA_TARGETS_NPU_DEVICE_DEVICE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "targets/npu/device/data_type.h"

namespace tessera::npu {

// What a size may be.
struct Limit {
  int64_t least = 0, most = 0, multiple = 1;
  std::map<DataType, int64_t> multiples;  // of operands of these types, in place of `multiple`

  int64_t MultipleFor(DataType type) const;
  // `8..65535, a multiple of 8`; the multiple for `type`.
  std::string Text(DataType type) const;
};

struct Place {
  // In the order of the tensor's axes: N number, H height, W width, D depth.
  std::vector<std::pair<char, Limit>> dims;
  std::vector<DataType> types;  // of a parameter none

  const Limit* Find(char dim) const;
};

// `PLACE DIM RANGE` or, without a dim, `PLACE : TYPES`.
struct Condition {
  std::string place;
  char dim = 0;
  Limit limit;
  std::vector<DataType> types;
};

// What holds of several places together.
struct Rule {
  enum Kind : uint8_t { kRange, kSameType, kSquare } kind = kRange;
  std::string name, place;
  char dim = 0;       // of kRange
  Limit limit;        // of kRange
  std::string other;  // of kSameType: the place whose type it has
  std::vector<Condition> when;
  bool with_table = false;  // only where the layer has a table
};

// Types of input, weights and biases that can be multiplied and added.
struct Products {
  DataType input, weights;
  bool compound;  // biases are compound; or else plain integers, or none
};

struct Layer {
  std::map<std::string, Place, std::less<>> places;
  std::vector<Products> products;  // empty: the layer multiplies nothing
  std::vector<Rule> rules;

  const Place* Find(std::string_view place) const;
};

struct Device {
  static constexpr int64_t kVectors = 8;  // as many as the buffer is described for

  std::string name, recorded;  // `gna-2.0`; in recorded models `2.0`
  std::string doc;             // the comment above it
  Limit operations;            // of a model
  int64_t alignment = 1;       // of each operand in memory, bytes
  // Elements that the input buffer takes for 1 to 8 vectors together; where input and weights have
  // 8 bits the second one, if there is one (no zeros).
  std::array<int64_t, kVectors> buffer{}, buffer_i8{};
  std::map<std::string, Layer, std::less<>> layers;

  const Layer* Find(std::string_view layer) const;
  // Elements of each of `vectors` (at least one) vectors that one fill of the buffer takes; at
  // least one.
  int64_t BufferPerVector(int64_t vectors, DataType input, DataType weights) const;
};

// All that there are, by name; read from what is compiled in, which a test checks.
absl::Span<const Device> Devices();
const Device* FindDevice(std::string_view name);  // null: none
const Device* FindRecorded(std::string_view recorded);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_DEVICE_DEVICE_H_
