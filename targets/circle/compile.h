// The Circle target: from a graph of core ops to the contents of a file.
#ifndef TESSERA_TARGETS_CIRCLE_COMPILE_H_
#define TESSERA_TARGETS_CIRCLE_COMPILE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "passes/pass.h"
#include "passes/runner.h"
#include "targets/circle/file/model.h"
#include "targets/circle/lowering/use_integers.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {

// Makes the operators known to the registry; once is enough, more does no harm.
void RegisterOperators();

// From core ops, canonicalized, to what `Emit` takes. Error of the first pass (Unimplemented): all
// operations that the format cannot hold, with their scopes and reasons. With `places` what the
// runtimes there cannot hold becomes what they can; where a single one is named and there is no
// such form, the error is of the last pass, and names all of those.
// `integers`, which may be null, is told what became of a network with quantized tensors.
passes::Pipeline CirclePipeline(std::shared_ptr<IntegersReport> integers = nullptr,
                                std::optional<Places> places = std::nullopt);

struct CompileOptions {
  // Passes that run before the target's own, in the same run: nothing, if the graph is canonical.
  passes::Pipeline first;
  passes::RunOptions run;
  // What the artifact says of how it was made.
  std::map<std::string, std::string> configuration;
  // Called with what the file will hold, after the last pass; may discharge obligations. An error
  // is Compile's.
  std::function<absl::Status(ir::Graph&)> before_emission;
};

struct CompileResult {
  FileModel model;  // views of the graph's constants, which it owns jointly
};

// The graph is changed: it is what the file holds. `reports`, if it is there, gets those of the
// passes that ran, also when one of them fails.
absl::StatusOr<CompileResult> Compile(ir::Graph& graph, const CompileOptions& options,
                                      std::vector<passes::PassReport>* reports = nullptr);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_COMPILE_H_
