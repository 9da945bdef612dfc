#include "recheck/program.h"

#include <array>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"
#include "recheck/archive.h"

namespace tessera::recheck {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("no program that can be read: ", what));
}

absl::StatusOr<Json> Parse(absl::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  Json json = Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong("no JSON");
  return json;
}

// What is missing is null.
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

// The one member of a union that is set.
std::pair<std::string, const Json*> Chosen(const Json& json) {
  if (json.is_object()) {
    for (auto it = json.begin(); it != json.end(); ++it) {
      if (!it->is_null()) return {it.key(), &*it};
    }
  }
  return {"", &json};
}

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

// `L__self__,,Net;L__self___a,a,torch.nn.Conv2d`: the innermost has the path of all. Torch 2.5
// writes `L['self'].layers[0].conv`.
std::string ModuleOf(const std::string& stack) {
  if (absl::StrContains(stack, "_empty_nn_module_stack")) return "";
  const std::vector<std::string> modules = absl::StrSplit(stack, ';');
  const std::vector<std::string> parts = absl::StrSplit(modules.back(), ',');
  if (parts.size() < 2) return "";
  const size_t self = absl::StartsWith(parts[1], "L['") ? parts[1].find("'].") : std::string::npos;
  return self == std::string::npos ? parts[1] : parts[1].substr(self + 3);
}

// What a graph within a call calls its values, in terms of the program.
struct Naming {
  std::string prefix;
  std::map<std::string, std::string> given;

  std::string operator()(const std::string& name) const {
    const auto it = given.find(name);
    return it == given.end() ? prefix + name : it->second;
  }
};

ProgramCall CallOf(const Json& json, const Naming& naming) {
  ProgramCall call;
  const std::string target = TextAt(json, "target");
  absl::string_view overload = target;
  absl::ConsumePrefix(&overload, "torch.ops.");
  absl::ConsumePrefix(&overload, "aten.");
  call.overload = std::string(overload);
  for (const Json& input : At(json, "inputs")) {
    call.arguments.push_back(ArgumentOf(TextAt(input, "name"), At(input, "arg")));
    const Json& graph = At(At(input, "arg"), "as_graph");
    if (graph.is_object()) call.graphs.push_back(naming.prefix + TextAt(graph, "name"));
    for (ProgramItem& item : call.arguments.back().items) {
      if (item.kind == ProgramItem::kName) item.text = naming(item.text);
    }
  }
  call.name = TextAt(json, "name");
  if (!call.name.empty()) call.name = naming.prefix + call.name;
  for (const Json& output : At(json, "outputs")) {
    for (const ProgramItem& item : ArgumentOf("", output).items) {
      call.results.push_back(item.kind == ProgramItem::kName ? naming(item.text) : "");
      if (call.name.empty()) call.name = call.results.back();
    }
  }
  if (call.name.empty()) call.name = call.overload;
  const std::string module = ModuleOf(TextAt(At(json, "metadata"), "nn_module_stack"));
  if (!module.empty()) call.name = absl::StrCat(module, "/", call.name);
  return call;
}

ProgramInput InputOf(const Json& json) {
  ProgramInput input;
  const auto [form, value] = Chosen(json);
  const Json& arg = At(*value, "arg");
  input.name = TextAt(arg, "name");
  if (form == "user_input") {
    const ProgramArgument argument = ArgumentOf("", arg);
    const bool named = !argument.items.empty() && argument.items[0].kind == ProgramItem::kName;
    input.kind = named ? ProgramInput::kUser : ProgramInput::kNumber;
    input.tensor = Chosen(arg).first == "as_tensor";
    if (named) input.name = argument.items[0].text;
  } else if (form == "constant_input") {
    input.kind = ProgramInput::kNumber;
    input.name = TextAt(*value, "name");
  }
  for (const char* key : {"parameter_name", "buffer_name", "tensor_constant_name"}) {
    if (!At(*value, key).is_string()) continue;
    input.kind = ProgramInput::kStored;
    input.stored = TextAt(*value, key);
  }
  return input;
}

// The names in a list of values; fewer than entries: some are no values.
std::vector<std::string> NamesIn(const Json& list) {
  std::vector<std::string> names;
  for (const Json& entry : list) {
    const ProgramArgument argument = ArgumentOf("", entry);
    if (argument.items.size() == 1 && argument.items[0].kind == ProgramItem::kName)
      names.push_back(argument.items[0].text);
  }
  return names;
}

