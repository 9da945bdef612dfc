#include "solver/certificate/check.h"

#include <cstdlib>
#include <random>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "solver/certificate/smtlib.h"
#include "support/file.h"
#include "support/sha256.h"

namespace tessera::certificate {
namespace {

using testing::HasSubstr;

constexpr char kArtifact[] = "an artifact\n";
constexpr char kModel[] = "a model";

FileDigest DigestOf(const std::string& name, const std::string& bytes) {
  return {name, static_cast<int64_t>(bytes.size()), support::Sha256(bytes)};
}

Obligation Claims(const std::string& statement, Verdict verdict = Verdict::kProved) {
  return {"concat.agree", "import", "Concat", "/Concat_12", {}, "", statement, verdict, ""};
}

// A padded U-Net of two levels, and what cvc5 does not decide.
Certificate Sample() {
  Certificate c;
  c.model = DigestOf("m.onnx", kModel);
  c.artifact = DigestOf("m.circle", kArtifact);
  c.symbols = {{"H", "dim 2 of input `x`", 1, (int64_t{1} << 31) - 1, 1, 0},
               {"W", "dim 3 of input `x`", 2, {}, 2, 0},
               {"T", "dim 0 of input `t`", 1, 128, 1, 0}};
  c.facts = {{"H <= 8*W", "--dim H<=8*W"}};
  c.witness = {{"H", 1}, {"W", 2}, {"T", 128}};
  const std::string padded = "p = H + mod(4 - mod(H, 4), 4); q = floordiv(p - 2, 2) + 1; ";
  c.obligations = {
      Claims(padded + "(floordiv(q - 2, 2) + 1)*2 == q"),
      Claims(padded + "q*2 == p"),
      Claims("mod(W, 2) == 0 && H <= 8*W"),
      Claims("q = floordiv(T*T + 1, 3); 3*q != T*T + 1 && q*q*q != 2*T*T*T + T*T*T*T*T"),
      Claims("H*H*H != 2*W*W*W"),
      Claims(padded + "q*2 == p"),
      Claims("H == W", Verdict::kGuarded),
  };
  EXPECT_TRUE(FillSmtLib(c).ok());
  c.sha256 = Seal(c);
  return c;
}

Certificate Resealed(Certificate c) {
  EXPECT_TRUE(FillSmtLib(c).ok());
  c.sha256 = Seal(c);
  return c;
}

// Enough for what cvc5 decides here; it is slow to give up on the rest.
const CheckOptions kBrief = {.resources = 20000};

std::string Text(const Certificate& c) {
  const auto report = Check(c, kBrief);
  return report.ok() ? ToText(c, *report) : std::string(report.status().message());
}

TEST(Check, SaysOfEachHowItWasDecided) {
  const Certificate c = Sample();
  const auto report = Check(c, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed());
  ASSERT_EQ(report->obligations.size(), 7u);
  const char* const by[] = {"cvc5", "cvc5", "cvc5", "exhaustive", "evaluation", "cvc5", ""};
  for (size_t i = 0; i < 7; ++i) EXPECT_EQ(report->obligations[i].by, by[i]) << i;
  EXPECT_EQ(report->obligations[3].assignments, 128);
  EXPECT_GE(report->obligations[4].assignments, 10000);
  EXPECT_EQ(ToText(c, *report),
            "4: concat.agree of `/Concat_12`: not proved, held at 10000 assignments: "
            "H*H*H != 2*W*W*W\n"
            "6: concat.agree of `/Concat_12`: checked at run time: H == W\n"
            "7 obligations: 5 proved (cvc5 4, exhaustive 1), 1 evaluated, 1 guarded, 0 failed\n");
}

TEST(Check, NothingToProve) {
  Certificate c = Sample();
  c.obligations.clear();
  EXPECT_EQ(Text(Resealed(c)), "0 obligations: 0 proved, 0 evaluated, 0 guarded, 0 failed\n");
}

TEST(Check, FalseStatementsUnderANewSeal) {
  const char* const cases[][2] = {
      // Found at once, by cvc5, by trying all, by trying many.
      {"p = H + mod(2 - mod(H, 2), 2); mod(p, 4) == 0", "FAILED: does not hold for H = "},
      {"H != 1000003", "FAILED: does not hold for H = 1000003"},
      {"H*(H - 1)*(H - 2) != 60*59*58", "FAILED: does not hold for H = 60"},
      {"T*T*T - T != 999*998*997*0 + 1728000 - 120", "FAILED: does not hold for T = 120"},
      {"mod(H, W) >= 0 && mod(H, T - 1) >= 0", "FAILED: does not hold for H = 1, W = 2, T = 1"},
      {"1 == 2", "FAILED: does not hold at any size"},
      {"H == X", "FAILED: symbol `X` is not declared"},
  };
  for (const auto& [statement, failure] : cases) {
    Certificate c = Sample();
    c.obligations[0].statement = statement;
    if (!FillSmtLib(c).ok()) c.obligations[0].smt2 = "";
    c.sha256 = Seal(c);
    const auto report = Check(c, kBrief);
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->passed());
    EXPECT_THAT(ToText(c, *report), HasSubstr(failure)) << statement;
    EXPECT_EQ(report->CountOf(Outcome::kFailed), 1) << statement;
  }
}

TEST(Check, WeakenedAssumptions) {
  Certificate c = Sample();
  c.symbols[1].stride = 1;
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("FAILED: does not hold for W = 3, H = 1"));
  c = Sample();
  c.facts.clear();
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("FAILED: does not hold for W = "));
}

TEST(Check, AQueryOfAnotherStatement) {
  Certificate c = Sample();
  c.obligations[0].smt2 = "(set-logic ALL)\n(assert false)\n(check-sat)\n";
  c.sha256 = Seal(c);
  EXPECT_THAT(Text(c), HasSubstr("FAILED: `smt2` is not the query of the statement"));
}

