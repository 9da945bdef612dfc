#include "frontends/pt2/program_graphs.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tessera::pt2_import {
namespace {

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

constexpr size_t kMost = 400000;  // nodes and tensors that a small file may become

absl::Status CheckNumber(const Program& program) {
  if (program.nodes.size() + program.tensors.size() <= kMost) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("what it repeats comes to more than ", kMost, " nodes and tensors"));
}

std::vector<std::string> ResultsOf(const Node& node) {
  std::vector<std::string> results;
  for (const Argument& output : node.outputs) {
    for (const Item& item : output.items) results.push_back(item.text);
  }
  return results;
}

// Takes the place of a node that runs a graph several times: the parts of a loop, and between them
// the nodes of that graph.
class LoopReader {
 public:
  LoopReader(const Json& json, const Node& node, Program& program)
      : json_(json),
        node_(node),
        program_(program),
        results_(ResultsOf(node)),
        before_(static_cast<std::ptrdiff_t>(program.nodes.size())),
        name_(node.name.empty() && !results_.empty() ? results_[0] : node.name) {}

  // As long as argument 0, a graph, says so of states, which argument 1 makes the next ones of.
  // Initial ones are argument 2, and 3 what both graphs read besides.
  absl::StatusOr<bool> ReadWhile() {
    const std::vector<Item>& initial = node_.inputs[2].items;
    if (initial.empty() || results_.size() != initial.size()) return false;
    std::vector<std::string> values = NamesOf(initial);
    if (!Run("begin.", 0, values, node_.inputs[3].items, node_.branch) || values_.size() != 1)
      return Undone();
    const std::vector<std::string> states = StatesOf(initial.size());
    AddPart(Node::kLoopBegin,
            {NamedArgument("goes_on", values_), NamedArgument("initial", values, true)}, states);
    const int branch = ++program_.branches;
    if (!Run("", 1, states, node_.inputs[3].items, branch) || values_.size() != initial.size())
      return Undone();
    const std::vector<std::string> next = values_;
    if (!Run("", 0, next, node_.inputs[3].items, branch) || values_.size() != 1) return Undone();
    AddPart(Node::kLoopEnd, {NamedArgument("again", values_), NamedArgument("next", next, true)},
            results_);
    return true;
  }

  // For each entry of the tensors that argument `entries` lists; the argument before it, if that is
  // no graph, has states.
  absl::StatusOr<bool> ReadScan(size_t entries) {
    const std::vector<std::string> initial =
        entries > 1 ? NamesOf(node_.inputs[1].items) : std::vector<std::string>();
    const std::vector<std::string> scanned = NamesOf(node_.inputs[entries].items);
    AddPart(Node::kLoopBegin,
            {NamedArgument("along", {scanned[0]}), NamedArgument("initial", initial, true)},
            StatesOf(initial.size()));
    std::vector<std::string> values = StatesOf(initial.size());
    for (size_t i = 0; i < scanned.size(); ++i) {
      values.push_back(absl::StrCat(name_, ".entry_", i));
      AddPart(Node::kLoopEntry, {NamedArgument("x", {scanned[i]})}, {values.back()});
    }
    if (!Run("", 0, values, node_.inputs[entries + 1].items, ++program_.branches) ||
        values_.size() != results_.size())
      return Undone();
    const auto split = values_.begin() + static_cast<std::ptrdiff_t>(initial.size());
    AddPart(Node::kLoopEnd,
            {NamedArgument("next", {values_.begin(), split}, true),
             NamedArgument("collected", {split, values_.end()}, true)},
            results_);
    return true;
  }

 private:
  static std::vector<std::string> NamesOf(const std::vector<Item>& items) {
    std::vector<std::string> names;
    for (const Item& item : items) names.push_back(item.text);
    return names;
  }

  std::vector<std::string> StatesOf(size_t count) const {
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(absl::StrCat(name_, ".state_", i));
    return names;
  }

  void AddPart(Node::Part part, std::vector<Argument> inputs,
               const std::vector<std::string>& outputs) {
    Node& node = program_.nodes.emplace_back();
    node.part = part;
    node.loop = name_;
    node.target = node_.target;
    node.name = name_;
    node.module = node_.module;
    node.source = node_.source;
    node.branch = node_.branch;
    node.inputs = std::move(inputs);
    node.outputs.push_back(NamedArgument("", outputs, true));
  }

