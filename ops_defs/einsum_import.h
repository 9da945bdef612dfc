// Einsum at import: operands are contracted from left to right, each step one matrix product of
// [batch, left, inner] and [batch, inner, right], with transpositions and reshapes around it.
#ifndef TESSERA_OPS_DEFS_EINSUM_IMPORT_H_
#define TESSERA_OPS_DEFS_EINSUM_IMPORT_H_

#include <algorithm>
#include <map>
#include <string>
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

  // A label twice in one operand reads its diagonal: of the axes joined into one, every (n + 1)-th.
  void TakeDiagonals(Term& term) {
    for (size_t i = 0; builder_.ok() && i < term.labels.size(); ++i) {
      const auto again = std::find(term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                   term.labels.end(), term.labels[i]);
      if (again == term.labels.end()) continue;
      // Both axes to the end.
      const int label = term.labels[i];
      const size_t j = static_cast<size_t>(again - term.labels.begin());
      EinsumLabels rest;
      std::vector<int64_t> perm;
      for (size_t d = 0; d < term.labels.size(); ++d) {
        if (d == i || d == j) continue;
        rest.push_back(term.labels[d]);
        perm.push_back(static_cast<int64_t>(d));
      }
      perm.push_back(static_cast<int64_t>(i));
      perm.push_back(static_cast<int64_t>(j));
      ir::Value* moved = Build("Transpose", {term.value}, "perm", perm);
      if (moved == nullptr) return;
      rest.push_back(label);
      const ir::Expr length = moved->type().dims.back();
      if (!length.IsConstant()) {
        term = {TakeSymbolicDiagonal(moved, length), rest};
        i = static_cast<size_t>(-1);
        continue;
      }
      const int64_t n = *length.Constant();
      std::vector<ir::Expr> joined(moved->type().dims.begin(), moved->type().dims.end() - 2);
      std::vector<ir::Expr> sizes = joined;
      std::vector<ir::Expr> starts(joined.size() + 1, ir::Expr(0));
      std::vector<int64_t> steps(joined.size() + 1, 1);
      joined.push_back(ir::Expr(n * n));
      sizes.push_back(ir::Expr(n));
      steps.back() = n + 1;
      ir::Value* flat = Build("Reshape", {moved}, "shape", joined);
      if (flat == nullptr) return;
      term.value = First(builder_.Create("core", "Slice", {flat},
                                         {{"starts", ir::Attribute(starts)},
                                          {"sizes", ir::Attribute(sizes)},
                                          {"steps", ir::Attribute(steps)}}));
      term.labels = rest;
      i = static_cast<size_t>(-1);  // from the start, now without the repetition
    }
  }

  // Of the last two axes, which are of one length: all but the diagonal is 0, and summed.
  ir::Value* TakeSymbolicDiagonal(ir::Value* square, const ir::Expr& length) {
    const ir::DType dtype = square->type().dtype;
    ir::Value* const column =
        First(builder_.Create("core", "Iota", {}, {{"size", ir::Attribute(length)}}));
    if (!builder_.ok()) return square;
    ir::Value* const row = Build("Reshape", {column}, "shape", std::vector<ir::Expr>{length, 1});
    ir::Value* const same = First(builder_.Create("core", "Equal", {row, column}, {}));
    if (!builder_.ok()) return square;
    ir::Value* const zero = builder_.ScalarOf(int64_t{0}, dtype);
    ir::Value* const kept = First(builder_.Create("core", "Where", {same, square, zero}, {}));
    if (!builder_.ok()) return square;
    const auto last = static_cast<int64_t>(square->type().rank()) - 1;
    ir::Value* const sum = Build("ReduceSum", {kept}, "axes", std::vector<int64_t>{last});
    const std::vector<ir::Expr> dims(square->type().dims.begin(), square->type().dims.end() - 1);
    return Build("Reshape", {sum}, "shape", dims);
  }

  // Drops unit axes that other operands hold in full, which is how `...` broadcasts.
  void DropUnits(Term& term, const std::vector<Term>& all) {
    EinsumLabels kept;
    std::vector<ir::Expr> dims;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      const ir::Expr& dim = Dims(term)[d];
      const bool unit = dim.Constant() == 1;
      const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const Term& other) {
        return Has(other.labels, term.labels[d]) && Dim(other, term.labels[d]).Constant() != 1;
      });
      if (unit && elsewhere) continue;
      kept.push_back(term.labels[d]);
      dims.push_back(dim);
    }
    if (kept.size() == term.labels.size()) return;
    term.value = Build("Reshape", {term.value}, "shape", dims);
    term.labels = kept;
  }

  // Sums over the labels that are not `needed`.
  void SumOut(Term& term, const EinsumLabels& needed) {
    std::vector<int64_t> axes;
    EinsumLabels kept;
    std::vector<ir::Expr> dims;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      if (Has(needed, term.labels[d])) {
        kept.push_back(term.labels[d]);
        dims.push_back(Dims(term)[d]);
      } else {
        axes.push_back(static_cast<int64_t>(d));
      }
    }
    if (axes.empty()) return;
    ir::Value* sum = Build("ReduceSum", {term.value}, "axes", axes);
    term.value = Build("Reshape", {sum}, "shape", dims);
    term.labels = kept;
  }

  void Arrange(Term& term, const EinsumLabels& order) {
    std::vector<int64_t> perm;
    for (int label : order) {
      perm.push_back(std::find(term.labels.begin(), term.labels.end(), label) -
                     term.labels.begin());
    }
    if (!std::is_sorted(perm.begin(), perm.end())) {
      term.value = Build("Transpose", {term.value}, "perm", perm);
    }
    term.labels = order;
  }

  Term Product(Term a, Term b, const EinsumLabels& needed) {
    EinsumLabels batch, left, right, inner;
    for (int label : a.labels) {
      (!Has(b.labels, label) ? left : Has(needed, label) ? batch : inner).push_back(label);
    }
    for (int label : b.labels) {
      if (!Has(a.labels, label)) right.push_back(label);
    }
    const auto join = [](const EinsumLabels& x, const EinsumLabels& y, const EinsumLabels& z) {
      EinsumLabels all = x;
      all.insert(all.end(), y.begin(), y.end());
      all.insert(all.end(), z.begin(), z.end());
      return all;
    };
    const auto dims = [](const Term& term, const EinsumLabels& labels) {
      std::vector<ir::Expr> list;
      for (int label : labels) list.push_back(Dim(term, label));
      return list;
    };
    const auto product = [](const std::vector<ir::Expr>& list) {
      ir::Expr all(1);
      for (const ir::Expr& dim : list) all = all * dim;
      return all;
    };
    std::vector<ir::Expr> result = dims(a, batch);
    std::vector<ir::Expr> rows = result, columns = dims(b, batch);
    rows.push_back(product(dims(a, left)));
    rows.push_back(product(dims(a, inner)));
    columns.push_back(product(dims(b, inner)));
    columns.push_back(product(dims(b, right)));
    for (const ir::Expr& dim : dims(a, left)) result.push_back(dim);
    for (const ir::Expr& dim : dims(b, right)) result.push_back(dim);
    Arrange(a, join(batch, left, inner));
    Arrange(b, join(batch, inner, right));
    ir::Value* matrix = First(builder_.Create(
        "core", "MatMul",
        {Build("Reshape", {a.value}, "shape", rows), Build("Reshape", {b.value}, "shape", columns)},
        {}));
    return {Build("Reshape", {matrix}, "shape", result), join(batch, left, right)};
  }

 private:
  static ir::Value* First(const std::vector<ir::Value*>& values) {
    return values.empty() ? nullptr : values[0];
  }
  template <class T>
  ir::Value* Build(const char* op, std::vector<ir::Value*> operands, const char* name,
                   const std::vector<T>& list) {
    if (!builder_.ok()) return operands[0];
    return First(builder_.Create("core", op, std::move(operands), {{name, ir::Attribute(list)}}));
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
  einsum.SumOut(sum, result);
  if (!builder.ok()) return {};
  einsum.Arrange(sum, result);
  if (!builder.ok()) return {};
  return {sum.value};
}

}  // namespace tessera::ops

#endif  // TESSERA_OPS_DEFS_EINSUM_IMPORT_H_
