#include "passes/compression/pruning/removal.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "ir/inference.h"
#include "passes/compression/pruning/shape_inputs.h"

namespace tessera::compression {
namespace {

using solver::Expr;

// Where nodes of the file read a constant; each node once.
std::vector<Point> PointsOf(const BuildContext& context, const ir::Value& constant) {
  std::vector<Point> points;
  std::set<std::pair<std::string, std::string>> seen;
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    for (size_t i = 0; i < op->operands().size(); ++i) {
      if (op->operand(i) == nullptr) continue;
      std::optional<Point> point = WeightPoint(context, *op, static_cast<int>(i));
      if (!point || point->value != &constant) continue;
      if (seen.emplace(point->node, point->tensor).second) points.push_back(*std::move(point));
    }
  }
  return points;
}

using NodeParts = std::map<const SourceNode*, std::vector<const ir::Operation*>>;

NodeParts PartsOf(const BuildContext& context) {
  NodeParts parts;
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    const SourceNode* node = context.addresses.Of(*op).node;
    if (node != nullptr) parts[node].push_back(op);
  }
  return parts;
}

bool Lists(const ir::Operation& op) {
  return std::any_of(op.attrs().begin(), op.attrs().end(), [](const auto& attr) {
    return std::holds_alternative<std::vector<Expr>>(attr);
  });
}

// The operation's node, which is told by what it makes where names are not unique.
Point PointOf(const BuildContext& context, const ir::Operation& op) {
  const Address& address = context.addresses.Of(op);
  return {Place::kPreHook,           &op, 0, op.operand(0), address.scope, address.node->name,
          FirstMadeBy(*address.node)};
}

void AddShrinking(const ir::Value& value, const Removed& removed,
                  std::map<int64_t, int64_t>& sizes) {
  const std::vector<Expr>& dims = value.type().dims;
  const std::vector<Expr> left = DimsWithout(value, removed);
  for (size_t a = 0; a < dims.size(); ++a) {
    const std::optional<int64_t> before = dims[a].Constant(), after = left[a].Constant();
    if (before && after && *before != *after) sizes[*before] = *after;
  }
}

// Whether the operation's node reads a tensor that is no operand of what it was imported as: a
// shape, a list of axes.
bool HasConsumedInputs(const BuildContext& context, const SourceNode& node,
                       const std::vector<const ir::Operation*>& parts) {
  for (const std::string& input : node.inputs) {
    if (input.empty()) continue;
    bool read = false;
    for (const ir::Operation* part : parts) {
      for (const ir::Value* operand : part->operands())
        read = read || (operand != nullptr && context.addresses.TensorRead(
                                                  context.addresses.Of(*part), *operand) == input);
    }
    if (!read) return true;
  }
  return false;
}

// Sizes are listed, and no tensor of the file says them.
bool ListsItsOwn(const BuildContext& context, const ir::Operation& op, const NodeParts& parts) {
  const SourceNode* node = context.addresses.Of(op).node;
  return node != nullptr && Lists(op) && !HasConsumedInputs(context, *node, parts.at(node));
}

using NodeAttribute = std::pair<const SourceNode*, std::string>;

// Attributes of such nodes that are sizes which shrink, but for those that are set already.
std::vector<Command> Recounted(const BuildContext& context, const Removed& removed,
                               const std::set<NodeAttribute>& set, const std::string& algorithm) {
  const NodeParts parts = PartsOf(context);
  // By node and attribute; -1: parts of the node do not agree.
  std::map<NodeAttribute, int64_t> counts;
  std::map<const SourceNode*, const ir::Operation*> first;
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    if (!ListsItsOwn(context, *op, parts)) continue;
    const SourceNode* node = context.addresses.Of(*op).node;
    first.emplace(node, op);
    std::map<int64_t, int64_t> sizes = SizesThatShrink(*op, removed);
    for (const ir::Value* result : op->results()) AddShrinking(*result, removed, sizes);
    for (const auto& [name, value] : node->integers) {
      const auto left = sizes.find(value);
      if (value <= 1 || left == sizes.end()) continue;
      const auto [known, fresh] = counts.emplace(NodeAttribute(node, name), left->second);
      if (!fresh && known->second != left->second) known->second = -1;
    }
  }
  std::vector<Command> commands;
  for (const auto& [attribute, count] : counts) {
    if (count < 0 || set.contains(attribute)) continue;
    const auto& [node, name] = attribute;
    commands.push_back({PointOf(context, *first[node]), Priority::kPruning,
                        SetAttribute{name, {count}, false}, algorithm, ""});
  }
  return commands;
}

bool Mentions(const ir::Operation& op, int64_t size) {
  return std::any_of(op.attrs().begin(), op.attrs().end(), [&](const ir::Attribute& attr) {
    const auto* list = std::get_if<std::vector<Expr>>(&attr);
    return list != nullptr && std::any_of(list->begin(), list->end(), [&](const Expr& e) {
             return e.Constant() == std::optional<int64_t>(size);
           });
  });
}

bool IsOneToOne(const ir::Operation& op) {
  return op.operands().size() == 1 && op.operand(0) != nullptr && op.results().size() == 1;
}

