#include "fuzz/targets/circle_mutation.h"

#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "fuzz/targets/mutation.h"
// With the object API, which no other source of the project has: here only.
#include "fuzz/targets/circle_objects/circle_generated.h"

namespace tessera::fuzz {
namespace {

using testing::Random;

template <class T>
T& Any(std::vector<T>& list, Random& random) {
  return list[static_cast<size_t>(random.Below(static_cast<int64_t>(list.size())))];
}

int32_t Number(Random& random) {
  const int32_t numbers[] = {-2, -1, 0, 1, 2, 3, 4, 7, 127, 255, 65536, 2147483647};
  return random.OneIn(2) ? numbers[random.Below(std::size(numbers))]
                         : static_cast<int32_t>(random.Below(12));
}

// One entry changed, taken out or added.
void Change(std::vector<int32_t>& list, Random& random) {
  const int64_t choice = random.Below(4);
  if (list.empty() || choice == 0) {
    list.push_back(Number(random));
  } else if (choice == 1) {
    list.pop_back();
  } else if (choice == 2) {
    std::swap(Any(list, random), Any(list, random));
  } else {
    Any(list, random) = Number(random);
  }
}

void Change(::circle::TensorT& tensor, Random& random) {
  switch (random.Below(6)) {
    case 0:
      return Change(tensor.shape, random);
    case 1:
      return Change(tensor.shape_signature, random);
    case 2:
      tensor.type = ::circle::EnumValuesTensorType()[random.Below(
          static_cast<int64_t>(std::size(::circle::EnumValuesTensorType())))];
      return;
    case 3:
      tensor.buffer = static_cast<uint32_t>(random.Below(6));
      return;
    case 4:
      tensor.is_variable = !tensor.is_variable;
      return;
    default:
      if (tensor.quantization == nullptr)
        tensor.quantization = std::make_unique<::circle::QuantizationParametersT>();
      tensor.quantization->scale.resize(static_cast<size_t>(random.Below(4)), 0.5f);
      tensor.quantization->zero_point.resize(static_cast<size_t>(random.Below(4)), 3);
      tensor.quantization->quantized_dimension = Number(random);
  }
}

void Change(::circle::OperatorT& op, ::circle::SubGraphT& graph, Random& random) {
  switch (random.Below(4)) {
    case 0:
      return Change(op.inputs, random);
    case 1:
      return Change(op.outputs, random);
    case 2:
      op.opcode_index = static_cast<uint32_t>(random.Below(8));
      return;
    default:
      op.builtin_options = Any(graph.operators, random)->builtin_options;
  }
}

void Change(::circle::ModelT& model, Random& random) {
  if (model.subgraphs.empty()) return;
  ::circle::SubGraphT& graph = *Any(model.subgraphs, random);
  switch (random.Below(8)) {
    case 0:
      return Change(random.OneIn(2) ? graph.inputs : graph.outputs, random);
    case 1:
      if (!graph.operators.empty())
        graph.operators.erase(graph.operators.begin() +
                              random.Below(static_cast<int64_t>(graph.operators.size())));
      return;
    case 2:
      if (!graph.operators.empty())
        std::swap(Any(graph.operators, random), Any(graph.operators, random));
      return;
    case 3:
      if (!model.operator_codes.empty()) {
        ::circle::OperatorCodeT& code = *Any(model.operator_codes, random);
        code.builtin_code = static_cast<::circle::BuiltinOperator>(random.Below(160));
        code.deprecated_builtin_code = static_cast<int8_t>(code.builtin_code);
      }
      return;
    case 4:
      if (!model.buffers.empty()) {
        std::vector<uint8_t>& data = Any(model.buffers, random)->data;
        if (data.empty() || random.OneIn(3)) data.resize(static_cast<size_t>(random.Below(40)));
        if (!data.empty()) Any(data, random) = static_cast<uint8_t>(random.Below(256));
      }
      return;
    case 5:
    case 6:
      if (!graph.operators.empty()) Change(*Any(graph.operators, random), graph, random);
      return;
    default:
      if (!graph.tensors.empty()) Change(*Any(graph.tensors, random), random);
  }
}

// A union that names a table and has none is verified, and taken apart, but not put together again.
template <class Union>
void DropEmpty(Union& choice) {
  if (choice.value == nullptr) choice.Reset();
}

void DropEmptyUnions(::circle::ModelT& model) {
  for (const auto& graph : model.subgraphs) {
    for (const auto& tensor : graph->tensors) {
      if (tensor->quantization != nullptr) DropEmpty(tensor->quantization->details);
      if (tensor->sparsity == nullptr) continue;
      for (const auto& dim : tensor->sparsity->dim_metadata) {
        DropEmpty(dim->array_segments);
        DropEmpty(dim->array_indices);
      }
    }
    for (const auto& op : graph->operators) {
      DropEmpty(op->builtin_options);
      DropEmpty(op->builtin_options_2);
    }
  }
}

}  // namespace

std::string MutatedCircle(const std::string& bytes, Random& random) {
  const auto* const data = reinterpret_cast<const uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size());
  if (!::circle::VerifyModelBuffer(verifier)) return WithOtherBytes(bytes, random);
  const std::unique_ptr<::circle::ModelT> model = ::circle::UnPackModel(data);
  for (int64_t changes = 1 + random.Below(3); changes > 0; --changes) Change(*model, random);
  DropEmptyUnions(*model);
  flatbuffers::FlatBufferBuilder builder;
  ::circle::FinishModelBuffer(builder, ::circle::Model::Pack(builder, model.get()));
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace tessera::fuzz
