#include "testing/imports/import_samples.h"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/op_sets.h"
#include "ir/text.h"
#include "testing/imports/node_sampler.h"
#include "testing/imports/node_variations.h"

namespace tessera::testing {
namespace {

constexpr int kNodes = 60;  // of one version of one operator, from its signature
constexpr uint64_t kSeed = 11;

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
uint32_t Hashed(const std::string& text, uint32_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619u;
  return hash;
}

struct Clauses {
  std::vector<std::pair<int, int>> ranges;  // of versions, inclusive
  std::vector<const ops::Example*> examples;
  Words words;
  bool chosen = false;
};

class Sampling {
 public:
  Sampling(const Schema& schema, std::string& differences)
      : schema_(schema), differences_(differences) {}

  void Add(const onnx::ModelProto& model) {
    const std::string text = ImportedText(model);
    const std::string spelled = ImportedText(Spelled(model, schema_));
    if (text != spelled) {
      ++differ_;
      absl::StrAppend(&differences_, schema_.domain, ".", schema_.name, "-", schema_.version,
                      ": with defaults spelled, node ", nodes_, " is\n",
                      spelled.empty() ? "refused\n" : spelled, "and was\n",
                      text.empty() ? "refused\n" : text, model.graph().node(0).DebugString());
    }
    if (!text.empty()) {
      ++imported_;
      hash_ = Hashed(absl::StrCat(nodes_, text), hash_);
    }
    ++nodes_;
  }

  std::string Pin() const {
    if (nodes_ == 0) return "";
    return absl::StrCat(" ", schema_.version, ": ", imported_, " of ", nodes_, " imported, ", hash_,
                        differ_ == 0 ? "" : absl::StrCat(", ", differ_, " differ spelled"), ";");
  }

 private:
  const Schema& schema_;
  std::string& differences_;
  int nodes_ = 0, imported_ = 0, differ_ = 0;
  uint32_t hash_ = 2166136261u;
};

// `last`: the last opset in which the schema is in force.
std::string Sampled(const Schema& schema, int last, const Clauses& clauses,
                    const std::vector<NodeTest>& tests, std::string& differences) {
  Sampling sampling(schema, differences);
  NodeSampler sampler(schema, clauses.examples, clauses.words, kSeed);
  for (int i = 0; i < kNodes && sampler.possible(); ++i) sampling.Add(sampler.Next());
  NodeVariations variations(schema, tests, clauses.words, kSeed);
  for (int i = 0; i < variations.count(); ++i) {
    onnx::ModelProto model = variations.Next().model;
    if (i % 2 != 0) model.mutable_opset_import(0)->set_version(last);
    sampling.Add(model);
  }
  return sampling.Pin();
}

}  // namespace

std::string ImportedText(const onnx::ModelProto& model) {
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  const auto result = onnx_import::ImportBytes(
      {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes, "sample", {});
  return result.ok() ? ir::Print(*result->graph, {.inline_elements = 64}) : "";
}

Words WordsOf(const std::vector<Schema>& schemas, const std::vector<NodeTest>& tests) {
  std::map<std::string, std::set<std::string>> sets;
  for (const Schema& schema : schemas) {
    for (const SchemaAttribute& attribute : schema.attributes) {
      if (attribute.kind == "string" && attribute.otherwise.has_value())
        sets[attribute.name].insert(*attribute.otherwise);
    }
  }
  for (const NodeTest& test : tests) {
    for (const onnx::AttributeProto& attribute : test.model.graph().node(0).attribute()) {
      if (attribute.has_s()) sets[attribute.name()].insert(attribute.s());
      sets[attribute.name()].insert(attribute.strings().begin(), attribute.strings().end());
    }
  }
  Words words;
  for (const auto& [name, set] : sets) {
    if (!set.empty()) words[name].assign(set.begin(), set.end());
  }
  return words;
}

ImportSamples SampleImports(const ir::Dialect& dialect,
                            const std::vector<ops::OpExamples>& examples,
                            const OnnxSchemas& schemas, const NodeTests& tests,
                            const std::function<bool(std::string_view)>& chosen) {
  std::map<std::pair<std::string, std::string>, Clauses> operators;
  for (size_t i = 0; i < dialect.ops.size(); ++i) {
    for (const ir::ImportInfo& import : dialect.imports[i]) {
      const std::string domain =
          onnx_import::DomainName({import.domain.data(), import.domain.size()});
      Clauses& clauses = operators[{domain, std::string(import.name)}];
      clauses.ranges.emplace_back(import.since, import.until);
      clauses.chosen = clauses.chosen || chosen(dialect.ops[i]->name);
      for (const ops::OpExamples& op : examples) {
        if (op.op != dialect.ops[i]->name) continue;
        for (const ops::Example& example : op.examples) {
          if (!example.reject) clauses.examples.push_back(&example);
        }
      }
    }
  }
  static const auto* const none = new std::vector<NodeTest>();
  ImportSamples samples;
  for (auto& [name, clauses] : operators) {
    if (!clauses.chosen) continue;
    const auto found = tests.find(name);
    const std::vector<NodeTest>& known = found == tests.end() ? *none : found->second;
    clauses.words = WordsOf(schemas.Of(name.first, name.second), known);
    std::string pin;
    const std::vector<Schema>& versions = schemas.Of(name.first, name.second);
    for (size_t k = 0; k < versions.size(); ++k) {
      const Schema& schema = versions[k];
      bool taken = false;
      for (const auto& [since, until] : clauses.ranges)
        taken = taken || (since <= schema.version && schema.version <= until);
      const bool newer = name.first == "ai.onnx" && schema.version > onnx_import::kNewestOpset;
      if (!taken || newer) continue;
      const int newest = name.first == "ai.onnx" ? onnx_import::kNewestOpset : schema.version;
      const int last = k + 1 < versions.size() ? versions[k + 1].version - 1 : newest;
      pin += Sampled(schema, last, clauses, known,
                     samples.differences[absl::StrCat(name.first, ".", name.second)]);
    }
    if (!pin.empty()) samples.pins.push_back(absl::StrCat(name.first, ".", name.second, ":", pin));
  }
  return samples;
}

std::set<std::string> ImportedOperators(const ir::Dialect& dialect,
                                        const std::function<bool(std::string_view)>& chosen) {
  std::set<std::string> operators;
  for (size_t i = 0; i < dialect.ops.size(); ++i) {
    if (!chosen(dialect.ops[i]->name)) continue;
    for (const ir::ImportInfo& import : dialect.imports[i])
      operators.insert(
          absl::StrCat(onnx_import::DomainName({import.domain.data(), import.domain.size()}), ".",
                       std::string(import.name)));
  }
  return operators;
}

std::string ImportMismatch(const std::string& golden, const std::set<std::string>& operators,
                           const ImportSamples& samples) {
  const auto name = [](const std::string& pin) { return pin.substr(0, pin.find(':')); };
  std::map<std::string, std::string> now;
  for (const std::string& pin : samples.pins) now[name(pin)] = pin;
  std::string text;
  const std::vector<std::string> lines = absl::StrSplit(golden, '\n', absl::SkipEmpty());
  for (const std::string& line : lines) {
    const auto found = now.find(name(line));
    if (operators.count(name(line)) == 0 || (found != now.end() && found->second == line)) continue;
    absl::StrAppend(&text, "was ", line, "\nis  ",
                    found == now.end() ? name(line) + ": no clause" : found->second, "\n");
    const auto differing = samples.differences.find(name(line));
    if (differing != samples.differences.end()) text += differing->second;
  }
  return text;
}

}  // namespace tessera::testing
