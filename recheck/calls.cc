// What importing clauses and terms call: attributes and inputs of the node, known values,
// constants.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "codegen/program.h"
#include "recheck/constants.h"
#include "recheck/declarations.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;

namespace {

bool HoldsIntegers(const std::string& dtype) {
  return dtype[0] == 'i' || dtype[0] == 'u' || dtype == "bool";
}

}  // namespace

Value Interpreter::Elements(const Value& value) {
  const TensorPtr tensor = AsTensor(value);
  if (tensor == nullptr || !tensor->has_elements)
    return Unsupported(tensor == nullptr || tensor->unread.empty() ? "elements that are not derived"
                                                                   : tensor->unread);
  std::vector<Value> items;
  for (const Dim element : tensor->elements) items.push_back(Value::Int(element));
  return Value::List(std::move(items));
}

// Where nothing is known of the elements there are none.
Value Interpreter::Extremes(const Value& value, bool all) {
  const TensorPtr tensor = AsTensor(value);
  if (tensor == nullptr) return Value::List({});
  if (tensor->has_elements) return Elements(value);
  if (!tensor->unread.empty()) return Unsupported(tensor->unread);
  std::vector<Value> items;
  if (!all) {
    asks_loose_ |= tensor->loose && !tensor->extremes.empty();
    asks_tried_ |= tensor->extremes.empty() && SourceOf(*tensor) == Tensor::Source::kSizes;
    asks_known_otherwise_ |= tensor->loose || tensor->extremes.empty();
    for (const Dim element : tensor->extremes) items.push_back(Value::Int(element));
  }
  return Value::List(std::move(items));
}

std::optional<Attribute> Interpreter::FindAttribute(const std::string& name) const {
  if (node_.arguments) {
    const auto it = node_.arguments->find(name);
    return it == node_.arguments->end() ? std::nullopt : std::optional(it->second);
  }
  const auto it = node_.attributes.find(name);
  if (it == node_.attributes.end()) return std::nullopt;
  const onnx::AttributeProto& proto = *it->second;
  Attribute attribute;
  attribute.whole = proto.i();
  attribute.real = static_cast<double>(proto.f());
  attribute.text = proto.s();
  attribute.wholes.assign(proto.ints().begin(), proto.ints().end());
  attribute.reals.assign(proto.floats().begin(), proto.floats().end());
  attribute.texts.assign(proto.strings().begin(), proto.strings().end());
  attribute.dtype = DTypeNameOf(static_cast<int>(proto.i()));
  if (proto.has_t()) attribute.tensor = ReadConstant(proto.t(), node_.folder, terms_);
  return attribute;
}

