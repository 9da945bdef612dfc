// What a certificate's options say of dims.
#ifndef TESSERA_RECHECK_DECLARATIONS_H_
#define TESSERA_RECHECK_DECLARATIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::recheck {

inline constexpr int64_t kLeastDim = 1, kMostDim = (int64_t{1} << 31) - 1;  // where nothing is said

// `--dim H=1..4096`, `--dim H%8=0`, `--dim S=P+T`, `--dim L=N+1..`, or what was assumed: `assumed:
// H >= 32 (why)`.
struct Declaration {
  enum Kind {
    kNone,  // an option that says nothing of one dim, such as `--dim auto`
    kRange,
    kCongruence,
    kEqual,
    kRelation,  // a statement over dims, of which the program says that it holds
  } kind = kNone;
  std::string name;
  std::string other;  // of an equality, a dim or an expression over dims; of a relation, all of it
  std::string lower, upper;  // of a range, an end that is an expression over dims
  int64_t low = 0, high = 0;
  int64_t modulus = 1, residue = 0;
};

// The reason of what a program of PyTorch says of sizes.
inline constexpr char kProgramSays[] = " (the exported program says so)";

// Nothing: no option that bears on sizes.
std::optional<Declaration> ReadDeclaration(const std::string& option);

// Whether the operators' text was read so: `reading(NAME)` of an `onnx` clause.
bool IsRead(const std::vector<std::string>& options, const std::string& reading);

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_DECLARATIONS_H_
