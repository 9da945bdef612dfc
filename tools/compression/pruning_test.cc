// Channels whose weights and biases are zero can go without a trace.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "frontends/onnx/edit/model_editor.h"
#include "frontends/onnx/import.h"
#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"
#include "passes/compression/quantization/plan.h"
#include "targets/reference/executor.h"
#include "tools/compression/addressed.h"
#include "tools/compression/compression_fixture.h"
#include "tools/compression/configuration.h"
#include "tools/compression/run.h"
#include "tools/compression/samples.h"

namespace tessera::tools {
namespace {

// The first `part` of the entries of an axis are zero.
ir::Tensor Zeroed(const ir::Tensor& tensor, size_t axis, double part) {
  ir::Tensor zeroed = *ir::Tensor::Allocate(ir::DType::kF32, tensor.shape());
  int64_t inner = 1;
  for (size_t d = axis + 1; d < tensor.shape().size(); ++d) inner *= tensor.shape()[d];
  const int64_t n = tensor.shape()[axis];
  const auto none = static_cast<int64_t>(std::floor(part * static_cast<double>(n)));
  for (int64_t i = 0; i < tensor.size(); ++i)
    zeroed.mutable_data<float>()[i] = i / inner % n < none ? 0 : tensor.data<float>()[i];
  return zeroed;
}

class PruningTest : public CompressionTest {
 protected:
  // A copy of the model in which that part of the channels of each product is zero.
  static std::string WithZeros(const std::string& path, double part) {
    const auto bytes = ReadWholeModel(path);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    const auto model = ImportAddressed(*bytes, path, {});
    EXPECT_TRUE(model.ok()) << model.status();
    onnx_import::ModelEditor& editor = (*model)->editor;
    const ir::Graph& graph = *(*model)->import.graph;
    const compression::Addresses& addresses = (*model)->addresses;
    const compression::BuildContext context{graph, addresses};
    compression::PlanOptions only_weights;
    only_weights.activations = false;
    const compression::Plan plan = MakePlan(
        context, *compression::ScopeFilter::Create(graph, addresses, {}, {}), only_weights);
    for (const compression::WeightSite& site : plan.weights) {
      const ir::Tensor zeroed =
          Zeroed(*site.point.value->constant(), static_cast<size_t>(site.axis), part);
      EXPECT_TRUE(editor.ReplaceConstant(site.point.tensor, zeroed).ok());
    }
    for (const compression::BiasSite& site : plan.biases) {
      if (site.present == nullptr) continue;
      EXPECT_TRUE(editor.ReplaceConstant(site.point.tensor, Zeroed(*site.present, 0, part)).ok());
    }
    std::string file = testing::TempDir() + "/zeros.onnx";
    std::ofstream(file, std::ios::binary) << *editor.Serialize();
    return file;
  }
};

TEST_F(PruningTest, ChannelsOfZerosGoWithoutATrace) {
  const std::string folder = "testdata/kws_dscnn";
  for (const char* importance : {"L1", "L2", "output_change"}) {
    const std::string file = WithZeros(folder + "/model.onnx", 0.4);
    const auto configuration =
        ParseCompression("c.yaml", std::string("compression: {algorithm: filter_pruning, "
                                               "pruning_target: 0.4, filter_importance: ") +
                                       importance + "}");
    ASSERT_TRUE(configuration.ok()) << configuration.status();
    const CompressionRequest request{file, "", {}};
    const auto compressed = Compress(request, *configuration);
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    // Rows and columns go: about 0.36 of the products' weights are left.
    EXPECT_LT(compressed->model.size(), compressed->bytes_before / 2);
    const auto qualities = Compare(request, compressed->model, {folder});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    ASSERT_FALSE(qualities->empty());
    for (const Quality& quality : *qualities) EXPECT_GT(quality.worst, 110) << quality.output;
    // What is pruned may be pruned again, made sparse and stored in few bits.
    const auto more = ParseCompression(
        "c.yaml",
        "compression: [{algorithm: weight_compression}, {algorithm: magnitude_sparsity}, "
        "{algorithm: filter_pruning}]");
    ASSERT_TRUE(more.ok()) << more.status();
    const auto all = Compress(request, *more);
    ASSERT_TRUE(all.ok()) << all.status();
    EXPECT_LT(all->model.size(), compressed->model.size());
    const auto again = Compress(request, *more);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(all->model, again->model);
  }
}

using Shapes = std::vector<std::pair<const char*, std::vector<int64_t>>>;

// A file of that name with the graph in ONNX's text, and such constants of random numbers.
std::string WithConstants(const char* name, const char* text, const Shapes& constants) {
  onnx::ModelProto model = Parsed(text);
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (const auto& [constant, dims] : constants) {
    onnx::TensorProto& tensor = AddFloats(model, constant, dims);
    int64_t size = 1;
    for (const int64_t dim : dims) size *= dim;
    for (int64_t i = 0; i < size; ++i) tensor.add_float_data(normal(random));
  }
  return Written(model, name);
}

// A convolution of four groups of four channels, six results each, between two others.
std::string WithGroups() {
  return WithConstants("groups", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,6,5] x) => (float[N,5,M,K] y) {
        a = Conv(x, w1, b1)
        r = Relu(a)
        c = Conv<group = 4, pads = [1, 1, 1, 1]>(r, w2, b2)
        s = Relu(c)
        y = Conv(s, w3)
      })",
                       {{"w1", {16, 3, 1, 1}},
                        {"b1", {16}},
                        {"w2", {24, 4, 3, 3}},
                        {"b2", {24}},
                        {"w3", {5, 24, 1, 1}}});
}

