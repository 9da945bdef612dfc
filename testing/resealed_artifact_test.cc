// Whoever writes certificate, artifact and data anew is found out by what the definitions require
// of the artifact's operators, and by the files that the model names.
//
//   resealed_artifact_test COMPILE
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "nlohmann/json.hpp"
#include "onnx/defs/parser.h"
#include "recheck/recheck.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/order.h"
#include "solver/certificate/smtlib.h"
#include "support/file.h"
#include "targets/all/all.h"
#include "targets/circle/file/reader.h"
#include "targets/circle/file/writer.h"
#include "tools/proving/artifact.h"
#include "tools/proving/certify.h"
#include "tools/proving/check_certificate.h"

namespace tessera {
namespace {

using certificate::Certificate;
using proving::CertificateVerdict;

// Windows, a reshape by computed sizes, a crop.
constexpr char kPooled[] = R"(<ir_version: 8, opset_import: ["" : 17]>
pooled (float[N,4,H,W] x) => (float y)
<int64[1] two = {2}, int64[1] three = {3}, int64[1] four = {4}, int64[3] rows = {0, 4, -1}>
{
  p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
  r = Reshape (p, rows)
  s = Shape (p)
  w = Slice (s, three, four)
  zero = Constant <value = int64[1] {0}> ()
  y = Slice (r, zero, w, two)
})";

// No cube is the sum of two, which nothing here knows.
constexpr char kGuarded[] = R"(<ir_version: 8, opset_import: ["" : 17]>
guarded (float[A] x, float[B] y, float[C] z) => (float w) <int64[1] one = {1}>
{
  a = Shape (x)  a2 = Mul (a, a)  a3 = Mul (a2, a)
  b = Shape (y)  b2 = Mul (b, b)  b3 = Mul (b2, b)
  c = Shape (z)  c2 = Mul (c, c)  c3 = Mul (c2, c)
  s = Add (a3, b3)  d = Sub (s, c3)  q = Div (a, d)  m = Max (q, one)  w = ConstantOfShape (m)
})";

// No cube is the sum of two: the index is 0, which nothing here knows, and the entries are equal.
constexpr char kPicked[] = R"(<ir_version: 8, opset_import: ["" : 17]>
picked (float[A,B,C] x) => (float w)
<int64[1] one = {1}, int64[1] three = {3}, int64[1] zero = {0}, int64[1] first = {0}, int64[1] second = {1}, int64[1] third = {2}>
{
  s = Shape (x)
  a = Gather (s, first)  a2 = Mul (a, a)  a3 = Mul (a2, a)
  b = Gather (s, second)  b2 = Mul (b, b)  b3 = Mul (b2, b)
  c = Gather (s, third)  c2 = Mul (c, c)  c3 = Mul (c2, c)
  t = Add (a3, b3)  d = Sub (t, c3)  e = Abs (d)  f = Min (e, one)  i = Sub (one, f)
  ones = ConstantOfShape (one)
  w = Gather (ones, i)
})";

// Of which i32 holds the cubes.
constexpr char kCubes[] = "--guards --dim A=..300 --dim B=..300 --dim C=..300";

// Its index stands in a file of its own.
constexpr char kBeside[] = R"(<ir_version: 8, opset_import: ["" : 17]>
beside (float[T] x) => (float y) <int64[2] at = {0, 2}> { y = Gather (x, at) })";

std::string compiler, folder;

std::string Read(const std::string& path) { return support::ReadFile(path).value(); }

struct Compiled {
  std::string model, artifact;

  std::string CertificatePath() const { return artifact + ".cert.json"; }
  Certificate Claims() const {
    return certificate::ReadCertificate(Read(CertificatePath())).value();
  }
  // Writes both, as if the compiler had written them together.
  void Reseal(Certificate claims, circle::FileModel file) const {
    ASSERT_TRUE(certificate::FillSmtLib(claims).ok());
    file.metadata[proving::kClaims] = certificate::ClaimsDigest(claims);
    ASSERT_TRUE(circle::WriteCircleFile(file, artifact).ok());
    claims.artifact = proving::DigestOfFile(artifact).value();
    ASSERT_TRUE(support::WriteFile(CertificatePath(), certificate::WriteCertificate(claims)).ok());
  }
  CertificateVerdict Check() const {
    certificate::CheckOptions options;
    options.model = model;
    const auto verdict = proving::CheckCertificate(CertificatePath(), options, false);
    if (verdict.ok()) return *verdict;
    return {CertificateVerdict::kRejected, std::string(verdict.status().message())};
  }
};

