// Takes the weights out of a model file before protobuf sees it. Protobuf copies every `bytes`
// field; weights are 99 % of a model, and are to be touched once. So the wire format is walked
// first, along the messages that lead to tensors (TensorTable in model_splice.cc), and every
// TensorProto.raw_data on the way is replaced by an eight-byte token: its index in `blobs`. Lengths
// of the enclosing messages are computed anew, all other bytes are kept as they are. A blob is a
// span of the file, so nothing large is copied, or even read.
//
// Tokens survive whatever protobuf does with repeated fields (the last `raw_data` wins, split
// messages merge), because each occurrence has its own.
#ifndef TESSERA_FRONTENDS_ONNX_MODEL_SPLICE_H_
#define TESSERA_FRONTENDS_ONNX_MODEL_SPLICE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tessera::onnx_import {

struct SplicedModel {
  std::string structure;                         // a serialized ModelProto
  std::vector<absl::Span<const uint8_t>> blobs;  // into the file

  // What `raw_data` of a TensorProto parsed from `structure` stands for; an error if it is not a
  // token.
  absl::StatusOr<absl::Span<const uint8_t>> Blob(absl::string_view raw_data) const;
};

// Messages in messages deeper than this are refused (a subgraph in a subgraph takes three).
inline constexpr int kMaxMessageDepth = 96;
// Messages walked (nodes, attributes, tensors); bounds the memory that protobuf needs for a file of
// many empty messages.
inline constexpr int64_t kMaxMessages = 4'000'000;

// Errors name the message and the byte: not the wire format, cut off, too deep, too many messages.
absl::StatusOr<SplicedModel> SpliceModel(absl::Span<const uint8_t> file);
// The same for a file that is one TensorProto.
absl::StatusOr<SplicedModel> SpliceTensor(absl::Span<const uint8_t> file);

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_MODEL_SPLICE_H_
