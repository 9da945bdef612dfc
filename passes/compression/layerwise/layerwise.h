// A network computed twice side by side, operation by operation, for all samples: exactly, and with
// constants that are being compressed. Whoever looks on sees, at each operation, what it reads in
// the exact network and what in the compressed one by then, and may choose its constants anew, by
// which everything behind is computed.
#ifndef TESSERA_PASSES_COMPRESSION_LAYERWISE_LAYERWISE_H_
#define TESSERA_PASSES_COMPRESSION_LAYERWISE_LAYERWISE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "passes/compression/calibration/sample_source.h"
#include "solver/expr.h"

namespace tessera::compression {

class Layerwise {
 public:
  // Of the samples as many as `most` says and as `max_bytes` hold at the network's widest, at least
  // a few. Errors: samples that do not fit. Unimplemented: loops.
  static absl::StatusOr<Layerwise> Create(const ir::Graph& graph,
                                          const calibration::SampleSource& samples, size_t most,
                                          int64_t max_bytes = int64_t{1} << 29);

  // Before each operation, in the order in which they are computed. Tensors are there for its
  // operands: one per sample, or one for all.
  using Visit = absl::FunctionRef<void(const ir::Operation& op)>;
  // Errors: operations that cannot be computed. Keeps what is yet to be read, of every sample.
  absl::Status Run(Visit visit);

  absl::Span<const ir::Tensor> Exact(const ir::Value& value) const;
  absl::Span<const ir::Tensor> Changed(const ir::Value& value) const;
  // From here on, a value of the changed network that is the same for all samples.
  void Replace(const ir::Value& value, const ir::Tensor& tensor);
  // What the operation alone reads there in the changed network, for all samples; also in place of
  // an operand that it leaves out.
  void Supply(const ir::Operation& op, size_t index, const ir::Tensor& tensor);
  // The operation on other operands, at the sizes of a sample.
  absl::StatusOr<std::vector<ir::Tensor>> Rerun(const ir::Operation& op,
                                                absl::Span<const ir::Tensor* const> operands,
                                                size_t sample) const;
  size_t samples() const { return sizes_.size(); }

 private:
  using Side = std::vector<std::vector<ir::Tensor>>;  // by value's id; one for all, or per sample

  explicit Layerwise(const ir::Graph& graph);
  absl::StatusOr<int64_t> WidestBytes(const solver::Assignment& sizes) const;
  absl::Status Compute(const ir::Operation& op, Side& side, const Side* twin);
  const ir::Tensor* Supplied(const ir::Operation& op, size_t index) const;
  void Release(Side& side, const ir::Operation& op, int step) const;

  std::vector<ir::Operation*> order_;
  std::vector<int> last_;                  // by value's id: the last step that reads it
  std::vector<solver::Assignment> sizes_;  // by sample
  Side exact_, changed_;
  std::map<std::pair<const ir::Operation*, size_t>, ir::Tensor> supplied_;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_LAYERWISE_LAYERWISE_H_