std::optional<Value> Interpreter::ImportCall(const Node& node, const NodePtr& otherwise) {
  const std::string& name = node.text;
  const std::string argument = node.children.size() == 1 && node.children[0]->kind == Node::kName
                                   ? node.children[0]->text
                                   : "";
  const std::optional<Attribute> attribute = FindAttribute(argument);
  const auto missing = [&]() -> Value {
    if (otherwise != nullptr) return Evaluate(otherwise);
    if (ok()) Wrong(absl::StrCat("the model has no attribute `", argument, "`"));
    return {};
  };
  const auto ints = [&](const auto& list) {
    std::vector<Value> items;
    for (const auto v : list) items.push_back(Value::Int(terms_.Integer(v)));
    return Value::List(std::move(items));
  };
  // Of programs there is one reading.
  if (name == "reading")
    return Truth(!node_.arguments && IsRead(session_.certificate().options, argument));
  if (name == "has_attr") return Truth(attribute.has_value());
  if (name == "attr_tensor")
    return attribute ? Value::Of(attribute->tensor)
                     : (otherwise == nullptr ? Value() : Evaluate(otherwise));
  if (absl::StartsWith(name, "attr_")) {
    if (!attribute) return missing();
    if (!attribute->unread.empty()) return Unsupported(attribute->unread);
    std::vector<Value> items;
    if (name == "attr_int") return Value::Int(terms_.Integer(attribute->whole));
    if (name == "attr_flag")
      return attribute->whole == 0 || attribute->whole == 1
                 ? Truth(attribute->whole == 1)
                 : Unsupported(absl::StrCat("`", argument, "` is neither 0 nor 1"));
    if (name == "attr_float") return Value::Float(attribute->real);
    if (name == "attr_string") return Value::Text(attribute->text);
    if (name == "attr_ints") return ints(attribute->wholes);
    if (name == "attr_dtype")
      return attribute->dtype.empty() ? Unsupported("an element type that is not known")
                                      : Value::DType(attribute->dtype);
    if (name == "attr_strings") {
      for (const std::string& text : attribute->texts) items.push_back(Value::Text(text));
      return Value::List(std::move(items));
    }
    if (name == "attr_floats") {
      for (const double v : attribute->reals) items.push_back(Value::Float(v));
      return Value::List(std::move(items));
    }
  }
  if (name == "data_size") return DataSize(node);
  if (name == "outputs")
    return Value::Int(terms_.Integer(static_cast<int64_t>(node_.wanted.size())));
  if (name == "below" && node.children.size() == 2) {
    const TensorPtr tensor = AsTensor(Evaluate(node.children[0]));
    const double bound = AsFloat(Evaluate(node.children[1]));
    if (tensor == nullptr || tensor->given) return Truth(false);
    if (!tensor->has_numbers && !tensor->has_elements)
      return Unsupported("whether elements are below a number");
    bool below = false;
    for (const double v : tensor->numbers) below = below || v < bound;
    for (const Dim e : tensor->elements) {
      const std::optional<int64_t> number = terms_.Number(e);
      if (!number) return Truth(false);  // no constant
      below = below || static_cast<double>(*number) < bound;
    }
    return Truth(below);
  }
  if (node.children.size() != 1) return std::nullopt;
  if (name == "wants") {
    const int64_t i = AsHost(Evaluate(node.children[0]));
    return Truth(i >= 0 && i < static_cast<int64_t>(node_.wanted.size()) &&
                 node_.wanted[static_cast<size_t>(i)]);
  }
  if (name == "given") return Truth(Evaluate(node.children[0]).kind != Value::kAbsent);
  if (name == "known") {
    const TensorPtr tensor = AsTensor(Evaluate(node.children[0]));
    if (tensor == nullptr || tensor->given) return Truth(false);
    if (tensor->has_numbers) return Truth(true);
    if (!tensor->has_elements && !tensor->through.empty())
      return Truth(
          std::all_of(tensor->through.begin(), tensor->through.end(),
                      [&](const Fraction& v) { return !v.under && terms_.Number(v.base); }));
    if (!tensor->has_elements) return Unsupported("whether a tensor's values are known");
    for (const Dim e : tensor->elements) {
      if (!terms_.Number(e)) return Truth(false);
    }
    return Truth(true);
  }
  if (name == "decided") {
    const TensorPtr tensor = AsTensor(Evaluate(node.children[0]));
    if (tensor == nullptr || tensor->has_elements || tensor->has_numbers ||
        !tensor->through.empty())
      return Truth(false);
    // What nobody knows here the compiler may have known.
    if (session_.Lists(node_.name, "DataSize")) return Truth(true);
    return Unsupported("whether data decide a tensor's values");
  }
  if (name == "values" || name == "value") {
    const Value input = Evaluate(node.children[0]);
    if (input.kind == Value::kAbsent) return missing();
    const Value elements = Sizes(input);
    if (name == "values" || !ok()) return elements;
    return elements.items.empty() ? Value::Int(terms_.Integer(0)) : elements.items[0];
  }
  if (name == "floats" || name == "number") {
    const Value input = Evaluate(node.children[0]);
    if (input.kind == Value::kAbsent) {
      if (otherwise == nullptr) return Value::List({});
      return Evaluate(otherwise);
    }
    const TensorPtr tensor = AsTensor(input);
    std::vector<Value> items;
    if (tensor != nullptr && tensor->has_numbers) {
      for (const double v : tensor->numbers) items.push_back(Value::Float(v));
    } else if (tensor != nullptr && tensor->has_elements) {
      for (const Dim e : tensor->elements) items.push_back(Value::Float(AsFloat(Value::Int(e))));
    } else if (tensor != nullptr && !tensor->through.empty() && !tensor->has_elements) {
      // Of sizes that are numbers.
      for (const Fraction& v : tensor->through) {
        const std::optional<int64_t> base = terms_.Number(v.base);
        if (!base || v.under || v.restored) return Unsupported("numbers that depend on sizes");
        const double number = static_cast<double>(*base) * static_cast<double>(v.scale) /
                              static_cast<double>(v.divisor);
        items.push_back(
            Value::Float(v.bits == 24 ? static_cast<double>(static_cast<float>(number)) : number));
      }
      session_.TakeExact(node_.name, tensor->needs);
    } else {
      return Unsupported("numbers that are not in the model");
    }
    if (name == "floats") return Value::List(std::move(items));
    return items.empty() ? Value::Float(0) : items[0];
  }
  if (name == "int" || name == "ints") {
    const Value input = Evaluate(node.children[0]);
    if (input.kind != Value::kTensor) {
      if (input.kind == Value::kFloat && name == "int")
        return Value::Int(terms_.Integer(static_cast<int64_t>(input.number)));
      return input;
    }
    const Value elements = Sizes(input);
    if (name == "ints" || !ok()) return elements;
    return elements.items.empty() ? Value::Int(terms_.Integer(0)) : elements.items[0];
  }
  return std::nullopt;
}

