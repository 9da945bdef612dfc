// The part of ProgramImporter that deals with sizes: symbols, their ranges, guards.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontends/onnx/quoting.h"
#include "frontends/pt2/guard_values.h"
#include "frontends/pt2/program_importer.h"
#include "frontends/pt2/size_text.h"
#include "solver/decide.h"
#include "solver/remedy.h"
#include "solver/syntax.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::DimOption;
using onnx_import::kMaxDim;
using onnx_import::kMinDim;
using onnx_import::Quoted;

constexpr char kStated[] = "the exported program says so";

// A range of sizes that are at least 1.
DimOption RangeOf(const std::string& symbol, int64_t low, int64_t high) {
  DimOption option;
  option.name = symbol;
  option.low = std::clamp(low, kMinDim, kMaxDim);
  option.high = std::clamp(high, int64_t{0}, kMaxDim);
  option.text = absl::StrCat(symbol, "=", option.low, "..",
                             option.high == kMaxDim ? "" : absl::StrCat(option.high));
  option.assumed = kStated;
  return option;
}

DimOption CongruenceOf(const std::string& symbol, int64_t modulus, int64_t residue) {
  DimOption option;
  option.kind = DimOption::Kind::kCongruence;
  option.name = symbol;
  option.modulus = modulus;
  option.residue = residue;
  option.text = absl::StrCat(symbol, "%", modulus, "=", residue);
  option.assumed = kStated;
  return option;
}

DimOption EqualityOf(const std::string& name, const std::string& other) {
  DimOption option;
  option.kind = DimOption::Kind::kEqual;
  option.name = name;
  option.other = other;
  option.text = absl::StrCat(name, "=", other);
  return option;
}

// c * symbol + d.
struct Affine {
  std::string symbol;
  int64_t factor = 0, offset = 0;
};

std::optional<Affine> AffineOf(const std::string& text, const std::string& symbol) {
  solver::Context scratch;
  const absl::StatusOr<solver::Expr> e = solver::Parse(scratch, text);
  if (!e.ok()) return std::nullopt;
  const absl::StatusOr<int64_t> at_zero = solver::Evaluate(*e, {{symbol, 0}});
  const absl::StatusOr<int64_t> at_one = solver::Evaluate(*e, {{symbol, 1}});
  Affine affine{symbol};
  if (!at_zero.ok() || !at_one.ok() || __builtin_sub_overflow(*at_one, *at_zero, &affine.factor) ||
      affine.factor < 1 || affine.factor > kMaxDim || std::abs(*at_zero) > kMaxDim)
    return std::nullopt;
  affine.offset = *at_zero;
  const absl::StatusOr<solver::Expr> same =
      solver::Parse(scratch, absl::StrCat(affine.factor, " * ", symbol, " + ", affine.offset));
  return same.ok() && *same == *e ? std::optional<Affine>(affine) : std::nullopt;
}

// Where a symbol is `low` to `high`, the affine size is in:
DimOption RangeOf(const std::string& dim, const Affine& affine, int64_t low, int64_t high) {
  const auto at = [&](int64_t symbol) {
    return symbol > (2 * kMaxDim) / affine.factor ? kMaxDim
                                                  : affine.factor * symbol + affine.offset;
  };
  return RangeOf(dim, at(std::clamp(low, int64_t{0}, kMaxDim)),
                 at(std::clamp(high, int64_t{0}, kMaxDim)));
}

// Of `f(symbol) == number`, the sizes from the first to the last for which it holds, if these
// follow each other: how a program says that it was made for some sizes of a larger range.
std::optional<DimOption> RangeWhereEqual(const Guard& guard, const std::string& symbol,
                                         int64_t number) {
  constexpr int64_t kTried = 1 << 16;
  solver::Context scratch;
  const absl::StatusOr<solver::Expr> e = solver::Parse(scratch, guard.left.text);
  if (!e.ok()) return std::nullopt;
  int64_t first = 0, last = 0;
  for (int64_t size = 1; size <= kTried; ++size) {
    const absl::StatusOr<int64_t> value = solver::Evaluate(*e, {{symbol, size}});
    if (!value.ok()) return std::nullopt;
    if (*value != number) continue;
    if (first != 0 && last != size - 1) return std::nullopt;
    if (first == 0) first = size;
    last = size;
  }
  if (first == 0 || last == kTried) return std::nullopt;
  return RangeOf(symbol, first, last);
}

