#include "tools/compression/samples.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/data/data_set.h"
#include "frontends/data/npz_file.h"
#include "frontends/data/sample_names.h"
#include "frontends/data/tensor_file.h"
#include "frontends/data/wav_file.h"

namespace tessera::tools {
namespace {

// What a network's input takes.
struct Port {
  std::string name;
  ir::DType dtype;
  std::vector<std::optional<int64_t>> sizes;
};

class Samples : public calibration::SampleSource {
 public:
  Samples(std::vector<std::string> paths, std::vector<Port> ports, data::Scaling scaling)
      : paths_(std::move(paths)), ports_(std::move(ports)), scaling_(std::move(scaling)) {}

  size_t size() const override { return paths_.size(); }
  std::string NameOf(size_t index) const override { return paths_[index]; }
  absl::StatusOr<std::vector<ir::Tensor>> Load(size_t index) const override {
    const std::string& path = paths_[index];
    if (absl::EndsWithIgnoreCase(path, ".npz")) return LoadArchive(path);
    if (data::IsPicture(path)) return LoadPicture(path);
    if (absl::EndsWithIgnoreCase(path, ".wav")) return LoadSound(path);
    if (absl::EndsWithIgnoreCase(path, ".npy") || absl::EndsWith(path, ".pb")) {
      absl::StatusOr<data::StoredTensor> stored = data::ReadTensorFile(path);
      if (!stored.ok()) return stored.status();
      return std::vector<ir::Tensor>{std::move(stored->tensor)};
    }
    const absl::StatusOr<data::DataSet> set = data::ReadDataSet(path);
    if (!set.ok()) return set.status();
    std::vector<std::string> names;
    for (const Port& port : ports_) names.push_back(port.name);
    return data::Arranged(*set, names);
  }

 private:
  absl::StatusOr<std::vector<ir::Tensor>> LoadArchive(const std::string& path) const {
    const absl::StatusOr<std::vector<data::StoredTensor>> arrays = data::ReadNpz(path);
    if (!arrays.ok()) return arrays.status();
    std::vector<ir::Tensor> inputs;
    for (size_t i = 0; i < ports_.size(); ++i) {
      const auto named = [&](const std::string& name) {
        return std::find_if(arrays->begin(), arrays->end(),
                            [&](const data::StoredTensor& array) { return array.name == name; });
      };
      auto found = named(ports_[i].name);
      if (found == arrays->end()) found = named(absl::StrCat("arr_", i));
      if (found == arrays->end() && ports_.size() == 1 && arrays->size() == 1)
        found = arrays->begin();
      if (found == arrays->end()) {
        return absl::InvalidArgumentError(
            absl::StrCat("`", path, "`: no array for input `", ports_[i].name, "`; there are `",
                         absl::StrJoin(*arrays, "`, `",
                                       [](std::string* text, const data::StoredTensor& array) {
                                         absl::StrAppend(text, array.name);
                                       }),
                         "`"));
      }
      inputs.push_back(found->tensor);
    }
    return inputs;
  }

  absl::StatusOr<std::vector<ir::Tensor>> LoadPicture(const std::string& path) const {
    const absl::StatusOr<ir::Tensor> picture =
        data::ReadPicture(path, ports_[0].dtype, ports_[0].sizes);
    if (!picture.ok()) return picture.status();
    absl::StatusOr<ir::Tensor> scaled = data::Scaled(*picture, scaling_);
    if (!scaled.ok())
      return absl::Status(scaled.status().code(),
                          absl::StrCat("`", path, "`: ", scaled.status().message()));
    return std::vector<ir::Tensor>{*std::move(scaled)};
  }

  absl::StatusOr<std::vector<ir::Tensor>> LoadSound(const std::string& path) const {
    absl::StatusOr<ir::Tensor> sound = data::ReadWav(path, ports_[0].dtype, ports_[0].sizes);
    if (!sound.ok()) return sound.status();
    return std::vector<ir::Tensor>{*std::move(sound)};
  }

