#include "tools/cli/configuration.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "support/file.h"
#include "support/printable.h"
#include "tools/cli/command_line.h"
#include "tools/cli/yaml_document.h"

namespace tessera::cli {
namespace {

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

absl::Status OnOrOff(const std::string& name, const std::string& key, const YAML::Node& node,
                     bool& on) {
  if (YAML::convert<bool>::decode(node, on)) return absl::OkStatus();
  return At(name, node.Mark(), absl::StrCat("`", support::Printable(key), "` is `on` or `off`"));
}

// `title` maps names of `known` to `on` or `off`, each of which `apply` is told.
absl::Status ApplySwitches(const std::string& name, const std::string& title,
                           const YAML::Node& node, const std::vector<std::string>& known,
                           const std::function<void(const std::string&, bool)>& apply) {
  if (!node.IsMap())
    return At(name, node.Mark(), absl::StrCat("`", title, "` maps names to `on` or `off`"));
  if (absl::Status status = CheckKeys(name, node); !status.ok()) return status;
  for (const auto& entry : node) {
    const std::string key = entry.first.Scalar();
    if (std::find(known.begin(), known.end(), key) == known.end())
      return UnknownKey(name, entry.first, known);
    bool on = true;
    if (absl::Status status = OnOrOff(name, key, entry.second, on); !status.ok()) return status;
    apply(key, on);
  }
  return absl::OkStatus();
}

std::set<std::string> RequestedRewrites() {
  std::set<std::string> names;
  for (const ir::RequestedRewrite& rewrite : ir::Registry::Global().RequestedRewrites())
    names.emplace(rewrite.name);
  return names;
}

void ApplyToggle(const targets::Toggle& toggle, bool on, passes::RunOptions& options,
                 Configured& configured) {
  configured.toggles[toggle.key] = on;
  const std::vector<std::string>& asked = on ? toggle.on : toggle.off;
  options.requested.insert(asked.begin(), asked.end());
  if (on != toggle.standard && asked.empty()) {
    configured.notes.push_back(
        absl::StrCat("`", toggle.key, ": ", on ? "on" : "off", "`: ", toggle.note));
  }
}

absl::Status Apply(const std::string& name, const YAML::Node& root, const ConfigurationKeys& keys,
                   passes::RunOptions& options, Configured& configured) {
  if (!root.IsMap())
    return absl::InvalidArgumentError(absl::StrCat(name, ": a mapping with `version` is needed"));
  if (absl::Status status = CheckKeys(name, root); !status.ok()) return status;
  if (!root["version"])
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": `version` is missing; it is \"", kConfigurationVersion, "\""));
  std::vector<std::string> known = {"version"}, passes;
  if (!keys.toggles_only) known.insert(known.end(), {"passes", "rewrites"});
  for (const targets::Toggle& toggle : keys.toggles) known.push_back(toggle.key);
  for (const passes::Pass& pass : keys.passes) passes.push_back(pass.name);
  const std::set<std::string> requested = RequestedRewrites();
  // What the target's keys mean comes first, so that a rewrite can be named beside them.
  for (const auto& entry : root) {
    const std::string key = entry.first.Scalar();
    if (keys.toggles_only && (key == "passes" || key == "rewrites"))
      return At(name, entry.first.Mark(),
                absl::StrCat("unknown key `", key, "`: TICO has none such; `--config` takes it"));
    if (std::find(known.begin(), known.end(), key) == known.end())
      return UnknownKey(name, entry.first, known);
    if (key == "version" &&
        (!entry.second.IsScalar() || entry.second.Scalar() != kConfigurationVersion))
      return At(name, entry.second.Mark(),
                absl::StrCat("version must be \"", kConfigurationVersion, "\""));
    for (const targets::Toggle& toggle : keys.toggles) {
      if (toggle.key != key) continue;
      bool on = true;
      if (absl::Status status = OnOrOff(name, key, entry.second, on); !status.ok()) return status;
      ApplyToggle(toggle, on, options, configured);
    }
  }
  if (root["passes"]) {
    const absl::Status status = ApplySwitches(name, "passes", root["passes"], passes,
                                              [&](const std::string& pass, bool on) {
                                                if (!on) options.disabled.insert(pass);
                                              });
    if (!status.ok()) return status;
  }
  if (!root["rewrites"]) return absl::OkStatus();
  return ApplySwitches(name, "rewrites", root["rewrites"], ir::Registry::Global().RewriteNames(),
                       [&](const std::string& rewrite, bool on) {
                         const bool is_requested = requested.count(rewrite) != 0;
                         if (is_requested && on) options.requested.insert(rewrite);
                         if (is_requested && !on) options.requested.erase(rewrite);
                         if (!is_requested && !on) options.without.insert(rewrite);
                       });
}

}  // namespace

absl::StatusOr<Configured> ParseConfiguration(const std::string& name, const std::string& text,
                                              const ConfigurationKeys& keys,
                                              passes::RunOptions& options) {
  // yaml-cpp reports by exceptions; they end here.
  try {
    Configured configured;
    const absl::Status status = Apply(name, ReadYamlDocument(text), keys, options, configured);
    if (!status.ok()) return status;
    return configured;
  } catch (const YAML::Exception& e) {
    return At(name, e.mark, e.msg);
  }
}

absl::StatusOr<Configured> ReadConfiguration(const std::string& path, const ConfigurationKeys& keys,
                                             passes::RunOptions& options) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseConfiguration(path, *text, keys, options);
}

std::string ConfigurationText(const ConfigurationKeys& keys, const Configured& configured,
                              const passes::RunOptions& options) {
  const auto line = [](std::string_view indent, const std::string& key, bool on,
                       std::string_view doc) {
    return absl::StrCat(std::string(indent), key, ": ", on ? "on" : "off", "  # ", std::string(doc),
                        "\n");
  };
  std::string text = absl::StrCat("version: \"", kConfigurationVersion, "\"\n");
  for (const targets::Toggle& toggle : keys.toggles) {
    const auto given = configured.toggles.find(toggle.key);
    absl::StrAppend(&text, line("", toggle.key,
                                given == configured.toggles.end() ? toggle.standard : given->second,
                                toggle.doc));
  }
  absl::StrAppend(&text, "passes:\n");
  std::set<std::string> seen;
  for (const passes::Pass& pass : keys.passes) {
    if (!seen.insert(pass.name).second) continue;
    absl::StrAppend(&text, line("  ", pass.name, options.disabled.count(pass.name) == 0, pass.doc));
  }
  if (ir::Registry::Global().RequestedRewrites().empty() && options.without.empty()) return text;
  absl::StrAppend(&text, "rewrites:\n");
  for (const ir::RequestedRewrite& rewrite : ir::Registry::Global().RequestedRewrites()) {
    const std::string name(rewrite.name);
    absl::StrAppend(&text, line("  ", name, options.requested.count(name) != 0, rewrite.doc));
  }
  for (const std::string& name : options.without)
    absl::StrAppend(&text, line("  ", name, false, "left out, though it changes no values"));
  return text;
}

}  // namespace tessera::cli
