// Where an algorithm may change a network: before or after an operation, or at its weights. A point
// names the operation in the graph and, so that the user's file can be changed there, the node and
// the tensor of the file.
#ifndef TESSERA_PASSES_COMPRESSION_POINT_H_
#define TESSERA_PASSES_COMPRESSION_POINT_H_

#include <cstdint>
#include <string>

#include "ir/operation.h"

namespace tessera::compression {

enum class Place : uint8_t {
  kPreHook,   // what the operation reads, as this operation alone sees it
  kPostHook,  // what it makes, as everybody sees it
  kWeight,    // a constant that it reads
};

struct Point {
  Place place = Place::kPreHook;
  const ir::Operation* op = nullptr;
  int index = 0;                     // of the operand, or of the result
  const ir::Value* value = nullptr;  // what is there; of a weight the constant as the file has it
  std::string scope;                 // address of the operation
  std::string node;                  // of the file
  std::string tensor;  // of the file: what the node reads or makes; of a weight the initializer

  // `pre conv/Conv_0[0]`.
  std::string ToString() const;
};

}  // namespace tessera::compression

#endif  // TESSERA_PASSES_COMPRESSION_POINT_H_
