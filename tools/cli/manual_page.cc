#include "tools/cli/manual_page.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::cli {
namespace {

// As text: no character of it is a command, and a dash is the one that is typed.
std::string Text(const std::string& text) {
  std::string escaped = absl::StrReplaceAll(text, {{"\\", "\\e"}, {"-", "\\-"}});
  if (!escaped.empty() && (escaped[0] == '.' || escaped[0] == '\'')) escaped.insert(0, "\\&");
  return escaped;
}

}  // namespace

std::string ManualPage(const ManualText& text) {
  std::string name = absl::StrReplaceAll(text.program, {{" ", "-"}});
  std::string page =
      absl::StrCat(".TH ", absl::AsciiStrToUpper(name), " 1 \"\" Tessera\n.SH NAME\n", Text(name),
                   " \\- ", Text(text.doc), "\n.SH SYNOPSIS\n");
  for (size_t i = 0; i < text.usages.size(); ++i)
    absl::StrAppend(&page, i > 0 ? ".br\n" : "", Text(text.usages[i]), "\n");
  page += ".SH OPTIONS\n";
  for (const ManualEntry& entry : text.arguments)
    absl::StrAppend(&page, ".TP\n\\fB", Text(entry.term), "\\fR\n", Text(entry.text), "\n");
  if (!text.examples.empty()) page += ".SH EXAMPLES\n";
  for (const std::string& example : text.examples)
    absl::StrAppend(&page, ".PP\n.nf\n", Text(example), "\n.fi\n");
  page += ".SH EXIT STATUS\n";
  for (const ManualEntry& entry : text.exit_codes)
    absl::StrAppend(&page, ".TP\n", Text(entry.term), "\n", Text(entry.text), "\n");
  return page;
}

}  // namespace tessera::cli
