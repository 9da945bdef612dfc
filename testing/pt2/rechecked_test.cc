// Certificates of programs that torch.export.save wrote are derived again from program and
// definitions; what is left out, weakened or changed is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "frontends/onnx/import.h"
#include "frontends/pt2/archive_writer.h"
#include "recheck/recheck.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/order.h"
#include "support/file.h"
#include "testing/tampering/tamperer.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/check_certificate.h"
#include "tools/proving/prove_model.h"

namespace tessera::testing {
namespace {

using certificate::Certificate;

std::string PathOf(const std::string& name) { return "testdata/pt2/" + name + "/model.pt2"; }

absl::StatusOr<Certificate> Certified(const std::string& path,
                                      const std::vector<std::string>& dims = {}) {
  auto options_of_dims = onnx_import::ParseDimOptions(dims);
  if (!options_of_dims.ok()) return options_of_dims.status();
  onnx_import::ImportOptions options;
  options.dims = *std::move(options_of_dims);
  std::vector<std::string> texts;
  for (const std::string& dim : dims) texts.push_back(absl::StrCat("--dim ", dim));
  const auto proved = proving::ProveModel(path, options, false);
  if (!proved.ok()) return proved.status();
  return proving::CertificateOf(path, **proved, std::move(texts));
}

std::vector<std::string> Derived(const std::string& path, const Certificate& certificate) {
  const auto report = recheck::Recheck(path, certificate);
  if (!report.ok()) return {std::string(report.status().message())};
  return report->failures;
}

class Program : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { cli::LinkOps(); }
};

TEST_P(Program, IsDerivedWhole) {
  const std::string path = PathOf(GetParam());
  const auto certificate = Certified(path);
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  const auto report = recheck::Recheck(path, *certificate);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->failures.empty()) << absl::StrJoin(report->failures, "\n");
  EXPECT_TRUE(report->left.empty()) << absl::StrJoin(report->left, "\n");
  EXPECT_GT(report->nodes, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, Program,
    ::testing::Values("conv", "conv_core", "tied", "unet", "recurrent", "decoder", "decoder_core",
                      "resizes", "states_core", "pyramid", "rotary_core", "spectrogram", "mixing",
                      "legacy_conv", "legacy_tied", "legacy_masked", "legacy_last", "between",
                      "bits_core", "counted", "read_out", "boxes", "operators_elements",
                      "operators_layers", "operators_shapes", "operators_composed",
                      "operators_mixed", "choices", "copied", "repeated", "looped", "rounds"),
    [](const auto& info) { return std::string(info.param); });

class Rechecked : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cli::LinkOps(); }
};

