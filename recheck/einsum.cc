// Sums of products by named indices, which C++ imports: one label is one size, and operands are
// contracted from left to right, as the importer says it does (ops_defs/einsum_import.h).
#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

constexpr char kLabel[] = "label";

// A letter, or `.` and the number of an axis that `...` stands for, from the right.
using Labels = std::vector<std::string>;

// Nothing: it is no term of `rank` axes.
std::optional<Labels> LabelsOf(const std::string& text, size_t rank) {
  const size_t dots = text.find("...");
  const size_t letters = text.size() - (dots == std::string::npos ? 0 : 3);
  if (dots == std::string::npos ? letters != rank : letters > rank) return std::nullopt;
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (i == dots) {
      for (size_t k = rank - letters; k > 0; --k) labels.push_back(absl::StrCat(".", k));
      i += 2;
    } else {
      labels.push_back(text.substr(i, 1));
    }
  }
  return labels;
}

struct Equation {
  std::vector<Labels> terms;
  Labels result;
};

// Nothing: it does not fit the operands.
std::optional<Equation> EquationOf(std::string text, const std::vector<TensorPtr>& operands) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const size_t arrow = text.find("->");
  const std::vector<std::string> sides = absl::StrSplit(text.substr(0, arrow), ',');
  if (sides.size() != operands.size()) return std::nullopt;
  Equation equation;
  std::map<std::string, int> count;  // letters behind the axes of `...`
  size_t dots = 0;
  for (size_t i = 0; i < sides.size(); ++i) {
    const auto labels = LabelsOf(sides[i], operands[i]->dims.size());
    if (!labels) return std::nullopt;
    for (const std::string& label : *labels) ++count[label];
    if (sides[i].find("...") != std::string::npos)
      dots = std::max(dots, labels->size() + 3 - sides[i].size());
    equation.terms.push_back(*labels);
  }
  if (arrow != std::string::npos) {
    const std::string side = text.substr(arrow + 2);
    const bool elided = side.find("...") != std::string::npos;
    const auto labels = LabelsOf(side, elided ? side.size() - 3 + dots : side.size());
    if (!labels) return std::nullopt;
    equation.result = *labels;
  } else {
    for (size_t k = dots; k > 0; --k) equation.result.push_back(absl::StrCat(".", k));
    for (const auto& [label, times] : count) {
      if (label[0] != '.' && times == 1) equation.result.push_back(label);
    }
  }
  return equation;
}

