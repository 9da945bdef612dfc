#include "recheck/program_reader.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "recheck/einsum.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {
namespace {

// No arguments, but read like them.
constexpr char kResult[] = "result", kStrides[] = "strides", kMost[] = "most";

bool IsPlacement(const ProgramArgument& argument) {
  static constexpr std::array<const char*, 5> kNames = {"device", "layout", "memory_format",
                                                        "pin_memory", "non_blocking"};
  return argument.placement || std::any_of(kNames.begin(), kNames.end(),
                                           [&](const char* name) { return argument.name == name; });
}

const ProgramArgument* Find(const ProgramCall& call, const std::string& name) {
  for (const ProgramArgument& argument : call.arguments) {
    if (argument.name == name) return argument.IsGiven() ? &argument : nullptr;
  }
  return nullptr;
}

// The name of the tensor that the first argument is; empty: it is none.
std::string SelfOf(const ProgramCall& call) {
  if (call.arguments.empty() || call.arguments[0].items.size() != 1) return "";
  const ProgramItem& item = call.arguments[0].items[0];
  return item.kind == ProgramItem::kName ? item.text : "";
}

// `xs[1]`: an entry of an argument that is a list.
struct Entry {
  std::string argument;
  std::optional<size_t> index;
};
Entry EntryOf(const std::string& text) {
  const size_t bracket = text.find('[');
  size_t index = 0;
  if (bracket == std::string::npos ||
      !absl::SimpleAtoi(text.substr(bracket + 1, text.size() - bracket - 2), &index))
    return {text, std::nullopt};
  return {text.substr(0, bracket), index};
}

// Of clauses that name a function, the one that is derived here.
bool IsEinsum(const Overload& overload) {
  const std::vector<std::string>& makers = overload.op->makers;
  return !overload.clause->function.empty() &&
         std::find(makers.begin(), makers.end(), "recheck/einsum.cc") != makers.end();
}

}  // namespace

std::string ProgramReader::Misfit(const ProgramCall& call, const Overload& overload) const {
  if (!overload.clause->function.empty() && !IsEinsum(overload))
    return absl::StrCat("its definition is a function, `", overload.clause->function,
                        "`, which is not derived again");
  const std::set<std::string>& read = AttributesRead(*overload.clause);
  for (const ProgramArgument& argument : call.arguments) {
    if (IsPlacement(argument)) continue;
    if (!argument.known) return absl::StrCat("its argument `", argument.name, "` cannot be read");
    if (!argument.IsGiven() || read.contains(argument.name)) continue;
    const bool type = argument.items.size() == 1 && argument.items[0].kind == ProgramItem::kType;
    const auto& inputs = overload.clause->arguments;
    const bool taken =
        (type && read.contains(kResult)) ||
        std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
          return EntryOf(std::string(absl::StripSuffix(input, "..."))).argument == argument.name;
        });
    if (!taken)
      return absl::StrCat("the definition does not read its argument `", argument.name, "`");
  }
  for (const ProgramArgument& argument : call.arguments) {
    for (const ProgramItem& item : argument.items) {
      if (item.kind != ProgramItem::kName) continue;
      const auto it = values_.find(item.text);
      if (it == values_.end() || it->second.tensor == nullptr)
        return "it reads what is not derived";
    }
  }
  return "";
}

TensorPtr ProgramReader::TensorOf(const ProgramItem& item) {
  return PartOf(item, imaginary_.contains(&item));
}

TensorPtr ProgramReader::PartOf(const ProgramItem& item, bool imaginary) {
  if (item.kind == ProgramItem::kName) {
    const auto it = values_.find(item.text);
    if (it == values_.end()) return nullptr;
    return imaginary ? it->second.imaginary : it->second.tensor;
  }
  if (imaginary && item.kind != ProgramItem::kComplex) return nullptr;
  auto tensor = std::make_shared<Tensor>();
  if (item.kind == ProgramItem::kInteger) {
    tensor->dtype = "i64";
  } else if (item.kind == ProgramItem::kBool) {
    tensor->dtype = "bool";
  } else if (item.kind == ProgramItem::kFloat || item.kind == ProgramItem::kComplex) {
    tensor->dtype = "f64";
  } else {
    return nullptr;
  }
  tensor->has_numbers = true;
  tensor->numbers = {imaginary ? item.imaginary : item.real};
  tensor->has_elements = tensor->dtype != "f64";
  if (tensor->has_elements) tensor->elements = {session_.terms().Integer(item.whole)};
  return tensor;
}

