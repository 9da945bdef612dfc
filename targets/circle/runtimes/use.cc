#include "targets/circle/runtimes/use.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "ir/registry.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/parameters.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/own_operands.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/schema/circle_generated.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

constexpr std::string_view kStrides[] = {"stride_h", "stride_w"};

std::string Text(std::string_view text) { return std::string(text); }

bool IsCast(const ir::Operation& op) {
  return op.info().code != nullptr && op.info().code->code == ::circle::BuiltinOperator_CAST;
}

// Runtimes hold what is cast as plain numbers, and what is not as codes of floats.
bool IsCast(const ir::Value* value) {
  if (value == nullptr || value->type().dtype != ir::DType::kU8) return false;
  if (value->producer() != nullptr && IsCast(*value->producer())) return true;
  const absl::Span<const ir::Use> uses = value->UsesUnsorted();
  return std::any_of(uses.begin(), uses.end(), [](const ir::Use& use) { return IsCast(*use.op); });
}

bool IsCast(const FileGraph& graph, int32_t index) {
  if (index < 0 || graph.tensors[static_cast<size_t>(index)].type != ::circle::TensorType_UINT8)
    return false;
  return std::any_of(graph.operators.begin(), graph.operators.end(), [&](const FileOperator& op) {
    const auto has = [&](const std::vector<int32_t>& list) {
      return std::find(list.begin(), list.end(), index) != list.end();
    };
    return op.builtin_code == ::circle::BuiltinOperator_CAST && (has(op.inputs) || has(op.outputs));
  });
}

// An operator as both the graph and the file tell of it.
struct Tensor {
  std::string type;
  std::vector<std::string> dims;
  std::vector<solver::Range> ranges;  // of dims
  bool dynamic = false, empty = false;
};
struct Operand {
  const ir::OperandSpec* spec;
  std::optional<Tensor> tensor;
  bool constant = false;
};

// Whether `spec` lists axes along which `info` works.
bool ListsAxes(const ir::OpInfo& info, const ir::OperandSpec& spec) {
  return std::any_of(info.permutes.begin(), info.permutes.end(), [&](const ir::PermuteRule& rule) {
    return rule.kind == ir::PermuteRule::kOperandAxes &&
           &info.operands[static_cast<size_t>(rule.index)] == &spec;
  });
}

bool IsOne(const Tensor& list) {
  return list.dims.empty() || (list.dims.size() == 1 && list.dims[0] == "1");
}

Use Assemble(const ir::OpInfo& info, const std::vector<Operand>& operands,
             const std::vector<std::optional<Tensor>>& results) {
  Use use;
  use.op = Text(info.name);
  std::vector<std::string> from, to;
  std::vector<const Tensor*> values;
  bool constant_left = false;
  const ir::OperandSpec* previous = nullptr;
  for (const Operand& operand : operands) {
    if (operand.spec->elements) {
      if (operand.tensor.has_value() && !operand.constant) use.forms.insert(kComputed);
      if (operand.tensor.has_value() && ListsAxes(info, *operand.spec) && !IsOne(*operand.tensor))
        use.forms.insert(kSeveralAxes);
      continue;
    }
    if (operand.tensor.has_value()) {
      if (values.empty()) {
        constant_left = operand.constant;
      } else if (constant_left && !operand.constant) {
        use.forms.insert(kConstantLeft);
      }
      values.push_back(&*operand.tensor);
      // Of a variadic operand one type says it.
      if (operand.spec != previous) from.push_back(operand.tensor->type);
    } else {
      from.push_back("-");
    }
    previous = operand.spec;
  }
  while (!from.empty() && from.back() == "-") from.pop_back();
  const auto empty = [](const Tensor* value) { return value->empty; };
  if (std::any_of(values.begin(), values.end(), empty)) use.forms.insert(kEmpty);
  if (info.elementwise && std::any_of(values.begin(), values.end(), [&](const Tensor* value) {
        return value->dims != values[0]->dims;
      }))
    use.forms.insert(kBroadcast);
  for (const std::optional<Tensor>& result : results) {
    to.push_back(result->type);
    values.push_back(&*result);
    if (result->empty) use.forms.insert(kEmptyResults);
  }
  if (std::any_of(values.begin(), values.end(), [](const Tensor* value) { return value->dynamic; }))
    use.forms.insert(kDynamic);
  for (const Tensor* value : values)
    use.rank = std::max(use.rank, static_cast<int64_t>(value->dims.size()));
  use.types = absl::StrCat(absl::StrJoin(from, ","), ">", absl::StrJoin(to, ","));
  return use;
}

