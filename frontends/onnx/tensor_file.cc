#include "frontends/onnx/tensor_file.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/model_splice.h"
#include "frontends/onnx/tensor_loader.h"
#include "onnx/onnx_pb.h"
#include "support/mapped_file.h"

namespace tessera::onnx_import {
namespace {

absl::StatusOr<NamedTensor> Parse(const support::MappedFile& file, bool mapped,
                                  ExternalData external) {
  absl::StatusOr<SplicedModel> spliced = SpliceTensor(file.bytes);
  if (!spliced.ok()) return spliced.status();
  onnx::TensorProto proto;
  if (!proto.ParseFromString(spliced->structure)) {
    return absl::InvalidArgumentError("not a `TensorProto`");
  }
  TensorLoader loader(*spliced, file.owner, mapped, std::move(external));
  absl::StatusOr<ir::Tensor> tensor = loader.Load(proto);
  if (!tensor.ok()) return tensor.status();
  return NamedTensor{proto.name(), *std::move(tensor)};
}

}  // namespace

absl::StatusOr<NamedTensor> ReadTensorFile(const std::string& path) {
  absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<NamedTensor> result = Parse(*file, true, ExternalData(path));
  if (result.ok()) return result;
  return absl::Status(result.status().code(), absl::StrCat(path, ": ", result.status().message()));
}

absl::StatusOr<NamedTensor> ParseTensor(absl::Span<const uint8_t> bytes,
                                        std::shared_ptr<const void> owner) {
  return Parse({std::move(owner), bytes}, false, ExternalData());
}

}  // namespace tessera::onnx_import
