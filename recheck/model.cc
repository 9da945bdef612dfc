#include "recheck/model.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/unknown_field_set.h"
#include "recheck/constants.h"
#include "recheck/einsum.h"
#include "recheck/input_axis.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using onnx::TensorProto;

constexpr int kMaxDepth = 32;  // of calls and subgraphs within each other
// `overload` of IR version 10, which libonnx 1.12 does not know.
constexpr int kOverloadOfFunction = 13, kOverloadOfNode = 8;

std::string UnknownText(const google::protobuf::UnknownFieldSet& fields, int number) {
  std::string text;
  for (int i = 0; i < fields.field_count(); ++i) {
    if (fields.field(i).number() == number &&
        fields.field(i).type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      text = fields.field(i).length_delimited();
  }
  return text;
}

std::string DomainOf(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

// Names that the node, and its subgraphs, read.
void CollectReads(const NodeProto& node, std::set<std::string>& reads) {
  reads.insert(node.input().begin(), node.input().end());
  for (const AttributeProto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const NodeProto& inner : attribute.g().node()) CollectReads(inner, reads);
    for (const auto& output : attribute.g().output()) reads.insert(output.name());
  }
}

// The file beside the model that the tensor is in; empty: none.
std::string LocationOf(const TensorProto& tensor) {
  if (tensor.data_location() != TensorProto::EXTERNAL) return "";
  for (const auto& entry : tensor.external_data()) {
    if (entry.key() == "location") return entry.value();
  }
  return "";
}

void LocationsOf(const onnx::GraphProto& graph, std::set<std::string>& locations);

void LocationsOf(const google::protobuf::RepeatedPtrField<NodeProto>& nodes,
                 std::set<std::string>& locations) {
  for (const NodeProto& node : nodes) {
    for (const AttributeProto& attribute : node.attribute()) {
      if (attribute.has_t()) locations.insert(LocationOf(attribute.t()));
      if (attribute.has_g()) LocationsOf(attribute.g(), locations);
    }
  }
}

void LocationsOf(const onnx::GraphProto& graph, std::set<std::string>& locations) {
  for (const TensorProto& tensor : graph.initializer()) locations.insert(LocationOf(tensor));
  LocationsOf(graph.node(), locations);
}

// Each after those that it reads from, in the order of the file where that is one.
std::vector<int> OrderOf(const std::vector<std::set<std::string>>& reads,
                         const std::map<std::string, int>& producers) {
  std::vector<int> state(reads.size(), 0), order, pending;
  for (int root = 0; root < static_cast<int>(reads.size()); ++root) {
    pending.push_back(root);
    while (!pending.empty()) {
      const int i = pending.back();
      int& here = state[static_cast<size_t>(i)];
      if (here == 2) {
        pending.pop_back();
        continue;
      }
      bool ready = true;
      if (here == 0) {
        here = 1;
        for (const std::string& read : reads[static_cast<size_t>(i)]) {
          const auto it = producers.find(read);
          if (it == producers.end() || state[static_cast<size_t>(it->second)] != 0) continue;
          pending.push_back(it->second);
          ready = false;
        }
      }
      if (!ready) continue;
      here = 2;
      order.push_back(i);
      pending.pop_back();
    }
  }
  return order;
}

}  // namespace

TensorPtr ModelReader::Find(Scope& scope, const std::string& name) {
  for (Scope* s = &scope; s != nullptr; s = s->outer) {
    if (const auto it = s->names.find(name); it != s->names.end()) return it->second;
    const auto constant = s->constants.find(name);
    if (constant == s->constants.end()) continue;
    const TensorPtr tensor = ReadConstant(*constant->second, folder_, session_.terms());
    session_.Visit(name);
    session_.Name(tensor, name);
    return s->names[name] = tensor;
  }
  return nullptr;
}

bool ModelReader::IsGiven(const Scope& scope, const std::string& name) {
  if (name.empty()) return false;
  for (const Scope* s = &scope; s != nullptr; s = s->outer) {
    if (s->absent.contains(name)) return false;
    if (s->names.contains(name)) return true;
  }
  return true;
}

void ModelReader::Leave(const std::string& node, const std::string& why) {
  session_.Leave(node, why);
}

