// What the import clauses of definitions take from a node, as data: for tests against the schemas
// of ONNX.
#ifndef TESSERA_CODEGEN_IMPORT_FACTS_H_
#define TESSERA_CODEGEN_IMPORT_FACTS_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"

namespace tessera::codegen {

// One `attr_int(name) ?? otherwise`, or `has_attr(name)`.
struct AttributeRead {
  std::string name, reader;        // reader: `attr_int`, `has_attr` ...
  NodePtr node;                    // the call
  NodePtr otherwise;               // null: none
  int since = 1, until = 1 << 20;  // opsets in which the clause gets there
};

// In the order of the text. The attributes of an `extern` clause are read by `extern`.
std::vector<AttributeRead> AttributeReadsOf(const OnnxClause& clause);

// A table with one line per fact, of these forms (`|` for a tab; the first six columns name the
// clause: place, op, domain, name, since, until):
//   ...|attribute|NAME|READER|SINCE|UNTIL|DEFAULT
//   ...|input|NAME|ARITY|DTYPES
//   ...|result|NAME|DTYPES
// DEFAULT is `=` with a number, a string in quotes, a dtype or a list of such, `~` with an
// expression that is none of these, `!` where there is none, `?` where the clause asks `has_attr`
// first. ARITY is `one`, `optional` or `many`. DTYPES are those that the definition admits, or `-`
// where it says nothing of them by itself (what the clause computes with, and where it states a
// term); of a result with the type of an input `as` and the number of that input.
std::string EmitImports(const std::vector<const File*>& files);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_IMPORT_FACTS_H_
