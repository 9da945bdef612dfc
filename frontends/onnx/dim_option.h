// What the command line says about the dims of a model's inputs.
#ifndef TESSERA_FRONTENDS_ONNX_DIM_OPTION_H_
#define TESSERA_FRONTENDS_ONNX_DIM_OPTION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::onnx_import {

// Dims lie in [kMinDim, kMaxDim] unless an option says otherwise.
inline constexpr int64_t kMinDim = 1;
inline constexpr int64_t kMaxDim = (int64_t{1} << 31) - 1;

struct DimOption {
  enum class Kind : uint8_t {
    kRange,       // low <= name <= high; `N=4` is 4..4; see also `lower` and `upper`
    kCongruence,  // name mod modulus == residue
    kEqual,       // name == other, a dim or an expression over dims
    kRelation,    // `text`, a statement over several dims; never of an option that is given
  };
  Kind kind = Kind::kRange;
  std::string name;
  int64_t low = 0, high = 0;
  int64_t modulus = 1, residue = 0;
  std::string other;
  // Of a range, an end that is an expression over dims, in the place of `low` or `high`; one at
  // most.
  std::string lower, upper;
  std::string text;  // as given
  // Why it holds although nobody stated it; empty: somebody did.
  std::string assumed = {};

  // Whether it says only that the dim is not too small.
  bool IsLeastSize() const { return IsPlainRange() && high == kMaxDim; }
  bool IsNumber() const { return IsPlainRange() && low == high; }
  // Whether both ends are numbers.
  bool IsPlainRange() const { return kind == Kind::kRange && lower.empty() && upper.empty(); }
};

// What it says, as a proposition: `H >= 32`, `H%8 == 0`, `S == P+T`.
std::string Proposition(const DimOption& option);
// The same with the reason, of what is assumed.
std::string AssumptionText(const DimOption& option);

// `N=1`, `H=1..4096`, `P=0..`, `H%8=0`, `A=B`, `S=P+T`, `L=N+1..`, `N=1..L`. Numbers are within
// [0, kMaxDim], a residue below its modulus. A name is what the model calls the dim, or INPUT_dAXIS
// for one that it does not name. Error: says which part is wrong and the forms.
absl::StatusOr<DimOption> ParseDimOption(absl::string_view text);
// Error: that of the first that is wrong.
absl::StatusOr<std::vector<DimOption>> ParseDimOptions(const std::vector<std::string>& texts);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_DIM_OPTION_H_
