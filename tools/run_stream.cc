#include "tools/run_stream.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"
#include "support/npy_stream.h"
#include "tools/cli/assignment.h"
#include "tools/cli/command_line.h"
#include "tools/cli/file_roles.h"
#include "tools/cli/table.h"
#include "tools/run_inputs.h"

namespace tessera {
namespace {

bool IsArrays(const std::string& path) { return absl::EndsWith(path, ".npy"); }

// The arrays of one input, one source behind the other.
class Source {
 public:
  Source(const Input& input, const std::vector<std::string>& sources)
      : input_(input), sources_(sources) {}

  absl::StatusOr<std::optional<ir::Tensor>> Next() {
    for (; next_ < sources_.size() || open_ != nullptr;) {
      const std::string& source = sources_[next_ - (open_ == nullptr ? 0 : 1)];
      if (open_ == nullptr) {
        ++next_;
        if (source != kStandardStream && !IsArrays(source)) {
          absl::StatusOr<ir::Tensor> tensor = ReadInput(input_, source);
          if (!tensor.ok()) return tensor.status();
          return std::optional<ir::Tensor>(*std::move(tensor));
        }
        open_ = &std::cin;
        if (source != kStandardStream) {
          file_ = std::ifstream(source, std::ios::binary);
          if (!file_) return absl::NotFoundError(absl::StrCat("`", source, "`: cannot be read"));
          open_ = &file_;
        }
      }
      absl::StatusOr<std::optional<ir::Tensor>> tensor = support::ReadNpy(*open_);
      if (!tensor.ok())
        return absl::Status(tensor.status().code(),
                            absl::StrCat(source == kStandardStream ? "standard input"
                                                                   : absl::StrCat("`", source, "`"),
                                         ", array ", count_ + 1, ": ", tensor.status().message()));
      if (tensor->has_value()) {
        ++count_;
        return tensor;
      }
      open_ = nullptr;
      count_ = 0;
    }
    return std::optional<ir::Tensor>();
  }

 private:
  Input input_;
  std::vector<std::string> sources_;
  size_t next_ = 0;
  std::istream* open_ = nullptr;  // the source before `next_`
  std::ifstream file_;
  int64_t count_ = 0;  // arrays of the source
};

// Where one output goes, and what it was so far.
class Sink {
 public:
  absl::Status Open(const std::string& path) {
    if (path == kStandardStream) {
      outs_.push_back(stdout);  // std::cout is for text
      return absl::OkStatus();
    }
    files_.push_back({std::fopen(path.c_str(), "wb"), &Close});
    if (files_.back() == nullptr)
      return absl::PermissionDeniedError(absl::StrCat("`", path, "`: cannot be written"));
    outs_.push_back(files_.back().get());
    return absl::OkStatus();
  }

  absl::Status Write(const ir::Tensor& tensor) {
    type_ = cli::TypeText(tensor);
    for (int64_t i = 0; i < tensor.size(); ++i) {
      const double v = tensor.AsDouble(i);
      low_ = v < low_ || std::isnan(v) ? v : low_;
      high_ = v > high_ || std::isnan(v) ? v : high_;
      sum_ += v;
    }
    count_ += tensor.size();
    if (outs_.empty()) return absl::OkStatus();
    const std::string bytes = support::SerializeNpy(tensor);
    for (std::FILE* out : outs_) {
      if (std::fwrite(bytes.data(), 1, bytes.size(), out) != bytes.size() || std::fflush(out) != 0)
        return absl::UnavailableError("an output cannot be written any more");
    }
    return absl::OkStatus();
  }

  std::vector<std::string> Row(const std::string& name) const {
    if (count_ == 0) return {name, type_};
    return {name, type_, cli::NumberText(low_), cli::NumberText(high_),
            cli::NumberText(sum_ / static_cast<double>(count_))};
  }

 private:
  static void Close(std::FILE* file) { static_cast<void>(std::fclose(file)); }

