// What import clauses make of sampled nodes.
#ifndef TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_
#define TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/support/examples.h"
#include "ir/registry.h"
#include "testing/imports/node_tests.h"
#include "testing/imports/node_values.h"
#include "testing/onnx_schemas.h"

namespace tessera::testing {

struct ImportSamples {
  // `DOMAIN.OP: V: A of N imported, GRAPHS; ...`: by version of the schema, how many of the nodes
  // are not refused, and a number that their graphs give, in order of names. `..., D differ
  // spelled`: that many nodes mean something else when defaults are spelled.
  std::vector<std::string> pins;
  std::map<std::string, std::string> differences;  // by `DOMAIN.OP`: such nodes, both ways
};

// Of every operator for which ops that `chosen` picks by name have a clause, in each version that
// its schemas know: nodes from their signatures, and from `tests` by small edits.
ImportSamples SampleImports(const ir::Dialect& dialect,
                            const std::vector<ops::OpExamples>& examples,
                            const OnnxSchemas& schemas, const NodeTests& tests,
                            const std::function<bool(std::string_view)>& chosen);

// The graph that the importer makes of a model, as text; empty: refused.
std::string ImportedText(const onnx::ModelProto& model);
// By attribute of an operator: the words that it has in schemas and tests.
Words WordsOf(const std::vector<Schema>& schemas, const std::vector<NodeTest>& tests);

// `DOMAIN.OP` of every clause of ops that `chosen` picks.
std::set<std::string> ImportedOperators(const ir::Dialect& dialect,
                                        const std::function<bool(std::string_view)>& chosen);

// How the pins of `operators` differ from those of the golden, whose lines are pins; empty: in
// nothing. Operators that the golden does not know are free.
std::string ImportMismatch(const std::string& golden, const std::set<std::string>& operators,
                           const ImportSamples& samples);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_IMPORT_SAMPLES_H_
