// One node of a model being imported, as generated importer clauses see it. Implemented by the
// frontend.
#ifndef TESSERA_IR_IMPORT_NODE_H_
#define TESSERA_IR_IMPORT_NODE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/value.h"

namespace tessera::ir {

class ImportNode {
 public:
  virtual ~ImportNode() = default;
  virtual int opset() const = 0;
  virtual int input_count() const = 0;
  virtual int output_count() const = 0;
  virtual Value* Input(int index) const = 0;  // null where absent
  virtual bool Wants(int output) const = 0;   // the output has a name and a use
  virtual bool HasAttr(std::string_view name) const = 0;
  // Absent or (after a recorded error) of the wrong type: nullopt.
  virtual std::optional<int64_t> Int(std::string_view name) = 0;
  virtual std::optional<double> Float(std::string_view name) = 0;
  virtual std::optional<std::string> String(std::string_view name) = 0;
  virtual std::optional<std::vector<int64_t>> Ints(std::string_view name) = 0;
  virtual std::optional<std::vector<double>> Floats(std::string_view name) = 0;
  virtual std::optional<std::vector<std::string>> Strings(std::string_view name) = 0;
  // An attribute that holds a TensorProto.DataType.
  virtual std::optional<DType> DTypeAttr(std::string_view name) = 0;
  virtual Value* TensorAttr(std::string_view name) = 0;
  // The elements of an input, integers or floats that are whole, as expressions; an error names the
  // input when it depends on values known only at run time.
  virtual std::vector<Expr> Elements(Value* input) = 0;
  virtual bool DependsOnData(const Value* input) const = 0;  // they do: no Elements are to be had
  // The values of a constant input; an error names the input when it depends on values known only
  // at run time.
  virtual std::vector<double> Numbers(Value* input) = 0;
  virtual bool HasNumbers(const Value* input) const = 0;  // Numbers would find them
  // Where an operator's text can be read in two ways, whether the user chose this one:
  // `reading(x)`.
  virtual bool Reads(std::string_view reading) const = 0;
  // Records a diagnostic of this node.
  virtual void Fail(std::string reason) = 0;
  virtual bool failed() const = 0;

  // An integer that says yes (1) or no (0); what others make of other numbers differs: an error.
  std::optional<bool> Flag(std::string_view name) {
    const std::optional<int64_t> number = Int(name);
    if (!number) return std::nullopt;
    if (*number != 0 && *number != 1)
      Fail("attribute `" + std::string(name) + "` is " + std::to_string(*number) +
           ", neither 0 nor 1");
    return *number == 1;
  }
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_IMPORT_NODE_H_
