#include "targets/vulkan/report.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "report/bars.h"
#include "report/colour.h"
#include "report/markup.h"
#include "report/memory_picture.h"
#include "support/printable.h"
#include "targets/vulkan/describe.h"

namespace tessera::vulkan {
namespace {

constexpr size_t kMostBars = 200;

std::string Printed(const flatbuffers::String* text) {
  return text == nullptr ? "" : support::Printable(text->str());
}

// With a prefix of the SI.
std::string Short(double value, const char* unit) {
  for (const auto& [least, prefix] : {std::pair(1e12, "T"), {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (value >= least) return absl::StrFormat("%.3g %s%s", value / least, prefix, unit);
  }
  return absl::StrFormat("%.3g %s", value, unit);
}

std::string Ratio(int64_t a, int64_t b) {
  return b == 0 ? "" : absl::StrFormat("%.3f", static_cast<double>(a) / static_cast<double>(b));
}

// What each dispatch does at one size.
struct Work {
  std::string name;
  double flops = 0, bytes = 0;
  double Intensity() const { return bytes > 0 ? flops / bytes : 0; }
};

std::vector<Work> WorkOf(const file::Model& model, const AtSizes& at) {
  std::vector<Work> all;
  for (const file::Dispatch* dispatch : *model.dispatches()) {
    const auto value = [&](uint32_t e) {
      return static_cast<double>(std::max<int64_t>(at.values[e].value_or(0), 0));
    };
    all.push_back({absl::StrCat(all.size(), " ", Printed(dispatch->name()), " at ",
                                Printed(dispatch->location())),
                   value(dispatch->flops()), value(dispatch->bytes())});
  }
  return all;
}

// Dispatches by how much they compute with each byte that they move, and how much in all. Under a
// device's roofline those to the left of its ridge are bound by memory, those to the right by
// arithmetic.
std::string RooflineSvg(const std::vector<Work>& works) {
  constexpr double kWidth = 760, kHeight = 360, kLeft = 70, kBottom = 40, kTop = 12, kRight = 16;
  double low = 0, high = 1, least = 0, most = 1;  // powers of ten
  bool first = true;
  for (const Work& work : works) {
    if (work.flops <= 0 || work.bytes <= 0) continue;
    const double x = std::log10(work.Intensity()), y = std::log10(work.flops);
    low = first ? std::floor(x) : std::min(low, std::floor(x));
    high = first ? std::floor(x) + 1 : std::max(high, std::floor(x) + 1);
    least = first ? std::floor(y) : std::min(least, std::floor(y));
    most = first ? std::floor(y) + 1 : std::max(most, std::floor(y) + 1);
    first = false;
  }
  const auto right = [&](double x) {
    return kLeft + (x - low) / (high - low) * (kWidth - kLeft - kRight);
  };
  const auto down = [&](double y) {
    return kHeight - kBottom - (y - least) / (most - least) * (kHeight - kBottom - kTop);
  };
  std::string svg = absl::StrFormat(
      "<svg class=\"roofline\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
      "font-family=\"system-ui,sans-serif\" font-size=\"11\">\n",
      kWidth, kHeight, kWidth, kHeight);
  for (double x = low; x <= high; ++x)
    svg += absl::StrFormat(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>"
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">1e%.0f</text>\n",
        right(x), kTop, right(x), kHeight - kBottom, right(x), kHeight - kBottom + 14, x);
  for (double y = least; y <= most; ++y)
    svg += absl::StrFormat(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#ccc\"/>"
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">1e%.0f</text>\n",
        kLeft, down(y), kWidth - kRight, down(y), kLeft - 6, down(y) + 4, y);
  svg += absl::StrFormat(
      "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">flops for each byte</text>"
      "<text x=\"14\" y=\"%.0f\" transform=\"rotate(-90 14 %.0f)\" text-anchor=\"middle\">flops"
      "</text>\n",
      kWidth / 2, kHeight - 8, kHeight / 2, kHeight / 2);
  for (const Work& work : works) {
    if (work.flops <= 0 || work.bytes <= 0) continue;
    svg += absl::StrFormat(
        "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"hsl(%d,60%%,55%%)\" fill-opacity=\"0.7\">"
        "<title>%s: %s, %s, %.3g flops for each byte</title></circle>\n",
        right(std::log10(work.Intensity())), down(std::log10(work.flops)), report::HueOf(work.name),
        report::Escaped(work.name), Short(work.flops, "flops"), Short(work.bytes, "B"),
        work.Intensity());
  }
  return svg + "</svg>\n";
}

report::Section MemoryOf(const file::Model& model, const AtSizes& at, const std::string& sizes) {
  report::Section section;
  section.title = "Memory";
  section.paragraphs = {
      absl::StrCat("The arena has ", ExpressionText(model, model.arena_bytes()), " bytes."),
      absl::StrCat(
          "At ", sizes, " these are ", at.arena_bytes,
          " bytes: ", Ratio(at.arena_bytes, at.live_bytes), " times the ", at.live_bytes,
          " that are in use at one time, less than which no plan takes. One buffer for each "
          "tensor would take ",
          at.all_bytes, ", ", Ratio(at.all_bytes, at.arena_bytes), " times as much.")};
  report::MemoryPicture picture{"The arena, dispatch by dispatch",
                                static_cast<int64_t>(model.dispatches()->size()),
                                at.arena_bytes,
                                {}};
  report::Rows rows = {{"tensor", "bytes", "at", "from dispatch", "to dispatch"}};
  for (const Held& held : at.held) {
    std::string name = Printed(model.tensors()->Get(held.tensor)->name());
    for (const uint32_t next : held.followed_by)
      absl::StrAppend(&name, ", then ", Printed(model.tensors()->Get(next)->name()));
    picture.buffers.push_back({name, std::max<int64_t>(held.first, 0),
                               std::max<int64_t>(held.last, 0), held.offset, held.bytes});
    rows.push_back({name, absl::StrCat(held.bytes), absl::StrCat(held.offset),
                    absl::StrCat(held.first), absl::StrCat(held.last)});
  }
  section.figures.push_back({report::MemorySvg(picture), absl::StrCat("at ", sizes)});
  section.tables.push_back(std::move(rows));
  return section;
}

report::Section DispatchesOf(const std::vector<Work>& works, const std::string& sizes) {
  report::Section section;
  section.title = "Work";
  section.paragraphs = {absl::StrCat("At ", sizes,
                                     ". Bytes are those of all tensors that a dispatch reads or "
                                     "writes, each counted once.")};
  section.figures.push_back({RooflineSvg(works),
                             "Each dispatch. A device's roofline has its ridge at its flops over "
                             "its bytes per second: what "
                             "lies to the left of it is bound by memory. `bench` measures both."});
  std::vector<report::Bar> bars;
  for (const Work& work : works) {
    if (bars.size() == kMostBars) break;
    bars.push_back({work.name,
                    absl::StrCat(Short(work.flops, "flops"), ", ", Short(work.bytes, "B"), ", ",
                                 absl::StrFormat("%.3g", work.Intensity()), " flops/B"),
                    work.flops});
  }
  section.figures.push_back({report::BarsSvg(bars), works.size() > kMostBars
                                                        ? absl::StrCat("The first ", kMostBars)
                                                        : "What each dispatch computes"});
  return section;
}

}  // namespace

report::Page ReportOf(const file::Model& model) {
  report::Page page;
  page.subtitle = "Vulkan. Tensors are dense and row-major.";
  size_t code = 0;
  for (const file::Kernel* kernel : *model.kernels()) code += kernel->code()->size() * 4;
  page.cards = {{absl::StrCat(model.dispatches()->size()), "dispatches"},
                {absl::StrCat(model.kernels()->size()), "kernels"},
                {Short(static_cast<double>(code), "B"), "of SPIR-V"},
                {Short(static_cast<double>(model.weights()->size()), "B"), "of weights"}};
  if (const std::optional<AtSizes> at = AtUsualSizes(model)) {
    std::string sizes;
    for (uint32_t i = 0; i < model.symbols()->size(); ++i)
      absl::StrAppend(&sizes, sizes.empty() ? "" : ", ", Printed(model.symbols()->Get(i)->name()),
                      "=", at->symbols[i]);
    if (sizes.empty()) sizes = "the sizes of the file";
    const std::vector<Work> works = WorkOf(model, *at);
    double flops = 0;
    for (const Work& work : works) flops += work.flops;
    page.cards.push_back({Short(flops, "flops"), absl::StrCat("at ", sizes)});
    page.cards.push_back({Short(static_cast<double>(at->arena_bytes), "B"), "of the arena there"});
    page.cards.push_back({Ratio(at->arena_bytes, at->live_bytes), "of what is in use at one time"});
    page.sections.push_back(MemoryOf(model, *at, sizes));
    page.sections.push_back(DispatchesOf(works, sizes));
  }
  report::Section parts;
  parts.title = "Parts";
  for (targets::Part& part : Describe(model, {.operators = true, .tensors = true})) {
    if (!part.text.empty()) parts.paragraphs.push_back(part.text);
    if (!part.table.empty()) parts.tables.push_back(std::move(part.table));
  }
  page.sections.push_back(std::move(parts));
  return page;
}

}  // namespace tessera::vulkan
