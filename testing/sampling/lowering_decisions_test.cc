// Each thing that a lowering decides by makes a difference: there are sampled instances that it
// takes otherwise when a side of `&&` or `||`, the condition of a choice or of a clause is left out
// or turned, or when a comparison's boundary is moved by one.
//
//   lowering_decisions_test check GOLDEN [--gtest_...]
//   lowering_decisions_test update GOLDEN
//
// What stands in a function that lowerings call is supposed of every call, and one of these
// lowerings must come out otherwise.
//
// GOLDEN names what no sample decides by: `OP TARGET<tab>TEXT<tab>SUPPOSITION<tab>REASON`, of a
// function `function NAME of TARGET` in place of op and target. An update keeps the reasons that
// are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "ir/capabilities.h"
#include "ir/dtype.h"
#include "ir/operation.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "solver/remedy.h"
#include "support/file.h"
#include "testing/sampling/all_checks.h"
#include "testing/sampling/checks.h"
#include "testing/sampling/edits.h"
#include "testing/sampling/instance.h"
#include "testing/sampling/random.h"
#include "testing/sampling/sampler.h"
#include "testing/sampling/some_place.h"

namespace tessera::testing {
namespace {

using As = ir::TermBuilder::Supposition;

constexpr int kCount = 600;  // instances of an op

// One decision, supposed to come out otherwise in one way.
struct Supposed {
  int decision;
  As as;
  std::string text;  // `OP TARGET<tab>TEXT<tab>SUPPOSITION`
};

// Of the lowering's own text, or of the functions that it calls.
enum class Where : uint8_t { kText, kFunctions };

std::vector<Supposed> SupposedOf(const Subject& subject, const ops::LoweringSignature& lowering,
                                 Where where) {
  std::vector<Supposed> all;
  for (size_t i = 0; i < lowering.decisions.size(); ++i) {
    const ops::DecisionSignature& decision = lowering.decisions[i];
    if (decision.function.empty() != (where == Where::kText)) continue;
    const std::string whose =
        where == Where::kText
            ? absl::StrCat(subject.signature->op, " ", lowering.target)
            : absl::StrCat("function ", decision.function, " of ", lowering.target);
    const auto add = [&](bool possible, As as, const char* word) {
      if (possible)
        all.push_back(
            {static_cast<int>(i), as, absl::StrCat(whose, "\t", decision.text, "\t", word)});
    };
    add(decision.holds, As::kHolds, "always");
    add(decision.fails, As::kFails, "never");
    add(decision.moves, As::kMore, "one more");
    add(decision.moves, As::kLess, "one less");
  }
  return all;
}

// What values are computed by, as text; the same values have the same.
class Structure {
 public:
  void Add(const ir::Value* value) {
    if (value == nullptr) {
      text += "absent;";
      return;
    }
    const auto [at, is_new] = numbers_.emplace(value, numbers_.size());
    absl::StrAppend(&text, at->second, ";");
    const ir::Operation* const op = value->producer();
    if (!is_new || op == nullptr) return;
    text += std::string(op->info().name);
    if (const ir::Tensor* const tensor = value->constant()) {
      absl::StrAppend(&text, op->payload_digest().ToString(),
                      std::string(ir::NameOf(tensor->dtype())));
      return;
    }
    for (size_t i = 0; i < op->attrs().size(); ++i)
      text += ir::ToString(op->attr(i), op->info().attrs[i]);
    text += "(";
    for (const ir::Value* operand : op->operands()) Add(operand);
    absl::StrAppend(&text, ").", value->result_index());
  }
  std::string text;

