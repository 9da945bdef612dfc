#include "targets/circle/emission/emit.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/data_size.h"
#include "ir/loops.h"
#include "ir/scan.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/emit_graph.h"
#include "targets/circle/emission/emit_loops.h"
#include "targets/size_facts.h"

namespace tessera::circle {
namespace {

// Also for attributes that name element types: a result has each.
absl::Status CheckTypes(const ir::Graph& graph) {
  const auto check = [](const ir::Value& value, const std::string& where) {
    const ir::DType dtype = value.type().dtype;
    if (value.kind() != ir::Value::Kind::kTensor || TypeOf(dtype).has_value())
      return absl::OkStatus();
    return absl::UnimplementedError(
        absl::StrCat(where, ": the format has no tensor of element type `",
                     std::string(ir::NameOf(dtype)), "` that this target writes"));
  };
  for (const ir::Value* input : graph.inputs()) {
    if (absl::Status status = check(*input, absl::StrCat("input `", input->name(), "`"));
        !status.ok())
      return status;
  }
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) {
      if (absl::Status status = check(*result, op->location().ToString()); !status.ok())
        return status;
    }
  }
  return absl::OkStatus();
}

// Such a size would have a value at each position.
absl::Status NoSizesInLoops(const ir::LoopNest& nest) {
  for (const ir::Loop& loop : nest.loops) {
    for (const ir::Operation* op : loop.steps) {
      if (!ir::IsDataSize(*op)) continue;
      return absl::UnimplementedError(absl::StrCat(
          "at `", op->location().ToString(), "`: data decide a size in a loop, at `",
          loop.begin->location().ToString(), "`; where `--dim` says one length, of up to ",
          ir::kMostUnrolled, ", there is no loop"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<FileModel> Emit(const ir::Graph& graph,
                               const std::map<std::string, std::string>& configuration,
                               MayBranch may_branch) {
  if (absl::Status status = CheckTypes(graph); !status.ok()) return status;
  const absl::StatusOr<ir::LoopNest> nest = ir::FindLoops(graph);
  if (!nest.ok()) return nest.status();
  if (absl::Status status = NoSizesInLoops(*nest); !status.ok()) return status;
  FileModel model;
  model.description = "tessera";
  GraphEmitter main("main");
  main.Expect(graph.inputs().size() + graph.operation_count(), graph.operation_count());
  FileSignature signature{"serving_default", {}, {}};
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    main.Reserve(graph.outputs()[i], graph.output_names()[i]);
  for (const ir::Value* input : graph.inputs()) main.Reserve(input, input->name());
  for (const ir::Value* input : graph.inputs()) {
    main.graph().inputs.push_back(main.Add(*input, input->name()));
    signature.inputs.emplace_back(input->name(), main.graph().inputs.back());
  }
  LoopEmitter loops(*nest, model.graphs, std::move(may_branch));
  const std::vector<const ir::Value*> needed(graph.outputs().begin(), graph.outputs().end());
  if (absl::Status status = loops.AppendSteps(nest->steps, needed, main); !status.ok())
    return status;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const absl::StatusOr<int32_t> tensor = main.Read(*graph.outputs()[i], graph.output_names()[i]);
    if (!tensor.ok()) return tensor.status();
    main.graph().outputs.push_back(*tensor);
    signature.outputs.emplace_back(graph.output_names()[i], *tensor);
  }
  const std::vector<targets::CountedSize> counted = main.counted();
  model.main() = std::move(main).Take();
  model.signatures.push_back(std::move(signature));
  model.metadata[targets::kSizeFactsName] = targets::SizeFactsOf(graph, configuration, counted);
  return model;
}

}  // namespace tessera::circle