TEST_F(PruningTest, GroupsGoAsAWhole) {
  const std::string file = WithZeros(WithGroups(), 0.25);  // the first group, and what it reads
  const auto configuration =
      ParseCompression("c.yaml", "compression: {algorithm: filter_pruning, pruning_target: 0.25}");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  const std::string samples = SampleFolder("groups", {2, 3, 6, 5});
  for (const char* data : {"", "with samples"}) {
    const CompressionRequest request{file, *data == 0 ? "" : samples, {}};
    const auto compressed = Compress(request, *configuration);
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    onnx::ModelProto made;
    ASSERT_TRUE(made.ParseFromString(compressed->model));
    std::map<std::string, std::vector<int64_t>> dims;
    for (const onnx::TensorProto& tensor : made.graph().initializer())
      dims[tensor.name()] = {tensor.dims().begin(), tensor.dims().end()};
    EXPECT_EQ(dims["w1"], (std::vector<int64_t>{12, 3, 1, 1}));
    EXPECT_EQ(dims["w2"], (std::vector<int64_t>{18, 4, 3, 3}));
    EXPECT_EQ(dims["b2"], (std::vector<int64_t>{18}));
    EXPECT_EQ(dims["w3"], (std::vector<int64_t>{5, 18, 1, 1}));
    const auto qualities = Compare(request, compressed->model, {samples});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    EXPECT_GT((*qualities)[0].worst, 110);
  }
}

// Two convolutions with the same constant as their bias, and one without.
std::string WithOneBias() {
  return WithConstants(
      "one_bias", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,9,8] x) => (float[N,8,M,K] y) {
        a = Conv(x, w1, b)
        r = Relu(a)
        c = Conv(r, w2, b)
        s = Relu(c)
        y = Conv(s, w3)
      })",
      {{"w1", {8, 3, 1, 1}}, {"b", {8}}, {"w2", {8, 8, 3, 3}}, {"w3", {8, 8, 1, 1}}});
}

