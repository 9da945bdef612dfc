// The frame of a page, and what stands on many: self-contained HTML, to be opened from a file.
#ifndef TESSERA_REPORT_HTML_H_
#define TESSERA_REPORT_HTML_H_

#include <string>
#include <string_view>
#include <vector>

namespace tessera::report {

// A whole page. `style` comes behind the style of all pages, `script` at the end, if there is one;
// both are as they are, and so is `body`.
std::string Html(std::string_view title, std::string_view style, std::string_view body,
                 std::string_view script);

// Cells are markup already; those that are numbers stand at the right.
class HtmlTable {
 public:
  explicit HtmlTable(const std::vector<std::string>& heads);
  void Add(const std::vector<std::string>& cells);
  std::string Done() &&;

 private:
  std::string html_;
};

// A number that the page begins with, and what it counts; both are markup.
std::string HtmlCard(std::string_view value, std::string_view label);

}  // namespace tessera::report

#endif  // TESSERA_REPORT_HTML_H_
