// The import clauses of the definitions, as `opgen imports` writes them, against the schemas of
// ONNX.
#ifndef TESSERA_TESTING_ONNX_CLAUSES_H_
#define TESSERA_TESTING_ONNX_CLAUSES_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "testing/onnx_schemas.h"

namespace tessera::testing {

struct ClauseAttribute {
  std::string name, reader;  // reader: attr_int, has_attr ...
  int since, until;          // opsets in which it is read
  std::string otherwise;     // as codegen/import_facts.h has it: `=1`, `~text`, `!`, `?`
};

struct ClauseValue {
  std::string name, arity, dtypes;  // arity of an input
};

struct ImportClause {
  std::string place, op, domain, name;
  int since, until;
  std::vector<ClauseAttribute> attributes;
  std::vector<ClauseValue> inputs, results;
};

absl::StatusOr<std::vector<ImportClause>> ReadImportClauses(absl::string_view table);

// Defaults that a schema leaves to its prose, from testing/facts/onnx_defaults.tsv: by operator and
// attribute, the rule by which the importer fills them in.
using UnstatedDefaults = std::map<std::pair<std::string, std::string>, std::string>;
absl::StatusOr<UnstatedDefaults> ReadUnstatedDefaults(absl::string_view table);

struct SchemaFindings {
  std::vector<std::string> wrong;  // a clause contradicts the schema
  // What the schema has and the importer refuses, or the other way round; in a golden.
  std::vector<std::string> deviations;
};

// Compares up to opset `newest` of ai.onnx, and what clauses for later ones begin with.
SchemaFindings CompareWithSchemas(const std::vector<ImportClause>& clauses,
                                  const OnnxSchemas& schemas, const UnstatedDefaults& unstated,
                                  int newest);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_ONNX_CLAUSES_H_
