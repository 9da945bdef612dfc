#include "fuzz/targets/message_mutation.h"

#include <cstdint>
#include <limits>

namespace tessera::fuzz {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using testing::Random;

// A field of one of the messages; `index` counts where it is repeated.
struct Slot {
  Message* message;
  const FieldDescriptor* field;
  int index = -1;
};

// All that are set, and what could be.
void Collect(Message& message, std::vector<Slot>& set, std::vector<Slot>& unset) {
  const Reflection& reflection = *message.GetReflection();
  for (int f = 0; f < message.GetDescriptor()->field_count(); ++f) {
    const FieldDescriptor* const field = message.GetDescriptor()->field(f);
    const bool nested = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (field->is_repeated()) {
      const int size = reflection.FieldSize(message, field);
      unset.push_back({&message, field, size});
      for (int i = 0; i < size; ++i) {
        set.push_back({&message, field, i});
        if (nested) Collect(*reflection.MutableRepeatedMessage(&message, field, i), set, unset);
      }
    } else if (reflection.HasField(message, field)) {
      set.push_back({&message, field});
      if (nested) Collect(*reflection.MutableMessage(&message, field), set, unset);
    } else {
      unset.push_back({&message, field});
    }
  }
}

int64_t Number(Random& random) {
  switch (random.Below(6)) {
    case 0:
      return random.OneIn(2) ? std::numeric_limits<int64_t>::max()
                             : std::numeric_limits<int64_t>::min();
    case 1:
      return int64_t{1} << random.Below(40);
    case 2:
      return -1 - random.Below(4);
    default:
      return random.Below(30);
  }
}

double Real(Random& random) {
  switch (random.Below(5)) {
    case 0:
      return std::numeric_limits<double>::infinity();
    case 1:
      return std::numeric_limits<double>::quiet_NaN();
    case 2:
      return 0;
    default:
      return random.Real() * 10;
  }
}

std::string Text(const Slot& slot, const std::vector<Slot>& set,
                 const std::vector<std::string>& words, Random& random) {
  if (!words.empty() && random.OneIn(4)) return random.Of(words);
  for (int tries = 0; tries < 20; ++tries) {
    const Slot& other = random.Of(set);
    if (other.field->cpp_type() != FieldDescriptor::CPPTYPE_STRING ||
        other.field->type() != slot.field->type())
      continue;
    const Reflection& reflection = *other.message->GetReflection();
    return other.index < 0 ? reflection.GetString(*other.message, other.field)
                           : reflection.GetRepeatedString(*other.message, other.field, other.index);
  }
  return std::string(static_cast<size_t>(random.Below(9)), 'x');
}

// A message of the same type from elsewhere; null: there is none.
const Message* Like(const Slot& slot, const std::vector<Slot>& set, Random& random) {
  for (int tries = 0; tries < 20; ++tries) {
    const Slot& other = random.Of(set);
    if (other.field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE ||
        other.field->message_type() != slot.field->message_type())
      continue;
    const Reflection& reflection = *other.message->GetReflection();
    return other.index < 0
               ? &reflection.GetMessage(*other.message, other.field)
               : &reflection.GetRepeatedMessage(*other.message, other.field, other.index);
  }
  return nullptr;
}

// `slot.index` is that of an element which is there, or -1.
void Set(const Slot& slot, const std::vector<Slot>& set, const std::vector<std::string>& words,
         Random& random) {
  Message* const m = slot.message;
  const FieldDescriptor* const f = slot.field;
  const Reflection& reflection = *m->GetReflection();
  const bool one = slot.index < 0;
  switch (f->cpp_type()) {
#define TESSERA_FUZZ_SET(TYPE, VALUE)                                                              \
  one ? reflection.Set##TYPE(m, f, VALUE) : reflection.SetRepeated##TYPE(m, f, slot.index, VALUE); \
  break
    case FieldDescriptor::CPPTYPE_INT32:
      TESSERA_FUZZ_SET(Int32, static_cast<int32_t>(Number(random)));
    case FieldDescriptor::CPPTYPE_INT64:
      TESSERA_FUZZ_SET(Int64, Number(random));
    case FieldDescriptor::CPPTYPE_UINT32:
      TESSERA_FUZZ_SET(UInt32, static_cast<uint32_t>(Number(random)));
    case FieldDescriptor::CPPTYPE_UINT64:
      TESSERA_FUZZ_SET(UInt64, static_cast<uint64_t>(Number(random)));
    case FieldDescriptor::CPPTYPE_FLOAT:
      TESSERA_FUZZ_SET(Float, static_cast<float>(Real(random)));
    case FieldDescriptor::CPPTYPE_DOUBLE:
      TESSERA_FUZZ_SET(Double, Real(random));
    case FieldDescriptor::CPPTYPE_BOOL:
      TESSERA_FUZZ_SET(Bool, random.OneIn(2));
    case FieldDescriptor::CPPTYPE_STRING:
      TESSERA_FUZZ_SET(String, Text(slot, set, words, random));
    case FieldDescriptor::CPPTYPE_ENUM:
      TESSERA_FUZZ_SET(EnumValue,
                       f->enum_type()
                           ->value(static_cast<int>(random.Below(f->enum_type()->value_count())))
                           ->number());
#undef TESSERA_FUZZ_SET
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      Message* const own = one ? reflection.MutableMessage(m, f)
                               : reflection.MutableRepeatedMessage(m, f, slot.index);
      const Message* const other = Like(slot, set, random);
      if (other == nullptr || other == own) break;
      const std::string copy = other->SerializePartialAsString();  // `own` may be inside of it
      own->ParsePartialFromString(copy);
    }
  }
}

