#include "codegen/support/term_support.h"

namespace tessera::ops {

std::string EnumText(int64_t ordinal, std::initializer_list<const char*> names) {
  return ordinal >= 0 && ordinal < static_cast<int64_t>(names.size()) ? *(names.begin() + ordinal)
                                                                      : absl::StrCat("#", ordinal);
}

RankInfos::RankInfos(absl::Span<const ir::OperandInfo<Expr>> operands) : infos(operands.size()) {
  size_t rank = 0;
  for (const auto& operand : operands) rank = std::max(rank, operand.dims.size());
  zeros_.assign(rank, 0);
  for (size_t i = 0; i < operands.size(); ++i) {
    infos[i].present = operands[i].present;
    infos[i].dtype = operands[i].dtype;
    infos[i].dims = absl::MakeConstSpan(zeros_).subspan(0, operands[i].dims.size());
  }
}

std::vector<ir::OperandInfo<Expr>> InfosOf(absl::Span<ir::Value* const> operands) {
  std::vector<ir::OperandInfo<Expr>> infos(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) continue;
    infos[i].present = true;
    infos[i].dtype = operands[i]->type().dtype;
    infos[i].dims = operands[i]->type().dims;
    if (const std::vector<Expr>* elements = operands[i]->elements()) {
      infos[i].has_elements = true;
      infos[i].elements = *elements;
    }
  }
  return infos;
}

}  // namespace tessera::ops
