/* Runs `.tvk` files on a Vulkan device. C API; needs Vulkan and this library, not the compiler.
 *
 * A device is opened (or brought along), a model is loaded, a session is made for one size of its
 * inputs, and run as often as wanted. What a session needs is made with it: running it allocates
 * nothing, builds no pipeline and records no command.
 *
 * Objects are thread-compatible: no two calls at one time on a device or what was made of it.
 * Objects outlive what is made of them. */
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_TESSERA_VULKAN_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_TESSERA_VULKAN_H_

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tvk_device tvk_device;
typedef struct tvk_model tvk_model;
typedef struct tvk_session tvk_session;

typedef enum tvk_code {
  TVK_OK = 0,
  TVK_INVALID_FILE,     /* the bytes are no model, or a damaged one */
  TVK_INVALID_ARGUMENT, /* sizes that the model does not admit, a call at the wrong time,
                           a part of a device */
  TVK_UNSUPPORTED,      /* the device lacks what the model needs */
  TVK_NO_DEVICE,        /* there is no Vulkan device */
  TVK_OUT_OF_MEMORY,    /* says how much of the device's was needed */
  TVK_DEVICE_LOST,
  TVK_INDEX_OUTSIDE, /* an index that is data lies outside its tensor */
  TVK_VULKAN_ERROR,  /* any other VkResult */
} tvk_code;

typedef struct tvk_error {
  tvk_code code;
  char message[1024]; /* complete sentence parts, ends in 0; empty where there is no error */
} tvk_error;

/* What kernels may need; bits. */
typedef enum tvk_feature {
  TVK_INT8 = 1,
  TVK_INT16 = 2,
  TVK_INT64 = 4,
  TVK_FLOAT16 = 8,
  TVK_FLOAT64 = 16,
  TVK_STORAGE8 = 32,
  TVK_STORAGE16 = 64,
  /* VK_KHR_cooperative_matrix, with products of 16 by 16 by 16 of f16, summed in f32, by subgroups;
     these have 32 invocations; and vulkanMemoryModel. */
  TVK_COOPERATIVE_MATRIX = 128,
} tvk_feature;

typedef enum tvk_dtype {
  TVK_BOOL, /* one byte, 0 or 1 */
  TVK_I8,
  TVK_I16,
  TVK_I32,
  TVK_I64,
  TVK_U8,
  TVK_U16,
  TVK_U32,
  TVK_U64,
  TVK_F16,
  TVK_BF16,
  TVK_F32,
  TVK_F64,
  /* In the low bits of a byte each: integers, floats by the names that ONNX has for them. */
  TVK_I4,
  TVK_U4,
  TVK_I2,
  TVK_U2,
  TVK_F8E4M3FN,
  TVK_F8E4M3FNUZ,
  TVK_F8E5M2,
  TVK_F8E5M2FNUZ,
  TVK_F8E8M0,
  TVK_F4E2M1,
} tvk_dtype;

/* All zero: the first device that computes, GPUs before CPUs. */
typedef struct tvk_device_options {
  const char* name; /* null, or a part of the name of the device that is wanted */
  /* A device of the caller's: all of these, or none. It stays the caller's. */
  VkInstance instance;
  VkPhysicalDevice physical_device;
  VkDevice device;
  VkQueue queue;
  uint32_t queue_family;
  uint32_t features; /* tvk_feature bits that were turned on when it was created */
  /* 1: inputs and outputs are copied by the device even where its memory is seen by the host. */
  int always_stage;
  /* 1: kernels read from storage buffers even on devices that read texels faster. */
  int no_texels;
} tvk_device_options;

/* Null, and why, where it fails; so do all that follow. `error` may be null. */
tvk_device* tvk_device_open(const tvk_device_options* options, tvk_error* error);
void tvk_device_close(tvk_device* device);
const char* tvk_device_name(const tvk_device* device);
/* Name and version of its driver: what was measured with one need not hold for another. */
const char* tvk_device_driver(const tvk_device* device);
uint32_t tvk_device_features(const tvk_device* device);

/* `bytes` are looked at in this call only. Everything that is used of them is checked before the
 * device is touched. Compiles the pipelines; `cache`, of `cache_bytes`, is null or what
 * tvk_model_cache gave for this model and device, other contents do no harm. */
tvk_model* tvk_model_load(tvk_device* device, const void* bytes, size_t size, const void* cache,
                          size_t cache_bytes, tvk_error* error);
void tvk_model_unload(tvk_model* model);
/* What to keep for the next start: writes at most `*size` bytes to `data` (null: only the size). */
tvk_code tvk_model_cache(tvk_model* model, void* data, size_t* size, tvk_error* error);

