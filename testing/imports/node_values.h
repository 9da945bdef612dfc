// What attributes and constants of sampled nodes are made of.
#ifndef TESSERA_TESTING_IMPORTS_NODE_VALUES_H_
#define TESSERA_TESTING_IMPORTS_NODE_VALUES_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "onnx/onnx_pb.h"
#include "testing/onnx_schemas.h"
#include "testing/sampling/random.h"

namespace tessera::testing {

// Names as in the table of schemas and onnx.TensorProto.DataType, in the order in which they are
// preferred.
const std::vector<std::pair<std::string, int>>& ElementTypes();
// Of a type that counts positions.
bool IsIndex(int type);

// Mostly what stands in nodes for sizes, axes and positions.
std::vector<int64_t> SmallIntegers(Random& random);
// Adds an element, `value` or `real` by the tensor's type.
void SetValue(onnx::TensorProto& tensor, int64_t value, double real);

// By name of an attribute: words that it takes. Others are tried too.
using Words = std::map<std::string, std::vector<std::string>>;
std::string Word(const std::string& attribute, const Words& words, Random& random);

// Attributes of some kinds are not made.
bool CanMake(const SchemaAttribute& attribute);
// With a value of its kind, legal or not; false: CanMake says no.
bool AddAttribute(const SchemaAttribute& attribute, const Words& words, Random& random,
                  onnx::NodeProto& node);

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_IMPORTS_NODE_VALUES_H_
