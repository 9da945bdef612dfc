// Each limit of each generation, from its description: what is at the bounds passes, what is beyond
// is refused at that place for that reason.
#include "targets/npu/model/check.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tessera::npu {
namespace {

using ::testing::HasSubstr;

Operand Of(std::vector<int64_t> shape, DataType type) {
  Operand operand;
  operand.mode = Mode::kDefault;
  operand.shape = std::move(shape);
  operand.type = type;
  return operand;
}
Operand Disabled() {
  Operand operand;
  operand.mode = Mode::kDisabled;
  return operand;
}

constexpr DataType kI8 = DataType::kInt8, kI16 = DataType::kInt16, kI32 = DataType::kInt32;
const Operand kTableOf4 = Of({4}, DataType::kPwlSegment);

// A legal operation for each layer that a device may have.
Operation Legal(const std::string& layer) {
  using Type = OperationType;
  if (layer == "affine")
    return {Type::kFullyConnectedAffine,
            {Of({16, 4}, kI16), Of({8, 4}, kI16), Of({8, 16}, kI16), Of({8}, kI32), kTableOf4},
            {},
            {}};
  if (layer == "grouped")
    return {Type::kFullyConnectedAffine,
            {Of({16, 4}, kI16), Of({8, 4}, kI32), Of({8, 16}, kI8), Of({8, 3}, kI32), Disabled(),
             Of({8}, DataType::kWeightScaleFactor)},
            {{"bias_mode", {kBiasGrouping}}, {"bias_vector_index", {1}}},
            {}};
  if (layer == "diagonal")
    return {Type::kElementWiseAffine,
            {Of({16, 4}, kI16), Of({16, 4}, kI32), Of({16}, kI8), Of({16}, DataType::kCompoundBias),
             Disabled()},
            {},
            {}};
  if (layer == "recurrent")
    return {Type::kRecurrent,
            {Of({4, 16}, kI16), Of({4, 32}, kI16), Of({32, 48}, kI16), Of({32}, kI32), kTableOf4},
            {{"delay", {2}}},
            {}};
  if (layer == "copy")
    return {Type::kCopy, {Of({4, 32}, kI16), Of({3, 16}, kI16)}, {{"copy_shape", {2, 16}}}, {}};
  if (layer == "interleave")
    return {Type::kTransposition, {Of({4, 16}, kI16), Of({16, 4}, kI16)}, {}, {}};
  if (layer == "deinterleave")
    return {Type::kTransposition, {Of({16, 4}, kI16), Of({4, 16}, kI16)}, {}, {}};
  if (layer == "convolution_1d") {
    Operation operation = {
        Type::kConvolution,
        {Of({1, 64}, kI16), Of({1, 5, 8}, kI16), Of({8, 16}, kI16), Of({8}, kI32), kTableOf4},
        {{"convolution_stride", {5}},
         {"pooling_mode", {kPoolingMax}},
         {"pooling_window", {3}},
         {"pooling_stride", {2}}},
        {}};
    operation.operands[1].layout = "GNA1";
    return operation;
  }
  if (layer == "convolution_row")
    return {Type::kConvolution,
            {Of({1, 64}, kI16), Of({1, 5, 8}, kI16), Of({8, 16}, kI16), Of({8}, kI32), kTableOf4},
            {{"convolution_stride", {5}},
             {"pooling_mode", {kPoolingMax}},
             {"pooling_window", {2}},
             {"pooling_stride", {2}}},
            {}};
  return {Type::kConvolution,
          {Of({1, 20, 18, 16}, kI16), Of({1, 10, 8, 8}, kI16), Of({8, 3, 5, 16}, kI16),
           Of({8}, kI32), kTableOf4},
          {{"convolution_stride", {1, 1}},
           {"zero_padding", {1, 1}},
           {"pooling_mode", {kPoolingSum}},
           {"pooling_window", {2, 2}},
           {"pooling_stride", {2, 2}}},
          {}};
}

Model ModelOf(Operation operation) {
  Model model;
  model.operations.push_back(std::move(operation));
  return model;
}

std::string Words(const std::optional<Violation>& violation, const Model& model) {
  return violation.has_value() ? violation->Text(model, "device") : "accepted";
}

TEST(CheckModel, AcceptsALegalOperationOfEachLayer) {
  for (const Device& device : Devices()) {
    for (const auto& [name, layer] : device.layers) {
      const Model model = ModelOf(Legal(name));
      EXPECT_EQ(Words(CheckModel(model, device), model), "accepted") << device.name << " " << name;
      EXPECT_EQ(LayerOf(model.operations[0], device), name) << device.name;
    }
  }
}

// The list of sizes of a place.
std::vector<int64_t>* SizesOf(Operation& operation, const std::string& place, int64_t& operand) {
  const auto names = FactsOf(operation.type).operands;
  operand = std::find(names.begin(), names.end(), place) - names.begin();
  if (operand < static_cast<int64_t>(operation.operands.size()))
    return &operation.operands[static_cast<size_t>(operand)].shape;
  operand = -1;
  const auto found = operation.parameters.find(place);
  return found == operation.parameters.end() ? nullptr : &found->second;
}

TEST(CheckModel, RefusesWhatIsBeyondEachLimitOfASize) {
  size_t checked = 0;
  for (const Device& device : Devices()) {
    for (const auto& [name, layer] : device.layers) {
      // Of a row that is none an image is said what is wrong with it.
      if (name == "convolution_row") continue;
      for (const auto& [place, description] : layer.places) {
        for (size_t d = 0; d < description.dims.size(); ++d) {
          const Limit& limit = description.dims[d].second;
          Operation legal = Legal(name);
          int64_t operand = -1;
          const std::vector<int64_t>* sizes = SizesOf(legal, place, operand);
          // Sizes that the layer derives, or that another form of the operation has.
          if (sizes == nullptr || sizes->size() != description.dims.size()) continue;
          const DataType type = operand >= 0 ? legal.operands[static_cast<size_t>(operand)].type
                                             : legal.operands[0].type;
          const int64_t multiple = limit.MultipleFor(type);
          std::vector<std::pair<int64_t, Reason>> wrong = {{limit.most + 1, Reason::kAboveRange}};
          if (limit.least > 0) wrong.emplace_back(limit.least - 1, Reason::kBelowRange);
          if (multiple > 1) wrong.emplace_back(limit.least + 1, Reason::kNotMultiplicity);
          for (const auto& [size, reason] : wrong) {
            Operation operation = legal;
            (*SizesOf(operation, place, operand))[d] = size;
            const Model model = ModelOf(operation);
            const auto found = CheckModel(model, device);
            const std::string words = absl::StrCat(device.name, " ", name, ".", place, " ", d, ": ",
                                                   size, ": ", Words(found, model));
            ASSERT_TRUE(found.has_value()) << words;
            // Transpositions whose input fits neither form are said to be deinterleaving ones.
            if (name == "interleave" && place == "input") continue;
            // The weights of a recurrent layer are compared with its vectors before anything else.
            const bool compared = name == "recurrent" && place == "weights";
            EXPECT_EQ(NameOf(found->reason), NameOf(compared ? Reason::kNotEqual : reason))
                << words;
            EXPECT_EQ(found->value, size) << words;
            EXPECT_EQ(found->operand.value_or(-1), operand) << words;
            EXPECT_EQ(found->dimension.value_or(-1), static_cast<int64_t>(d)) << words;
            ++checked;
          }
        }
      }
    }
  }
  EXPECT_GT(checked, 500u);
}

TEST(CheckModel, RefusesTypesThatALayerDoesNotTake) {
  for (const Device& device : Devices()) {
    for (const auto& [name, layer] : device.layers) {
      if (name == "convolution_row") continue;
      for (const auto& [place, description] : layer.places) {
        Operation operation = Legal(name);
        int64_t operand = -1;
        SizesOf(operation, place, operand);
        if (operand < 0 || operation.operands[static_cast<size_t>(operand)].mode != Mode::kDefault)
          continue;
        for (DataType type : {kI8, kI16, kI32, DataType::kCompoundBias, DataType::kPwlSegment}) {
          if (std::count(description.types.begin(), description.types.end(), type) > 0) continue;
          operation.operands[static_cast<size_t>(operand)].type = type;
          const Model model = ModelOf(operation);
          const auto found = CheckModel(model, device);
          ASSERT_TRUE(found.has_value()) << device.name << " " << name << "." << place;
          if (place == "input") continue;  // its type decides on others
          EXPECT_EQ(NameOf(found->item), "OperandType") << Words(found, model);
          EXPECT_EQ(found->operand.value_or(-1), operand) << Words(found, model);
        }
      }
    }
  }
}

TEST(CheckModel, RefusesWhatTheLibraryLeavesUnchecked) {
  const Device& device = *FindDevice("gna-3.0");
  const auto refused = [&](const char* layer, size_t operand, std::vector<int64_t> shape) {
    Operation operation = Legal(layer);
    operation.operands[operand].shape = std::move(shape);
    const Model model = ModelOf(operation);
    return Words(CheckModel(model, device), model);
  };
  EXPECT_THAT(refused("affine", 2, {8, 24}), HasSubstr("affine.agreement: 16"));
  EXPECT_THAT(refused("affine", 1, {8, 3}), HasSubstr("affine.agreement: 4"));
  EXPECT_THAT(refused("affine", 3, {7}), HasSubstr("affine.agreement: 8"));
  EXPECT_THAT(refused("grouped", 5, {9}), HasSubstr("grouped.agreement: 8"));
  EXPECT_THAT(refused("diagonal", 2, {24}), HasSubstr("diagonal.agreement: 16"));
  EXPECT_THAT(refused("recurrent", 3, {64}), HasSubstr("recurrent.agreement: 32"));
  EXPECT_THAT(refused("copy", 1, {1, 16}), HasSubstr("copy.agreement: at most 1"));
  EXPECT_THAT(refused("convolution_2d", 3, {16}), HasSubstr("convolution_2d.agreement: 8"));
}

TEST(CheckModel, NamesOperationPlaceValueAndLimit) {
  Model model = ModelOf(Legal("affine"));
  model.operations.push_back(Legal("affine"));
  model.operations[1].operands[0].shape[0] = 28;
  EXPECT_EQ(CheckModel(model, *FindDevice("gna-2.0"))->Text(model, "gna-2.0"),
            "operation 1 (FullyConnectedAffine), operand 0 (input), dimension 0: ShapeDimensions "
            "NotMultiplicity, is 28; gna-2.0 affine.input.H: 8..65535, a multiple of 8");
  Device small = *FindDevice("gna-2.0");
  small.operations.most = 1;
  EXPECT_THAT(CheckModel(model, small)->Text(model, "small"),
              HasSubstr("ModelNumberOfOperations AboveRange, is 2; small operations: 1"));
}

}  // namespace
}  // namespace tessera::npu
