// One legal use of an op: operands with their values, and attributes.
#ifndef TESSERA_TESTING_SAMPLING_INSTANCE_H_
#define TESSERA_TESTING_SAMPLING_INSTANCE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/support/examples.h"
#include "codegen/support/signatures.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "ir/tensor.h"

namespace tessera::testing {

// What instances are made of.
struct Subject {
  const ir::OpInfo* info = nullptr;
  const ops::Signature* signature = nullptr;
  const ops::OpExamples* examples = nullptr;
};

// One for each op of a definition set, in its order; the ops must be in the registry. Aborts where
// signatures and examples are not of the same definitions.
std::vector<Subject> SubjectsOf(const std::vector<ops::Signature>& signatures,
                                const std::vector<ops::OpExamples>& examples);

struct Operand {
  bool present = false;
  bool constant = false;  // in graphs that have both
  ir::Tensor tensor;
};

struct Instance {
  std::vector<Operand> operands;     // one per operand, a variadic one as often as it is given
  std::vector<ir::Attribute> attrs;  // complete
};

// The signature of operand `index`; the last one's for what a variadic operand takes.
const ops::OperandSignature& SignatureAt(const Subject& subject, size_t index);
bool NeedsElements(const Subject& subject, size_t index);

// What inference says of it, with numbers for all sizes.
absl::Status Infer(const Subject& subject, const Instance& instance,
                   std::vector<ir::ResultInfo<int64_t>>& results);

// Of an example that is not a reject; nothing where it cannot be completed.
absl::StatusOr<Instance> InstanceOf(const Subject& subject, const ops::Example& example,
                                    uint64_t seed);

// With weights: all operands but the first are constants, which devices ask for and lowerings of
// special values look at.
Instance WithWeights(Instance instance);
std::string OperandText(const Operand& operand);
// As a definition file has it, in one line.
std::string ExampleText(const Subject& subject, const Instance& instance);

enum class Constants : uint8_t { kNeeded, kChosen, kAll };  // which operands are constants
// Of inputs, one symbol for each size; or of attributes that may be symbolic as well.
enum class Sizes : uint8_t { kKnown, kSymbols, kAllSymbols };

struct Network {
  ir::Graph graph;
  std::vector<ir::Tensor> inputs;  // in the graph's order
};

// The op alone, every result an output.
absl::Status BuildNetwork(const Subject& subject, const Instance& instance, Constants constants,
                          Sizes sizes, Network& network);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_INSTANCE_H_
