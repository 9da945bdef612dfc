#include "targets/circle/file/writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/hash/hash.h"
#include "flatbuffers/flatbuffers.h"
#include "support/file.h"
#include "targets/circle/file/check.h"
#include "targets/circle/file/options.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using support::ByteRun;

constexpr int64_t kDataAlignment = 16;  // of Buffer.data in the schema, hence of files
constexpr uint32_t kPlaceholder = 1;    // of offsets that are known only at the end; not a default

// The contents of the file's buffers, identical ones once. Buffer 0 is the empty one.
class BufferTable {
 public:
  uint32_t Add(ByteRun bytes) {
    std::vector<uint32_t>& same_sample = by_sample_[Sample(bytes)];
    for (uint32_t index : same_sample) {
      if (contents_[index - 1] == bytes) return index;
    }
    same_sample.push_back(AddUnseen(bytes));
    return same_sample.back();
  }

  // What takes its time to be made is like nothing else.
  uint32_t AddUnseen(ByteRun bytes) {
    contents_.push_back(bytes);
    return static_cast<uint32_t>(contents_.size());
  }

  // From buffer 1 on.
  const std::vector<ByteRun>& contents() const { return contents_; }

 private:
  // Large contents are told apart by a few of their bytes: hashing them whole would cost as much as
  // writing them. Those that agree in them are compared.
  static uint64_t Sample(const ByteRun& bytes) {
    constexpr size_t kWhole = 4096, kPart = 64, kParts = 16;
    std::array<uint8_t, kWhole> part;
    const auto read = [&](size_t begin, size_t size) {
      bytes.Read(begin, absl::MakeSpan(part).first(size));
      return absl::string_view(reinterpret_cast<const char*>(part.data()), size);
    };
    if (bytes.size() <= kWhole) return absl::HashOf(read(0, bytes.size()));
    uint64_t hash = bytes.size();
    for (size_t i = 0; i < kParts; ++i)
      hash = absl::HashOf(hash, read((bytes.size() - kPart) / (kParts - 1) * i, kPart));
    bytes.Forget();
    return hash;
  }

  absl::flat_hash_map<uint64_t, std::vector<uint32_t>> by_sample_;
  std::vector<ByteRun> contents_;
};

// Writes everything but the contents of buffers, which follow behind what the builder makes: it
// builds back to front, and so would have to be given them first, and copy them.
class Writer {
 public:
  Writer(const FileModel& model, int64_t max_flatbuffer_bytes)
      : model_(model), max_flatbuffer_bytes_(max_flatbuffer_bytes) {}

  absl::StatusOr<SerializedCircle> Run() {
    for (const FileGraph& graph : model_.graphs) {
      std::vector<uint32_t>& places = tensor_buffers_.emplace_back();
      for (const FileTensor& tensor : graph.tensors)
        places.push_back(tensor.is_constant ? buffers_.Add(tensor.contents()) : 0);
    }
    for (const auto& [name, bytes] : model_.metadata) metadata_buffers_[name] = buffers_.Add(bytes);
    for (const auto& [name, late] : model_.late_metadata)
      metadata_buffers_[name] = buffers_.AddUnseen(ByteRun(*late.first, late.second));
    // A bound of what lies ahead of the contents; exactness does not matter at 2^31.
    BuildModel(/*outside=*/false);
    int64_t total = builder_.GetSize();
    for (const ByteRun& bytes : buffers_.contents()) {
      total += static_cast<int64_t>(bytes.size()) + 2 * kDataAlignment;
    }
    const bool outside = total > max_flatbuffer_bytes_;
    if (outside) {
      builder_.Clear();
      BuildModel(/*outside=*/true);
    }
    return Assemble(outside);
  }

 private:
  void BuildModel(bool outside) {
    // In the order of their use, each kind of operator once.
    Codes codes;
    std::vector<Offset<::circle::SubGraph>> graph_list;
    for (size_t i = 0; i < model_.graphs.size(); ++i)
      graph_list.push_back(BuildGraph(model_.graphs[i], tensor_buffers_[i], codes));
    const auto graphs = builder_.CreateVector(graph_list);
    const auto buffers = BuildBuffers(outside);
    std::vector<Offset<::circle::Metadata>> metadata;
    for (const auto& [name, buffer] : metadata_buffers_)
      metadata.push_back(::circle::CreateMetadata(builder_, builder_.CreateString(name), buffer));
    std::vector<Offset<::circle::SignatureDef>> signatures;
    for (const FileSignature& signature : model_.signatures) {
      signatures.push_back(BuildSignature(signature));
    }
    const auto code_list = builder_.CreateVector(codes.list);
    const auto description = builder_.CreateString(model_.description);
    const auto metadata_list = metadata.empty() ? 0 : builder_.CreateVector(metadata);
    const auto signature_list = signatures.empty() ? 0 : builder_.CreateVector(signatures);
    ::circle::ModelBuilder root(builder_);
    // Version 0 is stored although it is the default, so that it can be changed in place.
    builder_.ForceDefaults(true);
    root.add_version(0);
    builder_.ForceDefaults(false);
    root.add_operator_codes(code_list);
    root.add_subgraphs(graphs);
    root.add_description(description);
    root.add_buffers(buffers);
    root.add_metadata(metadata_list);
    root.add_signature_defs(signature_list);
    ::circle::FinishModelBuffer(builder_, root.Finish());
  }

