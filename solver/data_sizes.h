// Sizes that data decide (ir/counted.h): symbols that no dim of an input has.
#ifndef TESSERA_SOLVER_DATA_SIZES_H_
#define TESSERA_SOLVER_DATA_SIZES_H_

#include <string>
#include <string_view>

#include "absl/strings/string_view.h"
#include "solver/expr.h"

namespace tessera::solver {

// What such a symbol is declared with: `place` counts it.
std::string DataSizeOrigin(absl::string_view place);
bool IsDataSizeOrigin(absl::string_view origin);

// Nobody can declare these.
bool IsDataSize(const Context& context, std::string_view symbol);
bool HasDataSize(const Context& context, const Expr& e);  // any of its symbols

// `e` with all sizes that data decide as small as they come, or as large.
Expr AtExtreme(Context& context, Expr e, bool greatest);

// Whether data can be such that the proposition holds, whatever the sizes of the inputs: with all
// sizes that data decide as small as they come it is proved, or with all of them as large. False:
// there are none in it, or this does not show it.
bool HoldsForSomeData(Context& context, const Expr& predicate);

}  // namespace tessera::solver

#endif  // TESSERA_SOLVER_DATA_SIZES_H_
