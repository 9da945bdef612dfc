// Walks a parsed model and builds the graph. Knows the file format: names and scopes, initializers,
// functions, subgraphs, op sets. It knows no op.
#ifndef TESSERA_FRONTENDS_ONNX_GRAPH_IMPORTER_H_
#define TESSERA_FRONTENDS_ONNX_GRAPH_IMPORTER_H_

#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "frontends/onnx/attributes.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/node_order.h"
#include "frontends/onnx/node_view.h"
#include "frontends/onnx/op_sets.h"
#include "frontends/onnx/problems.h"
#include "frontends/onnx/tensor_loader.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

// Nodes in `nodes` and in their subgraphs.
size_t CountNodes(const NodeProtos& nodes);

class GraphImporter {
 public:
  // All must outlive the importer. The graph is only of use if no problem was recorded.
  GraphImporter(const onnx::ModelProto& model, TensorLoader& loader, const ImportOptions& options,
                ir::Graph& graph, Problems& problems);

  void Import();
  int opset() const { return opset_; }
  // Of nodes whose opset is newer than the newest known: what was taken for granted, per opset.
  std::vector<std::string> AssumedOpsets() const;
  std::vector<std::string> AssumedReadings() const;
  // Which outputs the entries of sequences became: a sentence for each sequence.
  const std::vector<std::string>& flattened() const { return flattened_; }
  const std::vector<std::string>& assumed_outputs() const { return assumed_outputs_; }

 private:
  // What a name stands for.
  struct Binding {
    enum class Kind : uint8_t {
      kValue,
      kInitializer,  // a tensor that nothing has read yet
      kAbsent,       // a function's input that the call left out
      kSequence,     // tensors one behind the other (graph_importer_sequences.cc)
      kNothing,      // an optional that holds nothing; one that holds something is that
      kPoisoned,     // could not be imported; the reason is recorded, whatever reads it is skipped
    };
    Kind kind = Kind::kPoisoned;
    ir::Value* value = nullptr;
    const onnx::TensorProto* initializer = nullptr;
    std::vector<ir::Value*> entries = {};  // of a sequence
  };
  struct Scope {
    Scope* outer = nullptr;  // of a subgraph; a function sees nothing of its caller
    absl::flat_hash_map<std::string, Binding> names;
    // Of every name that a node of the body defines: also of those that are still to come (in a
    // cycle).
    Producers producers;
  };
  // Calls and subgraphs within each other.
  static constexpr int kMaxDepth = 32;
  // Where a body's nodes stand.
  struct Context {
    const OpSets* opsets;
    const Attributes* attributes;  // of the call of the enclosing function
    std::string prefix;            // of node and value names
    int depth = 0;                 // of calls and subgraphs
  };
  // A node, and how it is called in diagnostics and locations.
  struct Site {
    const onnx::NodeProto& node;
    int index;                  // in its body
    const std::string& prefix;  // of the body
    std::string name;           // with the prefix; made up where the node has none
    std::string domain;
    std::optional<int> version;  // of its domain, in the body
    std::string Place() const;   // for diagnostics
  };

  struct Function {
    const onnx::FunctionProto* proto;
    OpSets opsets;
    std::vector<std::unique_ptr<onnx::AttributeProto>> defaults;
  };

  void ReadFunctions();
  void ImportInputs(const onnx::GraphProto& graph, Scope& scope);
  void ImportOutputs(const onnx::GraphProto& graph, Scope& scope);
  void DeclareInitializers(const onnx::GraphProto& graph, Scope& scope, const std::string& prefix);
  void ImportBody(const NodeProtos& nodes, const std::vector<std::string>& outputs, Scope& scope,
                  const Context& context);
  void ImportNode(const Site& site, const std::vector<bool>& wanted, Scope& scope,
                  const Context& context);
  // False (recorded, or caused by what is) if the node has no results.
  bool ApplyClause(const Site& site, const ir::ImportInfo& info, int version,
                   const Attributes& attributes, const std::vector<bool>& wanted, Scope& scope);
  // Whether a node with subgraphs has no other attributes; those are recorded.
  bool TakesOnly(const Site& site, const Attributes& attributes,
                 std::initializer_list<absl::string_view> known);
  void InlineCall(const Site& site, const Function& function, const Attributes& attributes,
                  Scope& scope, const Context& context);

