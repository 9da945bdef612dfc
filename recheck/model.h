// The model, read node by node: what the definitions make of it is compared with a certificate.
#ifndef TESSERA_RECHECK_MODEL_H_
#define TESSERA_RECHECK_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "onnx/onnx_pb.h"
#include "recheck/definitions.h"
#include "recheck/node.h"
#include "recheck/session.h"
#include "recheck/value.h"

namespace tessera::recheck {

class ModelReader {
 public:
  // `folder` ends in a slash, or is empty.
  ModelReader(const onnx::ModelProto& model, std::string folder, Session& session)
      : model_(model), folder_(std::move(folder)), session_(session) {}

  // Interprets all nodes, each after those that it reads from.
  void Run();
  int64_t nodes() const { return nodes_; }  // each time that one is interpreted

 private:
  // What names stand for in a body; a subgraph sees those around it.
  struct Scope {
    Scope* outer = nullptr;
    std::map<std::string, TensorPtr> names;                     // null: not derived
    std::set<std::string> absent;                               // of a function's inputs
    std::map<std::string, const onnx::TensorProto*> constants;  // not read yet
  };
  // Around the nodes of a body.
  struct Surroundings {
    std::map<std::string, int64_t> opsets;
    const Attributes* attributes = nullptr;  // of the function
    std::string prefix;                      // of the nodes' names
    int depth = 0;
  };
  using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;
  using Tensors = std::vector<TensorPtr>;

  // model.cc
  // Files beside the model: those that the certificate has digests of are those that it names.
  void Data();
  void Inputs(Scope& scope);
  void Input(const onnx::ValueInfoProto& input, const certificate::ListedTensor& listed,
             Scope& scope);
  void Outputs(Scope& scope);
  void Body(const Nodes& nodes, const std::set<std::string>& outputs, Scope& scope,
            const Surroundings& around);
  void Node(const onnx::NodeProto& node, const std::string& name, const std::vector<bool>& wanted,
            Scope& scope, const Surroundings& around);
  // Null: no such tensor, or not derived.
  TensorPtr Find(Scope& scope, const std::string& name);
  // Whether the input is there.
  static bool IsGiven(const Scope& scope, const std::string& name);

  // subgraphs.cc. Nothing: why not was said, by Leave or Session::Fail.
  using Results = std::optional<Tensors>;
  Results Function(const NodeContext& context, const onnx::FunctionProto& function, int depth);
  Results Branch(const NodeContext& context, Scope& scope, const Surroundings& around);
  Results Unroll(const NodeContext& context, Scope& scope, const Surroundings& around);
  Results Scan(const NodeContext& context, Scope& scope, const Surroundings& around);
  struct ScanAxes {
    std::vector<int64_t> input, backwards, output, reversed;
  };
  // Of one row of a batch, or where there is none; axes count from the front.
  Results RunScan(const NodeContext& context, const ScanAxes& axes, const std::string& prefix,
                  Scope& scope, const Surroundings& around);
  Results Subgraph(const NodeContext& context, const onnx::GraphProto& graph, const Tensors& inputs,
                   const std::string& prefix, Scope& scope, const Surroundings& around);
  // Whether a condition holds: a number, or what the certificate says was proved. Nothing: neither.
  std::optional<bool> Decided(const NodeContext& context, const TensorPtr& condition);
  // What C++ imports, by the source that its definition names. Nothing: there is none.
  using Maker = Results (ModelReader::*)(const NodeContext& context);
  static Maker MakerOf(const Clause& clause);
  // sequences.cc. Null: it is none of the ops of sequences and optionals.
  static Maker SequenceMakerOf(const std::string& domain, const std::string& op);
  Results Unfit(const NodeContext& context, const std::string& why);
  Results EntriesOf(const NodeContext& context);
  // An input that is a number from `least` to `last`.
  std::optional<int64_t> PositionOf(const NodeContext& context, size_t input, int64_t least,
                                    int64_t last);
  Results KeepMapped(const NodeContext& context);
  Results MakeSequence(const NodeContext& context);
  Results PickEntry(const NodeContext& context);
  Results InsertEntry(const NodeContext& context);
  Results EraseEntry(const NodeContext& context);
  Results CountEntries(const NodeContext& context);
  Results JoinSequence(const NodeContext& context);
  Results SplitSequence(const NodeContext& context);
  Results MakeOptional(const NodeContext& context);
  Results OpenOptional(const NodeContext& context);
  Results AskOptional(const NodeContext& context);
  Results Einsum(const NodeContext& context);

  // kept_loops.cc
  Results KeptLoop(const NodeContext& context, Scope& scope, const Surroundings& around);
  Results KeptScan(const NodeContext& context, const ScanAxes& axes, const std::string& prefix,
                   Scope& scope, const Surroundings& around);

  // One operation of the definitions.
  TensorPtr Build(const NodeContext& context, const std::string& op, const Tensors& operands,
                  const std::map<std::string, int64_t>& attributes,
                  const std::map<std::string, std::vector<Dim>>& lists = {});
  // All results of one.
  Results BuildAll(const NodeContext& context, const std::string& op, const Tensors& operands,
                   const std::map<std::string, int64_t>& attributes,
                   const std::map<std::string, std::vector<Dim>>& lists = {});
  TensorPtr Number(const std::string& dtype, int64_t value);
  // What a loop collects: an entry per iteration along a new axis.
  TensorPtr Stack(const NodeContext& context, const Tensors& entries, int64_t axis);
  // What an iteration is given ahead of its states: its number and the condition.
  Tensors Iteration(const NodeContext& context, const onnx::GraphProto& body,
                    const TensorPtr& number);
  // The same without iterations: as the body declares its output.
  TensorPtr Nothing(const NodeContext& context, size_t output);
  void Leave(const std::string& node, const std::string& why);

  const onnx::ModelProto& model_;
  const std::string folder_;
  Session& session_;
  std::map<std::string, Dim> named_dims_;
  std::map<std::string, Origin> origins_;  // of those
  int64_t nodes_ = 0;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_MODEL_H_
