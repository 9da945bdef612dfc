// A JSON value with its place in the file. The first error of all is kept; after it, values are
// empty.
#ifndef TESSERA_TARGETS_NPU_REPLAY_JSON_PLACE_H_
#define TESSERA_TARGETS_NPU_REPLAY_JSON_PLACE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace tessera::npu {

class JsonPlace {
 public:
  JsonPlace(const nlohmann::json& json, std::string path, absl::Status& status)
      : json_(&json), path_(std::move(path)), status_(&status) {}

  bool ok() const { return status_->ok(); }
  void Fail(const std::string& what) const;

  bool Has(const char* key) const { return json_->is_object() && json_->contains(key); }
  bool IsNull() const { return json_->is_null(); }
  bool IsList() const { return json_->is_array(); }
  bool IsText() const { return json_->is_string(); }

  JsonPlace At(const char* key) const;                             // of an object, which has it
  std::vector<JsonPlace> Entries() const;                          // of a list
  std::vector<std::pair<std::string, JsonPlace>> Members() const;  // of an object
  std::string Text() const;
  bool Truth() const;
  int64_t Integer(int64_t least, int64_t most) const;
  uint64_t Unsigned() const;
  std::vector<int64_t> Integers(int64_t least, int64_t most) const;

 private:
  const nlohmann::json* json_;
  std::string path_;
  absl::Status* status_;
};

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_REPLAY_JSON_PLACE_H_
