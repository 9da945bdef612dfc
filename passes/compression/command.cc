#include "passes/compression/command.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tessera::compression {
namespace {

std::string Type(const ir::Tensor& tensor) {
  return absl::StrCat(std::string(ir::NameOf(tensor.dtype())), "[",
                      absl::StrJoin(tensor.shape(), ","), "]");
}

struct Describer {
  std::string operator()(const Quantize& change) const {
    return absl::StrCat("to ", Describe(change.grid), change.codes ? ", codes chosen" : "");
  }
  std::string operator()(const SetConstant& change) const {
    return absl::StrCat("becomes ", Type(change.tensor));
  }
  std::string operator()(const AddOperand& change) const {
    return absl::StrCat("gets ", Type(change.tensor));
  }
  std::string operator()(const ApplyBefore& change) const {
    return absl::StrCat(
        "through ",
        absl::StrJoin(change.steps, ", ", [](std::string* text, const ApplyBefore::Step& step) {
          absl::StrAppend(text, step.op_type, " ", Type(step.constant));
        }));
  }
  std::string operator()(const SetAttribute& change) const {
    return absl::StrCat("attribute ", change.name, " = ", absl::StrJoin(change.values, ","));
  }
  std::string operator()(const ReplaceNode& change) const {
    return absl::StrCat(
        "the node becomes ",
        absl::StrJoin(change.nodes, ", ", [](std::string* text, const ReplaceNode::Node& node) {
          absl::StrAppend(text, node.op_type);
        }));
  }
};

bool SameTensor(const std::optional<ir::Tensor>& a, const std::optional<ir::Tensor>& b) {
  return a.has_value() == b.has_value() && (!a.has_value() || ir::Identical(*a, *b));
}

}  // namespace

std::string Point::ToString() const {
  const char* const places[] = {"pre", "post", "weight"};
  return absl::StrCat(places[static_cast<int>(place)], " ", scope, "[", index, "] `", tensor, "`");
}

std::string Describe(const Grid& grid) {
  std::string text(ir::NameOf(grid.storage));
  if (grid.dynamic) return text + " by its range whenever it is computed";
  if (grid.scale.size() == 1) {
    absl::StrAppendFormat(&text, ", scale %.6g, zero point %d", grid.scale.AsDouble(0),
                          grid.zero_point ? grid.zero_point->AsInt(0) : 0);
    return text;
  }
  absl::StrAppend(&text, ", ", grid.scale.size(), " scales along axis ", grid.axis);
  if (grid.block > 0) absl::StrAppend(&text, " in blocks of ", grid.block);
  return text;
}

bool operator==(const Grid& a, const Grid& b) {
  return a.storage == b.storage && a.axis == b.axis && a.block == b.block &&
         a.scale_storage == b.scale_storage && a.low == b.low && a.high == b.high &&
         a.dynamic == b.dynamic && ir::Identical(a.scale, b.scale) &&
         SameTensor(a.zero_point, b.zero_point);
}

bool operator==(const ApplyBefore& a, const ApplyBefore& b) {
  return std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
                    [](const ApplyBefore::Step& x, const ApplyBefore::Step& y) {
                      return x.op_type == y.op_type && ir::Identical(x.constant, y.constant);
                    });
}

std::string Command::ToString() const {
  return absl::StrCat(static_cast<int>(priority), " ", algorithm, ": ", point.ToString(), ": ",
                      std::visit(Describer(), change),
                      why.empty() ? "" : absl::StrCat(" (", why, ")"));
}

}  // namespace tessera::compression
