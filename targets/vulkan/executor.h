// Runs a `.tvk` file from its bytes, through the runtime's C API.
#ifndef TESSERA_TARGETS_VULKAN_EXECUTOR_H_
#define TESSERA_TARGETS_VULKAN_EXECUTOR_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/tensor.h"
#include "targets/vulkan/pipeline_cache.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {

class Executor {
 public:
  // The device: the first that computes, GPUs before CPUs. What its driver makes of the kernels is
  // kept in the folder `pipelines`, unless that is empty. Errors: what the runtime says.
  static absl::StatusOr<Executor> Create(absl::Span<const uint8_t> bytes,
                                         const std::string& pipelines = "");

  std::vector<tvk_tensor_info> inputs() const;
  std::vector<tvk_tensor_info> outputs() const;
  std::string device() const;
  std::string driver() const;

  // From the run after so many of the same sizes on, pipelines are those of these sizes alone.
  void SpecializeAfter(int runs) { specialize_after_ = runs; }

  // Inputs and outputs in the file's order. The session of the last sizes is kept for the next run.
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs) {
    return Run(inputs, nullptr);
  }
  struct Step {
    tvk_dispatch_info info;  // valid as long as this
    double seconds = 0;
  };
  // Runs too, each dispatch by itself.
  absl::StatusOr<std::vector<Step>> Profile(absl::Span<const ir::Tensor> inputs);

 private:
  absl::StatusOr<std::vector<ir::Tensor>> Run(absl::Span<const ir::Tensor> inputs,
                                              std::vector<Step>* steps);
  void KeepPipelines();

  template <class T, void (*Free)(T*)>
  struct Freed {
    void operator()(T* object) const { Free(object); }
  };
  std::unique_ptr<tvk_device, Freed<tvk_device, tvk_device_close>> device_;
  std::unique_ptr<tvk_model, Freed<tvk_model, tvk_model_unload>> model_;
  std::unique_ptr<tvk_session, Freed<tvk_session, tvk_session_destroy>> session_;
  PipelineCache cache_;
  std::vector<std::vector<int64_t>> shapes_;  // of the session
  int runs_ = 0;                              // of these
  int specialize_after_ = std::numeric_limits<int>::max();
};

// An error of the runtime.
absl::Status StatusOf(const tvk_error& error);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_EXECUTOR_H_
