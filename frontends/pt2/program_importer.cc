#include "frontends/pt2/program_importer.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "frontends/onnx/quoting.h"
#include "frontends/onnx/tensor_loader.h"
#include "ir/absl_view.h"
#include "ir/refusals.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

// Arguments that say where PyTorch keeps a tensor and how it gets there, nothing of what it holds.
bool IsPlacement(const std::string& argument) {
  return argument == "device" || argument == "layout" || argument == "memory_format" ||
         argument == "pin_memory" || argument == "non_blocking";
}

// Of the answer to a question about types (`promote_types`) a program keeps nothing: the node takes
// no value and yields none.
bool SpeaksOfNoValue(const Node& node) {
  const auto of_none = [](const Argument& argument) {
    return argument.known &&
           std::none_of(argument.items.begin(), argument.items.end(),
                        [](const Item& item) { return item.kind == Item::kName; });
  };
  return std::all_of(node.inputs.begin(), node.inputs.end(), of_none) &&
         std::all_of(node.outputs.begin(), node.outputs.end(), of_none);
}

std::string PlaceOf(const Node& node, const std::string& name) {
  std::string place = absl::StrCat("node ", Quoted(name), " (", Quoted(OverloadOf(node.target)));
  if (!node.module.empty()) absl::StrAppend(&place, ", module ", Quoted(node.module));
  if (!node.source.empty()) absl::StrAppend(&place, ", ", Quoted(node.source));
  return absl::StrCat(place, ")");
}

}  // namespace

std::string OverloadOf(absl::string_view target) {
  absl::ConsumePrefix(&target, "torch.ops.");
  absl::ConsumePrefix(&target, "aten.");
  return std::string(target);
}

ProgramImporter::ProgramImporter(const Program& program, const Weights& weights, Clauses clauses,
                                 const onnx_import::ImportOptions& options, ir::Graph& graph,
                                 onnx_import::Problems& problems)
    : program_(program),
      weights_(weights),
      options_(options),
      graph_(graph),
      problems_(problems),
      rewriter_(graph),
      builder_(rewriter_) {
  for (const ir::AtenInfo* info : clauses) {
    const bool complex = info->numbers == ir::AtenNumbers::kComplex;
    (info->written ? written_ : complex ? complex_ : clauses_).emplace(info->overload, info);
  }
}

void ProgramImporter::Import() {
  for (size_t i = 0; i < program_.nodes.size(); ++i) {
    for (const Argument& argument : program_.nodes[i].inputs) {
      for (const Item& item : argument.items) {
        if (item.kind == Item::kName) last_use_[item.text] = static_cast<int>(i);
      }
    }
  }
  FindReckoned();
  for (const OutputSpec& output : program_.outputs) {
    for (const Item& item : output.value.items) {
      if (item.kind == Item::kName) last_use_[item.text] = static_cast<int>(program_.nodes.size());
    }
  }
  FindChanged();
  if (!DeclareSizes()) return;
  ImportInputs();
  for (const Node& node : program_.nodes) {
    ImportNode(node);
    ++node_index_;
  }
  ImportOutputs();
}

const TensorMeta* ProgramImporter::MetaOf(const std::string& name) const {
  const auto it = program_.tensors.find(name);
  return it == program_.tensors.end() ? nullptr : &it->second;
}

void ProgramImporter::ImportTensor(const InputSpec& spec) {
  identity_[spec.value] = memory_[spec.value] = static_cast<int>(memory_.size());
  values_[spec.value] = {};
  if (!last_use_.contains(spec.value)) return;
  absl::StatusOr<ir::Tensor> tensor = weights_.Load(spec.target);
  if (!tensor.ok())
    return problems_.Add(absl::StrCat(spec.form, " ", Quoted(spec.target)), tensor.status());
  rewriter_.SetLocation(ir::Location::Of(spec.target));
  ir::Value* value = rewriter_.CreateConstant(*std::move(tensor));
  rewriter_.SetName(value, spec.target);
  const std::string place = absl::StrCat(spec.form, " ", Quoted(spec.target));
  const Numbers numbers = IsComplex(spec.value) ? Split(value, place) : Numbers{value};
  CheckResult(spec.value, numbers, place);
  values_[spec.value] = numbers;
}

