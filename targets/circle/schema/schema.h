// The Circle schema as data (its binary form, flatbuffers/reflection.fbs), so that tables, fields
// and enum members can be addressed by the names that circle.fbs gives them.
#ifndef TESSERA_TARGETS_CIRCLE_SCHEMA_SCHEMA_H_
#define TESSERA_TARGETS_CIRCLE_SCHEMA_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "flatbuffers/reflection_generated.h"

namespace tessera::circle {

const ::reflection::Schema& CircleSchema();

// By name without namespace, such as `Conv2DOptions`; null where there is none.
const ::reflection::Object* FindTable(absl::string_view name);
const ::reflection::Enum* FindEnum(absl::string_view name);

// Null where `table` has no such field.
const ::reflection::Field* FindField(const ::reflection::Object& table, absl::string_view name);

// The fields that are not deprecated, in the order of their ids. Of a union, which has two, only
// the value.
std::vector<const ::reflection::Field*> FieldsInOrder(const ::reflection::Object& table);

// Without namespace: `Conv2DOptions` for `circle.Conv2DOptions`. Tables and enums of the schema.
absl::string_view NameOf(const ::reflection::Object& table);
absl::string_view NameOf(const ::reflection::Enum& type);

// The member's value or name; nullopt, or empty, where the enum has no such member.
std::optional<int64_t> MemberValue(const ::reflection::Enum& type, absl::string_view name);
absl::string_view MemberName(const ::reflection::Enum& type, int64_t value);

// The name of an operator code; empty where the format has no such code.
absl::string_view OperatorName(int32_t code);

// Where `table` stands in one of the unions of an operator's options.
struct OptionsPlace {
  bool second_union = false;  // of BuiltinOptions2
  uint8_t ordinal = 0;
};
std::optional<OptionsPlace> FindOptionsPlace(absl::string_view table);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_SCHEMA_SCHEMA_H_
