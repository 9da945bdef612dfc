// How near an artifact comes to the network in floats.
#ifndef TESSERA_TARGETS_NPU_AGREEMENT_H_
#define TESSERA_TARGETS_NPU_AGREEMENT_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "targets/npu/artifact/bundle.h"

namespace tessera::npu {

// Of one output: the sum of the squares of what the graph yields over that of the differences, in
// dB; infinite where there is none. Elements that are not finite in the network are left out: the
// device has none such. NaN: no others.
struct Agreement {
  double snr = 0;
  int64_t left_out = 0;
};
Agreement AgreementOf(const ir::Tensor& network, const ir::Tensor& artifact);

// Of each output in the network's order, for one sample. Errors: what running either finds.
absl::StatusOr<std::vector<Agreement>> AgreementsOf(const ir::Graph& graph, const Bundle& bundle,
                                                    absl::Span<const ir::Tensor> inputs);

}  // namespace tessera::npu

#endif  // TESSERA_TARGETS_NPU_AGREEMENT_H_
