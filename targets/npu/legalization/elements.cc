// Weighted sums, sums and products of data, elementwise operations and views, as the device has
// them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

std::vector<float> NumbersOf(const ir::Tensor& tensor) {
  const float* data = tensor.data<float>();
  return {data, data + tensor.size()};
}

}  // namespace

ir::Value* Translation::FlatOf(const Stored& stored) {
  if (stored.form != nullptr) return Materialized(*stored.form);
  // Pieces lie in one place alone, which all share that read them together.
  ir::Value*& known = At(level_).whole[stored.pieces];
  if (known != nullptr) return known;
  std::vector<ir::Value*> columns;
  for (ir::Value* piece : stored.pieces)
    columns.push_back(layers().Reshaped(piece, {ElementCountOf(*piece), 1}));
  return layers().status().ok() ? known = layers().Join(columns, 0) : nullptr;
}

ir::Value* Translation::Flat(const ir::Value* value) {
  const StoredPtr stored = StoredOf(value);
  if (stored == nullptr) return nullptr;
  if (stored->form == nullptr) return FlatOf(*stored);
  ir::Value*& known = At(level_).materialized[Root(value)];
  if (known == nullptr) known = Materialized(*stored->form);
  return known;
}

ir::Value* Translation::Fitted(ir::Value* flat, int64_t size) {
  if (flat == nullptr) return nullptr;
  if (const int64_t there = ElementCountOf(*flat); there < size) {
    layers().Fail(absl::UnimplementedError(
        absl::StrCat("a layer would read ", size, " elements, of which there are ", there, "; ",
                     device_.name, " affine.input.H: a multiple of ", Multiple())));
    return nullptr;
  }
  return layers().Part(flat, {0, 0}, {size, 1});
}

// As many copies as it takes.
ir::Value* Translation::CopyOf(ir::Value* flat, int64_t size) {
  if (flat == nullptr) return nullptr;
  const int64_t count = ElementCountOf(*flat);
  const int64_t most = Most(device_, "copy", "input", 'W') / Alignment() * Alignment();
  std::vector<ir::Value*> parts;
  for (int64_t from = 0; from < count; from += most) {
    const int64_t n = std::min(most, count - from);
    const int64_t room = from + n == count ? size - from : n;
    ir::Value* row = layers().Reshaped(layers().Part(flat, {from, 0}, {n, 1}), {1, n});
    if (row != nullptr) row = layers().Copied(row, room);
    if (row != nullptr) row = layers().Reshaped(row, {room, 1});
    if (row == nullptr) return nullptr;
    parts.push_back(row);
  }
  return layers().Join(parts, 0);
}

// Copies, shared by all that read the same vectors beside each other.
ir::Value* Translation::Beside(const std::vector<ir::Value*>& parts,
                               const std::vector<int64_t>& sizes) {
  ir::Value*& known = At(level_).beside[parts];
  if (known != nullptr) return known;
  std::vector<ir::Value*> copies;
  for (size_t i = 0; i < parts.size(); ++i) {
    copies.push_back(CopyOf(parts[i], sizes[i]));
    if (copies.back() == nullptr) return nullptr;
  }
  return known = layers().Join(copies, 0);
}

