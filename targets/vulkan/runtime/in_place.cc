#include "targets/vulkan/runtime/in_place.h"

#include <algorithm>
#include <set>

namespace tessera::vulkan {
namespace {

using List = flatbuffers::Vector<uint32_t>;

bool AreEqual(const List& a, const List& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

// Axes of the dispatch, each once, and all of them.
bool IsEachAxisOnce(const file::Model& model, const file::Dispatch& dispatch, const List& at) {
  std::set<uint32_t> axes;
  for (uint32_t e : at) {
    const file::Expression& index = *model.expressions()->Get(e);
    if (index.operation() == file::Operation_CONSTANT) continue;
    if (index.operation() != file::Operation_AXIS ||
        !axes.insert(static_cast<uint32_t>(index.constant())).second)
      return false;
  }
  return axes == std::set<uint32_t>(dispatch.axes()->begin(), dispatch.axes()->end());
}

// Along an axis of known length the last tile ends where the axis does.
bool TilesOverlap(const file::Model& model, const file::Dispatch& dispatch) {
  for (uint32_t i = 0; i < dispatch.axes()->size(); ++i) {
    const uint32_t tile = dispatch.tiles()->Get(i);
    const file::Expression& extent =
        *model.expressions()->Get(model.axes()->Get(dispatch.axes()->Get(i)));
    if (tile > 1 && extent.operation() == file::Operation_CONSTANT && extent.constant() % tile != 0)
      return true;
  }
  return false;
}

}  // namespace

bool MayTakePlace(const file::Model& model, const file::Dispatch& dispatch, uint32_t operand,
                  uint32_t result) {
  const file::Tensor& read = *model.tensors()->Get(operand);
  const file::Tensor& written = *model.tensors()->Get(result);
  if (dispatch.by_workgroups() || dispatch.axes()->size() == 0 || operand == result ||
      read.dtype() != written.dtype() || read.offset() != written.offset() ||
      !AreEqual(*read.dims(), *written.dims()) || TilesOverlap(model, dispatch))
    return false;
  const file::Access* write = nullptr;
  for (const file::Access* access : *dispatch.accesses()) {
    if (!access->written()) continue;
    if (write != nullptr || dispatch.bindings()->Get(access->binding())->tensor() != result)
      return false;
    write = access;
  }
  if (write == nullptr || !IsEachAxisOnce(model, dispatch, *write->at())) return false;
  bool reads = false;
  for (const file::Access* access : *dispatch.accesses()) {
    if (access->written() || dispatch.bindings()->Get(access->binding())->tensor() != operand)
      continue;
    reads = true;
    if (!AreEqual(*access->at(), *write->at()) ||
        std::any_of(access->looked_at()->begin(), access->looked_at()->end(),
                    [](uint8_t looked) { return looked != 0; }))
      return false;
  }
  return reads;
}

}  // namespace tessera::vulkan
