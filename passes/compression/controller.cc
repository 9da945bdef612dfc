#include "passes/compression/controller.h"

#include "absl/strings/str_cat.h"

namespace tessera::compression {

std::vector<LayerReport> CompositeController::Statistics() const {
  std::vector<LayerReport> all;
  for (const auto& child : children_) {
    for (LayerReport& layer : child->Statistics()) all.push_back(std::move(layer));
  }
  return all;
}

std::string CompositeController::Summary() const {
  std::string text;
  for (const auto& child : children_)
    absl::StrAppend(&text, text.empty() ? "" : "\n", child->Summary());
  return text;
}

}  // namespace tessera::compression
