#include "passes/compression/pruning/couplings.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nests/library.h"
#include "passes/compression/pruning/index_table.h"

namespace tessera::compression {
namespace {

using nests::TensorId;

// Axes of no more entries are looked at one by one.
constexpr int64_t kMostEntries = 1 << 16;
constexpr char kSeveral[] = "takes entries by several indices at once";

// Of a nest: an axis of the target, or of something it reads.
struct Place {
  TensorAxis axis;
  int64_t size = 0;  // 1: it cannot shrink; -1: not known, or too large
  // By symbol along which the index varies: the index at each of its values; -1: not read there.
  std::map<std::string, std::vector<int64_t>> along;
  bool mixed = false;  // the index at one value depends on others too, or on data
  // Of a mixed one, for at most one symbol: what is read at each of its values (IndexTable).
  std::map<std::string, std::vector<IndexTable::Access::Run>> runs;
  std::vector<std::string> digits;  // IndexTable
  size_t access = 0;
  bool Tracked() const { return size > 1; }
};

// One axis on one side of an operation that moves entries, and the axes on its other side whose
// entries are the digits of its entries' numbers (heads, and what each of them has). One of these
// can lose entries: each with all that has this digit.
struct Fold {
  struct Digit {
    TensorAxis axis;
    int64_t size = 0, step = 0;
  };
  TensorAxis whole;
  int64_t size = 0;
  std::vector<Digit> digits;  // the one with the largest steps first
  std::string reason;         // why the others stay
};

class Analysis {
 public:
  Analysis(const ir::Graph& graph, solver::Context& context) : graph_(graph), context_(context) {}

  EntrySets Run() {
    for (const ir::Value* input : graph_.inputs()) PinAll(*input, "is an input of the network");
    for (const ir::Operation* op : graph_.TopologicalOrder()) {
      if (op->payload() == nullptr) Visit(*op);
    }
    for (const ir::Value* output : graph_.outputs()) PinAll(*output, "is an output of the network");
    for (const Fold& fold : folds_) Settle(fold);
    return std::move(sets_);
  }

 private:
  static int64_t SizeOf(const solver::Expr& dim) {
    const std::optional<int64_t> size = dim.Constant();
    return size.has_value() && *size <= kMostEntries ? *size : -1;
  }

  void PinAll(const ir::Value& value, const std::string& reason) {
    if (value.kind() != ir::Value::Kind::kTensor) return;
    for (int64_t a = 0; a < value.type().rank(); ++a) {
      const int64_t size = SizeOf(value.type().dims[static_cast<size_t>(a)]);
      if (size > 1) sets_.PinAxis({value.id(), a}, size, reason);
    }
  }

  void Visit(const ir::Operation& op) {
    const absl::StatusOr<nests::Computation> computation = nests::ComputationOf(op, context_);
    std::optional<std::vector<Tabulated>> nests;
    if (computation.ok()) nests = Tabulate(op, *computation);
    if (!nests) {
      const std::string reason =
          absl::StrCat("`", std::string(op.info().name), "` is no list of nests");
      for (const ir::Value* operand : op.operands()) {
        if (operand != nullptr) PinAll(*operand, reason);
      }
      for (const ir::Value* result : op.results()) PinAll(*result, reason);
      return;
    }
    op_ = &op;
    covered_.clear();
    for (Tabulated& nest : *nests) Relate(nest);
    // An entry of an operand that nothing reads, or of a result that nothing is read for, has its
    // place by number.
    for (const auto& [axis, covered] : covered_) {
      const auto all = static_cast<int64_t>(covered.size());
      for (int64_t e = 0; e < all; ++e) {
        if (!covered[static_cast<size_t>(e)])
          sets_.PinAxis(axis, all, Because("takes entries by their number"));
      }
    }
    temps_ -= static_cast<int64_t>(computation->temps.size());
  }

  std::string Because(const std::string& what) const {
    return absl::StrCat("`", std::string(op_->info().name), "` at ", op_->location().ToString(),
                        " ", what);
  }

  struct Tabulated {
    IndexTable table;
    std::vector<Place> places;  // those that are written first
    size_t written = 0;
  };
  std::optional<std::vector<Tabulated>> Tabulate(const ir::Operation& op,
                                                 const nests::Computation& computation) const {
    std::vector<Tabulated> all;
    for (const nests::Nest& nest : computation.nests) {
      if (nest.order.along >= 0) return std::nullopt;
      std::optional<IndexTable> table = TabulateIndices(nest, computation);
      if (!table) return std::nullopt;
      std::vector<Place> places;
      for (const IndexTable::Access& access : table->accesses) {
        const nests::TensorInfo& info = computation.At(access.tensor);
        for (size_t a = 0; a < info.dims.size(); ++a) {
          Place place;
          place.axis = {NumberOf(op, access.tensor), static_cast<int64_t>(a)};
          place.size = SizeOf(info.dims[a]);
          place.along = access.along[a];
          place.runs = access.runs[a];
          place.digits = access.digits[a];
          place.access = static_cast<size_t>(&access - table->accesses.data());
          place.mixed = access.mixed[a] || place.along.size() > 1;
          places.push_back(std::move(place));
        }
      }
      all.push_back({*std::move(table), std::move(places), nest.at.size()});
    }
    return all;
  }

