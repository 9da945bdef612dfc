// What a `.tvk` file holds, for people and as JSON.
#ifndef TESSERA_TARGETS_VULKAN_DESCRIBE_H_
#define TESSERA_TARGETS_VULKAN_DESCRIBE_H_

#include <map>
#include <string>
#include <vector>

#include "targets/target.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// Inputs and outputs, memory, dispatches by what they compute; in detail each dispatch and tensor.
// The model has been read, so that its indices lead somewhere.
std::vector<targets::Part> Describe(const file::Model& model, const targets::Detail& detail);

// Everything but weights and code. Ends without a newline.
std::string JsonText(const file::Model& model);

// Rows of dispatches by what they compute, without a header.
targets::Rows CountDispatches(const file::Model& model);

// An expression of the table, e.g. `2*floor(H/2) + 1`.
std::string ExpressionText(const file::Model& model, uint32_t expression);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_DESCRIBE_H_
