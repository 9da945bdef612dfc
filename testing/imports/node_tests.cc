#include "testing/imports/node_tests.h"

#include <algorithm>
#include <filesystem>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/op_sets.h"
#include "onnx/defs/parser.h"
#include "support/file.h"

namespace tessera::testing {
namespace {

bool IsTensors(const google::protobuf::RepeatedPtrField<onnx::ValueInfoProto>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const auto& value) { return value.type().has_tensor_type(); });
}

bool IsSingle(const onnx::ModelProto& model) {
  if (model.graph().node_size() != 1 || model.functions_size() != 0) return false;
  for (const onnx::AttributeProto& attribute : model.graph().node(0).attribute()) {
    if (attribute.has_g() || attribute.graphs_size() != 0) return false;
  }
  return IsTensors(model.graph().input()) && IsTensors(model.graph().output());
}

absl::Status ReadTensor(const std::filesystem::path& path, onnx::TensorProto& tensor) {
  const absl::StatusOr<std::string> bytes = support::ReadFile(path.string());
  if (!bytes.ok()) return bytes.status();
  return tensor.ParseFromString(*bytes)
             ? absl::OkStatus()
             : absl::InvalidArgumentError(absl::StrCat(path.string(), ": no tensor"));
}

absl::Status ReadData(const std::filesystem::path& folder, NodeTest& test) {
  for (int i = 0; i < test.model.graph().input_size(); ++i) {
    test.inputs.emplace_back();
    const auto path = folder / absl::StrCat("input_", i, ".pb");
    if (!std::filesystem::exists(path)) continue;
    if (absl::Status status = ReadTensor(path, test.inputs.back().emplace()); !status.ok())
      return status;
  }
  for (int i = 0; i < test.model.graph().output_size(); ++i) {
    const auto path = folder / absl::StrCat("output_", i, ".pb");
    if (!std::filesystem::exists(path)) continue;
    if (absl::Status status = ReadTensor(path, test.outputs.emplace_back()); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

void Add(NodeTest test, NodeTests& tests) {
  const onnx::NodeProto& node = test.model.graph().node(0);
  const std::pair key(onnx_import::DomainName(node.domain()), node.op_type());
  tests[key].push_back(std::move(test));
}

}  // namespace

absl::Status ReadNodeTests(const std::string& folder, NodeTests& tests) {
  std::vector<std::filesystem::path> models;
  for (const char* const kind : {"node", "simple", "pytorch-converted", "pytorch-operator"}) {
    std::error_code error;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(folder) / kind, error)) {
      if (std::filesystem::exists(entry.path() / "model.onnx")) models.push_back(entry.path());
    }
  }
  if (models.empty()) return absl::NotFoundError(absl::StrCat(folder, ": no models"));
  std::sort(models.begin(), models.end());
  for (const std::filesystem::path& path : models) {
    const absl::StatusOr<std::string> bytes = support::ReadFile((path / "model.onnx").string());
    if (!bytes.ok()) return bytes.status();
    NodeTest test;
    test.name = absl::StrCat(path.parent_path().filename().string(), "/", path.filename().string());
    if (!test.model.ParseFromString(*bytes))
      return absl::InvalidArgumentError(absl::StrCat(path.string(), ": no model"));
    if (!IsSingle(test.model)) continue;
    if (absl::Status status = ReadData(path / "test_data_set_0", test); !status.ok()) return status;
    Add(std::move(test), tests);
  }
  return absl::OkStatus();
}

absl::Status ParseNodeTests(const std::string& text, const std::string& name, NodeTests& tests) {
  int line = 1;
  for (const absl::string_view part : absl::StrSplit(text, "\n\n")) {
    NodeTest test;
    test.name = absl::StrCat(name, ":", line);
    line += 2 + static_cast<int>(std::count(part.begin(), part.end(), '\n'));
    const auto parsed = onnx::OnnxParser::Parse(test.model, std::string(part).c_str());
    if (!parsed.IsOK() || !IsSingle(test.model))
      return absl::InvalidArgumentError(absl::StrCat(
          test.name, ": ", parsed.IsOK() ? "not one node on tensors" : parsed.ErrorMessage()));
    test.inputs.resize(static_cast<size_t>(test.model.graph().input_size()));
    Add(std::move(test), tests);
  }
  return absl::OkStatus();
}

}  // namespace tessera::testing