 private:
  std::map<const ir::Value*, size_t> numbers_;
};

std::string Outcome(ir::Graph& graph, ir::Operation& op, const ir::LoweringInfo& lowering,
                    const ir::Capabilities* places, const Supposed* supposed) {
  ir::Rewriter rewriter(graph);
  rewriter.SetInsertionPoint(&op);
  ir::TermBuilder builder(rewriter);
  builder.SetCapabilities(places);
  if (supposed != nullptr) builder.Suppose(supposed->decision, supposed->as);
  Structure structure;
  for (const ir::Value* value : lowering.apply(op, builder)) structure.Add(value);
  rewriter.EraseUnused();
  return absl::StrCat(builder.taken(), " ", builder.refusal(), " ",
                      builder.ok() ? "" : "not to be built", " ", structure.text);
}

// Guards ask for constants whose elements all equal a number that the definition mentions.
void MakeEqual(const Subject& subject, Random& random, Instance& instance) {
  std::vector<double> numbers = subject.signature->floats;
  for (const int64_t number : subject.signature->integers)
    numbers.push_back(static_cast<double>(number));
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Operand& operand = instance.operands[i];
    if (numbers.empty() || !operand.present || NeedsElements(subject, i) ||
        IsPositions(subject, i) || !random.OneIn(4))
      continue;
    const ir::Tensor& tensor = operand.tensor;
    operand.tensor = ir::Tensor::Of<double>(
        tensor.dtype(), tensor.shape(),
        std::vector<double>(static_cast<size_t>(tensor.size()), random.Of(numbers)));
    operand.constant = true;
  }
}

// Sizes that guards ask for and samples, which are computed, are far below: powers of two, and what
// the definition mentions, or one beside these.
int64_t LargeSize(const Subject& subject, Random& random) {
  constexpr int64_t kMost = 5000;
  int64_t size = int64_t{1} << (3 + random.Below(6));
  if (!subject.signature->integers.empty() && random.OneIn(3)) {
    const int64_t mentioned = random.Of(subject.signature->integers);
    if (mentioned > 8 && mentioned < kMost) size = mentioned;
  }
  return size + (random.OneIn(2) ? 0 : random.Below(3) - 1);
}

// An instance of which every second named dim is large. Nothing where it is not legal.
std::optional<Instance> Enlarged(const Subject& subject, Random& random, Instance instance) {
  constexpr int64_t kMostElements = int64_t{1} << 20;
  std::map<std::string, int64_t> sizes;  // 0: as it is
  for (size_t i = 0; i < instance.operands.size(); ++i) {
    Operand& operand = instance.operands[i];
    if (!operand.present || NeedsElements(subject, i)) continue;
    std::vector<int64_t> shape = operand.tensor.shape();
    int64_t count = 1;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      const AxisName name =
          NameOfAxis(SignatureAt(subject, i), operand.tensor.rank(), static_cast<int64_t>(axis));
      const std::string key = name.name.empty() ? absl::StrCat(i, ".", axis)
                                                : absl::StrCat(name.name, " ", name.position);
      const auto [known, is_new] = sizes.emplace(key, 0);
      if (is_new && random.OneIn(2)) known->second = LargeSize(subject, random);
      if (known->second != 0) shape[axis] = known->second;
      count *= shape[axis];
      if (count > kMostElements) return std::nullopt;
    }
    operand.tensor = Resized(operand.tensor, operand.tensor.dtype(), std::move(shape));
    operand.constant = random.OneIn(2);
  }
  if (!instance.attrs.empty() && random.OneIn(4)) {
    ir::Attribute& attribute =
        instance
            .attrs[static_cast<size_t>(random.Below(static_cast<int64_t>(instance.attrs.size())))];
    const int64_t size = LargeSize(subject, random);
    if (auto* list = std::get_if<std::vector<int64_t>>(&attribute);
        list != nullptr && !list->empty())
      list->front() = size;
  }
  std::vector<ir::ResultInfo<int64_t>> results;
  if (!Infer(subject, instance, results).ok()) return std::nullopt;
  for (const ir::ResultInfo<int64_t>& result : results) {
    int64_t count = 1;
    for (const int64_t dim : result.dims) {
      count *= dim;
      if (count > kMostElements) return std::nullopt;
    }
  }
  return instance;
}

std::vector<Instance> ExamplesOf(const Subject& subject) {
  std::vector<Instance> instances;
  for (const ops::Example& example : subject.examples->examples) {
    if (example.reject) continue;
    absl::StatusOr<Instance> instance = InstanceOf(subject, example, kSuiteSeed);
    if (instance.ok()) instances.push_back(*std::move(instance));
  }
  return instances;
}

bool HasSymbolicAttributes(const Instance& instance) {
  return std::any_of(instance.attrs.begin(), instance.attrs.end(), [](const ir::Attribute& value) {
    return std::holds_alternative<ir::Expr>(value) ||
           std::holds_alternative<std::vector<ir::Expr>>(value);
  });
}

