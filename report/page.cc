#include "report/page.h"

#include "absl/strings/str_cat.h"
#include "report/html.h"
#include "report/markup.h"

namespace tessera::report {
namespace {

std::string TableHtml(const Rows& rows) {
  if (rows.empty()) return "";
  const auto escaped = [](std::vector<std::string> cells) {
    for (std::string& cell : cells) cell = Escaped(cell);
    return cells;
  };
  HtmlTable table(escaped(rows[0]));
  for (size_t i = 1; i < rows.size(); ++i) table.Add(escaped(rows[i]));
  return absl::StrCat("<div class=\"wide\">", std::move(table).Done(), "</div>\n");
}

std::string SectionHtml(const Section& section, const std::string& anchor) {
  std::string html =
      absl::StrCat("<section id=\"", anchor, "\"><h2>", Escaped(section.title), "</h2>\n");
  for (const std::string& paragraph : section.paragraphs)
    absl::StrAppend(&html, "<p>", Escaped(paragraph), "</p>\n");
  for (const Figure& figure : section.figures) {
    absl::StrAppend(&html, "<figure><div class=\"wide\">", figure.svg, "</div>");
    if (!figure.caption.empty())
      absl::StrAppend(&html, "<figcaption>", Escaped(figure.caption), "</figcaption>");
    html += "</figure>\n";
  }
  for (const Rows& rows : section.tables) html += TableHtml(rows);
  for (const auto& [title, text] : section.folded)
    absl::StrAppend(&html, "<details><summary>", Escaped(title), "</summary><pre>", Escaped(text),
                    "</pre></details>\n");
  return html + "</section>\n";
}

}  // namespace

std::string ToHtml(const Page& page) {
  std::string body = absl::StrCat("<header><h1>", Escaped(page.title), "</h1>\n");
  if (!page.subtitle.empty()) absl::StrAppend(&body, "<p>", Escaped(page.subtitle), "</p>\n");
  if (!page.cards.empty()) {
    body += "<div class=\"cards\">";
    for (const Card& card : page.cards) body += HtmlCard(Escaped(card.value), Escaped(card.label));
    body += "</div>\n";
  }
  const auto anchor = [](size_t i) { return absl::StrCat("section-", i); };
  body += "<nav>";
  for (size_t i = 0; i < page.sections.size(); ++i)
    absl::StrAppend(&body, "<a href=\"#", anchor(i), "\">", Escaped(page.sections[i].title),
                    "</a>");
  body += "</nav></header>\n";
  for (size_t i = 0; i < page.sections.size(); ++i)
    body += SectionHtml(page.sections[i], anchor(i));
  return Html(page.title, "", body, "");
}

}  // namespace tessera::report