void ModelReader::Input(const onnx::ValueInfoProto& input, const certificate::ListedTensor& listed,
                        Scope& scope) {
  const TensorPtr tensor = session_.Listed(listed);
  scope.names[input.name()] = tensor;
  session_.Visit(input.name());
  session_.Name(tensor, input.name());
  if (tensor->has_elements)
    session_.Fail(absl::StrCat("input `", input.name(), "` is listed with elements"));
  const auto& type = input.type().tensor_type();
  const bool same_type = DTypeNameOf(type.elem_type()) == tensor->dtype;
  if (!same_type || type.shape().dim_size() != static_cast<int>(tensor->dims.size())) {
    session_.Fail(absl::StrCat("input `", input.name(), "` is listed with another type or rank"));
    return;
  }
  for (int d = 0; d < type.shape().dim_size(); ++d) {
    const auto& dim = type.shape().dim(d);
    const Dim here = tensor->dims[static_cast<size_t>(d)];
    const auto fail = [&](const std::string& what) {
      session_.Fail(absl::StrCat("dim ", d, " of input `", input.name(), "` is listed as `",
                                 session_.terms().Text(here), "`, ", what));
    };
    // How exporters write that they do not know it; `?` is no name either.
    const bool unknown = dim.has_dim_value() ? dim.dim_value() == -1
                                             : dim.dim_param().empty() || dim.dim_param() == "?";
    if (dim.has_dim_value() && !unknown) {
      if (session_.terms().Number(here) != dim.dim_value())
        fail(absl::StrCat("the model has ", dim.dim_value()));
      continue;
    }
    const std::string name = unknown ? absl::StrCat(input.name(), "_d", d) : dim.dim_param();
    origins_.try_emplace(
        name, Origin{origins_.size(), AxisOfInput(static_cast<size_t>(d), input.name())});
    const auto [first, fresh] = named_dims_.emplace(name, here);
    if (!fresh && first->second != here)
      fail(absl::StrCat("elsewhere `", name, "` is `", session_.terms().Text(first->second), "`"));
  }
}

void ModelReader::Data() {
  std::set<std::string> listed;
  for (const certificate::FileDigest& data : session_.certificate().data) {
    if (!listed.insert(data.file).second)
      session_.Fail(absl::StrCat("the file `", data.file, "` is listed twice"));
  }
  for (const TensorProto& tensor : model_.graph().initializer()) {
    const std::string location = LocationOf(tensor);
    if (!location.empty() && !DTypeNameOf(tensor.data_type()).empty() && !listed.contains(location))
      session_.Fail(absl::StrCat("`", tensor.name(), "` is in the file `", location,
                                 "`, of which the certificate has no digest"));
  }
  std::set<std::string> named;
  LocationsOf(model_.graph(), named);
  for (const onnx::FunctionProto& function : model_.functions())
    LocationsOf(function.node(), named);
  for (const std::string& file : listed) {
    if (!named.contains(file))
      session_.Fail(absl::StrCat("the file `", file, "` is listed, which the model does not name"));
  }
}

void ModelReader::Inputs(Scope& scope) {
  const certificate::Certificate& certificate = session_.certificate();
  std::map<std::string, const certificate::ListedTensor*> listed;
  for (const auto& tensor : certificate.inputs) listed[tensor.name] = &tensor;
  size_t place = 0;
  for (const onnx::ValueInfoProto& input : model_.graph().input()) {
    const bool bound = std::any_of(
        certificate.options.begin(), certificate.options.end(), [&](const std::string& option) {
          return absl::StartsWith(option, absl::StrCat("--bind ", input.name(), "="));
        });
    const auto it = listed.find(input.name());
    if (bound) {
      Leave(input.name(), "it is bound to a file, which is not read");
      scope.constants.erase(input.name());
      scope.names[input.name()] = nullptr;
    } else if (scope.constants.contains(input.name())) {
      continue;
    } else if (it == listed.end()) {
      session_.Fail(absl::StrCat("input `", input.name(), "` of the model is not listed"));
    } else {
      if (place >= certificate.inputs.size() || &certificate.inputs[place++] != it->second)
        session_.Fail(
            absl::StrCat("input `", input.name(), "` is not listed where the model has it"));
      Input(input, *it->second, scope);
      listed.erase(it);
    }
  }
  for (const auto& [name, tensor] : listed)
    session_.Fail(
        absl::StrCat("`", name, "` is listed as an input, the model has none of that name"));
  session_.NameDims(std::move(named_dims_), std::move(origins_));
}

void ModelReader::Outputs(Scope& scope) {
  const onnx::GraphProto& graph = model_.graph();
  const std::vector<std::string>& listed = session_.certificate().outputs;
  if (listed.size() != static_cast<size_t>(graph.output_size())) {
    session_.Fail(absl::StrCat("the model has ", graph.output_size(),
                               " outputs, the certificate lists ", listed.size()));
    return;
  }
  for (int i = 0; i < graph.output_size(); ++i) {
    const std::string& name = listed[static_cast<size_t>(i)];
    const TensorPtr tensor = Find(scope, graph.output(i).name());
    const std::string wrong = session_.WrongName(name, tensor);
    if (tensor == nullptr || wrong.empty()) continue;
    session_.Fail(absl::StrCat("output `", graph.output(i).name(), "` is listed as the tensor `",
                               name, "`, ", wrong));
  }
}

void ModelReader::Run() {
  Scope scope;
  for (const TensorProto& tensor : model_.graph().initializer())
    scope.constants[tensor.name()] = &tensor;
  Surroundings around;
  for (const auto& opset : model_.opset_import())
    around.opsets[DomainOf(opset.domain())] = opset.version();
  if (around.opsets.empty()) around.opsets[""] = 1;
  Data();
  Inputs(scope);
  std::set<std::string> outputs;
  for (const auto& output : model_.graph().output()) outputs.insert(output.name());
  Body(model_.graph().node(), outputs, scope, around);
  Outputs(scope);
}