Compiled Compile(const char* text, const std::string& options = "",
                 const std::function<void(onnx::ModelProto&)>& change = nullptr) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(text).Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  model.mutable_graph()->mutable_output(0)->mutable_type()->mutable_tensor_type()->clear_shape();
  if (change) change(model);
  const std::string base = folder + "/" + model.graph().name();
  const Compiled compiled{base + ".onnx", base + ".circle"};
  EXPECT_TRUE(support::WriteFile(compiled.model, model.SerializeAsString()).ok());
  const std::string command =
      compiler + " " + compiled.model + " --quiet " + options + " -o " + compiled.artifact;
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  return compiled;
}

circle::FileOperator& OperatorOf(circle::FileModel& model, const std::string& table) {
  for (circle::FileOperator& op : model.main().operators) {
    if (op.options_table == table) return op;
  }
  ADD_FAILURE() << "no operator with " << table;
  std::abort();
}

TEST(Resealed, WhatTheLoweringRequiredIsDerivedFromTheArtifact) {
  const Compiled compiled = Compile(kPooled, "--dim H=2.. --dim W=2..");
  ASSERT_EQ(compiled.Check().kind, CertificateVerdict::kAccepted) << compiled.Check().text;
  // Without any of it, it is proved all the same.
  Certificate claims = compiled.Claims();
  std::vector<certificate::Obligation> imported;
  std::map<int64_t, int64_t> places;
  for (size_t i = 0; i < claims.obligations.size(); ++i) {
    if (claims.obligations[i].stage != "import") continue;
    places[static_cast<int64_t>(i)] = static_cast<int64_t>(imported.size());
    imported.push_back(claims.obligations[i]);
  }
  ASSERT_LT(imported.size(), claims.obligations.size());
  claims.obligations = imported;
  for (certificate::ListedOperation& operation : claims.operations) {
    for (int64_t& at : operation.obligations) at = places.at(at);
  }
  const circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
  compiled.Reseal(claims, file);
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
  EXPECT_NE(verdict.text.find(" 0 operators not derived"), std::string::npos) << verdict.text;
}

TEST(Resealed, AnotherArtifactDoesNotYieldTheModelsShapes) {
  const Compiled compiled = Compile(kPooled, "--dim H=2.. --dim W=2..");
  circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
  for (auto& [name, value] : OperatorOf(file, "Pool2DOptions").options) {
    if (name == "stride_w") value = int64_t{3};
  }
  compiled.Reseal(compiled.Claims(), file);
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kRejected) << verdict.text;
  EXPECT_NE(verdict.text.find("of the artifact"), std::string::npos) << verdict.text;
}

TEST(Resealed, AnOperatorWhoseWindowDoesNotFit) {
  const Compiled compiled = Compile(kPooled, "--dim H=2.. --dim W=2..");
  circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
  for (auto& [name, value] : OperatorOf(file, "Pool2DOptions").options) {
    if (name == "filter_height") value = int64_t{3};
  }
  compiled.Reseal(compiled.Claims(), file);
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kRejected) << verdict.text;
  EXPECT_NE(verdict.text.find("`MAX_POOL_2D` of the artifact`: the definitions require"),
            std::string::npos)
      << verdict.text;
}

// Windows in the body of a loop, which the artifact has as a graph of its own.
constexpr char kLooped[] = R"(<ir_version: 8, opset_import: ["" : 17]>
looped (float[N,2,H,W] x, float[T] t) => (float y) <bool go = {1}>
{
  n = Size (t)
  y = Loop (n, go, x) <body = step (int64 i, bool c, float[N,2,H,W] a) => (bool d, float[N,2,H,W] b)
    { d = Identity (c)  p = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (a)  b = Relu (p) }>
})";

