#include "ir/term_builder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/checker.h"
#include "ir/draft.h"
#include "ir/inference.h"
#include "ir/registry.h"
#include "solver/decide.h"
#include "solver/remedy.h"

namespace tessera::ir {
namespace {

constexpr std::string_view kKindNames[] = {
    "an integer",         "a float",          "a bool",        "an enum", "a dtype", "a dim",
    "a list of integers", "a list of floats", "a list of dims"};

template <class T>
bool IsEmptyList(const Attribute& given) {
  const auto* list = std::get_if<std::vector<T>>(&given);
  return list != nullptr && list->empty();
}

// Integers hold whole numbers within their range.
absl::StatusOr<Tensor> Holding(const std::vector<double>& elements, std::vector<int64_t> shape,
                               DType dtype) {
  Tensor tensor = Tensor::Of<double>(dtype, std::move(shape), elements);
  if (!IsInteger(dtype)) return tensor;
  for (size_t i = 0; i < elements.size(); ++i) {
    if (tensor.AsDouble(static_cast<int64_t>(i)) == elements[i]) continue;
    return absl::OutOfRangeError(
        absl::StrCat("element ", elements[i], " does not fit ", AbslView(NameOf(dtype))));
  }
  return tensor;
}

std::optional<int64_t> IntegerIn(const Attribute& given) {
  if (const auto* v = std::get_if<int64_t>(&given)) return *v;
  if (const auto* v = std::get_if<Expr>(&given)) return v->Constant();
  return std::nullopt;
}

std::optional<std::vector<int64_t>> IntegersIn(const Attribute& given) {
  if (const auto* list = std::get_if<std::vector<int64_t>>(&given)) return *list;
  const auto* dims = std::get_if<std::vector<Expr>>(&given);
  if (dims == nullptr) return std::nullopt;
  std::vector<int64_t> list;
  for (const Expr& dim : *dims) {
    if (!dim.IsConstant()) return std::nullopt;
    list.push_back(*dim.Constant());
  }
  return list;
}

// Absent where `given` cannot be converted.
Attribute Converted(const Attribute& given, AttrKind kind) {
  if (HoldsKind(given, kind) && kind != AttrKind::kBool) return given;
  switch (kind) {
    case AttrKind::kInt:
    case AttrKind::kEnum:
      if (const auto v = IntegerIn(given)) return *v;
      break;
    case AttrKind::kBool:
      if (const auto v = IntegerIn(given)) return int64_t{*v != 0};
      break;
    case AttrKind::kFloat:
      if (const auto v = IntegerIn(given)) return static_cast<double>(*v);
      break;
    case AttrKind::kDim:
      if (const auto v = IntegerIn(given)) return Expr(*v);
      break;
    case AttrKind::kInts:
      if (IsEmptyList<double>(given)) return std::vector<int64_t>();
      if (auto list = IntegersIn(given)) return *std::move(list);
      break;
    case AttrKind::kFloats:
      if (const auto list = IntegersIn(given)) {
        return std::vector<double>(list->begin(), list->end());
      }
      break;
    case AttrKind::kDims:
      if (IsEmptyList<double>(given)) return std::vector<Expr>();
      if (const auto list = IntegersIn(given)) return std::vector<Expr>(list->begin(), list->end());
      break;
    case AttrKind::kDType:
      break;
  }
  return {};
}

absl::StatusOr<Attribute> Converted(const TermAttribute& given, const AttrSpec& spec) {
  const auto attribute = [&] { return absl::StrCat("attribute `", AbslView(spec.name), "`"); };
  if (const auto* name = std::get_if<std::string_view>(&given)) {
    if (spec.kind != AttrKind::kEnum) {
      return absl::InvalidArgumentError(
          absl::StrCat(attribute(), " is ", AbslView(kKindNames[static_cast<size_t>(spec.kind)]),
                       ", not `", AbslView(*name), "`"));
    }
    for (size_t i = 0; i < spec.enum_names.size(); ++i) {
      if (spec.enum_names[i] == *name) return Attribute(static_cast<int64_t>(i));
    }
    return absl::InvalidArgumentError(
        absl::StrCat(attribute(), " has no name `", AbslView(*name), "`"));
  }
  const Attribute& plain = std::get<Attribute>(given);
  if (std::holds_alternative<std::monostate>(plain)) return plain;
  Attribute converted = Converted(plain, spec.kind);
  if (std::holds_alternative<std::monostate>(converted)) {
    return absl::InvalidArgumentError(
        absl::StrCat(attribute(), " is ", AbslView(kKindNames[static_cast<size_t>(spec.kind)]),
                     ", which `", ToString(plain, spec), "` is not"));
  }
  return converted;
}

absl::Status Merge(const OpInfo& info,
                   absl::Span<const std::pair<std::string_view, TermAttribute>> given,
                   std::vector<Attribute>& attrs) {
  for (const auto& [name, value] : given) {
    const int index = FindAttr(info, name);
    if (index < 0) {
      return absl::InvalidArgumentError(absl::StrCat("no attribute `", AbslView(name), "`"));
    }
    absl::StatusOr<Attribute> converted = Converted(value, info.attrs[static_cast<size_t>(index)]);
    if (!converted.ok()) return converted.status();
    attrs[static_cast<size_t>(index)] = *std::move(converted);
  }
  return absl::OkStatus();
}

absl::Status InOp(std::string_view op, const absl::Status& status) {
  absl::Status named(status.code(),
                     absl::StrCat("`", AbslView(op), "`: ", std::string(status.message())));
  solver::Attach(solver::Attached(status), named, solver::ConstraintOf(status));
  return named;
}

absl::Status InOp(std::string_view dialect, std::string_view op, const absl::Status& status) {
  return InOp(absl::StrCat(AbslView(dialect), ".", AbslView(op)), status);
}

}  // namespace

void TermBuilder::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void TermBuilder::Owe(Checker<Expr>& checker, std::string_view op) {
  if (!ok()) return;
  if (!checker.status().ok()) return Fail(InOp(op, checker.status()));
  for (Obligation& open : checker.open())
    rewriter_.AddObligation(std::move(open), std::string(op), nullptr);
  for (Obligation& proved : checker.proved())
    rewriter_.AddProved(std::move(proved), std::string(op), rewriter_.location());
}

void TermBuilder::Refuse(std::string unsupported_text) { refusal_ = std::move(unsupported_text); }

bool TermBuilder::AssumeFinite() {
  assumed_finite_ = !strict_floats_;
  if (strict_floats_)
    Refuse(
        "the form that there is assumes that all numbers are finite, which strict floats do not");
  return assumed_finite_;
}

void TermBuilder::Reset() {
  status_ = absl::OkStatus();
  refusal_.clear();
  assumed_finite_ = false;
  taken_ = missed_ = -1;
}

std::vector<Value*> TermBuilder::Create(
    std::string_view dialect, std::string_view op, std::vector<Value*> operands,
    std::initializer_list<std::pair<std::string_view, TermAttribute>> attrs) {
  return Create(dialect, op, std::move(operands),
                std::vector<std::pair<std::string_view, TermAttribute>>(attrs));
}

std::vector<Value*> TermBuilder::Create(
    std::string_view dialect, std::string_view op, std::vector<Value*> operands,
    const std::vector<std::pair<std::string_view, TermAttribute>>& attrs) {
  if (!ok()) return {};
  const OpInfo* const info = Registry::Global().Find(dialect, op);
  if (info == nullptr) {
    Fail(InOp(dialect, op, absl::NotFoundError("no such op")));
    return {};
  }
  // What becomes a number here.
  for (const auto& [name, given] : attrs) {
    const auto* const attribute = std::get_if<Attribute>(&given);
    if (attribute == nullptr) continue;
    if (const auto* e = std::get_if<Expr>(attribute); e != nullptr && e->IsConstant()) HostInt(*e);
    if (const auto* list = std::get_if<std::vector<Expr>>(attribute)) {
      for (const Expr& e : *list) {
        if (e.IsConstant()) HostInt(e);
      }
    }
  }
  std::vector<Attribute> merged(info->attrs.size());
  const absl::Status status = Merge(*info, attrs, merged);
  if (!status.ok()) {
    Fail(InOp(dialect, op, status));
    return {};
  }
  return Make(*info, std::move(operands), std::move(merged));
}

std::vector<Value*> TermBuilder::CreateLike(
    const Operation& like, std::vector<Value*> operands,
    const std::vector<std::pair<std::string_view, TermAttribute>>& attrs) {
  if (!ok()) return {};
  const OpInfo& info = like.info();
  std::vector<Attribute> merged(like.attrs().begin(), like.attrs().end());
  const absl::Status status = Merge(info, attrs, merged);
  if (!status.ok()) {
    Fail(InOp(info.dialect, info.name, status));
    return {};
  }
  return Make(info, std::move(operands), std::move(merged));
}

std::vector<Value*> TermBuilder::Make(const OpInfo& info, std::vector<Value*> operands,
                                      std::vector<Attribute> attrs) {
  if (info.build != nullptr) return Expand(info, std::move(operands), std::move(attrs));
  const absl::StatusOr<Operation*> op =
      rewriter_.Create(info, std::move(operands), std::move(attrs));
  if (!op.ok()) {
    Fail(op.status());
    return {};
  }
  return {(*op)->results().begin(), (*op)->results().end()};
}

std::vector<Value*> TermBuilder::Expand(const OpInfo& info, std::vector<Value*> operands,
                                        std::vector<Attribute> attrs) {
  std::vector<OperandInfo<Expr>> infos;
  for (const Value* operand : operands) infos.push_back(InfoOf(operand));
  size_t least = info.operands.size();
  if (least > 0 && info.operands.back().arity == Arity::kVariadic) --least;
  if (infos.size() < least) infos.resize(least);
  std::string failed;
  const auto fail = [&](const absl::Status& status, Blame blame) {
    absl::Status explained = Explain(status, {info, infos, {}, attrs, rewriter_.location()}, blame);
    NoteConstraint(failed, explained);
    Fail(std::move(explained));
    return std::vector<Value*>();
  };
  for (size_t i = 0; i < infos.size(); ++i) {
    const OperandSpec* const spec = OperandSpecAt(info, i);
    if (spec == nullptr) return fail(absl::InvalidArgumentError("too many operands"), {});
    if (!infos[i].present && spec->arity != Arity::kOptional) {
      return fail(absl::InvalidArgumentError(
                      absl::StrCat("operand ", i, " `", AbslView(spec->name), "` is absent")),
                  {Blame::kOperand, i});
    }
  }
  const absl::Status status = info.complete(infos, attrs);
  if (!status.ok()) return fail(status, {});
  absl::StatusOr<Inferred> inferred =
      Infer(info, infos, attrs, rewriter_.graph().context(), &failed);
  if (!inferred.ok()) return fail(inferred.status(), BlameFor(info, failed));
  operands.resize(infos.size(), nullptr);
  std::vector<Value*> results = info.build(operands, attrs, *this);
  if (!ok()) return {};
  const Operation* const owner =
      results.empty() || results[0] == nullptr ? nullptr : results[0]->producer();
  for (Obligation& obligation : inferred->open) {
    rewriter_.AddObligation(std::move(obligation), std::string(info.name), owner);
  }
  for (Obligation& obligation : inferred->proved) {
    rewriter_.AddProved(std::move(obligation), std::string(info.name), rewriter_.location());
  }
  return results;
}

Value* TermBuilder::Constant(Tensor tensor) {
  return ok() ? rewriter_.CreateConstant(std::move(tensor)) : nullptr;
}

Value* TermBuilder::Fill(double value, const std::vector<Expr>& dims, DType dtype) {
  const std::vector<int64_t> shape = HostInts(dims);
  if (!ok()) return nullptr;
  absl::StatusOr<Tensor> tensor = Tensor::Allocate(dtype, shape);
  const absl::StatusOr<Tensor> element = Holding({value}, {}, dtype);
  if (!tensor.ok() || !element.ok()) {
    Fail(tensor.ok() ? element.status() : tensor.status());
    return nullptr;
  }
  auto* const bytes = tensor->mutable_data<uint8_t>();
  const size_t total = tensor->bytes().size();
  // Doubling what is filled.
  size_t filled = std::min(total, SizeOf(dtype));
  if (total > 0) std::memcpy(bytes, element->bytes().data(), filled);
  while (filled < total) {
    const size_t more = std::min(filled, total - filled);
    std::memcpy(bytes + filled, bytes, more);
    filled += more;
  }
  return Constant(*std::move(tensor));
}

Value* TermBuilder::Symbolic(const std::vector<Expr>& elements, std::vector<int64_t> shape,
                             DType dtype) {
  if (!ok()) return nullptr;
  if (IsFloat(dtype)) {
    const std::vector<int64_t> numbers = HostInts(elements);
    if (!ok()) return nullptr;
    return Constant(Tensor::Of<int64_t>(dtype, std::move(shape), numbers));
  }
  const absl::StatusOr<Value*> value =
      rewriter_.CreateSymbolicConstant(dtype, std::move(shape), elements);
  if (!value.ok()) {
    Fail(value.status());
    return nullptr;
  }
  return *value;
}

Value* TermBuilder::TensorOf(const std::vector<Expr>& elements, DType dtype) {
  return Symbolic(elements, {static_cast<int64_t>(elements.size())}, dtype);
}

Value* TermBuilder::TensorOf(const std::vector<int64_t>& elements, DType dtype) {
  return TensorOf(std::vector<Expr>(elements.begin(), elements.end()), dtype);
}

Value* TermBuilder::TensorOf(const std::vector<double>& elements, DType dtype) {
  if (!ok()) return nullptr;
  absl::StatusOr<Tensor> tensor = Holding(elements, {static_cast<int64_t>(elements.size())}, dtype);
  if (!tensor.ok()) Fail(tensor.status());
  return ok() ? Constant(*std::move(tensor)) : nullptr;
}

Value* TermBuilder::ScalarOf(Expr element, DType dtype) { return Symbolic({element}, {}, dtype); }

Value* TermBuilder::ScalarOf(int64_t element, DType dtype) {
  return Symbolic({Expr(element)}, {}, dtype);
}

Value* TermBuilder::ScalarOf(double element, DType dtype) {
  if (!ok()) return nullptr;
  absl::StatusOr<Tensor> tensor = Holding({element}, {}, dtype);
  if (!tensor.ok()) Fail(tensor.status());
  return ok() ? Constant(*std::move(tensor)) : nullptr;
}

bool TermBuilder::Proves(Expr proposition) {
  if (!ok() || proposition.IsInvalid()) return false;
  Obligation decision;
  if (const auto constant = proposition.Constant()) {
    if (*constant == 0) return false;
    decision.by = "normal-form";
  } else {
    const solver::Verdict verdict = solver::Decide(rewriter_.graph().context(), proposition);
    if (verdict.kind != solver::Verdict::kProved) return false;
    decision.by = verdict.by;
  }
  // What is built rests on it.
  decision.constraint = "decided.guard";
  decision.predicate = proposition;
  rewriter_.AddProved(std::move(decision), "guard", rewriter_.location());
  return true;
}

int64_t TermBuilder::HostInt(Expr e) {
  if (const auto value = e.Constant()) {
    if (e.IsLiteral()) return *value;
    Obligation decision;
    decision.constraint = "decided.number";
    decision.predicate = solver::Eq(e, *value);
    decision.by = "normal-form";
    rewriter_.AddProved(std::move(decision), "number", rewriter_.location());
    return *value;
  }
  Fail(absl::UnimplementedError(
      absl::StrCat("`", e.ToString(), "` is symbolic where a number is needed")));
  return 0;
}

std::vector<int64_t> TermBuilder::HostInts(const std::vector<Expr>& list) {
  std::vector<int64_t> result;
  result.reserve(list.size());
  for (const Expr& e : list) result.push_back(HostInt(e));
  return result;
}

bool IsConstant(const Value* value) { return value != nullptr && value->constant() != nullptr; }

bool IsStatic(const Expr& e) { return e.IsConstant(); }

bool IsStatic(const std::vector<Expr>& list) {
  for (const Expr& e : list) {
    if (!e.IsConstant()) return false;
  }
  return true;
}

bool IsSplat(const Value* value, double element) {
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.AsDouble(i) != element) return false;
  }
  return tensor.size() > 0;
}

