// What `//tools:verify` does: reference against stored outputs, and a target's artifact, executed
// from its bytes, against the reference.
#ifndef TESSERA_TOOLS_VERIFICATION_VERIFY_H_
#define TESSERA_TOOLS_VERIFICATION_VERIFY_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "tools/verification/comparison.h"
#include "tools/verification/target.h"

namespace tessera::verification {

// Reference against stored outputs: another implementation summed in another order. As a PEIR
// (comparison.h). Outputs on halves are allowed more (halves.h), here and of a target.
inline constexpr double kReferenceTolerance = 1e-4;

struct Request {
  std::string model;  // path
  std::string data;   // folder with `test_data_set_*`
  onnx_import::ImportOptions options;
  const Target* target = nullptr;  // null: the reference alone
  // Seeded random inputs of that many sizes besides the stored ones; without stored ones there are
  // some in any case.
  size_t random_sizes = 0;
};

// One output of one case.
struct OutputReport {
  std::string output;
  std::string side, against;  // `reference` against `stored`, a target against `reference`
  double tolerance = 0;
  double least_snr = 0;  // dB; above 0 it decides in place of the tolerance
  double step = 0;       // of the grid that the network puts the output on; 0: none
  Comparison comparison;
};

// One data set, or seeded random inputs of one size.
struct CaseReport {
  std::string name;
  std::vector<std::pair<std::string, std::string>> inputs;  // name, type
  std::vector<std::string> notes;
  std::vector<OutputReport> outputs;
  std::string error;  // why there are no outputs to compare
  // Why it is not compared at all: the sizes that the network was given are not those of the data.
  std::string passed_over;

  bool holds() const;
};

struct Report {
  std::string model;
  std::string target;  // `reference` or the target's name
  std::vector<std::string> notes;
  std::vector<CaseReport> cases;

  bool holds() const;  // at least one case, and all that are not passed over do
  std::string ToText() const;
  std::string ToJson() const;  // an object; a figure that is infinite or not a number is null
};

// An error is about the model or the data as a whole; what goes wrong in one case is in its report.
absl::StatusOr<Report> Verify(const Request& request);

}  // namespace tessera::verification

#endif  // TESSERA_TOOLS_VERIFICATION_VERIFY_H_
