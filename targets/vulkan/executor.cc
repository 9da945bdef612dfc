#include "targets/vulkan/executor.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::vulkan {

absl::Status StatusOf(const tvk_error& error) {
  const absl::StatusCode code = [&] {
    switch (error.code) {
      case TVK_OK:
        return absl::StatusCode::kOk;
      case TVK_INVALID_FILE:
      case TVK_INVALID_ARGUMENT:
      case TVK_INDEX_OUTSIDE:
        return absl::StatusCode::kInvalidArgument;
      case TVK_UNSUPPORTED:
      case TVK_NO_DEVICE:
        return absl::StatusCode::kUnimplemented;
      case TVK_OUT_OF_MEMORY:
        return absl::StatusCode::kResourceExhausted;
      default:
        return absl::StatusCode::kUnavailable;
    }
  }();
  return absl::Status(code, error.message);
}

absl::StatusOr<Executor> Executor::Create(absl::Span<const uint8_t> bytes,
                                          const std::string& pipelines) {
  Executor executor;
  tvk_error error;
  executor.device_.reset(tvk_device_open(nullptr, &error));
  if (executor.device_ == nullptr) return StatusOf(error);
  executor.cache_ = PipelineCache(pipelines, executor.device(), executor.driver(), bytes);
  const std::string cache = executor.cache_.Read();
  executor.model_.reset(tvk_model_load(executor.device_.get(), bytes.data(), bytes.size(),
                                       cache.data(), cache.size(), &error));
  if (executor.model_ == nullptr) return StatusOf(error);
  executor.KeepPipelines();
  return executor;
}

void Executor::KeepPipelines() {
  if (cache_.path().empty()) return;
  size_t size = 0;
  if (tvk_model_cache(model_.get(), nullptr, &size, nullptr) != TVK_OK) return;
  std::string data(size, '\0');
  if (tvk_model_cache(model_.get(), data.data(), &size, nullptr) != TVK_OK) return;
  data.resize(size);
  cache_.Write(data);
}

std::vector<tvk_tensor_info> Executor::inputs() const {
  std::vector<tvk_tensor_info> infos;
  for (uint32_t i = 0; i < tvk_model_input_count(model_.get()); ++i)
    infos.push_back(tvk_model_input(model_.get(), i));
  return infos;
}

std::vector<tvk_tensor_info> Executor::outputs() const {
  std::vector<tvk_tensor_info> infos;
  for (uint32_t i = 0; i < tvk_model_output_count(model_.get()); ++i)
    infos.push_back(tvk_model_output(model_.get(), i));
  return infos;
}

std::string Executor::device() const { return tvk_device_name(device_.get()); }

std::string Executor::driver() const { return tvk_device_driver(device_.get()); }

absl::StatusOr<std::vector<Executor::Step>> Executor::Profile(absl::Span<const ir::Tensor> inputs) {
  std::vector<Step> steps;
  const auto outputs = Run(inputs, &steps);
  if (!outputs.ok()) return outputs.status();
  return steps;
}

absl::StatusOr<std::vector<ir::Tensor>> Executor::Run(absl::Span<const ir::Tensor> inputs,
                                                      std::vector<Step>* steps) {
  const std::vector<tvk_tensor_info> expected = this->inputs();
  if (inputs.size() != expected.size())
    return absl::InvalidArgumentError(
        absl::StrCat(inputs.size(), " inputs, the file has ", expected.size()));
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (static_cast<int>(inputs[i].dtype()) != static_cast<int>(expected[i].dtype) ||
        inputs[i].rank() != expected[i].rank)
      return absl::InvalidArgumentError(absl::StrCat(
          "input `", expected[i].name, "` is ", std::string(ir::NameOf(inputs[i].dtype())), "[",
          absl::StrJoin(inputs[i].shape(), ","), "], the file has ",
          std::string(ir::NameOf(static_cast<ir::DType>(expected[i].dtype))), " of rank ",
          expected[i].rank));
    shapes.push_back(inputs[i].shape());
  }
  tvk_error error;
  runs_ = session_ == nullptr || shapes != shapes_ ? 0 : runs_ + 1;
  if (runs_ == 0 || runs_ == specialize_after_) {
    session_.reset();  // before the next one takes memory
    std::vector<const int64_t*> pointers;
    for (const std::vector<int64_t>& shape : shapes) pointers.push_back(shape.data());
    const auto create = runs_ == 0 ? tvk_session_create : tvk_session_create_specialized;
    session_.reset(create(model_.get(), pointers.data(), &error));
    if (session_ == nullptr) return StatusOf(error);
    if (runs_ > 0) KeepPipelines();  // those of these sizes too
    shapes_ = std::move(shapes);
  }
  std::vector<const void*> sources;
  for (const ir::Tensor& input : inputs) sources.push_back(input.bytes().data());
  std::vector<ir::Tensor> outputs;
  std::vector<void*> sinks;
  const std::vector<tvk_tensor_info> infos = this->outputs();
  for (uint32_t i = 0; i < infos.size(); ++i) {
    std::vector<int64_t> shape;
    for (uint32_t axis = 0; axis < infos[i].rank; ++axis)
      shape.push_back(tvk_session_output_dim(session_.get(), i, axis));
    absl::StatusOr<ir::Tensor> output =
        ir::Tensor::Allocate(static_cast<ir::DType>(infos[i].dtype), std::move(shape));
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
    sinks.push_back(outputs.back().mutable_data<uint8_t>());
  }
  if (steps == nullptr) {
    if (tvk_session_run(session_.get(), sources.data(), sinks.data(), &error) != TVK_OK)
      return StatusOf(error);
    return outputs;
  }
  std::vector<double> seconds(tvk_session_dispatch_count(session_.get()));
  if (tvk_session_profile(session_.get(), sources.data(), sinks.data(), seconds.data(), &error) !=
      TVK_OK)
    return StatusOf(error);
  for (uint32_t d = 0; d < seconds.size(); ++d)
    steps->push_back({tvk_session_dispatch(session_.get(), d), seconds[d]});
  return outputs;
}

}  // namespace tessera::vulkan
