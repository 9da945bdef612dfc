/* example MODEL.tvk: runs a model of one input, [1, 3, 64, 64] of f32, and prints what comes out.
 * All that a program needs to run a model; every call may fail, and says why. */
#include <stdio.h>
#include <stdlib.h>

#include "targets/vulkan/runtime/tessera_vulkan.h"

static void* ReadAll(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void* bytes = malloc(*size);
  if (bytes == NULL || fread(bytes, 1, *size, file) != *size) *size = 0;
  fclose(file);
  return bytes;
}

static int Fail(const tvk_error* error) {
  fprintf(stderr, "%s\n", error->message);
  return 1;
}

int main(int argc, char** argv) {
  tvk_error error;
  size_t size = 0;
  void* bytes = argc == 2 ? ReadAll(argv[1], &size) : NULL;
  if (bytes == NULL) return fprintf(stderr, "usage: example MODEL.tvk\n"), 2;

  tvk_device* device = tvk_device_open(NULL, &error);
  if (device == NULL) return Fail(&error);
  tvk_model* model = tvk_model_load(device, bytes, size, NULL, 0, &error);
  if (model == NULL) return Fail(&error);
  free(bytes);

  const int64_t shape[] = {1, 3, 64, 64};
  const int64_t* shapes[] = {shape};
  tvk_session* session = tvk_session_create(model, shapes, &error);
  if (session == NULL) return Fail(&error);

  float* image = calloc(1, tvk_session_input_bytes(session, 0));
  float* result = malloc(tvk_session_output_bytes(session, 0));
  const void* inputs[] = {image};
  void* outputs[] = {result};
  if (tvk_session_run(session, inputs, outputs, &error) != TVK_OK) return Fail(&error);
  printf("%s: `%s` begins with %g\n", tvk_device_name(device), tvk_model_output(model, 0).name,
         (double)result[0]);

  free(image);
  free(result);
  tvk_session_destroy(session);
  tvk_model_unload(model);
  tvk_device_close(device);
  return 0;
}
