// The symbols that stand for the dims of a model's inputs, with what the options say of them.
#ifndef TESSERA_FRONTENDS_ONNX_INPUT_DIMS_H_
#define TESSERA_FRONTENDS_ONNX_INPUT_DIMS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "frontends/onnx/dim_option.h"
#include "frontends/onnx/problems.h"
#include "frontends/onnx/size_set.h"
#include "solver/expr.h"

namespace tessera::onnx_import {

// Declare all names, then constrain, then resolve once. A dim without any range is in [kMinDim,
// kMaxDim]. Dims declared equal share one symbol; one of which a single size is left is that
// constant. A dim may also be an expression over others (`past + T`, as exporters name the length
// of a decoder's mask): because it is called so, or because an option says so.
class InputDims {
 public:
  // How many will be declared; no more than a guess.
  void Reserve(size_t dims);
  // `origin`: where the dim is first met, e.g. "dim 2 of input `x`".
  void Declare(const std::string& name, const std::string& origin);
  // A problem if a name is not declared; it lists those that are.
  void Constrain(const DimOption& option, Problems& problems);
  // A declared `name` is `size`, because of `origin` (`--bind x`).
  void Fix(const std::string& name, int64_t size, const std::string& origin);

  // Creates the symbols. False: a problem per dim of which no size is left.
  bool Resolve(solver::Context& context, Problems& problems);
  // After Resolve without a problem, of a declared name.
  solver::Expr at(const std::string& name) const { return *resolved_[index_.at(name)]; }

 private:
  struct Fact {
    SizeSet sizes;
    bool bounds;  // says something of the range
    std::string origin;
    bool assumed = false;
  };
  std::optional<size_t> Find(const std::string& name, const std::string& option,
                             Problems& problems) const;
  // Of a dim by its name, or by that of its symbol if no other dim's is the same.
  std::optional<size_t> Index(const std::string& name) const;
  size_t Root(size_t dim) const;
  // Whether `text` is an expression over names that are declared, and not just one of these.
  bool IsDefinition(const std::string& text) const;
  // `text` over the symbols; nullopt: it mentions dims that are not resolved yet.
  std::optional<solver::Expr> Resolved(const std::string& text, solver::Context& context) const;
  // A bound of a dim that is an expression over dims; false, with a problem: it is none.
  bool Bound(const DimOption& option, const std::string& origin, Problems& problems);
  bool AssumeBounds(solver::Context& context, Problems& problems) const;
  bool ResolveDefined(solver::Context& context, Problems& problems);
  // False, with a problem of the dim: it contradicts what is assumed.
  bool Assume(size_t dim, const solver::Expr& fact, const std::string& origin,
              solver::Context& context, Problems& problems) const;
  // Of dims that are the same, the root first.
  bool AssumeFacts(const std::vector<size_t>& dims, const solver::Expr& e, solver::Context& context,
                   Problems& problems) const;

  std::vector<std::string> names_;  // in order of declaration
  std::vector<std::string> origins_;
  absl::flat_hash_map<std::string, size_t> index_;  // into the vectors
  // By the name of its symbol; nullopt: several have it.
  absl::flat_hash_map<std::string, std::optional<size_t>> by_symbol_;
  std::vector<size_t> parent_;  // union-find; the root is the first declared
  std::vector<std::vector<Fact>> facts_;
  std::map<size_t, std::string> definitions_;  // of roots
  struct Computed {
    size_t dim;
    std::string end;
    bool is_lower;
    std::string origin;
  };
  std::vector<Computed> bounds_;
  std::vector<std::optional<solver::Expr>> resolved_;
};

// `name` as an identifier that expressions can be printed and parsed with: what is neither letter
// nor digit becomes `_`.
std::string SymbolName(const std::string& name);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_INPUT_DIMS_H_
