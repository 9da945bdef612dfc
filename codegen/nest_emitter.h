// The nests of definitions: for each op with a `ref` a function that builds them as data
// (nests/nest.h), for given ranks and attributes.
#ifndef TESSERA_CODEGEN_NEST_EMITTER_H_
#define TESSERA_CODEGEN_NEST_EMITTER_H_

#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

// A source with the nests of several files. An op whose `ref` is not all data says why instead.
std::string EmitNests(const Program& program, const std::vector<const File*>& files,
                      Diagnostics& diagnostics);
// In which of several sources the file of that name is.
size_t ShardOf(const std::string& stem, size_t shards);

// The source that lists them: `TITLENests()`.
std::string EmitNestIndex(const std::vector<const File*>& files, const std::string& title);

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_NEST_EMITTER_H_
