#include "targets/vulkan/memory_limits.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"
#include "targets/vulkan/report.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/lifetimes.h"
#include "targets/vulkan/statement_text.h"

namespace tessera::vulkan {
namespace {

constexpr char kDevice[] = "vulkan";

std::string OffsetOf(const file::Model& model, StatementText& text, const Held& held) {
  return text.Name(model.tensors()->Get(held.tensor)->offset());
}

// Where it ends, as it is bound.
std::string EndOf(const file::Model& model, StatementText& text, const Held& held) {
  const file::Tensor& tensor = *model.tensors()->Get(held.tensor);
  std::string bytes = absl::StrCat(BytesOf(tensor.dtype()));
  for (uint32_t dim : *tensor.dims()) absl::StrAppend(&bytes, " * ", text.Name(dim));
  return absl::StrCat(OffsetOf(model, text, held), " + ", kAlignment, " * ceildiv(", bytes, ", ",
                      kAlignment, ")");
}

std::string Named(const file::Model& model, const Held& held) {
  return absl::StrCat("`", support::Printable(model.tensors()->Get(held.tensor)->name()->str()),
                      "`");
}

}  // namespace

std::vector<targets::DeviceLimit> MemoryLimits(const file::Model& model) {
  std::vector<targets::DeviceLimit> limits;
  const std::optional<AtSizes> at = AtUsualSizes(model);
  if (!at.has_value() || model.symbols()->size() == 0) return limits;
  for (const Held& above : at->held) {
    StatementText inside(model);
    inside.Add(absl::StrCat("0 <= ", OffsetOf(model, inside, above)));
    inside.Add(absl::StrCat(EndOf(model, inside, above), " <= ", inside.Name(model.arena_bytes())));
    limits.push_back({kDevice, "memory.inside",
                      absl::StrCat(Named(model, above), " lies within the arena"), inside.Text()});
    StatementText apart(model);
    std::vector<std::string> names;
    for (const Held& below : at->held) {
      const bool together = below.first <= above.last && above.first <= below.last;
      if (!together || below.offset + below.bytes > above.offset || below.bytes == 0) continue;
      apart.Add(absl::StrCat(EndOf(model, apart, below), " <= ", OffsetOf(model, apart, above)));
      names.push_back(Named(model, below));
    }
    if (apart.empty()) continue;
    limits.push_back(
        {kDevice, "memory.apart",
         absl::StrCat(Named(model, above), " begins where ", absl::StrJoin(names, ", "),
                      ", in use at the same time, ends or above"),
         apart.Text()});
  }
  return limits;
}

}  // namespace tessera::vulkan
