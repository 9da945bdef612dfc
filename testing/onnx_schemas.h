// The schemas of ONNX as testing/facts/onnx_schemas.tsv has them.
#ifndef TESSERA_TESTING_ONNX_SCHEMAS_H_
#define TESSERA_TESTING_ONNX_SCHEMAS_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tessera::testing {

struct SchemaValue {  // an input or an output
  std::string name;
  enum Arity { kOne, kOptional, kMany } arity = kOne;
  std::string type;             // a variable or a type
  std::set<std::string> types;  // the types that it may have
};

struct SchemaAttribute {
  std::string name, kind;  // kind: int, floats, string ...
  bool required = false;
  std::optional<std::string> otherwise;  // its default
};

struct Schema {
  std::string domain, name;
  int version = 1;
  bool deprecated = false;
  std::vector<SchemaValue> inputs, outputs;
  std::vector<SchemaAttribute> attributes;

  const SchemaAttribute* Find(absl::string_view attribute) const;
};

class OnnxSchemas {
 public:
  // Error: a line that is not of the table's form, with its number.
  static absl::StatusOr<OnnxSchemas> Read(absl::string_view table);

  // By version, ascending; empty for an operator that is not known.
  const std::vector<Schema>& Of(const std::string& domain, const std::string& name) const;
  // The schema that is in force in opset `opset` of `domain`; null: none yet.
  const Schema* InForce(const std::string& domain, const std::string& name, int opset) const;
  size_t size() const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<Schema>> schemas_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_ONNX_SCHEMAS_H_
