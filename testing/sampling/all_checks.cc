#include "testing/sampling/all_checks.h"

#include <utility>

#include "ir/registry.h"
#include "targets/circle/compile.h"
#include "testing/sampling/circle_agreement.h"
#include "testing/sampling/lowered_agreement.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& NpuLayersOps();
const ir::Dialect& NpuOps();
const ir::Dialect& VulkanOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<OpExamples>& CircleExamples();
const std::vector<Signature>& CircleSignatures();
const std::vector<OpExamples>& CircleIntegersExamples();
const std::vector<Signature>& CircleIntegersSignatures();
const std::vector<OpExamples>& NpuLayersExamples();
const std::vector<Signature>& NpuLayersSignatures();
const std::vector<OpExamples>& NpuExamples();
const std::vector<Signature>& NpuSignatures();
const std::vector<OpExamples>& VulkanExamples();
const std::vector<Signature>& VulkanSignatures();
}  // namespace tessera::ops

namespace tessera::testing {

std::vector<Subject> CoreSubjects() {
  ir::Registry::Global().Add(ops::CoreOps());
  return SubjectsOf(ops::CoreSignatures(), ops::CoreExamples());
}

std::vector<Sampled> AllSampled() {
  std::vector<Subject> core = CoreSubjects();
  circle::RegisterOperators();
  ir::Registry::Global().Add(ops::NpuLayersOps());
  ir::Registry::Global().Add(ops::NpuOps());
  ir::Registry::Global().Add(ops::VulkanOps());
  std::vector<Check> common = CommonChecks();
  common.push_back(LoweredCheck());
  std::vector<Check> with_circle = common;
  with_circle.push_back(CircleCheck());
  return {{std::move(core), with_circle},
          {SubjectsOf(ops::CircleSignatures(), ops::CircleExamples()), common},
          {SubjectsOf(ops::CircleIntegersSignatures(), ops::CircleIntegersExamples()), common},
          {SubjectsOf(ops::NpuLayersSignatures(), ops::NpuLayersExamples()), common},
          {SubjectsOf(ops::NpuSignatures(), ops::NpuExamples()), common},
          {SubjectsOf(ops::VulkanSignatures(), ops::VulkanExamples()), common}};
}

}  // namespace tessera::testing
