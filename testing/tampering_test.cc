// Certificates that were changed and sealed again are rejected, whatever was changed.
//
//   tampering_test COMPILE MODEL.onnx
//
// MODEL is a network of some size, of which each statement is changed; what is changed at random is
// a small one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "nlohmann/json.hpp"
#include "onnx/defs/parser.h"
#include "recheck/recheck.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/order.h"
#include "solver/certificate/smtlib.h"
#include "support/file.h"
#include "testing/tampering/tamperer.h"
#include "tools/proving/check_certificate.h"

namespace tessera {
namespace {

using certificate::Certificate;
using Json = nlohmann::ordered_json;

// Branches and layouts are decided, a remainder is guarded, an index and windows must fit.
constexpr char kSmall[] = R"(<ir_version: 8, opset_import: ["" : 17]>
small (float[N,4,H,W] x, float[N,4,H,W] y) => (float z)
<int64[1] three = {3}, int64[1] zero = {0}, int64[1] axis = {2},
 int64[4] shape = {0, 4, -1, 1}, int64[2] last = {0, -1}>
{
  p = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
  q = AveragePool <kernel_shape = [2, 2], strides = [2, 2]> (y)
  s = Add (p, q)
  sizes = Shape (s)
  h = Gather (sizes, axis)
  large = Less (zero, h)
  c = If (large) <
    then_branch = deep () => (float a) { a = Concat <axis = 1> (s, p) },
    else_branch = flat () => (float b) { b = Relu (s) }
  >
  r = Reshape (s, shape)
  g = Gather <axis = 2> (r, last)
  m = ReduceMean <axes = [2, 3], keepdims = 1> (c)
  n = ReduceMean <axes = [1], keepdims = 1> (m)
  z = Mul (g, n)
})";

// Sizes that go through floats and through 32 bits.
constexpr char kFloats[] = R"(<ir_version: 8, opset_import: ["" : 17]>
floats (float[N,4,H,W] x) => (float z, float u)
<float factor = {0.7}, int64[1] zero = {0}, int64[1] one = {1}, int64[1] axis = {2}, int64[1] last = {3}>
{
  sizes = Shape (x)
  h = Gather (sizes, axis)
  real = Cast <to = 1> (h)
  less = Mul (real, factor)
  end = Cast <to = 7> (less)
  part = Slice (x, zero, end, axis, one)
  w = Gather (sizes, last)
  pixels = Mul (h, w)
  narrow = Cast <to = 6> (pixels)
  wide = Cast <to = 7> (narrow)
  batch = Gather (sizes, zero)
  channels = Shape <start = 1, end = 2> (x)
  shape = Concat <axis = 0> (batch, channels, wide)
  flat = Reshape (x, shape)
  z = Relu (flat)
  u = Abs (part)
})";

// A size that others define, of which options say more.
constexpr char kDefined[] = R"(<ir_version: 8, opset_import: ["" : 17]>
defined (float[N,P] x, float[N,T] y, float[N,S] m, float[K] k) => (float z, float r)
{
  r = Relu (k)
  c = Concat <axis = 1> (x, y)
  z = Add (c, m)
})";
constexpr char kDefinedOptions[] = "--dim S=P+T --dim S=2..100 --dim S%2=0 --dim K=T..";

std::string folder;

struct Network {
  std::string model;  // path
  std::string name;   // of artifact and certificate, without suffix

  std::string Artifact() const { return folder + "/" + name + ".circle"; }
  const Certificate& Original() const {
    static auto* const read = new std::map<std::string, Certificate>;
    const auto [it, fresh] = read->try_emplace(name);
    if (fresh)
      it->second =
          certificate::ReadCertificate(support::ReadFile(Artifact() + ".cert.json").value())
              .value();
    return it->second;
  }
  // What the check says of a certificate that was changed and sealed again, beside its artifact.
  proving::CertificateVerdict Check(const Certificate& changed) const {
    const std::string path = folder + "/changed_" + name + ".circle.cert.json";
    EXPECT_TRUE(support::WriteFile(path, certificate::WriteCertificate(changed)).ok());
    certificate::CheckOptions options;
    options.model = model;
    const auto verdict = proving::CheckCertificate(path, options, false);
    if (verdict.ok()) return *verdict;
    return {proving::CertificateVerdict::kRejected, std::string(verdict.status().message())};
  }
  // What does not agree with model and definitions alone.
  std::vector<std::string> Derived(const Certificate& changed) const {
    const auto report = recheck::Recheck(model, changed);
    if (!report.ok()) return {std::string(report.status().message())};
    return report->failures;
  }
};

