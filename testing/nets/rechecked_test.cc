// Certificates of what is accepted name all that model and definitions require: they are derived
// again without a disagreement, and where a statement is left out or another stands in its place,
// that is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "onnx/defs/parser.h"
#include "recheck/recheck.h"
#include "testing/nets/certified.h"
#include "testing/nets/corpus.h"
#include "testing/nets/trial.h"

namespace tessera::testing {
namespace {

using certificate::Certificate;

// Elements that are not listed.
const std::set<std::string> kNotFollowed = {"sliced_1_31"};
// Indices of which the compiler knows more than is derived: what it states of them is proved.
const std::set<std::string> kStatesMore = {"tiled_positions"};

// What need not be said, because nothing rests on it or it is proved all the same.
bool GoesWithoutSaying(const certificate::Obligation& o) {
  return o.stage != "import" || o.id == "equal.normal" || o.id == "equal.replaced" ||
         o.id == "size.result" || o.id == "positive.divisor" || absl::StartsWith(o.id, "decided.");
}

// Without obligation `k`, as if it had never been there.
Certificate Without(const Certificate& certificate, size_t k) {
  Certificate changed = certificate;
  changed.obligations.erase(changed.obligations.begin() + static_cast<std::ptrdiff_t>(k));
  for (certificate::ListedOperation& operation : changed.operations) {
    std::erase(operation.obligations, static_cast<int64_t>(k));
    for (int64_t& i : operation.obligations) i -= i > static_cast<int64_t>(k) ? 1 : 0;
  }
  return changed;
}

class Rechecked : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { RegisterOps(); }

  void Check(const Network& network, const std::vector<std::string>& dims = {}) {
    const auto certificate = Certified(network.model, dims);
    if (!certificate.ok()) return;
    ++certified_;
    const auto report = recheck::Recheck(network.model, "", *certificate);
    ASSERT_TRUE(report.ok()) << network.name << ": " << report.status();
    EXPECT_TRUE(report->failures.empty()) << network.name << ": " << report->failures.front();
    EXPECT_EQ(report->left.empty(), !kNotFollowed.contains(network.name))
        << network.name << ": " << absl::StrJoin(report->left, "; ");
    if (report->left.empty() && !kStatesMore.contains(network.name)) Tamper(network, *certificate);
  }

  // Its outputs have the shapes that are computed.
  static void Parse(const std::string& text, Network& network) {
    const auto status = onnx::OnnxParser(text.c_str()).Parse(network.model);
    ASSERT_TRUE(status.IsOK()) << text << ": " << status.ErrorMessage();
    for (auto& output : *network.model.mutable_graph()->mutable_output())
      output.mutable_type()->mutable_tensor_type()->clear_shape();
  }

  void Tamper(const Network& network, const Certificate& certificate) {
    if (certificate.obligations.empty() || certificate.symbols.empty()) return;
    const size_t k = random_() % certificate.obligations.size();
    const certificate::Obligation& o = certificate.obligations[k];
    if (GoesWithoutSaying(o)) return;
    // Of positions that were sliced or chosen the compiler knows more than is derived.
    if (o.id == "index" && !IsNamed(network, Without(certificate, k))) return;
    ++tampered_;
    Certificate changed = certificate;
    changed.obligations[k].statement =
        absl::StrCat("2*", certificate.symbols[0].name, " >= ", certificate.symbols[0].name);
    EXPECT_TRUE(IsNamed(network, changed)) << network.name << ": " << o.id << ": " << o.statement;
    if (IsNamed(network, Without(certificate, k))) ++named_;
  }

  static bool IsNamed(const Network& network, const Certificate& changed) {
    const auto report = recheck::Recheck(network.model, "", changed);
    return !report.ok() || !report->failures.empty();
  }

  // What is left out goes unnamed where its definition requires the same twice, in other words:
  // then it is still there, or proved.
  void ExpectMostAreNamed() const {
    EXPECT_GT(tampered_, certified_ / 3);
    EXPECT_GT(named_, tampered_ * 9 / 10);
  }