// Leaves of `left` what the instance is lowered equally by, at the place of the number.
void LookAt(const Subject& subject, const ops::LoweringSignature& signature,
            const Instance& instance, int number, std::vector<Supposed>& left) {
  // What is refused is left out.
  const solver::WithoutRemedies untold;
  const SomePlace place(number);
  const ir::Capabilities* const capabilities = number % 2 == 0 ? nullptr : &place;
  for (const Sizes sizes : {Sizes::kKnown, Sizes::kSymbols, Sizes::kAllSymbols}) {
    if (sizes == Sizes::kAllSymbols && !HasSymbolicAttributes(instance)) continue;
    Network network;
    if (!BuildNetwork(subject, instance, Constants::kChosen, sizes, network).ok()) continue;
    ir::Operation* op = nullptr;
    for (ir::Operation* each : network.graph.TopologicalOrder())
      op = &each->info() == subject.info ? each : op;
    if (op == nullptr) continue;
    for (const ir::LoweringInfo& lowering : subject.info->lowerings) {
      if (lowering.target != signature.target) continue;
      const std::string outcome = Outcome(network.graph, *op, lowering, capabilities, nullptr);
      std::erase_if(left, [&](const Supposed& supposed) {
        return Outcome(network.graph, *op, lowering, capabilities, &supposed) != outcome;
      });
    }
  }
}

// Leaves of what is supposed of a lowering what no sample is taken otherwise by.
void Decide(const Subject& subject, const ops::LoweringSignature& signature,
            std::vector<Supposed>& left) {
  Sampler sampler(subject, kSuiteSeed);
  Random random(kSuiteSeed, subject.signature->op);
  Random of_sizes(kSuiteSeed + 1, subject.signature->op);
  const std::vector<Instance> examples = ExamplesOf(subject);
  // As they stand, whatever is sampled from them: where all is held, and at some place.
  for (const Instance& example : examples) {
    for (const int number : {0, 1}) LookAt(subject, signature, example, number, left);
  }
  for (int count = 0; count < kCount && !left.empty(); ++count) {
    std::optional<Instance> instance = sampler.Next();
    if (!instance.has_value()) break;
    MakeEqual(subject, random, *instance);
    LookAt(subject, signature, *instance, count, left);
    if (count % 3 != 2 || examples.empty()) continue;
    const Instance& small = of_sizes.OneIn(2) ? *instance : of_sizes.Of(examples);
    const std::optional<Instance> large = Enlarged(subject, of_sizes, small);
    if (large.has_value()) LookAt(subject, signature, *large, count, left);
  }
}

struct Lowering {
  const Subject* subject;
  const ops::LoweringSignature* signature;
};

// What is tested together: the text of one lowering, or one function and all that call it.
struct Group {
  std::string op, target;  // or the function
  Where where = Where::kText;
  std::vector<Lowering> lowerings;
};

std::vector<Group> GroupsOf(const std::vector<Sampled>& all) {
  std::vector<Group> groups;
  std::map<std::string, Group> functions;
  for (const Sampled& sampled : all) {
    for (const Subject& subject : sampled.subjects) {
      for (const ops::LoweringSignature& lowering : subject.signature->lowerings) {
        if (!SupposedOf(subject, lowering, Where::kText).empty())
          groups.push_back(
              {subject.signature->op, lowering.target, Where::kText, {{&subject, &lowering}}});
        std::set<std::string> called;
        for (const ops::DecisionSignature& decision : lowering.decisions) {
          if (decision.function.empty() || !called.insert(decision.function).second) continue;
          Group& group = functions[absl::StrCat(decision.function, " ", lowering.target)];
          group.op = decision.function;
          group.target = lowering.target;
          group.where = Where::kFunctions;
          group.lowerings.push_back({&subject, &lowering});
        }
      }
    }
  }
  for (auto& [name, group] : functions) groups.push_back(std::move(group));
  return groups;
}

// Of a group what is supposed, in order of its text.
std::vector<std::string> TextsOf(const Group& group) {
  std::vector<std::string> texts;
  const Lowering& first = group.lowerings.front();
  const std::string function = absl::StrCat("function ", group.op, " of ", group.target, "\t");
  for (const Supposed& supposed : SupposedOf(*first.subject, *first.signature, group.where)) {
    if (group.where == Where::kText || absl::StartsWith(supposed.text, function))
      texts.push_back(supposed.text);
  }
  return texts;
}

