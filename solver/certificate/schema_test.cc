// docs/certificate.schema.json and the reader of certificates accept the same.

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "solver/certificate/certificate.h"
#include "support/file.h"

namespace tessera::certificate {
namespace {

using Json = nlohmann::json;

// The keywords of JSON Schema that the schema has; another one is an error, so that none is
// ignored.
class Schema {
 public:
  Schema() : root_(Json::parse(*support::ReadFile("docs/certificate.schema.json"))) {}
  bool Accepts(const Json& json) const { return Accepts(root_, json); }

 private:
  bool Accepts(const Json& schema, const Json& json) const {
    for (const auto& [keyword, value] : schema.items()) {
      if (!AcceptsKeyword(schema, keyword, value, json)) return false;
    }
    return true;
  }

  bool AcceptsKeyword(const Json& schema, const std::string& keyword, const Json& value,
                      const Json& json) const {
    if (keyword == "$ref")
      return Accepts(root_.at(Json::json_pointer(value.get<std::string>().substr(1))), json);
    if (keyword == "const") return json == value;
    if (keyword == "enum") return std::find(value.begin(), value.end(), json) != value.end();
    if (keyword == "type") {
      return value == "object"    ? json.is_object()
             : value == "array"   ? json.is_array()
             : value == "string"  ? json.is_string()
             : value == "integer" ? json.is_number_integer()
                                  : throw std::invalid_argument(value);
    }
    if (keyword == "minimum") return !json.is_number() || json >= value;
    if (keyword == "maximum") return !json.is_number() || json <= value;
    if (keyword == "minItems") return !json.is_array() || json.size() >= value.get<size_t>();
    if (keyword == "minLength") return !json.is_string() || json.get<std::string>().size() >= value;
    if (keyword == "pattern") {
      return !json.is_string() ||
             std::regex_search(json.get<std::string>(), std::regex(value.get<std::string>()));
    }
    if (keyword == "required") {
      for (const Json& key : value) {
        if (json.is_object() && !json.contains(key.get<std::string>())) return false;
      }
      return true;
    }
    if (keyword == "additionalProperties") {
      if (!json.is_object()) return true;
      for (const auto& [key, element] : json.items()) {
        if (schema.contains("properties") && schema["properties"].contains(key)) continue;
        if (value == false || !Accepts(value, element)) return false;
      }
      return true;
    }
    if (keyword == "properties") {
      for (const auto& [key, property] : value.items()) {
        if (json.is_object() && json.contains(key) && !Accepts(property, json[key])) return false;
      }
      return true;
    }
    if (keyword == "items") {
      return !json.is_array() || std::all_of(json.begin(), json.end(), [&](const Json& element) {
        return Accepts(value, element);
      });
    }
    EXPECT_TRUE(keyword == "$schema" || keyword == "$defs" || keyword == "title" ||
                keyword == "description")
        << keyword;
    return true;
  }

  const Json root_;
};

Json Sample() {
  Certificate c;
  c.model = {"model.onnx", 123, std::string(64, 'a')};
  c.data = {{"weights/w.bin", 789, std::string(64, '1')}};
  c.artifact = FileDigest{"model.circle", 456, std::string(64, '0')};
  c.options = {"--dim H%2=0"};
  c.symbols = {{"H", "dim 2 of input `x`", INT64_MIN, INT64_MAX, 2, 1}};
  c.facts = {{"H >= 2", ""}};
  c.witness = {{"H", 3}};
  c.obligations = {{"concat.agree",
                    "import",
                    "Concat",
                    "/Concat_12",
                    {"net"},
                    "dim 2 differs",
                    "H == H",
                    Verdict::kProved,
                    "(check-sat)"}};
  c.terms = {"term1 = floordiv(H, 2)"};
  c.inputs = {{"x", "f32", {"H"}, std::nullopt}};
  c.outputs = {"y"};
  c.operations = {
      {"/Concat_12", "Concat", {"x", ""}, {{"y", "i64", {"term1"}, {{"H", "1"}}}}, {0}}};
  return Json::parse(WriteCertificate(c));
}

// The places of all values, outer ones first.
void PlacesOf(const Json& json, const Json::json_pointer& at,
              std::vector<Json::json_pointer>& places) {
  places.push_back(at);
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) PlacesOf(value, at / key, places);
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) PlacesOf(json[i], at / i, places);
  }
}

TEST(Schema, AcceptsWhatTheReaderAccepts) {
  const Schema schema;
  ASSERT_TRUE(schema.Accepts(Sample()));
  std::vector<Json::json_pointer> places;
  PlacesOf(Sample(), Json::json_pointer(), places);
  EXPECT_GT(places.size(), 30u);
  const std::vector<Json> values = {nullptr,
                                    true,
                                    1.5,
                                    0,
                                    -1,
                                    1,
                                    INT64_MIN,
                                    UINT64_MAX,
                                    "",
                                    "a/b",
                                    "/a",
                                    "a/../b",
                                    "..",
                                    "a..b",
                                    "a",
                                    "proved",
                                    "guarded",
                                    std::string(64, 'f'),
                                    std::string(64, 'F'),
                                    Json::array(),
                                    Json::object()};
  int accepted = 0;
  const auto compare = [&](const Json& json, const Json::json_pointer& place) {
    const bool reads = ReadCertificate(json.dump()).ok();
    accepted += reads;
    // That the residue is less than the stride is said in words.
    if (place == Json::json_pointer("/symbols/0/residue") ||
        place == Json::json_pointer("/symbols/0/stride"))
      return;
    EXPECT_EQ(schema.Accepts(json), reads) << place << ": " << json;
  };
  for (const Json::json_pointer& place : places) {
    for (const Json& value : values) {
      Json json = Sample();
      json[place] = value;
      compare(json, place);
    }
    if (place.empty()) continue;
    Json json = Sample();
    Json& parent = json[place.parent_pointer()];
    if (parent.is_object()) {
      parent.erase(place.back());
      compare(json, place);
    }
    json = Sample();
    if (json[place].is_object()) {
      json[place]["another"] = 1;
      compare(json, place);
    }
  }
  EXPECT_GT(accepted, 60);
}

}  // namespace
}  // namespace tessera::certificate
