// Einsum at import: which axes have one name, and in which order operands are contracted, from left
// to right. What is built of them are the builders beside it.
#ifndef TESSERA_OPS_DEFS_EINSUM_IMPORT_H_
#define TESSERA_OPS_DEFS_EINSUM_IMPORT_H_

#include <algorithm>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/checker.h"
#include "ir/import_node.h"
#include "ir/term_builder.h"
#include "solver/expr.h"

namespace tessera::ops {

// A letter's code, or kEllipsis + k for the k-th axis from the right of those that `...` stands
// for.
using EinsumLabels = std::vector<int>;
inline constexpr int kEllipsis = 256;

inline bool Has(const EinsumLabels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// One side's term of an equation; `rank` axes in all. False: malformed.
inline bool ParseEinsumTerm(const std::string& text, size_t rank, EinsumLabels& labels) {
  const size_t dots = text.find("...");
  const size_t letters = text.size() - (dots == std::string::npos ? 0 : 3);
  if (dots == std::string::npos ? letters != rank : letters > rank) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (size_t k = rank - letters; k-- > 0;) labels.push_back(kEllipsis + static_cast<int>(k));
      i += 2;
    } else if ((text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z')) {
      labels.push_back(text[i]);
    } else {
      return false;
    }
  }
  return true;
}

class EinsumBuilder {
 public:
  explicit EinsumBuilder(ir::TermBuilder& builder) : builder_(builder) {}

  struct Term {
    ir::Value* value;
    EinsumLabels labels;
  };

  static const std::vector<ir::Expr>& Dims(const Term& term) { return term.value->type().dims; }
  static ir::Expr Dim(const Term& term, int label) {
    const auto at = std::find(term.labels.begin(), term.labels.end(), label);
    return Dims(term)[static_cast<size_t>(at - term.labels.begin())];
  }

  // A label twice in one operand reads its diagonal, as the last axis.
  void TakeDiagonals(Term& term) {
    for (size_t i = 0; builder_.ok() && i < term.labels.size(); ++i) {
      const int label = term.labels[i];
      const auto behind = term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto again = std::find(behind, term.labels.end(), label);
      if (again == term.labels.end()) continue;
      Build(term, "EinsumDiagonal", {term.value},
            {{"first", ir::Attribute(static_cast<int64_t>(i))},
             {"second", ir::Attribute(int64_t{again - term.labels.begin()})}});
      term.labels.erase(again);
      term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(i));
      term.labels.push_back(label);
      i = static_cast<size_t>(-1);  // from the start, now without the repetition
    }
  }

  // Drops unit axes that other operands hold in full, which is how `...` broadcasts.
  void DropUnits(Term& term, const std::vector<Term>& all) {
    EinsumLabels kept;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const Term& other) {
        return Has(other.labels, term.labels[d]) && Dim(other, term.labels[d]).Constant() != 1;
      });
      if (Dims(term)[d].Constant() != 1 || !elsewhere) kept.push_back(term.labels[d]);
    }
    Arrange(term, kept, false);
  }

  // Sums over the labels that are not `needed`.
  void SumOut(Term& term, const EinsumLabels& needed) {
    EinsumLabels kept;
    for (int label : term.labels) {
      if (Has(needed, label)) kept.push_back(label);
    }
    Arrange(term, kept, true);
  }

  // The axes of `order` alone; the others are summed over, or have one entry.
  void Arrange(Term& term, const EinsumLabels& order, bool summed) {
    if (!builder_.ok() || order == term.labels) return;
    std::vector<int64_t> axes, places;
    EinsumLabels rest;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      if (Has(order, term.labels[d])) {
        rest.push_back(term.labels[d]);
      } else {
        axes.push_back(static_cast<int64_t>(d));
      }
    }
    for (int label : order) places.push_back(PlaceOf(rest, label));
    Build(term, "EinsumTerm", {term.value},
          {{"axes", ir::Attribute(axes)},
           {"order", ir::Attribute(places)},
           {"summed", ir::Attribute(summed)}});
    term.labels = order;
  }

  Term Product(const Term& a, const Term& b, const EinsumLabels& needed) {
    EinsumLabels batch, left, right, inner;
    for (int label : a.labels) {
      (!Has(b.labels, label) ? left : Has(needed, label) ? batch : inner).push_back(label);
    }
    for (int label : b.labels) {
      if (!Has(a.labels, label)) right.push_back(label);
    }
    const auto places = [](const EinsumLabels& labels,
                           std::initializer_list<const EinsumLabels*> parts) {
      std::vector<int64_t> list;
      for (const EinsumLabels* part : parts) {
        for (int label : *part) list.push_back(PlaceOf(labels, label));
      }
      return list;
    };
    Term product{nullptr, batch};
    product.labels.insert(product.labels.end(), left.begin(), left.end());
    product.labels.insert(product.labels.end(), right.begin(), right.end());
    Build(product, "Einsum", {a.value, b.value},
          {{"a_axes", ir::Attribute(places(a.labels, {&batch, &left, &inner}))},
           {"b_axes", ir::Attribute(places(b.labels, {&batch, &inner, &right}))},
           {"batch", ir::Attribute(static_cast<int64_t>(batch.size()))},
           {"inner", ir::Attribute(static_cast<int64_t>(inner.size()))}});
    return product;
  }

 private:
  static int64_t PlaceOf(const EinsumLabels& labels, int label) {
    return std::find(labels.begin(), labels.end(), label) - labels.begin();
  }
  void Build(Term& term, const char* op, std::vector<ir::Value*> operands,
             const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attributes) {
    const std::vector<ir::Value*> values =
        builder_.Create("core", op, std::move(operands), attributes);
    if (!values.empty()) term.value = values[0];
  }

  ir::TermBuilder& builder_;
};

