#include "targets/npu/replay/json_place.h"

#include "absl/strings/str_cat.h"

namespace tessera::npu {
namespace {

const nlohmann::json& Nothing() {
  static const nlohmann::json* const nothing = new nlohmann::json;
  return *nothing;
}

}  // namespace

void JsonPlace::Fail(const std::string& what) const {
  if (status_->ok())
    *status_ =
        absl::InvalidArgumentError(absl::StrCat("`", path_.empty() ? "/" : path_, "` ", what));
}

JsonPlace JsonPlace::At(const char* key) const {
  const std::string path = absl::StrCat(path_, "/", key);
  if (!json_->is_object()) {
    Fail(absl::StrCat("is ", json_->type_name(), ", wanted is an object"));
  } else if (!json_->contains(key)) {
    Fail(absl::StrCat("lacks `", key, "`"));
  } else {
    return {(*json_)[key], path, *status_};
  }
  return {Nothing(), path, *status_};
}

std::vector<JsonPlace> JsonPlace::Entries() const {
  std::vector<JsonPlace> entries;
  if (!json_->is_array()) {
    Fail(absl::StrCat("is ", json_->type_name(), ", wanted is a list"));
    return entries;
  }
  for (size_t i = 0; i < json_->size(); ++i)
    entries.push_back({(*json_)[i], absl::StrCat(path_, "/", i), *status_});
  return entries;
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::Members() const {
  std::vector<std::pair<std::string, JsonPlace>> members;
  if (!json_->is_object()) {
    Fail(absl::StrCat("is ", json_->type_name(), ", wanted is an object"));
    return members;
  }
  for (auto it = json_->begin(); it != json_->end(); ++it)
    members.emplace_back(it.key(), JsonPlace(*it, absl::StrCat(path_, "/", it.key()), *status_));
  return members;
}

std::string JsonPlace::Text() const {
  if (json_->is_string()) return json_->get<std::string>();
  Fail(absl::StrCat("is ", json_->type_name(), ", wanted is a string"));
  return "";
}

bool JsonPlace::Truth() const {
  if (json_->is_boolean()) return json_->get<bool>();
  Fail(absl::StrCat("is ", json_->type_name(), ", wanted is a truth value"));
  return false;
}

int64_t JsonPlace::Integer(int64_t least, int64_t most) const {
  if (!json_->is_number_integer()) {
    Fail(absl::StrCat("is ", json_->type_name(), ", wanted is an integer"));
  } else if ((json_->is_number_unsigned() &&
              json_->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) ||
             json_->get<int64_t>() < least || json_->get<int64_t>() > most) {
    Fail(absl::StrCat("is ", json_->dump(), ", wanted is an integer from ", least, " to ", most));
  } else {
    return json_->get<int64_t>();
  }
  return 0;
}

uint64_t JsonPlace::Unsigned() const {
  if (json_->is_number_unsigned()) return json_->get<uint64_t>();
  Fail(absl::StrCat("is ", json_->type_name(), ", wanted is an integer from 0"));
  return 0;
}

std::vector<int64_t> JsonPlace::Integers(int64_t least, int64_t most) const {
  std::vector<int64_t> integers;
  for (const JsonPlace& entry : Entries()) integers.push_back(entry.Integer(least, most));
  return integers;
}

}  // namespace tessera::npu
