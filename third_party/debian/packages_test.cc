// Each package compiles, links and runs, on its own and in one program with the others.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "Eigen/Core"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "flatbuffers/flatbuffers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nettle/sha2.h"
#include "nlohmann/json.hpp"
#include "onnx/onnx_pb.h"
#include "yaml-cpp/yaml.h"
#include "z3++.h"

namespace {

TEST(Packages, AbslContainersAndStatus) {
  absl::flat_hash_map<std::string, int> counts;
  for (int i = 0; i < 1000; ++i) ++counts[absl::StrCat("key", i % 10)];
  EXPECT_EQ(counts.size(), 10u);

  absl::Status status = absl::NotFoundError(absl::StrFormat("no `%s`", "x"));
  status.SetPayload("place", absl::Cord(std::string(1000, 'p')));
  EXPECT_EQ(status.GetPayload("place")->size(), 1000u);
  absl::StatusOr<int> result = status;
  EXPECT_THAT(std::string(result.status().message()), testing::HasSubstr("`x`"));
}

TEST(Packages, OnnxKeepsAModel) {
  onnx::ModelProto model;
  model.set_ir_version(8);
  model.mutable_graph()->set_name("g");
  const std::string bytes = model.SerializeAsString();
  onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(bytes));
  EXPECT_EQ(parsed.graph().name(), "g");
  EXPECT_FALSE(parsed.ParseFromString("\xff\xff"));
}

TEST(Packages, Z3FindsAModelAndRefutes) {
  z3::context context;
  z3::solver solver(context);
  const z3::expr x = context.int_const("x");
  solver.add(x > 3 && x < 5);
  ASSERT_EQ(solver.check(), z3::sat);
  EXPECT_EQ(solver.get_model().eval(x).get_numeral_int(), 4);
  solver.add(x != 4);
  EXPECT_EQ(solver.check(), z3::unsat);
}

TEST(Packages, FlatbuffersVerifiesWhatItBuilt) {
  flatbuffers::FlatBufferBuilder builder;
  const auto text = builder.CreateString("tile");
  const flatbuffers::uoffset_t start = builder.StartTable();
  builder.AddOffset(4, text);
  builder.Finish(flatbuffers::Offset<flatbuffers::Table>(builder.EndTable(start)));
  const auto* table = flatbuffers::GetRoot<flatbuffers::Table>(builder.GetBufferPointer());
  EXPECT_EQ(table->GetPointer<const flatbuffers::String*>(4)->str(), "tile");
}

TEST(Packages, EigenMultiplies) {
  const Eigen::MatrixXf a = Eigen::MatrixXf::Constant(3, 4, 2.0f);
  EXPECT_EQ((a * a.transpose())(2, 2), 16.0f);
}

TEST(Packages, YamlAndJsonParse) {
  EXPECT_EQ(YAML::Load("passes: [fold, dce]")["passes"][1].as<std::string>(), "dce");
  EXPECT_EQ(nlohmann::json::parse(R"({"a": [1, 2]})")["a"][1], 2);
}

TEST(Packages, NettleDigests) {
  sha256_ctx state;
  sha256_init(&state);
  sha256_update(&state, 3, reinterpret_cast<const uint8_t*>("abc"));
  uint8_t digest[SHA256_DIGEST_SIZE];
  sha256_digest(&state, sizeof digest, digest);
  EXPECT_EQ(digest[0], 0xba);
  EXPECT_EQ(digest[31], 0xad);
}

TEST(Packages, ProgramsStart) {
  EXPECT_EQ(std::system("external/debian/flatc --version"), 0);
  EXPECT_EQ(std::system("external/debian/cvc5 --version > /dev/null"), 0);
}

}  // namespace
