// Runs the generated tests of ops whose definition was edited, without building anything else.
//
//   mutant_runner MUTANT.so GOLDEN IMPORTS.txt RECORDED.bin SCHEMAS.tsv OTHERS.tsv TESTS NODES.txt
//   mutant_runner uses GOLDEN ...
//
// MUTANT.so has `MutantOps`, `MutantExamples` and `MutantSignatures` in namespace tessera::ops:
// what opgen makes of the edited file, or `MutantAten`, its clauses for PyTorch, or `MutantTraits`.
// Its ops take the place of those of the same names. The tests of a Circle operator are its own and
// those of the core ops that are written with it, which the file TEST_USES names as `uses` prints
// it: a core op and the operators of its artifacts per line, behind a line `-` a node of others
// and, by tabs, the ops that it becomes, and behind another one the programs of PyTorch in the
// folder TEST_PROGRAMS that hold. Of the arguments, GOLDEN is that of the samples, the others are
// those of ReadNodeJudge.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "ir/aten.h"
#include "ir/registry.h"
#include "support/file.h"
#include "testing/body_tests.h"
#include "testing/commuting_tests.h"
#include "testing/definition_tests.h"
#include "testing/imports/import_samples.h"
#include "testing/mutation/node_judge.h"
#include "testing/mutation/program_judge.h"
#include "testing/quantize_traits.h"
#include "testing/sampling/all_checks.h"
#include "testing/sampling/circle_agreement.h"
#include "testing/sampling/sampled_tests.h"
#include "tools/cli/op_sets.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& CircleOps();
const ir::Dialect& CircleIntegersOps();
const ir::Dialect& NpuLayersOps();
const ir::Dialect& NpuOps();
const ir::Dialect& VulkanOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& CircleExamples();
const std::vector<OpExamples>& CircleIntegersExamples();
const std::vector<OpExamples>& NpuLayersExamples();
const std::vector<OpExamples>& NpuExamples();
const std::vector<OpExamples>& VulkanExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<Signature>& CircleSignatures();
const std::vector<Signature>& CircleIntegersSignatures();
const std::vector<Signature>& NpuLayersSignatures();
const std::vector<Signature>& NpuSignatures();
const std::vector<Signature>& VulkanSignatures();
absl::Span<const ir::AtenInfo* const> CoreAten();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

template <class T>
const T* Made(void* library, const char* symbol) {
  auto* const make = reinterpret_cast<const T& (*)()>(dlsym(library, symbol));
  return make == nullptr ? nullptr : &make();
}

// The generated tables are on the heap, behind pointers to constants; before anybody has looked at
// them they may be written over.
void PutInPlace(const ir::Dialect& dialect, const ir::Dialect& mutant) {
  for (size_t m = 0; m < mutant.ops.size(); ++m) {
    for (size_t i = 0; i < dialect.ops.size(); ++i) {
      if (dialect.ops[i]->name != mutant.ops[m]->name) continue;
      const_cast<ir::OpInfo&>(*dialect.ops[i]) = *mutant.ops[m];
      const_cast<absl::Span<const ir::ImportInfo>&>(dialect.imports[i]) = mutant.imports[m];
    }
  }
}

template <class T>
void PutInPlace(std::vector<T>& all, const std::vector<T>& mutant) {
  for (T& item : all) {
    for (const T& other : mutant) {
      if (other.op == item.op && other.dialect == item.dialect) item = other;
    }
  }
}

// One set of definitions.
struct Set {
  const ir::Dialect& ops;
  const std::vector<ops::OpExamples>& examples;
  const std::vector<ops::Signature>& signatures;
};

// Several sets may be of one dialect.
const Set& SetWith(std::string_view op) {
  static const std::vector<Set> sets = {
      {ops::CoreOps(), ops::CoreExamples(), ops::CoreSignatures()},
      {ops::CircleOps(), ops::CircleExamples(), ops::CircleSignatures()},
      {ops::CircleIntegersOps(), ops::CircleIntegersExamples(), ops::CircleIntegersSignatures()},
      {ops::NpuLayersOps(), ops::NpuLayersExamples(), ops::NpuLayersSignatures()},
      {ops::NpuOps(), ops::NpuExamples(), ops::NpuSignatures()},
      {ops::VulkanOps(), ops::VulkanExamples(), ops::VulkanSignatures()}};
  for (const Set& set : sets) {
    for (const ir::OpInfo* info : set.ops.ops) {
      if (info->name == op) return set;
    }
  }
  return sets.front();
}

