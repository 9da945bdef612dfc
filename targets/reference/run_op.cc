#include "targets/reference/run_op.h"

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/checker.h"
#include "support/memory_limit.h"

namespace tessera::reference {
namespace {

absl::Status At(const ir::OpInfo& info, const absl::Status& status) {
  return absl::Status(status.code(),
                      absl::StrCat("`", std::string(info.name), "`: ", status.message()));
}

const ir::OperandSpec& SpecOf(const ir::OpInfo& info, size_t operand) {
  return info.operands[operand < info.operands.size() ? operand : info.operands.size() - 1];
}

absl::Status CheckBytes(absl::Span<const ir::ResultInfo<int64_t>> results, int64_t max_bytes) {
  for (const ir::ResultInfo<int64_t>& result : results) {
    const absl::StatusOr<int64_t> count = ir::ElementCount(result.dims, ir::SizeOf(result.dtype));
    if (!count.ok()) return count.status();
    // The product is below 2^40.
    max_bytes -= *count * static_cast<int64_t>(ir::SizeOf(result.dtype));
    if (max_bytes >= 0) continue;
    return absl::ResourceExhaustedError(
        absl::StrCat("result of shape [", absl::StrJoin(result.dims, ","), "], ",
                     *count * static_cast<int64_t>(ir::SizeOf(result.dtype)),
                     " bytes, exceeds the memory that tensors may take"));
  }
  return absl::OkStatus();
}

}  // namespace

int64_t MaxLiveBytes() {
  const int64_t limit = support::MemoryLimitBytes();
  return limit > 0 ? limit : int64_t{1} << 33;
}

absl::StatusOr<std::vector<ir::Tensor>> RunOp(const ir::OpInfo& info,
                                              absl::Span<const ir::Tensor* const> inputs,
                                              absl::Span<const ir::Attribute> attrs,
                                              int64_t max_bytes, bool use_fast) {
  if (info.kernel == nullptr) return At(info, absl::InternalError("no kernel"));
  const support::Doing doing("operation", info.name);
  const bool variadic =
      !info.operands.empty() && info.operands.back().arity == ir::Arity::kVariadic;
  const size_t fixed = info.operands.size() - (variadic ? 1 : 0);
  if (inputs.size() > fixed && !variadic) {
    return At(info, absl::InternalError(absl::StrCat(inputs.size(), " operands, at most ", fixed,
                                                     " are declared")));
  }
  std::vector<const ir::Tensor*> operands(inputs.begin(), inputs.end());
  if (operands.size() < fixed) operands.resize(fixed, nullptr);

  std::vector<ir::OperandInfo<int64_t>> infos(operands.size());
  std::vector<std::vector<int64_t>> elements(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) continue;
    const ir::Tensor& tensor = *operands[i];
    infos[i].present = true;
    infos[i].dtype = tensor.dtype();
    infos[i].dims = tensor.shape();
    if (!SpecOf(info, i).elements || ir::IsFloat(tensor.dtype())) continue;
    elements[i].reserve(static_cast<size_t>(tensor.size()));
    for (int64_t e = 0; e < tensor.size(); ++e) elements[i].push_back(tensor.AsInt(e));
    infos[i].has_elements = true;
    infos[i].elements = elements[i];
  }

  ir::Checker<int64_t> checker;
  std::vector<ir::ResultInfo<int64_t>> results;
  absl::Status status = info.infer({infos, attrs}, checker, results);
  if (status.ok()) status = checker.status();
  if (!status.ok()) return At(info, status);

  if (status = CheckBytes(results, max_bytes); !status.ok()) return At(info, status);
  std::vector<ir::Tensor> outputs;
  outputs.reserve(results.size());
  for (ir::ResultInfo<int64_t>& result : results) {
    absl::StatusOr<ir::Tensor> output = ir::Tensor::Allocate(result.dtype, std::move(result.dims));
    if (!output.ok()) return At(info, output.status());
    outputs.push_back(*std::move(output));
  }
  status = info.kernel({operands, absl::MakeSpan(outputs), attrs, use_fast});
  if (!status.ok()) return At(info, status);
  return outputs;
}

}  // namespace tessera::reference
