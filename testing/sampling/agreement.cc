#include "testing/sampling/agreement.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/checker.h"
#include "ir/inference.h"
#include "ir/text.h"
#include "passes/fold.h"
#include "targets/reference/executor.h"
#include "targets/reference/run_op.h"
#include "testing/literals.h"
#include "testing/sampling/pins.h"

namespace tessera::testing {
namespace {

using Results = std::vector<ir::Tensor>;

std::string Compare(const Results& actual, const Results& expected, double slack,
                    const std::string& what) {
  const std::string difference = Difference(
      actual, expected, [&](size_t i) { return slack * ToleranceOf(expected[i].dtype()); });
  return difference.empty() ? "" : absl::StrCat(what, ", ", difference);
}

absl::StatusOr<Results> Run(const Subject& subject, const Instance& instance, bool fast) {
  std::vector<const ir::Tensor*> inputs;
  for (const Operand& operand : instance.operands)
    inputs.push_back(operand.present ? &operand.tensor : nullptr);
  return reference::RunOp(*subject.info, inputs, instance.attrs, reference::MaxLiveBytes(), fast);
}

std::string CheckFast(const Subject& subject, const Instance& instance, const Results& expected,
                      Seen& seen) {
  if (!subject.info->fast) return "";
  const absl::StatusOr<Results> fast = Run(subject, instance, true);
  if (!fast.ok()) return absl::StrCat("fast: ", std::string(fast.status().message()));
  ++seen["fast"];
  return Compare(*fast, expected, 1, "fast");
}

// The same of the operands in the other places, where the definition says so.
std::string CheckCommuting(const Subject& subject, const Instance& instance,
                           const Results& expected) {
  if (!subject.signature->commutes) return "";
  Instance swapped = instance;
  std::swap(swapped.operands[0], swapped.operands[1]);
  const absl::StatusOr<Results> actual = Run(subject, swapped, false);
  if (!actual.ok()) return absl::StrCat("commuted: ", std::string(actual.status().message()));
  return Compare(*actual, expected, 0, "commuted");
}

std::string CheckText(const ir::Graph& graph) {
  const std::string text = ir::Print(graph, {.inline_elements = 1 << 20});
  const absl::StatusOr<std::unique_ptr<ir::Graph>> parsed = ir::Parse(text);
  if (!parsed.ok())
    return absl::StrCat("text: ", std::string(parsed.status().message()), "\n", text);
  const std::string again = ir::Print(**parsed, {.inline_elements = 1 << 20});
  return again == text ? "" : absl::StrCat("text: reads back as\n", again, "and was\n", text);
}

std::string CheckFolding(const Subject& subject, const Instance& instance,
                         const Results& expected) {
  Network network;
  const absl::Status built =
      BuildNetwork(subject, instance, Constants::kAll, Sizes::kKnown, network);
  if (!built.ok()) return absl::StrCat("on constants: ", std::string(built.message()));
  passes::PassContext context;
  const auto folded = passes::FoldConstants(network.graph, context);
  if (!folded.ok()) return absl::StrCat("folding: ", std::string(folded.status().message()));
  Results results;
  for (size_t i = 0; i < expected.size(); ++i) {
    const ir::Tensor* constant = network.graph.outputs()[i]->constant();
    if (constant == nullptr) return absl::StrCat("folding: result ", i, " is no constant");
    results.push_back(*constant);
  }
  return Compare(results, expected, 0, "folding");
}

// Small integers.
bool IsTracked(const ir::Tensor& tensor) {
  constexpr double kLargest = 1 << 10;
  if (ir::IsFloat(tensor.dtype()) || tensor.size() > ir::kMaxTrackedElements) return false;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const double value = tensor.AsDouble(i);
    if (value > kLargest || value < -kLargest) return false;
  }
  return true;
}

// Elements as inference knows them, some of the operands' being symbols: those of the kernel.
// `symbols`: in all operands, or in the first alone, where others have to be numbers.
std::string CheckElements(const Subject& subject, const Instance& instance, const Results& expected,
                          bool symbols, Seen& seen) {
  solver::Context context;
  solver::Assignment assignment;
  std::vector<ir::OperandInfo<ir::Expr>> infos(instance.operands.size());
  std::vector<std::vector<ir::Expr>> dims(infos.size()), elements(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    const Operand& operand = instance.operands[i];
    if (!operand.present) continue;
    dims[i].assign(operand.tensor.shape().begin(), operand.tensor.shape().end());
    infos[i] = {true, operand.tensor.dtype(), dims[i], false, {}};
    if (!ir::OperandSpecAt(*subject.info, i)->data && !NeedsElements(subject, i)) continue;
    if (!IsTracked(operand.tensor)) return "";
    const bool truth = operand.tensor.dtype() == ir::DType::kBool;
    for (int64_t e = 0; e < operand.tensor.size(); ++e) {
      const int64_t value = operand.tensor.AsInt(e);
      if (e % 2 == 1 || NeedsElements(subject, i) || (i > 0 && !symbols)) {
        elements[i].push_back(ir::Expr(value));
        continue;
      }
      const std::string name = absl::StrCat("e", i, "_", e);
      const auto symbol = context.Declare(
          name, truth ? solver::Range{0, 1} : solver::Range{value, value + 1}, {}, "element");
      if (!symbol.ok()) return std::string(symbol.status().message());
      assignment[name] = value;
      elements[i].push_back(*symbol);
    }
    infos[i].has_elements = true;
    infos[i].elements = elements[i];
    infos[i].extremes = elements[i];
  }
  const absl::StatusOr<ir::Inferred> inferred =
      ir::Infer(*subject.info, infos, instance.attrs, context, nullptr);
  if (!inferred.ok()) {
    // Another value of a symbol may be one that the definition refuses; these are not.
    for (size_t i = 0; i < infos.size(); ++i) {
      for (ir::Expr& element : elements[i]) {
        const absl::StatusOr<int64_t> value = solver::Evaluate(element, assignment);
        if (value.ok()) element = ir::Expr(*value);
      }
      infos[i].elements = elements[i];
      infos[i].extremes = elements[i];
    }
    const auto known = ir::Infer(*subject.info, infos, instance.attrs, context, nullptr);
    if (!known.ok()) return absl::StrCat("symbolic: ", std::string(known.status().message()));
    ++seen["elements that it rests on"];
    return "";
  }
  for (size_t i = 0; i < inferred->elements.size(); ++i) {
    if (inferred->elements[i] == nullptr) continue;
    for (size_t e = 0; e < inferred->elements[i]->size(); ++e) {
      const ir::Expr& element = (*inferred->elements[i])[e];
      const absl::StatusOr<int64_t> value = solver::Evaluate(element, assignment);
      const int64_t number = expected[i].AsInt(static_cast<int64_t>(e));
      if (!value.ok() || *value != number) {
        return absl::StrCat("symbolic: element ", e, " of result ", i, " is ", element.ToString(),
                            value.ok() ? absl::StrCat(" = ", *value) : "", ", expected ", number);
      }
      ++seen["symbolic elements"];
    }
  }
  return "";
}

// Shapes with one symbol for each size, evaluated: those of the concrete domain.
std::string CheckShapes(const Subject& subject, const Instance& instance, const Results& expected,
                        Seen& seen) {
  solver::Context context;
  solver::Assignment assignment;
  std::vector<ir::OperandInfo<ir::Expr>> infos(instance.operands.size());
  std::vector<std::vector<ir::Expr>> dims(infos.size()), elements(infos.size());
  for (size_t i = 0; i < infos.size(); ++i) {
    const Operand& operand = instance.operands[i];
    if (!operand.present) continue;
    for (const int64_t size : operand.tensor.shape()) {
      const std::string name = absl::StrCat("d", size);
      dims[i].push_back(size < 2 ? ir::Expr(size) : context.Symbol(name));
      if (size > 1) assignment[name] = size;
    }
    infos[i] = {true, operand.tensor.dtype(), dims[i], false, {}};
    if (ir::IsFloat(operand.tensor.dtype())) continue;
    for (int64_t e = 0; e < operand.tensor.size(); ++e)
      elements[i].push_back(ir::Expr(operand.tensor.AsInt(e)));
    infos[i].has_elements = true;
    infos[i].elements = elements[i];
    infos[i].extremes = elements[i];
  }
  ir::Checker<ir::Expr> checker(context);
  std::vector<ir::ResultInfo<ir::Expr>> results;
  absl::Status status = subject.info->infer_symbolic({infos, instance.attrs}, checker, results);
  if (status.ok()) status = checker.status();
  // It may rest on the very sizes that it has: then the general statement is rightly refuted.
  if (!status.ok()) {
    ++seen["sizes that it rests on"];
    return "";
  }
  ++seen["symbolic sizes"];
  for (const ir::Obligation& obligation : checker.open()) {
    const absl::StatusOr<int64_t> holds = solver::Evaluate(obligation.predicate, assignment);
    if (!holds.ok() || *holds != 1) {
      return absl::StrCat("symbolic: ", obligation.constraint, " is ",
                          obligation.predicate.ToString(), ", which does not hold");
    }
  }
  if (results.size() != expected.size()) return "symbolic: another number of results";
  for (size_t r = 0; r < results.size(); ++r) {
    std::vector<int64_t> shape;
    for (const ir::Expr& dim : results[r].dims) {
      const absl::StatusOr<int64_t> size = solver::Evaluate(dim, assignment);
      if (!size.ok())
        return absl::StrCat("symbolic: ", dim.ToString(), ": ",
                            std::string(size.status().message()));
      shape.push_back(*size);
    }
    if (shape != expected[r].shape() || results[r].dtype != expected[r].dtype()) {
      return absl::StrCat("symbolic: result ", r, " has shape [", absl::StrJoin(shape, ", "),
                          "], expected [", absl::StrJoin(expected[r].shape(), ", "), "]");
    }
  }
  return "";
}

}  // namespace

