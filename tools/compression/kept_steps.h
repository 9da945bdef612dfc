// What steps of compression have made, in a folder: a run that was interrupted goes on from there,
// to the same bytes.
#ifndef TESSERA_TOOLS_COMPRESSION_KEPT_STEPS_H_
#define TESSERA_TOOLS_COMPRESSION_KEPT_STEPS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "passes/compression/calibration/sample_source.h"

namespace tessera::tools {

class KeptSteps {
 public:
  // Makes the folder. Errors: what the system says.
  static absl::StatusOr<KeptSteps> Open(const std::string& folder);

  // What was kept under a key, by this very program. Nothing: it was not, or is damaged.
  std::optional<std::string> Find(std::string_view key);
  absl::Status Keep(std::string_view key, std::string_view bytes) const;

  size_t taken() const { return taken_; }  // finds that found something

  // Of all values of all samples. `name` tells one source from another within a run, each of which
  // is read once.
  absl::StatusOr<std::string> DigestOf(const std::string& name,
                                       const calibration::SampleSource& samples);

 private:
  KeptSteps(std::string folder, std::string program)
      : folder_(std::move(folder)), program_(std::move(program)) {}
  std::string PathOf(std::string_view key) const;

  std::string folder_;
  std::string program_;  // its digest: another may do the same step otherwise
  std::map<std::string, std::string> digests_;
  size_t taken_ = 0;
};

// A text in which texts stay apart, whatever they hold.
std::string KeyOf(const std::vector<std::string>& parts);
// What decides what is imported from a file, as a part of a key.
std::string KeyOf(const onnx_import::ImportOptions& options);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_KEPT_STEPS_H_
