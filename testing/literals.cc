#include "testing/literals.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/random_tensor.h"

namespace tessera::testing {

absl::StatusOr<ir::Tensor> TensorOf(const ops::Literal& literal, uint64_t seed) {
  if (literal.random) return support::RandomTensor(literal.dtype, literal.shape, seed);
  absl::StatusOr<ir::Tensor> wide = ir::Tensor::Allocate(ir::DType::kF64, literal.shape);
  if (!wide.ok()) return wide.status();
  if (wide->size() != static_cast<int64_t>(literal.values.size()))
    return absl::InternalError("a literal whose shape and values disagree");
  std::copy(literal.values.begin(), literal.values.end(), wide->mutable_data<double>());
  return wide->CastTo(literal.dtype);
}

std::string Difference(const ir::Tensor& actual, const ir::Tensor& expected, double tolerance) {
  if (actual.dtype() != expected.dtype())
    return absl::StrCat("dtype ", std::string(ir::NameOf(actual.dtype())), ", expected ",
                        std::string(ir::NameOf(expected.dtype())));
  if (actual.shape() != expected.shape())
    return absl::StrCat("shape [", absl::StrJoin(actual.shape(), ", "), "], expected [",
                        absl::StrJoin(expected.shape(), ", "), "]");
  for (int64_t i = 0; i < actual.size(); ++i) {
    const double a = actual.AsDouble(i);
    const double e = expected.AsDouble(i);
    if (a == e || (std::isnan(a) && std::isnan(e))) continue;
    const double slack = ir::IsFloat(expected.dtype()) ? tolerance * std::max(1.0, std::abs(e)) : 0;
    // Nothing is near infinity.
    if (std::isinf(e) || !(std::abs(a - e) <= slack))
      return absl::StrCat("element ", i, " is ", a, ", expected ", e);
  }
  return "";
}

std::string Difference(const std::vector<ir::Tensor>& actual,
                       const std::vector<ir::Tensor>& expected,
                       const std::function<double(size_t)>& tolerance_of) {
  if (actual.size() != expected.size()) return "another number of results";
  for (size_t i = 0; i < actual.size(); ++i) {
    const std::string difference = Difference(actual[i], expected[i], tolerance_of(i));
    if (!difference.empty()) return absl::StrCat("result ", i, ": ", difference);
  }
  return "";
}

std::string Difference(const std::vector<ir::Tensor>& actual,
                       const std::vector<ir::Tensor>& expected, double tolerance) {
  return Difference(actual, expected, [tolerance](size_t) { return tolerance; });
}

}  // namespace tessera::testing
