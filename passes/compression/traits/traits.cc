#include "passes/compression/traits/traits.h"

#include <map>
#include <string_view>
#include <utility>

namespace tessera::compression {
namespace {

using Key = std::pair<std::string_view, std::string_view>;  // dialect and op

std::map<Key, const ir::QuantizeTrait*>& All() {
  static auto* all = new std::map<Key, const ir::QuantizeTrait*>();
  return *all;
}

}  // namespace

void AddTraits(absl::Span<const ir::QuantizeTrait> traits) {
  for (const ir::QuantizeTrait& trait : traits) All().emplace(Key{trait.dialect, trait.op}, &trait);
}

const ir::QuantizeTrait& TraitOf(const ir::OpInfo& info) {
  static constexpr ir::QuantizeTrait kUnknown = {"", "", ir::Quantizable::kNever, 0, -1, 0, 0, -1,
                                                 -1, ""};
  const auto found = All().find({info.dialect, info.name});
  return found == All().end() ? kUnknown : *found->second;
}

const ir::QuantizeTrait* TraitThat(ir::Quantizable kind) {
  for (const auto& [key, trait] : All()) {
    if (trait->kind == kind) return trait;
  }
  return nullptr;
}

}  // namespace tessera::compression