TEST_F(PruningTest, MeansAndVariancesBecomeThoseOfTheWholeNetwork) {
  const std::string file = WithOneBias(), samples = SampleFolder("one_bias", {4, 3, 9, 8});
  const std::string text = "compression: {algorithm: filter_pruning, refit: false";
  const CompressionRequest request{file, samples, {}};
  const auto plain =
      Compress(request, *ParseCompression("c.yaml", text + ", match_statistics: false}"));
  const auto matched = Compress(request, *ParseCompression("c.yaml", text + "}"));
  ASSERT_TRUE(plain.ok()) << plain.status();
  ASSERT_TRUE(matched.ok()) << matched.status();
  const auto before = onnx_import::ImportFile(file, {});
  ASSERT_TRUE(before.ok()) << before.status();
  const auto x = OpenSamples(samples, *before->graph, {});
  ASSERT_TRUE(x.ok()) << x.status();
  const auto moments = [&](const onnx_import::ImportResult& model) {
    const auto executor = reference::Executor::Create(*model.graph);
    const ir::Tensor y = (*executor->Run(*(*x)->Load(0)))[0];
    const int64_t channels = y.shape()[1], inner = y.shape()[2] * y.shape()[3];
    const double count = static_cast<double>(y.size() / channels);
    std::vector<std::pair<double, double>> found(static_cast<size_t>(channels));
    for (int64_t i = 0; i < y.size(); ++i) {
      auto& [mean, square] = found[static_cast<size_t>(i / inner % channels)];
      mean += y.AsDouble(i) / count;
      square += y.AsDouble(i) * y.AsDouble(i) / count;
    }
    for (auto& [mean, square] : found) square -= mean * mean;
    return found;
  };
  const auto exact = moments(*before);
  const auto distance = [&](const std::string& bytes) {
    double most = 0;
    const auto now = moments(*ImportText(bytes, file, {}));
    for (size_t c = 0; c < exact.size(); ++c) {
      most = std::max(most, std::fabs(now[c].first - exact[c].first));
      most = std::max(most, std::fabs(std::sqrt(now[c].second / exact[c].second) - 1));
    }
    return most;
  };
  EXPECT_LT(distance(matched->model), 1e-4);
  EXPECT_GT(distance(plain->model), 0.1);
}

TEST_F(PruningTest, NodesThatShareABiasGetOneEach) {
  const std::string file = WithOneBias(), samples = SampleFolder("one_bias", {4, 3, 9, 8});
  const CompressionRequest request{file, samples, {}};
  const auto compressed =
      Compress(request, *ParseCompression("c.yaml", "compression: {algorithm: filter_pruning}"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  ASSERT_EQ(made.graph().node_size(), 5);
  EXPECT_NE(made.graph().node(0).input(2), made.graph().node(2).input(2));
  // What is left is fitted to the sample, of which it sees each result as near as that can be: with
  // the other's bias it would be far off.
  const auto qualities = Compare(request, compressed->model, {samples});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_GT((*qualities)[0].worst, 10);
}

// The constants that additions behind products read come after these in the order of computation.
TEST_F(PruningTest, MatricesWithAdditionsAreRefitted) {
  const std::string file =
      WithConstants("matrices", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3] x) => (float[N,5] y) {
        a = MatMul(x, w1)
        b = Add(b1, a)
        r = Relu(b)
        c = MatMul(r, w2)
        y = Add(b2, c)
      })",
                    {{"w1", {3, 16}}, {"b1", {16}}, {"w2", {16, 5}}, {"b2", {5}}});
  const std::string samples = SampleFolder("matrices", {60, 3});
  const CompressionRequest request{file, samples, {}};
  const std::string text = "compression: {algorithm: filter_pruning";
  std::map<std::string, double> worst;
  for (const char* keys : {"", ", refit: false", ", refit: false, match_statistics: false"}) {
    const auto compressed =
        Compress(request, *ParseCompression("c.yaml", absl::StrCat(text, keys, "}")));
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    const auto qualities = Compare(request, compressed->model, {samples});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    worst[keys] = (*qualities)[0].worst;
  }
  EXPECT_GT(worst[""], worst[", refit: false"]);
  EXPECT_GT(worst[", refit: false"], worst[", refit: false, match_statistics: false"]);
}

