// What one element of a result is: an immutable expression over elements of tensors, which knows no
// op. It prints, is compared and hashed; that it was built by a definition leaves no trace in it.
//
// Every scalar computes in one of five number types, as kernels do: f16, bf16 and f32 in f32, bool
// where it is a truth value, u64 in 64 unsigned bits, all other integers in 64 signed ones. The
// functions are those of the op language (docs/op-language.md, "What `ref` means in numbers").
#ifndef TESSERA_NESTS_SCALAR_H_
#define TESSERA_NESTS_SCALAR_H_

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/dtype.h"
#include "solver/expr.h"

namespace tessera::nests {

using solver::Expr;

enum class Number : uint8_t { kF32, kF64, kI64, kU64, kBool };
std::string_view NameOf(Number number);
inline bool IsFloat(Number number) { return number == Number::kF32 || number == Number::kF64; }
// What elements of a dtype are computed in.
Number NumberOf(ir::DType dtype);
// What a tensor that holds computed numbers has as its dtype.
ir::DType DTypeOf(Number number);
// In which sums and products are taken: floats in f64, truth values in i64.
Number AccumulatorOf(Number number);

// A number of one of the types. A float is held in `f` (f32 ones exactly), others in `i` or `u`.
struct Value {
  Number number = Number::kI64;
  union {
    double f;
    int64_t i = 0;
    uint64_t u;
  };
  static Value OfFloat(Number number, double f);
  static Value OfInt(Number number, int64_t i);
  static Value OfUnsigned(uint64_t u);
  bool IsTrue() const;  // not zero; NaN is true
  // The same bits.
  friend bool operator==(const Value& a, const Value& b) {
    return a.number == b.number && a.u == b.u;
  }
};
std::string ToString(const Value& value);

// Element functions, by the names of the op language, in the order of FunctionNames().
enum class Function : uint8_t {
  // Of two numbers.
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMin,
  kMax,
  kPow,
  kFmod,
  kPyMod,
  kBitAnd,
  kBitOr,
  kBitXor,
  kShl,
  kShr,
  // Of two numbers, a truth value.
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  // Of truth values.
  kAnd,
  kOr,
  kNot,
  // Of one number.
  kNeg,
  kAbs,
  kSign,
  kFloor,
  kCeil,
  kRound,
  kTrunc,
  kSqrt,
  kExp,
  kLog,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kBitNot,
  // Of one number, a truth value.
  kIsNan,
  kIsInf,
  kIsPosInf,
  kIsNegInf,
  // condition, a, b: both are computed.
  kSelect,
};
inline constexpr size_t kFunctionCount = static_cast<size_t>(Function::kSelect) + 1;
std::string_view NameOf(Function function);
bool YieldsTruth(Function function);

enum class Reduction : uint8_t { kSum, kProduct, kMin, kMax, kAny, kAll };
std::string_view NameOf(Reduction reduction);
// What a reduction of nothing is.
Value IdentityOf(Reduction reduction, Number number);

// A tensor of one computation: its operands (those of variadic operands one by one), scratch
// tensors and results, each kind counted by itself.
struct TensorId {
  enum Kind : uint8_t { kOperand, kTemp, kResult } kind = kOperand;
  int index = 0;
  friend bool operator==(const TensorId&, const TensorId&) = default;
};

// One axis of iteration: `symbol` takes the values 0 to extent - 1.
struct Axis {
  Expr symbol;
  Expr extent;
  friend bool operator==(const Axis&, const Axis&) = default;
};

struct Index;
struct ScalarNode;

class Scalar {
 public:
  Scalar() = default;  // none
  // A truth value that is known.
  template <std::same_as<bool> T>
  Scalar(T truth) : Scalar(Truth(truth)) {}  // NOLINT: so that known conditions mix with others

  static Scalar Literal(const Value& value);
  static Scalar Truth(bool truth);
  // An expression of sizes and axes as an i64, a proposition as a truth value.
  static Scalar OfIndex(const Expr& index);
  static Scalar OfProposition(const Expr& proposition);
  static Scalar Read(TensorId tensor, Number number, std::vector<Index> at, Scalar otherwise);
  // Terms for every point of the axes, in row-major order of these, combined in `number`.
  // `identity` is what there is where there are no terms.
  static Scalar Reduce(Reduction reduction, Number number, const Value& identity,
                       std::vector<Axis> axes, std::vector<Scalar> terms);
  static Scalar Call(Function function, Number number, std::vector<Scalar> args);
  // a where the proposition holds, else b; the other one is not computed.
  static Scalar Choose(const Expr& proposition, Scalar a, Scalar b);
  static Scalar Cast(Number number, Scalar value);
  // The index `value`; an error where an axis of `extent` has no such entry.
  static Scalar Within(Scalar value, const Expr& extent);

  bool IsNone() const { return node_ == nullptr; }
  const ScalarNode& operator*() const { return *node_; }
  const ScalarNode* operator->() const { return node_.get(); }
  // Equal in structure, names of axes included.
  friend bool operator==(const Scalar& a, const Scalar& b);
  size_t hash() const;

 private:
  static Scalar Make(ScalarNode node);
  std::shared_ptr<const ScalarNode> node_;
};

// Where a tensor is read: an expression of sizes and axes, or data.
struct Index {
  Index(Expr e) : expr(e) {}               // NOLINT
  Index(Scalar s) : data(std::move(s)) {}  // NOLINT
  Expr expr;
  Scalar data;  // none: `expr` it is
  friend bool operator==(const Index&, const Index&) = default;
};

struct ScalarNode {
  enum Kind : uint8_t {
    kLiteral,
    kIndex,
    kRead,
    kReduce,
    kCall,
    kChoose,
    kCast,
    kWithin
  } kind = kLiteral;
  Number number = Number::kI64;        // of the value
  Value literal;                       // kLiteral; the identity of kReduce
  Expr index;                          // kIndex; the proposition of kChoose; the extent of kWithin
  TensorId tensor;                     // kRead
  std::vector<Index> at;               // kRead
  Function function = Function::kAdd;  // kCall
  Reduction reduction = Reduction::kSum;  // kReduce
  std::vector<Axis> axes;                 // kReduce
  // kRead: the value outside the tensor, if there is one. kReduce: terms. kCall: arguments.
  // kChoose: a, b. kCast, kWithin: of what.
  std::vector<Scalar> args;
  size_t hash = 0;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_SCALAR_H_
