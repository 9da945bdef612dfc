// The part of ProgramImporter that deals with what a program changes of its inputs: what it keeps
// from call to call goes in and comes out again, and so does what it writes over a caller's tensor.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"
#include "frontends/pt2/program_importer.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

bool IsZeros(const ir::Tensor& tensor) {
  const auto bytes = tensor.bytes();
  return std::all_of(bytes.begin(), bytes.end(), [](uint8_t byte) { return byte == 0; });
}

bool IsMutation(const OutputSpec& output) { return absl::EndsWith(output.form, "_mutation"); }

bool IsStored(const InputSpec& spec) {
  return spec.kind == InputSpec::kParameter || spec.kind == InputSpec::kBuffer ||
         spec.kind == InputSpec::kConstant;
}

}  // namespace

void ProgramImporter::FindChanged() {
  // After decomposition the signature says what is changed; before, the operators that write do.
  for (const OutputSpec& output : program_.outputs) {
    if (!IsMutation(output) || output.value.items.size() != 1) continue;
    for (const InputSpec& spec : program_.inputs) {
      if ((IsStored(spec) ? spec.target : spec.value) == output.target)
        changed_[spec.value].value = output.value.items[0].text;
    }
  }
  std::map<std::string, std::string> memory;  // by name, the input in whose memory it may lie
  for (const InputSpec& spec : program_.inputs) memory[spec.value] = spec.value;
  for (const Node& node : program_.nodes) {
    bool in_place = false;
    const ir::AtenInfo* info = FindClause(node, in_place);
    if (info == nullptr || node.inputs.empty()) continue;
    const std::vector<Item>& self = node.inputs[0].items;
    const std::vector<std::string> outputs = OutputsOf(node);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const std::string* base = !in_place          ? BaseOf(node, *info, i)
                                : self.size() == 1 ? &self[0].text
                                                   : nullptr;
      const auto input = base == nullptr ? memory.end() : memory.find(*base);
      if (input == memory.end()) continue;
      const std::string name = input->second;
      memory[outputs[i]] = name;
      if (in_place && !info->view) changed_.try_emplace(name, Changed{.value = name});
    }
  }
  // What an input holds in the end is read by whoever calls.
  for (const auto& [input, changed] : changed_)
    last_use_[changed.value] = static_cast<int>(program_.nodes.size());
}

bool ProgramImporter::IsRead(const std::string& tensor) const {
  return std::any_of(program_.inputs.begin(), program_.inputs.end(), [&](const InputSpec& spec) {
    return IsStored(spec) && spec.target == tensor &&
           (last_use_.contains(spec.value) || changed_.contains(spec.value));
  });
}

void ProgramImporter::ImportState(const InputSpec& spec) {
  const std::string place = absl::StrCat(spec.form, " ", Quoted(spec.target));
  identity_[spec.value] = memory_[spec.value] = static_cast<int>(memory_.size());
  values_[spec.value] = {};
  const absl::StatusOr<ir::Tensor> tensor = weights_.Load(spec.target);
  if (!tensor.ok()) return problems_.Add(place, tensor.status());
  for (const std::string& other : weights_.Sharing(spec.target)) {
    // A name that the program never reads, as of a cache that it took for a constant of its own.
    if (!IsRead(other)) continue;
    return problems_.AddUnsupported(
        place, absl::StrCat("is changed by the program, and shares its memory with ", Quoted(other),
                            ", which is not supported"));
  }
  const bool taken =
      std::any_of(program_.inputs.begin(), program_.inputs.end(), [&](const InputSpec& other) {
        return other.kind == InputSpec::kUser && other.value == spec.target;
      });
  const std::string name = taken ? spec.value : spec.target;
  ir::TensorType type{tensor->dtype(), {}};
  for (int64_t size : tensor->shape()) type.dims.emplace_back(size);
  rewriter_.SetLocation(ir::Location::Of(spec.target));
  absl::StatusOr<ir::Value*> value = rewriter_.AddInput(name, std::move(type));
  if (!value.ok()) return problems_.AddInvalid(place, value.status().message());
  const Numbers numbers = IsComplex(spec.value) ? Split(*value, place) : Numbers{*value};
  CheckResult(spec.value, numbers, place);
  values_[spec.value] = numbers;
  Changed& changed = changed_.at(spec.value);
  changed.input = name;
  changed.first =
      IsZeros(*tensor) ? "zeros" : absl::StrCat("what the program has as ", Quoted(spec.target));
}

void ProgramImporter::ImportChanged(std::set<std::string>& names) {
  for (const InputSpec& spec : program_.inputs) {
    const auto it = changed_.find(spec.value);
    if (it == changed_.end() || (!IsStored(spec) && spec.kind != InputSpec::kUser)) continue;
    const Changed& changed = it->second;
    const std::string& input = IsStored(spec) ? changed.input : spec.value;
    const std::string place = absl::StrCat("what input ", Quoted(input), " is in the end");
    const auto value = values_.find(changed.value);
    if (value == values_.end()) {
      problems_.AddInvalid(place,
                           absl::StrCat("is ", Quoted(changed.value), ", which nothing defines"));
      continue;
    }
    if (value->second.real == nullptr) continue;  // why is recorded
    std::string name = absl::StrCat(input, "_next");
    while (!names.insert(name).second) name += "_2";
    CheckResult(spec.value, value->second, place);
    ImportOutput(name, changed.value, place);
    if (IsStored(spec)) {
      states_.push_back(absl::StrCat("state: input ", Quoted(input), " is ", changed.first,
                                     " at the first call, and then what output ", Quoted(name),
                                     " was at the call before"));
    }
  }
}

}  // namespace tessera::pt2_import
