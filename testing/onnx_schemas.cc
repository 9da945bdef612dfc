#include "testing/onnx_schemas.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::testing {
namespace {

using Types = std::map<std::string, std::set<std::string>>;  // of variables

// `T:+f32,+f64 I:-bool`; false: not of this form.
bool Change(absl::string_view text, Types& types) {
  for (absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t colon = part.find(':');
    if (colon == absl::string_view::npos) return false;
    std::set<std::string>& set = types[std::string(part.substr(0, colon))];
    // Types in parentheses hold no commas.
    for (absl::string_view item : absl::StrSplit(part.substr(colon + 1), ',')) {
      if (item.size() < 2 || (item[0] != '+' && item[0] != '-')) return false;
      if (item[0] == '+') {
        set.emplace(item.substr(1));
      } else {
        set.erase(std::string(item.substr(1)));
      }
    }
  }
  return true;
}

bool Values(absl::string_view text, const Types& types, std::vector<SchemaValue>& values) {
  for (absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t colon = part.find(':');
    if (colon == absl::string_view::npos) return false;
    SchemaValue value;
    absl::string_view name = part.substr(0, colon);
    if (absl::ConsumeSuffix(&name, "?")) value.arity = SchemaValue::kOptional;
    while (absl::ConsumeSuffix(&name, "...")) value.arity = SchemaValue::kMany;
    value.name = std::string(name);
    value.type = std::string(part.substr(colon + 1));
    const auto variable = types.find(value.type);
    value.types = variable == types.end() ? std::set<std::string>{value.type} : variable->second;
    values.push_back(std::move(value));
  }
  return true;
}

bool Attributes(absl::string_view text, std::vector<SchemaAttribute>& attributes) {
  for (absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t colon = part.find(':');
    if (colon == absl::string_view::npos) return false;
    SchemaAttribute attribute;
    attribute.name = std::string(part.substr(0, colon));
    absl::string_view kind = part.substr(colon + 1);
    const size_t equal = kind.find('=');
    if (equal != absl::string_view::npos) {
      attribute.otherwise = std::string(kind.substr(equal + 1));
      kind = kind.substr(0, equal);
    }
    attribute.required = absl::ConsumeSuffix(&kind, "!");
    attribute.kind = std::string(kind);
    attributes.push_back(std::move(attribute));
  }
  return true;
}

}  // namespace

const SchemaAttribute* Schema::Find(absl::string_view attribute) const {
  for (const SchemaAttribute& known : attributes) {
    if (known.name == attribute) return &known;
  }
  return nullptr;
}

absl::StatusOr<OnnxSchemas> OnnxSchemas::Read(absl::string_view table) {
  OnnxSchemas result;
  std::map<std::pair<std::string, std::string>, Types> types;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(table, '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    const std::vector<absl::string_view> columns = absl::StrSplit(line, '\t');
    const auto malformed = [&] {
      return absl::InvalidArgumentError(absl::StrCat("line ", number, " is malformed"));
    };
    if (columns.size() != 7) return malformed();
    Schema schema;
    schema.domain = std::string(columns[0]);
    schema.name = std::string(columns[1]);
    absl::string_view version = columns[2];
    schema.deprecated = absl::ConsumeSuffix(&version, "-");
    const auto key = std::pair(schema.domain, schema.name);
    std::vector<Schema>& versions = result.schemas_[key];
    // What a runtime had before ONNX did says its types itself.
    const bool before = absl::ConsumeSuffix(&version, "<");
    if (!absl::SimpleAtoi(version, &schema.version) ||
        (before && !versions.empty() && versions.front().version <= schema.version))
      return malformed();
    Types fresh;
    Types& known = before ? fresh : types[key];
    if ((!before && !versions.empty() && versions.back().version >= schema.version) ||
        !Change(columns[6], known) || !Values(columns[3], known, schema.inputs) ||
        !Values(columns[4], known, schema.outputs) || !Attributes(columns[5], schema.attributes))
      return malformed();
    versions.insert(before ? versions.begin() : versions.end(), std::move(schema));
  }
  return result;
}

const std::vector<Schema>& OnnxSchemas::Of(const std::string& domain,
                                           const std::string& name) const {
  static const auto* const none = new std::vector<Schema>();
  const auto found = schemas_.find({domain, name});
  return found == schemas_.end() ? *none : found->second;
}

const Schema* OnnxSchemas::InForce(const std::string& domain, const std::string& name,
                                   int opset) const {
  const Schema* best = nullptr;
  for (const Schema& schema : Of(domain, name)) {
    if (schema.version <= opset) best = &schema;
  }
  return best;
}

size_t OnnxSchemas::size() const {
  size_t count = 0;
  for (const auto& [key, versions] : schemas_) count += versions.size();
  return count;
}

}  // namespace tessera::testing