Network given, small, floats, defined;

class Tampering : public ::testing::Test {
 protected:
  static const Certificate& Original() { return given.Original(); }
  static proving::CertificateVerdict Check(const Certificate& changed) {
    return given.Check(changed);
  }
  static std::vector<std::string> Derived(const Certificate& changed) {
    return given.Derived(changed);
  }
};

TEST_F(Tampering, TheOriginalIsAccepted) {
  for (const Network* network : {&given, &small, &floats, &defined}) {
    const proving::CertificateVerdict verdict = network->Check(network->Original());
    EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kAccepted) << verdict.text;
    EXPECT_NE(verdict.text.find(" 0 nodes not derived"), std::string::npos) << verdict.text;
  }
}

// Without it the other branch, or other operations, would have been built.
TEST_F(Tampering, DecisionsThatAreLeftOut) {
  int tried = 0;
  const Certificate& original = small.Original();
  for (size_t i = 0; i < original.obligations.size(); ++i) {
    const std::string& id = original.obligations[i].id;
    if (original.obligations[i].stage != "import" ||
        (id != "decided.condition" && id != "decided.guard"))
      continue;
    // What is the same by its letters is so whether it is listed or not.
    const std::vector<std::string> sides =
        absl::StrSplit(original.obligations[i].statement, " == ");
    if (sides.size() == 2 && sides[0] == sides[1]) continue;
    ++tried;
    Certificate changed = original;
    changed.obligations.erase(changed.obligations.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(small.Derived(changed).empty()) << id;
  }
  EXPECT_GT(tried, 0);
}

// What an operation yields has no other name where it is read, not even one that is made up.
TEST_F(Tampering, OperandsThatAreCalledSomethingElse) {
  int tried = 0;
  for (const Network* network : {&given, &small}) {
    const Certificate& original = network->Original();
    std::set<std::string> yielded;
    for (size_t i = 0; i < original.operations.size(); ++i) {
      for (size_t k = 0; k < original.operations[i].operands.size(); ++k) {
        if (!yielded.contains(original.operations[i].operands[k])) continue;
        ++tried;
        Certificate changed = original;
        changed.operations[i].operands[k] = "%999999";
        EXPECT_FALSE(network->Derived(changed).empty()) << original.operations[i].node;
      }
      for (const auto& result : original.operations[i].results) yielded.insert(result.name);
    }
  }
  EXPECT_GT(tried, 5);
}

// By derivation alone: not even a tamperer who writes the artifact anew gets through.
TEST_F(Tampering, EachStatementLeftOutOrWeakened) {
  ASSERT_TRUE(Derived(Original()).empty()) << Derived(Original()).front();
  int tried = 0;
  for (size_t i = 0; i < Original().obligations.size(); ++i) {
    if (testing::GoesWithoutSaying(Original().obligations[i])) continue;
    ++tried;
    Certificate changed = Original();
    changed.obligations.erase(changed.obligations.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(Derived(changed).empty()) << "left out: " << Original().obligations[i].statement;
    for (const char* weaker : {"1 == 1", "H + W == W + H", "H + W >= 2"}) {
      changed = Original();
      changed.obligations[i].statement = weaker;
      EXPECT_FALSE(Derived(changed).empty())
          << weaker << " for " << Original().obligations[i].statement;
    }
  }
  EXPECT_GT(tried, 50);
}

TEST_F(Tampering, AllAtOnce) {
  Certificate changed = Original();
  changed.obligations.clear();
  for (auto& operation : changed.operations) operation.obligations.clear();
  EXPECT_NE(Derived(changed).front().find("is missing: the definition requires"), std::string::npos)
      << Derived(changed).front();
  changed.operations.clear();
  EXPECT_NE(Derived(changed).front().find("the certificate lists nothing more"), std::string::npos)
      << Derived(changed).front();
  changed = Original();
  for (certificate::Obligation& o : changed.obligations) o.statement = "H >= 0";
  EXPECT_FALSE(Derived(changed).empty());
  changed = Original();
  changed.symbols[1].stride = 2;
  changed.witness[changed.symbols[1].name] = 2;
  EXPECT_FALSE(Derived(changed).empty()) << "a range that no option says";
  changed = Original();
  changed.facts.push_back({"H == W", "--dim H=W"});
  EXPECT_FALSE(Derived(changed).empty()) << "a fact that no option says";
}

TEST_F(Tampering, GuardsAreThoseOfTheArtifact) {
  Certificate changed = Original();
  changed.obligations[0].verdict = certificate::Verdict::kGuarded;
  const proving::CertificateVerdict verdict = Check(changed);
  EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kRejected);
  EXPECT_NE(verdict.text.find("which the artifact does not check at run time"), std::string::npos)
      << verdict.text;
}

TEST_F(Tampering, AnotherArtifact) {
  Certificate changed = Original();
  const std::string path = folder + "/changed_given.circle";
  const std::string artifact = support::ReadFile(path).value();
  ASSERT_TRUE(support::WriteFile(path, artifact + std::string(16, '\0')).ok());
  EXPECT_EQ(Check(changed).kind, proving::CertificateVerdict::kRejected);
  ASSERT_TRUE(support::WriteFile(path, artifact).ok());
  changed.artifact.reset();
  const proving::CertificateVerdict verdict = Check(changed);
  EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kRejected);
  EXPECT_NE(verdict.text.find("does not speak of"), std::string::npos) << verdict.text;
}

