// Which tensors of a model hold the same, whatever its inputs hold.
#ifndef TESSERA_RECHECK_EQUAL_NUMBERS_H_
#define TESSERA_RECHECK_EQUAL_NUMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "recheck/value.h"

namespace tessera::recheck {

// Numbers for tensors. Those with one number hold the same elements: one operation of the
// definitions yields them, with the same attributes, of operands that have the same numbers, or
// they are constants of the same elements. All others have a number of their own.
class EqualNumbers {
 public:
  int64_t Of(const TensorPtr& tensor);
  // `how` says all that the results of an operation depend on.
  void Give(const std::string& how, const std::vector<TensorPtr>& results);

 private:
  absl::flat_hash_map<TensorPtr, int64_t> of_tensor_;
  absl::flat_hash_map<std::string, int64_t> of_constant_;
  absl::flat_hash_map<std::string, std::vector<int64_t>> of_results_;
  int64_t next_ = 0;
};

// Appends what tells the value of an attribute from all others; false: that is not said.
bool AppendValue(const Value& value, std::string& how);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_EQUAL_NUMBERS_H_