  int certified_ = 0, tampered_ = 0, named_ = 0;
  std::mt19937 random_{3};
};

TEST_F(Rechecked, WrittenNetworks) {
  for (const Network& network : WrittenNetworks()) Check(network);
  EXPECT_GE(certified_, 95);
  ExpectMostAreNamed();
}

// Of version 8, whose first input says how long rows are; the parser has no word for its absence.
TEST_F(Rechecked, LoopsOverABatch) {
  int batches = 0;
  for (const char* dims : {"2,3,C", "3,T,C", "1,0,C", "2,T,4", "2,T,C"}) {
    for (const char* directions : {"0", "1"}) {
      const std::string text = absl::StrCat(
          "<ir_version: 8, opset_import: [\"\" : 8]>\nbatch (float[", dims, "] x, float[",
          std::string(dims).substr(0, 1), ",", std::string(dims).substr(4),
          "] s) => (float r, float y) { r, y = Scan <num_scan_inputs = 1, directions = [",
          directions, "], body = sum (float[C] a, float[C] b) => (float[C] c, float[", dims + 4,
          "] d) "
          "{ c = Add (a, b)  d = Relu (c) }> (none, s, x) }");
      Network network{absl::StrCat(dims, " ", directions), "", {}};
      ASSERT_NO_FATAL_FAILURE(Parse(text, network));
      network.model.mutable_graph()->mutable_node(0)->set_input(0, "");
      const int before = certified_;
      Check(network);
      batches += certified_ - before;
    }
  }
  EXPECT_EQ(batches, 8);
}

// What other exporters write: loops that comparisons of floats decide, that may run for ever, of
// which data decide how often they run after the first time, and whose number has an axis; signs of
// sizes, maps, trees, positions among constants.
TEST_F(Rechecked, AsOthersWriteThem) {
  constexpr char kFront[] =
      "<ir_version: 8, opset_import: [\"\" : 17, \"ai.onnx.ml\" : 1]>\n"
      "written (float[3,2] x) => (float y) <int64 few = {5}, int64 ever = {9223372036854775807}, "
      "int64 zero = {0}, int64 one = {1}, int64 three = {3}, float limit = {3.0}, bool yes = {1}, "
      "int64[4] k = {2, 0, 2, 1}> { ";
  constexpr char kLoop[] = "=> (bool again, int64 d, float[3,2] g) { d = Add (c, one)  ";
  const std::vector<std::string> texts = {
      absl::StrCat("z = Cast <to = 1> (zero)  go = Less (z, limit)  n, y = Loop <body = step "
                   "(int64 i, bool keep, int64 c, float[3,2] h) ",
                   kLoop,
                   "e = Cast <to = 1> (d)  l = Less (e, limit)  again = And (l, keep)  "
                   "g = Add (h, x) }> (few, go, zero, x) }"),
      absl::StrCat("go = Less (zero, three)  n, y = Loop <body = step (int64 i, bool keep, "
                   "int64 c, float[3,2] h) ",
                   kLoop, "again = Less (d, three)  g = Add (h, x) }> (ever, go, zero, x) }"),
      absl::StrCat("n, y = Loop <body = step (int64 i, bool keep, int64 c, float[3,2] h) ", kLoop,
                   "g = Add (h, x)  t = ReduceSum <keepdims = 0> (g)  again = Less (t, limit) }> "
                   "(few, yes, zero, x) }"),
      "y = Loop <body = step (int64[1] i, bool[1] keep) => (bool again, float[1,2] g) { "
      "again = Identity (keep)  j = Add (i, one)  g = Slice (x, i, j) }> (three, yes) }",
      "s = Shape (x)  t = Sign (s)  u = Add (t, s)  y = Expand (limit, u) }",
      "y = ai.onnx.ml.ZipMap <classlabels_int64s = [4, 5]> (x) }",
      "label, y = ai.onnx.ml.TreeEnsembleClassifier <class_ids = [0, 1], class_nodeids = [1, 2], "
      "class_treeids = [0, 0], class_weights = [1.0, 1.0], classlabels_int64s = [0, 1], "
      "nodes_falsenodeids = [2, 0, 0], nodes_featureids = [0, 0, 0], nodes_modes = "
      "[\"BRANCH_LEQ\", \"LEAF\", \"LEAF\"], nodes_nodeids = [0, 1, 2], nodes_treeids = "
      "[0, 0, 0], nodes_truenodeids = [1, 0, 0], nodes_values = [0.5, 0.0, 0.0], "
      "post_transform = \"NONE\"> (x) }",
      "u, a, b, c = Unique <sorted = 1> (k)  y = Gather <axis = 0> (x, u) }"};
  for (const std::string& text : texts) {
    Network network{text, "", {}};
    ASSERT_NO_FATAL_FAILURE(Parse(kFront + text, network));
    const auto certificate = Certified(network.model, {});
    ASSERT_TRUE(certificate.ok()) << text << ": " << certificate.status();
    Check(network);
  }
}

// An operand and a result that are left out are not one by the name of the other.
TEST_F(Rechecked, WhatIsLeftOut) {
  Network network{"left out", "", {}};
  ASSERT_NO_FATAL_FAILURE(
      Parse("<ir_version: 8, opset_import: [\"\" : 17]>\nleft (float[N,2] x) => (float y) "
            "<float[2] s = {1, 2}, float high = {3.0}> { a = Clip (x, none, high)  "
            "b, none, d = LayerNormalization (a, s)  y = Add (b, d) }",
            network));
  for (auto& node : *network.model.mutable_graph()->mutable_node()) {
    for (auto* names : {node.mutable_input(), node.mutable_output()}) {
      for (std::string& name : *names) {
        if (name == "none") name.clear();
      }
    }
  }
  Check(network);
  EXPECT_EQ(certified_, 1);
}

// Data count how many rows there are, which may be none: no divisor of what is left for the others.
TEST_F(Rechecked, WhatIsLeftBesideADimThatDataCount) {
  Network network{"counted", "", {}};
  ASSERT_NO_FATAL_FAILURE(Parse(
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "counted (float[N,12] x, bool[N] mask) => (float y) <int64[1] first = {0}, int64[2] "
      "groups = {-1, 4}, int64[1] one = {1}, int64[1] three = {3}, int64[1] axis = {1}> "
      "{ k = Compress <axis = 0> (x, mask)  s = Shape (k)  n = Gather (s, first)  "
      "t = Concat <axis = 0> (n, groups)  g = Reshape (k, t)  y = Slice (g, one, three, axis) "
      "}",
      network));
  Check(network);
  EXPECT_EQ(certified_, 1);
}

// Factors that are quotients of sizes, and come to numbers.
TEST_F(Rechecked, ScalesByQuotients) {
  const std::string front =
      "<ir_version: 8, opset_import: [\"\" : 13]>\nscaled (float[1,1,H] x) => (float y) "
      "<float[0] none = {}, int64[1] two = {2}, int64[1] three = {3}, float[2] ones = {1, 1}> { "
      "p = MaxPool <kernel_shape = [2], strides = [2]> (x)  s = Shape (x)  t = Slice (s, two, "
      "three)  "
      "f = Cast <to = 1> (t)  u = Shape (p)  v = Slice (u, two, three)  g = Cast <to = 1> (v)  ";
  const std::string up =
      "q = Div (f, g)  by = Concat <axis = 0> (ones, q)  r = Resize (p, none, by)  "
      "y = Concat <axis = 1> (x, r) }";
  const std::string down =
      "q = Div (g, f)  by = Concat <axis = 0> (ones, q)  "
      "r = Resize (x, none, by)  y = Concat <axis = 1> (p, r) }";
  for (const std::string& rest : {up, down}) {
    Network network{"scaled", "", {}};
    ASSERT_NO_FATAL_FAILURE(Parse(front + rest, network));
    Check(network);  // which takes the same declaration by itself
    Check(network, {"H%2=0"});
  }
  EXPECT_EQ(certified_, 4);
}

// Dims that are declared as quotients of others.
TEST_F(Rechecked, DimsThatAreDefinedByOthers) {
  Network network{"halves", "", {}};
  const auto status =
      onnx::OnnxParser(
          "<ir_version: 8, opset_import: [\"\" : 13]>\nhalves (float[1,1,H] x, "
          "float[1,1,M] z) => (float y) { p = MaxPool <kernel_shape = [4], strides = "
          "[4]> (x)  q = Concat <axis = 2> (p, p)  y = Add (q, z) }")
          .Parse(network.model);
  ASSERT_TRUE(status.IsOK()) << status.ErrorMessage();
  network.model.mutable_graph()
      ->mutable_output(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->clear_shape();
  Check(network, {"H=4..", "M=2*floor(H/4)"});
  EXPECT_EQ(certified_, 1);
}

// Loops whose condition counts: how often they run follows from the model again, and nothing else
// may be listed. What their bodies require is stated once, not of an iteration that was tried too.
TEST_F(Rechecked, LoopsWhoseConditionCounts) {
  constexpr char kFront[] =
      "<ir_version: 8, opset_import: [\"\" : 17]>\n"
      "counting (float[B,2] x, float[T] w) => (float all) <int64 zero = {0}, int64 one = {1}, "
      "int64 two = {2}, int64 few = {7}, int64 most = {9223372036854775807}, bool yes = {1}> { "
      "s = Shape (w)  n = Gather (s, zero)  f = Cast <to = 1> (n)  k = Cast <to = 6> (n)  "
      "m = Sub (n, one)  go = Less (zero, n)  l = Cast <to = 1> (zero)  begins = Less (l, f)  "
      "last, y, all = Loop <body = b (int64 i, bool keep, int64 c, float[B,2] h) "
      "=> (bool again, int64 d, float[B,2] next, float[B,2] seen) { ";
  constexpr char kBody[] = "next = Add (h, x)  seen = Neg (h)  ";
  for (const auto& [again, end] : std::vector<std::pair<std::string, std::string>>{
           {"d = Add (c, one)  again = Less (d, n)", "(most, go, zero, x)"},
           {"d = Add (one, c)  again = Greater (n, d)", "(few, go, zero, x)"},
           {"d = Add (c, one)  e = Cast <to = 1> (d)  again = Less (e, f)",
            "(most, begins, zero, x)"},
           {"d = Add (c, one)  e = Cast <to = 6> (d)  again = Less (e, k)", "(most, go, zero, x)"},
           {"d = Add (c, one)  again = LessOrEqual (d, m)", "(most, go, zero, x)"},
           {"d = Add (c, one)  e = Sub (n, d)  again = Greater (e, zero)", "(most, go, zero, x)"},
           {"d = Sub (c, one)  again = Greater (d, zero)", "(most, go, n, x)"},
           {"d = Add (c, two)  e = Add (i, one)  again = Less (e, n)", "(most, go, zero, x)"},
           {"d = Add (c, one)  a = Less (d, n)  e = Add (i, one)  o = Less (e, n)  "
            "again = And (a, o)",
            "(most, go, zero, x)"},
           {"d = Add (c, one)  again = Less (d, m)", "(most, yes, zero, x)"}}) {
    Network network{again + end, "", {}};
    ASSERT_NO_FATAL_FAILURE(Parse(absl::StrCat(kFront, kBody, again, " }> ", end, " }"), network));
    Check(network);
    const auto certificate = Certified(network.model, {});
    ASSERT_TRUE(certificate.ok()) << network.name << ": " << certificate.status();
    // As if it ran once more: that is owed then, of another length than before.
    Certificate longer = *certificate;
    for (certificate::ListedOperation& operation : longer.operations) {
      if (operation.op != "LoopEnd") continue;
      std::string& length = operation.results.back().dims[0];
      length = absl::StrCat("(", length, ") + 1");
    }
    const auto owed = [&](const Certificate& listed) {
      const auto report = recheck::Recheck(network.model, "", listed);
      EXPECT_TRUE(report.ok()) << network.name << ": " << report.status();
      std::set<std::string> statements;
      for (const auto& unstated : report->unstated) statements.insert(unstated.statement);
      return statements;
    };
    EXPECT_NE(owed(longer), owed(*certificate)) << network.name;
  }
  EXPECT_EQ(certified_, 10);
}

// Whose condition is data, with sizes through floats in one of them: what bounds these may have
// been assumed for an iteration that was tried.
TEST_F(Rechecked, LoopsThatDataEnd) {
  for (const std::string part :
       {"p = Identity (x)",
        "s = Shape (h)  b = Slice (s, zero, one)  f = Cast <to = 1> (b)  u = Mul (f, half)  "
        "v = Floor (u)  n = Cast <to = 7> (v)  c = Slice (h, zero, n, zero)  "
        "p = ReduceMax <keepdims = 0> (c)"}) {
    Network network{part, "", {}};
    const std::string text = absl::StrCat(
        "<ir_version: 8, opset_import: [\"\" : 17]>\nending (float[B,2] x) => (float y) "
        "<float limit = {3.0}, float half = {0.5}, bool yes = {1}, int64 few = {5}, "
        "int64[1] zero = {0}, int64[1] one = {1}> { y = Loop <body = b (int64 i, bool keep, "
        "float[B,2] h) => (bool again, float[B,2] next) { ",
        part,
        "  next = Add (h, p)  t = ReduceSum <keepdims = 0> (next)  again = Less (t, limit) }> "
        "(few, yes, x) }");
    ASSERT_NO_FATAL_FAILURE(Parse(text, network));
    Check(network, {"B=2.."});
  }
  EXPECT_EQ(certified_, 2);
}

// Masks that are computed alike choose as many entries, others do not: there is a size for each.
TEST_F(Rechecked, SizesThatAreCountedAlike) {
  const auto network = [](const std::string& c, const std::string& d, const std::string& y) {
    Network made{absl::StrCat(c, ", ", d), "", {}};
    const std::string text = absl::StrCat(
        "<ir_version: 8, opset_import: [\"\" : 17]>\n"
        "masks (float[N] x, float[N] w) => (float y) <float zero = {0}, float one = {1}> { ",
        absl::StrContains(c, "(f)") ? "f = Cast <to = 6> (x)  g = Cast <to = 3> (x)  " : "",
        "c = ", c, "  d = ", d, "  k = Compress (x, c)  r = Compress (w, d)  y = ", y, " (k, r) }");
    const auto status = onnx::OnnxParser(text.c_str()).Parse(made.model);
    EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
    made.model.mutable_graph()
        ->mutable_output(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->clear_shape();
    return made;
  };
  const auto counts = [](const Certificate& certificate) {
    return std::count_if(
        certificate.symbols.begin(), certificate.symbols.end(),
        [](const auto& symbol) { return absl::StartsWith(symbol.name, "count_"); });
  };
  constexpr char kSide[] = "Concat <axis = 0>", kMask[] = "Greater (x, zero)";
  for (const char* op : {kSide, "Mul"}) {
    const Network alike = network(kMask, kMask, op);
    const auto certificate = Certified(alike.model, {});
    ASSERT_TRUE(certificate.ok()) << certificate.status();
    EXPECT_EQ(counts(*certificate), 1);
    const auto report = recheck::Recheck(alike.model, "", *certificate);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->failures.empty()) << absl::StrJoin(report->failures, "\n");
    EXPECT_TRUE(report->left.empty());
  }
  // Of another input, another operation, another constant, with operands the other way around, with
  // another attribute.
  for (const auto& [mask, other] : std::vector<std::pair<std::string, std::string>>{
           {kMask, "Greater (w, zero)"},
           {kMask, "Less (x, zero)"},
           {kMask, "Greater (x, one)"},
           {kMask, "Greater (zero, x)"},
           {"Cast <to = 9> (f)", "Cast <to = 9> (g)"}}) {
    // As many of both is for the data to be, and for whoever runs it to see.
    const auto guarded = Certified(network(mask, other, "Mul").model, {});
    ASSERT_TRUE(guarded.ok()) << guarded.status();
    EXPECT_TRUE(std::any_of(guarded->obligations.begin(), guarded->obligations.end(),
                            [](const certificate::Obligation& o) {
                              return o.verdict == certificate::Verdict::kGuarded &&
                                     absl::StrContains(o.statement, "count_2");
                            }))
        << other;
    const Network apart = network(mask, other, kSide);
    const auto certificate = Certified(apart.model, {});
    ASSERT_TRUE(certificate.ok()) << certificate.status();
    ASSERT_EQ(counts(*certificate), 2) << other;
    EXPECT_FALSE(IsNamed(apart, *certificate)) << other;
    // One symbol for both.
    Certificate without = *certificate;
    const auto second = std::find_if(without.symbols.begin(), without.symbols.end(),
                                     [](const auto& symbol) { return symbol.name == "count_2"; });
    ASSERT_NE(second, without.symbols.end());
    without.symbols.erase(second);
    without.witness.erase("count_2");
    without.model = {"masks.onnx", 1, std::string(64, '0')};
    std::string text = certificate::WriteCertificate(without);
    absl::StrReplaceAll({{"count_2", "count_1"}}, &text);
    const auto changed = certificate::ReadCertificate(text);
    ASSERT_TRUE(changed.ok()) << changed.status();
    const auto report = recheck::Recheck(apart.model, "", *changed);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(absl::StrContains(absl::StrJoin(report->failures, "\n"),
                                  "no symbol of the certificate is the size that data decide"))
        << other << absl::StrJoin(report->failures, "\n");
  }
}

TEST_F(Rechecked, NodesOfTheStandardsTests) {
  for (const Network& network : NodeTests()) Check(network);
  EXPECT_GE(certified_, 1200);
  ExpectMostAreNamed();
}

TEST_F(Rechecked, RandomNetworks) {
  for (const Network& network : RandomNetworks(300)) Check(network);
  EXPECT_GE(certified_, 140);
  ExpectMostAreNamed();
}

}  // namespace
}  // namespace tessera::testing
