// The C++ of what a generator says of all definitions of a dialect: one function.
#ifndef TESSERA_CODEGEN_TABLE_SOURCE_H_
#define TESSERA_CODEGEN_TABLE_SOURCE_H_

#include <string>
#include <vector>

namespace tessera::codegen {

struct TableSource {
  std::string about;                  // "the examples of all definitions"
  std::vector<std::string> includes;  // of the standard library, without brackets
  std::string header;                 // of what the function returns
  std::string definitions;            // that only the function uses; they have internal linkage
  std::string type, function, body;   // `type function() { body }`
};

std::string EmitTable(const TableSource& table);

// The body that reads `texts`, which are JSON, once: `std::vector<element>` by `reader`.
std::string ReadingBody(const std::vector<std::string>& texts, const std::string& element,
                        const std::string& reader);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_TABLE_SOURCE_H_
