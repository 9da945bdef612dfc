#include "targets/vulkan/pipeline_cache.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/sha256.h"

namespace tessera::vulkan {
namespace {

namespace fs = std::filesystem;

// A file: this, what it is for, the digest of the data, each on a line of its own, and the data.
constexpr char kTag[] = "tessera pipelines 1\n", kSuffix[] = ".pipelines";

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Those that were written longest ago, but for `most`.
void RemoveOldest(const std::string& folder, size_t most) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (!absl::EndsWith(entry->path().string(), kSuffix)) continue;
    std::error_code gone;  // another program may have removed it
    const fs::file_time_type time = entry->last_write_time(gone);
    if (!gone) files.emplace_back(time, entry->path());
  }
  std::sort(files.begin(), files.end());
  for (size_t i = 0; i + most < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

std::string PipelineCache::Folder() {
  if (const char* const folder = std::getenv("TESSERA_CACHE"); folder != nullptr) return folder;
  // Relative ones are to be ignored (XDG Base Directory Specification).
  if (const std::string cache = Variable("XDG_CACHE_HOME"); absl::StartsWith(cache, "/"))
    return cache + "/tessera";
  const std::string home = Variable("HOME");
  return absl::StartsWith(home, "/") ? home + "/.cache/tessera" : "";
}

PipelineCache::PipelineCache(const std::string& folder, std::string_view device,
                             std::string_view driver, absl::Span<const uint8_t> artifact)
    : folder_(folder) {
  if (folder.empty()) return;
  const std::string digest = support::Sha256(artifact);
  const std::string_view line = "\n";
  key_ = support::Sha256({device, line, driver, line, digest});
  path_ = absl::StrCat(folder, "/", key_, kSuffix);
}

std::string PipelineCache::Read() {
  if (path_.empty()) return "";
  const absl::StatusOr<std::string> text = support::ReadFile(path_);
  if (!text.ok()) return "";
  constexpr size_t kDigest = 64;
  const size_t begin = sizeof kTag - 1 + key_.size() + 1 + kDigest + 1;
  if (text->size() < begin || !absl::StartsWith(*text, absl::StrCat(kTag, key_, "\n"))) return "";
  std::string data = text->substr(begin);
  const std::string digest = support::Sha256(data);
  if (text->substr(begin - kDigest - 1, kDigest + 1) != digest + "\n") return "";
  known_ = digest;
  return data;
}

void PipelineCache::Write(std::string_view data) {
  if (path_.empty() || data.empty()) return;
  const std::string digest = support::Sha256(data);
  if (digest == known_) return;
  if (!support::MakeFolder(folder_).ok()) return;
  if (!support::WriteFile(path_, absl::StrCat(kTag, key_, "\n", digest, "\n", std::string(data)))
           .ok())
    return;
  known_ = digest;
  RemoveOldest(folder_, kMostFiles);
}

}  // namespace tessera::vulkan
