// What a runtime is asked whether it can run: an operator on tensors of these types and ranks, in
// one of its forms.
#ifndef TESSERA_TARGETS_CIRCLE_RUNTIMES_USE_H_
#define TESSERA_TARGETS_CIRCLE_RUNTIMES_USE_H_

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

inline constexpr char kBroadcast[] =
    "broadcast";                               // an elementwise operator's operands differ in shape
inline constexpr char kDynamic[] = "dynamic";  // sizes are known only when it runs

inline constexpr char kConstantLeft[] =
    "constant_left";  // the first operand is a constant, another is not
inline constexpr char kComputed[] =
    "computed";  // shapes, axes or positions that it goes by are results of others
inline constexpr char kCast[] =
    "cast";  // an operand or a result of u8 is made by a cast or cast to another type
inline constexpr char kSeveralAxes[] =
    "several_axes";  // the axes that it goes by are not one, as far as is known
inline constexpr char kUnknownResults[] =
    "unknown_results";  // a loop's body says that sizes of its results are unknown
inline constexpr char kTakenElsewhere[] =
    "taken_elsewhere";  // an operand of control flow is a result that other operators take, too
inline constexpr char kCovered[] =
    "covered";  // a filter may be as large as the image, of which SAME pads the end alone
// Of a file, whose unknown sizes tell nothing: is known to have none.
inline constexpr char kEmpty[] = "empty";                 // an operand is not known to have entries
inline constexpr char kEmptyResults[] = "empty_results";  // a result is not

inline constexpr char kAnyTypes[] = "*>*";  // of control flow, whose rank is not asked for either

struct Use {
  std::string op;  // `GATHER`
  std::string
      types;  // of operands that are no shapes, axes or positions, and results: `f32,i64>f32`
  int64_t rank = 0;  // the highest of their tensors
  // Switches and choices with their values (`keep_num_dims=true`), and those above.
  std::set<std::string> forms;
};

// Nullopt: no operator that is numbered in the format, such as a constant.
std::optional<Use> UseOf(const ir::Operation& op);

// Of the operators of a file's graph. Outlived by both.
class FileUses {
 public:
  FileUses(const FileModel& model, const FileGraph& graph) : model_(model), graph_(graph) {}
  Use Of(const FileOperator& op);

 private:
  Use OfControlFlow(const FileOperator& op);

  const FileModel& model_;
  const FileGraph& graph_;
  std::optional<std::vector<bool>> taken_;  // by plain operators, once control flow asks for it
};

// For one of them alone.
Use UseOf(const FileModel& model, const FileGraph& graph, const FileOperator& op);

// Sizes of operands and results, not known ones, that may be 0: `T - 1`, `min(S, 2)`.
std::vector<std::string> SizesThatMayBeNone(const ir::Operation& op);

// The same where no tensor is without entries.
Use WithEntries(Use use);

// For people: `GATHER f32,i64>f32 of rank 2`.
std::string TextOf(const Use& use);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_RUNTIMES_USE_H_
