#include "frontends/onnx/graph_importer.h"

#include <iterator>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/onnx/input_dims.h"
#include "frontends/onnx/quoting.h"
#include "frontends/onnx/readings.h"
#include "ir/absl_view.h"
#include "solver/expr.h"
#include "support/printable.h"

namespace tessera::onnx_import {
namespace {

using onnx::GraphProto;
using onnx::TensorProto;
using onnx::ValueInfoProto;

// Nodes that inlining may add to those of the file: calls in calls double at each level.
constexpr int64_t kMaxInlinedNodes = 100'000;

using Names = absl::flat_hash_set<absl::string_view>;

// All names that the model itself gives to dims of inputs.
Names DimParams(const GraphProto& graph) {
  Names params;
  for (const ValueInfoProto& input : graph.input()) {
    for (const auto& dim : input.type().tensor_type().shape().dim()) params.insert(dim.dim_param());
  }
  return params;
}

// Whether nobody says anything of a dim: -1 is how exporters write that, and `?`, which is no name,
// or two dims that have it would be one.
bool IsUnknown(const onnx::TensorShapeProto::Dimension& dim) {
  if (dim.has_dim_value()) return dim.dim_value() == -1;
  return dim.dim_param().empty() || dim.dim_param() == "?";
}

bool IsNumber(const onnx::TensorShapeProto::Dimension& dim) {
  return dim.has_dim_value() && !IsUnknown(dim);
}

// The name that a dim of an input goes by, one that no other dim has if the model does not name it;
// nullopt for a plain number.
std::optional<std::string> DimName(const ValueInfoProto& input, int axis, const Names& params) {
  const auto& dim = input.type().tensor_type().shape().dim(axis);
  if (IsNumber(dim)) return std::nullopt;
  if (!IsUnknown(dim)) return dim.dim_param();
  std::string name = absl::StrCat(input.name(), "_d", axis);
  while (params.contains(name)) name += '_';
  return name;
}

// What is wrong with the declared type of `input`; OK: a tensor of known rank and element type
// whose fixed dims are sizes.
absl::Status CheckInputType(const ValueInfoProto& input) {
  const onnx::TypeProto& type = input.type();
  if (!type.has_tensor_type()) {
    return absl::UnimplementedError(
        type.value_case() == onnx::TypeProto::VALUE_NOT_SET
            ? "has no type"
            : "is no tensor; sequences, maps, optional and sparse inputs are not supported");
  }
  if (absl::StatusOr<ir::DType> dtype = DTypeFromProto(type.tensor_type().elem_type()); !dtype.ok())
    return dtype.status();
  if (!type.tensor_type().has_shape())
    return absl::UnimplementedError("rank is unknown; an input needs a shape, if of symbolic dims");
  const auto& shape = type.tensor_type().shape();
  if (shape.dim_size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("rank ", shape.dim_size(), " exceeds ", kMaxRank));
  }
  for (int axis = 0; axis < shape.dim_size(); ++axis) {
    const int64_t size = shape.dim(axis).dim_value();
    if (IsNumber(shape.dim(axis)) && (size < 0 || size > kMaxDim)) {
      return absl::InvalidArgumentError(
          absl::StrCat("dim ", axis, " is ", size, "; a size is from 0 to ", kMaxDim));
    }
  }
  return absl::OkStatus();
}

// Compares the shape given for `input` with its declared one; `how` it was given.
absl::Status CheckShape(const ValueInfoProto& input, absl::Span<const int64_t> given,
                        absl::string_view how) {
  const auto& shape = input.type().tensor_type().shape();
  if (std::ssize(given) != shape.dim_size()) {
    return absl::InvalidArgumentError(absl::StrCat(how, " a tensor of rank ", given.size(),
                                                   ", declared of rank ", shape.dim_size()));
  }
  for (int axis = 0; axis < shape.dim_size(); ++axis) {
    const auto& dim = shape.dim(axis);
    const int64_t size = given[static_cast<size_t>(axis)];
    if (IsNumber(dim) && dim.dim_value() != size) {
      return absl::InvalidArgumentError(
          absl::StrCat("dim ", axis, " ", how, " ", size, ", declared ", dim.dim_value()));
    }
  }
  return absl::OkStatus();
}

// Whether no sizes of the inputs make a tensor of the declared rank and sizes of this type. Sizes
// below 1 are how exporters write those that they do not know.
bool Contradicts(const onnx::TypeProto& declared, const ir::TensorType& type) {
  if (!declared.has_tensor_type() || !declared.tensor_type().has_shape()) return false;
  const auto& shape = declared.tensor_type().shape();
  if (shape.dim_size() != std::ssize(type.dims)) return true;
  for (int axis = 0; axis < shape.dim_size(); ++axis) {
    const int64_t size = shape.dim(axis).dim_value();  // 0 where it has none
    const solver::Range range = solver::RangeOf(type.dims[static_cast<size_t>(axis)]);
    if (size > 0 && (size < range.lo || size > range.hi)) return true;
  }
  return false;
}

std::string ShapeText(const onnx::TensorShapeProto& shape) {
  const auto size = [](std::string* text, const onnx::TensorShapeProto::Dimension& dim) {
    absl::StrAppend(text, dim.has_dim_value()       ? absl::StrCat(dim.dim_value())
                          : dim.dim_param().empty() ? "?"
                                                    : support::Printable(dim.dim_param()));
  };
  return absl::StrCat("[", absl::StrJoin(shape.dim(), ", ", size), "]");
}

// Compares a tensor given for `input` with its declared type.
absl::Status CheckBound(const ValueInfoProto& input, const ir::Tensor& tensor) {
  const ir::DType declared = *DTypeFromProto(input.type().tensor_type().elem_type());
  if (tensor.dtype() != declared) {
    return absl::InvalidArgumentError(
        absl::StrCat("bound to a tensor of `", ir::AbslView(ir::NameOf(tensor.dtype())),
                     "`, declared `", ir::AbslView(ir::NameOf(declared)), "`"));
  }
  return CheckShape(input, tensor.shape(), "bound to");
}

}  // namespace