// Both products of a sum read the same channels, of which one of them loses half: the other one
// makes up for them, but where something stands between it and the sum.
TEST_F(PruningTest, WhatIsAddedToAResultMakesUpForIt) {
  std::vector<double> worst;
  for (const char* op : {"Identity", "Neg"}) {
    const std::string text = absl::StrCat(R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,6,5] x) => (float[N,5,M,K] y) {
        a = Conv(x, w1)
        r = Relu(a)
        b = Conv(x, w1)
        q = Relu(b)
        c = Conv(r, w2)
        d = Conv(q, w3)
        e = )",
                                          op, R"((d)
        y = Add(c, e)
      })");
    const std::string file = WithConstants(
        "sum", text.c_str(), {{"w1", {8, 3, 1, 1}}, {"w2", {5, 8, 1, 1}}, {"w3", {5, 8, 1, 1}}});
    onnx::ModelProto model;
    {
      std::ifstream in(file, std::ios::binary);
      ASSERT_TRUE(model.ParseFromIstream(&in));
    }
    onnx::TensorProto& copy = *model.mutable_graph()->add_initializer();
    copy = model.graph().initializer(0);
    ASSERT_EQ(copy.name(), "w1");
    copy.set_name("w1_too");
    model.mutable_graph()->mutable_node(2)->set_input(1, "w1_too");
    model.mutable_graph()->mutable_node(2)->set_name("whole");
    std::ofstream(file, std::ios::binary) << model.SerializeAsString();
    const std::string samples = SampleFolder("sum", {4, 3, 6, 5});
    const CompressionRequest request{file, samples, {}};
    const auto compressed = Compress(
        request, *ParseCompression("c.yaml",
                                   "compression: {algorithm: filter_pruning, pruning_target: 0.5, "
                                   "ignored_scopes: [whole]}"));
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    const auto qualities = Compare(request, compressed->model, {samples});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    worst.push_back((*qualities)[0].worst);
  }
  EXPECT_GT(worst[0], worst[1] + 6);
}

// Attention with four heads of three entries, of one product for queries, keys and values, whose
// result is split into (3, heads, entries), or of a product for each.
std::string WithHeads(bool packed) {
  const char* const kPacked = R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,T,8] x) => (float[N,T,8] y) {
        p0 = MatMul(x, w)
        p = Add(p0, b)
        sizes = Constant<value_ints = [0, 0, 3, 4, -1]>()
        r = Reshape(p, sizes)
        t = Transpose<perm = [2, 0, 3, 1, 4]>(r)
        zero = Constant<value_int = 0>()
        one = Constant<value_int = 1>()
        two = Constant<value_int = 2>()
        q = Gather<axis = 0>(t, zero)
        k = Gather<axis = 0>(t, one)
        v = Gather<axis = 0>(t, two)
        kt = Transpose<perm = [0, 1, 3, 2]>(k)
        a = MatMul(q, kt)
        s = Softmax<axis = -1>(a)
        m = MatMul(s, v)
        mt = Transpose<perm = [0, 2, 1, 3]>(m)
        whole = Constant<value_ints = [0, 0, 12]>()
        c = Reshape(mt, whole)
        y = MatMul(c, wo)
      })";
  // The sizes are computed, one tensor of them for all.
  const char* const kSeparate = R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,T,8] x) => (float[N,T,8] y) {
        sx = Shape(x)
        from = Constant<value_ints = [0]>()
        to = Constant<value_ints = [2]>()
        open = Slice(sx, from, to)
        heads = Constant<value_ints = [4, 3]>()
        sizes = Concat<axis = 0>(open, heads)
        q0 = MatMul(x, wq)
        k0 = MatMul(x, wk)
        v0 = MatMul(x, wv)
        q1 = Reshape(q0, sizes)
        k1 = Reshape(k0, sizes)
        v1 = Reshape(v0, sizes)
        q = Transpose<perm = [0, 2, 1, 3]>(q1)
        k = Transpose<perm = [0, 2, 3, 1]>(k1)
        v = Transpose<perm = [0, 2, 1, 3]>(v1)
        a = MatMul(q, k)
        s = Softmax<axis = -1>(a)
        m = MatMul(s, v)
        mt = Transpose<perm = [0, 2, 1, 3]>(m)
        all = Constant<value_ints = [12]>()
        whole = Concat<axis = 0>(open, all)
        c = Reshape(mt, whole)
        y = MatMul(c, wo)
      })";
  if (packed)
    return WithConstants("packed_heads", kPacked, {{"w", {8, 36}}, {"b", {36}}, {"wo", {12, 8}}});
  return WithConstants("heads", kSeparate,
                       {{"wq", {8, 12}}, {"wk", {8, 12}}, {"wv", {8, 12}}, {"wo", {12, 8}}});
}

onnx::ModelProto Read(const std::string& file) {
  onnx::ModelProto model;
  std::ifstream in(file, std::ios::binary);
  EXPECT_TRUE(model.ParseFromIstream(&in));
  return model;
}

onnx::TensorProto& Initializer(onnx::ModelProto& model, const std::string& name) {
  for (onnx::TensorProto& tensor : *model.mutable_graph()->mutable_initializer()) {
    if (tensor.name() == name) return tensor;
  }
  ADD_FAILURE() << "no " << name;
  return *model.mutable_graph()->add_initializer();
}

