// The part of GraphImporter that deals with nodes.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/float_sizes.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/quoting.h"
#include "solver/decide.h"
#include "solver/remedy.h"
#include "support/memory_limit.h"

namespace tessera::onnx_import {
namespace {

using onnx::AttributeProto;
using onnx::GraphProto;
using onnx::NodeProto;

bool HoldsGraph(const AttributeProto& attribute) {
  const AttributeType type = TypeOf(attribute);
  return type == AttributeProto::GRAPH || type == AttributeProto::GRAPHS;
}

const GraphProto* Subgraph(const Attributes& attributes, const char* name) {
  const auto it = attributes.find(name);
  return it != attributes.end() && TypeOf(*it->second) == AttributeProto::GRAPH ? &it->second->g()
                                                                                : nullptr;
}

// A failure of a node, and for which sizes its operands that are quotients of sizes are numbers.
absl::Status WithRemedy(solver::Context& context, const NodeView& view,
                        const std::string& failure) {
  for (int i = 0; i < view.input_count(); ++i) {
    const ir::Value* const input = view.Input(i);
    if (input == nullptr) continue;
    const std::optional<ir::Expr> proportion = SizesInProportion(context, *input);
    if (!proportion) continue;
    const solver::Verdict verdict = solver::Decide(context, *proportion);
    if (verdict.kind != solver::Verdict::kRefuted) continue;
    const std::vector<solver::Remedy> remedies =
        solver::FindRemedies(context, *proportion, verdict.counterexample);
    absl::Status status = absl::InvalidArgumentError(absl::StrCat(
        failure,
        remedies.empty() ? "" : absl::StrCat("; they are numbers with ", solver::ToText(remedies)),
        view.Missed("nearest_sizes") ? "; for factors of sizes there is `--reading nearest_sizes`"
                                     : ""));
    if (!remedies.empty()) solver::Attach(remedies.front(), status, "");
    return status;
  }
  return absl::InvalidArgumentError(failure);
}

}  // namespace

std::string GraphImporter::Site::Place() const {
  return absl::StrCat("node ", Quoted(name), " (", Quoted(node.op_type()), ", ", Quoted(domain),
                      version ? absl::StrCat(" opset ", *version) : "", ")");
}

void GraphImporter::ImportBody(const NodeProtos& nodes, const std::vector<std::string>& outputs,
                               Scope& scope, const Context& context) {
  std::vector<Site> sites;
  sites.reserve(nodes.size());
  scope.producers.reserve(nodes.size());
  absl::flat_hash_set<absl::string_view> used(outputs.begin(), outputs.end());
  for (int i = 0; i < nodes.size(); ++i) {
    const NodeProto& node = nodes[i];
    std::string name =
        context.prefix + (node.name().empty() ? absl::StrCat(node.op_type(), "_", i) : node.name());
    std::string domain = DomainName(node.domain());
    const std::optional<int> version = context.opsets->Version(domain);
    sites.push_back({node, i, context.prefix, std::move(name), std::move(domain), version});
    for (const std::string& output : node.output()) {
      if (output.empty()) continue;
      if (scope.names.contains(output) || !scope.producers.emplace(output, i).second) {
        problems_.AddInvalid(sites.back().Place(),
                             absl::StrCat("redeclaration of ", Quoted(output)));
      }
    }
    for (absl::string_view read : ReadBy(node)) used.insert(read);
  }

  const NodeOrder order = OrderNodes(nodes, scope.producers);
  std::vector<bool> in_cycle(nodes.size(), false);
  for (const std::vector<int>& cycle : order.cycles) {
    std::vector<std::string> names;
    for (int node : cycle) {
      in_cycle[node] = true;
      names.push_back(sites[node].name);
    }
    problems_.AddInvalid(sites[cycle.front()].Place(),
                         absl::StrCat("reads its own result; the cycle is ", QuotedList(names)));
  }
  for (int node : order.order) {
    if (in_cycle[node]) {
      Poison(sites[node], scope);
      continue;
    }
    std::vector<bool> wanted;
    for (const std::string& output : nodes[node].output())
      wanted.push_back(!output.empty() && used.contains(output));
    ImportNode(sites[node], wanted, scope, context);
  }
}

void GraphImporter::ImportNode(const Site& site, const std::vector<bool>& wanted, Scope& scope,
                               const Context& context) {
  const NodeProto& node = site.node;
  const support::Doing doing("node", site.name);
  if (--node_budget_ < 0) {
    if (node_budget_ == -1)
      problems_.AddUnsupported(site.Place(), "too many nodes once all functions are inlined");
    return Poison(site, scope);
  }
  std::vector<std::string> failures;
  const Attributes attributes = ResolveAttributes(node, context.attributes, failures);
  for (const std::string& failure : failures) problems_.AddInvalid(site.Place(), failure);

  if (const auto it = functions_.find({site.domain, node.op_type(), OverloadOf(node)});
      it != functions_.end()) {
    return InlineCall(site, it->second, attributes, scope, context);
  }
  const std::optional<int> version = context.opsets->ReadAs(site.domain);
  if (version && *version < *context.opsets->Version(site.domain))
    newer_[{site.domain, *context.opsets->Version(site.domain)}].insert(node.op_type());
  if (context.opsets->Supposed(site.domain)) supposed_[site.domain].insert(node.op_type());
  const auto graph = std::find_if(attributes.begin(), attributes.end(),
                                  [](const auto& a) { return HoldsGraph(*a.second); });
  if (graph != attributes.end()) {
    if (!failures.empty()) return Poison(site, scope);
    const auto is = [&](std::string_view name) {
      return site.domain == "ai.onnx" && node.op_type() == name;
    };
    const GraphProto* then_branch = Subgraph(attributes, "then_branch");
    const GraphProto* else_branch = Subgraph(attributes, "else_branch");
    if (is("If") && then_branch != nullptr && else_branch != nullptr) {
      if (!TakesOnly(site, attributes, {"then_branch", "else_branch"})) return Poison(site, scope);
      return ImportBranches(site, *then_branch, *else_branch, scope, context);
    }
    if (const GraphProto* body = Subgraph(attributes, "body");
        body != nullptr && (is("Loop") || is("Scan"))) {
      const bool known =
          is("Scan")
              ? TakesOnly(site, attributes,
                          {"body", "num_scan_inputs", "directions", "scan_input_axes",
                           "scan_input_directions", "scan_output_axes", "scan_output_directions"})
              : TakesOnly(site, attributes, {"body"});
      if (!known) return Poison(site, scope);
      return is("Scan") ? UnrollScan(site, *body, attributes, scope, context)
                        : UnrollLoop(site, *body, scope, context);
    }
    problems_.AddUnsupported(site.Place(),
                             absl::StrCat("op ", Quoted(node.op_type()), " with a subgraph, ",
                                          Quoted(graph->first), ", is not supported"));
    return Poison(site, scope);
  }
  if (!version) {
    problems_.AddInvalid(site.Place(),
                         absl::StrCat("no opset of domain ", Quoted(site.domain), " is imported"));
    return Poison(site, scope);
  }
  if (const SequenceNode* const sequence = FindSequenceNode(site)) {
    if (!failures.empty()) return Poison(site, scope);
    return ImportSequenceNode(site, *sequence, attributes, scope);
  }
  std::string reason;
  const ir::ImportInfo* info =
      FindImport(site.domain, node.op_type(), *version, MaySuggest(), reason);
  if (info == nullptr) {
    problems_.AddUnsupported(site.Place(), reason);
    return Poison(site, scope);
  }
  if (!failures.empty() || !ApplyClause(site, *info, *version, attributes, wanted, scope))
    Poison(site, scope);
}

bool GraphImporter::TakesOnly(const Site& site, const Attributes& attributes,
                              std::initializer_list<absl::string_view> known) {
  bool all = true;
  for (const auto& [name, attribute] : attributes) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    problems_.AddInvalid(site.Place(), absl::StrCat("unknown attribute ", Quoted(name)));
    all = false;
  }
  return all;
}

