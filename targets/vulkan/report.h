// A page about a `.tvk` file (report/page.h).
#ifndef TESSERA_TARGETS_VULKAN_REPORT_H_
#define TESSERA_TARGETS_VULKAN_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/page.h"
#include "targets/vulkan/runtime/lifetimes.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// A file at one size of its inputs.
struct AtSizes {
  std::vector<int64_t> symbols;
  std::vector<std::optional<int64_t>> values;  // by expression
  std::vector<Held> held;
  std::vector<InPlace> in_place;
  int64_t arena_bytes = 0;
  int64_t live_bytes = 0;  // the most that is in use at one time: no plan needs less
  int64_t all_bytes = 0;   // with memory of its own for each
};

// About 256 where a size may be that, else smaller, 1 along the first axis of an input; nullopt:
// none of those that were tried is admitted. The model has been read, so that its indices lead
// somewhere.
std::optional<AtSizes> AtUsualSizes(const file::Model& model);

report::Page ReportOf(const file::Model& model);

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_REPORT_H_
