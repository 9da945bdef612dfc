// What the device has a form for, and yet not for the values that it turns out to have.
#ifndef TESSERA_TARGETS_NPU_LEGALIZATION_MISFIT_H_
#define TESSERA_TARGETS_NPU_LEGALIZATION_MISFIT_H_

#include <string>

namespace tessera::npu {

// No table within the error, say, or values that are not finite.
struct Misfit {
  std::string scope;  // of the operations of the network (ir::Location)
  std::string reason;
  bool tables = false;  // of functions of one element alone; else of everything there
  // Values are not finite, which neither layers nor what is made of layers on the host computes
  // with.
  bool endless = false;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_LEGALIZATION_MISFIT_H_
