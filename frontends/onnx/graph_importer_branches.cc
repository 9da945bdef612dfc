// The part of GraphImporter that deals with subgraphs, and with those of which one is run.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/graph_importer.h"
#include "frontends/onnx/known_value.h"
#include "frontends/onnx/quoting.h"
#include "solver/decide.h"
#include "solver/remedy.h"

namespace tessera::onnx_import {
namespace {

using onnx::GraphProto;

// What would decide a condition that depends on sizes; Unimplemented.
absl::Status Undecided(solver::Context& context, const ir::Expr& condition,
                       const solver::Verdict& always, const solver::Verdict& never) {
  std::string text =
      absl::StrCat("its condition depends on the size of the input: it is true where ",
                   Quoted(solver::Ne(condition, 0).ToString()));
  solver::Remedy remedy;
  const auto suggest = [&](const char* value, const ir::Expr& predicate,
                           const solver::Verdict& verdict) {
    if (verdict.kind != solver::Verdict::kRefuted) return;
    const std::vector<solver::Remedy> remedies =
        solver::FindRemedies(context, predicate, verdict.counterexample);
    if (remedies.empty()) return;
    absl::StrAppend(&text, "; ", value, " with ", solver::ToText(remedies));
    if (remedy.empty()) remedy = remedies.front();
  };
  suggest("true", solver::Ne(condition, 0), always);
  suggest("false", solver::Eq(condition, 0), never);
  if (remedy.empty()) absl::StrAppend(&text, "; `--dim` can fix it");
  absl::Status status = absl::UnimplementedError(text);
  solver::Attach(remedy, status, "");
  return status;
}

// Tensors of one rank that are not of one shape for all sizes.
bool MayDiffer(solver::Context& context, const ir::Value& a, const ir::Value& b) {
  const std::vector<ir::Expr>&x = a.type().dims, &y = b.type().dims;
  if (x.size() != y.size()) return false;
  for (size_t d = 0; d < x.size(); ++d) {
    if (x[d] != y[d] &&
        solver::Decide(context, solver::Eq(x[d], y[d])).kind != solver::Verdict::kProved)
      return true;
  }
  return false;
}

absl::Status NoChoiceEither(const absl::Status& undecided, const std::string& why) {
  if (why.empty()) return undecided;
  absl::Status status(undecided.code(),
                      absl::StrCat(undecided.message(), "; it is no choice between both: ", why));
  solver::Attach(solver::Attached(undecided), status, solver::ConstraintOf(undecided));
  return status;
}

}  // namespace

std::optional<std::vector<GraphImporter::Binding>> GraphImporter::ImportSubgraph(
    const Site& site, absl::string_view what, const GraphProto& subgraph,
    const std::vector<Binding>& inputs, int outputs, const std::string& prefix, Scope& scope,
    const Context& context) {
  if (context.depth >= kMaxDepth) {
    problems_.AddInvalid(site.Place(),
                         absl::StrCat("calls and subgraphs nested deeper than ", kMaxDepth));
    return std::nullopt;
  }
  if (subgraph.input_size() != static_cast<int>(inputs.size()) ||
      subgraph.output_size() != outputs) {
    problems_.AddInvalid(site.Place(),
                         absl::StrCat("its ", what, " has ", subgraph.input_size(), " inputs and ",
                                      subgraph.output_size(), " outputs, expected ", inputs.size(),
                                      " and ", outputs));
    return std::nullopt;
  }
  Scope inner;
  inner.outer = &scope;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string& name = subgraph.input(static_cast<int>(i)).name();
    if (!inner.names.try_emplace(name, inputs[i]).second) {
      problems_.AddInvalid(site.Place(),
                           absl::StrCat("redeclaration of ", Quoted(name), " in its ", what));
    }
  }
  DeclareInitializers(subgraph, inner, prefix);
  std::vector<std::string> names;
  for (const auto& output : subgraph.output()) names.push_back(output.name());
  ImportBody(subgraph.node(), names, inner,
             Context{context.opsets, context.attributes, prefix, context.depth + 1});
  const auto place = [&] { return site.Place(); };
  std::vector<Binding> results;
  for (const std::string& name : names) {
    results.push_back(
        Read(name, absl::StrCat("its ", what, "'s output"), place, inner).value_or(Binding{}));
  }
  return results;
}

absl::StatusOr<ir::Expr> GraphImporter::ScalarOf(const Site& site, absl::string_view what,
                                                 ir::Value& value) {
  const std::optional<std::vector<ir::Expr>> elements =
      KnownElements(graph_.context(), value, site.name);
  if (!elements) {
    return absl::UnimplementedError(absl::StrCat("the elements of ", what,
                                                 " must be known at compile time; ",
                                                 WhyUnknown(graph_.context(), value)));
  }
  if (elements->size() != 1) {
    return absl::UnimplementedError(
        absl::StrCat(what, " has ", elements->size(), " elements, expected one"));
  }
  return elements->front();
}

