#include "targets/circle/file/reader.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "support/mapped_file.h"
#include "targets/circle/file/loop_sizes.h"
#include "targets/circle/file/options.h"
#include "targets/circle/file/result_sizes.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

template <class... Parts>
absl::Status Malformed(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

template <class... Parts>
absl::Status NotRead(const Parts&... parts) {
  return absl::UnimplementedError(absl::StrCat(parts...));
}

// The size of a vector that need not be there.
template <class T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

class Reader {
 public:
  Reader(absl::Span<const uint8_t> bytes, std::shared_ptr<const void> owner)
      : bytes_(bytes), owner_(std::move(owner)), budget_(bytes.size() * 8 + (size_t{1} << 20)) {}

  absl::StatusOr<FileModel> Run() {
    if (auto status = CheckBytes(); !status.ok()) return status;
    root_ = ::circle::GetModel(bytes_.data());
    for (auto step :
         {&Reader::ReadRoot, &Reader::ReadGraphs, &Reader::ReadMetadata, &Reader::ReadSignatures}) {
      if (auto status = (this->*step)(); !status.ok()) return status;
    }
    RestoreResultSizes(model_);
    RestoreLoopSizes(model_);
    return std::move(model_);
  }

 private:
  absl::Status CheckBytes() {
    if (reinterpret_cast<uintptr_t>(bytes_.data()) % 16 != 0) {
      return Malformed("the bytes start at an address that is no multiple of 16");
    }
    constexpr size_t kHeader = 8;  // the root's offset and the identifier
    if (bytes_.size() < kHeader) {
      return Malformed("not a Circle file: ", bytes_.size(), " bytes, it begins with ", kHeader);
    }
    if (!::circle::ModelBufferHasIdentifier(bytes_.data())) {
      return Malformed("not a Circle file: bytes 4 to 7 are not `", ::circle::ModelIdentifier(),
                       "`");
    }
    // Nothing of the FlatBuffer itself lies beyond what the verifier takes, only data of buffers.
    const size_t reach = std::min<size_t>(bytes_.size(), kMaxFlatBufferBytes);
    flatbuffers::Verifier verifier(bytes_.data(), reach);
    if (!::circle::VerifyModelBuffer(verifier)) {
      return Malformed("the FlatBuffers verifier refuses the file: truncated or damaged");
    }
    return absl::OkStatus();
  }

  absl::Status ReadRoot() {
    if (root_->version() != 0) return Malformed("version ", root_->version(), ", the format has 0");
    if (SizeOf(root_->buffers()) == 0) return Malformed("no buffers; the first is the empty one");
    const ::circle::Buffer& sentinel = *root_->buffers()->Get(0);
    if (SizeOf(sentinel.data()) != 0 || sentinel.offset() > 1 || sentinel.size() > 1) {
      return Malformed("buffer 0 holds data; it is the empty one");
    }
    if (SizeOf(root_->subgraphs()) == 0) return Malformed("no subgraph");
    return Copy(root_->description(), model_.description);
  }

  absl::Status ReadGraphs() {
    const size_t count = root_->subgraphs()->size();
    if (auto status = Charge(count * sizeof(FileGraph)); !status.ok()) return status;
    model_.graphs.resize(count);
    for (size_t i = 0; i < count; ++i) {
      const ::circle::SubGraph& table = *root_->subgraphs()->Get(static_cast<uint32_t>(i));
      FileGraph& graph = model_.graphs[i];
      absl::Status status = Copy(table.name(), graph.name);
      if (status.ok()) status = ReadTensors(table, graph);
      if (status.ok()) status = ReadInterface(table, graph);
      if (status.ok()) status = ReadOperators(table, graph);
      if (!status.ok())
        return absl::Status(status.code(), absl::StrCat(GraphPlace(model_, i), status.message()));
    }
    return absl::OkStatus();
  }

  absl::Status ReadTensors(const ::circle::SubGraph& from, FileGraph& graph) {
    const size_t count = SizeOf(from.tensors());
    if (auto status = Charge(count * sizeof(FileTensor) / 8); !status.ok()) return status;
    graph.tensors.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      FileTensor& tensor = graph.tensors.emplace_back();
      const ::circle::Tensor& table = *from.tensors()->Get(static_cast<uint32_t>(i));
      if (auto status = ReadTensor(table, tensor); !status.ok()) {
        return absl::Status(
            status.code(),
            absl::StrCat(TensorPlace(graph, graph.tensors.size() - 1), ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadTensor(const ::circle::Tensor& table, FileTensor& tensor) {
    if (auto status = Copy(table.name(), tensor.name); !status.ok()) return status;
    tensor.type = table.type();
    tensor.is_variable = table.is_variable();
    if (::circle::EnumNameTensorType(tensor.type)[0] == '\0') {
      return Malformed("type ", static_cast<int>(tensor.type), " is none of the format");
    }
    if (auto status = ReadShape(table, tensor); !status.ok()) return status;
    if (table.sparsity() != nullptr) return NotRead("sparse");
    if (SizeOf(table.variant_tensors()) != 0) return NotRead("a tensor of tensors");
    if (table.compression_type() != ::circle::CompressionType_NONE) return NotRead("compressed");
    if (table.quantization() != nullptr) {
      if (auto status = ReadQuantization(*table.quantization(), tensor); !status.ok())
        return status;
    }
    if (table.buffer() == 0) return absl::OkStatus();
    bool present = false;
    if (auto status = ReadBuffer(table.buffer(), tensor.data, present); !status.ok()) return status;
    // Others give each activation a buffer, without data or with none in it.
    const bool empty = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
    tensor.is_constant = present && (empty || !tensor.data.empty());
    if (tensor.is_constant) tensor.owner = owner_;
    return absl::OkStatus();
  }

  absl::Status ReadShape(const ::circle::Tensor& table, FileTensor& tensor) {
    if (auto status = Copy(table.shape(), tensor.shape); !status.ok()) return status;
    for (int64_t dim : tensor.shape) {
      if (dim < 0) return Malformed("dim ", dim, " in `shape`, where an unknown one is 1");
    }
    if (table.shape_signature() == nullptr) return absl::OkStatus();
    std::vector<int64_t> signature;
    if (auto status = Copy(table.shape_signature(), signature); !status.ok()) return status;
    if (signature.size() != tensor.shape.size() || signature.empty()) {
      return Malformed("`shape_signature` of rank ", signature.size(), " beside `shape` of rank ",
                       tensor.shape.size());
    }
    for (size_t i = 0; i < signature.size(); ++i) {
      if (signature[i] != (signature[i] == -1 && tensor.shape[i] == 1 ? -1 : tensor.shape[i])) {
        return Malformed("dim ", i, " is ", tensor.shape[i], " in `shape` and ", signature[i],
                         " in `shape_signature`; they are equal, or 1 and -1");
      }
    }
    tensor.shape = std::move(signature);
    return absl::OkStatus();
  }

  absl::Status ReadQuantization(const ::circle::QuantizationParameters& table, FileTensor& tensor) {
    if (table.details_type() != ::circle::QuantizationDetails_NONE) {
      return NotRead("quantized other than by scale and zero point");
    }
    FileQuantization quantization;
    quantization.axis = table.quantized_dimension();
    for (const auto& [from, to] :
         {std::pair(table.min(), &quantization.min), std::pair(table.max(), &quantization.max),
          std::pair(table.scale(), &quantization.scale)}) {
      if (auto status = Copy(from, *to); !status.ok()) return status;
    }
    if (auto status = Copy(table.zero_point(), quantization.zero_point); !status.ok())
      return status;
    const bool empty = quantization.min.empty() && quantization.max.empty() &&
                       quantization.scale.empty() && quantization.zero_point.empty();
    if (!empty) tensor.quantization = std::move(quantization);
    return absl::OkStatus();
  }

  // `present`: the buffer has data, be it of no bytes.
  absl::Status ReadBuffer(uint32_t index, absl::Span<const uint8_t>& data, bool& present) {
    const size_t count = root_->buffers()->size();
    if (index >= count) return Malformed("buffer ", index, "; the file has ", count);
    const ::circle::Buffer& buffer = *root_->buffers()->Get(index);
    present = true;
    if (buffer.offset() > 1) {
      if (buffer.data() != nullptr) return Malformed("buffer ", index, ": data in two places");
      if (buffer.offset() > bytes_.size() || buffer.size() > bytes_.size() - buffer.offset()) {
        return Malformed("buffer ", index, ": ", buffer.size(), " bytes from ", buffer.offset(),
                         " on; the file has ", bytes_.size());
      }
      data = bytes_.subspan(buffer.offset(), buffer.size());
    } else if (buffer.data() != nullptr) {
      data = absl::MakeConstSpan(buffer.data()->data(), buffer.data()->size());
    } else {
      present = false;
    }
    return absl::OkStatus();
  }

  absl::Status ReadInterface(const ::circle::SubGraph& from, FileGraph& graph) {
    if (auto status = Copy(from.inputs(), graph.inputs); !status.ok()) return status;
    if (auto status = Copy(from.outputs(), graph.outputs); !status.ok()) return status;
    for (const auto* side : {&graph.inputs, &graph.outputs}) {
      if (auto status = CheckTensors(graph, *side, /*or_none=*/false); !status.ok()) {
        return Malformed(&graph == &model_.main() ? "model " : "",
                         side == &graph.inputs ? "inputs: " : "outputs: ", status.message());
      }
    }
    return absl::OkStatus();
  }

  static absl::Status CheckTensors(const FileGraph& graph, const std::vector<int32_t>& list,
                                   bool or_none) {
    for (int32_t tensor : list) {
      if (or_none && tensor == -1) continue;
      if (tensor < 0 || static_cast<size_t>(tensor) >= graph.tensors.size())
        return Malformed("tensor ", tensor, "; the graph has ", graph.tensors.size());
    }
    return absl::OkStatus();
  }

  absl::Status ReadOperators(const ::circle::SubGraph& from, FileGraph& graph) {
    const size_t count = SizeOf(from.operators());
    if (auto status = Charge(count * sizeof(FileOperator) / 8); !status.ok()) return status;
    graph.operators.reserve(count);
    for (size_t i = 0; i < count; ++i) {
      FileOperator& op = graph.operators.emplace_back();
      const ::circle::Operator& table = *from.operators()->Get(static_cast<uint32_t>(i));
      if (auto status = ReadCode(table.opcode_index(), op); !status.ok()) {
        return Malformed("operator ", i, ": ", status.message());
      }
      if (auto status = ReadOperator(table, graph, op); !status.ok()) {
        return absl::Status(
            status.code(),
            absl::StrCat(OperatorPlace(graph, static_cast<int64_t>(i)), ": ", status.message()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status ReadCode(uint32_t index, FileOperator& op) {
    if (index >= SizeOf(root_->operator_codes())) {
      return Malformed("operator code ", index, "; the file has ", SizeOf(root_->operator_codes()));
    }
    const ::circle::OperatorCode& code = *root_->operator_codes()->Get(index);
    const int32_t narrow = code.deprecated_builtin_code();
    const int32_t wide = code.builtin_code();
    constexpr int32_t kInWide = ::circle::BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES;
    // Older files fill the narrow field only. Readers differ on which counts where both are filled.
    op.builtin_code = narrow == kInWide ? wide : narrow;
    if (wide != 0 && wide != op.builtin_code) {
      return Malformed("operator code ", index, ": ", narrow, " and ", wide, " in its two fields");
    }
    if (OperatorName(op.builtin_code).empty() || op.builtin_code == kInWide) {
      return Malformed("operator code ", index, ": ", op.builtin_code, " is none of the format");
    }
    op.version = code.version();
    return Copy(code.custom_code(), op.custom_code);
  }

  absl::Status ReadOperator(const ::circle::Operator& table, const FileGraph& graph,
                            FileOperator& op) {
    if (auto status = Copy(table.inputs(), op.inputs); !status.ok()) return status;
    if (auto status = Copy(table.outputs(), op.outputs); !status.ok()) return status;
    if (auto status = CheckTensors(graph, op.inputs, /*or_none=*/true); !status.ok()) return status;
    if (auto status = CheckTensors(graph, op.outputs, /*or_none=*/false); !status.ok())
      return status;
    if (table.large_custom_options_offset() > 1) return NotRead("custom options behind the file");
    if (SizeOf(table.intermediates()) != 0) return NotRead("intermediates");
    if (const auto* custom = table.custom_options(); custom != nullptr) {
      if (auto status = Charge(custom->size()); !status.ok()) return status;
      op.custom_options.assign(custom->begin(), custom->end());
    }
    const int first = table.builtin_options_type(), second = table.builtin_options_2_type();
    if (first != 0 && second != 0) return Malformed("options in both unions");
    if (second != 0) return ReadOptionsOf("BuiltinOptions2", second, table.builtin_options_2(), op);
    if (first != 0) return ReadOptionsOf("BuiltinOptions", first, table.builtin_options(), op);
    return absl::OkStatus();
  }

  absl::Status ReadOptionsOf(absl::string_view options, int ordinal, const void* bytes,
                             FileOperator& op) {
    op.options_table = std::string(MemberName(*FindEnum(options), ordinal));
    if (op.options_table.empty())
      return Malformed("options ", ordinal, " are none of `", options, "`");
    if (bytes == nullptr) return Malformed("no options, of type `", op.options_table, "`");
    const auto& table = *static_cast<const flatbuffers::Table*>(bytes);
    if (auto status = Charge(VariableBytes(op.options_table, table)); !status.ok()) return status;
    absl::StatusOr<std::vector<NamedOption>> read = ReadOptions(op.options_table, table);
    if (read.ok()) op.options = *std::move(read);
    return read.status();
  }

  absl::Status ReadMetadata() {
    for (size_t i = 0; i < SizeOf(root_->metadata()); ++i) {
      const ::circle::Metadata& entry = *root_->metadata()->Get(static_cast<uint32_t>(i));
      std::string name;
      absl::Span<const uint8_t> data;
      bool present = false;
      if (auto status = Copy(entry.name(), name); !status.ok()) return status;
      if (auto status = ReadBuffer(entry.buffer(), data, present); !status.ok()) {
        return Malformed("metadata ", i, ": ", status.message());
      }
      if (auto status = Charge(data.size()); !status.ok()) return status;
      const bool is_new =
          model_.metadata.emplace(std::move(name), std::string(data.begin(), data.end())).second;
      if (!is_new) return Malformed("metadata ", i, ": the name of one before it");
    }
    return absl::OkStatus();
  }

  absl::Status ReadSignatures() {
    for (size_t i = 0; i < SizeOf(root_->signature_defs()); ++i) {
      const ::circle::SignatureDef& table = *root_->signature_defs()->Get(static_cast<uint32_t>(i));
      FileSignature& signature = model_.signatures.emplace_back();
      if (table.subgraph_index() != 0) return Malformed("signature ", i, ": of another subgraph");
      if (auto status = Copy(table.signature_key(), signature.key); !status.ok()) return status;
      for (const auto& [from, to] : {std::pair(table.inputs(), &signature.inputs),
                                     std::pair(table.outputs(), &signature.outputs)}) {
        for (size_t j = 0; j < SizeOf(from); ++j) {
          const ::circle::TensorMap& entry = *from->Get(static_cast<uint32_t>(j));
          auto& [name, tensor] = to->emplace_back();
          if (auto status = Copy(entry.name(), name); !status.ok()) return status;
          if (entry.tensor_index() >= model_.main().tensors.size()) {
            return Malformed("signature ", i, ": tensor ", entry.tensor_index(), "; the graph has ",
                             model_.main().tensors.size());
          }
          tensor = static_cast<int32_t>(entry.tensor_index());
        }
      }
    }
    return absl::OkStatus();
  }

  // A small file can refer to one long string a million times; ours would hold a million copies.
  absl::Status Charge(size_t bytes) {
    if (bytes > budget_) return Malformed("what the file holds is far larger than the file");
    budget_ -= bytes;
    return absl::OkStatus();
  }

  absl::Status Copy(const flatbuffers::String* from, std::string& to) {
    if (from == nullptr) return absl::OkStatus();
    if (auto status = Charge(from->size()); !status.ok()) return status;
    to = from->str();
    return absl::OkStatus();
  }

  template <class From, class To>
  absl::Status Copy(const flatbuffers::Vector<From>* from, std::vector<To>& to) {
    if (from == nullptr) return absl::OkStatus();
    if (auto status = Charge(from->size() * sizeof(To)); !status.ok()) return status;
    to.assign(from->begin(), from->end());
    return absl::OkStatus();
  }

  const absl::Span<const uint8_t> bytes_;
  const std::shared_ptr<const void> owner_;
  size_t budget_;  // bytes of strings and vectors that may still be copied
  const ::circle::Model* root_ = nullptr;
  FileModel model_;
};

}  // namespace

absl::StatusOr<FileModel> ReadCircle(absl::Span<const uint8_t> bytes,
                                     std::shared_ptr<const void> owner) {
  return Reader(bytes, std::move(owner)).Run();
}

absl::StatusOr<FileModel> ReadCircleFile(const std::string& path) {
  const absl::StatusOr<support::MappedFile> file = support::MapFile(path);
  if (!file.ok()) return file.status();
  absl::StatusOr<FileModel> model = ReadCircle(file->bytes, file->owner);
  if (model.ok()) return model;
  return absl::Status(model.status().code(),
                      absl::StrCat("`", path, "`: ", model.status().message()));
}

absl::Status VerifyCircle(absl::Span<const uint8_t> bytes, std::vector<std::string>* warnings) {
  const absl::StatusOr<FileModel> model = ReadCircle(bytes, nullptr);
  if (!model.ok()) return model.status();
  const std::vector<Finding> findings = CheckCircle(*model);
  for (const Finding& finding : findings) {
    if (warnings != nullptr && !finding.is_error) warnings->push_back(finding.text);
  }
  return ErrorsOf(findings);
}

}  // namespace tessera::circle
