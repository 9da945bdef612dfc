// Nests rewritten: other axes, other tensors, other scalars in the place of reads.
#ifndef TESSERA_TARGETS_VULKAN_PROGRAM_REWRITE_H_
#define TESSERA_TARGETS_VULKAN_PROGRAM_REWRITE_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "nests/nest.h"

namespace tessera::vulkan {

using nests::Expr;
using Substitution = std::map<std::string, Expr, std::less<>>;

// Names of axes that no other nest of a context has, so that nests can be put into one another.
class Axes {
 public:
  // kShared: those that others with shared names have too, each once.
  enum class Names { kOwn, kShared };
  explicit Axes(solver::Context& context, Names names = Names::kOwn)
      : context_(context), names_(names) {}
  // One of `extent` positions; where that is a number, the context knows it.
  Expr Fresh(const Expr& extent);

 private:
  solver::Context& context_;
  Names names_;
  int count_ = 0;
};

struct Rewrite {
  // What becomes of a read, whose indices and value for outside are rewritten already; without it,
  // reads stay.
  std::function<nests::Scalar(const nests::ScalarNode& read, std::vector<nests::Index> at,
                              nests::Scalar otherwise)>
      read;
  Substitution symbols;
  Axes* axes = nullptr;  // null: axes of reductions keep their names
};

nests::Scalar Rewritten(const nests::Scalar& scalar, const Rewrite& rewrite);

// With fresh axes throughout, and each tensor id replaced.
nests::Nest Renamed(const nests::Nest& nest, Axes& axes,
                    const std::function<nests::TensorId(nests::TensorId)>& tensor);

// Calls `visit` for every read in it, those in indices included; `depth` counts the reductions
// around it.
void EachRead(const nests::Scalar& scalar,
              const std::function<void(const nests::ScalarNode& read, int depth)>& visit,
              int depth = 0);

// Calls `visit` for every reduction in it, outer ones before those within, those in indices left
// out; `depth` counts the reductions around it.
void EachReduction(const nests::Scalar& scalar,
                   const std::function<void(const nests::Scalar& reduction, int depth)>& visit,
                   int depth = 0);

// Whether there is a reduction in it, those in indices not counted.
bool Reduces(const nests::Scalar& scalar);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_PROGRAM_REWRITE_H_
