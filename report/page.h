// What a tool says of one thing, an artifact say, as one page that needs nothing but itself: no
// script, no other file. The same page gives the same bytes.
#ifndef TESSERA_REPORT_PAGE_H_
#define TESSERA_REPORT_PAGE_H_

#include <string>
#include <utility>
#include <vector>

namespace tessera::report {

// Plain text, the first row the header; numbers stand at the right.
using Rows = std::vector<std::vector<std::string>>;

struct Figure {
  std::string svg;      // markup, an `svg` element
  std::string caption;  // plain text; may be empty
};

// In this order. Everything but `svg` is plain text.
struct Section {
  std::string title;  // also an entry of the page's navigation
  std::vector<std::string> paragraphs;
  std::vector<Figure> figures;
  std::vector<Rows> tables;
  std::vector<std::pair<std::string, std::string>> folded;  // titles, and long texts behind them
};

// A number that the page begins with, and what it counts.
struct Card {
  std::string value, label;
};

struct Page {
  std::string title, subtitle;
  std::vector<Card> cards;
  std::vector<Section> sections;
};

std::string ToHtml(const Page& page);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_PAGE_H_
