#include "tools/proving/record.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace tessera::proving {
namespace {

ir::Expr Plain(const ir::Expr& e) { return e.IsConstant() ? ir::Expr(*e.Constant()) : e; }

std::vector<ir::Expr> Plain(const std::vector<ir::Expr>& list) {
  std::vector<ir::Expr> result;
  result.reserve(list.size());
  for (const ir::Expr& e : list) result.push_back(Plain(e));
  return result;
}

class Recorder {
 public:
  Record Run(const ir::Graph& graph) {
    Record record;
    const std::vector<ir::Operation*> operations = graph.TopologicalOrder();
    names_.reserve(graph.inputs().size() + operations.size());
    taken_.reserve(graph.inputs().size() + operations.size());
    record.inputs.reserve(graph.inputs().size());
    record.operations.reserve(operations.size());
    // What has a name keeps it; the others must not take it.
    for (const ir::Value* input : graph.inputs()) Keep(*input);
    for (const ir::Operation* op : operations) {
      for (const ir::Value* result : op->results()) Keep(*result);
    }
    for (const ir::Value* input : graph.inputs()) record.inputs.push_back(TensorOf(*input));
    for (const ir::Operation* op : operations) {
      const ir::Role role = op->info().role;
      if (role == ir::Role::kConstant || role == ir::Role::kSymbolicConstant) continue;
      RecordedOperation& recorded = record.operations.emplace_back();
      if (!op->location().scopes.empty()) recorded.node = op->location().scopes.front();
      recorded.op = std::string(op->info().name);
      for (const ir::Value* operand : op->operands())
        recorded.operands.push_back(operand == nullptr ? "" : NameOf(*operand));
      for (const ir::Value* result : op->results()) recorded.results.push_back(TensorOf(*result));
    }
    for (const ir::Value* output : graph.outputs()) record.outputs.push_back(NameOf(*output));
    return record;
  }

 private:
  void Keep(const ir::Value& value) {
    if (!value.name().empty() && taken_.insert(value.name()).second)
      names_.emplace(&value, value.name());
  }
  const std::string& NameOf(const ir::Value& value) {
    const auto [it, fresh] = names_.try_emplace(&value);
    while (fresh && (it->second.empty() || !taken_.insert(it->second).second))
      it->second = absl::StrCat("%", ++count_);
    return it->second;
  }
  RecordedTensor TensorOf(const ir::Value& value) {
    RecordedTensor tensor{NameOf(value), std::string(ir::NameOf(value.type().dtype)),
                          Plain(value.type().dims), std::nullopt};
    if (value.elements() != nullptr) tensor.elements = Plain(*value.elements());
    return tensor;
  }

  absl::flat_hash_map<const ir::Value*, std::string> names_;
  absl::flat_hash_set<std::string> taken_;
  int count_ = 0;
};

}  // namespace

Record RecordOf(const ir::Graph& graph) { return Recorder().Run(graph); }

}  // namespace tessera::proving
