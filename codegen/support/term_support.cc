#include "codegen/support/term_support.h"

namespace tessera::ops {

std::string EnumText(int64_t ordinal, std::initializer_list<const char*> names) {
  return ordinal >= 0 && ordinal < static_cast<int64_t>(names.size()) ? *(names.begin() + ordinal) : absl::StrCat("#", ordinal);
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
