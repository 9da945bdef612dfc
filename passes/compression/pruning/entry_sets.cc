#include "passes/compression/pruning/entry_sets.h"

#include <algorithm>
#include <set>

namespace tessera::compression {

int64_t EntrySets::IdOf(const TensorAxis& axis, int64_t size, int64_t entry) {
  const auto [place, fresh] = axes_.emplace(axis, std::pair(parent_.size(), size));
  for (int64_t i = 0; fresh && i < size; ++i) {
    entries_.push_back({axis, i});
    parent_.push_back(static_cast<int64_t>(parent_.size()));
  }
  return place->second.first + entry;
}

int64_t EntrySets::RootOf(int64_t id) const {
  while (parent_[static_cast<size_t>(id)] != id) {
    int64_t& up = parent_[static_cast<size_t>(id)];
    up = parent_[static_cast<size_t>(up)];
    id = up;
  }
  return id;
}

void EntrySets::Join(int64_t a, int64_t b) {
  a = RootOf(a);
  b = RootOf(b);
  parent_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
}

void EntrySets::Pin(int64_t id, const std::string& reason) { pinned_.emplace(id, reason); }

void EntrySets::Pin(const Class& one, const std::string& reason) {
  for (const Entry& entry : one.entries) Pin(axes_.at(entry.axis).first + entry.index, reason);
}

void EntrySets::PinAxis(const TensorAxis& axis, int64_t size, const std::string& reason) {
  for (int64_t i = 0; i < size; ++i) Pin(IdOf(axis, size, i), reason);
}

bool EntrySets::SomeStay(const TensorAxis& axis, int64_t size) {
  const int64_t first = IdOf(axis, size, 0);
  std::set<int64_t> roots;
  for (int64_t i = 0; i < size; ++i) roots.insert(RootOf(first + i));
  return std::any_of(pinned_.begin(), pinned_.end(),
                     [&](const auto& pinned) { return roots.contains(RootOf(pinned.first)); });
}

std::vector<EntrySets::Class> EntrySets::Classes() const {
  std::vector<Class> classes;
  std::map<int64_t, size_t> by_root;
  for (size_t id = 0; id < entries_.size(); ++id) {
    const auto [place, fresh] = by_root.emplace(RootOf(static_cast<int64_t>(id)), classes.size());
    if (fresh) classes.emplace_back();
    classes[place->second].entries.push_back(entries_[id]);
  }
  for (const auto& [id, reason] : pinned_) {
    Class& one = classes[by_root.at(RootOf(id))];
    if (one.pinned.empty()) one.pinned = reason;
  }
  for (Class& one : classes) {
    std::sort(one.entries.begin(), one.entries.end(), [](const Entry& a, const Entry& b) {
      return std::pair(a.axis, a.index) < std::pair(b.axis, b.index);
    });
  }
  return classes;
}

}  // namespace tessera::compression
