// Builds graph pieces for generated terms (builders, importer clauses, rewrites, lowerings). The
// first error sticks: after it every call returns null and does nothing, so that generated code
// reads as the term does.
#ifndef TESSERA_IR_TERM_BUILDER_H_
#define TESSERA_IR_TERM_BUILDER_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "ir/capabilities.h"
#include "ir/rewriter.h"

namespace tessera::ir {

// An attribute as a term states it: `std::string_view` names an enum value. The builder converts it
// to the kind that the definition declares (int to dim, ints to dims and back where static, int to
// float); what cannot be converted is an error.
using TermAttribute = std::variant<Attribute, std::string_view>;

class TermBuilder {
 public:
  explicit TermBuilder(Rewriter& rewriter) : rewriter_(rewriter) {}
  Rewriter& rewriter() { return rewriter_; }

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }
  void Fail(absl::Status status);             // kept if it is the first
  void Refuse(std::string unsupported_text);  // a lowering's `otherwise`
  // Takes over what functions of a clause of `op` required: a failure, or obligations that stay.
  void Owe(Checker<Expr>& checker, std::string_view op);
  const std::string& refusal() const { return refusal_; }
  void Reset();  // forgets status, refusal, what was decided and what was assumed

  // A clause of a lowering that `assumes finite` is taken: of finite numbers alone it is what the
  // operation computes. False, with a refusal: under strict floats nothing may assume that.
  bool AssumeFinite();
  void SetStrictFloats(bool strict) { strict_floats_ = strict; }
  bool assumed_finite() const { return assumed_finite_; }

  // What generated code has decided, for those who ask how it came to its result: the clause of a
  // lowering that it took, and the conjunct of a rewrite's guard that did not hold; -1: none.
  void Took(int clause) { taken_ = clause; }
  bool Holds(int conjunct, bool holds) {
    missed_ = holds ? -1 : conjunct;
    return holds;
  }
  int taken() const { return taken_; }
  int missed() const { return missed_; }

  // What a lowering decides by, counted in the order of its text (codegen/decisions.h), may be
  // supposed to come out otherwise, for those who ask what it decides.
  enum class Supposition : uint8_t { kHolds, kFails, kMore, kLess };
  void Suppose(int decision, Supposition as) {
    supposed_ = decision;
    as_ = as;
  }
  template <class Truth>  // bool or a proposition
  Truth Decided(int decision, Truth holds) const {
    if (decision != supposed_) return holds;
    return as_ == Supposition::kHolds   ? Truth(int64_t{1})
           : as_ == Supposition::kFails ? Truth(int64_t{0})
                                        : holds;
  }
  // What the right side of a comparison is moved by.
  int64_t Moved(int decision) const {
    if (decision != supposed_) return 0;
    return as_ == Supposition::kMore ? 1 : as_ == Supposition::kLess ? -1 : 0;
  }

  // All results of a new operation; attributes not named take their defaults. Empty after an error.
  std::vector<Value*> Create(
      std::string_view dialect, std::string_view op, std::vector<Value*> operands,
      std::initializer_list<std::pair<std::string_view, TermAttribute>> attrs);
  std::vector<Value*> Create(std::string_view dialect, std::string_view op,
                             std::vector<Value*> operands,
                             const std::vector<std::pair<std::string_view, TermAttribute>>& attrs);
  // Like `like` (same op) with `operands` and changed attributes.
  std::vector<Value*> CreateLike(
      const Operation& like, std::vector<Value*> operands,
      const std::vector<std::pair<std::string_view, TermAttribute>>& attrs);

  Value* Constant(Tensor tensor);
  Value* Fill(double value, const std::vector<Expr>& dims,
              DType dtype);                                         // error where a dim is symbolic
  Value* TensorOf(const std::vector<Expr>& elements, DType dtype);  // rank 1
  Value* TensorOf(const std::vector<int64_t>& elements, DType dtype);
  Value* TensorOf(const std::vector<double>& elements, DType dtype);
  Value* ScalarOf(Expr element, DType dtype);  // rank 0
  Value* ScalarOf(double element, DType dtype);
  Value* ScalarOf(int64_t element, DType dtype);

  // For `runs` of guards; null: everything can be held. Must outlive the builder.
  void SetCapabilities(const Capabilities* capabilities) { capabilities_ = capabilities; }
  bool Runs(std::string_view op, DType dtype, int64_t rank, std::string_view feature = {}) const {
    return capabilities_ == nullptr || capabilities_->Runs(op, dtype, rank, feature);
  }

  // Proved; unknown and refuted are false.
  bool Proves(Expr proposition);
  bool Proves(bool proposition) { return proposition; }
  // The host integer; an error where it is symbolic.
  int64_t HostInt(Expr e);
  int64_t HostInt(int64_t e) { return e; }
  std::vector<int64_t> HostInts(const std::vector<Expr>& list);

 private:
  std::vector<Value*> Make(const OpInfo& info, std::vector<Value*> operands,
                           std::vector<Attribute> attrs);
  std::vector<Value*> Expand(const OpInfo& builder, std::vector<Value*> operands,
                             std::vector<Attribute> attrs);
  Value* Symbolic(const std::vector<Expr>& elements, std::vector<int64_t> shape, DType dtype);

  Rewriter& rewriter_;
  absl::Status status_;
  std::string refusal_;
  int taken_ = -1, missed_ = -1;
  bool strict_floats_ = false, assumed_finite_ = false;
  int supposed_ = -1;
  Supposition as_ = Supposition::kHolds;
  const Capabilities* capabilities_ = nullptr;
};

// Predicates of guards.
bool IsConstant(const Value* value);
bool IsStatic(const Expr& e);
bool IsStatic(const std::vector<Expr>& list);
bool IsSplat(const Value* value, double element);  // a constant whose elements all equal `element`
bool IsBelow(const Value* value, double bound);    // a constant with an element less than `bound`
// A constant each of whose elements is 0, or of a magnitude between the two.
bool IsWithin(const Value* value, double least, double most);
bool IsFinite(const Value* value);     // a constant without infinity and NaN
int64_t UseCount(const Value* value);  // graph outputs count
// The elements of an integer value as expressions; false where they are not known.
bool ElementsOf(const Value* value, std::vector<Expr>& elements);
// Elements that all others lie between, as OperandInfo::extremes; none where nothing is known.
std::vector<Expr> ExtremesOf(const Value* value);

}  // namespace tessera::ir

#endif  // TESSERA_IR_TERM_BUILDER_H_
