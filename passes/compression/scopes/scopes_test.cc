#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "passes/compression/scopes/address.h"

namespace tessera::compression {
namespace {

SourceNode Node(std::string name, std::string type) {
  return {std::move(name), std::move(type), {}, {}, {}};
}

TEST(NodeScopes, AreWhatNamesSay) {
  EXPECT_EQ(
      NodeScopes({Node("/body/body.0/Conv", "Conv"), Node("/body/body.0/Conv_1", "Conv"),
                  Node("/body/body.1/Relu", "Relu"), Node("Conv_7", "Conv"), Node("head", "Gemm")}),
      (std::vector<std::string>{"body/body.0/Conv_0", "body/body.0/Conv_1", "body/body.1/Relu_0",
                                "Conv_7", "head/Gemm_0"}));
}

TEST(NodeScopes, AreUniqueWhateverNamesAre) {
  EXPECT_EQ(
      NodeScopes({Node("a/Conv_0", "Conv"), Node("a/Conv_0", "Conv"), Node("a/Conv", "Conv"),
                  Node("", "Conv"), Node("", "Conv"), Node("///", "Conv")}),
      (std::vector<std::string>{"a/Conv_0", "a/Conv_1", "a/Conv_2", "Conv_0", "Conv_1", "Conv_2"}));
}

TEST(NodeScopes, AreModulesWhereTheExporterLeftThem) {
  SourceNode node = Node("node_conv2d_3", "Conv");
  node.metadata = {
      {"pkg.torch.onnx.class_hierarchy",
       "['net.Net', 'torch.nn.modules.container.Sequential', 'torch.nn.modules.conv.Conv2d', "
       "'aten.conv2d.default']"},
      {"pkg.torch.onnx.name_scopes", "['', 'body', 'body.0', 'conv2d_3']"}};
  EXPECT_EQ(NodeScopes({node}),
            (std::vector<std::string>{"Net/Sequential[body]/Conv2d[0]/conv2d_0"}));
  // What is none of this is not read as this.
  node.metadata["pkg.torch.onnx.name_scopes"] = "['', 'body'";
  EXPECT_EQ(NodeScopes({node}), (std::vector<std::string>{"node_conv2d_3/Conv_0"}));
}

}  // namespace
}  // namespace tessera::compression
