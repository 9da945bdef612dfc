// Takes shape arithmetic out of an imported graph.
#ifndef TESSERA_FRONTENDS_ONNX_SHAPE_FOLDING_H_
#define TESSERA_FRONTENDS_ONNX_SHAPE_FOLDING_H_

#include "absl/status/status.h"
#include "ir/rewriter.h"

namespace tessera::onnx_import {

// Every value whose elements are known as expressions (what Shape, Gather, Concat ... computed),
// and that something else than further such arithmetic reads, becomes a constant or symbolic
// constant. The operations that computed it are then unused; `Rewriter::EraseUnused` removes them.
absl::Status FoldShapeArithmetic(ir::Rewriter& rewriter);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_SHAPE_FOLDING_H_
