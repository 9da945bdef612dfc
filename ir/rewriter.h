// The only way to change a graph. Each change is checked at once, in every build: types and
// constraints of what is built, no cycle, and types of what is downstream are inferred again until
// nothing differs. Unused pure operations disappear by themselves.
#ifndef TESSERA_IR_REWRITER_H_
#define TESSERA_IR_REWRITER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace tessera::ir {

class ChangePlan;
struct Inferred;

class Rewriter {
 public:
  explicit Rewriter(Graph& graph) : graph_(graph) {}
  Graph& graph() { return graph_; }

  // New operations go before this one (null: at the end). `Create` moves nothing: operands must
  // precede it, else an error.
  void SetInsertionPoint(Operation* before) { insertion_point_ = before; }
  Operation* insertion_point() const { return insertion_point_; }
  // Where the new operations are said to come from.
  void SetLocation(Location location) { location_ = std::move(location); }
  const Location& location() const { return location_; }

  absl::StatusOr<Value*> AddInput(std::string name, TensorType type);  // duplicate name: error
  absl::Status AddOutput(std::string name, Value* value);
  absl::StatusOr<Operation*> Create(const OpInfo& info, std::vector<Value*> operands,
                                    std::vector<Attribute> attrs);
  Value* CreateConstant(Tensor tensor);
  // A tensor of integer (or bool) expressions; becomes a constant when all of them are.
  absl::StatusOr<Value*> CreateSymbolicConstant(DType dtype, std::vector<int64_t> shape,
                                                std::vector<Expr> elements);

  // All uses and outputs of `from` become `to`, whose type must have the same dtype and provably
  // (or with an obligation) the same dims.
  absl::Status ReplaceAllUses(Value* from, Value* to);
  // The same for all results of `op` at once (null where a result is unused), after which `op` is
  // gone unless it has an effect.
  absl::Status Replace(Operation* op, absl::Span<Value* const> replacements);
  absl::Status SetOperand(Operation* op, int index, Value* value);
  // Any tensor of the graph; what the output was goes if it is unused then.
  absl::Status SetOutput(size_t index, Value* value);
  absl::Status AddBarrier(Operation* before, Operation* after);  // `after` runs after `before`
  void SetName(Value* value, std::string name);
  // Removes every operation without effect whose results and barrier are unused; returns how many.
  size_t EraseUnused();
  // Where a graph stands, for taking back what comes behind.
  struct Mark {
    const Operation* last = nullptr;  // null: nothing was built
    size_t proved = 0;
  };
  Mark Here() const;
  // Forgets what was proved since, and erases what was built and is unused, but for constants,
  // which others may name.
  void TakeBackSince(const Mark& mark);
  // Removes one unused pure operation and, after it, its producers that became unused.
  void EraseIfUnused(Operation* op);
  // `open` carries constraint, message and predicate; it goes away with `owner`, or never if that
  // is null.
  void AddObligation(Obligation open, std::string op_name, const Operation* owner);
  // What was proved elsewhere, as `proved` of Checker<Expr>; a number is no statement, and dropped.
  void AddProved(Obligation proved, std::string op_name, const Location& location);
  // Obligations that belong to erased operations go too; `keep` decides on the rest.
  void FilterObligations(absl::FunctionRef<bool(const Obligation&)> keep);

  // Called after each operation created (worklists), and before each erased one.
  void OnCreate(absl::AnyInvocable<void(Operation*)> f) { on_create_ = std::move(f); }
  void OnErase(absl::AnyInvocable<void(Operation*)> f) { on_erase_ = std::move(f); }

 private:
  void Changes() { ++graph_.revision_; }
  bool Owns(const Value* value) const;
  absl::Status CheckOperands(const OpInfo& info, absl::Span<Value* const> operands) const;
  Value* NewValue(Value::Kind kind);
  // Links an operation whose operands, attributes, location are set, and makes its results.
  Operation* Insert(std::unique_ptr<Operation> op, Inferred inferred);
  void Own(Operation& op, std::vector<Obligation> open, std::vector<Obligation> proved);
  static void Link(Operation& op, size_t index, Value* value);
  static void Unlink(Operation& op, size_t index);
  static void LinkBarrier(Operation& op, Value* barrier);
  static void UnlinkBarrier(Operation& op, size_t index);
  void Commit(ChangePlan& plan);
  absl::Status Substitute(absl::Span<const std::pair<Value*, Value*>> pairs);
  absl::Status CheckSubstitution(const Value& from, const Value& to, std::vector<Obligation>& open,
                                 std::vector<Obligation>& proved);
  static bool IsUnused(const Operation& op);
  void Erase(Operation* op, std::vector<Operation*>& maybe_unused);
  size_t EraseUnusedBehind(const Operation* last, absl::FunctionRef<bool(const Operation&)> may_go);

  Graph& graph_;
  Operation* insertion_point_ = nullptr;
  Location location_;
  absl::AnyInvocable<void(Operation*)> on_create_, on_erase_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_REWRITER_H_