TEST_F(Rechecked, EachStatementLeftOutOrWeakened) {
  int tried = 0;
  for (const char* name : {"unet", "conv", "decoder_core", "choices", "looped", "rounds"}) {
    const std::string path = PathOf(name);
    const auto original = Certified(path);
    ASSERT_TRUE(original.ok()) << original.status();
    for (size_t i = 0; i < original->obligations.size(); ++i) {
      if (GoesWithoutSaying(original->obligations[i])) continue;
      ++tried;
      Certificate changed = *original;
      changed.obligations.erase(changed.obligations.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_FALSE(Derived(path, changed).empty())
          << "left out: " << original->obligations[i].statement;
      if (tried % 3 != 0) continue;
      const std::string& symbol = original->symbols[0].name;
      for (const std::string& weaker :
           {std::string("1 == 1"), absl::StrCat("2*", symbol, " >= ", symbol)}) {
        changed = *original;
        changed.obligations[i].statement = weaker;
        EXPECT_FALSE(Derived(path, changed).empty())
            << weaker << " for " << original->obligations[i].statement;
      }
    }
  }
  EXPECT_GT(tried, 100);
}

// Sizes of which the program says less, or other things.
TEST_F(Rechecked, WhatTheProgramSaysOfSizes) {
  const std::string path = PathOf("conv");
  const auto original = Certified(path);
  ASSERT_TRUE(original.ok()) << original.status();
  ASSERT_EQ(original->options.size(), 4u);
  const auto rejected = [&](const std::function<void(Certificate&)>& change) {
    Certificate changed = *original;
    change(changed);
    certificate::PutInOrder(changed);
    EXPECT_FALSE(Derived(path, changed).empty());
  };
  for (size_t i = 0; i < original->options.size(); ++i) {
    rejected([&](Certificate& c) { c.options.erase(c.options.begin() + static_cast<long>(i)); });
  }
  // An assumption that is narrower, with the range and the origin that go with it.
  for (const auto& [from, to] :
       std::vector<std::pair<std::string, std::string>>{{"1 <= s77 <= 64", "1 <= s77 <= 32"},
                                                        {"5 <= s0 <= 64", "6 <= s0 <= 64"},
                                                        {"x_d2%4 == 0", "x_d2%8 == 0"},
                                                        {"8 <= x_d2 <= 40", "8 <= x_d2 <= 24"}}) {
    rejected([&](Certificate& c) {
      for (std::string& option : c.options) absl::StrReplaceAll({{from, to}}, &option);
      for (certificate::DeclaredSymbol& symbol : c.symbols) {
        if (absl::StrReplaceAll({{from, to}}, &symbol.origin) == 0) continue;
        if (to == "1 <= s77 <= 32") symbol.hi = 32;
        if (to == "6 <= s0 <= 64") symbol.lo = 6;
        if (to == "x_d2%8 == 0") symbol.stride = 8;
        if (to == "8 <= x_d2 <= 24") symbol.hi = 24;
      }
    });
  }
  rejected([](Certificate& c) {
    c.options.push_back("assumed: s0%2 == 0 (the exported program says so)");
  });
  rejected([](Certificate& c) { c.inputs[0].dims[0] = "s0"; });
  rejected([](Certificate& c) { c.inputs[0].dims[2] = "2*s0"; });
  rejected([](Certificate& c) { c.inputs[0].dims[1] = "4"; });
  rejected([](Certificate& c) { c.inputs[0].type = "f64"; });
  rejected([](Certificate& c) { std::swap(c.outputs[0], c.outputs[1]); });
  rejected([](Certificate& c) { c.inputs.clear(); });
  rejected([](Certificate& c) { c.data.push_back({"weights.bin", 0, ""}); });
}

// The certificate of one program says nothing of another.
TEST_F(Rechecked, AnotherProgram) {
  const auto certificate = Certified(PathOf("conv"));
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  for (const char* name : {"conv_core", "unet", "decoder"})
    EXPECT_FALSE(Derived(PathOf(name), *certificate).empty()) << name;
}

// `change` of the text of the program, in an archive of its own.
std::string Changed(const std::string& name, const std::string& from, const std::string& to,
                    const std::string& also = "", const std::string& to_this = "") {
  auto entries = pt2_import::ReadEntries(support::ReadFile(PathOf(name)).value());
  EXPECT_TRUE(entries.has_value());
  bool found = false;
  for (pt2_import::WrittenEntry& entry : *entries) {
    if (absl::EndsWith(entry.name, "models/model.json"))
      found = (also.empty() ? absl::StrReplaceAll({{from, to}}, &entry.bytes)
                            : absl::StrReplaceAll({{from, to}, {also, to_this}}, &entry.bytes)) > 0;
  }
  EXPECT_TRUE(found) << from;
  const std::string path = absl::StrCat(std::getenv("TEST_TMPDIR"), "/changed.pt2");
  EXPECT_TRUE(support::WriteFile(path, pt2_import::WriteArchive(*entries)).ok());
  return path;
}

// Sizes in other words than the fixtures have.
TEST_F(Rechecked, SizesInOtherWords) {
  constexpr char kFour[] = "Mul(Integer(4), Symbol('s18', positive=True, integer=True))";
  for (const char* size : {"4*s18", "2*(s18 + s18)", "4*s18 + 4",
                           "Add(Integer(-4), Mul(Integer(4), "
                           "Symbol('s18', integer=True)))",
                           "s18", "(8*s18)//2"}) {
    // What the program says of later results would not be so; a symbol of no input says nothing.
    const std::string path =
        Changed("conv", kFour, size, "Symbol('s18', positive=True", "Symbol('s99', positive=True");
    const auto certificate = Certified(path, {"x_d2%4=0"});
    ASSERT_TRUE(certificate.ok()) << size << ": " << certificate.status();
    const auto report = recheck::Recheck(path, *certificate);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->failures.empty()) << size << ": " << absl::StrJoin(report->failures, "\n");
    EXPECT_TRUE(report->left.empty()) << size << ": " << absl::StrJoin(report->left, "\n");
  }
}

