#include "recheck/fingerprint.h"

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::recheck {
namespace {

using certificate::Arity;
using certificate::Term;

constexpr size_t kLeast = 8;  // of either kind: at these, each symbol takes as many least values
constexpr size_t kPoints = 32;
constexpr size_t kAdmitted = 24;  // further ones, which the symbols' ranges admit
constexpr uint64_t kSmall = 40;   // what small sizes are less than
constexpr int64_t kUndefined = 0x5bd1e9955bd1e995;
constexpr int64_t kMostSize = INT32_MAX;
// Of what is tried near constants.
constexpr size_t kMostWithin = 400, kMostConstants = 6, kMostSymbols = 4;

using Number = __int128;

uint64_t Mixed(uint64_t h) {
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9;
  h = (h ^ (h >> 27)) * 0x94D049BB133111EB;
  return h ^ (h >> 31);
}

uint64_t Mixed(uint64_t h, Number value) {
  const auto low = static_cast<uint64_t>(value), high = static_cast<uint64_t>(value >> 64);
  // Numbers of 64 bits, most of them, are told by these alone.
  h = Mixed(h + low);
  return value == static_cast<int64_t>(low) ? h : Mixed(h + high);
}

Number Wrapped(Operator op, Number a, Number b, Number c) {
  const auto u = [](Number v) { return static_cast<unsigned __int128>(v); };
  const auto floor = [&] { return a / b - (a % b < 0 ? 1 : 0); };
  switch (op) {
    case Operator::kAdd:
      return static_cast<Number>(u(a) + u(b));
    case Operator::kSubtract:
      return static_cast<Number>(u(a) - u(b));
    case Operator::kMultiply:
      return static_cast<Number>(u(a) * u(b));
    case Operator::kNegate:
      return static_cast<Number>(0 - u(a));
    case Operator::kAbs:
      return a < 0 ? static_cast<Number>(0 - u(a)) : a;
    case Operator::kFloorDiv:
      return b < 1 ? kUndefined : floor();
    case Operator::kCeilDiv:
      return b < 1 ? kUndefined : a / b + (a % b > 0 ? 1 : 0);
    case Operator::kMod:
      return b < 1 ? kUndefined : a - b * floor();
    case Operator::kTruncDiv:
      return b < 1 ? kUndefined : a / b;
    case Operator::kMin:
      return std::min(a, b);
    case Operator::kMax:
      return std::max(a, b);
    case Operator::kNot:
      return a == 0;
    case Operator::kEq:
      return a == b;
    case Operator::kNe:
      return a != b;
    case Operator::kLt:
      return a < b;
    case Operator::kLe:
      return a <= b;
    case Operator::kGt:
      return a > b;
    case Operator::kGe:
      return a >= b;
    case Operator::kAnd:
      return a != 0 && b != 0;
    case Operator::kOr:
      return a != 0 || b != 0;
    case Operator::kIte:
      return a != 0 ? b : c;
    default:
      return 0;
  }
}

// Of all magnitudes alike, and often the last; below `count`.
uint64_t AnyMagnitude(uint64_t draw, uint64_t count) {
  if (draw % 8 == 0) return count - 1;
  const auto bits = static_cast<uint64_t>(std::bit_width(count));
  const uint64_t within = uint64_t{1} << (Mixed(draw) % (bits + 1));
  return Mixed(draw + 1) % within % count;
}

}  // namespace

void Fingerprints::Declare(Dim symbol, int64_t low, int64_t high, int64_t stride, int64_t residue) {
  Range& range = ranges_[symbol];
  range.stride = stride;
  range.first = low + ((residue - low) % stride + stride) % stride;
  high = std::min(high, range.first + kMostSize);
  range.count = high < range.first ? 1 : (high - range.first) / stride + 1;
}

uint64_t Fingerprints::SizeOf(Dim symbol, size_t point) const {
  const auto number = static_cast<uint64_t>(terms_.terms()[symbol].value);
  const uint64_t draw = Mixed(Mixed(number + 1) + point);
  // What differs at one small size only, such as the last part of an axis of fewer entries than
  // parts, is told apart: an odd step visits each value of a power of two.
  const size_t within = point < kPoints ? point : point - kPoints;
  const uint64_t step = 2 * number + 1, least = (Mixed(number + 1) + within * step) % kLeast;
  const auto it = ranges_.find(symbol);
  const Range range = it == ranges_.end() ? Range() : it->second;
  if (point >= kPoints) {
    const auto count = static_cast<uint64_t>(range.count);
    const uint64_t at = within < kLeast       ? least % count
                        : within < 2 * kLeast ? draw % std::min(count, kSmall)
                                              : AnyMagnitude(draw, count);
    return static_cast<uint64_t>(range.first) + static_cast<uint64_t>(range.stride) * at;
  }
  // Small sizes, of all remainders, and larger ones; those that a range excludes too, so that what
  // facts make equal is still told apart.
  if (within < kLeast) return (range.first < 1 ? 0 : 1) + least;
  if (point < kPoints / 2) return 1 + draw % kSmall;
  if (point < kPoints / 4 * 3) return 1 + draw % 4096;
  // Where several are large their products leave 128 bits.
  return 1 + (draw >> 63 != 0 ? AnyMagnitude(draw, kMostSize) : draw % kSmall);
}

void Fingerprints::Evaluate() {
  const std::vector<Term>& terms = terms_.terms();
  for (size_t i = values_.size(); i < terms.size(); ++i) {
    const Term& term = terms[i];
    std::vector<__int128> values(kPoints + kAdmitted);
    for (size_t k = 0; k < values.size(); ++k) {
      if (term.op == Operator::kInteger) {
        values[k] = term.value;
      } else if (term.op == Operator::kSymbol) {
        values[k] = static_cast<int64_t>(SizeOf(static_cast<Dim>(i), k));
      } else {
        const auto operand = [&](int n) {
          return n < Arity(term.op) ? values_[term.operands[n]][k] : Number{0};
        };
        values[k] = Wrapped(term.op, operand(0), operand(1), operand(2));
      }
    }
    values_.push_back(std::move(values));
  }
}

std::string Fingerprints::Sides(Dim a, Dim b, bool ordered, const Points& at) const {
  uint64_t first = 1, second = 1;
  for (size_t k = at.first; k < at.last; ++k) {
    first = Mixed(first, values_[a][k]);
    second = Mixed(second, values_[b][k]);
  }
  if (!ordered && second < first) std::swap(first, second);
  return absl::StrCat(first, ":", second);
}

std::string Fingerprints::Compute(Dim statement, const Points& at) const {
  const Term& term = terms_.terms()[statement];
  const Dim a = term.operands[0], b = term.operands[1];
  switch (term.op) {
    case Operator::kEq:
      return "=" + Sides(a, b, false, at);
    case Operator::kNe:
      return "#" + Sides(a, b, false, at);
    case Operator::kGe:
      return ">=" + Sides(a, b, true, at);
    case Operator::kLe:
      return ">=" + Sides(b, a, true, at);
    case Operator::kGt:
      return ">" + Sides(a, b, true, at);
    case Operator::kLt:
      return ">" + Sides(b, a, true, at);
    case Operator::kNot:
      return absl::StrCat("!(", Compute(a, at), ")");
    case Operator::kAnd:
    case Operator::kOr: {
      // Where ranges make numbers of it, a side that decides nothing is none.
      const auto is_neutral = [&](Dim side) {
        return at.first == kPoints && ComparesNumbers(side) &&
               (values_[side][kPoints] != 0) == (term.op == Operator::kAnd);
      };
      if (is_neutral(a)) return Compute(b, at);
      if (is_neutral(b)) return Compute(a, at);
      std::string first = Compute(a, at), second = Compute(b, at);
      if (second < first) std::swap(first, second);
      return absl::StrCat(term.op == Operator::kAnd ? "&(" : "|(", first, ",", second, ")");
    }
    default: {
      uint64_t hash = 1;
      for (size_t k = at.first; k < at.last; ++k) hash = Mixed(hash, values_[statement][k]);
      return absl::StrCat("v", hash);
    }
  }
}

bool Fingerprints::ComparesNumbers(Dim statement) const {
  const Term& term = terms_.terms()[statement];
  if (term.op == Operator::kAnd || term.op == Operator::kOr) {
    const auto decides = [&](Dim operand) {
      return ComparesNumbers(operand) &&
             (values_[operand][kPoints] != 0) == (term.op == Operator::kOr);
    };
    const Dim a = term.operands[0], b = term.operands[1];
    return decides(a) || decides(b) || (ComparesNumbers(a) && ComparesNumbers(b));
  }
  const auto is_number = [&](Dim dim) {
    return std::all_of(values_[dim].begin() + kPoints, values_[dim].end(),
                       [&](Number value) { return value == values_[dim][kPoints]; });
  };
  if (term.op < Operator::kEq || term.op > Operator::kGe) return is_number(statement);
  return is_number(term.operands[0]) && is_number(term.operands[1]);
}

bool Fingerprints::IsOfNumbers(Dim statement) {
  Evaluate();
  return ComparesNumbers(statement);
}

const std::string& Fingerprints::Of(Dim statement) {
  const auto [it, fresh] = known_.try_emplace(statement);
  if (fresh) {
    Evaluate();
    it->second = Compute(statement, {0, kPoints});
  }
  return it->second;
}

bool Fingerprints::IsPositive(Dim dim) {
  Evaluate();
  return std::all_of(values_[dim].begin() + kPoints, values_[dim].end(),
                     [](Number value) { return value > 0; });
}

std::optional<int64_t> Fingerprints::QuotientOf(Dim a, Dim b) {
  Evaluate();
  std::optional<int64_t> quotient;
  for (size_t k = kPoints; k < kPoints + kAdmitted; ++k) {
    const Number x = values_[a][k], y = values_[b][k];
    if (x < 1 || y < 1 || x % y != 0 || x / y > INT64_MAX || (quotient && *quotient != x / y))
      return std::nullopt;
    quotient = static_cast<int64_t>(x / y);
  }
  return quotient;
}

std::optional<Dim> Fingerprints::RootOf(Dim square) {
  Evaluate();
  // A size itself, rather than a term that is one where it has a value.
  std::vector<Dim> roots;
  for (const bool symbols : {true, false}) {
    for (Dim term = 0; term < values_.size(); ++term) {
      if ((terms_.terms()[term].op == Operator::kSymbol) == symbols) roots.push_back(term);
    }
  }
  for (const Dim root : roots) {
    const auto fits = [&](size_t k) {
      const Number value = values_[root][k];
      return value >= 0 && value <= INT64_MAX && value * value == values_[square][k];
    };
    size_t k = kPoints;
    while (k < kPoints + kAdmitted && fits(k)) ++k;
    if (k == kPoints + kAdmitted) return root;
  }
  return std::nullopt;
}

int64_t Fingerprints::Nearest(const Range& range, int64_t size) {
  const int64_t at = size <= range.first ? 0 : (size - range.first) / range.stride;
  return range.first + range.stride * std::min(at, range.count - 1);
}

std::vector<Dim> Fingerprints::Within(Dim a, Dim b) const {
  std::set<Dim> seen;
  std::vector<Dim> work = {a, b};
  while (!work.empty() && seen.size() <= kMostWithin) {
    const Dim dim = work.back();
    work.pop_back();
    if (!seen.insert(dim).second) continue;
    const Term& term = terms_.terms()[dim];
    work.insert(work.end(), term.operands.begin(), term.operands.begin() + Arity(term.op));
  }
  return {seen.begin(), seen.end()};
}

bool Fingerprints::DifferAtConstants(Dim a, Dim b) {
  if (a == b) return false;
  const auto [known, fresh] = differ_.try_emplace({std::min(a, b), std::max(a, b)}, false);
  if (!fresh) return known->second;
  // Terms stand behind what they are made of.
  const std::vector<Dim> within = Within(a, b);
  if (within.size() > kMostWithin) return false;
  std::set<int64_t> constants, sizes;
  std::vector<Dim> symbols;
  for (const Dim dim : within) {
    const Term& term = terms_.terms()[dim];
    const int64_t size = std::abs(std::clamp<int64_t>(term.value, -kMostSize, kMostSize));
    if (term.op == Operator::kSymbol) symbols.push_back(dim);
    if (term.op == Operator::kInteger && size > 1 && constants.size() < kMostConstants)
      constants.insert(size);
  }
  for (const int64_t one : constants) {
    sizes.insert({one - 1, one, one + 1});
    for (const int64_t other : constants)
      sizes.insert({one * other - 1, one * other, one * other + 1, one + other});
  }
  if (symbols.empty() || symbols.size() > kMostSymbols) return false;
  absl::flat_hash_map<Dim, Number> values;
  const auto differ = [&](int64_t size, size_t moving) {
    for (const Dim dim : within) {
      const Term& term = terms_.terms()[dim];
      if (term.op == Operator::kInteger) {
        values[dim] = term.value;
      } else if (term.op == Operator::kSymbol) {
        const auto it = ranges_.find(dim);
        const Range range = it == ranges_.end() ? Range() : it->second;
        const bool moves = moving == symbols.size() || symbols[moving] == dim;
        values[dim] = moves ? Nearest(range, size) : range.first;
      } else {
        const auto operand = [&](int n) {
          return n < Arity(term.op) ? values.at(term.operands[n]) : Number{0};
        };
        values[dim] = Wrapped(term.op, operand(0), operand(1), operand(2));
      }
    }
    return values.at(a) != values.at(b);
  };
  for (const int64_t size : sizes) {
    for (size_t moving = 0; moving <= symbols.size(); ++moving) {
      if (symbols.size() == 1 && moving == 1) continue;
      if (differ(size, moving)) return known->second = true;
    }
  }
  return false;
}

std::string Fingerprints::OfAdmitted(Dim statement) {
  Evaluate();
  return Compute(statement, {kPoints, kPoints + kAdmitted});
}

}  // namespace tessera::recheck
