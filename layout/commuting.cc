#include "layout/commuting.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"

namespace tessera::layout {
namespace {

using ir::Attribute;
using ir::Expr;
using ir::Operation;
using ir::PermuteRule;
using ir::Value;

int64_t FromStart(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }

bool Speaks(const PermuteRule& rule, size_t operand) {
  return (rule.kind == PermuteRule::kOperandRows || rule.kind == PermuteRule::kOperandAxes) &&
         rule.index == static_cast<int>(operand);
}

// The axes that a rule names; nullopt where they are not numbers.
std::optional<std::vector<int64_t>> AxesOf(const Operation& op, const PermuteRule& rule,
                                           int64_t rank) {
  std::vector<int64_t> axes;
  if (rule.kind == PermuteRule::kAxis) {
    axes.push_back(std::get<int64_t>(op.attr(static_cast<size_t>(rule.index))));
  } else if (rule.kind == PermuteRule::kAxes) {
    axes = std::get<std::vector<int64_t>>(op.attr(static_cast<size_t>(rule.index)));
  } else {
    const Value* operand = op.operand(static_cast<size_t>(rule.index));
    if (operand == nullptr || operand->elements() == nullptr) return std::nullopt;
    for (const Expr& e : *operand->elements()) {
      if (!e.IsConstant()) return std::nullopt;
      axes.push_back(*e.Constant());
    }
  }
  for (int64_t& axis : axes) axis = FromStart(axis, rank);
  return axes;
}

bool IsSingle(const Value& value) {
  return std::all_of(value.type().dims.begin(), value.type().dims.end(),
                     [](const Expr& d) { return d == Expr(1); });
}

using Block = Commuting::Block;

// The order on the one side of the blocks that the order p on the other side means.
std::optional<Permutation> BlockOrder(const Permutation& p, const std::vector<Block>& blocks,
                                      int64_t Block::*from_begin, int64_t Block::*from_end,
                                      int64_t Block::*to_begin, int64_t Block::*to_end) {
  Permutation order;
  for (size_t at = 0; at < p.size();) {
    const auto block = std::find_if(blocks.begin(), blocks.end(),
                                    [&](const Block& b) { return b.*from_begin == p[at]; });
    if (block == blocks.end()) return std::nullopt;
    for (int64_t axis = *block.*from_begin; axis < *block.*from_end; ++axis, ++at) {
      if (at == p.size() || p[at] != axis) return std::nullopt;
    }
    for (int64_t axis = *block.*to_begin; axis < *block.*to_end; ++axis) order.push_back(axis);
  }
  return order;
}

// The smallest blocks of axes, from the front, that hold equally many elements on both sides; no
// side of a block is empty. Empty if the shapes cannot be divided so.
std::vector<Block> BlocksOf(const std::vector<Expr>& from, const std::vector<Expr>& to) {
  std::vector<Block> blocks;
  size_t i = 0, j = 0;
  while (i < from.size() && j < to.size()) {
    Block block{static_cast<int64_t>(i), 0, static_cast<int64_t>(j), 0};
    Expr left = from[i++], right = to[j++];
    while (!(left == right)) {
      const auto l = left.Constant(), r = right.Constant();
      // A symbolic side is taken for the larger one: the other has to catch up.
      const bool extend_left = l.has_value() && r.has_value()
                                   ? *l < *r
                                   : l.has_value() || (!r.has_value() && i < from.size());
      if (extend_left && i < from.size()) {
        left *= from[i++];
      } else if (!extend_left && j < to.size()) {
        right *= to[j++];
      } else {
        return {};
      }
    }
    block.operand_end = static_cast<int64_t>(i);
    block.result_end = static_cast<int64_t>(j);
    blocks.push_back(block);
  }
  // Unit axes at the end.
  for (; i < from.size(); ++i) {
    if (blocks.empty() || !(from[i] == Expr(1))) return {};
    ++blocks.back().operand_end;
  }
  for (; j < to.size(); ++j) {
    if (blocks.empty() || !(to[j] == Expr(1))) return {};
    ++blocks.back().result_end;
  }
  return blocks;
}

std::optional<Commuting> Reshaping(const Operation& op) {
  Commuting commuting;
  commuting.rank = op.operand(0)->type().rank();
  commuting.moved = {0};
  commuting.blocks = BlocksOf(op.operand(0)->type().dims, op.result()->type().dims);
  if (commuting.blocks.size() < 2) return std::nullopt;
  return commuting;
}

std::optional<Commuting> Elementwise(const Operation& op) {
  Commuting commuting;
  commuting.rank = op.result()->type().rank();
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const Value* operand = op.operand(i);
    if (operand == nullptr) continue;
    if (operand->type().rank() == commuting.rank) {
      commuting.moved.push_back(i);
    } else if (!IsSingle(*operand)) {
      commuting.broadcast.push_back(i);
    }
  }
  return commuting;
}

}  // namespace

std::optional<Permutation> Commuting::ResultOrder(const Permutation& p) const {
  if (!blocks.empty()) {
    return BlockOrder(p, blocks, &Block::operand_begin, &Block::operand_end, &Block::result_begin,
                      &Block::result_end);
  }
  Permutation order;
  for (int64_t axis : p) {
    if (std::find(dropped.begin(), dropped.end(), axis) != dropped.end()) continue;
    order.push_back(
        axis - std::count_if(dropped.begin(), dropped.end(), [&](int64_t d) { return d < axis; }));
  }
  return order;
}

std::optional<Permutation> Commuting::OperandOrder(const Permutation& order) const {
  if (!blocks.empty()) {
    return BlockOrder(order, blocks, &Block::result_begin, &Block::result_end,
                      &Block::operand_begin, &Block::operand_end);
  }
  return dropped.empty() ? std::optional<Permutation>(order) : std::nullopt;
}

