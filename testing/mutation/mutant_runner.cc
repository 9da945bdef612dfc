// Runs the generated tests of ops whose definition was edited, without building anything else.
//
//   mutant_runner GOLDEN MUTANT.so [--gtest_...]
//   mutant_runner GOLDEN uses
//
// MUTANT.so has `MutantOps`, `MutantExamples` and `MutantSignatures` in namespace tessera::ops:
// what opgen makes of the edited file. Its ops take the place of those of the same names. The tests
// of a Circle operator are its own and those of the core ops that are written with it, which the
// file TEST_USES names as `uses` prints it: a core op and the operators of its artifacts per line.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "ir/registry.h"
#include "support/file.h"
#include "targets/circle/lowering/commuting_for_test.h"
#include "testing/definition_tests.h"
#include "testing/sampling/all_checks.h"
#include "testing/sampling/circle_agreement.h"
#include "testing/sampling/sampled_tests.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
const ir::Dialect& CircleOps();
const std::vector<OpExamples>& CoreExamples();
const std::vector<OpExamples>& CircleExamples();
const std::vector<Signature>& CoreSignatures();
const std::vector<Signature>& CircleSignatures();
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

// Which operators the artifacts of an op have, where the samples of the suite see them.
void PrintUses(const std::vector<Subject>& subjects) {
  for (const Subject& subject : subjects) {
    std::set<std::string> operators;
    CollectOperators(subject, kSuiteSeed, CircleCheck().count / 2, operators);
    std::cout << subject.signature->op << " " << absl::StrJoin(operators, " ") << "\n";
  }
}

int Main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const absl::StatusOr<std::string> golden =
      argc == 3 ? support::ReadFile(argv[1])
                : absl::InvalidArgumentError("usage: mutant_runner GOLDEN MUTANT.so|uses");
  if (!golden.ok()) {
    std::cerr << golden.status() << "\n";
    return 2;
  }
  static const std::vector<std::string> lines = absl::StrSplit(*golden, '\n', absl::SkipEmpty());
  if (std::string(argv[2]) == "uses") {
    PrintUses(AllSampled()[0].subjects);
    return 0;
  }
  void* const library = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::cerr << dlerror() << "\n";
    return 2;
  }
  const auto* ops = Made<ir::Dialect>(library, "_ZN7tessera3ops9MutantOpsEv");
  const auto* examples =
      Made<std::vector<ops::OpExamples>>(library, "_ZN7tessera3ops14MutantExamplesEv");
  const auto* signatures =
      Made<std::vector<ops::Signature>>(library, "_ZN7tessera3ops16MutantSignaturesEv");
  if (ops == nullptr || examples == nullptr || signatures == nullptr) {
    std::cerr << "no mutant in `" << argv[2] << "`\n";
    return 2;
  }
  const bool core = ops->name == "core";
  PutInPlace(core ? ops::CoreOps() : ops::CircleOps(), *ops);
  PutInPlace(
      const_cast<std::vector<ops::OpExamples>&>(core ? ops::CoreExamples() : ops::CircleExamples()),
      *examples);
  PutInPlace(const_cast<std::vector<ops::Signature>&>(core ? ops::CoreSignatures()
                                                           : ops::CircleSignatures()),
             *signatures);
  std::set<std::string> suites;
  for (const ops::Signature& signature : *signatures) suites.insert(signature.op);
  static const std::vector<Sampled> all = AllSampled();
  for (const Sampled& sampled : all) RegisterSampledTests(sampled.subjects, sampled.checks, lines);
  if (!core) circle::RegisterCommutingTests();
  RegisterDefinitionTests(core ? ops::CoreExamples() : ops::CircleExamples());
  std::vector<std::string> filters;
  for (const std::string& suite : suites) filters.push_back(suite + ".*");
  if (!core) filters.push_back("CircleDefinitions.*");
  const char* const uses = std::getenv("TEST_USES");
  if (!core && uses != nullptr) {
    const absl::StatusOr<std::string> text = support::ReadFile(uses);
    const std::vector<std::string> table =
        absl::StrSplit(text.value_or(""), '\n', absl::SkipEmpty());
    for (const std::string& line : table) {
      const std::vector<std::string> words = absl::StrSplit(line, ' ');
      bool used = false;
      for (size_t i = 1; i < words.size(); ++i) used = used || suites.count(words[i]) != 0;
      if (used) filters.push_back(words[0] + ".sampled_circle");
    }
  }
  ::testing::GTEST_FLAG(filter) = absl::StrJoin(filters, ":") + "-*.confluence_*";
  ::testing::GTEST_FLAG(fail_fast) = true;
  return RUN_ALL_TESTS();
}

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) { return tessera::testing::Main(argc, argv); }