// Sizes that a program admits where it says that of one symbol.
struct Admitted {
  int64_t low = kMinDim, high = kMaxDim;
  std::vector<std::pair<int64_t, int64_t>> remainders;  // by which divisor

  void Narrow(const DimOption& fact) {
    if (fact.kind == DimOption::Kind::kCongruence) {
      remainders.emplace_back(fact.modulus, fact.residue);
    } else {
      low = std::max(low, fact.low);
      high = std::min(high, fact.high);
    }
  }
  bool Has(int64_t size) const {
    return size >= low && size <= high &&
           std::all_of(remainders.begin(), remainders.end(),
                       [&](const auto& each) { return size % each.first == each.second; });
  }
};
using AdmittedBySymbol = std::map<std::string, Admitted>;

bool Compares(const std::string& how, int64_t a, int64_t b) {
  return how == "=="   ? a == b
         : how == "!=" ? a != b
         : how == "<"  ? a < b
         : how == "<=" ? a <= b
         : how == ">"  ? a > b
                       : a >= b;
}

// Of the sizes that a program admits those that are tried, and those of them for which a guard on
// one symbol holds.
struct Tried {
  std::string symbol;
  Admitted admitted;
  std::vector<int64_t> sizes, holds;
};

// Nothing: it is on several symbols, or has no value at some size.
std::optional<Tried> Try(const Guard& guard, const AdmittedBySymbol& admitted) {
  constexpr int64_t kMost = 1 << 12;
  std::set<std::string> symbols = guard.left.symbols;
  symbols.insert(guard.right.symbols.begin(), guard.right.symbols.end());
  if (symbols.size() != 1) return std::nullopt;
  solver::Context scratch;
  const absl::StatusOr<solver::Expr> left = solver::Parse(scratch, guard.left.text);
  const absl::StatusOr<solver::Expr> right = solver::Parse(scratch, guard.right.text);
  if (!left.ok() || !right.ok()) return std::nullopt;
  Tried tried;
  tried.symbol = *symbols.begin();
  if (const auto known = admitted.find(tried.symbol); known != admitted.end())
    tried.admitted = known->second;
  const int64_t most = std::min(tried.admitted.high, kMost);
  for (int64_t size = tried.admitted.low; size <= most; ++size) {
    if (!tried.admitted.Has(size)) continue;
    const absl::StatusOr<int64_t> a = solver::Evaluate(*left, {{tried.symbol, size}});
    const absl::StatusOr<int64_t> b = solver::Evaluate(*right, {{tried.symbol, size}});
    if (!a.ok() || !b.ok()) return std::nullopt;
    tried.sizes.push_back(size);
    if (Compares(guard.comparison, *a, *b)) tried.holds.push_back(size);
  }
  return tried;
}

// What a guard on one symbol comes down to beside what is known already, if that is all it says:
// that sizes are in a range (half of a size is not 1), or leave a remainder (what was halved twice
// and enlarged again is as long as before), or both. That it holds for them all, beyond those that
// are tried, is proved like any other.
std::vector<DimOption> FactsWhereHolds(const Guard& guard, const AdmittedBySymbol& admitted) {
  constexpr size_t kFewest = 4;  // sizes that tell that it goes on like this
  const std::optional<Tried> tried = Try(guard, admitted);
  if (!tried || tried->holds.empty() || tried->holds.size() == tried->sizes.size()) return {};
  const std::vector<int64_t>& holds = tried->holds;
  // Sizes that are known to be some steps apart already say nothing by being so.
  const auto apart = [](const std::vector<int64_t>& sizes) {
    return sizes.size() > 1 ? sizes[1] - sizes[0] : 1;
  };
  const int64_t first = holds.front(), last = holds.back(), step = apart(holds);
  for (size_t i = 0; i < holds.size(); ++i) {
    if (holds[i] != first + static_cast<int64_t>(i) * step) return {};
  }
  std::vector<DimOption> facts;
  const bool goes_on = last > tried->sizes.back() - step;
  if (step > apart(tried->sizes)) {
    if (!goes_on || holds.size() < kFewest) return {};
    facts.push_back(CongruenceOf(tried->symbol, step, first % step));
  }
  if (first >= tried->sizes.front() + step || !goes_on)
    facts.push_back(RangeOf(tried->symbol, first, goes_on ? tried->admitted.high : last));
  return facts;
}

