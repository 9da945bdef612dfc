#include "testing/sampling/pattern_sampler.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "testing/literals.h"
#include "testing/pattern_builder.h"
#include "testing/sampling/sampler.h"

namespace tessera::testing {
namespace {

constexpr int kProposals = 200;  // for one graph
constexpr size_t kPool = 32;
constexpr int kLeaves = 8;  // that a mask tells apart

const std::vector<ir::DType>& DTypes() {
  static const auto* dtypes = new std::vector<ir::DType>{
      ir::DType::kF32, ir::DType::kF64, ir::DType::kF16, ir::DType::kI32,
      ir::DType::kI64, ir::DType::kU8,  ir::DType::kI8,  ir::DType::kBool};
  return *dtypes;
}

ops::Literal LiteralOf(const Operand& operand, ir::DType dtype) {
  ops::Literal literal;
  literal.present = operand.present;
  literal.dtype = dtype;
  literal.shape = operand.tensor.shape();
  for (int64_t i = 0; i < operand.tensor.size(); ++i)
    literal.values.push_back(operand.tensor.AsDouble(i));
  return literal;
}

// What follows from small operands may be large: an attribute says the size that something is
// resized to.
bool HasSmallResults(const LeftSide& left) {
  for (const ir::Operation* op : left.graph.TopologicalOrder()) {
    for (const ir::Value* result : op->results()) {
      std::vector<int64_t> shape;
      for (const ir::Expr& dim : result->type().dims) shape.push_back(dim.Constant().value_or(0));
      if (!IsSmall(shape)) return false;
    }
  }
  return true;
}

// Operations of a pattern in the order in which they are visited from the root.
void VisitOps(ops::Pattern& pattern, const std::function<void(ops::Pattern&)>& visit) {
  if (pattern.kind != ops::Pattern::kOp) return;
  visit(pattern);
  for (ops::Pattern& operand : pattern.operands) VisitOps(operand, visit);
}

}  // namespace

PatternSampler::PatternSampler(const ops::Signature& signature, const ops::RewriteExample& example,
                               uint64_t seed)
    : example_(example),
      random_(seed, absl::StrCat(example.rewrite, example.line)),
      editor_(subject_, random_) {
  signature_.integers = signature.integers;
  signature_.floats = signature.floats;
  CollectLeaves(example.pattern);
  int operations = 0;
  CollectSlots(example.pattern, operations);
  info_.operands = operand_specs_;
  info_.attrs = attr_specs_;
  subject_ = {&info_, &signature_, nullptr};
  FindDefaults();
}

void PatternSampler::CollectLeaves(const ops::Pattern& pattern) {
  if (pattern.kind == ops::Pattern::kName || pattern.kind == ops::Pattern::kPack) {
    const bool known = std::any_of(leaves_.begin(), leaves_.end(),
                                   [&](const Leaf& leaf) { return leaf.name == pattern.text; });
    if (known && pattern.text != "_") return;
    const auto add = [&](const ops::Literal& literal) {
      leaves_.push_back({pattern.text, literal.dtype == ir::DType::kF32, literal.random});
      Operand& operand = first_.leaves.operands.emplace_back();
      operand.present = literal.present;
      if (literal.present) {
        const absl::StatusOr<ir::Tensor> tensor = TensorOf(literal, leaves_.size());
        if (tensor.ok()) operand.tensor = *tensor;
        usable_ = usable_ && tensor.ok();
      }
      operand_specs_.push_back({names_.emplace_back(pattern.text),
                                pattern.optional ? ir::Arity::kOptional : ir::Arity::kRequired,
                                false, true});
      // Leaves are of one rank or of several, which `*` and the edit of one alone make.
      signature_.operands.push_back({"", ir::SetOf(operand.tensor.dtype()), {}, "*", false});
    };
    bool given = false;
    for (const auto& [name, literals] : example_.operands) {
      if (name != pattern.text) continue;
      for (const ops::Literal& literal : literals) add(literal);
      given = true;
    }
    if (!given && pattern.optional) add(ops::Literal{false});
  }
  for (const ops::Pattern& operand : pattern.operands) CollectLeaves(operand);
}

void PatternSampler::CollectSlots(const ops::Pattern& pattern, int& operation) {
  if (pattern.kind != ops::Pattern::kOp) return;
  const ir::OpInfo* info = ir::Registry::Global().Find(pattern.dialect, pattern.text);
  if (info == nullptr) {
    usable_ = false;
    return;
  }
  const int self = operation++;
  for (size_t i = 0; i < info->attrs.size(); ++i) {
    const int index = static_cast<int>(i);
    const auto is_this = [&](const auto& item) { return item.first == index; };
    if (std::any_of(pattern.attr_literals.begin(), pattern.attr_literals.end(), is_this)) continue;
    const auto named = std::find_if(pattern.attr_names.begin(), pattern.attr_names.end(), is_this);
    Slot slot;
    if (named != pattern.attr_names.end()) {
      slot.name = named->second;
      const bool known = std::any_of(slots_.begin(), slots_.end(),
                                     [&](const Slot& other) { return other.name == slot.name; });
      if (known) continue;
    } else {
      slot.operation = self;
    }
    slot.attribute = index;
    slots_.push_back(slot);
    ir::AttrSpec spec = info->attrs[i];
    spec.name = names_.emplace_back(
        slot.name.empty() ? absl::StrCat(pattern.text, ".", std::string(spec.name)) : slot.name);
    attr_specs_.push_back(spec);
    signature_.attrs.push_back({"*"});
  }
  for (const ops::Pattern& operand : pattern.operands) CollectSlots(operand, operation);
}

// What the example gives, and what its operations have where it gives nothing.
void PatternSampler::FindDefaults() {
  for (int mask = 0; usable_ && mask < 1 << kLeaves; ++mask) {
    ir::Graph trial;
    ir::Rewriter writer(trial);
    PatternBuilder builder(example_, writer);
    builder.set_mask(mask);
    builder.Build(example_.pattern);
    if (!builder.status().ok()) continue;
    first_.mask = mask;
    for (const Slot& slot : slots_) {
      ir::Attribute value;
      for (const auto& [name, attribute] : example_.attrs) {
        if (slot.operation < 0 && name == slot.name) value = attribute;
      }
      if (slot.operation >= 0) {
        const ir::Operation* op = builder.built()[static_cast<size_t>(slot.operation)];
        if (op != nullptr) value = op->attr(static_cast<size_t>(slot.attribute));
      }
      first_.leaves.attrs.push_back(value);
      usable_ = usable_ && !std::holds_alternative<std::monostate>(value);
    }
    return;
  }
  usable_ = false;
}

ops::RewriteExample PatternSampler::ExampleOf(const Match& match) const {
  ops::RewriteExample example;
  example.rewrite = example_.rewrite;
  example.line = example_.line;
  example.pattern = example_.pattern;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    const Operand& operand = match.leaves.operands[i];
    if (!operand.present) continue;
    const ops::Literal literal =
        LiteralOf(operand, leaves_[i].f32 ? ir::DType::kF32 : operand.tensor.dtype());
    if (example.operands.empty() || example.operands.back().first != leaves_[i].name) {
      example.operands.push_back({leaves_[i].name, {literal}});
    } else {
      example.operands.back().second.push_back(literal);
    }
  }
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (slot.operation < 0) {
      example.attrs.emplace_back(slot.name, match.leaves.attrs[i]);
      continue;
    }
    int at = 0;
    VisitOps(example.pattern, [&](ops::Pattern& op) {
      if (at++ == slot.operation)
        op.attr_literals.emplace_back(slot.attribute, match.leaves.attrs[i]);
    });
  }
  return example;
}

