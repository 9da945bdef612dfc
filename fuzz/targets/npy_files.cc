// NumPy's files.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/targets/target.h"
#include "support/npy.h"

namespace tessera::fuzz {

std::string Try(std::string_view bytes) {
  const absl::StatusOr<ir::Tensor> tensor = support::ParseNpy(bytes);
  if (!tensor.ok()) return "";
  const absl::StatusOr<ir::Tensor> again = support::ParseNpy(support::SerializeNpy(*tensor));
  if (!again.ok()) return "what was written is refused";
  const bool same = again->dtype() == tensor->dtype() && again->shape() == tensor->shape() &&
                    again->bytes() == tensor->bytes();
  return same ? "" : "another tensor came back";
}

std::vector<std::string> Seeds(const std::vector<std::string>&) {
  std::vector<std::string> seeds;
  for (const ir::DType dtype : {ir::DType::kF32, ir::DType::kBF16, ir::DType::kF64, ir::DType::kI8,
                                ir::DType::kU16, ir::DType::kI64, ir::DType::kBool}) {
    const std::vector<int64_t> numbers = {0, 1, 1, 0, 1, 0};
    seeds.push_back(support::SerializeNpy(ir::Tensor::Of<int64_t>(dtype, {2, 3}, numbers)));
    seeds.push_back(
        support::SerializeNpy(ir::Tensor::Of<int64_t>(dtype, {}, std::vector<int64_t>{1})));
  }
  return seeds;
}

std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random) {
  return WithOtherTokens(bytes, words, random);
}

}  // namespace tessera::fuzz
