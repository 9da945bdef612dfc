#include "tools/compression/samples.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/data/data_set.h"
#include "frontends/data/tensor_file.h"

namespace tessera::tools {
namespace {

class Samples : public calibration::SampleSource {
 public:
  Samples(std::vector<std::string> paths, bool folders, std::vector<std::string> names)
      : paths_(std::move(paths)), folders_(folders), names_(std::move(names)) {}

  size_t size() const override { return paths_.size(); }
  std::string NameOf(size_t index) const override { return paths_[index]; }
  absl::StatusOr<std::vector<ir::Tensor>> Load(size_t index) const override {
    if (folders_) {
      const absl::StatusOr<data::DataSet> set = data::ReadDataSet(paths_[index]);
      if (!set.ok()) return set.status();
      return data::Arranged(*set, names_);
    }
    absl::StatusOr<data::StoredTensor> stored = data::ReadTensorFile(paths_[index]);
    if (!stored.ok()) return stored.status();
    return std::vector<ir::Tensor>{std::move(stored->tensor)};
  }

 private:
  std::vector<std::string> paths_;
  bool folders_;
  std::vector<std::string> names_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<calibration::SampleSource>> OpenSamples(const std::string& folder,
                                                                       const ir::Graph& graph,
                                                                       size_t most) {
  std::vector<std::string> names;
  for (const ir::Value* input : graph.inputs()) names.push_back(input->name());
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return absl::NotFoundError(absl::StrCat(folder, ": no such folder"));
  absl::StatusOr<std::vector<std::string>> sets = data::FindDataSets(folder);
  if (!sets.ok()) return sets.status();
  if (most > 0 && sets->size() > most) sets->resize(most);
  if (!sets->empty()) return std::make_unique<Samples>(*sets, true, names);
  std::vector<std::string> files;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (absl::EndsWith(path, ".npy") || absl::EndsWith(path, ".pb")) files.push_back(path);
  }
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  if (files.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        folder, ": neither folders `test_data_set_K` nor files that end in `.npy` or `.pb`"));
  if (names.size() != 1)
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": a file is a sample of one input, the network has ", names.size(),
                     "; use folders `test_data_set_K` with `input_I.npy`"));
  std::sort(files.begin(), files.end());
  if (most > 0 && files.size() > most) files.resize(most);
  return std::make_unique<Samples>(std::move(files), false, names);
}

}  // namespace tessera::tools
