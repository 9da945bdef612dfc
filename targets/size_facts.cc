#include "targets/size_facts.h"

#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "nlohmann/json.hpp"
#include "solver/assignment.h"
#include "solver/copy.h"
#include "solver/data_sizes.h"
#include "solver/decide.h"
#include "solver/syntax.h"
#include "support/json_string.h"

namespace tessera::targets {
namespace {

using Json = nlohmann::json;
using solver::Expr;

constexpr int kVersion = 1;

// As it was computed, which is also how a certificate states it: who reads both compares the texts.
std::string StatementOf(const Expr& predicate) {
  return solver::ToText(solver::DerivationOf(solver::Derived(predicate)));
}

// Members of parsed JSON, without exceptions.
std::string TextOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}
std::optional<int64_t> IntOf(const Json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}
const Json& ListOf(const Json& object, const char* name) {
  static const Json* none = new Json(Json::array());
  const auto found = object.find(name);
  return found != object.end() && found->is_array() ? *found : *none;
}

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("facts about sizes: ", what));
}

// A JSON object of lists, a line for each element, whose members are put in the order of their
// names. There are as many elements as a graph has inputs: no value is made of them first, which
// would take several times the memory and time of their text.
class Lists {
 public:
  void Begin(const char* name) {
    absl::StrAppend(&text_, text_.empty() ? "{" : "],\n", "\"", name, "\": [");
    separator_ = "\n{";
  }
  void BeginElement() {
    text_ += separator_;
    separator_ = "";
  }
  void Put(const char* name, std::string_view value) {
    Key(name);
    String(value);
  }
  void Put(const char* name, int64_t value) {
    Key(name);
    absl::StrAppend(&text_, value);
  }
  void Put(const char* name, const std::vector<Expr>& dims) {
    Key(name);
    text_ += '[';
    for (size_t i = 0; i < dims.size(); ++i) {
      if (i > 0) text_ += ',';
      String(dims[i].ToString());
    }
    text_ += ']';
  }
  void EndElement() {
    text_ += '}';
    separator_ = ",\n{";
  }
  // `rest`: an object, whose members follow.
  std::string Finish(const Json& rest) {
    absl::StrAppend(&text_, "],\n", TextOf(rest).substr(1));
    return std::move(text_);
  }

 private:
  // Names may hold any bytes; JSON holds UTF-8.
  static std::string TextOf(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  void Key(const char* name) {
    absl::StrAppend(&text_, separator_, "\"", name, "\":");
    separator_ = ",";
  }
  void String(std::string_view value) { support::AppendJsonString(value, text_); }

  std::string text_;
  const char* separator_ = "";  // of what comes next
};

// Whether the ranges and congruences of the symbols say it already.
bool IsOfRanges(const solver::Context& context, const Expr& fact) {
  solver::Context alone;
  for (const std::string& name : solver::SymbolsOf(fact)) {
    const solver::SymbolInfo* const symbol = context.Find(name);
    if (symbol == nullptr || !alone.Declare(name, symbol->range, symbol->congruence, "").ok())
      return false;
  }
  return solver::Decide(alone, solver::Transfer(alone, fact)).kind == solver::Verdict::kProved;
}

}  // namespace

std::string SizeFactsOf(const ir::Graph& graph,
                        const std::map<std::string, std::string>& configuration,
                        absl::Span<const CountedSize> counted) {
  Lists lists;
  const auto put_tensor = [&lists](const std::string& name, const std::vector<Expr>& dims) {
    lists.BeginElement();
    lists.Put("dims", dims);
    lists.Put("name", name);
    lists.EndElement();
  };
  lists.Begin("inputs");
  for (const ir::Value* input : graph.inputs()) put_tensor(input->name(), input->type().dims);
  lists.Begin("outputs");
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    put_tensor(graph.output_names()[i], graph.outputs()[i]->type().dims);
  lists.Begin("symbols");
  for (const solver::SymbolInfo* symbol : graph.context().symbols()) {
    lists.BeginElement();
    lists.Put("max", symbol->range.hi);
    lists.Put("min", symbol->range.lo);
    lists.Put("name", symbol->name);
    lists.Put("origin", symbol->origin);
    lists.Put("residue", symbol->congruence.residue);
    lists.Put("stride", symbol->congruence.stride);
    lists.EndElement();
  }
  lists.Begin("obligations");
  for (const ir::Obligation& obligation : graph.obligations()) {
    lists.BeginElement();
    lists.Put("constraint", obligation.constraint);
    lists.Put("message", obligation.message);
    lists.Put("op", obligation.op);
    lists.Put("predicate", StatementOf(obligation.predicate));
    lists.Put("scope", obligation.location.ToString());
    lists.EndElement();
  }
  lists.Begin("relations");
  for (const solver::Fact& fact : graph.context().facts()) {
    if (fact.predicate.IsLiteral() || IsOfRanges(graph.context(), fact.predicate)) continue;
    lists.BeginElement();
    lists.Put("origin", fact.origin);
    lists.Put("predicate", StatementOf(fact.predicate));
    lists.EndElement();
  }
  lists.Begin("counted");
  for (const CountedSize& size : counted) {
    lists.BeginElement();
    lists.Put("symbol", size.symbol);
    lists.Put("tensor", size.tensor);
    lists.EndElement();
  }
  return lists.Finish({{"configuration", configuration}, {"version", kVersion}});
}

