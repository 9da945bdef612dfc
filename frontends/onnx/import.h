// ONNX models (https://onnx.ai/onnx/repo-docs/IR.html) in, ir::Graph out. What an ONNX op means is
// said by the `onnx` clauses of the op files (linked in through ir::Registry); this room knows the
// file format only.
//
// After import there are no functions, no subgraphs, and no shape arithmetic: what it computed
// stands in the graph as symbolic constants. An `If` is the branch that its condition takes for all
// sizes, or a choice between both where they yield equal shapes; a `Loop` or `Scan` is unrolled, or
// stays a loop (ir/loops.h).
#ifndef TESSERA_FRONTENDS_ONNX_IMPORT_H_
#define TESSERA_FRONTENDS_ONNX_IMPORT_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "frontends/onnx/dim_option.h"
#include "ir/graph.h"
#include "ir/tensor.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {

// What the importer may take for granted of dims about which nothing is stated, where it finds
// declarations with which the model imports.
enum class Assume : uint8_t {
  kNothing,  // it refuses the model, and names them
  kWindows,  // those that say only that dims are large enough for windows to fit
  kAny,
};

struct ImportOptions {
  std::vector<DimOption> dims;
  // Inputs that become constants, by name. Their element type must be the declared one; their dims
  // fix the model's symbols.
  std::map<std::string, ir::Tensor> bind;
  // Inputs of which only the sizes are known, those of arrays that the network is to run with:
  // their dims fix the model's symbols. One without a name is that of its place among the inputs.
  struct Sized {
    std::string name;
    std::vector<int64_t> shape;
  };
  std::vector<Sized> sizes;
  // Iterations of one Loop or Scan that are unrolled; longer ones stay loops.
  int64_t max_unroll = 1000;
  Assume assume = Assume::kNothing;
  // Of what an operator's text leaves open, or other runtimes do otherwise: names of readings.h.
  std::set<std::string> readings;
  // Refuses opsets newer than the newest known; otherwise ops of these are taken to mean what they
  // do there, if it has all that their nodes say.
  bool strict_opset = false;
  // What the importer cannot decide of shapes: called with the imported graph, once for each set of
  // declarations that is tried. What it refuses is refused, and the remedy attached to its status
  // (solver/remedy.h) is taken or named like those that the importer finds itself.
  std::function<absl::Status(ir::Graph&)> check;
  // Called with each tensor of the main graph and the value that it became, in no order, before
  // `imported`; several tensors may be one value.
  std::function<void(const std::string& tensor, const ir::Value& value)> named;
  // Called with the graph as its nodes were imported, before shape arithmetic is taken out of it
  // and what nothing uses is erased.
  std::function<void(const ir::Graph&)> imported;
};

struct ImportResult {
  std::unique_ptr<ir::Graph> graph;
  std::string model_name;          // of the graph in the file; may be empty
  std::vector<DimOption> assumed;  // beyond what the options state
  // Of ops of opsets that are newer than the newest known, a sentence per opset.
  std::vector<std::string> assumed_opsets;
  // Of outputs that are computed in other sizes than they are declared in, a sentence each.
  std::vector<std::string> assumed_outputs;
  // Where a reading (readings.h) that nobody chose would have made something else of a node.
  std::vector<std::string> assumed_readings;
  // How what the model keeps from call to call is handed on by who calls: `state: ...` for each.
  std::vector<std::string> states;
  // Of outputs that are sequences in the model, which outputs they are here: `output: ...` for
  // each.
  std::vector<std::string> flattened;
  int opset = 0;             // version of ai.onnx that the model imports
  size_t node_count = 0;     // nodes in the file, subgraphs and functions included
  support::MappedFile file;  // the model itself, for who wants a digest of it
  // Paths of the files that its tensors were read from, by the location that the model names.
  std::map<std::string, std::string> data;
  // The model and its external data. What was made of them holds only if, in the end, they are
  // what they were (support::CheckUnchanged).
  support::FileStamps files;
};

// What the options say of the sizes of the input of that name, which is the one behind `place`
// others; null: nothing.
const ImportOptions::Sized* SizesOf(const ImportOptions& options, const std::string& name,
                                    size_t place);
// `x of 1x3x32x32`.
std::string SizesText(const std::string& name, absl::Span<const int64_t> shape);

// All that was taken for granted of the model as it stands, each as `assumed: WHAT (WHY)`.
std::vector<std::string> AssumptionTexts(const ImportResult& import);

// Constants of the graph are views of the mapped file, which must not change while the graph lives.
// Errors: InvalidArgument (the file, or an option, is wrong), Unimplemented (all that is wrong is
// that something is not supported), NotFound (no such file). Every problem of the model has a line
// of its own, `FILE: PLACE: REASON`.
absl::StatusOr<ImportResult> ImportFile(const std::string& path, const ImportOptions& options);

// The same of a file that is mapped already; `path` is its own.
absl::StatusOr<ImportResult> ImportMapped(const support::MappedFile& file, const std::string& path,
                                          const ImportOptions& options);

// A model in memory; `owner` keeps `bytes`. `name` stands for the file in error texts. Has no
// folder, so external data is refused.
absl::StatusOr<ImportResult> ImportBytes(absl::Span<const uint8_t> bytes,
                                         std::shared_ptr<const void> owner, const std::string& name,
                                         const ImportOptions& options);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_IMPORT_H_
