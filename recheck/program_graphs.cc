#include "recheck/program_graphs.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace tessera::recheck {
namespace {

constexpr size_t kMost = 400000;      // calls and tensors that a small file may become
constexpr int64_t kMostSteps = 1000;  // that a graph is repeated for; others are loops

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

using Names = std::vector<std::string>;

// What a graph within a call calls its values, in terms of the program.
struct Naming {
  std::string prefix;
  std::map<std::string, std::string> given;

  std::string operator()(const std::string& name) const {
    const auto it = given.find(name);
    return it == given.end() ? prefix + name : it->second;
  }
};

// A call that stands in the program, beside its JSON.
struct Place {
  const Json& json;
  const Json& graph;  // that it stands in
  const Naming& naming;
  const ProgramCall& call;
  std::string name;  // without its module
};

ProgramArgument Values(std::string name, const Names& values, bool list) {
  ProgramArgument argument;
  argument.name = std::move(name);
  argument.list = list;
  for (const std::string& value : values) {
    argument.items.emplace_back().kind = ProgramItem::kName;
    argument.items.back().text = value;
  }
  return argument;
}

ProgramArgument Integer(std::string name, int64_t whole) {
  ProgramArgument argument;
  argument.name = std::move(name);
  argument.items.emplace_back().kind = ProgramItem::kInteger;
  argument.items[0].whole = whole;
  argument.items[0].real = static_cast<double>(whole);
  return argument;
}

// The values that an argument has, unless something else is among them.
std::optional<Names> ValuesOf(const ProgramArgument& argument) {
  Names values;
  for (const ProgramItem& item : argument.items) {
    if (item.kind != ProgramItem::kName) return std::nullopt;
    values.push_back(item.text);
  }
  return values;
}

class GraphReader {
 public:
  explicit GraphReader(Program& program) : program_(program) {}

  absl::Status Read(const Json& graph, const Naming& naming);

 private:
  // A graph that an argument is, whose inputs are `passed`. Its own name follows `prefix`.
  struct Held {
    const Json* graph = nullptr;
    Naming naming;
    Names outputs;  // in terms of the program
  };
  static std::optional<Held> HeldAt(const Place& place, size_t argument, const std::string& prefix,
                                    const Names& passed);

  // What takes the place of a call that holds graphs. False: it is none of these, or of another
  // form; then nothing is left of it.
  absl::StatusOr<bool> Expand(const Place& place);
  absl::StatusOr<bool> Region(const Place& place);
  absl::StatusOr<bool> Choice(const Place& place);
  absl::StatusOr<bool> While(const Place& place);
  absl::StatusOr<bool> Repetition(const Place& place);
  absl::StatusOr<bool> Loop(const Place& place, const Names& initial, const Names& entries,
                            const Names& besides);
  absl::StatusOr<bool> Steps(const Place& place, int64_t steps, Names state, const Names& entries,
                             const Names& besides);

  absl::Status Run(const Held& held) { return Read(*held.graph, held.naming); }
  void Add(const Place& place, std::string overload, std::vector<ProgramArgument> arguments,
           std::string result);
  void AddPart(const Place& place, ProgramCall::Part part, std::vector<ProgramArgument> arguments,
               Names results);

