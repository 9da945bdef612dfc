// Every divisor in shapes and constraints, with what is known where it divides, as statements that
// the prover decides: a definition divides by what is positive.
#ifndef TESSERA_CODEGEN_DIVISOR_EMITTER_H_
#define TESSERA_CODEGEN_DIVISOR_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"

namespace tessera::codegen {

// A line per divisor that is no positive number, in the form of solver/statements.h: the op, the
// place, facts, the claim that it is at least 1, `valid`. Facts are what the signature, `where` and
// the constraints before it say, and the conditions under which it is reached. Functions are
// expanded. A divisor that the syntax of statements cannot say is a symbol of which nothing is
// known.
std::string EmitDivisors(const Program& program, const std::vector<const File*>& files);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_DIVISOR_EMITTER_H_
