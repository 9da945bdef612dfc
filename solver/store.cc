#include "solver/store.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/strings/string_view.h"

namespace tessera::solver::internal {
namespace {

constexpr size_t kFirstBlock = 8 << 10;
constexpr size_t kBlock = 64 << 10;

uint64_t Digest(Kind kind, int64_t constant, absl::Span<const Slot> slots) {
  constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15;
  uint64_t h = (static_cast<uint64_t>(kind) + 1) * kMultiplier + static_cast<uint64_t>(constant);
  for (const Slot& slot : slots) {
    const uint64_t key = slot.node == nullptr ? 0 : slot.node->key;
    h = (h ^ (h >> 29)) * kMultiplier + key +
        static_cast<uint64_t>(slot.value) * 0xC2B2AE3D27D4EB4F;
    h = (h ^ (h >> 32)) * 0xD6E8FEB86659FD93;
  }
  return h ^ (h >> 29);
}

// Depth in the upper byte; within a depth, symbols by declaration, then the rest by digest.
uint64_t KeyOf(Kind kind, uint16_t depth, int64_t constant, uint64_t digest) {
  const uint64_t level = static_cast<uint64_t>(depth) << 56;
  const uint64_t index = static_cast<uint64_t>(constant) & 0x3FFFFFFF;
  if (kind == Kind::kSymbol) return level | index;
  if (kind == Kind::kQuotient) return level | uint64_t{1} << 54 | index << 24 | digest >> 40;
  return level | uint64_t{1} << 55 | digest >> 9;
}

// Where a key is looked for. The order of nodes makes keys of symbols consecutive: left in place
// they would fill the table in one piece, through which all that lands there would be looked for.
size_t PlaceOf(uint64_t key) {
  const uint64_t mixed = (key ^ (key >> 32)) * 0x9E3779B97F4A7C15;
  return static_cast<size_t>(mixed ^ (mixed >> 32));
}

// Of sizes that are enlarged by fractions one behind the other the text doubles with each, since it
// repeats what is shared, while the nodes do not: whoever prints one, or takes it apart, is lost
// beyond so many terms. Less deep ones are never that long.
constexpr int64_t kMostWritten = 1 << 16;
constexpr uint16_t kShallow = 8;

class Lengths {
 public:
  int64_t Of(absl::Span<const Slot> slots) {
    int64_t length = 1;
    for (const Slot& slot : slots) {
      length += slot.node == nullptr ? 1 : Of(slot.node);
      if (length > kMostWritten) return kMostWritten + 1;
    }
    return length;
  }

 private:
  int64_t Of(const Node* node) {
    if (const auto known = lengths_.find(node); known != lengths_.end()) return known->second;
    const int64_t length = Of(node->slots());
    lengths_.emplace(node, length);
    return length;
  }