std::optional<Commuting> CommutingOf(const Operation& op) {
  const ir::OpInfo& info = op.info();
  if (op.results().size() != 1 || !op.barriers().empty() || op.barrier() != nullptr) {
    return std::nullopt;
  }
  const bool reads_shapes = std::any_of(info.operands.begin(), info.operands.end(),
                                        [](const ir::OperandSpec& spec) { return spec.elements; });
  // A list may speak of axes, as the shape that a tensor is repeated to does.
  const bool lists =
      std::any_of(info.attrs.begin(), info.attrs.end(), [](const ir::AttrSpec& spec) {
        return spec.kind == ir::AttrKind::kInts || spec.kind == ir::AttrKind::kDims;
      });
  if (info.elementwise && !reads_shapes && !lists) return Elementwise(op);
  if (info.role == ir::Role::kReshape) return Reshaping(op);
  if (!info.permutable || op.operands().empty() || op.operand(0) == nullptr) return std::nullopt;
  Commuting commuting;
  commuting.rank = op.operand(0)->type().rank();
  std::vector<int64_t> axes;
  for (const PermuteRule& rule : info.permutes) {
    if (rule.kind == PermuteRule::kOperandRows) {
      const Value* operand = op.operand(static_cast<size_t>(rule.index));
      if (operand == nullptr || operand->elements() == nullptr) return std::nullopt;
    } else if (rule.kind != PermuteRule::kRows) {
      const auto named = AxesOf(op, rule, commuting.rank);
      if (!named.has_value()) return std::nullopt;
      axes.insert(axes.end(), named->begin(), named->end());
    }
  }
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const bool variadic = i >= info.operands.size();
    const bool speaks =
        !variadic && std::any_of(info.permutes.begin(), info.permutes.end(),
                                 [&](const PermuteRule& r) { return Speaks(r, i); });
    if (op.operand(i) != nullptr && !speaks && op.operand(i)->type().rank() == commuting.rank) {
      commuting.moved.push_back(i);
    }
  }
  const int64_t result_rank = op.result()->type().rank();
  if (result_rank != commuting.rank) {
    if (result_rank + static_cast<int64_t>(axes.size()) != commuting.rank) return std::nullopt;
    commuting.dropped = axes;
  }
  return commuting;
}

absl::StatusOr<Operation*> Recreate(const Operation& op, const Permutation& p,
                                    std::vector<Value*> operands, ir::Rewriter& rewriter) {
  if (op.info().role == ir::Role::kReshape) {
    const std::optional<Commuting> commuting = CommutingOf(op);
    const auto order = commuting.has_value() ? commuting->ResultOrder(p) : std::nullopt;
    if (!order.has_value())
      return absl::InternalError("a reshape in an order that it does not admit");
    std::vector<Expr> dims = Permuted(op.result()->type().dims, *order);
    std::vector<Attribute> own(op.attrs().begin(), op.attrs().end());
    if (operands.size() < 2) {  // the shape is its first attribute
      own[0] = std::move(dims);
      return rewriter.Create(op.info(), std::move(operands), std::move(own));
    }
    const int64_t result_rank = static_cast<int64_t>(dims.size());
    absl::StatusOr<Value*> shape =
        rewriter.CreateSymbolicConstant(operands[1]->type().dtype, {result_rank}, std::move(dims));
    if (!shape.ok()) return shape.status();
    operands[1] = *shape;
    return rewriter.Create(op.info(), std::move(operands), std::move(own));
  }
  const Permutation places = Inverse(p);  // where each axis has gone
  const int64_t rank = static_cast<int64_t>(p.size());
  const auto place = [&](int64_t axis) {
    return places[static_cast<size_t>(FromStart(axis, rank))];
  };
  std::vector<Attribute> attrs(op.attrs().begin(), op.attrs().end());
  for (const PermuteRule& rule : op.info().permutes) {
    const size_t index = static_cast<size_t>(rule.index);
    switch (rule.kind) {
      case PermuteRule::kAxis:
        attrs[index] = place(std::get<int64_t>(attrs[index]));
        break;
      case PermuteRule::kAxes: {
        auto axes = std::get<std::vector<int64_t>>(attrs[index]);
        for (int64_t& axis : axes) axis = place(axis);
        attrs[index] = std::move(axes);
        break;
      }
      case PermuteRule::kRows:
        if (auto* list = std::get_if<std::vector<int64_t>>(&attrs[index])) {
          *list = Permuted(*list, p);
        } else {
          attrs[index] = Permuted(std::get<std::vector<Expr>>(attrs[index]), p);
        }
        break;
      case PermuteRule::kOperandRows:
      case PermuteRule::kOperandAxes: {
        const Value& operand = *operands[index];
        std::vector<int64_t> shape;
        for (const Expr& d : operand.type().dims) shape.push_back(d.Constant().value_or(0));
        std::vector<Expr> elements = *operand.elements();
        if (rule.kind == PermuteRule::kOperandAxes) {
          for (Expr& e : elements) e = place(*e.Constant());
        } else {
          const size_t row = elements.size() / p.size();
          std::vector<Expr> rows;
          for (int64_t axis : p) {
            const auto begin = elements.begin() + axis * static_cast<int64_t>(row);
            rows.insert(rows.end(), begin, begin + static_cast<int64_t>(row));
          }
          elements = std::move(rows);
        }
        absl::StatusOr<Value*> moved = rewriter.CreateSymbolicConstant(
            operand.type().dtype, std::move(shape), std::move(elements));
        if (!moved.ok()) return moved.status();
        operands[index] = *moved;
        break;
      }
    }
  }
  return rewriter.Create(op.info(), std::move(operands), std::move(attrs));
}

}  // namespace tessera::layout
