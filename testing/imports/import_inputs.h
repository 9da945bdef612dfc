// What sampled nodes are made of, from the files that the tests have.
#ifndef TESSERA_TESTING_IMPORTS_IMPORT_INPUTS_H_
#define TESSERA_TESTING_IMPORTS_IMPORT_INPUTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "testing/imports/node_tests.h"
#include "testing/onnx_schemas.h"

namespace tessera::testing {

struct ImportInputs {
  OnnxSchemas schemas;
  NodeTests tests;
};

// `paths`: ONNX's schemas, those of other domains, the folder of ONNX's backend tests, and the
// nodes of testing/imports/nodes.txt.
absl::StatusOr<ImportInputs> ReadImportInputs(const std::vector<std::string>& paths);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_IMPORT_INPUTS_H_
