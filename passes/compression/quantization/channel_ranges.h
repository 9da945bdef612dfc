// What each channel of a value was seen to be: its ends, and how it is spread.
#ifndef TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_
#define TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "passes/compression/calibration/calibrate.h"

namespace tessera::compression {

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
  void Want(const ir::Value* value, int64_t axis) { axes_[value] = axis; }
  void See(const ir::Value& value, const ir::Tensor& tensor) override;
  // Null: nothing was seen, or what is not finite.
  const Ends* Of(const ir::Value* value) const;

 private:
  std::map<const ir::Value*, int64_t> axes_;
  std::map<const ir::Value*, Ends> all_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_QUANTIZATION_CHANNEL_RANGES_H_
