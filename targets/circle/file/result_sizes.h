// Sizes of a file's results that it does not say to be unknown.
//
// onert 0.1.0 stops where the file says so of a result whose sizes come to be known only when it
// runs, and no input and no result of the file is of floats; it finds the sizes out where the file
// gives them as 1. Without a `shape_signature`, an unknown size is a 1. Nothing is lost: such a
// result is a RESHAPE of another tensor to that one's own shape.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_RESULT_SIZES_H_
#define TESSERA_TARGETS_CIRCLE_FILE_RESULT_SIZES_H_

#include "targets/circle/file/model.h"

namespace tessera::circle {

// Whether the file says of this tensor that a size is unknown.
bool SaysUnknownSize(const FileTensor& tensor);

// Has the file say so of no result that is an integer or a truth, which are copies then of what it
// computes.
void KeepBackResultSizes(FileModel& model);

// The sizes that were kept back, of a model that was read. It need not be valid.
void RestoreResultSizes(FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_RESULT_SIZES_H_
