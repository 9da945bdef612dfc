#include "passes/compression/scopes/address.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tessera::compression {
namespace {

// What PyTorch's exporter writes: a Python list of names in quotes.
std::vector<std::string> PythonList(absl::string_view text) {
  std::vector<std::string> items;
  for (size_t i = 0; i < text.size(); ++i) {
    const char quote = text[i];
    if (quote != '\'' && quote != '"') continue;
    const size_t end = text.find(quote, i + 1);
    if (end == absl::string_view::npos) break;
    items.emplace_back(text.substr(i + 1, end - i - 1));
    i = end;
  }
  return items;
}

std::string LastPart(const std::string& dotted) { return dotted.substr(dotted.rfind('.') + 1); }

// A path, and what the operation is called there; the number is still to come.
struct Named {
  std::vector<std::string> path;
  std::string op;
  int wanted = -1;  // the number that its name asks for
};

// Modules with their classes: `name_scopes` are paths (`body`, `body.0`), and the last entries are
// the operation's own.
bool FromModules(const SourceNode& node, Named& named) {
  const auto classes_of = node.metadata.find("pkg.torch.onnx.class_hierarchy");
  const auto names_of = node.metadata.find("pkg.torch.onnx.name_scopes");
  if (classes_of == node.metadata.end() || names_of == node.metadata.end()) return false;
  const std::vector<std::string> classes = PythonList(classes_of->second);
  const std::vector<std::string> names = PythonList(names_of->second);
  if (classes.size() != names.size() || classes.size() < 2) return false;
  std::string outer;
  for (size_t i = 0; i + 1 < classes.size(); ++i) {
    std::string field = names[i];
    if (!outer.empty() && absl::StartsWith(field, absl::StrCat(outer, ".")))
      field = field.substr(outer.size() + 1);
    if (!names[i].empty()) outer = names[i];
    named.path.push_back(field.empty() ? LastPart(classes[i])
                                       : absl::StrCat(LastPart(classes[i]), "[", field, "]"));
  }
  // `aten.conv2d.default`: the part in the middle.
  const std::vector<std::string> parts = absl::StrSplit(classes.back(), '.');
  named.op = parts.size() == 3 ? parts[1] : node.op_type;
  return true;
}

// `/body/body.0/Conv_2`: a path, and the operation if the last part begins with what it is.
void FromName(const SourceNode& node, Named& named) {
  named.path = absl::StrSplit(node.name, '/', absl::SkipEmpty());
  named.op = node.op_type;
  if (named.path.empty()) return;
  const std::string& last = named.path.back();
  if (last == node.op_type) {
    named.path.pop_back();
  } else if (absl::StartsWith(last, absl::StrCat(node.op_type, "_")) &&
             absl::SimpleAtoi(last.substr(node.op_type.size() + 1), &named.wanted)) {
    named.path.pop_back();
  }
}

}  // namespace

std::vector<std::string> NodeScopes(const std::vector<SourceNode>& nodes) {
  std::vector<Named> all(nodes.size());
  std::vector<std::string> prefixes(nodes.size()), scopes(nodes.size());
  std::set<std::string> taken;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!FromModules(nodes[i], all[i])) FromName(nodes[i], all[i]);
    std::vector<std::string> path = all[i].path;
    path.push_back(all[i].op);
    prefixes[i] = absl::StrJoin(path, "/");
    if (all[i].wanted < 0) continue;
    std::string wanted = absl::StrCat(prefixes[i], "_", all[i].wanted);
    if (taken.insert(wanted).second) scopes[i] = std::move(wanted);
  }
  std::map<std::string, int> next;  // by prefix, in order of call
  for (size_t i = 0; i < nodes.size(); ++i) {
    while (scopes[i].empty()) {
      std::string free = absl::StrCat(prefixes[i], "_", next[prefixes[i]]++);
      if (taken.insert(free).second) scopes[i] = std::move(free);
    }
  }
  return scopes;
}

Addresses::Addresses(const ir::Graph& graph, const Source& source)
    : graph_(graph), source_(source) {
  const std::vector<std::string> scopes = NodeScopes(source.nodes);
  absl::flat_hash_map<int, size_t> makers;  // nodes by the value that they make
  absl::flat_hash_map<std::string, size_t> names;
  for (size_t i = 0; i < source.nodes.size(); ++i) {
    names.emplace(source.nodes[i].name, i);
    for (const std::string& tensor : source.nodes[i].outputs) {
      const auto value = source.values.find(tensor);
      if (value != source.values.end()) makers.emplace(value->second, i);
    }
  }
  // Of several tensors that are one value the first by name, so that it does not depend on hashing.
  for (const auto& [tensor, value] : source.values) {
    std::string& kept = tensors_[value];
    if (kept.empty() || tensor < kept) kept = tensor;
  }
  absl::flat_hash_map<size_t, std::vector<const ir::Operation*>> parts;
  const std::vector<ir::Operation*> order = graph.TopologicalOrder();
  for (const ir::Operation* op : order) {
    if (op->payload() != nullptr || op->info().role == ir::Role::kSymbolicConstant) continue;
    // Where names are not unique, what it makes tells them apart.
    auto node = source.nodes.size();
    for (const ir::Value* result : op->results()) {
      const auto maker = makers.find(result->id());
      if (maker != makers.end()) node = maker->second;
    }
    if (node == source.nodes.size() && !op->location().scopes.empty()) {
      const auto named = names.find(op->location().scopes.front());
      if (named != names.end()) node = named->second;
    }
    if (node != source.nodes.size()) parts[node].push_back(op);
  }
  for (const auto& [node, ops] : parts) {
    std::map<std::string, int> count;
    for (const ir::Operation* op : ops) {
      Address& address = by_operation_[op->id()];
      address.node = &source.nodes[node];
      const std::string name(op->info().name);
      address.scope = ops.size() == 1 ? scopes[node]
                                      : absl::StrCat(scopes[node], "/", name, "_", count[name]++);
    }
  }
}

const Address& Addresses::Of(const ir::Operation& op) const {
  static const Address* const kNone = new Address();
  const auto found = by_operation_.find(op.id());
  return found == by_operation_.end() ? *kNone : found->second;
}

std::vector<std::string> Addresses::Scopes() const {
  std::vector<std::string> scopes;
  for (const ir::Operation* op : graph_.TopologicalOrder()) {
    if (!Of(*op).scope.empty()) scopes.push_back(Of(*op).scope);
  }
  return scopes;
}

std::string Addresses::TensorAmong(const std::vector<std::string>& tensors,
                                   const ir::Value& value) const {
  for (const std::string& tensor : tensors) {
    const auto found = source_.values.find(tensor);
    if (found != source_.values.end() && found->second == value.id()) return tensor;
  }
  return "";
}

std::string Addresses::TensorRead(const Address& address, const ir::Value& value) const {
  return address.node == nullptr ? "" : TensorAmong(address.node->inputs, value);
}

std::string Addresses::TensorMade(const Address& address, const ir::Value& value) const {
  return address.node == nullptr ? "" : TensorAmong(address.node->outputs, value);
}

std::string Addresses::TensorOf(const ir::Value& value) const {
  const auto found = tensors_.find(value.id());
  return found == tensors_.end() ? "" : found->second;
}

}  // namespace tessera::compression