std::vector<float> Floats(const onnx::TensorProto& tensor) {
  if (tensor.float_data_size() > 0) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> numbers(tensor.raw_data().size() / sizeof(float));
  std::memcpy(numbers.data(), tensor.raw_data().data(), tensor.raw_data().size());
  return numbers;
}

// Without a head the network computes what it does when the rows of the last weights that the head
// meets are zero; sizes that are not known stay so.
TEST_F(PruningTest, HeadsGoAsAWhole) {
  constexpr int64_t kHeads = 4, kEntries = 3, kOut = 8;
  for (const bool packed : {true, false}) {
    const std::string file = WithHeads(packed), samples = SampleFolder("heads", {2, 5, 8});
    const auto compressed =
        Compress({file, "", {}}, *ParseCompression("c.yaml",
                                                   "compression: {algorithm: filter_pruning, "
                                                   "pruning_target: 0.5}"));
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    onnx::ModelProto made, before = Read(file);
    ASSERT_TRUE(made.ParseFromString(compressed->model));
    for (const char* name :
         packed ? std::vector<const char*>{"w"} : std::vector<const char*>{"wq", "wk", "wv"})
      EXPECT_EQ(Initializer(made, name).dims(1), packed ? 18 : 6) << name;
    const std::vector<float> left = Floats(Initializer(made, "wo"));
    std::vector<float> zeroed = Floats(Initializer(before, "wo"));
    ASSERT_EQ(static_cast<int64_t>(left.size()), kHeads / 2 * kEntries * kOut);
    int64_t stays = 0;
    for (int64_t head = 0; head < kHeads; ++head) {
      const auto rows = zeroed.begin() + head * kEntries * kOut;
      if (stays < kHeads / 2 &&
          std::equal(rows, rows + kEntries * kOut, left.begin() + stays * kEntries * kOut)) {
        ++stays;
      } else {
        std::fill(rows, rows + kEntries * kOut, 0.F);
      }
    }
    ASSERT_EQ(stays, kHeads / 2);
    onnx::TensorProto& last = Initializer(before, "wo");
    last.clear_raw_data();
    last.clear_float_data();
    for (const float number : zeroed) last.add_float_data(number);
    const std::string other = Written(before, "heads_of_zeros");
    const auto qualities = Compare({other, samples, {}}, compressed->model, {samples});
    ASSERT_TRUE(qualities.ok()) << qualities.status();
    EXPECT_GT((*qualities)[0].worst, 110);
    const auto again = ImportText(compressed->model, file, {});
    ASSERT_TRUE(again.ok()) << again.status();
    const std::vector<solver::Expr>& sizes = again->graph->outputs()[0]->type().dims;
    EXPECT_FALSE(sizes[0].Constant().has_value());
    EXPECT_FALSE(sizes[1].Constant().has_value());
    // Nothing is left of how the sizes were computed.
    if (packed) continue;
    for (const onnx::NodeProto& node : made.graph().node()) EXPECT_NE(node.op_type(), "Concat");
  }
}

// The same with samples: what stays is refitted.
TEST_F(PruningTest, WhatReadsHeadsIsRefitted) {
  for (const bool packed : {true, false}) {
    const std::string file = WithHeads(packed), samples = SampleFolder("heads_fitted", {9, 16, 8});
    const CompressionRequest request{file, samples, {}};
    std::vector<double> worst;
    for (const char* keys : {"", ", refit: false, match_statistics: false"}) {
      const auto compressed = Compress(
          request,
          *ParseCompression("c.yaml", absl::StrCat("compression: {algorithm: filter_pruning", keys,
                                                   ", pruning_target: 0.5}")));
      ASSERT_TRUE(compressed.ok()) << compressed.status();
      const auto qualities = Compare(request, compressed->model, {samples});
      ASSERT_TRUE(qualities.ok()) << qualities.status();
      worst.push_back((*qualities)[0].worst);
    }
    EXPECT_GT(worst[0], worst[1] + 1);
  }
}

