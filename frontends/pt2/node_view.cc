#include "frontends/pt2/node_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/known_value.h"
#include "frontends/onnx/quoting.h"
#include "ir/absl_view.h"

namespace tessera::pt2_import {

using onnx_import::Quoted;

namespace {

constexpr std::string_view kMost = "most";

}  // namespace

bool IsComplex(const Item& item, const Values& values) {
  if (item.kind != Item::kName) return item.kind == Item::kComplex;
  const auto it = values.find(item.text);
  return it != values.end() && it->second.complex();
}

std::vector<const Item*> ComplexItems(const Node& node, const Values& values) {
  std::vector<const Item*> items;
  for (const Argument& argument : node.inputs) {
    for (const Item& item : argument.items) {
      if (IsComplex(item, values)) items.push_back(&item);
    }
  }
  return items;
}

NodeView::NodeView(const Node& node, const ir::AtenInfo& info, const Values& values,
                   std::vector<const Item*> imaginary, std::vector<bool> wanted, ResultFacts result,
                   Placement placement, ir::TermBuilder& builder)
    : node_(node),
      values_(values),
      imaginary_(std::move(imaginary)),
      complex_(info.numbers != ir::AtenNumbers::kReal),
      wanted_(std::move(wanted)),
      result_(result),
      placement_(std::move(placement)),
      builder_(builder) {
  for (const std::string_view input : info.inputs) {
    // `xs...` is a list, `xs[1]` an entry of one, or the imaginary part of a complex number.
    const bool pack = absl::EndsWith(ir::AbslView(input), "...");
    const size_t bracket = input.find('[');
    const std::string name(input.substr(0, pack ? input.size() - 3 : bracket));
    const Argument* argument = Find(name);
    if (bracket != std::string_view::npos) {
      size_t entry = 0;
      const bool is_index = absl::SimpleAtoi(
          ir::AbslView(input.substr(bracket + 1, input.size() - bracket - 2)), &entry);
      names_.push_back(name);
      ir::Value* value = nullptr;
      if (is_index && argument != nullptr && info.numbers == ir::AtenNumbers::kComplex &&
          !argument->list && entry < 2)
        value = PartOf(argument->items[0], entry == 0 ? Part::kReal : Part::kImaginary);
      else if (is_index && argument != nullptr && entry < argument->items.size())
        value = ValueOf(argument->items[entry]);
      inputs_.push_back(value);
      continue;
    }
    if (pack) {
      if (argument == nullptr) continue;
      for (const Item& item : argument->items) {
        inputs_.push_back(ValueOf(item));
        names_.push_back(name);
      }
      continue;
    }
    names_.push_back(name);
    inputs_.push_back(argument == nullptr ? nullptr
                      : argument->list    ? ListOf(*argument)
                                          : ValueOf(argument->items[0]));
  }
}

ir::Value* NodeView::ValueOf(const Item& item) {
  const bool imaginary = std::find(imaginary_.begin(), imaginary_.end(), &item) != imaginary_.end();
  return PartOf(item, imaginary ? Part::kImaginary : Part::kReal);
}

ir::Value* NodeView::PartOf(const Item& item, Part part) {
  if (item.kind == Item::kComplex)
    return builder_.ScalarOf(part == Part::kReal ? item.real : item.imaginary, ir::DType::kF64);
  if (item.kind == Item::kName) {
    const auto it = values_.find(item.text);
    if (it == values_.end()) return nullptr;
    return part == Part::kReal ? it->second.real : it->second.imaginary;
  }
  if (part == Part::kImaginary) return nullptr;
  switch (item.kind) {
    case Item::kInt:
      return builder_.ScalarOf(item.number, ir::DType::kI64);
    case Item::kBool:
      return builder_.ScalarOf(item.number, ir::DType::kBool);
    case Item::kFloat:
      return builder_.ScalarOf(item.real, ir::DType::kF64);
    default:
      return nullptr;
  }
}

ir::Value* NodeView::ListOf(const Argument& argument) {
  std::vector<ir::Expr> elements;
  for (const Item& item : argument.items) {
    if (item.kind == Item::kInt || item.kind == Item::kBool) {
      elements.emplace_back(item.number);
      continue;
    }
    ir::Value* value = item.kind == Item::kName ? ValueOf(item) : nullptr;
    if (value == nullptr) {
      Fail(absl::StrCat("argument ", Quoted(argument.name), " is no list of sizes"));
      return nullptr;
    }
    const std::vector<ir::Expr> known = Elements(value);
    if (known.size() != 1) return nullptr;
    elements.push_back(known[0]);
  }
  return builder_.TensorOf(elements, ir::DType::kI64);
}

const Argument* NodeView::Find(std::string_view name) const {
  const auto it = std::find_if(node_.inputs.begin(), node_.inputs.end(),
                               [&](const Argument& argument) { return argument.name == name; });
  if (it == node_.inputs.end() || it->placement) return nullptr;
  if (!it->list && (it->items.empty() || it->items[0].kind == Item::kNone)) return nullptr;
  return &*it;
}

ir::Value* NodeView::Input(int index) const {
  return index >= 0 && static_cast<size_t>(index) < inputs_.size() ? inputs_[index] : nullptr;
}

bool NodeView::Wants(int output) const {
  return output >= 0 && static_cast<size_t>(output) < wanted_.size() && wanted_[output];
}

bool NodeView::HasAttr(std::string_view name) const {
  return Find(name) != nullptr || (name == kMost && result_.most.has_value());
}

std::optional<int64_t> NodeView::IntOf(const Argument& argument, const Item& item) {
  if (item.kind == Item::kInt || item.kind == Item::kBool) return item.number;
  if (item.kind == Item::kFloat && item.real == std::floor(item.real) && std::abs(item.real) < 9e15)
    return static_cast<int64_t>(item.real);
  if (item.kind == Item::kName) {
    if (ir::Value* value = ValueOf(item)) {
      const std::vector<ir::Expr> known = Elements(value);
      if (known.size() == 1 && known[0].IsConstant()) return *known[0].Constant();
      if (known.size() == 1)
        Fail(absl::StrCat("argument ", Quoted(argument.name), " is ", known[0].ToString(),
                          "; it must be a number that is known at compile time"));
      return std::nullopt;
    }
  }
  Fail(absl::StrCat("argument ", Quoted(argument.name), " is no whole number"));
  return std::nullopt;
}

std::optional<double> NodeView::FloatOf(const Argument& argument, const Item& item) {
  if (item.kind == Item::kFloat) return item.real;
  const std::optional<int64_t> number = IntOf(argument, item);
  return number ? std::optional<double>(static_cast<double>(*number)) : std::nullopt;
}

std::optional<int64_t> NodeView::Int(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr && name == "inside" && placement_.inside) return 1;
  if (argument == nullptr && name == kMost) return result_.most;
  if (argument == nullptr || argument->items.size() != 1) {
    if (argument != nullptr) Fail(absl::StrCat("argument ", Quoted(argument->name), " is a list"));
    return std::nullopt;
  }
  return IntOf(*argument, argument->items[0]);
}