uint32_t tvk_model_input_count(const tvk_model* model);
uint32_t tvk_model_output_count(const tvk_model* model);
/* Valid as long as the model; null, 0 and 0 of an index that there is not. */
typedef struct tvk_tensor_info {
  const char* name;
  tvk_dtype dtype;
  uint32_t rank;
} tvk_tensor_info;
tvk_tensor_info tvk_model_input(const tvk_model* model, uint32_t index);
tvk_tensor_info tvk_model_output(const tvk_model* model, uint32_t index);
/* -1: sizes of several kinds may be given there, or there is no such axis. */
int64_t tvk_model_input_dim(const tvk_model* model, uint32_t index, uint32_t axis);

/* shapes[i] holds as many sizes as input i has axes. Where these would take more memory than the
 * file allows (`compile --arena`), the session runs the inputs part by part, with the same results;
 * it begins a run only when nothing is left to do, and what the dispatches of a part are holds for
 * each. TVK_OUT_OF_MEMORY: not even the least parts fit. */
tvk_session* tvk_session_create(tvk_model* model, const int64_t* const* shapes, tvk_error* error);
/* The same with pipelines that are compiled for these sizes alone: they run faster, and are made
 * when the session is, which takes as long as loading the model did. tvk_model_cache keeps them
 * too. */
tvk_session* tvk_session_create_specialized(tvk_model* model, const int64_t* const* shapes,
                                            tvk_error* error);
void tvk_session_destroy(tvk_session* session);
/* -1 and 0: there is no such axis, input or output. */
int64_t tvk_session_output_dim(const tvk_session* session, uint32_t index, uint32_t axis);
size_t tvk_session_input_bytes(const tvk_session* session, uint32_t index);
size_t tvk_session_output_bytes(const tvk_session* session, uint32_t index);
/* Bytes of device memory that hold what is computed. */
size_t tvk_session_arena_bytes(const tvk_session* session);

/* Copies the inputs in, runs, waits, copies the outputs out. Dense and row-major, little-endian. */
tvk_code tvk_session_run(tvk_session* session, const void* const* inputs, void* const* outputs,
                         tvk_error* error);
/* The same in two calls: the first returns when the run has been handed to the device, and what
 * `inputs` point at may change then; the second waits for it and copies the outputs out. As many
 * runs can be under way as there are sessions, one for each. TVK_INVALID_ARGUMENT: one is under way
 * already, or none is. */
tvk_code tvk_session_begin(tvk_session* session, const void* const* inputs, tvk_error* error);
tvk_code tvk_session_finish(tvk_session* session, void* const* outputs, tvk_error* error);

/* A run amid other work on the device, with nothing copied through the host: inputs are read, and
 * outputs written, in the session's buffer, dense, at these offsets. The caller writes and reads
 * them there by commands of its own (copies, shaders), inputs before every run: what lies between
 * may take their place. VK_NULL_HANDLE: the session runs its inputs part by part, and has none.
 * Offsets are 0 then, and of an index that there is not. */
VkBuffer tvk_session_buffer(const tvk_session* session);
uint64_t tvk_session_input_offset(const tvk_session* session, uint32_t index);
uint64_t tvk_session_output_offset(const tvk_session* session, uint32_t index);
/* Timeline semaphores of the device: the run begins when `wait` has reached `wait_value`, and sets
 * `signal` to `signal_value` when it has ended. VK_NULL_HANDLE: it waits for what was submitted to
 * the queue before, or tells nobody. */
typedef struct tvk_order {
  VkSemaphore wait;
  uint64_t wait_value;
  VkSemaphore signal;
  uint64_t signal_value;
} tvk_order;
/* Hands such a run to the device and returns; `order` may be null. The first call records the
 * commands. tvk_session_finish with `outputs` null ends the run: it waits for it and says whether
 * an index lay outside. */
tvk_code tvk_session_submit(tvk_session* session, const tvk_order* order, tvk_error* error);

/* The dispatches that a run is made of, in order. */
typedef struct tvk_dispatch_info {
  const char* name;     /* the operations that it computes */
  const char* location; /* where these come from */
  int64_t invocations;  /* 0: nothing is to be done at this size */
  int64_t flops, bytes; /* computed, read and written; -1: not known */
} tvk_dispatch_info;
uint32_t tvk_session_dispatch_count(const tvk_session* session);
/* Of an index that there is not: null, null, 0, -1 and -1. */
tvk_dispatch_info tvk_session_dispatch(const tvk_session* session, uint32_t index);
/* Runs as tvk_session_run does, one dispatch after the other, and writes what each took by the
 * device's clock to `seconds`, which has room for all of them. The first call records commands of
 * its own. TVK_UNSUPPORTED: the device has no such clock. */
tvk_code tvk_session_profile(tvk_session* session, const void* const* inputs, void* const* outputs,
                             double* seconds, tvk_error* error);

/* How often what costs has been done on this device so far. */
typedef struct tvk_counters {
  uint64_t allocations; /* of device memory */
  uint64_t pipelines;
  uint64_t recordings; /* of command buffers */
  uint64_t submissions;
} tvk_counters;
tvk_counters tvk_device_counters(const tvk_device* device);

#ifdef __cplusplus
}
#endif

#endif /* TESSERA_TARGETS_VULKAN_RUNTIME_TESSERA_VULKAN_H_ */
