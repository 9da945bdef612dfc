#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "solver/poly.h"
#include "solver/rules.h"
#include "solver/store.h"

namespace tessera::solver {
namespace internal {
namespace {

constexpr size_t kMaxText = size_t{1} << 20;

// How tightly a text binds, loosest first.
enum Level { kOr, kAnd, kComparison, kSum, kProduct, kAtom };

struct Text {
  std::string text;
  Level level = kAtom;
};

std::string At(const Text& t, Level least) {
  return t.level >= least ? t.text : absl::StrCat("(", t.text, ")");
}

// A summand in print: coefficient times text; degree orders them.
struct Piece {
  int64_t coefficient;
  size_t degree;
  uint64_t key;
  Text text;
};

class Printer {
 public:
  explicit Printer(Store& store) : store_(store) {}

  Text Print(const Expr& e) {
    if (const auto c = e.Constant()) return {absl::StrCat(*c), *c < 0 ? kSum : kAtom};
    if (IsInvalid(e)) return {"invalid"};
    const auto it = texts_.find(e);
    if (it != texts_.end()) return it->second;
    Text text = PrintNode(Store::NodeOf(e));
    if (text.text.size() > kMaxText) {
      text = {absl::StrCat(text.text.substr(0, kMaxText), " ..."), kAtom};
      cut_ = true;
    }
    if (cut_) return text;
    texts_.emplace(e, text);
    return text;
  }

 private:
  Text PrintNode(const Node* node) {
    if (cut_) return {"..."};
    const absl::Span<const Slot> slots = node->slots();
    switch (node->kind) {
      case Kind::kInvalid:
        return {"invalid"};
      case Kind::kSymbol:
        return {Name(node)};
      case Kind::kQuotient:
        return {absl::StrCat("floor(", Name(node), "/", slots[0].value, ")")};
      case Kind::kSum:
      case Kind::kMin:
        return PrintSum(Poly(Store::Of(node)));
      case Kind::kProduct: {
        std::string text;
        for (const Slot& factor : slots)
          absl::StrAppend(&text, text.empty() ? "" : "*", At(Print(Store::Of(factor.node)), kAtom));
        return {std::move(text), kProduct};
      }
      case Kind::kFloor:
        return {absl::StrCat("floor(", At(Print(Store::Of(slots[0])), kProduct), "/",
                             At(Print(Store::Of(slots[1])), kAtom), ")")};
      case Kind::kIte:
        return {absl::StrCat("ite(", Print(Store::Of(slots[0])).text, ", ",
                             Print(Store::Of(slots[1])).text, ", ", Print(Store::Of(slots[2])).text,
                             ")")};
      case Kind::kEq:
        return PrintComparison(Poly(Store::Of(slots[0])), " == ");
      case Kind::kGe:
        return PrintComparison(Poly(Store::Of(slots[0])), " >= ");
      case Kind::kAnd: {
        std::string text;
        for (const Slot& part : slots)
          absl::StrAppend(&text, text.empty() ? "" : " && ",
                          At(Print(Store::Of(part)), kComparison));
        return {std::move(text), kAnd};
      }
    }
    return {};
  }

