#include "frontends/pt2/program.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "frontends/onnx/quoting.h"
#include "frontends/pt2/program_graphs.h"
#include "frontends/pt2/program_json.h"
#include "nlohmann/json.hpp"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

constexpr int kMaxDepth = 32;

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

// Torch up to 2.7 writes numbers that JSON does not have by their names in Python; later ones, the
// same names as texts, which these become.
std::string WithNamesAsTexts(absl::string_view text) {
  std::string changed;
  size_t kept = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') ++i;
    if (quoted || (text[i] != 'I' && text[i] != 'N' && text[i] != '-')) continue;
    for (const absl::string_view name : {"Infinity", "-Infinity", "NaN"}) {
      if (!absl::StartsWith(text.substr(i), name)) continue;
      absl::StrAppend(&changed, text.substr(kept, i - kept), "\"", name, "\"");
      i += name.size() - 1;
      kept = i + 1;
      break;
    }
  }
  if (kept > 0) absl::StrAppend(&changed, text.substr(kept));
  return changed;
}

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  if (text.size() > kMaxJson)
    return Wrong(absl::StrCat(text.size(), " bytes, of which at most ", kMaxJson, " are read"));
  // What nests deeper than anything of the schema takes far more memory than its text.
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth <= kMaxDepth; };
  const std::string changed = WithNamesAsTexts(text);
  if (!changed.empty()) text = changed;
  Json json = Json::parse(text.begin(), text.end(), shallow, /*allow_exceptions=*/false);
  if (json.is_discarded()) return Wrong("no JSON");
  return json;
}

absl::Status ReadGraph(const Json& json, Program& program) {
  if (absl::Status status = ReadNodes(At(json, "graph"), program); !status.ok()) return status;
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
    if (payload.path.empty())
      return Wrong(absl::StrCat("tensor ", Quoted(it.key()), " has no path"));
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
