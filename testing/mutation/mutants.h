// Small wrong edits of definition files, to see which of them the tests notice.
#ifndef TESSERA_TESTING_MUTATION_MUTANTS_H_
#define TESSERA_TESTING_MUTATION_MUTANTS_H_

#include <cstddef>
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
// `import`, `rewrite-left` (patterns and guards), `facts` (`permute`, `code`, `version`).
const std::vector<std::string>& MutantKinds();

// Every edit of every kind that this text allows, in order of place: numbers off by one, relations
// and signs turned, conjuncts and arguments dropped or swapped, names for their opposites, calls
// without what they call.
std::vector<Mutant> MutantsOf(const std::string& path, const std::string& text);

std::string Applied(const Mutant& mutant, const std::string& text);
// `FILE:LINE:COLUMN: BEFORE -> AFTER`.
std::string Description(const Mutant& mutant, const std::string& text);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_MUTATION_MUTANTS_H_