  Program& program_;
};

// With the module that the call at `place` is in.
std::string Within(const Place& place, const std::string& name) {
  return place.call.name.substr(0, place.call.name.size() - place.name.size()) + name;
}

Names States(const Place& place, size_t count) {
  Names names;
  for (size_t i = 0; i < count; ++i) names.push_back(absl::StrCat(place.name, ".state_", i));
  return names;
}

void GraphReader::Add(const Place& place, std::string overload,
                      std::vector<ProgramArgument> arguments, std::string result) {
  ProgramCall& call = program_.calls.emplace_back();
  call.overload = std::move(overload);
  call.name = Within(place, result);
  call.arguments = std::move(arguments);
  call.results = {std::move(result)};
}

void GraphReader::AddPart(const Place& place, ProgramCall::Part part,
                          std::vector<ProgramArgument> arguments, Names results) {
  ProgramCall& call = program_.calls.emplace_back();
  call.part = part;
  call.overload = place.call.overload;
  call.name = place.call.name;
  call.arguments = std::move(arguments);
  call.results = std::move(results);
}

std::optional<GraphReader::Held> GraphReader::HeldAt(const Place& place, size_t argument,
                                                     const std::string& prefix,
                                                     const Names& passed) {
  const Json& named = At(At(At(place.json, "inputs")[argument], "arg"), "as_graph");
  const Json& graph = At(named, "graph");
  const Json &into = At(graph, "inputs"), &out = At(graph, "outputs");
  const Names inputs = NamesIn(into), outputs = NamesIn(out);
  if (inputs.size() != into.size() || outputs.size() != out.size() ||
      inputs.size() != passed.size())
    return std::nullopt;
  Held held{&graph, {absl::StrCat(prefix, TextAt(named, "name"), "."), {}}, {}};
  for (size_t i = 0; i < inputs.size(); ++i) held.naming.given.emplace(inputs[i], passed[i]);
  for (const std::string& output : outputs) held.outputs.push_back(held.naming(output));
  return held;
}

// That there are no gradients, or no autocast: what the graph computes has the names of the
// results.
absl::StatusOr<bool> GraphReader::Region(const Place& place) {
  const bool autocast = place.call.overload == "higher_order.wrap_with_autocast";
  if (!autocast && place.call.overload != "higher_order.wrap_with_set_grad_enabled") return false;
  const Json& inputs = At(place.json, "inputs");
  const size_t at = autocast ? 4 : 1;
  if (inputs.size() <= at) return false;
  if (autocast && At(At(inputs[2], "arg"), "as_bool") != false) return false;
  Names passed;
  for (size_t i = at + 1; i < inputs.size(); ++i) {
    const auto value = ValuesOf(place.call.arguments[i]);
    if (!value || value->size() != 1) return false;
    passed.push_back(value->front());
  }
  std::optional<Held> held = HeldAt(place, at, place.naming.prefix, passed);
  if (!held || held->outputs.size() != place.call.results.size()) return false;
  const Names outputs = NamesIn(At(*held->graph, "outputs"));
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!held->naming.given.emplace(outputs[i], place.call.results[i]).second) return false;
  }
  if (absl::Status status = Run(*held); !status.ok()) return status;
  return true;
}

// Both graphs are run, and of each of their results there is one.
absl::StatusOr<bool> GraphReader::Choice(const Place& place) {
  const std::vector<ProgramArgument>& arguments = place.call.arguments;
  if (place.call.overload != "higher_order.cond" || arguments.size() != 4) return false;
  const std::optional<Names> passed = ValuesOf(arguments[3]);
  if (!passed) return false;
  std::vector<Held> sides;
  for (const size_t at : {1, 2}) {
    std::optional<Held> held = HeldAt(place, at, place.naming.prefix, *passed);
    if (!held || held->outputs.size() != place.call.results.size()) return false;
    sides.push_back(*std::move(held));
  }
  for (const Held& side : sides) {
    if (absl::Status status = Run(side); !status.ok()) return status;
  }
  for (size_t i = 0; i < place.call.results.size(); ++i) {
    ProgramArgument condition = arguments[0];
    condition.name = "pred";
    Add(place, place.call.overload,
        {std::move(condition), Values("of_true", {sides[0].outputs[i]}, false),
         Values("of_false", {sides[1].outputs[i]}, false)},
        place.call.results[i]);
  }
  return true;
}

