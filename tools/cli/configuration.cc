#include "tools/cli/configuration.h"

#include <yaml-cpp/yaml.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/printable.h"
#include "tools/cli/command_line.h"

namespace tessera::cli {
namespace {

constexpr char kVersion[] = "1.0";

absl::Status At(const std::string& name, const YAML::Mark& mark, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, ":", mark.line + 1, ":", mark.column + 1, ": ", what));
}

// Every key is a scalar, and there once: the parser would keep either of two.
absl::Status CheckKeys(const std::string& name, const YAML::Node& map) {
  std::set<std::string> keys;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar()) return At(name, entry.first.Mark(), "a key must be a name");
    const std::string& key = entry.first.Scalar();
    if (!keys.insert(key).second)
      return At(name, entry.first.Mark(),
                absl::StrCat("key `", support::Printable(key), "` twice"));
  }
  return absl::OkStatus();
}

absl::Status UnknownKey(const std::string& name, const YAML::Node& key,
                        const std::vector<std::string>& known) {
  const std::string text = key.Scalar();
  const std::optional<std::string> nearest = Nearest(text, known);
  return At(name, key.Mark(),
            absl::StrCat("unknown key `", support::Printable(text), "`",
                         nearest ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
}

absl::Status ApplyPasses(const std::string& name, const YAML::Node& node,
                         const passes::Pipeline& known, passes::RunOptions& options) {
  std::vector<std::string> names;
  for (const passes::Pass& pass : known) names.push_back(pass.name);
  if (!node.IsMap()) return At(name, node.Mark(), "`passes` maps pass names to `on` or `off`");
  if (absl::Status status = CheckKeys(name, node); !status.ok()) return status;
  for (const auto& entry : node) {
    const std::string pass = entry.first.Scalar();
    bool found = false;
    for (const std::string& candidate : names) found = found || candidate == pass;
    if (!found) return UnknownKey(name, entry.first, names);
    bool on = true;
    if (!YAML::convert<bool>::decode(entry.second, on))
      return At(name, entry.second.Mark(), absl::StrCat("`", pass, "` is `on` or `off`"));
    if (!on) options.disabled.insert(pass);
  }
  return absl::OkStatus();
}

absl::Status Apply(const std::string& name, const YAML::Node& root, const passes::Pipeline& known,
                   passes::RunOptions& options) {
  if (!root.IsMap())
    return absl::InvalidArgumentError(absl::StrCat(name, ": a mapping with `version` is needed"));
  if (absl::Status status = CheckKeys(name, root); !status.ok()) return status;
  if (!root["version"])
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": `version` is missing; it is \"", kVersion, "\""));
  for (const auto& entry : root) {
    const std::string key = entry.first.Scalar();
    if (key == "version") {
      if (!entry.second.IsScalar() || entry.second.Scalar() != kVersion)
        return At(name, entry.second.Mark(), absl::StrCat("version must be \"", kVersion, "\""));
    } else if (key == "passes") {
      if (absl::Status status = ApplyPasses(name, entry.second, known, options); !status.ok())
        return status;
    } else {
      return UnknownKey(name, entry.first, {"version", "passes"});
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseConfiguration(const std::string& name, const std::string& text,
                                const passes::Pipeline& known, passes::RunOptions& options) {
  // yaml-cpp reports by exceptions; they end here.
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.size() > 1) return At(name, documents[1].Mark(), "a second document");
    return Apply(name, documents.empty() ? YAML::Node() : documents[0], known, options);
  } catch (const YAML::Exception& e) {
    return At(name, e.mark, e.msg);
  }
}

absl::Status ReadConfiguration(const std::string& path, const passes::Pipeline& known,
                               passes::RunOptions& options) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseConfiguration(path, *text, known, options);
}

}  // namespace tessera::cli
