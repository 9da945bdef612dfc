// The part of ProgramImporter that keeps loops (ir/loops.h), of which a program has what is
// computed at one position.
#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/pt2/program_importer.h"
#include "ir/loops.h"

namespace tessera::pt2_import {
namespace {

const Argument* Find(const Node& node, const char* name) {
  const auto it = std::find_if(node.inputs.begin(), node.inputs.end(),
                               [&](const Argument& argument) { return argument.name == name; });
  return it == node.inputs.end() ? nullptr : &*it;
}

}  // namespace

std::vector<std::string> ProgramImporter::TakeEnded(const Node& node) {
  if (node.part != Node::kLoopEnd) return {};
  std::vector<std::string> ended = std::move(inside_.back());
  inside_.pop_back();
  return ended;
}

void ProgramImporter::Forget(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const auto it = identity_.find(name); it != identity_.end()) views_.erase(it->second);
    values_.erase(name);
  }
}

std::vector<ir::Value*> ProgramImporter::ListedBy(const Node& node, const char* argument) const {
  std::vector<ir::Value*> values;
  const Argument* const list = Find(node, argument);
  if (list == nullptr) return values;
  for (const Item& item : list->items) {
    const Numbers numbers = values_.at(item.text);
    values.push_back(numbers.real);
    if (numbers.complex()) values.push_back(numbers.imaginary);
  }
  return values;
}

void ProgramImporter::BindListed(const Node& node, const std::vector<bool>& complex,
                                 const std::vector<ir::Value*>& values, const std::string& place) {
  const std::vector<std::string> outputs = OutputsOf(node);
  size_t at = 0;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Numbers numbers{values[at++]};
    if (complex[i]) numbers.imaginary = values[at++];
    CheckResult(outputs[i], numbers, place);
    values_[outputs[i]] = numbers;
    identity_[outputs[i]] = memory_[outputs[i]] = static_cast<int>(memory_.size());
    Name(numbers, outputs[i]);
  }
}

void ProgramImporter::ImportLoopPart(const Node& node, const std::string& place) {
  builder_.Reset();
  if (node.part == Node::kLoopBegin) {
    BeginLoop(node, place);
  } else if (node.part == Node::kLoopEntry) {
    EnterLoop(node, place);
  } else {
    EndLoop(node, place);
  }
}

void ProgramImporter::BeginLoop(const Node& node, const std::string& place) {
  OpenLoop loop;
  ir::Value *trips = nullptr, *goes_on = nullptr;
  if (Find(node, "along") != nullptr) {
    const ir::TensorType& type = ListedBy(node, "along")[0]->type();
    if (type.rank() < 1) return problems_.AddInvalid(place, "goes through a tensor without axes");
    loop.length = type.dims[0];
    trips = builder_.ScalarOf(*loop.length, ir::DType::kI32);
  } else {
    goes_on = ListedBy(node, "goes_on")[0];
    trips = builder_.ScalarOf(std::numeric_limits<int64_t>::max(), ir::DType::kI64);
  }
  std::vector<ir::Value*> operands = {trips, goes_on};
  const std::vector<ir::Value*> initial = ListedBy(node, "initial");
  operands.insert(operands.end(), initial.begin(), initial.end());
  const std::vector<ir::Value*> here = builder_.Create(
      "ir", "LoopBegin", std::move(operands), {{"loop", ir::Attribute(ir::NextLoop(graph_))}});
  if (!builder_.ok()) return problems_.Add(place, builder_.status());
  loop.position = here[0];
  loop.states.assign(here.begin() + 1, here.end());
  for (const Item& item : Find(node, "initial")->items)
    loop.complex.push_back(values_.at(item.text).complex());
  BindListed(node, loop.complex, loop.states, place);
  loops_[node.loop] = std::move(loop);
}

void ProgramImporter::EnterLoop(const Node& node, const std::string& place) {
  const auto loop = loops_.find(node.loop);
  if (loop == loops_.end()) return;  // why is recorded
  std::vector<ir::Value*> entries;
  const std::vector<ir::Value*> parts = ListedBy(node, "x");
  for (ir::Value* x : parts) {
    const std::vector<ir::Value*> entry =
        builder_.Create("ir", "LoopEntry", {loop->second.position, x},
                        {{"length", ir::Attribute(*loop->second.length)}});
    if (!builder_.ok()) return problems_.Add(place, builder_.status());
    entries.push_back(entry[0]);
  }
  BindListed(node, {parts.size() > 1}, entries, place);
}

void ProgramImporter::EndLoop(const Node& node, const std::string& place) {
  const auto found = loops_.find(node.loop);
  if (found == loops_.end()) return;  // why is recorded
  const OpenLoop loop = std::move(found->second);
  loops_.erase(found);
  std::vector<bool> complex;
  for (const char* results : {"next", "collected"}) {
    const Argument* const list = Find(node, results);
    if (list == nullptr) continue;
    for (const Item& item : list->items) complex.push_back(values_.at(item.text).complex());
  }
  for (size_t i = 0; i < loop.complex.size(); ++i) {
    if (i >= complex.size() || complex[i] != loop.complex[i])
      return problems_.AddInvalid(
          place, absl::StrCat("state ", i, " is ", loop.complex[i] ? "complex" : "real",
                              " and does not remain so"));
  }
  const std::vector<ir::Value*> again = ListedBy(node, "again");
  std::vector<ir::Value*> operands = {loop.position, again.empty() ? nullptr : again[0]};
  operands.insert(operands.end(), loop.states.begin(), loop.states.end());
  for (const char* results : {"next", "collected"}) {
    const std::vector<ir::Value*> values = ListedBy(node, results);
    operands.insert(operands.end(), values.begin(), values.end());
  }
  const std::vector<ir::Value*> last =
      builder_.Create("ir", "LoopEnd", std::move(operands),
                      {{"states", ir::Attribute(static_cast<int64_t>(loop.states.size()))},
                       {"length", ir::Attribute(loop.length.value_or(ir::Expr(0)))}});
  if (!builder_.ok()) return problems_.Add(place, builder_.status());
  BindListed(node, complex, last, place);
}

}  // namespace tessera::pt2_import
