#include "ir/term_builder.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/absl_view.h"
#include "ir/registry.h"
#include "solver/decide.h"

namespace tessera::ir {
namespace {

std::vector<Expr> ToExprs(const std::vector<int64_t>& list) { return {list.begin(), list.end()}; }

// `given` as the kind that the definition declares.
absl::StatusOr<Attribute> Convert(const TermAttribute& given, const AttrSpec& spec) {
  const auto error = [&](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat("attribute `", AbslView(spec.name), "`: ", what));
  };
  if (const auto* name = std::get_if<std::string_view>(&given)) {
    for (size_t i = 0; i < spec.enum_names.size(); ++i) {
      if (spec.enum_names[i] == *name) return Attribute(static_cast<int64_t>(i));
    }
    std::vector<std::string> known;
    for (std::string_view value : spec.enum_names) known.emplace_back(value);
    return error(absl::StrCat("`", AbslView(*name), "` is none of ", absl::StrJoin(known, ", ")));
  }
  const Attribute& attribute = std::get<Attribute>(given);
  if (HoldsKind(attribute, spec.kind) || std::holds_alternative<std::monostate>(attribute)) {
    return attribute;
  }
  const auto symbolic = [&](const Expr& e) {
    return error(absl::StrCat("`", e.ToString(), "` is symbolic, a number is needed"));
  };
  switch (spec.kind) {
    case AttrKind::kDim:
      if (const auto* v = std::get_if<int64_t>(&attribute)) return Attribute(Expr(*v));
      break;
    case AttrKind::kInt:
    case AttrKind::kBool:
    case AttrKind::kEnum:
      if (const auto* e = std::get_if<Expr>(&attribute)) {
        if (!e->IsConstant()) return symbolic(*e);
        return Attribute(*e->Constant());
      }
      break;
    case AttrKind::kFloat:
      if (const auto* v = std::get_if<int64_t>(&attribute)) {
        return Attribute(static_cast<double>(*v));
      }
      break;
    case AttrKind::kDims:
      if (const auto* v = std::get_if<std::vector<int64_t>>(&attribute)) {
        return Attribute(ToExprs(*v));
      }
      break;
    case AttrKind::kInts:
      if (const auto* list = std::get_if<std::vector<Expr>>(&attribute)) {
        std::vector<int64_t> numbers;
        for (const Expr& e : *list) {
          if (!e.IsConstant()) return symbolic(e);
          numbers.push_back(*e.Constant());
        }
        return Attribute(std::move(numbers));
      }
      break;
    case AttrKind::kFloats:
      if (const auto* v = std::get_if<std::vector<int64_t>>(&attribute)) {
        return Attribute(std::vector<double>(v->begin(), v->end()));
      }
      break;
    case AttrKind::kDType:
      break;
  }
  return error("of another kind");
}

absl::Status InOp(std::string_view op, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("`", AbslView(op), "`: ", status.message()));
}

}  // namespace

void TermBuilder::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

void TermBuilder::Refuse(std::string unsupported_text) { refusal_ = std::move(unsupported_text); }

void TermBuilder::Reset() {
  status_ = absl::OkStatus();
  refusal_.clear();
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
  const OpInfo* info = Registry::Global().Find(dialect, op);
  if (info == nullptr) {
    Fail(absl::InternalError(
        absl::StrCat("no op `", AbslView(op), "` in dialect `", AbslView(dialect), "`")));
    return {};
  }
  std::vector<Attribute> complete(info->attrs.size());
  for (const auto& [name, given] : attrs) {
    const int index = FindAttr(*info, name);
    if (index < 0) {
      Fail(InOp(op, absl::InternalError(absl::StrCat("no attribute `", AbslView(name), "`"))));
      return {};
    }
    absl::StatusOr<Attribute> converted = Convert(given, info->attrs[static_cast<size_t>(index)]);
    if (!converted.ok()) {
      Fail(InOp(op, converted.status()));
      return {};
    }
    complete[static_cast<size_t>(index)] = *std::move(converted);
  }
  if (info->build != nullptr) {
    std::vector<OperandInfo<Expr>> infos(operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == nullptr) continue;
      infos[i].present = true;
      infos[i].dtype = operands[i]->type().dtype;
      infos[i].dims = operands[i]->type().dims;
    }
    if (absl::Status status = info->complete(infos, complete); !status.ok()) {
      Fail(InOp(op, status));
      return {};
    }
    std::vector<Value*> results = info->build(operands, complete, *this);
    if (!ok()) {
      status_ = InOp(op, status_);
      return {};
    }
    return results;
  }
  absl::StatusOr<Operation*> created =
      rewriter_.Create(*info, std::move(operands), std::move(complete));
  if (!created.ok()) {
    Fail(created.status());
    return {};
  }
  return {(*created)->results().begin(), (*created)->results().end()};
}

