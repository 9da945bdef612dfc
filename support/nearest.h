// What was probably meant.
#ifndef TESSERA_SUPPORT_NEAREST_H_
#define TESSERA_SUPPORT_NEAREST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::support {

// Up to `count` of `candidates`, those that hold `word` (or are held by it) first, then by edit
// distance; none that has hardly a letter in common. Long lists are cut before they are compared.
std::vector<std::string> NearestTo(std::string_view word,
                                   const std::vector<std::string>& candidates, size_t count);

// `; did you mean `A` or `B`?`, empty where nothing is near.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace tessera::support

#endif  // TESSERA_SUPPORT_NEAREST_H_
