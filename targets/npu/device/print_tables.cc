// Prints the limits of all generations as Markdown, for the manual.
#include <algorithm>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/npu/device/device.h"

namespace tessera::npu {
namespace {

std::string Types(const std::vector<DataType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, DataType type) { *out += NameOf(type); });
}

std::string Text(const Limit& limit) {
  std::string text = limit.least == limit.most ? absl::StrCat(limit.least)
                                               : absl::StrCat(limit.least, " to ", limit.most);
  if (limit.multiple > 1) absl::StrAppend(&text, " by ", limit.multiple);
  const std::string multiples =
      absl::StrJoin(limit.multiples, ", ", [](std::string* out, const auto& entry) {
        absl::StrAppend(out, entry.second, " (", NameOf(entry.first), ")");
      });
  if (!multiples.empty()) absl::StrAppend(&text, " by ", multiples);
  return text;
}

std::string Text(const Rule& rule) {
  std::string text;
  if (rule.kind == Rule::kSameType) text = absl::StrCat(rule.place, " as the ", rule.other);
  if (rule.kind == Rule::kSquare) text = absl::StrCat(rule.place, " square");
  if (rule.kind == Rule::kRange)
    text = absl::StrCat(rule.place, " ", std::string(1, rule.dim), " ", Text(rule.limit));
  std::vector<std::string> conditions;
  if (rule.with_table) conditions.push_back("there is a table");
  for (const Condition& condition : rule.when)
    conditions.push_back(condition.types.empty()
                             ? absl::StrCat(condition.place, " ", std::string(1, condition.dim),
                                            " ", Text(condition.limit))
                             : absl::StrCat(condition.place, " ", Types(condition.types)));
  if (!conditions.empty()) absl::StrAppend(&text, " where ", absl::StrJoin(conditions, ", "));
  return text;
}

std::string Text(const Products& products) {
  return absl::StrCat(NameOf(products.input), " by ", NameOf(products.weights),
                      products.compound ? " with compound biases" : "");
}

// What a device says under an id; empty: nothing.
std::string Value(const Device& device, const std::string& layer_name, const std::string& id) {
  const Layer* layer = device.Find(layer_name);
  if (layer == nullptr) return "";
  for (const auto& [name, place] : layer->places) {
    if (id == absl::StrCat(name, ".type")) return Types(place.types);
    for (const auto& [dim, limit] : place.dims) {
      if (id == absl::StrCat(name, ".", std::string(1, dim))) return Text(limit);
    }
  }
  if (id == "products")
    return absl::StrJoin(layer->products, "; ", [](std::string* out, const Products& products) {
      *out += Text(products);
    });
  for (const Rule& rule : layer->rules) {
    if (id == rule.name) return Text(rule);
  }
  return "";
}

// In order of first mention.
std::vector<std::string> Ids(const std::string& layer_name) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const Device& device : Devices()) {
    const Layer* layer = device.Find(layer_name);
    if (layer == nullptr) continue;
    for (const auto& [name, place] : layer->places) {
      for (const auto& [dim, limit] : place.dims) add(absl::StrCat(name, ".", std::string(1, dim)));
      if (!place.types.empty()) add(absl::StrCat(name, ".type"));
    }
    if (!layer->products.empty()) add("products");
    for (const Rule& rule : layer->rules) add(rule.name);
  }
  return ids;
}

void PrintRow(const std::string& head, const std::vector<std::string>& cells) {
  std::cout << "| " << head;
  for (const std::string& cell : cells) std::cout << " | " << (cell.empty() ? "-" : cell);
  std::cout << " |\n";
}

void PrintHead(const std::string& head) {
  std::vector<std::string> names, rule;
  for (const Device& device : Devices()) {
    names.push_back(device.name);
    rule.push_back("---");
  }
  PrintRow(head, names);
  PrintRow("---", rule);
}

void Print() {
  for (const Device& device : Devices())
    std::cout << "- `" << device.name << "`: " << device.doc << "\n";
  std::cout << "\n";
  PrintHead("Of the device");
  const auto row = [](const std::string& head, auto cell) {
    std::vector<std::string> cells;
    for (const Device& device : Devices()) cells.push_back(cell(device));
    PrintRow(head, cells);
  };
  row("`operations`", [](const Device& device) { return Text(device.operations); });
  row("`alignment`", [](const Device& device) { return absl::StrCat(device.alignment, " bytes"); });
  row("Elements of the input buffer for 1 to 8 vectors",
      [](const Device& device) { return absl::StrJoin(device.buffer, " "); });
  row("The same where input and weights are i8", [](const Device& device) {
    return device.buffer_i8[0] == 0 ? "" : absl::StrJoin(device.buffer_i8, " ");
  });
  std::set<std::string> layers;
  for (const Device& device : Devices()) {
    for (const auto& [name, layer] : device.layers) layers.insert(name);
  }
  for (const std::string& layer : layers) {
    std::cout << "\n";
    PrintHead(absl::StrCat("Layer `", layer, "`"));
    for (const std::string& id : Ids(layer))
      row(absl::StrCat("`", layer, ".", id, "`"),
          [&](const Device& device) { return Value(device, layer, id); });
  }
}

}  // namespace
}  // namespace tessera::npu

int main() {
  tessera::npu::Print();
  return 0;
}