// Prose and examples are what the model and the other claims make of them.
TEST_F(Tampering, WhatIsSaidBesides) {
  for (const Network* network : {&given, &small, &floats, &defined}) {
    const Certificate& original = network->Original();
    for (const auto& [name, size] : original.witness) {
      Certificate changed = original;
      ++changed.witness[name];
      EXPECT_FALSE(network->Derived(changed).empty()) << name;
      changed.witness.erase(name);
      EXPECT_FALSE(network->Derived(changed).empty()) << name;
    }
    const std::string node = original.operations[0].node;
    for (size_t i = 0; i < original.obligations.size(); ++i) {
      Certificate changed = original;
      changed.obligations[i].message = "fine";
      EXPECT_FALSE(network->Derived(changed).empty()) << i;
      for (const std::string& scope : {std::string("elsewhere"), node}) {
        if (scope == node && original.obligations[i].stage != "import") continue;
        changed = original;
        changed.obligations[i].scopes.push_back(scope);
        EXPECT_FALSE(network->Derived(changed).empty()) << i << ": " << scope;
      }
    }
  }
}

// Two neighbours in each list but scopes, of which only the first counts, change places.
std::vector<Json> Swapped(const Json& json) {
  std::vector<Json> swapped;
  for (const Json::json_pointer& place : testing::PlacesOf(json)) {
    const Json& list = json[place];
    if (!list.is_array() || place.back() == "scopes") continue;
    for (size_t i = 1; i < list.size(); ++i) {
      if (list[i] == list[i - 1]) continue;
      Json& changed = swapped.emplace_back(json);
      std::swap(changed[place][i], changed[place][i - 1]);
    }
  }
  return swapped;
}

// Beside no artifact, which would have the digest of the original.
proving::CertificateVerdict CheckAlone(const Network& network, const Certificate& changed) {
  const std::string path = folder + "/alone.cert.json";
  EXPECT_TRUE(support::WriteFile(path, certificate::WriteCertificate(changed)).ok());
  certificate::CheckOptions options;
  options.model = network.model;
  const auto verdict = proving::CheckCertificate(path, options, false);
  if (verdict.ok()) return *verdict;
  return {proving::CertificateVerdict::kRejected, std::string(verdict.status().message())};
}

