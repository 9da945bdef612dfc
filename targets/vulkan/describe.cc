#include "targets/vulkan/describe.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"

namespace tessera::vulkan {
namespace {

constexpr size_t kMostText = 400;  // of an expression; shared parts may be spelled out many times

class Expressions {
 public:
  explicit Expressions(const file::Model& model) : model_(model) {
    for (const file::Expression* e : *model.expressions()) {
      std::string text = TextOf(*e);
      if (text.size() > kMostText) text = "...";
      texts_.push_back(std::move(text));
    }
  }
  const std::string& operator[](uint32_t e) const { return texts_[e]; }

 private:
  static bool IsSum(const std::string& text) { return text.find(' ') != std::string::npos; }

  std::string TextOf(const file::Expression& e) const {
    std::vector<std::string> args;
    for (uint32_t i = 0; e.arguments() != nullptr && i < e.arguments()->size(); ++i)
      args.push_back(texts_[e.arguments()->Get(i)]);
    const auto call = [&](const char* name) {
      return absl::StrCat(name, "(", absl::StrJoin(args, ", "), ")");
    };
    switch (e.operation()) {
      case file::Operation_CONSTANT:
        return absl::StrCat(e.constant());
      case file::Operation_SYMBOL:
        return model_.symbols()->Get(static_cast<uint32_t>(e.constant()))->name()->str();
      case file::Operation_AXIS:
        return absl::StrCat("axis ", e.constant());
      case file::Operation_SUM: {
        std::vector<std::string> terms;
        for (uint32_t i = 0; i < args.size(); ++i) {
          const int64_t factor = e.coefficients()->Get(i);
          const std::string arg = IsSum(args[i]) ? absl::StrCat("(", args[i], ")") : args[i];
          terms.push_back(factor == 1 ? arg : absl::StrCat(factor, "*", arg));
        }
        if (e.constant() != 0 || terms.empty()) terms.push_back(absl::StrCat(e.constant()));
        return absl::StrJoin(terms, " + ");
      }
      case file::Operation_PRODUCT:
        for (std::string& arg : args) {
          if (IsSum(arg)) arg = absl::StrCat("(", arg, ")");
        }
        return absl::StrJoin(args, "*");
      case file::Operation_FLOOR_DIV:
        return absl::StrCat("floor((", args[0], ")/(", args[1], "))");
      case file::Operation_LEAST:
        return call("min");
      case file::Operation_IF:
        return call("ite");
      case file::Operation_EQ_ZERO:
        return absl::StrCat(args[0], " == 0");
      case file::Operation_GE_ZERO:
        return absl::StrCat(args[0], " >= 0");
      case file::Operation_AND:
        return absl::StrJoin(args, " && ");
    }
    return "?";
  }

