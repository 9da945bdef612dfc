#include "ir/type.h"

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"

namespace tessera::ir {

bool TensorType::IsStatic() const {
  for (const Expr& dim : dims) {
    if (!dim.IsConstant()) return false;
  }
  return true;
}

std::string TensorType::ToString() const {
  std::string text = absl::StrCat(AbslView(NameOf(dtype)), "[");
  for (size_t i = 0; i < dims.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", dims[i].ToString());
  }
  return text + "]";
}

}  // namespace tessera::ir
