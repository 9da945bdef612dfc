#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/absl_view.h"
#include "ir/draft.h"
#include "ir/graph.h"
#include "ir/inference.h"
#include "ir/printer.h"
#include "solver/decide.h"

namespace tessera::ir {
namespace {

constexpr size_t kMostProblems = 50;

class Problems {
 public:
  explicit Problems(const Graph& graph) : graph_(graph) {}

  void Add(std::string problem) {
    if (problems_.size() < kMostProblems) problems_.push_back(std::move(problem));
    ++count_;
  }
  void AddAt(const Operation& op, const std::string& problem) {
    const auto line = LineOf(op);
    Add(absl::StrCat(problem, "\n", WithCaret(line.text, line.op.first, line.op.second)));
  }
  void AddAtOperand(const Operation& op, size_t index, const std::string& problem) {
    const auto line = LineOf(op);
    if (index >= line.operands.size()) return AddAt(op, problem);
    const auto& [begin, end] = line.operands[index];
    Add(absl::StrCat(problem, "\n", WithCaret(line.text, begin, end)));
  }
  void AddAtResult(const Operation& op, size_t index, const std::string& problem) {
    const auto line = LineOf(op);
    const auto& [begin, end] = line.results[index];
    Add(absl::StrCat(problem, "\n", WithCaret(line.text, begin, end)));
  }
  bool empty() const { return count_ == 0; }
  absl::Status ToStatus() const {
    if (empty()) return absl::OkStatus();
    std::string text =
        absl::StrCat(count_, count_ == 1 ? " problem" : " problems", " in the graph");
    for (const std::string& problem : problems_) absl::StrAppend(&text, "\n", problem);
    if (count_ > problems_.size()) {
      absl::StrAppend(&text, "\nand ", count_ - problems_.size(), " more");
    }
    return absl::InternalError(text);
  }

 private:
  Printer::Line LineOf(const Operation& op) {
    if (printer_ == nullptr) printer_ = std::make_unique<Printer>(graph_);
    return printer_->LineOf(op);
  }

  const Graph& graph_;
  std::unique_ptr<Printer> printer_;  // made when there is something to show
  std::vector<std::string> problems_;
  size_t count_ = 0;
};

std::string Named(const Value& value) {
  return value.name().empty() ? absl::StrCat("value ", value.id())
                              : absl::StrCat("value ", value.id(), " `", value.name(), "`");
}

bool SameDims(solver::Context& context, const std::vector<Expr>& a, const std::vector<Expr>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    // Facts that came after a type was inferred may have changed the normal form.
    if (a[i] == b[i]) continue;
    if (solver::Decide(context, solver::Eq(a[i], b[i])).kind != solver::Verdict::kProved) {
      return false;
    }
  }
  return true;
}

}  // namespace

class GraphVerifier {
 public:
  explicit GraphVerifier(const Graph& graph)
      : graph_(graph),
        order_(graph.TopologicalOrder()),
        problems_(graph),
        inputs_(graph.inputs_.begin(), graph.inputs_.end()) {}

  absl::Status Run(std::vector<const Value*>* unreached) {
    Interface();
    Order();
    // What links lead to is looked at once they are sound.
    if (problems_.empty()) {
      for (const Operation* op : order_) OperandLinks(*op);
      for (const auto& value : graph_.values_) {
        if (value != nullptr) ValueLinks(*value);
      }
    }
    if (problems_.empty()) {
      for (const Operation* op : order_) Inference(*op);
    }
    if (problems_.empty() && unreached != nullptr) Unreached(*unreached);
    return problems_.ToStatus();
  }

 private:
  bool Owns(const Value* value) {
    if (owned_values_.empty()) {
      owned_values_.reserve(graph_.values_.size());
      for (const auto& owned : graph_.values_) {
        if (owned != nullptr) owned_values_.insert(owned.get());
      }
    }
    return owned_values_.contains(value);
  }

  void Interface() {
    const auto names_are_unique = [&](const char* what, const auto& names) {
      absl::flat_hash_set<std::string_view> seen;
      seen.reserve(names.size());
      for (const std::string_view name : names) {
        if (name.empty()) problems_.Add(absl::StrCat(what, " without a name"));
        if (!seen.insert(name).second) {
          problems_.Add(absl::StrCat("redeclaration of ", what, " `", AbslView(name), "`"));
        }
      }
    };
    std::vector<std::string_view> input_names;
    for (const Value* input : graph_.inputs_) {
      if (!Owns(input)) {
        problems_.Add("an input is erased");
        continue;
      }
      input_names.push_back(input->name());
      if (input->producer() != nullptr || input->kind() != Value::Kind::kTensor) {
        problems_.Add(absl::StrCat("input ", Named(*input), " is a result"));
      }
    }
    names_are_unique("input", input_names);
    names_are_unique("output", graph_.output_names_);
    if (graph_.output_names_.size() != graph_.outputs_.size()) {
      problems_.Add(absl::StrCat(graph_.outputs_.size(), " outputs with ",
                                 graph_.output_names_.size(), " names"));
    }
    if (!OutputsAreNoted()) NotedOtherwise();
  }

