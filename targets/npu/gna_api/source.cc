#include "targets/npu/gna_api/source.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tessera::npu {
namespace {

constexpr int64_t kPage = 4096;           // what memory of the library starts at multiples of
constexpr int64_t kFilterAlignment = 16;  // bytes, of each filter of an image

// Parameters that are one number, and of which type; the others are shapes.
struct NumberType {
  std::string_view parameter, type;
};
constexpr NumberType kNumberTypes[] = {{"bias_mode", "Gna2BiasMode"},
                                       {"pooling_mode", "Gna2PoolingMode"},
                                       {"bias_vector_index", "uint32_t"},
                                       {"delay", "uint32_t"}};

int64_t RoundUp(int64_t size, int64_t multiple) {
  return (size + multiple - 1) / multiple * multiple;
}

bool IsIdentifier(std::string_view name) {
  const auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !name.empty() && !std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::all_of(name.begin(), name.end(), word);
}

std::string Text(std::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(absl::string_view(text.data(), text.size())), "\"");
}

std::string ShapeText(const std::vector<int64_t>& shape) {
  return absl::StrCat("{", shape.size(), ", {", absl::StrJoin(shape, ", "), "}}");
}

std::string BytesText(const char* name, const std::vector<uint8_t>& bytes) {
  std::string text = absl::StrCat("alignas(64) const uint8_t ", name, "[] = {");
  for (size_t i = 0; i < bytes.size(); ++i)
    absl::StrAppend(&text, i % 32 == 0 ? "\n    " : "", bytes[i], ",");
  return text + (bytes.empty() ? "0};\n" : "};\n");
}

std::vector<uint8_t> DataOf(const Region& region) {
  if (!region.data.has_value()) return {};
  return {region.data->bytes().begin(), region.data->bytes().end()};
}

// One stage's program.
class StageSource {
 public:
  explicit StageSource(const Program& program)
      : program_(program), constants_(DataOf(program.region(RegionKind::kReadOnly))) {}

  std::string Write() {
    // Operations first: they may add constants.
    std::string operands, parameters, operations;
    for (size_t i = 0; i < program_.operations.size(); ++i)
      WriteOperation(i, operands, parameters, operations);
    PlaceRegions();
    std::string source =
        absl::StrCat("// Bytes that `Prepare` and `Build` take, from Gna2MemoryAlloc.\n",
                     "constexpr uint32_t kMemorySize = ", size_, ";\n");
    Endpoints("kInputs", program_.inputs, source);
    Endpoints("kOutputs", program_.outputs, source);
    absl::StrAppend(&source, BytesText("kConstants", constants_),
                    BytesText("kStates", DataOf(program_.region(RegionKind::kState))), "\n");
    absl::StrAppend(
        &source, "// States as they are before the first run.\n",
        "inline void Reset(void* memory) {\n  std::memcpy(static_cast<uint8_t*>(memory) + ",
        begins_[Index(RegionKind::kState)], ", kStates, ", program_.region(RegionKind::kState).size,
        ");\n}\n\n", "// Once, before the model is created.\n",
        "inline void Prepare(void* memory) {\n  std::memset(memory, 0, kMemorySize);\n",
        "  std::memcpy(static_cast<uint8_t*>(memory) + ", begins_[Index(RegionKind::kReadOnly)],
        ", kConstants, ", constants_.size(), ");\n  Reset(memory);\n}\n\n");
    absl::StrAppend(
        &source, "// The model over the memory; its structures last as long as the program.\n",
        "inline Gna2Model* Build(void* memory) {\n",
        "  uint8_t* const base = static_cast<uint8_t*>(memory);\n",
        "  constexpr uint32_t kBegins[] = {", absl::StrJoin(begins_, ", "), "};\n", parameters,
        "  static Gna2Tensor tensors[] = {\n", operands, "  };\n",
        "  // Region and byte therein of each tensor.\n", "  constexpr uint32_t kPlaces[][2] = {\n",
        places_, "  };\n", "  for (size_t i = 0; i < sizeof(tensors) / sizeof(tensors[0]); ++i)\n",
        "    tensors[i].Data = kPlaces[i][0] == 9 ? nullptr\n",
        "                                         : base + kBegins[kPlaces[i][0]] + "
        "kPlaces[i][1];\n",
        operations, "  static Gna2Model model = {", program_.operations.size(),
        ", operations};\n  return &model;\n}\n");
    return source;
  }

