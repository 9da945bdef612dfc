#include "targets/vulkan/runtime/tiled_session.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "targets/vulkan/runtime/expressions.h"

namespace tessera::vulkan {

namespace {

std::vector<const int64_t*> ShapesOf(std::span<const Layout> layouts) {
  std::vector<const int64_t*> pointers;
  for (const Layout& layout : layouts) pointers.push_back(layout.shape.data());
  return pointers;
}

}  // namespace

uint64_t TiledSession::BytesOf(const Layout& layout) {
  uint64_t bytes = layout.element;
  for (int64_t size : layout.shape) bytes *= static_cast<uint64_t>(size);
  return bytes;
}

TiledSession::Need TiledSession::NeedOf(const Model& model, std::span<const int64_t> symbols) {
  const file::Model& file = model.file();
  const auto values = Evaluate(*file.expressions(), symbols);
  Need need;
  const std::optional<int64_t>& arena = values[file.arena_bytes()];
  need.defined = arena.has_value() && *arena >= 0;
  if (!need.defined) return need;
  need.arena = static_cast<uint64_t>(*arena);
  need.bound = true;
  for (const file::Tensor* tensor : *file.tensors()) {
    uint64_t bytes = vulkan::BytesOf(tensor->dtype());
    for (uint32_t dim : *tensor->dims()) {
      need.bound = need.bound && values[dim].has_value() && *values[dim] >= 0 &&
                   !__builtin_mul_overflow(bytes, static_cast<uint64_t>(*values[dim]), &bytes);
    }
    need.bound = need.bound && bytes <= model.device().limits().maxStorageBufferRange;
  }
  return need;
}

bool TiledSession::Fits(const Model& model, const Need& need) {
  const int64_t most = model.file().arena_limit();
  return need.defined && need.bound && (most == 0 || need.arena <= static_cast<uint64_t>(most));
}

std::vector<Layout> TiledSession::LayoutsOf(const flatbuffers::Vector<uint32_t>& tensors,
                                            std::span<const int64_t> symbols) const {
  const auto values = Evaluate(*model_.file().expressions(), symbols);
  std::vector<Layout> layouts;
  for (uint32_t t : tensors) {
    Layout layout;
    layout.element = vulkan::BytesOf(model_.tensor(t).dtype());
    for (uint32_t dim : *model_.tensor(t).dims()) layout.shape.push_back(values[dim].value_or(0));
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

bool TiledSession::Divide(std::span<const int64_t> lengths) {
  parts_.clear();
  for (uint32_t t = 0; t < lengths.size(); ++t) {
    const file::Tiling& tiling = *model_.file().tilings()->Get(t);
    std::vector<int64_t> sizes;
    for (uint32_t i = 0; i < outputs_.size(); ++i) {
      const int32_t axis = tiling.outputs()->Get(i)->axis();
      sizes.push_back(axis < 0 ? 0 : outputs_[i].shape[static_cast<size_t>(axis)]);
    }
    const int64_t least = model_.file().symbols()->Get(tiling.symbol())->least();
    parts_.push_back(PartsAlong(tiling, symbols_[tiling.symbol()], lengths[t], least, sizes));
    if (parts_.back().empty()) return false;
  }
  return AreAdmitted();
}

// All parts along a size but the last are of one length. (Images have few sizes; a file that names
// many, and whose last parts are not admitted, is told so when their sessions are made.)
bool TiledSession::AreAdmitted() const {
  constexpr size_t kMostLooked = 8;
  const size_t looked = std::min(parts_.size(), kMostLooked);
  std::vector<size_t> part(parts_.size(), 0);
  for (size_t last = 0; last < size_t{1} << looked; ++last) {
    for (size_t t = 0; t < looked; ++t) part[t] = (last >> t & 1) != 0 ? parts_[t].size() - 1 : 0;
    const std::vector<Layout> inputs = LayoutsOf(*model_.file().inputs(), SymbolsOf(part));
    std::vector<int64_t> symbols;
    if (!Session::SymbolsOf(model_, ShapesOf(inputs), symbols).ok()) return false;
  }
  return true;
}

Status TiledSession::Create(const Model& model, std::span<const int64_t* const> shapes,
                            bool specialized, std::unique_ptr<TiledSession>& session) {
  const file::Model& file = model.file();
  if (file.tilings()->size() == 0) return {};
  std::unique_ptr<TiledSession> created(new TiledSession(model));
  if (Status status = Session::SymbolsOf(model, shapes, created->symbols_); !status.ok())
    return status;
  Need need = NeedOf(model, created->symbols_);
  if (Fits(model, need)) return {};
  created->inputs_ = created->LayoutsOf(*file.inputs(), created->symbols_);
  created->outputs_ = created->LayoutsOf(*file.outputs(), created->symbols_);
  // From the whole down: half of what is longest, or the least that yields anything, until it fits.
  std::vector<int64_t> lengths, sizes = created->symbols_;
  for (const file::Tiling* tiling : *file.tilings())
    lengths.push_back((sizes[tiling->symbol()] + tiling->step() - 1) / tiling->step() *
                      tiling->step());
  std::vector<bool> least(lengths.size(), false);
  while (!Fits(model, need)) {
    size_t longest = lengths.size();
    for (size_t t = 0; t < lengths.size(); ++t) {
      if (!least[t] && (longest == lengths.size() || lengths[t] > lengths[longest])) longest = t;
    }
    if (longest == lengths.size()) break;
    const file::Tiling& tiling = *file.tilings()->Get(static_cast<uint32_t>(longest));
    std::vector<int64_t> shorter = lengths;
    int64_t& length = shorter[longest];
    length = (length / 2 + tiling.step() - 1) / tiling.step() * tiling.step();
    while (length < lengths[longest] && !created->Divide(shorter)) length += tiling.step();
    if (length >= lengths[longest]) {
      least[longest] = true;
      continue;
    }
    lengths = shorter;
    for (uint32_t t = 0; t < lengths.size(); ++t) {
      const uint32_t symbol = file.tilings()->Get(t)->symbol();
      sizes[symbol] = std::min(lengths[t], created->symbols_[symbol]);
    }
    need = NeedOf(model, sizes);
  }
  if (!Fits(model, need))
    return {TVK_OUT_OF_MEMORY, "the least parts of these sizes that are admitted take " +
                                   std::to_string(need.arena) + " bytes of the " +
                                   std::to_string(file.arena_limit()) +
                                   " that the file allows, or a tensor of them more than the " +
                                   std::to_string(model.device().limits().maxStorageBufferRange) +
                                   " that device `" + model.device().name() + "` binds"};
  created->Divide(lengths);
  if (Status status = created->CreateSessions(specialized); !status.ok()) return status;
  session = std::move(created);
  return {};
}

std::vector<int64_t> TiledSession::SymbolsOf(std::span<const size_t> part) const {
  std::vector<int64_t> symbols = symbols_;
  for (uint32_t t = 0; t < parts_.size(); ++t)
    symbols[model_.file().tilings()->Get(t)->symbol()] = parts_[t][part[t]].length;
  return symbols;
}

namespace {

// A file may say of parts what does not fit the shapes.
bool IsInside(std::span<const int64_t> at, std::span<const int64_t> extents, const Layout& layout) {
  for (size_t d = 0; d < extents.size(); ++d) {
    if (at[d] < 0 || extents[d] < 0 || at[d] > layout.shape[d] - extents[d]) return false;
  }
  return at.size() == layout.shape.size();
}
Status NoPart() { return {TVK_INVALID_FILE, "a part does not lie in what it is a part of"}; }

// The next of all parts; false: there are no more.
bool Next(const std::vector<std::vector<PartAlong>>& parts, std::vector<size_t>& part) {
  for (size_t t = part.size(); t-- > 0;) {
    if (++part[t] < parts[t].size()) return true;
    part[t] = 0;
  }
  return false;
}

}  // namespace

Status TiledSession::CreateSessions(bool specialized) {
  std::vector<size_t> part(parts_.size(), 0);
  uint64_t most = 0;
  do {
    sessions_[SymbolsOf(part)] = nullptr;
  } while (Next(parts_, part));
  for (const auto& [symbols, session] : sessions_)
    most = std::max(most, NeedOf(model_, symbols).arena);
  if (Status status = model_.device().Allocate(most, Memory::kDevice, "the arena", arena_);
      !status.ok())
    return status;
  part_inputs_.resize(inputs_.size());
  part_outputs_.resize(outputs_.size());
  for (auto& [symbols, session] : sessions_) {
    const std::vector<Layout> inputs = LayoutsOf(*model_.file().inputs(), symbols);
    if (Status status = Session::Create(model_, ShapesOf(inputs), specialized, session, &arena_);
        !status.ok())
      return status;
    const auto grow = [&](const flatbuffers::Vector<uint32_t>& tensors,
                          std::vector<std::vector<uint8_t>>& copies) {
      for (uint32_t i = 0; i < tensors.size(); ++i)
        copies[i].resize(std::max<size_t>(copies[i].size(), session->bytes(tensors.Get(i))));
    };
    grow(*model_.file().inputs(), part_inputs_);
    grow(*model_.file().outputs(), part_outputs_);
  }
  return {};
}

Status TiledSession::RunParts(const void* const* inputs, void* const* outputs, double* seconds) {
  if (under_way_)
    return {TVK_INVALID_ARGUMENT, "a run of this session is under way and has not been finished"};
  if (seconds != nullptr) std::fill_n(seconds, any().dispatch_count(), 0.0);
  std::vector<size_t> part(parts_.size(), 0);
  do {
    if (Status status = RunPart(part, inputs, outputs, seconds); !status.ok()) return status;
  } while (Next(parts_, part));
  return {};
}

Status TiledSession::RunPart(std::span<const size_t> part, const void* const* inputs,
                             void* const* outputs, double* seconds) {
  const file::Model& file = model_.file();
  Session& session = *sessions_.at(SymbolsOf(part));
  std::vector<const void*> sources;
  std::vector<void*> sinks;
  for (uint32_t i = 0; i < inputs_.size(); ++i) {
    const Layout own{session.shape(file.inputs()->Get(i)), inputs_[i].element};
    std::vector<int64_t> at(own.shape.size(), 0), zero = at;
    for (uint32_t t = 0; t < parts_.size(); ++t) {
      const int32_t axis = file.tilings()->Get(t)->inputs()->Get(i);
      if (axis >= 0) at[static_cast<size_t>(axis)] = parts_[t][part[t]].begin;
    }
    if (!IsInside(at, own.shape, inputs_[i])) return NoPart();
    CopyBlock(static_cast<const uint8_t*>(inputs[i]), inputs_[i], at, part_inputs_[i].data(), own,
              zero, own.shape);
    sources.push_back(part_inputs_[i].data());
  }
  for (std::vector<uint8_t>& output : part_outputs_) sinks.push_back(output.data());
  std::vector<double> own_seconds(seconds == nullptr ? 0 : session.dispatch_count());
  const Status status = seconds == nullptr
                            ? session.Run(sources.data(), sinks.data())
                            : session.Profile(sources.data(), sinks.data(), own_seconds.data());
  if (!status.ok()) return status;
  for (size_t d = 0; d < own_seconds.size(); ++d) seconds[d] += own_seconds[d];
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    const Layout own{session.shape(file.outputs()->Get(i)), outputs_[i].element};
    std::vector<int64_t> from(own.shape.size(), 0), to = from, extents = own.shape;
    for (uint32_t t = 0; t < parts_.size(); ++t) {
      const file::TiledOutput& output = *file.tilings()->Get(t)->outputs()->Get(i);
      if (output.axis() < 0) continue;
      const size_t axis = static_cast<size_t>(output.axis());
      const PartAlong& along = parts_[t][part[t]];
      to[axis] = along.firsts[i];
      from[axis] = along.firsts[i] - along.begin * output.denominator() / output.numerator();
      extents[axis] = std::max<int64_t>(along.ends[i] - along.firsts[i], 0);
    }
    if (!IsInside(from, extents, own) || !IsInside(to, extents, outputs_[i])) return NoPart();
    CopyBlock(part_outputs_[i].data(), own, from, static_cast<uint8_t*>(outputs[i]), outputs_[i],
              to, extents);
  }
  return {};
}

Status TiledSession::Begin(const void* const* inputs) {
  std::vector<void*> sinks;
  finished_.resize(outputs_.size());
  for (uint32_t i = 0; i < outputs_.size(); ++i) {
    finished_[i].resize(output_bytes(i));
    sinks.push_back(finished_[i].data());
  }
  if (Status status = RunParts(inputs, sinks.data(), nullptr); !status.ok()) return status;
  under_way_ = true;
  return {};
}

Status TiledSession::Finish(void* const* outputs) {
  if (!under_way_) return {TVK_INVALID_ARGUMENT, "no run of this session is under way"};
  under_way_ = false;
  for (uint32_t i = 0; i < outputs_.size(); ++i)
    std::memcpy(outputs[i], finished_[i].data(), finished_[i].size());
  return {};
}

TiledSession::~TiledSession() {
  sessions_.clear();
  model_.device().Free(arena_);
}

}  // namespace tessera::vulkan