// Of images and filters, channels last. `strides`: along the two axes between.
void AddCovered(const std::vector<Operand>& operands, const std::vector<int64_t>& strides,
                Use& use) {
  if (use.forms.count("padding=SAME") == 0 || operands.size() < 2 || strides.size() != 2) return;
  const std::optional<Tensor>&image = operands[0].tensor, &filter = operands[1].tensor;
  constexpr size_t kRank = 4;
  if (!image || !filter || image->dims.size() != kRank || filter->dims.size() != kRank) return;
  bool covers = true, of_two = false;
  for (const size_t axis : {1, 2}) {
    const solver::Range &x = image->ranges[axis], &k = filter->ranges[axis];
    covers = covers && x.lo <= k.hi && k.lo <= x.hi;
    of_two = of_two || (strides[axis - 1] == 1 && k.lo <= 2 && 2 <= k.hi);
  }
  if (covers && of_two) use.forms.insert(kCovered);
}

bool HasEntries(const ir::Expr& dim) { return solver::RangeOf(dim).lo >= 1; }

std::optional<Tensor> TensorOf(const ir::Value* value) {
  if (value == nullptr) return std::nullopt;
  Tensor tensor;
  tensor.type = Text(ir::NameOf(value->type().dtype));
  for (const ir::Expr& dim : value->type().dims) {
    tensor.dims.push_back(dim.ToString());
    tensor.ranges.push_back(solver::RangeOf(dim));
    tensor.dynamic = tensor.dynamic || !dim.IsConstant();
    tensor.empty = tensor.empty || !HasEntries(dim);
  }
  return tensor;
}

std::optional<Tensor> TensorOf(const FileGraph& graph, int32_t index) {
  if (index < 0) return std::nullopt;
  const FileTensor& own = graph.tensors[static_cast<size_t>(index)];
  const std::optional<ir::DType> dtype = DTypeOf(own.type);
  Tensor tensor;
  tensor.type = dtype.has_value() ? Text(ir::NameOf(*dtype))
                                  : std::string(::circle::EnumNameTensorType(own.type));
  for (const int64_t dim : own.shape) {
    tensor.dims.push_back(absl::StrCat(dim));
    tensor.ranges.push_back(dim < 0 ? solver::Range{0, solver::Range::kPosInf}
                                    : solver::Range{dim, dim});
    tensor.dynamic = tensor.dynamic || dim < 0;
    tensor.empty = tensor.empty || dim == 0;
  }
  return tensor;
}

}  // namespace

std::optional<Use> UseOf(const ir::Operation& op) {
  const ir::OpInfo& info = op.info();
  if ((info.dialect != kDialect && info.dialect != kIntegers) || info.code == nullptr)
    return std::nullopt;
  std::vector<Operand> operands;
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const ir::OperandSpec* const spec = ir::OperandSpecAt(info, i);
    const ir::Value* const value = op.operand(i);
    if (!IsParameter(info, spec->name))
      operands.push_back({spec, TensorOf(value), value != nullptr && value->constant() != nullptr});
  }
  std::vector<std::optional<Tensor>> results;
  for (const ir::Value* result : op.results()) results.push_back(TensorOf(result));
  Use use = Assemble(info, operands, results);
  const auto is_cast = [](const ir::Value* value) { return IsCast(value); };
  if (!IsCast(op) && (std::any_of(op.operands().begin(), op.operands().end(), is_cast) ||
                      std::any_of(op.results().begin(), op.results().end(), is_cast)))
    use.forms.insert(kCast);
  for (size_t i = 0; i < op.attrs().size(); ++i) {
    const ir::AttrSpec& spec = op.info().attrs[i];
    const auto* const value = std::get_if<int64_t>(&op.attr(i));
    if (value == nullptr) continue;
    if (spec.kind == ir::AttrKind::kBool)
      use.forms.insert(absl::StrCat(Text(spec.name), "=", *value != 0 ? "true" : "false"));
    if (spec.kind == ir::AttrKind::kEnum)
      use.forms.insert(
          absl::StrCat(Text(spec.name), "=", Text(spec.enum_names[static_cast<size_t>(*value)])));
  }
  std::vector<int64_t> strides;
  for (const std::string_view stride : kStrides) {
    const int place = ir::FindAttr(info, stride);
    if (place >= 0) strides.push_back(std::get<int64_t>(op.attr(static_cast<size_t>(place))));
  }
  AddCovered(operands, strides, use);
  return use;
}