TEST(Check, ContradictionsAreVacuous) {
  Certificate c = Sample();
  c.facts.push_back({"H > 8*W", ""});
  EXPECT_THAT(Text(Resealed(c)),
              HasSubstr("vacuous: fact `H > 8*W` does not hold for the witness, for H = 1, W = 2"));
  c = Sample();
  c.witness["W"] = 3;
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("vacuous: the witness has W = 3"));
  c = Sample();
  c.symbols[2].hi = 0;
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("vacuous: the witness has T = 128"));
  c = Sample();
  c.facts.push_back({"mod(H, H - 1) == 0", ""});
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("vacuous"));
  c = Sample();
  c.witness.erase("T");
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("the witness lacks `T`"));
  c = Sample();
  c.witness["X"] = 1;
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("the witness has a symbol that is not declared"));
}

TEST(Check, TheSeal) {
  Certificate c = Sample();
  c.options.push_back("--dim T=1..128");
  EXPECT_THAT(Text(c), HasSubstr("the seal is "));
}

TEST(Check, WhatHardlyAnyAssignmentCanDecideIsNotAccepted) {
  Certificate c = Sample();
  c.symbols.push_back({"X", "", 1, {}, 1, 0});
  c.witness["X"] = 1;
  c.facts.push_back({"mod(X*X*X, 1000003) == 1", ""});
  c.obligations[0].statement = "mod(X*X*X*X*X*X, 1000003) == 1";
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("FAILED: cvc5 does not decide it"));
}

TEST(Check, PowersThatMultiplyOutAreEvaluated) {
  Certificate c = Sample();
  std::string power = "x0 = T*T; ";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "x" + std::to_string(i - 1);
    power += "x" + std::to_string(i) + " = mod(" + last + "*" + last + ", 1000003); ";
  }
  c.obligations = {Claims(power + "x11 >= 0")};
  EXPECT_THAT(Text(Resealed(c)), HasSubstr("1 proved (exhaustive 1)"));
}

TEST(Check, ASolverThatDoesNotStart) {
  const auto report = Check(Sample(), {.cvc5 = "no/such/program"});
  EXPECT_THAT(std::string(report.status().message()), HasSubstr("cannot start `no/such/program`"));
}

// Where cvc5 gives up, evaluation is left.
TEST(Check, ResourcesAreLimited) {
  const auto report = Check(Sample(), {.resources = 1});
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->passed());
  EXPECT_EQ(report->obligations[4].by, "evaluation");
  EXPECT_NE(report->obligations[0].by, "cvc5");
}

class CheckFiles : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = getenv("TEST_TMPDIR");
    ASSERT_NE(folder, nullptr);
    folder_ = folder;
    Write("m.onnx", kModel);
    Write("m.circle", kArtifact);
    Write("m.circle.cert.json", WriteCertificate(Sample()));
  }
  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  void Write(const std::string& name, const std::string& bytes) const {
    ASSERT_TRUE(support::WriteFile(Path(name), bytes).ok());
  }
  // What is wrong, or nothing.
  std::string Failure(const std::string& name = "m.circle.cert.json") const {
    const auto file = CheckFile(Path(name), {.model = Path("m.onnx"), .resources = 20000});
    if (!file.ok()) return std::string(file.status().message());
    return file->report.passed() ? "" : ToText(file->certificate, file->report);
  }
  std::string folder_;
};

TEST_F(CheckFiles, Passes) { EXPECT_EQ(Failure(), ""); }

TEST_F(CheckFiles, StaleAndMissing) {
  Write("m.circle", "an artifact!");
  EXPECT_THAT(Failure(), HasSubstr("the artifact `" + Path("m.circle") + "` has SHA-256 "));
  Write("m.circle", "longer than an artifact");
  EXPECT_THAT(Failure(), HasSubstr("has 23 bytes, the certificate was made for one of 12"));
  ASSERT_EQ(remove(Path("m.circle").c_str()), 0);
  EXPECT_THAT(Failure(), HasSubstr("the artifact: cannot read"));
  Write("m.circle", kArtifact);
  Write("m.onnx", "a modem");
  EXPECT_THAT(Failure(), HasSubstr("the model `" + Path("m.onnx") + "` has SHA-256 "));
  EXPECT_THAT(Failure("none.cert.json"), HasSubstr("cannot read"));
  Write("m.json", WriteCertificate(Sample()));
  Write("m.onnx", kModel);
  EXPECT_THAT(Failure("m.json"), HasSubstr("does not end in `.cert.json`"));
  EXPECT_THAT(Failure("m.circle"), HasSubstr("is no certificate: no JSON"));
}

// Every byte of statements, queries, digests and verdicts, and some of all others.
TEST_F(CheckFiles, NoFlipIsAccepted) {
  Certificate c = Sample();
  c.obligations.resize(2);
  const std::string text = WriteCertificate(Resealed(c));
  std::vector<bool> guarded(text.size());
  for (const char* const key : {"\"statement\": \"", "\"verdict\": \"", "\"sha256\": \""}) {
    for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1)) {
      for (size_t i = at + std::string(key).size(); text[i] != '"'; ++i) guarded[i] = true;
    }
  }
  std::mt19937 random(1);
  int flips = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!guarded[i] && random() % 8 != 0) continue;
    std::string flipped = text;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (random() % 8)));
    const auto read = ReadCertificate(flipped);
    if (!read.ok()) continue;
    ++flips;
    const auto report = Check(*read, kBrief);
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->passed()) << i << ": " << flipped;
  }
  EXPECT_GT(flips, 300);
}

}  // namespace
}  // namespace tessera::certificate
