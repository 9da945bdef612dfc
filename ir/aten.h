// Import clauses for overloads of ATen, PyTorch's operators, as generated from definitions.
#ifndef TESSERA_IR_ATEN_H_
#define TESSERA_IR_ATEN_H_

#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/import_node.h"
#include "ir/term_builder.h"

namespace tessera::ir {

struct AtenInfo {
  std::string_view overload;  // `conv2d.default`
  std::string_view file;      // of the definition
  bool view;                  // the result may share the memory of the first argument
  // The clause says what the first argument is once its view by the overload holds the argument
  // `src`: a view that has such a clause always shares the memory. `part` is the number of the
  // view, of an overload that makes several.
  bool written;
  // Arguments that the clause takes as values, in the order of ImportNode::Input. The last may end
  // in `...`: a list, whose entries follow each other.
  absl::Span<const std::string_view> inputs;
  absl::Span<const std::string_view> attributes;  // those that it reads by name
  std::vector<Value*> (*apply)(ImportNode& node, TermBuilder& builder);
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_ATEN_H_