// What a guard says of one symbol by itself, if that is all it says.
// `trials`: of how many guards sizes may still be tried, one after the other.
std::optional<DimOption> FactOf(const Guard& guard, int& trials) {
  int64_t number = 0;
  if (guard.left.symbols.size() != 1 || !absl::SimpleAtoi(guard.right.text, &number))
    return std::nullopt;
  const std::string& symbol = *guard.left.symbols.begin();
  if (guard.left.whole) {
    if (guard.comparison == ">=") return RangeOf(symbol, number, kMaxDim);
    if (guard.comparison == ">" && number < kMaxDim) return RangeOf(symbol, number + 1, kMaxDim);
    if (guard.comparison == "<=") return RangeOf(symbol, kMinDim, number);
    if (guard.comparison == "<" && number > 0) return RangeOf(symbol, kMinDim, number - 1);
    if (guard.comparison == "!=" && number == 1) return RangeOf(symbol, 2, kMaxDim);
    return std::nullopt;
  }
  absl::string_view text = guard.left.text;
  int64_t modulus = 0;
  if (guard.comparison == "==" && !absl::StartsWith(text, "mod("))
    return trials-- > 0 ? RangeWhereEqual(guard, symbol, number) : std::nullopt;
  if (guard.comparison != "==" || !absl::ConsumePrefix(&text, "mod(") ||
      !absl::ConsumePrefix(&text, symbol) || !absl::ConsumePrefix(&text, ", ") ||
      !absl::ConsumeSuffix(&text, ")") || !absl::SimpleAtoi(text, &modulus) || modulus < 1 ||
      number < 0 || number >= modulus)
    return std::nullopt;
  return CongruenceOf(symbol, modulus, number);
}

absl::Status NotAdmitted(const std::string& guard, const std::string& remedy) {
  return absl::UnimplementedError(
      absl::StrCat("the program was exported for sizes with ", Quoted(guard),
                   ", which those that are admitted need not satisfy: declare such by ", remedy));
}

// What a guard says of sizes, maybe nothing. Nullopt: it says something, and cannot be read.
std::optional<std::vector<Guard>> ReadGuards(absl::string_view text, const InputSizes& sizes) {
  if (absl::StatusOr<Guard> guard = ReadGuard(text, sizes); guard.ok())
    return std::vector<Guard>{*std::move(guard)};
  if (!SpeaksOfSizes(text)) return std::vector<Guard>();
  return BoundsWhereHolds(text, sizes, kMinDim, kMaxDim);
}

}  // namespace

// At other sizes the program would compute something else, which nobody would notice: what relates
// several sizes is a fact, unless it holds of all that are admitted.
bool ProgramImporter::Hold(const std::vector<Guard>& relations) {
  constexpr size_t kMostFacts = 32;  // each costs every later decision something
  bool all = true;
  size_t stated = 0;
  for (const Guard& guard : relations) {
    const std::optional<solver::Expr> left = SizeOf(guard.left), right = SizeOf(guard.right);
    if (!left || !right) {
      RefuseUnread(absl::StrCat(guard.left.text, " ", guard.comparison, " ", guard.right.text));
      all = false;
      continue;
    }
    const std::string& how = guard.comparison;
    const solver::Expr holds = how == "=="   ? solver::Eq(*left, *right)
                               : how == "!=" ? solver::Ne(*left, *right)
                               : how == "<"  ? solver::Lt(*left, *right)
                               : how == "<=" ? solver::Le(*left, *right)
                               : how == ">"  ? solver::Gt(*left, *right)
                                             : solver::Ge(*left, *right);
    std::vector<solver::Remedy> remedies;
    if (comparisons_-- > 0) {
      const solver::Verdict verdict = solver::Decide(graph_.context(), holds);
      if (verdict.kind == solver::Verdict::kProved) continue;
      if (stated < kMostFacts && solver::SymbolsOf(holds).size() > 1) {
        ++stated;
        all = StateRelation(holds) && all;
        continue;
      }
      // Of the first alone: what mends it often mends the others too.
      if (all && verdict.kind == solver::Verdict::kRefuted)
        remedies = solver::FindRemedies(graph_.context(), holds, verdict.counterexample);
    }
    all = false;
    absl::Status refusal =
        NotAdmitted(absl::StrCat(guard.left.text, " ", how, " ", guard.right.text),
                    remedies.empty() ? "`--dim`" : solver::ToText(remedies));
    if (!remedies.empty()) solver::Attach(remedies.front(), refusal, "");
    problems_.Add("", refusal);
  }
  return all;
}

