// Whether a model is one that Circle's readers take.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_CHECK_H_
#define TESSERA_TARGETS_CIRCLE_FILE_CHECK_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "targets/circle/file/model.h"
#include "targets/finding.h"

namespace tessera::circle {

// A warning: readers take the file.
using targets::ErrorsOf;
using targets::Finding;

// Errors: an index out of range; a tensor without name; a dim below -1 or beyond 31 bits; a
// constant of other size than its shape says, or with an unknown dim; quantization whose parts
// disagree; a tensor with two producers, or one that is read before, or without, being produced,
// given or constant; an operator code, option table or option that the format does not have; a
// number of inputs, or missing options, that ONE's importer refuses; what `CheckCalls` finds of
// operators that run other graphs (calls.h).
// Warnings: a name given twice, a tensor that nothing uses, an operator that ONE's importer does
// not know. At most 1,000 findings, errors first, both in the order of the file.
std::vector<Finding> CheckCircle(const FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_CHECK_H_
