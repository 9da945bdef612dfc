// Certificates of small networks, without files.
#ifndef TESSERA_TESTING_NETS_CERTIFIED_H_
#define TESSERA_TESTING_NETS_CERTIFIED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"
#include "solver/certificate/certificate.h"

namespace tessera::testing {

// What `compile` would certify of the model as it is imported, with dims as `--dim` takes them.
// Errors: it is not accepted.
absl::StatusOr<certificate::Certificate> Certified(const onnx::ModelProto& model,
                                                   const std::vector<std::string>& dims);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_CERTIFIED_H_
