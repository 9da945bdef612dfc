// Expressions of a file as the solver has them.
#ifndef TESSERA_TARGETS_VULKAN_FILE_SIZES_H_
#define TESSERA_TARGETS_VULKAN_FILE_SIZES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "solver/expr.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

using solver::Expr;

// What was found out of one model, by statement: many of its accesses differ in names alone.
using Decided = absl::flat_hash_map<std::string, bool>;

// With the sizes that the file admits; positions along its axes are symbols.
class Sizes {
 public:
  // `decided` lives longer.
  Sizes(const file::Model& model, Decided& decided);

  // A position along nothing yet.
  Expr Fresh();
  Expr Axis(uint32_t axis);
  // From here on the axis has this value.
  void SetAxis(uint32_t axis, const Expr& e) {
    axes_[axis] = e;
    known_.clear();
  }
  Expr Of(uint32_t e);

  // False: there are no such points.
  bool Assume(const Expr& proposition);
  bool Holds(const Expr& proposition);

 private:
  Expr Made(const file::Expression& e);

  const file::Model& model_;
  Decided& decided_;
  solver::Context context_;
  std::vector<Expr> symbols_;
  std::map<uint32_t, Expr> axes_, known_;
  int positions_ = 0;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_FILE_SIZES_H_
