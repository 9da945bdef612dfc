// What tests of compressed networks have in common: the definitions, small networks, and samples.
#ifndef TESSERA_TOOLS_COMPRESSION_COMPRESSION_FIXTURE_H_
#define TESSERA_TOOLS_COMPRESSION_COMPRESSION_FIXTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "onnx/onnx_pb.h"

namespace tessera::tools {

class CompressionTest : public testing::Test {
 protected:
  // Makes definitions, traits and nests known.
  static void SetUpTestSuite();
};

// A network in ONNX's text.
onnx::ModelProto Parsed(const std::string& text);
// An initializer of f32 of this shape, without its elements.
onnx::TensorProto& AddFloats(onnx::ModelProto& model, const std::string& name,
                             const std::vector<int64_t>& dims);
// The path of a new file with the network.
std::string Written(const onnx::ModelProto& model, const std::string& name);
// The path of a folder with one file of samples for the input `x`, from -1 to 1.
std::string SampleFolder(const std::string& name, std::vector<int64_t> shape);

}  // namespace tessera::tools

#endif  // TESSERA_TOOLS_COMPRESSION_COMPRESSION_FIXTURE_H_
