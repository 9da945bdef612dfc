// Operands of control flow that nothing else takes.
//
// onert 0.1.0 plans memory for operators that run other graphs apart from all others: what an
// operator of one kind yields lies where results of later ones go, once the last operator of that
// kind has taken it, though one of the other kind may come to it only then. A result that is taken
// by one kind alone is kept to the end.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_OWN_OPERANDS_H_
#define TESSERA_TARGETS_CIRCLE_FILE_OWN_OPERANDS_H_

#include <vector>

#include "targets/circle/file/model.h"

namespace tessera::circle {

// By tensor: whether it is a result, and an operator that runs no other graph takes it.
std::vector<bool> TakenByPlainOperators(const FileGraph& graph);

// Whether `op` runs other graphs and takes one of `taken`.
bool TakesOneOf(const FileOperator& op, const std::vector<bool>& taken);

// What operators that run other graphs take, and others too, becomes a copy for the former. Left
// as they are: tensors of an element type that no operator copies in every runtime.
void GiveOwnOperands(FileModel& model);

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_OWN_OPERANDS_H_
