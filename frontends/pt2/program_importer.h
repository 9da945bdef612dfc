// Builds the graph of an exported program. Knows names, signatures and scopes; it knows no
// operator.
#ifndef TESSERA_FRONTENDS_PT2_PROGRAM_IMPORTER_H_
#define TESSERA_FRONTENDS_PT2_PROGRAM_IMPORTER_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/input_dims.h"
#include "frontends/onnx/problems.h"
#include "frontends/pt2/import.h"
#include "frontends/pt2/node_view.h"
#include "frontends/pt2/program.h"
#include "frontends/pt2/size_text.h"
#include "frontends/pt2/weights.h"
#include "ir/graph.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"

namespace tessera::pt2_import {

// `torch.ops.aten.relu.default` as clauses call it, `relu.default`; others without `torch.ops.`.
std::string OverloadOf(absl::string_view target);

class ProgramImporter {
 public:
  // All must outlive the importer. The graph is only of use if no problem was recorded.
  ProgramImporter(const Program& program, const Weights& weights, Clauses clauses,
                  const onnx_import::ImportOptions& options, ir::Graph& graph,
                  onnx_import::Problems& problems);

  void Import();
  // What the program states of its sizes, beyond that they are at least 1.
  const std::vector<onnx_import::DimOption>& facts() const { return facts_; }
  // How what the program keeps from call to call is handed on, and complex tensors are handed over,
  // a sentence for each.
  const std::vector<std::string>& states() const { return states_; }

 private:
  void ImportInputs();
  // A size of a user input that is no number.
  struct InputSize {
    std::string input;
    int64_t axis;
    SizeText size;
    std::string origin;
    std::string Alias() const { return absl::StrCat(input, "_d", axis); }
  };
  bool ReadInputSizes(std::vector<InputSize>& all);
  // Of user inputs, those that are numbers.
  InputSizes FixedSizes() const;
  // Declares the sizes of user inputs, and what the program and the options say of them.
  bool DeclareSizes();
  // A size that the program states, in terms of the graph's symbols; nullopt: data decide it, or it
  // cannot be read.
  std::optional<solver::Expr> SizeOf(const Size& size);
  std::optional<solver::Expr> SizeOf(const SizeText& size);
  // Whether all do at all sizes; a problem for each that need not.
  bool Hold(const std::vector<Guard>& relations);
  // Of guards that say nothing of sizes that are no numbers.
  bool Hold(const std::vector<std::string>& unread, const InputSizes& sizes);
  void RefuseUnread(const std::string& guard);
  // Of several sizes; false: nothing is left then.
  bool StateRelation(const solver::Expr& holds);
  // Whether there are sizes of inputs, of those that are admitted, at which `dim` is not what the
  // program states. What cannot be decided is taken to be the same.
  bool MayDiffer(const solver::Expr& dim, const Size& stated);
  // What the program states of a size that data decide, by a symbol of its own: the least one.
  void StateLeast(const solver::Expr& dim, const Size& stated);
  void State(onnx_import::DimOption fact);
  void ImportTensor(const InputSpec& spec);
  void ImportUserInput(const InputSpec& spec);
  void ImportNode(const Node& node);
  void ImportOutputs();
  // An output of that name, of what `value` is now.
  void ImportOutput(const std::string& name, const std::string& value, const std::string& place);

  // The clause for what the node calls, null if there is none; of what writes over its first
  // argument, the one for what is written.
  const ir::AtenInfo* FindClause(const Node& node, bool& in_place) const;
  // Of those for an overload.
  const ir::AtenInfo* FindClause(const std::string& overload, bool complex) const;
  std::string Unsupported(const Node& node);
  bool TakesArguments(const Node& node, const ir::AtenInfo& info, const std::string& place);
  // Compares with what the program says of the node's results.
  void CheckResult(const std::string& name, const Numbers& value, const std::string& place);
  // Whether the program has an axis of 1 more behind the first one.
  bool StatesOneMore(const std::string& name, const Numbers& value);
  void Bind(const Node& node, const ir::AtenInfo& info, const std::vector<Numbers>& results,
            bool in_place, const std::string& place);
  // What the clause makes of the node; nullopt: nothing, why is recorded.
  std::optional<std::vector<Numbers>> Apply(const Node& node, const ir::AtenInfo& info,
                                            const std::vector<bool>& wanted,
                                            const std::string& place);
  std::optional<std::vector<ir::Value*>> ApplyTo(std::vector<const Item*> imaginary,
                                                 const Node& node, const ir::AtenInfo& info,
                                                 std::vector<bool> wanted,
                                                 const std::string& place);

  // program_complex.cc
  bool IsComplex(const std::string& name) const;  // as the program states
  bool SpeaksOfComplex(const Node& node) const;   // an argument or a result is
  // Whether the clause can be applied to each part of the node's arguments.
  bool HasParts(const Node& node, const std::string& place);
  // As the clause is one of AtenNumbers.
  std::optional<std::vector<Numbers>> ApplyComplex(const Node& node, const ir::AtenInfo& info,
                                                   const std::vector<bool>& wanted,
                                                   const std::string& place);
  std::optional<std::vector<Numbers>> ApplyParts(const Node& node, const ir::AtenInfo& info,
                                                 const std::vector<bool>& wanted,
                                                 const std::string& place);
  std::optional<std::vector<Numbers>> ApplyLinear(const Node& node, const ir::AtenInfo& info,
                                                  const std::vector<bool>& wanted,
                                                  const std::string& place);
  // What the clause for `overload` makes of one argument, or of two.
  std::optional<std::vector<ir::Value*>> Converted(const std::string& overload,
                                                   const std::vector<Numbers>& arguments,
                                                   size_t results, const std::string& place);
  // One tensor whose last axis has the parts, and back; null: why is recorded.
  ir::Value* Joined(const Numbers& numbers, const std::string& place);
  Numbers Split(ir::Value* value, const std::string& place);
  // Says how a complex input or output is handed over.
  void TellParts(const std::string& role, const std::string& name);
  void Name(const Numbers& numbers, const std::string& name);

