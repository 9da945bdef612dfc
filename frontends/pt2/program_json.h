// Parts of an exported program as they stand in its JSON. The schema is torch's
// (torch/_export/serde/schema.py).
#ifndef TESSERA_FRONTENDS_PT2_PROGRAM_JSON_H_
#define TESSERA_FRONTENDS_PT2_PROGRAM_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "frontends/pt2/program.h"
#include "nlohmann/json.hpp"

namespace tessera::pt2_import {

using Json = nlohmann::json;

// InvalidArgument: the JSON is not as the schema says.
absl::Status Wrong(absl::string_view what);
// Never null: what is missing or no object has nothing in it.
const Json& At(const Json& object, const char* key);
// Empty: it is no text.
std::string TextOf(const Json& json);
// Nothing: it is no integer of 64 bits.
std::optional<int64_t> IntOf(const Json& json);
// The one key of a union. Torch writes those that are not set as null, or not at all.
std::pair<std::string, const Json*> Chosen(const Json& json);

// Errors are those of Wrong().
absl::StatusOr<Argument> ReadArgument(std::string name, const Json& json);
std::optional<Size> ReadSizeOf(const Json& json);
absl::StatusOr<TensorMeta> ReadMeta(const Json& json);
absl::StatusOr<Node> ReadNode(const Json& json);

}  // namespace tessera::pt2_import

#endif  // TESSERA_FRONTENDS_PT2_PROGRAM_JSON_H_
