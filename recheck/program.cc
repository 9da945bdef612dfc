#include "recheck/program.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recheck/archive.h"
#include "recheck/program_graphs.h"
#include "recheck/program_json.h"
#include "recheck/size_reader.h"

namespace tessera::recheck {
namespace {

constexpr int kMaxDepth = 32;

absl::Status Wrong(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("no program that can be read: ", what));
}

// Torch up to 2.7 writes infinities and NaN by their names in Python, later ones as texts.
std::string Quoted(absl::string_view text) {
  std::string quoted;
  bool inside = false;
  while (!text.empty()) {
    size_t length = 1;
    const bool name =
        !inside && (absl::StartsWith(text, "Infinity") || absl::StartsWith(text, "-Infinity") ||
                    absl::StartsWith(text, "NaN"));
    if (name) {
      length = text.find_first_of("yN", 1) + 1;
      absl::StrAppend(&quoted, "\"", text.substr(0, length), "\"");
    } else {
      if (text[0] == '"') inside = !inside;
      if (inside && text[0] == '\\') length = std::min<size_t>(2, text.size());
      absl::StrAppend(&quoted, text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  return quoted;
}

absl::StatusOr<Json> Parse(absl::string_view text) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  std::string quoted;
  if (absl::StrContains(text, "Infinity") || absl::StrContains(text, "NaN")) {
    quoted = Quoted(text);
    text = quoted;
  }
  Json json = Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong("no JSON");
  return json;
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

absl::Status ReadGraph(const Json& json, Program& program) {
  const Json& graph = At(json, "graph");
  const Json& signature = At(json, "signature");
  for (const Json* const list :
       {&At(graph, "nodes"), &At(signature, "input_specs"), &At(signature, "output_specs")}) {
    if (!list->is_array()) return Wrong("it has no graph");
  }
  if (absl::Status status = ReadCalls(graph, program); !status.ok()) return status;
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
    if (!guard.is_string()) continue;
    const std::string text = guard.get<std::string>();
    // `a and b or c` is no statement of `a`.
    if (absl::StrContains(text, " or ")) {
      program.guards.push_back(text);
      continue;
    }
    for (std::string& part : PartsOfGuard(text)) program.guards.push_back(std::move(part));
  }
  for (const std::string& list : lists) {
    if (absl::Status status = ReadStored(list, program); !status.ok()) return status;
  }
  return program;
}

}  // namespace tessera::recheck
