// What `compile` says when it is done.
#ifndef TESSERA_TOOLS_COMPILATION_SUMMARY_H_
#define TESSERA_TOOLS_COMPILATION_SUMMARY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontends/onnx/import.h"
#include "passes/pass.h"
#include "passes/runner.h"
#include "targets/target.h"
#include "tools/cli/progress.h"
#include "tools/proving/discharge.h"

namespace tessera::compilation {

// The operators by kind, nodes in and operators out, bytes, time per phase, what the target adds,
// what was assumed,
// proved and guarded of the shapes, the passes of `pipeline` that changed the precision of
// something, what applied on request, and how many rewrites assumed that numbers are finite.
std::string Summary(const onnx_import::ImportResult& import,
                    const onnx_import::ImportOptions& options, const targets::Summary& made,
                    const proving::Ledger& ledger, int64_t bytes, const cli::Progress& progress,
                    const passes::Pipeline& pipeline,
                    const std::vector<passes::PassReport>& reports);

}  // namespace tessera::compilation

#endif  // TESSERA_TOOLS_COMPILATION_SUMMARY_H_