void ModelReader::Body(const Nodes& nodes, const std::set<std::string>& outputs, Scope& scope,
                       const Surroundings& around) {
  std::set<std::string> used = outputs;
  std::map<std::string, int> producers;
  std::vector<std::set<std::string>> reads(static_cast<size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) {
    CollectReads(nodes[i], reads[static_cast<size_t>(i)]);
    used.insert(reads[static_cast<size_t>(i)].begin(), reads[static_cast<size_t>(i)].end());
    for (const std::string& output : nodes[i].output()) {
      if (!output.empty()) producers.emplace(output, i);
    }
  }
  for (const int i : OrderOf(reads, producers)) {
    const NodeProto& node = nodes[i];
    const std::string name =
        around.prefix + (node.name().empty() ? absl::StrCat(node.op_type(), "_", i) : node.name());
    std::vector<bool> wanted;
    for (const std::string& output : node.output())
      wanted.push_back(!output.empty() && used.contains(output));
    Node(node, name, wanted, scope, around);
  }
}

ModelReader::Maker ModelReader::MakerOf(const Clause& clause) {
  static const std::map<std::string, Maker>* const kMakers =
      new std::map<std::string, Maker>{{"recheck/einsum.cc", &ModelReader::Einsum}};
  if (clause.clause->function.empty()) return nullptr;
  for (const std::string& source : clause.op->makers) {
    if (const auto it = kMakers->find(source); it != kMakers->end()) return it->second;
  }
  return nullptr;
}

ModelReader::Results ModelReader::Einsum(const NodeContext& context) {
  const auto equation = context.attributes.find("equation");
  return DeriveEinsum(session_, context,
                      equation == context.attributes.end() ? "" : equation->second->s());
}

void ModelReader::Node(const NodeProto& node, const std::string& name,
                       const std::vector<bool>& wanted, Scope& scope, const Surroundings& around) {
  ++nodes_;
  session_.Visit(name);
  NodeContext context;
  context.name = name;
  context.op = node.op_type();
  context.folder = folder_;
  context.outputs = node.output_size();
  context.wanted = wanted;
  const std::string domain = DomainOf(node.domain());
  const auto opset = around.opsets.find(domain);
  context.opset = opset == around.opsets.end() ? 0 : opset->second;
  for (const AttributeProto& attribute : node.attribute()) {
    const AttributeProto* value = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      if (around.attributes == nullptr) continue;
      const auto it = around.attributes->find(attribute.ref_attr_name());
      if (it == around.attributes->end()) continue;
      value = it->second;
    }
    context.attributes[attribute.name()] = value;
  }
  bool complete = true;
  for (const std::string& input : node.input()) {
    const bool given = IsGiven(scope, input);
    context.inputs.push_back(given ? Find(scope, input) : nullptr);
    complete = complete && (!given || context.inputs.back() != nullptr);
  }
  const onnx::FunctionProto* function = nullptr;
  for (const onnx::FunctionProto& f : model_.functions()) {
    if (DomainOf(f.domain()) == domain && f.name() == node.op_type() &&
        UnknownText(f.unknown_fields(), kOverloadOfFunction) ==
            UnknownText(node.unknown_fields(), kOverloadOfNode))
      function = &f;
  }
  const auto has = [&](const char* attribute) { return context.attributes.contains(attribute); };
  Results results;
  if (around.depth > kMaxDepth) {
    Leave(name, "calls and subgraphs within each other");
  } else if (!complete) {
    Leave(name, "it reads what is not derived");
  } else if (function != nullptr) {
    results = Function(context, *function, around.depth);
  } else if (const Maker maker = SequenceMakerOf(domain, node.op_type()); maker != nullptr) {
    results = (this->*maker)(context);
  } else if (has("then_branch") && has("else_branch")) {
    results = Branch(context, scope, around);
  } else if (has("body")) {
    results =
        has("num_scan_inputs") ? Scan(context, scope, around) : Unroll(context, scope, around);
  } else if (std::any_of(context.inputs.begin(), context.inputs.end(), [](const TensorPtr& input) {
               return input != nullptr && input->held != Tensor::Held::kTensor;
             })) {
    Leave(name, "it reads a sequence, or an optional that holds nothing");
  } else if (const Clause clause = FindClause(domain, node.op_type(), context.opset);
             clause.op == nullptr) {
    Leave(name, absl::StrCat("no definition imports `", node.op_type(), "`"));
  } else if (const Maker maker = MakerOf(clause); maker != nullptr) {
    results = (this->*maker)(context);
  } else {
    Interpreter interpreter(session_, context);
    results = interpreter.Import(clause);
    if (!interpreter.Finish()) results.reset();
  }
  for (int i = 0; i < node.output_size(); ++i) {
    const std::string& output = node.output(i);
    if (output.empty()) continue;
    // What is not derived is taken from the certificate.
    TensorPtr tensor = !results ? session_.Listed(around.prefix + output)
                       : static_cast<size_t>(i) < results->size()
                           ? (*results)[static_cast<size_t>(i)]
                           : nullptr;
    scope.names[output] = tensor;
    session_.Name(tensor, around.prefix + output);
  }
}

}  // namespace tessera::recheck
