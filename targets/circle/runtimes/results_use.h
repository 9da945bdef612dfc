// What a runtime is asked of a file as a whole.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_USE_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_USE_H_

#include "targets/circle/file/model.h"
#include "targets/circle/runtimes/use.h"

namespace tessera::circle {

// In place of an operator.
inline constexpr char kResults[] = "RESULTS";
inline constexpr char kLateIntegers[] =
    "late_integers";  // sizes of results that follow from computed shapes are said to be unknown,
                      // and no input and no result is of floats

Use UseOfResults(const FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_RESULTS_USE_H_
