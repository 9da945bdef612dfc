#include "fuzz/networks/generator.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/graph.h"
#include "solver/expr.h"
#include "testing/sampling/values.h"

namespace tessera::fuzz {
namespace {

using testing::Random;
using testing::Subject;

constexpr int64_t kMostElements = 1 << 13;  // of a result at the largest sizes
constexpr int64_t kMostRank = 6;
constexpr int kProposals = 40;  // for one step

}  // namespace

// One network while it grows.
class Generator::Growth {
 public:
  Growth(const std::vector<Subject>& subjects, int symbols, uint64_t seed)
      : subjects_(subjects), most_symbols_(symbols), random_(seed) {}

  Recipe Run(int steps) {
    MakeInputs();
    Rebuild();
    for (int i = 0; i < steps && !abandoned_; ++i) {
      for (int proposal = 0; proposal < kProposals; ++proposal) {
        if (abandoned_ || Grow(random_.Of(subjects_))) break;
      }
    }
    recipe_.outputs = UnusedResults(recipe_);
    return Without(recipe_, {});  // inputs that nothing came to use
  }

 private:
  // What names of a signature stand for, as far as operands say so.
  struct Bound {
    std::map<std::string, ir::DType> types;
    std::map<std::string, std::vector<ir::Expr>> dims;  // a pack has several
  };

  void MakeInputs() {
    const char* const names[] = {"H", "W", "T", "N"};
    const int64_t symbols = random_.Below(most_symbols_ + 1);
    for (int64_t i = 0; i < symbols; ++i) {
      const int64_t stride = random_.OneIn(3) ? 1 + random_.Below(4) : 1;
      const int64_t least = stride * (1 + random_.Below(6));
      recipe_.symbols.push_back({names[i], least, least + stride * 8, stride});
    }
    const int64_t inputs = 1 + random_.Below(3);
    for (int64_t i = 0; i < inputs; ++i) {
      RecipeInput input;
      if (random_.OneIn(8)) input.dtype = random_.OneIn(2) ? ir::DType::kI64 : ir::DType::kI32;
      const int64_t rank = random_.OneIn(6) ? random_.Below(2) : 2 + random_.Below(3);
      for (int64_t d = 0; d < rank; ++d) {
        const bool known = recipe_.symbols.empty() || random_.OneIn(2);
        input.dims.push_back(known ? RecipeDim{-1, 1 + random_.Below(8)}
                                   : RecipeDim{static_cast<int>(random_.Below(
                                         static_cast<int64_t>(recipe_.symbols.size())))});
      }
      recipe_.inputs.push_back(std::move(input));
    }
  }

  // The dims of a value or a tensor under the names of the signature; false: they do not fit.
  static bool Bind(const ops::OperandSignature& signature, ir::DType dtype,
                   const std::vector<ir::Expr>& dims, Bound& bound) {
    if (!signature.type.empty()) {
      if (bound.types.emplace(signature.type, dtype).first->second != dtype) return false;
    } else if (signature.dtypes != 0 && !ir::Contains(signature.dtypes, dtype)) {
      return false;
    }
    if (signature.free || !signature.rank.empty()) return true;
    const size_t packs = static_cast<size_t>(std::count_if(
        signature.dims.begin(), signature.dims.end(), [](const auto& d) { return d.pack; }));
    const size_t plain = signature.dims.size() - packs;
    if (packs > 1 || dims.size() < plain || (packs == 0 && dims.size() != plain)) return packs > 1;
    size_t at = 0;
    for (const ops::DimEntry& entry : signature.dims) {
      const size_t count = entry.pack ? dims.size() - plain : 1;
      if (!entry.name.empty()) {
        bound.dims.emplace(
            entry.name, std::vector<ir::Expr>(dims.begin() + static_cast<ptrdiff_t>(at),
                                              dims.begin() + static_cast<ptrdiff_t>(at + count)));
      }
      at += count;
    }
    return true;
  }

  // A value that may stand for the operand; the later ones rather than the earlier.
  std::optional<int> Choose(const Subject& subject, size_t index, const testing::Operand& like,
                            const Bound& bound) {
    const ops::OperandSignature& signature = SignatureAt(subject, index);
    std::vector<int> fitting;
    for (size_t v = 0; v < values_.size(); ++v) {
      const ir::TensorType& type = values_[v]->type();
      if (signature.dtypes != 0 && !ir::Contains(signature.dtypes, type.dtype)) continue;
      const auto type_bound = bound.types.find(signature.type);
      if (type_bound != bound.types.end() && type_bound->second != type.dtype) continue;
      if (!signature.free && type.rank() != like.tensor.rank()) continue;
      if (NeedsElements(subject, index) && values_[v]->elements() == nullptr) continue;
      fitting.push_back(static_cast<int>(v));
      if (v + 4 >= values_.size()) fitting.insert(fitting.end(), 3, static_cast<int>(v));
    }
    if (fitting.empty()) return std::nullopt;
    return random_.Of(fitting);
  }