void Add(const Slot& slot) {
  Message* const m = slot.message;
  const FieldDescriptor* const f = slot.field;
  const Reflection& reflection = *m->GetReflection();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return reflection.AddInt32(m, f, 0);
    case FieldDescriptor::CPPTYPE_INT64:
      return reflection.AddInt64(m, f, 0);
    case FieldDescriptor::CPPTYPE_UINT32:
      return reflection.AddUInt32(m, f, 0);
    case FieldDescriptor::CPPTYPE_UINT64:
      return reflection.AddUInt64(m, f, 0);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return reflection.AddFloat(m, f, 0);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return reflection.AddDouble(m, f, 0);
    case FieldDescriptor::CPPTYPE_BOOL:
      return reflection.AddBool(m, f, false);
    case FieldDescriptor::CPPTYPE_STRING:
      return reflection.AddString(m, f, "");
    case FieldDescriptor::CPPTYPE_ENUM:
      return reflection.AddEnumValue(m, f, f->enum_type()->value(0)->number());
    case FieldDescriptor::CPPTYPE_MESSAGE:
      reflection.AddMessage(m, f);
  }
}

}  // namespace

void MutateMessage(const std::vector<std::string>& words, Message& message, Random& random) {
  std::vector<Slot> set, unset;
  Collect(message, set, unset);
  if (set.empty() || random.OneIn(8)) {
    if (unset.empty()) return;
    const Slot slot = random.Of(unset);
    if (slot.index >= 0) Add(slot);
    return Set(slot, set.empty() ? unset : set, words, random);
  }
  const Slot slot = random.Of(set);
  const Reflection& reflection = *slot.message->GetReflection();
  const int64_t choice = random.Below(5);
  if (choice == 0) {
    if (slot.index < 0) return reflection.ClearField(slot.message, slot.field);
    const int last = reflection.FieldSize(*slot.message, slot.field) - 1;
    for (int i = slot.index; i < last; ++i)
      reflection.SwapElements(slot.message, slot.field, i, i + 1);
    return reflection.RemoveLast(slot.message, slot.field);
  }
  if (choice == 1 && slot.index >= 0) {
    const int size = reflection.FieldSize(*slot.message, slot.field);
    return reflection.SwapElements(slot.message, slot.field, slot.index,
                                   static_cast<int>(random.Below(size)));
  }
  if (choice == 2 && slot.index >= 0) {
    const Slot added{slot.message, slot.field, reflection.FieldSize(*slot.message, slot.field)};
    Add(added);
    return Set(added, {slot}, words, random);  // like this one, where it is a message or a text
  }
  Set(slot, set, words, random);
}

}  // namespace tessera::fuzz
