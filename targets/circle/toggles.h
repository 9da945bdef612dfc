// The keys of TICO's configuration, by what does their work here.
#ifndef TESSERA_TARGETS_CIRCLE_TOGGLES_H_
#define TESSERA_TARGETS_CIRCLE_TOGGLES_H_

#include <vector>

#include "targets/toggle.h"

namespace tessera::circle {

// All of `CompileConfigV1` of TICO 0.3.0, with its defaults but for what is always done here.
std::vector<targets::Toggle> Toggles();

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_TOGGLES_H_