// The graph that a call holds, if all that the call says is that there are no gradients, or no
// autocast, and what it calls its values.
const Json* Held(const Json& json, const ProgramCall& call, const Naming& outer, Naming& naming) {
  const bool autocast = call.overload == "higher_order.wrap_with_autocast";
  if (!autocast && call.overload != "higher_order.wrap_with_set_grad_enabled") return nullptr;
  const Json& inputs = At(json, "inputs");
  const size_t place = autocast ? 4 : 1;
  if (inputs.size() <= place) return nullptr;
  if (autocast && At(At(inputs[2], "arg"), "as_bool") != false) return nullptr;
  const Json& graph = At(At(inputs[place], "arg"), "as_graph");
  const std::vector<std::string> into = NamesIn(At(At(graph, "graph"), "inputs"));
  const std::vector<std::string> out = NamesIn(At(At(graph, "graph"), "outputs"));
  if (into.size() + place + 1 != inputs.size() || out.size() != call.results.size()) return nullptr;
  naming.prefix = absl::StrCat(outer.prefix, TextAt(graph, "name"), ".");
  for (size_t i = 0; i < into.size(); ++i) {
    const std::vector<ProgramItem>& items = call.arguments[place + 1 + i].items;
    if (items.size() != 1 || items[0].kind != ProgramItem::kName) return nullptr;
    naming.given.emplace(into[i], items[0].text);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (!naming.given.emplace(out[i], call.results[i]).second) return nullptr;
  }
  return &At(graph, "graph");
}

void ReadCalls(const Json& graph, const Naming& naming, Program& program) {
  for (const Json& node : At(graph, "nodes")) {
    ProgramCall call = CallOf(node, naming);
    Naming inner;
    if (const Json* const held = Held(node, call, naming, inner)) {
      ReadCalls(*held, inner, program);
    } else {
      program.calls.push_back(std::move(call));
    }
  }
  const Json& tensors = At(graph, "tensor_values");
  for (auto it = tensors.begin(); it != tensors.end(); ++it)
    program.tensors[naming(it.key())] = TensorOf(*it);
}

absl::Status ReadGraph(const Json& json, Program& program) {
  const Json& graph = At(json, "graph");
  const Json& signature = At(json, "signature");
  for (const Json* const list :
       {&At(graph, "nodes"), &At(signature, "input_specs"), &At(signature, "output_specs")}) {
    if (!list->is_array()) return Wrong("it has no graph");
  }
  ReadCalls(graph, {}, program);
  for (const Json& input : At(signature, "input_specs")) program.inputs.push_back(InputOf(input));
  for (const Json& output : At(signature, "output_specs")) {
    const auto [form, value] = Chosen(output);
    if (absl::EndsWith(form, "_mutation")) {
      for (const char* key : {"buffer_name", "parameter_name", "user_input_name"}) {
        if (At(*value, key).is_string())
          program.changed[TextAt(*value, key)] = TextAt(At(*value, "arg"), "name");
      }
      continue;
    }
    if (form != "user_output") return Wrong(absl::StrCat("an output is a `", form, "`"));
    for (const ProgramItem& item : ArgumentOf("", At(*value, "arg")).items) {
      if (item.kind == ProgramItem::kName) program.outputs.push_back(item.text);
    }
  }
  return absl::OkStatus();
}

// The files of stored tensors, by the list beside them.
absl::Status ReadStored(const std::string& list, Program& program) {
  const absl::StatusOr<Json> json = Parse(program.entries.at(list));
  if (!json.ok()) return json.status();
  const std::string folder = list.substr(0, list.rfind('/') + 1);
  const Json& config = At(*json, "config");
  for (auto it = config.begin(); it != config.end(); ++it) {
    const Json& pickled = At(*it, "use_pickle");
    const auto file = program.entries.find(folder + TextAt(*it, "path_name"));
    if ((pickled.is_boolean() && pickled.get<bool>()) || file == program.entries.end()) continue;
    program.stored[it.key()] = {TensorOf(At(*it, "tensor_meta")), file->second};
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> ReadProgram(absl::string_view bytes) {
  absl::StatusOr<std::map<std::string, absl::string_view>> entries = EntriesOf(bytes);
  if (!entries.ok()) return entries.status();
  Program program;
  program.entries = *std::move(entries);
  // Torch 2.5 to 2.7, and from 2.8 on.
  std::string model = "serialized_exported_program.json";
  std::vector<std::string> lists;
  for (const auto& [name, entry] : program.entries) {
    if (absl::EndsWith(name, "/models/model.json") && !program.entries.contains(model))
      model = name;
    if (absl::EndsWith(name, "_config.json") && absl::StrContains(name, "/data/"))
      lists.push_back(name);
  }
  const auto entry = program.entries.find(model);
  if (entry == program.entries.end()) return Wrong("the archive has no graph");
  const absl::StatusOr<Json> json = Parse(entry->second);
  if (!json.ok()) return json.status();
  if (absl::Status status = ReadGraph(At(*json, "graph_module"), program); !status.ok())
    return status;
  const Json& ranges = At(*json, "range_constraints");
  for (auto it = ranges.begin(); it != ranges.end(); ++it)
    program.ranges[it.key()] = {WholeOf(At(*it, "min_val")), WholeOf(At(*it, "max_val"))};
  for (const Json& guard : At(*json, "guards_code")) {
    if (guard.is_string()) program.guards.push_back(guard.get<std::string>());
  }
  for (const std::string& list : lists) {
    if (absl::Status status = ReadStored(list, program); !status.ok()) return status;
  }
  return program;
}

}  // namespace tessera::recheck
