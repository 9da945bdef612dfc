// Sizes of what loops hand on, where a file does not say that they are unknown.
//
// onert 0.1.0 makes room for the results of a WHILE's body by the sizes that the file gives, before
// the body has run: it stops at one that is said to be unknown, and enlarges the room of one that
// is given as 1. Without a `shape_signature`, an unknown size is a 1. Nothing is lost: what a body
// hands on has the sizes that the operands or the results of its WHILE have.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_LOOP_SIZES_H_
#define TESSERA_TARGETS_CIRCLE_FILE_LOOP_SIZES_H_

#include "targets/circle/file/model.h"

namespace tessera::circle {

// Whether this WHILE's body says of a result that a size is unknown.
bool SaysUnknownSizes(const FileModel& model, const FileOperator& loop);

// Has no body say so of its results, which are copies then of what it computes.
void KeepBackLoopSizes(FileModel& model);

// The sizes that were kept back, of a model that was read. It need not be valid.
void RestoreLoopSizes(FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_LOOP_SIZES_H_
