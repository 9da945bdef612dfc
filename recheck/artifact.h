// What the operators of an artifact require of the shapes that reach them, derived from the
// artifact and the definitions: whatever rewrites and lowerings made of the network, this is what
// runs.
#ifndef TESSERA_RECHECK_ARTIFACT_H_
#define TESSERA_RECHECK_ARTIFACT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera::recheck {

// An artifact, as its file says. Whoever can read the file fills it in.
struct Artifact {
  struct Tensor {
    std::string name;
    std::string type;            // `f32`; empty: one that no definition takes
    std::vector<int64_t> shape;  // -1 for a dim that is known only at run time
    bool is_constant = false;
    std::optional<std::vector<int64_t>> integers;  // of a small constant of integers or bools
  };
  using Option =
      std::variant<bool, int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;
  struct Operator {
    std::string name;              // `CONV_2D`
    std::string dialect;           // empty: the artifact's
    std::vector<int32_t> inputs;   // tensors; -1: an optional one that is absent
    std::vector<int32_t> outputs;  // tensors
    std::map<std::string, Option> options;
    // What it does with other graphs. A loop hands values from its operands through the second, as
    // long as the first holds of them; a branch runs the first where its first operand holds, else
    // the second.
    enum class Runs { kNothing, kLoop, kBranch } runs = Runs::kNothing;
    std::array<size_t, 2> graphs = {};  // of `graphs`
  };
  struct Graph {
    std::vector<Tensor> tensors;
    std::vector<Operator> operators;       // in the order in which they run
    std::vector<int32_t> inputs, outputs;  // tensors
  };
  struct Argument {
    std::string name;  // of the model's input or output
    int32_t tensor = 0;
    std::vector<std::string> dims;  // of inputs, as statements over the certificate's symbols
  };
  std::string dialect;                       // whose definitions its operators have
  std::map<std::string, std::string> types;  // of what its options call them: `FLOAT32`, `f32`
  std::vector<Tensor> tensors;
  std::vector<Operator> operators;  // in the order in which they run
  std::vector<Argument> inputs, outputs;
  // The certificate's symbols of sizes that data decide, by the tensors that are said to hold them.
  std::map<int32_t, std::string> counted;
  std::vector<Graph> graphs;  // that operators run
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_ARTIFACT_H_
