#include "targets/npu/device/data_type.h"

namespace tessera::npu {
namespace {

struct Row {
  DataType type;
  std::string_view name;
  int64_t size;
};
constexpr Row kRows[] = {
    {DataType::kNone, "none", 0},
    {DataType::kInt8, "i8", 1},
    {DataType::kInt16, "i16", 2},
    {DataType::kInt32, "i32", 4},
    {DataType::kCompoundBias, "compound", 8},
    {DataType::kPwlSegment, "segment", 8},
    {DataType::kWeightScaleFactor, "scale", 8},
};

}  // namespace

int64_t SizeOf(DataType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return row.size;
  }
  return 0;
}

std::string NameOf(DataType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return std::string(row.name);
  }
  return "?";
}

std::optional<DataType> DataTypeFromName(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace tessera::npu