  // Whether values note just the places at which they are outputs.
  bool OutputsAreNoted() const {
    std::vector<const Value*> noted(graph_.outputs_.size());
    for (const auto& value : graph_.values_) {
      if (value == nullptr) continue;
      for (const int place : value->outputs_) {
        const auto i = static_cast<size_t>(place);
        if (i >= noted.size() || noted[i] != nullptr) return false;
        noted[i] = value.get();
      }
    }
    return noted == std::vector<const Value*>(graph_.outputs_.begin(), graph_.outputs_.end());
  }

  void NotedOtherwise() {
    absl::flat_hash_map<const Value*, std::vector<int>> places;
    for (size_t i = 0; i < graph_.outputs_.size(); ++i) {
      if (!Owns(graph_.outputs_[i])) {
        problems_.Add("an output is erased");
      } else {
        places[graph_.outputs_[i]].push_back(static_cast<int>(i));
      }
    }
    for (const auto& value : graph_.values_) {
      if (value == nullptr) continue;
      const auto it = places.find(value.get());
      const std::vector<int> actual = it == places.end() ? std::vector<int>() : it->second;
      std::vector<int> noted = value->outputs_;
      std::sort(noted.begin(), noted.end());
      if (actual == noted) continue;
      problems_.Add(absl::StrCat(Named(*value), " is the outputs [", absl::StrJoin(actual, ","),
                                 "] and notes [", absl::StrJoin(noted, ","), "]"));
    }
  }

  void Order() {
    owned_operations_.reserve(order_.size());
    for (const auto& op : graph_.operations_) {
      if (op != nullptr) owned_operations_.insert(op.get());
    }
    if (order_.size() != owned_operations_.size()) {
      problems_.Add(absl::StrCat(owned_operations_.size(), " operations, ", order_.size(),
                                 " of them in order"));
    }
    const Operation* previous = nullptr;
    for (const Operation* op : order_) {
      if (!owned_operations_.contains(op)) {
        problems_.Add("an erased operation is in order");
        return;
      }
      if (OperationList::Previous(*op) != previous) {
        problems_.Add(absl::StrCat("operation ", op->id(), " does not link back"));
      }
      if (previous != nullptr && !OperationList::Precedes(*previous, *op)) {
        problems_.Add(absl::StrCat("labels do not increase at operation ", op->id()));
      }
      previous = op;
    }
  }

  void OperandLinks(const Operation& op) {
    const auto check = [&](absl::Span<Value* const> operands, absl::Span<const int> slots,
                           Value::Kind kind) {
      if (slots.size() != operands.size()) {
        problems_.AddAt(op, "operands and their slots disagree");
        return;
      }
      for (size_t i = 0; i < operands.size(); ++i) {
        const auto add = [&](const char* problem) {
          if (kind == Value::Kind::kBarrier) return problems_.AddAt(op, problem);
          problems_.AddAtOperand(op, i, problem);
        };
        const Value* const value = operands[i];
        if (value == nullptr) continue;
        if (!Owns(value)) {
          add("an operand is erased or of another graph");
          continue;
        }
        if (value->kind() != kind) add("an operand of the wrong kind");
        const auto slot = static_cast<size_t>(slots[i]);
        if (slot >= value->uses_.size() || value->uses_[slot].op != &op ||
            value->uses_[slot].index != static_cast<int>(i)) {
          add("an operand does not know of this use");
        }
        const Operation* const producer = value->producer();
        if (producer != nullptr &&
            !(owned_operations_.contains(producer) && OperationList::Precedes(*producer, op))) {
          add("an operand that is not produced before: a cycle, or a broken order");
        }
      }
    };
    check(op.operands_, op.operand_slots_, Value::Kind::kTensor);
    check(op.barriers_, op.barrier_slots_, Value::Kind::kBarrier);
    for (size_t i = 0; i < op.results_.size(); ++i) {
      const Value* const result = op.results_[i];
      if (!Owns(result)) {
        problems_.Add(absl::StrCat("result ", i, " of operation ", op.id(), " is erased"));
      } else if (result->producer() != &op || result->result_index() != static_cast<int>(i)) {
        problems_.AddAtResult(op, i, "a result does not know its producer");
      }
    }
    if (op.barrier_ != nullptr && (!Owns(op.barrier_) || op.barrier_->producer() != &op)) {
      problems_.AddAt(op, "the barrier does not know its producer");
    }
  }

