#include "targets/npu/report.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "report/bars.h"
#include "report/memory_picture.h"
#include "targets/npu/describe.h"
#include "targets/npu/program/memory_use.h"

namespace tessera::npu {
namespace {

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("[", absl::StrJoin(shape, ","), "]");
}

std::string StageName(size_t stage) { return absl::StrCat("stage ", stage); }

report::Section NetworkSection(const Bundle& bundle) {
  report::Section section;
  section.title = "Network";
  report::Rows ports = {{"", "name", "type", "frames along axis"}};
  const auto add = [&](const char* what, const std::vector<NetworkPort>& list,
                       const std::vector<FramedValue>& framed) {
    for (const NetworkPort& port : list) {
      std::string axis;
      for (const FramedValue& value : framed) {
        if (value.name == port.name && value.axis >= 0) axis = absl::StrCat(value.axis);
      }
      ports.push_back({what, port.name,
                       absl::StrCat(std::string(ir::NameOf(port.dtype)), ShapeText(port.dims)),
                       axis});
    }
  };
  add("input", bundle.inputs, bundle.frame_inputs);
  add("output", bundle.outputs, bundle.frame_outputs);
  if (!bundle.frames.empty()) section.paragraphs.push_back(absl::StrCat(FramesText(bundle), "."));
  section.tables.push_back(std::move(ports));
  return section;
}

// Where values cross between the network, the host and the device.
report::Section CutsSection(const Bundle& bundle) {
  report::Section section;
  section.title = "Stages and cuts";
  report::Rows stages = {{"stage", "side", "operations", "reads", "yields"}};
  report::Rows cuts = {{"value", "", "stage", "shape", "type", "integers per unit", "bytes"}};
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    const Stage& stage = bundle.stages[i];
    if (!stage.program.has_value()) {
      stages.push_back({absl::StrCat(i), "host", "", "", ""});
      section.folded.emplace_back(absl::StrCat(StageName(i), " on the host"), stage.text);
      continue;
    }
    const Program& program = *stage.program;
    const auto names = [](const std::vector<Endpoint>& endpoints) {
      return absl::StrJoin(endpoints, ", ", [](std::string* out, const Endpoint& endpoint) {
        absl::StrAppend(out, endpoint.name);
      });
    };
    stages.push_back({absl::StrCat(i), "device", absl::StrCat(program.operations.size()),
                      names(program.inputs), names(program.outputs)});
    const auto add = [&](const char* what, const Endpoint& endpoint) {
      const absl::StatusOr<int64_t> bytes =
          BytesAt(program, endpoint.shape, endpoint.type, endpoint.address);
      cuts.push_back({endpoint.name, what, absl::StrCat(i), ShapeText(endpoint.shape),
                      NameOf(endpoint.type), absl::StrFormat("%.6g", endpoint.scale),
                      bytes.ok() ? absl::StrCat(*bytes) : ""});
    };
    for (const Endpoint& input : program.inputs) add("to the device", input);
    for (const Endpoint& output : program.outputs) add("from the device", output);
  }
  report::Rows states = {{"state", "is next", "kept by"}};
  for (const HostState& state : bundle.host_states)
    states.push_back({state.input, state.output, "the host"});
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    if (!bundle.stages[i].program.has_value()) continue;
    for (const StateNote& state : bundle.stages[i].program->states)
      states.push_back({state.input, state.output, StageName(i)});
  }
  section.tables = {std::move(stages), std::move(cuts)};
  if (states.size() > 1) section.tables.push_back(std::move(states));
  return section;
}