// And on one side of a choice.
constexpr char kBranched[] = R"(<ir_version: 8, opset_import: ["" : 17]>
branched (float[N,2,H,W] x, bool c) => (float y)
{
  y = If (c) <then_branch = yes () => (float[N,2,H,W] a)
    { p = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1]> (x)  q = Exp (p)  a = Sin (q) },
    else_branch = no () => (float[N,2,H,W] b) { r = Tanh (x)  s = Exp (r)  b = Sin (s) }>
})";

TEST(Resealed, GraphsThatOperatorsRun) {
  for (const char* text : {kLooped, kBranched}) {
    const Compiled compiled = Compile(text);
    const CertificateVerdict original = compiled.Check();
    ASSERT_EQ(original.kind, CertificateVerdict::kAccepted) << original.text;
    EXPECT_NE(original.text.find(" 0 operators not derived"), std::string::npos) << original.text;
    circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
    ASSERT_GT(file.graphs.size(), 1u);
    int changed = 0;
    for (circle::FileGraph& graph : file.graphs) {
      for (circle::FileOperator& op : graph.operators) {
        for (auto& [name, value] : op.options) {
          if (name != "stride_h") continue;
          value = int64_t{2};
          ++changed;
        }
      }
    }
    ASSERT_EQ(changed, 1);
    compiled.Reseal(compiled.Claims(), file);
    const CertificateVerdict verdict = compiled.Check();
    const bool named = verdict.text.find("yield different sizes") != std::string::npos;
    EXPECT_TRUE(verdict.kind == CertificateVerdict::kRejected || named) << verdict.text;
  }
}

TEST(Resealed, InputsAreThoseOfTheModel) {
  const Compiled compiled = Compile(kPooled, "--dim H=2.. --dim W=2..");
  circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
  std::string& facts = file.metadata["tessera"];
  const size_t at = facts.find("\"H\"");
  ASSERT_NE(at, std::string::npos);
  facts.replace(at, 3, "\"W\"");
  compiled.Reseal(compiled.Claims(), file);
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kRejected) << verdict.text;
  EXPECT_NE(verdict.text.find("input `x` of the artifact says `W` of dim 2"), std::string::npos)
      << verdict.text;
}

TEST(Resealed, AGuardIsTheStatementThatTheArtifactEvaluates) {
  const Compiled compiled = Compile(kGuarded, kCubes);
  const auto opened = targets::OpenFile(compiled.artifact).value();
  const auto differences = [&](const Certificate& claims) {
    return proving::CompareArtifact(compiled.artifact, *opened.artifact, claims).value();
  };
  const Certificate original = compiled.Claims();
  EXPECT_TRUE(differences(original).empty()) << differences(original).front();
  int guarded = 0;
  for (size_t i = 0; i < original.obligations.size(); ++i) {
    if (original.obligations[i].verdict != certificate::Verdict::kGuarded) continue;
    ++guarded;
    Certificate claims = original;
    claims.obligations[i].statement = "A*A*A + B*B*B - C*C*C >= 0 - A";
    bool named = false;
    for (const std::string& difference : differences(claims))
      named = named || difference.find("which the artifact does not check") != std::string::npos;
    EXPECT_TRUE(named) << original.obligations[i].statement;
  }
  EXPECT_GT(guarded, 0);
}

TEST(Resealed, WhatIsGuardedIsCheckedWhateverIsComputedInItsPlace) {
  const Compiled compiled = Compile(kPicked, kCubes);
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
  const Certificate original = compiled.Claims();
  const auto file = circle::ReadCircleFile(compiled.artifact).value();
  size_t guarded = original.obligations.size();
  for (size_t i = 0; i < original.obligations.size(); ++i) {
    if (original.obligations[i].verdict == certificate::Verdict::kGuarded) guarded = i;
  }
  ASSERT_LT(guarded, original.obligations.size());
  EXPECT_EQ(original.obligations[guarded].id, "index");
  Certificate claims = original;
  claims.obligations.erase(claims.obligations.begin() + static_cast<std::ptrdiff_t>(guarded));
  for (certificate::ListedOperation& operation : claims.operations) {
    std::erase(operation.obligations, static_cast<int64_t>(guarded));
    for (int64_t& at : operation.obligations) at -= at > static_cast<int64_t>(guarded) ? 1 : 0;
  }
  compiled.Reseal(claims, file);
  EXPECT_EQ(compiled.Check().kind, CertificateVerdict::kRejected);
}

