#include "nests/index_program.h"

#include <algorithm>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"

namespace tessera::nests {

using solver::ExprKind;

size_t Slots::Open(const std::string& name) {
  slots_[name].push_back(count_);
  return count_++;
}

void Slots::Close(const std::string& name) { slots_[name].pop_back(); }

int64_t Slots::Find(std::string_view name) const {
  const auto found = slots_.find(name);
  return found == slots_.end() || found->second.empty()
             ? -1
             : static_cast<int64_t>(found->second.back());
}

absl::Status IndexProgram::Compile(const solver::Expr& e, const Slots& slots,
                                   IndexProgram& program) {
  program.steps_.clear();
  return program.Add(e, slots);
}

absl::Status IndexProgram::Add(const solver::Expr& e, const Slots& slots) {
  const solver::View view(e);
  Step step{view.kind()};
  switch (view.kind()) {
    case ExprKind::kInvalid:
      return absl::InvalidArgumentError(
          "an index left 64 bits, or divides by what is not positive");
    case ExprKind::kConstant:
      step.number = view.constant();
      steps_.push_back(std::move(step));
      return absl::OkStatus();
    case ExprKind::kSymbol:
      step.number = slots.Find(view.symbol());
      if (step.number < 0)
        return absl::InvalidArgumentError(
            absl::StrCat("no value for `", std::string(view.symbol()), "`"));
      steps_.push_back(std::move(step));
      return absl::OkStatus();
    default:
      break;
  }
  for (size_t i = 0; i < view.size(); ++i) {
    if (absl::Status status = Add(view.child(i), slots); !status.ok()) return status;
    if (view.kind() == ExprKind::kSum) step.coefficients.push_back(view.coefficient(i));
  }
  step.number = static_cast<int64_t>(view.size());
  if (view.kind() == ExprKind::kSum) step.coefficients.push_back(view.constant());
  steps_.push_back(std::move(step));
  return absl::OkStatus();
}

int64_t IndexProgram::Run(absl::Span<const int64_t> values) const {
  absl::InlinedVector<int64_t, 32> stack;
  for (const Step& step : steps_) {
    if (step.kind == ExprKind::kConstant) {
      stack.push_back(step.number);
      continue;
    }
    if (step.kind == ExprKind::kSymbol) {
      stack.push_back(values[static_cast<size_t>(step.number)]);
      continue;
    }
    const size_t count = static_cast<size_t>(step.number);
    const int64_t* args = stack.data() + stack.size() - count;
    int64_t result = 0;
    switch (step.kind) {
      case ExprKind::kSum:
        result = step.coefficients.back();
        for (size_t i = 0; i < count; ++i) result += step.coefficients[i] * args[i];
        break;
      case ExprKind::kProduct:
        result = 1;
        for (size_t i = 0; i < count; ++i) result *= args[i];
        break;
      case ExprKind::kFloorDiv:
        if (args[1] > 0) {
          result = args[0] / args[1];
          if (args[0] % args[1] < 0) --result;
        }
        break;
      case ExprKind::kMin:
        result = *std::min_element(args, args + count);
        break;
      case ExprKind::kIte:
        result = args[0] != 0 ? args[1] : args[2];
        break;
      case ExprKind::kEqZero:
        result = args[0] == 0 ? 1 : 0;
        break;
      case ExprKind::kGeZero:
        result = args[0] >= 0 ? 1 : 0;
        break;
      case ExprKind::kAnd:
        result = std::all_of(args, args + count, [](int64_t v) { return v != 0; }) ? 1 : 0;
        break;
      default:
        break;
    }
    stack.resize(stack.size() - count);
    stack.push_back(result);
  }
  return stack.back();
}

}  // namespace tessera::nests
