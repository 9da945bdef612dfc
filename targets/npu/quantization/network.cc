#include "targets/npu/quantization/network.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/layers.h"
#include "targets/npu/quantization/memory_view.h"

namespace tessera::npu {
namespace {

std::string Named(const ir::Operation& op) {
  return absl::StrCat("`", std::string(op.info().name), "` at `", op.location().ToString(), "`");
}

bool IsPool(const ir::Operation& op) { return StepOf(op) == Step::kPool; }

// The data operand of a layer beside x: biases that are sums, weights that are numbers.
constexpr int SecondOperand(LayerKind kind) {
  return kind == LayerKind::kAccumulate ? 2 : kind == LayerKind::kProduct ? 1 : -1;
}

class Reader {
 public:
  Reader(ir::Graph& graph, const absl::flat_hash_set<std::string>& narrow,
         std::vector<Misfit>& misfits)
      : graph_(graph), narrow_(narrow), misfits_(misfits), order_(graph.TopologicalOrder()) {}

  absl::StatusOr<Network> Read();

 private:
  // Which forms of a value somebody reads.
  struct Need {
    bool sum = false, number = false;
  };

  absl::Status FollowLayer(const ir::Operation& op, LayerKind kind);
  const ir::Value* EndOfRegion(const ir::Value* from) const;
  bool CanBeSum(const ir::Value* value) const;
  Need NeedOf(const ir::Value* value);
  absl::Status AddView(const ir::Operation& op, bool is_sum);
  absl::StatusOr<size_t> BufferOf(const ir::Value* value, bool is_sum);
  size_t AddBuffer(const ir::Value* value, bool is_sum);
  const ir::Operation* OnlyUser(const ir::Value* value) const;

