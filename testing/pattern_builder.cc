#include "testing/pattern_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "testing/literals.h"

namespace tessera::testing {

using ops::Literal;
using ops::Pattern;

const ir::RewriteInfo* FindRewrite(const std::string& name, std::string_view root) {
  const ir::Registry& registry = ir::Registry::Global();
  for (const auto& rewrites : {registry.RewritesAt(root), registry.LateRewritesAt(root),
                               registry.RequestedRewritesAt(root)}) {
    for (const ir::RewriteInfo* rewrite : rewrites) {
      if (rewrite->name == name) return rewrite;
    }
  }
  return nullptr;
}

std::vector<ir::Value*> PatternBuilder::Build(const Pattern& pattern) {
  switch (pattern.kind) {
    case Pattern::kName:
    case Pattern::kPack:
      return Named(pattern);
    case Pattern::kNumber: {
      absl::StatusOr<ir::Tensor> number =
          TensorOf(Literal{true, false, dtype_, {}, {pattern.number}}, 0);
      return {rewriter_.CreateConstant(*std::move(number))};
    }
    case Pattern::kOp:
      return BuildOp(pattern);
    default:
      return {nullptr};
  }
}

std::vector<ir::Value*> PatternBuilder::Named(const Pattern& pattern) {
  const auto found = values_.find(pattern.text);
  if (found != values_.end() && pattern.text != "_") return found->second;
  std::vector<ir::Value*> values;
  for (const auto& [name, literals] : example_.operands) {
    if (name != pattern.text) continue;
    for (const Literal& literal : literals) values.push_back(Leaf(literal));
  }
  if (values.empty() && pattern.kind == Pattern::kName) {
    if (pattern.optional) return {nullptr};
    builder_.Fail(
        absl::InvalidArgumentError(absl::StrCat("the example does not say `", pattern.text, "`")));
    return {nullptr};
  }
  values_[pattern.text] = values;
  return values;
}

// Seeded values are inputs unless the guard needs constants: the test tries both.
ir::Value* PatternBuilder::Leaf(const Literal& given) {
  Literal literal = given;
  if (literal.dtype == ir::DType::kF32) literal.dtype = dtype_;
  absl::StatusOr<ir::Tensor> tensor = TensorOf(literal, 1000 + inputs_.size() + values_.size());
  if (!tensor.ok()) {
    builder_.Fail(tensor.status());
    return nullptr;
  }
  if (constants_ > 0 && (!literal.random || constants_ > 1))
    return rewriter_.CreateConstant(*std::move(tensor));
  std::vector<ir::Expr> dims(tensor->shape().begin(), tensor->shape().end());
  if (dims_) dims = dims_(*tensor);
  absl::StatusOr<ir::Value*> input =
      rewriter_.AddInput(absl::StrCat("in", inputs_.size()), {tensor->dtype(), std::move(dims)});
  if (!input.ok()) {
    builder_.Fail(input.status());
    return nullptr;
  }
  inputs_.push_back(*std::move(tensor));
  return *input;
}

std::vector<ir::Value*> PatternBuilder::BuildOp(const Pattern& pattern) {
  const ir::OpInfo* info = ir::Registry::Global().Find(pattern.dialect, pattern.text);
  if (info == nullptr) {
    builder_.Fail(absl::InternalError(absl::StrCat("no op `", pattern.text, "`")));
    return {};
  }
  const size_t place = built_.size();
  built_.push_back(nullptr);
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < pattern.operands.size(); ++i) {
    const int outer = constants_;
    // Whether leaves below are constants is chosen per operand by `mask`.
    const bool leaf =
        pattern.operands[i].kind == Pattern::kName || pattern.operands[i].kind == Pattern::kPack;
    if (leaf) constants_ = (mask_ >> (leaves_ % 8)) & 1 ? 2 : 0;
    const std::vector<ir::Value*> values = Build(pattern.operands[i]);
    if (leaf) ++leaves_;
    constants_ = outer;
    operands.insert(operands.end(), values.begin(), values.end());
  }
  while (!operands.empty() && operands.back() == nullptr) operands.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (const auto& [index, name] : pattern.attr_names) {
    const auto found = attrs_.find(name);
    if (found != attrs_.end())
      attrs.emplace_back(info->attrs[static_cast<size_t>(index)].name, found->second);
  }
  for (const auto& [index, value] : pattern.attr_literals)
    attrs.emplace_back(info->attrs[static_cast<size_t>(index)].name, value);
  const std::vector<ir::Value*> results =
      builder_.Create(pattern.dialect, pattern.text, operands, attrs);
  if (!results.empty() && results[0] != nullptr) built_[place] = last_ = results[0]->producer();
  if (!pattern.bound.empty()) values_[pattern.bound] = results;
  return results.empty() ? std::vector<ir::Value*>{nullptr} : std::vector<ir::Value*>{results[0]};
}

}  // namespace tessera::testing
