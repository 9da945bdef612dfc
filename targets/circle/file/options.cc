#include "targets/circle/file/options.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

using ::reflection::BaseType;
using ::reflection::Field;

// Calls `f` with a zero of the stored type; false for types that no option table uses.
template <class F>
bool WithScalar(BaseType type, F f) {
  switch (type) {
    case ::reflection::Bool:
    case ::reflection::UByte:
      return f(uint8_t{}), true;
    case ::reflection::Byte:
      return f(int8_t{}), true;
    case ::reflection::Int:
      return f(int32_t{}), true;
    case ::reflection::UInt:
      return f(uint32_t{}), true;
    case ::reflection::Long:
      return f(int64_t{}), true;
    case ::reflection::Float:
      return f(float{}), true;
    default:
      return false;
  }
}

// What the enum of a field, or of the elements of a vector, is; null if it holds plain numbers.
const ::reflection::Enum* EnumOf(const ::reflection::Type& type) {
  return type.index() < 0 ? nullptr : CircleSchema().enums()->Get(type.index());
}

absl::Status Wrong(absl::string_view reason) { return absl::InvalidArgumentError(reason); }

absl::Status CheckMember(const ::reflection::Enum& type, absl::string_view name) {
  if (MemberValue(type, name)) return absl::OkStatus();
  return Wrong(absl::StrCat("`", name, "` is no member of `", NameOf(type), "`"));
}

absl::Status CheckInteger(BaseType base, const ::reflection::Enum* members, int64_t value) {
  if (base == ::reflection::Bool && value != 0 && value != 1) {
    return Wrong(absl::StrCat(value, " where a bool is 0 or 1"));
  }
  if (members != nullptr && MemberName(*members, value).empty()) {
    return Wrong(absl::StrCat(value, " is no member of `", NameOf(*members), "`"));
  }
  bool fits = true;
  WithScalar(base, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>) {
      fits = value >= int64_t{std::numeric_limits<T>::min()} &&
             (sizeof(T) == 8 || value <= static_cast<int64_t>(std::numeric_limits<T>::max()));
    }
  });
  return fits ? absl::OkStatus() : Wrong(absl::StrCat(value, " is out of range"));
}

absl::Status CheckFloat(double value) {
  if (!std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max()) {
    return absl::OkStatus();
  }
  return Wrong(absl::StrCat(value, " is out of the range of a 32-bit float"));
}

