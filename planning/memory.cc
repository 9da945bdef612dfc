#include "planning/memory.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace tessera::planning {
namespace {

// Where a value lies in the storage of another one.
struct Placed {
  size_t root;
  int64_t offset;
};

std::string Named(const Value& value) { return absl::StrCat("value `", value.name, "`"); }

absl::Status CheckValues(absl::Span<const Value> values, size_t regions) {
  for (const Value& value : values) {
    if (value.region >= regions)
      return absl::InvalidArgumentError(
          absl::StrCat(Named(value), " is of region ", value.region, ", there are ", regions));
    if (value.size < 0 || value.alignment < 1)
      return absl::InvalidArgumentError(absl::StrCat(Named(value), " has the size ", value.size,
                                                     " and the alignment ", value.alignment));
    for (const std::optional<size_t>& other :
         {value.alias ? std::optional<size_t>(value.alias->owner) : std::nullopt,
          value.in_place_of}) {
      if (other.has_value() && *other >= values.size())
        return absl::InvalidArgumentError(
            absl::StrCat(Named(value), " lies in value ", *other, ", there are ", values.size()));
    }
  }
  return absl::OkStatus();
}

// Follows parts to what they are parts of.
absl::StatusOr<std::vector<Placed>> ResolveAliases(absl::Span<const Value> values) {
  std::vector<Placed> placed;
  for (size_t i = 0; i < values.size(); ++i) {
    size_t at = i, hops = 0;
    int64_t offset = 0;
    while (values[at].alias.has_value()) {
      const Value& part = values[at];
      const Value& owner = values[part.alias->owner];
      if (++hops > values.size())
        return absl::InvalidArgumentError(absl::StrCat(Named(values[i]), " is a part of itself"));
      if (part.alias->offset < 0 || part.alias->offset > owner.size ||
          part.size > owner.size - part.alias->offset)
        return absl::InvalidArgumentError(absl::StrCat(Named(part), " of size ", part.size, " at ",
                                                       part.alias->offset, " reaches beyond ",
                                                       Named(owner), " of size ", owner.size));
      if (part.region != owner.region)
        return absl::InvalidArgumentError(
            absl::StrCat(Named(part), " is of another region than ", Named(owner)));
      if (part.alias->offset % part.alignment != 0)
        return absl::InvalidArgumentError(absl::StrCat(Named(part), " at ", part.alias->offset,
                                                       " of ", Named(owner), " is not aligned to ",
                                                       part.alignment));
      offset += part.alias->offset;
      at = part.alias->owner;
    }
    placed.push_back({at, offset});
  }
  return placed;
}

}  // namespace

absl::StatusOr<MemoryPlan> PlanMemory(absl::Span<const Value> values,
                                      absl::Span<const Region> regions,
                                      const PackOptions& options) {
  if (absl::Status status = CheckValues(values, regions.size()); !status.ok()) return status;
  absl::StatusOr<std::vector<Placed>> resolved = ResolveAliases(values);
  if (!resolved.ok()) return resolved.status();
  std::vector<Placed>& placed = *resolved;

  // A storage lives as long as anything in it.
  std::vector<Buffer> storage(values.size());
  std::vector<int> members(values.size(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    Buffer& buffer = storage[placed[i].root];
    const Value& value = values[i];
    const bool first = members[placed[i].root]++ == 0;
    buffer.begin = first ? value.begin : std::min(buffer.begin, value.begin);
    buffer.end = first ? value.end : std::max(buffer.end, value.end);
    buffer.size = values[placed[i].root].size;
    buffer.alignment = std::max(buffer.alignment, value.alignment);
  }
  // Wishes, in order: the later value joins the storage of the earlier one.
  std::vector<size_t> joined(values.size());
  for (size_t i = 0; i < values.size(); ++i) joined[i] = i;
  const auto root_of = [&](size_t i) {
    while (joined[i] != i) i = joined[i];
    return i;
  };
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].in_place_of.has_value()) continue;
    const size_t own = root_of(placed[i].root),
                 other = root_of(placed[*values[i].in_place_of].root);
    const bool whole = placed[i].root == i && members[i] == 1 &&
                       placed[*values[i].in_place_of].root == *values[i].in_place_of &&
                       members[*values[i].in_place_of] == 1;
    if (!whole || own == other || values[own].region != values[other].region ||
        !regions[values[own].region].reuse || storage[other].size < storage[own].size ||
        storage[other].end != values[i].begin + 1)
      continue;
    storage[other].end = std::max(storage[other].end, storage[own].end);
    storage[other].alignment = std::max(storage[other].alignment, storage[own].alignment);
    joined[own] = other;
  }

  MemoryPlan plan;
  plan.offsets.resize(values.size());
  std::vector<int64_t> at(values.size(), 0);
  for (size_t r = 0; r < regions.size(); ++r) {
    std::vector<size_t> roots;
    std::vector<Buffer> buffers;
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i].region != r || placed[i].root != i || root_of(i) != i) continue;
      roots.push_back(i);
      buffers.push_back(storage[i]);
      if (!regions[r].reuse) {
        buffers.back().begin = 0;
        buffers.back().end = 1;
      }
    }
    const Packing packing = Pack(buffers, options);
    for (size_t k = 0; k < roots.size(); ++k) at[roots[k]] = packing.offsets[k];
    plan.regions.push_back({packing.size, packing.lower_bound, packing.optimal});
  }
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t root = root_of(placed[i].root);
    plan.storage.push_back(root);
    plan.offsets[i] = at[root] + placed[i].offset;
  }
  return plan;
}

std::vector<Lifetime> Lifetimes(absl::Span<const Step> steps, size_t count,
                                absl::Span<const size_t> results) {
  const int64_t end = static_cast<int64_t>(steps.size());
  std::vector<Lifetime> lifetimes(count);
  std::vector<bool> written(count, false);
  for (size_t s = 0; s < steps.size(); ++s) {
    const int64_t step = static_cast<int64_t>(s);
    for (size_t value : steps[s].writes) {
      if (!written[value]) lifetimes[value].begin = step;
      written[value] = true;
      lifetimes[value].end = std::max(lifetimes[value].end, step + 1);
    }
    for (size_t value : steps[s].reads)
      lifetimes[value].end = std::max(lifetimes[value].end, step + 1);
  }
  for (size_t value : results) lifetimes[value].end = end;
  // What is read before it is written was there before.
  for (size_t s = 0; s < steps.size(); ++s) {
    for (size_t value : steps[s].reads) {
      if (!written[value] || lifetimes[value].begin > static_cast<int64_t>(s))
        lifetimes[value].begin = 0;
    }
  }
  return lifetimes;
}

}  // namespace tessera::planning
