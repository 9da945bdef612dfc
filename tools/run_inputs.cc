#include "tools/run_inputs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontends/data/image_file.h"
#include "frontends/data/tensor_file.h"
#include "frontends/data/wav_file.h"
#include "support/random_tensor.h"
#include "tools/cli/assignment.h"
#include "tools/cli/command_line.h"

namespace tessera {
namespace {

absl::StatusOr<ir::Tensor> RandomInput(const Input& input, std::string_view text) {
  const absl::StatusOr<cli::RandomSource> source = cli::ParseRandomSource(text);
  if (!source.ok()) return source.status();
  std::vector<int64_t> shape;
  if (source->shape.has_value()) {
    shape = *source->shape;
  } else {
    for (size_t d = 0; d < input.sizes.size(); ++d) {
      if (!input.sizes[d].has_value()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "input `", input.name, "` is `", input.type, "`: ",
            input.dims[d] == "?" ? "say"
                                 : absl::StrCat("fix `", input.dims[d], "` with `--dim`, or say"),
            " the shape: `", std::string(text), ":1x3x224x224`"));
      }
      shape.push_back(*input.sizes[d]);
    }
  }
  return support::RandomTensor(input.dtype, std::move(shape), source->seed);
}

// What the inputs are, for a complaint about one that is missing.
std::string InputList(const std::vector<Input>& inputs) {
  if (inputs.empty()) return "there are no inputs";
  std::string text = "the inputs are";
  for (const Input& input : inputs) absl::StrAppend(&text, " `", input.name, "` ", input.type);
  return text;
}

}  // namespace

std::vector<Input> InputsOf(const ir::Graph& graph) {
  std::vector<Input> inputs;
  for (const ir::Value* value : graph.inputs()) {
    Input input{value->name(), value->type().ToString(), value->type().dtype, {}, {}};
    for (const ir::Expr& dim : value->type().dims) {
      input.dims.push_back(dim.ToString());
      input.sizes.push_back(dim.Constant());
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

std::vector<Input> InputsOf(const targets::Executable& executable) {
  std::vector<Input> inputs;
  for (const targets::Port& port : executable.inputs()) {
    Input input{port.name, "", port.dtype, {}, {}};
    for (int64_t dim : port.dims) {
      input.dims.push_back(dim < 0 ? "?" : absl::StrCat(dim));
      input.sizes.push_back(dim < 0 ? std::nullopt : std::optional<int64_t>(dim));
    }
    input.type =
        absl::StrCat(std::string(ir::NameOf(port.dtype)), "[", absl::StrJoin(input.dims, ","), "]");
    inputs.push_back(std::move(input));
  }
  return inputs;
}

absl::StatusOr<ir::Tensor> ReadInput(const Input& input, const std::string& source) {
  if (cli::IsRandomSource(source)) return RandomInput(input, source);
  if (data::IsPicture(source)) return data::ReadPicture(source, input.dtype, input.sizes);
  if (absl::EndsWith(source, ".wav")) return data::ReadWav(source, input.dtype, input.sizes);
  absl::StatusOr<data::StoredTensor> stored = data::ReadTensorFile(source);
  if (!stored.ok()) return stored.status();
  return std::move(stored->tensor);
}

absl::StatusOr<std::map<std::string, std::vector<int64_t>>> KnownShapes(
    const std::map<std::string, std::string>& sources) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto& [name, source] : sources) {
    if (cli::IsRandomSource(source)) {
      const absl::StatusOr<cli::RandomSource> random = cli::ParseRandomSource(source);
      if (!random.ok()) return random.status();
      if (random->shape.has_value()) shapes[name] = *random->shape;
    } else if (!data::IsPicture(source) && !absl::EndsWith(source, ".wav")) {
      const absl::StatusOr<data::StoredTensor> stored = data::ReadTensorFile(source);
      if (!stored.ok()) return stored.status();
      shapes[name] = stored->tensor.shape();
    }
  }
  return shapes;
}

std::string OutputFileName(std::string name, size_t output) {
  bool replaced = name.empty() || name[0] == '.';
  for (char& c : name) {
    if (absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.')
      continue;
    c = '_';
    replaced = true;
  }
  return replaced ? absl::StrCat("output_", output, "_", name, ".npy") : absl::StrCat(name, ".npy");
}

absl::StatusOr<std::vector<ir::Tensor>> ReadInputs(
    const std::vector<Input>& inputs, const std::map<std::string, std::string>& sources) {
  std::vector<std::string> names;
  for (const Input& input : inputs) names.push_back(input.name);
  for (const auto& [name, source] : sources) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::optional<std::string> nearest = cli::Nearest(name, names);
    return absl::InvalidArgumentError(absl::StrCat(
        "no input `", name, "`; ",
        nearest.has_value() ? absl::StrCat("did you mean `", *nearest, "`?") : InputList(inputs)));
  }
  std::vector<ir::Tensor> tensors;
  for (const Input& input : inputs) {
    const auto source = sources.find(input.name);
    if (source == sources.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("no `--input ", input.name, "=...`; ", InputList(inputs)));
    }
    absl::StatusOr<ir::Tensor> tensor = ReadInput(input, source->second);
    if (!tensor.ok()) return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

}  // namespace tessera