bool Has(const Labels& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

int64_t PlaceOf(const Labels& labels, const std::string& label) {
  return std::find(labels.begin(), labels.end(), label) - labels.begin();
}

Labels Joined(Labels a, const Labels& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

// The operations of one equation. After the first that does not agree, values are null.
class ModelReader::Contraction {
 public:
  struct Term {
    TensorPtr value;
    Labels labels;
  };

  Contraction(ModelReader& reader, const NodeContext& context)
      : reader_(reader), context_(context), terms_(reader.session_.terms()) {}

  // A label twice in one operand reads its diagonal.
  void TakeDiagonals(Term& term) {
    for (size_t i = 0; term.value != nullptr && i < term.labels.size(); ++i) {
      const auto behind = term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto again = std::find(behind, term.labels.end(), term.labels[i]);
      if (again == term.labels.end()) continue;
      TakeDiagonal(term, i, static_cast<size_t>(again - term.labels.begin()));
      i = static_cast<size_t>(-1);  // from the start, now without the repetition
    }
  }

  // Axes of one entry that other operands hold in full.
  void DropUnits(Term& term, const std::vector<Term>& all) {
    Labels kept;
    std::vector<Dim> dims;
    for (const std::string& label : term.labels) {
      const Dim dim = SizeOf(term, label);
      const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const Term& other) {
        return Has(other.labels, label) && terms_.Number(SizeOf(other, label)) != 1;
      });
      if (terms_.Number(dim) == 1 && elsewhere) continue;
      kept.push_back(label);
      dims.push_back(dim);
    }
    if (kept.size() == term.labels.size()) return;
    term = {Reshape(term.value, dims), kept};
  }

  void SumOut(Term& term, const Labels& needed) {
    if (term.value == nullptr) return;
    std::vector<Dim> axes, dims;
    Labels kept;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      if (Has(needed, term.labels[d])) {
        kept.push_back(term.labels[d]);
        dims.push_back(term.value->dims[d]);
      } else {
        axes.push_back(terms_.Integer(static_cast<int64_t>(d)));
      }
    }
    if (axes.empty()) return;
    term = {Reshape(Build("ReduceSum", {term.value}, {{"axes", axes}}), dims), kept};
  }

  void Arrange(Term& term, const Labels& order) {
    std::vector<Dim> perm;
    bool sorted = true;
    for (size_t i = 0; i < order.size(); ++i) {
      const int64_t place = PlaceOf(term.labels, order[i]);
      sorted = sorted && place == static_cast<int64_t>(i);
      perm.push_back(terms_.Integer(place));
    }
    if (!sorted) term.value = Build("Transpose", {term.value}, {{"perm", perm}});
    term.labels = order;
  }

  Term Product(Term a, Term b, const Labels& needed) {
    if (a.value == nullptr || b.value == nullptr) return {};
    Labels batch, left, right, inner;
    for (const std::string& label : a.labels)
      (!Has(b.labels, label) ? left : Has(needed, label) ? batch : inner).push_back(label);
    for (const std::string& label : b.labels) {
      if (!Has(a.labels, label)) right.push_back(label);
    }
    const auto sizes = [&](const Term& term, const Labels& labels) {
      std::vector<Dim> dims;
      for (const std::string& label : labels) dims.push_back(SizeOf(term, label));
      return dims;
    };
    const auto product = [&](const std::vector<Dim>& dims) {
      Dim all = terms_.Integer(1);
      for (const Dim dim : dims)
        all = terms_.Number(all) == 1 ? dim : terms_.Make(Operator::kMultiply, all, dim);
      return all;
    };
    std::vector<Dim> result = sizes(a, batch), rows = result, columns = sizes(b, batch);
    rows.push_back(product(sizes(a, left)));
    rows.push_back(product(sizes(a, inner)));
    columns.push_back(product(sizes(b, inner)));
    columns.push_back(product(sizes(b, right)));
    for (const Dim dim : sizes(a, left)) result.push_back(dim);
    for (const Dim dim : sizes(b, right)) result.push_back(dim);
    Arrange(a, Joined(Joined(batch, left), inner));
    Arrange(b, Joined(Joined(batch, inner), right));
    const TensorPtr x = Reshape(a.value, rows), y = Reshape(b.value, columns);
    return {Reshape(Build("MatMul", {x, y}, {}), result), Joined(Joined(batch, left), right)};
  }

 private:
  using Lists = std::map<std::string, std::vector<Dim>>;

  Dim SizeOf(const Term& term, const std::string& label) const {
    return term.value->dims[static_cast<size_t>(PlaceOf(term.labels, label))];
  }
  TensorPtr Build(const std::string& op, const std::vector<TensorPtr>& operands,
                  const Lists& lists) {
    const bool complete = std::none_of(operands.begin(), operands.end(),
                                       [](const TensorPtr& tensor) { return tensor == nullptr; });
    return complete ? reader_.Build(context_, op, operands, {}, lists) : nullptr;
  }
  TensorPtr Reshape(const TensorPtr& value, const std::vector<Dim>& dims) {
    return Build("Reshape", {value}, {{"shape", dims}});
  }

  // Of axes i and j, which go to the end.
  void TakeDiagonal(Term& term, size_t i, size_t j) {
    Labels rest;
    std::vector<Dim> perm;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      if (d == i || d == j) continue;
      rest.push_back(term.labels[d]);
      perm.push_back(terms_.Integer(static_cast<int64_t>(d)));
    }
    perm.push_back(terms_.Integer(static_cast<int64_t>(i)));
    perm.push_back(terms_.Integer(static_cast<int64_t>(j)));
    rest.push_back(term.labels[i]);
    const TensorPtr moved = Build("Transpose", {term.value}, {{"perm", perm}});
    term.labels = rest;
    term.value = nullptr;
    if (moved == nullptr) return;
    const std::optional<int64_t> n = terms_.Number(moved->dims.back());
    term.value = n ? KnownDiagonal(moved, *n) : SymbolicDiagonal(moved);
  }

  // Of both axes joined into one, every (n + 1)-th entry.
  TensorPtr KnownDiagonal(const TensorPtr& square, int64_t n) {
    std::vector<Dim> joined(square->dims.begin(), square->dims.end() - 2), sizes = joined;
    std::vector<Dim> starts(joined.size() + 1, terms_.Integer(0)),
        steps(joined.size() + 1, terms_.Integer(1));
    joined.push_back(terms_.Integer(n * n));
    sizes.push_back(terms_.Integer(n));
    steps.back() = terms_.Integer(n + 1);
    return Build("Slice", {Reshape(square, joined)},
                 {{"starts", starts}, {"sizes", sizes}, {"steps", steps}});
  }

  // All but the diagonal is 0, and summed.
  TensorPtr SymbolicDiagonal(const TensorPtr& square) {
    const Dim length = square->dims.back(), one = terms_.Integer(1);
    const TensorPtr column = Build("Iota", {}, {{"size", {length}}});
    const TensorPtr row = Reshape(column, {length, one});
    const TensorPtr same = Build("Equal", {row, column}, {});
    auto zero = std::make_shared<Tensor>();
    zero->dtype = square->dtype;
    zero->has_numbers = true;
    zero->numbers = {0};
    const TensorPtr kept = Build("Where", {same, square, zero}, {});
    const auto last = static_cast<int64_t>(square->dims.size()) - 1;
    return Reshape(Build("ReduceSum", {kept}, {{"axes", {terms_.Integer(last)}}}),
                   std::vector<Dim>(square->dims.begin(), square->dims.end() - 1));
  }

  ModelReader& reader_;
  const NodeContext& context_;
  Terms& terms_;
};

