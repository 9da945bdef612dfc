// The part of ProgramImporter that deals with complex tensors, of which the graph has the real and
// the imaginary part.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "frontends/onnx/quoting.h"
#include "frontends/pt2/program_importer.h"
#include "ir/absl_view.h"

namespace tessera::pt2_import {
namespace {

using onnx_import::Quoted;

// How parts of products are put together, by clauses for calls that no program has.
constexpr char kSum[] = "<complex>.add", kDifference[] = "<complex>.sub";

// The name that an argument of such a call has. No program has it: names are without blanks.
std::string NameOf(size_t argument) { return absl::StrCat("argument ", argument); }

// A call of an overload of `self` and, if there are two arguments, `other`.
Node CallOf(const std::string& overload, size_t arguments) {
  Node node;
  node.target = overload;
  for (size_t i = 0; i < arguments; ++i) {
    Item item;
    item.kind = Item::kName;
    item.text = NameOf(i);
    Argument argument;
    argument.name = i == 0 ? "self" : "other";
    argument.form = "as_tensor";
    argument.items.push_back(std::move(item));
    node.inputs.push_back(std::move(argument));
  }
  return node;
}

}  // namespace

bool ProgramImporter::IsComplex(const std::string& name) const {
  const TensorMeta* meta = MetaOf(name);
  return meta != nullptr && PartTypeOf(meta->dtype).has_value();
}

bool ProgramImporter::SpeaksOfComplex(const Node& node) const {
  for (const std::vector<Argument>* arguments : {&node.inputs, &node.outputs}) {
    for (const Argument& argument : *arguments) {
      for (const Item& item : argument.items) {
        if (item.kind == Item::kComplex || (item.kind == Item::kName && IsComplex(item.text)))
          return true;
      }
    }
  }
  return false;
}

bool ProgramImporter::HasParts(const Node& node, const std::string& place) {
  for (const Argument& argument : node.inputs) {
    bool some = false, all = true, real = false;
    for (const Item& item : argument.items) {
      if (pt2_import::IsComplex(item, values_)) {
        some = true;
        continue;
      }
      all = false;
      const auto it = values_.find(item.text);
      real |= item.kind == Item::kName && it != values_.end() &&
              ir::IsFloat(it->second.real->type().dtype);
    }
    if (!real && (all || !some)) continue;
    problems_.AddUnsupported(
        place, absl::StrCat("argument ", Quoted(argument.name),
                            " is real beside complex ones, which is not supported of this op"));
    return false;
  }
  return true;
}

std::optional<std::vector<Numbers>> ProgramImporter::Apply(const Node& node,
                                                           const ir::AtenInfo& info,
                                                           const std::vector<bool>& wanted,
                                                           const std::string& place) {
  if (info.numbers == ir::AtenNumbers::kComplex) return ApplyComplex(node, info, wanted, place);
  if (info.numbers != ir::AtenNumbers::kReal && !ComplexItems(node, values_).empty())
    return info.numbers == ir::AtenNumbers::kParts ? ApplyParts(node, info, wanted, place)
                                                   : ApplyLinear(node, info, wanted, place);
  const auto results = ApplyTo({}, node, info, wanted, place);
  if (!results) return std::nullopt;
  std::vector<Numbers> numbers;
  for (ir::Value* value : *results) numbers.push_back({value});
  return numbers;
}

std::optional<std::vector<Numbers>> ProgramImporter::ApplyComplex(const Node& node,
                                                                  const ir::AtenInfo& info,
                                                                  const std::vector<bool>& wanted,
                                                                  const std::string& place) {
  for (const Argument& argument : node.inputs) {
    const bool complex =
        std::any_of(argument.items.begin(), argument.items.end(),
                    [&](const Item& item) { return pt2_import::IsComplex(item, values_); });
    const auto names_parts = [&](std::string_view input) {
      return absl::StartsWith(ir::AbslView(input), argument.name + "[");
    };
    if (!complex ||
        (!argument.list && std::any_of(info.inputs.begin(), info.inputs.end(), names_parts)))
      continue;
    problems_.AddUnsupported(place, absl::StrCat("argument ", Quoted(argument.name),
                                                 " is complex, which is not supported"));
    return std::nullopt;
  }
  // Results are pairs where the program says that they are complex.
  const std::vector<std::string> outputs = OutputsOf(node);
  std::vector<bool> parts;
  for (size_t i = 0; i < outputs.size(); ++i)
    parts.insert(parts.end(), IsComplex(outputs[i]) ? 2 : 1, wanted[i]);
  const auto results = ApplyTo({}, node, info, std::move(parts), place);
  if (!results) return std::nullopt;
  std::vector<Numbers> numbers;
  size_t next = 0;
  const auto take = [&] { return next < results->size() ? (*results)[next++] : nullptr; };
  for (const std::string& output : outputs) {
    ir::Value* real = take();
    numbers.push_back({real, IsComplex(output) ? take() : nullptr});
  }
  return numbers;
}

std::optional<std::vector<Numbers>> ProgramImporter::ApplyParts(const Node& node,
                                                                const ir::AtenInfo& info,
                                                                const std::vector<bool>& wanted,
                                                                const std::string& place) {
  if (!HasParts(node, place)) return std::nullopt;
  const auto real = ApplyTo({}, node, info, wanted, place);
  if (!real) return std::nullopt;
  const auto imaginary = ApplyTo(ComplexItems(node, values_), node, info, wanted, place);
  if (!imaginary || imaginary->size() != real->size()) return std::nullopt;
  const std::vector<std::string> outputs = OutputsOf(node);
  std::vector<Numbers> numbers;
  for (size_t i = 0; i < real->size(); ++i) {
    // A size is the same of both.
    const bool complex = info.written || (i < outputs.size() && IsComplex(outputs[i]));
    numbers.push_back({(*real)[i], complex ? (*imaginary)[i] : nullptr});
  }
  return numbers;
}

std::optional<std::vector<Numbers>> ProgramImporter::ApplyLinear(const Node& node,
                                                                 const ir::AtenInfo& info,
                                                                 const std::vector<bool>& wanted,
                                                                 const std::string& place) {
  const std::vector<const Item*> items = ComplexItems(node, values_);
  if (items.size() > 4) {
    problems_.AddUnsupported(
        place, absl::StrCat("a product of ", items.size(), " complex tensors is not supported"));
    return std::nullopt;
  }
  // Of each choice of parts, as many times i as there are imaginary ones.
  std::vector<Numbers> numbers;
  for (size_t choice = 0; choice < size_t{1} << items.size(); ++choice) {
    std::vector<const Item*> imaginary;
    for (size_t i = 0; i < items.size(); ++i) {
      if ((choice >> i & 1) != 0) imaginary.push_back(items[i]);
    }
    const char* const put_together = imaginary.size() % 4 < 2 ? kSum : kDifference;
    const bool real = imaginary.size() % 2 == 0;
    const auto terms = ApplyTo(std::move(imaginary), node, info, wanted, place);
    if (!terms) return std::nullopt;
    numbers.resize(terms->size());
    for (size_t i = 0; i < terms->size(); ++i) {
      ir::Value*& sum = real ? numbers[i].real : numbers[i].imaginary;
      if (sum == nullptr) {
        sum = (*terms)[i];
        continue;
      }
      const auto made = Converted(put_together, {{sum}, {(*terms)[i]}}, 1, place);
      if (!made) return std::nullopt;
      sum = made->front();
    }
  }
  return numbers;
}

std::optional<std::vector<ir::Value*>> ProgramImporter::Converted(
    const std::string& overload, const std::vector<Numbers>& arguments, size_t results,
    const std::string& place) {
  const ir::AtenInfo* info = FindClause(overload, arguments[0].complex());
  if (info == nullptr) {
    problems_.AddUnsupported(place, "is complex, which is not supported");
    return std::nullopt;
  }
  for (size_t i = 0; i < arguments.size(); ++i) values_[NameOf(i)] = arguments[i];
  auto made = ApplyTo({}, CallOf(overload, arguments.size()), *info,
                      std::vector<bool>(results, true), place);
  for (size_t i = 0; i < arguments.size(); ++i) values_.erase(NameOf(i));
  if (made && made->size() != results) made.reset();
  return made;
}

ir::Value* ProgramImporter::Joined(const Numbers& numbers, const std::string& place) {
  if (!numbers.complex()) return numbers.real;
  const auto made = Converted("view_as_real.default", {numbers}, 1, place);
  return made ? made->front() : nullptr;
}

Numbers ProgramImporter::Split(ir::Value* value, const std::string& place) {
  const auto made = Converted("view_as_complex.default", {{value}}, 2, place);
  return made ? Numbers{(*made)[0], (*made)[1]} : Numbers();
}

void ProgramImporter::TellParts(const std::string& role, const std::string& name) {
  states_.push_back(absl::StrCat("complex: ", role, " ", Quoted(name),
                                 " has real and imaginary parts along a last axis of 2"));
}

void ProgramImporter::Name(const Numbers& numbers, const std::string& name) {
  const auto give = [&](ir::Value* value, const char* part) {
    if (value != nullptr && value->name().empty())
      rewriter_.SetName(value, absl::StrCat(name, part));
  };
  give(numbers.real, numbers.complex() ? ".real" : "");
  give(numbers.imaginary, ".imag");
}

}  // namespace tessera::pt2_import