// What the first graph says of the states decides whether the second one makes the next ones.
absl::StatusOr<bool> GraphReader::While(const Place& place) {
  const std::vector<ProgramArgument>& arguments = place.call.arguments;
  if (place.call.overload != "higher_order.while_loop" || arguments.size() != 4) return false;
  const std::optional<Names> initial = ValuesOf(arguments[2]), besides = ValuesOf(arguments[3]);
  if (!initial || !besides || initial->empty() || place.call.results.size() != initial->size())
    return false;
  const auto held_at = [&](size_t argument, const char* when, Names values) {
    values.insert(values.end(), besides->begin(), besides->end());
    return HeldAt(place, argument, absl::StrCat(place.name, ".", when), values);
  };
  const Names states = States(place, initial->size());
  const std::optional<Held> first = held_at(0, "begin.", *initial), step = held_at(1, "", states);
  if (!first || first->outputs.size() != 1 || !step || step->outputs.size() != states.size())
    return false;
  const std::optional<Held> again = held_at(0, "", step->outputs);
  if (absl::Status status = Run(*first); !status.ok()) return status;
  AddPart(place, ProgramCall::kLoopBegin,
          {Values("goes_on", first->outputs, false), Values("initial", *initial, true)}, states);
  if (absl::Status status = Run(*step); !status.ok()) return status;
  if (absl::Status status = Run(*again); !status.ok()) return status;
  AddPart(place, ProgramCall::kLoopEnd,
          {Values("again", again->outputs, false), Values("next", step->outputs, true)},
          place.call.results);
  return true;
}

absl::StatusOr<bool> GraphReader::Repetition(const Place& place) {
  const bool scan = place.call.overload == "higher_order.scan";
  const std::vector<ProgramArgument>& arguments = place.call.arguments;
  const size_t at = scan ? 2 : 1;  // the argument with what is gone through
  if ((!scan && place.call.overload != "higher_order.map_impl") || arguments.size() != at + 2)
    return false;
  const std::optional<Names> initial = scan ? ValuesOf(arguments[1]) : Names();
  const std::optional<Names> entries = ValuesOf(arguments[at]);
  const std::optional<Names> besides = ValuesOf(arguments[at + 1]);
  if (!initial || !entries || !besides || entries->empty() ||
      place.call.results.size() < initial->size())
    return false;
  const Json& along = *Chosen(At(At(place.json, "inputs")[at], "arg")).second;
  if (!along.is_array() || along.empty()) return false;
  const std::string name = TextAt(along[0], "name");  // as the graph around it calls it
  const Json& sizes = At(At(At(place.graph, "tensor_values"), name.c_str()), "sizes");
  if (sizes.is_array() && !sizes.empty()) {
    const ProgramSize length = SizeOf(sizes[0]);
    if (length.text.empty() && length.number >= 1 && length.number <= kMostSteps)
      return Steps(place, length.number, *initial, *entries, *besides);
  }
  return Loop(place, *initial, *entries, *besides);
}

absl::StatusOr<bool> GraphReader::Loop(const Place& place, const Names& initial,
                                       const Names& entries, const Names& besides) {
  Names passed = States(place, initial.size());
  for (size_t i = 0; i < entries.size(); ++i)
    passed.push_back(absl::StrCat(place.name, ".entry_", i));
  passed.insert(passed.end(), besides.begin(), besides.end());
  const std::optional<Held> held = HeldAt(place, 0, place.name + ".", passed);
  if (!held || held->outputs.size() != place.call.results.size()) return false;
  AddPart(place, ProgramCall::kLoopBegin,
          {Values("along", {entries[0]}, false), Values("initial", initial, true)},
          States(place, initial.size()));
  for (size_t i = 0; i < entries.size(); ++i)
    AddPart(place, ProgramCall::kLoopEntry, {Values("x", {entries[i]}, false)},
            {passed[initial.size() + i]});
  if (absl::Status status = Run(*held); !status.ok()) return status;
  const auto split = held->outputs.begin() + static_cast<std::ptrdiff_t>(initial.size());
  AddPart(place, ProgramCall::kLoopEnd,
          {Values("next", {held->outputs.begin(), split}, true),
           Values("collected", {split, held->outputs.end()}, true)},
          place.call.results);
  return true;
}

