#include "passes/compression/quantization/links.h"

#include <map>
#include <optional>
#include <utility>

#include "passes/compression/traits/traits.h"

namespace tessera::compression {
namespace {

using ir::Quantizable;

class Finder {
 public:
  explicit Finder(const Plan& plan) {
    for (const WeightSite& site : plan.weights) sites_[site.op] = &site;
    for (const BiasSite& site : plan.biases) biases_[site.product] = &site;
  }

  std::optional<Link> Find(const WeightSite& site) const {
    Link link;
    link.maker = Own(site.op);
    if (link.maker == nullptr) return std::nullopt;
    const ir::QuantizeTrait& trait = TraitOf(site.op->info());
    const int64_t rank = site.op->result()->type().rank();
    link.axis = trait.result_axis < 0 ? trait.result_axis + rank : trait.result_axis;
    link.value = site.op->result();
    const auto bias = biases_.find(site.op);
    if (bias != biases_.end() && bias->second->present != nullptr) {
      if (bias->second->point.value->UsesUnsorted().size() != 1) return std::nullopt;
      link.bias = bias->second;
      link.value = bias->second->op->result();
    } else if (trait.bias >= 0 && site.op->operand(static_cast<size_t>(trait.bias)) != nullptr) {
      return std::nullopt;
    }
    link.made = link.value;
    // What bounds it, alone.
    while (link.value->UsesUnsorted().size() == 1 && !link.value->is_graph_output()) {
      const ir::Use& use = link.value->UsesUnsorted()[0];
      if (TraitOf(use.op->info()).kind != Quantizable::kClamps) break;
      for (size_t i = 0; i < use.op->operands().size(); ++i) {
        const ir::Value* other = use.op->operand(i);
        const bool bound = other == nullptr || static_cast<int>(i) == use.index ||
                           (other->constant() != nullptr && other->constant()->size() == 1);
        if (!bound) return std::nullopt;
      }
      link.bounds.push_back(use.op);
      link.value = use.op->result();
    }
    if (link.value->is_graph_output() || link.value->UsesUnsorted().empty()) return std::nullopt;
    for (const ir::Use& use : link.value->UsesUnsorted()) {
      const WeightSite* reader = Own(use.op);
      if (reader == nullptr || use.index != TraitOf(use.op->info()).data) return std::nullopt;
      link.readers.push_back(reader);
    }
    return link;
  }

 private:
  // The product's channels are entries of one axis of its constant, which nobody else reads.
  const WeightSite* Own(const ir::Operation* op) const {
    const auto found = sites_.find(op);
    if (found == sites_.end() || found->second->axis < 0) return nullptr;
    return found->second->point.value->UsesUnsorted().size() == 1 ? found->second : nullptr;
  }

  std::map<const ir::Operation*, const WeightSite*> sites_;
  std::map<const ir::Operation*, const BiasSite*> biases_;
};

}  // namespace

std::vector<Link> FindLinks(const Plan& plan) {
  const Finder finder(plan);
  std::vector<Link> links;
  for (const WeightSite& site : plan.weights) {
    if (std::optional<Link> link = finder.Find(site)) links.push_back(*std::move(link));
  }
  return links;
}

}  // namespace tessera::compression