// The node's attribute that is this number; empty: none, or several that are not called the same.
std::string AttributeThatIs(const SourceNode& node, int64_t number, std::string_view name) {
  const auto same = node.integers.find(std::string(name));
  if (same != node.integers.end() && same->second == number) return same->first;
  std::string found;
  for (const auto& [attribute, value] : node.integers) {
    if (value != number) continue;
    if (!found.empty()) return "";
    found = attribute;
  }
  return found;
}

// Attributes as the smaller operands need them: those that count entries which go. All of them
// together, or the only one.
absl::StatusOr<std::vector<SetAttribute>> Adjusted(const ir::Operation& op, const SourceNode* node,
                                                   const Removed& removed,
                                                   solver::Context& context) {
  const std::map<int64_t, int64_t> sizes = SizesThatShrink(op, removed);
  std::vector<ir::Attribute> all(op.attrs().begin(), op.attrs().end());
  std::vector<std::vector<ir::Attribute>> tries;
  for (size_t i = 0; i < op.attrs().size(); ++i) {
    const auto* number = std::get_if<int64_t>(&op.attr(i));
    if (number == nullptr) continue;
    for (const int64_t other : CountsLeft(*number, sizes)) {
      tries.emplace_back(op.attrs().begin(), op.attrs().end())[i] = other;
      all[i] = other;
    }
  }
  if (tries.empty()) return std::vector<SetAttribute>();
  std::vector<std::vector<Expr>> dims;
  for (const ir::Value* operand : op.operands())
    dims.push_back(operand == nullptr ? std::vector<Expr>() : DimsWithout(*operand, removed));
  const auto accepts = [&](absl::Span<const ir::Attribute> attrs) {
    std::vector<ir::OperandInfo<Expr>> operands;
    for (size_t i = 0; i < dims.size(); ++i) {
      operands.push_back(ir::InfoOf(op.operand(i)));
      operands.back().dims = dims[i];
    }
    std::string failed;
    return ir::Infer(op.info(), std::move(operands), attrs, context, &failed).ok();
  };
  if (accepts(op.attrs())) return std::vector<SetAttribute>();
  tries.push_back(std::move(all));
  for (const std::vector<ir::Attribute>& attrs : tries) {
    if (!accepts(attrs)) continue;
    std::vector<SetAttribute> set;
    for (size_t i = 0; i < attrs.size(); ++i) {
      if (attrs[i] == op.attr(i)) continue;
      const std::string name =
          node == nullptr
              ? ""
              : AttributeThatIs(*node, std::get<int64_t>(op.attr(i)), op.info().attrs[i].name);
      if (name.empty())
        return absl::InternalError(absl::StrCat("no attribute of the node at ",
                                                op.location().ToString(), " counts its channels"));
      set.push_back({name, {std::get<int64_t>(attrs[i])}, false});
    }
    return set;
  }
  return absl::InternalError(absl::StrCat("`", std::string(op.info().name), "` at ",
                                          op.location().ToString(),
                                          " does not accept fewer channels"));
}

}  // namespace

std::string FirstMadeBy(const SourceNode& node) {
  const auto made = std::find_if(node.outputs.begin(), node.outputs.end(),
                                 [](const std::string& output) { return !output.empty(); });
  return made == node.outputs.end() ? "" : *made;
}

std::vector<Expr> DimsWithout(const ir::Value& value, const Removed& removed) {
  std::vector<Expr> dims = value.type().dims;
  for (size_t a = 0; a < dims.size(); ++a) {
    const auto gone = removed.find({value.id(), static_cast<int64_t>(a)});
    if (gone != removed.end()) dims[a] = dims[a] - static_cast<int64_t>(gone->second.size());
  }
  return dims;
}

std::map<int64_t, int64_t> SizesThatShrink(const ir::Operation& op, const Removed& removed) {
  std::map<int64_t, int64_t> sizes;
  for (const ir::Value* operand : op.operands()) {
    if (operand != nullptr) AddShrinking(*operand, removed, sizes);
  }
  return sizes;
}

std::set<int64_t> CountsLeft(int64_t number, const std::map<int64_t, int64_t>& sizes) {
  std::set<int64_t> found;
  for (const auto& [before, after] : sizes) {
    if (number > 1 && number * after % before == 0 && number * after / before > 0)
      found.insert(number * after / before);
  }
  return found;
}

ir::Tensor Without(const ir::Tensor& tensor, int64_t axis, const std::set<int64_t>& entries) {
  const std::vector<int64_t>& from = tensor.shape();
  std::vector<int64_t> shape = from;
  shape[static_cast<size_t>(axis)] -= static_cast<int64_t>(entries.size());
  ir::Tensor result = *ir::Tensor::Allocate(tensor.dtype(), shape);
  size_t inner = ir::SizeOf(tensor.dtype());
  int64_t outer = 1;
  for (size_t d = 0; d < from.size(); ++d) {
    if (static_cast<int64_t>(d) < axis) outer *= from[d];
    if (static_cast<int64_t>(d) > axis) inner *= static_cast<size_t>(from[d]);
  }
  const uint8_t* source = tensor.bytes().data();
  uint8_t* target = result.mutable_data<uint8_t>();
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t e = 0; e < from[static_cast<size_t>(axis)]; ++e, source += inner) {
      if (entries.contains(e)) continue;
      std::memcpy(target, source, inner);
      target += inner;
    }
  }
  return result;
}