size_t CountNodes(const NodeProtos& nodes) {
  size_t count = 0;
  for (const auto& node : nodes) {
    ++count;
    for (const auto& attribute : node.attribute()) {
      count += CountNodes(attribute.g().node());
      for (const auto& graph : attribute.graphs()) count += CountNodes(graph.node());
    }
  }
  return count;
}

GraphImporter::GraphImporter(const onnx::ModelProto& model, TensorLoader& loader,
                             const ImportOptions& options, ir::Graph& graph, Problems& problems)
    : model_(model),
      loader_(loader),
      options_(options),
      problems_(problems),
      graph_(graph),
      rewriter_(graph),
      builder_(rewriter_) {}

void GraphImporter::Import() {
  std::vector<std::string> failures;
  OpSets opsets(model_.opset_import(), options_.strict_opset, failures);
  for (const std::string& failure : failures) problems_.AddInvalid("", failure);
  // Before version 3 of the format, models did not say; opset 1 was all there was.
  if (model_.opset_import().empty() && model_.ir_version() < 3) opsets.Assume(DomainName(""), 1);
  opset_ = opsets.Version(DomainName("")).value_or(0);
  if (!model_.has_graph()) return problems_.AddInvalid("", "no graph in the model");
  const GraphProto& graph = model_.graph();
  node_budget_ = static_cast<int64_t>(CountNodes(graph.node())) + kMaxInlinedNodes;
  ReadFunctions();

  Scope scope;
  // Most nodes name one result.
  scope.names.reserve(
      static_cast<size_t>(graph.initializer_size() + graph.input_size() + graph.node_size()));
  DeclareInitializers(graph, scope, "");
  ImportInputs(graph, scope);
  std::vector<std::string> outputs;
  for (const ValueInfoProto& output : graph.output()) outputs.push_back(output.name());
  ImportBody(graph.node(), outputs, scope, Context{&opsets, nullptr, "", 0});
  ImportOutputs(graph, scope);
  if (options_.named) {
    for (const auto& [name, binding] : scope.names) {
      if (binding.kind == Binding::Kind::kValue) options_.named(name, *binding.value);
    }
  }

  // What nothing reads stays out of the graph, but not unchecked.
  for (const TensorProto& tensor : graph.initializer()) {
    const auto it = scope.names.find(tensor.name());
    if (it == scope.names.end() || it->second.initializer != &tensor) continue;
    if (it->second.kind != Binding::Kind::kInitializer) continue;
    const absl::Status status = loader_.Load(tensor).status();
    if (!status.ok() && !absl::IsUnimplemented(status)) {
      problems_.AddInvalid(absl::StrCat("initializer ", Quoted(tensor.name())), status.message());
    }
  }
}

std::vector<std::string> GraphImporter::AssumedOpsets() const {
  std::vector<std::string> texts;
  for (const auto& [opset, ops] : newer_) {
    texts.push_back(absl::StrCat(
        "assumed: opset ", opset.second, " of ", opset.first, " means by ",
        QuotedList(std::vector<std::string>(ops.begin(), ops.end())), " what opset ",
        NewestOpset(opset.first).value_or(0),
        ", the newest known, does (it has all that their nodes say; `--strict-opset` refuses "
        "instead)"));
  }
  for (const auto& [domain, ops] : supposed_) {
    texts.push_back(absl::StrCat(
        "assumed: ", QuotedList(std::vector<std::string>(ops.begin(), ops.end())), " of ", domain,
        ", which the model does not import, is what its version 1 has (`--strict-opset` refuses "
        "instead)"));
  }
  return texts;
}