  struct Codes {
    std::vector<Offset<::circle::OperatorCode>> list;
    absl::flat_hash_map<std::tuple<int32_t, int32_t, absl::string_view>, uint32_t> indices;
  };

  Offset<::circle::SubGraph> BuildGraph(const FileGraph& graph,
                                        const std::vector<uint32_t>& buffers, Codes& codes) {
    std::vector<uint32_t> code_of;
    for (const FileOperator& op : graph.operators) {
      const auto [entry, is_new] = codes.indices.emplace(
          std::tuple(op.builtin_code, op.version, absl::string_view(op.custom_code)),
          codes.list.size());
      if (is_new) codes.list.push_back(BuildCode(op));
      code_of.push_back(entry->second);
    }
    std::vector<Offset<::circle::Tensor>> tensors;
    for (size_t i = 0; i < graph.tensors.size(); ++i)
      tensors.push_back(BuildTensor(graph.tensors[i], buffers[i]));
    std::vector<Offset<::circle::Operator>> operators;
    for (size_t i = 0; i < graph.operators.size(); ++i)
      operators.push_back(BuildOperator(graph.operators[i], code_of[i]));
    return ::circle::CreateSubGraph(
        builder_, builder_.CreateVector(tensors), builder_.CreateVector(graph.inputs),
        builder_.CreateVector(graph.outputs), builder_.CreateVector(operators),
        builder_.CreateString(graph.name));
  }

  Offset<::circle::OperatorCode> BuildCode(const FileOperator& op) {
    const auto custom = op.custom_code.empty() ? 0 : builder_.CreateString(op.custom_code);
    const int32_t narrow = std::min<int32_t>(
        op.builtin_code, ::circle::BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES);
    return ::circle::CreateOperatorCode(builder_, static_cast<int8_t>(narrow), custom, op.version,
                                        static_cast<::circle::BuiltinOperator>(op.builtin_code));
  }

  Offset<::circle::Tensor> BuildTensor(const FileTensor& tensor, uint32_t buffer) {
    std::vector<int32_t> signature(tensor.shape.begin(), tensor.shape.end());
    std::vector<int32_t> shape = signature;
    std::replace(shape.begin(), shape.end(), -1, 1);
    const auto shape_list = builder_.CreateVector(shape);
    const auto signature_list =
        shape == signature || tensor.sizes_kept_back ? 0 : builder_.CreateVector(signature);
    const auto name = builder_.CreateString(tensor.name);
    Offset<::circle::QuantizationParameters> quantization;
    if (tensor.quantization) quantization = BuildQuantization(*tensor.quantization);
    ::circle::TensorBuilder table(builder_);
    table.add_shape(shape_list);
    table.add_shape_signature(signature_list);
    table.add_name(name);
    table.add_quantization(quantization);
    table.add_buffer(buffer);
    table.add_type(tensor.type);
    table.add_is_variable(tensor.is_variable);
    return table.Finish();
  }

  Offset<::circle::QuantizationParameters> BuildQuantization(const FileQuantization& record) {
    const auto list = [&](const auto& values) {
      return values.empty() ? decltype(builder_.CreateVector(values))()
                            : builder_.CreateVector(values);
    };
    const auto min = list(record.min), max = list(record.max), scale = list(record.scale);
    const auto zero_point = list(record.zero_point);
    return ::circle::CreateQuantizationParameters(
        builder_, min, max, scale, zero_point, ::circle::QuantizationDetails_NONE, 0, record.axis);
  }

  Offset<::circle::Operator> BuildOperator(const FileOperator& op, uint32_t code) {
    const auto inputs = builder_.CreateVector(op.inputs);
    const auto outputs = builder_.CreateVector(op.outputs);
    const auto place = FindOptionsPlace(op.options_table);
    const auto options = place ? BuildOptions(op.options_table, op.options, builder_) : 0;
    const auto custom =
        op.custom_options.empty()
            ? 0
            : builder_.CreateVector(reinterpret_cast<const uint8_t*>(op.custom_options.data()),
                                    op.custom_options.size());
    ::circle::OperatorBuilder table(builder_);
    table.add_opcode_index(code);
    table.add_inputs(inputs);
    table.add_outputs(outputs);
    table.add_custom_options(custom);
    if (place && place->second_union) {
      table.add_builtin_options_2(options);
      table.add_builtin_options_2_type(static_cast<::circle::BuiltinOptions2>(place->ordinal));
    } else if (place) {
      table.add_builtin_options(options);
      table.add_builtin_options_type(static_cast<::circle::BuiltinOptions>(place->ordinal));
    }
    return table.Finish();
  }