ir::Tensor WithoutRemoved(const ir::Value& constant, const ir::Tensor& numbers,
                          const Removed& removed) {
  ir::Tensor tensor = numbers;
  for (int64_t a = 0; a < tensor.rank(); ++a) {
    const auto gone = removed.find({constant.id(), a});
    if (gone != removed.end()) tensor = Without(tensor, a, gone->second);
  }
  return tensor;
}

void PinWhatTheFileSays(const BuildContext& context, EntrySets& sets) {
  const NodeParts parts = PartsOf(context);
  const std::vector<ir::Operation*> order = context.graph.TopologicalOrder();
  const auto pin = [&](const ir::Value* value, const ir::Operation* by, const std::string& reason,
                       const std::vector<Expr>* whole = nullptr) {
    if (value == nullptr || value->kind() != ir::Value::Kind::kTensor) return;
    for (size_t a = 0; a < value->type().dims.size(); ++a) {
      const std::optional<int64_t> size = value->type().dims[a].Constant();
      if (whole && whole->size() > a && (*whole)[a] == value->type().dims[a]) continue;
      if (size && *size > 1 && (by == nullptr || Mentions(*by, *size)))
        sets.PinAxis({value->id(), static_cast<int64_t>(a)}, *size, reason);
    }
  };
  for (const ir::Operation* op : order) {
    if (op->payload() != nullptr) {
      const ir::Value& constant = *op->result();
      if (!constant.UsesUnsorted().empty() && PointsOf(context, constant).empty())
        pin(&constant, nullptr, "is made of a constant that stands in no tensor of the file");
      continue;
    }
    // What a node lists on its own account follows what it reads, or an attribute (WhatStays).
    if (!Lists(*op) || ListsItsOwn(context, *op, parts)) continue;
    const bool one_to_one = IsOneToOne(*op);
    if (one_to_one && Follows(context, *op)) continue;
    if (one_to_one &&
        !ResizedBy(context, *op, op->operand(0)->type().dims, op->result()->type().dims, "")
             .empty())
      continue;
    const std::string reason = absl::StrCat("`", std::string(op->info().name), "` at ",
                                            op->location().ToString(), " is given sizes by number");
    const bool some = one_to_one && TakesParts(context, *op);
    for (const ir::Value* operand : op->operands())
      pin(operand, op, reason, some ? &op->result()->type().dims : nullptr);
    for (const ir::Value* result : op->results())
      pin(result, op, reason, some ? &op->operand(0)->type().dims : nullptr);
  }
}

absl::StatusOr<std::vector<Command>> RemovalOf(const BuildContext& context, const Removed& removed,
                                               const Constants& changed, const OwnConstants& own,
                                               bool recounts, const std::string& algorithm) {
  std::vector<Command> commands;
  std::set<std::pair<std::string, std::string>> told;  // by node and tensor
  std::set<NodeAttribute> set;
  for (const auto& [point, tensor] : own) {
    told.emplace(point.node, point.tensor);
    Change change = SetConstant{tensor};
    if (point.value == nullptr) change = AddOperand{tensor};
    commands.push_back({point, Priority::kPruning, std::move(change), algorithm, ""});
  }
  for (const ir::Operation* op : context.graph.TopologicalOrder()) {
    if (op->payload() != nullptr) {
      const ir::Value& value = *op->result();
      const auto other = changed.find(&value);
      const ir::Tensor tensor =
          WithoutRemoved(value, other == changed.end() ? *op->payload() : other->second, removed);
      if (other == changed.end() && tensor.shape() == op->payload()->shape()) continue;
      for (const Point& point : PointsOf(context, value)) {
        if (told.contains({point.node, point.tensor})) continue;
        commands.push_back({point, Priority::kPruning, SetConstant{tensor}, algorithm, ""});
      }
      continue;
    }
    if (IsOneToOne(*op)) {
      const std::vector<Expr> made = DimsWithout(*op->result(), removed);
      if (!(made == op->result()->type().dims)) {
        for (Command& command :
             ResizedBy(context, *op, DimsWithout(*op->operand(0), removed), made, algorithm))
          commands.push_back(std::move(command));
      }
    }
    const SourceNode* node = context.addresses.Of(*op).node;
    absl::StatusOr<std::vector<SetAttribute>> attributes =
        Adjusted(*op, node, removed, *context.context);
    if (!attributes.ok()) return attributes.status();
    for (SetAttribute& attribute : *attributes) {
      set.emplace(node, attribute.name);
      commands.push_back(
          {PointOf(context, *op), Priority::kPruning, std::move(attribute), algorithm, ""});
    }
  }
  if (recounts) {
    for (Command& command : Recounted(context, removed, set, algorithm))
      commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace tessera::compression
