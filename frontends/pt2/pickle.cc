#include "frontends/pt2/pickle.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

constexpr size_t kMaxValues = 1 << 22;  // that one pickle may make
constexpr int kMaxDepth = 16;

struct Value;
using ValuePtr = std::shared_ptr<Value>;

struct Value {
  enum Kind { kMark, kNone, kBool, kInt, kText, kGlobal, kTuple, kDictionary, kStorage, kTensor };
  Kind kind = kNone;
  int64_t number = 0;
  std::string text;             // also MODULE NAME of a global
  std::vector<ValuePtr> items;  // of a dictionary: key, value, ...
  PickledTensor tensor;         // kStorage: what is known of it so far
  int depth = 0;                // of tuples in it
};

constexpr char kComplexFloat[] = "torch ComplexFloatStorage";
constexpr char kComplexDouble[] = "torch ComplexDoubleStorage";

// Of what an element is made of, where it is complex.
std::optional<ir::DType> StorageType(const std::string& global) {
  static const auto* types = new std::map<std::string, ir::DType>{
      {"torch FloatStorage", ir::DType::kF32}, {"torch DoubleStorage", ir::DType::kF64},
      {"torch HalfStorage", ir::DType::kF16},  {"torch BFloat16Storage", ir::DType::kBF16},
      {"torch LongStorage", ir::DType::kI64},  {"torch IntStorage", ir::DType::kI32},
      {"torch ShortStorage", ir::DType::kI16}, {"torch CharStorage", ir::DType::kI8},
      {"torch ByteStorage", ir::DType::kU8},   {"torch BoolStorage", ir::DType::kBool},
      {kComplexFloat, ir::DType::kF32},        {kComplexDouble, ir::DType::kF64}};
  const auto it = types->find(global);
  if (it == types->end()) return std::nullopt;
  return it->second;
}

bool IsKnown(const std::string& global) {
  return global == "torch._utils _rebuild_tensor_v2" ||
         global == "torch._utils _rebuild_parameter" ||
         global == "torch._utils _rebuild_parameter_with_state" ||
         global == "collections OrderedDict" || StorageType(global).has_value();
}

class Unpickler {
 public:
  explicit Unpickler(absl::Span<const uint8_t> bytes) : bytes_(bytes) {}

  absl::StatusOr<ValuePtr> Run() {
    while (status_.ok()) {
      const uint8_t code = static_cast<uint8_t>(Number(1));
      if (!status_.ok()) break;
      if (code == '.') {
        if (stack_.size() != 1) return absl::InvalidArgumentError("the pickle ends in its middle");
        return stack_[0];
      }
      Step(code);
    }
    return status_;
  }

