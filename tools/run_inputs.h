// What `run` reads: the inputs of a network or of an artifact.
#ifndef TESSERA_TOOLS_RUN_INPUTS_H_
#define TESSERA_TOOLS_RUN_INPUTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/target.h"

namespace tessera {

struct Input {
  std::string name, type;  // `f32[N,3]`
  ir::DType dtype = ir::DType::kF32;
  std::vector<std::string> dims;              // `?`: any, and without a name
  std::vector<std::optional<int64_t>> sizes;  // nullopt: any
};

std::vector<Input> InputsOf(const ir::Graph& graph);
std::vector<Input> InputsOf(const targets::Executable& executable);

// From a file or seeded.
absl::StatusOr<ir::Tensor> ReadInput(const Input& input, const std::string& source);

// What is known of the sizes of inputs before the network is: of arrays in files, and of seeded
// ones with a shape. How large a picture or a sound becomes, its input says.
absl::StatusOr<std::map<std::string, std::vector<int64_t>>> KnownShapes(
    const std::map<std::string, std::string>& sources);

// The file in a folder that an output is written to: its name with what does not belong into a
// file's name replaced; distinct names stay distinct.
std::string OutputFileName(std::string name, size_t output);

// One tensor per input, from files or seeded. Errors: an input without a source, or a source
// without an input.
absl::StatusOr<std::vector<ir::Tensor>> ReadInputs(
    const std::vector<Input>& inputs, const std::map<std::string, std::string>& sources);

}  // namespace tessera

#endif  // TESSERA_TOOLS_RUN_INPUTS_H_
