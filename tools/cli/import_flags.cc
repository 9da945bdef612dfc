#include "tools/cli/import_flags.h"

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontends/data/tensor_file.h"
#include "frontends/onnx/readings.h"
#include "tools/cli/assignment.h"
#include "tools/cli/choice.h"
#include "tools/cli/exit_code.h"

namespace tessera::cli {

void ImportFlags::Declare(CommandLine& line) {
  line.Values("dim", "FACT",
              "what holds of a dim of the inputs: `N=1`, `H=1..4096`, `P=0..`, `H%8=0`, `A=B`, "
              "`S=P+T`, `L=N+1..`; a dim without a name is INPUT_dAXIS. `auto` takes the weakest "
              "declarations "
              "that are found where the shapes are not right without",
              &dims_);
  line.Switch("strict-dims",
              "refuses a network that needs dims of a least size for its windows to fit; "
              "otherwise that is assumed, and said",
              &strict_);
  line.Switch("strict-opset",
              "refuses opsets newer than the newest known, and operators of others' domains that "
              "the model does not import; otherwise ops are taken to mean what they do in the "
              "newest known, if it has all that their nodes say, or in the only version of such a "
              "domain, and that is said",
              &strict_opset_);
  line.Values("bind", "NAME=FILE", "makes the input NAME a constant; a .npy or .pb file", &binds_);
  std::string readings;
  for (const onnx_import::Reading& reading : onnx_import::Readings())
    absl::StrAppend(&readings, "; `", reading.name, "`: ", reading.means);
  line.Values("reading", "NAME",
              absl::StrCat("how an operator is read of which other runtimes do something else than "
                           "its text says",
                           readings),
              &readings_);
  line.Value(
      "max-unroll", "N",
      absl::StrCat(
          "the most iterations of a Loop or Scan that are unrolled; longer ones stay loops; ",
          onnx_import::ImportOptions().max_unroll, " where it is not given"),
      &max_unroll_);
}

std::optional<int> ImportFlags::Resolve(const CommandLine& line, const std::string& program,
                                        onnx_import::ImportOptions& options) const {
  options.assume = strict_ ? onnx_import::Assume::kNothing : onnx_import::Assume::kWindows;
  options.strict_opset = strict_opset_;
  for (const std::string& text : dims_) {
    if (text == "auto") {
      if (strict_) return line.WrongUsage("`--dim auto` assumes what `--strict-dims` refuses");
      options.assume = onnx_import::Assume::kAny;
      continue;
    }
    absl::StatusOr<onnx_import::DimOption> dim = onnx_import::ParseDimOption(text);
    if (!dim.ok())
      return line.WrongUsage(absl::StrCat("`--dim ", text, "`: ", dim.status().message()));
    options.dims.push_back(*std::move(dim));
  }
  for (const std::string& text : binds_) {
    const auto bind = SplitAssignment(text);
    if (!bind.has_value())
      return line.WrongUsage(absl::StrCat("`--bind ", text, "`: not of the form NAME=FILE"));
    absl::StatusOr<data::StoredTensor> stored = data::ReadTensorFile(bind->second);
    if (!stored.ok()) return Report(program, stored.status());
    if (!options.bind.emplace(bind->first, std::move(stored->tensor)).second) {
      return line.WrongUsage(absl::StrCat("`--bind ", bind->first, "` given twice"));
    }
  }
  std::vector<std::string> known;
  for (const onnx_import::Reading& reading : onnx_import::Readings())
    known.emplace_back(reading.name);
  for (const std::string& name : readings_) {
    if (const std::string wrong = NotOneOf("--reading", name, known); !wrong.empty())
      return line.WrongUsage(wrong);
    options.readings.insert(name);
  }
  if (!max_unroll_.empty() &&
      (!absl::SimpleAtoi(max_unroll_, &options.max_unroll) || options.max_unroll < 0))
    return line.WrongUsage(
        absl::StrCat("`--max-unroll ", max_unroll_, "`: not a number from 0 on"));
  return std::nullopt;
}

std::vector<std::string> ImportFlags::Texts() const {
  std::vector<std::string> texts;
  for (const std::string& dim : dims_) texts.push_back(absl::StrCat("--dim ", dim));
  for (const std::string& bind : binds_) texts.push_back(absl::StrCat("--bind ", bind));
  for (const std::string& name : readings_) texts.push_back(absl::StrCat("--reading ", name));
  if (!max_unroll_.empty()) texts.push_back(absl::StrCat("--max-unroll ", max_unroll_));
  return texts;
}

std::vector<std::string> ImportFlags::Given() const {
  std::vector<std::string> flags;
  if (!dims_.empty()) flags.emplace_back("--dim");
  if (strict_) flags.emplace_back("--strict-dims");
  if (strict_opset_) flags.emplace_back("--strict-opset");
  if (!binds_.empty()) flags.emplace_back("--bind");
  if (!readings_.empty()) flags.emplace_back("--reading");
  if (!max_unroll_.empty()) flags.emplace_back("--max-unroll");
  return flags;
}

absl::Status ImportFlags::AddTo(FileRoles& roles) const {
  for (const std::string& text : binds_) {
    const auto bind = SplitAssignment(text);
    if (!bind.has_value()) continue;  // Resolve says so
    const absl::Status status = roles.Reads(absl::StrCat("`--bind ", text, "`"), bind->second);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status AddTo(FileRoles& roles, const onnx_import::ImportResult& import) {
  for (const auto& file : import.files) {
    if (file == nullptr) continue;
    const absl::Status status = roles.Reads("data of the model", file->path);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

std::optional<int> ClaimData(const CommandLine& line, const std::string& program,
                             const std::string& model, const onnx_import::ImportOptions& options,
                             FileRoles& roles) {
  const absl::StatusOr<onnx_import::ImportResult> import = onnx_import::ImportFile(model, options);
  if (!import.ok()) return Report(program, import.status());
  if (const absl::Status status = AddTo(roles, *import); !status.ok())
    return line.WrongUsage(std::string(status.message()));
  return std::nullopt;
}

}  // namespace tessera::cli
