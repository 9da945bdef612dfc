#include "report/html.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "report/markup.h"
#include "report/page_style.h"

namespace tessera::report {
namespace {

absl::string_view View(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::string Html(std::string_view title, std::string_view style, std::string_view body,
                 std::string_view script) {
  std::string html =
      absl::StrCat("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n",
                   "<meta charset=\"utf-8\"/>\n<title>", Escaped(title), "</title>\n<style>\n",
                   View(PageStyle()), View(style), "</style>\n</head>\n<body>\n", View(body));
  if (!script.empty()) absl::StrAppend(&html, "<script>\n", View(script), "</script>\n");
  return html + "</body>\n</html>\n";
}

HtmlTable::HtmlTable(const std::vector<std::string>& heads) {
  html_ = "<table><thead><tr>";
  for (const std::string& head : heads) absl::StrAppend(&html_, "<th>", head, "</th>");
  html_ += "</tr></thead><tbody>\n";
}

void HtmlTable::Add(const std::vector<std::string>& cells) {
  html_ += "<tr>";
  for (const std::string& cell : cells) {
    const bool number = !cell.empty() && cell.find_first_not_of("0123456789.+-") == cell.npos;
    absl::StrAppend(&html_, number ? "<td class=\"num\">" : "<td>", cell, "</td>");
  }
  html_ += "</tr>\n";
}

std::string HtmlTable::Done() && { return std::move(html_) + "</tbody></table>\n"; }

std::string HtmlCard(std::string_view value, std::string_view label) {
  return absl::StrCat("<div class=\"card\"><b>", View(value), "</b>", View(label), "</div>");
}

}  // namespace tessera::report
