#include "targets/circle/tflite_check/tflite_oracle.h"

#include <cstdlib>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "support/file.h"
#include "support/npy.h"
#include "support/npy_series.h"
#include "support/run_program.h"
#include "support/temporary_folder.h"

namespace tessera::circle {

absl::StatusOr<std::vector<ir::Tensor>> RunTflite(const std::string& model,
                                                  const std::vector<ir::Tensor>& inputs,
                                                  TfliteKernels kernels) {
  const char* runfiles = std::getenv("TEST_SRCDIR");
  if (runfiles == nullptr) {
    return absl::UnavailableError("`TEST_SRCDIR` is not set: this runs in Bazel's tests only");
  }
  const support::TemporaryFolder folder;
  if (folder.path().empty()) return absl::UnavailableError("no temporary folder can be made");
  const std::string model_path = folder.path() + "/model.tflite";
  std::vector<std::string> command = {
      absl::StrCat(runfiles, "/tessera/targets/circle/tflite_check/run_tflite"),
      kernels == TfliteKernels::kReference ? "--kernels=reference" : "--kernels=optimized",
      model_path,
      folder.path(),
  };
  if (auto status = support::WriteFile(model_path, model); !status.ok()) return status;
  for (size_t i = 0; i < inputs.size(); ++i) {
    command.push_back(absl::StrCat(folder.path(), "/input_", i, ".npy"));
    const absl::Status written =
        support::WriteFile(command.back(), support::SerializeNpy(inputs[i]));
    if (!written.ok()) return written;
  }
  const std::string log = folder.path() + "/log";
  const absl::StatusOr<int> code = support::RunProgram(command, log);
  if (!code.ok()) return code.status();
  if (*code != 0)
    return absl::InvalidArgumentError(support::ReadFile(log).value_or("it printed nothing"));
  return support::ReadNpySeries(folder.path() + "/output_");
}

}  // namespace tessera::circle
