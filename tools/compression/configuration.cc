#include "tools/compression/configuration.h"

#include <yaml-cpp/yaml.h>

#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "support/file.h"
#include "support/nearest.h"
#include "support/printable.h"
#include "tools/cli/yaml_document.h"
#include "tools/compression/nncf_keys.h"
#include "tools/compression/presets_text.h"

namespace tessera::tools {
namespace {

using compression::Algorithm;
using compression::Section;

constexpr char kVersion[] = "1.0";

// Deeper nesting is no configuration of ours, and the parser recurses.
constexpr int kDeepest = 8;

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  absl::StatusOr<CompressionConfiguration> Read(const YAML::Node& root) {
    if (!root.IsMap())
      return absl::InvalidArgumentError(
          absl::StrCat(name_, ": a mapping with `compression` is needed"));
    absl::Status status = CheckKeys(root);
    for (const auto& entry : root) {
      if (!status.ok()) return status;
      status = TopLevel(entry.first, entry.second);
    }
    if (!status.ok()) return status;
    if (configuration_.algorithms.empty())
      return absl::InvalidArgumentError(absl::StrCat(name_, ": `compression` is missing"));
    return std::move(configuration_);
  }

  std::string Place(const YAML::Mark& mark) const {
    return absl::StrCat(name_, ":", mark.line + 1, ":", mark.column + 1);
  }
  absl::Status At(const YAML::Mark& mark, const std::string& what) const {
    return absl::InvalidArgumentError(absl::StrCat(Place(mark), ": ", what));
  }

 private:
  // Every key is a scalar, and there once: the parser would keep either of two.
  absl::Status CheckKeys(const YAML::Node& map) const {
    std::set<std::string> keys;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) return At(entry.first.Mark(), "a key must be a name");
      if (!keys.insert(entry.first.Scalar()).second)
        return At(entry.first.Mark(),
                  absl::StrCat("key `", support::Printable(entry.first.Scalar()), "` twice"));
    }
    return absl::OkStatus();
  }

  absl::Status TopLevel(const YAML::Node& key, const YAML::Node& value) {
    const std::string text = key.Scalar();
    if (text == "version") {
      if (!value.IsScalar() || value.Scalar() != kVersion)
        return At(value.Mark(), absl::StrCat("version must be \"", kVersion, "\""));
      return absl::OkStatus();
    }
    if (text == "compression") {
      if (value.IsMap()) return OneAlgorithm(value);
      if (!value.IsSequence())
        return At(value.Mark(), "`compression` is a mapping with `algorithm`, or a list of such");
      for (const YAML::Node& entry : value) {
        if (absl::Status status = OneAlgorithm(entry); !status.ok()) return status;
      }
      return absl::OkStatus();
    }
    if (text == "max_drop") return OneBound(Bound::Kind::kMostDrop, key, value);
    if (text == "min_snr") return OneBound(Bound::Kind::kLeastSnr, key, value);
    if (text == "doc") return absl::OkStatus();
    if (const NncfKey* known = FindNncfTopLevel(text)) return OfNncf(key, text, *known);
    return At(
        key.Mark(),
        absl::StrCat("unknown key `", support::Printable(text), "`",
                     support::DidYouMean(text, {"version", "compression", "max_drop", "min_snr"})));
  }

  absl::Status OneBound(Bound::Kind kind, const YAML::Node& key, const YAML::Node& value) {
    if (configuration_.bound) return At(key.Mark(), "`max_drop` and `min_snr` exclude each other");
    if (!value.IsScalar())
      return At(key.Mark(), absl::StrCat("`", key.Scalar(), "` is a number of dB"));
    const absl::StatusOr<Bound> bound = ParseBound(kind, value.Scalar());
    if (!bound.ok())
      return At(value.Mark(), absl::StrCat("`", key.Scalar(), "` ", bound.status().message()));
    configuration_.bound = *bound;
    return absl::OkStatus();
  }

  absl::Status OneAlgorithm(const YAML::Node& node) {
    if (!node.IsMap()) return At(node.Mark(), "a mapping with `algorithm` is needed");
    if (absl::Status status = CheckKeys(node); !status.ok()) return status;
    const YAML::Node named = node["algorithm"];
    std::vector<std::string> known;
    for (const Algorithm* algorithm : compression::Algorithms())
      known.emplace_back(algorithm->name);
    if (!named || !named.IsScalar())
      return At(node.Mark(), absl::StrCat("`algorithm` is missing: one of `",
                                          absl::StrJoin(known, "`, `"), "`"));
    const Algorithm* algorithm = compression::FindAlgorithm(named.Scalar());
    const std::string_view why = WhyNoNncfAlgorithm(named.Scalar());
    if (algorithm == nullptr && !why.empty())
      return At(named.Mark(),
                absl::StrCat("no algorithm `", named.Scalar(), "` here: ", std::string(why)));
    if (algorithm == nullptr)
      return At(named.Mark(),
                absl::StrCat("unknown algorithm `", support::Printable(named.Scalar()), "`",
                             support::DidYouMean(named.Scalar(), known)));
    Section section(algorithm->keys, Place(node.Mark()));
    for (const auto& entry : node) {
      if (entry.first.Scalar() == "algorithm") continue;
      if (absl::Status status = Keys("", entry.first, entry.second, 0, *algorithm, section);
          !status.ok())
        return status;
    }
    // Combinations are refused before anything is read or run.
    if (absl::Status status = algorithm->configure(section).status(); !status.ok()) return status;
    configuration_.algorithms.push_back({algorithm, std::move(section)});
    return absl::OkStatus();
  }

  absl::Status Keys(const std::string& prefix, const YAML::Node& key, const YAML::Node& value,
                    int depth, const Algorithm& algorithm, Section& section) {
    if (depth > kDeepest) return At(key.Mark(), "nested too deeply");
    const std::string name = absl::StrCat(prefix, support::Printable(key.Scalar()));
    if (value.IsMap()) {
      if (absl::Status status = CheckKeys(value); !status.ok()) return status;
      for (const auto& entry : value) {
        if (absl::Status status = Keys(absl::StrCat(name, "."), entry.first, entry.second,
                                       depth + 1, algorithm, section);
            !status.ok())
          return status;
      }
      return absl::OkStatus();
    }
    Section::Entry entry;
    entry.place = Place(key.Mark());
    if (value.IsScalar()) {
      entry.texts.push_back(support::Printable(value.Scalar()));
    } else if (value.IsSequence()) {
      for (const YAML::Node& item : value) {
        if (!item.IsScalar())
          return At(item.Mark(), absl::StrCat("`", name, "` is a list of texts"));
        entry.texts.push_back(support::Printable(item.Scalar()));
      }
    } else {
      return At(key.Mark(), absl::StrCat("`", name, "` has no value"));
    }
    return Set(key, name, algorithm, std::move(entry), section);
  }

  // What NNCF has under `params` stands beside it here.
  absl::Status Set(const YAML::Node& key, const std::string& name, const Algorithm& algorithm,
                   Section::Entry entry, Section& section) {
    const std::string plain(absl::StripPrefix(name, "params."));
    const std::string value = entry.texts.size() == 1 ? entry.texts[0] : "";
    const NncfKey* known = FindNncfKey(algorithm.name, plain, value);
    if (known == nullptr) return section.Set(section.Knows(plain) ? plain : name, std::move(entry));
    if (known->verdict != NncfKey::Verdict::kMoved) return OfNncf(key, name, *known);
    if (!known->as.empty()) entry.texts = {std::string(known->as)};
    return section.Set(known->to, std::move(entry));
  }

  absl::Status OfNncf(const YAML::Node& key, const std::string& name, const NncfKey& known) {
    if (known.verdict == NncfKey::Verdict::kRefused)
      return At(key.Mark(),
                absl::StrCat("`", name, "` is not taken from NNCF: ", std::string(known.why)));
    configuration_.notes.push_back(
        absl::StrCat(Place(key.Mark()), ": `", name, "` has no effect: ", std::string(known.why)));
    return absl::OkStatus();
  }

  std::string name_;
  CompressionConfiguration configuration_;
};

}  // namespace