absl::StatusOr<SizeFacts> SizeFacts::Parse(absl::string_view text) {
  const Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Malformed("no JSON object");
  if (IntOf(json, "version") != kVersion)
    return Malformed(absl::StrCat("not of version ", kVersion));
  SizeFacts facts;
  facts.context_ = std::make_unique<solver::Context>();
  for (const Json& symbol : ListOf(json, "symbols")) {
    const std::string name = TextOf(symbol, "name");
    const std::optional<int64_t> min = IntOf(symbol, "min"), max = IntOf(symbol, "max");
    const std::optional<int64_t> stride = IntOf(symbol, "stride"),
                                 residue = IntOf(symbol, "residue");
    if (!min.has_value() || !max.has_value() || !stride.has_value() || !residue.has_value()) {
      return Malformed(absl::StrCat("symbol `", name, "` without range or congruence"));
    }
    solver::Range range;
    range.lo = *min;
    range.hi = *max;
    solver::Congruence congruence;
    congruence.stride = *stride;
    congruence.residue = *residue;
    const auto declared =
        facts.context_->Declare(name, range, congruence, TextOf(symbol, "origin"));
    if (!declared.ok()) return Malformed(declared.status().message());
  }
  for (const Json& input : ListOf(json, "inputs")) {
    Input parsed{TextOf(input, "name"), {}};
    for (const Json& dim : ListOf(input, "dims")) {
      if (!dim.is_string())
        return Malformed(absl::StrCat("a dim of `", parsed.name, "` is no text"));
      const auto e = solver::Parse(*facts.context_, dim.get<std::string>());
      if (!e.ok()) return Malformed(e.status().message());
      parsed.dims.push_back(*e);
    }
    facts.inputs_.push_back(std::move(parsed));
  }
  for (const Json& relation : ListOf(json, "relations")) {
    const auto predicate = solver::Parse(*facts.context_, TextOf(relation, "predicate"));
    if (!predicate.ok()) return Malformed(predicate.status().message());
    facts.relations_.push_back({*predicate, TextOf(relation, "origin")});
  }
  for (const Json& size : ListOf(json, "counted")) {
    CountedSize& counted = facts.counted_.emplace_back();
    counted.symbol = TextOf(size, "symbol");
    counted.tensor = TextOf(size, "tensor");
    if (facts.context_->Find(counted.symbol) == nullptr)
      return Malformed(absl::StrCat("`", counted.symbol, "`, which data decide, is not declared"));
  }
  for (const Json& obligation : ListOf(json, "obligations")) {
    const auto predicate = solver::Parse(*facts.context_, TextOf(obligation, "predicate"));
    if (!predicate.ok()) return Malformed(predicate.status().message());
    facts.obligations_.push_back(
        {absl::StrCat("`", TextOf(obligation, "op"), "` at `", TextOf(obligation, "scope"),
                      "`: constraint `", TextOf(obligation, "constraint"), "`"),
         TextOf(obligation, "message"), *predicate});
  }
  return facts;
}

