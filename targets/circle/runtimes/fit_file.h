// What a file can leave unsaid for a runtime that would not run it otherwise.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_FIT_FILE_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_FIT_FILE_H_

#include "targets/circle/file/model.h"
#include "targets/circle/runtimes/runtimes.h"

namespace tessera::circle {

void FitFile(FileModel& model, const Places& places);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_FIT_FILE_H_
