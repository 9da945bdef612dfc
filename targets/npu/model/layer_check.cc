#include "targets/npu/model/layer_check.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace tessera::npu {
namespace {

// The order in which the library looks at axes.
constexpr char kOrder[] = {'N', 'W', 'H', 'D'};

// What the library says of a layer that the generation does not have.
constexpr int64_t kNoSuchLayer = -37;

std::string TypeList(const std::vector<DataType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DataType type) { *out += NameOf(type); });
}

bool Contains(const std::vector<DataType>& types, DataType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

}  // namespace

LayerCheck::LayerCheck(const Device& device, std::string_view layer, const Operation& operation,
                       LimitLog* log, OperandIndex lacking)
    : device_(device), name_(layer), layer_(device.Find(layer)), operation_(operation), log_(log) {
  for (size_t i = 0; i < operation.operands.size(); ++i)
    See(NameOfOperand(static_cast<int>(i)), operation.operands[i].shape);
  for (const auto& [name, sizes] : operation.parameters) See(name, sizes);
  if (layer_ == nullptr)
    Fail(Item::kInternal, Reason::kOther, lacking, std::nullopt, std::nullopt, kNoSuchLayer,
         absl::StrCat(name_, ": this generation has no such layer"));
}

std::string_view LayerCheck::NameOfOperand(int operand) const {
  const auto names = FactsOf(operation_.type).operands;
  return static_cast<size_t>(operand) < names.size() ? names[static_cast<size_t>(operand)]
                                                     : std::string_view();
}

int LayerCheck::OperandOf(std::string_view place) const {
  const auto names = FactsOf(operation_.type).operands;
  const auto found = std::find(names.begin(), names.end(), place);
  return found == names.end() ? -1 : static_cast<int>(found - names.begin());
}

void LayerCheck::Log(const std::string& id, std::string statement, const std::string& admits,
                     const std::string& here) {
  if (log_ != nullptr)
    log_->insert({id, std::move(statement), absl::StrCat(admits, "; here ", here)});
}

void LayerCheck::LogRange(const std::string& id, const Limit& limit, DataType type, int64_t value) {
  if (log_ == nullptr) return;
  std::string statement =
      absl::StrCat(limit.least, " <= ", value, " && ", value, " <= ", limit.most);
  if (const int64_t multiple = limit.MultipleFor(type); multiple != 1)
    absl::StrAppend(&statement, " && mod(", value, ", ", multiple, ") == 0");
  Log(id, std::move(statement), limit.Text(type), absl::StrCat(value));
}

// Types have the numbers of the device's programming interface.
void LayerCheck::LogType(const std::string& id, const std::vector<DataType>& types, DataType type) {
  if (log_ == nullptr) return;
  const std::string statement = absl::StrJoin(types, " || ", [&](std::string* out, DataType one) {
    absl::StrAppend(out, static_cast<int64_t>(type), " == ", static_cast<int64_t>(one));
  });
  Log(id, statement, TypeList(types), std::string(NameOf(type)));
}

std::string LayerCheck::Id(std::string_view rest) const {
  return absl::StrCat(name_, ".", std::string(rest));
}

DataType LayerCheck::TypeOf(std::string_view place) const {
  const int operand = OperandOf(place);
  return operand < 0 ? operation_.operand(kInput).type : operation_.operand(operand).type;
}

int64_t LayerCheck::Size(std::string_view place, char dim) const {
  const Place* description = layer_ == nullptr ? nullptr : layer_->Find(place);
  const auto sizes = seen_.find(place);
  if (description == nullptr || sizes == seen_.end()) return 0;
  for (size_t d = 0; d < description->dims.size(); ++d) {
    if (description->dims[d].first == dim) return d < sizes->second.size() ? sizes->second[d] : 0;
  }
  return 0;
}

void LayerCheck::Fail(Item item, Reason reason, std::optional<int64_t> operand,
                      std::optional<int64_t> parameter, std::optional<int64_t> dimension,
                      int64_t value, std::string limit) {
  if (!ok()) return;
  found_ =
      Violation{item, reason, std::nullopt, operand, parameter, dimension, value, std::move(limit)};
}

