// Interprets definitions: the clause that imports a node, the signatures of the ops that it builds,
// what they require, and their elements where these are sizes.
#ifndef TESSERA_RECHECK_INTERPRETER_H_
#define TESSERA_RECHECK_INTERPRETER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/ast.h"
#include "recheck/attribute.h"
#include "recheck/definitions.h"
#include "recheck/node.h"
#include "recheck/session.h"
#include "recheck/value.h"

namespace tessera::recheck {

// Of a tensor whose elements are followed one by one.
inline constexpr int64_t kMaxTracked = 1024;

class Interpreter {
 public:
  Interpreter(Session& session, const NodeContext& node)
      : session_(session), terms_(session.terms()), node_(node) {}

  // The node's results. What the definitions require on the way, the session knows.
  std::vector<TensorPtr> Import(const Clause& clause);
  // The results of an op of the definitions; at least one, which may be null.
  std::vector<TensorPtr> Create(const std::string& op, const std::vector<TensorPtr>& operands,
                                const std::map<std::string, int64_t>& attributes,
                                const std::map<std::string, std::vector<Dim>>& lists);
  // The results of an op of any dialect, by its definition alone: no certificate lists it.
  std::vector<Tensor> Apply(const codegen::Op& op, std::vector<Value> operands,
                            std::map<std::string, Value> attributes);
  // What could not be interpreted, and what does not hold; empty: nothing.
  const std::string& unsupported() const { return unsupported_; }
  const std::string& wrong() const { return wrong_; }
  // Tells the session what could not be interpreted, or does not agree with the certificate. False:
  // there is such a thing, and the results are not to be used.
  bool Finish();

 private:
  using NodePtr = codegen::NodePtr;
  using Op = codegen::Op;
  using Given = std::map<std::string, Value>;  // attributes
  using Scope = std::map<std::string, Value>;

  bool ok() const { return unsupported_.empty() && wrong_.empty(); }
  Value Unsupported(std::string what);
  void Wrong(std::string what);

  // Names.
  const Value* Find(const std::string& name) const;
  void Bind(const std::string& name, Value value) { scopes_.back()[name] = std::move(value); }

  // Expressions (interpreter.cc).
  Value Evaluate(const NodePtr& node);
  Value Name(const codegen::Node& node);
  Value Binary(const codegen::Node& node);
  // Whether an attribute has that value; nothing: `a` is no enum, or has none of that name. What
  // else is called so in a body does not count.
  std::optional<bool> IsNamed(const codegen::Node& a, const codegen::Node& b) const;
  Value Coalesce(const codegen::Node& node);
  Value Ternary(const codegen::Node& node);
  Value Index(const codegen::Node& node);
  Value Call(const codegen::Node& node);  // folds.cc
  Value Expand(const codegen::Function& function, std::vector<Value> arguments);
  // `scan`, and the functions that it is made of (recurrences.cc).
  Value Recurrence(const codegen::Node& node);
  Value PieceOfScan(const std::string& name, std::vector<Value> arguments);
  void StepOfScan(const codegen::Node& node, std::vector<Value>& states,
                  std::vector<std::vector<Value>>& collected);
  Value StackOfScan(std::vector<Value> states, std::vector<std::vector<Value>> collected);
  Value Arithmetic(const std::string& op, const Value& a, const Value& b);
  Value Compare(const std::string& op, const Value& a, const Value& b);
  // folds.cc
  Value Fold(const codegen::Node& node);
  // Calls `f` with each binding of the binders.
  void Loop(const std::vector<codegen::Binder>& binders, size_t at, const std::function<void()>& f);
  Value Comprehension(const std::vector<codegen::Binder>& binders, const NodePtr& body);
  Value Apply(Operator op, const Value& a, const Value& b);
  // `truncdiv` or `mod` by what may be negative, with the sign that elements have; 0 by 0.
  Value Divide(Operator op, const Value& a, const Value& b);

  Dim AsDim(const Value& value);
  std::vector<Dim> AsDims(const Value& value);
  int64_t AsHost(const Value& value);
  double AsFloat(const Value& value);
  TensorPtr AsTensor(const Value& value);
  Value Truth(bool value) { return Value::Int(terms_.Integer(value ? 1 : 0)); }
  // Where it is a number: whether it is not 0. Otherwise, whether the certificate has it proved.
  bool Guard(const NodePtr& node);
  bool Decide(const Value& condition);

  // Functions (lists.cc, calls.cc); nothing: there is no such function.
  std::optional<Value> ListCall(const codegen::Node& node);
  std::optional<Value> NumberCall(const codegen::Node& node);
  std::optional<Attribute> FindAttribute(const std::string& name) const;
  std::optional<Value> ImportCall(const codegen::Node& node, const NodePtr& otherwise);
  Value DataSize(const codegen::Node& node);  // data_sizes.cc
  std::optional<Value> TermCall(const codegen::Node& node);
  Value Broadcast(const Value& a, const Value& b);
  bool IsOptionallyKnown(const codegen::Node& name) const;
  Value Elements(const Value& tensor);
  // Of an operand that is declared with `elements?`; `all`: elements, where all are known.
  Value Extremes(const Value& tensor, bool all);

