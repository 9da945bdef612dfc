// Small wrong edits of definition files, to see which of them the tests notice.
#ifndef TESSERA_TESTING_MUTATION_MUTANTS_H_
#define TESSERA_TESTING_MUTATION_MUTANTS_H_

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace tessera::testing {

struct Mutant {
  std::string kind;  // one of MutantKinds
  std::string path;
  size_t offset = 0;  // of the bytes that change
  std::string before, after;
};

// What of a definition is edited: `rewrite-right`, `lowering`, `semantics` (`ref`, `shape`, `let`,
// `require`, dtypes, defaults and `where`), `fast-ref` (the `ref` of an op that has a `fast`),
// `import`, `rewrite-left` (patterns, guards, `assumes`), `facts` (`permute`, `code`, `version`),
// `aten` (clauses for PyTorch), `quantize`.
const std::vector<std::string>& MutantKinds();

// The ops of a text that say `commutes`.
std::set<std::string> CommutingIn(const std::string& text);

// Every edit of every kind that this text allows, in order of place: numbers off by one, relations
// and signs turned, operands of what does not commute, conjuncts, element types and arguments
// dropped or swapped, indices and pads off by one, names for their opposites, calls without what
// they call. The first two arguments of `commuting` are not swapped.
std::vector<Mutant> MutantsOf(const std::string& path, const std::string& text,
                              const std::set<std::string>& commuting);

std::string Applied(const Mutant& mutant, const std::string& text);
// `FILE:LINE:COLUMN: BEFORE -> AFTER`.
std::string Description(const Mutant& mutant, const std::string& text);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_MUTATION_MUTANTS_H_