TEST_F(Tampering, EntriesThatChangePlaces) {
  Certificate alone = small.Original();
  alone.artifact.reset();
  ASSERT_EQ(CheckAlone(small, alone).kind, proving::CertificateVerdict::kAccepted)
      << CheckAlone(small, alone).text;
  const std::string original = certificate::WriteCertificate(alone);
  std::mt19937 random(7);
  int tried = 0;
  for (const Json& each : Swapped(Json::parse(original))) {
    if (random() % 4 != 0) continue;
    const auto read = certificate::ReadCertificate(each.dump());
    if (!read.ok()) continue;
    Certificate changed = *read;
    if (!certificate::FillSmtLib(changed).ok()) changed = *read;
    if (certificate::WriteCertificate(changed) == original) continue;
    ++tried;
    const proving::CertificateVerdict verdict = CheckAlone(small, changed);
    EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kRejected) << verdict.text << each.dump();
  }
  EXPECT_GT(tried, 30);
}

TEST_F(Tampering, WhereSymbolsStand) {
  const Certificate& original = small.Original();
  for (size_t i = 0; i < original.symbols.size(); ++i) {
    for (const char* input : {"x", "y"}) {
      for (int dim = 0; dim < 4; ++dim) {
        Certificate changed = original;
        std::string& origin = changed.symbols[i].origin;
        const std::string place = "dim " + std::to_string(dim) + " of input `" + input + "`";
        if (origin.substr(0, origin.find(';')) == place) continue;
        origin = place;
        EXPECT_FALSE(small.Derived(changed).empty()) << origin;
      }
    }
    Certificate changed = original;
    changed.symbols[i].origin += "; assumed: N >= 1 (so it is)";
    EXPECT_FALSE(small.Derived(changed).empty());
  }
}

// `symbol <= most`, with the range of the symbol, as who knows the format would change it.
Certificate WithBound(const Certificate& original, size_t fact, int64_t factor, int64_t divisor) {
  Certificate changed = original;
  std::string& statement = changed.facts[fact].statement;
  const size_t at = statement.rfind(' ') + 1;
  const int64_t before = std::stoll(statement.substr(at)), after = before * factor / divisor;
  const std::string symbol = statement.substr(0, statement.find(' '));
  statement = statement.substr(0, at) + std::to_string(after);
  for (certificate::DeclaredSymbol& declared : changed.symbols) {
    if (declared.name == symbol && declared.hi.value_or(0) >= std::min(before, after))
      declared.hi = after;
  }
  certificate::PutInOrder(changed);
  return changed;
}

