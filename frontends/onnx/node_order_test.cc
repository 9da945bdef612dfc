#include "frontends/onnx/node_order.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::onnx_import {
namespace {

onnx::NodeProto* AddNode(NodeProtos& nodes, std::vector<std::string> inputs,
                         std::vector<std::string> outputs) {
  onnx::NodeProto* node = nodes.Add();
  for (auto& input : inputs) node->add_input(input);
  for (auto& output : outputs) node->add_output(output);
  return node;
}

NodeOrder Order(const NodeProtos& nodes) {
  Producers producers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].output()) producers.emplace(output, i);
  }
  return OrderNodes(nodes, producers);
}

TEST(NodeOrder, KeepsAnOrderThatHolds) {
  NodeProtos nodes;
  AddNode(nodes, {"x"}, {"a"});
  AddNode(nodes, {"x", ""}, {"b"});
  AddNode(nodes, {"b", "a"}, {"c"});
  AddNode(nodes, {"a"}, {"d"});
  const NodeOrder order = Order(nodes);
  EXPECT_EQ(order.order, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_TRUE(order.cycles.empty());
}

TEST(NodeOrder, ProducersFirst) {
  NodeProtos nodes;
  AddNode(nodes, {"b"}, {"c"});
  AddNode(nodes, {"a"}, {"b"});
  AddNode(nodes, {"x"}, {"a"});
  EXPECT_EQ(Order(nodes).order, (std::vector<int>{2, 1, 0}));
}

TEST(NodeOrder, SubgraphsReadFromOutside) {
  NodeProtos nodes;
  onnx::NodeProto* outer = AddNode(nodes, {"c"}, {"y"});
  onnx::GraphProto* graph = outer->add_attribute()->mutable_g();
  onnx::NodeProto* inner = graph->add_node();
  inner->add_input("a");
  inner->add_input("own");
  inner->add_output("r");
  graph->add_initializer()->set_name("own");
  graph->add_output()->set_name("r");
  AddNode(nodes, {"x"}, {"a"});
  AddNode(nodes, {"y"}, {"own"});  // not what the subgraph means by it
  const NodeOrder order = Order(nodes);
  EXPECT_TRUE(order.cycles.empty());
  EXPECT_EQ(order.order, (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(ReadBy(*outer), (std::vector<absl::string_view>{"c", "a"}));
}

TEST(NodeOrder, NamesTheCycleOnly) {
  NodeProtos nodes;
  AddNode(nodes, {"x"}, {"before"});
  AddNode(nodes, {"before", "c"}, {"a"});
  AddNode(nodes, {"a"}, {"b"});
  AddNode(nodes, {"b"}, {"c"});
  AddNode(nodes, {"c"}, {"after"});
  const NodeOrder order = Order(nodes);
  ASSERT_EQ(order.cycles.size(), 1u);
  std::vector<int> cycle = order.cycles[0];
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(order.order.size(), 5u);
}

TEST(NodeOrder, NodeThatReadsItself) {
  NodeProtos nodes;
  AddNode(nodes, {"a"}, {"a"});
  EXPECT_EQ(Order(nodes).cycles, (std::vector<std::vector<int>>{{0}}));
}

TEST(NodeOrder, LongBackwardChain) {
  NodeProtos nodes;
  constexpr int kLength = 100'000;
  for (int i = 0; i < kLength; ++i) AddNode(nodes, {std::to_string(i + 1)}, {std::to_string(i)});
  const NodeOrder order = Order(nodes);
  EXPECT_EQ(order.order.front(), kLength - 1);
  EXPECT_EQ(order.order.back(), 0);
}

TEST(NodeOrder, ManyCyclesEndSoon) {
  NodeProtos nodes;
  constexpr int kLength = 20'000;
  for (int i = 0; i < kLength; ++i) {
    AddNode(nodes, {std::to_string((i + 1) % kLength), std::to_string((i * 7919) % kLength)},
            {std::to_string(i)});
  }
  const NodeOrder order = Order(nodes);
  EXPECT_FALSE(order.cycles.empty());
  EXPECT_EQ(order.order.size(), static_cast<size_t>(kLength));
}

}  // namespace
}  // namespace tessera::onnx_import
