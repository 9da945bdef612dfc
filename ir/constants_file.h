// The side file of a printed graph: the constants that its text names by digest.
//
// Little-endian: the magic `tessera constants 1\n` padded to 24 bytes, the number n of constants
// (u64), n entries of offset, bytes (u64 each), digest (two u64, high first), dtype, rank (u32
// each) and `rank` dims (i64 each), then the data, each constant at a multiple of 64 bytes from the
// beginning of the file. Entries are in the order of their digests.
#ifndef TESSERA_IR_CONSTANTS_FILE_H_
#define TESSERA_IR_CONSTANTS_FILE_H_

#include <map>
#include <memory>
#include <ostream>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/text.h"

namespace tessera::ir {

// The constants that `Print` with these options leaves out. Error: the stream fails.
absl::Status WriteConstants(const Graph& graph, const PrintOptions& options, std::ostream& out);
// Those of somebody's choice, each under its digest.
absl::Status WriteConstants(const std::map<Digest, const Tensor*>& constants, std::ostream& out);

// Tensors are views of `bytes`, which live as long as `owner`; a digest is checked when its
// constant is asked for. Error: not such a file, or one that is damaged.
absl::StatusOr<ConstantSource> ReadConstants(std::shared_ptr<const void> owner,
                                             absl::Span<const uint8_t> bytes);

}  // namespace tessera::ir

#endif  // TESSERA_IR_CONSTANTS_FILE_H_