void LayerCheck::FailAt(std::string_view place, char dim, Reason reason, int64_t value,
                        std::string limit) {
  std::optional<int64_t> dimension, operand, parameter;
  const Place* description = layer_->Find(place);
  for (size_t d = 0; description != nullptr && d < description->dims.size(); ++d) {
    if (description->dims[d].first == dim) dimension = static_cast<int64_t>(d);
  }
  if (const int index = OperandOf(place); index >= 0) operand = index;
  if (!operand.has_value()) parameter = ParameterIndex(operation_.type, place);
  Fail(Item::kShapeDimensions, reason, operand, parameter, dimension, value, std::move(limit));
}

void LayerCheck::CheckRange(std::string_view place, char dim, const Limit& limit,
                            const std::string& id) {
  const int64_t value = Size(place, dim);
  const DataType type = TypeOf(place);
  const std::string text = absl::StrCat(id, ": ", limit.Text(type));
  if (value > limit.most) return FailAt(place, dim, Reason::kAboveRange, value, text);
  if (value < limit.least) return FailAt(place, dim, Reason::kBelowRange, value, text);
  if (value % limit.MultipleFor(type) != 0)
    return FailAt(place, dim, Reason::kNotMultiplicity, value, text);
  LogRange(id, limit, type, value);
}

void LayerCheck::CheckDims(std::string_view place) {
  for (char dim : kOrder) {
    const Limit* limit = layer_->Find(place)->Find(dim);
    if (limit != nullptr && ok())
      CheckRange(place, dim, *limit,
                 Id(absl::StrCat(std::string(place), ".", std::string(1, dim))));
  }
}

void LayerCheck::CheckOperand(OperandIndex index) {
  if (!ok()) return;
  const std::string place(NameOfOperand(index));
  const Place* description = layer_->Find(place);
  if (description == nullptr)
    return Fail(Item::kInternal, Reason::kOther, index, std::nullopt, std::nullopt, kNoSuchLayer,
                absl::StrCat(Id(place), ": the layer has no such operand"));
  const Operand& operand = operation_.operand(index);
  const bool enabled = operand.mode == Mode::kDefault;
  const int64_t rank = static_cast<int64_t>(seen_[place].size());
  if (enabled && rank != static_cast<int64_t>(description->dims.size()))
    return Fail(Item::kShapeNumberOfDimensions, Reason::kNotEqual, index, std::nullopt,
                std::nullopt, rank, absl::StrCat(Id(place), ".rank: ", description->dims.size()));
  const DataType type = enabled ? operand.type : DataType::kNone;
  if (!Contains(description->types, type))
    return Fail(Item::kOperandType, Reason::kNotInSet, index, std::nullopt, std::nullopt,
                static_cast<int64_t>(type),
                absl::StrCat(Id(place), ".type: ", TypeList(description->types)));
  LogType(absl::StrCat(Id(place), ".type"), description->types, type);
  if (!enabled) return;
  CheckDims(place);
  if (!ok()) return;
  if (operand.address % device_.alignment != 0)
    return Fail(Item::kOperandData, Reason::kNotAligned, index, std::nullopt, std::nullopt,
                operand.address, absl::StrCat("alignment: ", device_.alignment, " bytes"));
  Log("alignment", absl::StrCat("mod(", operand.address, ", ", device_.alignment, ") == 0"),
      absl::StrCat("a multiple of ", device_.alignment, " bytes"), absl::StrCat(operand.address));
}

void LayerCheck::CheckSizes(std::string_view parameter) {
  if (ok() && layer_->Find(parameter) != nullptr) CheckDims(parameter);
}

void LayerCheck::CheckProducts() {
  if (!ok()) return;
  const DataType bias = operation_.operand(kBiases).type;
  for (const Products& products : layer_->products) {
    if (products.input == operation_.operand(kInput).type &&
        products.weights == operation_.operand(kWeights).type &&
        products.compound == (bias == DataType::kCompoundBias))
      return;
  }
  const std::string kinds =
      absl::StrJoin(layer_->products, ", ", [](std::string* out, const Products& products) {
        absl::StrAppend(out, NameOf(products.input), " ", NameOf(products.weights), " ",
                        products.compound ? "compound" : "plain");
      });
  Fail(Item::kOperandType, Reason::kNotInSet, std::nullopt, std::nullopt, std::nullopt, 0,
       absl::StrCat(Id("products"), ": of input, weights and biases ", kinds));
}