absl::Status CheckVector(const ::reflection::Type& type, const OptionValue& value) {
  const bool floats = type.element() == ::reflection::Float;
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t element : *integers) {
      if (floats) break;  // every integer is near enough to some float
      if (auto status = CheckInteger(type.element(), EnumOf(type), element); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  if (const auto* reals = std::get_if<std::vector<double>>(&value); reals && floats) {
    for (double element : *reals) {
      if (auto status = CheckFloat(element); !status.ok()) return status;
    }
    return absl::OkStatus();
  }
  return Wrong(floats ? "takes a list of numbers" : "takes a list of integers");
}

absl::Status CheckValue(const ::reflection::Type& type, const OptionValue& value) {
  const BaseType base = type.base_type();
  const auto* integer = std::get_if<int64_t>(&value);
  if (base == ::reflection::Vector) return CheckVector(type, value);
  if (base == ::reflection::String) {
    return std::holds_alternative<std::string>(value) ? absl::OkStatus() : Wrong("takes a string");
  }
  if (base == ::reflection::Bool) {
    return std::holds_alternative<bool>(value) ? absl::OkStatus() : Wrong("takes a bool");
  }
  if (base == ::reflection::Float) {
    if (integer != nullptr) return absl::OkStatus();
    const auto* real = std::get_if<double>(&value);
    return real == nullptr ? Wrong("takes a number") : CheckFloat(*real);
  }
  const ::reflection::Enum* members = EnumOf(type);
  if (const auto* name = std::get_if<std::string>(&value); name != nullptr && members != nullptr) {
    return CheckMember(*members, *name);
  }
  if (integer != nullptr) return CheckInteger(base, members, *integer);
  if (members == nullptr) return Wrong("takes an integer");
  return Wrong(absl::StrCat("takes a member of `", NameOf(*members), "`"));
}

// As the number that is stored. The value has passed `CheckValue`.
template <class T>
T ScalarOf(const Field& field, const OptionValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return static_cast<T>(*flag);
  if (const auto* integer = std::get_if<int64_t>(&value)) return static_cast<T>(*integer);
  if (const auto* real = std::get_if<double>(&value)) return static_cast<T>(*real);
  const ::reflection::Enum* members = EnumOf(*field.type());
  return static_cast<T>(*MemberValue(*members, std::get<std::string>(value)));
}

template <class T>
flatbuffers::uoffset_t BuildVector(const OptionValue& value,
                                   flatbuffers::FlatBufferBuilder& builder) {
  std::vector<T> elements;
  if (const auto* integers = std::get_if<std::vector<int64_t>>(&value)) {
    elements.assign(integers->begin(), integers->end());
  } else {
    for (double real : std::get<std::vector<double>>(value)) {
      elements.push_back(static_cast<T>(real));
    }
  }
  return builder.CreateVector(elements).o;
}

template <class T>
OptionValue VectorValue(const flatbuffers::Vector<T>& elements) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::vector<double>(elements.begin(), elements.end());
  } else {
    return std::vector<int64_t>(elements.begin(), elements.end());
  }
}

// nullopt: a string or vector that is not there.
absl::StatusOr<std::optional<OptionValue>> ReadField(const Field& field,
                                                     const flatbuffers::Table& bytes) {
  const ::reflection::Type& type = *field.type();
  std::optional<OptionValue> value;
  bool known = true;
  if (type.base_type() == ::reflection::String) {
    const auto* text = bytes.GetPointer<const flatbuffers::String*>(field.offset());
    if (text != nullptr) value = text->str();
  } else if (type.base_type() == ::reflection::Vector) {
    known = WithScalar(type.element(), [&](auto zero) {
      using Elements = flatbuffers::Vector<decltype(zero)>;
      const auto* elements = bytes.GetPointer<const Elements*>(field.offset());
      if (elements != nullptr) value = VectorValue(*elements);
    });
  } else {
    known = WithScalar(type.base_type(), [&](auto zero) {
      using T = decltype(zero);
      if constexpr (std::is_floating_point_v<T>) {
        const T real = bytes.GetField<T>(field.offset(), static_cast<T>(field.default_real()));
        value = double{real};
      } else {
        const T stored = bytes.GetField<T>(field.offset(), static_cast<T>(field.default_integer()));
        const ::reflection::Enum* members = EnumOf(type);
        if (type.base_type() == ::reflection::Bool) {
          value = stored != 0;
        } else if (members == nullptr) {
          value = static_cast<int64_t>(stored);
        } else if (const absl::string_view name = MemberName(*members, stored); !name.empty()) {
          value = std::string(name);
        } else {
          value = static_cast<int64_t>(stored);  // which the check below refuses
        }
      }
    });
  }
  if (!known) return absl::UnimplementedError("its type is not read");
  if (value) {
    if (auto status = CheckValue(type, *value); !status.ok()) return status;
  }
  return value;
}

}  // namespace