TensorPtr ProgramReader::ListOf(const ProgramArgument& argument) {
  auto list = std::make_shared<Tensor>();
  list->dtype = "i64";
  list->dims = {session_.terms().Integer(static_cast<int64_t>(argument.items.size()))};
  list->has_elements = list->has_numbers = true;
  for (const ProgramItem& item : argument.items) {
    const TensorPtr entry = TensorOf(item);
    if (entry == nullptr || !entry->has_elements || entry->elements.size() != 1) {
      list->unread = "a list of sizes that are not derived";
      list->has_elements = list->has_numbers = false;
      return list;
    }
    list->elements.push_back(entry->elements[0]);
    const std::optional<int64_t> number = session_.terms().Number(entry->elements[0]);
    list->has_numbers = list->has_numbers && number.has_value();
    list->numbers.push_back(static_cast<double>(number.value_or(0)));
  }
  if (!list->has_numbers) list->numbers.clear();
  return list;
}

std::vector<TensorPtr> ProgramReader::InputsOf(const ProgramCall& call, const Overload& overload) {
  const std::vector<std::string>& names = overload.clause->arguments;
  std::vector<TensorPtr> inputs;
  // A clause that names a function lists the attributes that this reads as inputs.
  const bool function = !overload.clause->function.empty();
  for (size_t i = 0; i < names.size(); ++i) {
    const bool list = absl::EndsWith(function ? names[i] : overload.clause->inputs[i], "...");
    const Entry entry = EntryOf(std::string(absl::StripSuffix(names[i], "...")));
    const ProgramArgument* const argument = Find(call, entry.argument);
    if (list) {
      if (argument == nullptr) continue;
      for (const ProgramItem& item : argument->items) inputs.push_back(TensorOf(item));
    } else if (entry.index && overload.clause->complex && argument != nullptr && !argument->list) {
      inputs.push_back(PartOf(argument->items[0], *entry.index == 1));
    } else if (entry.index) {
      inputs.push_back(argument != nullptr && *entry.index < argument->items.size()
                           ? TensorOf(argument->items[*entry.index])
                           : nullptr);
    } else {
      inputs.push_back(argument == nullptr ? nullptr
                       : argument->list    ? ListOf(*argument)
                                           : TensorOf(argument->items[0]));
    }
  }
  return inputs;
}

Attribute ProgramReader::AttributeOf(const ProgramArgument& argument) {
  Attribute attribute;
  for (const ProgramItem& item : argument.items) {
    int64_t whole = item.whole;
    double real = item.real;
    if (item.kind == ProgramItem::kName) {
      const TensorPtr tensor = TensorOf(item);
      const std::optional<int64_t> number =
          tensor != nullptr && tensor->has_elements && tensor->elements.size() == 1
              ? session_.terms().Number(tensor->elements[0])
              : std::nullopt;
      if (number) {
        whole = *number;
        real = static_cast<double>(whole);
      } else if (tensor != nullptr && tensor->has_numbers && tensor->numbers.size() == 1) {
        real = tensor->numbers[0];
        if (std::abs(real) < 1e15) whole = static_cast<int64_t>(real);
      } else {
        attribute.unread = absl::StrCat("`", argument.name, "`, which is no number");
      }
    }
    attribute.wholes.push_back(whole);
    attribute.reals.push_back(real);
    attribute.texts.push_back(item.text);
  }
  if (argument.items.empty()) return attribute;
  attribute.whole = attribute.wholes[0];
  attribute.real = attribute.reals[0];
  attribute.text = attribute.texts[0];
  if (argument.items[0].kind == ProgramItem::kType) attribute.dtype = attribute.text;
  if (!argument.list) attribute.tensor = TensorOf(argument.items[0]);
  return attribute;
}