std::vector<std::string> GraphImporter::AssumedReadings() const {
  std::vector<std::string> texts;
  for (const Reading& reading : Readings()) {
    const auto it = unread_.find(std::string(reading.name));
    if (it == unread_.end()) continue;
    texts.push_back(absl::StrCat(
        "assumed: ", QuotedList(std::vector<std::string>(it->second.begin(), it->second.end())),
        " as the operator's text has it; with `--reading ", reading.name, "` ", reading.means));
  }
  return texts;
}

void GraphImporter::ReadFunctions() {
  for (const onnx::FunctionProto& function : model_.functions()) {
    const std::string overload = OverloadOf(function);
    const std::string place =
        absl::StrCat("function ", Quoted(function.name()),
                     overload.empty() ? "" : absl::StrCat(", overload ", Quoted(overload)));
    std::vector<std::string> failures;
    Function entry{&function, OpSets(function.opset_import(), options_.strict_opset, failures),
                   DefaultAttributes(function)};
    for (const std::string& failure : failures) problems_.AddInvalid(place, failure);
    const std::string domain = DomainName(function.domain());
    if (!functions_.emplace(std::tuple(domain, function.name(), overload), std::move(entry))
             .second) {
      problems_.AddInvalid(place, absl::StrCat("redeclaration in domain ", Quoted(domain)));
    }
  }
}

void GraphImporter::DeclareInitializers(const GraphProto& graph, Scope& scope,
                                        const std::string& prefix) {
  for (const TensorProto& tensor : graph.initializer()) {
    const std::string place = absl::StrCat("initializer ", Quoted(prefix + tensor.name()));
    if (tensor.name().empty()) {
      problems_.AddInvalid(place, "no name");
    } else if (!scope.names
                    .try_emplace(tensor.name(),
                                 Binding{Binding::Kind::kInitializer, nullptr, &tensor})
                    .second) {
      problems_.AddInvalid(place, absl::StrCat("redeclaration of ", Quoted(tensor.name())));
    }
  }
  for (const auto& sparse : graph.sparse_initializer()) {
    problems_.AddUnsupported(absl::StrCat("initializer ", Quoted(prefix + sparse.values().name())),
                             "is sparse, which is not supported");
    scope.names.try_emplace(sparse.values().name(), Binding{});
  }
}

