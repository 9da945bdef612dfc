// What import clauses make of sampled nodes.
#ifndef TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_
#define TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_

#include <map>
#include <string>
#include <vector>

#include "codegen/support/examples.h"
#include "ir/registry.h"
#include "testing/onnx_schemas.h"

namespace tessera::testing {

struct ImportSamples {
  // `DOMAIN.OP: V: A of N imported, GRAPHS; ...`: by version of the schema, how many of the nodes
  // are not refused, and a number that their graphs give, in order of names. `..., D differ
  // spelled`: that many nodes mean something else when defaults are spelled.
  std::vector<std::string> pins;
  std::map<std::string, std::string> differences;  // by `DOMAIN.OP`: such nodes, both ways
};

// Of every operator for which `dialect` has a clause, in each version that its schemas know.
ImportSamples SampleImports(const ir::Dialect& dialect,
                            const std::vector<ops::OpExamples>& examples,
                            const OnnxSchemas& schemas);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_