Arguments ProgramReader::ArgumentsOf(const ProgramCall& call, const Overload& overload) {
  Arguments arguments;
  for (const ProgramArgument& argument : call.arguments) {
    if (argument.IsGiven()) arguments[argument.name] = AttributeOf(argument);
  }
  const std::set<std::string>& read = AttributesRead(*overload.clause);
  const auto result =
      call.results.empty() ? program_.tensors.end() : program_.tensors.find(call.results[0]);
  if (read.contains(kResult) && result != program_.tensors.end())
    arguments.try_emplace(kResult).first->second.dtype = result->second.dtype;
  if (read.contains(kMost) && !call.results.empty()) {
    if (const std::optional<int64_t> most = MostOf(call.results[0])) {
      Attribute attribute;
      attribute.whole = *most;
      arguments.try_emplace(kMost, attribute);
    }
  }
  const auto self = program_.tensors.find(SelfOf(call));
  if (read.contains(kStrides) && self != program_.tensors.end()) {
    Attribute strides;
    bool numbers = self->second.offset == 0;
    for (const ProgramSize& stride : self->second.strides) {
      numbers = numbers && stride.text.empty();
      strides.wholes.push_back(stride.number);
    }
    if (numbers) arguments.try_emplace(kStrides, strides);
  }
  return arguments;
}

void ProgramReader::WriteOver(const ProgramCall& call, const std::string& name,
                              const Numbers& result) {
  const Slot self = values_[name];
  bool shared = false;
  for (auto& [other, slot] : values_) {
    if (slot.memory != self.memory) continue;
    shared = shared || slot.identity != self.identity;
    // Of a view, and of what it is a view of, what it is from now on is not followed.
    const bool same = slot.identity == self.identity;
    slot.tensor = same ? result.tensor : nullptr;
    slot.imaginary = same ? result.imaginary : nullptr;
  }
  if (shared) session_.Leave(call.name, "what it writes to other names of the memory");
}

std::optional<std::vector<TensorPtr>> ProgramReader::Interpret(const ProgramCall& call,
                                                               const Overload& overload,
                                                               std::vector<bool> wanted) {
  NodeContext context;
  context.name = call.name;
  context.op = call.overload;
  context.outputs = static_cast<int>(wanted.size());
  context.wanted = std::move(wanted);
  context.inputs = InputsOf(call, overload);
  context.arguments = ArgumentsOf(call, overload);
  if (IsEinsum(overload)) {
    const auto equation = context.arguments->find("equation");
    return DeriveEinsum(session_, context,
                        equation == context.arguments->end() ? "" : equation->second.text);
  }
  Interpreter interpreter(session_, context);
  std::vector<TensorPtr> results = interpreter.Import({overload.op, overload.clause});
  if (!interpreter.Finish()) return std::nullopt;
  return results;
}

void ProgramReader::Call(const ProgramCall& call, const std::set<std::string>& read) {
  ++nodes_;
  session_.Visit(call.name);
  const Overload overload = FindOverload(call.overload, SpeaksOfComplex(call));
  std::vector<bool> wanted;
  for (const std::string& result : call.results)
    wanted.push_back(!result.empty() && read.contains(result));
  const std::string self = SelfOf(call);
  const Numbers before =
      self.empty() ? Numbers() : Numbers{values_[self].tensor, values_[self].imaginary};
  Results results;
  if (call.part != ProgramCall::kCall) {
    results = LoopPart(call);
  } else if (overload.clause == nullptr) {
    session_.Leave(call.name, absl::StrCat("no definition imports `", call.overload, "`"));
  } else if (const std::string misfit = Misfit(call, overload); !misfit.empty()) {
    session_.Leave(call.name, misfit);
  } else {
    results = Derive(call, overload, wanted);
  }
  const auto result_at = [&](size_t i) -> Numbers {
    if (results) return i < results->size() ? (*results)[i] : Numbers();
    const std::string& name = call.results[i];
    if (!IsComplexResult(call, i)) return {session_.Listed(name), nullptr};
    return {session_.Listed(name + ".real"), session_.Listed(name + ".imag")};
  };
  const bool alias = overload.clause != nullptr && (overload.clause->view || overload.in_place);
  for (size_t i = 0; i < call.results.size(); ++i) {
    const std::string& name = call.results[i];
    if (name.empty()) continue;
    const Numbers result = result_at(i);
    Slot slot{.tensor = result.tensor, .imaginary = result.imaginary};
    slot.identity = slot.memory = ++slots_;
    if (alias && !self.empty() && (overload.in_place || !IsCopy(call, overload, name)))
      slot.memory = values_[self].memory;
    if (overload.in_place && !self.empty()) slot.identity = values_[self].identity;
    const bool complex = slot.imaginary != nullptr;
    if (slot.tensor != nullptr) MeetLeast(name, *slot.tensor);
    session_.Name(slot.tensor, complex ? name + ".real" : name);
    if (complex) session_.Name(slot.imaginary, name + ".imag");
    if (!values_.emplace(name, slot).second)
      session_.Fail(absl::StrCat("the program has two values that are called `", name, "`"));
  }
  if (!overload.in_place || self.empty()) return;
  const Numbers result = call.results.empty() ? Numbers() : result_at(0);
  if (result.tensor == nullptr || !(result == before)) WriteOver(call, self, result);
}