  Offset<::circle::SignatureDef> BuildSignature(const FileSignature& signature) {
    const auto list = [&](const std::vector<std::pair<std::string, int32_t>>& side) {
      std::vector<Offset<::circle::TensorMap>> entries;
      for (const auto& [name, tensor] : side) {
        entries.push_back(::circle::CreateTensorMap(builder_, builder_.CreateString(name),
                                                    static_cast<uint32_t>(tensor)));
      }
      return builder_.CreateVector(entries);
    };
    const auto inputs = list(signature.inputs), outputs = list(signature.outputs);
    return ::circle::CreateSignatureDef(builder_, inputs, outputs,
                                        builder_.CreateString(signature.key));
  }

  // Readers take an offset and a size of 1 for none, so what is short stays inside.
  static bool IsInside(bool outside, const ByteRun& contents) {
    constexpr size_t kShort = 64;
    return !outside || contents.size() <= kShort;
  }

  // Tables whose `data`, or `offset` and `size`, `Assemble` fills in.
  Offset<flatbuffers::Vector<Offset<::circle::Buffer>>> BuildBuffers(bool outside) {
    std::vector<Offset<::circle::Buffer>> buffers{::circle::CreateBuffer(builder_)};
    for (const ByteRun& contents : buffers_.contents()) {
      const auto start = builder_.StartTable();
      if (IsInside(outside, contents)) {
        // An offset, stored as the 32-bit number that it is.
        builder_.AddElement<uint32_t>(::circle::Buffer::VT_DATA, kPlaceholder, 0);
      } else {
        builder_.AddElement<uint64_t>(::circle::Buffer::VT_OFFSET, kPlaceholder, 0);
        builder_.AddElement<uint64_t>(::circle::Buffer::VT_SIZE, kPlaceholder, 0);
      }
      buffers.emplace_back(builder_.EndTable(start));
    }
    return builder_.CreateVector(buffers);
  }

  // The head, then what belongs to the FlatBuffer, then what lies behind it.
  SerializedCircle Assemble(bool outside) {
    SerializedCircle file;
    const auto& contents = buffers_.contents();
    file.storage.reserve(contents.size() + 1);  // runs point into it
    std::string& head = file.storage.emplace_back(
        reinterpret_cast<const char*>(builder_.GetBufferPointer()), builder_.GetSize());
    file.runs.push_back(head);
    file.size = static_cast<int64_t>(head.size());
    for (bool inside : {true, false}) {
      for (size_t i = 0; i < contents.size(); ++i) {
        if (IsInside(outside, contents[i]) == inside) Append(i, inside, head, file);
      }
    }
    return file;
  }

  // Padding, inside the length, and the contents; and tells the table in `head` where they are.
  void Append(size_t index, bool inside, std::string& head, SerializedCircle& file) {
    const ByteRun& contents = buffers_.contents()[index];
    const uint32_t length = static_cast<uint32_t>(contents.size());
    const int64_t prefix = inside ? sizeof length : 0;
    const int64_t data =
        (file.size + prefix + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
    std::string& seam = file.storage.emplace_back(data - file.size, '\0');
    const auto& table = *reinterpret_cast<const flatbuffers::Table*>(
        ::circle::GetModel(head.data())->buffers()->Get(static_cast<uint32_t>(index) + 1));
    const auto place = [&](flatbuffers::voffset_t field) {
      return reinterpret_cast<const char*>(table.GetAddressOf(field)) - head.data();
    };
    if (inside) {
      const uint32_t stored = flatbuffers::EndianScalar(length);
      std::memcpy(&seam[seam.size() - sizeof stored], &stored, sizeof stored);
      const int64_t field = place(::circle::Buffer::VT_DATA);
      flatbuffers::WriteScalar(&head[field], static_cast<uint32_t>(data - prefix - field));
    } else {
      flatbuffers::WriteScalar(&head[place(::circle::Buffer::VT_OFFSET)],
                               static_cast<uint64_t>(data));
      flatbuffers::WriteScalar(&head[place(::circle::Buffer::VT_SIZE)], uint64_t{contents.size()});
    }
    file.runs.push_back(seam);
    file.runs.push_back(contents);
    file.size = data + static_cast<int64_t>(contents.size());
  }

  const FileModel& model_;
  const int64_t max_flatbuffer_bytes_;
  FlatBufferBuilder builder_;
  BufferTable buffers_;
  std::vector<std::vector<uint32_t>> tensor_buffers_;  // by graph
  std::map<std::string, uint32_t> metadata_buffers_;   // by name
};

}  // namespace

std::string SerializedCircle::Join() const { return support::Join(runs); }

absl::StatusOr<SerializedCircle> SerializeCircle(const FileModel& model,
                                                 int64_t max_flatbuffer_bytes) {
  if (auto status = ErrorsOf(CheckCircle(model)); !status.ok()) return status;
  return Writer(model, max_flatbuffer_bytes).Run();
}

absl::StatusOr<std::string> WriteCircle(const FileModel& model) {
  const absl::StatusOr<SerializedCircle> file = SerializeCircle(model);
  if (!file.ok()) return file.status();
  return file->Join();
}

absl::Status WriteCircleFile(const FileModel& model, const std::string& path) {
  const absl::StatusOr<SerializedCircle> file = SerializeCircle(model);
  if (!file.ok()) return file.status();
  return support::WriteFileFromRuns(path, file->runs);
}

}  // namespace tessera::circle