absl::Status PatternSampler::Build(const Match& match, LeftSide& left) const {
  const ops::RewriteExample example = ExampleOf(match);
  ir::Rewriter rewriter(left.graph);
  rewriter.SetLocation(ir::Location::Of(example.rewrite));
  PatternBuilder builder(example, rewriter);
  builder.set_mask(match.mask);
  builder.set_dtype(match.dtype);
  builder.Build(example.pattern);
  if (!builder.status().ok()) return builder.status();
  left.root = builder.last();
  if (left.root == nullptr) return absl::InternalError("no operation was built");
  left.inputs = builder.inputs();
  left.results.assign(left.root->results().begin(), left.root->results().end());
  for (size_t i = 0; i < left.results.size(); ++i) {
    const absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), left.results[i]);
    if (!status.ok()) return status;
  }
  for (size_t i = 0; match.shared && i < builder.built().size(); ++i) {
    ir::Operation* op = builder.built()[i];
    if (op == nullptr || op == left.root) continue;
    const absl::Status status = rewriter.AddOutput(absl::StrCat("shared", i), op->results()[0]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void PatternSampler::ChooseValues(Match& match) {
  const int64_t choice = random_.Below(4);
  match.style = choice < 2 ? Style::kPlain : choice == 2 ? Style::kSpecial : Style::kExtreme;
  std::vector<double> numbers{0, 1, 2, -1};
  for (const int64_t number : signature_.integers) numbers.push_back(static_cast<double>(number));
  numbers.insert(numbers.end(), signature_.floats.begin(), signature_.floats.end());
  for (size_t i = 0; i < leaves_.size(); ++i) {
    Operand& operand = match.leaves.operands[i];
    if (!operand.present) continue;
    const ir::Tensor& tensor = operand.tensor;
    // What an example spells may be what its guard wants.
    if (!leaves_[i].random && random_.OneIn(3) &&
        tensor.shape() == first_.leaves.operands[i].tensor.shape()) {
      operand.tensor = first_.leaves.operands[i].tensor;
      continue;
    }
    if (random_.OneIn(4)) {
      const std::vector<double> equal(static_cast<size_t>(tensor.size()), random_.Of(numbers));
      operand.tensor = ir::Tensor::Of<double>(tensor.dtype(), tensor.shape(), equal);
      continue;
    }
    // In the dtype that it will have.
    const ir::DType dtype = leaves_[i].f32 ? match.dtype : tensor.dtype();
    operand.tensor =
        RandomValues(dtype, tensor.shape(), match.style, random_).CastTo(tensor.dtype());
  }
}

void PatternSampler::ChoosePlain(Match& match) {
  match.style = Style::kPlain;
  for (Operand& operand : match.leaves.operands) operand.tensor = Tamed(operand.tensor);
}

bool PatternSampler::Next(Match& match) {
  for (int tried = 0; usable_ && tried < kProposals; ++tried) {
    match = pool_.empty() || random_.OneIn(2) ? first_ : random_.Of(pool_);
    const int64_t edits = random_.Below(4);
    for (int64_t i = 0; i < edits; ++i) editor_.Edit(match.leaves);
    if (random_.OneIn(3)) match.dtype = random_.Of(DTypes());
    if (random_.OneIn(2)) match.mask = static_cast<int>(random_.Below(1 << kLeaves));
    match.shared = random_.OneIn(6);
    if (!IsSmall(match.leaves)) continue;
    ChooseValues(match);
    LeftSide left;
    if (!Build(match, left).ok() || !HasSmallResults(left)) continue;
    if (pool_.size() < kPool) {
      pool_.push_back(match);
    } else {
      pool_[static_cast<size_t>(random_.Below(kPool))] = match;
    }
    return true;
  }
  return false;
}

std::string PatternSampler::Text(const Match& match) const {
  std::vector<std::string> items;
  for (size_t i = 0; i < leaves_.size(); ++i) {
    if (match.leaves.operands[i].present)
      items.push_back(absl::StrCat(leaves_[i].name, " = ", OperandText(match.leaves.operands[i])));
  }
  for (size_t i = 0; i < slots_.size(); ++i)
    items.push_back(absl::StrCat(std::string(attr_specs_[i].name), " = ",
                                 ir::ToString(match.leaves.attrs[i], attr_specs_[i])));
  return absl::StrCat("example { ", absl::StrJoin(items, "  "), " }  // ",
                      std::string(ir::NameOf(match.dtype)), ", constants ", match.mask,
                      match.shared ? ", shared" : "");
}

}  // namespace tessera::testing
