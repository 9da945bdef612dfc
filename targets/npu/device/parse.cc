#include "targets/npu/device/parse.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace tessera::npu {
namespace {

struct Line {
  size_t number;
  std::vector<std::string> words;  // `,` and `:` between blanks are words
};
struct Block {
  std::string doc, base;
  Line head;
  std::vector<Line> lines;
};

// The words of one line; the first failure of all is kept.
class Words {
 public:
  Words(const Line& line, absl::Status& status) : line_(line), status_(status) {}

  bool done() const { return at_ >= line_.words.size(); }
  std::string Peek() const { return done() ? "" : line_.words[at_]; }
  bool Take(std::string_view word) {
    if (Peek() != word) return false;
    ++at_;
    return true;
  }
  std::string Next(const char* wanted) {
    if (!done()) return line_.words[at_++];
    Fail(absl::StrCat("a ", wanted, " is missing"));
    return "";
  }
  void Fail(const std::string& what) {
    if (status_.ok())
      status_ = absl::InvalidArgumentError(absl::StrCat("line ", line_.number, ": ", what));
  }
  void Ends() {
    if (!done()) Fail(absl::StrCat("`", Peek(), "` is too much"));
  }

  int64_t Number(const char* wanted) { return NumberIn(Next(wanted), wanted); }
  int64_t NumberIn(const std::string& text, const char* wanted) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(text, &value) || value < 0)
      Fail(absl::StrCat("`", text, "` is no ", wanted));
    return value;
  }
  DataType Type() {
    const std::string word = Next("type");
    const std::optional<DataType> type = DataTypeFromName(word);
    if (!type) Fail(absl::StrCat("`", word, "` is no type"));
    return type.value_or(DataType::kNone);
  }
  // Up to the end of the line or a comma.
  std::vector<DataType> Types() {
    std::vector<DataType> types;
    do types.push_back(Type());
    while (!done() && Peek() != ",");
    return types;
  }
  bool AtDim() const { return Peek().size() == 1 && absl::ascii_isupper(Peek()[0]); }
  char Dim() {
    const std::string word = Next("dim");
    const bool known = word == "N" || word == "H" || word == "W" || word == "D";
    if (!known) Fail(absl::StrCat("`", word, "` is no dim: N, H, W or D"));
    return known ? word[0] : 'N';
  }
  Limit Range() {
    Limit limit;
    const std::string word = Next("range");
    const std::vector<std::string> ends = absl::StrSplit(word, "..");
    if (ends.size() != 2) {
      Fail(absl::StrCat("`", word, "` is no range: LEAST..MOST"));
      return limit;
    }
    limit.least = NumberIn(ends[0], "bound");
    limit.most = NumberIn(ends[1], "bound");
    if (limit.least > limit.most) Fail(absl::StrCat("`", word, "` is empty"));
    if (!Take("by")) return limit;
    if (Peek().find(':') == std::string::npos) {
      limit.multiple = Number("multiple");
      if (limit.multiple < 1) Fail("a multiple of 0");
      return limit;
    }
    while (Peek().find(':') != std::string::npos && Peek() != ":") {
      const std::vector<std::string> pair = absl::StrSplit(Next("multiple"), ':');
      const std::optional<DataType> type = DataTypeFromName(pair[0]);
      const int64_t multiple = NumberIn(pair[1], "multiple");
      if (!type || multiple < 1) Fail(absl::StrCat("`", pair[0], ":", pair[1], "` is no multiple"));
      limit.multiples[type.value_or(DataType::kNone)] = multiple;
    }
    return limit;
  }

 private:
  const Line& line_;
  absl::Status& status_;
  size_t at_ = 0;
};

void ReadPlace(Words& words, Place& place) {
  while (words.AtDim()) {
    const char dim = words.Dim();
    Limit limit = words.Range();
    const auto found = std::find_if(place.dims.begin(), place.dims.end(),
                                    [&](const auto& entry) { return entry.first == dim; });
    if (found == place.dims.end()) {
      place.dims.emplace_back(dim, std::move(limit));
    } else {
      found->second = std::move(limit);
    }
  }
  if (words.Take(":")) place.types = words.Types();
  words.Ends();
}

void ReadProducts(Words& words, Layer& layer) {
  layer.products.clear();
  do {
    Products products{words.Type(), words.Type(), false};
    products.compound = words.Take("compound");
    if (!products.compound && !words.Take("plain")) words.Fail("`plain` or `compound` is missing");
    layer.products.push_back(products);
  } while (words.Take(","));
  words.Ends();
}