 private:
  static size_t Index(RegionKind kind) { return static_cast<size_t>(kind); }

  void PlaceRegions() {
    for (int i = 0; i < kRegionCount; ++i) {
      begins_[static_cast<size_t>(i)] = size_;
      const bool constants = static_cast<RegionKind>(i) == RegionKind::kReadOnly;
      const int64_t bytes = constants ? static_cast<int64_t>(constants_.size())
                                      : program_.regions[static_cast<size_t>(i)].size;
      size_ += RoundUp(bytes, kPage);
    }
    size_ = std::max(size_, kPage);
  }

  // Filters of an image each begin at such an address: then they are a constant of their own.
  Address FiltersAt(const ProgramOperation& operation, const ProgramOperand& filters) {
    if (operation.type != OperationType::kConvolution || filters.shape.empty() ||
        filters.address.region != RegionKind::kReadOnly ||
        operation.operands[kOutput].layout.starts_with("GNA1"))
      return filters.address;
    int64_t bytes = SizeOf(filters.type);
    for (size_t d = 1; d < filters.shape.size(); ++d) bytes *= filters.shape[d];
    const int64_t apart = RoundUp(bytes, kFilterAlignment);
    if (apart == bytes) return filters.address;
    const auto begin = static_cast<size_t>(RoundUp(static_cast<int64_t>(constants_.size()), 64));
    constants_.resize(begin + static_cast<size_t>(apart * filters.shape[0]), 0);
    for (int64_t f = 0; f < filters.shape[0]; ++f) {
      const auto from = constants_.begin() + filters.address.offset + f * bytes;
      std::copy(from, from + bytes, constants_.begin() + static_cast<int64_t>(begin) + f * apart);
    }
    return {RegionKind::kReadOnly, static_cast<int64_t>(begin)};
  }

  void WriteOperation(size_t index, std::string& operands, std::string& parameters,
                      std::string& operations) {
    const ProgramOperation& operation = program_.operations[index];
    const OperationFacts& facts = FactsOf(operation.type);
    std::vector<std::string> tensors, values;
    for (size_t k = 0; k < operation.operands.size(); ++k) {
      const ProgramOperand& operand = operation.operands[k];
      if (operand.mode == Mode::kAbsent) {
        tensors.push_back("nullptr");
        continue;
      }
      const bool enabled = operand.mode == Mode::kDefault;
      const Address address =
          k == kWeights && enabled ? FiltersAt(operation, operand) : operand.address;
      absl::StrAppend(&operands, "      {", ShapeText(operand.shape), ", ",
                      enabled ? "Gna2TensorModeDefault" : "Gna2TensorModeDisabled", ", ",
                      Text(operand.layout), ", static_cast<Gna2DataType>(",
                      static_cast<int>(operand.type), "), nullptr},  // ", index, ": ",
                      std::string(facts.operands[k]), "\n");
      absl::StrAppend(&places_, "      {", enabled ? static_cast<int>(address.region) : 9, ", ",
                      enabled ? address.offset : 0, "},\n");
      tensors.push_back(absl::StrCat("&tensors[", tensors_++, "]"));
    }
    size_t given = 0;
    for (size_t p = 0; p < facts.parameters.size(); ++p) {
      const auto found = operation.parameters.find(facts.parameters[p]);
      values.push_back("nullptr");
      if (found == operation.parameters.end()) continue;
      given = p + 1;
      const std::string name = absl::StrCat("parameter_", index, "_", p);
      const auto number =
          std::find_if(std::begin(kNumberTypes), std::end(kNumberTypes),
                       [&](const NumberType& n) { return n.parameter == facts.parameters[p]; });
      if (number == std::end(kNumberTypes)) {
        absl::StrAppend(&parameters, "  static Gna2Shape ", name, " = ", ShapeText(found->second),
                        ";\n");
      } else {
        absl::StrAppend(&parameters, "  static ", std::string(number->type), " ", name,
                        " = static_cast<", std::string(number->type), ">(", found->second[0],
                        ");\n");
      }
      values.back() = absl::StrCat("&", name);
    }
    values.resize(given);
    const std::string i = absl::StrCat(index);
    absl::StrAppend(&operations, "  static const Gna2Tensor* operands_", i, "[] = {",
                    absl::StrJoin(tensors, ", "), "};\n");
    if (given > 0)
      absl::StrAppend(&operations, "  static void* parameters_", i, "[] = {",
                      absl::StrJoin(values, ", "), "};\n");
    absl::StrAppend(&lists_, "      {Gna2OperationType", std::string(facts.name), ", operands_", i,
                    ", ", tensors.size(), ", ",
                    given > 0 ? absl::StrCat("parameters_", i) : "nullptr", ", ", given, "},\n");
    if (index + 1 == program_.operations.size())
      absl::StrAppend(&operations, "  static Gna2Operation operations[] = {\n", lists_, "  };\n");
  }

