// Pictures of a small graph, against goldens. `bazel run //tools/views:pictures_test -- --update`
// rewrites them.
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "report/xml_check.h"
#include "tools/views/dot.h"
#include "tools/views/svg.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::views {
namespace {

using report::XmlProblem;

bool update = false;

// A skip connection, a constant, a symbolic size, a name that markup must not take literally.
constexpr char kText[] = R"(ir 1
symbol H : 1.. mod 2 = 0 "dim 2 of input `x`"
input %0 "x<&>\"" : f32[1,3,H,8]
%1 = ir.Constant digest 000102030405060708090a0b0c0d0e0f : f32[3,3,3,3]
%2 = core.Conv(%0, %1) {pads_begin=[1,1], pads_end=[1,1]} at "net/stem/conv<1>"
%3 = core.Relu(%2) at "net/stem/relu"
%4 = core.Relu(%0) at "net/side"
%5 = core.Concat(%3, %4, %0) {axis=1} at "net/join"
output "y" = %5
)";

GraphView Small(const std::string& text = kText) {
  ir::Registry::Global().Add(ops::CoreOps());
  absl::StatusOr<std::unique_ptr<ir::Graph>> graph = ir::Parse(text, [](const ir::Digest&) {
    return ir::Tensor::Of<float>(ir::DType::kF32, {3, 3, 3, 3}, std::vector<float>(81, 0.125f));
  });
  EXPECT_TRUE(graph.ok()) << graph.status();
  return graph.ok() ? View(**graph) : GraphView();
}

void ExpectGolden(const std::string& name, const std::string& text) {
  const std::string path = "tools/views/goldens/" + name;
  if (update) {
    std::ofstream(absl::StrCat(std::getenv("BUILD_WORKSPACE_DIRECTORY"), "/", path)) << text;
    return;
  }
  std::ifstream in(path);
  std::stringstream golden;
  golden << in.rdbuf();
  EXPECT_EQ(text, golden.str())
      << "this updates it: bazel run //tools/views:pictures_test -- --update";
}

TEST(View, SaysWhatTheGraphIs) {
  const GraphView view = Small();
  EXPECT_EQ(view.operations, 5u);
  EXPECT_EQ(view.counts,
            (std::map<std::string, int>{{"core.Concat", 1}, {"core.Conv", 1}, {"core.Relu", 2}}));
  ASSERT_EQ(view.nodes.size(), 6u);
  EXPECT_EQ(view.nodes[1].constants, std::vector<std::string>{"w f32[3,3,3,3]"});
  EXPECT_EQ(view.nodes[1].results, std::vector<std::string>{"f32[1,3,H,8]"});
  EXPECT_EQ(view.edges.size(), 7u);
  EXPECT_EQ(view.symbols, std::vector<std::string>{"H : 2.., mod 2 = 0 (dim 2 of input `x`)"});
}

TEST(View, CompareFindsWhatChanged) {
  const GraphView before = Small();
  std::string text = kText;
  text.replace(text.find("axis=1"), 6, "axis=2");
  GraphView same = Small(), other = Small(text);
  EXPECT_TRUE(Compare(before, same).empty());
  for (const NodeView& node : same.nodes) EXPECT_EQ(node.change, NodeView::kSame);
  EXPECT_TRUE(Compare(before, other).empty());
  EXPECT_EQ(other.nodes[4].title, "Concat");
  EXPECT_EQ(other.nodes[4].change, NodeView::kChanged);
  EXPECT_EQ(other.nodes[3].change, NodeView::kSame);
  GraphView fewer = before;
  fewer.nodes.erase(fewer.nodes.begin() + 1, fewer.nodes.begin() + 5);
  fewer.edges.clear();
  const std::vector<RemovedNode> removed = Compare(before, fewer);
  ASSERT_EQ(removed.size(), 4u);
  EXPECT_EQ(removed[0].title, "Conv");
  EXPECT_EQ(removed[0].scope, "net/stem/conv<1>");
  GraphView more = before;
  EXPECT_TRUE(Compare(fewer, more).empty());
  EXPECT_EQ(more.nodes[1].change, NodeView::kAdded);
}

TEST(Pictures, Goldens) {
  GraphView view = Small();
  view.nodes[2].change = NodeView::kAdded;
  view.nodes[4].change = NodeView::kChanged;
  ExpectGolden("small.dot", ToDot(view, "small"));
  ExpectGolden("small.svg", ToSvg(view));
}

TEST(Pictures, AreWellFormedAndHoldNoWeights) {
  const GraphView view = Small();
  for (const std::string& svg : {ToSvg(view), ToInlineSvg(view, "p"), ToSvg(GraphView())}) {
    EXPECT_EQ(XmlProblem(svg), "");
    EXPECT_EQ(svg.find("0.125"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera::views

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  tessera::views::update = argc > 1 && std::string(argv[1]) == "--update";
  return RUN_ALL_TESTS();
}