bool IsScheduled(const Chosen& chosen) {
  return !chosen.algorithm->level.empty() &&
         chosen.section.Text(compression::kScheduleKey) == compression::kBoundSchedule;
}

std::string Bound::ToString() const {
  return absl::StrFormat(
      kind == Kind::kMostDrop ? "a drop of at most %g dB" : "an SNR of at least %g dB", decibels);
}

absl::StatusOr<Bound> ParseBound(Bound::Kind kind, std::string_view text) {
  const absl::string_view number = absl::StripAsciiWhitespace(
      absl::StripSuffix(absl::string_view(text.data(), text.size()), "dB"));
  Bound bound{kind, 0};
  if (!absl::SimpleAtod(number, &bound.decibels) || !std::isfinite(bound.decibels))
    return absl::InvalidArgumentError(
        absl::StrCat("is a number of dB, not `", support::Printable(std::string(text)), "`"));
  if (kind == Bound::Kind::kMostDrop && bound.decibels <= 0)
    return absl::InvalidArgumentError("is above 0 dB: no rounding is without any");
  return bound;
}

absl::StatusOr<CompressionConfiguration> ParseCompression(const std::string& name,
                                                          const std::string& text) {
  Reader reader(name);
  // yaml-cpp reports by exceptions; they end here.
  try {
    return reader.Read(cli::ReadYamlDocument(text));
  } catch (const YAML::Exception& e) {
    return reader.At(e.mark, e.msg);
  }
}

absl::StatusOr<CompressionConfiguration> ReadCompression(const std::string& path) {
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  if (!text.ok()) return text.status();
  return ParseCompression(path, *text);
}

std::vector<std::string> PresetNames() {
  std::vector<std::string> names;
  for (const auto& entry : YAML::Load(std::string(PresetsText())))
    names.push_back(entry.first.Scalar());
  return names;
}

absl::StatusOr<CompressionConfiguration> ReadPreset(const std::string& name) {
  const YAML::Node presets = YAML::Load(std::string(PresetsText()));
  const YAML::Node preset = presets[name];
  if (preset) return Reader(absl::StrCat("preset ", name)).Read(preset);
  return absl::InvalidArgumentError(absl::StrCat("no preset `", support::Printable(name),
                                                 "`; there is `",
                                                 absl::StrJoin(PresetNames(), "`, `"), "`"));
}

}  // namespace tessera::tools
