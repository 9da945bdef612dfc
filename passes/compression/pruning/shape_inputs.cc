#include "passes/compression/pruning/shape_inputs.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "passes/compression/pruning/shape_inputs_text.h"

namespace tessera::compression {
namespace {

struct ShapeInput {
  std::string type;
  int64_t input = 0;
  int64_t same = 0;       // stands for the operand's size on the same axis
  int64_t rest = 0;       // stands for what is left, once
  std::string attribute;  // must be 0 for `same` to mean that, from this opset on
  int64_t since = 0;
};

// What is embedded: a line for each type of node.
struct SizedNodes {
  std::vector<ShapeInput> sizes;
  std::set<std::string> parts, follows;
};

const SizedNodes& Nodes() {
  static const auto* const all = [] {
    auto* made = new SizedNodes;
    for (const absl::string_view line :
         absl::StrSplit(std::string(ShapeInputsText()), '\n', absl::SkipEmpty())) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      if (words[0] != "sizes") {
        (words[0] == "parts" ? made->parts : made->follows).insert(words[1]);
        continue;
      }
      ShapeInput& one = made->sizes.emplace_back();
      one.type = words[1];
      one.attribute = words[5];
      const std::pair<int64_t*, size_t> numbers[] = {
          {&one.input, 2}, {&one.same, 3}, {&one.rest, 4}, {&one.since, 6}};
      for (const auto& [number, word] : numbers) (void)absl::SimpleAtoi(words[word], number);
    }
    return made;
  }();
  return *all;
}

}  // namespace

std::vector<Command> ResizedBy(const BuildContext& context, const ir::Operation& op,
                               const std::vector<solver::Expr>& operand,
                               const std::vector<solver::Expr>& result,
                               const std::string& algorithm) {
  const Address& address = context.addresses.Of(op);
  if (address.node == nullptr) return {};
  const auto found =
      std::find_if(Nodes().sizes.begin(), Nodes().sizes.end(),
                   [&](const ShapeInput& one) { return one.type == address.node->op_type; });
  if (found == Nodes().sizes.end() ||
      static_cast<int64_t>(address.node->inputs.size()) <= found->input)
    return {};
  const auto unknown = std::count_if(result.begin(), result.end(), [](const solver::Expr& dim) {
    return !dim.Constant().has_value();
  });
  std::vector<int64_t> sizes;
  bool rest = false, same = false;
  for (size_t d = 0; d < result.size(); ++d) {
    if (const std::optional<int64_t> size = result[d].Constant()) {
      if (*size == found->same || *size == found->rest) return {};
      sizes.push_back(*size);
    } else if (unknown > 1 && d < operand.size() && operand[d] == result[d]) {
      sizes.push_back(found->same);
      same = true;
    } else if (!rest) {
      sizes.push_back(found->rest);
      rest = true;
    } else {
      return {};
    }
  }
  Point point{Place::kPreHook,
              &op,
              static_cast<int>(found->input),
              nullptr,
              address.scope,
              address.node->name,
              address.node->inputs[static_cast<size_t>(found->input)]};
  std::vector<Command> commands;
  const std::vector<int64_t> shape = {static_cast<int64_t>(sizes.size())};
  commands.push_back({point, Priority::kPruning,
                      SetConstant{ir::Tensor::Of<int64_t>(ir::DType::kI64, shape, sizes)},
                      algorithm, ""});
  if (same && context.addresses.source().opset >= found->since) {
    commands.push_back(
        {point, Priority::kPruning, SetAttribute{found->attribute, {0}, false}, algorithm, ""});
  }
  return commands;
}

bool TakesParts(const BuildContext& context, const ir::Operation& op) {
  const Address& address = context.addresses.Of(op);
  return address.node != nullptr && Nodes().parts.contains(address.node->op_type);
}

bool Follows(const BuildContext& context, const ir::Operation& op) {
  const Address& address = context.addresses.Of(op);
  return address.node != nullptr && Nodes().follows.contains(address.node->op_type);
}

}  // namespace tessera::compression