// Sizes are divided by what is negative for some.
constexpr char kDivided[] = R"(<ir_version: 8, opset_import: ["" : 17]>
divided (float[S] x, float[T] y) => (float z) <int64[1] three = {3}>
{
  s = Shape (x)  t = Shape (y)  d = Sub (t, three)
  q = Div (s, d)  m = Mod (s, d)
  a = Add (q, s)  b = Add (a, t)  c = Add (b, m)
  z = ConstantOfShape (c)
})";

TEST(Resealed, DivisorsOfEitherSign) {
  const Compiled compiled = Compile(kDivided, "--dim T%2=0 --dim T=..64 --dim S=..64");
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
}

// Two of the rows of four are joined where there are more than three.
constexpr char kFolded[] = R"(<ir_version: 8, opset_import: ["" : 17]>
folded (float[T,4] x) => (float y)
<int64[1] three = {3}, int64[1] two = {2}, int64[1] one = {1}, int64[1] zero = {0}, int64[1] rest = {-1}>
{
  s = Shape (x)
  t = Slice (s, zero, one)
  c = Greater (t, three)
  k = Where (c, two, one)
  to = Concat <axis = 0> (rest, k)
  y = Reshape (x, to)
})";

TEST(Resealed, AConditionOnSizesThatWasFolded) {
  const Compiled compiled = Compile(kFolded, "--dim T=4..");
  ASSERT_EQ(compiled.Check().kind, CertificateVerdict::kAccepted) << compiled.Check().text;
  Certificate claims = compiled.Claims();
  int folded = 0;
  for (certificate::ListedOperation& operation : claims.operations) {
    if (operation.op == "Greater") {
      ++folded;
      EXPECT_EQ(operation.results[0].elements, std::vector<std::string>{"1"});
      operation.results[0].elements = {"0"};
    }
    if (operation.op == "Where") operation.results[0].elements = {"1"};
    if (operation.op == "Concat") operation.results[0].elements = {"-1", "1"};
  }
  EXPECT_EQ(folded, 1);
  compiled.Reseal(claims, circle::ReadCircleFile(compiled.artifact).value());
  EXPECT_EQ(compiled.Check().kind, CertificateVerdict::kRejected) << compiled.Check().text;
  // By itself: that there are no more than three is no consequence of what is declared.
  claims = compiled.Claims();
  for (certificate::ListedOperation& operation : claims.operations) {
    if (operation.op == "Greater") operation.results[0].elements = {"0"};
  }
  const auto report = recheck::Recheck(compiled.model, claims);
  ASSERT_TRUE(report.ok()) << report.status();
  bool owed = !report->failures.empty();
  for (const recheck::Unstated& unstated : report->unstated)
    owed = owed || unstated.statement.find("> 3") != std::string::npos;
  EXPECT_TRUE(owed);
}

// Moves the initializer into the file `name`.
void Move(onnx::ModelProto& model, const std::string& name) {
  onnx::TensorProto& tensor = *model.mutable_graph()->mutable_initializer(0);
  std::string bytes;
  for (const int64_t value : tensor.int64_data())
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  if (bytes.empty()) bytes = tensor.raw_data();
  ASSERT_TRUE(support::WriteFile(folder + "/" + name, bytes).ok());
  tensor.clear_int64_data();
  tensor.clear_raw_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (const auto& [key, value] : std::vector<std::pair<std::string, std::string>>{
           {"location", name}, {"offset", "0"}, {"length", std::to_string(bytes.size())}}) {
    auto& entry = *tensor.add_external_data();
    entry.set_key(key);
    entry.set_value(value);
  }
}