// Of what may be a view of its first argument: whether it is none, by the names of PyTorch
// (`select_copy`), because it is asked to be, or since it is of another type.
bool ProgramReader::IsCopy(const ProgramCall& call, const Overload& overload,
                           const std::string& result) const {
  constexpr char kCopy[] = "copy";
  if (absl::EndsWith(call.overload.substr(0, call.overload.find('.')), "_copy")) return true;
  for (const ProgramArgument& argument : call.arguments) {
    if (argument.name == kCopy && argument.items.size() == 1 &&
        argument.items[0].kind == ProgramItem::kBool && argument.items[0].whole != 0)
      return true;
  }
  const auto whole = program_.tensors.find(SelfOf(call)), part = program_.tensors.find(result);
  return AttributesRead(*overload.clause).contains(kCopy) && whole != program_.tensors.end() &&
         part != program_.tensors.end() &&
         (whole->second.dtype != part->second.dtype ||
          whole->second.complex != part->second.complex);
}

// What is changed goes in and comes out: after decomposition the signature says so, before it
// does what writes over its first argument, or over a view of it.
void ProgramReader::FindChanged() {
  std::map<std::string, std::string> memory;
  for (const ProgramInput& input : program_.inputs) {
    memory[input.name] = input.name;
    const auto it = program_.changed.find(input.stored.empty() ? input.name : input.stored);
    if (it != program_.changed.end()) changed_[input.name] = it->second;
  }
  for (const ProgramCall& call : program_.calls) {
    const Overload overload = FindOverload(call.overload, SpeaksOfComplex(call));
    const auto self = memory.find(SelfOf(call));
    if (overload.clause == nullptr || self == memory.end()) continue;
    if (!overload.clause->view && !overload.in_place) continue;
    const std::string input = self->second;
    for (const std::string& result : call.results) {
      if (overload.in_place || !IsCopy(call, overload, result)) memory[result] = input;
    }
    if (overload.in_place && !overload.clause->view) changed_.try_emplace(input, input);
  }
}

TensorPtr ProgramReader::ListedInput(const ProgramInput& input, const std::string& name) {
  const auto& inputs = session_.certificate().inputs;
  const auto it = std::find_if(inputs.begin(), inputs.end(),
                               [&](const auto& listed) { return listed.name == name; });
  if (it == inputs.end()) {
    session_.Fail(absl::StrCat("input `", name, "` of the model is not listed"));
    return nullptr;
  }
  if (static_cast<size_t>(it - inputs.begin()) != listed_.size())
    session_.Fail(absl::StrCat("input `", name, "` is not listed where the model has it"));
  listed_.insert(name);
  TensorPtr tensor = session_.Listed(*it);
  session_.Name(tensor, name);
  Input(input, *it);
  return tensor;
}

void ProgramReader::Inputs() {
  const certificate::Certificate& certificate = session_.certificate();
  std::vector<const ProgramInput*> states;
  std::set<std::string> users;
  for (const ProgramInput& input : program_.inputs) {
    if (input.kind == ProgramInput::kUser) users.insert(input.name);
    Slot slot;
    slot.identity = slot.memory = ++slots_;
    session_.Visit(input.kind == ProgramInput::kStored ? input.stored : input.name);
    if (input.kind == ProgramInput::kStored && changed_.contains(input.name)) {
      states.push_back(&input);
    } else if (input.kind == ProgramInput::kStored) {
      slot.tensor = Stored(input);
      session_.Name(slot.tensor, input.stored);
      TakeParts(input, input.stored, slot);
    } else if (input.kind == ProgramInput::kUser && input.tensor) {
      const bool bound = std::any_of(
          certificate.options.begin(), certificate.options.end(), [&](const std::string& option) {
            return absl::StartsWith(option, absl::StrCat("--bind ", input.name, "="));
          });
      if (bound) {
        session_.Leave(input.name, "it is bound to a file, which is not read");
      } else {
        slot.tensor = ListedInput(input, input.name);
        TakeParts(input, input.name, slot);
      }
    } else if (input.kind != ProgramInput::kNumber) {
      session_.Leave(input.name, "an input of another kind");
    }
    if (!values_.emplace(input.name, slot).second)
      session_.Fail(absl::StrCat("the program has two inputs that are called `", input.name, "`"));
  }
  // Behind those of the caller's, what the program keeps from call to call.
  for (const ProgramInput* state : states) {
    Slot& slot = values_[state->name];
    slot.tensor = ListedInput(*state, users.contains(state->stored) ? state->name : state->stored);
    TakeParts(*state, state->stored, slot);
  }
  for (const auto& listed : certificate.inputs) {
    // Those that are left are of another name, or listed again.
    if (listed_.erase(listed.name) == 0)
      session_.Fail(absl::StrCat("`", listed.name,
                                 "` is listed as an input, the model has none of that name"));
  }
  for (const certificate::FileDigest& data : certificate.data)
    session_.Fail(
        absl::StrCat("the file `", data.file, "` is listed, which the model does not name"));
}