bool GraphImporter::ApplyClause(const Site& site, const ir::ImportInfo& info, int version,
                                const Attributes& attributes, const std::vector<bool>& wanted,
                                Scope& scope) {
  bool ok = true;
  for (const auto& [name, attribute] : attributes) {
    if (std::find(info.attributes.begin(), info.attributes.end(), name) != info.attributes.end())
      continue;
    std::vector<std::string> known(info.attributes.begin(), info.attributes.end());
    problems_.AddInvalid(site.Place(),
                         absl::StrCat("attribute ", Quoted(name), " is not known",
                                      MaySuggest() ? NearestClause(name, known) : ""));
    ok = false;
  }
  std::vector<Binding> bindings;
  if (!ReadInputs(site, scope, bindings) || !ok) return false;

  std::vector<NodeView::NamedInput> inputs;
  for (size_t i = 0; i < bindings.size(); ++i)
    inputs.push_back({bindings[i].value, site.node.input(static_cast<int>(i))});
  builder_.Reset();
  rewriter_.SetLocation(ir::Location::Of(site.name));
  NodeView view(version, options_.readings, std::move(inputs), wanted, attributes, loader_,
                builder_);
  const std::vector<ir::Value*> results = info.apply(view, builder_);
  if (view.failed()) {
    for (const std::string& failure : view.failures())
      problems_.Add(site.Place(), WithRemedy(rewriter_.graph().context(), view, failure));
    return false;
  }
  if (!builder_.ok()) {
    problems_.Add(site.Place(), builder_.status());
    return false;
  }

  for (const std::string& reading : view.missed()) unread_[reading].insert(site.name);

  std::vector<Binding> outputs(site.node.output_size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    ir::Value* value = i < results.size() ? results[i] : nullptr;
    if (value != nullptr && value->type().rank() > kMaxRank) {
      problems_.AddUnsupported(
          site.Place(),
          absl::StrCat("output ", Quoted(site.node.output(static_cast<int>(i))), " has rank ",
                       value->type().rank(), ", which exceeds ", kMaxRank));
    } else if (value != nullptr) {
      outputs[i] = {Binding::Kind::kValue, value, nullptr};
    } else if (wanted[i]) {
      problems_.AddUnsupported(
          site.Place(), absl::StrCat("output ", Quoted(site.node.output(static_cast<int>(i))),
                                     ", number ", i, ", is not supported"));
    }
  }
  BindOutputs(site, outputs, scope);
  return true;
}

