#include "testing/nets/corpus.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "onnx/defs/parser.h"
#include "testing/nets/random_loops.h"
#include "testing/nets/random_network.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

constexpr char kFolder[] = "testdata/nets";
constexpr char kNodeTests[] = "../debian/usr/share/libonnx-testdata/data/node";

std::vector<std::filesystem::path> Sorted(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

template <class Message>
bool Parse(const std::filesystem::path& path, Message& message) {
  std::ifstream file(path, std::ios::binary);
  return message.ParseFromString(std::string(std::istreambuf_iterator<char>(file), {}));
}

onnx::ModelProto FromText(const std::string& text) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(text.c_str()).Parse(model);
  if (!status.IsOK()) std::cerr << text << "\n" << status.ErrorMessage() << "\n";
  for (auto& output : *model.mutable_graph()->mutable_output())
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  return model;
}

// Inputs that are no floats become constants: they say shapes and positions. The dims of others
// become symbols, where `apart` one for each, else one for each size. False: not such a model.
bool MakeSymbolic(const std::filesystem::path& folder, bool apart, onnx::ModelProto& model) {
  if (!Parse(folder / "model.onnx", model)) return false;
  onnx::GraphProto& graph = *model.mutable_graph();
  auto* const inputs = graph.mutable_input();
  for (int i = inputs->size() - 1; i >= 0; --i) {
    onnx::ValueInfoProto& input = *inputs->Mutable(i);
    if (!input.type().has_tensor_type()) return false;
    auto& type = *input.mutable_type()->mutable_tensor_type();
    if (type.elem_type() == onnx::TensorProto::FLOAT) {
      for (int d = 0; d < type.shape().dim_size(); ++d) {
        auto& dim = *type.mutable_shape()->mutable_dim(d);
        if (!dim.has_dim_value()) return false;
        dim.set_dim_param(apart ? absl::StrCat("D", i, d) : absl::StrCat("N", dim.dim_value()));
      }
      continue;
    }
    onnx::TensorProto value;
    if (!Parse(folder / "test_data_set_0" / absl::StrCat("input_", i, ".pb"), value)) return false;
    value.set_name(input.name());
    *graph.add_initializer() = std::move(value);
    inputs->DeleteSubrange(i, 1);
  }
  graph.clear_value_info();
  for (auto& output : *graph.mutable_output()) {
    if (!output.type().has_tensor_type()) return false;
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  return !SymbolsOf(model).empty();
}

}  // namespace

// Two lines each: `// TRUTH`, perhaps with `opset N`, and the graph in ONNX's text form.
std::vector<Network> WrittenNetworks() {
  std::vector<Network> networks;
  for (const std::filesystem::path& path : Sorted(kFolder)) {
    if (path.extension() != ".txt") continue;
    std::ifstream file(path);
    for (std::string comment, graph; std::getline(file, comment) && std::getline(file, graph);) {
      const std::vector<std::string> words = absl::StrSplit(comment, ' ');
      Network& network = networks.emplace_back();
      network.truth = words.at(1);
      network.model = FromText(absl::StrCat(
          "<ir_version: 8, opset_import: [\"\" : ", words.size() == 4 ? words[3] : "17",
          ", \"ai.onnx.ml\" : 5, \"com.microsoft\" : 1]>\n", graph));
      network.name = network.model.graph().name();
    }
  }
  return networks;
}

std::vector<Network> NodeTests() {
  std::vector<Network> networks;
  for (const std::filesystem::path& folder : Sorted(kNodeTests)) {
    for (const bool apart : {false, true}) {
      Network network;
      if (!MakeSymbolic(folder, apart, network.model)) continue;
      network.name = absl::StrCat(folder.filename().string(), apart ? ", all dims apart" : "");
      networks.push_back(std::move(network));
    }
  }
  return networks;
}

namespace {

std::vector<Network> Generated(uint64_t count, const char* what, const char* truth,
                               std::string (*make)(uint64_t seed)) {
  std::vector<Network> networks;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const std::string text = make(seed);
    networks.push_back({absl::StrCat(what, "seed ", seed, "\n", text), truth, FromText(text)});
  }
  return networks;
}

}  // namespace

std::vector<Network> RandomNetworks(uint64_t count) {
  return Generated(count, "", "", RandomNetwork);
}

std::vector<Network> LoopNetworks(uint64_t count) {
  return Generated(count, "loops of ", "all", RandomLoops);
}

}  // namespace tessera::testing
