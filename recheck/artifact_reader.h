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
      : artifact_(artifact),
        session_(session),
        terms_(session.terms()),
        frame_{artifact.tensors, std::vector<TensorPtr>(artifact.tensors.size()), "", 0} {}

  // What is required, and what does not agree, the session knows.
  void Run();
  // Operators that were not derived, each with the reason.
  const std::vector<std::string>& left() const { return left_; }
  int64_t operators() const { return read_; }

 private:
  // A graph while its operators are read.
  struct Frame {
    const std::vector<Artifact::Tensor>& tensors;
    std::vector<TensorPtr> values;  // null: not derived
    std::string place;              // before the names of its operators
    int depth = 0;
  };
  void Inputs();
  void Operators(const std::vector<Artifact::Operator>& operators, Frame& frame);
  void Operator(size_t index, const Artifact::Operator& own, Frame& frame);
  void Outputs();
  // What a tensor holds; null: not derived.
  TensorPtr ValueOf(int32_t tensor, Frame& frame);
  // artifact_graphs.cc
  void Loop(const NodeContext& node, const Artifact::Operator& own, Frame& frame);
  void Branch(const NodeContext& node, const Artifact::Operator& own, Frame& frame);
  // Its outputs; nothing: one of them is not derived, or the graph does not fit.
  std::optional<std::vector<TensorPtr>> RunGraph(const NodeContext& node, size_t graph,
                                                 const std::vector<TensorPtr>& inputs,
                                                 const Frame& frame, const char* what);
  void Keep(const NodeContext& node, const Artifact::Operator& own,
            const std::vector<TensorPtr>& results, Frame& frame);
  // What the file says of a tensor's one element, where data decide it; who runs the artifact
  // checks that it is what the certificate states of it.
  void Count(int32_t tensor, Tensor& value);
  TensorPtr ConstantOf(const Artifact::Tensor& tensor);
  // Nothing: not a value of that kind.
  std::optional<Value> AttributeOf(const Artifact::Option& option,
                                   const codegen::AttributeDecl& declaration);
  Dim Shortened(const NodeContext& node, Dim dim);
  void Leave(const std::string& place, const std::string& why);

  const Artifact& artifact_;
  Session& session_;
  Terms& terms_;
  Frame frame_;
  int64_t read_ = 0;  // operators, each time that one is
  std::map<std::string, Dim> shortest_;
  std::vector<std::string> left_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_ARTIFACT_READER_H_