  // Ops (signature.cc, build.cc).
  Value OpCall(const codegen::Node& node, const Op& op);
  Value AttributeValue(const codegen::AttributeDecl& declaration, const NodePtr& node);
  std::vector<TensorPtr> Build(const Op& op, std::vector<Value> operands, Given attributes);
  void BindOperands(const Op& op, const std::vector<Value>& operands);
  void BindForm(const codegen::Operand& operand, const Tensor& tensor);
  void BindAttributes(const Op& op, const Given& attributes, bool all);
  void Derive(const Op& op);
  void Items(const std::vector<codegen::ClauseItem>& items);
  std::vector<TensorPtr> TermsOf(const NodePtr& term);
  void BindNames(const Op& op);  // import_clause.cc, as Import
  std::vector<TensorPtr> Results(const Op& op, const std::vector<Value>& operands);
  // Says which results of other operations these equal.
  Tensor::Source SourceOf(const Tensor& tensor) const;
  Tensor::Source SourceOfResult(const Op& op, const std::vector<TensorPtr>& operands,
                                const Tensor& result) const;
  void Number(const Op& op, const std::vector<TensorPtr>& operands,
              const std::vector<TensorPtr>& results);
  Tensor ResultOf(const codegen::Operand& output);
  // Dims that are listed take the place of those that were computed.
  void CompareType(const Op& op, const std::vector<TensorPtr>& operands, Tensor& computed,
                   const Tensor& listed);
  bool IsTracked(const Tensor& tensor) const;
  void Require(const std::string& id, const Value& holds, std::vector<Dim> others = {},
               Requirement::Kind kind = Requirement::kDue);
  void RequireSize(const std::string& id, Dim size, Requirement::Kind kind = Requirement::kDue);
  void RequireEach(const std::string& id, const NodePtr& condition);

  // Elements (elements.cc): those of the results, computed by the reference semantics. False where
  // they are not known; `unread` says why, or is empty where they are computed from data.
  bool Reference(const Op& op, const std::vector<Value>& operands, std::vector<Tensor>& results,
                 std::string& unread);
  void RunReference(const Op& op, const std::vector<Value>& operands, std::vector<Tensor>& results);
  // Row-major.
  std::vector<Value> PositionOf(int64_t n, const std::vector<int64_t>& shape);
  void Compute(const codegen::RefStatement& temp);
  std::vector<std::pair<TensorPtr, size_t>> Joined(const codegen::RefStatement& ref,
                                                   const std::vector<Value>& operands,
                                                   const std::vector<int64_t>& shape);
  void Join(const codegen::RefStatement& ref, const std::vector<Value>& operands,
            const std::vector<int64_t>& shape, Tensor& result);
  // Binds the names of a position, computes what the definition says of it.
  Value ElementAt(const codegen::RefStatement& ref, const std::vector<Value>& position);
  Value Read(const codegen::Node& node, bool& outside);
  // Nothing: all integers do.
  std::optional<Dim> FitsIn(const std::string& dtype, Dim element);
  void RequireFits(const std::string& dtype, Dim element);
  // Compares the elements of a result with those that are listed.
  void CompareElements(const Op& op, Tensor& computed, Tensor& listed, const std::string& unread);

  // Sizes through floats and narrow integers (floats.cc): what the certificate does not list of
  // results of known size, for who asks for values.
  void Pass(const Op& op, const std::vector<Value>& operands, Tensor& listed);
  Value ReadThrough(const Tensor& tensor, size_t at);
  std::optional<Value> FractionCall(const std::string& name, const std::vector<Value>& args);
  Value FractionOf(const std::string& op, const Value& a, const Value& b);
  Value CompareFractions(Operator op, const std::string& text, const Value& a, const Value& b);
  std::optional<Fraction> RootOf(const Fraction& v);
  std::optional<Fraction> DividedBySize(const Fraction& a, const Fraction& b);
  // The elements of an operand of the node, whatever they went through.
  Value Sizes(const Value& tensor);

  // Where the result follows the index (progressions.cc).
  std::shared_ptr<const Progression> Follow(const Op& op, const std::vector<Value>& operands,
                                            const std::vector<Dim>& dims);
  std::vector<Dim> ExtremesOf(const Progression& progression, const std::vector<Dim>& dims);
  // Whether an element is computed from the elements at the same place.
  static bool IsElementwise(const codegen::RefStatement& ref);

  // Where it does not, but extremes of an operand are known (extremes.cc).
  std::vector<Dim> FindExtremes(const Op& op, const std::vector<Value>& operands,
                                const std::vector<Dim>& dims);
  std::vector<Dim> ExtremesThrough(const Op& op, const codegen::RefStatement& ref,
                                   const std::vector<Value>& operands, size_t rank);
  std::vector<Dim> ExtremesOfParts(const codegen::RefStatement& ref,
                                   const std::vector<Value>& operands,
                                   const std::vector<Dim>& dims);
  // Of rows of known length; 1: there are no such rows.
  size_t ColumnsOf(const std::vector<Dim>& dims, size_t extremes) const;

  Session& session_;
  Terms& terms_;
  const NodeContext& node_;
  std::vector<Scope> scopes_{1};
  std::vector<const Op*> building_;  // whose constraints are met; first, that of the clause
  std::string unsupported_, wrong_;
  bool importing_ = false;  // attributes of the node may be read
  bool reading_ = false;    // elements may be read
  bool data_ = false;       // elements that are data were asked for
  bool passing_ = false;    // sizes may be read as fractions
  std::vector<Dim> needs_;  // of these
  // Extremes that a statement asks for: those that the compiler may not know, or know otherwise,
  // and those, or unknown ones, of which it may know more than is known here.
  bool asks_loose_ = false, asks_known_otherwise_ = false;
  // And those that follow from sizes alone, but are not known here: the compiler tries them.
  bool asks_tried_ = false;
  // Of a result along whose axes of symbolic size positions are symbols; null: there are none.
  const std::vector<Dim>* result_dims_ = nullptr;
  std::string dialect_ = kCore;  // whose ops and functions names stand for
  int depth_ = 0;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_INTERPRETER_H_