  // program_loops.cc
  struct OpenLoop {
    ir::Value* position = nullptr;
    std::vector<ir::Value*> states;  // parts of complex ones by themselves
    std::vector<bool> complex;       // which ones are
    std::optional<ir::Expr> length;  // of what it goes through
  };
  // Of the end of a loop: names of values that are there at its positions alone, and that they no
  // longer are.
  std::vector<std::string> TakeEnded(const Node& node);
  void Forget(const std::vector<std::string>& names);
  void ImportLoopPart(const Node& node, const std::string& place);
  void BeginLoop(const Node& node, const std::string& place);
  void EnterLoop(const Node& node, const std::string& place);
  void EndLoop(const Node& node, const std::string& place);
  // Of the tensors that an argument of the node lists, those of the graph.
  std::vector<ir::Value*> ListedBy(const Node& node, const char* argument) const;
  // Gives the node's outputs the values, of which those of complex ones are two each.
  void BindListed(const Node& node, const std::vector<bool>& complex,
                  const std::vector<ir::Value*>& values, const std::string& place);

  // program_states.cc
  // An input that the program changes, and is an output too therefore.
  struct Changed {
    std::string value = {};  // the name of what it is in the end
    std::string input = {};  // what it is called as an input, of a buffer or its like
    std::string first = {};  // what that is at the first call
  };
  void FindChanged();
  // Whether the program reads or changes what it stores under that name.
  bool IsRead(const std::string& tensor) const;
  void ImportState(const InputSpec& spec);
  // Behind all other outputs, which have the names.
  void ImportChanged(std::set<std::string>& names);

  // program_views.cc
  // The name of the tensor in whose memory an output of the node may be. Null: of none, for
  // certain.
  const std::string* BaseOf(const Node& node, const ir::AtenInfo& info, size_t output) const;
  // How a tensor came to be a view of `base`: by output `part` of a node.
  struct View {
    const Node* node = nullptr;
    std::string base;
    int part = 0;
  };
  // What writes and cannot be imported: nothing is known any more of what shares the memory.
  void RefuseToWrite(int memory, const std::string& place, const std::string& reason);
  // Gives the node's first argument the value, and all that shares its memory what it holds then.
  // `reshapes`: nothing is written, the argument has another shape from now on.
  void WriteOver(const Node& node, Numbers value, bool reshapes, const std::string& place);
  // The clause for what is written over a view; null: it has none, or may be a copy.
  const ir::AtenInfo* WrittenClause(const View& view) const;
  // What `view.base` is once the view holds `value`; null: why is recorded.
  Numbers WrittenThrough(const View& view, Numbers value, const std::string& place);
  // The value of the tensor, whatever it is called.
  void SetValue(int identity, Numbers value);
  // The tensors of some memory that something behind the current node reads.
  std::set<int> ReadLater(int memory) const;
  bool IsViewOf(int identity, int base) const;  // also by way of others, and of itself
  // Takes the view of what its base is now. False: why it cannot be is recorded.
  bool DeriveAgain(int identity, const View& view, const std::string& place);
  std::vector<std::string> OutputsOf(const Node& node) const;
  // Which results more is asked of than whether they are at least 0.
  void FindReckoned();
  // Of the first argument: strides if they are numbers and it lies at the begin of its memory.
  Placement PlacementOf(const Node& node) const;
  const TensorMeta* MetaOf(const std::string& name) const;
  ResultFacts FactsOf(const std::string& result) const;

  const Program& program_;
  const Weights& weights_;
  const onnx_import::ImportOptions& options_;
  ir::Graph& graph_;
  onnx_import::Problems& problems_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  absl::flat_hash_map<std::string, const ir::AtenInfo*> clauses_, written_,
      complex_;  // by overload
  onnx_import::InputDims dims_;
  std::vector<onnx_import::DimOption> facts_;
  Values values_;
  std::map<std::string, int> last_use_;    // of names: the last node that reads it
  std::set<std::string> reckoned_;         // names, FindReckoned
  std::map<std::string, int> memory_;      // names that may share memory have the same number
  std::map<std::string, int> identity_;    // and those that are the same tensor
  std::map<int, View> views_;              // by the identity of the view
  std::map<std::string, OpenLoop> loops_;  // by name, those that have begun and not ended
  std::vector<std::vector<std::string>> inside_;  // names of each open loop
  std::map<int, int> branch_begins_;        // by branch: the least number of memory of its own
  std::map<std::string, Changed> changed_;  // by the name of the input
  std::vector<std::string> states_;
  std::set<std::string> symbols_;       // that sizes of inputs are made of, and names of such sizes
  std::set<std::string> misstated_;     // names of which the program has other sizes than PyTorch
  std::set<std::string> least_stated_;  // symbols of sizes that data decide
  int comparisons_ = 1024;              // of sizes that are not the same text, each of some work
  int node_index_ = 0;
  int suggestions_ = 64;
};

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_PROGRAM_IMPORTER_H_