TEST(Resealed, DataBesideTheModel) {
  const Compiled compiled =
      Compile(kBeside, "--dim T=3..", [](onnx::ModelProto& model) { Move(model, "at.bin"); });
  ASSERT_EQ(compiled.Check().kind, CertificateVerdict::kAccepted) << compiled.Check().text;
  const Certificate original = compiled.Claims();
  ASSERT_EQ(original.data.size(), 1u);
  EXPECT_EQ(original.data[0].file, "at.bin");
  EXPECT_EQ(original.data[0].bytes, 16);

  const circle::FileModel file = circle::ReadCircleFile(compiled.artifact).value();
  const auto rejected = [&](const Certificate& claims, const std::string& why) {
    compiled.Reseal(claims, file);
    const CertificateVerdict verdict = compiled.Check();
    EXPECT_EQ(verdict.kind, CertificateVerdict::kRejected) << why;
    EXPECT_NE(verdict.text.find(why), std::string::npos) << verdict.text;
  };
  Certificate claims = original;
  claims.data.clear();
  rejected(claims, "`at` is in the file `at.bin`, of which the certificate has no digest");
  claims = original;
  claims.data.push_back(original.data[0]);
  claims.data[1].file = "other.bin";
  rejected(claims, "the file `other.bin` is listed, which the model does not name");

  compiled.Reseal(original, file);
  ASSERT_EQ(compiled.Check().kind, CertificateVerdict::kAccepted);
  std::string bytes = Read(folder + "/at.bin");
  bytes[8] = 1;  // still an index that the statements allow
  ASSERT_TRUE(support::WriteFile(folder + "/at.bin", bytes).ok());
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kRejected) << verdict.text;
}

// A size that others define, one that another bounds, one that data decide, one that is even.
constexpr char kSized[] = R"(<ir_version: 8, opset_import: ["" : 17]>
sized (float[P] p, float[T] t, float[S] m, float[L] l, float[N] n, float[E] e) =>
  (float a, float b, float c, float d, float f, float g, int64 h)
{
  a = Relu (p)  b = Relu (t)  c = Relu (m)  d = Relu (l)  f = Relu (n)  g = Relu (e)
  h = NonZero (n)
})";
constexpr char kSizedOptions[] = "--dim S=P+T --dim L=N.. --dim E%2=0";

// Beside no artifact, which would have the digest of the original.
CertificateVerdict CheckAlone(const Compiled& compiled, Certificate claims) {
  claims.artifact.reset();
  certificate::PutInOrder(claims);
  EXPECT_TRUE(certificate::FillSmtLib(claims).ok());
  const std::string path = folder + "/alone.cert.json";
  EXPECT_TRUE(support::WriteFile(path, certificate::WriteCertificate(claims)).ok());
  certificate::CheckOptions options;
  options.model = compiled.model;
  const auto verdict = proving::CheckCertificate(path, options, false);
  if (verdict.ok()) return *verdict;
  return {CertificateVerdict::kRejected, std::string(verdict.status().message())};
}

// In the place of a text, wherever it stands in what is listed and assumed.
Certificate With(const Certificate& original, const std::string& text, const std::string& other) {
  Certificate changed = original;
  int64_t count = 0;
  const auto replace = [&](std::string& s) { count += absl::StrReplaceAll({{text, other}}, &s); };
  for (certificate::ListedTensor& input : changed.inputs) {
    for (std::string& dim : input.dims) replace(dim);
  }
  for (certificate::ListedOperation& operation : changed.operations) {
    for (certificate::ListedTensor& result : operation.results) {
      for (std::string& dim : result.dims) replace(dim);
    }
  }
  for (certificate::DeclaredFact& fact : changed.facts) replace(fact.statement);
  for (std::string& term : changed.terms) replace(term);
  for (certificate::Obligation& o : changed.obligations) replace(o.statement);
  EXPECT_GT(count, 0) << text;
  return changed;
}