  // Subgraphs (graph_importer_branches.cc, graph_importer_loops.cc).
  // The outputs of a subgraph whose inputs are `inputs`, imported into the graph that it stands in;
  // it sees what that one defines. Nullopt (recorded) if they are not as many as `outputs`, or
  // nested too deeply.
  std::optional<std::vector<Binding>> ImportSubgraph(const Site& site, absl::string_view what,
                                                     const onnx::GraphProto& subgraph,
                                                     const std::vector<Binding>& inputs,
                                                     int outputs, const std::string& prefix,
                                                     Scope& scope, const Context& context);
  // The branch that a decided condition takes; a choice between both where it is not decided.
  void ImportBranches(const Site& site, const onnx::GraphProto& then_branch,
                      const onnx::GraphProto& else_branch, Scope& scope, const Context& context);
  bool ChooseBranch(const Site& site, ir::Value* condition, const onnx::GraphProto& then_branch,
                    const onnx::GraphProto& else_branch, Scope& scope, const Context& context);
  // The one element of an integer or bool value, as an expression of sizes.
  absl::StatusOr<ir::Expr> ScalarOf(const Site& site, absl::string_view what, ir::Value& value);
  // Whether `condition` holds for all sizes, or for none.
  absl::StatusOr<bool> Decide(const Site& site, ir::Value& condition);
  void UnrollLoop(const Site& site, const onnx::GraphProto& body, Scope& scope,
                  const Context& context);
  void UnrollScan(const Site& site, const onnx::GraphProto& body, const Attributes& attributes,
                  Scope& scope, const Context& context);
  // How a Scan runs over its inputs, which are states and then what is scanned.
  struct ScanPlan {
    size_t states = 0, scanned = 0, collected = 0;
    std::vector<int64_t> input_axes, output_axes;            // the former from 0 on
    std::vector<int64_t> input_backwards, output_backwards;  // 0 or 1
  };
  // States and collected outputs of one run over the scan inputs; nullopt: recorded.
  std::optional<std::vector<Binding>> RunScan(const Site& site, const onnx::GraphProto& body,
                                              const ScanPlan& plan,
                                              const std::vector<Binding>& inputs,
                                              const std::string& prefix, Scope& scope,
                                              const Context& context);
  // The same for every row of a batch, the first axis of all inputs.
  std::optional<std::vector<Binding>> RunRows(const Site& site, const onnx::GraphProto& body,
                                              const ScanPlan& plan,
                                              const std::vector<Binding>& inputs, Scope& scope,
                                              const Context& context);
  // Loops that stay (graph_importer_kept_loops.cc). An error says why one cannot; problems of its
  // body may have been recorded. `states` are behind the trip count and the condition in `inputs`.
  struct KeptLoop {
    std::vector<Binding> results;
    bool conditional = false;  // more than its trip count may end it
  };
  absl::StatusOr<KeptLoop> KeepLoop(const Site& site, const onnx::GraphProto& body,
                                    const std::vector<Binding>& inputs, int collected, Scope& scope,
                                    const Context& context);
  // The scalar that a count or a condition is; null (recorded) after an error.
  ir::Value* OnlyEntry(const Site& site, ir::Value* value);
  // How often it runs, once it begins, where its condition counts. `here`: position and states;
  // `step`: its condition, and what follows each state.
  std::optional<ir::Expr> CountLoop(const Site& site, const std::vector<ir::Value*>& here,
                                    const std::vector<Binding>& initial,
                                    const std::vector<Binding>& step);
  absl::StatusOr<std::vector<Binding>> KeepScan(const Site& site, const onnx::GraphProto& body,
                                                const ScanPlan& plan,
                                                const std::vector<Binding>& inputs,
                                                const std::string& prefix, Scope& scope,
                                                const Context& context);
  std::vector<ir::Value*> BeginLoop(const Site& site, ir::Value* trips, ir::Value* first,
                                    const std::vector<Binding>& states, absl::Status& status);
  std::vector<ir::Value*> BuildLoopOp(
      const Site& site, std::string_view op, std::vector<ir::Value*> operands,
      const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs,
      absl::Status& status);
  ir::Value* Nothing(const Site& site, const onnx::GraphProto& body, int output);
  absl::Status TooLong() const;  // to be unrolled
  // Of a builder that subgraphs need; null (recorded) after an error.
  ir::Value* Build(const Site& site, std::string_view op, std::vector<ir::Value*> operands,
                   const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs);
  ir::Value* Stack(const Site& site, const std::vector<Binding>& entries, int64_t axis);
  // What an iteration of a loop is given ahead of its states: its number and the condition. False
  // after a problem.
  bool BeginIteration(const Site& site, const onnx::GraphProto& body, ir::Value* number,
                      std::vector<Binding>& arguments);
  ir::Value* Number(ir::DType dtype, int64_t value);

