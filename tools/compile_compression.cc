#include "tools/compile_compression.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "nests/library.h"
#include "support/file_set.h"
#include "targets/target.h"
#include "tools/cli/choice.h"
#include "tools/compression/accuracy.h"
#include "tools/compression/configuration.h"
#include "tools/compression/judges.h"
#include "tools/compression/kept_steps.h"
#include "tools/compression/run.h"

// Defined by generated code.
namespace tessera::ops {
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::tools {
namespace {

bool IsPreset(const std::string& name) {
  const std::vector<std::string> names = PresetNames();
  std::error_code error;
  return std::find(names.begin(), names.end(), name) != names.end() &&
         !std::filesystem::exists(name, error);
}

}  // namespace

void CompileCompression::Declare(cli::CommandLine& line) {
  line.Value("compress", "FILE",
             absl::StrCat("compresses the network first, as `compress` does: a YAML configuration, "
                          "or a preset (`",
                          absl::StrJoin(PresetNames(), "`, `"),
                          "`), with the samples of `--calibrate`; what is compiled then stands "
                          "beside the artifact, with `.onnx` behind its name"),
             &compress_)
      .Value("resume", "DIR",
             "with `--compress`: keeps what each step of compression has made in that folder, and "
             "goes on from there the next time",
             &resume_)
      .Example("model.onnx --compress compression.yaml --calibrate calibration/");
}

std::optional<int> CompileCompression::Resolve(const cli::CommandLine& line,
                                               cli::TargetFlags& target_flags, bool reproduces) {
  if (!asked() && !resume_.empty())
    return line.WrongUsage("`--resume` goes with `--compress`: what it keeps are steps of that");
  if (!asked()) return std::nullopt;
  // A name without a folder or an ending is meant as a preset.
  std::error_code error;
  if (compress_.find_first_of("./") == std::string::npos &&
      !std::filesystem::exists(compress_, error)) {
    if (const std::string wrong = cli::NotOneOf("--compress", compress_, PresetNames());
        !wrong.empty())
      return line.WrongUsage(wrong);
  }
  calibrate_ = target_flags.Share(targets::kCalibrationFlag);
  if (reproduces) return line.WrongUsage("`--compress` is of a model, not of a reproducer");
  return std::nullopt;
}

absl::Status CompileCompression::AddTo(cli::FileRoles& roles, const std::string& artifact) const {
  if (!asked()) return absl::OkStatus();
  absl::Status status = IsPreset(compress_)
                            ? absl::OkStatus()
                            : roles.Reads("the configuration of compression", compress_);
  if (status.ok()) status = roles.Writes("the compressed model", PlaceFor(artifact));
  return status;
}

absl::StatusOr<std::string> CompileCompression::Run(const std::string& model,
                                                    const onnx_import::ImportOptions& import,
                                                    const std::string& artifact, bool quiet) const {
  const absl::StatusOr<CompressionConfiguration> configuration =
      IsPreset(compress_) ? ReadPreset(compress_) : ReadCompression(compress_);
  if (!configuration.ok()) return configuration.status();
  for (const std::string& note : configuration->notes) std::cerr << "note: " << note << "\n";
  nests::Library::Global().Add(ops::CoreNests());
  CompressionRequest request{model, calibrate_, import, {}};
  request.samples_flag = absl::StrCat("--", std::string(targets::kCalibrationFlag));
  std::optional<KeptSteps> steps;
  if (!resume_.empty()) {
    absl::StatusOr<KeptSteps> opened = KeptSteps::Open(resume_);
    if (!opened.ok()) return opened.status();
    request.steps = &steps.emplace(*std::move(opened));
  }
  std::vector<std::string> kept_to;
  absl::StatusOr<Compressed> compressed;
  if (const std::optional<Bound>& bound = configuration->bound) {
    if (calibrate_.empty())
      return absl::InvalidArgumentError(
          absl::StrCat(bound->ToString(), " needs samples: `--calibrate`"));
    const absl::StatusOr<ChosenJudges> chosen = ChooseJudges(request, "", true);
    if (!chosen.ok()) return chosen.status();
    if (!chosen->note.empty()) std::cerr << "note: " << chosen->note << "\n";
    absl::StatusOr<Bounded> bounded = CompressWithin(request, *configuration, *bound,
                                                     chosen->judges, [&](const std::string& what) {
                                                       if (!quiet) std::cerr << what << std::endl;
                                                     });
    if (!bounded.ok()) return bounded.status();
    kept_to = bounded->Summary(*bound);
    compressed = std::move(bounded->compressed);
  } else {
    compressed = Compress(request, *configuration);
  }
  if (!compressed.ok()) return compressed.status();
  support::FileSet files;
  absl::Status status = files.Add(PlaceFor(artifact), compressed->model);
  if (status.ok()) status = files.Commit();
  if (!status.ok()) return status;
  if (!quiet) {
    std::cout << compressed->controller.Summary() << "\n";
    if (steps && steps->taken() > 0)
      std::cout << steps->taken() << " steps were done before: " << resume_ << "\n";
    for (const std::string& line : kept_to) std::cout << line << "\n";
  }
  return absl::StrCat("wrote ", PlaceFor(artifact), ": ", compressed->model.size(),
                      " bytes, before ", compressed->bytes_before);
}

}  // namespace tessera::tools
