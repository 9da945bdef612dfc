// The part of GraphImporter that resolves sequences, maps and optionals: they are the importer's,
// which knows how many entries there are and what each is, and nothing of them is left in the
// graph.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/known_value.h"
#include "frontends/onnx/quoting.h"

namespace tessera::onnx_import {
namespace {

absl::StatusOr<int64_t> IntOf(const Attributes& attributes, const char* name, int64_t otherwise) {
  const auto it = attributes.find(name);
  if (it == attributes.end()) return otherwise;
  if (const AttributeType type = TypeOf(*it->second); type != onnx::AttributeProto::INT) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute `", name, "` is ", NameOf(type), ", expected an int"));
  }
  return it->second->i();
}

absl::StatusOr<bool> FlagOf(const Attributes& attributes, const char* name, bool otherwise) {
  const absl::StatusOr<int64_t> number = IntOf(attributes, name, otherwise ? 1 : 0);
  if (!number.ok()) return number.status();
  if (*number != 0 && *number != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("attribute `", name, "` is ", *number, ", neither 0 nor 1"));
  }
  return *number == 1;
}

}  // namespace

std::string GraphImporter::WhatElse(const Binding& binding) {
  if (binding.kind == Binding::Kind::kNothing) return "an optional that holds nothing";
  if (binding.kind != Binding::Kind::kSequence) return "";
  return absl::StrCat("a sequence of ", binding.entries.size(), " tensors");
}

void GraphImporter::AddSequence(const std::string& name, const Binding& sequence,
                                const std::string& place) {
  std::vector<std::string> names;
  for (size_t k = 0; k < sequence.entries.size(); ++k) {
    names.push_back(absl::StrCat(name, "_", k));
    if (absl::Status status = rewriter_.AddOutput(names.back(), sequence.entries[k]);
        !status.ok()) {
      problems_.AddInvalid(
          place, absl::StrCat("entry ", k, " of its sequence, as an output: ", status.message()));
    }
  }
  flattened_.push_back(
      absl::StrCat("output: the sequence ", Quoted(name), " is ", QuotedList(names), " here"));
}

bool GraphImporter::AreTensors(const Site& site, absl::string_view what,
                               const std::vector<Binding>& bindings) {
  bool tensors = true;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const std::string other = WhatElse(bindings[i]);
    if (other.empty()) continue;
    problems_.AddUnsupported(site.Place(),
                             absl::StrCat(what, " ", i, " is ", other, ", expected a tensor"));
    tensors = false;
  }
  return tensors;
}

const GraphImporter::SequenceNode* GraphImporter::FindSequenceNode(const Site& site) {
  using Nodes = std::map<std::string, SequenceNode>;
  static const auto* const of_ml = new Nodes{
      {"ZipMap", {&GraphImporter::KeepMapped, 1, 1, {"classlabels_int64s", "classlabels_strings"}}},
  };
  static const auto* const of_onnx = new Nodes{
      {"ConcatFromSequence", {&GraphImporter::JoinSequence, 1, 1, {"axis", "new_axis"}}},
      {"Optional", {&GraphImporter::MakeOptional, 0, 1, {"type"}}},
      {"OptionalGetElement", {&GraphImporter::OpenOptional, 1, 1, {}}},
      {"OptionalHasElement", {&GraphImporter::AskOptional, 0, 1, {}}},
      {"SequenceAt", {&GraphImporter::PickEntry, 2, 2, {}}},
      {"SequenceConstruct", {&GraphImporter::MakeSequence, 1, kAnyNumber, {}}},
      {"SequenceEmpty", {&GraphImporter::MakeSequence, 0, 0, {"dtype"}}},
      {"SequenceErase", {&GraphImporter::EraseEntry, 1, 2, {}}},
      {"SequenceInsert", {&GraphImporter::InsertEntry, 2, 3, {}}},
      {"SequenceLength", {&GraphImporter::CountEntries, 1, 1, {}}},
      {"SplitToSequence", {&GraphImporter::SplitIntoSequence, 1, 2, {"axis", "keepdims"}}},
  };
  const Nodes* const nodes = site.domain == "ai.onnx"      ? of_onnx
                             : site.domain == "ai.onnx.ml" ? of_ml
                                                           : nullptr;
  if (nodes == nullptr) return nullptr;
  const auto it = nodes->find(site.node.op_type());
  return it != nodes->end() ? &it->second : nullptr;
}

