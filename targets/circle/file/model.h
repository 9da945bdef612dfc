// One Circle file in memory: what its bytes say, resolved to names and plain vectors, and nothing
// of the compiler's own IR.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_MODEL_H_
#define TESSERA_TARGETS_CIRCLE_FILE_MODEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "support/byte_run.h"
#include "targets/circle/schema/circle_generated.h"

namespace tessera::circle {

using ::circle::TensorType;

// The value of one option. Enums are named (`SAME`), of any width; elements of integer, bool and
// enum vectors are numbers. Only a field that holds fractions takes a double.
using OptionValue =
    std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

// Affine: real = scale * (stored - zero_point), along `axis` where there are several scales.
struct FileQuantization {
  std::vector<float> min, max;  // a calibration record, may be empty
  std::vector<float> scale;
  std::vector<int64_t> zero_point;  // as many as scales
  int32_t axis = 0;

  bool operator==(const FileQuantization&) const = default;
};

struct FileTensor {
  std::string name;
  TensorType type = ::circle::TensorType_FLOAT32;
  std::vector<int64_t> shape;  // -1 for a dim that is known only at run time
  // The file does not say that those are unknown (loop_sizes.h, result_sizes.h).
  bool sizes_kept_back = false;
  bool is_constant = false;
  bool is_variable = false;  // a state that lasts from one run to the next
  // Of a constant: its elements, row-major and little-endian, 4-bit types two a byte, the first in
  // the low half. Alive as long as `owner` is. Where `source` makes them, `data` is empty.
  absl::Span<const uint8_t> data;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const support::ByteSource> source;
  size_t source_bytes = 0;
  std::optional<FileQuantization> quantization;

  support::ByteRun contents() const {
    return source == nullptr ? support::ByteRun(data) : support::ByteRun(*source, source_bytes);
  }
};

struct FileOperator {
  int32_t builtin_code = 0;  // BuiltinOperator
  int32_t version = 1;
  std::string custom_code;       // of code CUSTOM only
  std::vector<int32_t> inputs;   // tensors, -1 for an optional one that is left out
  std::vector<int32_t> outputs;  // tensors
  std::string options_table;     // such as `Conv2DOptions`; empty where there are none
  // By field name. Fields that are left out have the schema's default. A file that was read names
  // all fields, in the order of their ids, but for strings and vectors that it leaves out.
  std::vector<std::pair<std::string, OptionValue>> options;
  std::string custom_options;  // of code CUSTOM only
};

// How an application addresses the model: names of its own for inputs and outputs.
struct FileSignature {
  std::string key;
  std::vector<std::pair<std::string, int32_t>> inputs, outputs;  // name, tensor
};

struct FileGraph {
  std::string name;
  std::vector<FileTensor> tensors;
  std::vector<int32_t> inputs, outputs;  // tensors
  std::vector<FileOperator> operators;   // in the order in which they run
};

struct FileModel {
  std::string description;
  // The first is what the model computes. The others are run by operators that name them.
  std::vector<FileGraph> graphs = std::vector<FileGraph>(1);
  std::vector<FileSignature> signatures;        // of the first graph
  std::map<std::string, std::string> metadata;  // name to bytes
  // Of other names: so many bytes, the last of the file.
  std::map<std::string, std::pair<std::shared_ptr<const support::ByteSource>, size_t>>
      late_metadata;

  FileGraph& main() { return graphs.front(); }
  const FileGraph& main() const { return graphs.front(); }
};

// The option named `field`, or null where the operator does not have it.
const OptionValue* FindOption(const FileOperator& op, std::string_view field);

// Bits of one element; 0 for types without a fixed size (strings, block formats, resources).
int BitsOf(TensorType type);

// Bytes of a constant of this type and shape; nullopt if a dim is negative, the type has no fixed
// size or the product exceeds 2^62.
std::optional<int64_t> ByteSize(TensorType type, absl::Span<const int64_t> shape);

// `tensor 3 `name``, `operator 3 `CONV_2D``: places in messages; what goes before them in other
// graphs than the first, `subgraph 1 `body`: `.
std::string TensorPlace(const FileGraph& graph, int64_t index);
std::string OperatorPlace(const FileGraph& graph, int64_t index);
std::string GraphPlace(const FileModel& model, size_t graph);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_MODEL_H_