void ProgramReader::Input(const ProgramInput& input, const certificate::ListedTensor& listed) {
  const TensorPtr tensor = session_.Listed(listed);
  if (tensor->has_elements)
    session_.Fail(absl::StrCat("input `", input.name, "` is listed with elements"));
  const auto stated = program_.tensors.find(input.name);
  // Parts lie along a last axis.
  const bool complex = stated != program_.tensors.end() && stated->second.complex;
  if (stated == program_.tensors.end() || stated->second.dtype != tensor->dtype ||
      stated->second.sizes.size() + (complex ? 1 : 0) != tensor->dims.size() ||
      (complex && session_.terms().Number(tensor->dims.back()) != 2)) {
    session_.Fail(absl::StrCat("input `", input.name, "` is listed with another type or rank"));
    return;
  }
  for (size_t d = 0; d < stated->second.sizes.size(); ++d) {
    const ProgramSize& size = stated->second.sizes[d];
    axes_.push_back({input.name, static_cast<int64_t>(d), size.text, tensor->dims[d]});
    if (size.text.empty() && session_.terms().Number(tensor->dims[d]) != size.number)
      session_.Fail(absl::StrCat(axes_.back().Origin(), " is listed as `",
                                 session_.terms().Text(tensor->dims[d]), "`, the model has ",
                                 size.number));
  }
}

void ProgramReader::Outputs(const std::vector<std::string>& outputs) {
  const std::vector<std::string>& listed = session_.certificate().outputs;
  if (listed.size() != outputs.size()) {
    session_.Fail(absl::StrCat("the model has ", outputs.size(), " outputs, the certificate lists ",
                               listed.size()));
    return;
  }
  for (size_t i = 0; i < listed.size(); ++i) {
    const auto it = values_.find(outputs[i]);
    TensorPtr tensor = it == values_.end() ? nullptr : it->second.tensor;
    const auto stated = program_.tensors.find(outputs[i]);
    if (stated != program_.tensors.end() && stated->second.complex) {
      session_.Visit(outputs[i]);
      if (tensor == nullptr || it->second.imaginary == nullptr) {
        session_.Leave(outputs[i], "it reads what is not derived");
        continue;
      }
      tensor = Joined(outputs[i], {tensor, it->second.imaginary});
      session_.Name(tensor, outputs[i]);
    }
    const std::string wrong = session_.WrongName(listed[i], tensor);
    if (tensor != nullptr && !wrong.empty())
      session_.Fail(absl::StrCat("output `", outputs[i], "` is listed as the tensor `", listed[i],
                                 "`, ", wrong));
  }
}

void ProgramReader::Run() {
  FindChanged();
  Inputs();
  Sizes();
  std::vector<std::string> outputs = program_.outputs;
  for (const ProgramInput& input : program_.inputs) {
    if (const auto it = changed_.find(input.name); it != changed_.end())
      outputs.push_back(it->second);
  }
  std::set<std::string> read(outputs.begin(), outputs.end());
  for (const ProgramCall& call : program_.calls) {
    for (const ProgramArgument& argument : call.arguments) {
      for (const ProgramItem& item : argument.items) {
        if (item.kind == ProgramItem::kName) read.insert(item.text);
      }
    }
  }
  for (const ProgramCall& call : program_.calls) Call(call, read);
  CompareLeast();
  Outputs(outputs);
}

}  // namespace tessera::recheck
