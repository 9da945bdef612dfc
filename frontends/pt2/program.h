// The exported program in an archive, as its JSON states it (torch/_export/serde/schema.py), before
// anything of it is understood.
#ifndef TESSERA_FRONTENDS_PT2_PROGRAM_H_
#define TESSERA_FRONTENDS_PT2_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/dtype.h"

namespace tessera::pt2_import {

// Majors of SCHEMA_VERSION from torch 2.5 to 2.15.
inline constexpr int64_t kOldestSchema = 7, kNewestSchema = 8;

// One number, name or text of an argument.
struct Item {
  enum Kind : uint8_t { kNone, kName, kInt, kFloat, kBool, kText, kType, kComplex };
  Kind kind = kNone;
  std::string text;    // kName: of a value of the graph; kText
  int64_t number = 0;  // kInt, kBool; kType: a ScalarType
  double real = 0;     // kFloat; kComplex
  double imaginary = 0;
};

struct Argument {
  std::string name;  // of the operator's schema
  std::string form;  // the JSON's key: `as_tensor`
  bool list = false;
  bool placement = false;  // where or how PyTorch keeps a tensor, nothing of what it holds
  bool known = true;       // false: of a form that cannot be imported
  std::vector<Item> items;
};

struct Size {
  std::string text;  // of a symbolic one, as the file has it
  int64_t number = 0;
};

struct TensorMeta {
  int64_t dtype = 0;  // ScalarType
  bool strided = true;
  std::vector<Size> sizes, strides;
  Size offset;
};

// A node of the program, or a part of a loop: where one begins, entries of what it goes through,
// and where it ends. What is computed at each position stands between. A part has these arguments:
// of the first, `initial` (states), and `goes_on` (whether there is a first position) or `along` (a
// tensor with an entry for each); of an entry `x`; of the last `next` (states), `again` where there
// was `goes_on`, and `collected`.
struct Node {
  enum Part : uint8_t { kCall, kLoopBegin, kLoopEntry, kLoopEnd };
  Part part = kCall;
  std::string loop;  // of a part: which
  std::string target, name;
  std::vector<Argument> inputs, outputs;
  std::string module;  // `layers.0.attn`, from nn_module_stack
  std::string source;  // `model.py:12: y = conv(x)`, the innermost line of the user's
  int branch = 0;      // of which graph that may not be chosen it is a part; 0: of none
};

struct InputSpec {
  enum Kind : uint8_t { kUser, kParameter, kBuffer, kConstant, kScalar, kOther };
  Kind kind = kOther;
  std::string form;    // the JSON's key
  std::string value;   // the name in the graph
  std::string target;  // of a parameter, buffer or constant
  bool tensor = true;  // of kUser
};

struct OutputSpec {
  std::string form;  // the JSON's key: `user_output`, `buffer_mutation`
  Argument value;
  std::string target;
};

struct Range {
  std::optional<int64_t> low, high;
};

struct Program {
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  std::vector<Node> nodes;
  std::map<std::string, TensorMeta> tensors;
  std::map<std::string, std::string> numbers;  // what the file calls results that are sizes
  std::map<std::string, Range> ranges;         // by the text of a size
  std::vector<std::string> guards;             // in Python
  int branches = 0;
  std::string torch_version;
  int64_t schema_major = 0, schema_minor = 0;
};

// Bytes of JSON that are read: what it is parsed into takes several times that.
inline constexpr size_t kMaxJson = 64 << 20;

absl::StatusOr<Program> ReadProgram(absl::string_view json);

// Where the tensors of an archive of newer layout lie: `model_weights_config.json`.
struct Payload {
  std::string path;
  bool pickled = false;
  TensorMeta meta;
};
absl::StatusOr<std::map<std::string, Payload>> ReadPayloads(absl::string_view json);

// Of PyTorch's ScalarType. Error: names the type that there is no element type for.
absl::StatusOr<ir::DType> DTypeOf(int64_t scalar_type);
// Of a complex one, that of the real and the imaginary part; nullopt: it is not complex.
std::optional<ir::DType> PartTypeOf(int64_t scalar_type);
// Of what the graph holds for such a tensor: its elements, or their parts. Errors: as DTypeOf.
absl::StatusOr<ir::DType> HeldTypeOf(int64_t scalar_type);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_PROGRAM_H_
