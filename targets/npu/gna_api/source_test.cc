// Sources of compiled networks against the artifacts that they were made of.
#include "targets/npu/gna_api/source.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "support/mapped_file.h"
#include "targets/npu/artifact/file.h"
#include "targets/npu/compile.h"
#include "targets/npu/gna_api/denoise_gru.h"
#include "targets/npu/gna_api/kws_conv1d.h"

namespace tessera::npu {
namespace {

// What the interface of the library says.
static_assert(sizeof(Gna2Shape) == 36 && sizeof(Gna2Tensor) == 64 && sizeof(Gna2Operation) == 40);

Bundle Read(const std::string& name) {
  RegisterOperations();
  const absl::StatusOr<support::MappedFile> file =
      support::MapFile("targets/npu/gna_api/" + name + ".npu");
  EXPECT_TRUE(file.ok()) << file.status();
  absl::StatusOr<Bundle> bundle = ReadArtifact(file->bytes);
  EXPECT_TRUE(bundle.ok()) << bundle.status();
  return *std::move(bundle);
}

std::vector<int64_t> Dimensions(const Gna2Shape& shape) {
  return {shape.Dimensions, shape.Dimensions + shape.NumberOfDimensions};
}

int64_t Number(const void* parameter) {
  int32_t number = 0;  // an enumeration or an integer
  std::memcpy(&number, parameter, 4);
  return number;
}

// The model says what the program says, and the memory of its constants is theirs.
void Compare(const Gna2Model& built, const Program& program, int64_t bytes, const void* memory) {
  const Model model = ModelOf(program);
  ASSERT_EQ(built.NumberOfOperations, model.operations.size());
  int constants = 0;
  for (uint32_t i = 0; i < built.NumberOfOperations; ++i) {
    const Gna2Operation& got = built.Operations[i];
    const Operation& want = model.operations[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(static_cast<int>(got.Type), static_cast<int>(want.type));
    ASSERT_EQ(got.NumberOfOperands, want.operands.size());
    for (uint32_t k = 0; k < got.NumberOfOperands; ++k) {
      const Operand& operand = want.operands[k];
      ASSERT_EQ(got.Operands[k] == nullptr, operand.mode == Mode::kAbsent);
      if (got.Operands[k] == nullptr) continue;
      const Gna2Tensor& tensor = *got.Operands[k];
      EXPECT_EQ(static_cast<int>(tensor.Mode), static_cast<int>(operand.mode));
      EXPECT_EQ(static_cast<int>(tensor.Type), static_cast<int>(operand.type));
      EXPECT_EQ(Dimensions(tensor.Shape), operand.shape);
      EXPECT_EQ(std::string(tensor.Layout), operand.layout);
      if (operand.mode != Mode::kDefault) continue;
      const int64_t at =
          static_cast<const uint8_t*>(tensor.Data) - static_cast<const uint8_t*>(memory);
      EXPECT_GE(at, 0);
      EXPECT_LT(at, bytes);
      EXPECT_EQ(at % 64, operand.address);
      if (!operand.data.has_value()) continue;
      // Filters of an image lie apart.
      int64_t pieces = 1, apart = static_cast<int64_t>(operand.data->bytes().size());
      if (k == kWeights && want.type == OperationType::kConvolution && !IsLegacyConvolution(want)) {
        pieces = operand.shape[0];
        apart /= pieces;
      }
      for (int64_t p = 0; p < pieces; ++p) {
        EXPECT_EQ(std::memcmp(static_cast<const uint8_t*>(tensor.Data) +
                                  p * (pieces == 1 ? 0 : (apart + 15) / 16 * 16),
                              operand.data->bytes().data() + p * apart, static_cast<size_t>(apart)),
                  0);
      }
      ++constants;
    }
    for (const auto& [name, values] : want.parameters) {
      const int at = ParameterIndex(want.type, name);
      ASSERT_LT(at, static_cast<int>(got.NumberOfParameters));
      const void* parameter = got.Parameters[at];
      ASSERT_NE(parameter, nullptr);
      const bool number = name.ends_with("_mode") || name == "delay" || name == "bias_vector_index";
      const std::vector<int64_t> seen = number
                                            ? std::vector<int64_t>{Number(parameter)}
                                            : Dimensions(*static_cast<const Gna2Shape*>(parameter));
      EXPECT_EQ(seen, values) << name;
    }
    for (uint32_t p = 0; p < got.NumberOfParameters; ++p)
      EXPECT_EQ(got.Parameters[p] != nullptr,
                want.parameters.contains(std::string(FactsOf(want.type).parameters[p])));
  }
  EXPECT_GT(constants, 0);
}

// The only stage of an artifact that is on the device.
template <class Endpoints>
void CompareEndpoints(const Endpoints& got, const std::vector<Endpoint>& want) {
  ASSERT_EQ(std::size(got), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(got[i].name, want[i].name);
    EXPECT_EQ(got[i].scale, want[i].scale);
    EXPECT_EQ(got[i].bytes_per_element, SizeOf(want[i].type));
  }
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

size_t DeviceStage(const Bundle& bundle) {
  size_t stage = 0;
  while (!bundle.stages[stage].program.has_value()) ++stage;
  return stage;
}

TEST(SourceOf, BuildsTheModelOfAConvolutionalNetwork) {
  const Bundle bundle = Read("kws_conv1d");
  const size_t stage = DeviceStage(bundle);
  ASSERT_EQ(stage, 1u);
  const Program& program = *bundle.stages[stage].program;
  const Memory memory(std::aligned_alloc(4096, kws_conv1d::stage1::kMemorySize));
  kws_conv1d::stage1::Prepare(memory.get());
  Compare(*kws_conv1d::stage1::Build(memory.get()), program, kws_conv1d::stage1::kMemorySize,
          memory.get());
  CompareEndpoints(kws_conv1d::stage1::kInputs, program.inputs);
  CompareEndpoints(kws_conv1d::stage1::kOutputs, program.outputs);
}

TEST(SourceOf, BuildsTheModelOfARecurrentNetwork) {
  const Bundle bundle = Read("denoise_gru");
  const size_t stage = DeviceStage(bundle);
  ASSERT_EQ(stage, 1u);
  const Program& program = *bundle.stages[stage].program;
  const Memory memory(std::aligned_alloc(4096, denoise_gru::stage1::kMemorySize));
  denoise_gru::stage1::Prepare(memory.get());
  Compare(*denoise_gru::stage1::Build(memory.get()), program, denoise_gru::stage1::kMemorySize,
          memory.get());
  CompareEndpoints(denoise_gru::stage1::kInputs, program.inputs);
  // States are as they are in the artifact, also after they were changed.
  const Region& states = program.region(RegionKind::kState);
  ASSERT_GT(states.size, 0);
  std::memset(memory.get(), 0x55, denoise_gru::stage1::kMemorySize);
  denoise_gru::stage1::Reset(memory.get());
  const auto* begin = static_cast<const uint8_t*>(memory.get());
  bool found = false;
  for (int64_t at = 0; !found && at + states.size <= denoise_gru::stage1::kMemorySize; at += 4096)
    found =
        std::memcmp(begin + at, states.data->bytes().data(), static_cast<size_t>(states.size)) == 0;
  EXPECT_TRUE(found);
}

TEST(SourceOf, RefusesWhatIsNoNameAndWhatHasNoDevice) {
  Bundle bundle;
  bundle.stages.emplace_back();
  EXPECT_NE(SourceOf(bundle, "a b").status().message().find("no identifier"), std::string::npos);
  EXPECT_NE(SourceOf(bundle, "a").status().message().find("no operation"), std::string::npos);
}

}  // namespace
}  // namespace tessera::npu
