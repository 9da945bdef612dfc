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

std::string Named(const file::Model& model, uint32_t tensor) {
  return absl::StrCat("`", support::Printable(model.tensors()->Get(tensor)->name()->str()), "`");
}

// Each point reads of the operand what it writes itself, and no other point writes that: tiles do
// not overlap.
targets::DeviceLimit InPlaceLimit(const file::Model& model, const InPlace& one) {
  const file::Dispatch& dispatch = *model.dispatches()->Get(one.dispatch);
  const auto tensor_of = [&](const file::Access& access) {
    return dispatch.bindings()->Get(access.binding())->tensor();
  };
  StatementText text(model);
  text.Add(absl::StrCat(text.Name(model.tensors()->Get(one.operand)->offset()),
                        " == ", text.Name(model.tensors()->Get(one.result)->offset())));
  for (const file::Access* write : *dispatch.accesses()) {
    for (const file::Access* read : *dispatch.accesses()) {
      if (!write->written() || read->written() || tensor_of(*read) != one.operand) continue;
      for (uint32_t d = 0; d < write->at()->size(); ++d)
        text.Add(
            absl::StrCat(text.Name(read->at()->Get(d)), " == ", text.Name(write->at()->Get(d))));
    }
  }
  for (uint32_t i = 0; i < dispatch.axes()->size(); ++i) {
    const uint32_t extent = model.axes()->Get(dispatch.axes()->Get(i));
    if (model.expressions()->Get(extent)->operation() == file::Operation_CONSTANT)
      text.Add(absl::StrCat("mod(", text.Name(extent), ", ", dispatch.tiles()->Get(i), ") == 0"));
  }
  return {kDevice, "memory.in_place",
          absl::StrCat(Named(model, one.result), " takes the place of ", Named(model, one.operand),
                       ", of which each point reads only what it writes"),
          text.Text()};
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
                      absl::StrCat(Named(model, above.tensor), " lies within the arena"),
                      inside.Text()});
    StatementText apart(model);
    std::vector<std::string> names;
    for (const Held& below : at->held) {
      const bool together = below.first <= above.last && above.first <= below.last;
      if (!together || below.offset + below.bytes > above.offset || below.bytes == 0) continue;
      apart.Add(absl::StrCat(EndOf(model, apart, below), " <= ", OffsetOf(model, apart, above)));
      names.push_back(Named(model, below.tensor));
    }
    if (apart.empty()) continue;
    limits.push_back(
        {kDevice, "memory.apart",
         absl::StrCat(Named(model, above.tensor), " begins where ", absl::StrJoin(names, ", "),
                      ", in use at the same time, ends or above"),
         apart.Text()});
  }
  for (const InPlace& one : at->in_place) limits.push_back(InPlaceLimit(model, one));
  return limits;
}

}  // namespace tessera::vulkan
