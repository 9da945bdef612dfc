// What every frontend does around the reading of a file: it ends an import, and where shapes are
// not right it looks for declarations of dims with which they are.
#ifndef TESSERA_FRONTENDS_ONNX_DECLARATIONS_H_
#define TESSERA_FRONTENDS_ONNX_DECLARATIONS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/problems.h"
#include "ir/graph.h"
#include "solver/remedy.h"

namespace tessera::onnx_import {

// What would mend one of a model's problems, where that is known.
struct Mending {
  solver::Remedy remedy;
  std::string constraint;  // that it mends
  bool alone = true;       // no other problem was named
};

// Reads the model once, under these options.
using Attempt =
    std::function<absl::StatusOr<ImportResult>(const ImportOptions& options, Mending& mending)>;

// Attempts until it succeeds, or nothing more is to be assumed by `options.assume`. `name` stands
// for the file.
absl::StatusOr<ImportResult> ImportDeclaring(const std::string& name, const ImportOptions& options,
                                             const Attempt& attempt);

// The end of an attempt: the problems, if there are any; otherwise takes shape arithmetic out of
// the graph and asks `options.check`.
absl::Status FinishImport(const std::string& name, const Problems& problems,
                          const ImportOptions& options, ir::Graph& graph, Mending& mending);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_DECLARATIONS_H_