  // Sequences and optionals (graph_importer_sequences.cc).
  static constexpr size_t kAnyNumber = ~size_t{0};
  struct SequenceNode {
    absl::StatusOr<Binding> (GraphImporter::*resolve)(const Site&, const Attributes&,
                                                      const std::vector<Binding>&);
    size_t least, most;  // inputs
    std::vector<std::string> attributes;
  };
  static const SequenceNode* FindSequenceNode(const Site& site);
  void ImportSequenceNode(const Site& site, const SequenceNode& node, const Attributes& attributes,
                          Scope& scope);
  // `a sequence of 3 tensors`; empty: a tensor, or nothing that was imported.
  // An output of the graph that is a sequence, as one output for each entry: NAME_0 and so on.
  void AddSequence(const std::string& name, const Binding& sequence, const std::string& place);
  static std::string WhatElse(const Binding& binding);
  // False (recorded): one is something else. `what`: `input`.
  bool AreTensors(const Site& site, absl::string_view what, const std::vector<Binding>& bindings);
  static Binding Absent() { return {Binding::Kind::kAbsent, nullptr, nullptr}; }
  // From 0 to `count`, `otherwise` where it is absent.
  absl::StatusOr<int64_t> PositionOf(const Site& site, const Binding& position, size_t count,
                                     int64_t otherwise);
  static absl::StatusOr<std::vector<ir::Value*>> EntriesOf(const Binding& binding);
  using Resolved = absl::StatusOr<Binding>;
  Resolved MakeSequence(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved PickEntry(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved InsertEntry(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved EraseEntry(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved CountEntries(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved JoinSequence(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved SplitIntoSequence(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved KeepMapped(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved MakeOptional(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved OpenOptional(const Site&, const Attributes&, const std::vector<Binding>& inputs);
  Resolved AskOptional(const Site&, const Attributes&, const std::vector<Binding>& inputs);

  // The binding of `name`, an initializer turned into a value; nullopt (recorded) if nothing
  // defines it.
  std::optional<Binding> Read(const std::string& name, absl::string_view what,
                              absl::FunctionRef<std::string()> place, Scope& scope);
  // The node's inputs in order; false if one of them is missing or poisoned.
  bool ReadAny(const Site& site, Scope& scope, std::vector<Binding>& inputs);
  // The same, and each is a tensor, if it is there.
  bool ReadInputs(const Site& site, Scope& scope, std::vector<Binding>& inputs);
  void Materialize(const std::string& name, Binding& binding);
  void BindOutputs(const Site& site, const std::vector<Binding>& results, Scope& scope);
  void Poison(const Site& site, Scope& scope);
  // Searching similar names is bounded: hostile files have very many wrong ones.
  bool MaySuggest() { return suggestions_-- > 0; }

  const onnx::ModelProto& model_;
  TensorLoader& loader_;
  const ImportOptions& options_;
  Problems& problems_;
  ir::Graph& graph_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;

  // By domain, name and overload.
  std::map<std::tuple<std::string, std::string, std::string>, Function> functions_;
  std::vector<const onnx::FunctionProto*> calls_;  // being inlined
  // Ops by the domain and the opset, newer than the newest known, that they are of.
  std::map<std::pair<std::string, int>, std::set<std::string>> newer_;
  // Ops by their domain, which nothing imports.
  std::map<std::string, std::set<std::string>> supposed_;
  // By a reading that nobody chose, the nodes that it would read otherwise.
  std::map<std::string, std::set<std::string>> unread_;
  std::vector<std::string> flattened_;
  std::vector<std::string> assumed_outputs_;
  int opset_ = 0;
  int64_t node_budget_ = 0;
  int suggestions_ = 64;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_GRAPH_IMPORTER_H_
