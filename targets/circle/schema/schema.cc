#include "targets/circle/schema/schema.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "targets/circle/schema/schema_bytes.h"

namespace tessera::circle {
namespace {

constexpr absl::string_view kNamespace = "circle.";

std::string Qualified(absl::string_view name) { return absl::StrCat(kNamespace, name); }

absl::string_view Unqualified(absl::string_view name) {
  return absl::StripPrefix(name, kNamespace);
}

absl::string_view View(const flatbuffers::String* text) { return {text->c_str(), text->size()}; }

// In a list that is sorted by name, as those of a schema are.
template <class Named>
const Named* FindNamed(const flatbuffers::Vector<flatbuffers::Offset<Named>>& list,
                       absl::string_view name) {
  uint32_t low = 0, high = list.size();
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (View(list.Get(middle)->name()) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const bool found = low < list.size() && View(list.Get(low)->name()) == name;
  return found ? list.Get(low) : nullptr;
}

}  // namespace

const ::reflection::Schema& CircleSchema() {
  static const ::reflection::Schema* const schema = ::reflection::GetSchema(SchemaBytes().data());
  return *schema;
}

const ::reflection::Object* FindTable(absl::string_view name) {
  return FindNamed(*CircleSchema().objects(), Qualified(name));
}

const ::reflection::Enum* FindEnum(absl::string_view name) {
  return FindNamed(*CircleSchema().enums(), Qualified(name));
}

const ::reflection::Field* FindField(const ::reflection::Object& table, absl::string_view name) {
  return FindNamed(*table.fields(), name);
}

std::vector<const ::reflection::Field*> FieldsInOrder(const ::reflection::Object& table) {
  std::vector<const ::reflection::Field*> fields;
  for (const ::reflection::Field* field : *table.fields()) {
    const bool union_type = field->type()->base_type() == ::reflection::UType;
    if (!field->deprecated() && !union_type) fields.push_back(field);
  }
  std::sort(fields.begin(), fields.end(),
            [](const auto* a, const auto* b) { return a->id() < b->id(); });
  return fields;
}

absl::string_view NameOf(const ::reflection::Object& table) {
  return Unqualified(View(table.name()));
}

absl::string_view NameOf(const ::reflection::Enum& type) { return Unqualified(View(type.name())); }

std::optional<int64_t> MemberValue(const ::reflection::Enum& type, absl::string_view name) {
  for (const ::reflection::EnumVal* member : *type.values()) {
    if (View(member->name()) == name) return member->value();
  }
  return std::nullopt;
}

absl::string_view MemberName(const ::reflection::Enum& type, int64_t value) {
  const ::reflection::EnumVal* member = type.values()->LookupByKey(value);
  return member == nullptr ? absl::string_view() : View(member->name());
}

absl::string_view OperatorName(int32_t code) {
  static const ::reflection::Enum* const codes = FindEnum("BuiltinOperator");
  return MemberName(*codes, code);
}

std::optional<OptionsPlace> FindOptionsPlace(absl::string_view table) {
  static const ::reflection::Enum* const first = FindEnum("BuiltinOptions");
  static const ::reflection::Enum* const second = FindEnum("BuiltinOptions2");
  if (FindTable(table) == nullptr) return std::nullopt;
  for (const auto* options : {first, second}) {
    if (const auto ordinal = MemberValue(*options, table)) {
      return OptionsPlace{options == second, static_cast<uint8_t>(*ordinal)};
    }
  }
  return std::nullopt;
}

}  // namespace tessera::circle
