#include "frontends/pt2/program_json.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "frontends/onnx/quoting.h"

namespace tessera::pt2_import {

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the exported program's JSON: ", what));
}

const Json& At(const Json& object, const char* key) {
  static const Json* nothing = new Json();
  if (!object.is_object()) return *nothing;
  const auto it = object.find(key);
  return it == object.end() ? *nothing : *it;
}

std::string TextOf(const Json& json) {
  return json.is_string() ? json.get<std::string>() : std::string();
}

std::optional<int64_t> IntOf(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return json.get<int64_t>();
}

namespace {

using onnx_import::Quoted;

std::optional<double> FloatOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = TextOf(json);
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

}  // namespace

std::pair<std::string, const Json*> Chosen(const Json& json) {
  if (!json.is_object()) return {"", &json};
  for (auto it = json.begin(); it != json.end(); ++it) {
    if (!it->is_null()) return {it.key(), &*it};
  }
  return {"", &json};
}

namespace {

std::optional<Item> ItemOf(const std::string& form, const Json& json) {
  Item item;
  if (form == "as_none") return item;
  if (absl::StartsWith(form, "as_sym_") || form == "as_optional_tensor") {
    const auto [inner, value] = Chosen(json);
    if (inner.empty()) return std::nullopt;
    return ItemOf(inner, *value);
  }
  if (form == "as_tensor" || form == "as_name") {
    item.kind = Item::kName;
    item.text = TextOf(form == "as_name" ? json : At(json, "name"));
    if (item.text.empty()) return std::nullopt;
    return item;
  }
  if (form == "as_int" || form == "as_scalar_type") {
    const std::optional<int64_t> number = IntOf(json);
    if (!number) return std::nullopt;
    item.kind = form == "as_int" ? Item::kInt : Item::kType;
    item.number = *number;
    return item;
  }
  if (form == "as_float") {
    const std::optional<double> number = FloatOf(json);
    if (!number) return std::nullopt;
    item.kind = Item::kFloat;
    item.real = *number;
    return item;
  }
  if (form == "as_complex") {
    const std::optional<double> real = FloatOf(At(json, "real"));
    const std::optional<double> imaginary = FloatOf(At(json, "imag"));
    if (!real || !imaginary) return std::nullopt;
    item.kind = Item::kComplex;
    item.real = *real;
    item.imaginary = *imaginary;
    return item;
  }
  if (form == "as_bool" && json.is_boolean()) {
    item.kind = Item::kBool;
    item.number = json.get<bool>() ? 1 : 0;
    return item;
  }
  if (form == "as_string" && json.is_string()) {
    item.kind = Item::kText;
    item.text = TextOf(json);
    return item;
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<Argument> ReadArgument(std::string name, const Json& json) {
  Argument argument;
  argument.name = std::move(name);
  const auto [form, value] = Chosen(json);
  argument.form = form.empty() ? "as_none" : form;
  if (form.empty()) {
    argument.items.emplace_back();
    return argument;
  }
  argument.placement = form == "as_device" || form == "as_layout" || form == "as_memory_format";
  if (argument.placement) return argument;
  static const auto* lists =
      new std::map<std::string, std::string>{{"as_tensors", "as_tensor"},
                                             {"as_ints", "as_int"},
                                             {"as_floats", "as_float"},
                                             {"as_strings", "as_string"},
                                             {"as_bools", "as_bool"},
                                             {"as_sym_ints", "as_sym_int"},
                                             {"as_sym_bools", "as_sym_bool"},
                                             {"as_sym_floats", "as_sym_float"},
                                             {"as_optional_tensors", "as_optional_tensor"}};
  const auto list = lists->find(form);
  argument.list = list != lists->end();
  if (argument.list) {
    if (!value->is_array()) return Wrong(absl::StrCat(Quoted(form), " is no list"));
    for (const Json& entry : *value) {
      // A list of tensors has them without a key.
      std::optional<Item> item = ItemOf(list->second, entry);
      if (!item)
        return Wrong(absl::StrCat("an entry of ", Quoted(form), " is not what it should be"));
      argument.items.push_back(*std::move(item));
    }
    return argument;
  }
  static const char* const kKnown[] = {"as_none",
                                       "as_tensor",
                                       "as_int",
                                       "as_float",
                                       "as_bool",
                                       "as_string",
                                       "as_sym_int",
                                       "as_sym_bool",
                                       "as_scalar_type",
                                       "as_sym_float",
                                       "as_optional_tensor",
                                       "as_complex"};
  argument.known = false;
  for (const char* known : kKnown) argument.known |= form == known;
  if (!argument.known) return argument;
  std::optional<Item> item = ItemOf(form, *value);
  if (!item) return Wrong(absl::StrCat(Quoted(form), " is not what it should be"));
  argument.items.push_back(*std::move(item));
  return argument;
}

std::optional<Size> ReadSizeOf(const Json& json) {
  const auto [form, value] = Chosen(json);
  Size size;
  if (form == "as_int") {
    const std::optional<int64_t> number = IntOf(*value);
    if (!number) return std::nullopt;
    size.number = *number;
    return size;
  }
  size.text = TextOf(At(*value, "expr_str"));
  if (form != "as_expr" || size.text.empty()) return std::nullopt;
  return size;
}

absl::StatusOr<TensorMeta> ReadMeta(const Json& json) {
  TensorMeta meta;
  const std::optional<int64_t> dtype = IntOf(At(json, "dtype"));
  const std::optional<int64_t> layout = IntOf(At(json, "layout"));
  std::optional<Size> offset = ReadSizeOf(At(json, "storage_offset"));
  if (!dtype || !layout || !offset || !At(json, "sizes").is_array() ||
      !At(json, "strides").is_array())
    return Wrong("a tensor without dtype, layout, sizes, strides or offset");
  meta.dtype = *dtype;
  meta.strided = *layout == 7;
  meta.offset = *std::move(offset);
  for (const char* key : {"sizes", "strides"}) {
    for (const Json& entry : At(json, key)) {
      std::optional<Size> size = ReadSizeOf(entry);
      if (!size) return Wrong("a size that is neither a number nor an expression");
      (key[1] == 'i' ? meta.sizes : meta.strides).push_back(*std::move(size));
    }
  }
  return meta;
}

namespace {

// `L__self__,,Net;L__self___a,a,torch.nn.Conv2d`: the innermost has the path of all.
std::string ModuleOf(const std::string& stack) {
  if (absl::StrContains(stack, "_empty_nn_module_stack")) return "";
  const std::vector<absl::string_view> modules = absl::StrSplit(stack, ';');
  std::vector<absl::string_view> parts = absl::StrSplit(modules.back(), ',');
  std::string path(parts.size() > 1 ? parts[1] : "");
  // torch 2.5 writes `L['self'].layers[0].conv`.
  if (const size_t end = path.find("']."); absl::StartsWith(path, "L['") && end != path.npos)
    path = path.substr(end + 3);
  return path;
}

// The innermost line that is not of torch itself, else the innermost.
std::string SourceOf(const std::string& trace) {
  std::string found, last;
  const std::vector<absl::string_view> lines = absl::StrSplit(trace, '\n');
  for (size_t i = 0; i < lines.size(); ++i) {
    absl::string_view line = absl::StripAsciiWhitespace(lines[i]);
    if (!absl::ConsumePrefix(&line, "File \"")) continue;
    const size_t quote = line.find('"');
    const size_t number = line.find(", line ");
    if (quote == absl::string_view::npos || number == absl::string_view::npos || number < quote)
      continue;
    const absl::string_view file = line.substr(0, quote);
    absl::string_view after = line.substr(number + 7);
    last = absl::StrCat(file, ":", after.substr(0, after.find(',')));
    if (i + 1 < lines.size()) {
      const absl::string_view code = absl::StripAsciiWhitespace(lines[i + 1]);
      if (!code.empty() && !absl::StartsWith(code, "File ")) absl::StrAppend(&last, ": ", code);
    }
    if (!absl::StrContains(file, "site-packages/torch/")) found = last;
  }
  return found.empty() ? last : found;
}

}  // namespace

absl::StatusOr<Node> ReadNode(const Json& json) {
  Node node;
  node.target = TextOf(At(json, "target"));
  node.name = TextOf(At(json, "name"));
  if (node.target.empty()) return Wrong("a node without a target");
  if (!At(json, "inputs").is_array() || !At(json, "outputs").is_array())
    return Wrong("a node without lists of inputs and outputs");
  for (const Json& input : At(json, "inputs")) {
    absl::StatusOr<Argument> argument = ReadArgument(TextOf(At(input, "name")), At(input, "arg"));
    if (!argument.ok()) return argument.status();
    node.inputs.push_back(*std::move(argument));
  }
  for (const Json& output : At(json, "outputs")) {
    absl::StatusOr<Argument> argument = ReadArgument("", output);
    if (!argument.ok()) return argument.status();
    node.outputs.push_back(*std::move(argument));
  }
  const Json& metadata = At(json, "metadata");
  node.module = ModuleOf(TextOf(At(metadata, "nn_module_stack")));
  node.source = SourceOf(TextOf(At(metadata, "stack_trace")));
  return node;
}

}  // namespace tessera::pt2_import