  const file::Model& model_;
  std::vector<std::string> texts_;
};

std::string Printed(const flatbuffers::String* text) {
  return text == nullptr ? "" : support::Printable(text->str());
}

std::string TypeText(const file::Tensor& tensor, const Expressions& texts) {
  std::vector<std::string> dims;
  for (uint32_t dim : *tensor.dims()) dims.push_back(texts[dim]);
  return absl::StrCat(std::string(ir::NameOf(static_cast<ir::DType>(tensor.dtype()))), "[",
                      absl::StrJoin(dims, ","), "]");
}

// Its number, and which one it is if it is written by hand.
std::string KernelText(const file::Model& model, uint32_t kernel) {
  const std::string shader = Printed(model.kernels()->Get(kernel)->shader());
  return absl::StrCat(kernel, shader.empty() ? "" : " ", shader);
}

const char* PlaceText(file::Storage storage) {
  return storage == file::Storage_ARENA     ? "arena"
         : storage == file::Storage_WEIGHTS ? "weights"
                                            : "sizes";
}

}  // namespace

std::string ExpressionText(const file::Model& model, uint32_t expression) {
  return Expressions(model)[expression];
}

targets::Rows CountDispatches(const file::Model& model) {
  std::map<std::string, int> counts;
  for (const file::Dispatch* dispatch : *model.dispatches()) ++counts[Printed(dispatch->name())];
  targets::Rows rows;
  for (const auto& [name, count] : counts) rows.push_back({name, absl::StrCat(count)});
  return rows;
}

std::vector<targets::Part> Describe(const file::Model& model, const targets::Detail& detail) {
  const Expressions texts(model);
  std::vector<targets::Part> parts;
  targets::Rows ends = {{"", "name", "type"}};
  const auto tensor = [&](uint32_t t) -> const file::Tensor& { return *model.tensors()->Get(t); };
  for (uint32_t t : *model.inputs())
    ends.push_back({"input", Printed(tensor(t).name()), TypeText(tensor(t), texts)});
  for (uint32_t t : *model.outputs())
    ends.push_back({"output", Printed(tensor(t).name()), TypeText(tensor(t), texts)});
  parts.push_back({"", std::move(ends)});
  size_t code = 0;
  for (const file::Kernel* kernel : *model.kernels()) code += kernel->code()->size() * 4;
  parts.push_back(
      {absl::StrCat(model.dispatches()->size(), " dispatches of ", model.kernels()->size(),
                    " kernels (", code, " bytes of SPIR-V), ", model.weights()->size(),
                    " bytes of weights; arena: ", texts[model.arena_bytes()], " bytes\n"),
       {}});
  targets::Rows counts = CountDispatches(model);
  counts.insert(counts.begin(), {"computes", "dispatches"});
  parts.push_back({"", std::move(counts)});
  if (model.guards()->size() > 0) {
    targets::Rows guards = {{"checked when sizes are known"}};
    for (const file::Guard* guard : *model.guards()) guards.push_back({Printed(guard->message())});
    parts.push_back({"", std::move(guards)});
  }
  if (detail.operators) {
    targets::Rows rows = {
        {"", "computes", "at", "kernel", "invocations", "flops", "reads", "writes"}};
    uint32_t number = 0;
    for (const file::Dispatch* dispatch : *model.dispatches()) {
      std::vector<std::string> reads, writes;
      for (const file::Binding* bound : *dispatch->bindings())
        (bound->written() ? writes : reads).push_back(absl::StrCat("%", bound->tensor()));
      rows.push_back({absl::StrCat(number++), Printed(dispatch->name()),
                      Printed(dispatch->location()), KernelText(model, dispatch->kernel()),
                      texts[dispatch->invocations()], texts[dispatch->flops()],
                      absl::StrJoin(reads, " "), absl::StrJoin(writes, " ")});
    }
    parts.push_back({"", std::move(rows)});
  }
  if (detail.tensors) {
    targets::Rows rows = {{"", "name", "type", "in", "at"}};
    for (uint32_t t = 0; t < model.tensors()->size(); ++t)
      rows.push_back({absl::StrCat("%", t), Printed(tensor(t).name()), TypeText(tensor(t), texts),
                      PlaceText(tensor(t).storage()), texts[tensor(t).offset()]});
    parts.push_back({"", std::move(rows)});
  }
  return parts;
}

std::string JsonText(const file::Model& model) {
  const Expressions texts(model);
  nlohmann::ordered_json json;
  json["version"] = model.version();
  for (const file::Symbol* symbol : *model.symbols())
    json["symbols"].push_back({{"name", Printed(symbol->name())},
                               {"input", symbol->input()},
                               {"axis", symbol->axis()},
                               {"least", symbol->least()},
                               {"most", symbol->most()}});
  for (const file::Guard* guard : *model.guards())
    json["guards"].push_back(Printed(guard->message()));
  json["inputs"] = std::vector<uint32_t>(model.inputs()->begin(), model.inputs()->end());
  json["outputs"] = std::vector<uint32_t>(model.outputs()->begin(), model.outputs()->end());
  json["arena_bytes"] = texts[model.arena_bytes()];
  json["weight_bytes"] = model.weights()->size();
  for (const file::Tensor* tensor : *model.tensors())
    json["tensors"].push_back({{"name", Printed(tensor->name())},
                               {"type", TypeText(*tensor, texts)},
                               {"storage", PlaceText(tensor->storage())},
                               {"offset", texts[tensor->offset()]}});
  for (const file::Kernel* kernel : *model.kernels())
    json["kernels"].push_back({{"words", kernel->code()->size()},
                               {"bindings", kernel->bindings()},
                               {"parameters", kernel->parameters()},
                               {"checks", kernel->checks()},
                               {"workgroup", kernel->workgroup()},
                               {"shared_bytes", kernel->shared_bytes()},
                               {"shader", Printed(kernel->shader())}});
  for (const file::Dispatch* dispatch : *model.dispatches()) {
    nlohmann::ordered_json row = {
        {"computes", Printed(dispatch->name())}, {"at", Printed(dispatch->location())},
        {"kernel", dispatch->kernel()},          {"invocations", texts[dispatch->invocations()]},
        {"flops", texts[dispatch->flops()]},     {"bytes", texts[dispatch->bytes()]}};
    for (const file::Binding* bound : *dispatch->bindings())
      row[bound->written() ? "writes" : "reads"].push_back(bound->tensor());
    json["dispatches"].push_back(std::move(row));
  }
  return json.dump(2);
}

}  // namespace tessera::vulkan
