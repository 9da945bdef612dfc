// Somewhere that holds about half of everything: which of it, `runs` in a guard may decide by.
#ifndef TESSERA_TESTING_SAMPLING_SOME_PLACE_H_
#define TESSERA_TESTING_SAMPLING_SOME_PLACE_H_

#include <cstdint>
#include <string_view>

#include "ir/capabilities.h"
#include "ir/digest.h"
#include "ir/dtype.h"

namespace tessera::testing {

class SomePlace : public ir::Capabilities {
 public:
  explicit SomePlace(int number) : number_(number) {}
  bool Runs(std::string_view op, ir::DType dtype, int64_t rank,
            std::string_view feature) const override {
    ir::Hasher hasher;
    for (const std::string_view text : {op, ir::NameOf(dtype), feature}) hasher.Add(text);
    hasher.Add(static_cast<uint64_t>(rank));
    hasher.Add(static_cast<uint64_t>(number_));
    return (hasher.digest().low & 1) != 0;
  }

 private:
  const int number_;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_SOME_PLACE_H_
