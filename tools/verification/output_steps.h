// Which outputs of a network lie on a grid: made of integer codes, all with one scale, by what the
// ops' definitions say of quantization.
#ifndef TESSERA_TOOLS_VERIFICATION_OUTPUT_STEPS_H_
#define TESSERA_TOOLS_VERIFICATION_OUTPUT_STEPS_H_

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "ir/tensor.h"

namespace tessera::verification {

// An observer of one run of the network (reference::Executor): scales may be computed.
class OutputSteps {
 public:
  explicit OutputSteps(const ir::Graph& graph);

  void See(const ir::Value& value, const ir::Tensor& tensor);
  // The distance of neighbouring numbers of that output; 0 where there is no such.
  double Of(size_t output) const;

 private:
  struct Chain {
    const ir::Value* scale = nullptr;  // null: no codes
    // Operations of one operand, which leave its numbers as they are or else end the chain.
    std::vector<std::pair<const ir::Value*, const ir::Value*>> same;
  };

  std::vector<Chain> chains_;  // by output
  std::map<const ir::Value*, ir::Tensor> seen_;
};

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_OUTPUT_STEPS_H_