  int64_t NumberOf(const ir::Operation& op, TensorId id) const {
    const auto index = static_cast<size_t>(id.index);
    if (id.kind == TensorId::kOperand) return op.operand(index)->id();
    if (id.kind == TensorId::kResult) return op.result(index)->id();
    return temps_ - id.index;
  }

  void PinPlace(const Place& place, const char* reason) {
    if (place.Tracked()) sets_.PinAxis(place.axis, place.size, Because(reason));
  }
  void Cover(const Place& place, int64_t entry) {
    std::vector<bool>& covered = covered_[place.axis];
    covered.resize(static_cast<size_t>(place.size));
    if (entry >= 0) covered[static_cast<size_t>(entry)] = true;
  }
  static bool Rises(const std::vector<int64_t>& indices) {
    int64_t last = -1;
    for (const int64_t index : indices) {
      if (index < 0) continue;
      if (index <= last) return false;
      last = index;
    }
    return true;
  }

  // Of a nest that moves entries: axes that are split into several, or made of several. Returns the
  // symbols that have part in it.
  std::set<std::string> FindFolds(const Tabulated& nest) {
    std::set<std::string> folded;
    if (nest.table.accesses.size() != 2) return folded;
    for (const IndexTable::Symbol& symbol : nest.table.symbols) {
      if (symbol.reduced || symbol.counts) return folded;
    }
    std::map<std::string, std::vector<const Place*>> made, read;
    for (const Place& place : nest.places) {
      for (const auto& [symbol, indices] : place.along)
        (place.access == 0 ? made : read)[symbol].push_back(&place);
    }
    const auto alone = [](const std::vector<const Place*>& places) {
      return places.size() == 1 && places[0]->Tracked() && !places[0]->mixed &&
             Rises(places[0]->along.begin()->second);
    };
    for (const Place& place : nest.places) {
      if (place.access == 0 || place.digits.empty() || !place.Tracked()) continue;
      Fold fold{place.axis, place.size, {}, Because(kSeveral)};
      int64_t step = place.size;
      for (const std::string& symbol : place.digits) {
        if (!alone(made[symbol]) || read[symbol].size() != 1) break;
        const Place& digit = *made[symbol][0];
        fold.digits.push_back({digit.axis, digit.size, step /= digit.size});
      }
      if (fold.digits.size() != place.digits.size() || step != 1) continue;
      folded.insert(place.digits.begin(), place.digits.end());
      folds_.push_back(std::move(fold));
    }
    for (auto& [symbol, places] : read) {
      if (places.size() < 2 || folded.contains(symbol) || !alone(made[symbol])) continue;
      const Place& whole = *made[symbol][0];
      if (std::optional<std::vector<Fold::Digit>> digits = DigitsOf(symbol, places, whole.size)) {
        folds_.push_back({whole.axis, whole.size, *std::move(digits), Because(kSeveral)});
        folded.insert(symbol);
      }
    }
    return folded;
  }

  // If the axes that are read at each value of the symbol are digits of it.
  static std::optional<std::vector<Fold::Digit>> DigitsOf(const std::string& symbol,
                                                          std::vector<const Place*> places,
                                                          int64_t size) {
    std::vector<Fold::Digit> digits;
    int64_t step = size;
    // Axes lie in order of their steps.
    for (const Place* place : places) {
      if (!place->Tracked() || place->mixed || place->along.size() != 1 || step % place->size != 0)
        return std::nullopt;
      step /= place->size;
      const std::vector<int64_t>& indices = place->along.at(symbol);
      if (static_cast<int64_t>(indices.size()) != size) return std::nullopt;
      for (int64_t v = 0; v < size; ++v) {
        if (indices[static_cast<size_t>(v)] != v / step % place->size) return std::nullopt;
      }
      digits.push_back({place->axis, place->size, step});
    }
    if (step != 1) return std::nullopt;
    return digits;
  }

  // The first digit of which, by all else, no entry has to stay.
  void Settle(const Fold& fold) {
    const Fold::Digit* chosen = nullptr;
    for (const Fold::Digit& digit : fold.digits) {
      if (chosen == nullptr && !sets_.SomeStay(digit.axis, digit.size)) {
        chosen = &digit;
      } else {
        sets_.PinAxis(digit.axis, digit.size, fold.reason);
      }
    }
    if (chosen == nullptr) sets_.PinAxis(fold.whole, fold.size, fold.reason);
    for (int64_t e = 0; e < fold.size && chosen != nullptr; ++e) {
      sets_.Join(sets_.IdOf(fold.whole, fold.size, e),
                 sets_.IdOf(chosen->axis, chosen->size, e / chosen->step % chosen->size));
    }
  }