// Weighted sums of all of one vector.
absl::StatusOr<Translation::StoredPtr> Translation::LowerVector(const ir::Value* value, Numbers w,
                                                                Numbers bias) {
  StoredPtr x = StoredOf(value);
  if (x == nullptr) return StoredPtr();
  auto stored = std::make_shared<Stored>();
  stored->count = static_cast<int64_t>(bias.size());
  if (x->form != nullptr) {  // as it is in memory
    ir::Value* flat = Flat(value);
    if (flat == nullptr) return StoredPtr();
    x = Make({flat}, x->count);
  }
  stored->form = std::make_shared<const Form>(Form{{{x, std::move(w)}}, std::move(bias)});
  return StoredPtr(stored);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerRows(const ir::Operation& op) {
  const ir::Tensor* w = op.operand(1)->constant();
  const ir::Tensor* bias = op.operand(2)->constant();
  if (w == nullptr || bias == nullptr)
    return absl::UnimplementedError("the device multiplies by constant matrices only");
  const int64_t rows = w->shape()[0];
  const int64_t vectors = CountOf(op.result()) / rows;
  if (vectors == 1) return LowerVector(op.operand(0), NumbersOf(*w), NumbersOf(*bias));
  // Vectors one behind the other: filters as long as a vector, which go on by one.
  return LowerRowsAlong(op, vectors, NumbersOf(*w), NumbersOf(*bias));
}

// Elements that one elementwise layer takes.
int64_t Translation::MostElements() const {
  return Most(device_, "diagonal", "input", 'H') / Alignment() * Alignment();
}

// Numbers for each element are weights or biases of their own.
absl::StatusOr<Translation::StoredPtr> Translation::LowerWithNumbers(const ir::Value* x,
                                                                     const ir::Tensor& numbers,
                                                                     bool product) {
  const int64_t count = CountOf(x), size = RoundUp(count, Multiple());
  ir::Value* flat = Fitted(Flat(x), size);
  if (flat == nullptr) return StoredPtr();
  std::vector<ir::Value*> pieces;
  for (int64_t from = 0; from < size; from += MostElements()) {
    const int64_t n = std::min(MostElements(), size - from);
    Numbers own(static_cast<size_t>(n));
    for (int64_t i = from; i < from + n; ++i)
      own[static_cast<size_t>(i - from)] =
          static_cast<float>(numbers.AsDouble(std::min(i, count - 1)));
    Numbers all(static_cast<size_t>(n), product ? 0.0f : 1.0f);
    ir::Value* part = layers().Part(flat, {from, 0}, {n, 1});
    if (part == nullptr) return StoredPtr();
    pieces.push_back(product ? layers().Diagonal(part, std::move(own), std::move(all))
                             : layers().Diagonal(part, std::move(all), std::move(own)));
  }
  if (!layers().status().ok()) return StoredPtr();
  return Make(std::move(pieces), count);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerSum(const ir::Operation& op) {
  const ir::Value *x = op.operand(0), *z = op.operand(1);
  if (z->constant() != nullptr) std::swap(x, z);
  if (x->constant() != nullptr) return LowerWithNumbers(z, *x->constant(), false);
  const StoredPtr a = StoredOf(x), b = StoredOf(z);
  if (a == nullptr || b == nullptr) return StoredPtr();
  const int64_t count = CountOf(op.result());
  if (a->form != nullptr && b->form != nullptr) {
    auto form = std::make_shared<Form>(*a->form);
    for (const Term& term : b->form->terms) form->terms.push_back(term);
    for (size_t i = 0; i < form->bias.size(); ++i) form->bias[i] += b->form->bias[i];
    auto stored = std::make_shared<Stored>();
    stored->count = count;
    stored->form = std::move(form);
    return StoredPtr(stored);
  }
  // What stands in the place of the biases keeps 32 bits, so it is a sum that nothing else reads.
  const auto is_sum = [&](const ir::Value* value, const Stored& stored) {
    if (stored.form != nullptr) return true;
    return Readers(Root(value)) == 1 &&
           std::all_of(stored.pieces.begin(), stored.pieces.end(), [](const ir::Value* piece) {
             return piece->producer() != nullptr && IsSum(StepOf(*piece->producer()));
           });
  };
  const bool first = is_sum(x, *a) && !is_sum(z, *b);
  const ir::Value* added = first ? z : x;
  const ir::Value* base = first ? x : z;
  const int64_t size = RoundUp(count, Multiple());
  ir::Value* flat = Fitted(Flat(added), size);
  const bool sum = is_sum(base, *StoredOf(base));
  ir::Value* y0 = sum ? FlatOf(*StoredOf(base)) : Flat(base);
  y0 = Fitted(y0, size);
  if (flat == nullptr || y0 == nullptr) return StoredPtr();
  std::vector<ir::Value*> pieces;
  for (int64_t from = 0; from < size; from += MostElements()) {
    const int64_t n = std::min(MostElements(), size - from);
    const Numbers ones(static_cast<size_t>(n), 1.0f);
    ir::Value* bias = layers().Part(y0, {from, 0}, {n, 1});
    if (!sum && bias != nullptr)
      bias = layers().Diagonal(bias, ones, Numbers(static_cast<size_t>(n)));
    ir::Value* part = layers().Part(flat, {from, 0}, {n, 1});
    if (!layers().status().ok()) return StoredPtr();
    pieces.push_back(layers().Accumulate(part, ones, bias));
  }
  if (!layers().status().ok()) return StoredPtr();
  return Make(std::move(pieces), count);
}

// Numbers for each element are what a layer of single weights has.
absl::StatusOr<Translation::StoredPtr> Translation::LowerScaled(const ir::Operation& op) {
  const ir::Tensor* w = op.operand(1)->constant();
  const ir::Tensor* bias = op.operand(2)->constant();
  if (w == nullptr || bias == nullptr)
    return absl::UnimplementedError("the device scales by constants only");
  const StoredPtr x = StoredOf(op.operand(0));
  if (x == nullptr) return StoredPtr();
  const int64_t count = x->count, each = w->size(), size = RoundUp(count, Multiple());
  Numbers scales(static_cast<size_t>(size)), sums(static_cast<size_t>(size));
  // What is rounded up to is more of the last one, as of weighted sums.
  for (int64_t i = 0; i < size; ++i) {
    scales[static_cast<size_t>(i)] = w->data<float>()[std::min(i, count - 1) % each];
    sums[static_cast<size_t>(i)] = bias->data<float>()[std::min(i, count - 1) % each];
  }
  ir::Value* flat = Fitted(Flat(op.operand(0)), size);
  if (flat == nullptr) return StoredPtr();
  std::vector<ir::Value*> pieces;
  for (int64_t from = 0; from < size; from += MostElements()) {
    const int64_t n = std::min(MostElements(), size - from);
    const auto part = [&](const Numbers& numbers) {
      return Numbers(numbers.begin() + from, numbers.begin() + from + n);
    };
    ir::Value* piece = layers().Part(flat, {from, 0}, {n, 1});
    if (piece == nullptr) return StoredPtr();
    pieces.push_back(layers().Diagonal(piece, part(scales), part(sums)));
  }
  if (!layers().status().ok()) return StoredPtr();
  return Make(std::move(pieces), count);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerProduct(const ir::Operation& op) {
  for (const size_t i : {size_t{0}, size_t{1}}) {
    if (const ir::Tensor* numbers = op.operand(i)->constant(); numbers != nullptr)
      return LowerWithNumbers(op.operand(1 - i), *numbers, true);
  }
  const int64_t count = CountOf(op.result());
  const int64_t size = RoundUp(count, Multiple());
  ir::Value* x = Fitted(Flat(op.operand(0)), size);
  ir::Value* z = Fitted(Flat(op.operand(1)), size);
  if (x == nullptr || z == nullptr) return StoredPtr();
  std::vector<ir::Value*> pieces;
  for (int64_t from = 0; from < size; from += MostElements()) {
    const int64_t n = std::min(MostElements(), size - from);
    pieces.push_back(
        layers().Product(layers().Part(x, {from, 0}, {n, 1}), layers().Part(z, {from, 0}, {n, 1})));
    if (!layers().status().ok()) return StoredPtr();
  }
  return Make(std::move(pieces), count);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerElementwise(const ir::Operation& op) {
  size_t data = 0;
  while (op.operand(data) == nullptr || op.operand(data)->constant() != nullptr) ++data;
  const ir::Value* x = op.operand(data);
  const StoredPtr stored = StoredOf(x);
  if (stored == nullptr) return StoredPtr();
  // A table stands behind a layer that nothing else reads.
  std::vector<ir::Value*> pieces = stored->pieces;
  if (stored->form != nullptr) {
    ir::Value* made = Materialized(*stored->form);
    if (made == nullptr) return StoredPtr();
    pieces = {made};
    // Of more rows than one layer has: each of the layers has its table.
    if (const ir::Operation* join = made->producer();
        join != nullptr && StepOf(*join) == Step::kJoin)
      pieces.assign(join->operands().begin(), join->operands().end());
  } else {
    const bool behind =
        Readers(Root(x)) == 1 &&
        std::all_of(pieces.begin(), pieces.end(), [](const ir::Value* piece) {
          const ir::Operation* producer = piece->producer();
          return producer != nullptr && (IsSum(StepOf(*producer)) || producer->info().elementwise);
        });
    if (!behind) {
      const int64_t size = RoundUp(stored->count, Multiple());
      ir::Value* flat = Fitted(FlatOf(*stored), size);
      pieces.clear();
      if (flat == nullptr) return StoredPtr();
      for (int64_t from = 0; from < size; from += MostElements()) {
        const int64_t n = std::min(MostElements(), size - from);
        ir::Value* part = layers().Part(flat, {from, 0}, {n, 1});
        if (part == nullptr) return StoredPtr();
        pieces.push_back(layers().Diagonal(part, Numbers(static_cast<size_t>(n), 1.0f),
                                           Numbers(static_cast<size_t>(n))));
      }
    }
  }
  for (ir::Value*& piece : pieces) {
    std::vector<ir::Value*> operands;
    for (const ir::Value* operand : op.operands()) {
      const ir::Tensor* constant = operand == nullptr ? nullptr : operand->constant();
      operands.push_back(operand == nullptr ? nullptr
                         : constant == nullptr
                             ? piece
                             : layers().rewriter().CreateConstant(constant->Reshaped({})));
    }
    const absl::StatusOr<ir::Value*> made = layers().Like(op, std::move(operands));
    if (!made.ok())
      return absl::UnimplementedError("it takes no column of elements beside one number each");
    piece = *made;
    if (piece == nullptr) return StoredPtr();
  }
  return Make(std::move(pieces), stored->count);
}

}  // namespace tessera::npu