// Programs of PyTorch with the edited clauses; no other test asks those.
int JudgeAten(absl::Span<const ir::AtenInfo* const> mutant, const std::set<std::string>& known) {
  std::set<std::string> overloads;
  for (const ir::AtenInfo* const& info : ops::CoreAten()) {
    for (const ir::AtenInfo* other : mutant) {
      if (other->overload != info->overload || other->written != info->written ||
          other->numbers != info->numbers)
        continue;
      overloads.insert(std::string(info->overload));
      const_cast<const ir::AtenInfo*&>(info) = other;
    }
  }
  cli::LinkOps();
  const char* const folder = std::getenv("TEST_PROGRAMS");
  const std::string problem = ProgramComplaints(folder == nullptr ? "" : folder, known, overloads);
  std::cout << problem << "\n";
  return problem.empty() ? 0 : 1;
}

int JudgeTraits(absl::Span<const ir::QuantizeTrait> traits) {
  cli::LinkOps();
  std::string problem;
  for (const ir::QuantizeTrait& trait : traits) {
    for (const ops::OpExamples& examples : ops::CoreExamples()) {
      if (examples.op == trait.op && problem.empty()) problem = TraitComplaint(trait, examples);
    }
  }
  std::cout << problem << "\n";
  return problem.empty() ? 0 : 1;
}

// Which operators the artifacts of an op have, where the samples of the suite see them.
void PrintUses(const std::vector<Subject>& subjects, const NodeJudge& judge) {
  for (const Subject& subject : subjects) {
    std::set<std::string> operators;
    CollectOperators(subject, kSuiteSeed, CircleCheck().count / 8, operators);
    std::cout << subject.signature->op << " " << absl::StrJoin(operators, " ") << "\n";
  }
  std::cout << "-\n";
  for (const auto& [name, ops] : NodesThatHold(judge))
    std::cout << name << "\t" << absl::StrJoin(ops, "\t") << "\n";
  std::cout << "-\n";
  cli::LinkOps();
  const char* const folder = std::getenv("TEST_PROGRAMS");
  for (const std::string& name : ProgramsThatHold(folder == nullptr ? "" : folder))
    std::cout << name << "\n";
}

struct Uses {
  std::vector<std::vector<std::string>> operators;  // a core op, and those of its artifacts
  NodeOps nodes;
  std::set<std::string> programs;
};

