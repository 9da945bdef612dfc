// What values of a network were seen to be, over any number of samples: of each value a few
// numbers are kept, however many samples there are.
#ifndef TESSERA_PASSES_COMPRESSION_CALIBRATION_STATISTICS_H_
#define TESSERA_PASSES_COMPRESSION_CALIBRATION_STATISTICS_H_

#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "ir/tensor.h"
#include "ir/value.h"

namespace tessera::calibration {

// Of the elements of one value.
struct Statistics {
  int64_t tensors = 0, elements = 0;
  double least = std::numeric_limits<double>::infinity(), most = -least;  // of the finite ones
  double mean = 0;
  double squares = 0;      // sum of squared distances from the mean
  int64_t not_finite = 0;  // infinities and NaNs, which nothing else counts

  void Add(const ir::Tensor& tensor);
  double Deviation() const;  // standard deviation; 0 of nothing
};

// Infinities and NaNs in a tensor.
int64_t CountNotFinite(const ir::Tensor& tensor);

// Of the values of a graph, which must live as long as this.
class Collector {
 public:
  // An observer of the reference executor; values that are not of numbers are left out.
  void See(const ir::Value& value, const ir::Tensor& tensor);
  // Null: never seen.
  const Statistics* Find(const ir::Value& value) const;
  const absl::flat_hash_map<const ir::Value*, Statistics>& all() const { return all_; }

 private:
  absl::flat_hash_map<const ir::Value*, Statistics> all_;
};

}  // namespace tessera::calibration

#endif  // TESSERA_PASSES_COMPRESSION_CALIBRATION_STATISTICS_H_
