#include "frontends/data/data_set.h"

#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "frontends/data/sample_names.h"

namespace tessera::data {
namespace {

namespace fs = std::filesystem;

// The number in `PREFIX` NUMBER `SUFFIX`, if the name has that form.
std::optional<int> NumberIn(absl::string_view name, absl::string_view prefix,
                            absl::string_view suffix) {
  int number = 0;
  if (!absl::ConsumePrefix(&name, prefix) || !absl::ConsumeSuffix(&name, suffix))
    return std::nullopt;
  if (name.empty() || !absl::ascii_isdigit(name[0]) || !absl::SimpleAtoi(name, &number))
    return std::nullopt;
  return number;
}

absl::StatusOr<std::map<int, std::string>> Numbered(
    const std::string& folder, absl::string_view prefix,
    const std::vector<absl::string_view>& suffixes) {
  std::map<int, std::string> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    for (absl::string_view suffix : suffixes) {
      const std::optional<int> number = NumberIn(name, prefix, suffix);
      if (!number.has_value()) continue;
      if (!found.emplace(*number, entry.path().string()).second) {
        return absl::InvalidArgumentError(
            absl::StrCat("`", folder, "` has ", prefix, *number, " twice"));
      }
    }
  }
  if (error)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot list `", folder, "`: ", error.message()));
  return found;
}

}  // namespace

absl::StatusOr<std::vector<std::string>> FindDataSets(const std::string& folder) {
  absl::StatusOr<std::map<int, std::string>> found = Numbered(folder, kDataSetFolder, {""});
  if (!found.ok()) return found.status();
  std::vector<std::string> folders;
  for (auto& [number, path] : *found) folders.push_back(std::move(path));
  return folders;
}

bool HoldsDataSet(const std::string& folder) {
  for (const char* prefix : {"input_", "output_"}) {
    const absl::StatusOr<std::map<int, std::string>> files =
        Numbered(folder, prefix, {".pb", ".npy"});
    if (!files.ok() || !files->empty()) return true;  // what is wrong with it is said by its reader
  }
  return false;
}

absl::StatusOr<DataSet> ReadDataSet(const std::string& folder) {
  DataSet set;
  const fs::path path(folder);
  set.name = (path.has_filename() ? path : path.parent_path()).filename().string();
  const absl::StatusOr<std::map<int, std::string>> inputs =
      Numbered(folder, "input_", {".pb", ".npy"});
  if (!inputs.ok()) return inputs.status();
  const absl::StatusOr<std::map<int, std::string>> outputs =
      Numbered(folder, "output_", {".pb", ".npy"});
  if (!outputs.ok()) return outputs.status();
  for (const auto& [number, path] : *inputs) {
    // Numbers come from file names: a gap is an absent input, a large one a mistake.
    if (number > 1000)
      return absl::InvalidArgumentError(
          absl::StrCat("`", path, "`: input ", number, " of how many?"));
    absl::StatusOr<StoredTensor> tensor = ReadTensorFile(path);
    if (!tensor.ok()) return tensor.status();
    set.inputs.resize(number + 1);
    set.inputs[number] = *std::move(tensor);
  }
  for (const auto& [number, path] : *outputs) {
    if (number != static_cast<int>(set.outputs.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("`", folder, "` has no output_", set.outputs.size()));
    }
    absl::StatusOr<StoredTensor> tensor = ReadTensorFile(path);
    if (!tensor.ok()) return tensor.status();
    set.outputs.push_back(*std::move(tensor));
  }
  return set;
}

absl::StatusOr<std::vector<ir::Tensor>> Arranged(const DataSet& set,
                                                 absl::Span<const std::string> names) {
  std::vector<ir::Tensor> inputs;
  for (const std::string& name : names) {
    for (const std::optional<StoredTensor>& stored : set.inputs) {
      if (!stored.has_value() || stored->name != name) continue;
      inputs.push_back(stored->tensor);
      break;
    }
  }
  if (inputs.size() == names.size()) return inputs;
  if (set.inputs.size() != names.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the data set has ", set.inputs.size(), " inputs, the graph ", names.size()));
  }
  inputs.clear();
  for (size_t i = 0; i < set.inputs.size(); ++i) {
    if (!set.inputs[i].has_value()) {
      return absl::InvalidArgumentError(
          absl::StrCat("the data set has no input_", i, " for `", names[i], "`"));
    }
    inputs.push_back(set.inputs[i]->tensor);
  }
  return inputs;
}

}  // namespace tessera::data