void ProgramImporter::ImportInputs() {
  std::vector<const InputSpec*> states;
  for (const InputSpec& spec : program_.inputs) {
    if (spec.value.empty()) {
      problems_.AddInvalid("",
                           absl::StrCat("an input of form ", Quoted(spec.form), " has no name"));
      continue;
    }
    if (values_.contains(spec.value)) {
      problems_.AddInvalid(absl::StrCat("input ", Quoted(spec.value)), "is declared twice");
      continue;
    }
    switch (spec.kind) {
      case InputSpec::kParameter:
      case InputSpec::kBuffer:
      case InputSpec::kConstant:
        if (changed_.contains(spec.value)) {
          states.push_back(&spec);
        } else {
          ImportTensor(spec);
        }
        break;
      case InputSpec::kUser:
        ImportUserInput(spec);
        break;
      case InputSpec::kScalar:
        values_[spec.value] = {};  // stands in the nodes that use it
        break;
      case InputSpec::kOther:
        values_[spec.value] = {};
        problems_.AddUnsupported(
            absl::StrCat("input ", Quoted(spec.value)),
            absl::StrCat("is a ", Quoted(spec.form), ", which is not supported"));
        break;
    }
  }
  for (const InputSpec* spec : states) ImportState(*spec);
}

void ProgramImporter::ImportUserInput(const InputSpec& spec) {
  const std::string place = absl::StrCat("input ", Quoted(spec.value));
  values_[spec.value] = {};
  identity_[spec.value] = memory_[spec.value] = static_cast<int>(memory_.size());
  const TensorMeta* meta = MetaOf(spec.value);
  if (!spec.tensor)
    return problems_.AddUnsupported(
        place, "is a number, not a tensor; export with the number itself, or a tensor of it");
  if (meta == nullptr) return problems_.AddInvalid(place, "has no type");
  const absl::StatusOr<ir::DType> dtype = HeldTypeOf(meta->dtype);
  if (!dtype.ok()) return problems_.Add(place, dtype.status());
  if (!meta->strided) return problems_.AddUnsupported(place, "is sparse, or of another layout");
  if (meta->sizes.size() > static_cast<size_t>(onnx_import::kMaxRank))
    return problems_.AddInvalid(
        place, absl::StrCat("rank ", meta->sizes.size(), " exceeds ", onnx_import::kMaxRank));
  ir::TensorType type{*dtype, {}};
  for (size_t axis = 0; axis < meta->sizes.size(); ++axis) {
    const Size& size = meta->sizes[axis];
    type.dims.push_back(size.text.empty() ? solver::Expr(size.number)
                                          : dims_.at(absl::StrCat(spec.value, "_d", axis)));
  }
  const bool complex = IsComplex(spec.value);
  if (complex) type.dims.emplace_back(2);
  const auto numbers = [&](ir::Value* value) {
    return complex ? Split(value, place) : Numbers{value};
  };
  rewriter_.SetLocation(ir::Location::Of(spec.value));
  if (const auto bound = options_.bind.find(spec.value); bound != options_.bind.end()) {
    const ir::Tensor& tensor = bound->second;
    bool fits = tensor.dtype() == *dtype && tensor.rank() == static_cast<int64_t>(type.dims.size());
    for (size_t axis = 0; fits && axis < type.dims.size(); ++axis)
      fits = type.dims[axis] == solver::Expr(tensor.shape()[axis]);
    if (!fits)
      return problems_.AddInvalid(place, "is bound to a tensor of another element type or shape");
    ir::Value* value = rewriter_.CreateConstant(tensor);
    rewriter_.SetName(value, spec.value);
    values_[spec.value] = numbers(value);
    return;
  }
  absl::StatusOr<ir::Value*> value = rewriter_.AddInput(spec.value, std::move(type));
  if (!value.ok()) return problems_.AddInvalid(place, value.status().message());
  values_[spec.value] = numbers(*value);
  if (complex) TellParts("input", spec.value);
}

std::vector<std::string> ProgramImporter::OutputsOf(const Node& node) const {
  std::vector<std::string> names;
  for (const Argument& output : node.outputs) {
    for (const Item& item : output.items)
      names.push_back(item.kind == Item::kName ? item.text : "");
  }
  return names;
}

const ir::AtenInfo* ProgramImporter::FindClause(const std::string& overload, bool complex) const {
  const auto it = clauses_.find(overload);
  // Also what may be complex and is not.
  const auto both = complex_.find(overload);
  if (both != complex_.end() && (complex || it == clauses_.end())) return both->second;
  if (it == clauses_.end() || (complex && it->second->numbers == ir::AtenNumbers::kReal))
    return nullptr;
  return it->second;
}

