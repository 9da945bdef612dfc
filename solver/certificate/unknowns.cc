#include "solver/certificate/unknowns.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace tessera::certificate {
namespace {

constexpr int kMostSteps = 1000;  // of a search for bounds, each about 10 us

bool IsExtreme(const Atom& atom) { return atom.op == Operator::kMin || atom.op == Operator::kMax; }

}  // namespace

Polynomial Unknowns::Number(Atom atom, const Range& range) {
  const auto [it, fresh] =
      atoms_.try_emplace(std::move(atom), static_cast<uint32_t>(ranges_.size()));
  if (fresh) {
    ranges_.push_back(range);
    by_number_.push_back(&it->first);
  }
  return Polynomial::Unknown(it->second);
}

Range Unknowns::RangeOf(const Polynomial& polynomial) const {
  Range sum{0, 0};
  for (const auto& [monomial, coefficient] : polynomial.summands()) {
    Range product{coefficient, coefficient};
    for (const uint32_t unknown : monomial) product = product * ranges_[unknown];
    sum = sum + product;
  }
  return sum;
}

// The atom that it is; null: it is another polynomial.
const Atom* Unknowns::AtomOf(const Polynomial& polynomial) const {
  const auto& summands = polynomial.summands();
  if (summands.size() != 1) return nullptr;
  const auto& [monomial, coefficient] = *summands.begin();
  return monomial.size() == 1 && coefficient == 1 ? by_number_[monomial[0]] : nullptr;
}

// What is not 0 where the proposition is not 0, and the other way round.
void Unknowns::AddConjuncts(const Polynomial& proposition, std::set<Polynomial>& conjuncts) const {
  const Atom* const atom = AtomOf(proposition);
  if (atom != nullptr && atom->op == Operator::kAnd) {
    for (const Polynomial& operand : atom->operands) AddConjuncts(operand, conjuncts);
  } else if (atom != nullptr && atom->op == Operator::kNe && atom->operands[1] == Polynomial()) {
    AddConjuncts(atom->operands[0], conjuncts);
  } else if (proposition.AsNumber().value_or(0) == 0) {
    conjuncts.insert(proposition);
  }
}

bool Unknowns::OneHolds(const Polynomial& negation, const Polynomial& conclusion) const {
  const Atom* const atom = AtomOf(negation);
  if (atom == nullptr || atom->op != Operator::kEq || atom->operands[1] != Polynomial())
    return false;
  std::set<Polynomial> given, wanted;
  AddConjuncts(atom->operands[0], given);
  AddConjuncts(conclusion, wanted);
  return std::includes(given.begin(), given.end(), wanted.begin(), wanted.end());
}

bool Unknowns::IsNeverNegative(const Polynomial& polynomial) const {
  Budget budget{kMostSteps, {}};
  return Search(polynomial, budget);
}

bool Unknowns::Search(const Polynomial& polynomial, Budget& budget) const {
  const Range range = RangeOf(polynomial);
  if (range.low >= 0) return true;
  if (range.high < 0 || budget.failed.count(polynomial) != 0 || --budget.steps < 0) return false;
  // The outermost: its operands have what it may cancel with. Extremes before quotients, whose
  // bounds are not exact.
  std::optional<std::pair<uint32_t, Wide>> chosen;
  for (const auto& [monomial, coefficient] : polynomial.summands()) {
    if (monomial.size() != 1) continue;
    const Atom& atom = *by_number_[monomial[0]];
    const bool quotient = atom.op == Operator::kFloorDiv && atom.operands[1].AsNumber();
    if (!IsExtreme(atom) && !quotient) continue;
    if (!chosen || (IsExtreme(atom) && !IsExtreme(*by_number_[chosen->first])) ||
        (IsExtreme(atom) == IsExtreme(*by_number_[chosen->first]) && monomial[0] > chosen->first))
      chosen.emplace(monomial[0], coefficient);
  }
  bool found = false;
  if (chosen) {
    found = Replace(polynomial, chosen->first, chosen->second, budget);
  } else if (const std::optional<Polynomial> factor = WithoutCommonFactor(polynomial)) {
    found = Search(*factor, budget);
  }
  if (!found) budget.failed.insert(polynomial);
  return found;
}

// Divided by an unknown that is at least 0 and a factor of every summand; nothing: there is none.
// A number that is taken away may stay where the unknown is at least 1: u*r >= r >= n.
std::optional<Polynomial> Unknowns::WithoutCommonFactor(const Polynomial& polynomial) const {
  const auto& summands = polynomial.summands();
  if (summands.size() < 2) return std::nullopt;
  for (const uint32_t unknown : summands.rbegin()->first) {
    if (ranges_[unknown].low < 0) continue;
    std::optional<Polynomial> quotient = Polynomial();
    for (const auto& [monomial, coefficient] : summands) {
      if (monomial.empty() && coefficient < 0 && ranges_[unknown].low >= 1) {
        quotient = quotient->Plus(Polynomial::Number(coefficient));
        if (!quotient) break;
        continue;
      }
      auto at = std::find(monomial.begin(), monomial.end(), unknown);
      if (at == monomial.end()) quotient.reset();
      std::optional<Polynomial> rest = Polynomial::Number(1);
      for (auto other = monomial.begin(); quotient && rest && other != monomial.end(); ++other)
        if (other != at) rest = rest->Times(Polynomial::Unknown(*other));
      quotient = quotient && rest ? quotient->Plus(*rest, coefficient) : std::nullopt;
      if (!quotient) break;
    }
    if (quotient) return quotient;
  }
  return std::nullopt;
}

// What it adds to a sum gives way to what is not greater. Where it is a factor too, that stays.
bool Unknowns::Replace(const Polynomial& polynomial, uint32_t unknown, Wide coefficient,
                       Budget& budget) const {
  const Atom& atom = *by_number_[unknown];
  const std::optional<Polynomial> rest =
      polynomial.Plus(Polynomial::Unknown(unknown), -coefficient);
  if (!rest) return false;
  if (IsExtreme(atom)) {
    const auto with = [&](const Polynomial& operand) {
      const std::optional<Polynomial> whole = rest->Plus(operand, coefficient);
      return whole && Search(*whole, budget);
    };
    const bool either = (atom.op == Operator::kMax) == (coefficient > 0);
    const bool first = with(atom.operands[0]);
    return first == either ? first : with(atom.operands[1]);
  }
  const Wide divisor = *atom.operands[1].AsNumber();
  std::optional<Polynomial> bound = atom.operands[0];
  if (coefficient > 0) bound = bound->Plus(Polynomial::Number(divisor - 1), -1);
  const std::optional<Polynomial> scaled = rest->Times(Polynomial::Number(divisor));
  std::optional<Polynomial> whole =
      bound && scaled ? scaled->Plus(*bound, coefficient) : std::nullopt;
  // A multiple of the divisor that is above -divisor is not negative.
  if (whole) whole = whole->Plus(Polynomial::Number(divisor - 1));
  return whole && Search(*whole, budget);
}

}  // namespace tessera::certificate