  void Endpoints(const char* name, const std::vector<Endpoint>& endpoints, std::string& source) {
    absl::StrAppend(&source, "constexpr Endpoint ", name, "[] = {\n");
    for (const Endpoint& endpoint : endpoints) {
      int64_t elements = 1;
      for (const int64_t dim : endpoint.shape) elements *= dim;
      absl::StrAppend(&source, "    {", Text(endpoint.name), ", ",
                      begins_[Index(endpoint.address.region)] + endpoint.address.offset, ", ",
                      elements, ", ", SizeOf(endpoint.type), ", ",
                      absl::StrFormat("%.17g", endpoint.scale), "},\n");
    }
    source += "};\n";
  }

  const Program& program_;
  std::vector<uint8_t> constants_;
  std::array<int64_t, kRegionCount> begins_ = {};
  int64_t size_ = 0;
  size_t tensors_ = 0;
  std::string places_, lists_;
};

constexpr char kHead[] = R"(
#include <cstdint>
#include <cstring>

#include "gna2-api.h"

)";

constexpr char kEndpoint[] =
    R"(// What goes in, or comes out: `scale` integers are 1.0, row-major, from byte `offset` of the memory.
struct Endpoint {
  const char* name;
  uint32_t offset, elements, bytes_per_element;
  double scale;
};
)";

}  // namespace

absl::StatusOr<std::string> SourceOf(const Bundle& bundle, std::string_view name) {
  if (!IsIdentifier(name))
    return absl::InvalidArgumentError(absl::StrCat("`", std::string(name), "` is no identifier"));
  std::string stages;
  for (size_t i = 0; i < bundle.stages.size(); ++i) {
    if (!bundle.stages[i].program.has_value()) continue;
    if (bundle.stages[i].program->operations.empty()) continue;
    absl::StrAppend(&stages, "\nnamespace stage", i, " {\n\n",
                    StageSource(*bundle.stages[i].program).Write(), "\n}  // namespace stage", i,
                    "\n");
  }
  if (stages.empty())
    return absl::InvalidArgumentError("the artifact has no operation on the device");
  return absl::StrCat(
      "// Generated from an artifact for ", bundle.device, ".\n//\n",
      "//   Gna2MemoryAlloc(stageN::kMemorySize, &granted, &memory);\n",
      "//   stageN::Prepare(memory);\n",
      "//   Gna2ModelCreate(device, stageN::Build(memory), &model);\n",
      "//\n// then, for each run, inputs to their places, Gna2RequestEnqueue, Gna2RequestWait. "
      "States\n// stay in the memory from run to run.\n",
      kHead, "namespace ", std::string(name), " {\n\n", kEndpoint, stages, "\n}  // namespace ",
      std::string(name), "\n");
}

}  // namespace tessera::npu