void ModelReader::RequireLabels(const NodeContext& context,
                                const std::vector<std::vector<std::string>>& labels) {
  Terms& terms = session_.terms();
  struct Size {
    Dim dim = 0;
    size_t operand = 0;
  };
  const auto is = [&](Dim a, Dim b) { return terms.Make(Operator::kEq, a, b); };
  const Dim one = terms.Integer(1);
  std::map<std::string, Size> sizes;
  for (size_t i = 0; i < labels.size(); ++i) {
    for (size_t d = 0; d < labels[i].size(); ++d) {
      const Dim dim = context.inputs[i]->dims[d];
      const auto [it, fresh] = sizes.try_emplace(labels[i][d], Size{dim, i});
      const Size first = it->second;
      if (fresh || first.dim == dim) continue;
      const Dim equal = is(first.dim, dim);
      // Within one operand, one size; or 1 where another operand says it.
      const Dim holds =
          first.operand == i
              ? equal
              : terms.Make(Operator::kOr, equal,
                           terms.Make(Operator::kOr, is(first.dim, one), is(dim, one)));
      session_.Require({context.name, context.op, kLabel, holds, {}, Requirement::kImplied});
      if (terms.Number(first.dim) == 1) it->second = {dim, i};
    }
  }
}

ModelReader::Results ModelReader::Einsum(const NodeContext& context) {
  const auto text = context.attributes.find("equation");
  const bool complete =
      !context.inputs.empty() && std::none_of(context.inputs.begin(), context.inputs.end(),
                                              [](const TensorPtr& t) { return t == nullptr; });
  const auto equation = complete && text != context.attributes.end()
                            ? EquationOf(text->second->s(), context.inputs)
                            : std::nullopt;
  if (!equation) {
    session_.Fail(absl::StrCat("`", context.name, "`: its equation does not fit its inputs"));
    return std::nullopt;
  }
  RequireLabels(context, equation->terms);
  Contraction contraction(*this, context);
  std::vector<Contraction::Term> terms;
  for (size_t i = 0; i < equation->terms.size(); ++i)
    terms.push_back({context.inputs[i], equation->terms[i]});
  const auto broken = [](const Contraction::Term& term) { return term.value == nullptr; };
  for (Contraction::Term& term : terms) contraction.TakeDiagonals(term);
  if (std::any_of(terms.begin(), terms.end(), broken)) return std::nullopt;
  const std::vector<Contraction::Term> all = terms;
  for (Contraction::Term& term : terms) contraction.DropUnits(term, all);
  Contraction::Term sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i) {
    Labels later = equation->result;
    for (size_t j = i + 1; j < terms.size(); ++j) later = Joined(later, terms[j].labels);
    const Labels left = Joined(later, terms[i].labels), right = Joined(later, sum.labels);
    contraction.SumOut(sum, left);
    contraction.SumOut(terms[i], right);
    sum = contraction.Product(sum, terms[i], later);
  }
  contraction.SumOut(sum, equation->result);
  for (const std::string& label : equation->result) {
    if (sum.value != nullptr && Has(sum.labels, label)) continue;
    if (sum.value != nullptr)
      session_.Fail(absl::StrCat("`", context.name, "`: no input has the label `", label, "`"));
    return std::nullopt;
  }
  contraction.Arrange(sum, equation->result);
  if (sum.value == nullptr) return std::nullopt;
  return Tensors{sum.value};
}

}  // namespace tessera::recheck
