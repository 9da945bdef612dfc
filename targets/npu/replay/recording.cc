#include "targets/npu/replay/recording.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/npu/replay/json_place.h"

namespace tessera::npu {
namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
constexpr int64_t kMostBytes = int64_t{1} << 30;
constexpr size_t kMostRank = 8;

// The generator of the recordings, in uint64 with wraparound.
uint64_t SplitMix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

std::optional<DataType> TypeOf(const std::string& name) {
  if (name == "int8") return DataType::kInt8;
  if (name == "int16") return DataType::kInt16;
  if (name == "int32") return DataType::kInt32;
  if (name == "compound_bias") return DataType::kCompoundBias;
  if (name == "pwl_segment") return DataType::kPwlSegment;
  if (name == "weight_scale_factor") return DataType::kWeightScaleFactor;
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(absl::Status& status) : status_(status) {}

  Recording Read(const JsonPlace& root);

 private:
  bool ok() const { return status_.ok(); }
  void ReadTensor(const JsonPlace& json, Operand& operand);
  ir::Tensor Bytes(int64_t count, const JsonPlace& json);
  ir::Tensor Generated(const JsonPlace& json, const Operand& operand, int64_t count);
  Operand ReadOperand(const JsonPlace& json);
  void ReadParameters(const JsonPlace& json, Operation& operation);
  void Connect(const JsonPlace& json, const Model& model, Operand& operand);
  Operation ReadOperation(const JsonPlace& json, const Model& before);
  RecordedError ReadError(const JsonPlace& json);

  absl::Status& status_;
  int64_t bytes_ = 0;
};

int64_t ElementCount(const Operand& operand) {
  int64_t count = 1;
  // Sizes are below 2^31: the product stays within 2^62 where the check is made at each step.
  for (int64_t size : operand.shape) count = std::min(count * size, kMostBytes + 1);
  return count;
}

ir::Tensor Reader::Bytes(int64_t count, const JsonPlace& json) {
  bytes_ += count;
  if (bytes_ > kMostBytes) {
    json.Fail(absl::StrCat("makes more than ", kMostBytes, " bytes of the model"));
    return {};
  }
  absl::StatusOr<ir::Tensor> tensor = ir::Tensor::Allocate(ir::DType::kU8, {count});
  if (!tensor.ok()) json.Fail(std::string(tensor.status().message()));
  return tensor.ok() ? *std::move(tensor) : ir::Tensor();
}

ir::Tensor Reader::Generated(const JsonPlace& json, const Operand& operand, int64_t count) {
  if (const std::string name = json.At("generator").Text(); name != "splitmix64")
    json.Fail(absl::StrCat("names the generator `", name, "`, there is `splitmix64`"));
  const uint64_t seed = json.At("seed").Unsigned();
  const int64_t low = json.At("lo").Integer(-kMost - 1, kMost);
  const int64_t high = json.At("hi").Integer(-kMost - 1, kMost);
  if (low > high) json.Fail("has `lo` above `hi`");
  const int64_t size = SizeOf(operand.type);
  if (size > 4) json.Fail("is of records, which the generator does not make");
  ir::Tensor tensor = Bytes(count * size, json);
  if (!ok()) return tensor;
  uint8_t* out = tensor.mutable_data<uint8_t>();
  for (int64_t i = 0; i < count; ++i) {
    const int64_t element = low + static_cast<int64_t>(SplitMix64(seed + static_cast<uint64_t>(i)) %
                                                       static_cast<uint64_t>(high - low + 1));
    // Little-endian, the low bytes.
    std::memcpy(out + i * size, &element, static_cast<size_t>(size));
  }
  return tensor;
}

// `shape`, `type`, and the elements, if they are there.
void Reader::ReadTensor(const JsonPlace& json, Operand& operand) {
  operand.mode = Mode::kDefault;
  operand.shape = json.At("shape").Integers(0, kMost);
  if (operand.shape.size() > kMostRank)
    json.Fail(absl::StrCat("has more than ", kMostRank, " axes"));
  const std::string name = json.At("type").Text();
  const std::optional<DataType> type = TypeOf(name);
  if (!type) json.Fail(absl::StrCat("is of the type `", name, "`, which there is not"));
  operand.type = type.value_or(DataType::kInt16);
  if (!ok()) return;
  const int64_t count = ElementCount(operand);
  if (json.Has("data_generator")) {
    operand.data = Generated(json.At("data_generator"), operand, count);
  } else if (json.Has("data_base64")) {
    std::string bytes;
    if (!absl::Base64Unescape(json.At("data_base64").Text(), &bytes)) {
      json.At("data_base64").Fail("is no Base64");
    } else if (static_cast<int64_t>(bytes.size()) != count * SizeOf(operand.type)) {
      json.Fail(absl::StrCat("has ", bytes.size(), " bytes of data, its shape [",
                             absl::StrJoin(operand.shape, ","), "] of ", name, " has ",
                             count * SizeOf(operand.type)));
    } else {
      operand.data = Bytes(static_cast<int64_t>(bytes.size()), json);
      if (ok() && !bytes.empty())
        std::memcpy(operand.data->mutable_data<uint8_t>(), bytes.data(), bytes.size());
    }
  }
}

Operand Reader::ReadOperand(const JsonPlace& json) {
  Operand operand;
  const std::string mode = json.At("mode").Text();
  if (mode == "absent") return operand;
  operand.mode = Mode::kDisabled;
  if (mode == "disabled") return operand;
  if (mode != "default") json.Fail(absl::StrCat("is of the mode `", mode, "`, which there is not"));
  ReadTensor(json, operand);
  if (json.Has("layout")) operand.layout = json.At("layout").Text();
  if (json.Has("address_modulo_64")) operand.address = json.At("address_modulo_64").Integer(0, 63);
  return operand;
}

void Reader::ReadParameters(const JsonPlace& json, Operation& operation) {
  struct Name {
    const char* name;
    int64_t number;
  };
  static constexpr Name kBiasModes[] = {
      {"default", kBiasDefault}, {"per_stride", kBiasPerStride}, {"grouping", kBiasGrouping}};
  static constexpr Name kPoolingModes[] = {
      {"disabled", kPoolingDisabled}, {"max", kPoolingMax}, {"sum", kPoolingSum}};
  for (const auto& [name, value] : json.Members()) {
    if (name == "initial_feedback" && operation.type == OperationType::kRecurrent) {
      operation.feedback.emplace();
      ReadTensor(value, *operation.feedback);
      if (ok() && !operation.feedback->data.has_value()) value.Fail("lacks its data");
      continue;
    }
    if (ParameterIndex(operation.type, name) < 0) {
      json.Fail(absl::StrCat("has `", name, "`, which is no parameter of the operation"));
      return;
    }
    Parameter parameter;
    if (value.IsText()) {
      const std::string mode = value.Text();
      for (const Name& entry :
           name == "bias_mode" ? absl::MakeSpan(kBiasModes) : absl::MakeSpan(kPoolingModes)) {
        if (mode == entry.name) parameter = {entry.number};
      }
      if (parameter.empty() || (name != "bias_mode" && name != "pooling_mode"))
        value.Fail(absl::StrCat("is `", mode, "`, which there is not"));
    } else if (value.IsList()) {
      parameter = value.Integers(0, kMost);
      if (parameter.size() > kMostRank)
        value.Fail(absl::StrCat("has more than ", kMostRank, " axes"));
    } else {
      if (name == "bias_mode" || name == "pooling_mode") value.Fail("is no name of a mode");
      parameter = {value.Integer(-kMost - 1, kMost)};
    }
    operation.parameters[name] = std::move(parameter);
  }
}

// The memory of an earlier result: as many bytes, of the same type.
void Reader::Connect(const JsonPlace& json, const Model& before, Operand& operand) {
  const std::vector<int64_t> from = json.Integers(0, kMost);
  if (!ok()) return;
  if (from.size() != 2 || from[1] != kOutput ||
      from[0] >= static_cast<int64_t>(before.operations.size()))
    return json.Fail("is not `[operation, 1]` with an operation before this one");
  const Operand& source = before.operations[static_cast<size_t>(from[0])].operand(kOutput);
  if (source.type != operand.type || ElementCount(source) != ElementCount(operand))
    return json.Fail(absl::StrCat("is ", ElementCount(source), " elements of ", NameOf(source.type),
                                  ", the operand is ", ElementCount(operand), " of ",
                                  NameOf(operand.type)));
  operand.from = from[0];
}

Operation Reader::ReadOperation(const JsonPlace& json, const Model& before) {
  Operation operation;
  const std::string type = json.At("type").Text();
  const OperationFacts* facts = FindOperation(type);
  if (facts == nullptr) {
    json.Fail(absl::StrCat("is of the type `", type, "`, which there is not"));
    return operation;
  }
  operation.type = facts->type;
  for (const JsonPlace& entry : json.At("operands").Entries()) {
    const size_t index = operation.operands.size();
    Operand operand = ReadOperand(entry);
    if (const std::string role = entry.At("role").Text();
        index < facts->operands.size() && role != facts->operands[index])
      entry.Fail(absl::StrCat("has the role `", role, "`, operand ", index, " is the ",
                              std::string(facts->operands[index])));
    if (entry.Has("from")) Connect(entry.At("from"), before, operand);
    operation.operands.push_back(std::move(operand));
    if (!ok()) return operation;
  }
  ReadParameters(json.At("parameters"), operation);
  return operation;
}

RecordedError Reader::ReadError(const JsonPlace& json) {
  RecordedError error;
  error.item = json.At("item").Text();
  error.reason = json.At("reason").Text();
  const auto index = [&](const char* key) -> std::optional<int64_t> {
    if (!json.Has(key) || json.At(key).IsNull()) return std::nullopt;
    return json.At(key).Integer(-kMost - 1, kMost);
  };
  error.operation = index("operation");
  error.operand = index("operand");
  error.parameter = index("parameter");
  error.dimension = index("dimension");
  error.value = index("value");
  return error;
}

Recording Reader::Read(const JsonPlace& root) {
  Recording recording;
  recording.name = root.At("name").Text();
  recording.device = root.At("device").Text();
  for (const JsonPlace& entry : root.At("operations").Entries()) {
    if (!ok()) return recording;
    recording.model.operations.push_back(ReadOperation(entry, recording.model));
  }
  if (root.Has("error")) {
    recording.error = ReadError(root.At("error"));
    return recording;
  }
  for (const JsonPlace& entry : root.At("outputs").Entries()) {
    RecordedOutput& output = recording.outputs.emplace_back();
    const int64_t count = static_cast<int64_t>(recording.model.operations.size());
    output.operation = entry.At("op").Integer(0, std::max<int64_t>(0, count - 1));
    ReadTensor(entry, output.operand);
    if (ok() && !output.operand.data.has_value()) entry.Fail("lacks its data");
    if (!ok()) return recording;
  }
  if (recording.outputs.empty()) root.Fail("has no `outputs` and no `error`");
  if (root.Has("saturated")) recording.saturated = root.At("saturated").Truth();
  return recording;
}

}  // namespace

absl::StatusOr<Recording> ParseRecording(std::string_view text) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return absl::InvalidArgumentError("is no JSON");
  absl::Status status;
  Recording recording = Reader(status).Read(JsonPlace(json, "", status));
  if (!status.ok()) return status;
  return recording;
}

}  // namespace tessera::npu
