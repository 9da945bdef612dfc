// Programs that torch.export.save wrote (`.pt2`) in, ir::Graph out, without PyTorch. What an
// operator of ATen means is said by the `aten` clauses of the op files; this room knows the file
// format, and Python's arithmetic of sizes, only.
#ifndef TESSERA_FRONTENDS_PT2_IMPORT_H_
#define TESSERA_FRONTENDS_PT2_IMPORT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontends/onnx/import.h"
#include "frontends/pt2/archive.h"
#include "ir/aten.h"
#include "support/mapped_file.h"

namespace tessera::pt2_import {

using Clauses = absl::Span<const ir::AtenInfo* const>;

// As onnx_import::ImportFile: constants of the graph are views of the mapped file, every problem of
// the program has a line of its own. What the program states of its symbols is in `assumed`.
// `options.strict_opset` and `max_unroll` say nothing here.
absl::StatusOr<onnx_import::ImportResult> Import(const support::MappedFile& file,
                                                 const std::string& name,
                                                 const onnx_import::ImportOptions& options,
                                                 Clauses clauses);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_IMPORT_H_