void GraphImporter::ImportSequenceNode(const Site& site, const SequenceNode& node,
                                       const Attributes& attributes, Scope& scope) {
  std::vector<Binding> inputs;
  bool ok = ReadAny(site, scope, inputs);
  for (const auto& [name, attribute] : attributes) {
    if (std::find(node.attributes.begin(), node.attributes.end(), name) != node.attributes.end())
      continue;
    problems_.AddInvalid(site.Place(), absl::StrCat("unknown attribute ", Quoted(name)));
    ok = false;
  }
  if (!ok) return Poison(site, scope);
  const size_t given = inputs.size();
  if (given < node.least || given > node.most || site.node.output_size() != 1) {
    problems_.AddInvalid(site.Place(), absl::StrCat("has ", given, " inputs and ",
                                                    site.node.output_size(), " outputs"));
    return Poison(site, scope);
  }
  absl::StatusOr<Binding> result = (this->*node.resolve)(site, attributes, inputs);
  if (result.ok()) return BindOutputs(site, {*std::move(result)}, scope);
  problems_.Add(site.Place(), result.status());
  Poison(site, scope);
}

absl::StatusOr<int64_t> GraphImporter::PositionOf(const Site& site, const Binding& position,
                                                  size_t count, int64_t otherwise) {
  if (position.kind == Binding::Kind::kAbsent) return otherwise;
  if (position.value == nullptr) return absl::InvalidArgumentError("its position is no tensor");
  const absl::StatusOr<ir::Expr> at = ScalarOf(site, "its position", *position.value);
  if (!at.ok()) return at.status();
  if (!at->IsConstant()) {
    return absl::UnimplementedError(absl::StrCat("its position is ", Quoted(at->ToString()),
                                                 ", which depends on the size of the input"));
  }
  const auto n = static_cast<int64_t>(count);
  const int64_t k = *at->Constant();
  if (k < -n || k >= n)
    return absl::InvalidArgumentError(absl::StrCat("position ", k, " of ", n, " entries"));
  return k < 0 ? k + n : k;
}

