// An artifact, read operator by operator: what the definitions require is owed by the certificate.
#ifndef TESSERA_RECHECK_ARTIFACT_READER_H_
#define TESSERA_RECHECK_ARTIFACT_READER_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "codegen/ast.h"
#include "recheck/artifact.h"
#include "recheck/node.h"
#include "recheck/session.h"
#include "recheck/value.h"

namespace tessera::recheck {

class ArtifactReader {
 public:
  ArtifactReader(const Artifact& artifact, Session& session)
      : artifact_(artifact), session_(session), terms_(session.terms()) {}

  // What is required, and what does not agree, the session knows.
  void Run();
  // Operators that were not derived, each with the reason.
  const std::vector<std::string>& left() const { return left_; }

 private:
  void Inputs();
  void Operator(size_t index);
  void Outputs();
  TensorPtr ConstantOf(const Artifact::Tensor& tensor);
  // Nothing: not a value of that kind.
  std::optional<Value> AttributeOf(const Artifact::Option& option,
                                   const codegen::AttributeDecl& declaration);
  Dim Shortened(const NodeContext& node, Dim dim);
  void Leave(const std::string& place, const std::string& why);

  const Artifact& artifact_;
  Session& session_;
  Terms& terms_;
  std::vector<TensorPtr> tensors_;  // null: not derived
  std::map<std::string, Dim> shortest_;
  std::vector<std::string> left_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_ARTIFACT_READER_H_