void GraphImporter::ImportInputs(const GraphProto& graph, Scope& scope) {
  const auto place = [](const ValueInfoProto& input) {
    return absl::StrCat("graph input ", Quoted(input.name()));
  };
  std::vector<const ValueInfoProto*> inputs;  // those that are not initializers
  std::vector<std::string> names;
  InputDims dims;
  dims.Reserve(static_cast<size_t>(graph.input_size()));  // few inputs have more of their own
  const Names params = DimParams(graph);
  absl::flat_hash_set<absl::string_view> seen;
  seen.reserve(static_cast<size_t>(graph.input_size()));
  size_t place_among_inputs = 0;
  for (const ValueInfoProto& input : graph.input()) {
    if (input.name().empty() || !seen.insert(input.name()).second) {
      problems_.AddInvalid(place(input), input.name().empty() ? "no name"
                                                              : absl::StrCat("redeclaration of ",
                                                                             Quoted(input.name())));
      continue;
    }
    names.push_back(input.name());
    // An input with an initializer has a default, which is what weights are. Before version 4 of
    // the format that was the only way to write one.
    const auto bound = options_.bind.find(input.name());
    const bool is_bound = bound != options_.bind.end();
    if (scope.names.contains(input.name()) && !is_bound) continue;
    scope.names[input.name()] = Binding{};
    absl::Status status = CheckInputType(input);
    if (status.ok() && is_bound) status = CheckBound(input, bound->second);
    // Of those that stay inputs.
    const ImportOptions::Sized* const sized =
        is_bound ? nullptr : SizesOf(options_, input.name(), place_among_inputs);
    if (!is_bound) ++place_among_inputs;
    if (status.ok() && sized != nullptr) status = CheckShape(input, sized->shape, "given as");
    if (!status.ok()) {
      problems_.Add(place(input), status);
      continue;
    }
    inputs.push_back(&input);
    for (int axis = 0; axis < input.type().tensor_type().shape().dim_size(); ++axis) {
      const std::optional<std::string> name = DimName(input, axis, params);
      if (!name) continue;
      dims.Declare(*name, absl::StrCat("dim ", axis, " of input ", Quoted(input.name())));
      if (is_bound)
        dims.Fix(*name, bound->second.shape()[axis], absl::StrCat("--bind ", input.name()));
      if (sized != nullptr) {
        dims.Fix(*name, sized->shape[static_cast<size_t>(axis)],
                 SizesText(input.name(), sized->shape));
      }
    }
  }
  for (const auto& [name, tensor] : options_.bind) {
    if (!seen.contains(name)) {
      problems_.AddInvalid(
          "", absl::StrCat("`--bind` of ", Quoted(name), ", which is no graph input; inputs are ",
                           QuotedList(names)));
    }
  }
  for (const ImportOptions::Sized& sized : options_.sizes) {
    if (!sized.name.empty() && !seen.contains(sized.name))
      problems_.AddInvalid(
          "", absl::StrCat("no graph input ", Quoted(sized.name), ", for which there is ",
                           SizesText(sized.name, sized.shape), "; inputs are ", QuotedList(names)));
  }
  for (const DimOption& option : options_.dims) dims.Constrain(option, problems_);
  if (!dims.Resolve(graph_.context(), problems_)) return;

  for (const ValueInfoProto* input : inputs) {
    Binding& binding = scope.names[input->name()];
    if (const auto bound = options_.bind.find(input->name()); bound != options_.bind.end()) {
      rewriter_.SetLocation(ir::Location::Of(input->name()));
      binding = {Binding::Kind::kValue, rewriter_.CreateConstant(bound->second), nullptr};
      rewriter_.SetName(binding.value, input->name());
      continue;
    }
    ir::TensorType type{*DTypeFromProto(input->type().tensor_type().elem_type()), {}};
    const auto& shape = input->type().tensor_type().shape();
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      const std::optional<std::string> name = DimName(*input, axis, params);
      type.dims.push_back(name ? dims.at(*name) : solver::Expr(shape.dim(axis).dim_value()));
    }
    absl::StatusOr<ir::Value*> value = rewriter_.AddInput(input->name(), std::move(type));
    if (!value.ok()) {
      problems_.AddInvalid(place(*input), value.status().message());
      continue;
    }
    binding = {Binding::Kind::kValue, *value, nullptr};
  }
}

void GraphImporter::ImportOutputs(const GraphProto& graph, Scope& scope) {
  if (graph.output().empty()) problems_.AddInvalid("", "the graph has no outputs");
  absl::flat_hash_set<absl::string_view> seen;
  seen.reserve(static_cast<size_t>(graph.output_size()));
  for (const ValueInfoProto& output : graph.output()) {
    const auto place = [&] { return absl::StrCat("graph output ", Quoted(output.name())); };
    if (output.name().empty() || !seen.insert(output.name()).second) {
      problems_.AddInvalid(place(), output.name().empty()
                                        ? "no name"
                                        : absl::StrCat("redeclaration of ", Quoted(output.name())));
      continue;
    }
    const std::optional<Binding> binding = Read(output.name(), "", place, scope);
    if (binding && binding->kind == Binding::Kind::kSequence && !binding->entries.empty()) {
      AddSequence(output.name(), *binding, place());
      continue;
    }
    if (binding && !WhatElse(*binding).empty()) {
      problems_.AddUnsupported(place(),
                               absl::StrCat("is ", WhatElse(*binding), "; outputs are tensors"));
    }
    if (!binding || binding->kind != Binding::Kind::kValue) continue;
    if (output.type().has_tensor_type()) {
      const absl::StatusOr<ir::DType> declared =
          DTypeFromProto(output.type().tensor_type().elem_type());
      const ir::DType found = binding->value->type().dtype;
      if (declared.ok() && *declared != found) {
        problems_.AddInvalid(
            place(), absl::StrCat("declared `", ir::AbslView(ir::NameOf(*declared)),
                                  "`, computed as `", ir::AbslView(ir::NameOf(found)), "`"));
        continue;
      }
    }
    if (Contradicts(output.type(), binding->value->type())) {
      assumed_outputs_.push_back(absl::StrCat("assumed: ", place(), " is ",
                                              binding->value->type().ToString(),
                                              ", as it is computed (declared is ",
                                              ShapeText(output.type().tensor_type().shape()), ")"));
    }
    if (absl::Status status = rewriter_.AddOutput(output.name(), binding->value); !status.ok()) {
      problems_.AddInvalid(place(), status.message());
    }
  }
}

}  // namespace tessera::onnx_import
