#include "frontends/onnx/model_splice.h"

#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/wire.h"

namespace tessera::onnx_import {
namespace {

enum class Message : uint8_t { kModel, kGraph, kNode, kAttribute, kFunction, kTensor, kOpaque };

absl::string_view NameOf(Message message) {
  switch (message) {
    case Message::kModel:
      return "ModelProto";
    case Message::kGraph:
      return "GraphProto";
    case Message::kNode:
      return "NodeProto";
    case Message::kAttribute:
      return "AttributeProto";
    case Message::kFunction:
      return "FunctionProto";
    default:
      return "TensorProto";
  }
}

// Which message a field holds, if tensors can be in it (onnx.proto).
Message MessageIn(Message parent, uint32_t field) {
  switch (parent) {
    case Message::kModel:
      return field == 7 ? Message::kGraph : field == 25 ? Message::kFunction : Message::kOpaque;
    case Message::kGraph:
      return field == 1 ? Message::kNode : field == 5 ? Message::kTensor : Message::kOpaque;
    case Message::kNode:
      return field == 5 ? Message::kAttribute : Message::kOpaque;
    case Message::kAttribute:  // t, g, tensors, graphs
      return field == 5 || field == 10   ? Message::kTensor
             : field == 6 || field == 11 ? Message::kGraph
                                         : Message::kOpaque;
    case Message::kFunction:  // node, attribute_proto
      return field == 7 ? Message::kNode : field == 11 ? Message::kAttribute : Message::kOpaque;
    default:
      return Message::kOpaque;
  }
}

constexpr uint32_t kRawData = 9;
constexpr size_t kTokenSize = 8;

bool IsRawData(Message parent, const WireField& field) {
  return parent == Message::kTensor && field.number == kRawData && field.type == WireType::kBytes;
}

class Splicer {
 public:
  // Checks `message` and everything walked in it; puts its new size, and then those of its parts,
  // at the end of `sizes_`.
  absl::Status Measure(absl::Span<const uint8_t> message, size_t offset, Message kind, int depth) {
    if (depth > kMaxMessageDepth) {
      return absl::InvalidArgumentError(absl::StrCat("byte ", offset, ": `", NameOf(kind),
                                                     "` nested deeper than ", kMaxMessageDepth,
                                                     " messages"));
    }
    if (static_cast<int64_t>(sizes_.size()) >= kMaxMessages) {
      return absl::InvalidArgumentError(
          absl::StrCat("more than ", kMaxMessages, " nodes, attributes and tensors"));
    }
    const size_t slot = sizes_.size();
    sizes_.push_back(0);
    size_t total = 0;
    WireReader reader(message, offset);
    while (!reader.done()) {
      absl::StatusOr<WireField> field = reader.Next();
      if (!field.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(field.status().message(), ", in `", NameOf(kind), "`"));
      }
      const Message part = MessageIn(kind, field->number);
      if (field->type == WireType::kBytes && part != Message::kOpaque) {
        const size_t part_slot = sizes_.size();
        const size_t header = field->whole.size() - field->content.size();
        if (absl::Status status = Measure(field->content, field->offset + header, part, depth + 1);
            !status.ok()) {
          return status;
        }
        total += HeaderSize(field->number, sizes_[part_slot]) + sizes_[part_slot];
      } else if (IsRawData(kind, *field)) {
        total += HeaderSize(kRawData, kTokenSize) + kTokenSize;
      } else {
        total += field->whole.size();
      }
    }
    sizes_[slot] = total;
    return absl::OkStatus();
  }

  // Writes what `Measure` measured; every field has been checked there.
  void Emit(absl::Span<const uint8_t> message, Message kind, SplicedModel& out) {
    ++next_;
    WireReader reader(message, 0);
    while (!reader.done()) {
      const WireField field = *reader.Next();
      const Message part = MessageIn(kind, field.number);
      if (field.type == WireType::kBytes && part != Message::kOpaque) {
        AppendVarint(Tag(field.number, WireType::kBytes), out.structure);
        AppendVarint(sizes_[next_], out.structure);
        Emit(field.content, part, out);
      } else if (IsRawData(kind, field)) {
        AppendVarint(Tag(kRawData, WireType::kBytes), out.structure);
        AppendVarint(kTokenSize, out.structure);
        const uint64_t index = out.blobs.size();
        char token[kTokenSize];
        std::memcpy(token, &index, kTokenSize);
        out.structure.append(token, kTokenSize);
        out.blobs.push_back(field.content);
      } else {
        out.structure.append(reinterpret_cast<const char*>(field.whole.data()), field.whole.size());
      }
    }
  }

  size_t total() const { return sizes_.front(); }

 private:
  static size_t HeaderSize(uint32_t number, size_t content) {
    return VarintSize(Tag(number, WireType::kBytes)) + VarintSize(content);
  }

  std::vector<size_t> sizes_;  // of messages in the order they begin
  size_t next_ = 0;            // of `Emit` in `sizes_`
};

}  // namespace

absl::StatusOr<absl::Span<const uint8_t>> SplicedModel::Blob(absl::string_view raw_data) const {
  uint64_t index = 0;
  if (raw_data.size() == kTokenSize) {
    std::memcpy(&index, raw_data.data(), kTokenSize);
    if (index < blobs.size()) return blobs[index];
  }
  return absl::InvalidArgumentError("`raw_data` lies outside the messages that may hold tensors");
}

static absl::StatusOr<SplicedModel> Splice(absl::Span<const uint8_t> file, Message kind) {
  Splicer splicer;
  if (absl::Status status = splicer.Measure(file, 0, kind, 0); !status.ok()) return status;
  // Protobuf's own limit for one message.
  if (splicer.total() > static_cast<size_t>(std::numeric_limits<int32_t>::max())) {
    return absl::InvalidArgumentError(absl::StrCat("the file without raw tensor data takes ",
                                                   splicer.total(), " bytes, above 2^31 - 1"));
  }
  SplicedModel out;
  out.structure.reserve(splicer.total());
  splicer.Emit(file, kind, out);
  return out;
}

absl::StatusOr<SplicedModel> SpliceModel(absl::Span<const uint8_t> file) {
  return Splice(file, Message::kModel);
}

absl::StatusOr<SplicedModel> SpliceTensor(absl::Span<const uint8_t> file) {
  return Splice(file, Message::kTensor);
}

}  // namespace tessera::onnx_import
