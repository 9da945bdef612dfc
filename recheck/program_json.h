// What stands in the JSON of an exported program.
#ifndef TESSERA_RECHECK_PROGRAM_JSON_H_
#define TESSERA_RECHECK_PROGRAM_JSON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "recheck/program.h"

namespace tessera::recheck {

using Json = nlohmann::json;

// What is missing is null.
const Json& At(const Json& json, const char* key);
std::string TextAt(const Json& json, const char* key);
std::optional<int64_t> WholeOf(const Json& json);

// The one member of a union that is set.
std::pair<std::string, const Json*> Chosen(const Json& json);

ProgramArgument ArgumentOf(std::string name, const Json& json);
ProgramSize SizeOf(const Json& json);
ProgramTensor TensorOf(const Json& json);

// The names in a list of values; fewer than entries: some are no values.
std::vector<std::string> NamesIn(const Json& list);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_PROGRAM_JSON_H_
