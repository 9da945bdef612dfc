// The part of ProgramImporter that deals with memory which tensors share: what is written over one
// changes the others.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"
#include "frontends/pt2/program_importer.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

// The name that a value which is being written has for the clause. No program has it: names are
// without blanks.
constexpr char kSource[] = "what is written";

constexpr char kInstead[] =
    "; `program.run_decompositions({})` before `torch.export.save` writes it without";

// By PyTorch's names (`select_copy`), or because it is asked to.
bool Copies(const Node& node) {
  const std::string overload = OverloadOf(node.target);
  return absl::EndsWith(overload.substr(0, overload.find('.')), "_copy") ||
         std::any_of(node.inputs.begin(), node.inputs.end(), [](const Argument& argument) {
           return argument.name == "copy" && argument.items.size() == 1 &&
                  argument.items[0].kind == Item::kBool && argument.items[0].number != 0;
         });
}

Argument ArgumentOf(std::string name, std::string form, Item item) {
  Argument argument;
  argument.name = std::move(name);
  argument.form = std::move(form);
  argument.items.push_back(std::move(item));
  return argument;
}

}  // namespace

const std::string* ProgramImporter::BaseOf(const Node& node, const ir::AtenInfo& info,
                                           size_t output) const {
  if (!info.view || Copies(node)) return nullptr;
  const std::vector<std::string> outputs = OutputsOf(node);
  const auto tensors =
      std::find_if(node.inputs.begin(), node.inputs.end(), [](const Argument& argument) {
        return !argument.items.empty() && argument.items[0].kind == Item::kName;
      });
  if (tensors == node.inputs.end()) return nullptr;
  const std::vector<Item>& items = tensors->items;
  // A view of each; what is made of several together is a copy.
  if (items.size() != 1 && items.size() != outputs.size()) return nullptr;
  const Item& base = items[items.size() == 1 ? 0 : output];
  if (base.kind != Item::kName) return nullptr;
  // What can be asked to copy makes elements of another type anew; other views have the bits of one
  // type for those of another.
  const bool converts =
      std::find(info.attributes.begin(), info.attributes.end(), "copy") != info.attributes.end();
  const TensorMeta *whole = MetaOf(base.text), *part = MetaOf(outputs[output]);
  if (converts && whole != nullptr && part != nullptr && whole->dtype != part->dtype)
    return nullptr;
  return &base.text;
}

void ProgramImporter::FindReckoned() {
  const auto is_zero = [](const Argument& argument) {
    return argument.items.size() == 1 && argument.items[0].kind == Item::kInt &&
           argument.items[0].number == 0;
  };
  const auto reckon = [&](const std::vector<Item>& items) {
    for (const Item& item : items) {
      if (item.kind == Item::kName) reckoned_.insert(item.text);
    }
  };
  for (const Node& node : program_.nodes) {
    // Of what is never negative this is known beforehand.
    if (node.target == "_operator.ge" && node.inputs.size() == 2 && is_zero(node.inputs[1]))
      continue;
    for (const Argument& argument : node.inputs) reckon(argument.items);
  }
  for (const OutputSpec& output : program_.outputs) reckon(output.value.items);
}

Placement ProgramImporter::PlacementOf(const Node& node) const {
  Placement placement;
  if (node.inputs.empty() || node.inputs[0].list || node.inputs[0].items.size() != 1)
    return placement;
  const TensorMeta* meta = MetaOf(node.inputs[0].items[0].text);
  // Of a part of other memory strides do not say where elements lie.
  if (meta == nullptr || !meta->offset.text.empty() || meta->offset.number != 0) {
    const std::vector<std::string> results = OutputsOf(node);
    placement.inside = std::any_of(results.begin(), results.end(), [&](const std::string& result) {
      return reckoned_.contains(result);
    });
    return placement;
  }
  std::vector<int64_t> strides;
  for (const Size& stride : meta->strides) {
    if (!stride.text.empty()) return placement;
    strides.push_back(stride.number);
  }
  placement.strides = std::move(strides);
  return placement;
}

const ir::AtenInfo* ProgramImporter::WrittenClause(const View& view) const {
  // Such as a real part is no view of elements.
  if (IsComplex(view.base) != IsComplex(OutputsOf(*view.node)[static_cast<size_t>(view.part)]))
    return nullptr;
  // Where elements are to lie in another order, they may have been copied.
  if (std::any_of(view.node->inputs.begin(), view.node->inputs.end(),
                  [](const Argument& argument) { return argument.form == "as_memory_format"; }))
    return nullptr;
  const auto it = written_.find(OverloadOf(view.node->target));
  return it == written_.end() ? nullptr : it->second;
}