bool LayerCheck::Holds(const Condition& condition) const {
  if (!condition.types.empty()) return Contains(condition.types, TypeOf(condition.place));
  const int64_t size = Size(condition.place, condition.dim);
  return size >= condition.limit.least && size <= condition.limit.most;
}

void LayerCheck::CheckRules() {
  if (!ok()) return;
  for (const Rule& rule : layer_->rules) {
    if (!ok()) return;
    if (rule.with_table && !operation_.enabled(kTable)) continue;
    if (!std::all_of(rule.when.begin(), rule.when.end(),
                     [&](const Condition& condition) { return Holds(condition); }))
      continue;
    switch (rule.kind) {
      case Rule::kRange:
        CheckRange(rule.place, rule.dim, rule.limit, Id(rule.name));
        break;
      case Rule::kSameType:
        SameType(static_cast<OperandIndex>(OperandOf(rule.place)),
                 static_cast<OperandIndex>(OperandOf(rule.other)), Id(rule.name).c_str());
        break;
      case Rule::kSquare:
        if (seen_.contains(rule.place) && Size(rule.place, 'H') != Size(rule.place, 'W'))
          FailAt(rule.place, 'W', Reason::kNotEqual, Size(rule.place, 'H'),
                 absl::StrCat(Id(rule.name), ": width equals height"));
        else
          Log(Id(rule.name), absl::StrCat(Size(rule.place, 'W'), " == ", Size(rule.place, 'H')),
              "width equals height", absl::StrCat(Size(rule.place, 'W')));
        break;
    }
  }
}

void LayerCheck::CheckTable(bool needed) {
  const Operand& table = operation_.operand(kTable);
  if (!ok() || (!needed && table.mode != Mode::kDefault)) return;
  const DataType type = table.mode == Mode::kDefault ? table.type : DataType::kNone;
  if (type != DataType::kPwlSegment)
    return Fail(
        Item::kOperandType, Reason::kNotInSet, kTable, std::nullopt, std::nullopt,
        static_cast<int64_t>(type),
        absl::StrCat(Id("pwl.type"), ": segment", needed ? ", the layer needs a table" : ""));
  CheckOperand(kTable);
}

void LayerCheck::CheckPlainOutput(Reason reason) {
  const DataType type = operation_.operand(kOutput).type;
  if (operation_.enabled(kTable) || type == DataType::kInt32) return;
  Fail(Item::kOperandType, reason, kOutput, std::nullopt, std::nullopt, static_cast<int64_t>(type),
       absl::StrCat(Id("output.type"), ": i32 where there is no table"));
}

void LayerCheck::AtMost(std::string_view place, char dim, int64_t most, const char* why) {
  if (!ok()) return;
  const int64_t value = Size(place, dim);
  if (value > most)
    FailAt(place, dim, Reason::kAboveRange, value, absl::StrCat(Id(why), ": at most ", most));
}

void LayerCheck::Equal(std::string_view place, char dim, int64_t wanted, const char* why) {
  if (!ok()) return;
  const int64_t value = Size(place, dim);
  if (value != wanted)
    FailAt(place, dim, Reason::kNotEqual, value, absl::StrCat(Id(why), ": ", wanted));
}

void LayerCheck::SameType(OperandIndex operand, OperandIndex other, const char* why) {
  const DataType type = operation_.operand(operand).type;
  const DataType wanted = operation_.operand(other).type;
  if (type != wanted)
    return Fail(
        Item::kOperandType, Reason::kNotEqual, operand, std::nullopt, std::nullopt,
        static_cast<int64_t>(type),
        absl::StrCat(why, ": ", NameOf(wanted), " like the ", std::string(NameOfOperand(other))));
  LogType(why, {wanted}, type);
}

}  // namespace tessera::npu