// Reads the equation's sides; false: malformed. Without `->` the result has the axes of `...` and
// then the letters that occur once, in alphabetical order.
inline bool ParseEinsum(std::string equation, std::vector<EinsumBuilder::Term>& terms,
                        EinsumLabels& result) {
  equation.erase(std::remove(equation.begin(), equation.end(), ' '), equation.end());
  const size_t arrow = equation.find("->");
  const std::vector<std::string> sides = absl::StrSplit(equation.substr(0, arrow), ',');
  if (sides.size() != terms.size()) return false;
  std::map<int, int> count;
  int dots = 0;
  for (size_t i = 0; i < sides.size(); ++i) {
    if (!ParseEinsumTerm(sides[i], terms[i].value->type().dims.size(), terms[i].labels)) {
      return false;
    }
    for (int label : terms[i].labels) {
      ++count[label];
      if (label >= kEllipsis) dots = std::max(dots, label - kEllipsis + 1);
    }
  }
  if (arrow != std::string::npos) {
    const std::string side = equation.substr(arrow + 2);
    const bool elided = side.find("...") != std::string::npos;
    const size_t rank = elided ? side.size() - 3 + static_cast<size_t>(dots) : side.size();
    if (!ParseEinsumTerm(side, rank, result)) return false;
  } else {
    for (int k = dots; k-- > 0;) result.push_back(kEllipsis + k);
    for (const auto& [label, times] : count) {
      if (label < kEllipsis && times == 1) result.push_back(label);
    }
  }
  for (size_t i = 0; i < result.size(); ++i) {
    if (count[result[i]] == 0 || std::count(result.begin(), result.end(), result[i]) > 1) {
      return false;
    }
  }
  return true;
}

// One label is one size, or 1 where another operand says it; within one operand, one size.
inline void RequireSizes(const std::vector<EinsumBuilder::Term>& terms, ir::TermBuilder& builder) {
  using solver::Eq;
  ir::Checker<ir::Expr> checker(builder.rewriter().graph().context());
  std::map<int, std::pair<ir::Expr, size_t>> first;  // with the operand
  for (size_t i = 0; i < terms.size(); ++i) {
    for (size_t d = 0; d < terms[i].labels.size(); ++d) {
      const int label = terms[i].labels[d];
      const ir::Expr& dim = terms[i].value->type().dims[d];
      const auto [it, fresh] = first.try_emplace(label, dim, i);
      const auto& [other, operand] = it->second;
      if (fresh || other == dim) continue;
      const ir::Expr equal = Eq(other, dim);
      const ir::Expr holds =
          operand == i ? equal : solver::Or(equal, solver::Or(Eq(other, 1), Eq(dim, 1)));
      const bool ok = checker.Require("label", holds, [&] {
        return absl::StrCat("`",
                            label < kEllipsis ? std::string(1, static_cast<char>(label)) : "...",
                            "` stands for ", other.ToString(), " and for ", dim.ToString());
      });
      if (!ok) return builder.Owe(checker, "Einsum");
      if (other.Constant() == 1) it->second = {dim, i};
    }
  }
  builder.Owe(checker, "Einsum");
}

inline std::vector<ir::Value*> ImportEinsum(ir::ImportNode& node, ir::TermBuilder& builder) {
  const std::string equation = node.String("equation").value_or("");
  std::vector<EinsumBuilder::Term> terms;
  for (int i = 0; i < node.input_count(); ++i) terms.push_back({node.Input(i), {}});
  EinsumLabels result;
  if (terms.empty() ||
      std::any_of(terms.begin(), terms.end(), [](const auto& t) { return t.value == nullptr; }) ||
      !ParseEinsum(equation, terms, result)) {
    node.Fail(absl::StrCat("equation `", equation, "` does not fit the inputs"));
    return {};
  }
  RequireSizes(terms, builder);
  if (!builder.ok()) return {};
  EinsumBuilder einsum(builder);
  for (EinsumBuilder::Term& term : terms) einsum.TakeDiagonals(term);
  if (!builder.ok()) return {};
  const std::vector<EinsumBuilder::Term> all = terms;
  for (EinsumBuilder::Term& term : terms) einsum.DropUnits(term, all);
  EinsumBuilder::Term sum = terms[0];
  for (size_t i = 1; builder.ok() && i < terms.size(); ++i) {
    EinsumLabels later = result;
    for (size_t j = i + 1; j < terms.size(); ++j) {
      later.insert(later.end(), terms[j].labels.begin(), terms[j].labels.end());
    }
    // What only one of the two holds and nothing later asks for is summed before the product.
    EinsumLabels left = later, right = later;
    left.insert(left.end(), terms[i].labels.begin(), terms[i].labels.end());
    right.insert(right.end(), sum.labels.begin(), sum.labels.end());
    einsum.SumOut(sum, left);
    einsum.SumOut(terms[i], right);
    if (builder.ok()) sum = einsum.Product(sum, terms[i], later);
  }
  if (!builder.ok()) return {};
  einsum.Arrange(sum, result, true);
  if (!builder.ok()) return {};
  return {sum.value};
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_EINSUM_IMPORT_H_
