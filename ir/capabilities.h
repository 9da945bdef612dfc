// What the place that a lowering writes for can hold, where that differs between places: a runtime
// of a format, say. `runs(OP, dtype, rank)` in a guard of a lowering asks it.
#ifndef TESSERA_IR_CAPABILITIES_H_
#define TESSERA_IR_CAPABILITIES_H_

#include <cstdint>
#include <string_view>

#include "ir/dtype.h"

namespace tessera::ir {

class Capabilities {
 public:
  virtual ~Capabilities() = default;
  // An operator of the target's dialect, with operands of this type and rank. `feature` is a form
  // of it that not every place has, by the name that the target's data gives it; empty: the plain
  // one.
  virtual bool Runs(std::string_view op, DType dtype, int64_t rank,
                    std::string_view feature) const = 0;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_CAPABILITIES_H_
