#include "testing/sampling/all_checks.h"

#include <utility>

#include "ir/registry.h"
#include "targets/circle/compile.h"
#include "testing/sampling/circle_agreement.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<OpExamples>& CircleExamples();
const std::vector<Signature>& CircleSignatures();
}  // namespace tessera::ops

namespace tessera::testing {

std::vector<Subject> CoreSubjects() {
  ir::Registry::Global().Add(ops::CoreOps());
  return SubjectsOf(ops::CoreSignatures(), ops::CoreExamples());
}

std::vector<Sampled> AllSampled() {
  std::vector<Subject> core = CoreSubjects();
  circle::RegisterOperators();
  std::vector<Check> with_circle = CommonChecks();
  with_circle.push_back(CircleCheck());
  return {{std::move(core), with_circle},
          {SubjectsOf(ops::CircleSignatures(), ops::CircleExamples()), CommonChecks()}};
}

}  // namespace tessera::testing