std::string SizeFacts::ProblemOf(const solver::SymbolInfo& symbol, int64_t size) const {
  const int64_t stride = symbol.congruence.stride;
  if (size >= symbol.range.lo && size <= symbol.range.hi &&
      (stride <= 1 || size % stride == symbol.congruence.residue))
    return "";
  return absl::StrCat(
      "`", symbol.name, "` is ", size, ", admitted are ", symbol.range.lo, "..", symbol.range.hi,
      stride > 1 ? absl::StrCat(" with remainder ", symbol.congruence.residue, " modulo ", stride)
                 : "");
}

std::string SizeFacts::ProblemsOf(const solver::Assignment& known,
                                  const std::string& symbol) const {
  const auto is_asked = [&](const Expr& predicate) {
    bool mentioned = symbol.empty();
    for (const std::string& name : solver::SymbolsOf(predicate)) {
      mentioned = mentioned || name == symbol;
      if (known.find(name) == known.end() && solver::IsDataSize(*context_, name)) return false;
    }
    return mentioned;
  };
  for (const Relation& relation : relations_) {
    if (!is_asked(relation.predicate)) continue;
    const auto holds = solver::Evaluate(relation.predicate, known);
    if (holds.ok() && *holds != 0) continue;
    return absl::StrCat("sizes ", solver::ToText(known, solver::SymbolsOf(relation.predicate)),
                        ": `", relation.predicate.ToString(), "` ",
                        holds.ok() ? "is false" : holds.status().message(), " (", relation.origin,
                        ")");
  }
  for (const Obligation& obligation : obligations_) {
    if (!is_asked(obligation.predicate)) continue;
    const auto holds = solver::Evaluate(obligation.predicate, known);
    if (!holds.ok()) return absl::StrCat(obligation.place, ": ", holds.status().message());
    if (*holds == 0) return absl::StrCat(obligation.place, ": ", obligation.message);
  }
  return "";
}

absl::StatusOr<solver::Assignment> SizeFacts::Bind(
    absl::Span<const std::vector<int64_t>> shapes) const {
  if (shapes.size() != inputs_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(shapes.size(), " inputs, the facts about sizes are of ", inputs_.size()));
  }
  std::string problems;
  const auto problem = [&](auto&&... parts) {
    absl::StrAppend(&problems, problems.empty() ? "" : "\n", parts...);
  };
  solver::Assignment assignment;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (shapes[i].size() != inputs_[i].dims.size()) {
      return absl::InvalidArgumentError(absl::StrCat("input `", inputs_[i].name, "` has rank ",
                                                     shapes[i].size(), ", not ",
                                                     inputs_[i].dims.size()));
    }
    for (const solver::SymbolInfo* symbol : context_->symbols()) {
      const solver::Expr value = context_->Symbol(symbol->name);
      for (size_t d = 0; d < shapes[i].size(); ++d) {
        if (inputs_[i].dims[d] == value) assignment.emplace(symbol->name, shapes[i][d]);
      }
    }
  }
  for (const solver::SymbolInfo* symbol : context_->symbols()) {
    const auto bound = assignment.find(symbol->name);
    if (bound == assignment.end()) continue;
    if (const std::string text = ProblemOf(*symbol, bound->second); !text.empty()) problem(text);
  }
  if (problems.empty()) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      for (size_t d = 0; d < shapes[i].size(); ++d) {
        const auto size = solver::Evaluate(inputs_[i].dims[d], assignment);
        if (!size.ok()) {
          problem("axis ", d, " of input `", inputs_[i].name, "`: ", size.status().message());
        } else if (*size != shapes[i][d]) {
          problem("axis ", d, " of input `", inputs_[i].name, "` is ", shapes[i][d], ", `",
                  inputs_[i].dims[d].ToString(), "` is ", *size);
        }
      }
    }
  }
  if (problems.empty()) problems = ProblemsOf(assignment, "");
  if (!problems.empty()) return absl::InvalidArgumentError(problems);
  return assignment;
}

absl::Status SizeFacts::Count(const std::string& symbol, int64_t size,
                              solver::Assignment& known) const {
  const auto [it, fresh] = known.emplace(symbol, size);
  if (!fresh) {
    if (it->second == size) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("`", symbol, "` is counted as ", it->second, " and as ", size));
  }
  std::string problems = ProblemOf(*context_->Find(symbol), size);
  if (problems.empty()) problems = ProblemsOf(known, symbol);
  return problems.empty() ? absl::OkStatus() : absl::InvalidArgumentError(problems);
}

}  // namespace tessera::targets
