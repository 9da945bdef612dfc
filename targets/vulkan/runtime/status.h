// An error of the runtime, which has no libraries to borrow one from.
#ifndef TESSERA_TARGETS_VULKAN_RUNTIME_STATUS_H_
#define TESSERA_TARGETS_VULKAN_RUNTIME_STATUS_H_

#include <string>
#include <utility>

#include "targets/vulkan/runtime/tessera_vulkan.h"

namespace tessera::vulkan {

class Status {
 public:
  Status() = default;
  Status(tvk_code code, std::string message) : code_(code), message_(std::move(message)) {}
  bool ok() const { return code_ == TVK_OK; }
  tvk_code code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  tvk_code code_ = TVK_OK;
  std::string message_;
};

// Of a call that failed, and what it was for.
Status StatusOf(VkResult result, const std::string& what);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_RUNTIME_STATUS_H_
