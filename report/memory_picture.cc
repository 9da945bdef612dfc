#include "report/memory_picture.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/colour.h"
#include "report/markup.h"

namespace tessera::report {
namespace {

constexpr double kLeft = 96, kTop = 26, kBottom = 30, kWidth = 1000, kHeight = 360;
constexpr double kColumn = 6.3;  // width of a character of a buffer's name
constexpr int kMarks = 4;        // on the axis of addresses, beside zero

std::string Text(double x, double y, const char* anchor, std::string_view text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor,
                         Escaped(text));
}

}  // namespace

std::string MemorySvg(const MemoryPicture& picture) {
  const int64_t steps = std::max<int64_t>(picture.steps, 1);
  const int64_t bytes = std::max<int64_t>(picture.bytes, 1);
  const auto across = [&](int64_t step) {
    return kLeft + kWidth * static_cast<double>(std::clamp<int64_t>(step, 0, steps)) /
                       static_cast<double>(steps);
  };
  const auto up = [&](int64_t address) {
    return kTop + kHeight -
           kHeight * static_cast<double>(std::clamp<int64_t>(address, 0, bytes)) /
               static_cast<double>(bytes);
  };
  std::string svg = absl::StrFormat(
      "<svg class=\"memory\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"11\">\n",
      kLeft + kWidth + 20, kTop + kHeight + kBottom, kLeft + kWidth + 20, kTop + kHeight + kBottom);
  svg += Text(kLeft, 16, "start", picture.title);
  svg += absl::StrFormat(
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"#f6f8fa\" "
      "stroke=\"#57606a\"/>\n",
      kLeft, kTop, kWidth, kHeight);
  for (int i = 0; i <= kMarks; ++i) {
    const int64_t address = bytes / kMarks * i + bytes % kMarks * i / kMarks;
    svg += Text(kLeft - 6, up(address) + 4, "end", absl::StrCat(address));
    svg += absl::StrFormat(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#d0d7de\"/>\n", kLeft,
        up(address), kLeft + kWidth, up(address));
  }
  for (const Buffer& buffer : picture.buffers) {
    if (buffer.size <= 0 || buffer.last_step < buffer.first_step) continue;
    if (buffer.offset >= bytes || buffer.first_step >= steps) continue;
    const int64_t end =
        std::min(bytes - buffer.size < buffer.offset ? bytes : buffer.offset + buffer.size, bytes);
    const double left = across(buffer.first_step);
    const double width = across(std::min(buffer.last_step, steps - 1) + 1) - left;
    const double top = up(end), height = up(buffer.offset) - top;
    const int hue = HueOf(buffer.name);
    svg += absl::StrFormat(
        "<g><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
        "fill=\"hsl(%d,60%%,80%%)\" stroke=\"hsl(%d,45%%,40%%)\"/><title>%s: %d bytes at %d, steps "
        "%d to %d</title>",
        left, top, width, height, hue, hue, Escaped(buffer.name), buffer.size, buffer.offset,
        buffer.first_step, buffer.last_step);
    const auto columns = static_cast<size_t>(std::max(0.0, (width - 6) / kColumn));
    if (columns >= 3 && height >= 13)
      svg += Text(left + 3, top + std::min(height / 2 + 4, 12.0), "start",
                  Shortened(buffer.name, columns));
    svg += "</g>\n";
  }
  svg += Text(kLeft, kTop + kHeight + 18, "start", "step 0");
  svg += Text(kLeft + kWidth, kTop + kHeight + 18, "end", absl::StrCat("step ", steps - 1));
  return svg + "</svg>\n";
}

}  // namespace tessera::report
