#include "testing/sampling/instance.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/checker.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "testing/literals.h"

namespace tessera::testing {
namespace {

template <class E>
struct Infos {
  std::vector<ir::OperandInfo<E>> infos;
  std::vector<std::vector<E>> dims, elements;

  explicit Infos(const Instance& instance)
      : infos(instance.operands.size()),
        dims(instance.operands.size()),
        elements(instance.operands.size()) {
    for (size_t i = 0; i < infos.size(); ++i) {
      const Operand& operand = instance.operands[i];
      if (!operand.present) continue;
      const ir::Tensor& tensor = operand.tensor;
      dims[i].assign(tensor.shape().begin(), tensor.shape().end());
      infos[i].present = true;
      infos[i].dtype = tensor.dtype();
      infos[i].dims = dims[i];
      if (ir::IsFloat(tensor.dtype())) continue;
      for (int64_t e = 0; e < tensor.size(); ++e) elements[i].push_back(E(tensor.AsInt(e)));
      infos[i].has_elements = true;
      infos[i].elements = elements[i];
      infos[i].extremes = elements[i];
    }
  }
};

std::string NumberText(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  if (number == std::floor(number) && std::abs(number) < 1e15)
    return absl::StrCat(std::signbit(number) ? "-" : "", static_cast<int64_t>(std::abs(number)));
  char text[40];
  (void)std::snprintf(text, sizeof(text), "%.17g", number);
  return text;
}

std::string ElementsText(const ir::Tensor& tensor, size_t axis, int64_t& at) {
  if (axis == tensor.shape().size()) return NumberText(tensor.AsDouble(at++));
  std::vector<std::string> items;
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i)
    items.push_back(ElementsText(tensor, axis + 1, at));
  return absl::StrCat("[", absl::StrJoin(items, ", "), "]");
}

std::string TensorText(const ir::Tensor& tensor) {
  const std::string dtype(ir::NameOf(tensor.dtype()));
  // Nested lists have no way to say an empty axis before others.
  if (tensor.size() == 0) return absl::StrCat(dtype, "[", absl::StrJoin(tensor.shape(), ", "), "]");
  int64_t at = 0;
  const std::string text = ElementsText(tensor, 0, at);
  return tensor.dtype() == ir::DType::kF32 ? text : absl::StrCat(text, " as ", dtype);
}

// A number as the symbol that a size of as many entries is.
void MakeSymbols(solver::Context& context, ir::Attribute& attribute) {
  const auto make = [&](ir::Expr& value) {
    const std::optional<int64_t> number = value.Constant();
    if (number.value_or(0) >= 1) value = context.Symbol(absl::StrCat("d", *number));
  };
  if (auto* dim = std::get_if<ir::Expr>(&attribute)) make(*dim);
  if (auto* dims = std::get_if<std::vector<ir::Expr>>(&attribute)) {
    for (ir::Expr& dim : *dims) make(dim);
  }
}

}  // namespace

Instance WithWeights(Instance instance) {
  for (size_t i = 0; i < instance.operands.size(); ++i) instance.operands[i].constant = i > 0;
  return instance;
}

std::string OperandText(const Operand& operand) {
  return operand.present ? TensorText(operand.tensor) : "none";
}

std::vector<Subject> SubjectsOf(const std::vector<ops::Signature>& signatures,
                                const std::vector<ops::OpExamples>& examples) {
  std::vector<Subject> subjects;
  if (signatures.size() != examples.size()) std::abort();
  for (size_t i = 0; i < signatures.size(); ++i) {
    const ir::OpInfo* info = ir::Registry::Global().Find(signatures[i].dialect, signatures[i].op);
    if (info == nullptr || signatures[i].op != examples[i].op) std::abort();
    subjects.push_back({info, &signatures[i], &examples[i]});
  }
  return subjects;
}

const ops::OperandSignature& SignatureAt(const Subject& subject, size_t index) {
  const auto& operands = subject.signature->operands;
  return operands[std::min(index, operands.size() - 1)];
}