  std::string Name(const Node* node) {
    const std::string& name = store_.symbols[static_cast<size_t>(node->constant)].info.name;
    const bool plain =
        !name.empty() &&
        (absl::ascii_isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_') &&
        std::all_of(name.begin(), name.end(),
                    [](char c) {
                      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                             c == '.' || c == '\'';
                    }) &&
        name != "and" && name != "or" && name != "not";
    return plain ? name : absl::StrCat("`", name, "`");
  }

  // Both sides with positive coefficients.
  Text PrintComparison(const Poly& poly, const char* relation) {
    if (poly.constant == Range::kNegInf)
      return {absl::StrCat(At(PrintSum(poly), kSum), relation, 0), kComparison};
    int64_t constant = 0;
    std::vector<Piece> left = Collect(poly, &constant);
    const auto middle =
        std::find_if(left.begin(), left.end(), [](const Piece& p) { return p.coefficient < 0; });
    std::vector<Piece> right(middle, left.end());
    left.erase(middle, left.end());
    for (Piece& piece : right) {
      if (piece.coefficient == Range::kNegInf)
        return {absl::StrCat(At(PrintSum(poly), kSum), relation, 0), kComparison};
      piece.coefficient = -piece.coefficient;
    }
    if (constant == Range::kNegInf || left.empty())
      return {absl::StrCat(At(PrintSum(poly), kSum), relation, 0), kComparison};
    // A bound reads as `x >= 3`, a difference as `x + 3 >= y`.
    const bool on_left = constant > 0 && !right.empty();
    return {absl::StrCat(At(Join(left, on_left ? constant : 0), kSum), relation,
                         At(Join(right, on_left ? 0 : -constant), kSum)),
            kComparison};
  }

  // not p
  Text PrintDenial(const Node* p) {
    if (p->kind == Kind::kAnd) {
      std::string text;
      for (const Slot& part : p->slots())
        absl::StrAppend(&text, text.empty() ? "" : " || ",
                        At(Print(Expr(1) - Store::Of(part)), kComparison));
      return {std::move(text), kOr};
    }
    const Poly poly(Store::Of(p->slots()[0]));
    return PrintComparison(poly, p->kind == Kind::kEq ? " != " : " < ");
  }

  // stride*quotient is the symbol less its residue.
  Poly Unquotient(const Poly& input) {
    Poly poly = input;
    for (int steps = 0; steps < 32; ++steps) {
      bool changed = false;
      for (const Slot& t : poly.terms) {
        const Slot term = t;
        Slot scratch;
        const Node* quotient = nullptr;
        for (const Slot& factor : FactorsOf(term.node, scratch)) {
          if (factor.node->kind == Kind::kQuotient &&
              term.value % factor.node->slots()[0].value == 0)
            quotient = factor.node;
        }
        if (quotient == nullptr) continue;
        const int64_t c = term.value / quotient->slots()[0].value;
        Poly symbol(-quotient->slots()[1].value);
        symbol.AddTerm(store_.symbols[static_cast<size_t>(quotient->constant)].node, 1);
        Poly rest;
        const MonomialQuotient m = DivideMonomials(store_, term.node, quotient);
        if (m.quotient == nullptr) {
          rest.constant = c;
        } else {
          rest.AddTerm(m.quotient, c);
        }
        Poly next = poly;
        next.AddTerm(term.node, -term.value);
        next.AddScaled(Multiply(store_, symbol, rest), 1);
        if (!next.ok) return poly;
        poly = std::move(next);
        changed = true;
        break;
      }
      if (!changed) break;
    }
    return poly;
  }

  static size_t Weight(const Poly& poly) {
    return poly.terms.size() + (poly.constant != 0 ? 1 : 0);
  }

  // Takes `what` times `coefficient` out of the polynomial as a piece of its own, if that leaves
  // less.
  bool Take(Poly& poly, const Poly& what, int64_t coefficient, size_t least_gain, size_t degree,
            uint64_t key, Text text, std::vector<Piece>& pieces) {
    Poly rest = poly;
    rest.AddScaled(what, -coefficient);
    if (!rest.ok || Weight(rest) + least_gain > Weight(poly)) return false;
    poly = std::move(rest);
    pieces.push_back({coefficient, degree, key, std::move(text)});
    return true;
  }

  bool TakeMod(Poly& poly, std::vector<Piece>& pieces) {
    for (const Slot& term : poly.terms) {
      Slot scratch;
      for (const Slot& factor : FactorsOf(term.node, scratch)) {
        if (factor.node->kind != Kind::kFloor) continue;
        const Expr n = Store::Of(factor.node->slots()[0]);
        const Expr d = Store::Of(factor.node->slots()[1]);
        // mod(n, d) = n - d*floor(n/d)
        Poly floor;
        floor.AddTerm(factor.node, 1);
        Poly mod = Unquotient(Poly(n));
        mod.AddScaled(Multiply(store_, Poly(d), floor), -1);
        if (!mod.ok) continue;
        int64_t in_mod = 0;
        for (const Slot& t : mod.terms) {
          if (t.node == term.node) in_mod = t.value;
        }
        if (in_mod == 0 || (in_mod == -1 && term.value == Range::kNegInf) ||
            term.value % in_mod != 0)
          continue;
        // At least the floor and its partner go.
        const auto print = [&] {
          return Text{absl::StrCat("mod(", Print(n).text, ", ", Print(d).text, ")")};
        };
        if (Weight(mod) < 2) continue;
        if (Take(poly, mod, term.value / in_mod, 2, 1, factor.node->key, print(), pieces))
          return true;
      }
    }
    return false;
  }

  bool TakeMin(Poly& poly, std::vector<Piece>& pieces) {
    for (const Slot& t : poly.terms) {
      const Slot term = t;
      if (term.node->kind != Kind::kMin) continue;
      const absl::Span<const Slot> slots = term.node->slots();
      if (slots.size() == 2) {
        // min(p - q, 0) = min(p, q) - q = p - max(p, q), p and q with positive coefficients.
        const Slot& other = slots[0].node == nullptr ? slots[1] : slots[0];
        Poly p;
        Poly q;
        const Poly difference = Unquotient(Poly(Store::Of(other)));
        for (const Slot& d : difference.terms) (d.value > 0 ? p : q).terms.push_back(d);
        if (difference.constant == Range::kNegInf) continue;
        (difference.constant > 0 ? p : q).constant = difference.constant;
        q.Negate();
        bool nested = !q.ok;
        for (const Poly* side : {&p, &q}) {
          for (const Slot& s : side->terms) nested |= s.node->kind == Kind::kMin && s.value == 1;
        }
        if (!nested) {
          Poly as_min;
          as_min.AddTerm(term.node, 1);
          as_min.AddScaled(q, 1);
          Poly as_max = p;
          as_max.AddTerm(term.node, -1);
          Poly after_min = poly;
          after_min.AddScaled(as_min, -term.value);
          Poly after_max = poly;
          after_max.AddScaled(as_max, term.value);
          const bool min_first = Weight(after_min) <= Weight(after_max);
          const auto print = [&](const char* name) {
            return Text{absl::StrCat(name, "(", PrintSum(p).text, ", ", PrintSum(q).text, ")")};
          };
          if (min_first &&
              Take(poly, as_min, term.value, 1, 1, term.node->key, print("min"), pieces))
            return true;
          if (!min_first && term.value != Range::kNegInf &&
              Take(poly, as_max, -term.value, 1, 1, term.node->key, print("max"), pieces))
            return true;
        }
      }
      std::string text;
      for (const Slot& slot : slots)
        text = text.empty() ? Print(Store::Of(slot)).text
                            : absl::StrCat("min(", text, ", ", Print(Store::Of(slot)).text, ")");
      poly.AddTerm(term.node, -term.value);
      pieces.push_back({term.value, 1, term.node->key, {std::move(text), kAtom}});
      return true;
    }
    return false;
  }

  Text PrintSum(const Poly& input) {
    if (input.terms.size() == 1 && input.constant == 1 && input.terms[0].value == -1 &&
        input.terms[0].node->IsProposition()) {
      return PrintDenial(input.terms[0].node);
    }
    int64_t constant = 0;
    const std::vector<Piece> pieces = Collect(input, &constant);
    return Join(pieces, constant);
  }

  std::vector<Piece> Collect(const Poly& input, int64_t* constant) {
    Poly poly = Unquotient(input);
    std::vector<Piece> pieces;
    while (TakeMod(poly, pieces)) {
    }
    while (TakeMin(poly, pieces)) {
    }
    for (const Slot& term : poly.terms) {
      Slot scratch;
      pieces.push_back({term.value, FactorsOf(term.node, scratch).size(), term.node->key,
                        Print(Store::Of(term.node))});
    }
    // Products first, what is added before what is taken away.
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) {
      if ((a.coefficient < 0) != (b.coefficient < 0)) return b.coefficient < 0;
      if (a.degree != b.degree) return a.degree > b.degree;
      return a.key < b.key;
    });
    *constant = poly.constant;
    return pieces;
  }