std::optional<double> NodeView::Float(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr || argument->items.size() != 1) {
    if (argument != nullptr) Fail(absl::StrCat("argument ", Quoted(argument->name), " is a list"));
    return std::nullopt;
  }
  return FloatOf(*argument, argument->items[0]);
}

std::optional<std::string> NodeView::String(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return std::nullopt;
  if (argument->items.size() == 1 && argument->items[0].kind == Item::kText)
    return argument->items[0].text;
  Fail(absl::StrCat("argument ", Quoted(argument->name), " is no text"));
  return std::nullopt;
}

std::optional<std::vector<int64_t>> NodeView::Ints(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr && name == "strides") return placement_.strides;
  if (argument == nullptr) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const Item& item : argument->items) {
    const std::optional<int64_t> number = IntOf(*argument, item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<double>> NodeView::Floats(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (const Item& item : argument->items) {
    const std::optional<double> number = FloatOf(*argument, item);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

std::optional<std::vector<std::string>> NodeView::Strings(std::string_view name) {
  const Argument* argument = Find(name);
  if (argument == nullptr) return std::nullopt;
  std::vector<std::string> texts;
  for (const Item& item : argument->items) texts.push_back(item.text);
  return texts;
}

std::optional<ir::DType> NodeView::DTypeAttr(std::string_view name) {
  std::optional<int64_t> number = name == "result" ? result_.type : std::nullopt;
  if (const Argument* argument = Find(name);
      argument != nullptr && argument->items[0].kind == Item::kType)
    number = argument->items[0].number;
  if (!number) return std::nullopt;
  const absl::StatusOr<ir::DType> dtype = complex_ ? HeldTypeOf(*number) : DTypeOf(*number);
  if (dtype.ok()) return *dtype;
  Fail(std::string(dtype.status().message()));
  return std::nullopt;
}

ir::Value* NodeView::TensorAttr(std::string_view name) {
  const Argument* argument = Find(name);
  return argument == nullptr || argument->list ? nullptr : ValueOf(argument->items[0]);
}

std::string NodeView::InputName(const ir::Value* input) const {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i] == input) return absl::StrCat("argument ", Quoted(names_[i]));
  }
  return "an argument";
}

std::vector<ir::Expr> NodeView::Elements(ir::Value* input) {
  if (input == nullptr) {
    Fail("the elements of an absent argument are needed");
    return {};
  }
  solver::Context& context = builder_.rewriter().graph().context();
  if (std::optional<std::vector<ir::Expr>> elements =
          onnx_import::KnownElements(context, *input, builder_.rewriter().location().ToString()))
    return *std::move(elements);
  Fail(absl::StrCat("the elements of ", InputName(input), " must be known at compile time; ",
                    onnx_import::WhyUnknown(context, *input)));
  return {};
}

bool NodeView::DependsOnData(const ir::Value* input) const {
  return input != nullptr && onnx_import::DependsOnData(*input);
}

std::vector<double> NodeView::Numbers(ir::Value* input) {
  if (input == nullptr) {
    Fail("the values of an absent argument are needed");
    return {};
  }
  if (const std::optional<ir::Tensor> tensor = onnx_import::EvaluateSmall(*input)) {
    std::vector<double> numbers(static_cast<size_t>(tensor->size()));
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = tensor->AsDouble(static_cast<int64_t>(i));
    return numbers;
  }
  Fail(absl::StrCat("the values of ", InputName(input), " must be known numbers at compile time; ",
                    onnx_import::WhyUnknown(builder_.rewriter().graph().context(), *input)));
  return {};
}

bool NodeView::HasNumbers(const ir::Value* input) const {
  return input != nullptr && onnx_import::EvaluateSmall(*input).has_value();
}

void NodeView::Fail(std::string reason) {
  if (std::find(failures_.begin(), failures_.end(), reason) == failures_.end())
    failures_.push_back(std::move(reason));
}

}  // namespace tessera::pt2_import