absl::StatusOr<bool> GraphImporter::Decide(const Site& site, ir::Value& value) {
  const std::string what = absl::StrCat(
      "its condition", value.name().empty() ? "" : absl::StrCat(" ", Quoted(value.name())));
  const absl::StatusOr<ir::Expr> condition = ScalarOf(site, what, value);
  if (!condition.ok()) return condition.status();
  if (condition->IsConstant() && condition->IsLiteral()) return *condition->Constant() != 0;
  const ir::Expr holds = solver::Ne(*condition, 0), fails = solver::Eq(*condition, 0);
  // What is taken for all sizes rests on this.
  const auto decided = [&](const ir::Expr& predicate, bool taken) {
    ir::Obligation proved;
    proved.constraint = "decided.condition";
    proved.predicate = predicate;
    rewriter_.AddProved(std::move(proved), site.node.op_type(), ir::Location::Of(site.name));
    return taken;
  };
  const solver::Verdict always = solver::Decide(graph_.context(), holds);
  if (always.kind == solver::Verdict::kProved) return decided(holds, true);
  const solver::Verdict never = solver::Decide(graph_.context(), fails);
  if (never.kind == solver::Verdict::kProved) return decided(fails, false);
  return Undecided(graph_.context(), *condition, always, never);
}

void GraphImporter::ImportBranches(const Site& site, const GraphProto& then_branch,
                                   const GraphProto& else_branch, Scope& scope,
                                   const Context& context) {
  std::vector<Binding> inputs;
  if (!ReadInputs(site, scope, inputs)) return Poison(site, scope);
  if (inputs.size() != 1 || inputs[0].value == nullptr ||
      inputs[0].value->type().dtype != ir::DType::kBool) {
    problems_.AddInvalid(site.Place(), "needs one input, the condition, of type `bool`");
    return Poison(site, scope);
  }
  ir::Value& condition = *inputs[0].value;
  const absl::StatusOr<bool> holds = Decide(site, condition);
  if (!holds.ok()) {
    const Problems before = problems_;
    if (ChooseBranch(site, &condition, then_branch, else_branch, scope, context)) return;
    // That both were to be computed is not the model's wish: it hears what would decide for one,
    // and why there is no choice between them.
    const std::string why = problems_.FirstAfter(before);
    problems_ = before;
    problems_.Add(site.Place(), NoChoiceEither(holds.status(), why));
    return Poison(site, scope);
  }
  const std::optional<std::vector<Binding>> results =
      ImportSubgraph(site, "branch", *holds ? then_branch : else_branch, {},
                     site.node.output_size(), site.name + "/", scope, context);
  if (!results) return Poison(site, scope);
  BindOutputs(site, *results, scope);
}

bool GraphImporter::ChooseBranch(const Site& site, ir::Value* condition,
                                 const GraphProto& then_branch, const GraphProto& else_branch,
                                 Scope& scope, const Context& context) {
  const int outputs = site.node.output_size();
  const auto yes = ImportSubgraph(site, "branch", then_branch, {}, outputs, site.name + "/then/",
                                  scope, context);
  if (!yes) return false;
  const auto no = ImportSubgraph(site, "branch", else_branch, {}, outputs, site.name + "/else/",
                                 scope, context);
  if (!no) return false;
  std::vector<Binding> results;
  for (size_t i = 0; i < yes->size(); ++i) {
    if ((*yes)[i].value == nullptr || (*no)[i].value == nullptr) return false;
    ir::Value &a = *(*yes)[i].value, &b = *(*no)[i].value;
    ir::Value* chosen = nullptr;
    if (condition->elements() != nullptr && MayDiffer(graph_.context(), a, b)) {
      const ir::Expr holds = solver::Ne(condition->elements()->front(), 0);
      std::vector<ir::Expr> sizes;
      for (size_t d = 0; d < a.type().dims.size(); ++d)
        sizes.push_back(solver::Ite(holds, a.type().dims[d], b.type().dims[d]));
      chosen = Build(site, "SizedChoice", {condition, &a, &b}, {{"sizes", ir::Attribute(sizes)}});
    } else {
      chosen = Build(site, "Choice", {condition, &a, &b}, {});
    }
    if (chosen == nullptr) return false;
    results.push_back({Binding::Kind::kValue, chosen, nullptr});
  }
  BindOutputs(site, results, scope);
  return true;
}

ir::Value* GraphImporter::Build(
    const Site& site, std::string_view op, std::vector<ir::Value*> operands,
    const std::vector<std::pair<std::string_view, ir::TermAttribute>>& attrs) {
  builder_.Reset();
  rewriter_.SetLocation(ir::Location::Of(site.name));
  const std::vector<ir::Value*> results = builder_.Create("core", op, std::move(operands), attrs);
  if (builder_.ok()) return results.front();
  problems_.Add(site.Place(), builder_.status());
  return nullptr;
}

}  // namespace tessera::onnx_import