// A result of other sizes than the program says is refused, if only some sizes tell.
TEST_F(Rechecked, ResultsAreAsTheProgramSays) {
  const auto certificate = Certified(
      Changed("conv", "Mul(Integer(4), Symbol('s18', positive=True, integer=True))", "4*s18 + 4"),
      {"x_d2%4=0"});
  EXPECT_TRUE(
      absl::StrContains(certificate.status().message(), "the program says that it is f32["));
}

// What a program takes for granted of several sizes is a fact, as long as the program says it.
TEST_F(Rechecked, RelationsOfSizes) {
  for (const auto& [guard, fact] : std::vector<std::pair<std::string, std::string>>{
           {"L['x'].size()[0] < L['x'].size()[3]", "s77 < s0"},
           {"((L['x'].size()[0]*L['x'].size()[3]) % 8) == 0", "mod(s77*s0, 8) == 0"},
           {"L['x'].size()[0] + L['x'].size()[3] < 20", "s77 + s0 < 20"},
           {"L['x'].size()[0] != L['x'].size()[3]", "s77 != s0"}}) {
    const std::string path =
        Changed("conv", "\"guards_code\":[", absl::StrCat("\"guards_code\":[\"", guard, "\", "));
    const auto certificate = Certified(path);
    ASSERT_TRUE(certificate.ok()) << guard << ": " << certificate.status();
    const std::string said = absl::StrCat("assumed: ", fact, " (the exported program says so)");
    EXPECT_EQ(std::count(certificate->options.begin(), certificate->options.end(), said), 1)
        << absl::StrJoin(certificate->options, "\n");
    const std::vector<std::string> failures = Derived(path, *certificate);
    EXPECT_TRUE(failures.empty()) << guard << ": " << failures.front();
    // A program without that guard does not say so.
    EXPECT_FALSE(Derived(PathOf("conv"), *certificate).empty()) << guard;
    Certificate changed = *certificate;
    for (auto& each : changed.facts) {
      if (each.origin == said) each.statement = "s0 == 7 || " + each.statement;
    }
    EXPECT_FALSE(Derived(path, changed).empty()) << guard;
    changed = *certificate;
    std::erase(changed.options, said);
    EXPECT_FALSE(Derived(path, changed).empty()) << guard;
  }
  // Declared, it is nothing that is assumed.
  const std::string path = Changed("conv", "\"guards_code\":[",
                                   "\"guards_code\":[\"L['x'].size()[0] < L['x'].size()[3]\", ");
  const auto declared = Certified(path, {"s77=1..4", "s0=5..64"});
  ASSERT_TRUE(declared.ok()) << declared.status();
  EXPECT_FALSE(absl::StrContains(absl::StrJoin(declared->options, "\n"), "s77 < s0"));
}

// A remainder that guards come down to is told from one that they do not.
TEST_F(Rechecked, WhatGuardsComeDownTo) {
  const auto certificate = Certified(PathOf("pyramid"));
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  Certificate changed = *certificate;
  int options = 0;
  for (std::string& option : changed.options) {
    options += absl::StrContains(option, "%4 == 0 (") ? 1 : 0;
    option = absl::StrReplaceAll(option, {{"%4 == 0 (", "%8 == 0 ("}});
  }
  EXPECT_EQ(options, 2) << absl::StrJoin(certificate->options, "\n");
  EXPECT_TRUE(absl::StrContains(absl::StrJoin(Derived(PathOf("pyramid"), changed), "\n"),
                                "%8 == 0 (the exported program says so)`: the program does not"));
}