// A reshape to flat rows before a matrix: a channel goes with all entries that it has there.
TEST_F(PruningTest, ChannelsGoThroughAReshapeToRows) {
  const std::string file = WithConstants("rows", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,3,4,5] x) => (float[N,6] y) {
        a = Conv(x, w1, b1)
        r = Relu(a)
        sizes = Constant<value_ints = [-1, 160]>()
        f = Reshape(r, sizes)
        y = MatMul(f, w2)
      })",
                                         {{"w1", {8, 3, 1, 1}}, {"b1", {8}}, {"w2", {160, 6}}});
  const std::string zeros = WithZeros(file, 0.25), samples = SampleFolder("rows", {2, 3, 4, 5});
  const auto compressed =
      Compress({zeros, "", {}}, *ParseCompression("c.yaml",
                                                  "compression: {algorithm: filter_pruning, "
                                                  "pruning_target: 0.25}"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  EXPECT_EQ(Initializer(made, "w1").dims(0), 6);
  EXPECT_EQ(Initializer(made, "w2").dims(0), 120);
  const auto qualities = Compare({zeros, samples, {}}, compressed->model, {samples});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_GT((*qualities)[0].worst, 110);
}

// What is left of a file of which half of the channels of each product are zero, at a target of
// one half. It computes the same.
onnx::ModelProto Halved(const std::string& zeros, const std::vector<int64_t>& sample) {
  const std::string samples = SampleFolder("halved", sample);
  const auto compressed =
      Compress({zeros, "", {}}, *ParseCompression("c.yaml",
                                                  "compression: {algorithm: filter_pruning, "
                                                  "pruning_target: 0.5}"));
  EXPECT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  if (!compressed.ok()) return made;
  EXPECT_TRUE(made.ParseFromString(compressed->model));
  const auto qualities = Compare({zeros, samples, {}}, compressed->model, {samples});
  EXPECT_TRUE(qualities.ok()) << qualities.status();
  if (!qualities.ok()) return made;
  for (const Quality& quality : *qualities) EXPECT_GT(quality.worst, 110) << quality.output;
  return made;
}

int64_t Attribute(const onnx::ModelProto& model, const std::string& name) {
  for (const onnx::NodeProto& node : model.graph().node()) {
    for (const onnx::AttributeProto& attribute : node.attribute()) {
      if (attribute.name() == name) return attribute.i();
    }
  }
  return -1;
}

// Attention by one node with four heads of four entries.
std::string WithCountedHeads(const char* imports, const char* node, int64_t key_heads) {
  const std::string text = absl::StrCat("<ir_version: 10, opset_import: [", imports, R"(]>
      g (float[2,5,16] x) => (float[2,5,16] y) {
        q = MatMul(x, wq)
        k = MatMul(x, wk)
        v = MatMul(x, wv)
        a = )",
                                        node, R"((q, k, v)
        y = MatMul(a, wo)
      })");
  const int64_t width = 4 * key_heads;
  return WithConstants(
      "counted_heads", text.c_str(),
      {{"wq", {16, 16}}, {"wk", {16, width}}, {"wv", {16, width}}, {"wo", {16, 16}}});
}

TEST_F(PruningTest, HeadsThatANodeCountsGo) {
  const struct {
    const char *imports, *node;
    std::vector<const char*> counts;
  } kCases[] = {{R"("" : 23)",
                 "Attention<q_num_heads = 4, kv_num_heads = 4>",
                 {"q_num_heads", "kv_num_heads"}},
                {R"("" : 17, "com.microsoft" : 1)",
                 "com.microsoft.MultiHeadAttention<num_heads = 4>",
                 {"num_heads"}}};
  for (const auto& one : kCases) {
    const std::string file = WithZeros(WithCountedHeads(one.imports, one.node, 4), 0.5);
    onnx::ModelProto made = Halved(file, {2, 5, 16});
    for (const char* name : {"wq", "wk", "wv"})
      EXPECT_EQ(Initializer(made, name).dims(1), 8) << one.node;
    for (const char* name : one.counts) EXPECT_EQ(Attribute(made, name), 2) << name;
  }
}

