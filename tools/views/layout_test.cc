#include "tools/views/layout.h"

#include <random>

#include "gtest/gtest.h"

namespace tessera::views {
namespace {

using Edges = std::vector<std::pair<size_t, size_t>>;

// No two boxes touch, every edge goes down from box to box, and all is inside the picture.
void ExpectSound(const std::vector<Size>& nodes, const Edges& edges, const Layout& layout) {
  ASSERT_EQ(layout.corners.size(), nodes.size());
  ASSERT_EQ(layout.routes.size(), edges.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Point a = layout.corners[i];
    EXPECT_GE(a.x, 0);
    EXPECT_GE(a.y, 0);
    EXPECT_LE(a.x + nodes[i].width, layout.width);
    EXPECT_LE(a.y + nodes[i].height, layout.height);
    for (size_t j = 0; j < i; ++j) {
      const Point b = layout.corners[j];
      EXPECT_TRUE(a.x + nodes[i].width <= b.x || b.x + nodes[j].width <= a.x ||
                  a.y + nodes[i].height <= b.y || b.y + nodes[j].height <= a.y)
          << i << " covers " << j;
    }
  }
  for (size_t e = 0; e < edges.size(); ++e) {
    const std::vector<Point>& route = layout.routes[e];
    const auto [from, to] = edges[e];
    ASSERT_GE(route.size(), 2u);
    EXPECT_NEAR(route.front().y, layout.corners[from].y + nodes[from].height, 1e-6);
    EXPECT_NEAR(route.back().y, layout.corners[to].y, 1e-6);
    for (size_t i = 1; i < route.size(); ++i) EXPECT_LE(route[i - 1].y, route[i].y);
    const double in = route.back().x - layout.corners[to].x;
    EXPECT_TRUE(in >= 0 && in <= nodes[to].width);
  }
}

TEST(Layout, AChainIsAStraightLine) {
  const std::vector<Size> nodes = {{80, 20}, {40, 30}, {120, 20}};
  const Edges edges = {{0, 1}, {1, 2}};
  const Layout layout = LayOut(nodes, edges);
  ExpectSound(nodes, edges, layout);
  for (const std::vector<Point>& route : layout.routes)
    EXPECT_NEAR(route.front().x, route.back().x, 0.5);
}

TEST(Layout, ASkipConnectionPassesBesideWhatItSkips) {
  const std::vector<Size> nodes(4, {60, 20});
  const Edges edges = {{0, 1}, {1, 2}, {2, 3}, {0, 3}};
  const Layout layout = LayOut(nodes, edges);
  ExpectSound(nodes, edges, layout);
  for (const Point& point : layout.routes[3]) {
    for (size_t i : {1, 2}) {
      const bool beside = point.x < layout.corners[i].x || point.x > layout.corners[i].x + 60 ||
                          point.y < layout.corners[i].y || point.y > layout.corners[i].y + 20;
      EXPECT_TRUE(beside) << point.x << "," << point.y << " in box " << i;
    }
  }
}

TEST(Layout, CrossingsThatNeedNotBeAreNot) {
  // Two independent chains whose nodes alternate.
  const std::vector<Size> nodes(6, {40, 20});
  const Edges edges = {{0, 3}, {1, 2}, {2, 5}, {3, 4}};
  const Layout layout = LayOut(nodes, edges);
  ExpectSound(nodes, edges, layout);
  const bool left = layout.corners[0].x < layout.corners[1].x;
  EXPECT_EQ(left, layout.corners[3].x < layout.corners[2].x);
  EXPECT_EQ(left, layout.corners[4].x < layout.corners[5].x);
}

TEST(Layout, WhatIsReadLateIsDrawnLate) {
  // 0 -> 1 -> 2 -> 3; 4 -> 5 is read by 6 alone, which is last.
  const std::vector<Size> nodes(7, {40, 20});
  const Edges edges = {{0, 1}, {1, 2}, {2, 3}, {4, 5}, {3, 6}, {5, 6}};
  const Layout layout = LayOut(nodes, edges);
  ExpectSound(nodes, edges, layout);
  EXPECT_EQ(layout.corners[5].y, layout.corners[3].y);
  EXPECT_EQ(layout.corners[4].y, layout.corners[2].y);
}

TEST(Layout, Nothing) {
  EXPECT_GT(LayOut({}, {}).width, 0);
  ExpectSound({{10, 10}, {10, 10}}, {}, LayOut({{10, 10}, {10, 10}}, {}));
}

TEST(Layout, RandomGraphs) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const size_t count = 1 + random() % 30;
    std::vector<Size> nodes;
    Edges edges;
    for (size_t i = 0; i < count; ++i) {
      nodes.push_back({20.0 + random() % 100, 10.0 + random() % 40});
      for (unsigned k = random() % 3; i > 0 && k > 0; --k) edges.emplace_back(random() % i, i);
    }
    const Layout layout = LayOut(nodes, edges);
    ExpectSound(nodes, edges, layout);
    const Layout again = LayOut(nodes, edges);
    for (size_t i = 0; i < count; ++i) EXPECT_EQ(layout.corners[i].x, again.corners[i].x);
  }
}

// A node that everything reads would be a chain of points past every layer for each reader.
TEST(Layout, AThousandNodesThatAllReadTheFirst) {
  const std::vector<Size> nodes(1000, {60, 20});
  Edges edges;
  for (size_t i = 1; i < nodes.size(); ++i) {
    edges.emplace_back(i - 1, i);
    if (i > 1) edges.emplace_back(0, i);
    if (i > 500) edges.emplace_back(i - 400, i);
  }
  const Layout layout = LayOut(nodes, edges);
  size_t points = 0;
  for (const std::vector<Point>& route : layout.routes) points += route.size();
  EXPECT_LT(points, 150000u);
  EXPECT_GT(layout.height, 1000 * 20);
}

}  // namespace
}  // namespace tessera::views
