#include "testing/onnx_clauses.h"

#include <algorithm>
#include <optional>
#include <set>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tessera::testing {
namespace {

constexpr int kOpen = 1 << 20;  // of a clause without `until`

// The kind of attribute that a reader takes.
const std::map<std::string, std::string>& KindsOfReaders() {
  static const auto* const kinds = new std::map<std::string, std::string>{
      {"attr_int", "int"},       {"attr_ints", "ints"},     {"attr_float", "float"},
      {"attr_floats", "floats"}, {"attr_string", "string"}, {"attr_strings", "strings"},
      {"attr_dtype", "int"},     {"attr_tensor", "tensor"}, {"attr_flag", "int"}};
  return *kinds;
}

// Of the element types of a definition, in the order of onnx.TensorProto.DataType.
std::string DTypeNumber(absl::string_view dtype) {
  static constexpr absl::string_view kNames[] = {"",    "f32", "u8", "i8",   "u16", "i16",
                                                 "i32", "i64", "",   "bool", "f16", "f64",
                                                 "u32", "u64", "",   "",     "bf16"};
  const auto found = std::find(std::begin(kNames), std::end(kNames), dtype);
  return found == std::end(kNames) ? "" : absl::StrCat(found - std::begin(kNames));
}

const std::set<std::string>& KnownTypes() {
  static const auto* const types = new std::set<std::string>{
      "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "bf16", "f64"};
  return *types;
}

// Whether a clause's literal is the schema's default; floats as a schema keeps them.
bool SameDefault(const ClauseAttribute& read, const std::string& kind, const std::string& schema) {
  const std::string given = read.otherwise.substr(1);
  if (read.reader == "attr_dtype") return DTypeNumber(given) == schema;
  if (kind == "ints" || kind == "floats") return given == schema;
  if (kind == "string") return given == absl::StrCat("\"", schema, "\"");
  float ours = 0, theirs = 0;
  return absl::SimpleAtof(given, &ours) && absl::SimpleAtof(schema, &theirs) && ours == theirs;
}

std::string Range(int since, int until) {
  if (until >= kOpen) return absl::StrCat("from ", since);
  return since == until ? absl::StrCat(since) : absl::StrCat(since, " to ", until);
}

class Comparison {
 public:
  Comparison(const std::vector<ImportClause>& clauses, const OnnxSchemas& schemas,
             const UnstatedDefaults& unstated, int newest)
      : clauses_(clauses), schemas_(schemas), unstated_(unstated), newest_(newest) {}

  SchemaFindings Run() {
    std::map<std::pair<std::string, std::string>, std::vector<const ImportClause*>> operators;
    for (const ImportClause& clause : clauses_) {
      if (schemas_.Of(clause.domain, clause.name).empty()) {
        // Operators of others have no schema; that others use ONNX's domain for theirs is rare.
        if (absl::StartsWith(clause.domain, "ai.onnx"))
          Deviates(clause, "ONNX has no such operator in its domain");
        continue;
      }
      operators[{clause.domain, clause.name}].push_back(&clause);
    }
    for (const auto& [key, clauses] : operators) {
      Ranges(clauses);
      for (const ImportClause* clause : clauses) One(*clause);
    }
    for (const auto& [key, rule] : unstated_) {
      if (used_.count(key) == 0)
        findings_.wrong.push_back(
            absl::StrCat(key.first, ": the default of `", key.second, "` is listed and not used"));
    }
    return std::move(findings_);
  }

 private:
  void Wrong(const ImportClause& clause, const std::string& what) {
    findings_.wrong.push_back(absl::StrCat(clause.place, ": ", clause.name, " ",
                                           Range(clause.since, clause.until), ": ", what));
  }
  void Deviates(const ImportClause& clause, const std::string& what) {
    findings_.deviations.push_back(absl::StrCat(clause.name, ": ", what));
  }

  // The newest opset of interest.
  int Last(const ImportClause& clause) const {
    return clause.domain == "ai.onnx" ? std::max(newest_, clause.since) : kOpen;
  }

  static bool Starts(const std::vector<Schema>& versions, int opset) {
    return std::any_of(versions.begin(), versions.end(),
                       [&](const Schema& schema) { return schema.version == opset; });
  }
  static const ImportClause* In(const std::vector<const ImportClause*>& clauses, int opset) {
    for (const ImportClause* clause : clauses) {
      if (clause->since <= opset && opset <= clause->until) return clause;
    }
    return nullptr;
  }

  // Every opset is imported by one clause, from the operator's first to its last.
  void Ranges(const std::vector<const ImportClause*>& clauses) {
    const std::vector<Schema>& versions = schemas_.Of(clauses[0]->domain, clauses[0]->name);
    for (const ImportClause* clause : clauses) {
      if (!Starts(versions, clause->since))
        Wrong(*clause, absl::StrCat("no version begins at ", clause->since));
      if (clause->until < kOpen && !Starts(versions, clause->until + 1))
        Wrong(*clause, absl::StrCat("no version ends at ", clause->until));
      if (clause->since > clause->until) Wrong(*clause, "ends before it begins");
      for (const ImportClause* other : clauses) {
        if (other != clause && other->since <= clause->since && clause->since <= other->until)
          Wrong(*clause, absl::StrCat("the clause at ", other->place, " has these opsets too"));
      }
    }
    for (const ImportClause* clause : clauses) {
      const int next = clause->until + 1;
      if (clause->until < kOpen && !Starts(versions, next) && !In(clauses, next))
        Wrong(*clause, absl::StrCat("opset ", next, " is imported by no clause"));
    }
    for (const Schema& schema : versions) {
      const ImportClause* const in = In(clauses, schema.version);
      const bool imported = in != nullptr;
      if (imported != schema.deprecated || schema.version > Last(*clauses[0])) continue;
      if (!imported) {
        Deviates(*clauses[0], absl::StrCat("version ", schema.version, " is not imported"));
        continue;
      }
      // A clause that begins with it means it.
      const std::string text = absl::StrCat("version ", schema.version, " is deprecated");
      const bool meant =
          std::any_of(clauses.begin(), clauses.end(),
                      [&](const ImportClause* clause) { return clause->since == schema.version; });
      if (meant) {
        Deviates(*in, absl::StrCat(text, ", and imported"));
      } else {
        Wrong(*in, text);
      }
    }
  }

  // The versions that the opsets from `since` to `until` have.
  std::vector<const Schema*> Versions(const ImportClause& clause, int since, int until) const {
    std::vector<const Schema*> result;
    if (const Schema* first = schemas_.InForce(clause.domain, clause.name, since))
      result.push_back(first);
    for (const Schema& schema : schemas_.Of(clause.domain, clause.name)) {
      if (schema.version > since && schema.version <= std::min(until, Last(clause)))
        result.push_back(&schema);
    }
    return result;
  }

  void One(const ImportClause& clause) {
    const std::vector<const Schema*> versions = Versions(clause, clause.since, clause.until);
    for (const ClauseAttribute& read : clause.attributes) Attribute(clause, read);
    Unread(clause, versions);
    Inputs(clause, versions);
    Results(clause, versions);
  }

  void Attribute(const ImportClause& clause, const ClauseAttribute& read) {
    bool known = false;
    for (const Schema* schema : Versions(clause, read.since, read.until)) {
      const SchemaAttribute* attribute = schema->Find(read.name);
      if (attribute == nullptr) continue;
      known = true;
      if (read.reader == "has_attr" || read.reader == "extern") continue;
      const std::string at = absl::StrCat("`", read.name, "` of version ", schema->version, " is ");
      if (KindsOfReaders().at(read.reader) != attribute->kind) {
        Wrong(clause, absl::StrCat(at, "of kind ", attribute->kind, ", read by ", read.reader));
        continue;
      }
      Default(clause, read, *attribute, at);
    }
    if (!known) Wrong(clause, absl::StrCat("no version has an attribute `", read.name, "`"));
  }

  static bool Stated(const ClauseAttribute& read, const SchemaAttribute& attribute) {
    return read.otherwise[0] == '=' && attribute.otherwise &&
           SameDefault(read, attribute.kind, *attribute.otherwise);
  }

  void Default(const ImportClause& clause, const ClauseAttribute& read,
               const SchemaAttribute& attribute, const std::string& at) {
    const char form = read.otherwise[0];
    const auto key = std::pair(clause.name, read.name);
    const auto unstated = unstated_.find(key);
    if (unstated != unstated_.end() && form != '!' && !Stated(read, attribute)) {
      used_.insert(key);
      if (unstated->second != read.otherwise)
        Wrong(clause, absl::StrCat(at, read.otherwise, " when left out, not ", unstated->second));
      return;
    }
    if (attribute.otherwise) {
      if (Stated(read, attribute)) return;
      Wrong(clause, absl::StrCat(at, *attribute.otherwise, " when left out, not ", read.otherwise));
    } else if (attribute.required) {
      // Where another attribute or an input may stand for it, the clause says so by an expression.
      if (form == '=') Wrong(clause, absl::StrCat(at, "required, and has ", read.otherwise));
    } else if (form == '!') {
      Deviates(clause, absl::StrCat(at, "optional, and needed here"));
    } else if (form != '?') {
      Wrong(clause, absl::StrCat(at, "without a default, and ", read.otherwise, " when left out"));
    }
  }

  void Unread(const ImportClause& clause, const std::vector<const Schema*>& versions) {
    std::set<std::string> unread;
    for (const Schema* schema : versions) {
      for (const SchemaAttribute& attribute : schema->attributes) {
        const bool read =
            std::any_of(clause.attributes.begin(), clause.attributes.end(),
                        [&](const ClauseAttribute& known) { return known.name == attribute.name; });
        if (!read) unread.insert(attribute.name);
      }
    }
    for (const std::string& name : unread)
      Deviates(clause, absl::StrCat("attribute `", name, "` is refused, in opsets ",
                                    Range(clause.since, clause.until)));
  }

  void Inputs(const ImportClause& clause, const std::vector<const Schema*>& versions) {
    size_t most = 0;
    for (const Schema* schema : versions) most = std::max(most, schema->inputs.size());
    const bool external = !clause.attributes.empty() && clause.attributes[0].reader == "extern";
    if (external) return;
    if (clause.inputs.size() > most) {
      Wrong(clause, absl::StrCat(clause.inputs.size(), " inputs, no version has more than ", most));
      return;
    }
    if (clause.inputs.size() < most)
      Deviates(clause, absl::StrCat("of ", most, " inputs the first ", clause.inputs.size(),
                                    " are taken, in opsets ", Range(clause.since, clause.until)));
    for (size_t i = 0; i < clause.inputs.size(); ++i) Input(clause, i, versions);
  }

  void Input(const ImportClause& clause, size_t i, const std::vector<const Schema*>& versions) {
    const ClauseValue& input = clause.inputs[i];
    std::set<std::string> admitted;
    for (const Schema* schema : versions) {
      for (size_t j = 0; j < schema->inputs.size(); ++j) {
        if (j != i && absl::EqualsIgnoreCase(schema->inputs[j].name, input.name) &&
            schema->inputs.size() > i)
          Wrong(clause, absl::StrCat("`", input.name, "` is input ", j, " of version ",
                                     schema->version, ", not ", i));
      }
      if (i >= schema->inputs.size()) continue;
      const SchemaValue& value = schema->inputs[i];
      admitted.insert(value.types.begin(), value.types.end());
      const std::string arity = value.arity == SchemaValue::kOne        ? "one"
                                : value.arity == SchemaValue::kOptional ? "optional"
                                                                        : "many";
      if (input.arity != "-" && input.arity != arity) Arity(clause, input, arity, schema->version);
    }
    if (input.dtypes == "-") return;
    const std::set<std::string> ours = absl::StrSplit(input.dtypes, ',');
    Types(clause, absl::StrCat("input ", i), ours, admitted);
  }

  // An optional input that the definition needs is a refusal, the opposite takes more; many of one
  // contradict the schema.
  void Arity(const ImportClause& clause, const ClauseValue& input, const std::string& arity,
             int version) {
    const std::string text = absl::StrCat("`", input.name, "` is ", input.arity, " operand, and ",
                                          arity, " in version ", version);
    if (input.arity != "many" && arity != "many") {
      Deviates(clause, text);
    } else {
      Wrong(clause, text);
    }
  }

  void Types(const ImportClause& clause, const std::string& what, const std::set<std::string>& ours,
             const std::set<std::string>& theirs) {
    std::vector<std::string> refused, more;
    for (const std::string& type : theirs) {
      if (KnownTypes().count(type) != 0 && ours.count(type) == 0) refused.push_back(type);
    }
    for (const std::string& type : ours) {
      if (theirs.count(type) == 0) more.push_back(type);
    }
    const std::string where = absl::StrCat(" in opsets ", Range(clause.since, clause.until));
    if (!refused.empty())
      Deviates(clause, absl::StrCat(what, " refuses ", absl::StrJoin(refused, ", "), where));
    if (!more.empty())
      Deviates(clause, absl::StrCat(what, " takes ", absl::StrJoin(more, ", "), where));
  }

  void Results(const ImportClause& clause, const std::vector<const Schema*>& versions) {
    for (size_t i = 0; i < clause.results.size(); ++i) {
      const ClauseValue& result = clause.results[i];
      std::set<std::string> admitted;
      bool known = false;
      for (const Schema* schema : versions) {
        if (i >= schema->outputs.size()) continue;
        known = true;
        const SchemaValue& output = schema->outputs[i];
        admitted.insert(output.types.begin(), output.types.end());
        if (!absl::StartsWith(result.dtypes, "as ")) continue;
        size_t input = 0;
        if (!absl::SimpleAtoi(result.dtypes.substr(3), &input) || input >= schema->inputs.size())
          continue;
        if (schema->inputs[input].type != output.type &&
            schema->inputs[input].types != output.types)
          Deviates(clause, absl::StrCat("output ", i, " has the type of input ", input,
                                        ", version ", schema->version, " does not say so"));
      }
      if (!known) {
        Wrong(clause, absl::StrCat("no version has an output ", i, " for `", result.name, "`"));
      } else if (result.dtypes != "-" && !absl::StartsWith(result.dtypes, "as ")) {
        const std::set<std::string> ours = absl::StrSplit(result.dtypes, ',');
        Types(clause, absl::StrCat("output ", i), ours, admitted);
      }
    }
  }

  const std::vector<ImportClause>& clauses_;
  const OnnxSchemas& schemas_;
  const UnstatedDefaults& unstated_;
  const int newest_;
  std::set<std::pair<std::string, std::string>> used_;
  SchemaFindings findings_;
};

}  // namespace

absl::StatusOr<std::vector<ImportClause>> ReadImportClauses(absl::string_view table) {
  std::vector<ImportClause> clauses;
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    const auto malformed = [&] {
      return absl::InvalidArgumentError(absl::StrCat("`", line, "` is malformed"));
    };
    if (columns.size() < 7) return malformed();
    const std::string& kind = columns[6];
    if (kind == "clause") {
      ImportClause clause{columns[0], columns[1], columns[2], columns[3], 0, 0, {}, {}, {}};
      if (!absl::SimpleAtoi(columns[4], &clause.since) ||
          !absl::SimpleAtoi(columns[5], &clause.until))
        return malformed();
      clauses.push_back(std::move(clause));
    } else if (clauses.empty()) {
      return malformed();
    } else if (kind == "attribute" && columns.size() == 12 && !columns[11].empty()) {
      ClauseAttribute attribute{columns[7], columns[8], 0, 0, columns[11]};
      if (!absl::SimpleAtoi(columns[9], &attribute.since) ||
          !absl::SimpleAtoi(columns[10], &attribute.until))
        return malformed();
      clauses.back().attributes.push_back(std::move(attribute));
    } else if (kind == "input" && columns.size() == 10) {
      clauses.back().inputs.push_back({columns[7], columns[8], columns[9]});
    } else if (kind == "result" && columns.size() == 9) {
      clauses.back().results.push_back({columns[7], "", columns[8]});
    } else {
      return malformed();
    }
  }
  return clauses;
}

absl::StatusOr<UnstatedDefaults> ReadUnstatedDefaults(absl::string_view table) {
  UnstatedDefaults defaults;
  for (absl::string_view line : absl::StrSplit(table, '\n', absl::SkipEmpty())) {
    if (line[0] == '#') continue;
    const std::vector<std::string> columns = absl::StrSplit(line, '\t');
    if (columns.size() != 4 ||
        !defaults.emplace(std::pair(columns[0], columns[1]), columns[2]).second)
      return absl::InvalidArgumentError(absl::StrCat("`", line, "` is malformed or twice"));
  }
  return defaults;
}

SchemaFindings CompareWithSchemas(const std::vector<ImportClause>& clauses,
                                  const OnnxSchemas& schemas, const UnstatedDefaults& unstated,
                                  int newest) {
  return Comparison(clauses, schemas, unstated, newest).Run();
}

}  // namespace tessera::testing