// Where heads share keys they stay, and entries of values go.
TEST_F(PruningTest, HeadsThatShareKeysStay) {
  onnx::ModelProto model =
      Read(WithCountedHeads(R"("" : 23)", "Attention<q_num_heads = 4, kv_num_heads = 2>", 2));
  onnx::TensorProto& values = Initializer(model, "wv");
  for (int i = 0; i < values.float_data_size(); ++i) {
    if (i % 4 < 2) values.set_float_data(i, 0);
  }
  onnx::ModelProto made = Halved(Written(model, "shared_keys"), {2, 5, 16});
  EXPECT_EQ(Initializer(made, "wq").dims(1), 16);
  EXPECT_EQ(Initializer(made, "wv").dims(1), 4);
  EXPECT_EQ(Attribute(made, "q_num_heads"), 4);
  EXPECT_EQ(Attribute(made, "kv_num_heads"), 2);
}

TEST_F(PruningTest, AttributesThatCountEntriesFollow) {
  const std::string groups =
      WithConstants("counted_groups", R"(<ir_version: 10, opset_import: ["" : 21]>
      g (float[2,4,6,6] x) => (float[2,3,6,6] y) {
        a = Conv(x, w, b)
        s = GroupNormalization<num_groups = 8>(a, g, h)
        y = Conv(s, v)
      })",
                    {{"w", {8, 4, 1, 1}}, {"b", {8}}, {"g", {8}}, {"h", {8}}, {"v", {3, 8, 1, 1}}});
  const auto compressed =
      Compress({groups, "", {}}, *ParseCompression("c.yaml",
                                                   "compression: {algorithm: filter_pruning, "
                                                   "pruning_target: 0.5}"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(compressed->model));
  EXPECT_EQ(Initializer(made, "w").dims(0), 4);
  EXPECT_EQ(Attribute(made, "num_groups"), 4);

  const std::string turned =
      WithConstants("counted_turns", R"(<ir_version: 10, opset_import: ["" : 23]>
      g (float[2,5,16] x) => (float[2,5,4] y) {
        at = Constant<value = int64[2,5] {0, 1, 2, 3, 4, 0, 1, 2, 3, 4}>()
        q = MatMul(x, w)
        s = RotaryEmbedding<num_heads = 4>(q, c, d, at)
        y = MatMul(s, v)
      })",
                    {{"w", {16, 16}}, {"c", {8, 2}}, {"d", {8, 2}}, {"v", {16, 4}}});
  made = Halved(WithZeros(turned, 0.5), {2, 5, 16});
  EXPECT_EQ(Initializer(made, "w").dims(1), 8);
  EXPECT_EQ(Attribute(made, "num_heads"), 2);
}

// Numbers that follow from how many channels there are.
TEST_F(PruningTest, ChannelsStayWhereTheyAreCounted) {
  const char* const kCounts[] = {
      R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,4,6,6] x) => (float[2,3,6,6] y, int64[4] sizes) {
        a = Conv(x, w)
        sizes = Shape(a)
        y = Conv(a, v)
      })",
      R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,4,6,6] x) => (float[2,3,6,6] y) {
        one = Constant<value_int = 1>()
        a = Conv(x, w)
        sizes = Shape(a)
        n = Gather(sizes, one)
        m = Cast<to = 1>(n)
        s = Div(a, m)
        y = Conv(s, v)
      })",
      R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[N,4,6,6] x) => (float[N,3,6,6] y) {
        a = Conv(x, w)
        n = Size(a)
        m = Cast<to = 1>(n)
        s = Div(a, m)
        y = Conv(s, v)
      })",
      R"(<ir_version: 8, opset_import: ["" : 4]>
      g (float[2,4,6,6] x) => (float[2,3,36,1] y) {
        a = Conv<kernel_shape = [1, 1]>(x, w)
        s = Reshape<shape = [2, 8, 36, 1]>(a)
        y = Conv<kernel_shape = [1, 1]>(s, v)
      })"};
  for (const char* text : kCounts) {
    const std::string file =
        WithConstants("counted", text, {{"w", {8, 4, 1, 1}}, {"v", {3, 8, 1, 1}}});
    onnx::ModelProto made = Halved(WithZeros(file, 0.5), {2, 4, 6, 6});
    EXPECT_EQ(Initializer(made, "w").dims(0), 8) << text;
  }
  // Which batch there is changes nothing.
  const std::string file = WithConstants("not_counted", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,4,6,6] x) => (float[2,3,6,6] y) {
        zero = Constant<value_int = 0>()
        a = Conv(x, w)
        sizes = Shape(a)
        n = Gather(sizes, zero)
        m = Cast<to = 1>(n)
        s = Div(a, m)
        y = Conv(s, v)
      })",
                                         {{"w", {8, 4, 1, 1}}, {"v", {3, 8, 1, 1}}});
  onnx::ModelProto made = Halved(WithZeros(file, 0.5), {2, 4, 6, 6});
  EXPECT_EQ(Initializer(made, "w").dims(0), 4);
}