// What is written twice is decided where both are.
std::vector<std::string> UndecidedOf(const Group& group) {
  std::vector<std::string> texts = TextsOf(group);
  const std::set<std::string> all(texts.begin(), texts.end());
  std::map<std::string, std::set<size_t>> left;  // by text those of its places
  bool is_first = true;
  for (const Lowering& lowering : group.lowerings) {
    std::vector<Supposed> supposed;
    std::map<std::string, size_t> places;
    std::map<std::pair<int, As>, size_t> place_of;
    for (Supposed& each : SupposedOf(*lowering.subject, *lowering.signature, group.where)) {
      if (all.count(each.text) == 0) continue;
      const size_t place = places[each.text]++;
      place_of[{each.decision, each.as}] = place;
      if (is_first) left[each.text].insert(place);
      const auto known = left.find(each.text);
      if (known != left.end() && known->second.count(place) != 0)
        supposed.push_back(std::move(each));
    }
    is_first = false;
    if (supposed.empty()) break;
    Decide(*lowering.subject, *lowering.signature, supposed);
    std::map<std::string, std::set<size_t>> still;
    for (const Supposed& each : supposed)
      still[each.text].insert(place_of[{each.decision, each.as}]);
    left = std::move(still);
  }
  std::set<std::string> seen;
  std::erase_if(texts, [&](const std::string& text) {
    return left.count(text) == 0 || !seen.insert(text).second;
  });
  return texts;
}

using Golden = std::map<std::string, std::string>;  // what is supposed, and the reason

Golden ReadGolden(const std::string& path) {
  Golden golden;
  const absl::StatusOr<std::string> text = support::ReadFile(path);
  for (const absl::string_view line : absl::StrSplit(text.value_or(""), '\n', absl::SkipEmpty())) {
    const size_t tab = line.rfind('\t');
    if (tab != absl::string_view::npos) golden.emplace(line.substr(0, tab), line.substr(tab + 1));
  }
  return golden;
}

class DecisionsTest : public ::testing::Test {
 public:
  DecisionsTest(const Group& group, const Golden& golden) : group_(group), golden_(golden) {}
  void TestBody() override {
    std::set<std::string> undecided;
    for (const std::string& text : UndecidedOf(group_)) {
      undecided.insert(text);
      const auto known = golden_.find(text);
      EXPECT_TRUE(known != golden_.end() && !known->second.empty())
          << text << "\tno sample is lowered otherwise: an example that is, or the reason "
          << "here, in the golden";
    }
    for (const std::string& text : TextsOf(group_)) {
      EXPECT_TRUE(golden_.count(text) == 0 || undecided.count(text) != 0)
          << text << "\tdecides, other than the golden says";
    }
  }

 private:
  const Group& group_;
  const Golden& golden_;
};

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::vector<std::string> args(argv + 1, argv + argc);
  if (args.size() != 2 || (args[0] != "check" && args[0] != "update")) {
    std::cerr << "usage: lowering_decisions_test check|update GOLDEN\n";
    return 2;
  }
  static const Golden golden = ReadGolden(args[1]);
  static const std::vector<Sampled> all = AllSampled();
  static const std::vector<Group> groups = GroupsOf(all);
  if (args[0] == "update") {
    const char* const workspace = std::getenv("BUILD_WORKSPACE_DIRECTORY");
    std::ofstream out(workspace == nullptr ? args[1] : absl::StrCat(workspace, "/", args[1]),
                      std::ios::binary);
    for (const Group& group : groups) {
      for (const std::string& text : UndecidedOf(group)) {
        const auto reason = golden.find(text);
        out << text << "\t" << (reason == golden.end() ? "" : reason->second) << "\n";
      }
    }
    return 0;
  }
  std::set<std::string> known;
  for (const Group& group : groups) {
    for (const std::string& text : TextsOf(group)) known.insert(text);
    ::testing::RegisterTest(group.op.c_str(), group.target.c_str(), nullptr, nullptr, __FILE__,
                            __LINE__,
                            [&]() -> ::testing::Test* { return new DecisionsTest(group, golden); });
  }
  for (const auto& [text, reason] : golden) {
    if (known.count(text) != 0) continue;
    std::cerr << "the golden names `" << text << "`, which no lowering decides by\n";
    return 1;
  }
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main(argc, argv); }
