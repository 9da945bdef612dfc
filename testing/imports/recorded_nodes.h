// Nodes with the results that another implementation had for them, in one file: messages
// onnx.ModelProto, each behind its length (google/protobuf/util/delimited_message_util.h), of a
// graph of one node in which initializers `given NAME` and `expected NAME` hold the values of an
// input and of an output.
#ifndef TESSERA_TESTING_IMPORTS_RECORDED_NODES_H_
#define TESSERA_TESTING_IMPORTS_RECORDED_NODES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/registry.h"
#include "testing/imports/import_inputs.h"
#include "testing/imports/node_tests.h"

namespace tessera::testing {

// Named `DOMAIN.OPERATOR-VERSION NUMBER`. Error: the file is not of this form.
absl::StatusOr<std::vector<NodeTest>> ParseRecordedNodes(const std::string& bytes);
std::string RecordedNodesText(const std::vector<NodeTest>& tests);

// Nodes near known ones (node_variations.h) that clauses of `dialect` import and the reference
// computes, of every operator and version a few that become different graphs; without outputs.
std::vector<NodeTest> NodesToRecord(const ir::Dialect& dialect, const ImportInputs& inputs);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_RECORDED_NODES_H_