  void Relate(Tabulated& nest) {
    std::vector<Place>& places = nest.places;
    const std::set<std::string> folded = FindFolds(nest);
    for (Place& place : places) {
      if (!place.Tracked()) continue;
      Cover(place, -1);
      if (std::any_of(place.along.begin(), place.along.end(),
                      [&](const auto& along) { return folded.contains(along.first); })) {
        for (int64_t e = 0; e < place.size; ++e) Cover(place, e);
      } else if (place.mixed && place.runs.empty()) {
        PinPlace(place, kSeveral);
      }
    }
    for (const IndexTable::Symbol& symbol : nest.table.symbols) {
      if (folded.contains(symbol.name)) continue;
      std::vector<Place*> made, read;
      bool simple = !symbol.counts, within_runs = false;
      for (size_t i = 0; i < places.size(); ++i) {
        Place& place = places[i];
        const auto along = place.along.find(symbol.name);
        if (along == place.along.end()) continue;
        if (place.mixed && !place.runs.empty() && !place.runs.contains(symbol.name)) {
          within_runs = true;  // what goes there goes as a whole
          continue;
        }
        const bool run = place.mixed && i >= nest.written && place.runs.contains(symbol.name);
        simple = simple && place.Tracked() && (run || (!place.mixed && Rises(along->second)));
        (i < nest.written ? made : read).push_back(&place);
      }
      if (within_runs) {
        for (const std::vector<Place*>* list : {&made, &read}) {
          for (const Place* place : *list) PinPlace(*place, kSeveral);
        }
        continue;
      }
      // Of a sum the terms that go are zero if they are products with what goes too.
      const auto other = [&](const Place* place) {
        return place->axis.first != read[0]->axis.first;
      };
      if (symbol.reduced &&
          (!symbol.sum_of_products || std::none_of(read.begin(), read.end(), other)))
        simple = false;
      if (!symbol.reduced && made.size() != 1) simple = false;
      if (!simple) {
        for (const std::vector<Place*>* list : {&made, &read}) {
          for (const Place* place : *list)
            PinPlace(*place, place->mixed ? kSeveral
                             : symbol.reduced
                                 ? "combines entries otherwise than by a product"
                                 : "counts on entries' numbers or on how many they are");
        }
        continue;
      }
      Place& first = symbol.reduced ? *read[0] : *made[0];
      for (Place* place : read) {
        if (place != &first) Connect(first, *place, symbol.name);
      }
    }
  }

  void Connect(const Place& to, const Place& from, const std::string& symbol) {
    if (to.mixed || from.mixed) {
      ConnectRuns(to.mixed ? from : to, to.mixed ? to : from, symbol);
      return;
    }
    const std::vector<int64_t>&a = to.along.at(symbol), &b = from.along.at(symbol);
    for (size_t v = 0; v < a.size(); ++v) {
      if (a[v] < 0 || b[v] < 0) continue;
      Cover(to, a[v]);
      Cover(from, b[v]);
      sets_.Join(sets_.IdOf(to.axis, to.size, a[v]), sets_.IdOf(from.axis, from.size, b[v]));
    }
  }

  // All that is read at one value goes together.
  void ConnectRuns(const Place& to, const Place& from, const std::string& symbol) {
    const auto other = to.runs.find(symbol);
    const std::vector<int64_t>& a = to.along.at(symbol);
    const std::vector<IndexTable::Access::Run>& runs = from.runs.at(symbol);
    for (size_t v = 0; v < runs.size(); ++v) {
      const int64_t entry = other == to.runs.end() ? a[v] : other->second[v].first;
      if (entry < 0) continue;
      const int64_t id = sets_.IdOf(to.axis, to.size, entry);
      Cover(to, entry);
      for (int64_t e = runs[v].first; e <= runs[v].second; ++e) {
        Cover(from, e);
        sets_.Join(id, sets_.IdOf(from.axis, from.size, e));
      }
    }
  }

  const ir::Graph& graph_;
  solver::Context& context_;
  EntrySets sets_;
  const ir::Operation* op_ = nullptr;
  std::map<TensorAxis, std::vector<bool>> covered_;
  std::vector<Fold> folds_;  // settled when all else is known
  int64_t temps_ = -1;
};

}  // namespace

EntrySets FindCouplings(const ir::Graph& graph, solver::Context& context) {
  return Analysis(graph, context).Run();
}

}  // namespace tessera::compression
