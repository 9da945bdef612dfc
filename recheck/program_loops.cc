// The part of ProgramReader that is about loops: of their graphs, it reads one iteration.
#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recheck/loop_operations.h"
#include "recheck/program_reader.h"

namespace tessera::recheck {
namespace {

const ProgramArgument* Find(const ProgramCall& call, const std::string& name) {
  const auto it =
      std::find_if(call.arguments.begin(), call.arguments.end(),
                   [&](const ProgramArgument& argument) { return argument.name == name; });
  return it == call.arguments.end() ? nullptr : &*it;
}

}  // namespace

std::optional<std::vector<TensorPtr>> ProgramReader::Listed(const ProgramCall& call,
                                                            const std::string& argument,
                                                            std::vector<bool>& complex) {
  std::vector<TensorPtr> parts;
  const ProgramArgument* const list = Find(call, argument);
  if (list == nullptr) return parts;
  for (const ProgramItem& item : list->items) {
    const auto it = values_.find(item.text);
    if (it == values_.end() || it->second.tensor == nullptr) {
      session_.Leave(call.name, "it reads what is not derived");
      return std::nullopt;
    }
    parts.push_back(it->second.tensor);
    complex.push_back(it->second.imaginary != nullptr);
    if (complex.back()) parts.push_back(it->second.imaginary);
  }
  return parts;
}

std::vector<ProgramReader::Numbers> ProgramReader::Paired(const std::vector<TensorPtr>& parts,
                                                          const std::vector<bool>& complex) {
  std::vector<Numbers> numbers;
  size_t at = 0;
  for (const bool pair : complex) {
    numbers.push_back({parts[at++], nullptr});
    if (pair) numbers.back().imaginary = parts[at++];
  }
  return numbers;
}

ProgramReader::Results ProgramReader::BeginLoop(const ProgramCall& call) {
  OpenLoop loop;
  auto trips = std::make_shared<Tensor>();  // a constant
  trips->dtype = "i64";
  trips->has_elements = true;
  TensorPtr goes_on;
  if (Find(call, "along") != nullptr) {
    std::vector<bool> complex;
    const auto along = Listed(call, "along", complex);
    if (!along) return std::nullopt;
    if ((*along)[0]->dims.empty()) {
      session_.Fail(absl::StrCat("`", call.name, "` goes through a tensor without axes"));
      return std::nullopt;
    }
    loop.length = (*along)[0]->dims[0];
    trips->dtype = "i32";
    trips->elements = {*loop.length};
  } else {
    std::vector<bool> complex;
    const auto listed = Listed(call, "goes_on", complex);
    if (!listed) return std::nullopt;
    goes_on = (*listed)[0];
    trips->elements = {session_.terms().Integer(std::numeric_limits<int64_t>::max())};
  }
  const auto initial = Listed(call, "initial", loop.complex);
  if (!initial) return std::nullopt;
  LoopOperations operations(session_, call.name);
  const LoopOperations::Results here = operations.Begin(trips, goes_on, *initial);
  if (!here) return std::nullopt;
  loop.here = *here;
  const std::vector<TensorPtr> states(here->begin() + 1, here->end());
  const std::vector<bool> complex = loop.complex;
  loops_[call.name] = std::move(loop);
  return Paired(states, complex);
}

ProgramReader::Results ProgramReader::EndLoop(const ProgramCall& call) {
  const auto found = loops_.find(call.name);
  if (found == loops_.end()) return std::nullopt;  // why was said
  const OpenLoop loop = std::move(found->second);
  loops_.erase(found);
  std::vector<bool> complex, condition;
  const auto again = Listed(call, "again", condition);
  const auto next = Listed(call, "next", complex);
  const bool kept = complex == loop.complex;
  const auto collected = Listed(call, "collected", complex);
  if (!again || !next || !collected) return std::nullopt;
  if (!kept) {
    session_.Fail(absl::StrCat("`", call.name, "`: a state does not remain complex, or real"));
    return std::nullopt;
  }
  std::vector<TensorPtr> step = *next;
  step.insert(step.end(), collected->begin(), collected->end());
  LoopOperations operations(session_, call.name);
  const LoopOperations::Results results =
      operations.End(loop.here, again->empty() ? nullptr : again->front(), step, loop.length);
  if (!results) return std::nullopt;
  return Paired(*results, complex);
}

ProgramReader::Results ProgramReader::LoopPart(const ProgramCall& call) {
  if (call.part == ProgramCall::kLoopBegin) return BeginLoop(call);
  if (call.part == ProgramCall::kLoopEnd) return EndLoop(call);
  const auto loop = loops_.find(call.name);
  std::vector<bool> complex;
  const auto scanned = Listed(call, "x", complex);
  if (loop == loops_.end() || !scanned) return std::nullopt;
  std::vector<TensorPtr> entries;
  for (const TensorPtr& x : *scanned) {
    LoopOperations operations(session_, call.name);
    const LoopOperations::Results entry =
        x->dims.empty() ? std::nullopt
                        : operations.Entry(loop->second.here[0], x, *loop->second.length);
    if (!entry) return std::nullopt;
    entries.push_back(entry->front());
  }
  return Paired(entries, complex);
}

}  // namespace tessera::recheck