void ReadRule(Words& words, Layer& layer) {
  Rule rule;
  rule.name = words.Next("name");
  rule.place = words.Next("place");
  if (words.Take("is")) {
    rule.kind = Rule::kSameType;
    rule.other = words.Next("place");
  } else if (words.Take("square")) {
    rule.kind = Rule::kSquare;
  } else {
    rule.dim = words.Dim();
    rule.limit = words.Range();
  }
  if (words.Take("when")) {
    do {
      if (words.Take("pwl")) {
        rule.with_table = true;
        continue;
      }
      Condition& condition = rule.when.emplace_back();
      condition.place = words.Next("place");
      if (words.Take(":")) {
        condition.types = words.Types();
      } else {
        condition.dim = words.Dim();
        condition.limit = words.Range();
      }
    } while (words.Take(","));
  }
  words.Ends();
  layer.rules.push_back(std::move(rule));
}

void ReadBuffer(Words& words, Device& device) {
  for (int64_t& elements : words.Take("i8") ? device.buffer_i8 : device.buffer)
    elements = words.Number("number of elements");
  words.Ends();
}

void Apply(const Block& block, Device& device, absl::Status& status) {
  device.name = block.head.words[1];
  device.doc = block.doc;
  device.recorded.clear();
  std::vector<std::string> layers;
  for (const Line& line : block.lines) {
    Words words(line, status);
    const std::string first = words.Next("word");
    if (first == "layers") {
      layers.clear();
      while (!words.done()) layers.push_back(words.Next("layer"));
    } else if (first == "without") {
      while (!words.done()) {
        const std::string name = words.Next("name");
        size_t removed = layers.empty() ? device.layers.erase(name) : 0;
        for (const std::string& layer : layers)
          removed += std::erase_if(device.layers[layer].rules,
                                   [&](const Rule& rule) { return rule.name == name; });
        if (removed == 0) words.Fail(absl::StrCat("there is no `", name, "` to take out"));
      }
    } else if (!layers.empty()) {
      for (const std::string& name : layers) {
        Words each(line, status);
        each.Next("word");
        Layer& layer = device.layers[name];
        if (first == "products") {
          ReadProducts(each, layer);
        } else if (first == "rule") {
          ReadRule(each, layer);
        } else {
          ReadPlace(each, layer.places[first]);
        }
      }
    } else if (first == "recorded") {
      device.recorded = words.Next("name");
      words.Ends();
    } else if (first == "operations") {
      device.operations = words.Range();
      words.Ends();
    } else if (first == "alignment") {
      device.alignment = words.Number("number of bytes");
      words.Ends();
    } else if (first == "buffer") {
      ReadBuffer(words, device);
    } else {
      words.Fail(absl::StrCat("`", first, "` means nothing here"));
    }
  }
}

std::vector<Block> Blocks(std::string_view text, absl::Status& status) {
  std::vector<Block> blocks;
  std::string doc;
  size_t number = 0;
  for (absl::string_view row : absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++number;
    const size_t comment = row.find('#');
    if (comment == 0) doc = std::string(absl::StripAsciiWhitespace(row.substr(1)));
    Line line{number, absl::StrSplit(row.substr(0, comment), ' ', absl::SkipEmpty())};
    // A comma ends its word.
    for (size_t i = 0; i < line.words.size(); ++i) {
      if (line.words[i].size() < 2 || line.words[i].back() != ',') continue;
      line.words[i].pop_back();
      line.words.insert(line.words.begin() + static_cast<ptrdiff_t>(i) + 1, ",");
    }
    if (line.words.empty()) continue;
    Words words(line, status);
    if (words.Take("device")) {
      Block& block = blocks.emplace_back();
      block.doc = doc;
      words.Next("name");
      if (words.Take("like")) block.base = words.Next("name");
      words.Ends();
      block.head = std::move(line);
    } else if (blocks.empty()) {
      words.Fail("no `device` yet");
    } else {
      blocks.back().lines.push_back(std::move(line));
    }
  }
  return blocks;
}

}  // namespace

absl::StatusOr<std::vector<Device>> ParseDevices(std::string_view text) {
  absl::Status status;
  const std::vector<Block> blocks = Blocks(text, status);
  std::map<std::string, Device> devices;
  // Each pass makes those whose base is there.
  for (bool progress = true; status.ok() && progress;) {
    progress = false;
    for (const Block& block : blocks) {
      const std::string& name = block.head.words[1];
      if (devices.contains(name) || (!block.base.empty() && !devices.contains(block.base)))
        continue;
      Device device = block.base.empty() ? Device() : devices[block.base];
      Apply(block, device, status);
      devices.emplace(name, std::move(device));
      progress = true;
    }
  }
  if (!status.ok()) return status;
  std::set<std::string> seen;
  std::vector<Device> all;
  for (const Block& block : blocks) {
    const std::string& name = block.head.words[1];
    if (!seen.insert(name).second)
      return absl::InvalidArgumentError(
          absl::StrCat("line ", block.head.number, ": a second device `", name, "`"));
    if (!devices.contains(name))
      return absl::InvalidArgumentError(absl::StrCat("line ", block.head.number, ": `", name,
                                                     "` is like `", block.base,
                                                     "`, which is not there or like it"));
  }
  for (auto& [name, device] : devices) all.push_back(std::move(device));
  return all;
}

}  // namespace tessera::npu
