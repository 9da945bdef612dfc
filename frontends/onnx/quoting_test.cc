#include "frontends/onnx/quoting.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tessera::onnx_import {
namespace {

TEST(Quoting, UntrustedText) {
  EXPECT_EQ(Quoted("/layer1/conv1"), "`/layer1/conv1`");
  EXPECT_EQ(Quoted("a\nb`"), "`a\\nb\\x60`");
  EXPECT_EQ(Quoted(std::string("\xff\x00", 2)), "`\\xff\\x00`");
  EXPECT_EQ(Quoted(std::string(1000, 'x')).size(), 125u);
}

TEST(Quoting, Lists) {
  EXPECT_EQ(QuotedList({}), "");
  EXPECT_EQ(QuotedList({"a", "b", "c"}, 2), "`a`, `b` and 1 more");
}

TEST(Quoting, Nearest) {
  const std::vector<std::string> ops = {"Conv",    "ConvTranspose", "Relu", "PRelu",
                                        "Softmax", "Softplus",      "Abs"};
  EXPECT_EQ(NearestNames("relu", ops), (std::vector<std::string>{"Relu", "PRelu"}));
  EXPECT_EQ(NearestNames("ConvTranpose", ops), (std::vector<std::string>{"ConvTranspose"}));
  EXPECT_TRUE(NearestNames("Einsum", ops).empty());
  EXPECT_TRUE(NearestNames("X", ops).empty());
  EXPECT_TRUE(NearestNames(std::string(100'000, 'c'), ops).empty());
  EXPECT_EQ(NearestClause("Cnv", ops), "; nearest is `Conv`");
  EXPECT_EQ(NearestClause("Gru", ops), "");
}

}  // namespace
}  // namespace tessera::onnx_import
