// What was imported, as certificates list it.
#ifndef TESSERA_TOOLS_PROVING_RECORD_H_
#define TESSERA_TOOLS_PROVING_RECORD_H_

#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tessera::proving {

// Expressions belong to the graph's context. Where one reduces to a number, it is that number.
struct RecordedTensor {
  std::string name;
  std::string type;
  std::vector<ir::Expr> dims;
  std::optional<std::vector<ir::Expr>> elements;
};

struct RecordedOperation {
  std::string node, op;
  std::vector<std::string> operands;
  std::vector<RecordedTensor> results;
};

struct Record {
  std::vector<RecordedTensor> inputs;
  std::vector<std::string> outputs;
  std::vector<RecordedOperation> operations;  // in the order in which they were built
};

// Of a graph whose values keep the names of the model, which is as it is imported. A tensor that
// has no name, or that of another, gets one.
Record RecordOf(const ir::Graph& graph);

}  // namespace tessera::proving

#endif  // TESSERA_TOOLS_PROVING_RECORD_H_
