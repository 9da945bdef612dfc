// Which op computes what: the nests that the generator made of definitions, by op.
#ifndef TESSERA_NESTS_LIBRARY_H_
#define TESSERA_NESTS_LIBRARY_H_

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "ir/checker.h"
#include "ir/op_info.h"
#include "ir/operation.h"
#include "nests/builder.h"

namespace tessera::nests {

// What the generator made of one op.
struct Definition {
  std::string_view dialect, op;
  // Null: no nests, and why.
  void (*build)(const ir::InferArgs<Expr>& args, solver::Context& context, Builder& builder);
  std::string_view missing;
};

// Not thread-safe while definitions are added.
class Library {
 public:
  static Library& Global();
  void Add(absl::Span<const Definition* const> definitions);
  const Definition* Find(std::string_view dialect, std::string_view op) const;
  std::vector<const Definition*> All() const;  // by dialect and name

 private:
  std::map<std::pair<std::string_view, std::string_view>, const Definition*> definitions_;
};

// What an op computes for operands of these types. Attributes are complete. Errors: the op has no
// nests (Unimplemented, with the reason), or the operands are not admissible.
absl::StatusOr<Computation> ComputationOf(const Definition& definition,
                                          const ir::InferArgs<Expr>& args,
                                          solver::Context& context);
absl::StatusOr<Computation> ComputationOf(const ir::Operation& operation, solver::Context& context);

// A type variable that several dtypes share computes truth values as integers.
inline Number OpenNumberOf(ir::DType dtype) {
  const Number number = NumberOf(dtype);
  return number == Number::kBool ? Number::kI64 : number;
}
template <class T>
void Append(std::vector<T>& list, const std::vector<T>& more) {
  list.insert(list.end(), more.begin(), more.end());
}
inline std::vector<Expr> Part(const std::vector<Expr>& list, int64_t from, int64_t length) {
  const auto size = static_cast<int64_t>(list.size());
  const auto begin = list.begin() + std::min(from, size);
  return {begin, begin + std::max<int64_t>(0, std::min(length, size - from))};
}

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_LIBRARY_H_
