// The part of ProgramReader that deals with sizes: symbols of the program, their ranges, guards.
#include <algorithm>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "recheck/declarations.h"
#include "recheck/guard_number.h"
#include "recheck/input_axis.h"
#include "recheck/program_reader.h"
#include "recheck/size_reader.h"

namespace tessera::recheck {
namespace {

Operator OperatorOf(const std::string& comparison) {
  return comparison == "=="   ? Operator::kEq
         : comparison == "!=" ? Operator::kNe
         : comparison == "<"  ? Operator::kLt
         : comparison == "<=" ? Operator::kLe
         : comparison == ">"  ? Operator::kGt
                              : Operator::kGe;
}

}  // namespace

std::string ProgramReader::Axis::Alias() const { return absl::StrCat(input, "_d", axis); }
std::string ProgramReader::Axis::Origin() const {
  return AxisOfInput(static_cast<size_t>(axis), input);
}

// No certificate has a symbol of such a name.
Dim ProgramReader::Placeholder(const std::string& symbol) {
  return session_.terms().Symbol(absl::StrCat(symbol, " of the program"));
}

std::optional<ProgramReader::Form> ProgramReader::FormOf(const std::string& text) {
  Form form;
  SizeNames names;
  names.symbol = [&](const std::string& symbol) {
    form.symbols.insert(symbol);
    return std::optional(Placeholder(symbol));
  };
  const std::optional<Dim> size = ReadSize(text, names, session_.terms());
  if (!size || form.symbols.empty()) return std::nullopt;
  form.size = *size;
  form.whole = form.symbols.size() == 1 && *size == Placeholder(*form.symbols.begin());
  return form;
}

std::optional<Dim> ProgramReader::ValueOf(const std::string& text,
                                          const std::map<std::string, Dim>& symbols) {
  SizeNames names;
  names.symbol = [&](const std::string& symbol) {
    const auto it = symbols.find(symbol);
    return it == symbols.end() ? std::nullopt : std::optional(it->second);
  };
  names.size = [&](const std::string& input, int64_t axis) -> std::optional<Dim> {
    const Axis* found = AxisAt(input, axis);
    return found == nullptr ? std::nullopt : std::optional(found->listed);
  };
  return ReadSize(text, names, session_.terms());
}

void ProgramReader::Declare(const std::string& name, Dim dim, std::string origin) {
  if (named_dims_.emplace(name, dim).second) origins_[name] = {origins_.size(), std::move(origin)};
}

void ProgramReader::TellSymbols(const std::vector<Axis>& axes, const std::vector<Form>& forms) {
  Terms& terms = session_.terms();
  std::set<std::string> whole;
  for (const Form& form : forms) {
    if (form.whole) whole.insert(*form.symbols.begin());
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const std::string& symbol = *forms[i].symbols.begin();
    if (forms[i].whole) {
      symbols_.emplace(symbol, axes[i].listed);
      Declare(symbol, axes[i].listed, axes[i].Origin());
      continue;
    }
    if (forms[i].symbols.size() != 1 || whole.contains(symbol) || told_.contains(symbol)) continue;
    const auto at = [&](int64_t value) {
      const std::optional<Dim> size = ValueOf(axes[i].text, {{symbol, terms.Integer(value)}});
      return size ? terms.Number(*size) : std::nullopt;
    };
    const std::optional<int64_t> zero = at(0), one = at(1);
    int64_t factor = 0;
    if (!zero || !one || __builtin_sub_overflow(*one, *zero, &factor) || factor < 1 ||
        factor > kMostDim || std::abs(*zero) > kMostDim)
      continue;
    const Dim product = terms.Make(Operator::kMultiply, terms.Integer(factor), Placeholder(symbol));
    if (!session_.Same(terms.Make(Operator::kAdd, product, terms.Integer(*zero)), forms[i].size))
      continue;
    told_[symbol] = {axes[i].listed, factor, *zero};
    Declare(axes[i].Alias(), axes[i].listed, axes[i].Origin());
  }
  std::set<std::string> all;
  for (const Form& form : forms) all.insert(form.symbols.begin(), form.symbols.end());
  for (const std::string& symbol : all) {
    if (symbols_.contains(symbol)) continue;
    Dim value = terms.Symbol(symbol);
    if (const auto it = told_.find(symbol); it != told_.end()) {
      const Told& told = it->second;
      const Dim rest = terms.Make(Operator::kSubtract, told.dim, terms.Integer(told.offset));
      value = terms.Make(Operator::kFloorDiv, rest, terms.Integer(told.factor));
      definitions_.push_back({symbol, "", value});
    }
    symbols_[symbol] = value;
    Declare(symbol, value, "a symbol of the program");
  }
}

// Of all dims: they are what the program says in terms of its symbols.
void ProgramReader::CompareAxes(const std::vector<Axis>& axes, const std::vector<Form>& forms) {
  std::map<Dim, size_t> first;  // axes, by their sizes
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto [it, fresh] = first.emplace(forms[i].size, i);
    const Axis& like = axes[it->second];
    const std::string alias = axes[i].Alias();
    const bool tells = named_dims_.contains(alias);  // a symbol
    if (!fresh || forms[i].whole) {
      // Equal to what stands there first.
      if (axes[i].listed != like.listed)
        session_.Fail(absl::StrCat(axes[i].Origin(), " is listed as `",
                                   session_.terms().Text(axes[i].listed), "`, ", like.Origin(),
                                   ", which is the same to the program, as `",
                                   session_.terms().Text(like.listed), "`"));
      Declare(alias, axes[i].listed, alias);
      const std::string& other = forms[i].whole ? *forms[i].symbols.begin() : like.Alias();
      if (other != alias) definitions_.push_back({alias, other, std::nullopt});
      continue;
    }
    if (tells) continue;
    const std::optional<Dim> value = ValueOf(axes[i].text, symbols_);
    if (!value || !session_.SameWhereAdmitted(*value, axes[i].listed))
      session_.Fail(absl::StrCat(axes[i].Origin(), " is listed as `",
                                 session_.terms().Text(axes[i].listed), "`, the program says `",
                                 axes[i].text, "`"));
    Declare(alias, axes[i].listed, axes[i].Origin());
    if (value) definitions_.push_back({alias, "", value});
  }
}

