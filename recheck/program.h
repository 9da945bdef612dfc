// A program of torch.export.save, as its archive states it.
#ifndef TESSERA_RECHECK_PROGRAM_H_
#define TESSERA_RECHECK_PROGRAM_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::recheck {

struct ProgramSize {
  std::string text;  // of a symbolic one
  int64_t number = 0;
};

// What the program says of a tensor.
struct ProgramTensor {
  std::string dtype;     // empty: none that is known; of a complex one, that of its parts
  bool complex = false;  // an element is two numbers
  std::vector<ProgramSize> sizes, strides;
  int64_t offset = 0;
};

struct ProgramItem {
  enum Kind { kNothing, kName, kInteger, kFloat, kBool, kText, kType, kComplex } kind = kNothing;
  std::string text;  // of a value of the graph; of kType, the element type
  int64_t whole = 0;
  double real = 0;
  double imaginary = 0;  // kComplex
};

struct ProgramArgument {
  std::string name;
  bool list = false;
  bool placement = false;  // where PyTorch keeps a tensor, nothing of what it holds
  bool known = true;       // of a form that is read
  std::vector<ProgramItem> items;

  bool IsGiven() const {
    return !placement && (list || (!items.empty() && items[0].kind != ProgramItem::kNothing));
  }
};

struct ProgramCall {
  // What is no call is a part of a loop: where it begins, what it reads at each position, and where
  // it ends. Their arguments: `goes_on` or `along`, `initial`; `x`; `again`, `next`, `collected`.
  enum Part { kCall, kLoopBegin, kLoopEntry, kLoopEnd } part = kCall;
  std::string overload;  // as clauses call it: `relu.default`
  std::string name;      // with the module that it is in
  std::vector<ProgramArgument> arguments;
  std::vector<std::string> results;  // empty: no value of the graph
};

struct ProgramInput {
  enum Kind { kUser, kStored, kNumber, kOther } kind = kOther;
  std::string name;
  std::string stored;  // kStored: in the archive
  bool tensor = true;  // of kUser
};

struct Program {
  std::vector<ProgramInput> inputs;
  std::vector<std::string> outputs;  // values of the graph
  // What the signature says that inputs are in the end, by what is stored or the input's name.
  std::map<std::string, std::string> changed;
  std::vector<ProgramCall> calls;
  std::map<std::string, ProgramTensor> tensors;
  struct Range {
    std::optional<int64_t> low, high;
  };
  std::map<std::string, std::string> numbers;  // what the file calls results that are sizes
  std::map<std::string, Range> ranges;         // by the text of a size
  std::vector<std::string> guards;
  std::map<std::string, absl::string_view> entries;  // of the archive

  // Where the elements of a stored tensor lie.
  struct Stored {
    ProgramTensor tensor;
    absl::string_view storage;
  };
  std::map<std::string, Stored> stored;
};

// A view of `bytes`. Error: says what is not as torch writes it.
absl::StatusOr<Program> ReadProgram(absl::string_view bytes);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_PROGRAM_H_
