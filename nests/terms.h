// Elements of results as terms over elements of inputs, which are equal only where what they
// stand for is equal for all values of the inputs.
//
// Terms are kept in a normal form, so that equality is that of numbers in a table. Integers are
// polynomials modulo 2^64, narrowed where a tensor narrows them: exact. Of floats there are three
// theories:
//   kExact  the same operations on the same values in the same order, up to what holds of every
//           float, NaN, infinities and -0 included: a + b = b + a, x * 1 = x, -(-x) = x,
//           floor(floor(x)) = floor(x), a conversion there and back.
//   kReals  polynomials with rational coefficients, negative powers of single terms, min and max
//           as sets, comparisons of differences, functions that are defined by others (cosh, fmod)
//           as these; the rest are known by their arguments alone. Nothing is rounded, and a
//           divisor is not 0. A constant is the number that its float is.
//   kRounded  as kReals, but a constant is the simplest number whose nearest float it is: p/q of
//           which p*q is at most 4096, or the root of such a one of at most 64 (0.16666667 is 1/6,
//           0.70710677 the root of 1/2); any other is the number that its float is. Sides that are
//           equal so differ by the rounding of their constants.
//
// What normal forms do not decide is asked of piecewise.h.
#ifndef TESSERA_NESTS_TERMS_H_
#define TESSERA_NESTS_TERMS_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "nests/arithmetic.h"
#include "nests/rational.h"
#include "nests/scalar.h"

namespace tessera::nests {

enum class Theory : uint8_t { kExact, kReals, kRounded };

// A Domain of walk.h.
class Terms {
 public:
  using Element = int;

  explicit Terms(Theory theory) : theory_(theory) {}

  // Any value of the dtype; the same for the same names.
  Element Input(int64_t tensor, int64_t element, ir::DType dtype);
  // Of which only its arguments are known.
  Element Opaque(const std::string& function, Number number, const std::vector<Element>& args);

  Element Literal(const Value& value);
  Element Apply(Function function, Number number, std::vector<Element> args);
  Element Convert(Number number, Element value);
  Element Combine(Reduction reduction, Element sum, Element term);
  // What a tensor of `dtype` keeps, in NumberOf(dtype).
  Element Narrow(ir::DType dtype, Element value);
  std::optional<int64_t> AsIndex(Element value) const;
  static constexpr bool kIndicesAreKnown = false;
  // `entry` where the index is `at`, else `rest`.
  Element Choose(Element index, int64_t at, Element entry, Element rest);
  // That an index lies within 0 .. extent - 1: otherwise nothing is computed at all.
  void Require(Element index, int64_t extent);
  // What was required since this was asked last, truth values; each once, in order.
  std::vector<Element> TakeRequired() { return std::exchange(required_, {}); }
  std::string Text(Element value, int depth = 6) const;
  // Too many: what is compared is too large.
  size_t size() const { return nodes_.size(); }
  Theory theory() const { return theory_; }

  // What an element is, for those who say the same in another language.
  // (atom, exponent), by atom.
  using Monomial = std::vector<std::pair<int, int>>;
  template <class C>
  using Poly = std::map<Monomial, C>;

  struct Node {
    enum Kind : uint8_t { kLiteral, kInput, kApply, kReal, kWhole } kind = kLiteral;
    Number number = Number::kI64;
    Value literal;
    int code = 0;  // of what is applied: a function, or one of the codes below
    std::vector<int> args;
    Poly<Rational> real;
    Poly<uint64_t> whole;
    ir::DType dtype = ir::DType::kI64;  // of an input, and of what was narrowed: its range
    std::string name;
  };
  enum Code : int { kOpaque = 1000, kConvert, kNarrow, kBelowZero, kAtMostZero, kIsZero };

  const Node& At(Element e) const { return nodes_[static_cast<size_t>(e)]; }
  bool Reals(Number number) const { return theory_ != Theory::kExact && IsFloat(number); }
  // The numbers between which an integer lies.
  struct Range {
    int64_t least, most;
  };
  // None: any word, or what wraps on the way.
  std::optional<Range> RangeOf(Element e) const;
  // Of the same words taken as whole numbers, if no sum on the way leaves them.
  std::optional<Range> RangeOf(const Poly<uint64_t>& poly) const;
  // The number that a real is, if it is the same for all inputs.
  std::optional<Rational> ConstantOf(Element e) const;

 private:
  Element Intern(Node node, std::vector<int64_t> key);
  Element Node1(int code, Number number, std::vector<int> args, ir::DType dtype = ir::DType::kI64);

  Poly<Rational> RealOf(Element e) const;
  void Reduce(Poly<Rational>& poly) const;
  Element Known(double value);  // the real that it is
  Poly<uint64_t> WholeOf(Element e) const;
  Element FromReal(Poly<Rational> poly);
  Element FromRational(const Rational& value) { return FromReal(Constant(value)); }
  static Poly<Rational> Constant(const Rational& value);
  // The simplest number whose nearest float is `value`.
  std::optional<Element> Simplest(const Value& value);
  Element FromWhole(Poly<uint64_t> poly, Number number);
  std::optional<Element> Arithmetic(Function function, Number number,
                                    const std::vector<Element>& args);
  std::optional<Element> Inverse(Element e);
  Element Extreme(Function function, Number number, const std::vector<Element>& args);
  Element Compare(Function function, Element a, Element b);
  Element Unary(Function function, Number number, Element a);
  // Of the reals: a function that is defined by others, and what logarithms and powers come to.
  std::optional<Element> Defined(Function function, const std::vector<Element>& args);
  std::optional<Element> Logarithm(Element a);
  std::optional<Element> OfConstant(Function function, Element a);
  bool IsPositive(Element e) const;
  bool Cancels(const Poly<Rational>& a, const Poly<Rational>& b) const;
  bool IsNotNegative(Element e) const;
  Element Call(Function function, Element a, Element b);  // of reals
  std::optional<Element> Exact(Function function, Number number, std::vector<Element>& args);
  bool Is(Element e, double value) const;  // that literal, with that sign of 0

  Theory theory_;
  std::deque<Node> nodes_;  // references stay valid while terms are added
  absl::flat_hash_map<std::vector<int64_t>, int> table_;
  std::vector<Element> required_;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_TERMS_H_
