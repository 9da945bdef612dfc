// The op files as they were when this program was built.
#ifndef TESSERA_RECHECK_DEFINITIONS_TEXT_H_
#define TESSERA_RECHECK_DEFINITIONS_TEXT_H_

#include <vector>

namespace tessera::recheck {

struct OpFile {
  const char* path;
  const char* text;
};
const std::vector<OpFile>& OpFiles();

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_DEFINITIONS_TEXT_H_
