// What a command line says of itself, in the forms of manual pages and of shells.
#ifndef TESSERA_TOOLS_CLI_MANUAL_PAGE_H_
#define TESSERA_TOOLS_CLI_MANUAL_PAGE_H_

#include <string>
#include <vector>

namespace tessera::cli {

struct ManualEntry {
  std::string term, text;  // `--dim FACT` and what it does
};

struct ManualText {
  std::string program, doc;
  std::vector<std::string> usages;
  std::vector<ManualEntry> arguments;
  std::vector<std::string> examples;
  std::vector<ManualEntry> exit_codes;
};

// In the language `man` of troff (groff_man(7)); section 1.
std::string ManualPage(const ManualText& text);

}  // namespace tessera::cli

#endif  // TESSERA_TOOLS_CLI_MANUAL_PAGE_H_