double ToleranceOf(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kF16:
      return 2e-3;
    case ir::DType::kBF16:
      return 2e-2;
    case ir::DType::kF32:
      return 1e-6;
    default:
      return 1e-12;
  }
}

std::string CheckAgreement(const Subject& subject, const Instance& instance, Seen& seen) {
  Network network;
  const absl::Status built =
      BuildNetwork(subject, instance, Constants::kChosen, Sizes::kKnown, network);
  if (!built.ok()) return absl::StrCat("as a graph: ", std::string(built.message()));
  if (const absl::Status verified = ir::Verify(network.graph); !verified.ok())
    return absl::StrCat("as a graph: ", std::string(verified.message()));
  absl::StatusOr<reference::Executor> executor = reference::Executor::Create(network.graph);
  if (!executor.ok()) return absl::StrCat("executor: ", std::string(executor.status().message()));
  const absl::StatusOr<Results> executed = executor->Run(network.inputs);
  if (!executed.ok()) return absl::StrCat("executor: ", std::string(executed.status().message()));
  int& values = seen["values"];
  values = Pinned(*executed, values);
  std::string problem = CheckText(network.graph);
  if (!problem.empty() || subject.info->kernel == nullptr) return problem;
  const absl::StatusOr<Results> expected = Run(subject, instance, false);
  if (!expected.ok()) return absl::StrCat("ref: ", std::string(expected.status().message()));
  if (problem = Compare(*executed, *expected, 1, "executor"); !problem.empty()) return problem;
  if (problem = CheckCommuting(subject, instance, *expected); !problem.empty()) return problem;
  if (problem = CheckFast(subject, instance, *expected, seen); !problem.empty()) return problem;
  if (problem = CheckFolding(subject, instance, *executed); !problem.empty()) return problem;
  for (const bool symbols : {true, false}) {
    if (subject.info->symbolic == nullptr) break;
    problem = CheckElements(subject, instance, *expected, symbols, seen);
    if (!problem.empty()) return problem;
  }
  return CheckShapes(subject, instance, *expected, seen);
}

}  // namespace tessera::testing
