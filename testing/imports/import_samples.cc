#include "testing/imports/import_samples.h"

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/op_sets.h"
#include "ir/text.h"
#include "testing/imports/node_sampler.h"

namespace tessera::testing {
namespace {

constexpr int kNodes = 60;  // of one version of one operator
constexpr uint64_t kSeed = 11;

// The graph as text; empty: refused.
std::string Imported(const onnx::ModelProto& model) {
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  const auto result = onnx_import::ImportBytes(
      {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "sample", {});
  return result.ok() ? ir::Print(*result->graph, {.inline_elements = 64}) : "";
}

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
uint32_t Hashed(const std::string& text, uint32_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash;
}

struct Clauses {
  std::vector<std::pair<int, int>> ranges;  // of versions, inclusive
  std::vector<const ops::Example*> examples;
};

std::string Sampled(const Schema& schema, const Clauses& clauses, std::string& differences) {
  NodeSampler sampler(schema, clauses.examples, kSeed);
  if (!sampler.possible()) return "";
  int imported = 0, differ = 0;
  uint32_t hash = 2166136261u;
  for (int i = 0; i < kNodes; ++i) {
    const onnx::ModelProto model = sampler.Next();
    const std::string text = Imported(model);
    const std::string spelled = Imported(Spelled(model, schema));
    if (text != spelled) {
      ++differ;
      absl::StrAppend(&differences, schema.domain, ".", schema.name, "-", schema.version,
                      ": with defaults spelled, node ", i, " is\n",
                      spelled.empty() ? "refused\n" : spelled, "and was\n",
                      text.empty() ? "refused\n" : text, model.graph().node(0).DebugString());
    }
    if (text.empty()) continue;
    ++imported;
    hash = Hashed(absl::StrCat(i, text), hash);
  }
  return absl::StrCat(" ", schema.version, ": ", imported, " of ", kNodes, " imported, ", hash,
                      differ == 0 ? "" : absl::StrCat(", ", differ, " differ spelled"), ";");
}

}  // namespace

ImportSamples SampleImports(const ir::Dialect& dialect,
                            const std::vector<ops::OpExamples>& examples,
                            const OnnxSchemas& schemas) {
  std::map<std::pair<std::string, std::string>, Clauses> operators;
  for (size_t i = 0; i < dialect.ops.size(); ++i) {
    for (const ir::ImportInfo& import : dialect.imports[i]) {
      const std::string domain =
          onnx_import::DomainName({import.domain.data(), import.domain.size()});
      Clauses& clauses = operators[{domain, std::string(import.name)}];
      clauses.ranges.emplace_back(import.since, import.until);
      for (const ops::OpExamples& op : examples) {
        if (op.op != dialect.ops[i]->name) continue;
        for (const ops::Example& example : op.examples) {
          if (!example.reject) clauses.examples.push_back(&example);
        }
      }
    }
  }
  ImportSamples samples;
  for (const auto& [name, clauses] : operators) {
    std::string pin;
    for (const Schema& schema : schemas.Of(name.first, name.second)) {
      bool taken = false;
      for (const auto& [since, until] : clauses.ranges)
        taken = taken || (since <= schema.version && schema.version <= until);
      if (!taken || schema.version > onnx_import::kNewestOpset) continue;
      pin +=
          Sampled(schema, clauses, samples.differences[absl::StrCat(name.first, ".", name.second)]);
    }
    if (!pin.empty()) samples.pins.push_back(absl::StrCat(name.first, ".", name.second, ":", pin));
  }
  return samples;
}

}  // namespace tessera::testing
