#include "testing/nest_bounds.h"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "nests/bounds.h"
#include "solver/prove.h"
#include "testing/example_case.h"

namespace tessera::testing {
namespace {

// An operand whose values inference needs keeps its shape.
bool NeedsValues(const ir::OpInfo& info, size_t operand) {
  return info.operands[std::min(operand, info.operands.size() - 1)].elements;
}

// What becomes of the sizes of an example.
struct Choice {
  enum Mode { kFixed, kAny, kAtLeast, kMultiple };
  bool distinct = false;    // every size is a symbol of its own
  bool attributes = false;  // so are `dim` attributes
  // Otherwise equal sizes are one symbol, about which more is known.
  std::map<int64_t, Mode> sizes = {};
};

ir::Expr SizeOf(const Choice& choice, int64_t size, const std::string& place,
                solver::Context& context) {
  if (size < 2) return size;
  if (choice.distinct) return context.Symbol(place);
  const auto mode = choice.sizes.find(size);
  if (mode == choice.sizes.end() || mode->second == Choice::kFixed) return size;
  const bool least = mode->second == Choice::kAtLeast;
  const auto symbol = context.Declare(absl::StrCat("s", size), {least ? size : 1, 1 << 20}, {},
                                      "a size of the example");
  if (!symbol.ok()) return size;
  return mode->second == Choice::kMultiple ? *symbol * size : *symbol;
}

// The example's signature with symbols in place of sizes.
absl::StatusOr<nests::Computation> Generalized(const nests::Definition& definition, const Case& c,
                                               const Choice& choice, solver::Context& context) {
  std::vector<std::vector<ir::Expr>> dims(c.operands.size()), unused, elements;
  std::vector<ir::OperandInfo<ir::Expr>> infos = Infos<ir::Expr>(c, unused, elements);
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] == nullptr) continue;
    const bool fixed = NeedsValues(*c.info, i);
    for (size_t d = 0; d < c.operands[i]->shape().size(); ++d) {
      const int64_t size = c.operands[i]->shape()[d];
      dims[i].push_back(fixed ? ir::Expr(size)
                              : SizeOf(choice, size, absl::StrCat("x", i, ".", d), context));
    }
    infos[i].dims = dims[i];
    if (!fixed) {
      infos[i].has_elements = false;
      infos[i].elements = {};
      infos[i].extremes = {};
    }
  }
  std::vector<ir::Attribute> attrs = c.attrs;
  for (size_t i = 0; choice.attributes && i < attrs.size(); ++i) {
    const auto symbol = [&](const std::string& name, const ir::Expr& value) {
      if (value == ir::Expr(0) || value == ir::Expr(1)) return value;
      const auto declared =
          context.Declare(name, {-(int64_t{1} << 31), (int64_t{1} << 31) - 1}, {}, "an attribute");
      return declared.ok() ? *declared : value;
    };
    const std::string name = absl::StrCat("a", i);
    if (auto* dim = std::get_if<solver::Expr>(&attrs[i])) *dim = symbol(name, *dim);
    if (auto* list = std::get_if<std::vector<solver::Expr>>(&attrs[i])) {
      for (size_t d = 0; d < list->size(); ++d)
        (*list)[d] = symbol(absl::StrCat(name, ".", d), (*list)[d]);
    }
  }
  return nests::ComputationOf(definition, {infos, attrs}, context);
}

// False: there is no such operation for all these sizes.
bool Check(const nests::Definition& definition, const Case& c, const Choice& choice,
           solver::Prover& prover, DefinitionBounds& bounds) {
  solver::Context context;
  const absl::StatusOr<nests::Computation> computation =
      Generalized(definition, c, choice, context);
  if (!computation.ok()) return false;
  for (const ir::Expr& requirement : computation->requirements) {
    if (!context.Assume(requirement, "a constraint").ok()) return false;
  }
  ++bounds.instances;
  const auto decide = [&prover](solver::Context& facts, const ir::Expr& proposition) {
    return prover.Prove(facts, proposition);
  };
  for (const nests::Access& access : nests::CheckBounds(*computation, context, decide)) {
    ++bounds.accesses;
    if (access.status == nests::Access::kProved) ++bounds.proved;
    if (access.status == nests::Access::kRefuted)
      absl::StrAppend(&bounds.wrong, access.text, ": ", access.reason, "\n",
                      nests::ToString(*computation));
    if (access.status == nests::Access::kData)
      bounds.unproved.insert(
          absl::StrCat(access.write ? "write of " : "read of ", access.tensor, ": index is data"));
    if (access.status == nests::Access::kOpen)
      bounds.unproved.insert(absl::StrCat(access.write ? "write of " : "read of ", access.tensor,
                                          ": ", access.text, ": ", access.reason));
  }
  return true;
}

}  // namespace

DefinitionBounds BoundsOf(const nests::Definition& definition, const ops::OpExamples& op) {
  DefinitionBounds bounds;
  solver::Prover prover;
  for (const ops::Example& example : op.examples) {
    Case c;
    if (example.reject || !Prepare(op, example, c).ok()) continue;
    const bool attributes =
        Check(definition, c, {.distinct = true, .attributes = true}, prover, bounds);
    const bool sizes = Check(definition, c, {.distinct = true}, prover, bounds);
    if (attributes || sizes) continue;
    // Constraints relate the sizes: as much freedom for one after the other as they leave.
    Choice choice;
    std::set<int64_t, std::greater<>> all;
    for (const ir::Tensor& tensor : c.tensors)
      all.insert(tensor.shape().begin(), tensor.shape().end());
    for (const int64_t size : all) {
      for (const auto mode : {Choice::kAny, Choice::kAtLeast, Choice::kMultiple, Choice::kFixed}) {
        choice.sizes[size] = mode;
        solver::Context context;
        if (Generalized(definition, c, choice, context).ok()) break;
      }
    }
    Check(definition, c, choice, prover, bounds);
  }
  return bounds;
}

}  // namespace tessera::testing
