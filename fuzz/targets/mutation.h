// Changes of texts and bytes, for targets without a structure of their own.
#ifndef TESSERA_FUZZ_TARGETS_MUTATION_H_
#define TESSERA_FUZZ_TARGETS_MUTATION_H_

#include <string>
#include <vector>

#include "testing/sampling/random.h"

namespace tessera::fuzz {

// A few bits, bytes or ranges changed, inserted, taken out or put elsewhere.
std::string WithOtherBytes(std::string bytes, testing::Random& random);

// A few tokens (names, numbers, quoted strings, single signs) or lines taken out, put twice,
// swapped, or replaced by another of the text, by a word or by a number that is a limit.
std::string WithOtherTokens(std::string text, const std::vector<std::string>& words,
                            testing::Random& random);

// The words of a dictionary in libFuzzer's format
// (https://llvm.org/docs/LibFuzzer.html#dictionaries): `name="word"` or `"word"` a line, with \\,
// \" and \xAB; `#` starts a comment.
std::vector<std::string> ParseDictionary(const std::string& text);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_TARGETS_MUTATION_H_