  // Adds the nodes of the graph that argument `at` is, of these values and what it reads besides.
  // False: it is of another form, or `failed_` says what is wrong.
  bool Run(const char* when, size_t at, const std::vector<std::string>& values,
           const std::vector<Item>& besides, int branch);

  // Of a node that is not read, nothing is left.
  absl::StatusOr<bool> Undone() {
    if (!failed_.ok()) return failed_;
    program_.nodes.erase(program_.nodes.begin() + before_, program_.nodes.end());
    return false;
  }

  const Json& json_;
  const Node& node_;
  Program& program_;
  const std::vector<std::string> results_;
  const std::ptrdiff_t before_;
  const std::string name_;
  std::vector<std::string> values_;  // outputs of the graph that was added last
  absl::Status failed_;
};

bool LoopReader::Run(const char* when, size_t at, const std::vector<std::string>& values,
                     const std::vector<Item>& besides, int branch) {
  std::vector<Item> passed;
  for (const std::string& value : values) passed.push_back(NameItem(value));
  passed.insert(passed.end(), besides.begin(), besides.end());
  const std::optional<Region> region =
      GraphAt(json_, at, passed, Names{absl::StrCat(name_, ".", when), {}});
  const auto outputs =
      region ? ValuesOf(At(*region->graph, "outputs")) : std::optional<std::vector<std::string>>();
  if (!outputs) return false;
  failed_ = ReadNodes(*region->graph, region->names, branch, program_);
  if (failed_.ok()) failed_ = CheckNumber(program_);
  values_.clear();
  for (const std::string& output : *outputs) values_.push_back(region->names.Of(output));
  return failed_.ok();
}

// Of a node that runs a graph as long as another one says: a loop. False: it is no such node, or of
// another form.
absl::StatusOr<bool> ReadWhile(const Json& json, const Node& node, Program& program) {
  if (node.target != "torch.ops.higher_order.while_loop" || node.inputs.size() != 4 ||
      node.inputs[0].form != "as_graph" || node.inputs[1].form != "as_graph")
    return false;
  for (const Item& item : node.inputs[2].items) {
    if (item.kind != Item::kName) return false;
  }
  return LoopReader(json, node, program).ReadWhile();
}

// Of a node that runs a graph for each entry of an axis whose length is a number: the nodes of that
// graph for one entry after the other; of another length, or of many entries, a loop. `outer` has
// the node. False: it is no such node, or of another form.
absl::StatusOr<bool> ReadRepetition(const Json& outer, const Json& json, const Node& node,
                                    Program& program) {
  constexpr int64_t kMostSteps = 1000;
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
  const std::vector<std::string> results = ResultsOf(node);
  std::vector<std::string> state;
  for (size_t at = 1; at < node.inputs.size(); ++at) {
    for (const Item& item : node.inputs[at].items) {
      if (item.kind != Item::kName) return false;
      if (scan && at == 1) state.push_back(item.text);
    }
  }
  const size_t states = state.size();
  if (results.size() < states) return false;
  if (!length || !length->text.empty() || length->number < 1 || length->number > kMostSteps)
    return LoopReader(json, node, program).ReadScan(entries);
  std::vector<std::vector<std::string>> collected(results.size() - states);
  const auto before = static_cast<std::ptrdiff_t>(program.nodes.size());
  for (int64_t step = 0; step < length->number; ++step) {
    Names inner{absl::StrCat(node.name.empty() ? results[0] : node.name, ".", step, "."), {}};
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
    if (absl::Status status = CheckNumber(program); !status.ok()) return status;
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
    const absl::StatusOr<bool> looped = ReadWhile(entry, *node, program);
    if (!looped.ok()) return looped.status();
    if (*looped) continue;
    const absl::StatusOr<bool> repeated = ReadRepetition(graph, entry, *node, program);
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
  if (const Json& values = At(graph, "sym_int_values"); values.is_object()) {
    for (auto it = values.begin(); it != values.end(); ++it) {
      if (const std::optional<Size> size = ReadSizeOf(*it); size && !size->text.empty())
        program.numbers.emplace(names.Of(it.key()), size->text);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadNodes(const Json& graph, Program& program) {
  return ReadNodes(graph, {}, 0, program);
}

}  // namespace tessera::pt2_import
