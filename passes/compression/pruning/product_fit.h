// Weights and terms of one product of a network of which entries are gone, chosen by what the
// product yields on samples in the whole network.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_PRODUCT_FIT_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_PRODUCT_FIT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/tensor.h"
#include "passes/compression/layerwise/layerwise.h"
#include "passes/compression/traits/traits.h"
#include "passes/compression/weights/grouped_rounding.h"
#include "passes/compression/weights/targets.h"

namespace tessera::compression {

class ProductFit {
 public:
  struct State {
    const WeightTarget* target = nullptr;
    Matrix weights;          // a row per channel; zero where an input is gone
    std::vector<bool> kept;  // by input
    std::vector<bool> kept_rows;
    const ir::Operation* end = nullptr;  // the product, or the addition of its terms behind it
    std::vector<double> terms;
    bool has_term = false;  // there is one per channel, or could be
    bool inside = false;    // the operation itself adds them
  };

  // Both must outlive it.
  ProductFit(const Layerwise& pair, State& state);

  // Each of these changes the state and returns true, or leaves it as it is where it is no way:
  //  * by least squares, of a product whose channels all read the same inputs; one that is added
  //    to what has been computed before makes up for that, too;
  bool FitTogether();
  //  * by a factor and a term for each channel, with which its mean and variance become those that
  //    it has in the whole network.
  bool MatchMoments();

  // A row per channel as a constant of that shape.
  static ir::Tensor Stored(const Matrix& weights, absl::Span<const int64_t> shape, int64_t axis);

 private:
  const ir::Operation& op() const { return *state_.target->op; }
  std::optional<ir::Tensor> Exact(size_t sample) const;
  // With weights in place of the operand's, of any number of channels, and other data, if any.
  std::optional<ir::Tensor> Changed(const ir::Tensor& weights, bool with_term, size_t sample,
                                    const ir::Tensor* data = nullptr) const;
  std::optional<Matrix> Inputs(const std::vector<int64_t>& columns, size_t sample);
  bool FindPicks(const std::vector<int64_t>& columns, const ir::Tensor& data, size_t sample);
  // What the exact product yields, without terms that are added behind it: with those.
  std::optional<Matrix> Wanted(size_t sample) const;
  bool AddMissing(size_t sample, Matrix& wanted) const;
  bool Yields(const Matrix& expected) const;

  const Layerwise& pair_;
  State& state_;
  const ir::QuantizeTrait& trait_;
  int64_t axis_ = 0;            // of the channels, in the result
  std::vector<int64_t> shape_;  // of the weights, as the operation reads them
  int64_t weight_axis_ = 0;     // of the channels, there
  // What alone the result is added to, if that is computed by now.
  const ir::Value* beside_ = nullptr;
  // Of data of that shape, by position and column: the element that is multiplied there; -1: none
  // (padding).
  struct Picks {
    std::vector<int64_t> data_shape;
    int64_t rows = 0;
    std::vector<int64_t> of;
  };
  Picks picks_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_PRODUCT_FIT_H_
