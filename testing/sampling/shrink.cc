#include "testing/sampling/shrink.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "testing/sampling/edits.h"

namespace tessera::testing {
namespace {

constexpr int kMostTrials = 1500;

class Shrinker {
 public:
  Shrinker(const Subject& subject, Instance instance, const Fails& fails)
      : subject_(subject), instance_(std::move(instance)), fails_(fails) {}

  Instance Run() {
    bool better = true;
    while (better && trials_ < kMostTrials) {
      better = Operands();
      better = Dims() || better;
      better = Attributes() || better;
      better = Elements() || better;
    }
    return instance_;
  }

 private:
  bool Try(const std::function<void(Instance&)>& step) {
    if (++trials_ > kMostTrials) return false;
    Instance simpler = instance_;
    step(simpler);
    if (!fails_(simpler)) return false;
    instance_ = std::move(simpler);
    return true;
  }

  bool Operands() {
    bool better = false;
    for (size_t i = instance_.operands.size(); i-- > 0;) {
      if (instance_.operands[i].constant)
        better |= Try([&](Instance& x) { x.operands[i].constant = false; });
      if (!instance_.operands[i].present) continue;
      const ir::OperandSpec& spec = *ir::OperandSpecAt(*subject_.info, i);
      if (spec.arity == ir::Arity::kRequired) continue;
      better |= Try([&](Instance& x) {
        if (spec.arity == ir::Arity::kOptional) {
          x.operands[i] = Operand();
        } else {
          x.operands.erase(x.operands.begin() + static_cast<std::ptrdiff_t>(i));
        }
      });
    }
    return better;
  }

  static void Resize(Operand& operand, size_t axis, int64_t size) {
    std::vector<int64_t> shape = operand.tensor.shape();
    shape[axis] = size;
    operand.tensor = Resized(operand.tensor, operand.tensor.dtype(), shape);
  }

  // A size wherever it stands, or at one place.
  bool Dims() {
    bool better = false;
    for (size_t i = 0; i < instance_.operands.size(); ++i) {
      for (size_t a = 0; a < instance_.operands[i].tensor.shape().size(); ++a) {
        if (!instance_.operands[i].present) continue;
        const int64_t size = instance_.operands[i].tensor.shape()[a];
        for (const int64_t less : {int64_t{1}, size - 1}) {
          if (less < 1 || less >= size) continue;
          const bool done =
              Try([&](Instance& x) {
                for (Operand& operand : x.operands) {
                  for (size_t b = 0; operand.present && b < operand.tensor.shape().size(); ++b) {
                    if (operand.tensor.shape()[b] == size) Resize(operand, b, less);
                  }
                }
              }) ||
              Try([&](Instance& x) { Resize(x.operands[i], a, less); });
          better |= done;
          if (done) break;
        }
      }
    }
    return better;
  }

  bool Attributes() {
    bool better = false;
    for (size_t i = 0; i < instance_.attrs.size(); ++i) {
      if (const auto* number = std::get_if<int64_t>(&instance_.attrs[i]); number && *number > 0)
        better |= Try([&](Instance& x) { x.attrs[i] = *number - 1; });
      const auto* list = std::get_if<std::vector<int64_t>>(&instance_.attrs[i]);
      for (size_t k = 0; list != nullptr && k < list->size(); ++k) {
        if ((*list)[k] > 1)
          better |= Try([&](Instance& x) { --std::get<std::vector<int64_t>>(x.attrs[i])[k]; });
        list = std::get_if<std::vector<int64_t>>(&instance_.attrs[i]);
      }
      const auto* dims = std::get_if<std::vector<solver::Expr>>(&instance_.attrs[i]);
      for (size_t k = 0; dims != nullptr && k < dims->size(); ++k) {
        const int64_t now = (*dims)[k].Constant().value_or(0);
        if (now > 0) {
          better |= Try([&](Instance& x) {
            std::get<std::vector<solver::Expr>>(x.attrs[i])[k] = solver::Expr(now - 1);
          });
        }
        dims = std::get_if<std::vector<solver::Expr>>(&instance_.attrs[i]);
      }
    }
    return better;
  }

  bool Elements() {
    bool better = false;
    constexpr int64_t kMostElements = 64;
    for (size_t i = 0; i < instance_.operands.size(); ++i) {
      if (!instance_.operands[i].present) continue;
      const int64_t size = std::min(kMostElements, instance_.operands[i].tensor.size());
      for (int64_t e = 0; e < size; ++e) {
        const double now = instance_.operands[i].tensor.AsDouble(e);
        for (const double simple : {0.0, 1.0}) {
          if (now == simple || (now == 0 && simple == 1)) break;
          const bool done = Try([&](Instance& x) {
            const ir::Tensor& tensor = x.operands[i].tensor;
            std::vector<double> values;
            for (int64_t k = 0; k < tensor.size(); ++k) values.push_back(tensor.AsDouble(k));
            values[static_cast<size_t>(e)] = simple;
            x.operands[i].tensor = ir::Tensor::Of<double>(tensor.dtype(), tensor.shape(), values);
          });
          better |= done;
          if (done) break;
        }
      }
    }
    return better;
  }

  const Subject& subject_;
  Instance instance_;
  const Fails& fails_;
  int trials_ = 0;
};

}  // namespace

Instance Shrink(const Subject& subject, Instance instance, const Fails& fails) {
  return Shrinker(subject, std::move(instance), fails).Run();
}

}  // namespace tessera::testing
