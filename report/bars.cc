#include "report/bars.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "report/colour.h"
#include "report/markup.h"

namespace tessera::report {
namespace {

constexpr double kNames = 340, kBars = 520, kLabels = 240, kLine = 16;
constexpr size_t kNameColumns = 52;

}  // namespace

std::string BarsSvg(const std::vector<Bar>& bars) {
  double most = 0;
  for (const Bar& bar : bars) most = std::max(most, bar.value);
  const double width = kNames + kBars + kLabels;
  const double height = kLine * static_cast<double>(bars.size()) + 4;
  std::string svg = absl::StrFormat(
      "<svg class=\"bars\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"11\">\n",
      width, height, width, height);
  double y = 2;
  for (const Bar& bar : bars) {
    const double length = most > 0 ? kBars * std::max(bar.value, 0.0) / most : 0;
    svg += absl::StrFormat(
        "<g><title>%s</title><text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%s</text>"
        "<rect x=\"%.0f\" y=\"%.0f\" width=\"%.1f\" height=\"%.0f\" fill=\"hsl(%d,60%%,70%%)\"/>"
        "<text x=\"%.1f\" y=\"%.0f\">%s</text></g>\n",
        Escaped(bar.name), kNames - 6, y + kLine - 5, Escaped(Shortened(bar.name, kNameColumns)),
        kNames, y + 2, length, kLine - 4, HueOf(bar.name), kNames + length + 6, y + kLine - 5,
        Escaped(bar.label));
    y += kLine;
  }
  return svg + "</svg>\n";
}

}  // namespace tessera::report