  ir::Graph& graph_;
  const absl::flat_hash_set<std::string>& narrow_;
  std::vector<Misfit>& misfits_;
  const std::vector<ir::Operation*> order_;
  Network network_;
  std::map<std::pair<const ir::Value*, bool>, size_t> buffers_;
  std::map<const ir::Value*, Need> needs_;
  std::set<const ir::Operation*> consumed_;                // by the layer before them
  std::map<const ir::Operation*, std::vector<Run>> runs_;  // of those that move nothing
};

int64_t ElementsOf(const ir::Value& value) {
  int64_t count = 1;
  for (const ir::Expr& dim : value.type().dims) count *= dim.Constant().value_or(0);
  return count;
}

size_t Reader::AddBuffer(const ir::Value* value, bool is_sum) {
  Buffer buffer;
  buffer.value = value;
  buffer.is_sum = is_sum;
  buffer.elements = ElementsOf(*value);
  buffer.constant = value->constant();
  network_.buffers.push_back(buffer);
  buffers_[{value, is_sum}] = network_.buffers.size() - 1;
  return network_.buffers.size() - 1;
}

absl::StatusOr<size_t> Reader::BufferOf(const ir::Value* value, bool is_sum) {
  const auto found = buffers_.find({value, is_sum});
  if (found != buffers_.end()) return found->second;
  if (value->constant() != nullptr && !is_sum) return AddBuffer(value, false);
  return absl::UnimplementedError(
      absl::StrCat("`", value->name(), "` is needed ",
                   is_sum ? "as a sum of 32 bits, which only a layer without a function yields"
                          : "in memory, where it is not"));
}

const ir::Operation* Reader::OnlyUser(const ir::Value* value) const {
  if (value->is_graph_output() || value->UsesUnsorted().empty()) return nullptr;
  const ir::Operation* user = value->UsesUnsorted()[0].op;
  for (const ir::Use& use : value->UsesUnsorted()) {
    if (use.op != user) return nullptr;
  }
  return user;
}

// The last value that is a function of each element of `from` alone, such that nothing between them
// is read elsewhere; `from` itself where there is none.
const ir::Value* Reader::EndOfRegion(const ir::Value* from) const {
  std::vector<const ir::Value*> region = {from};
  const ir::Value* end = from;
  const auto within = [&](const ir::Value* value) {
    return value == nullptr || value->constant() != nullptr ||
           std::find(region.begin(), region.end(), value) != region.end();
  };
  for (const ir::Operation* op : order_) {
    if (LayerKindOf(*op).has_value() || IsPool(*op) || runs_.contains(op) ||
        op->results().size() != 1 || op->payload() != nullptr)
      continue;
    const auto operands = op->operands();
    if (!std::all_of(operands.begin(), operands.end(), within) ||
        std::none_of(operands.begin(), operands.end(), [&](const ir::Value* operand) {
          return operand != nullptr && operand->constant() == nullptr;
        }))
      continue;
    if (op->info().role == ir::Role::kReshape ||
        !Function::Between(from, op->result(), graph_.context()).ok())
      continue;
    region.push_back(op->result());
    // All that was read so far is read within the region.
    bool closed = true;
    for (const ir::Value* value : region) {
      if (value == op->result()) continue;
      closed = closed && !value->is_graph_output();
      for (const ir::Use& use : value->UsesUnsorted())
        closed = closed && use.op->results().size() == 1 && within(use.op->result());
    }
    if (closed) end = op->result();
  }
  return end;
}

// A layer yields it without a function behind it, or it is memory of such.
bool Reader::CanBeSum(const ir::Value* value) const {
  const ir::Operation* op = value->producer();
  if (op == nullptr) return false;
  if (const std::optional<LayerKind> kind = LayerKindOf(*op); kind.has_value())
    return Multiplies(*kind);
  if (!runs_.contains(op)) return false;
  const auto operands = op->operands();
  return std::all_of(operands.begin(), operands.end(),
                     [&](const ir::Value* operand) { return CanBeSum(operand); });
}

Reader::Need Reader::NeedOf(const ir::Value* value) {
  if (const auto known = needs_.find(value); known != needs_.end()) return known->second;
  Need need;
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    if (graph_.outputs()[i] != value) continue;
    const bool narrow = narrow_.contains(graph_.output_names()[i]) || !CanBeSum(value);
    need.number |= narrow;
    need.sum |= !narrow;
  }
  bool read_as_sum = false;
  for (const ir::Use& use : value->UsesUnsorted()) {
    const std::optional<LayerKind> kind = LayerKindOf(*use.op);
    if (kind.has_value()) {
      const bool sum = *kind == LayerKind::kAccumulate && use.index == SecondOperand(*kind);
      read_as_sum |= sum;
      need.number |= !sum;
    } else if (runs_.contains(use.op)) {
      const Need behind = NeedOf(use.op->result());
      read_as_sum |= behind.sum;
      need.number |= behind.number;
    }
  }
  // An output leaves as numbers where that is what it is read as.
  need.sum = read_as_sum || (need.sum && !need.number);
  needs_[value] = need;
  return need;
}

absl::Status Reader::FollowLayer(const ir::Operation& op, LayerKind kind) {
  NetworkLayer layer;
  layer.kind = kind;
  layer.op = &op;
  const ir::Value* value = op.result();
  const auto take_pool = [&] {
    const ir::Operation* user = OnlyUser(value);
    const ir::Operation* view = nullptr;
    if (user != nullptr && user->info().role == ir::Role::kReshape) {
      view = user;
      user = OnlyUser(user->result());
    }
    if (user == nullptr || !IsPool(*user)) return false;
    if (view != nullptr) consumed_.insert(view);
    consumed_.insert(user);
    layer.pool = user;
    value = user->result();
    return true;
  };
  if (Multiplies(kind)) {
    layer.pools_sums = take_pool();
    layer.sum = value;
    value = EndOfRegion(value);
    layer.activated = value;
    if (value != layer.sum) {
      absl::StatusOr<Function> function = Function::Between(layer.sum, value, graph_.context());
      if (!function.ok()) return function.status();
      layer.function = *std::move(function);
      // Everything between them is the table.
      std::vector<const ir::Value*> left = {value};
      while (!left.empty()) {
        const ir::Value* inner = left.back();
        left.pop_back();
        if (inner == layer.sum || inner->constant() != nullptr) continue;
        consumed_.insert(inner->producer());
        for (const ir::Value* operand : inner->producer()->operands()) {
          if (operand != nullptr) left.push_back(operand);
        }
      }
    }
    if (!layer.pools_sums) take_pool();
  } else {
    layer.sum = layer.activated = value;
  }
  layer.result = value;
  const absl::StatusOr<size_t> x = BufferOf(op.operand(0), false);
  if (!x.ok()) return x.status();
  layer.x = *x;
  if (const int second = SecondOperand(kind); second >= 0) {
    const absl::StatusOr<size_t> y =
        BufferOf(op.operand(static_cast<size_t>(second)), kind == LayerKind::kAccumulate);
    if (!y.ok()) return y.status();
    layer.y = *y;
  }
  Need need = NeedOf(value);
  const bool plain = Multiplies(kind) && !layer.function.has_value() && layer.pool == nullptr;
  if (!plain) need = {false, true};
  // Nobody reads it, or it is read in both forms.
  if (!need.sum && !need.number) return absl::OkStatus();
  if (need.sum) {
    layer.out = AddBuffer(value, true);
    network_.layers.push_back(layer);
  }
  if (need.number) {
    if (Multiplies(kind) && !layer.function.has_value()) layer.function = Function::Identity();
    layer.out = AddBuffer(value, false);
    network_.layers.push_back(layer);
  }
  return absl::OkStatus();
}

absl::Status Reader::AddView(const ir::Operation& op, bool is_sum) {
  const std::vector<Run>& runs = runs_[&op];
  std::vector<size_t> parts;
  for (const Run& run : runs) {
    const ir::Value* operand = op.operand(run.operand);
    // A constant lies where it is read, once for each place.
    const absl::StatusOr<size_t> part = operand->constant() != nullptr && !is_sum
                                            ? AddBuffer(operand, false)
                                            : BufferOf(operand, is_sum);
    if (!part.ok())
      return absl::UnimplementedError(absl::StrCat(Named(op), ": ", part.status().message()));
    parts.push_back(*part);
  }
  const size_t result = AddBuffer(op.result(), is_sum);
  std::vector<Buffer>& buffers = network_.buffers;
  if (runs.size() == 1 && runs[0].length <= buffers[parts[0]].elements) {
    buffers[result].owner = parts[0];
    buffers[result].offset = runs[0].from;
    return absl::OkStatus();
  }
  for (size_t i = 0; i < runs.size(); ++i) {
    // What is all of another one is that one.
    size_t at = parts[i];
    const bool whole = runs[i].from == 0 && runs[i].length == buffers[at].elements;
    while (buffers[at].owner != kNone &&
           buffers[buffers[at].owner].elements == buffers[at].elements)
      at = buffers[at].owner;
    Buffer& part = buffers[at];
    if (!whole || part.owner != kNone)
      return absl::UnimplementedError(absl::StrCat(
          Named(op), ": operand ", runs[i].operand, " cannot lie in memory as a part of it: ",
          whole ? "it is a part of something else" : "of it only a part is taken"));
    part.owner = result;
    part.offset = runs[i].at;
  }
  return absl::OkStatus();
}

absl::StatusOr<Network> Reader::Read() {
  for (const ir::Operation* op : order_) {
    if (op->payload() != nullptr || LayerKindOf(*op).has_value() || IsPool(*op)) continue;
    absl::StatusOr<std::vector<Run>> runs = RunsOf(*op, graph_.context());
    if (!runs.ok()) return runs.status();
    if (!runs->empty()) runs_[op] = *std::move(runs);
  }
  for (const ir::Value* input : graph_.inputs()) {
    const size_t buffer = AddBuffer(input, false);
    network_.buffers[buffer].is_input = true;
    network_.inputs.push_back(buffer);
  }
  for (const ir::Operation* op : order_) {
    if (op->payload() != nullptr || consumed_.contains(op)) continue;
    if (const std::optional<LayerKind> kind = LayerKindOf(*op); kind.has_value()) {
      absl::Status status = FollowLayer(*op, *kind);
      if (absl::IsUnimplemented(status)) {
        misfits_.push_back({op->location().ToString(), std::string(status.message())});
        return std::move(network_);
      }
      if (!status.ok())
        return absl::Status(status.code(), absl::StrCat(Named(*op), ": ", status.message()));
      continue;
    }
    if (!runs_.contains(op))
      return absl::UnimplementedError(absl::StrCat(Named(*op), ": the device has no layer for it"));
    const Need need = NeedOf(op->result());
    if (need.sum) {
      if (absl::Status status = AddView(*op, true); !status.ok()) return status;
    }
    if (need.number) {
      if (absl::Status status = AddView(*op, false); !status.ok()) return status;
    }
  }
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ir::Value* output = graph_.outputs()[i];
    // A state that is also added to something is both, and is kept as numbers.
    const bool is_sum = NeedOf(output).sum && !narrow_.contains(graph_.output_names()[i]);
    const absl::StatusOr<size_t> buffer = BufferOf(output, is_sum);
    if (!buffer.ok()) return buffer.status();
    network_.buffers[*buffer].is_output = true;
    network_.outputs.push_back(*buffer);
  }
  return std::move(network_);
}

}  // namespace

std::optional<LayerKind> LayerKindOf(const ir::Operation& op) {
  switch (StepOf(op)) {
    case Step::kAffine:
      return LayerKind::kAffine;
    case Step::kDiagonal:
      return LayerKind::kDiagonal;
    case Step::kAccumulate:
      return LayerKind::kAccumulate;
    case Step::kProductLayer:
      return LayerKind::kProduct;
    case Step::kRow:
      return LayerKind::kRowConvolution;
    case Step::kImage:
      return LayerKind::kImageConvolution;
    case Step::kCopy:
      return LayerKind::kCopy;
    case Step::kInterleave:
      return LayerKind::kInterleave;
    case Step::kDeinterleave:
      return LayerKind::kDeinterleave;
    default:
      return std::nullopt;
  }
}

absl::StatusOr<Network> NetworkOf(ir::Graph& graph, const absl::flat_hash_set<std::string>& narrow,
                                  std::vector<Misfit>& misfits) {
  return Reader(graph, narrow, misfits).Read();
}

}  // namespace tessera::npu
