// Compression of a model file: stages in rising priority, each of which imports what those before
// it have made, asks its algorithms, and commits.
#ifndef TESSERA_TOOLS_COMPRESSION_RUN_H_
#define TESSERA_TOOLS_COMPRESSION_RUN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/import.h"
#include "passes/compression/controller.h"
#include "tools/compression/configuration.h"
#include "tools/compression/kept_steps.h"
#include "tools/compression/samples.h"
#include "tools/compression/statistics_file.h"

namespace tessera::tools {

struct CompressionRequest {
  std::string model;  // path
  std::string data;   // folder of samples; empty: there are none
  onnx_import::ImportOptions import;
  SampleOptions samples;  // of `data`; and how others are read
  // What was seen is taken from there, if the model is the same, else put there; null: neither.
  StatisticsFile* statistics = nullptr;
  // What stages and comparisons have made is taken from there, else put there; null: neither. Not
  // along with `statistics`, which a stage that is taken from there does not fill.
  KeptSteps* steps = nullptr;
  std::string samples_flag = "--data";  // by which a user gives `data`, for complaints
};

struct Compressed {
  std::string model;  // bytes of the file
  size_t bytes_before = 0;
  std::vector<std::string> commands;  // in the order in which they were committed
  std::vector<std::string> merged;
  compression::CompositeController controller;
};

absl::StatusOr<Compressed> Compress(const CompressionRequest& request,
                                    const CompressionConfiguration& configuration);

// How well the outputs of one model are those of another, over samples.
struct Quality {
  std::string output;
  // Median and worst over the samples, dB; and of the part of the output that varies from sample to
  // sample (the error against the distance from the mean; NaN: there is but one). Elements that are
  // not finite in the original count where they become something else.
  double snr = 0, worst = 0, varying = 0;
  double largest = 0;                 // of all errors of elements
  size_t samples = 0, available = 0;  // those that were used, and those that there are
  std::string Samples() const;        // `8`, `32 of 512`
};

// The samples that tell how well a network was compressed.
struct Judges {
  enum class Kind : uint8_t {
    kOthers,   // of a folder of their own
    kHeldOut,  // of the request's those that it holds out
    kTheSame,  // those of the request, which compression was given too
  };
  std::string folder;  // empty: there are none
  size_t most = 0;     // at most so many, at equal distances; 0: all
  Kind kind = Kind::kOthers;
  std::string ToString() const;  // `calibration/, held out from compression`
};

absl::StatusOr<std::vector<Quality>> Compare(const CompressionRequest& request,
                                             const std::string& compressed, const Judges& judges);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_RUN_H_
