#include "tools/views/dump_flags.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/cli/choice.h"

namespace tessera::views {
namespace {

struct NamedFormat {
  const char* name;
  Format format;
};
constexpr NamedFormat kFormats[] = {
    {"text", Format::kText}, {"dot", Format::kDot}, {"svg", Format::kSvg}, {"html", Format::kHtml}};

}  // namespace

void DumpFlags::Declare(cli::CommandLine& line) {
  line.Values("dump", "FORMAT",
              "shows the graph after the import and after each pass that changed it: `text`, "
              "`dot`, `svg`, or `html` for one report of all; several with commas",
              &formats_)
      .Value("dump-dir", "FOLDER",
             "where the dump goes; default: the model's name with `.dump`, in the current folder",
             &folder_);
}

std::optional<int> DumpFlags::Resolve(const cli::CommandLine& line, const std::string& model,
                                      std::unique_ptr<Dump>& dump) const {
  std::vector<std::string> names;
  for (const NamedFormat& format : kFormats) names.push_back(format.name);
  std::set<Format> formats;
  for (const std::string& list : formats_) {
    for (absl::string_view name : absl::StrSplit(list, ',')) {
      bool found = false;
      for (const NamedFormat& format : kFormats) {
        if (name != format.name) continue;
        formats.insert(format.format);
        found = true;
      }
      if (found) continue;
      return line.WrongUsage(cli::NotOneOf("--dump", std::string(name), names));
    }
  }
  if (formats.empty() && !folder_.empty())
    return line.WrongUsage("`--dump-dir` says where, and `--dump` is not there to say what");
  if (!formats.empty()) {
    dump = std::make_unique<Dump>(std::move(formats), Folder(model),
                                  model.substr(model.rfind('/') + 1));
  }
  return std::nullopt;
}

std::string DumpFlags::Folder(const std::string& model) const {
  if (!folder_.empty()) return folder_;
  const std::string name = model.substr(model.rfind('/') + 1);
  return absl::StrCat(name.substr(0, name.rfind('.')), ".dump");
}

std::string DumpFlags::Place(const std::string& model) const {
  for (const std::string& list : formats_) {
    if (list.find("html") != std::string::npos) return Folder(model) + "/report.html";
  }
  return Folder(model);
}

}  // namespace tessera::views
