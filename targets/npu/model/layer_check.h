// The limits of one layer against one operation, check by check. The first violation is kept, and
// after it nothing is looked at any more.
#ifndef TESSERA_TARGETS_NPU_MODEL_LAYER_CHECK_H_
#define TESSERA_TARGETS_NPU_MODEL_LAYER_CHECK_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "targets/npu/device/device.h"
#include "targets/npu/model/limit_log.h"
#include "targets/npu/model/model.h"
#include "targets/npu/model/violation.h"

namespace tessera::npu {

class LayerCheck {
 public:
  // Where the device lacks the layer, the violation names `lacking`. What is asked and met goes to
  // `log`, if there is one.
  LayerCheck(const Device& device, std::string_view layer, const Operation& operation,
             LimitLog* log = nullptr, OperandIndex lacking = kInput);

  const std::optional<Violation>& found() const { return found_; }
  bool ok() const { return !found_.has_value(); }

  // From here on the operand or parameter has these sizes.
  void See(std::string_view place, std::vector<int64_t> sizes) {
    seen_[std::string(place)] = std::move(sizes);
  }
  // The size of an axis; 0 where there is none.
  int64_t Size(std::string_view place, char dim) const;

  // Rank, type, sizes and address of an operand.
  void CheckOperand(OperandIndex operand);
  // Sizes that a parameter lists.
  void CheckSizes(std::string_view parameter);
  void CheckProducts();
  void CheckRules();
  // The table, if there is one or it is needed.
  void CheckTable(bool needed);
  // The output has 32 bits where there is no table.
  void CheckPlainOutput(Reason reason);

  // Checks on what is not in the description of a device. The place is an operand or a parameter.
  void AtMost(std::string_view place, char dim, int64_t most, const char* why);
  void Equal(std::string_view place, char dim, int64_t wanted, const char* why);
  void SameType(OperandIndex operand, OperandIndex other, const char* why);
  void Fail(Item item, Reason reason, std::optional<int64_t> operand,
            std::optional<int64_t> parameter, std::optional<int64_t> dimension, int64_t value,
            std::string limit);

 private:
  std::string_view NameOfOperand(int operand) const;
  int OperandOf(std::string_view place) const;  // -1: a parameter
  std::string Id(std::string_view rest) const;
  DataType TypeOf(std::string_view place) const;
  bool Holds(const Condition& condition) const;
  // Fails at an axis of a place.
  void FailAt(std::string_view place, char dim, Reason reason, int64_t value, std::string limit);
  void CheckRange(std::string_view place, char dim, const Limit& limit, const std::string& id);
  void CheckDims(std::string_view place);
  void Log(const std::string& id, std::string statement, const std::string& admits,
           const std::string& here);
  void LogRange(const std::string& id, const Limit& limit, DataType type, int64_t value);
  void LogType(const std::string& id, const std::vector<DataType>& types, DataType type);

  const Device& device_;
  std::string name_;
  const Layer* layer_;
  const Operation& operation_;
  std::map<std::string, std::vector<int64_t>, std::less<>> seen_;
  LimitLog* log_;
  std::optional<Violation> found_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_MODEL_LAYER_CHECK_H_
