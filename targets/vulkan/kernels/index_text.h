// Expressions of sizes and axes as GLSL, in 32-bit integers. What does not vary with an axis is a
// parameter, which the runtime computes from the expression table in 64 bits and checks.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_INDEX_TEXT_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_INDEX_TEXT_H_

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "nests/nest.h"
#include "solver/expr.h"
#include "targets/vulkan/kernels/code.h"

namespace tessera::vulkan {

using solver::Expr;

// Whether facts of sizes show it to be a multiple of `unit`.
bool IsMultipleOf(const Expr& e, int64_t unit);

class IndexText {
 public:
  explicit IndexText(Code& code) : code_(code) {}
  // Of a kernel of several functions, behind another of which this one's parameters and limits are
  // too.
  IndexText(Code& code, std::vector<Expr> parameters, std::vector<Expr> limits)
      : code_(code), parameters_(std::move(parameters)), limits_(std::move(limits)) {}

  // An axis: what it is in the text, what it is less than, and what it is a multiple of.
  void Bind(const Expr& symbol, Term term, const Expr& extent, int64_t multiple = 1);
  void Unbind(const Expr& symbol);
  // Binds the axes to the digits of `number`, a variable of the block `depth`: the last one runs
  // fastest.
  void BindDigits(const std::vector<nests::Axis>& axes, std::string number, size_t depth);
  // The extent of an axis that is bound; null: it is none.
  const Expr* ExtentOf(const Expr& symbol) const;

  // Whether it is shown to be a multiple of `unit`.
  bool IsMultiple(const Expr& e, int64_t unit) const;

  // An int, declared as far out as can be.
  Term Int(const Expr& e);
  // A bool.
  Term Truth(const Expr& e);
  // That `e`, which is printed, stays within 32 bits with all that it is computed from.
  void Limit(const Expr& e);

  // An expression of sizes alone that |e| is at most, wherever its axes stand.
  Expr AtMost(const Expr& e) const;

  // What to give to the kernel, in order, as ints of its uniform block.
  const std::vector<Expr>& parameters() const { return parameters_; }
  // What must be below 2^31, beyond what ranges prove.
  const std::vector<Expr>& limits() const { return limits_; }

 private:
  struct Axis {
    Term term;
    Expr extent;
    int64_t multiple = 1;
  };
  bool Varies(const Expr& e) const;  // with an axis
  std::string Literal(int64_t value);
  Term Parameter(const Expr& e);
  Term Sum(const Expr& e);
  Term Product(const Expr& e);
  Term Compute(const Expr& e);

  Code& code_;
  std::map<std::string, Axis, std::less<>> axes_;
  std::vector<Expr> parameters_, limits_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_INDEX_TEXT_H_
