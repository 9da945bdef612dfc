// Sequences and optionals: of both is known, when a model is read, how many entries there are and
// what each is. Nothing of them is in the network; what they hold is.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recheck/model.h"

namespace tessera::recheck {
namespace {

constexpr int64_t kMostParts = 1 << 16;

int64_t IntOf(const NodeContext& context, const char* name, int64_t otherwise) {
  const auto it = context.attributes.find(name);
  return it == context.attributes.end() ? otherwise : it->second->i();
}

TensorPtr SequenceOf(std::vector<TensorPtr> entries) {
  auto sequence = std::make_shared<Tensor>();
  sequence->held = Tensor::Held::kSequence;
  sequence->entries = std::move(entries);
  return sequence;
}

const TensorPtr& InputOf(const NodeContext& context, size_t i) {
  static const TensorPtr kNone;
  return i < context.inputs.size() ? context.inputs[i] : kNone;
}

bool IsTensor(const TensorPtr& tensor) {
  return tensor != nullptr && tensor->held == Tensor::Held::kTensor;
}

}  // namespace

ModelReader::Maker ModelReader::SequenceMakerOf(const std::string& domain, const std::string& op) {
  static const std::map<std::string, Maker>* const kMakers = new std::map<std::string, Maker>{
      {"ConcatFromSequence", &ModelReader::JoinSequence},
      {"Optional", &ModelReader::MakeOptional},
      {"OptionalGetElement", &ModelReader::OpenOptional},
      {"OptionalHasElement", &ModelReader::AskOptional},
      {"SequenceAt", &ModelReader::PickEntry},
      {"SequenceConstruct", &ModelReader::MakeSequence},
      {"SequenceEmpty", &ModelReader::MakeSequence},
      {"SequenceErase", &ModelReader::EraseEntry},
      {"SequenceInsert", &ModelReader::InsertEntry},
      {"SequenceLength", &ModelReader::CountEntries},
      {"SplitToSequence", &ModelReader::SplitSequence},
  };
  // A map by labels is the tensor of what it has, in their order.
  if (domain == "ai.onnx.ml" && op == "ZipMap") return &ModelReader::KeepMapped;
  const auto it = kMakers->find(op);
  return domain.empty() && it != kMakers->end() ? it->second : nullptr;
}

ModelReader::Results ModelReader::Unfit(const NodeContext& context, const std::string& why) {
  Leave(context.name, why);
  return std::nullopt;
}

ModelReader::Results ModelReader::EntriesOf(const NodeContext& context) {
  const TensorPtr& sequence = InputOf(context, 0);
  if (sequence != nullptr && sequence->held == Tensor::Held::kSequence) return sequence->entries;
  return Unfit(context, "its first input is no sequence");
}

std::optional<int64_t> ModelReader::PositionOf(const NodeContext& context, size_t input,
                                               int64_t least, int64_t last) {
  const TensorPtr& position = InputOf(context, input);
  const std::optional<int64_t> number =
      IsTensor(position) && position->has_elements && position->elements.size() == 1
          ? session_.terms().Number(position->elements[0])
          : std::nullopt;
  if (number && *number >= least && *number <= last) return number;
  Leave(context.name, number ? absl::StrCat("position ", *number, " of its sequence")
                             : "its position is no number");
  return std::nullopt;
}

ModelReader::Results ModelReader::KeepMapped(const NodeContext& context) {
  return Tensors{InputOf(context, 0)};
}

ModelReader::Results ModelReader::MakeSequence(const NodeContext& context) {
  if (!std::all_of(context.inputs.begin(), context.inputs.end(), IsTensor))
    return Unfit(context, "an input is no tensor");
  return Tensors{SequenceOf(context.inputs)};
}

ModelReader::Results ModelReader::PickEntry(const NodeContext& context) {
  const Results entries = EntriesOf(context);
  if (!entries) return std::nullopt;
  const auto n = static_cast<int64_t>(entries->size());
  const std::optional<int64_t> at = PositionOf(context, 1, -n, n - 1);
  if (!at) return std::nullopt;
  return Tensors{(*entries)[static_cast<size_t>(*at < 0 ? *at + n : *at)]};
}

ModelReader::Results ModelReader::InsertEntry(const NodeContext& context) {
  Results entries = EntriesOf(context);
  if (!entries) return std::nullopt;
  if (!IsTensor(InputOf(context, 1))) return Unfit(context, "what it inserts is no tensor");
  const auto n = static_cast<int64_t>(entries->size());
  std::optional<int64_t> at = n;  // behind all of them
  if (InputOf(context, 2) != nullptr) at = PositionOf(context, 2, -n, n);
  if (!at) return std::nullopt;
  entries->insert(entries->begin() + (*at < 0 ? *at + n : *at), context.inputs[1]);
  return Tensors{SequenceOf(*std::move(entries))};
}

ModelReader::Results ModelReader::EraseEntry(const NodeContext& context) {
  Results entries = EntriesOf(context);
  if (!entries) return std::nullopt;
  const auto n = static_cast<int64_t>(entries->size());
  if (n == 0) return Unfit(context, "its sequence has no entries");
  std::optional<int64_t> at = -1;  // the last one
  if (InputOf(context, 1) != nullptr) at = PositionOf(context, 1, -n, n - 1);
  if (!at) return std::nullopt;
  entries->erase(entries->begin() + (*at < 0 ? *at + n : *at));
  return Tensors{SequenceOf(*std::move(entries))};
}

ModelReader::Results ModelReader::CountEntries(const NodeContext& context) {
  const Results entries = EntriesOf(context);
  if (!entries) return std::nullopt;
  return Tensors{Number("i64", static_cast<int64_t>(entries->size()))};
}

ModelReader::Results ModelReader::JoinSequence(const NodeContext& context) {
  const Results entries = EntriesOf(context);
  if (!entries) return std::nullopt;
  if (entries->empty()) return Unfit(context, "its sequence has no entries");
  const bool fresh = IntOf(context, "new_axis", 0) != 0;
  const int64_t rank = static_cast<int64_t>(entries->front()->dims.size()) + (fresh ? 1 : 0);
  const int64_t axis = IntOf(context, "axis", 0);
  const TensorPtr joined = Build(context, fresh ? "ScanStack" : "Concat", *entries,
                                 {{"axis", axis < 0 ? axis + rank : axis}});
  return joined == nullptr ? Results() : Results(Tensors{joined});
}

ModelReader::Results ModelReader::SplitSequence(const NodeContext& context) {
  const TensorPtr& x = InputOf(context, 0);
  const TensorPtr& split = InputOf(context, 1);
  if (!IsTensor(x)) return Unfit(context, "what it splits is no tensor");
  const auto rank = static_cast<int64_t>(x->dims.size());
  const int64_t said = IntOf(context, "axis", 0), axis = said < 0 ? said + rank : said;
  if (axis < 0 || axis >= rank) return Unfit(context, absl::StrCat("`axis` is ", said));
  Terms& terms = session_.terms();
  std::vector<Dim> sizes;
  if (split != nullptr && split->dims.size() == 1) {
    if (!split->has_elements)
      return Unfit(context, split->unread.empty() ? "sizes that are not derived" : split->unread);
    sizes = split->elements;
  } else {
    const std::optional<int64_t> whole = terms.Number(x->dims[static_cast<size_t>(axis)]);
    const std::optional<int64_t> part = split == nullptr ? 1 : PositionOf(context, 1, 1, INT64_MAX);
    if (!part) return std::nullopt;
    if (!whole || *whole / *part > kMostParts)
      return Unfit(context, "how many entries its sequence has is no number");
    for (int64_t from = 0; from < *whole; from += *part)
      sizes.push_back(terms.Integer(std::min(*part, *whole - from)));
  }
  if (split != nullptr || IntOf(context, "keepdims", 1) != 0) {
    Results parts = BuildAll(context, "Split", {x}, {{"axis", axis}}, {{"sizes", sizes}});
    if (!parts) return std::nullopt;
    return Tensors{SequenceOf(*std::move(parts))};
  }
  Tensors entries;
  for (size_t k = 0; k < sizes.size(); ++k) {
    entries.push_back(
        Build(context, "ScanEntry", {x}, {{"axis", axis}, {"position", static_cast<int64_t>(k)}}));
    if (entries.back() == nullptr) return std::nullopt;
  }
  return Tensors{SequenceOf(std::move(entries))};
}

ModelReader::Results ModelReader::MakeOptional(const NodeContext& context) {
  if (InputOf(context, 0) != nullptr) return Tensors{context.inputs[0]};
  auto nothing = std::make_shared<Tensor>();
  nothing->held = Tensor::Held::kNothing;
  return Tensors{std::move(nothing)};
}

ModelReader::Results ModelReader::OpenOptional(const NodeContext& context) {
  const TensorPtr& held = InputOf(context, 0);
  if (held == nullptr || held->held == Tensor::Held::kNothing)
    return Unfit(context, "its optional holds nothing");
  return Tensors{held};
}

ModelReader::Results ModelReader::AskOptional(const NodeContext& context) {
  const TensorPtr& held = InputOf(context, 0);
  const bool holds = held != nullptr && held->held != Tensor::Held::kNothing;
  return Tensors{Number("bool", holds ? 1 : 0)};
}

}  // namespace tessera::recheck
