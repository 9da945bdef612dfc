// Import clauses for overloads of ATen, PyTorch's operators, as generated from definitions.
#ifndef TESSERA_IR_ATEN_H_
#define TESSERA_IR_ATEN_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/import_node.h"
#include "ir/term_builder.h"

namespace tessera::ir {

// What a clause sees of complex tensors, each of which is two in the graph: a real and an imaginary
// part.
enum class AtenNumbers : uint8_t {
  kReal,     // none may be among its arguments
  kParts,    // it moves or adds elements: real parts make the real part of each result
  kLinear,   // linear in each argument: products of parts make the parts of each result
  kComplex,  // `x[0]` and `x[1]` are the parts of an argument, results that are complex two results
};

struct AtenInfo {
  std::string_view overload;  // `conv2d.default`
  std::string_view file;      // of the definition
  bool view;                  // the result may share the memory of the first argument
  // The clause says what the first argument is once its view by the overload holds the argument
  // `src`: a view that has such a clause always shares the memory. `part` is the number of the
  // view, of an overload that makes several.
  bool written;
  AtenNumbers numbers;
  // Arguments that the clause takes as values, in the order of ImportNode::Input. The last may end
  // in `...`: a list, whose entries follow each other.
  absl::Span<const std::string_view> inputs;
  absl::Span<const std::string_view> attributes;  // those that it reads by name
  std::vector<Value*> (*apply)(ImportNode& node, TermBuilder& builder);
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_ATEN_H_