// Of a result that is stated to be a number and never negative, the greatest.
std::optional<int64_t> ProgramReader::MostOf(const std::string& result) {
  const auto number = program_.numbers.find(result);
  if (number == program_.numbers.end()) return std::nullopt;
  const std::optional<Form> form = FormOf(number->second);
  if (!form || !form->whole) return std::nullopt;
  const auto range = program_.ranges.find(*form->symbols.begin());
  if (range == program_.ranges.end() || range->second.low.value_or(-1) < 0) return std::nullopt;
  return std::clamp(range->second.high.value_or(kMostDim), int64_t{0}, kMostDim);
}

void ProgramReader::TakeRanges() {
  for (const auto& [text, range] : program_.ranges) {
    const std::optional<Form> form = FormOf(text);
    const auto symbol =
        form && form->whole ? symbols_.find(*form->symbols.begin()) : symbols_.end();
    if (symbol == symbols_.end()) continue;
    const int64_t low = range.low.value_or(kLeastDim), high = range.high.value_or(kMostDim);
    const auto clamped = [](int64_t value, int64_t least) {
      return std::clamp(value, least, kMostDim);
    };
    if (const auto it = told_.find(symbol->first); it != told_.end()) {
      const auto at = [&](int64_t value) {
        const Told& told = it->second;
        return value > 2 * kMostDim / told.factor ? kMostDim : told.factor * value + told.offset;
      };
      said_.push_back({it->second.dim, clamped(at(clamped(low, kLeastDim)), kLeastDim),
                       clamped(at(clamped(high, 0)), 0)});
    } else if (low > kLeastDim || high < kMostDim) {
      said_.push_back({symbol->second, clamped(low, kLeastDim), clamped(high, 0)});
    }
  }
  for (const auto& [symbol, told] : told_) {
    if (told.factor > 1)
      said_.push_back(
          {told.dim, 0, 0, told.factor, (told.offset % told.factor + told.factor) % told.factor});
  }
}