report::Section MemorySection(const Program& program, size_t stage) {
  report::Section section;
  section.title = absl::StrCat("Memory of ", StageName(stage));
  section.tables.push_back(RegionRows(program));
  for (int i = 0; i < kRegionCount; ++i) {
    const auto kind = static_cast<RegionKind>(i);
    const Region& region = program.region(kind);
    if (region.size == 0) continue;
    report::MemoryPicture picture;
    picture.title = absl::StrCat(std::string(NameOf(kind)), ", ", region.size, " bytes");
    picture.steps = static_cast<int64_t>(program.operations.size());
    picture.bytes = region.size;
    for (MemoryUse& use : MemoryUses(program, kind))
      picture.buffers.push_back({std::move(use.name), use.first, use.last, use.offset, use.size});
    report::Figure figure = {report::MemorySvg(picture), ""};
    if (kind == RegionKind::kScratch)
      figure.caption =
          region.optimal
              ? "No plan takes less."
              : absl::StrFormat("%.3f times what is live at one time at most, %d bytes.",
                                static_cast<double>(region.size) /
                                    static_cast<double>(std::max<int64_t>(region.lower_bound, 1)),
                                region.lower_bound);
    section.figures.push_back(std::move(figure));
  }
  return section;
}

report::Section LayersSection(const Program& program, size_t stage) {
  report::Section section;
  section.title = absl::StrCat("Layers of ", StageName(stage));
  std::vector<std::string> unproved;
  std::vector<report::Bar> bars;
  for (const ProgramOperation& operation : program.operations) {
    const LayerNote& note = operation.note;
    if (!note.proved) unproved.push_back(note.name.empty() ? note.scope : note.name);
    if (note.segments > 0)
      bars.push_back({note.name.empty() ? note.scope : note.name,
                      note.exact ? absl::StrCat(note.segments, " segments, exact")
                                 : absl::StrFormat("%d segments, %.3g %%", note.segments,
                                                   note.table_error * 100),
                      static_cast<double>(note.segments)});
  }
  section.paragraphs.push_back(
      unproved.empty()
          ? "No input can bring a sum beyond 32 bits."
          : absl::StrCat("These sums were given twice the room that calibration saw, and may "
                         "saturate for inputs that it did not see: ",
                         absl::StrJoin(unproved, ", "), ". `verify` and `run` count saturations."));
  if (!bars.empty()) section.figures.push_back({report::BarsSvg(bars), "Segments of tables."});
  section.tables.push_back(OperationRows(program));
  return section;
}

}  // namespace

report::Page ReportOf(const Bundle& bundle) {
  report::Page page;
  size_t operations = 0, programs = 0;
  int64_t scratch = 0, constants = 0;
  CountOperations(bundle, operations);
  for (const Stage& stage : bundle.stages) {
    if (!stage.program.has_value()) continue;
    ++programs;
    scratch = std::max(scratch, stage.program->region(RegionKind::kScratch).size);
    constants += stage.program->region(RegionKind::kReadOnly).size;
  }
  page.subtitle = absl::StrCat("NPU artifact for ", bundle.device);
  page.cards = {{absl::StrFormat("%.1f %%", bundle.device_share * 100),
                 "of the multiplications on the device"},
                {absl::StrCat(operations), "operations of the device"},
                {absl::StrCat(programs, " + ", bundle.stages.size() - programs),
                 "stages on the device and on the host"},
                {absl::StrCat(scratch), "bytes of scratch memory at most"},
                {absl::StrCat(constants), "bytes of constants"}};
  page.sections = {NetworkSection(bundle), CutsSection(bundle)};
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    if (!bundle.stages[i].program.has_value()) continue;
    page.sections.push_back(LayersSection(*bundle.stages[i].program, i));
    page.sections.push_back(MemorySection(*bundle.stages[i].program, i));
  }
  report::Section metadata;
  metadata.title = "Metadata";
  report::Rows rows = {{"entry", "bytes"}};
  for (const auto& [name, value] : bundle.metadata)
    rows.push_back({name, absl::StrCat(value.size())});
  metadata.tables.push_back(std::move(rows));
  page.sections.push_back(std::move(metadata));
  return page;
}

}  // namespace tessera::npu