bool ProgramImporter::Hold(const std::vector<std::string>& unread, const InputSizes& sizes) {
  const SizeValues values = [&](const SizeText& size) -> std::optional<int64_t> {
    const std::optional<solver::Expr> number = SizeOf(size);
    return number && number->IsConstant() ? std::optional(number->Constant()) : std::nullopt;
  };
  bool all = true;
  for (const std::string& guard : unread) {
    const std::optional<bool> holds = HoldsAt(guard, sizes, values);
    if (holds.value_or(false)) continue;
    all = false;
    if (holds) {
      problems_.Add("", NotAdmitted(guard, "`--dim`"));
    } else {
      RefuseUnread(guard);
    }
  }
  return all;
}

void ProgramImporter::RefuseUnread(const std::string& guard) {
  problems_.AddUnsupported("",
                           absl::StrCat("the program was exported for sizes with ", Quoted(guard),
                                        ", which is not read here: declare the sizes by `--dim`"));
}

bool ProgramImporter::StateRelation(const solver::Expr& holds) {
  DimOption fact;
  fact.kind = DimOption::Kind::kRelation;
  fact.text = solver::ToText(solver::DerivationOf(holds));
  fact.assumed = kStated;
  if (absl::Status status = graph_.context().Assume(holds, onnx_import::AssumptionText(fact));
      !status.ok()) {
    problems_.AddInvalid("", status.message());
    return false;
  }
  facts_.push_back(std::move(fact));
  return true;
}

ResultFacts ProgramImporter::FactsOf(const std::string& result) const {
  ResultFacts facts;
  if (const TensorMeta* meta = MetaOf(result)) facts.type = meta->dtype;
  const auto number = program_.numbers.find(result);
  if (number == program_.numbers.end()) return facts;
  const absl::StatusOr<SizeText> size = ReadSize(number->second);
  if (!size.ok() || !size->whole) return facts;
  const auto range = program_.ranges.find(size->text);
  if (range == program_.ranges.end() || range->second.low.value_or(-1) < 0) return facts;
  facts.most = std::clamp(range->second.high.value_or(kMaxDim), int64_t{0}, kMaxDim);
  return facts;
}

void ProgramImporter::StateLeast(const solver::Expr& dim, const Size& stated) {
  if (stated.text.empty() || dim.IsConstant()) return;
  const absl::StatusOr<SizeText> size = ReadSize(stated.text);
  if (!size.ok() || !size->whole || symbols_.contains(size->text)) return;
  const auto range = program_.ranges.find(size->text);
  if (range == program_.ranges.end() || range->second.low.value_or(0) <= 0) return;
  const solver::Expr holds = solver::Ge(dim, *range->second.low);
  if (least_stated_.insert(size->text).second &&
      solver::Decide(graph_.context(), holds).kind != solver::Verdict::kProved)
    StateRelation(holds);
}

void ProgramImporter::State(DimOption fact) {
  dims_.Constrain(fact, problems_);
  facts_.push_back(std::move(fact));
}

bool ProgramImporter::ReadInputSizes(std::vector<InputSize>& all) {
  bool ok = true;
  for (const InputSpec& spec : program_.inputs) {
    const TensorMeta* meta = spec.kind == InputSpec::kUser ? MetaOf(spec.value) : nullptr;
    if (meta == nullptr) continue;
    for (size_t axis = 0; axis < meta->sizes.size(); ++axis) {
      const std::string origin = absl::StrCat("dim ", axis, " of input ", Quoted(spec.value));
      if (meta->sizes[axis].text.empty()) {
        if (meta->sizes[axis].number < 0 || meta->sizes[axis].number > kMaxDim) {
          problems_.AddInvalid(origin, "is no size");
          ok = false;
        }
        continue;
      }
      absl::StatusOr<SizeText> size = ReadSize(meta->sizes[axis].text);
      if (!size.ok() || size->symbols.empty()) {
        problems_.AddUnsupported(origin, absl::StrCat("is ", Quoted(meta->sizes[axis].text),
                                                      ", which is no size that can be read"));
        ok = false;
        continue;
      }
      if (!size->whole) {
        solver::Context scratch;
        if (const absl::StatusOr<solver::Expr> e = solver::Parse(scratch, size->text); e.ok())
          size->text = e->ToString();
      }
      all.push_back({spec.value, static_cast<int64_t>(axis), *std::move(size), origin});
    }
  }
  return ok;
}