  void ValueLinks(const Value& value) {
    const Operation* const producer = value.producer();
    if (producer == nullptr) {
      if (!inputs_.contains(&value)) {
        problems_.Add(absl::StrCat(Named(value), " is neither an input nor a result"));
      }
    } else if (!owned_operations_.contains(producer)) {
      problems_.Add(absl::StrCat(Named(value), " has an erased producer"));
    }
    const bool barrier = value.kind() == Value::Kind::kBarrier;
    for (const Use& use : value.uses_) {
      if (!owned_operations_.contains(use.op)) {
        problems_.Add(absl::StrCat(Named(value), " is used by an erased operation"));
        continue;
      }
      const auto operands = barrier ? use.op->barriers() : use.op->operands();
      const auto index = static_cast<size_t>(use.index);
      if (index >= operands.size() || operands[index] != &value) {
        problems_.AddAt(*use.op, absl::StrCat(Named(value), " lists a use here that is none"));
      }
    }
  }

  void Inference(const Operation& op) {
    if (op.payload() != nullptr) {
      const TensorType type{op.payload()->dtype(),
                            {op.payload()->shape().begin(), op.payload()->shape().end()}};
      if (op.results_.size() != 1 || type != op.result()->type()) {
        problems_.AddAt(op, absl::StrCat("the payload is ", type.ToString()));
      }
      return;
    }
    for (size_t i = 0; i < std::max(op.operands_.size(), op.info().operands.size()); ++i) {
      const OperandSpec* const spec = OperandSpecAt(op.info(), i);
      if (spec == nullptr) {
        problems_.AddAtOperand(op, i, "an operand more than the definition has");
        return;
      }
      const bool absent = op.operand(i) == nullptr;
      const bool may_be_absent = spec->arity == Arity::kOptional ||
                                 (spec->arity == Arity::kVariadic && i >= op.operands_.size());
      if (absent && !may_be_absent) {
        problems_.AddAtOperand(op, i,
                               absl::StrCat("operand `", AbslView(spec->name), "` is absent"));
        return;
      }
    }
    if (op.attrs_.size() != op.info().attrs.size()) {
      problems_.AddAt(op, "attributes and their definition disagree");
      return;
    }
    for (size_t i = 0; i < op.attrs_.size(); ++i) {
      const AttrSpec& spec = op.info().attrs[i];
      if (std::holds_alternative<std::monostate>(op.attrs_[i])) continue;
      if (HoldsKind(op.attrs_[i], spec.kind)) continue;
      problems_.AddAt(op, absl::StrCat("attribute `", AbslView(spec.name), "` is of another kind"));
      return;
    }
    std::vector<OperandInfo<Expr>> infos;
    for (const Value* operand : op.operands_) infos.push_back(InfoOf(operand));
    std::string failed;
    const absl::StatusOr<Inferred> inferred =
        Infer(op.info(), std::move(infos), op.attrs_, *graph_.context_, &failed);
    if (!inferred.ok()) {
      const Blame blame = BlameFor(op.info(), failed);
      const std::string problem(inferred.status().message());
      if (blame.kind == Blame::kOperand) return problems_.AddAtOperand(op, blame.index, problem);
      return problems_.AddAt(op, problem);
    }
    if (inferred->types.size() != op.results_.size()) {
      problems_.AddAt(op, absl::StrCat(inferred->types.size(), " results are inferred"));
      return;
    }
    for (size_t i = 0; i < op.results_.size(); ++i) {
      const Value& result = *op.results_[i];
      const TensorType& type = inferred->types[i];
      if (type.dtype != result.type().dtype ||
          !SameDims(*graph_.context_, type.dims, result.type().dims)) {
        problems_.AddAtResult(
            op, i, absl::StrCat(type.ToString(), " is inferred, not ", result.type().ToString()));
        continue;
      }
      const Elements* const elements = inferred->elements[i].get();
      const bool known = elements != nullptr && result.elements() != nullptr;
      if (known ? !SameDims(*graph_.context_, *elements, *result.elements())
                : elements == nullptr && result.elements() != nullptr) {
        problems_.AddAtResult(op, i, "other elements are inferred");
      }
    }
  }

  // An input reaches an output where a path leads from the outputs (or from what has an effect)
  // backwards to it.
  void Unreached(std::vector<const Value*>& unreached) {
    absl::flat_hash_set<const Value*> reached(graph_.outputs_.begin(), graph_.outputs_.end());
    for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
      const Operation& op = **it;
      bool needed = op.info().effect || (op.barrier_ != nullptr && reached.contains(op.barrier_));
      for (const Value* result : op.results_) needed |= reached.contains(result);
      if (!needed) continue;
      for (const Value* operand : op.operands_) {
        if (operand != nullptr) reached.insert(operand);
      }
      for (const Value* barrier : op.barriers_) reached.insert(barrier);
    }
    for (const Value* input : graph_.inputs_) {
      if (!reached.contains(input)) unreached.push_back(input);
    }
  }

  const Graph& graph_;
  const std::vector<Operation*> order_;
  Problems problems_;
  const absl::flat_hash_set<const Value*> inputs_;
  absl::flat_hash_set<const Value*> owned_values_;
  absl::flat_hash_set<const Operation*> owned_operations_;
};

absl::Status Verify(const Graph& graph, std::vector<const Value*>* unreached) {
  return GraphVerifier(graph).Run(unreached);
}

}  // namespace tessera::ir
