#include "ir/op_info.h"

namespace tessera::ir {

const OperandSpec* OperandSpecAt(const OpInfo& info, size_t index) {
  if (index < info.operands.size()) return &info.operands[index];
  if (info.operands.empty() || info.operands.back().arity != Arity::kVariadic) return nullptr;
  return &info.operands.back();
}

int FindAttr(const OpInfo& info, std::string_view name) {
  for (size_t i = 0; i < info.attrs.size(); ++i) {
    if (info.attrs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace tessera::ir
