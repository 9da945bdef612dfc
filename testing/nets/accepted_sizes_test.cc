// What is accepted for all sizes ends in an error at none: ONNX's own tests of single nodes with
// their dims made symbolic, and random networks, each tried at sizes that they were not made for.
// With dims fixed the same network must import, and have results of the same shapes and values.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "onnx/defs/parser.h"
#include "testing/nets/random_network.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

constexpr char kNodeTests[] = "../debian/usr/share/libonnx-testdata/data/node";
constexpr int64_t kMost = 6;  // of each dim

struct Counts {
  int accepted = 0, refused = 0, runs = 0;
};

// Everything that `model` accepts must run.
void Check(const std::string& name, const onnx::ModelProto& model, size_t trials, Counts& counts) {
  const auto import = Import(model, {});
  if (!import.ok()) {
    EXPECT_FALSE(absl::IsInternal(import.status())) << name << ": " << import.status();
    ++counts.refused;
    return;
  }
  ++counts.accepted;
  EXPECT_TRUE(import->graph->obligations().empty()) << name;
  for (const solver::Assignment& at : Sizes(SymbolsOf(model), kMost, trials, counts.accepted)) {
    const std::string difference = Difference(*import->graph, Try(model, at));
    EXPECT_EQ(difference, "") << name << " at " << ToText(at);
    ++counts.runs;
  }
}

template <class Message>
bool Parse(const std::filesystem::path& path, Message& message) {
  std::ifstream file(path, std::ios::binary);
  return message.ParseFromString(std::string(std::istreambuf_iterator<char>(file), {}));
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

TEST(AcceptedSizes, OfTheNodesInTheStandardsTests) {
  RegisterOps();
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(kNodeTests))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  Counts counts;
  for (const std::filesystem::path& folder : folders) {
    for (const bool apart : {false, true}) {
      onnx::ModelProto model;
      if (!MakeSymbolic(folder, apart, model)) continue;
      Check(absl::StrCat(folder.filename().string(), apart ? ", all dims apart" : ""), model, 3,
            counts);
    }
  }
  EXPECT_GT(counts.accepted, 500);
  EXPECT_GT(counts.refused, 300);
  EXPECT_GT(counts.runs, 1000);
}

TEST(AcceptedSizes, OfRandomNetworks) {
  RegisterOps();
  Counts counts;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    const std::string text = RandomNetwork(seed);
    onnx::ModelProto model;
    const auto status = onnx::OnnxParser(text.c_str()).Parse(model);
    ASSERT_TRUE(status.IsOK()) << text << status.ErrorMessage();
    for (auto& output : *model.mutable_graph()->mutable_output())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
    Check(absl::StrCat("seed ", seed, "\n", text), model, 8, counts);
  }
  EXPECT_GE(counts.accepted, 60);
  EXPECT_GE(counts.refused, 100);
}

}  // namespace
}  // namespace tessera::testing
