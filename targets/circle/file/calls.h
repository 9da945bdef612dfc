// Operators that run other graphs of their file.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_CALLS_H_
#define TESSERA_TARGETS_CIRCLE_FILE_CALLS_H_

#include <cstdint>
#include <vector>

#include "targets/circle/file/finding_list.h"
#include "targets/circle/file/model.h"

namespace tessera::circle {

struct GraphCall {
  enum Kind : uint8_t {
    kNone,
    kWhile,  // graphs: condition, body. Values go from operands to results through the body as
             // long as the condition, a bool of one element, holds of them
    kIf,     // graphs: where the first operand, a bool of one element, holds; where not. The other
             // operands are theirs
    kOther,  // what no graph here is run by
  };
  Kind kind = kNone;
  std::vector<int64_t> graphs;
};

// By the options that name graphs; one that is left out has the schema's default.
GraphCall CallOf(const FileOperator& op);

// Errors: a graph out of range; graphs that run one another, or lie deeper than kMostNested; values
// that differ from the graph's in number, type, rank or known dims. Warning: a graph that nothing
// runs.
inline constexpr int kMostNested = 64;
void CheckCalls(const FileModel& model, FindingList& findings);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_CALLS_H_
