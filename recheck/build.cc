// Ops are built: their operands and attributes are bound, their results are those that the
// certificate lists.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "codegen/program.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::AttributeDecl;
using codegen::ClauseItem;
using codegen::Form;
using codegen::FormEntry;
using codegen::Node;
using codegen::Operand;

Value Interpreter::AttributeValue(const AttributeDecl& declaration, const NodePtr& node) {
  const auto is_name = [&](const std::string& text) {
    return std::find(declaration.enum_names.begin(), declaration.enum_names.end(), text) !=
           declaration.enum_names.end();
  };
  if (declaration.kind == "enum" && node->kind == Node::kName && is_name(node->text) &&
      Find(node->text) == nullptr)
    return Value::Text(node->text);
  if (declaration.kind == "enum" && node->kind == Node::kTernary)
    return AttributeValue(declaration, node->children[Guard(node->children[0]) ? 1 : 2]);
  Value value = Evaluate(node);
  if (declaration.kind == "enum" && ok() && (value.kind != Value::kText || !is_name(value.text)))
    return Unsupported(absl::StrCat("the value of `", declaration.name, "`"));
  if (declaration.kind == "bool" && ok()) return Truth(Decide(value));
  return value;
}

Value Interpreter::OpCall(const Node& node, const Op& op) {
  std::vector<Value> operands;
  const auto add = [&](const Value& value) {
    if (value.kind == Value::kList && !value.results) {
      operands.insert(operands.end(), value.items.begin(), value.items.end());
    } else {
      operands.push_back(Value::Of(AsTensor(value)));
    }
  };
  for (const NodePtr& child : node.children)
    add(Evaluate(child->kind == Node::kSpread ? child->children[0] : child));
  Given attributes;
  for (const auto& [name, value] : node.named) {
    for (const AttributeDecl& declaration : op.attributes) {
      if (declaration.name == name) attributes[name] = AttributeValue(declaration, value);
    }
  }
  std::vector<Value> results;
  for (TensorPtr& tensor : Build(op, std::move(operands), std::move(attributes)))
    results.push_back(Value::Of(std::move(tensor)));
  Value list = Value::List(std::move(results));
  list.results = true;
  return list;
}

std::vector<TensorPtr> Interpreter::Build(const Op& op, std::vector<Value> operands,
                                          Given attributes) {
  if (!ok()) return {nullptr};
  std::vector<Scope> outer = std::move(scopes_);
  scopes_.assign(1, {});
  const bool importing = std::exchange(importing_, false);
  building_.push_back(&op);
  BindOperands(op, operands);
  BindAttributes(op, attributes, true);
  Derive(op);
  std::vector<TensorPtr> results;
  if (ok() && op.builder) {
    // Those of the body are built where the builder is.
    for (const ClauseItem& item : op.body_lets) {
      if (!ok()) break;
      Bind(item.name,
           item.binders.empty() ? Evaluate(item.value) : Comprehension(item.binders, item.value));
    }
    if (ok()) results = TermsOf(op.body);
  } else if (ok()) {
    results = Results(op, operands);
  }
  building_.pop_back();
  importing_ = importing;
  scopes_ = std::move(outer);
  if (results.empty()) results.push_back(nullptr);
  return results;
}

std::vector<TensorPtr> Interpreter::Create(const std::string& name,
                                           const std::vector<TensorPtr>& operands,
                                           const std::map<std::string, int64_t>& attributes,
                                           const std::map<std::string, std::vector<Dim>>& lists) {
  const Op* const op = Definitions().FindOp(kCore, name);
  if (op == nullptr) {
    Unsupported(absl::StrCat("no op `", name, "`"));
    return {nullptr};
  }
  std::vector<Value> values;
  for (const TensorPtr& operand : operands) values.push_back(Value::Of(operand));
  Given given;
  for (const auto& [attribute, value] : attributes)
    given[attribute] = Value::Int(terms_.Integer(value));
  for (const auto& [attribute, dims] : lists) {
    const auto declaration =
        std::find_if(op->attributes.begin(), op->attributes.end(),
                     [&](const AttributeDecl& each) { return each.name == attribute; });
    std::vector<Value> items;
    for (const Dim dim : dims) items.push_back(Value::Int(dim));
    const bool single =
        declaration != op->attributes.end() && !declaration->list && items.size() == 1;
    given[attribute] = single ? items[0] : Value::List(std::move(items));
  }
  return Build(*op, std::move(values), std::move(given));
}