const ir::AtenInfo* ProgramImporter::FindClause(const Node& node, bool& in_place) const {
  const std::string overload = OverloadOf(node.target);
  const bool complex = SpeaksOfComplex(node);
  in_place = false;
  if (const ir::AtenInfo* info = FindClause(overload, complex)) return info;
  // PyTorch's names for what writes its result over its first argument end in `_`; those of
  // Python's operators, as `__ior__`, begin with `__i`.
  const size_t dot = overload.find('.');
  if (dot == std::string::npos || dot < 2 || overload[dot - 1] != '_') return nullptr;
  constexpr std::string_view kOver = "__i";
  const bool is_operator = overload.starts_with(kOver);
  if (overload[0] == '_' && !is_operator) return nullptr;
  const ir::AtenInfo* info =
      FindClause(is_operator ? absl::StrCat("__", overload.substr(kOver.size()))
                             : absl::StrCat(overload.substr(0, dot - 1), overload.substr(dot)),
                 complex);
  in_place = info != nullptr;
  return info;
}

std::string ProgramImporter::Unsupported(const Node& node) {
  const std::string overload = OverloadOf(node.target);
  std::string name = overload.substr(0, overload.find('.'));
  if (name.size() > 1 && name.back() == '_') name.pop_back();  // in place
  if (const std::string_view refusal = ir::RefusalOf(ir::Refusal::kAten, name); !refusal.empty())
    return absl::StrCat("op ", Quoted(overload), " ", ir::AbslView(refusal));
  if (absl::StartsWith(overload, "higher_order."))
    return absl::StrCat("op ", Quoted(overload),
                        ", which calls a graph of its own, is not supported");
  if (clauses_.contains(overload))
    return absl::StrCat("op ", Quoted(overload), " of complex numbers is not supported");
  // Of other libraries and of transformations that wait to be applied; PyTorch may know what they
  // are made of.
  if (const size_t dot = overload.find('.'); overload.find('.', dot + 1) != std::string::npos)
    return absl::StrCat(
        "op ", Quoted(overload),
        " is not supported; `program.run_decompositions()` before `torch.export.save` may "
        "write it without");
  std::vector<std::string> names;
  if (suggestions_-- > 0) {
    for (const auto& [name, info] : clauses_) names.push_back(name);
    std::sort(names.begin(), names.end());
  }
  return absl::StrCat("op ", Quoted(overload), " is not supported",
                      onnx_import::NearestClause(overload, names));
}

bool ProgramImporter::TakesArguments(const Node& node, const ir::AtenInfo& info,
                                     const std::string& place) {
  bool ok = true;
  for (const Argument& argument : node.inputs) {
    if (argument.placement || IsPlacement(argument.name)) continue;
    if (!argument.known) {
      problems_.AddUnsupported(place,
                               absl::StrCat("argument ", Quoted(argument.name), " is of form ",
                                            Quoted(argument.form), ", which is not supported"));
      ok = false;
      continue;
    }
    if (argument.form == "as_none") continue;
    const auto names = [&](std::string_view name) {
      return name == argument.name || name == argument.name + "..." ||
             absl::StartsWith(ir::AbslView(name), argument.name + "[");
    };
    // The type of the result, where one is asked for.
    if (argument.form == "as_scalar_type" &&
        std::find(info.attributes.begin(), info.attributes.end(), "result") !=
            info.attributes.end())
      continue;
    if (std::any_of(info.inputs.begin(), info.inputs.end(), names) ||
        std::any_of(info.attributes.begin(), info.attributes.end(), names))
      continue;
    problems_.AddUnsupported(place,
                             absl::StrCat("argument ", Quoted(argument.name), " is not supported"));
    ok = false;
  }
  return ok;
}

void ProgramImporter::CheckResult(const std::string& name, const Numbers& value,
                                  const std::string& place) {
  const TensorMeta* meta = MetaOf(name);
  if (meta == nullptr || value.real == nullptr) return;  // a size; why is recorded
  const bool stated_complex = IsComplex(name);
  const absl::StatusOr<ir::DType> dtype = HeldTypeOf(meta->dtype);
  const auto fits = [&](const ir::TensorType& type) {
    bool same = dtype.ok() && *dtype == type.dtype && meta->sizes.size() == type.dims.size();
    for (size_t axis = 0; same && axis < type.dims.size(); ++axis)
      same = !MayDiffer(type.dims[axis], meta->sizes[axis]);
    return same;
  };
  if (meta->sizes.size() == value.real->type().dims.size()) {
    for (size_t axis = 0; axis < meta->sizes.size(); ++axis)
      StateLeast(value.real->type().dims[axis], meta->sizes[axis]);
  }
  const bool complex = value.complex();
  if (stated_complex == complex && fits(value.real->type()) &&
      (!complex || fits(value.imaginary->type())))
    return;
  const std::string stated = absl::StrJoin(meta->sizes, ", ", [](std::string* out, const Size& s) {
    absl::StrAppend(out, s.text.empty() ? absl::StrCat(s.number) : s.text);
  });
  problems_.AddInvalid(
      place, absl::StrCat(Quoted(name), " is computed as ", complex ? "complex " : "",
                          value.real->type().ToString(), ", the program says that it is ",
                          stated_complex ? "complex " : "",
                          dtype.ok() ? ir::AbslView(ir::NameOf(*dtype)) : "of another type", "[",
                          stated, "]"));
}

