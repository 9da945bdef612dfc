// Whether an edited definition still means what others say of nodes.
#ifndef TESSERA_TESTING_MUTATION_NODE_JUDGE_H_
#define TESSERA_TESTING_MUTATION_NODE_JUDGE_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "testing/imports/import_inputs.h"
#include "testing/imports/node_tests.h"

namespace tessera::testing {

// Nodes with results: ONNX's tests, and recorded ones.
struct NodeJudge {
  std::string golden;  // what import clauses make of sampled nodes
  ImportInputs inputs;
  std::vector<NodeTest> nodes;
};

// `paths`: the golden of imports, recorded nodes, and those of ReadImportInputs.
absl::StatusOr<NodeJudge> ReadNodeJudge(const std::vector<std::string>& paths);

// By name of a node that holds: the ops that it becomes.
using NodeOps = std::map<std::string, std::set<std::string>>;
NodeOps NodesThatHold(const NodeJudge& judge);

// Complaints about ops in `names`, of which `operators` (as ImportedOperators has them) become;
// empty: none. `known` are the nodes that hold without the edit.
std::string ImportComplaints(const NodeJudge& judge, const std::set<std::string>& names,
                             const std::set<std::string>& operators);
std::string NodeComplaints(const NodeJudge& judge, const NodeOps& known,
                           const std::set<std::string>& names,
                           const std::set<std::string>& operators);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_MUTATION_NODE_JUDGE_H_
