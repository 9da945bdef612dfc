#include "recheck/program_json.h"

#include <array>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace tessera::recheck {

const Json& At(const Json& json, const char* key) {
  static const Json* const kNull = new Json();
  if (!json.is_object()) return *kNull;
  const auto it = json.find(key);
  return it == json.end() ? *kNull : *it;
}

std::string TextAt(const Json& json, const char* key) {
  const Json& value = At(json, key);
  return value.is_string() ? value.get<std::string>() : "";
}

std::optional<int64_t> WholeOf(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return json.get<int64_t>();
}

std::pair<std::string, const Json*> Chosen(const Json& json) {
  if (json.is_object()) {
    for (auto it = json.begin(); it != json.end(); ++it) {
      if (!it->is_null()) return {it.key(), &*it};
    }
  }
  return {"", &json};
}

namespace {

// PyTorch's numbers of element types (c10/core/ScalarType.h).
std::string DTypeOf(int64_t type) {
  constexpr std::array<const char*, 14> kFirst = {"",    "u8",  "i8",   "i16", "i32",
                                                  "i64", "f16", "f32",  "f64", "f16",
                                                  "f32", "f64", "bool", "bf16"};
  if (type >= 0 && type < static_cast<int64_t>(kFirst.size()))
    return kFirst[static_cast<size_t>(type)];
  if (type == 28) return "u16";
  if (type == 34) return "u32";
  return type == 35 ? "u64" : "";
}

bool IsComplexType(int64_t type) { return 9 <= type && type <= 11; }

double RealOf(const Json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return json.is_number()      ? json.get<double>()
         : json == "Infinity"  ? kInfinity
         : json == "-Infinity" ? -kInfinity
                               : std::numeric_limits<double>::quiet_NaN();
}

ProgramItem ItemOf(absl::string_view form, const Json& json) {
  ProgramItem item;
  const auto name = [&](std::string text) {
    item.kind = text.empty() ? ProgramItem::kNothing : ProgramItem::kName;
    item.text = std::move(text);
  };
  if (absl::StartsWith(form, "as_sym_") || form == "as_optional_tensor") {
    const auto [inner, value] = Chosen(json);
    return ItemOf(inner, *value);
  }
  if (form == "as_tensor") {
    name(TextAt(json, "name"));
  } else if (form == "as_name" && json.is_string()) {
    name(json.get<std::string>());
  } else if (form == "as_int" || form == "as_scalar_type") {
    const std::optional<int64_t> whole = WholeOf(json);
    item.kind = !whole             ? ProgramItem::kNothing
                : form == "as_int" ? ProgramItem::kInteger
                                   : ProgramItem::kType;
    item.whole = whole.value_or(0);
    item.real = static_cast<double>(item.whole);
    if (item.kind == ProgramItem::kType) item.text = DTypeOf(item.whole);
  } else if (form == "as_float") {
    item.kind = ProgramItem::kFloat;
    item.real = RealOf(json);
    if (item.real > -1e15 && item.real < 1e15) item.whole = static_cast<int64_t>(item.real);
  } else if (form == "as_complex") {
    item.kind = ProgramItem::kComplex;
    item.real = RealOf(At(json, "real"));
    item.imaginary = RealOf(At(json, "imag"));
  } else if (form == "as_bool" && json.is_boolean()) {
    item.kind = ProgramItem::kBool;
    item.whole = json.get<bool>() ? 1 : 0;
    item.real = static_cast<double>(item.whole);
  } else if (form == "as_string" && json.is_string()) {
    item.kind = ProgramItem::kText;
    item.text = json.get<std::string>();
  }
  return item;
}

}  // namespace

ProgramArgument ArgumentOf(std::string name, const Json& json) {
  static constexpr std::array<std::pair<absl::string_view, absl::string_view>, 9> kLists = {
      {{"as_tensors", "as_tensor"},
       {"as_ints", "as_int"},
       {"as_floats", "as_float"},
       {"as_strings", "as_string"},
       {"as_bools", "as_bool"},
       {"as_sym_ints", "as_sym_int"},
       {"as_sym_bools", "as_sym_bool"},
       {"as_sym_floats", "as_sym_float"},
       {"as_optional_tensors", "as_optional_tensor"}}};
  ProgramArgument argument;
  argument.name = std::move(name);
  const auto [form, value] = Chosen(json);
  argument.placement = form == "as_device" || form == "as_layout" || form == "as_memory_format";
  for (const auto& [list, entry] : kLists) {
    if (form != list) continue;
    argument.list = true;
    for (const Json& each : *value) {
      argument.items.push_back(ItemOf(entry, each));
      // None is an entry of a list of optional tensors alone.
      argument.known = argument.known && (entry == "as_optional_tensor" ||
                                          argument.items.back().kind != ProgramItem::kNothing);
    }
  }
  if (argument.list || argument.placement || form.empty() || form == "as_none") return argument;
  argument.items.push_back(ItemOf(form, *value));
  argument.known = argument.items[0].kind != ProgramItem::kNothing;
  return argument;
}

ProgramSize SizeOf(const Json& json) {
  const auto [form, value] = Chosen(json);
  if (form == "as_int") return {"", WholeOf(*value).value_or(-1)};
  std::string text = TextAt(*value, "expr_str");
  return {text.empty() ? "?" : std::move(text), 0};
}

ProgramTensor TensorOf(const Json& json) {
  ProgramTensor tensor;
  if (const std::optional<int64_t> type = WholeOf(At(json, "dtype"))) {
    tensor.dtype = DTypeOf(*type);
    tensor.complex = IsComplexType(*type);
  }
  for (const Json& size : At(json, "sizes")) tensor.sizes.push_back(SizeOf(size));
  for (const Json& stride : At(json, "strides")) tensor.strides.push_back(SizeOf(stride));
  const ProgramSize offset = SizeOf(At(json, "storage_offset"));
  tensor.offset = offset.text.empty() ? offset.number : -1;
  return tensor;
}

std::vector<std::string> NamesIn(const Json& list) {
  std::vector<std::string> names;
  for (const Json& entry : list) {
    const ProgramArgument argument = ArgumentOf("", entry);
    if (argument.items.size() == 1 && argument.items[0].kind == ProgramItem::kName)
      names.push_back(argument.items[0].text);
  }
  return names;
}

}  // namespace tessera::recheck