absl::StatusOr<std::vector<ir::Value*>> GraphImporter::EntriesOf(const Binding& binding) {
  if (binding.kind == Binding::Kind::kSequence) return binding.entries;
  return absl::InvalidArgumentError("its first input is no sequence");
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::MakeSequence(
    const Site&, const Attributes&, const std::vector<Binding>& inputs) {
  Binding sequence{Binding::Kind::kSequence, nullptr, nullptr};
  for (const Binding& input : inputs) {
    if (input.value == nullptr) return absl::InvalidArgumentError("an input is no tensor");
    sequence.entries.push_back(input.value);
    if (input.value->type().dtype != sequence.entries.front()->type().dtype)
      return absl::InvalidArgumentError("its inputs have different element types");
  }
  return sequence;
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::PickEntry(
    const Site& site, const Attributes&, const std::vector<Binding>& inputs) {
  const auto entries = EntriesOf(inputs[0]);
  if (!entries.ok()) return entries.status();
  const auto at = PositionOf(site, inputs[1], entries->size(), -1);
  if (!at.ok()) return at.status();
  if (*at < 0) return absl::InvalidArgumentError("lacks its position");
  return Binding{Binding::Kind::kValue, (*entries)[static_cast<size_t>(*at)], nullptr};
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::InsertEntry(
    const Site& site, const Attributes&, const std::vector<Binding>& inputs) {
  auto entries = EntriesOf(inputs[0]);
  if (!entries.ok()) return entries.status();
  ir::Value* const entry = inputs[1].value;
  if (entry == nullptr) return absl::InvalidArgumentError("what it inserts is no tensor");
  if (!entries->empty() && entries->front()->type().dtype != entry->type().dtype)
    return absl::InvalidArgumentError("what it inserts has another element type");
  const auto count = std::ssize(*entries);
  int64_t at = count;
  if (inputs.size() == 3 && inputs[2].kind != Binding::Kind::kAbsent) {
    // The end is a position too, and negative ones count from the entries there are.
    const auto end = PositionOf(site, inputs[2], entries->size() + 1, count);
    if (!end.ok()) return end.status();
    const ir::Expr said = *ScalarOf(site, "its position", *inputs[2].value);
    at = *said.Constant() < 0 ? *end - 1 : *end;
    if (at < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("position ", *said.Constant(), " of ", count, " entries"));
    }
  }
  entries->insert(entries->begin() + at, entry);
  Binding longer{Binding::Kind::kSequence, nullptr, nullptr};
  longer.entries = *std::move(entries);
  return longer;
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::EraseEntry(
    const Site& site, const Attributes&, const std::vector<Binding>& inputs) {
  auto entries = EntriesOf(inputs[0]);
  if (!entries.ok()) return entries.status();
  if (entries->empty()) return absl::InvalidArgumentError("its sequence has no entries");
  const auto at = PositionOf(site, inputs.size() == 2 ? inputs[1] : Absent(), entries->size(),
                             std::ssize(*entries) - 1);
  if (!at.ok()) return at.status();
  entries->erase(entries->begin() + *at);
  Binding shorter{Binding::Kind::kSequence, nullptr, nullptr};
  shorter.entries = *std::move(entries);
  return shorter;
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::CountEntries(
    const Site& site, const Attributes&, const std::vector<Binding>& inputs) {
  const auto entries = EntriesOf(inputs[0]);
  if (!entries.ok()) return entries.status();
  rewriter_.SetLocation(ir::Location::Of(site.name));
  return Binding{Binding::Kind::kValue, Number(ir::DType::kI64, std::ssize(*entries)), nullptr};
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::JoinSequence(
    const Site& site, const Attributes& attributes, const std::vector<Binding>& inputs) {
  const auto entries = EntriesOf(inputs[0]);
  if (!entries.ok()) return entries.status();
  if (entries->empty()) return absl::InvalidArgumentError("its sequence has no entries");
  if (!attributes.contains("axis"))
    return absl::InvalidArgumentError("attribute `axis` is missing");
  const absl::StatusOr<bool> new_axis = FlagOf(attributes, "new_axis", false);
  if (!new_axis.ok()) return new_axis.status();
  const int64_t rank = entries->front()->type().rank() + (*new_axis ? 1 : 0);
  const absl::StatusOr<int64_t> axis = IntOf(attributes, "axis", 0);
  if (!axis.ok()) return axis.status();
  if (*axis < -rank || *axis >= rank)
    return absl::InvalidArgumentError(absl::StrCat("`axis` is ", *axis, ", the result has ", rank));
  ir::Value* const joined = Build(site, *new_axis ? "ScanStack" : "Concat", *entries,
                                  {{"axis", ir::Attribute(*axis < 0 ? *axis + rank : *axis)}});
  return joined == nullptr ? Binding{} : Binding{Binding::Kind::kValue, joined, nullptr};
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::SplitIntoSequence(
    const Site& site, const Attributes& attributes, const std::vector<Binding>& inputs) {
  ir::Value* const x = inputs[0].value;
  if (x == nullptr) return absl::InvalidArgumentError("its first input is no tensor");
  const absl::StatusOr<int64_t> said = IntOf(attributes, "axis", 0);
  if (!said.ok()) return said.status();
  const absl::StatusOr<bool> keeps = FlagOf(attributes, "keepdims", true);
  if (!keeps.ok()) return keeps.status();
  const int64_t rank = x->type().rank();
  if (*said < -rank || *said >= rank)
    return absl::InvalidArgumentError(absl::StrCat("`axis` is ", *said, ", x has ", rank));
  const int64_t axis = *said < 0 ? *said + rank : *said;
  const ir::Expr& dim = x->type().dims[static_cast<size_t>(axis)];
  const bool listed = inputs.size() == 2 && inputs[1].value != nullptr;
  std::vector<ir::Expr> sizes;
  if (listed && inputs[1].value->type().rank() == 1) {
    const auto elements = KnownElements(graph_.context(), *inputs[1].value, site.name);
    if (!elements) {
      return absl::UnimplementedError(
          absl::StrCat("the sizes of its parts must be known at compile time; ",
                       WhyUnknown(graph_.context(), *inputs[1].value)));
    }
    sizes = *elements;
  } else {
    int64_t part = 1;
    if (listed) {
      const auto size = ScalarOf(site, "the size of its parts", *inputs[1].value);
      if (!size.ok()) return size.status();
      part = size->Constant().value_or(0);
    }
    if (part < 1) return absl::UnimplementedError("the size of its parts is no number above 0");
    if (!dim.IsConstant()) {
      return absl::UnimplementedError(absl::StrCat(
          "how many entries its sequence has depends on the size of the input, ",
          Quoted(dim.ToString()), "; with a number, such as from `--dim`, it is known"));
    }
    for (int64_t from = 0; from < *dim.Constant(); from += part)
      sizes.emplace_back(std::min(part, *dim.Constant() - from));
  }
  if (std::ssize(sizes) > options_.max_unroll) return TooLong();
  Binding sequence{Binding::Kind::kSequence, nullptr, nullptr};
  if (!listed && !*keeps) {
    for (int64_t k = 0; k < std::ssize(sizes); ++k) {
      ir::Value* const entry = Build(
          site, "ScanEntry", {x}, {{"axis", ir::Attribute(axis)}, {"position", ir::Attribute(k)}});
      if (entry == nullptr) return Binding{};
      sequence.entries.push_back(entry);
    }
    return sequence;
  }
  builder_.Reset();
  rewriter_.SetLocation(ir::Location::Of(site.name));
  sequence.entries = builder_.Create(
      "core", "Split", {x}, {{"axis", ir::Attribute(axis)}, {"sizes", ir::Attribute(sizes)}});
  if (!builder_.ok()) return builder_.status();
  return sequence;
}

// A map for each row, from keys to its entries: the rows as they are, and said what the keys were.
absl::StatusOr<GraphImporter::Binding> GraphImporter::KeepMapped(
    const Site& site, const Attributes& attributes, const std::vector<Binding>& inputs) {
  ir::Value* const x = inputs[0].value;
  if (x == nullptr) return absl::InvalidArgumentError("its input is no tensor");
  const ir::TensorType& type = x->type();
  if (type.rank() != 1 && type.rank() != 2)
    return absl::InvalidArgumentError(absl::StrCat("its input has rank ", type.rank()));
  std::vector<std::string> keys;
  for (const auto& [name, attribute] : attributes) {
    for (const int64_t key : attribute->ints()) keys.push_back(absl::StrCat(key));
    for (const std::string& key : attribute->strings()) keys.push_back(Quoted(key));
  }
  if (keys.empty()) return absl::InvalidArgumentError("it has no keys");
  const ir::Expr& columns = type.dims.back();
  if (!columns.IsConstant() || *columns.Constant() != std::ssize(keys)) {
    return absl::InvalidArgumentError(absl::StrCat("it has ", keys.size(), " keys for rows of ",
                                                   Quoted(columns.ToString()), " entries"));
  }
  constexpr size_t kMostKeys = 20;
  const size_t more = keys.size() > kMostKeys ? keys.size() - kMostKeys : 0;
  keys.resize(keys.size() - more);
  flattened_.push_back(absl::StrCat(
      "output: the maps of ", Quoted(site.node.output(0)), " are a tensor here, in each row the ",
      "entries for ", absl::StrJoin(keys, ", "),
      more == 0 ? "" : absl::StrCat(" and ", more, " more"), ", in this order"));
  return Binding{Binding::Kind::kValue, x, nullptr};
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::MakeOptional(
    const Site&, const Attributes&, const std::vector<Binding>& inputs) {
  if (inputs.empty() || inputs[0].kind == Binding::Kind::kAbsent)
    return Binding{Binding::Kind::kNothing, nullptr, nullptr};
  return inputs[0];
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::OpenOptional(
    const Site&, const Attributes&, const std::vector<Binding>& inputs) {
  if (inputs[0].kind == Binding::Kind::kNothing)
    return absl::InvalidArgumentError("its optional holds nothing");
  return inputs[0];
}

absl::StatusOr<GraphImporter::Binding> GraphImporter::AskOptional(
    const Site& site, const Attributes&, const std::vector<Binding>& inputs) {
  const bool holds = !inputs.empty() && inputs[0].kind != Binding::Kind::kAbsent &&
                     inputs[0].kind != Binding::Kind::kNothing;
  rewriter_.SetLocation(ir::Location::Of(site.name));
  return Binding{Binding::Kind::kValue, Number(ir::DType::kBool, holds ? 1 : 0), nullptr};
}

}  // namespace tessera::onnx_import
