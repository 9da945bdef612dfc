// Elements that all others of a result lie between, where an op moves the elements of its operands
// and computes none.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/checker.h"
#include "ir/op_info.h"
#include "solver/decide.h"

namespace tessera::ir {
namespace {

constexpr size_t kMostExtremes = 256;
constexpr int64_t kMostEntries = 1024;  // of a result at sizes that are tried
constexpr int64_t kLongestRow = 16;     // of which extremes are kept column by column

bool Proves(solver::Context& context, const Expr& proposition) {
  return !proposition.IsInvalid() &&
         solver::Decide(context, proposition).kind == solver::Verdict::kProved;
}

// The columns of rows of known length; 1: of no such rows.
size_t ColumnsOf(absl::Span<const Expr> dims, size_t extremes) {
  const std::optional<int64_t> last =
      dims.empty() ? std::optional<int64_t>() : dims.back().Constant();
  if (!last || *last < 2 || *last > kLongestRow || extremes % static_cast<size_t>(*last) != 0)
    return 1;
  return static_cast<size_t>(*last);
}

// Sizes at which an op is tried: different ones for different symbols.
class Sizes {
 public:
  std::optional<int64_t> Of(const Expr& e) {
    if (const auto number = e.Constant()) return number;
    for (const std::string& name : solver::SymbolsOf(e))
      assignment_.try_emplace(name, 3 + static_cast<int64_t>(assignment_.size()));
    const absl::StatusOr<int64_t> size = solver::Evaluate(e, assignment_);
    return size.ok() ? std::optional(*size) : std::nullopt;
  }
  bool Take(std::vector<Expr>& dims) {
    for (Expr& dim : dims) {
      const std::optional<int64_t> size = Of(dim);
      if (!size || *size < 0) return false;
      dim = Expr(*size);
    }
    return true;
  }
  bool Take(std::vector<Attribute>& attrs) {
    for (Attribute& attr : attrs) {
      if (auto* dims = std::get_if<std::vector<Expr>>(&attr); dims != nullptr && !Take(*dims))
        return false;
      if (auto* dim = std::get_if<Expr>(&attr)) {
        const std::optional<int64_t> size = Of(*dim);
        if (!size) return false;
        *dim = Expr(*size);
      }
    }
    return true;
  }

 private:
  solver::Assignment assignment_;
};

}  // namespace

// Declared in extremes.cc. An op that moves elements and computes none does so at any size: found
// by trying one.
std::vector<Expr> ExtremesOfMoved(const OpInfo& info, absl::Span<const OperandInfo<Expr>> operands,
                                  absl::Span<const Attribute> attrs, const TensorType& type,
                                  solver::Context& context) {
  Sizes sizes;
  solver::Context apart;
  struct Source {
    size_t operand, column;
  };
  absl::flat_hash_map<Expr, Source> sources;
  std::vector<SymbolicTensor> tensors(operands.size());
  std::vector<OperandInfo<Expr>> infos(operands.begin(), operands.end());
  std::vector<const SymbolicTensor*> inputs;
  for (size_t i = 0; i < operands.size(); ++i) {
    const OperandInfo<Expr>& operand = operands[i];
    const OperandSpec* const spec = OperandSpecAt(info, i);
    if (!operand.present || spec == nullptr || !spec->data || operand.extremes.empty() ||
        operand.extremes.size() > kMostExtremes)
      return {};
    // What may be empty has none of its extremes.
    for (const Expr& dim : operand.dims) {
      if (!Proves(context, solver::Ge(dim, 1))) return {};
    }
    SymbolicTensor& tensor = tensors[i];
    tensor.dtype = operand.dtype;
    tensor.dims.assign(operand.dims.begin(), operand.dims.end());
    if (!sizes.Take(tensor.dims)) return {};
    int64_t count = 1;
    for (const Expr& dim : tensor.dims) {
      if (count > kMostEntries) return {};
      count *= *dim.Constant();
    }
    if (count > kMostEntries) return {};
    const size_t columns = ColumnsOf(operand.dims, operand.extremes.size());
    for (int64_t k = 0; k < count; ++k) {
      const auto element = apart.Declare(absl::StrCat("e", i, "_", k), {}, {}, "an element");
      tensor.elements.push_back(*element);
      sources[*element] = {i, static_cast<size_t>(k) % columns};
    }
    tensor.has_elements = true;
    inputs.push_back(&tensor);
    infos[i].dims = tensor.dims;
    infos[i].has_elements = false;
    infos[i].elements = infos[i].extremes = {};
    infos[i].progression = nullptr;
  }
  std::vector<Attribute> taken(attrs.begin(), attrs.end());
  if (!sizes.Take(taken)) return {};
  Checker<Expr> checker(apart);
  std::vector<ResultInfo<Expr>> results;
  if (!info.infer_symbolic({infos, taken}, checker, results).ok() || !checker.status().ok() ||
      results.size() != 1)
    return {};
  SymbolicTensor output{.dtype = type.dtype, .dims = results[0].dims, .has_elements = true};
  int64_t count = 1;
  for (const Expr& dim : output.dims) {
    const std::optional<int64_t> size = dim.Constant();
    if (!size || *size < 1 || count > 64 * kMostEntries) return {};
    count *= *size;
  }
  if (count > 64 * kMostEntries) return {};
  output.elements.resize(static_cast<size_t>(count));
  if (!info.symbolic({&apart, inputs, absl::MakeSpan(&output, 1), taken}).ok() ||
      !output.has_elements)
    return {};
  // Of each column of the result, where it comes from.
  const size_t columns = ColumnsOf(type.dims, 0);
  std::vector<std::map<std::pair<size_t, size_t>, bool>> of_columns(columns);
  absl::flat_hash_map<Expr, bool> seen;
  for (size_t k = 0; k < output.elements.size(); ++k) {
    const auto source = sources.find(output.elements[k]);
    if (source == sources.end()) return {};
    seen[output.elements[k]] = true;
    of_columns[k % columns][{source->second.operand, source->second.column}] = true;
  }
  if (seen.size() != sources.size()) return {};
  std::vector<std::vector<Expr>> lists(columns);
  size_t rows = 0;
  for (size_t j = 0; j < columns; ++j) {
    for (const auto& [source, unused] : of_columns[j]) {
      const OperandInfo<Expr>& operand = operands[source.first];
      const size_t of_operand = ColumnsOf(operand.dims, operand.extremes.size());
      for (size_t k = source.second; k < operand.extremes.size(); k += of_operand)
        lists[j].push_back(operand.extremes[k]);
    }
    rows = std::max(rows, lists[j].size());
  }
  if (rows * columns > kMostExtremes) return {};
  std::vector<Expr> result;
  for (size_t r = 0; r < rows; ++r) {
    for (const std::vector<Expr>& list : lists) result.push_back(list[r % list.size()]);
  }
  return result;
}

}  // namespace tessera::ir