void ProgramReader::TakeGuards() {
  Terms& terms = session_.terms();
  SizeNames names;
  names.symbol = [&](const std::string& symbol) {
    const auto it = symbols_.find(symbol);
    return it == symbols_.end() ? std::nullopt : std::optional(it->second);
  };
  names.size = [&](const std::string& input, int64_t axis) -> std::optional<Dim> {
    const Axis* found = AxisAt(input, axis);
    return found == nullptr ? std::nullopt : std::optional(found->listed);
  };
  for (const std::string& text : program_.guards) {
    const std::optional<Guard> guard = ReadGuard(text, names, terms);
    if (!guard) continue;
    const std::string& comparison = guard->comparison;
    relations_.push_back(terms.Make(OperatorOf(comparison), guard->left, guard->right));
    const std::optional<int64_t> number = terms.Number(guard->right);
    if (!number) continue;
    const certificate::Term left = terms.terms()[guard->left];
    const std::optional<int64_t> modulus =
        left.op == Operator::kMod ? terms.Number(left.operands[1]) : std::nullopt;
    if (modulus && comparison == "==" && *number >= 0 && *number < *modulus) {
      said_.push_back({left.operands[0], 0, 0, *modulus, *number});
      continue;
    }
    const int64_t n = std::clamp<int64_t>(*number, 0, kMostDim);
    Said said{guard->left, kLeastDim, kMostDim};
    if (comparison == ">=") said.low = std::max(n, kLeastDim);
    if (comparison == ">") said.low = std::clamp(n + 1, kLeastDim, kMostDim);
    if (comparison == "<=") said.high = n;
    if (comparison == "<") said.high = std::max<int64_t>(n - 1, 0);
    if (comparison == "!=" && *number == 1) said.low = 2;
    if (said.low != kLeastDim || said.high != kMostDim) said_.push_back(said);
  }
}

// Programs call inputs by what leads to them, in small letters, and digits.
const ProgramReader::Axis* ProgramReader::AxisAt(const std::string& path, int64_t axis) const {
  const auto find = [&](const std::string& input) -> const Axis* {
    const auto it = std::find_if(axes_.begin(), axes_.end(), [&](const Axis& each) {
      return each.input == input && each.axis == axis;
    });
    return it == axes_.end() ? nullptr : &*it;
  };
  if (const Axis* found = find(path); found != nullptr) return found;
  std::string name = path;
  for (char& c : name) {
    c = absl::ascii_isalnum(static_cast<unsigned char>(c))
            ? absl::ascii_tolower(static_cast<unsigned char>(c))
            : '_';
  }
  const bool several = std::any_of(axes_.begin(), axes_.end(), [&](const Axis& each) {
    return each.input == absl::StrCat(name, "_1");
  });
  return several ? nullptr : find(name);
}

// The value of a guard where a dim is a number. Nothing: it has other dims too, or is none.
std::optional<bool> ProgramReader::GuardAt(const std::string& text, Dim dim, int64_t size) {
  Terms& terms = session_.terms();
  const Dim number = terms.Integer(size);
  SizeNames names;
  names.symbol = [&](const std::string& symbol) {
    const auto it = symbols_.find(symbol);
    return it != symbols_.end() && it->second == dim ? std::optional(number) : std::nullopt;
  };
  names.size = [&](const std::string& input, int64_t axis) -> std::optional<Dim> {
    const Axis* found = AxisAt(input, axis);
    return found != nullptr && found->listed == dim ? std::optional(number) : std::nullopt;
  };
  const std::optional<Guard> guard = ReadGuard(text, names, terms);
  if (!guard) {
    return GuardHolds(text, [&](const std::string& input, int64_t axis) -> std::optional<int64_t> {
      const Axis* found = AxisAt(input, axis);
      if (found == nullptr) return std::nullopt;
      return found->listed == dim ? size : terms.Number(found->listed);
    });
  }
  const auto left = guard ? terms.Number(guard->left) : std::nullopt;
  const auto right = guard ? terms.Number(guard->right) : std::nullopt;
  if (!left || !right) return std::nullopt;
  const std::string& how = guard->comparison;
  return how == "=="   ? *left == *right
         : how == "!=" ? *left != *right
         : how == "<"  ? *left < *right
         : how == "<=" ? *left <= *right
         : how == ">"  ? *left > *right
                       : *left >= *right;
}

// Whether the program admits none of the sizes that `claimed` excludes. Guards repeat themselves
// with the divisors in them, which are small beside the sizes that are tried.
bool ProgramReader::Excludes(const Said& claimed) {
  constexpr int64_t kTried = 1 << 12;
  constexpr size_t kGuards = 64;  // of one dim, so that work has a bound
  std::vector<const std::string*> guards;
  for (const std::string& text : program_.guards) {
    if (guards.size() < kGuards && GuardAt(text, claimed.dim, kTried).has_value())
      guards.push_back(&text);
  }
  const auto has = [](const Said& said, int64_t size) {
    return said.modulus > 0 ? size % said.modulus == said.residue
                            : size >= said.low && size <= said.high;
  };
  const auto excluded = [&](int64_t size) {
    return std::any_of(
               said_.begin(), said_.end(),
               [&](const Said& said) { return said.dim == claimed.dim && !has(said, size); }) ||
           std::any_of(guards.begin(), guards.end(), [&](const std::string* text) {
             return GuardAt(*text, claimed.dim, size) == false;
           });
  };
  for (int64_t size = kLeastDim; size <= kTried; ++size) {
    if (!has(claimed, size) && !excluded(size)) return false;
  }
  return claimed.modulus > 0 || claimed.high == kMostDim || claimed.high < kTried ||
         std::any_of(said_.begin(), said_.end(), [&](const Said& said) {
           return said.dim == claimed.dim && said.modulus == 0 && said.high <= claimed.high;
         });
}

