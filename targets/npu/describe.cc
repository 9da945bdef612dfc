#include "targets/npu/describe.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "nlohmann/json.hpp"
#include "targets/npu/model/check.h"

namespace tessera::npu {
namespace {

// What the device calls the layer of each operation.
std::vector<std::string> LayersOf(const Program& program) {
  std::vector<std::string> layers;
  const Device* device = FindDevice(program.device);
  for (const Operation& operation : ModelOf(program).operations)
    layers.emplace_back(device == nullptr ? "" : LayerOf(operation, *device));
  return layers;
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

std::string OperandText(const ProgramOperation& operation, size_t index) {
  if (index >= operation.operands.size() || operation.operands[index].mode != Mode::kDefault)
    return "";
  const ProgramOperand& operand = operation.operands[index];
  return absl::StrCat(NameOf(operand.type), ShapeText(operand.shape), " ",
                      std::string(NameOf(operand.address.region)), "+", operand.address.offset);
}

std::string Number(double value) { return absl::StrFormat("%.6g", value); }

std::string TableText(const LayerNote& note) {
  if (note.segments == 0) return "";
  return absl::StrCat(note.segments, " (at least ", note.fewest_segments, "), ",
                      note.exact ? "exact" : absl::StrFormat("%.3g %%", note.table_error * 100));
}

nlohmann::ordered_json OperationJson(const ProgramOperation& operation, const std::string& layer) {
  const LayerNote& note = operation.note;
  nlohmann::ordered_json json = {{"layer", layer}, {"value", note.name}, {"scope", note.scope}};
  json["operands"] = nlohmann::ordered_json::array();
  for (const ProgramOperand& operand : operation.operands) {
    if (operand.mode != Mode::kDefault) {
      json["operands"].push_back(nullptr);
      continue;
    }
    json["operands"].push_back({{"type", NameOf(operand.type)},
                                {"shape", operand.shape},
                                {"region", std::string(NameOf(operand.address.region))},
                                {"offset", operand.address.offset}});
  }
  json["parameters"] = nlohmann::ordered_json::object();
  for (const auto& [name, values] : operation.parameters) json["parameters"][name] = values;
  if (note.weight_scale > 0) {
    json["input_scale"] = note.input_scale;
    json["weight_scale"] = note.weight_scale;
    json["output_scale"] = note.output_scale;
    json["sums_proved"] = note.proved;
  }
  if (note.segments > 0) {
    json["table"] = {{"segments", note.segments},
                     {"at_least", note.fewest_segments},
                     {"error", note.table_error},
                     {"exact", note.exact}};
  }
  return json;
}

}  // namespace

targets::Rows OperationRows(const Program& program) {
  targets::Rows rows = {{"operation", "value", "input", "output", "weights", "sums per unit",
                         "output per unit", "table", "sums"}};
  const std::vector<std::string> layers = LayersOf(program);
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const ProgramOperation& operation = program.operations[i];
    const LayerNote& note = operation.note;
    const bool multiplies = note.weight_scale > 0;
    rows.push_back(
        {layers[i], note.name.empty() ? note.scope : note.name, OperandText(operation, kInput),
         OperandText(operation, kOutput),
         operation.operands.size() > kWeights ? NameOf(operation.operands[kWeights].type) : "",
         multiplies ? Number(note.input_scale * note.weight_scale) : "",
         note.output_scale > 0 ? Number(note.output_scale) : "", TableText(note),
         !multiplies   ? ""
         : note.proved ? "proved"
                       : "by calibration"});
  }
  return rows;
}

targets::Rows EndpointRows(const Program& program) {
  targets::Rows rows = {{"endpoint", "name", "shape", "type", "per unit", "place"}};
  const auto add = [&](const char* what, const Endpoint& endpoint) {
    rows.push_back(
        {what, endpoint.name, ShapeText(endpoint.shape), NameOf(endpoint.type),
         Number(endpoint.scale),
         absl::StrCat(std::string(NameOf(endpoint.address.region)), "+", endpoint.address.offset)});
  };
  for (const Endpoint& input : program.inputs) add("input", input);
  for (const Endpoint& output : program.outputs) add("output", output);
  for (const StateNote& state : program.states)
    rows.push_back({"state", absl::StrCat(state.output, " -> ", state.input), "", "", "", ""});
  return rows;
}

targets::Rows RegionRows(const Program& program) {
  targets::Rows rows = {{"region", "bytes", "no plan takes less than", ""}};
  for (int i = 0; i < kRegionCount; ++i) {
    const Region& region = program.regions[static_cast<size_t>(i)];
    rows.push_back({std::string(NameOf(static_cast<RegionKind>(i))), absl::StrCat(region.size),
                    absl::StrCat(region.lower_bound), region.optimal ? "optimal" : ""});
  }
  return rows;
}

std::string FramesText(const Bundle& bundle) {
  const int64_t each = bundle.frame_inputs.empty() ? 1 : bundle.frame_inputs[0].entries;
  std::string text = each == 1
                         ? absl::StrCat("one run for each entry of `", bundle.frames, "`")
                         : absl::StrCat("frames of ", each, " entries of `", bundle.frames, "`");
  int64_t latest = 0;
  for (const FramedValue& output : bundle.frame_outputs)
    latest = std::max(latest, output.delay * output.stride);
  absl::StrAppend(&text, "; latency: ");
  if (latest == 0) return absl::StrCat(text, "that of a frame");
  return absl::StrCat(text, latest, " entries beside that of a frame, ", (latest + each - 1) / each,
                      latest <= each ? " frame" : " frames");
}

targets::Rows CountOperations(const Bundle& bundle, size_t& all) {
  std::map<std::string, size_t> counts;
  for (const Stage& stage : bundle.stages) {
    if (!stage.program.has_value()) continue;
    for (const std::string& layer : LayersOf(*stage.program)) ++counts[layer];
  }
  targets::Rows rows;
  for (const auto& [layer, count] : counts) {
    rows.push_back({layer, absl::StrCat(count)});
    all += count;
  }
  return rows;
}

std::vector<std::string> MemoryLines(const Bundle& bundle) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    if (!bundle.stages[i].program.has_value()) continue;
    const Program& program = *bundle.stages[i].program;
    const Region& scratch = program.region(RegionKind::kScratch);
    lines.push_back(absl::StrCat(
        "stage ", i, ": input ", program.region(RegionKind::kInput).size, ", output ",
        program.region(RegionKind::kOutput).size, ", state ",
        program.region(RegionKind::kState).size, ", read-only ",
        program.region(RegionKind::kReadOnly).size, ", scratch ", scratch.size, " bytes",
        scratch.optimal ? " (optimal)" : absl::StrCat(" (at least ", scratch.lower_bound, ")")));
  }
  return lines;
}

