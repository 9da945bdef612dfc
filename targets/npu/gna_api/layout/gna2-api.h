// The structures of the device's public library as generated sources use them, for tests: names,
// members and numbers are those of its interface, version 3.0; there are no functions.
#ifndef TESSERA_TARGETS_NPU_GNA_API_LAYOUT_GNA2_API_H_
#define TESSERA_TARGETS_NPU_GNA_API_LAYOUT_GNA2_API_H_

#include <cstdint>

enum Gna2OperationType : int32_t {
  Gna2OperationTypeConvolution = 1,
  Gna2OperationTypeCopy = 2,
  Gna2OperationTypeFullyConnectedAffine = 3,
  Gna2OperationTypeElementWiseAffine = 4,
  Gna2OperationTypeRecurrent = 6,
  Gna2OperationTypeTransposition = 7,
};
enum Gna2TensorMode : int32_t { Gna2TensorModeDefault = 0, Gna2TensorModeDisabled = -1 };
enum Gna2DataType : int32_t {
  Gna2DataTypeNone = 0,
  Gna2DataTypeInt8 = 3,
  Gna2DataTypeInt16 = 4,
  Gna2DataTypeInt32 = 5,
  Gna2DataTypeCompoundBias = 12,
  Gna2DataTypePwlSegment = 13,
  Gna2DataTypeWeightScaleFactor = 14,
};
enum Gna2BiasMode : int32_t {
  Gna2BiasModeDefault = 0,
  Gna2BiasModePerStride = 1,
  Gna2BiasModeGrouping = 2,
};
enum Gna2PoolingMode : int32_t {
  Gna2PoolingModeDisabled = -1,
  Gna2PoolingModeMax = 1,
  Gna2PoolingModeSum = 2,
};

struct Gna2Shape {
  uint32_t NumberOfDimensions;
  uint32_t Dimensions[8];
};
struct Gna2Tensor {
  Gna2Shape Shape;
  Gna2TensorMode Mode;
  char Layout[8];
  Gna2DataType Type;
  void* Data;
};
struct Gna2Operation {
  Gna2OperationType Type;
  const Gna2Tensor** Operands;
  uint32_t NumberOfOperands;
  void** Parameters;
  uint32_t NumberOfParameters;
};
struct Gna2Model {
  uint32_t NumberOfOperations;
  Gna2Operation* Operations;
};

#endif  // TESSERA_TARGETS_NPU_GNA_API_LAYOUT_GNA2_API_H_
