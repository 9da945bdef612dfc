// Models out of Circle files, of our writer's and others' making.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_READER_H_
#define TESSERA_TARGETS_CIRCLE_FILE_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

// Constants are views of `bytes`, each kept by `owner`; if that is null, the caller keeps them.
// `bytes` start at a multiple of 16; data within them starts where the file says, which for files
// of others may be anywhere. Safe on any bytes: what is not well-formed is an error
// (InvalidArgument), and so is what a `FileModel` has no place for (Unimplemented: several
// subgraphs, sparse or compressed tensors, quantization other than affine, intermediates).
//
// This takes no more than can be read at all; `CheckCircle` says whether the model makes sense.
absl::StatusOr<FileModel> ReadCircle(absl::Span<const uint8_t> bytes,
                                     std::shared_ptr<const void> owner);

// Maps `path`. Errors name it.
absl::StatusOr<FileModel> ReadCircleFile(const std::string& path);

// Reads and checks. Warnings, if asked for, are of `CheckCircle`.
absl::Status VerifyCircle(absl::Span<const uint8_t> bytes,
                          std::vector<std::string>* warnings = nullptr);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_READER_H_
