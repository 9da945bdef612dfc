// Programs of definitions' examples and of networks as text, run on the device.
#ifndef TESSERA_TARGETS_VULKAN_TESTING_RUN_PROGRAM_H_
#define TESSERA_TARGETS_VULKAN_TESTING_RUN_PROGRAM_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/examples.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/vulkan/program/program.h"

namespace tessera::vulkan {

// The definitions that programs here are of.
void RegisterAll();

// A program as it is before kernels are chosen, with what the reference computes for `inputs`.
struct Compiled {
  std::unique_ptr<ir::Graph> graph = std::make_unique<ir::Graph>();
  std::vector<ir::Tensor> inputs, expected;
  Program program;
};

// Error: the example is none that can be run here.
absl::Status CompileExample(const ops::OpExamples& op, const ops::Example& example,
                            Compiled& compiled);

// What differs, or goes wrong; empty: nothing.
std::string RunAndCompare(Compiled& compiled, double tolerance);

// How many kernels the network is, if it computes what the reference does for random inputs;
// otherwise why not. `body` is text of the IR with sizes that are known, without its first line and
// its last one; `change` is what becomes of the program before its kernels are printed, and
// `most_steps` what ProgramOf gets.
std::string KernelsOf(const std::string& body, const std::function<void(Program&)>& change = {},
                      int64_t most_steps = 0);

// What differs from the reference for inputs of the caller's, or goes wrong; empty: nothing.
// `half`: what lies between dispatches is stored in 16 bits.
std::string DifferenceOf(const std::string& body, std::vector<ir::Tensor> inputs, double tolerance,
                         bool half = false);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_TESTING_RUN_PROGRAM_H_
