// Floats that are stored as integers of a known scale and zero point, in a graph: what says so, and
// the operations that convert.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_STORED_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_STORED_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/rewriter.h"

namespace tessera::circle {

// What a tensor is quantized by.
struct Quantization {
  ir::DType dtype = ir::DType::kI8;
  double scale = 1;
  int64_t zero_point = 0;

  bool operator==(const Quantization&) const = default;
};
// Integers that stand for floats.
struct Stored {
  ir::Value* value = nullptr;
  Quantization by;
};

// Of what DEQUANTIZED makes of integers, and QUANTIZED of floats; nullopt: it is none of them.
std::optional<Stored> DequantizedFrom(const ir::Value* value);
std::optional<Quantization> QuantizedBy(const ir::Operation* op);

// What `op` makes of floats in units of one, which is read as floats of one other scale: of the
// floats times that scale by that scale, as an operator's own rounding leaves it and as a file can
// say it. nullptr: it makes no such.
absl::StatusOr<ir::Value*> MakeAsRead(const ir::Operation& op, ir::Rewriter& rewriter);

// Such operations.
absl::StatusOr<ir::Value*> MakeStandIn(const Stored& from, ir::Rewriter& rewriter);
absl::StatusOr<ir::Value*> MakeToBeStored(ir::Value* floats, const Quantization& by,
                                          ir::Rewriter& rewriter);

// Floats, rounded to those that integers stand for: a stand-in for what is to be stored, by an
// operation of floats alone.
absl::StatusOr<ir::Value*> MakeRounded(ir::Value* floats, const Quantization& by,
                                       ir::Rewriter& rewriter);

// `from` as integers of another scale, or floats as integers, or integers as floats, by operators
// of the format. Error: the format has none for these types.
absl::StatusOr<Stored> MakeRequantized(const Stored& from, const Quantization& wanted,
                                       ir::Rewriter& rewriter);
absl::StatusOr<ir::Value*> MakeQuantized(ir::Value* floats, const Quantization& wanted,
                                         ir::Rewriter& rewriter);
absl::StatusOr<ir::Value*> MakeDequantized(const Stored& from, ir::Rewriter& rewriter);

// The same numbers less 128 and back again, from what they were before. Error (Unimplemented): `op`
// is not the way back.
absl::StatusOr<ir::Value*> MakeConvertedAtOnce(const ir::Operation& op, ir::Rewriter& rewriter);

// What an operator of the format that converts does, by others: floats to i8 by way of u8, i8 to i8
// as a product with one or by way of floats, floats to u8 and back by what the dialect spells out,
// i8 to u8 and back by way of floats. Error (Unimplemented): `op` is no such operator.
absl::StatusOr<ir::Value*> MakeConvertedOtherwise(const ir::Operation& op, ir::Rewriter& rewriter);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_STORED_H_
