// What is cut out, picked and joined: views of memory where the device can read and write them
// there; else weights that are 1 or 0, as long as there are not too many of them.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/npu/legalization/translation.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMostWeights = int64_t{1} << 22;  // that only move

// Row-major strides.
std::vector<int64_t> StridesOf(const std::vector<int64_t>& shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;) strides[d - 1] = strides[d] * shape[d];
  return strides;
}

}  // namespace

// Elements of a value, by their places in memory, beside each other.
absl::StatusOr<Translation::StoredPtr> Translation::ByWeights(const ir::Value* value,
                                                              const std::vector<int64_t>& places,
                                                              const std::string& why) {
  const auto [least, most] = std::minmax_element(places.begin(), places.end());
  const auto count = static_cast<int64_t>(places.size());
  const int64_t from = *least / Alignment() * Alignment();
  int64_t columns = RoundUp(*most + 1 - from, Multiple());
  if (count * columns > kMostWeights)
    return absl::UnimplementedError(
        absl::StrCat(why, "; to move it by weights would take ", count * columns, " of them"));
  ir::Value* flat = Flat(value);
  if (flat == nullptr) return StoredPtr();
  columns = std::min(columns, ElementCountOf(*flat) - from);
  if (columns % Multiple() != 0)
    return absl::UnimplementedError(absl::StrCat(why, "; input.H is ", columns, "; ", device_.name,
                                                 " affine.input.H: a multiple of ", Multiple()));
  Numbers w(static_cast<size_t>(count * columns));
  for (int64_t i = 0; i < count; ++i)
    w[static_cast<size_t>(i * columns + places[static_cast<size_t>(i)] - from)] = 1.0f;
  ir::Value* part = layers().Part(flat, {from, 0}, {columns, 1});
  if (part == nullptr) return StoredPtr();
  auto stored = std::make_shared<Stored>();
  stored->count = count;
  stored->form = std::make_shared<const Form>(
      Form{{{Make({part}, columns), std::move(w)}}, Numbers(static_cast<size_t>(count))});
  return StoredPtr(stored);
}

std::vector<Translation::Neighbours> Translation::RunsOf(const std::vector<int64_t>& places) {
  std::vector<Neighbours> runs;
  for (const int64_t place : places) {
    if (!runs.empty() && runs.back().from + runs.back().count == place) {
      ++runs.back().count;
    } else {
      runs.push_back({0, place, 1});
    }
  }
  return runs;
}

