// In which element types an op computes: its kernel is a template over at most two open ones.
#ifndef TESSERA_CODEGEN_ELEMENT_TYPES_H_
#define TESSERA_CODEGEN_ELEMENT_TYPES_H_

#include <string>
#include <vector>

#include "codegen/ast.h"

namespace tessera::codegen {

// T and U stand for what the type variables or dtype attributes `primary` and `secondary` compute
// in; I, B and F for 64-bit integers, truth values and doubles.
struct ElementTypes {
  explicit ElementTypes(const Op& op);

  // The element type of a tensor of these classes; empty if it is a third open type.
  std::string Of(const std::vector<std::string>& classes) const;
  // B, I or F where one compute type holds the whole set, empty otherwise.
  static std::string Homogeneous(const std::vector<std::string>& set);

  static constexpr char kTruth[] = "B";
  // In what numbers of this element type are computed: of truth values, in 64-bit integers.
  static std::string Number(const std::string& element) {
    return element == kTruth ? "I" : element;
  }

  const Op& op;
  std::string primary, secondary;
  std::vector<std::string> primary_set, secondary_set;  // their dtypes
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_ELEMENT_TYPES_H_