bool NeedsElements(const Subject& subject, size_t index) {
  return subject.info->operands[std::min(index, subject.info->operands.size() - 1)].elements;
}

absl::Status Infer(const Subject& subject, const Instance& instance,
                   std::vector<ir::ResultInfo<int64_t>>& results) {
  const Infos<int64_t> infos(instance);
  ir::Checker<int64_t> checker;
  const absl::Status status = subject.info->infer({infos.infos, instance.attrs}, checker, results);
  return status.ok() ? checker.status() : status;
}

absl::StatusOr<Instance> InstanceOf(const Subject& subject, const ops::Example& example,
                                    uint64_t seed) {
  Instance instance;
  for (const ops::Literal& literal : example.operands) {
    Operand& operand = instance.operands.emplace_back();
    operand.present = literal.present;
    if (!literal.present) continue;
    absl::StatusOr<ir::Tensor> tensor = TensorOf(literal, ++seed);
    if (!tensor.ok()) return tensor.status();
    operand.tensor = *std::move(tensor);
  }
  instance.attrs = example.attrs;
  const Infos<ir::Expr> infos(instance);
  const absl::Status status = subject.info->complete(infos.infos, instance.attrs);
  if (!status.ok()) return status;
  return instance;
}

std::string ExampleText(const Subject& subject, const Instance& instance) {
  std::vector<std::string> items;
  const ir::OpInfo& info = *subject.info;
  for (size_t i = 0; i < info.operands.size(); ++i) {
    std::string text;
    if (info.operands[i].arity == ir::Arity::kVariadic) {
      std::vector<std::string> each;
      for (size_t k = i; k < instance.operands.size(); ++k)
        each.push_back(OperandText(instance.operands[k]));
      text = absl::StrCat("[", absl::StrJoin(each, ", "), "]");
    } else if (i < instance.operands.size() && instance.operands[i].present) {
      text = OperandText(instance.operands[i]);
    } else {
      continue;
    }
    items.push_back(absl::StrCat(std::string(info.operands[i].name), " = ", text));
  }
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    items.push_back(absl::StrCat(std::string(info.attrs[i].name), " = ",
                                 ir::ToString(instance.attrs[i], info.attrs[i])));
  }
  return absl::StrCat("example { ", absl::StrJoin(items, "  "), " }");
}

absl::Status BuildNetwork(const Subject& subject, const Instance& instance, Constants constants,
                          Sizes sizes, Network& network) {
  ir::Rewriter rewriter(network.graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(subject.signature->op));
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    const Operand& operand = instance.operands[i];
    if (!operand.present) {
      operands.push_back(nullptr);
      continue;
    }
    // What inference needs to know must be known.
    if (constants == Constants::kAll || NeedsElements(subject, i) ||
        (constants == Constants::kChosen && operand.constant)) {
      operands.push_back(rewriter.CreateConstant(operand.tensor));
      continue;
    }
    std::vector<ir::Expr> dims;
    for (const int64_t size : operand.tensor.shape()) {
      dims.push_back(sizes == Sizes::kKnown || size < 2
                         ? ir::Expr(size)
                         : network.graph.context().Symbol(absl::StrCat("d", size)));
    }
    const absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {operand.tensor.dtype(), std::move(dims)});
    if (!input.ok()) return input.status();
    operands.push_back(*input);
    network.inputs.push_back(operand.tensor);
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<ir::Attribute> values = instance.attrs;
  if (sizes == Sizes::kAllSymbols) {
    for (ir::Attribute& value : values) MakeSymbols(network.graph.context(), value);
  }
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < values.size(); ++i)
    attrs.emplace_back(subject.info->attrs[i].name, values[i]);
  const std::vector<ir::Value*> results =
      builder.Create(subject.info->dialect, subject.info->name, operands, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

}  // namespace tessera::testing
