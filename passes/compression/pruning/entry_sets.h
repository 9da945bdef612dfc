// Entries of axes (channel 3 of a value, row 3 of a weight), in classes of those that can only go
// together.
#ifndef TESSERA_PASSES_COMPRESSION_PRUNING_ENTRY_SETS_H_
#define TESSERA_PASSES_COMPRESSION_PRUNING_ENTRY_SETS_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tessera::compression {

// An axis of a tensor. Tensors have numbers: values of a graph their ids, others what is free.
using TensorAxis = std::pair<int64_t, int64_t>;

class EntrySets {
 public:
  // Entries are numbered on first use; an axis has the same size each time.
  int64_t IdOf(const TensorAxis& axis, int64_t size, int64_t entry);
  void Join(int64_t a, int64_t b);
  // The entry, and all that goes with it, stays. The first reason is kept.
  void Pin(int64_t id, const std::string& reason);
  void PinAxis(const TensorAxis& axis, int64_t size, const std::string& reason);
  // Whether some entry of the axis stays by what is known so far.
  bool SomeStay(const TensorAxis& axis, int64_t size);

  struct Entry {
    TensorAxis axis;
    int64_t index = 0;
  };
  struct Class {
    std::vector<Entry> entries;  // by axis and index
    std::string pinned;          // why; empty: it may go
  };
  // In the order of their first entries.
  std::vector<Class> Classes() const;
  void Pin(const Class& one, const std::string& reason);

 private:
  int64_t RootOf(int64_t id) const;

  std::map<TensorAxis, std::pair<int64_t, int64_t>> axes_;  // first id and size
  std::vector<Entry> entries_;
  mutable std::vector<int64_t> parent_;
  std::map<int64_t, std::string> pinned_;  // by the entry that was named
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_PRUNING_ENTRY_SETS_H_