absl::Status CheckOptions(absl::string_view table, absl::Span<const NamedOption> options) {
  if (table.empty() && options.empty()) return absl::OkStatus();
  if (!FindOptionsPlace(table)) {
    return Wrong(absl::StrCat("`", table, "` is no table of operator options"));
  }
  const ::reflection::Object& schema = *FindTable(table);
  for (auto option = options.begin(); option != options.end(); ++option) {
    const std::string& name = option->first;
    const Field* field = FindField(schema, name);
    const std::string place = absl::StrCat("option `", name, "` of `", table, "`: ");
    if (field == nullptr || field->deprecated())
      return Wrong(absl::StrCat(place, "there is no such field"));
    for (auto before = options.begin(); before != option; ++before) {
      if (before->first == name) return Wrong(absl::StrCat(place, "given twice"));
    }
    if (auto status = CheckValue(*field->type(), option->second); !status.ok()) {
      return Wrong(absl::StrCat(place, status.message()));
    }
  }
  return absl::OkStatus();
}

flatbuffers::Offset<void> BuildOptions(absl::string_view table,
                                       absl::Span<const NamedOption> options,
                                       flatbuffers::FlatBufferBuilder& builder) {
  struct Entry {
    const Field* field;
    const OptionValue* value;
    flatbuffers::uoffset_t place = 0;  // of a string or vector
    size_t bytes = 4;                  // in the table itself
  };
  const ::reflection::Object& schema = *FindTable(table);
  std::vector<Entry> entries;
  for (const auto& [name, value] : options) entries.push_back({FindField(schema, name), &value});
  // Widest first, so that no padding lies between them; the order of `options` does not matter.
  for (Entry& entry : entries) {
    WithScalar(entry.field->type()->base_type(), [&](auto zero) { entry.bytes = sizeof zero; });
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::pair(b.bytes, a.field->id()) < std::pair(a.bytes, b.field->id());
  });
  for (Entry& entry : entries) {
    const ::reflection::Type& type = *entry.field->type();
    if (type.base_type() == ::reflection::String) {
      entry.place = builder.CreateString(std::get<std::string>(*entry.value)).o;
    } else if (type.base_type() == ::reflection::Vector) {
      WithScalar(type.element(), [&](auto zero) {
        entry.place = BuildVector<decltype(zero)>(*entry.value, builder);
      });
    }
  }
  const flatbuffers::uoffset_t start = builder.StartTable();
  for (const Entry& entry : entries) {
    const Field& field = *entry.field;
    if (entry.place != 0) {
      builder.AddOffset(field.offset(), flatbuffers::Offset<void>(entry.place));
      continue;
    }
    WithScalar(field.type()->base_type(), [&](auto zero) {
      using T = decltype(zero);
      T otherwise = static_cast<T>(field.default_integer());
      if constexpr (std::is_floating_point_v<T>) otherwise = static_cast<T>(field.default_real());
      builder.AddElement<T>(field.offset(), ScalarOf<T>(field, *entry.value), otherwise);
    });
  }
  return flatbuffers::Offset<void>(builder.EndTable(start));
}

absl::StatusOr<std::vector<NamedOption>> ReadOptions(absl::string_view table,
                                                     const flatbuffers::Table& bytes) {
  std::vector<NamedOption> options;
  for (const Field* field : FieldsInOrder(*FindTable(table))) {
    absl::StatusOr<std::optional<OptionValue>> value = ReadField(*field, bytes);
    if (!value.ok()) {
      return absl::Status(value.status().code(),
                          absl::StrCat("option `", field->name()->str(), "` of `", table,
                                       "`: ", value.status().message()));
    }
    if (*value) options.emplace_back(field->name()->str(), *std::move(*value));
  }
  return options;
}

size_t VariableBytes(absl::string_view table, const flatbuffers::Table& bytes) {
  size_t total = 0;
  for (const Field* field : *FindTable(table)->fields()) {
    const BaseType base = field->type()->base_type();
    if (base != ::reflection::String && base != ::reflection::Vector) continue;
    // Strings and vectors both begin with their length, and elements are widened to 8 bytes.
    const auto* elements = bytes.GetPointer<const flatbuffers::Vector<uint8_t>*>(field->offset());
    if (elements != nullptr) total += size_t{elements->size()} * 8;
  }
  return total;
}

}  // namespace tessera::circle