  absl::flat_hash_map<const Node*, int64_t> lengths_;
};

bool IsTooLong(absl::Span<const Slot> slots) { return Lengths().Of(slots) > kMostWritten; }

}  // namespace

Store::Store(Context* owner) : context(owner) {}
Store::~Store() = default;

const Node* Store::InvalidNode() {
  static const Node node;
  return &node;
}

void* Store::Allocate(size_t bytes) {
  bytes = (bytes + alignof(Node) - 1) / alignof(Node) * alignof(Node);
  if (bytes > free_bytes_) {
    const size_t size = std::max(bytes, blocks_.empty() ? kFirstBlock : kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    free_ = blocks_.back().get();
    free_bytes_ = size;
  }
  void* result = free_;
  free_ += bytes;
  free_bytes_ -= bytes;
  return result;
}

void Store::Grow() {
  const size_t capacity = capacity_ * 4;
  auto table = std::make_unique<const Node*[]>(capacity);
  for (size_t i = 0; i < capacity_; ++i) {
    if (table_[i] == nullptr) continue;
    size_t at = PlaceOf(table_[i]->key) & (capacity - 1);
    while (table[at] != nullptr) at = (at + 1) & (capacity - 1);
    table[at] = table_[i];
  }
  large_table_ = std::move(table);
  table_ = large_table_.get();
  capacity_ = capacity;
}

const Node* Store::Intern(Kind kind, int64_t constant, absl::Span<const Slot> slots) {
  work += 1 + slots.size();
  uint32_t children_generation = generation;
  uint16_t depth = 0;
  uint64_t occurring = kind == Kind::kSymbol || kind == Kind::kQuotient ? SymbolBit(constant) : 0;
  for (const Slot& slot : slots) {
    if (slot.node == nullptr) continue;
    children_generation = std::min(children_generation, slot.node->generation);
    depth = std::max(depth, slot.node->depth);
    occurring |= slot.node->symbols;
  }
  if (kind != Kind::kSum && kind != Kind::kProduct) ++depth;

  const uint64_t key = KeyOf(kind, depth, constant, Digest(kind, constant, slots));
  size_t at = PlaceOf(key) & (capacity_ - 1);
  for (; table_[at] != nullptr; at = (at + 1) & (capacity_ - 1)) {
    const Node& node = *table_[at];
    if (node.key == key && node.kind == kind && node.constant == constant &&
        node.slots() == slots) {
      // The same rules led here again, with what is known now.
      node.generation = std::max(node.generation, children_generation);
      return &node;
    }
  }
  Node* node = new (Allocate(sizeof(Node) + slots.size() * sizeof(Slot))) Node;
  node->store = this;
  node->id = ++node_count_;
  node->key = key;
  node->kind = kind;
  node->depth = depth;
  node->size = static_cast<uint32_t>(slots.size());
  node->generation = children_generation;
  node->constant = constant;
  node->symbols = occurring;
  if (!slots.empty())
    std::memcpy(static_cast<void*>(node + 1), slots.data(), slots.size() * sizeof(Slot));
  table_[at] = node;
  if (node_count_ * 2 > capacity_) Grow();
  return node;
}

Expr Store::Atom(Kind kind, int64_t constant, absl::Span<const Slot> slots) {
  uint16_t depth = 0;
  for (const Slot& slot : slots) {
    if (slot.node == nullptr) continue;
    if (slot.node->kind == Kind::kInvalid || slot.node->depth >= kMaxDepth) return Expr::Invalid();
    depth = std::max(depth, slot.node->depth);
  }
  if (depth >= kShallow && IsTooLong(slots)) return Expr::Invalid();
  return Expr(Intern(kind, constant, slots));
}

int Store::FindSymbol(std::string_view name) const {
  const auto it = symbol_index_.find(absl::string_view(name.data(), name.size()));
  return it == symbol_index_.end() ? -1 : it->second;
}

SymbolEntry& Store::AddSymbol(std::string name, Range range, Congruence congruence,
                              std::string origin) {
  const int64_t index = static_cast<int64_t>(symbols.size());
  symbol_index_.emplace(name, static_cast<int>(index));
  SymbolEntry& entry = symbols.emplace_back();
  entry.info.name = std::move(name);
  entry.info.range = range;
  entry.info.congruence = congruence;
  entry.info.origin = std::move(origin);
  entry.node = Intern(Kind::kSymbol, index, {});
  Refresh(entry);
  return entry;
}

Expr Store::Quotient(int64_t symbol, int64_t stride, int64_t residue) {
  const Slot slots[] = {{nullptr, stride}, {nullptr, residue}};
  return Atom(Kind::kQuotient, symbol, slots);
}

void Store::Refresh(SymbolEntry& entry) {
  const Congruence& c = entry.info.congruence;
  if (entry.info.value) {
    entry.current = *entry.info.value;
  } else if (entry.info.range.lo == entry.info.range.hi) {
    entry.current = entry.info.range.lo;
  } else if (c.stride > 1) {
    entry.current = Quotient(entry.node->constant, c.stride, c.residue) * c.stride + c.residue;
  } else {
    entry.current = Of(entry.node);
  }
}

Store* CommonStore(const Expr& a, const Expr& b) {
  const Node* x = Store::NodeOf(a);
  const Node* y = Store::NodeOf(b);
  if (x == nullptr) return y == nullptr ? nullptr : y->store;
  if (y != nullptr && y->store != x->store) return nullptr;
  return x->store;
}

}  // namespace tessera::solver::internal