std::optional<Value> Interpreter::TermCall(const Node& node) {
  const std::string& name = node.text;
  if (name == "static" && node.children.size() == 1) {
    const Value value = Evaluate(node.children[0]);
    if (value.kind == Value::kInt) return Truth(terms_.Number(value.dim).has_value());
    bool all = true;
    for (const Value& item : value.items)
      all = all && (item.kind != Value::kInt || terms_.Number(item.dim).has_value());
    return Truth(all);
  }
  if (name == "constant" && node.children.size() == 1) {
    const TensorPtr tensor = AsTensor(Evaluate(node.children[0]));
    return Truth(tensor != nullptr && tensor->has_numbers);
  }
  if (name == "int" && node.children.size() == 1) {
    const Value value = Evaluate(node.children[0]);
    if (value.kind == Value::kFloat)
      return Value::Int(terms_.Integer(static_cast<int64_t>(value.number)));
    return Value::Int(terms_.Integer(AsHost(value)));
  }
  if (name == "ints" && node.children.size() == 1) return Evaluate(node.children[0]);
  if (name == "proved") return Truth(!node.children.empty() && Guard(node.children[0]));
  if (name == "fold" && node.children.size() == 2 && node.children[0]->kind == Node::kName) {
    const codegen::Op* op = Definitions().FindOp(dialect_, node.children[0]->text);
    const Value list = Evaluate(node.children[1]);
    if (op == nullptr || list.kind != Value::kList || list.items.empty())
      return Unsupported("a fold over no op");
    Value result = list.items[0];
    for (size_t i = 1; ok() && i < list.items.size(); ++i)
      result = Value::Of(Build(*op, {result, list.items[i]}, {})[0]);
    return result;
  }
  if ((name == "tensor" || name == "scalar" || name == "fill") && node.children.size() >= 2) {
    const Value first = Evaluate(node.children[0]);
    const Value dtype = Evaluate(node.children.back());
    if (dtype.kind != Value::kDType) return Unsupported("a constant of no dtype");
    auto tensor = std::make_shared<Tensor>();
    tensor->dtype = dtype.text;
    std::vector<Value> items;
    if (name == "tensor") {
      if (first.kind != Value::kList) return Unsupported("a tensor of no list");
      items = first.items;
      tensor->dims = {terms_.Integer(static_cast<int64_t>(items.size()))};
    } else if (name == "scalar") {
      items = {first};
    } else {
      tensor->dims = AsDims(Evaluate(node.children[1]));
      int64_t count = 1;
      for (const Dim dim : tensor->dims) count *= AsHost(Value::Int(dim));
      if (!ok() || count < 0) return Value();
      items.assign(static_cast<size_t>(std::min(count, kMaxTracked)), first);
      if (count > kMaxTracked) return Value::Of(std::move(tensor));
    }
    tensor->has_numbers = true;
    tensor->has_elements = HoldsIntegers(dtype.text);
    for (Value& item : items) {
      if (item.kind == Value::kInt && !terms_.Number(item.dim)) {
        if (const auto number = session_.DecidedNumber(node_.name, item.dim))
          item = Value::Int(terms_.Integer(*number));
      }
      const bool number = item.kind == Value::kFloat || terms_.Number(AsDim(item));
      if (!number) tensor->has_numbers = false;
      if (number) tensor->numbers.push_back(AsFloat(item));
      if (!tensor->has_elements) continue;
      tensor->elements.push_back(item.kind == Value::kFloat
                                     ? terms_.Integer(static_cast<int64_t>(item.number))
                                     : AsDim(item));
    }
    return Value::Of(std::move(tensor));
  }
  return std::nullopt;
}

}  // namespace tessera::recheck
