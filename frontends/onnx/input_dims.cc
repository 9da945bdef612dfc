#include "frontends/onnx/input_dims.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"

namespace tessera::onnx_import {
namespace {

constexpr size_t kMaxDefinition = 256;  // characters

bool IsNameCharacter(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '\''; }

}  // namespace

void InputDims::Reserve(size_t dims) {
  index_.reserve(dims);
  by_symbol_.reserve(dims);
}

void InputDims::Declare(const std::string& name, const std::string& origin) {
  if (!index_.emplace(name, names_.size()).second) return;
  parent_.push_back(names_.size());
  const auto [same, fresh] = by_symbol_.emplace(SymbolName(name), names_.size());
  if (!fresh) same->second = std::nullopt;
  names_.push_back(name);
  origins_.push_back(origin);
  facts_.emplace_back();
  resolved_.emplace_back();
}

size_t InputDims::Root(size_t dim) const {
  while (parent_[dim] != dim) dim = parent_[dim];
  return dim;
}

std::optional<size_t> InputDims::Index(const std::string& name) const {
  if (const auto it = index_.find(name); it != index_.end()) return it->second;
  const auto it = by_symbol_.find(name);
  return it == by_symbol_.end() ? std::nullopt : it->second;
}

std::optional<size_t> InputDims::Find(const std::string& name, const std::string& option,
                                      Problems& problems) const {
  if (const std::optional<size_t> dim = Index(name)) return dim;
  std::string known =
      names_.empty() ? "the inputs have none" : absl::StrCat("dims are ", QuotedList(names_, 32));
  problems.AddInvalid(
      "", absl::StrCat("`--dim` ", Quoted(option), ": no dim ", Quoted(name), "; ", known));
  return std::nullopt;
}

void InputDims::Constrain(const DimOption& option, Problems& problems) {
  if (option.kind == DimOption::Kind::kRelation) return;  // assumed where it was read
  const std::optional<size_t> dim = Find(option.name, option.text, problems);
  const bool assumed = !option.assumed.empty();
  const std::string origin = assumed ? AssumptionText(option) : absl::StrCat("--dim ", option.text);
  switch (option.kind) {
    case DimOption::Kind::kRange:
      if (!Bound(option, origin, problems) || !option.lower.empty()) break;
      if (dim) facts_[*dim].push_back({{option.low, option.high}, true, origin, assumed});
      break;
    case DimOption::Kind::kCongruence:
      if (dim)
        facts_[*dim].push_back(
            {{0, kMaxDim, option.modulus, option.residue}, false, origin, assumed});
      break;
    case DimOption::Kind::kEqual: {
      if (dim && !Index(option.other).has_value() && IsDefinition(option.other)) {
        definitions_[Root(*dim)] = option.other;
        break;
      }
      const std::optional<size_t> other = Find(option.other, option.text, problems);
      if (!dim || !other) break;
      const size_t a = Root(*dim), b = Root(*other);
      parent_[std::max(a, b)] = std::min(a, b);
      break;
    }
    case DimOption::Kind::kRelation:
      break;
  }
}

bool InputDims::Bound(const DimOption& option, const std::string& origin, Problems& problems) {
  const bool is_lower = !option.lower.empty();
  const std::string& end = is_lower ? option.lower : option.upper;
  if (end.empty()) return true;
  if (!Index(end) && !IsDefinition(end)) {
    problems.AddInvalid(
        "", absl::StrCat("`--dim` ", Quoted(option.text), ": ", Quoted(end),
                         " is no expression over dims; dims are ", QuotedList(names_, 32)));
    return false;
  }
  if (const std::optional<size_t> dim = Index(option.name))
    bounds_.push_back({*dim, end, is_lower, origin});
  return true;
}

void InputDims::Fix(const std::string& name, int64_t size, const std::string& origin) {
  facts_[index_.at(name)].push_back({{size, size}, true, origin});
}

bool InputDims::IsDefinition(const std::string& text) const {
  // A name alone is no expression over others, nor is a number.
  if (text.size() > kMaxDefinition || std::all_of(text.begin(), text.end(), IsNameCharacter))
    return false;
  solver::Context scratch;
  const absl::StatusOr<solver::Expr> parsed = solver::Parse(scratch, text);
  if (!parsed.ok() || parsed->IsConstant() || parsed->IsInvalid()) return false;
  const std::vector<const solver::SymbolInfo*> symbols = scratch.symbols();
  return std::all_of(symbols.begin(), symbols.end(), [&](const solver::SymbolInfo* symbol) {
    return Index(symbol->name).has_value();
  });
}

std::optional<solver::Expr> InputDims::Resolved(const std::string& text,
                                                solver::Context& context) const {
  std::string over_symbols;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && IsNameCharacter(text[end])) ++end;
    const std::string word = text.substr(i, std::max(end, i + 1) - i);
    if (const std::optional<size_t> dim = Index(word)) {
      if (!resolved_[*dim].has_value()) return std::nullopt;
      absl::StrAppend(&over_symbols, "(", resolved_[*dim]->ToString(), ")");
    } else {
      absl::StrAppend(&over_symbols, word);
    }
    i += word.size();
  }
  const absl::StatusOr<solver::Expr> parsed = solver::Parse(context, over_symbols);
  return parsed.ok() ? *parsed : solver::Expr::Invalid();
}

