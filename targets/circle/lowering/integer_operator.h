// An operator over integers while it is put together from one over floats.
#ifndef TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_OPERATOR_H_
#define TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_OPERATOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/rewriter.h"
#include "targets/circle/lowering/stored.h"

namespace tessera::circle {

// The parameter of an operand or result (`scale`, `zero_point`, `quantized_dimension`) among the
// attributes; -1: there is none.
int ParameterOf(const ir::OpInfo& info, std::string_view tensor, std::string_view parameter);

// What the definition says an attribute is where others that are absent are these numbers.
absl::StatusOr<ir::Attribute> DefaultOf(const ir::OpInfo& info, int attr,
                                        std::vector<ir::Attribute> attrs, double number,
                                        int64_t integer);

class IntegerOperator {
 public:
  // `op` over floats is to be `info`, before the rewriter's insertion point.
  IntegerOperator(const ir::Operation& op, const ir::OpInfo& info, ir::Rewriter& rewriter)
      : op_(op),
        info_(info),
        rewriter_(rewriter),
        operands_(info.operands.size()),
        attrs_(info.attrs.size()) {}

  // Attributes, and operands as integers; activations have that type. Error: what of them is not
  // stored as integers, as the end of a sentence.
  absl::Status Take(ir::DType dtype);
  // The first operand that is quantized.
  const std::optional<Quantization>& first() const { return first_; }
  // The operator, the result as `wanted` or, where `wanted` is null, as the definition would have
  // it.
  absl::StatusOr<Stored> Make(const Quantization* wanted);

 private:
  absl::Status CheckSteps(const Quantization& wanted) const;
  absl::Status TakeOperand(const std::string& name, ir::Value* value, const ir::OperandSpec& spec);
  absl::StatusOr<ir::Value*> Whole(const std::string& name, ir::Value* value);
  absl::StatusOr<ir::Value*> Channels(const std::string& name, ir::Value* value);
  double InputsScale() const;
  ir::Value* ScaleConstant(const std::vector<float>& scales);
  absl::StatusOr<int64_t> Default(int attr) const;

  const ir::Operation& op_;
  const ir::OpInfo& info_;
  ir::Rewriter& rewriter_;
  std::vector<ir::Value*> operands_, rest_;
  std::vector<ir::Attribute> attrs_;
  ir::DType dtype_ = ir::DType::kI8;
  bool variadic_ = false, products_known_ = false;
  std::optional<Quantization> first_;
  std::vector<float> channel_scales_;
  std::vector<double> channel_sums_;  // the largest that products of inputs of 8 bits add up to
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_LOWERING_INTEGER_OPERATOR_H_
