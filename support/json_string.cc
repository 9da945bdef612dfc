#include "support/json_string.h"

#include <algorithm>

#include "nlohmann/json.hpp"

namespace tessera::support {

void AppendJsonString(std::string_view value, std::string& text) {
  // Nearly all are names and numbers.
  const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\'; };
  if (std::all_of(value.begin(), value.end(), is_plain)) {
    text += '"';
    text += value;
    text += '"';
  } else {
    using Json = nlohmann::json;
    text += Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

}  // namespace tessera::support
