// Scans: over the entries of axes, and in version 8 over the rows of a batch.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recheck/loop_operations.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

using onnx::GraphProto;

constexpr int64_t kMaxIterations = 1 << 16;

std::vector<int64_t> Ints(const NodeContext& context, const char* name, size_t count) {
  const auto it = context.attributes.find(name);
  if (it == context.attributes.end()) return std::vector<int64_t>(count, 0);
  std::vector<int64_t> ints(it->second->ints().begin(), it->second->ints().end());
  ints.resize(count, 0);
  return ints;
}

}  // namespace

ModelReader::Results ModelReader::Scan(const NodeContext& context, Scope& scope,
                                       const Surroundings& around) {
  NodeContext read = context;
  // Version 8 has a batch axis in front of everything, and lengths of its rows as first input.
  const bool batched = context.opset < 9;
  if (batched && !read.inputs.empty()) {
    if (read.inputs[0] != nullptr) return Unfit(context, "a Scan whose rows differ in length");
    read.inputs.erase(read.inputs.begin());
  }
  const auto scanned = static_cast<size_t>(context.attributes.at("num_scan_inputs")->i());
  const bool complete = std::none_of(read.inputs.begin(), read.inputs.end(),
                                     [](const TensorPtr& input) { return input == nullptr; });
  if (scanned < 1 || scanned > read.inputs.size() || !complete)
    return Unfit(context, "a Scan that lacks inputs");
  const size_t states = read.inputs.size() - scanned;
  const size_t collected =
      static_cast<size_t>(std::max<int64_t>(context.outputs - static_cast<int64_t>(states), 0));
  ScanAxes axes;
  axes.input = Ints(context, "scan_input_axes", scanned);
  axes.backwards = Ints(context, batched ? "directions" : "scan_input_directions", scanned);
  axes.output = Ints(context, "scan_output_axes", collected);
  axes.reversed = Ints(context, "scan_output_directions", collected);
  for (size_t k = 0; k < scanned; ++k) {
    const auto rank =
        static_cast<int64_t>(read.inputs[states + k]->dims.size()) - (batched ? 1 : 0);
    if (axes.input[k] < 0) axes.input[k] += rank;
    if (axes.input[k] < 0 || axes.input[k] >= rank)
      return Unfit(context, "a Scan along an axis that is none");
  }
  if (!batched) return RunScan(read, axes, context.name + "/", scope, around);
  const std::optional<int64_t> batch = read.inputs[0]->dims.empty()
                                           ? std::nullopt
                                           : session_.terms().Number(read.inputs[0]->dims[0]);
  if (!batch || *batch < 1 || *batch > kMaxIterations)
    return Unfit(context, "a Scan over a batch that is no number");
  std::vector<Tensors> rows(states + collected);
  for (int64_t n = 0; n < *batch; ++n) {
    NodeContext row = read;
    for (TensorPtr& input : row.inputs) {
      input = Build(context, "ScanEntry", {input}, {{"axis", 0}, {"position", n}});
      if (input == nullptr) return std::nullopt;
    }
    const Results results =
        RunScan(row, axes, absl::StrCat(context.name, "/", n, "/"), scope, around);
    if (!results) return std::nullopt;
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back((*results)[k]);
  }
  Tensors all;
  for (const Tensors& entries : rows) {
    all.push_back(Stack(context, entries, 0));
    if (all.back() == nullptr) return std::nullopt;
  }
  return all;
}

ModelReader::Results ModelReader::RunScan(const NodeContext& context, const ScanAxes& axes,
                                          const std::string& prefix, Scope& scope,
                                          const Surroundings& around) {
  if (LoopOperations(session_, context.name).IsListed())
    return KeptScan(context, axes, prefix, scope, around);
  const GraphProto& body = context.attributes.at("body")->g();
  const size_t scanned = axes.input.size(), collected = axes.output.size();
  const size_t states = context.inputs.size() - scanned;
  std::optional<int64_t> length;
  for (size_t k = 0; k < scanned; ++k)
    length = session_.terms().Number(
        context.inputs[states + k]->dims[static_cast<size_t>(axes.input[k])]);
  if (!length || *length > kMaxIterations)
    return Unfit(context, "a Scan of which the length is no number");
  Tensors state(context.inputs.begin(),
                context.inputs.begin() + static_cast<std::ptrdiff_t>(states));
  std::vector<Tensors> entries(collected);
  for (int64_t i = 0; i < *length; ++i) {
    Tensors arguments = state;
    for (size_t k = 0; k < scanned; ++k) {
      const int64_t at = axes.backwards[k] != 0 ? *length - 1 - i : i;
      arguments.push_back(Build(context, "ScanEntry", {context.inputs[states + k]},
                                {{"axis", axes.input[k]}, {"position", at}}));
      if (arguments.back() == nullptr) return std::nullopt;
    }
    const Results results =
        Subgraph(context, body, arguments, absl::StrCat(prefix, i, "/"), scope, around);
    if (!results) return std::nullopt;
    if (results->size() != states + collected)
      return Unfit(context, "a Scan whose body yields less than it has outputs");
    state.assign(results->begin(), results->begin() + static_cast<std::ptrdiff_t>(states));
    for (size_t k = 0; k < collected; ++k) entries[k].push_back((*results)[states + k]);
  }
  for (size_t k = 0; k < collected; ++k) {
    if (axes.reversed[k] != 0) std::reverse(entries[k].begin(), entries[k].end());
    const int64_t rank =
        entries[k].empty() ? 0 : static_cast<int64_t>(entries[k][0]->dims.size()) + 1;
    const int64_t axis = axes.output[k];
    state.push_back(entries[k].empty() ? Nothing(context, states + k)
                                       : Stack(context, entries[k], axis < 0 ? axis + rank : axis));
    if (state.back() == nullptr) return std::nullopt;
  }
  return state;
}

}  // namespace tessera::recheck