  // As the instance has it, with the dims that names already stand for; null: one is no number.
  std::optional<ir::Tensor> ConstantLike(const Subject& subject, size_t index,
                                         const testing::Operand& like, const Bound& bound) {
    const ops::OperandSignature& signature = SignatureAt(subject, index);
    std::vector<int64_t> shape = like.tensor.shape();
    if (!signature.free && signature.rank.empty()) {
      std::vector<int64_t> named;
      size_t at = 0;
      const size_t plain = static_cast<size_t>(std::count_if(
          signature.dims.begin(), signature.dims.end(), [](const auto& d) { return !d.pack; }));
      for (const ops::DimEntry& entry : signature.dims) {
        const size_t count = !entry.pack ? 1 : shape.size() >= plain ? shape.size() - plain : 0;
        const auto known = bound.dims.find(entry.name);
        if (!entry.name.empty() && known != bound.dims.end()) {
          for (const ir::Expr& dim : known->second) {
            if (!dim.IsConstant()) return std::nullopt;
            named.push_back(*dim.Constant());
          }
        } else {
          for (size_t i = 0; i < count && at + i < shape.size(); ++i)
            named.push_back(shape[at + i]);
        }
        at += count;
      }
      shape = std::move(named);
    }
    const auto type = bound.types.find(signature.type);
    const ir::DType dtype = type == bound.types.end() ? like.tensor.dtype() : type->second;
    int64_t elements = 1;
    for (const int64_t dim : shape) elements *= std::min<int64_t>(dim, kMostElements);
    if (elements > kMostElements) return std::nullopt;
    if (!ir::IsFloat(dtype) && shape == like.tensor.shape()) return like.tensor.CastTo(dtype);
    if (ir::IsFloat(dtype) || dtype == ir::DType::kBool)
      return testing::RandomValues(dtype, std::move(shape), testing::Style::kPlain, random_);
    return testing::RandomPositions(dtype, std::move(shape), 2, false, random_);
  }

  bool Grow(const Subject& subject) {
    if (subject.info->effect || subject.info->results.empty()) return false;
    std::unique_ptr<testing::Sampler>& sampler = samplers_[subject.info];
    if (sampler == nullptr) sampler = std::make_unique<testing::Sampler>(subject, random_.Next());
    const std::optional<testing::Instance> instance = sampler->Next();
    if (!instance.has_value()) return false;
    Step step{subject.info, {}, instance->attrs, static_cast<int>(subject.info->results.size())};
    Bound bound;
    bool connected = instance->operands.empty();
    for (size_t i = 0; i < instance->operands.size(); ++i) {
      const testing::Operand& like = instance->operands[i];
      RecipeOperand& operand = step.operands.emplace_back();
      if (!like.present) continue;
      // Where it has them in the instance, equal ones among them: most other values lie outside.
      if (testing::IsPositions(subject, i) && !NeedsElements(subject, i)) {
        operand.constant = like.tensor;
        const std::vector<int64_t>& shape = like.tensor.shape();
        if (!Bind(SignatureAt(subject, i), like.tensor.dtype(), {shape.begin(), shape.end()},
                  bound))
          return false;
        continue;
      }
      // What inference must know is a number more often than not.
      const bool as_value = NeedsElements(subject, i) ? random_.OneIn(3)
                            : connected               ? random_.OneIn(2)
                                                      : true;
      const std::optional<int> value =
          as_value ? Choose(subject, i, like, bound) : std::optional<int>();
      if (value.has_value()) {
        operand.value = *value;
        const ir::TensorType& type = values_[static_cast<size_t>(*value)]->type();
        if (!Bind(SignatureAt(subject, i), type.dtype, type.dims, bound)) return false;
        connected = true;
        continue;
      }
      operand.constant = ConstantLike(subject, i, like, bound);
      if (!operand.constant.has_value()) return false;
      const std::vector<int64_t>& shape = operand.constant->shape();
      if (!Bind(SignatureAt(subject, i), operand.constant->dtype(), {shape.begin(), shape.end()},
                bound))
        return false;
    }
    if (!connected) return false;
    const size_t before = values_.size();
    if (!AddStep(step, *graph_, values_).ok() || !AreSmall(before)) {
      Rebuild();
      return false;
    }
    recipe_.steps.push_back(std::move(step));
    return true;
  }

  // The graph of the recipe as it is, without what a step that did not fit left in it.
  void Rebuild() {
    graph_ = std::make_unique<ir::Graph>();
    values_.clear();
    // As they were added before. Not by Build, which takes out what no output needs.
    absl::Status status = AddInputs(recipe_, *graph_, values_);
    for (size_t i = 0; i < recipe_.steps.size() && status.ok(); ++i)
      status = AddStep(recipe_.steps[i], *graph_, values_);
    abandoned_ = !status.ok();  // a defect of ours, which judging the network shows
  }

  bool AreSmall(size_t from) const {
    solver::Assignment largest;
    for (const RecipeSymbol& symbol : recipe_.symbols) largest[symbol.name] = symbol.most;
    for (size_t v = from; v < values_.size(); ++v) {
      if (values_[v]->type().rank() > kMostRank) return false;
      int64_t elements = 1;
      for (const ir::Expr& dim : values_[v]->type().dims) {
        const absl::StatusOr<int64_t> size = solver::Evaluate(dim, largest);
        if (!size.ok() || *size > kMostElements) return false;
        elements *= *size;
        if (elements > kMostElements) return false;
      }
    }
    return true;
  }

  const std::vector<Subject>& subjects_;
  const int most_symbols_;
  Random random_;
  Recipe recipe_;
  std::unique_ptr<ir::Graph> graph_;
  std::vector<ir::Value*> values_;
  bool abandoned_ = false;
  std::map<const ir::OpInfo*, std::unique_ptr<testing::Sampler>> samplers_;
};

Recipe Generator::Make(uint64_t seed, int steps) {
  return Growth(subjects_, symbols_, seed).Run(steps);
}

}  // namespace tessera::fuzz
