// What each channel of a value was seen to be: its ends, and how it is spread.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "passes/compression/builder.h"
#include "passes/compression/calibration/calibrate.h"
#include "solver/expr.h"

namespace tessera::compression {

// The sizes of the first sample; without samples those that are kept. Error: as below.
absl::StatusOr<solver::Assignment> SizesOfFirst(const BuildContext& context, std::string_view what);

class ChannelRanges : public calibration::Observer {
 public:
  struct Ends {
    std::vector<double> least, most;
    std::vector<double> sum, squares;  // of `count` elements each
    double count = 0;
    bool finite = true;

    // The root of the mean squared distance of a channel from `middle`.
    double Spread(size_t channel, double middle) const;
  };
  struct Wanted {
    const ir::Value* value = nullptr;
    int64_t axis = 0;
    std::string name;  // of what is kept
  };
  // Over the samples, at most 64 of them; or takes what is kept of them, where all is, and else
  // keeps it. Error: neither is there, by which `what` is done.
  absl::Status Measure(const BuildContext& context, const std::vector<Wanted>& wanted,
                       std::string_view what);
  void See(const ir::Value& value, const ir::Tensor& tensor) override;
  // Null: nothing was seen, or what is not finite.
  const Ends* Of(const ir::Value* value) const;

 private:
  // All of it as numbers, and back; false where they are not such.
  std::vector<double> ToNumbers(const ir::Value* value) const;
  bool FromNumbers(const ir::Value* value, const std::vector<double>& numbers);

  std::map<const ir::Value*, int64_t> axes_;
  std::map<const ir::Value*, Ends> all_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_