  std::vector<std::string> paths_;
  std::vector<Port> ports_;
  data::Scaling scaling_;
};

std::vector<Port> PortsOf(const ir::Graph& graph) {
  std::vector<Port> ports;
  for (const ir::Value* input : graph.inputs()) {
    Port port{input->name(), input->type().dtype, {}};
    for (const ir::Expr& dim : input->type().dims) port.sizes.push_back(dim.Constant());
    ports.push_back(std::move(port));
  }
  return ports;
}

constexpr const char* kNotRead[] = {".webp", ".bmp", ".gif", ".tiff", ".mp3", ".flac", ".ogg"};

struct Found {
  std::vector<std::string> paths;  // in order
  std::string of_one_input;        // the first file that is one input; empty: none is
  bool pictures = false;
};

absl::StatusOr<Found> FindSamples(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return absl::NotFoundError(absl::StrCat(folder, ": no such folder"));
  absl::StatusOr<std::vector<std::string>> sets = data::FindDataSets(folder);
  if (!sets.ok()) return sets.status();
  Found found;
  found.paths = *std::move(sets);
  if (!found.paths.empty()) return found;
  std::string not_read;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().string();
    if (data::EndsWithOneOf(path, kNotRead) && (not_read.empty() || path < not_read))
      not_read = path;
    const bool picture = data::IsPicture(path);
    const bool one = picture || data::EndsWithOneOf(path, data::kOfOneInput);
    if (!one && !data::EndsWithOneOf(path, data::kOfAnyInputs)) continue;
    if (one && (found.of_one_input.empty() || path < found.of_one_input)) found.of_one_input = path;
    found.pictures = found.pictures || picture;
    found.paths.push_back(path);
  }
  if (error) return absl::UnavailableError(absl::StrCat(folder, ": ", error.message()));
  if (!not_read.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("`", not_read,
                     "`: samples of that kind are not read; pictures are `.png` or `.jpg`, "
                     "sounds `.wav`, others `.npy`"));
  if (found.paths.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        folder,
        ": neither folders `test_data_set_K` nor files that end in `.npy`, `.npz`, `.pb`, "
        "`.png`, `.jpg` or `.wav`"));
  std::sort(found.paths.begin(), found.paths.end());
  return found;
}

// Those in the middle of so many stretches of equal length, or all others: what lies side by side
// in a folder is often alike.
std::vector<std::string> Spread(const std::vector<std::string>& paths, size_t count, bool others) {
  std::vector<std::string> chosen;
  size_t next = 0;
  for (size_t i = 0; i < paths.size(); ++i) {
    const bool middle = next < count && i == (2 * next + 1) * paths.size() / (2 * count);
    if (middle) ++next;
    if (middle != others) chosen.push_back(paths[i]);
  }
  return chosen;
}

}  // namespace

absl::StatusOr<std::unique_ptr<calibration::SampleSource>> OpenSamples(
    const std::string& folder, const ir::Graph& graph, const SampleOptions& options) {
  absl::StatusOr<Found> found = FindSamples(folder);
  if (!found.ok()) return found.status();
  std::vector<Port> ports = PortsOf(graph);
  if (ports.size() != 1 && !found->of_one_input.empty())
    return absl::InvalidArgumentError(absl::StrCat(
        "`", found->of_one_input, "`: that is one input, and the network has ", ports.size(),
        "; use `.npz`, or folders `test_data_set_K` with "
        "`input_I.npy`"));
  if (!found->pictures && !(options.scaling.mean.empty() && options.scaling.deviation.empty()))
    return absl::InvalidArgumentError(
        absl::StrCat(folder, ": no picture that `--mean` and `--std` could be of"));
  std::vector<std::string> paths = std::move(found->paths);
  if (options.held_out > 0) paths = Spread(paths, options.held_out, !options.the_held_out);
  if (options.most > 0 && paths.size() > options.most) paths = Spread(paths, options.most, false);
  return std::make_unique<Samples>(std::move(paths), std::move(ports), options.scaling);
}

absl::StatusOr<size_t> CountSamples(const std::string& folder) {
  const absl::StatusOr<Found> found = FindSamples(folder);
  if (!found.ok()) return found.status();
  return found->paths.size();
}

}  // namespace tessera::tools