// A statement of several dims that is among the facts, in the words of the option.
bool ProgramReader::TakeRelation(const Declaration& declared, const std::string& option) {
  for (const certificate::DeclaredFact& fact : session_.certificate().facts) {
    if (fact.origin != option || fact.statement != declared.other) continue;
    const absl::StatusOr<Dim> statement = session_.ReadDim(fact.statement);
    if (!statement.ok()) continue;
    for (const Dim relation : relations_) {
      if (!session_.Same(relation, *statement)) continue;
      session_.Relate(relation, option);
      return true;
    }
  }
  return false;
}

bool ProgramReader::TakeLeast(const std::string& option) {
  for (const certificate::DeclaredFact& fact : session_.certificate().facts) {
    if (fact.origin != option) continue;
    const absl::StatusOr<Dim> statement = session_.ReadDim(fact.statement);
    if (!statement.ok()) continue;
    session_.Relate(*statement, option);
    least_.push_back({*statement, option});
    return true;
  }
  return false;
}

void ProgramReader::MeetLeast(const std::string& result, const Tensor& tensor) {
  const auto stated = program_.tensors.find(result);
  if (least_.empty() || stated == program_.tensors.end() ||
      stated->second.sizes.size() != tensor.dims.size())
    return;
  Terms& terms = session_.terms();
  for (size_t axis = 0; axis < tensor.dims.size(); ++axis) {
    const std::string& text = stated->second.sizes[axis].text;
    const std::optional<Form> form = text.empty() ? std::nullopt : FormOf(text);
    if (!form || !form->whole || symbols_.contains(*form->symbols.begin())) continue;
    const auto range = program_.ranges.find(*form->symbols.begin());
    if (range == program_.ranges.end() || !range->second.low) continue;
    const Dim statement =
        terms.Make(Operator::kGe, tensor.dims[axis], terms.Integer(*range->second.low));
    for (Least& least : least_) {
      if (least.met || !session_.Same(statement, least.statement)) continue;
      least.met = true;
      session_.Restate(least.option, statement);
    }
  }
}

void ProgramReader::CompareLeast() {
  for (const Least& least : least_) {
    if (!least.met)
      session_.Fail(absl::StrCat("option `", least.option, "`: the program does not say so"));
  }
}

void ProgramReader::CompareSaid() {
  for (const std::string& option : session_.certificate().options) {
    if (!absl::EndsWith(option, kProgramSays)) continue;
    const std::optional<Declaration> declared = ReadDeclaration(option);
    if (declared && declared->kind == Declaration::kRelation && TakeRelation(*declared, option))
      continue;
    const auto dim = declared ? named_dims_.find(declared->name) : named_dims_.end();
    if (declared && declared->kind == Declaration::kRange && dim == named_dims_.end() &&
        TakeLeast(option))
      continue;
    Said claimed;
    if (dim != named_dims_.end()) {
      claimed.dim = dim->second;
      if (declared->kind == Declaration::kRange) {
        claimed.low = declared->low;
        claimed.high = declared->high;
      } else {
        claimed.modulus = declared->modulus;
        claimed.residue = declared->residue;
      }
    }
    if (dim == named_dims_.end() || declared->kind == Declaration::kEqual ||
        (std::find(said_.begin(), said_.end(), claimed) == said_.end() && !Excludes(claimed)))
      session_.Fail(absl::StrCat("option `", option, "`: the program does not say so"));
  }
}

void ProgramReader::Sizes() {
  std::vector<Axis> axes;
  std::vector<Form> forms;
  for (const Axis& axis : axes_) {
    if (axis.text.empty()) continue;
    std::optional<Form> form = FormOf(axis.text);
    if (!form) {
      session_.Fail(absl::StrCat(axis.Origin(), " is `", axis.text, "`, which cannot be read"));
      continue;
    }
    axes.push_back(axis);
    forms.push_back(*std::move(form));
  }
  TellSymbols(axes, forms);
  CompareAxes(axes, forms);
  TakeRanges();
  TakeGuards();
  CompareSaid();
  session_.NameDims(std::move(named_dims_), std::move(origins_), std::move(definitions_));
}

}  // namespace tessera::recheck