// WHILE, IF and the like hand on whatever tensors there are.
Use FileUses::OfControlFlow(const FileOperator& op) {
  Use use;
  use.op = std::string(OperatorName(op.builtin_code));
  use.types = kAnyTypes;
  for (const std::vector<int32_t>* list : {&op.inputs, &op.outputs}) {
    for (const int32_t index : *list) {
      const std::optional<Tensor> tensor = TensorOf(graph_, index);
      if (tensor.has_value() && tensor->dynamic) use.forms.insert(kDynamic);
    }
  }
  if (SaysUnknownSizes(model_, op)) use.forms.insert(kUnknownResults);
  if (!taken_.has_value()) taken_ = TakenByPlainOperators(graph_);
  if (TakesOneOf(op, *taken_)) use.forms.insert(kTakenElsewhere);
  return use;
}

Use FileUses::Of(const FileOperator& op) {
  const FileGraph& graph = graph_;
  const ir::OpInfo* const info = DefinitionOf(graph, op);
  if (info == nullptr) return OfControlFlow(op);
  std::vector<Operand> operands;
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    const ir::OperandSpec* const spec = ir::OperandSpecAt(*info, i);
    // Behind them there may be parameters, which files keep with the tensors.
    if (spec == nullptr) break;
    const int32_t index = op.inputs[i];
    if (!IsParameter(*info, spec->name))
      operands.push_back({spec, TensorOf(graph, index),
                          index >= 0 && graph.tensors[static_cast<size_t>(index)].is_constant});
  }
  std::vector<std::optional<Tensor>> results;
  for (const int32_t output : op.outputs) results.push_back(TensorOf(graph, output));
  Use use = Assemble(*info, operands, results);
  const auto is_cast = [&](int32_t index) { return IsCast(graph, index); };
  if (op.builtin_code != ::circle::BuiltinOperator_CAST &&
      (std::any_of(op.inputs.begin(), op.inputs.end(), is_cast) ||
       std::any_of(op.outputs.begin(), op.outputs.end(), is_cast)))
    use.forms.insert(kCast);
  for (const auto& [field, value] : op.options) {
    if (ir::FindAttr(*info, field) < 0) continue;
    if (const auto* const flag = std::get_if<bool>(&value))
      use.forms.insert(absl::StrCat(field, "=", *flag ? "true" : "false"));
    const ir::AttrSpec& spec = info->attrs[static_cast<size_t>(ir::FindAttr(*info, field))];
    const auto* const choice = std::get_if<std::string>(&value);
    if (choice != nullptr && spec.kind == ir::AttrKind::kEnum)
      use.forms.insert(absl::StrCat(field, "=", *choice));
  }
  std::vector<int64_t> strides;
  for (const std::string_view stride : kStrides) {
    const OptionValue* const value = FindOption(op, stride);
    const auto* const number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
    if (number != nullptr) strides.push_back(*number);
  }
  AddCovered(operands, strides, use);
  return use;
}

Use UseOf(const FileModel& model, const FileGraph& graph, const FileOperator& op) {
  return FileUses(model, graph).Of(op);
}

std::vector<std::string> SizesThatMayBeNone(const ir::Operation& op) {
  std::vector<std::string> sizes;
  const auto add = [&](const ir::Value* value) {
    if (value == nullptr) return;
    for (const ir::Expr& dim : value->type().dims) {
      if (HasEntries(dim) || dim.IsConstant()) continue;
      std::string text = absl::StrCat("`", dim.ToString(), "`");
      if (std::find(sizes.begin(), sizes.end(), text) == sizes.end())
        sizes.push_back(std::move(text));
    }
  };
  for (const ir::Value* operand : op.operands()) add(operand);
  for (const ir::Value* result : op.results()) add(result);
  return sizes;
}

Use WithEntries(Use use) {
  use.forms.erase(kEmpty);
  use.forms.erase(kEmptyResults);
  return use;
}

std::string TextOf(const Use& use) {
  return absl::StrCat(use.op, " ", use.types, " of rank ", use.rank);
}

}  // namespace tessera::circle
