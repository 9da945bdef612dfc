// An example of a definition made into tensors and complete attributes.
#ifndef TESSERA_TESTING_EXAMPLE_CASE_H_
#define TESSERA_TESTING_EXAMPLE_CASE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/examples.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::testing {

// An example that is not rejected.
struct NamedExample {
  const ops::OpExamples* op;
  const ops::Example* example;
  std::string name;  // `OP example N`, which does not change with the lines of the definition
};

std::vector<NamedExample> Accepted(const std::vector<ops::OpExamples>& list);

struct Case {
  const ops::OpExamples* op;
  const ops::Example* example;
  const ir::OpInfo* info;
  std::vector<ir::Tensor> tensors;          // of the operands that are present
  std::vector<const ir::Tensor*> operands;  // null: absent
  std::vector<ir::Attribute> attrs;         // complete
};

// What inference in the domain E takes; `dims` and `elements` hold what it refers to.
template <class E>
std::vector<ir::OperandInfo<E>> Infos(const Case& c, std::vector<std::vector<E>>& dims,
                                      std::vector<std::vector<E>>& elements) {
  std::vector<ir::OperandInfo<E>> infos(c.operands.size());
  dims.resize(c.operands.size());
  elements.resize(c.operands.size());
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] == nullptr) continue;
    dims[i].assign(c.operands[i]->shape().begin(), c.operands[i]->shape().end());
    infos[i].present = true;
    infos[i].dtype = c.operands[i]->dtype();
    infos[i].dims = dims[i];
    if (ir::IsFloat(c.operands[i]->dtype())) continue;
    for (int64_t e = 0; e < c.operands[i]->size(); ++e)
      elements[i].push_back(E(c.operands[i]->AsInt(e)));
    infos[i].has_elements = true;
    infos[i].elements = elements[i];
    infos[i].extremes = elements[i];
  }
  return infos;
}

// Tensors as the example's literals say, seeded where it names shapes only.
absl::Status Prepare(const ops::OpExamples& op, const ops::Example& example, Case& c);

// The sizes with which an operand of `sizes` is an input of the graph; none: it is a constant.
using InputDims =
    std::function<std::optional<std::vector<ir::Expr>>(const std::vector<int64_t>& sizes)>;

// The graph of the op with its operands as inputs `in0`, `in1`, ... or as constants; those whose
// values inference needs are constants in any case.
absl::Status BuildGraph(const Case& c, const InputDims& dims_of, ir::Graph& graph);
absl::Status BuildGraph(const Case& c, bool constants, ir::Graph& graph);

// The operands that are inputs of such a graph, in its order.
std::vector<ir::Tensor> InputsOf(const Case& c, const ir::Graph& graph);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_EXAMPLE_CASE_H_