Uses ReadUses(const char* path) {
  Uses uses;
  const absl::StatusOr<std::string> text = support::ReadFile(path == nullptr ? "" : path);
  const std::vector<std::string> table = absl::StrSplit(text.value_or(""), '\n', absl::SkipEmpty());
  int part = 0;
  for (const std::string& line : table) {
    if (line == "-") {
      ++part;
    } else if (part == 2) {
      uses.programs.insert(line);
    } else if (part == 1) {
      const std::vector<std::string> words = absl::StrSplit(line, '\t', absl::SkipEmpty());
      uses.nodes.emplace(words[0], std::set<std::string>(words.begin() + 1, words.end()));
    } else {
      uses.operators.push_back(absl::StrSplit(line, ' '));
    }
  }
  return uses;
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const absl::StatusOr<std::string> golden =
      argc > 3 ? support::ReadFile(argv[2])
               : absl::InvalidArgumentError("usage: mutant_runner MUTANT.so|uses GOLDEN FILE...");
  if (!golden.ok()) {
    std::cerr << golden.status() << "\n";
    return 2;
  }
  static const absl::StatusOr<NodeJudge> judge = ReadNodeJudge({argv + 3, argv + argc});
  if (!judge.ok()) {
    std::cerr << judge.status() << "\n";
    return 2;
  }
  static const std::vector<std::string> lines = absl::StrSplit(*golden, '\n', absl::SkipEmpty());
  if (std::string(argv[1]) == "uses") {
    PrintUses(AllSampled()[0].subjects, *judge);
    return 0;
  }
  void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  static const Uses uses = ReadUses(std::getenv("TEST_USES"));
  if (void* const aten = dlsym(library, "_ZN7tessera3ops10MutantAtenEv"); aten != nullptr) {
    auto* const made = reinterpret_cast<absl::Span<const ir::AtenInfo* const> (*)()>(aten);
    return JudgeAten(made(), uses.programs);
  }
  if (void* const traits = dlsym(library, "_ZN7tessera3ops12MutantTraitsEv"); traits != nullptr) {
    auto* const made = reinterpret_cast<absl::Span<const ir::QuantizeTrait> (*)()>(traits);
    return JudgeTraits(made());
  }
  const auto* ops = Made<ir::Dialect>(library, "_ZN7tessera3ops9MutantOpsEv");
  const auto* examples =
      Made<std::vector<ops::OpExamples>>(library, "_ZN7tessera3ops14MutantExamplesEv");
  const auto* signatures =
      Made<std::vector<ops::Signature>>(library, "_ZN7tessera3ops16MutantSignaturesEv");
  if (ops == nullptr || examples == nullptr || signatures == nullptr) {
    std::cerr << "no mutant in `" << argv[1] << "`\n";
    return 2;
  }
  const Set& set = SetWith(signatures->empty() ? "" : signatures->front().op);
  const bool core = ops->name == "core";
  const bool circle = ops->name == "circle";
  static std::set<std::string> suites;
  for (const ops::Signature& signature : *signatures) suites.insert(signature.op);
  // Of the clauses that were there, and of those that there are.
  static std::set<std::string> operators;
  const auto of_these = [](std::string_view op) { return suites.count(std::string(op)) != 0; };
  if (core) {
    operators = ImportedOperators(ops::CoreOps(), of_these);
    operators.merge(ImportedOperators(*ops, of_these));
  }
  PutInPlace(set.ops, *ops);
  PutInPlace(const_cast<std::vector<ops::OpExamples>&>(set.examples), *examples);
  PutInPlace(const_cast<std::vector<ops::Signature>&>(set.signatures), *signatures);
  static const std::vector<Sampled> all = AllSampled();
  for (const Sampled& sampled : all) RegisterSampledTests(sampled.subjects, sampled.checks, lines);
  static const std::string movement = "circle";
  if (circle) RegisterCommutingTests(ops::CircleExamples(), movement);
  RegisterDefinitionTests(set.examples);
  std::vector<std::string> filters;
  for (const std::string& suite : suites) filters.push_back(suite + ".*");
  if (circle || ops->name == ops::CircleIntegersOps().name)
    filters.push_back("CircleDefinitions.*");
  for (const std::vector<std::string>& words : uses.operators) {
    const bool used = std::any_of(words.begin() + 1, words.end(),
                                  [](const std::string& word) { return suites.count(word) != 0; });
    if (circle && used) filters.push_back(words[0] + ".sampled_circle");
  }
  // What is lowered again is in no artifact.
  const bool lowered = std::any_of(ops->ops.begin(), ops->ops.end(),
                                   [](const ir::OpInfo* op) { return !op->lowerings.empty(); });
  if (circle && lowered) filters.push_back("*.sampled_circle");
  if (core) {
    filters.push_back("Nodes.*");
    BodyTests tests;
    tests.Add("Nodes", "imports", __FILE__, __LINE__,
              [] { EXPECT_EQ(ImportComplaints(*judge, suites, operators), ""); });
    tests.Add("Nodes", "results", __FILE__, __LINE__,
              [] { EXPECT_EQ(NodeComplaints(*judge, uses.nodes, suites, operators), ""); });
  }
  ::testing::GTEST_FLAG(filter) = absl::StrJoin(filters, ":") + "-*.confluence_*";
  ::testing::GTEST_FLAG(fail_fast) = true;
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main(argc, argv); }
