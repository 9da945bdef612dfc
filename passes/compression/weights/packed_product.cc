#include "passes/compression/weights/packed_product.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "passes/compression/weights/packed_product_node.h"

namespace tessera::compression {
namespace {

// Rows of codes of a few bits, the first in the lowest bits of a byte.
std::vector<uint8_t> PackedRows(const std::vector<int>& codes, int64_t rows, int64_t length,
                                int64_t padded, int bits, int pad) {
  const int64_t bytes = (padded * bits + 7) / 8;
  std::vector<uint8_t> packed(static_cast<size_t>(rows * bytes));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < padded; ++k) {
      const int code = k < length ? codes[static_cast<size_t>(r * length + k)] : pad;
      const int64_t bit = k * bits;
      packed[static_cast<size_t>(r * bytes + bit / 8)] |= static_cast<uint8_t>(code << (bit % 8));
    }
  }
  return packed;
}

}  // namespace

bool IsPackableGroup(int64_t group) { return group >= 16 && (group & (group - 1)) == 0; }

ReplaceNode Packed(const PlainProduct& node, const std::string& weight, const GroupedCodes& codes,
                   const GroupedScheme& scheme) {
  const int middle = 1 << (scheme.bits - 1);
  std::vector<int> shifted = codes.codes;
  if (scheme.symmetric) {
    for (int& code : shifted) code += middle;
  }
  const int64_t bytes = scheme.group * scheme.bits / 8;
  const std::vector<uint8_t> packed = PackedRows(shifted, codes.rows, codes.inputs,
                                                 codes.groups * scheme.group, scheme.bits, middle);
  ReplaceNode::Node replaced;
  const std::vector<std::string> name =
      absl::StrSplit(std::string(PackedProductNode()), absl::ByAnyChar(" \n"));
  replaced.domain = name[0];
  replaced.op_type = name[1];
  const auto add = [&](std::string name, std::optional<ir::Tensor> constant) {
    replaced.inputs.push_back({std::move(name), std::move(constant), -1, 0});
  };
  add(node.data, std::nullopt);
  add(absl::StrCat(weight, "_packed"),
      ir::Tensor::Of<uint8_t>(ir::DType::kU8, {codes.rows, codes.groups, bytes}, packed));
  add(absl::StrCat(weight, "_scales"),
      ir::Tensor::Of<float>(ir::DType::kF32, {codes.rows * codes.groups}, codes.scales));
  if (!scheme.symmetric) {
    const std::vector<uint8_t> points =
        PackedRows(codes.zero_points, codes.rows, codes.groups, codes.groups, scheme.bits, 0);
    add(absl::StrCat(weight, "_zero_points"),
        ir::Tensor::Of<uint8_t>(ir::DType::kU8, {static_cast<int64_t>(points.size())}, points));
  }
  if (!node.bias.empty()) {
    while (replaced.inputs.size() < 5) add("", std::nullopt);
    add(node.bias, std::nullopt);
  }
  replaced.attributes = {
      {"K", codes.inputs}, {"N", codes.rows}, {"bits", scheme.bits}, {"block_size", scheme.group}};
  return {{std::move(replaced)}};
}

}  // namespace tessera::compression