// Without a scale attention divides by the root of how many entries a head has. (Heads stay, since
// they are summed.)
TEST_F(PruningTest, EntriesThatScaleAttentionStay) {
  for (const char* scale : {"", "<scale = 0.5>"}) {
    const std::string text = absl::StrCat(R"(<ir_version: 10, opset_import: ["" : 23]>
      g (float[2,5,16] x) => (float[2,5,16] y) {
        one = Constant<value_int = 1>()
        apart = Constant<value_ints = [2, 5, 4, 4]>()
        joined = Constant<value_ints = [2, 5, 16]>()
        q0 = MatMul(x, wq)
        q1 = Reshape(q0, apart)
        q = Transpose<perm = [0, 2, 1, 3]>(q1)
        k0 = MatMul(x, wk)
        k1 = Reshape(k0, apart)
        k = Transpose<perm = [0, 2, 1, 3]>(k1)
        v0 = MatMul(x, wv)
        v1 = Reshape(v0, apart)
        v = Transpose<perm = [0, 2, 1, 3]>(v1)
        a0 = Attention)",
                                          scale, R"((q, k, v)
        a = CumSum(a0, one)
        t = Transpose<perm = [0, 2, 1, 3]>(a)
        s = Reshape(t, joined)
        y = MatMul(s, wo)
      })");
    const std::string file =
        WithConstants("scaled", text.c_str(),
                      {{"wq", {16, 16}}, {"wk", {16, 16}}, {"wv", {16, 16}}, {"wo", {16, 16}}});
    const auto compressed =
        Compress({file, "", {}}, *ParseCompression("c.yaml",
                                                   "compression: {algorithm: filter_pruning, "
                                                   "pruning_target: 0.5}"));
    ASSERT_TRUE(compressed.ok()) << compressed.status();
    onnx::ModelProto made;
    ASSERT_TRUE(made.ParseFromString(compressed->model));
    EXPECT_EQ(Initializer(made, "wq").dims(1), *scale == 0 ? 16 : 8);
    EXPECT_EQ(Initializer(made, "wv").dims(1), 8);
  }
}

TEST_F(PruningTest, NoProductsAreNoTargetReached) {
  const std::string file = WithConstants("no_products", R"(<ir_version: 8, opset_import: ["" : 17]>
      g (float[2,16] x) => (float[2,16] y) {
        y = Relu(x)
      })",
                                         {});
  const auto compressed =
      Compress({file, "", {}}, *ParseCompression("c.yaml",
                                                 "compression: {algorithm: filter_pruning, "
                                                 "pruning_flops_target: 0.5}"));
  EXPECT_EQ(compressed.status().code(), absl::StatusCode::kInvalidArgument) << compressed.status();
}

// A product that a sample has one position of is fitted to it alone.
TEST_F(PruningTest, OneSampleSuffices) {
  const std::string folder = "testdata/kws_dscnn";
  const CompressionRequest request{folder + "/model.onnx", folder, {}};
  const auto compressed =
      Compress(request, *ParseCompression("c.yaml", "compression: {algorithm: filter_pruning}"));
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  const auto qualities = Compare(request, compressed->model, {folder});
  ASSERT_TRUE(qualities.ok()) << qualities.status();
  EXPECT_GT((*qualities)[0].worst, 40);
}

TEST_F(PruningTest, NothingIsPrunedAtZero) {
  const auto configuration =
      ParseCompression("c.yaml", "compression: {algorithm: filter_pruning, pruning_target: 0}");
  ASSERT_TRUE(configuration.ok()) << configuration.status();
  const CompressionRequest request{"testdata/kws_dscnn/model.onnx", "", {}};
  const auto compressed = Compress(request, *configuration);
  ASSERT_TRUE(compressed.ok()) << compressed.status();
  EXPECT_TRUE(compressed->commands.empty());
}

}  // namespace
}  // namespace tessera::tools
