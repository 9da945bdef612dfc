// Keys of configurations written for NNCF 2 that have another place here, no use, or no
// counterpart.
#ifndef TESSERA_TOOLS_COMPRESSION_NNCF_KEYS_H_
#define TESSERA_TOOLS_COMPRESSION_NNCF_KEYS_H_

#include <cstdint>
#include <string_view>

namespace tessera::tools {

struct NncfKey {
  enum class Verdict : uint8_t {
    kMoved,    // to `to`, with the same value, or `as`
    kNothing,  // it has no effect here
    kRefused,
  };
  std::string_view algorithm;  // empty: any
  std::string_view key;        // with `*` at its end: any that begins so
  std::string_view values;     // `a|b|c`; empty: any
  Verdict verdict;
  std::string_view to, as;
  std::string_view why;
};

// Of `params: {X: ..}` the key is X. Null: it is none of NNCF's that needs a word.
const NncfKey* FindNncfKey(std::string_view algorithm, std::string_view key,
                           std::string_view value);

// Why an algorithm of NNCF's is none here, and what is; empty: it is none of NNCF's.
std::string_view WhyNoNncfAlgorithm(std::string_view name);

// The same of a key beside `compression`.
const NncfKey* FindNncfTopLevel(std::string_view key);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_NNCF_KEYS_H_
