#include "codegen/table_source.h"

#include "absl/strings/str_cat.h"

namespace tessera::codegen {

std::string EmitTable(const TableSource& table) {
  std::string text = absl::StrCat("// Generated: ", table.about, ".\n");
  for (const std::string& include : table.includes)
    absl::StrAppend(&text, "#include <", include, ">\n");
  absl::StrAppend(&text, table.includes.empty() ? "" : "\n", "#include \"", table.header,
                  "\"\n\nnamespace tessera::ops {\n");
  if (!table.definitions.empty())
    absl::StrAppend(&text, "namespace {\n\n", table.definitions, "\n}  // namespace\n");
  absl::StrAppend(&text, "\n", table.type, " ", table.function, "();\n", table.type, " ",
                  table.function, "() {\n", table.body, "}\n\n}  // namespace tessera::ops\n");
  return text;
}

std::string ReadingBody(const std::vector<std::string>& texts, const std::string& element,
                        const std::string& reader) {
  std::string body =
      absl::StrCat("  static const auto* all = new std::vector<", element, ">(", reader, "({\n");
  for (const std::string& text : texts)
    absl::StrAppend(&body, "      R\"json(", text, ")json\",\n");
  return body + "  }));\n  return *all;\n";
}

}  // namespace tessera::codegen