void GraphImporter::InlineCall(const Site& site, const Function& function,
                               const Attributes& attributes, Scope& scope, const Context& context) {
  const onnx::FunctionProto& proto = *function.proto;
  const auto fail = [&](const std::string& reason) {
    problems_.AddInvalid(site.Place(), reason);
    Poison(site, scope);
  };
  if (std::find(calls_.begin(), calls_.end(), &proto) != calls_.end()) {
    return fail(absl::StrCat("function ", Quoted(proto.name()), " calls itself"));
  }
  if (context.depth >= kMaxDepth)
    return fail(absl::StrCat("calls and subgraphs nested deeper than ", kMaxDepth));
  if (site.node.input_size() > proto.input_size() ||
      site.node.output_size() > proto.output_size()) {
    return fail(absl::StrCat("has ", site.node.input_size(), " inputs and ",
                             site.node.output_size(), " outputs, its function ", proto.input_size(),
                             " and ", proto.output_size()));
  }
  Attributes given = attributes;
  for (const auto& attribute : function.defaults) given.emplace(attribute->name(), attribute.get());
  for (const auto& [name, attribute] : given) {
    const bool declared = std::find(proto.attribute().begin(), proto.attribute().end(), name) !=
                          proto.attribute().end();
    const bool has_default = std::any_of(function.defaults.begin(), function.defaults.end(),
                                         [&, &n = name](const auto& d) { return d->name() == n; });
    if (!declared && !has_default) {
      problems_.AddInvalid(site.Place(),
                           absl::StrCat("attribute ", Quoted(name), " is none of its function's"));
    }
  }

  std::vector<Binding> inputs;
  ReadAny(site, scope, inputs);  // the body is imported even so, to find what else is wrong
  Scope inner;
  for (int i = 0; i < proto.input_size(); ++i) {
    const Binding binding =
        i < site.node.input_size() ? inputs[i] : Binding{Binding::Kind::kAbsent, nullptr, nullptr};
    if (!inner.names.try_emplace(proto.input(i), binding).second) {
      problems_.AddInvalid(site.Place(), absl::StrCat("redeclaration of ", Quoted(proto.input(i)),
                                                      " in its function"));
    }
  }
  calls_.push_back(&proto);
  ImportBody(proto.node(), {proto.output().begin(), proto.output().end()}, inner,
             Context{&function.opsets, &given, site.name + "/", context.depth + 1});
  calls_.pop_back();
  const auto place = [&] { return site.Place(); };
  std::vector<Binding> results;
  for (int i = 0; i < site.node.output_size(); ++i) {
    results.push_back(
        Read(proto.output(i), "its function's output", place, inner).value_or(Binding{}));
  }
  BindOutputs(site, results, scope);
}

