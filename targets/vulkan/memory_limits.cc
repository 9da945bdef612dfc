#include "targets/vulkan/memory_limits.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "planning/stack.h"
#include "support/printable.h"
#include "targets/vulkan/report.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/lifetimes.h"
#include "targets/vulkan/statement_text.h"

namespace tessera::vulkan {
namespace {

constexpr char kDevice[] = "vulkan";

uint32_t OffsetOf(const file::Model& model, const Held& held) {
  return model.tensors()->Get(held.tensor)->offset();
}

// It ends at the place `end` or before. The places of many that lie behind one another are sums of
// as many sizes, which is why they are not written out.
std::string EndsBefore(const file::Model& model, StatementText& text, const Held& held,
                       uint32_t end) {
  const file::Tensor& tensor = *model.tensors()->Get(held.tensor);
  std::string bytes = absl::StrCat(BytesOf(tensor.dtype()));
  for (uint32_t dim : *tensor.dims()) absl::StrAppend(&bytes, " * ", text.Name(dim));
  // As it is bound.
  return absl::StrCat(kAlignment, " * ceildiv(", bytes, ", ", kAlignment,
                      ") <= ", text.Difference(end, OffsetOf(model, held)));
}

std::string Named(const file::Model& model, uint32_t tensor) {
  return absl::StrCat("`", support::Printable(model.tensors()->Get(tensor)->name()->str()), "`");
}

// At the usual sizes. Two that have no bytes there, at one place, may be either way.
bool IsBelow(const Held& lower, const Held& upper) {
  return lower.offset <= upper.offset && lower.bytes <= upper.offset - lower.offset &&
         (lower.offset != upper.offset || upper.bytes > 0);
}

std::vector<size_t> Ascending(const std::vector<Held>& held) {
  std::vector<size_t> order(held.size());
  std::iota(order.begin(), order.end(), size_t{0});
  // What has no bytes comes before what begins at its place.
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(held[a].offset, held[a].bytes) < std::pair(held[b].offset, held[b].bytes);
  });
  return order;
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
  const std::vector<Held>& held = at->held;
  const std::vector<std::vector<size_t>> below =
      planning::DirectlyBelow(Ascending(held), [&](size_t lower, size_t upper) {
        return AreTogether(held[lower], held[upper]) && IsBelow(held[lower], held[upper]);
      });
  std::vector<bool> is_below(held.size());
  for (const std::vector<size_t>& lowers : below) {
    for (const size_t lower : lowers) is_below[lower] = true;
  }
  for (size_t i = 0; i < held.size(); ++i) {
    const Held& one = held[i];
    StatementText inside(model);
    if (below[i].empty()) inside.Add(absl::StrCat("0 <= ", inside.Name(OffsetOf(model, one))));
    if (!is_below[i]) inside.Add(EndsBefore(model, inside, one, model.arena_bytes()));
    if (!inside.empty())
      limits.push_back({kDevice, "memory.inside",
                        absl::StrCat(Named(model, one.tensor), below[i].empty() ? " begins" : "",
                                     below[i].empty() && !is_below[i] ? " and" : "",
                                     is_below[i] ? "" : " ends", " within the arena"),
                        inside.Text()});
    StatementText apart(model);
    std::vector<std::string> names;
    for (const size_t lower : below[i]) {
      apart.Add(EndsBefore(model, apart, held[lower], OffsetOf(model, one)));
      names.push_back(Named(model, held[lower].tensor));
    }
    if (!apart.empty())
      limits.push_back(
          {kDevice, "memory.apart",
           absl::StrCat(Named(model, one.tensor), " begins where ", absl::StrJoin(names, ", "),
                        ", in use at the same time, ends or above"),
           apart.Text()});
    for (size_t j = 0; j < i; ++j) {
      const Held& other = held[j];
      if (!AreTogether(one, other) || IsBelow(one, other) || IsBelow(other, one)) continue;
      StatementText either(model);
      std::string ends = EndsBefore(model, either, one, OffsetOf(model, other));
      absl::StrAppend(&ends, " || ", EndsBefore(model, either, other, OffsetOf(model, one)));
      either.Add(ends);
      limits.push_back(
          {kDevice, "memory.apart",
           absl::StrCat("of ", Named(model, one.tensor), " and ", Named(model, other.tensor),
                        ", in use at the same time, one begins where the other ends or above"),
           either.Text()});
    }
  }
  for (const InPlace& one : at->in_place) limits.push_back(InPlaceLimit(model, one));
  return limits;
}

}  // namespace tessera::vulkan
