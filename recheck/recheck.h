// What a network requires, derived from its model and the definitions of the ops, next to what a
// certificate says: docs/certificate.md.
#ifndef TESSERA_RECHECK_RECHECK_H_
#define TESSERA_RECHECK_RECHECK_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "onnx/onnx_pb.h"
#include "recheck/artifact.h"
#include "solver/certificate/certificate.h"

namespace tessera::recheck {

// A requirement that the certificate states in other words, or not at all where it need not.
struct Unstated {
  std::string node;
  std::string statement;  // of the certificate's symbols
};

struct Report {
  std::vector<std::string> failures;        // where model, definitions and certificate do not agree
  std::vector<std::string> left;            // nodes that were not derived, each with the reason
  std::vector<std::string> tried;           // what is not stated, and was tried at some sizes
  std::vector<std::string> left_operators;  // of the artifact, likewise
  std::vector<Unstated> unstated;           // to be proved too
  // To be proved from the ranges of symbols and `said` in the place of the certificate's facts:
  // that these facts, and the dims that others define, are what model and options say.
  std::vector<Unstated> of_sizes;
  std::vector<std::string> said;
  int64_t nodes = 0, requirements = 0;
  int64_t operators = 0, of_operators = 0;  // of the artifact, and requirements of these
};

// `artifact`, where there is one: what its operators require is derived too. Errors: the model
// cannot be read, the certificate's terms cannot.
absl::StatusOr<Report> Recheck(const std::string& path, const certificate::Certificate& certificate,
                               const Artifact* artifact = nullptr);
// The same of its bytes; `path` is for messages, and tells the folder of data beside it.
absl::StatusOr<Report> RecheckBytes(const std::string& bytes, const std::string& path,
                                    const certificate::Certificate& certificate,
                                    const Artifact* artifact = nullptr);
// A model in memory, with data in files of `folder`, which ends in a slash or is empty.
absl::StatusOr<Report> Recheck(const onnx::ModelProto& model, const std::string& folder,
                               const certificate::Certificate& certificate,
                               const Artifact* artifact = nullptr);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_RECHECK_H_
