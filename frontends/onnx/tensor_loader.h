// TensorProto to ir::Tensor.
#ifndef TESSERA_FRONTENDS_ONNX_TENSOR_LOADER_H_
#define TESSERA_FRONTENDS_ONNX_TENSOR_LOADER_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontends/onnx/external_data.h"
#include "frontends/onnx/model_splice.h"
#include "ir/dtype.h"
#include "ir/tensor.h"
#include "onnx/onnx_pb.h"

namespace tessera::onnx_import {

// Ranks above this are taken for damage.
inline constexpr int kMaxRank = 64;

// TensorProto.DataType as an element type. Error: one that has none here, by its ONNX name
// (`string`, `complex64`, ...).
absl::StatusOr<ir::DType> DTypeFromProto(int32_t data_type);

// How many bytes the contents take as `raw_data` or beside the model. Error: of no type or shape.
absl::StatusOr<uint64_t> BytesOf(const onnx::TensorProto& tensor);

class TensorLoader {
 public:
  // `model` is what the tensors were parsed from; `owner` keeps the bytes that its blobs are in,
  // and `mapped` says that these are a mapped file.
  TensorLoader(const SplicedModel& model, std::shared_ptr<const void> owner, bool mapped,
               ExternalData external)
      : model_(model), owner_(std::move(owner)), mapped_(mapped), external_(std::move(external)) {}

  // Raw and external contents become a view of the mapped file, unless a bool byte is neither 0
  // nor 1, or elements are packed. Typed fields are copied.
  // Sizes are compared before anything is allocated. Errors: an element type that has no
  // counterpart, a negative dim, too large, contents missing, doubled, or of another size than dims
  // and type say.
  absl::StatusOr<ir::Tensor> Load(const onnx::TensorProto& tensor);

  // Files beside the model that contents were taken from, by their location.
  const std::map<std::string, support::MappedFile>& ExternalFiles() const {
    return external_.files();
  }

 private:
  absl::StatusOr<ir::Tensor> FromBytes(ir::DType dtype, std::vector<int64_t> dims, int64_t count,
                                       support::MappedFile contents);

  const SplicedModel& model_;
  std::shared_ptr<const void> owner_;
  bool mapped_;
  ExternalData external_;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_TENSOR_LOADER_H_
