// The C API over the classes beside it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "targets/vulkan/runtime/session.h"
#include "targets/vulkan/runtime/tessera_vulkan.h"
#include "targets/vulkan/runtime/tiled_session.h"

using tessera::vulkan::Device;
using tessera::vulkan::Model;
using tessera::vulkan::Session;
using tessera::vulkan::Status;
using tessera::vulkan::TiledSession;

struct tvk_device {
  std::unique_ptr<Device> device;
};
struct tvk_model {
  std::unique_ptr<Model> model;
};
struct tvk_session {
  std::unique_ptr<Session> session;     // or
  std::unique_ptr<TiledSession> tiled;  // where not all fits at once

  const Session& any() const { return tiled ? tiled->any() : *session; }
  const tessera::vulkan::file::Model& file() const { return any().model().file(); }
};

namespace {

tvk_code Report(tvk_code code, std::string_view message, tvk_error* error) {
  if (error == nullptr) return code;
  error->code = code;
  const size_t length = std::min(message.size(), sizeof error->message - 1);
  std::memcpy(error->message, message.data(), length);
  error->message[length] = '\0';
  return code;
}

// How `call` ends. Programs in C know no exceptions.
template <class Call>
tvk_code CodeOf(tvk_error* error, const Call& call) {
  try {
    const Status status = call();
    return Report(status.code(), status.message(), error);
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {  // of more than there can be of it
  }
  return Report(TVK_OUT_OF_MEMORY, "the host is out of memory", error);
}

using Tensors = flatbuffers::Vector<uint32_t>;

tvk_tensor_info InfoOf(const Model& model, const Tensors& tensors, uint32_t index) {
  if (index >= tensors.size()) return {nullptr, static_cast<tvk_dtype>(0), 0};
  const tessera::vulkan::file::Tensor& tensor = model.tensor(tensors.Get(index));
  return {tensor.name()->c_str(), static_cast<tvk_dtype>(tensor.dtype()), tensor.dims()->size()};
}

// In a session's buffer; 0: it has none, or there is no such tensor.
uint64_t OffsetOf(const tvk_session& session, const Tensors& tensors, uint32_t index) {
  if (session.tiled || index >= tensors.size()) return 0;
  return session.session->offset(tensors.Get(index));
}

tvk_session* Create(tvk_model* model, const int64_t* const* shapes, bool specialized,
                    tvk_error* error) {
  std::unique_ptr<tvk_session> session;
  const tvk_code code = CodeOf(error, [&] {
    session = std::make_unique<tvk_session>();
    const std::span<const int64_t* const> all(shapes, model->model->file().inputs()->size());
    Status status = TiledSession::Create(*model->model, all, specialized, session->tiled);
    if (status.ok() && session->tiled == nullptr)
      status = Session::Create(*model->model, all, specialized, session->session);
    return status;
  });
  return code == TVK_OK ? session.release() : nullptr;
}

}  // namespace

tvk_device* tvk_device_open(const tvk_device_options* options, tvk_error* error) {
  std::unique_ptr<tvk_device> device;
  const tvk_code code = CodeOf(error, [&] {
    device = std::make_unique<tvk_device>();
    return Device::Open(options == nullptr ? tvk_device_options{} : *options, device->device);
  });
  return code == TVK_OK ? device.release() : nullptr;
}
void tvk_device_close(tvk_device* device) { delete device; }
const char* tvk_device_name(const tvk_device* device) { return device->device->name().c_str(); }
const char* tvk_device_driver(const tvk_device* device) { return device->device->driver().c_str(); }
uint32_t tvk_device_features(const tvk_device* device) { return device->device->features(); }
tvk_counters tvk_device_counters(const tvk_device* device) { return device->device->counters(); }

tvk_model* tvk_model_load(tvk_device* device, const void* bytes, size_t size, const void* cache,
                          size_t cache_bytes, tvk_error* error) {
  std::unique_ptr<tvk_model> model;
  const tvk_code code = CodeOf(error, [&] {
    model = std::make_unique<tvk_model>();
    return Model::Load(*device->device, {static_cast<const uint8_t*>(bytes), size},
                       {static_cast<const uint8_t*>(cache), cache_bytes}, model->model);
  });
  return code == TVK_OK ? model.release() : nullptr;
}
void tvk_model_unload(tvk_model* model) { delete model; }

tvk_code tvk_model_cache(tvk_model* model, void* data, size_t* size, tvk_error* error) {
  return CodeOf(error, [&] {
    const VkResult result =
        vkGetPipelineCacheData(model->model->device().handle(), model->model->cache(), size, data);
    return tessera::vulkan::StatusOf(result == VK_INCOMPLETE ? VK_SUCCESS : result,
                                     "the pipeline cache");
  });
}

uint32_t tvk_model_input_count(const tvk_model* model) {
  return model->model->file().inputs()->size();
}
uint32_t tvk_model_output_count(const tvk_model* model) {
  return model->model->file().outputs()->size();
}
tvk_tensor_info tvk_model_input(const tvk_model* model, uint32_t index) {
  return InfoOf(*model->model, *model->model->file().inputs(), index);
}
tvk_tensor_info tvk_model_output(const tvk_model* model, uint32_t index) {
  return InfoOf(*model->model, *model->model->file().outputs(), index);
}
int64_t tvk_model_input_dim(const tvk_model* model, uint32_t index, uint32_t axis) {
  if (index >= tvk_model_input_count(model)) return -1;
  const flatbuffers::Vector<uint32_t>& dims = *model->model->input(index).dims();
  if (axis >= dims.size()) return -1;
  const uint32_t e = dims.Get(axis);
  const tessera::vulkan::file::Expression& dim = *model->model->file().expressions()->Get(e);
  return dim.operation() == tessera::vulkan::file::Operation_CONSTANT ? dim.constant() : -1;
}

tvk_session* tvk_session_create(tvk_model* model, const int64_t* const* shapes, tvk_error* error) {
  return Create(model, shapes, false, error);
}
tvk_session* tvk_session_create_specialized(tvk_model* model, const int64_t* const* shapes,
                                            tvk_error* error) {
  return Create(model, shapes, true, error);
}
void tvk_session_destroy(tvk_session* session) { delete session; }

int64_t tvk_session_output_dim(const tvk_session* session, uint32_t index, uint32_t axis) {
  const Tensors& outputs = *session->file().outputs();
  if (index >= outputs.size()) return -1;
  const std::vector<int64_t>& shape = session->tiled ? session->tiled->output_shape(index)
                                                     : session->session->shape(outputs.Get(index));
  return axis < shape.size() ? shape[axis] : -1;
}
size_t tvk_session_input_bytes(const tvk_session* session, uint32_t index) {
  const Tensors& inputs = *session->file().inputs();
  if (index >= inputs.size()) return 0;
  return session->tiled ? session->tiled->input_bytes(index)
                        : session->session->bytes(inputs.Get(index));
}
size_t tvk_session_output_bytes(const tvk_session* session, uint32_t index) {
  const Tensors& outputs = *session->file().outputs();
  if (index >= outputs.size()) return 0;
  return session->tiled ? session->tiled->output_bytes(index)
                        : session->session->bytes(outputs.Get(index));
}
size_t tvk_session_arena_bytes(const tvk_session* session) {
  return session->tiled ? session->tiled->arena_bytes() : session->session->arena_bytes();
}

tvk_code tvk_session_run(tvk_session* session, const void* const* inputs, void* const* outputs,
                         tvk_error* error) {
  return CodeOf(error, [&] {
    return session->tiled ? session->tiled->Run(inputs, outputs)
                          : session->session->Run(inputs, outputs);
  });
}

tvk_code tvk_session_begin(tvk_session* session, const void* const* inputs, tvk_error* error) {
  return CodeOf(error, [&] {
    return session->tiled ? session->tiled->Begin(inputs) : session->session->Begin(inputs);
  });
}

tvk_code tvk_session_finish(tvk_session* session, void* const* outputs, tvk_error* error) {
  if (session->tiled && outputs == nullptr)
    return Report(TVK_INVALID_ARGUMENT, "outputs of a run by parts lie with the host", error);
  return CodeOf(error, [&] {
    return session->tiled ? session->tiled->Finish(outputs) : session->session->Finish(outputs);
  });
}

VkBuffer tvk_session_buffer(const tvk_session* session) {
  return session->tiled ? VK_NULL_HANDLE : session->session->buffer();
}
uint64_t tvk_session_input_offset(const tvk_session* session, uint32_t index) {
  return OffsetOf(*session, *session->file().inputs(), index);
}
uint64_t tvk_session_output_offset(const tvk_session* session, uint32_t index) {
  return OffsetOf(*session, *session->file().outputs(), index);
}
tvk_code tvk_session_submit(tvk_session* session, const tvk_order* order, tvk_error* error) {
  if (session->tiled)
    return Report(TVK_UNSUPPORTED, "inputs that are run part by part lie with the host", error);
  return CodeOf(error,
                [&] { return session->session->Submit(order == nullptr ? tvk_order{} : *order); });
}

uint32_t tvk_session_dispatch_count(const tvk_session* session) {
  return session->any().dispatch_count();
}
tvk_dispatch_info tvk_session_dispatch(const tvk_session* session, uint32_t index) {
  if (index >= session->any().dispatch_count()) return {nullptr, nullptr, 0, -1, -1};
  return session->any().dispatch(index);
}
tvk_code tvk_session_profile(tvk_session* session, const void* const* inputs, void* const* outputs,
                             double* seconds, tvk_error* error) {
  return CodeOf(error, [&] {
    return session->tiled ? session->tiled->Profile(inputs, outputs, seconds)
                          : session->session->Profile(inputs, outputs, seconds);
  });
}
