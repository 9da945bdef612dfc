#include "targets/circle/runtimes/runtimes.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/circle/runtimes/litert_text.h"
#include "targets/circle/runtimes/onert_text.h"

namespace tessera::circle {

namespace {

bool IsCode(const ir::Value* value) {
  if (value == nullptr) return false;
  const ir::DType dtype = value->type().dtype;
  return dtype == ir::DType::kI8 || dtype == ir::DType::kU8 || dtype == ir::DType::kI16;
}

bool IsOnIntegers(const ir::Operation& op) {
  return std::any_of(op.operands().begin(), op.operands().end(), IsCode) ||
         std::any_of(op.results().begin(), op.results().end(), IsCode);
}

}  // namespace

const std::vector<Runtime>& Runtimes() {
  static const auto* const runtimes = [] {
    auto* const all = new std::vector<Runtime>();
    for (const auto& [name, text] :
         {std::pair<std::string, std::string_view>("litert", LitertText()),
          {"onert", OnertText()}}) {
      absl::StatusOr<RuntimeTable> table = RuntimeTable::Parse(text);
      // Data of ours: a test reads it too.
      if (table.ok()) all->push_back({name, *std::move(table)});
    }
    return all;
  }();
  return *runtimes;
}

absl::StatusOr<Places> Places::Of(std::string_view name) {
  Places places;
  places.name_ = std::string(name);
  for (const Runtime& runtime : Runtimes()) {
    if (name == kAnyRuntime || name == runtime.name) places.runtimes_.push_back(&runtime);
  }
  if (places.runtimes_.empty())
    return absl::InvalidArgumentError(absl::StrCat("no runtime `", places.name_, "`; there are `",
                                                   absl::StrJoin(PlaceNames(), "`, `"), "`"));
  return places;
}

Places Places::ByDefault() {
  Places places;
  places.name_ = kAnyRuntime;
  for (const Runtime& runtime : Runtimes()) places.runtimes_.push_back(&runtime);
  places.integers_everywhere_ = false;
  return places;
}

bool Places::Runs(std::string_view op, ir::DType dtype, int64_t rank, std::string_view form) const {
  return std::all_of(runtimes_.begin(), runtimes_.end(), [&](const Runtime* runtime) {
    return runtime->table.Runs(op, ir::NameOf(dtype), rank, form);
  });
}

std::string Places::WhyNot(const Use& use) const {
  for (const Runtime* runtime : runtimes_) {
    const std::string reason = runtime->table.WhyNot(use);
    if (!reason.empty()) return absl::StrCat(runtime->name, ": ", reason);
  }
  return "";
}

std::string Places::WhyWrong(const Use& use) const {
  for (const Runtime* runtime : runtimes_) {
    const std::string reason = runtime->table.WhyNot(use);
    if (absl::StartsWith(reason, kWrong)) return absl::StrCat(runtime->name, ": ", reason);
  }
  return "";
}

std::string Places::WhyNot(const ir::Operation& op) const {
  const std::optional<Use> use = UseOf(op);
  if (!use.has_value()) return "";
  if (!integers_everywhere_ && IsOnIntegers(op)) return WhyWrong(*use);
  const std::string reason = WhyNot(*use);
  if (reason.empty() || use->forms.count(kEmpty) + use->forms.count(kEmptyResults) == 0)
    return reason;
  if (!WhyNot(WithEntries(*use)).empty()) return reason;
  const std::vector<std::string> sizes = SizesThatMayBeNone(op);
  if (sizes.empty()) return absl::StrCat(reason, "; one of its tensors has no entries");
  return absl::StrCat(reason, "; it runs where ", absl::StrJoin(sizes, " and "),
                      " cannot be 0, which `--dim` may tell of sizes of inputs, and nobody of "
                      "those that data decide");
}

std::vector<std::string> PlaceNames() {
  std::vector<std::string> names = {kAnyRuntime};
  for (const Runtime& runtime : Runtimes()) names.push_back(runtime.name);
  return names;
}

}  // namespace tessera::circle
