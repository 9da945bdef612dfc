#include "nests/equal.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/attribute.h"
#include "nests/library.h"
#include "nests/walk.h"

namespace tessera::nests {
namespace {

absl::StatusOr<int64_t> CountOf(const ir::Value& value) {
  int64_t count = 1;
  for (const Expr& dim : value.type().dims) {
    if (!dim.IsConstant())
      return absl::InvalidArgumentError(
          absl::StrCat("`", value.type().ToString(), "` is not of one size"));
    count *= *dim.Constant();
  }
  return count;
}

class Evaluator {
 public:
  Evaluator(ir::Graph& graph, Terms& terms, size_t limit)
      : graph_(graph), terms_(terms), limit_(limit) {}

  absl::StatusOr<std::vector<OutputTerms>> Run() {
    for (size_t i = 0; i < graph_.inputs().size(); ++i) {
      const ir::Value* input = graph_.inputs()[i];
      const absl::StatusOr<int64_t> count = CountOf(*input);
      if (!count.ok()) return count.status();
      OutputTerms& elements = values_[input];
      for (int64_t e = 0; e < *count; ++e)
        elements.push_back(terms_.Input(static_cast<int64_t>(i), e, input->type().dtype));
    }
    for (const ir::Operation* op : graph_.TopologicalOrder()) {
      if (absl::Status status = Visit(*op); !status.ok()) return status;
      if (terms_.size() > limit_)
        return absl::ResourceExhaustedError(absl::StrCat("more than ", limit_, " terms"));
    }
    std::vector<OutputTerms> outputs;
    for (const ir::Value* output : graph_.outputs()) outputs.push_back(values_.at(output));
    return outputs;
  }

 private:
  absl::Status Visit(const ir::Operation& op) {
    bool constants = !op.results().empty();
    for (const ir::Value* result : op.results()) constants = constants && result->constant();
    if (constants) {
      for (const ir::Value* result : op.results()) {
        const ir::Tensor& tensor = *result->constant();
        OutputTerms& elements = values_[result];
        for (int64_t e = 0; e < tensor.size(); ++e)
          elements.push_back(terms_.Literal(ElementOf(tensor, e, NumberOf(tensor.dtype()))));
      }
      return absl::OkStatus();
    }
    absl::StatusOr<Computation> computation = ComputationOf(op, graph_.context());
    if (absl::IsUnimplemented(computation.status())) return Unknown(op);
    if (!computation.ok()) return computation.status();
    std::vector<OutputTerms> operands(computation->operands.size());
    for (size_t i = 0; i < operands.size(); ++i) {
      const ir::Value* operand = op.operand(i);
      if (operand == nullptr) continue;
      for (const Terms::Element element : values_.at(operand))
        operands[i].push_back(terms_.Convert(computation->operands[i].number, element));
    }
    Walker<Terms> walker(*computation, terms_, {});
    std::vector<OutputTerms> results;
    const absl::Status status = walker.Run(std::move(operands), results);
    if (absl::IsFailedPrecondition(status)) return Unknown(op);
    if (!status.ok()) return status;
    for (size_t i = 0; i < results.size(); ++i) values_[op.results()[i]] = std::move(results[i]);
    return absl::OkStatus();
  }

  // Of an op without nests, or one that reads where its data say.
  absl::Status Unknown(const ir::Operation& op) {
    std::string name(op.info().name);
    for (size_t i = 0; i < op.attrs().size(); ++i)
      absl::StrAppend(&name, " ", ir::ToString(op.attr(i), op.info().attrs[i]));
    OutputTerms args;
    for (const ir::Value* operand : op.operands()) {
      if (operand == nullptr) {
        absl::StrAppend(&name, " -");
        continue;
      }
      absl::StrAppend(&name, " ", operand->type().ToString());
      const OutputTerms& elements = values_.at(operand);
      args.insert(args.end(), elements.begin(), elements.end());
    }
    // One term for all arguments, so that its elements are small.
    const Terms::Element all = terms_.Opaque(name, Number::kI64, args);
    for (size_t r = 0; r < op.results().size(); ++r) {
      const ir::Value* result = op.results()[r];
      const absl::StatusOr<int64_t> count = CountOf(*result);
      if (!count.ok()) return count.status();
      for (int64_t e = 0; e < *count; ++e)
        values_[result].push_back(terms_.Opaque(absl::StrCat("result ", r, " at ", e),
                                                NumberOf(result->type().dtype), {all}));
    }
    return absl::OkStatus();
  }

  ir::Graph& graph_;
  Terms& terms_;
  size_t limit_;
  std::map<const ir::Value*, OutputTerms> values_;
};

}  // namespace

absl::StatusOr<std::vector<OutputTerms>> TermsOf(ir::Graph& graph, Terms& terms, size_t limit) {
  return Evaluator(graph, terms, limit).Run();
}

std::string FirstDifference(const std::vector<OutputTerms>& a, const std::vector<OutputTerms>& b,
                            const Terms& terms) {
  if (a.size() != b.size()) return absl::StrCat(a.size(), " outputs and ", b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size())
      return absl::StrCat("output ", i, " has ", a[i].size(), " and ", b[i].size(), " elements");
    for (size_t e = 0; e < a[i].size(); ++e) {
      if (a[i][e] != b[i][e])
        return absl::StrCat("element ", e, " of output ", i, " is ", terms.Text(a[i][e]), " and ",
                            terms.Text(b[i][e]));
    }
  }
  return "";
}

}  // namespace tessera::nests