TEST_F(Tampering, WhatIsAssumed) {
  for (const Network* network : {&floats, &defined}) {
    const Certificate& original = network->Original();
    ASSERT_GE(original.facts.size(), 3u);
    std::set<std::string> origins = {"", "--dim S=P+T", "--dim P=2..100"};
    for (const certificate::ListedOperation& operation : original.operations)
      origins.insert("sizes are computed in floats or narrow integers for `" + operation.node +
                     "`");
    for (const certificate::DeclaredFact& fact : original.facts) origins.insert(fact.origin);
    for (size_t i = 0; i < original.facts.size(); ++i) {
      for (const std::string& origin : origins) {
        if (origin == original.facts[i].origin) continue;
        Certificate changed = original;
        changed.facts[i].origin = origin;
        certificate::PutInOrder(changed);
        EXPECT_FALSE(network->Derived(changed).empty())
            << original.facts[i].statement << ": " << origin;
      }
      Certificate changed = original;
      changed.facts.erase(changed.facts.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(network->Derived(changed).empty()) << "without " << original.facts[i].statement;
      changed = original;
      changed.facts.push_back(changed.facts[i]);
      certificate::PutInOrder(changed);
      EXPECT_FALSE(network->Derived(changed).empty()) << "twice " << original.facts[i].statement;
      changed = original;
      changed.facts[i].statement = "N <= 4096";
      certificate::PutInOrder(changed);
      EXPECT_FALSE(network->Derived(changed).empty()) << "for " << original.facts[i].statement;
    }
  }
}

// Narrower ones by derivation; wider ones are not proved.
TEST_F(Tampering, OtherPowersOfTwo) {
  const Certificate& original = floats.Original();
  for (size_t i = 0; i < original.facts.size(); ++i) {
    for (const int64_t factor : {2, 4, 1024}) {
      EXPECT_FALSE(floats.Derived(WithBound(original, i, 1, factor)).empty())
          << original.facts[i].statement << " by 1/" << factor;
      Certificate wider = WithBound(original, i, factor, 1);
      if (!certificate::FillSmtLib(wider).ok()) continue;
      EXPECT_EQ(floats.Check(wider).kind, proving::CertificateVerdict::kRejected)
          << original.facts[i].statement << " by " << factor;
    }
  }
}

TEST_F(Tampering, AThousandRandomChanges) {
  const std::string original = certificate::WriteCertificate(small.Original());
  const Json json = Json::parse(original);
  testing::Tamperer tamperer(json, 20240);
  int changes = 0, read = 0;
  while (changes < 1000) {
    const auto changed = certificate::ReadCertificate(tamperer.Change().dump());
    if (changed.ok() && certificate::WriteCertificate(*changed) == original) continue;
    ++changes;
    if (!changed.ok()) continue;
    ++read;
    Certificate again = *changed;
    // As who knows the format would.
    if (!certificate::FillSmtLib(again).ok()) again = *changed;
    // Under another name it is the same artifact.
    if (again.artifact) again.artifact->file = small.Original().artifact->file;
    if (certificate::WriteCertificate(again) == original) continue;
    const proving::CertificateVerdict verdict = small.Check(again);
    EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kRejected) << verdict.text;
  }
  EXPECT_GT(read, 600);
}

// By who writes the artifact anew: there is nothing but the model to hold against them.
TEST_F(Tampering, RandomChangesBesideNoArtifact) {
  Certificate alone = floats.Original();
  alone.artifact.reset();
  const int read = testing::EachOtherClaim(alone, 1000, 20240, [&](const Certificate& changed) {
    const proving::CertificateVerdict verdict = CheckAlone(floats, changed);
    if (verdict.kind == proving::CertificateVerdict::kAccepted &&
        testing::IsInOtherWords(floats.model, alone, changed))
      return;
    EXPECT_EQ(verdict.kind, proving::CertificateVerdict::kRejected)
        << verdict.text << testing::Difference(alone, changed);
  });
  EXPECT_GT(read, 200);
}

bool Compile(const std::string& compiler, const Network& network, const std::string& options) {
  const std::string artifact = network.Artifact();
  const std::string copy = folder + "/changed_" + network.name + ".circle";
  const std::string command = compiler + " " + network.model + " --quiet " + options + " -o " +
                              artifact + " && cp " + artifact + " " + copy;
  return std::system(command.c_str()) == 0;
}

bool Write(const char* text, const std::string& path) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(text).Parse(model);
  if (!status.IsOK()) std::cerr << status.ErrorMessage() << "\n";
  for (onnx::ValueInfoProto& output : *model.mutable_graph()->mutable_output())
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  return status.IsOK() && support::WriteFile(path, model.SerializeAsString()).ok();
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (argc != 3) return 2;
  folder = std::getenv("TEST_TMPDIR");
  given = {argv[2], "given"};
  small = {folder + "/small.onnx", "small"};
  floats = {folder + "/floats.onnx", "floats"};
  defined = {folder + "/defined.onnx", "defined"};
  if (!Write(kSmall, small.model) || !Write(kFloats, floats.model) ||
      !Write(kDefined, defined.model) || !Compile(argv[1], floats, "") ||
      !Compile(argv[1], defined, kDefinedOptions) || !Compile(argv[1], given, "") ||
      !Compile(argv[1], small, "--dim H=2..4096 --dim W=2..4096 --dim H%2=0"))
    return 1;
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera

int main(int argc, char** argv) { return tessera::Main(argc, argv); }