InputSizes ProgramImporter::FixedSizes() const {
  InputSizes sizes;
  for (const InputSpec& spec : program_.inputs) {
    const TensorMeta* meta = spec.kind == InputSpec::kUser ? MetaOf(spec.value) : nullptr;
    for (size_t axis = 0; meta != nullptr && axis < meta->sizes.size(); ++axis) {
      if (meta->sizes[axis].text.empty())
        sizes[{spec.value, static_cast<int64_t>(axis)}] = {
            absl::StrCat(meta->sizes[axis].number), {}, true};
    }
  }
  return sizes;
}

bool ProgramImporter::DeclareSizes() {
  std::vector<InputSize> all;
  if (!ReadInputSizes(all)) return false;
  std::set<std::string> symbols, whole;
  for (const InputSize& size : all) {
    symbols.insert(size.size.symbols.begin(), size.size.symbols.end());
    if (size.size.whole) whole.insert(size.size.text);
  }
  // A symbol that is no dim itself is told by the first dim that is a multiple of it: what runs the
  // network sees dims.
  std::map<std::string, std::pair<std::string, Affine>> told;
  std::map<std::string, std::string> name_of;  // what stands for a size, by its text
  InputSizes sizes = FixedSizes();
  for (const InputSize& size : all) {
    const std::string& symbol = *size.size.symbols.begin();
    const std::optional<Affine> affine =
        size.size.symbols.size() == 1 && !whole.contains(symbol) && !told.contains(symbol)
            ? AffineOf(size.size.text, symbol)
            : std::nullopt;
    if (affine) {
      told[symbol] = {size.Alias(), *affine};
      name_of[size.size.text] = size.Alias();
      dims_.Declare(size.Alias(), size.origin);
    } else if (size.size.whole) {
      dims_.Declare(size.size.text, size.origin);
    }
    const auto name = name_of.find(size.size.text);
    sizes[{size.input, size.axis}] =
        name == name_of.end() ? size.size : SizeText{name->second, {name->second}, true};
  }
  for (const std::string& symbol : symbols) dims_.Declare(symbol, "a symbol of the program");
  symbols_ = symbols;
  for (const auto& [place, size] : sizes) symbols_.insert(size.symbols.begin(), size.symbols.end());
  for (const InputSize& size : all) {
    if (!size.size.whole && !name_of.contains(size.size.text))
      dims_.Declare(size.size.text, size.origin);
  }
  for (const InputSize& size : all) {
    const auto name = name_of.find(size.size.text);
    const std::string& text = name == name_of.end() ? size.size.text : name->second;
    dims_.Declare(size.Alias(), size.Alias());
    if (text != size.Alias()) dims_.Constrain(EqualityOf(size.Alias(), text), problems_);
  }
  for (const auto& [symbol, dim] : told) {
    const auto& [name, affine] = dim;
    dims_.Constrain(EqualityOf(symbol, absl::StrCat("floordiv(", name, " - ", affine.offset, ", ",
                                                    affine.factor, ")")),
                    problems_);
    const int64_t residue = (affine.offset % affine.factor + affine.factor) % affine.factor;
    if (affine.factor > 1) State(CongruenceOf(name, affine.factor, residue));
  }
  AdmittedBySymbol admitted;
  const auto state = [&](DimOption fact) {
    admitted[fact.name].Narrow(fact);
    State(std::move(fact));
  };
  for (const auto& [text, range] : program_.ranges) {
    const absl::StatusOr<SizeText> size = ReadSize(text);
    if (!size.ok() || !size->whole || !symbols.contains(size->text)) continue;
    const int64_t low = range.low.value_or(kMinDim), high = range.high.value_or(kMaxDim);
    if (const auto dim = told.find(size->text); dim != told.end()) {
      State(RangeOf(dim->second.first, dim->second.second, std::max(low, kMinDim), high));
    } else if (low > kMinDim || high < kMaxDim) {
      state(RangeOf(size->text, low, high));
    }
  }
  int trials = 64;
  std::vector<Guard> relations;
  std::vector<std::string> unread;
  for (const std::string& guard : program_.guards) {
    for (const absl::string_view text : ConjunctsOf(guard)) {
      std::optional<std::vector<Guard>> read = ReadGuards(text, sizes);
      if (!read) unread.emplace_back(text);
      for (Guard& part : read.value_or(std::vector<Guard>())) {
        std::set<std::string> named = part.left.symbols;
        named.insert(part.right.symbols.begin(), part.right.symbols.end());
        if (!std::includes(symbols_.begin(), symbols_.end(), named.begin(), named.end())) {
          // Of what is no size of an input there is nothing that `--dim` could admit.
          if (SpeaksOfSizes(text)) unread.emplace_back(text);
        } else if (std::optional<DimOption> fact = FactOf(part, trials)) {
          state(*std::move(fact));
        } else {
          relations.push_back(std::move(part));
        }
      }
    }
  }
  // What one says, beside what another does, may be a remainder where by itself it is none.
  for (bool more = true; more && trials > 0;) {
    more = false;
    for (const Guard& guard : relations) {
      if (trials-- <= 0) break;
      for (DimOption& fact : FactsWhereHolds(guard, admitted)) {
        state(std::move(fact));
        more = true;
      }
    }
  }
  std::vector<std::string> inputs;
  for (const InputSpec& spec : program_.inputs) {
    if (spec.kind == InputSpec::kUser) inputs.push_back(spec.value);
  }
  for (const auto& [name, tensor] : options_.bind) {
    if (std::find(inputs.begin(), inputs.end(), name) == inputs.end()) {
      problems_.AddInvalid(
          "", absl::StrCat("`--bind` of ", Quoted(name), ", which is no input; inputs are ",
                           onnx_import::QuotedList(inputs)));
      continue;
    }
    for (int64_t axis = 0; axis < tensor.rank(); ++axis) {
      const std::string alias = absl::StrCat(name, "_d", axis);
      const bool declared = std::any_of(
          all.begin(), all.end(), [&](const InputSize& size) { return size.Alias() == alias; });
      if (declared) dims_.Fix(alias, tensor.shape()[axis], absl::StrCat("--bind ", name));
    }
  }
  size_t place = 0;
  for (const std::string& name : inputs) {
    if (options_.bind.contains(name)) continue;
    const auto* const sized = onnx_import::SizesOf(options_, name, place++);
    if (sized == nullptr) continue;
    for (size_t axis = 0; axis < sized->shape.size(); ++axis) {
      const std::string alias = absl::StrCat(name, "_d", axis);
      const bool declared = std::any_of(
          all.begin(), all.end(), [&](const InputSize& size) { return size.Alias() == alias; });
      if (declared)
        dims_.Fix(alias, sized->shape[axis], onnx_import::SizesText(name, sized->shape));
    }
  }
  for (const DimOption& option : options_.dims) dims_.Constrain(option, problems_);
  if (!dims_.Resolve(graph_.context(), problems_) || !Hold(relations) || !Hold(unread, sizes))
    return false;
  // Of a size that is a number by now, nothing is assumed any more.
  std::erase_if(facts_, [&](const DimOption& fact) {
    return fact.kind != DimOption::Kind::kRelation && dims_.at(fact.name).IsConstant();
  });
  return true;
}