  std::vector<std::unique_ptr<std::FILE, void (*)(std::FILE*)>> files_;
  std::vector<std::FILE*> outs_;
  std::string type_;  // of the last array
  double low_ = std::numeric_limits<double>::infinity(), high_ = -low_, sum_ = 0;
  int64_t count_ = 0;  // elements
};

std::string PathIn(const std::string& folder, const std::string& name, size_t output) {
  return absl::StrCat(folder, "/", OutputFileName(name, output));
}

template <class Map>
absl::Status CheckNames(const Map& given, const std::vector<std::string>& names,
                        std::string_view what) {
  for (const auto& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return absl::InvalidArgumentError(
        absl::StrCat("no ", std::string(what), " `", name, "`",
                     nearest.has_value() ? absl::StrCat("; did you mean `", *nearest, "`?") : ""));
  }
  return absl::OkStatus();
}

std::vector<std::string> NamesOf(const std::vector<targets::Port>& ports) {
  std::vector<std::string> names;
  for (const targets::Port& port : ports) names.push_back(port.name);
  return names;
}

}  // namespace

absl::Status CheckStream(const targets::Executable& executable, const StreamFiles& files) {
  if (!executable.KeepsStates())
    return absl::InvalidArgumentError(
        "`--stream`: the artifact takes no frames and has no states, so no run depends on another");
  const std::vector<std::string> inputs = NamesOf(executable.inputs());
  const std::vector<std::string> outputs = NamesOf(executable.outputs());
  absl::Status status = CheckNames(files.sources, inputs, "input");
  if (status.ok()) status = CheckNames(files.sinks, outputs, "output");
  cli::FileRoles roles;
  if (status.ok()) status = roles.Reads("the model", files.model);
  for (const std::string& input : inputs) {
    const auto sources = files.sources.find(input);
    if (status.ok() && sources == files.sources.end())
      status = absl::InvalidArgumentError(absl::StrCat("no `--input ", input, "=...`"));
    if (!status.ok()) return status;
    for (const std::string& source : sources->second) {
      if (status.ok() && source != kStandardStream && !cli::IsRandomSource(source))
        status = roles.Reads(absl::StrCat("the input `", input, "`"), source);
    }
  }
  int standard = 0;
  for (size_t i = 0; i < outputs.size() && status.ok(); ++i) {
    const std::string role = absl::StrCat("the output `", outputs[i], "`");
    if (const auto sink = files.sinks.find(outputs[i]); sink != files.sinks.end()) {
      if (sink->second == kStandardStream) {
        if (++standard > 1) status = absl::InvalidArgumentError("two outputs are written to `-`");
      } else if (!IsArrays(sink->second)) {
        status = absl::InvalidArgumentError(
            absl::StrCat("`", sink->second, "`: with `--stream` outputs are .npy files, or `-`"));
      } else {
        status = roles.Writes(role, sink->second);
      }
    }
    if (status.ok() && !files.folder.empty())
      status = roles.Writes(role, PathIn(files.folder, outputs[i], i));
  }
  return status;
}

absl::StatusOr<int64_t> RunStream(targets::Executable& executable, const StreamFiles& files) {
  const std::vector<Input> inputs = InputsOf(executable);
  std::vector<Source> sources;
  for (const Input& input : inputs) sources.emplace_back(input, files.sources.at(input.name));
  const std::vector<std::string> names = NamesOf(executable.outputs());
  if (!files.folder.empty()) {
    if (absl::Status status = support::MakeFolder(files.folder); !status.ok()) return status;
  }
  std::vector<Sink> sinks(names.size());
  bool piped = false;
  for (size_t i = 0; i < names.size(); ++i) {
    absl::Status status;
    if (const auto sink = files.sinks.find(names[i]); sink != files.sinks.end()) {
      piped |= sink->second == kStandardStream;
      status = sinks[i].Open(sink->second);
    }
    if (status.ok() && !files.folder.empty())
      status = sinks[i].Open(PathIn(files.folder, names[i], i));
    if (!status.ok()) return status;
  }
  const auto write = [&](const std::vector<ir::Tensor>& outputs) {
    absl::Status status;
    for (size_t i = 0; i < outputs.size() && status.ok(); ++i) status = sinks[i].Write(outputs[i]);
    return status;
  };
  for (int64_t run = 0;; ++run) {
    std::vector<ir::Tensor> values;
    for (size_t i = 0; i < sources.size(); ++i) {
      absl::StatusOr<std::optional<ir::Tensor>> value = sources[i].Next();
      if (!value.ok()) return value.status();
      if (value->has_value()) values.push_back(**std::move(value));
      const size_t expected = value->has_value() ? i + 1 : 0;  // all of them end at once
      if (values.size() == expected) continue;
      return absl::InvalidArgumentError(
          absl::StrCat("input `", inputs[value->has_value() ? 0 : i].name, "` ends after ", run,
                       " arrays, input `", inputs[value->has_value() ? i : 0].name, "` does not"));
    }
    const bool ended = values.empty();
    if (ended && run == 0) return absl::InvalidArgumentError("the inputs have no array at all");
    const absl::StatusOr<std::vector<ir::Tensor>> outputs =
        ended ? executable.RunLast({}) : executable.Run(values);
    if (!outputs.ok())
      return absl::Status(outputs.status().code(),
                          absl::StrCat("run ", run + 1, ": ", outputs.status().message()));
    if (absl::Status status = write(*outputs); !status.ok()) return status;
    if (!ended) continue;
    std::vector<std::vector<std::string>> rows = {{"output", "last array", "min", "max", "mean"}};
    for (size_t i = 0; i < names.size(); ++i) rows.push_back(sinks[i].Row(names[i]));
    (piped ? std::cerr : std::cout) << cli::Table(rows);
    return run;
  }
}

}  // namespace tessera