absl::StatusOr<bool> GraphReader::Steps(const Place& place, int64_t steps, Names state,
                                        const Names& entries, const Names& besides) {
  const size_t states = state.size(), results = place.call.results.size();
  std::vector<Names> collected(results - states);
  for (int64_t step = 0; step < steps; ++step) {
    const std::string prefix = absl::StrCat(place.name, ".", step, ".");
    Names passed = state;
    for (size_t i = 0; i < entries.size(); ++i)
      passed.push_back(absl::StrCat(prefix, "entry_", states + i));
    const Names read(passed.begin() + static_cast<std::ptrdiff_t>(states), passed.end());
    passed.insert(passed.end(), besides.begin(), besides.end());
    const std::optional<Held> held = HeldAt(place, 0, prefix, passed);
    if (!held || held->outputs.size() != results) return false;
    for (size_t i = 0; i < entries.size(); ++i)
      Add(place, "select.int",
          {Values("self", {entries[i]}, false), Integer("dim", 0), Integer("index", step)},
          read[i]);
    if (absl::Status status = Run(*held); !status.ok()) return status;
    for (size_t i = 0; i < results; ++i) {
      if (i < states) {
        state[i] = held->outputs[i];
      } else {
        collected[i - states].push_back(held->outputs[i]);
      }
    }
  }
  for (size_t i = 0; i < results; ++i) {
    if (i < states) {
      Add(place, "clone.default", {Values("self", {state[i]}, false)}, place.call.results[i]);
    } else {
      Add(place, "stack.default", {Values("tensors", collected[i - states], true)},
          place.call.results[i]);
    }
  }
  return true;
}

absl::StatusOr<bool> GraphReader::Expand(const Place& place) {
  if (!At(place.json, "inputs").is_array()) return false;
  for (const auto way : {&GraphReader::Region, &GraphReader::Choice, &GraphReader::While,
                         &GraphReader::Repetition}) {
    const absl::StatusOr<bool> done = (this->*way)(place);
    if (!done.ok() || *done) return done;
  }
  return false;
}

absl::Status GraphReader::Read(const Json& graph, const Naming& naming) {
  for (const Json& json : At(graph, "nodes")) {
    ProgramCall call;
    const std::string target = TextAt(json, "target");
    absl::string_view overload = target;
    absl::ConsumePrefix(&overload, "torch.ops.");
    absl::ConsumePrefix(&overload, "aten.");
    call.overload = std::string(overload);
    for (const Json& input : At(json, "inputs")) {
      call.arguments.push_back(ArgumentOf(TextAt(input, "name"), At(input, "arg")));
      for (ProgramItem& item : call.arguments.back().items) {
        if (item.kind == ProgramItem::kName) item.text = naming(item.text);
      }
    }
    std::string name = TextAt(json, "name");
    if (!name.empty()) name = naming.prefix + name;
    for (const Json& output : At(json, "outputs")) {
      for (const ProgramItem& item : ArgumentOf("", output).items) {
        call.results.push_back(item.kind == ProgramItem::kName ? naming(item.text) : "");
        if (name.empty()) name = call.results.back();
      }
    }
    if (name.empty()) name = call.overload;
    const std::string module = ModuleOf(TextAt(At(json, "metadata"), "nn_module_stack"));
    call.name = module.empty() ? name : absl::StrCat(module, "/", name);
    if (program_.calls.size() + program_.tensors.size() > kMost)
      return absl::ResourceExhaustedError(
          absl::StrCat("what it repeats comes to more than ", kMost, " calls and tensors"));
    const auto before = static_cast<std::ptrdiff_t>(program_.calls.size());
    const absl::StatusOr<bool> expanded = Expand({json, graph, naming, call, std::move(name)});
    if (!expanded.ok()) return expanded.status();
    if (*expanded) continue;
    program_.calls.erase(program_.calls.begin() + before, program_.calls.end());
    program_.calls.push_back(std::move(call));
  }
  const Json& tensors = At(graph, "tensor_values");
  for (auto it = tensors.begin(); it != tensors.end(); ++it)
    program_.tensors[naming(it.key())] = TensorOf(*it);
  const Json& numbers = At(graph, "sym_int_values");
  for (auto it = numbers.begin(); it != numbers.end(); ++it) {
    if (const ProgramSize size = SizeOf(*it); !size.text.empty())
      program_.numbers[naming(it.key())] = size.text;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadCalls(const Json& graph, Program& program) {
  return GraphReader(program).Read(graph, {});
}

}  // namespace tessera::recheck