bool ProgramImporter::StatesOneMore(const std::string& name, const Numbers& value) {
  const TensorMeta* meta = MetaOf(name);
  if (meta == nullptr || value.real == nullptr) return false;
  const ir::TensorType& type = value.real->type();
  if (meta->sizes.size() != type.dims.size() + 1 || meta->sizes.size() < 2) return false;
  if (!meta->sizes[1].text.empty() || meta->sizes[1].number != 1) return false;
  for (size_t axis = 0; axis < type.dims.size(); ++axis) {
    if (MayDiffer(type.dims[axis], meta->sizes[axis == 0 ? 0 : axis + 1])) return false;
  }
  return true;
}

void ProgramImporter::Bind(const Node& node, const ir::AtenInfo& info,
                           const std::vector<Numbers>& results, bool in_place,
                           const std::string& place) {
  const std::vector<std::string> outputs = OutputsOf(node);
  const Argument* self = node.inputs.empty() ? nullptr : &node.inputs[0];
  const auto is_misstated = [&](const Item& item) { return misstated_.contains(item.text); };
  const bool misled = std::any_of(node.inputs.begin(), node.inputs.end(), [&](const Argument& a) {
    return std::any_of(a.items.begin(), a.items.end(), is_misstated);
  });
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].empty()) continue;
    Numbers value = i < results.size() ? results[i] : Numbers();
    if (value.real == nullptr && last_use_.contains(outputs[i])) {
      problems_.AddUnsupported(
          place, absl::StrCat("result ", Quoted(outputs[i]), ", number ", i, ", is not supported"));
    }
    if (value.real != nullptr && value.real->type().rank() > onnx_import::kMaxRank) {
      problems_.AddUnsupported(place, absl::StrCat("result ", Quoted(outputs[i]), " has rank ",
                                                   value.real->type().rank(), ", which exceeds ",
                                                   onnx_import::kMaxRank));
      value = {};
    }
    // Of recurrent layers' last states, and what is made of them, torch 2.5 to 2.11 states other
    // sizes than it has when it runs the program.
    if (misled || (i > 0 && StatesOneMore(outputs[i], value)))
      misstated_.insert(outputs[i]);
    else if (last_use_.contains(outputs[i]))
      CheckResult(outputs[i], value, place);
    values_[outputs[i]] = value;
    identity_[outputs[i]] = memory_[outputs[i]] = static_cast<int>(memory_.size());
    if (in_place && self != nullptr && self->items.size() == 1) {
      const std::string& of = self->items[0].text;
      memory_[outputs[i]] = memory_[of];
      identity_[outputs[i]] = identity_[of];
    } else if (const std::string* base = BaseOf(node, info, i); base != nullptr) {
      memory_[outputs[i]] = memory_[*base];
      views_[identity_[outputs[i]]] = {&node, *base, static_cast<int>(i)};
    }
    Name(value, outputs[i]);
  }
  // `detach_` and its like write nothing.
  const bool writes =
      in_place && !results.empty() && results[0].real != nullptr &&
      (self == nullptr || self->items.size() != 1 || values_[self->items[0].text] != results[0]);
  if (writes && node.branch != 0 && self != nullptr && self->items.size() == 1 &&
      memory_[self->items[0].text] < branch_begins_.at(node.branch)) {
    problems_.AddUnsupported(place,
                             "writes over a tensor from outside of its graph, which is not "
                             "always run once");
    return;
  }
  if (writes) WriteOver(node, results[0], info.view, place);
}

