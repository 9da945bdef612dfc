#include "nests/piecewise.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nests/piecewise_encoder.h"

namespace tessera::nests {
namespace {

constexpr unsigned kSteps = 300'000;  // of one question
constexpr size_t kMostElements = 64;  // that one is about
constexpr int kMostFactors = 8;       // of a product

using Pair = std::pair<Terms::Element, Terms::Element>;

// Proved where what is given holds; exceptions of Z3 end here.
bool Proved(const Terms& terms, absl::Span<const Terms::Element> given,
            absl::Span<const Terms::Element> wanted, absl::Span<const Pair> equal) {
  try {
    z3::context z3;
    z3::solver solver(z3);
    z3::params params(z3);
    params.set("rlimit", kSteps);
    params.set("random_seed", 42u);
    solver.set(params);
    internal::PiecewiseEncoder encoder(terms, z3, solver);
    for (const Terms::Element fact : given) solver.add(encoder.Of(fact));
    z3::expr_vector goals(z3);
    for (const Terms::Element goal : wanted) goals.push_back(encoder.Of(goal));
    for (const auto& [a, b] : equal) goals.push_back(encoder.Of(a) == encoder.Of(b));
    // From what no input satisfies everything would follow.
    if (solver.check() == z3::unsat) return false;
    for (const z3::expr& goal : goals) {
      solver.push();
      solver.add(!goal);
      const z3::check_result result = solver.check();
      solver.pop();
      if (result != z3::unsat) return false;
    }
    return true;
  } catch (const z3::exception&) {
    return false;
  }
}

// What lies below some elements.
struct Below {
  std::set<Terms::Element> elements;
  bool choices = false;                           // a choice among values, or sums of words
  int remainders = 0, quotients = 0, degree = 0;  // of what is no number

  static bool IsCall(const Terms::Node& node, Function function) {
    return node.kind == Terms::Node::kApply && node.code == static_cast<int>(function);
  }

  // Also the whole part of a quotient, which remainders are defined by.
  static bool IsRemainder(const Terms& terms, const Terms::Node& node) {
    if (IsCall(node, Function::kFmod) || IsCall(node, Function::kPyMod)) return true;
    if (!IsCall(node, Function::kFloor)) return false;
    Below whole;
    whole.Add(terms, node.args[0]);
    return whole.quotients > 0;
  }

  void AddMonomials(const Terms& terms, const auto& monomials) {
    for (const auto& [monomial, coefficient] : monomials) {
      int total = 0;
      for (const auto& [atom, exponent] : monomial) {
        total += static_cast<int>(exponent < 0 ? -exponent : exponent);
        quotients += exponent < 0 ? 1 : 0;
        Add(terms, atom);
      }
      degree = std::max(degree, total);
    }
  }

  void Add(const Terms& terms, Terms::Element e) {
    if (elements.size() > kMostElements) return;  // too much to ask already
    if (!elements.insert(e).second) return;
    const Terms::Node& node = terms.At(e);
    choices = choices || IsCall(node, Function::kSelect) || node.kind == Terms::Node::kWhole;
    remainders += IsRemainder(terms, node) ? 1 : 0;
    quotients += IsCall(node, Function::kDiv) ? 1 : 0;
    for (const Terms::Element arg : node.args) Add(terms, arg);
    AddMonomials(terms, node.real);
    AddMonomials(terms, node.whole);
  }
};

// Small enough to ask: no limit of steps ends what Z3 does with several remainders, quotients of
// quotients or high powers. And of floats of an unknown sort, forms are as good as any answer where
// nothing is chosen.
bool IsWorthAsking(const Terms& terms, const Pair& pair) {
  Below below;
  below.Add(terms, pair.first);
  below.Add(terms, pair.second);
  return below.elements.size() <= kMostElements && below.remainders < 2 &&
         below.remainders + below.quotients < 3 && below.degree <= kMostFactors &&
         (terms.theory() != Theory::kExact || below.choices);
}

}  // namespace

std::string FirstUnproved(const Sides& sides, const Terms& terms) {
  const std::string difference = FirstDifference(sides.left, sides.right, terms);
  std::vector<Terms::Element> wanted;
  for (const Terms::Element condition : sides.right_requires) {
    const std::vector<Terms::Element>& given = sides.left_requires;
    const Terms::Node& node = terms.At(condition);
    const bool holds = node.kind == Terms::Node::kLiteral && node.literal.IsTrue();
    if (!holds && std::find(given.begin(), given.end(), condition) == given.end())
      wanted.push_back(condition);
  }
  if (difference.empty() && wanted.empty()) return "";
  std::vector<Pair> equal;
  if (sides.left.size() != sides.right.size()) return difference;
  for (size_t i = 0; i < sides.left.size(); ++i) {
    const OutputTerms &left = sides.left[i], &right = sides.right[i];
    if (left.size() != right.size()) return difference;
    for (size_t e = 0; e < left.size(); ++e) {
      const Pair pair(left[e], right[e]);
      if (left[e] != right[e] && std::find(equal.begin(), equal.end(), pair) == equal.end())
        equal.push_back(pair);
    }
  }
  const auto worth = [&](const Pair& pair) { return IsWorthAsking(terms, pair); };
  if (!std::all_of(equal.begin(), equal.end(), worth)) return difference;
  if (Proved(terms, sides.left_requires, wanted, equal)) return "";
  return difference.empty() ? absl::StrCat("the right side requires ", terms.Text(wanted.front()))
                            : difference;
}

}  // namespace tessera::nests
