#include "tools/verification/sizes.h"

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>

#include "support/random_tensor.h"
#include "targets/reference/bind_symbols.h"

namespace tessera::verification {
namespace {

using solver::Assignment;

constexpr int64_t kMaxElements = int64_t{1} << 20;        // of all inputs
constexpr int64_t kMaxResultElements = int64_t{1} << 23;  // of what any operation yields
constexpr int kDraws = 500;

// Small sizes, even and odd, powers of two and their neighbours: where padding and cropping go
// wrong.
constexpr int64_t kSizes[] = {1,  2,  3,  4,  5,  7,  8,   13,  16,  24,  31,
                              32, 33, 48, 64, 65, 96, 128, 160, 224, 256, 512};

// What the symbol may be, rising: the least size that its facts admit and those of kSizes that they
// do.
std::vector<int64_t> Admissible(const solver::SymbolInfo& symbol) {
  const int64_t stride = std::max<int64_t>(symbol.congruence.stride, 1),
                residue = symbol.congruence.residue;
  const int64_t low = std::max<int64_t>(symbol.range.lo, 0);
  std::set<int64_t> sizes = {low + ((residue - low) % stride + stride) % stride};
  for (const int64_t size : kSizes) {
    if (size >= low) sizes.insert(size + ((residue - size) % stride + stride) % stride);
  }
  while (sizes.size() > 1 && *sizes.rbegin() > symbol.range.hi) sizes.erase(std::prev(sizes.end()));
  return {sizes.begin(), sizes.end()};
}

// At most kMaxResultElements + 1; nothing if a dim is undefined or negative.
std::optional<int64_t> Elements(const ir::TensorType& type, const Assignment& sizes) {
  int64_t elements = 1;
  for (const solver::Expr& dim : type.dims) {
    const absl::StatusOr<int64_t> size = solver::Evaluate(dim, sizes);
    if (!size.ok() || *size < 0) return std::nullopt;
    if (__builtin_mul_overflow(elements, *size, &elements)) elements = kMaxResultElements + 1;
    elements = std::min(elements, kMaxResultElements + 1);
  }
  return elements;
}

// Whether a dim mentions one of `symbols`.
bool Mentions(const ir::TensorType& type, const std::set<std::string>& symbols) {
  return std::any_of(type.dims.begin(), type.dims.end(), [&](const solver::Expr& dim) {
    const std::vector<std::string> named = solver::SymbolsOf(dim);
    return std::any_of(named.begin(), named.end(),
                       [&](const std::string& symbol) { return symbols.contains(symbol); });
  });
}

bool Fits(const ir::Graph& graph, const Assignment& sizes) {
  if (!reference::CheckFacts(graph, sizes).ok() || !reference::CheckObligations(graph, sizes).ok())
    return false;
  int64_t total = 0;
  for (const ir::Value* input : graph.inputs()) {
    const std::optional<int64_t> elements = Elements(input->type(), sizes);
    if (!elements) return false;
    total += *elements;
    if (total > kMaxElements) return false;
  }
  // Attention over the pixels of an image is of the fourth power of its sizes. What data decide is
  // at most what there is to choose from, which is judged where it is made.
  const std::set<std::string> counted = reference::DataSizes(graph);
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) {
      if (Mentions(result->type(), counted)) continue;
      const std::optional<int64_t> elements = Elements(result->type(), sizes);
      if (!elements || *elements > kMaxResultElements) return false;
    }
  }
  return true;
}

}  // namespace

std::vector<Assignment> ChooseSizes(const ir::Graph& graph, size_t count, uint64_t seed) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> choices;
  std::set<std::string> names;
  for (const ir::Value* input : graph.inputs()) {
    for (const solver::Expr& dim : input->type().dims) {
      for (std::string& name : solver::SymbolsOf(dim)) names.insert(std::move(name));
    }
  }
  for (const std::string& name : names) {
    const solver::SymbolInfo* const symbol = graph.context().Find(name);
    // One that the facts determine needs no value.
    if (symbol != nullptr && !symbol->value.has_value())
      choices.emplace_back(name, Admissible(*symbol));
  }
  if (choices.empty()) return {Assignment()};  // static
  std::vector<Assignment> chosen;
  std::mt19937_64 random(seed);
  for (int draw = 0; draw < kDraws && chosen.size() < count; ++draw) {
    Assignment sizes;
    for (const auto& [name, admissible] : choices) {
      sizes[name] = admissible[draw == 0 ? 0 : random() % admissible.size()];
    }
    if (std::find(chosen.begin(), chosen.end(), sizes) == chosen.end() && Fits(graph, sizes)) {
      chosen.push_back(std::move(sizes));
    }
  }
  return chosen;
}

absl::StatusOr<std::vector<ir::Tensor>> RandomInputs(const ir::Graph& graph,
                                                     const Assignment& sizes, uint64_t seed) {
  std::vector<ir::Tensor> inputs;
  for (const ir::Value* input : graph.inputs()) {
    std::vector<int64_t> shape;
    for (const solver::Expr& dim : input->type().dims) {
      const absl::StatusOr<int64_t> size = solver::Evaluate(dim, sizes);
      if (!size.ok()) return size.status();
      shape.push_back(*size);
    }
    absl::StatusOr<ir::Tensor> tensor =
        support::RandomTensor(input->type().dtype, std::move(shape), seed + inputs.size());
    if (!tensor.ok()) return tensor.status();
    inputs.push_back(*std::move(tensor));
  }
  return inputs;
}

}  // namespace tessera::verification
