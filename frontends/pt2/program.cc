#include "frontends/pt2/program.h"

#include <cmath>
#include <limits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "nlohmann/json.hpp"

namespace tessera::pt2_import {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 32;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("the exported program's JSON: ", what));
}

// Never null: what is missing or no object has nothing in it.
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

std::optional<double> FloatOf(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = TextOf(json);
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

// The one key of a union. Torch writes those that are not set as null, or not at all.
std::pair<std::string, const Json*> Chosen(const Json& json) {
  if (!json.is_object()) return {"", &json};
  for (auto it = json.begin(); it != json.end(); ++it) {
    if (!it->is_null()) return {it.key(), &*it};
  }
  return {"", &json};
}

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
    if (!value->is_array()) return Wrong(absl::StrCat("`", form, "` is no list"));
    for (const Json& entry : *value) {
      // A list of tensors has them without a key.
      std::optional<Item> item = ItemOf(list->second, entry);
      if (!item) return Wrong(absl::StrCat("an entry of `", form, "` is not what it should be"));
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
  if (!item) return Wrong(absl::StrCat("`", form, "` is not what it should be"));
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

absl::StatusOr<InputSpec> ReadInput(const Json& json) {
  const auto [form, value] = Chosen(json);
  InputSpec spec;
  spec.form = form;
  const Json& arg = At(*value, "arg");
  spec.value = TextOf(At(arg, "name"));
  if (form == "user_input") {
    absl::StatusOr<Argument> argument = ReadArgument("", arg);
    if (!argument.ok()) return argument.status();
    spec.kind = argument->items.empty() || argument->items[0].kind != Item::kName
                    ? InputSpec::kScalar
                    : InputSpec::kUser;
    spec.tensor = argument->form == "as_tensor";
    if (spec.kind == InputSpec::kUser) spec.value = argument->items[0].text;
  } else if (form == "parameter") {
    spec.kind = InputSpec::kParameter;
    spec.target = TextOf(At(*value, "parameter_name"));
  } else if (form == "buffer") {
    spec.kind = InputSpec::kBuffer;
    spec.target = TextOf(At(*value, "buffer_name"));
  } else if (form == "tensor_constant") {
    spec.kind = InputSpec::kConstant;
    spec.target = TextOf(At(*value, "tensor_constant_name"));
  } else if (form == "constant_input") {
    spec.kind = InputSpec::kScalar;
    spec.value = TextOf(At(*value, "name"));
  } else if (form.empty()) {
    return Wrong("an input of no kind");
  }
  return spec;
}

absl::StatusOr<OutputSpec> ReadOutput(const Json& json) {
  const auto [form, value] = Chosen(json);
  OutputSpec spec;
  spec.form = form;
  if (form.empty()) return Wrong("an output of no kind");
  if (form == "user_output") {
    absl::StatusOr<Argument> argument = ReadArgument("", At(*value, "arg"));
    if (!argument.ok()) return argument.status();
    spec.value = *std::move(argument);
    return spec;
  }
  Item item;
  item.kind = Item::kName;
  item.text = TextOf(At(At(*value, "arg"), "name"));
  spec.value.items.push_back(std::move(item));
  for (const char* key : {"buffer_name", "user_input_name", "parameter_name"}) {
    if (std::string name = TextOf(At(*value, key)); !name.empty()) spec.target = std::move(name);
  }
  return spec;
}

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  if (text.size() > kMaxJson)
    return Wrong(absl::StrCat(text.size(), " bytes, of which at most ", kMaxJson, " are read"));
  // What nests deeper than anything of the schema takes far more memory than its text.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  Json json = Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong("no JSON");
  return json;
}

// What names of a graph within a node are called in the program.
struct Names {
  std::string prefix;
  std::map<std::string, std::string> known;

  std::string Of(const std::string& name) const {
    const auto it = known.find(name);
    return it == known.end() ? prefix + name : it->second;
  }
};

// Names of values in lists that belong to a graph, by place; nullopt: something else is there too.
std::optional<std::vector<std::string>> ValuesOf(const Json& list) {
  std::vector<std::string> names;
  if (!list.is_array()) return std::nullopt;
  for (const Json& entry : list) {
    const absl::StatusOr<Argument> argument = ReadArgument("", entry);
    if (!argument.ok() || argument->items.size() != 1 || argument->items[0].kind != Item::kName)
      return std::nullopt;
    names.push_back(argument->items[0].text);
  }
  return names;
}

// A graph that a node only puts into a mode which changes no result: without gradients, or without
// autocast. Stands where the node does.
struct Region {
  const Json* graph = nullptr;
  Names names;
};
std::optional<Region> RegionOf(const Json& json, const Node& node, const Names& outer) {
  size_t at = 0;
  if (node.target == "torch.ops.higher_order.wrap_with_set_grad_enabled") {
    at = 1;
  } else if (node.target == "torch.ops.higher_order.wrap_with_autocast") {
    at = 4;
    const Argument* enabled = node.inputs.size() > 2 ? &node.inputs[2] : nullptr;
    if (enabled == nullptr || enabled->form != "as_bool" || enabled->items[0].number != 0)
      return std::nullopt;
  }
  if (at == 0 || node.inputs.size() <= at || node.inputs[at].form != "as_graph")
    return std::nullopt;
  const Json& named = *Chosen(At(At(json, "inputs")[at], "arg")).second;
  Region region{&At(named, "graph"),
                {absl::StrCat(outer.prefix, TextOf(At(named, "name")), "."), {}}};
  const auto inputs = ValuesOf(At(*region.graph, "inputs"));
  const auto outputs = ValuesOf(At(*region.graph, "outputs"));
  std::vector<std::string> results;
  for (const Argument& output : node.outputs) {
    for (const Item& item : output.items) results.push_back(item.text);
  }
  if (!inputs || !outputs || node.inputs.size() != at + 1 + inputs->size() ||
      results.size() != outputs->size())
    return std::nullopt;
  for (size_t i = 0; i < inputs->size(); ++i) {
    const Argument& argument = node.inputs[at + 1 + i];
    if (argument.items.size() != 1 || argument.items[0].kind != Item::kName) return std::nullopt;
    region.names.known.emplace((*inputs)[i], argument.items[0].text);
  }
  for (size_t i = 0; i < outputs->size(); ++i) {
    // What goes in and comes out again has two names, which nothing here gives it.
    if (!region.names.known.emplace((*outputs)[i], results[i]).second) return std::nullopt;
  }
  return region;
}

absl::Status ReadNodes(const Json& graph, const Names& names, int branch, Program& program);

// Argument `at` of a node, a graph whose inputs are what is passed to it; nullopt: of another form.
std::optional<Region> GraphAt(const Json& json, size_t at, const std::vector<Item>& passed,
                              const Names& outer) {
  const Json& named = *Chosen(At(At(json, "inputs")[at], "arg")).second;
  Region region{&At(named, "graph"),
                {absl::StrCat(outer.prefix, TextOf(At(named, "name")), "."), {}}};
  const auto inputs = ValuesOf(At(*region.graph, "inputs"));
  if (!inputs || inputs->size() != passed.size()) return std::nullopt;
  for (size_t i = 0; i < inputs->size(); ++i) {
    if (passed[i].kind != Item::kName) return std::nullopt;
    region.names.known.emplace((*inputs)[i], passed[i].text);
  }
  return region;
}

Item NameItem(std::string name) {
  Item item;
  item.kind = Item::kName;
  item.text = std::move(name);
  return item;
}

Argument NamedArgument(std::string name, const std::vector<std::string>& values,
                       bool list = false) {
  Argument argument;
  argument.name = std::move(name);
  argument.form = list ? "as_tensors" : "as_tensor";
  argument.list = list;
  for (const std::string& value : values) argument.items.push_back(NameItem(value));
  return argument;
}

Argument IntArgument(std::string name, int64_t number) {
  Argument argument;
  argument.name = std::move(name);
  argument.form = "as_int";
  argument.items.emplace_back();
  argument.items[0].kind = Item::kInt;
  argument.items[0].number = number;
  return argument;
}

// Of a node that runs one of two graphs: the nodes of both, and then one for each result, of what
// either graph has for it. False: it is no such node, or of another form.
absl::StatusOr<bool> ReadChoice(const Json& json, const Node& node, const Names& names,
                                Program& program) {
  if (node.target != "torch.ops.higher_order.cond" || node.inputs.size() != 4 ||
      node.inputs[1].form != "as_graph" || node.inputs[2].form != "as_graph")
    return false;
  std::vector<Item> results;
  for (const Argument& output : node.outputs)
    results.insert(results.end(), output.items.begin(), output.items.end());
  std::vector<Region> regions;
  std::vector<std::vector<std::string>> outputs;
  for (const size_t at : {1, 2}) {
    const std::optional<Region> region = GraphAt(json, at, node.inputs[3].items, names);
    if (!region) return false;
    const auto values = ValuesOf(At(*region->graph, "outputs"));
    if (!values || values->size() != results.size()) return false;
    regions.push_back(*region);
    outputs.push_back(*values);
  }
  for (const Region& region : regions) {
    const int branch = ++program.branches;
    if (absl::Status status = ReadNodes(*region.graph, region.names, branch, program); !status.ok())
      return status;
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Node choice = node;
    choice.name = results[i].text;
    choice.inputs.assign(3, node.inputs[0]);
    choice.inputs[0].name = "pred";
    for (const size_t side : {0, 1}) {
      Argument& argument = choice.inputs[side + 1];
      argument.name = side == 0 ? "of_true" : "of_false";
      argument.form = "as_tensor";
      argument.items.assign(1, Item{});
      argument.items[0].kind = Item::kName;
      argument.items[0].text = regions[side].names.Of(outputs[side][i]);
    }
    choice.outputs.assign(1, choice.inputs[1]);
    choice.outputs[0].name.clear();
    choice.outputs[0].items.assign(1, results[i]);
    program.nodes.push_back(std::move(choice));
  }
  return true;
}

// A node beside `like`, of one result.
Node NodeOf(const Node& like, const char* target, std::vector<Argument> inputs, std::string name) {
  Node node;
  node.target = target;
  node.name = name;
  node.module = like.module;
  node.source = like.source;
  node.branch = like.branch;
  node.inputs = std::move(inputs);
  node.outputs.push_back(NamedArgument("", {std::move(name)}));
  return node;
}

// Of a node that runs a graph for each entry of an axis whose length is a number: the nodes of that
// graph for one entry after the other. `outer` has the node. False: it is no such node, or of
// another form.
absl::StatusOr<bool> ReadRepetition(const Json& outer, const Json& json, const Node& node,
                                    const Names& names, Program& program) {
  constexpr int64_t kMostSteps = 1000;
  constexpr size_t kMost = 400000;  // nodes and tensors that a small file may become
  const bool scan = node.target == "torch.ops.higher_order.scan";
  const size_t entries = scan ? 2 : 1;  // the argument with what is gone through
  if ((!scan && node.target != "torch.ops.higher_order.map_impl") ||
      node.inputs.size() != entries + 2 || node.inputs[0].form != "as_graph" ||
      node.inputs[entries].items.empty())
    return false;
  const Json& first = *Chosen(At(At(json, "inputs")[entries], "arg")).second;
  if (!first.is_array() || first.empty()) return false;
  const std::string along = TextOf(At(first[0], "name"));
  const Json& sizes = At(At(At(outer, "tensor_values"), along.c_str()), "sizes");
  const std::optional<Size> length =
      sizes.is_array() && !sizes.empty() ? ReadSizeOf(sizes[0]) : std::nullopt;
  if (!length || !length->text.empty() || length->number < 1 || length->number > kMostSteps)
    return false;
  std::vector<std::string> results, state;
  for (const Argument& output : node.outputs) {
    for (const Item& item : output.items) results.push_back(item.text);
  }
  for (size_t at = 1; at < node.inputs.size(); ++at) {
    for (const Item& item : node.inputs[at].items) {
      if (item.kind != Item::kName) return false;
      if (scan && at == 1) state.push_back(item.text);
    }
  }
  const size_t states = state.size();
  if (results.size() < states) return false;
  std::vector<std::vector<std::string>> collected(results.size() - states);
  const auto before = static_cast<std::ptrdiff_t>(program.nodes.size());
  for (int64_t step = 0; step < length->number; ++step) {
    Names inner{
        absl::StrCat(names.prefix, node.name.empty() ? results[0] : node.name, ".", step, "."), {}};
    std::vector<Item> passed;
    for (const std::string& name : state) passed.push_back(NameItem(name));
    for (const Item& item : node.inputs[entries].items) {
      const std::string entry = absl::StrCat(inner.prefix, "entry_", passed.size());
      program.nodes.push_back(NodeOf(
          node, "torch.ops.aten.select.int",
          {NamedArgument("self", {item.text}), IntArgument("dim", 0), IntArgument("index", step)},
          entry));
      passed.push_back(NameItem(entry));
    }
    const std::vector<Item>& rest = node.inputs[entries + 1].items;
    passed.insert(passed.end(), rest.begin(), rest.end());
    std::optional<Region> region = GraphAt(json, 0, passed, inner);
    const auto values = region ? ValuesOf(At(*region->graph, "outputs"))
                               : std::optional<std::vector<std::string>>();
    if (!values || values->size() != results.size()) {
      program.nodes.erase(program.nodes.begin() + before, program.nodes.end());
      return false;
    }
    if (absl::Status status = ReadNodes(*region->graph, region->names, node.branch, program);
        !status.ok())
      return status;
    if (program.nodes.size() + program.tensors.size() > kMost)
      return absl::ResourceExhaustedError(
          absl::StrCat("what it repeats comes to more than ", kMost, " nodes and tensors"));
    for (size_t i = 0; i < values->size(); ++i) {
      std::string value = region->names.Of((*values)[i]);
      if (i < states) {
        state[i] = std::move(value);
      } else {
        collected[i - states].push_back(std::move(value));
      }
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    program.nodes.push_back(
        i < states ? NodeOf(node, "torch.ops.aten.clone.default",
                            {NamedArgument("self", {state[i]})}, results[i])
                   : NodeOf(node, "torch.ops.aten.stack.default",
                            {NamedArgument("tensors", collected[i - states], true)}, results[i]));
  }
  return true;
}

absl::Status ReadNodes(const Json& graph, const Names& names, int branch, Program& program) {
  if (!At(graph, "nodes").is_array()) return Wrong("no graph with nodes");
  for (const Json& entry : At(graph, "nodes")) {
    absl::StatusOr<Node> node = ReadNode(entry);
    if (!node.ok()) return node.status();
    for (std::vector<Argument>* arguments : {&node->inputs, &node->outputs}) {
      for (Argument& argument : *arguments) {
        for (Item& item : argument.items) {
          if (item.kind == Item::kName) item.text = names.Of(item.text);
        }
      }
    }
    if (!node->name.empty()) node->name = names.prefix + node->name;
    node->branch = branch;
    if (const std::optional<Region> region = RegionOf(entry, *node, names)) {
      if (absl::Status status = ReadNodes(*region->graph, region->names, branch, program);
          !status.ok())
        return status;
      continue;
    }
    const absl::StatusOr<bool> choice = ReadChoice(entry, *node, names, program);
    if (!choice.ok()) return choice.status();
    if (*choice) continue;
    const absl::StatusOr<bool> repeated = ReadRepetition(graph, entry, *node, names, program);
    if (!repeated.ok()) return repeated.status();
    if (*repeated) continue;
    program.nodes.push_back(*std::move(node));
  }
  if (const Json& values = At(graph, "tensor_values"); values.is_object()) {
    for (auto it = values.begin(); it != values.end(); ++it) {
      absl::StatusOr<TensorMeta> meta = ReadMeta(*it);
      if (!meta.ok()) return meta.status();
      program.tensors.emplace(names.Of(it.key()), *std::move(meta));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadGraph(const Json& json, Program& program) {
  if (absl::Status status = ReadNodes(At(json, "graph"), {}, 0, program); !status.ok())
    return status;
  const Json& signature = At(json, "signature");
  if (!At(signature, "input_specs").is_array() || !At(signature, "output_specs").is_array())
    return Wrong("no signature");
  for (const Json& entry : At(signature, "input_specs")) {
    absl::StatusOr<InputSpec> spec = ReadInput(entry);
    if (!spec.ok()) return spec.status();
    program.inputs.push_back(*std::move(spec));
  }
  for (const Json& entry : At(signature, "output_specs")) {
    absl::StatusOr<OutputSpec> spec = ReadOutput(entry);
    if (!spec.ok()) return spec.status();
    program.outputs.push_back(*std::move(spec));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Program> ReadProgram(absl::string_view text) {
  absl::StatusOr<Json> json = ParseJson(text);
  if (!json.ok()) return json.status();
  Program program;
  const std::optional<int64_t> major = IntOf(At(At(*json, "schema_version"), "major"));
  program.schema_major = major.value_or(0);
  program.schema_minor = IntOf(At(At(*json, "schema_version"), "minor")).value_or(0);
  program.torch_version = TextOf(At(*json, "torch_version"));
  if (!major) return Wrong("no version of its schema");
  if (*major < kOldestSchema || *major > kNewestSchema)
    return absl::UnimplementedError(
        absl::StrCat("the exported program is of schema ", *major, ".", program.schema_minor,
                     program.torch_version.empty() ? "" : " (torch ", program.torch_version,
                     program.torch_version.empty() ? "" : ")", "; those from ", kOldestSchema,
                     " to ", kNewestSchema, " (torch 2.5 to 2.15) are read"));
  if (absl::Status status = ReadGraph(At(*json, "graph_module"), program); !status.ok())
    return status;
  if (const Json& ranges = At(*json, "range_constraints"); ranges.is_object()) {
    for (auto it = ranges.begin(); it != ranges.end(); ++it)
      program.ranges[it.key()] = {IntOf(At(*it, "min_val")), IntOf(At(*it, "max_val"))};
  }
  if (const Json& guards = At(*json, "guards_code"); guards.is_array()) {
    for (const Json& guard : guards) program.guards.push_back(TextOf(guard));
  }
  return program;
}

absl::StatusOr<std::map<std::string, Payload>> ReadPayloads(absl::string_view text) {
  absl::StatusOr<Json> json = ParseJson(text);
  if (!json.ok()) return json.status();
  const Json& config = At(*json, "config");
  if (!config.is_object()) return Wrong("a list of tensors without `config`");
  std::map<std::string, Payload> payloads;
  for (auto it = config.begin(); it != config.end(); ++it) {
    Payload payload;
    payload.path = TextOf(At(*it, "path_name"));
    payload.pickled = At(*it, "use_pickle").is_boolean() && At(*it, "use_pickle").get<bool>();
    if (payload.path.empty()) return Wrong(absl::StrCat("tensor `", it.key(), "` has no path"));
    if (!payload.pickled) {
      absl::StatusOr<TensorMeta> meta = ReadMeta(At(*it, "tensor_meta"));
      if (!meta.ok()) return meta.status();
      payload.meta = *std::move(meta);
    }
    payloads.emplace(it.key(), std::move(payload));
  }
  return payloads;
}

absl::StatusOr<ir::DType> DTypeOf(int64_t scalar_type) {
  switch (scalar_type) {
    case 1:
      return ir::DType::kU8;
    case 2:
      return ir::DType::kI8;
    case 3:
      return ir::DType::kI16;
    case 4:
      return ir::DType::kI32;
    case 5:
      return ir::DType::kI64;
    case 6:
      return ir::DType::kF16;
    case 7:
      return ir::DType::kF32;
    case 8:
      return ir::DType::kF64;
    case 12:
      return ir::DType::kBool;
    case 13:
      return ir::DType::kBF16;
    case 28:
      return ir::DType::kU16;
    case 34:
      return ir::DType::kU32;
    case 35:
      return ir::DType::kU64;
    default:
      return absl::UnimplementedError(absl::StrCat(
          "element type number ", scalar_type,
          PartTypeOf(scalar_type) ? " of PyTorch, complex numbers, is not supported here"
                                  : " of PyTorch (float8 or unknown) is not supported"));
  }
}

std::optional<ir::DType> PartTypeOf(int64_t scalar_type) {
  switch (scalar_type) {
    case 9:
      return ir::DType::kF16;
    case 10:
      return ir::DType::kF32;
    case 11:
      return ir::DType::kF64;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<ir::DType> HeldTypeOf(int64_t scalar_type) {
  if (const std::optional<ir::DType> part = PartTypeOf(scalar_type)) return *part;
  return DTypeOf(scalar_type);
}

}  // namespace tessera::pt2_import
