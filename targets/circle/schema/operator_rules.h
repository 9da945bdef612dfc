// What the importer of ONE's compiler takes of each operator (operators.txt): a file outside of it
// is well-formed, but is not read by that toolchain.
#ifndef TESSERA_TARGETS_CIRCLE_SCHEMA_OPERATOR_RULES_H_
#define TESSERA_TARGETS_CIRCLE_SCHEMA_OPERATOR_RULES_H_

#include <cstdint>
#include <limits>

#include "absl/strings/string_view.h"

namespace tessera::circle {

struct OperatorRule {
  static constexpr int kAnyNumber = std::numeric_limits<int>::max();

  absl::string_view options_table;  // empty: reads none
  int min_inputs = 0;
  int max_inputs = 0;
};

// Null for codes that the importer does not know.
const OperatorRule* FindOperatorRule(int32_t code);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_SCHEMA_OPERATOR_RULES_H_
