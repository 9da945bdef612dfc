// What a refusal says that would mend it.
#ifndef TESSERA_TESTING_NETS_REMEDY_H_
#define TESSERA_TESTING_NETS_REMEDY_H_

#include <string>
#include <vector>

#include "absl/strings/str_split.h"

namespace tessera::testing {

// The declarations of the last line that has some, as `--dim` takes them.
inline std::vector<std::string> Remedy(const std::string& refusal) {
  const size_t from = refusal.rfind("with `--dim ");
  if (from == std::string::npos) return {};
  const size_t begin = from + 12;
  return absl::StrSplit(refusal.substr(begin, refusal.find('`', begin) - begin), " --dim ");
}

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_REMEDY_H_
