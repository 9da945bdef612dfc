// Keys of the configuration that a target has of its own.
#ifndef TESSERA_TARGETS_TOGGLE_H_
#define TESSERA_TARGETS_TOGGLE_H_

#include <string>
#include <vector>

namespace tessera::targets {

// A key that is `on` or `off`, by the name that users of the format know it by.
struct Toggle {
  std::string key;
  std::string doc;
  bool standard = false;  // what holds where the configuration says nothing
  // Rewrites that apply only on request (ir::Registry), and are asked for by `on` and by `off`.
  std::vector<std::string> on, off;
  // What a user is told who says other than `standard`, where that asks for nothing.
  std::string note;
};

}  // namespace tessera::targets

#endif  // TESSERA_TARGETS_TOGGLE_H_