 private:
  void Fail(std::string reason) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(std::move(reason));
  }

  uint64_t Number(size_t size) {
    uint64_t number = 0;
    const absl::Span<const uint8_t> taken = Take(size);
    for (size_t i = taken.size(); i-- > 0;) number = number << 8 | taken[i];
    return number;
  }

  absl::Span<const uint8_t> Take(uint64_t size) {
    if (size > bytes_.size() - at_) {
      Fail("the pickle is cut off");
      return {};
    }
    const absl::Span<const uint8_t> taken = bytes_.subspan(at_, size);
    at_ += size;
    return taken;
  }

  std::string Text(uint64_t size) {
    const absl::Span<const uint8_t> taken = Take(size);
    return {taken.begin(), taken.end()};
  }

  std::string Line() {
    std::string line;
    while (status_.ok()) {
      const char c = static_cast<char>(Number(1));
      if (c == '\n') break;
      line.push_back(c);
    }
    return line;
  }

  ValuePtr Make(Value::Kind kind) {
    if (++made_ > kMaxValues) Fail("the pickle makes too many values");
    auto value = std::make_shared<Value>();
    value->kind = kind;
    return value;
  }
  void Push(ValuePtr value) { stack_.push_back(std::move(value)); }
  void PushInt(int64_t number) {
    Push(Make(Value::kInt));
    stack_.back()->number = number;
  }
  ValuePtr Pop() {
    if (stack_.empty() || stack_.back()->kind == Value::kMark) {
      Fail("the pickle takes a value that is not there");
      return Make(Value::kNone);
    }
    ValuePtr value = stack_.back();
    stack_.pop_back();
    return value;
  }
  std::vector<ValuePtr> PopToMark() {
    size_t mark = stack_.size();
    while (mark > 0 && stack_[mark - 1]->kind != Value::kMark) --mark;
    if (mark == 0) {
      Fail("the pickle closes what it did not open");
      return {};
    }
    std::vector<ValuePtr> values(stack_.begin() + static_cast<std::ptrdiff_t>(mark), stack_.end());
    stack_.resize(mark - 1);
    return values;
  }
  void PushTuple(std::vector<ValuePtr> items) {
    Push(Make(Value::kTuple));
    for (const ValuePtr& item : items)
      stack_.back()->depth = std::max(stack_.back()->depth, item->depth + 1);
    // Freeing them goes as deep.
    if (stack_.back()->depth > kMaxDepth) return Fail("the pickle nests tuples too deeply");
    stack_.back()->items = std::move(items);
  }
  void PushTupleOf(size_t count) {
    std::vector<ValuePtr> items(count);
    for (size_t i = count; i-- > 0;) items[i] = Pop();
    PushTuple(std::move(items));
  }
  void Remember(uint64_t slot) {
    const ValuePtr value = Pop();
    if (memo_.size() < kMaxValues) memo_[slot] = value;
    Push(value);
  }
  void Recall(uint64_t slot) {
    const auto it = memo_.find(slot);
    if (it == memo_.end()) return Fail("the pickle recalls what it did not remember");
    Push(it->second);
  }
  void PushGlobal(std::string name) {
    if (!IsKnown(name))
      return Fail(absl::StrCat("the pickle names ", Quoted(name),
                               ", which is nothing that a tensor is made of; nothing of a pickle "
                               "is ever executed"));
    Push(Make(Value::kGlobal));
    stack_.back()->text = std::move(name);
  }
  // Into the dictionary below them.
  void SetItems(std::vector<ValuePtr> items) {
    const ValuePtr dictionary = Pop();
    if (dictionary->kind != Value::kDictionary || items.size() % 2 != 0)
      return Fail("the pickle fills what is no dictionary");
    for (const ValuePtr& item : items) {
      // A dictionary in itself would never be given back.
      if (item->kind == Value::kDictionary || item->kind == Value::kTuple)
        dictionary->items.push_back(Make(Value::kNone));
      else
        dictionary->items.push_back(item);
    }
    Push(dictionary);
  }

  // ("storage", class, key, device, elements)
  void Persistent() {
    const ValuePtr id = Pop();
    if (id->kind != Value::kTuple || id->items.size() != 5 || id->items[0]->text != "storage" ||
        id->items[1]->kind != Value::kGlobal || id->items[2]->kind != Value::kText ||
        id->items[4]->kind != Value::kInt)
      return Fail("the pickle refers to something else than a storage");
    const std::optional<ir::DType> dtype = StorageType(id->items[1]->text);
    if (!dtype) return Fail(absl::StrCat(Quoted(id->items[1]->text), " is no storage"));
    ValuePtr storage = Make(Value::kStorage);
    storage->tensor.dtype = *dtype;
    storage->tensor.complex =
        id->items[1]->text == kComplexFloat || id->items[1]->text == kComplexDouble;
    storage->tensor.storage = id->items[2]->text;
    storage->tensor.storage_size = id->items[4]->number;
    Push(std::move(storage));
  }

  static std::optional<std::vector<int64_t>> Integers(const Value& tuple) {
    if (tuple.kind != Value::kTuple) return std::nullopt;
    std::vector<int64_t> numbers;
    for (const ValuePtr& item : tuple.items) {
      if (item->kind != Value::kInt) return std::nullopt;
      numbers.push_back(item->number);
    }
    return numbers;
  }

  void Reduce() {
    const ValuePtr arguments = Pop(), callable = Pop();
    if (callable->kind != Value::kGlobal || arguments->kind != Value::kTuple)
      return Fail("the pickle calls what is not known");
    const std::vector<ValuePtr>& items = arguments->items;
    if (callable->text == "collections OrderedDict" && items.empty())
      return Push(Make(Value::kDictionary));
    if (absl::StartsWith(callable->text, "torch._utils _rebuild_parameter") && !items.empty() &&
        items[0]->kind == Value::kTensor)
      return Push(items[0]);
    if (callable->text == "torch._utils _rebuild_tensor_v2" && items.size() >= 4 &&
        items[0]->kind == Value::kStorage && items[1]->kind == Value::kInt) {
      // Whether the elements that are stored are conjugates, or negative, of the tensor's.
      if (items.size() > 6 && !items[6]->items.empty())
        return Fail("the pickle has a tensor whose elements are not as they are stored");
      const auto sizes = Integers(*items[2]), strides = Integers(*items[3]);
      if (sizes && strides) {
        ValuePtr tensor = Make(Value::kTensor);
        tensor->tensor = items[0]->tensor;
        tensor->tensor.offset = items[1]->number;
        tensor->tensor.sizes = *sizes;
        tensor->tensor.strides = *strides;
        return Push(std::move(tensor));
      }
    }
    Fail(absl::StrCat("the pickle calls ", Quoted(callable->text), " with what it does not take"));
  }

  void Step(uint8_t code) {
    switch (code) {
      case 0x80:  // PROTO
        Number(1);
        return;
      case 0x95:  // FRAME
        Number(8);
        return;
      case '}':
      case ']':  // an empty list stands for no hooks
        return Push(Make(code == '}' ? Value::kDictionary : Value::kTuple));
      case ')':
        return PushTuple({});
      case '(':
        return Push(Make(Value::kMark));
      case 't':
        return PushTuple(PopToMark());
      case 0x85:
      case 0x86:
      case 0x87:
        return PushTupleOf(code - 0x84u);
      case 'q':
        return Remember(Number(1));
      case 'r':
        return Remember(Number(4));
      case 0x94:  // MEMOIZE
        return Remember(memo_.size());
      case 'h':
        return Recall(Number(1));
      case 'j':
        return Recall(Number(4));
      case 'X':
      case 0x8c:
      case 0x8d: {
        std::string text = Text(Number(code == 'X' ? 4 : code == 0x8c ? 1 : 8));
        Push(Make(Value::kText));
        stack_.back()->text = std::move(text);
        return;
      }
      case 'K':
        return PushInt(static_cast<int64_t>(Number(1)));
      case 'M':
        return PushInt(static_cast<int64_t>(Number(2)));
      case 'J':
        return PushInt(static_cast<int32_t>(Number(4)));
      case 0x8a: {  // LONG1: two's complement
        const uint64_t size = Number(1);
        if (size > 8) return Fail("the pickle has an integer of more than 64 bits");
        const uint64_t bits = Number(size);
        const int shift = size == 0 ? 0 : static_cast<int>(64 - 8 * size);
        return PushInt(static_cast<int64_t>(bits << shift) >> shift);
      }
      case 0x88:
      case 0x89:
        Push(Make(Value::kBool));
        stack_.back()->number = code == 0x88 ? 1 : 0;
        return;
      case 'N':
        return Push(Make(Value::kNone));
      case 'c': {
        const std::string module = Line();
        return PushGlobal(absl::StrCat(module, " ", Line()));
      }
      case 0x93: {  // STACK_GLOBAL
        const ValuePtr name = Pop(), module = Pop();
        return PushGlobal(absl::StrCat(module->text, " ", name->text));
      }
      case 'Q':
        return Persistent();
      case 'R':
        return Reduce();
      case 's': {
        ValuePtr value = Pop(), key = Pop();
        return SetItems({std::move(key), std::move(value)});
      }
      case 'u':
        return SetItems(PopToMark());
      case 'b':  // BUILD: attributes of a dictionary, as `_metadata`
        Pop();
        return;
      default:
        return Fail(absl::StrCat("the pickle has opcode ", static_cast<int>(code),
                                 ", which no dictionary of tensors needs"));
    }
  }

  absl::Span<const uint8_t> bytes_;
  size_t at_ = 0;
  size_t made_ = 0;
  std::vector<ValuePtr> stack_;
  std::map<uint64_t, ValuePtr> memo_;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<std::map<std::string, PickledTensor>> ReadPickledTensors(
    absl::Span<const uint8_t> pickle) {
  absl::StatusOr<ValuePtr> root = Unpickler(pickle).Run();
  if (!root.ok()) return root.status();
  if ((*root)->kind != Value::kDictionary)
    return absl::InvalidArgumentError("the pickle holds no dictionary");
  std::map<std::string, PickledTensor> tensors;
  const std::vector<ValuePtr>& items = (*root)->items;
  for (size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i]->kind == Value::kText && items[i + 1]->kind == Value::kTensor)
      tensors[items[i]->text] = items[i + 1]->tensor;
  }
  return tensors;
}

}  // namespace tessera::pt2_import
