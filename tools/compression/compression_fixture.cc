#include "tools/compression/compression_fixture.h"

#include <fstream>
#include <utility>

#include "ir/registry.h"
#include "nests/library.h"
#include "onnx/defs/parser.h"
#include "passes/compression/traits/traits.h"
#include "support/file.h"
#include "support/npy.h"

// Defined by generated code.
namespace tessera::ops {
const ir::Dialect& CoreOps();
absl::Span<const ir::QuantizeTrait> CoreTraits();
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::tools {

void CompressionTest::SetUpTestSuite() {
  ir::Registry::Global().Add(ops::CoreOps());
  compression::AddTraits(ops::CoreTraits());
  nests::Library::Global().Add(ops::CoreNests());
}

onnx::ModelProto Parsed(const std::string& text) {
  onnx::ModelProto model;
  const auto status = onnx::OnnxParser(text.c_str()).Parse(model);
  EXPECT_TRUE(status.IsOK()) << status.ErrorMessage();
  return model;
}

onnx::TensorProto& AddFloats(onnx::ModelProto& model, const std::string& name,
                             const std::vector<int64_t>& dims) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

std::string Written(const onnx::ModelProto& model, const std::string& name) {
  std::string file = testing::TempDir() + "/" + name + ".onnx";
  std::ofstream(file, std::ios::binary) << model.SerializeAsString();
  return file;
}

std::string SampleFolder(const std::string& name, std::vector<int64_t> shape) {
  std::string folder = testing::TempDir() + "/" + name;
  EXPECT_TRUE(support::MakeFolder(folder).ok());
  ir::Tensor x = *ir::Tensor::Allocate(ir::DType::kF32, std::move(shape));
  for (int64_t i = 0; i < x.size(); ++i)
    x.mutable_data<float>()[i] = static_cast<float>(i * 37 % 41) / 20 - 1;
  EXPECT_TRUE(support::WriteFile(folder + "/x.npy", support::SerializeNpy(x)).ok());
  return folder;
}

}  // namespace tessera::tools