// What is another size at one that nobody tries is not proved to be the same.
TEST(Resealed, SizesAreWhatOptionsSayAtEachSize) {
  const Compiled compiled = Compile(kSized, kSizedOptions);
  const Certificate original = compiled.Claims();
  const CertificateVerdict verdict = CheckAlone(compiled, original);
  ASSERT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
  // The last one is excluded by what is assumed of it, which says of the sum that it is no less
  // than 0.
  for (const char* sum :
       {"min(P + T, 9000)", "P + T + 9*(P == 1234567)", "P + T - 4294967296*(P == 1234567)"}) {
    const CertificateVerdict forged = CheckAlone(compiled, With(original, "P + T", sum));
    EXPECT_EQ(forged.kind, CertificateVerdict::kRejected) << sum << ": " << forged.text;
  }
  // These are the same in other words.
  const CertificateVerdict same = CheckAlone(compiled, With(original, "P + T", "T + P"));
  EXPECT_EQ(same.kind, CertificateVerdict::kAccepted) << same.text;
}

TEST(Resealed, FactsAreWhatOptionsSayAtEachSize) {
  const Compiled compiled = Compile(kSized, kSizedOptions);
  const Certificate original = compiled.Claims();
  for (const char* fact :
       {"L >= N + ite(N > 5000, 2147483647, 0)", "L >= N + 2147483647*(N == 1234567)"}) {
    const CertificateVerdict forged = CheckAlone(compiled, With(original, "L >= N", fact));
    EXPECT_EQ(forged.kind, CertificateVerdict::kRejected) << fact << ": " << forged.text;
  }
  const CertificateVerdict same = CheckAlone(compiled, With(original, "L >= N", "N <= L"));
  EXPECT_EQ(same.kind, CertificateVerdict::kAccepted) << same.text;
}

TEST(Resealed, GuardsImplyWhatIsRequiredAtEachSize) {
  const Compiled compiled = Compile(kPicked, kCubes);
  const CertificateVerdict verdict = compiled.Check();
  ASSERT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
  const circle::FileModel original = circle::ReadCircleFile(compiled.artifact).value();
  const Certificate stated = compiled.Claims();
  // The first one is told apart at once.
  for (const char* weaker : {"t1*(A < 5000)", "t1*(A != 1234567)"}) {
    const auto weakened = [&](const std::string& statement) {
      return absl::StrReplaceAll(statement, {{"t1 >=", absl::StrCat(weaker, " >=")},
                                             {"t1 <", absl::StrCat(weaker, " <")}});
    };
    Certificate claims = stated;
    int guarded = 0;
    for (certificate::Obligation& o : claims.obligations) {
      if (o.verdict != certificate::Verdict::kGuarded) continue;
      o.statement = weakened(o.statement);
      ++guarded;
    }
    ASSERT_GT(guarded, 0);
    circle::FileModel file = original;
    nlohmann::json facts = nlohmann::json::parse(file.metadata["tessera"]);
    for (nlohmann::json& o : facts["obligations"]) o["predicate"] = weakened(o["predicate"]);
    file.metadata["tessera"] = facts.dump();
    compiled.Reseal(claims, file);
    const CertificateVerdict forged = compiled.Check();
    EXPECT_EQ(forged.kind, CertificateVerdict::kRejected) << weaker << ": " << forged.text;
    EXPECT_EQ(forged.text.find("the artifact"), std::string::npos) << forged.text;
  }
}

TEST(Resealed, TheArtifactChecksAllThatWasAssumedOfSizes) {
  using Json = nlohmann::json;
  const Compiled compiled = Compile(kSized, kSizedOptions);
  const CertificateVerdict verdict = compiled.Check();
  ASSERT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
  const Certificate claims = compiled.Claims();
  const circle::FileModel original = circle::ReadCircleFile(compiled.artifact).value();
  const auto rejected = [&](const char* what, const std::function<void(Json&)>& change) {
    circle::FileModel file = original;
    Json facts = Json::parse(file.metadata["tessera"]);
    change(facts);
    ASSERT_NE(facts.dump(), Json::parse(file.metadata["tessera"]).dump()) << what;
    file.metadata["tessera"] = facts.dump();
    compiled.Reseal(claims, file);
    EXPECT_EQ(compiled.Check().kind, CertificateVerdict::kRejected) << what;
  };
  for (const char* list : {"symbols", "relations", "counted"}) {
    rejected(list, [&](Json& facts) { facts.erase(list); });
    rejected(list, [&](Json& facts) { facts[list] = Json::array(); });
    rejected(list, [&](Json& facts) { facts[list].erase(0); });
  }
  rejected("stride", [](Json& facts) {
    for (Json& symbol : facts["symbols"]) symbol["stride"] = 0;
  });
  rejected("another relation", [](Json& facts) {
    facts["relations"].push_back({{"origin", "--dim L=N.."}, {"predicate", "L >= N + 1"}});
  });
}

