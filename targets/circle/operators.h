// An artifact as the derivation of requirements reads it.
#ifndef TESSERA_TARGETS_CIRCLE_OPERATORS_H_
#define TESSERA_TARGETS_CIRCLE_OPERATORS_H_

#include "recheck/artifact.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// The first graph of `model`, with the dims of its inputs as its metadata says them.
recheck::Artifact OperatorsOf(const FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_OPERATORS_H_
