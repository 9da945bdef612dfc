// Sums of products by named indices: one label is one size, and operands are contracted from left
// to right. Which axes have one label is read here; what is built of them, the definition says.
#include "recheck/einsum.h"

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "recheck/interpreter.h"

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

// The operations of one equation. After the first that does not agree, values are null.
class Contraction {
 public:
  struct Term {
    TensorPtr value;
    Labels labels;
  };

  Contraction(Session& session, const NodeContext& context)
      : session_(session), context_(context), terms_(session.terms()) {}

  // A label twice in one operand reads its diagonal, as the last axis.
  void TakeDiagonals(Term& term) {
    for (size_t i = 0; i < term.labels.size(); ++i) {
      const std::string label = term.labels[i];
      const auto behind = term.labels.begin() + static_cast<std::ptrdiff_t>(i) + 1;
      const auto again = std::find(behind, term.labels.end(), label);
      if (again == term.labels.end()) continue;
      const auto j = static_cast<int64_t>(again - term.labels.begin());
      term.value = Build("EinsumDiagonal", {term.value},
                         {{"first", static_cast<int64_t>(i)}, {"second", j}}, {});
      term.labels.erase(again);
      term.labels.erase(term.labels.begin() + static_cast<std::ptrdiff_t>(i));
      term.labels.push_back(label);
      if (term.value == nullptr) return;
      i = static_cast<size_t>(-1);  // from the start, now without the repetition
    }
  }

  // Axes of one entry that other operands hold in full.
  void DropUnits(Term& term, const std::vector<Term>& all) {
    Labels kept;
    for (const std::string& label : term.labels) {
      const bool elsewhere = std::any_of(all.begin(), all.end(), [&](const Term& other) {
        return Has(other.labels, label) && terms_.Number(SizeOf(other, label)) != 1;
      });
      if (terms_.Number(SizeOf(term, label)) != 1 || !elsewhere) kept.push_back(label);
    }
    Arrange(term, kept, false);
  }

  void SumOut(Term& term, const Labels& needed) {
    Labels kept;
    for (const std::string& label : term.labels) {
      if (Has(needed, label)) kept.push_back(label);
    }
    Arrange(term, kept, true);
  }

  // The axes of `order` alone; the others are summed over, or have one entry.
  void Arrange(Term& term, const Labels& order, bool summed) {
    if (order == term.labels) return;
    Labels rest;
    std::vector<Dim> axes;
    for (size_t d = 0; d < term.labels.size(); ++d) {
      if (Has(order, term.labels[d])) {
        rest.push_back(term.labels[d]);
      } else {
        axes.push_back(terms_.Integer(static_cast<int64_t>(d)));
      }
    }
    term.value = Build("EinsumTerm", {term.value}, {{"summed", summed}},
                       {{"axes", axes}, {"order", PlacesOf(rest, order)}});
    term.labels = order;
  }

  Term Product(const Term& a, const Term& b, const Labels& needed) {
    Labels batch, left, right, inner;
    for (const std::string& label : a.labels)
      (!Has(b.labels, label) ? left : Has(needed, label) ? batch : inner).push_back(label);
    for (const std::string& label : b.labels) {
      if (!Has(a.labels, label)) right.push_back(label);
    }
    const TensorPtr product = Build(
        "Einsum", {a.value, b.value}, {{"batch", std::ssize(batch)}, {"inner", std::ssize(inner)}},
        {{"a_axes", PlacesOf(a.labels, Joined(Joined(batch, left), inner))},
         {"b_axes", PlacesOf(b.labels, Joined(Joined(batch, inner), right))}});
    return {product, Joined(Joined(batch, left), right)};
  }

 private:
  Dim SizeOf(const Term& term, const std::string& label) const {
    return term.value->dims[static_cast<size_t>(PlaceOf(term.labels, label))];
  }
  std::vector<Dim> PlacesOf(const Labels& labels, const Labels& order) const {
    std::vector<Dim> places;
    for (const std::string& label : order) places.push_back(terms_.Integer(PlaceOf(labels, label)));
    return places;
  }
  TensorPtr Build(const std::string& op, const std::vector<TensorPtr>& operands,
                  const std::map<std::string, int64_t>& numbers,
                  const std::map<std::string, std::vector<Dim>>& lists) {
    const bool complete = std::none_of(operands.begin(), operands.end(),
                                       [](const TensorPtr& tensor) { return tensor == nullptr; });
    if (!complete) return nullptr;
    Interpreter interpreter(session_, context_);
    const std::vector<TensorPtr> results = interpreter.Create(op, operands, numbers, lists);
    return interpreter.Finish() ? results[0] : nullptr;
  }

  Session& session_;
  const NodeContext& context_;
  Terms& terms_;
};

void RequireLabels(Session& session, const NodeContext& context,
                   const std::vector<Labels>& labels) {
  Terms& terms = session.terms();
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
      session.Require({context.name, context.op, kLabel, holds, {}, Requirement::kImplied});
      if (terms.Number(first.dim) == 1) it->second = {dim, i};
    }
  }
}

}  // namespace

std::optional<std::vector<TensorPtr>> DeriveEinsum(Session& session, const NodeContext& context,
                                                   const std::string& text) {
  const bool complete =
      !context.inputs.empty() && std::none_of(context.inputs.begin(), context.inputs.end(),
                                              [](const TensorPtr& t) { return t == nullptr; });
  const auto equation = complete ? EquationOf(text, context.inputs) : std::nullopt;
  if (!equation) {
    session.Fail(absl::StrCat("`", context.name, "`: its equation does not fit its inputs"));
    return std::nullopt;
  }
  RequireLabels(session, context, equation->terms);
  Contraction contraction(session, context);
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
  for (const std::string& label : equation->result) {
    if (sum.value != nullptr && Has(sum.labels, label)) continue;
    if (sum.value != nullptr)
      session.Fail(absl::StrCat("`", context.name, "`: no input has the label `", label, "`"));
    return std::nullopt;
  }
  contraction.Arrange(sum, equation->result, true);
  if (sum.value == nullptr) return std::nullopt;
  return std::vector<TensorPtr>{sum.value};
}

}  // namespace tessera::recheck