  static Text Join(const std::vector<Piece>& pieces, int64_t constant) {
    if (pieces.size() == 1 && constant == 0 && pieces[0].coefficient == 1) return pieces[0].text;
    std::string text;
    const auto append = [&](bool negative, std::string piece) {
      absl::StrAppend(&text,
                      text.empty() ? (negative ? "-" : "")
                      : negative   ? " - "
                                   : " + ",
                      piece);
    };
    const auto magnitude = [](int64_t v) {
      return absl::StrCat(v < 0 ? uint64_t{0} - static_cast<uint64_t>(v)
                                : static_cast<uint64_t>(v));
    };
    // A constant first where everything else is taken away: `1 - x`.
    const bool leads = constant > 0 && (pieces.empty() || pieces[0].coefficient < 0);
    if (leads) append(false, magnitude(constant));
    for (const Piece& piece : pieces) {
      const bool one = piece.coefficient == 1 || piece.coefficient == -1;
      append(piece.coefficient < 0,
             one ? At(piece.text, kProduct)
                 : absl::StrCat(magnitude(piece.coefficient), "*", At(piece.text, kProduct)));
    }
    if (constant != 0 && !leads) append(constant < 0, magnitude(constant));
    if (text.empty()) text.push_back('0');
    const bool single = pieces.size() == 1 && constant == 0 && pieces[0].coefficient > 0;
    return {std::move(text), single ? kProduct : pieces.empty() && constant >= 0 ? kAtom : kSum};
  }

  Store& store_;
  absl::flat_hash_map<Expr, Text> texts_;
  bool cut_ = false;
};

}  // namespace
}  // namespace internal

std::string Expr::ToString() const {
  if (node_ == nullptr) return absl::StrCat(value_);
  if (IsInvalid()) return "invalid";
  return internal::Printer(*node_->store).Print(*this).text;
}

}  // namespace tessera::solver
