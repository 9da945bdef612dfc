// Each part of a guard decides: there are sampled graphs that a rewrite treats otherwise when one
// side of a `||`, or of a `&&` therein, is left out of its guard.
//
//   guard_parts_test GOLDEN PARTS.op...
//
// GOLDEN names the parts that no sample decides by, each with the reason.
#include <gtest/gtest.h>

#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "support/file.h"
#include "testing/pattern_builder.h"
#include "testing/sampling/checks.h"
#include "testing/sampling/pattern_sampler.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& CircleOps();
const ir::Dialect& CorePartsOps();
const ir::Dialect& CirclePartsOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& CircleExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<Signature>& CircleSignatures();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

constexpr int kCount = 1500;  // as the suite takes of each rewrite

struct Part {
  std::string whole;    // the rewrite that it is of, `Op.rewrite`
  std::string without;  // that which lacks it
  std::string text;
};

// What the file of rewrites without parts says of each.
std::vector<Part> PartsIn(const std::string& path) {
  std::vector<Part> parts;
  std::string op;  // that has them
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  for (const absl::string_view line : absl::StrSplit(text.value_or(""), '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (absl::StartsWith(line, "  // ")) {
      const std::pair<std::string, std::string> about =
          absl::StrSplit(line.substr(5), absl::MaxSplits('\t', 1));
      parts.push_back({about.first, "", about.second});
    } else if (words.size() > 1 && words[0] == "op") {
      op = words[1];
    } else if (words.size() > 1 && words[0] == "rewrite" && !parts.empty()) {
      parts.back().without = absl::StrCat(op, ".", words[1]);
    }
  }
  return parts;
}

bool Fires(const PatternSampler& sampler, const Match& match, const ir::RewriteInfo& rewrite) {
  LeftSide left;
  if (!sampler.Build(match, left).ok()) return false;
  ir::Rewriter rewriter(left.graph);
  rewriter.SetInsertionPoint(left.root);
  ir::TermBuilder builder(rewriter);
  return !rewrite.apply(*left.root, builder).empty();
}

bool Decides(const ops::Signature& signature, const ops::RewriteExample& example,
             const Part& part) {
  const ir::RewriteInfo* const whole = FindRewrite(part.whole, example.pattern.text);
  const ir::RewriteInfo* const without = FindRewrite(part.without, example.pattern.text);
  EXPECT_NE(whole, nullptr) << part.whole;
  EXPECT_NE(without, nullptr) << part.without;
  if (whole == nullptr || without == nullptr) return false;
  PatternSampler sampler(signature, example, kSuiteSeed);
  Match match;
  for (int i = 0; i < kCount && sampler.Next(match); ++i) {
    if (Fires(sampler, match, *whole) != Fires(sampler, match, *without)) return true;
  }
  return false;
}

class GuardPartTest : public ::testing::Test {
 public:
  GuardPartTest(const std::vector<ops::OpExamples>& examples,
                const std::vector<ops::Signature>& signatures, Part part, bool known)
      : examples_(examples), signatures_(signatures), part_(std::move(part)), known_(known) {}
  void TestBody() override {
    bool decides = false;
    int tried = 0;
    for (const ops::OpExamples& op : examples_) {
      std::vector<ops::RewriteExample> all = op.rewrites;
      all.insert(all.end(), op.keeps.begin(), op.keeps.end());
      for (const ops::RewriteExample& example : all) {
        if (example.rewrite != part_.whole) continue;
        for (const ops::Signature& signature : signatures_) {
          if (signature.op != op.op || signature.dialect != op.dialect) continue;
          ++tried;
          decides = decides || Decides(signature, example, part_);
        }
      }
    }
    EXPECT_GT(tried, 0) << "`" << part_.whole << "` has no example";
    EXPECT_EQ(decides, !known_)
        << "`" << part_.text << "` of `" << part_.whole << "`: "
        << (known_ ? "decides, other than the golden says"
                   : "no sample is treated otherwise without it; an example that is, or a line "
                     "`OP.REWRITE<tab>PART<tab>REASON` in the golden");
  }

 private:
  const std::vector<ops::OpExamples>& examples_;
  const std::vector<ops::Signature>& signatures_;
  const Part part_;
  const bool known_;
};

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  using tessera::testing::Part;
  ::testing::InitGoogleTest(&argc, argv);
  tessera::ir::Registry& registry = tessera::ir::Registry::Global();
  registry.Add(tessera::ops::CoreOps());
  registry.Add(tessera::ops::CircleOps());
  registry.Add(tessera::ops::CorePartsOps());
  registry.Add(tessera::ops::CirclePartsOps());
  std::set<std::pair<std::string, std::string>> known;
  for (const absl::string_view line :
       absl::StrSplit(tessera::support::ReadFile(argv[1]).value_or(""), '\n', absl::SkipEmpty())) {
    const std::vector<std::string> words = absl::StrSplit(line, '\t');
    if (words.size() == 3 && !words[2].empty()) known.emplace(words[0], words[1]);
  }
  for (int i = 2; i < argc; ++i) {
    const bool core = i == 2;
    for (const Part& part : tessera::testing::PartsIn(argv[i])) {
      const bool is_known = known.erase({part.whole, part.text}) != 0;
      ::testing::RegisterTest(
          "GuardParts", part.without.c_str(), nullptr, nullptr, __FILE__, __LINE__,
          [=]() -> ::testing::Test* {
            return new tessera::testing::GuardPartTest(
                core ? tessera::ops::CoreExamples() : tessera::ops::CircleExamples(),
                core ? tessera::ops::CoreSignatures() : tessera::ops::CircleSignatures(), part,
                is_known);
          });
    }
  }
  for (const auto& [rewrite, part] : known) {
    std::cerr << "the golden names `" << part << "` of `" << rewrite << "`, which is no part\n";
    return 1;
  }
  return RUN_ALL_TESTS();
}
