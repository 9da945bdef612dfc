// Operator options between name-value pairs and FlatBuffers tables, by the schema's field names.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_OPTIONS_H_
#define TESSERA_TARGETS_CIRCLE_FILE_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

using NamedOption = std::pair<std::string, OptionValue>;

// Error: the table is none of operator options; it has no such field; a field is given twice; the
// value is of another kind, is not a member of the field's enum, or is out of the field's range.
absl::Status CheckOptions(absl::string_view table, absl::Span<const NamedOption> options);

// Requires that `CheckOptions` passes. A field whose value is its default takes no bytes.
flatbuffers::Offset<void> BuildOptions(absl::string_view table,
                                       absl::Span<const NamedOption> options,
                                       flatbuffers::FlatBufferBuilder& builder);

// All fields of `bytes`, in the order of their ids. `bytes` has passed the FlatBuffers verifier.
// Error: a value that is no member of the field's enum, or a field whose type no option has.
absl::StatusOr<std::vector<NamedOption>> ReadOptions(absl::string_view table,
                                                     const flatbuffers::Table& bytes);

// Bytes of the strings and vectors that `ReadOptions` would copy, counted without copying them.
size_t VariableBytes(absl::string_view table, const flatbuffers::Table& bytes);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_OPTIONS_H_