std::vector<Tensor> Interpreter::Apply(const Op& op, std::vector<Value> operands,
                                       Given attributes) {
  dialect_ = op.dialect;
  building_.push_back(&op);
  BindOperands(op, operands);
  BindAttributes(op, attributes, true);
  Derive(op);
  std::vector<Tensor> results;
  if (ok()) {
    for (const Operand& output : op.outputs) results.push_back(ResultOf(output));
  }
  std::string unread;
  if (ok() && std::all_of(results.begin(), results.end(),
                          [&](const Tensor& tensor) { return IsTracked(tensor); }))
    Reference(op, operands, results, unread);
  for (Tensor& result : results) {
    if (!ok()) break;
    // Sizes beyond 32 bits no tensor of the artifact has, nor a tensor that is computed from them.
    const auto overflows = [&](Dim element) {
      const std::optional<Dim> fits = FitsIn(result.dtype, element);
      return fits && !session_.IsPositive(*fits);
    };
    if (result.dtype != "i32") {
      if (std::any_of(result.elements.begin(), result.elements.end(), overflows)) {
        unread = absl::StrCat("sizes that ", result.dtype, " does not hold");
        result.elements.clear();
      }
      for (const Dim element : result.elements) RequireFits(result.dtype, element);
    }
    result.has_elements = result.has_elements && unread.empty();
    if (!result.has_elements) result.unread = unread;
    for (const Dim dim : result.dims)
      Require("size.result", Value::Int(terms_.Make(Operator::kGe, dim, terms_.Integer(0))));
  }
  building_.pop_back();
  return results;
}

Tensor Interpreter::ResultOf(const Operand& output) {
  Tensor result;
  const Value* type = Find(output.classes[0]);
  result.dtype = type != nullptr && type->kind == Value::kDType ? type->text : output.classes[0];
  if (output.form.kind == Form::kLike) {
    const Value* like = Find(output.form.like);
    if (like != nullptr && like->kind == Value::kTensor) result.dims = like->tensor->dims;
  }
  for (const FormEntry& entry : output.form.dims) {
    Value dim;
    if (entry.expression != nullptr) {
      dim = Evaluate(entry.expression);
    } else if (entry.name.empty()) {
      dim = Value::Int(terms_.Integer(entry.literal));
    } else if (const Value* named = Find(entry.name)) {
      dim = *named;
    }
    if (dim.kind != Value::kList) dim = Value::List({dim});
    for (const Value& item : dim.items) result.dims.push_back(AsDim(item));
  }
  return result;
}

void Interpreter::CompareType(const Op& op, const std::vector<TensorPtr>& operands,
                              Tensor& computed, const Tensor& listed) {
  if (listed.dtype != computed.dtype || listed.dims.size() != computed.dims.size()) {
    Wrong(absl::StrCat("`", op.name, "` yields ", computed.dtype, " of rank ", computed.dims.size(),
                       ", the certificate lists ", listed.dtype, " of rank ", listed.dims.size()));
    return;
  }
  const auto is_of_operand = [&](Dim dim) {
    return std::any_of(operands.begin(), operands.end(), [&](const TensorPtr& tensor) {
      return tensor != nullptr && std::any_of(tensor->dims.begin(), tensor->dims.end(),
                                              [&](Dim d) { return session_.Same(dim, d); });
    });
  };
  for (size_t d = 0; d < computed.dims.size(); ++d) {
    Dim& dim = computed.dims[d];
    // What follows rests on the dims that are listed; that they are those, is due.
    if (dim != listed.dims[d])
      Require("equal.normal", Value::Int(terms_.Make(Operator::kEq, dim, listed.dims[d])), {},
              Requirement::kImplied);
    if (is_of_operand(dim)) {
      Require("size.result", Value::Int(terms_.Make(Operator::kGe, dim, terms_.Integer(0))), {},
              Requirement::kAllowed);
    } else {
      // Of a number, and of one of two sizes that are equal, nothing was stated.
      RequireSize("size.result", dim, Requirement::kImplied);
    }
    dim = listed.dims[d];
  }
}

bool Interpreter::IsTracked(const Tensor& tensor) const {
  const bool is_float = tensor.dtype[0] == 'f' || tensor.dtype == "bf16";
  int64_t count = 1;
  bool empty = false;
  for (const Dim dim : tensor.dims) {
    const std::optional<int64_t> size = terms_.Number(dim);
    if (!size || *size < 0) return false;
    empty = empty || *size == 0;
    count = std::min(count, kMaxTracked + 1) * std::min(*size, kMaxTracked + 1);
  }
  return !is_float && (empty || count <= kMaxTracked);
}