// Sizes that meet constants above those that are tried first.
TEST(Resealed, LargeConstants) {
  constexpr const char* kTexts[] = {
      "first (float[W] x) => (float y) <int64[1] zero = {0}, int64[1] end = {5000}> "
      "{ y = Slice (x, zero, end) }",
      "window (float[W] x) => (float y) <int64[1] zero = {0}, int64[1] part = {128}, "
      "int64[1] end = {60}> { s = Shape (x)  d = Div (s, part)  a = Slice (x, zero, d)  "
      "b = Neg (a)  y = Slice (b, zero, end) }",
      "range (float[W] x) => (float y) <int64 zero = {0}, int64 one = {1}, int64 end = {70000}> "
      "{ s = Size (x)  m = Min (s, end)  r = Range (zero, m, one)  y = Cast <to = 1> (r) }"};
  for (const char* text : kTexts) {
    const Compiled compiled =
        Compile(absl::StrCat("<ir_version: 8, opset_import: [\"\" : 17]>\n", text).c_str());
    const CertificateVerdict verdict = compiled.Check();
    EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << text << ": " << verdict.text;
  }
}

// Sizes through floats that are divided by what divides them, whatever they are.
TEST(Resealed, FloatsOfMultiples) {
  constexpr char kThirds[] = R"(<ir_version: 8, opset_import: ["" : 17]>
thirds (float[W] x) => (float y) <float three = {3.0}>
{ s = Shape (x)  f = Cast <to = 1> (s)  d = Div (f, three)  w = Floor (d)  i = Cast <to = 7> (w)  y = ConstantOfShape (i) })";
  for (const char* options : {"", "--dim W%3=0", "--dim W%6=0", "--dim W%3=1", "--dim W%2=0"}) {
    const CertificateVerdict verdict = Compile(kThirds, options).Check();
    EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << options << ": " << verdict.text;
  }
}

// What is left to data is named, rather than said to be wrong.
TEST(Resealed, AnIndexFromASizeInANarrowType) {
  const CertificateVerdict verdict = Compile(R"(<ir_version: 8, opset_import: ["" : 17]>
narrow (float[H] x) => (float y) <int64[1] one = {1}>
{ s = Shape (x)  u = Cast <to = 2> (s)  i = Cast <to = 7> (u)  l = Sub (i, one)  y = Gather (x, l) })")
                                         .Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kNotProved) << verdict.text;
}

// At 37 it is 100: the compiler tries other sizes.
TEST(Resealed, AnIndexThatWasTried) {
  const Compiled compiled = Compile(R"(<ir_version: 8, opset_import: ["" : 17]>
tried (float[H] x) => (float y) <float few = {37.0}, float many = {100.0}>
{ s = Shape (x)  f = Cast <to = 1> (s)  e = Equal (f, few)  g = Cast <to = 1> (e)
  m = Mul (g, many)  i = Cast <to = 7> (m)  y = Gather (x, i) })");
  const CertificateVerdict verdict = compiled.Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kNotProved) << verdict.text;
  EXPECT_NE(verdict.text.find("tried at some sizes alone: `index` of `Gather`"), std::string::npos)
      << verdict.text;
}

// Their elements take no memory.
TEST(Resealed, LongConstants) {
  const CertificateVerdict verdict = Compile(R"(<ir_version: 8, opset_import: ["" : 17]>
long (float[N] x) => (float y) <int64 zero = {0}, int64 end = {2000000000}, int64 one = {1}>
{ r = Range (zero, end, one)  f = Cast <to = 1> (r)  m = ReduceMax <keepdims = 0> (f)  y = Add (x, m) })")
                                         .Check();
  EXPECT_EQ(verdict.kind, CertificateVerdict::kAccepted) << verdict.text;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 2) return 2;
  compiler = argv[1];
  folder = std::getenv("TEST_TMPDIR");
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