std::vector<Value*> TermBuilder::CreateLike(
    const Operation& like, std::vector<Value*> operands,
    const std::vector<std::pair<std::string_view, TermAttribute>>& attrs) {
  std::vector<std::pair<std::string_view, TermAttribute>> all;
  for (size_t i = 0; i < like.attrs().size(); ++i) {
    const std::string_view name = like.info().attrs[i].name;
    const bool given = std::any_of(attrs.begin(), attrs.end(),
                                   [&](const auto& attr) { return attr.first == name; });
    if (!given) all.emplace_back(name, like.attr(i));
  }
  all.insert(all.end(), attrs.begin(), attrs.end());
  return Create(like.info().dialect, like.info().name, std::move(operands), all);
}

Value* TermBuilder::Constant(Tensor tensor) {
  return ok() ? rewriter_.CreateConstant(std::move(tensor)) : nullptr;
}

Value* TermBuilder::Fill(double value, const std::vector<Expr>& dims, DType dtype) {
  if (!ok()) return nullptr;
  std::vector<int64_t> shape = HostInts(dims);
  if (!ok()) return nullptr;
  absl::StatusOr<Tensor> tensor = Tensor::Allocate(DType::kF64, std::move(shape));
  if (!tensor.ok()) {
    Fail(tensor.status());
    return nullptr;
  }
  std::fill_n(tensor->mutable_data<double>(), tensor->size(), value);
  return Constant(tensor->CastTo(dtype));
}

Value* TermBuilder::TensorOf(const std::vector<Expr>& elements, DType dtype) {
  if (!ok()) return nullptr;
  absl::StatusOr<Value*> value = rewriter_.CreateSymbolicConstant(
      dtype, {static_cast<int64_t>(elements.size())}, elements);
  if (!value.ok()) {
    Fail(value.status());
    return nullptr;
  }
  return *value;
}

Value* TermBuilder::TensorOf(const std::vector<int64_t>& elements, DType dtype) {
  absl::StatusOr<Tensor> tensor =
      Tensor::Allocate(DType::kI64, {static_cast<int64_t>(elements.size())});
  if (!tensor.ok()) {
    Fail(tensor.status());
    return nullptr;
  }
  std::copy(elements.begin(), elements.end(), tensor->mutable_data<int64_t>());
  return Constant(tensor->CastTo(dtype));
}

Value* TermBuilder::TensorOf(const std::vector<double>& elements, DType dtype) {
  absl::StatusOr<Tensor> tensor =
      Tensor::Allocate(DType::kF64, {static_cast<int64_t>(elements.size())});
  if (!tensor.ok()) {
    Fail(tensor.status());
    return nullptr;
  }
  std::copy(elements.begin(), elements.end(), tensor->mutable_data<double>());
  return Constant(tensor->CastTo(dtype));
}

Value* TermBuilder::ScalarOf(Expr element, DType dtype) {
  if (!ok()) return nullptr;
  if (const auto number = element.Constant()) return ScalarOf(*number, dtype);
  absl::StatusOr<Value*> value = rewriter_.CreateSymbolicConstant(dtype, {}, {element});
  if (!value.ok()) {
    Fail(value.status());
    return nullptr;
  }
  return *value;
}

Value* TermBuilder::ScalarOf(double element, DType dtype) { return Fill(element, {}, dtype); }

Value* TermBuilder::ScalarOf(int64_t element, DType dtype) {
  absl::StatusOr<Tensor> tensor = Tensor::Allocate(DType::kI64, {});
  if (!tensor.ok()) {
    Fail(tensor.status());
    return nullptr;
  }
  *tensor->mutable_data<int64_t>() = element;
  return Constant(tensor->CastTo(dtype));
}

bool TermBuilder::Proves(Expr proposition) {
  if (!ok()) return false;
  if (const auto constant = proposition.Constant()) return *constant != 0;
  return solver::Decide(rewriter_.graph().context(), proposition).kind == solver::Verdict::kProved;
}

int64_t TermBuilder::HostInt(Expr e) {
  if (const auto number = e.Constant()) return *number;
  Fail(absl::InvalidArgumentError(
      absl::StrCat("`", e.ToString(), "` is symbolic, a number is needed")));
  return 0;
}

std::vector<int64_t> TermBuilder::HostInts(const std::vector<Expr>& list) {
  std::vector<int64_t> numbers;
  for (const Expr& e : list) numbers.push_back(HostInt(e));
  return numbers;
}

bool IsConstant(const Value* value) { return value != nullptr && value->constant() != nullptr; }

bool IsStatic(const Expr& e) { return e.IsConstant(); }

bool IsStatic(const std::vector<Expr>& list) {
  return std::all_of(list.begin(), list.end(), [](const Expr& e) { return e.IsConstant(); });
}

bool IsSplat(const Value* value, double element) {
  if (!IsConstant(value)) return false;
  const Tensor& tensor = *value->constant();
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.AsDouble(i) != element) return false;
  }
  return tensor.size() > 0;
}

int64_t UseCount(const Value* value) {
  if (value == nullptr) return 0;
  return static_cast<int64_t>(value->UsesUnsorted().size()) + (value->is_graph_output() ? 1 : 0);
}

bool ElementsOf(const Value* value, std::vector<Expr>& elements) {
  elements.clear();
  if (value == nullptr || value->elements() == nullptr) return false;
  elements = *value->elements();
  return true;
}

}  // namespace tessera::ir