std::optional<solver::Expr> ProgramImporter::SizeOf(const Size& size) {
  if (size.text.empty()) return solver::Expr(size.number);
  const absl::StatusOr<SizeText> read = ReadSize(size.text);
  return read.ok() ? SizeOf(*read) : std::nullopt;
}

std::optional<solver::Expr> ProgramImporter::SizeOf(const SizeText& size) {
  std::string text;
  for (size_t i = 0; i < size.text.size();) {
    size_t end = i;
    while (end < size.text.size() && (absl::ascii_isalnum(size.text[end]) || size.text[end] == '_'))
      ++end;
    const std::string word = size.text.substr(i, std::max(end, i + 1) - i);
    if (!size.symbols.contains(word)) {
      text += word;
    } else if (symbols_.contains(word)) {
      absl::StrAppend(&text, "(", dims_.at(word).ToString(), ")");
    } else {
      return std::nullopt;
    }
    i += word.size();
  }
  absl::StatusOr<solver::Expr> e = solver::Parse(graph_.context(), text);
  return e.ok() && !e->IsInvalid() ? std::optional(*e) : std::nullopt;
}

bool ProgramImporter::MayDiffer(const solver::Expr& dim, const Size& stated) {
  const std::optional<solver::Expr> size = SizeOf(stated);
  if (!size || dim == *size) return false;
  if (dim.IsConstant() && size->IsConstant()) return true;
  return comparisons_-- > 0 &&
         solver::Decide(graph_.context(), solver::Eq(dim, *size)).kind == solver::Verdict::kRefuted;
}

}  // namespace tessera::pt2_import
