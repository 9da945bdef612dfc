#include "targets/circle/emission/emit.h"

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "ir/loops.h"
#include "targets/circle/emission/emit_graph.h"
#include "targets/circle/emission/emit_loops.h"
#include "targets/size_facts.h"

namespace tessera::circle {

absl::StatusOr<FileModel> Emit(const ir::Graph& graph,
                               const std::map<std::string, std::string>& configuration) {
  const absl::StatusOr<ir::LoopNest> nest = ir::FindLoops(graph);
  if (!nest.ok()) return nest.status();
  FileModel model;
  model.description = "tessera";
  GraphEmitter main("main");
  FileSignature signature{"serving_default", {}, {}};
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    main.Reserve(graph.outputs()[i], graph.output_names()[i]);
  for (const ir::Value* input : graph.inputs()) main.Reserve(input, input->name());
  for (const ir::Value* input : graph.inputs()) {
    main.graph().inputs.push_back(main.Add(*input, input->name()));
    signature.inputs.emplace_back(input->name(), main.graph().inputs.back());
  }
  LoopEmitter loops(*nest, model.graphs);
  if (absl::Status status = loops.AppendSteps(nest->steps, main); !status.ok()) return status;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const absl::StatusOr<int32_t> tensor = main.Read(*graph.outputs()[i], graph.output_names()[i]);
    if (!tensor.ok()) return tensor.status();
    main.graph().outputs.push_back(*tensor);
    signature.outputs.emplace_back(graph.output_names()[i], *tensor);
  }
  model.main() = std::move(main).Take();
  model.signatures.push_back(std::move(signature));
  model.metadata[targets::kSizeFactsName] = targets::SizeFactsOf(graph, configuration);
  return model;
}

}  // namespace tessera::circle
