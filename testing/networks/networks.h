// Published image classifiers, of their real layers and widths, with seeded random weights. Batch
// normalization is taken as folded into the convolutions, as exporters write it.
#ifndef TESSERA_TESTING_NETWORKS_NETWORKS_H_
#define TESSERA_TESTING_NETWORKS_NETWORKS_H_

#include <cstdint>
#include <string>

namespace tessera::testing {

// ONNX models of input `input`, f32[N, 3, size, size], and output `output`, f32[N, 1000]. `size` is
// 224 in the papers; any that leaves the last layers a pixel will do.

// SqueezeNet 1.1 (Iandola et al., 2016, arXiv:1602.07360; the layers of version 1.1 are in the
// authors' repository): 5 MB.
std::string SqueezeNet(int64_t size, uint32_t seed);
// MobileNetV2 of width 1 (Sandler et al., 2018, arXiv:1801.04381, table 2): 14 MB.
std::string MobileNetV2(int64_t size, uint32_t seed);
// ResNet-18 (He et al., 2015, arXiv:1512.03385, table 1): 47 MB.
std::string ResNet18(int64_t size, uint32_t seed);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETWORKS_NETWORKS_H_