// The same size twice, one that others define, and guards.
TEST_F(Rechecked, SizesOfOthers) {
  constexpr char kLike[] = "expr_str\":\"Symbol('s0', positive=True, integer=True)\"";
  for (const char* size :
       {"Mul(Integer(4), Symbol('s18', positive=True, integer=True))",
        "Add(Symbol('s77', positive=True, integer=True), Integer(8))",
        "Add(Symbol('s77', integer=True), Symbol('s18', integer=True), Integer(4))"}) {
    const std::string path = Changed("conv", kLike, absl::StrCat("expr_str\":\"", size, "\""));
    const auto certificate = Certified(path);
    ASSERT_TRUE(certificate.ok()) << size << ": " << certificate.status();
    const auto report = recheck::Recheck(path, *certificate);
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_TRUE(report->failures.empty()) << size << ": " << absl::StrJoin(report->failures, "\n");
    Certificate changed = *certificate;
    changed.inputs[0].dims[3] = changed.inputs[0].dims[0];
    EXPECT_FALSE(Derived(path, changed).empty()) << size;
  }
  for (const auto& [guard, dims] :
       std::vector<std::pair<std::string, std::string>>{{"L['x'].size()[0] % 2 == 0", "s77"},
                                                        {"L['x'].size()[3] > 9", "s0"},
                                                        {"L['x'].size()[0] != 1", "s77"},
                                                        {"L['x'].size()[0] / 2 > 4.0", "s77"},
                                                        {"(L['X'].size()[0] & 1) == 0", "s77"},
                                                        {"2 ** L['x'].size()[0] > 600", "s77"},
                                                        {"(L['x'].size()[3]) <= 60", "s0"}}) {
    const std::string path =
        Changed("conv", "\"guards_code\":[", absl::StrCat("\"guards_code\":[\"", guard, "\", "));
    const auto certificate = Certified(path);
    ASSERT_TRUE(certificate.ok()) << guard << ": " << certificate.status();
    EXPECT_EQ(certificate->options.size(), 5u) << guard;
    const std::vector<std::string> failures = Derived(path, *certificate);
    EXPECT_TRUE(failures.empty()) << guard << ": " << failures.front();
    // A program without that guard does not say so.
    EXPECT_FALSE(Derived(PathOf("conv"), *certificate).empty()) << guard;
  }
}

TEST_F(Rechecked, ProgramsThatCannotBeRead) {
  const auto certificate = Certified(PathOf("conv"));
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  const std::string bytes = support::ReadFile(PathOf("conv")).value();
  std::mt19937 random(5);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes.substr(0, i % 3 == 0 ? random() % bytes.size() : bytes.size());
    for (int k = 0; k < 4 && !damaged.empty(); ++k)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    // Whatever it says of them: it ends.
    (void)recheck::RecheckBytes(damaged, "damaged.pt2", *certificate);
  }
  EXPECT_FALSE(recheck::RecheckBytes("PK\x03\x04", "short.pt2", *certificate).ok());
  EXPECT_FALSE(recheck::RecheckBytes("neither", "other", *certificate).ok());
}

TEST_F(Rechecked, AThousandRandomChanges) {
  const std::string path = PathOf("conv");
  const auto original = Certified(path);
  ASSERT_TRUE(original.ok()) << original.status();
  const int read = EachOtherClaim(*original, 1000, 20250, [&](const Certificate& changed) {
    const std::string file = absl::StrCat(std::getenv("TEST_TMPDIR"), "/alone.cert.json");
    ASSERT_TRUE(support::WriteFile(file, certificate::WriteCertificate(changed)).ok());
    certificate::CheckOptions options;
    options.model = path;
    const auto verdict = proving::CheckCertificate(file, options, false);
    if (!verdict.ok()) return;
    if (verdict->kind == proving::CertificateVerdict::kAccepted &&
        IsInOtherWords(path, *original, changed))
      return;
    EXPECT_EQ(verdict->kind, proving::CertificateVerdict::kRejected)
        << verdict->text << Difference(*original, changed);
  });
  EXPECT_GT(read, 200);
}

}  // namespace
}  // namespace tessera::testing