std::vector<TensorPtr> Interpreter::Results(const Op& op, const std::vector<Value>& operands) {
  const certificate::ListedOperation* listed = session_.Next(node_.name);
  if (listed == nullptr || listed->op != op.name) {
    Wrong(absl::StrCat("the definitions build `", op.name, "`, the certificate lists ",
                       listed == nullptr ? "nothing more" : absl::StrCat("`", listed->op, "`")));
    return {};
  }
  std::vector<TensorPtr> given;
  for (const Value& operand : operands) given.push_back(AsTensor(operand));
  while (!given.empty() && given.back() == nullptr) given.pop_back();
  if (std::string wrong = session_.CompareOperands(*listed, given); !wrong.empty()) {
    Wrong(std::move(wrong));
    return {};
  }
  std::vector<Tensor> computed;
  for (const Operand& output : op.outputs) computed.push_back(ResultOf(output));
  if (!ok()) return {};
  if (listed->results.size() != computed.size()) {
    Wrong(absl::StrCat("`", op.name, "` has ", computed.size(), " results, the certificate lists ",
                       listed->results.size()));
    return {};
  }
  std::vector<std::shared_ptr<Tensor>> tensors;
  for (const certificate::ListedTensor& result : listed->results)
    tensors.push_back(session_.Listed(result));
  for (size_t i = 0; ok() && i < computed.size(); ++i)
    CompareType(op, given, computed[i], *tensors[i]);
  if (!ok()) return {};
  std::string unread;
  if (std::all_of(computed.begin(), computed.end(),
                  [&](const Tensor& tensor) { return IsTracked(tensor); }))
    Reference(op, operands, computed, unread);
  for (size_t i = 0; ok() && i < computed.size(); ++i)
    CompareElements(op, computed[i], *tensors[i], unread);
  if (ok()) Number(op, given, {tensors.begin(), tensors.end()});
  if (ok() && computed.size() == 1 && !tensors[0]->has_elements) Pass(op, operands, *tensors[0]);
  const bool integer = computed.size() == 1 && !tensors[0]->has_elements &&
                       (tensors[0]->dtype[0] == 'i' || tensors[0]->dtype[0] == 'u');
  const std::vector<Dim>& dims = tensors[0]->dims;
  const bool iterates = std::any_of(given.begin(), given.end(), [](const TensorPtr& tensor) {
    return tensor != nullptr && !tensor->has_elements && tensor->loose;
  });
  if (ok() && integer && iterates) {
    tensors[0]->extremes = FindExtremes(op, operands, dims);
    tensors[0]->loose = true;
    tensors[0]->unread.clear();
  } else if (ok() && integer &&
             std::any_of(dims.begin(), dims.end(), [&](Dim dim) { return !terms_.Number(dim); })) {
    tensors[0]->progression = Follow(op, operands, dims);
    if (tensors[0]->progression != nullptr)
      tensors[0]->extremes = ExtremesOf(*tensors[0]->progression, dims);
    if (tensors[0]->extremes.empty()) {
      tensors[0]->extremes = FindExtremes(op, operands, dims);
      tensors[0]->loose = true;
    }
  }
  for (const std::shared_ptr<Tensor>& tensor : tensors)
    tensor->source = SourceOfResult(op, given, *tensor);
  return {tensors.begin(), tensors.end()};
}

Tensor::Source Interpreter::SourceOf(const Tensor& tensor) const {
  using Source = Tensor::Source;
  const auto is_number = [&](Dim dim) { return terms_.Number(dim).has_value(); };
  if (tensor.source != Source::kData) return tensor.source;
  if (tensor.has_elements) {
    const bool numbers = std::all_of(tensor.elements.begin(), tensor.elements.end(), is_number);
    return numbers ? Source::kConstants : Source::kSizes;
  }
  if (tensor.has_numbers) return Source::kConstants;
  const bool follows =
      !tensor.through.empty() || !tensor.extremes.empty() || tensor.progression != nullptr;
  return follows ? Source::kSizes : Source::kData;
}

Tensor::Source Interpreter::SourceOfResult(const Op& op, const std::vector<TensorPtr>& operands,
                                           const Tensor& result) const {
  using Source = Tensor::Source;
  bool of_sizes = std::any_of(result.dims.begin(), result.dims.end(),
                              [&](Dim dim) { return !terms_.Number(dim); });
  if (op.effect) return Source::kData;
  for (const TensorPtr& operand : operands) {
    if (operand == nullptr) continue;
    const Source source = SourceOf(*operand);
    if (source == Source::kData) return source;
    of_sizes = of_sizes || source == Source::kSizes;
  }
  return of_sizes ? Source::kSizes : Source::kConstants;
}

// What an operation yields depends on its operands and attributes alone, unless it has an effect.
void Interpreter::Number(const Op& op, const std::vector<TensorPtr>& operands,
                         const std::vector<TensorPtr>& results) {
  if (op.effect) return;
  std::string how = absl::StrCat(op.dialect, ".", op.name, "(");
  for (const TensorPtr& operand : operands) {
    absl::StrAppend(
        &how, operand == nullptr ? "-" : absl::StrCat(session_.equal_numbers().Of(operand)), ",");
  }
  how += ")";
  for (const AttributeDecl& attribute : op.attributes) {
    const Value* const value = Find(attribute.name);
    if (value == nullptr || !AppendValue(*value, how)) return;
  }
  for (const TensorPtr& result : results) absl::StrAppend(&how, result->dtype, ",");
  session_.equal_numbers().Give(how, results);
}

}  // namespace tessera::recheck