bool IsBelow(const Value* value, double bound) {
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.AsDouble(i) < bound) return true;
  }
  return false;
}

bool IsWithin(const Value* value, double least, double most) {
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double magnitude = std::abs(tensor.AsDouble(i));
    if (magnitude != 0 && !(least <= magnitude && magnitude <= most)) return false;
  }
  return true;
}

bool IsFinite(const Value* value) {
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor.AsDouble(i))) return false;
  }
  return true;
}

int64_t UseCount(const Value* value) {
  if (value == nullptr) return 0;
  return static_cast<int64_t>(value->UsesUnsorted().size()) + (value->is_graph_output() ? 1 : 0);
}

bool ElementsOf(const Value* value, std::vector<Expr>& elements) {
  if (value == nullptr || IsFloat(value->type().dtype)) return false;
  if (value->elements() != nullptr) {
    elements = *value->elements();
    return true;
  }
  // A constant too large to be tracked.
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  std::vector<Expr> numbers;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const int64_t element = tensor.AsInt(i);
    if (tensor.dtype() == DType::kU64 && element < 0) return false;
    numbers.push_back(Expr(element));
  }
  elements = std::move(numbers);
  return true;
}

std::vector<Expr> ExtremesOf(const Value* value) {
  std::vector<Expr> extremes;
  if (!ElementsOf(value, extremes) && value != nullptr && value->progression() != nullptr)
    extremes = value->progression()->extremes;
  return extremes;
}

}  // namespace tessera::ir
