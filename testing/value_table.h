// Which rewrites and lowerings are proved to keep values, as a page of the documentation.
#ifndef TESSERA_TESTING_VALUE_TABLE_H_
#define TESSERA_TESTING_VALUE_TABLE_H_

#include <string>
#include <vector>

#include "codegen/support/examples.h"

namespace tessera::testing {

// In Markdown. `dialects` are those whose rewrites are looked at; the ops of the first are lowered
// to the target `target`.
std::string ValueTable(const std::vector<const std::vector<ops::OpExamples>*>& dialects,
                       const std::string& target);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_VALUE_TABLE_H_