std::optional<GraphImporter::Binding> GraphImporter::Read(const std::string& name,
                                                          absl::string_view what,
                                                          absl::FunctionRef<std::string()> place,
                                                          Scope& scope) {
  for (Scope* s = &scope; s != nullptr; s = s->outer) {
    if (const auto it = s->names.find(name); it != s->names.end()) {
      if (it->second.kind == Binding::Kind::kInitializer) Materialize(name, it->second);
      return it->second;
    }
    if (s->producers.contains(name))
      return Binding{};  // of a node that cannot be imported before this one: in a cycle
  }
  std::vector<std::string> known;
  if (MaySuggest()) {
    for (const Scope* s = &scope; s != nullptr; s = s->outer) {
      for (const auto& entry : s->names) known.push_back(entry.first);
    }
  }
  const std::string subject = what.empty() ? "" : absl::StrCat(what, " ", Quoted(name), " ");
  problems_.AddInvalid(place(),
                       absl::StrCat(subject, "is no graph input, initializer or output of a node",
                                    NearestClause(name, known)));
  return std::nullopt;
}

bool GraphImporter::ReadInputs(const Site& site, Scope& scope, std::vector<Binding>& inputs) {
  const bool ok = ReadAny(site, scope, inputs);
  return AreTensors(site, "input", inputs) && ok;
}

bool GraphImporter::ReadAny(const Site& site, Scope& scope, std::vector<Binding>& inputs) {
  const auto place = [&] { return site.Place(); };
  bool ok = true;
  for (const std::string& name : site.node.input()) {
    if (name.empty()) {
      inputs.push_back({Binding::Kind::kAbsent, nullptr, nullptr});
      continue;
    }
    inputs.push_back(Read(name, "input", place, scope).value_or(Binding{}));
    ok &= inputs.back().kind != Binding::Kind::kPoisoned;
  }
  return ok;
}

void GraphImporter::Materialize(const std::string& name, Binding& binding) {
  absl::StatusOr<ir::Tensor> tensor = loader_.Load(*binding.initializer);
  if (!tensor.ok()) {
    const std::string place = absl::StrCat("initializer ", Quoted(name));
    problems_.Add(place, tensor.status());
    binding.kind = Binding::Kind::kPoisoned;
    return;
  }
  rewriter_.SetLocation(ir::Location::Of(name));
  binding.value = rewriter_.CreateConstant(*std::move(tensor));
  binding.kind = Binding::Kind::kValue;
  rewriter_.SetName(binding.value, name);
}

void GraphImporter::BindOutputs(const Site& site, const std::vector<Binding>& results,
                                Scope& scope) {
  for (int i = 0; i < site.node.output_size(); ++i) {
    const std::string& name = site.node.output(i);
    // Of several nodes that claim a name the first has it; that there are several is a problem
    // already.
    const auto producer = scope.producers.find(name);
    if (producer == scope.producers.end() || producer->second != site.index) continue;
    Binding binding = results[i];
    if (binding.kind == Binding::Kind::kAbsent) binding = Binding{};
    scope.names.try_emplace(name, binding);
    if (binding.value != nullptr && binding.value->name().empty())
      rewriter_.SetName(binding.value, site.prefix + name);
  }
}

void GraphImporter::Poison(const Site& site, Scope& scope) {
  BindOutputs(site, std::vector<Binding>(site.node.output_size()), scope);
}

}  // namespace tessera::onnx_import
