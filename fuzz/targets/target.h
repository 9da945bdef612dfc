// What each fuzz target defines: something that takes bytes from anyone. One binary has one target,
// and either libFuzzer's main or that of driver.cc.
#ifndef TESSERA_FUZZ_TARGETS_TARGET_H_
#define TESSERA_FUZZ_TARGETS_TARGET_H_

#include <string>
#include <string_view>
#include <vector>

#include "fuzz/targets/mutation.h"

namespace tessera::fuzz {

// Reads the bytes and, where they are accepted, does with them what users do. Returns what is wrong
// with how that went, or nothing; bytes may be refused.
std::string Try(std::string_view bytes);

// Inputs that are accepted, beside the files of the corpus; they may be made of these.
std::vector<std::string> Seeds(const std::vector<std::string>& corpus);

// Another input like this one, that keeps more of its structure than single bytes would.
// `words`: of the dictionary.
std::string Mutated(const std::string& bytes, const std::vector<std::string>& words,
                    testing::Random& random);

}  // namespace tessera::fuzz

#endif  // TESSERA_FUZZ_TARGETS_TARGET_H_
