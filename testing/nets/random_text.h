// What random networks in ONNX's text form are written with.
#ifndef TESSERA_TESTING_NETS_RANDOM_TEXT_H_
#define TESSERA_TESTING_NETS_RANDOM_TEXT_H_

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::testing {

class RandomText {
 protected:
  explicit RandomText(uint64_t seed) : random_(seed) {}

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  template <class T>
  const T& Of(const std::vector<T>& list) {
    return list[static_cast<size_t>(Below(static_cast<int>(list.size())))];
  }
  std::string Name() { return absl::StrCat("v", ++names_); }
  // The name of what a new node makes.
  std::string Node(const std::string& op, const std::string& operands) {
    const std::string name = Name();
    absl::StrAppend(&nodes_, "  ", name, " = ", op, " (", operands, ")\n");
    return name;
  }

  std::string nodes_;

 private:
  std::mt19937_64 random_;
  int names_ = 0;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_NETS_RANDOM_TEXT_H_
