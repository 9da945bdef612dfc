// A few ops and import clauses by hand, so that the importer is tested without any op file.
#ifndef TESSERA_FRONTENDS_ONNX_OPS_FOR_TEST_H_
#define TESSERA_FRONTENDS_ONNX_OPS_FOR_TEST_H_

namespace tessera::onnx_import {

// Adds dialect `test` to the global registry. ONNX ops it imports, all of domain ai.onnx:
//   Relu since 6 (f32)        Relu until 5 with attribute `consumed_inputs`
//   Add since 7 (same shapes) Split since 2 (two halves of axis 0; attributes `axis`, `split`)
//   Shape, Gather (`axis`; scalar index), Concat (`axis`; rank 1), Reshape: as far as shape
//   arithmetic takes Total: i64 scalar from the values of its operand; Round: f32 to i64, evaluated
//   on numbers only Constant (`value`), Identity, ConstantOfShape (elements of its input; zeros)
void RegisterOpsForTest();

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_OPS_FOR_TEST_H_