void ProgramImporter::ImportNode(const Node& node) {
  const std::vector<std::string> outputs = OutputsOf(node);
  std::string name = node.name;
  for (const std::string& output : outputs) {
    if (name.empty()) name = output;
  }
  if (name.empty()) name = OverloadOf(node.target);
  branch_begins_.emplace(node.branch, static_cast<int>(memory_.size()));
  const std::string place = PlaceOf(node, name);
  const std::vector<std::string> ended = TakeEnded(node);
  const absl::Cleanup forget = [&] { Forget(ended); };
  for (const std::string& output : outputs) {
    if (output.empty()) continue;
    // Names of loops that have ended are no values any more, and not free either.
    if (!values_.emplace(output, Numbers()).second || identity_.contains(output))
      return problems_.AddInvalid(place, absl::StrCat("redeclaration of ", Quoted(output)));
    if (!inside_.empty()) inside_.back().push_back(output);
  }
  if (node.part == Node::kLoopBegin) inside_.emplace_back();
  bool in_place = false;
  const ir::AtenInfo* info = nullptr;
  if (node.part == Node::kCall) {
    info = FindClause(node, in_place);
    if (info == nullptr && SpeaksOfNoValue(node)) return;
    if (info == nullptr) return problems_.AddUnsupported(place, Unsupported(node));
    if (!TakesArguments(node, *info, place)) return;
  }
  for (const Argument& argument : node.inputs) {
    for (const Item& item : argument.items) {
      if (item.kind != Item::kName) continue;
      const auto it = values_.find(item.text);
      if (it == values_.end())
        return problems_.AddInvalid(
            place, absl::StrCat("reads ", Quoted(item.text), ", which nothing before it defines"));
      if (it->second.real == nullptr) return;  // why is recorded
    }
  }
  std::vector<bool> wanted;
  for (const std::string& output : outputs)
    wanted.push_back(!output.empty() && last_use_.contains(output));
  rewriter_.SetLocation(
      ir::Location::Of(node.module.empty() ? name : absl::StrCat(node.module, "/", name)));
  if (info == nullptr) return ImportLoopPart(node, place);
  if (const std::optional<std::vector<Numbers>> results = Apply(node, *info, wanted, place))
    Bind(node, *info, *results, in_place, place);
}

std::optional<std::vector<ir::Value*>> ProgramImporter::ApplyTo(std::vector<const Item*> imaginary,
                                                                const Node& node,
                                                                const ir::AtenInfo& info,
                                                                std::vector<bool> wanted,
                                                                const std::string& place) {
  const std::vector<std::string> outputs = OutputsOf(node);
  builder_.Reset();
  NodeView view(node, info, values_, std::move(imaginary), std::move(wanted),
                outputs.empty() ? ResultFacts() : FactsOf(outputs[0]), PlacementOf(node), builder_);
  std::vector<ir::Value*> results =
      view.failed() ? std::vector<ir::Value*>() : info.apply(view, builder_);
  for (const std::string& failure : view.failures()) problems_.AddUnsupported(place, failure);
  if (view.failed()) return std::nullopt;
  if (builder_.ok()) return results;
  problems_.Add(place, builder_.status());
  return std::nullopt;
}

void ProgramImporter::ImportOutput(const std::string& name, const std::string& value,
                                   const std::string& place) {
  const Numbers numbers = values_.at(value);
  rewriter_.SetLocation(ir::Location::Of(value));
  ir::Value* joined = Joined(numbers, place);
  if (joined == nullptr) return;
  if (absl::Status status = rewriter_.AddOutput(name, joined); !status.ok())
    return problems_.AddInvalid(place, status.message());
  if (numbers.complex()) TellParts("output", name);
}

void ProgramImporter::ImportOutputs() {
  std::set<std::string> names;
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    const OutputSpec& output = program_.outputs[i];
    const std::string place = absl::StrCat("output ", i);
    if (absl::EndsWith(output.form, "_mutation")) continue;  // FindChanged
    if (output.form != "user_output") {
      problems_.AddUnsupported(place, absl::StrCat("is a ", Quoted(output.form),
                                                   ": export the model in evaluation mode"));
      continue;
    }
    for (const Item& item : output.value.items) {
      if (item.kind != Item::kName) continue;  // Python's own: the same for every call
      const auto it = values_.find(item.text);
      if (it == values_.end()) {
        problems_.AddInvalid(place,
                             absl::StrCat("is ", Quoted(item.text), ", which nothing defines"));
        continue;
      }
      if (it->second.real == nullptr) continue;
      std::string name = item.text;
      for (int copy = 2; !names.insert(name).second; ++copy)
        name = absl::StrCat(item.text, "_", copy);
      ImportOutput(name, item.text, place);
    }
  }
  ImportChanged(names);
  if (names.empty() && problems_.empty()) problems_.AddInvalid("", "the program has no outputs");
}

}  // namespace tessera::pt2_import