// Neighbouring elements by a copy each, one behind the other.
absl::StatusOr<Translation::StoredPtr> Translation::ByCopies(
    const std::vector<const ir::Value*>& values, const std::vector<Neighbours>& runs) {
  constexpr size_t kMostCopies = 1024;
  if (runs.size() > kMostCopies)
    return absl::UnimplementedError(absl::StrCat("there would be ", runs.size(), " of them"));
  int64_t count = 0;
  for (size_t i = 0; i < runs.size(); ++i) {
    const Neighbours& run = runs[i];
    count += run.count;
    for (const int64_t at : {run.from, i + 1 == runs.size() ? 0 : run.count}) {
      if (at % Alignment() != 0)
        return absl::UnimplementedError(
            absl::StrCat("a part begins or ends at element ", at, "; ", device_.name,
                         " alignment: ", device_.alignment, " bytes, ", Alignment(), " elements"));
    }
  }
  std::vector<ir::Value*> pieces;
  for (const Neighbours& run : runs) {
    ir::Value* flat = Flat(values[run.value]);
    if (flat == nullptr) return StoredPtr();
    const int64_t n = RoundUp(run.count, Multiple());
    if (run.from + n > ElementCountOf(*flat))
      return absl::UnimplementedError("the last part ends amid what the device reads at once");
    pieces.push_back(CopyOf(layers().Part(flat, {run.from, 0}, {n, 1}), n));
    if (pieces.back() == nullptr) return StoredPtr();
  }
  return Make(std::move(pieces), count);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerPicked(const ir::Operation& op) {
  const ir::Tensor* entries = op.operand(1)->constant();
  if (entries == nullptr)
    return absl::UnimplementedError("the device picks entries that are known only");
  const int64_t last = ShapeOf(op.operand(0)).back(), count = entries->size();
  const int64_t vectors = CountOf(op.operand(0)) / std::max<int64_t>(last, 1);
  std::vector<int64_t> chosen;
  for (int64_t i = 0; i < count; ++i) {
    const auto entry = static_cast<int64_t>(entries->AsDouble(i));
    chosen.push_back(entry < 0 ? entry + last : entry);
  }
  if (vectors == 1) return ByWeights(op.operand(0), chosen, "entries are picked");
  Numbers w(static_cast<size_t>(count * last));
  for (int64_t i = 0; i < count; ++i)
    w[static_cast<size_t>(i * last + chosen[static_cast<size_t>(i)])] = 1.0f;
  return LowerRowsAlong(op, vectors, std::move(w), Numbers(static_cast<size_t>(count)));
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerPart(const ir::Operation& op) {
  const Shape whole = ShapeOf(op.operand(0)), sizes = ShapeOf(op.result());
  const Shape strides = StridesOf(whole), own = StridesOf(sizes);
  std::vector<ir::Expr> starts = std::get<std::vector<ir::Expr>>(op.attr(0));
  for (ir::Expr& start : starts) start = OfOneFrame(start);
  const int64_t count = CountOf(op.result());
  std::vector<int64_t> places(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    for (size_t d = 0; d < sizes.size(); ++d)
      places[static_cast<size_t>(i)] +=
          (starts[d].Constant().value_or(0) + i / own[d] % sizes[d]) * strides[d];
  }
  const StoredPtr x = StoredOf(op.operand(0));
  if (x == nullptr) return StoredPtr();
  if (x->form != nullptr) {  // some of the rows
    auto form = std::make_shared<Form>();
    for (const int64_t place : places)
      form->bias.push_back(x->form->bias[static_cast<size_t>(place)]);
    for (const Term& term : x->form->terms) {
      Term& some = form->terms.emplace_back(Term{term.x, {}});
      for (const int64_t place : places) {
        const auto row = term.w.begin() + place * term.x->count;
        some.w.insert(some.w.end(), row, row + term.x->count);
      }
    }
    auto stored = std::make_shared<Stored>();
    stored->count = count;
    stored->form = std::move(form);
    return StoredPtr(stored);
  }
  const int64_t begin = places.empty() ? 0 : places.front();
  if (places.empty()) return absl::UnimplementedError("the device has no place for nothing");
  if (places.back() - begin + 1 != count) {
    absl::StatusOr<StoredPtr> cut =
        ByWeights(op.operand(0), places, "what is cut out lies in several places of memory");
    if (cut.ok()) return cut;
    absl::StatusOr<StoredPtr> copied = ByCopies({op.operand(0)}, RunsOf(places));
    return copied.ok() ? copied
                       : absl::UnimplementedError(absl::StrCat(
                             cut.status().message(), "; by copies: ", copied.status().message()));
  }
  if (begin % Alignment() != 0) {
    return ByWeights(
        op.operand(0), places,
        absl::StrCat("what is cut out begins at element ", begin, "; ", device_.name,
                     " alignment: ", device_.alignment, " bytes, ", Alignment(), " elements"));
  }
  ir::Value* flat = FlatOf(*x);
  if (flat == nullptr) return StoredPtr();
  const int64_t n = std::min(RoundUp(count, Multiple()), ElementCountOf(*flat) - begin);
  if (n % Multiple() != 0)
    return ByWeights(op.operand(0), places,
                     "what is cut out ends amid what the device reads at once");
  return Make({layers().Part(flat, {begin, 0}, {n, 1})}, count);
}

// One layer over all of them, of which each row takes one element.
absl::StatusOr<Translation::StoredPtr> Translation::JoinByWeights(const ir::Operation& op,
                                                                  const std::string& why) {
  const auto axis = static_cast<size_t>(std::get<int64_t>(op.attr(0)));
  const Shape all = ShapeOf(op.result()), own = StridesOf(all);
  const int64_t count = CountOf(op.result());
  int64_t columns = 0;
  for (const ir::Value* operand : op.operands()) columns += RoundUp(CountOf(operand), Alignment());
  if (count * columns > kMostWeights)
    return absl::UnimplementedError(
        absl::StrCat(why, "; to move it by weights would take ", count * columns, " of them"));
  auto form = std::make_shared<Form>();
  form->bias.resize(static_cast<size_t>(count));
  int64_t begin = 0;  // along the axis
  for (const ir::Value* operand : op.operands()) {
    const Shape shape = ShapeOf(operand), strides = StridesOf(shape);
    const int64_t each = CountOf(operand);
    ir::Value* flat = Flat(operand);
    if (flat == nullptr) return StoredPtr();
    Term& term = form->terms.emplace_back(
        Term{Make({flat}, each), Numbers(static_cast<size_t>(count * each))});
    for (int64_t k = 0; k < each; ++k) {
      int64_t row = 0;
      for (size_t d = 0; d < shape.size(); ++d)
        row += (k / strides[d] % shape[d] + (d == axis ? begin : 0)) * own[d];
      term.w[static_cast<size_t>(row * each + k)] = 1.0f;
    }
    begin += shape[axis];
  }
  auto stored = std::make_shared<Stored>();
  stored->count = count;
  stored->form = std::move(form);
  return StoredPtr(stored);
}

// What is joined along an axis that others stand before: in the first of the ways that there is.
absl::StatusOr<Translation::StoredPtr> Translation::JoinScattered(const ir::Operation& op) {
  const auto axis = static_cast<size_t>(std::get<int64_t>(op.attr(0)));
  const Shape all = ShapeOf(op.result()), own = StridesOf(all);
  absl::StatusOr<StoredPtr> joined =
      JoinByWeights(op, "what is joined lies in several places of memory");
  if (joined.ok()) return joined;
  std::vector<const ir::Value*> operands;
  std::vector<Neighbours> runs;
  const int64_t outer = CountOf(op.result()) / (own[axis] * all[axis]);
  for (int64_t i = 0; i < outer; ++i) {
    for (size_t k = 0; k < op.operands().size(); ++k) {
      const int64_t count = ShapeOf(op.operand(k))[axis] * own[axis];
      runs.push_back({k, i * count, count});
    }
  }
  for (const ir::Value* operand : op.operands()) operands.push_back(operand);
  absl::StatusOr<StoredPtr> copied = ByCopies(operands, runs);
  if (copied.ok()) return copied;
  std::string why =
      absl::StrCat(joined.status().message(), "; by copies: ", copied.status().message());
  if (axis + 1 == all.size() && op.operands().size() > 1) {
    absl::StatusOr<StoredPtr> filtered = JoinByFilters(op);
    if (filtered.ok()) return filtered;
    absl::StrAppend(&why, "; by filters: ", filtered.status().message());
  }
  return absl::UnimplementedError(why);
}

absl::StatusOr<Translation::StoredPtr> Translation::LowerJoin(const ir::Operation& op) {
  const auto axis = static_cast<size_t>(std::get<int64_t>(op.attr(0)));
  const Shape all = ShapeOf(op.result());
  for (size_t d = 0; d < axis; ++d) {
    if (all[d] == 1) continue;
    return JoinScattered(op);
  }
  for (size_t i = 0; i + 1 < op.operands().size(); ++i) {
    if (CountOf(op.operand(i)) % Alignment() != 0) {
      return JoinByWeights(
          op, absl::StrCat("part ", i + 1, " would begin amid ", CountOf(op.operand(i)),
                           " elements; ", device_.name, " alignment: ", device_.alignment,
                           " bytes, ", Alignment(), " elements"));
    }
  }
  std::vector<ir::Value*> parts;
  for (size_t i = 0; i < op.operands().size(); ++i) {
    const ir::Value* operand = op.operand(i);
    const StoredPtr x = StoredOf(operand);
    if (x == nullptr) return StoredPtr();
    const bool last = i + 1 == op.operands().size();
    const int64_t size = last ? RoundUp(x->count, Multiple()) : x->count;
    // In its place from the start, if a layer makes it for this alone.
    const bool own = x->form != nullptr || (Readers(Root(operand)) == 1 && x->pieces.size() == 1 &&
                                            x->pieces[0]->producer() != nullptr &&
                                            ElementCountOf(*x->pieces[0]) == size &&
                                            (IsSum(StepOf(*x->pieces[0]->producer())) ||
                                             x->pieces[0]->producer()->info().elementwise));
    ir::Value* flat = Fitted(FlatOf(*x), size);
    if (!own) flat = CopyOf(flat, size);
    if (flat == nullptr) return StoredPtr();
    parts.push_back(flat);
  }
  return Make({layers().Join(parts, 0)}, CountOf(op.result()));
}

}  // namespace tessera::npu