Numbers ProgramImporter::WrittenThrough(const View& view, Numbers value, const std::string& place) {
  Node node = *view.node;
  Item source, part;
  source.kind = Item::kName;
  source.text = kSource;
  part.kind = Item::kInt;
  part.number = view.part;
  node.inputs.push_back(ArgumentOf("src", "as_tensor", std::move(source)));
  node.inputs.push_back(ArgumentOf("part", "as_int", std::move(part)));
  values_[kSource] = value;
  const std::optional<std::vector<Numbers>> results =
      Apply(node, *WrittenClause(view), std::vector<bool>(OutputsOf(node).size(), true), place);
  values_.erase(kSource);
  return results && !results->empty() ? results->front() : Numbers();
}

void ProgramImporter::SetValue(int identity, Numbers value) {
  for (const auto& [name, number] : identity_) {
    if (number == identity) values_[name] = value;
  }
}

std::set<int> ProgramImporter::ReadLater(int memory) const {
  std::set<int> read;
  for (const auto& [name, number] : memory_) {
    const auto use = last_use_.find(name);
    if (number == memory && use != last_use_.end() && use->second > node_index_)
      read.insert(identity_.at(name));
  }
  return read;
}

bool ProgramImporter::IsViewOf(int identity, int base) const {
  while (identity != base) {
    const auto view = views_.find(identity);
    if (view == views_.end()) return false;
    identity = identity_.at(view->second.base);
  }
  return true;
}

bool ProgramImporter::DeriveAgain(int identity, const View& view, const std::string& place) {
  bool in_place = false;
  const ir::AtenInfo* info = FindClause(*view.node, in_place);
  const auto part = static_cast<size_t>(view.part);
  const std::optional<std::vector<Numbers>> results =
      Apply(*view.node, *info, std::vector<bool>(OutputsOf(*view.node).size(), true), place);
  if (!results || part >= results->size()) return false;
  SetValue(identity, (*results)[part]);
  return true;
}

void ProgramImporter::RefuseToWrite(int memory, const std::string& place,
                                    const std::string& reason) {
  problems_.AddUnsupported(place, reason);
  for (const auto& [name, number] : memory_) {
    if (number == memory) values_[name] = {};
  }
}

void ProgramImporter::WriteOver(const Node& node, Numbers value, bool reshapes,
                                const std::string& place) {
  const Argument* self = node.inputs.empty() ? nullptr : &node.inputs[0];
  if (self == nullptr || self->items.size() != 1 || self->items[0].kind != Item::kName)
    return problems_.AddInvalid(place, "writes over what is no tensor");
  const std::string& name = self->items[0].text;
  const int memory = memory_[name], written = identity_[name];
  const auto is_written = [&](const InputSpec& spec) {
    const auto it = identity_.find(spec.value);
    return it != identity_.end() && it->second == written;
  };
  if (reshapes && std::any_of(program_.inputs.begin(), program_.inputs.end(), is_written)) {
    return RefuseToWrite(
        memory, place,
        absl::StrCat("gives ", Quoted(name),
                     ", which is an input or kept from call to call, another shape"));
  }
  std::set<int> read = ReadLater(memory);
  read.erase(written);
  SetValue(written, value);
  if (reshapes && !read.empty()) {
    return RefuseToWrite(
        memory, place,
        absl::StrCat("gives ", Quoted(name),
                     ", which is read later by other names too, another shape", kInstead));
  }
  const auto refuse = [&](const View& view) {
    RefuseToWrite(memory, place,
                  absl::StrCat("writes over ", Quoted(name), " where ", Quoted(view.base),
                               " and what ", Quoted(OverloadOf(view.node->target)),
                               " makes of it may share memory", kInstead));
  };
  // Up to a tensor that all are views of which are read later.
  std::set<int> known = {written};
  int top = written;
  const auto within = [&](int identity) { return IsViewOf(identity, top); };
  while (!std::all_of(read.begin(), read.end(), within)) {
    const auto it = views_.find(top);
    if (it == views_.end()) return;
    const View& view = it->second;
    if (WrittenClause(view) == nullptr) return refuse(view);
    value = WrittenThrough(view, value, place);
    if (value.real == nullptr) return;
    top = identity_[view.base];
    SetValue(top, value);
    known.insert(top);
  }
  // And down to each of them. Views have larger numbers than what they are views of.
  for (const auto& [identity, view] : views_) {
    const auto leads_to = [&, from = identity](int other) { return IsViewOf(other, from); };
    if (known.contains(identity) || !within(identity) ||
        std::none_of(read.begin(), read.end(), leads_to))
      continue;
    if (WrittenClause(view) == nullptr) return refuse(view);
    if (!DeriveAgain(identity, view, place)) return;
  }
}

}  // namespace tessera::pt2_import