std::vector<targets::Part> Describe(const Bundle& bundle, const targets::Detail& detail) {
  std::vector<targets::Part> parts;
  std::string text =
      absl::StrCat("NPU artifact for ", bundle.device, ", ", bundle.stages.size(), " stages, ",
                   absl::StrFormat("%.1f %%", bundle.device_share * 100),
                   " of the multiplications on the device\n");
  if (!bundle.frames.empty()) absl::StrAppend(&text, FramesText(bundle), "\n");
  targets::Rows ports = {{"port", "name", "type"}};
  for (const auto& [what, list] :
       {std::pair("input", &bundle.inputs), std::pair("output", &bundle.outputs)}) {
    for (const NetworkPort& port : *list)
      ports.push_back({what, port.name,
                       absl::StrCat(std::string(ir::NameOf(port.dtype)), ShapeText(port.dims))});
  }
  parts.push_back({text, ports});
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    const Stage& stage = bundle.stages[i];
    const std::string title = absl::StrCat("\nstage ", i, ": ");
    if (!stage.program.has_value()) {
      parts.push_back(
          {absl::StrCat(title, "on the host\n", detail.operators ? stage.text : ""), {}});
      continue;
    }
    parts.push_back(
        {absl::StrCat(title, stage.program->operations.size(), " operations on the device\n"),
         EndpointRows(*stage.program)});
    parts.push_back({"", RegionRows(*stage.program)});
    if (detail.operators) parts.push_back({"", OperationRows(*stage.program)});
  }
  return parts;
}

std::string JsonText(const Bundle& bundle) {
  nlohmann::ordered_json json = {
      {"device", bundle.device}, {"frames", bundle.frames}, {"device_share", bundle.device_share}};
  for (const auto& [what, list] :
       {std::pair("inputs", &bundle.inputs), std::pair("outputs", &bundle.outputs)}) {
    json[what] = nlohmann::ordered_json::array();
    for (const NetworkPort& port : *list)
      json[what].push_back({{"name", port.name},
                            {"type", std::string(ir::NameOf(port.dtype))},
                            {"dims", port.dims}});
  }
  json["stages"] = nlohmann::ordered_json::array();
  for (const Stage& stage : bundle.stages) {
    nlohmann::ordered_json entry;
    if (!stage.program.has_value()) {
      entry["host"] = stage.text;
      json["stages"].push_back(std::move(entry));
      continue;
    }
    const Program& program = *stage.program;
    for (int i = 0; i < kRegionCount; ++i) {
      const Region& region = program.regions[static_cast<size_t>(i)];
      entry["regions"][std::string(NameOf(static_cast<RegionKind>(i)))] = {
          {"size", region.size}, {"at_least", region.lower_bound}, {"optimal", region.optimal}};
    }
    const std::vector<std::string> layers = LayersOf(program);
    entry["operations"] = nlohmann::ordered_json::array();
    for (size_t i = 0; i < layers.size(); ++i)
      entry["operations"].push_back(OperationJson(program.operations[i], layers[i]));
    json["stages"].push_back(std::move(entry));
  }
  // Names come from the model and need not be UTF-8.
  return json.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace tessera::npu