// What is stated of a defined dim narrows the dims that define it.
bool InputDims::AssumeFacts(const std::vector<size_t>& dims, const solver::Expr& e,
                            solver::Context& context, Problems& problems) const {
  const size_t dim = dims.front();
  std::vector<std::pair<solver::Expr, std::string>> facts = {{solver::Ge(e, 0), origins_[dim]}};
  for (const size_t other : dims) {
    for (const Fact& fact : facts_[other]) {
      const solver::Expr stride = fact.sizes.modulus;
      facts.emplace_back(solver::And(solver::Ge(e, fact.sizes.low), solver::Le(e, fact.sizes.high)),
                         fact.origin);
      facts.emplace_back(solver::Eq(solver::Mod(e, stride), fact.sizes.residue), fact.origin);
    }
  }
  return std::all_of(facts.begin(), facts.end(), [&](const auto& fact) {
    return Assume(dim, fact.first, fact.second, context, problems);
  });
}

bool InputDims::Assume(size_t dim, const solver::Expr& fact, const std::string& origin,
                       solver::Context& context, Problems& problems) const {
  if (fact == solver::Expr(1)) return true;
  const absl::Status status = fact.IsInvalid()
                                  ? absl::InvalidArgumentError("a size overflows 64 bits")
                                  : context.Assume(fact, origin);
  if (!status.ok())
    problems.AddInvalid(absl::StrCat("dim ", Quoted(names_[dim])), status.message());
  return status.ok();
}

bool InputDims::ResolveDefined(solver::Context& context, Problems& problems) {
  std::map<size_t, std::string> left = definitions_;
  std::map<size_t, std::vector<size_t>> same;  // dims by their root, where that is defined
  for (size_t dim = 0; dim < names_.size(); ++dim) {
    if (const size_t root = Root(dim); definitions_.contains(root)) same[root].push_back(dim);
  }
  for (bool progress = true; progress && !left.empty();) {
    progress = false;
    for (auto it = left.begin(); it != left.end();) {
      const std::optional<solver::Expr> e = Resolved(it->second, context);
      if (!e) {
        ++it;
        continue;
      }
      const std::vector<size_t>& dims = same[it->first];
      if (e->IsInvalid() || !AssumeFacts(dims, *e, context, problems)) return false;
      for (const size_t dim : dims) resolved_[dim] = *e;
      it = left.erase(it);
      progress = true;
    }
  }
  for (const auto& [dim, text] : left) {
    problems.AddInvalid(absl::StrCat("dim ", Quoted(names_[dim])),
                        absl::StrCat("defined by itself, as ", Quoted(text)));
  }
  return left.empty();
}

bool InputDims::AssumeBounds(solver::Context& context, Problems& problems) const {
  return std::all_of(bounds_.begin(), bounds_.end(), [&](const Computed& bound) {
    const solver::Expr dim = *resolved_[bound.dim];
    const solver::Expr end = Resolved(bound.end, context).value_or(solver::Expr::Invalid());
    return Assume(bound.dim, bound.is_lower ? solver::Ge(dim, end) : solver::Le(dim, end),
                  bound.origin, context, problems);
  });
}

bool InputDims::Resolve(solver::Context& context, Problems& problems) {
  bool ok = true;
  for (size_t dim = 0; dim < names_.size(); ++dim) {
    if (Root(dim) == dim && IsDefinition(names_[dim])) definitions_.emplace(dim, names_[dim]);
  }
  std::vector<std::vector<Fact>> of_root(names_.size());
  for (size_t dim = 0; dim < names_.size(); ++dim) {
    for (const Fact& fact : facts_[dim]) of_root[Root(dim)].push_back(fact);
  }
  absl::flat_hash_set<std::string> taken;  // symbol names
  taken.reserve(names_.size());
  absl::flat_hash_map<std::string, int> copies_of;
  for (size_t dim = 0; dim < names_.size(); ++dim) {
    if (definitions_.contains(Root(dim))) continue;
    if (const size_t root = Root(dim); root != dim) {
      if (ok) resolved_[dim] = resolved_[root];
      continue;
    }
    const bool bounded = std::any_of(of_root[dim].begin(), of_root[dim].end(),
                                     [](const Fact& f) { return f.bounds; });
    SizeSet sizes{bounded ? 0 : kMinDim, kMaxDim};
    std::vector<std::string> origins;
    std::string origin = origins_[dim];
    for (const Fact& fact : of_root[dim]) {
      if (fact.assumed) absl::StrAppend(&origin, "; ", fact.origin);
      sizes = Intersection(sizes, fact.sizes);
      origins.push_back(fact.origin);
    }
    if (sizes.low > sizes.high) {
      problems.AddInvalid(absl::StrCat("dim ", Quoted(names_[dim])),
                          absl::StrCat("no size is left by ", QuotedList(origins)));
      ok = false;
    } else if (ok && sizes.low == sizes.high) {
      resolved_[dim] = solver::Expr(sizes.low);
    } else if (ok) {
      const std::string stem = SymbolName(names_[dim]);
      std::string name = stem;
      while (!taken.insert(name).second) name = absl::StrCat(stem, "_", ++copies_of[stem]);
      absl::StatusOr<solver::Expr> symbol =
          context.Declare(name, {sizes.low, sizes.high}, {sizes.modulus, sizes.residue}, origin);
      if (symbol.ok()) {
        resolved_[dim] = *symbol;
      } else {
        problems.AddInvalid(absl::StrCat("dim ", Quoted(names_[dim])), symbol.status().message());
        ok = false;
      }
    }
  }
  return ok && ResolveDefined(context, problems) && AssumeBounds(context, problems);
}

std::string SymbolName(const std::string& name) {
  std::string result;
  for (char c : name) result.push_back(absl::ascii_isalnum(c) ? c : '_');
  if (result.empty() || absl::ascii_isdigit(result[0])) result.insert(0, "_");
  return result;
}

}  // namespace tessera::onnx_import
