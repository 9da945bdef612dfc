// Shape idioms of exporters, as small networks in ONNX's text form under testdata/idioms: each
// imports with every dim known over the sizes of its inputs and nothing left unproved, and gives
// the same through Circle as on the reference, at several sizes.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "frontends/onnx/import.h"
#include "ir/registry.h"
#include "onnx/defs/parser.h"
#include "targets/circle/compile.h"
#include "targets/reference/executor.h"
#include "tools/verification/comparison.h"
#include "tools/verification/sizes.h"
#include "tools/verification/target.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
}  // namespace tessera::ops

namespace tessera::testing {
namespace {

constexpr char kFolder[] = "testdata/idioms";

// A model, and what the comments in front of it say: `// dims: FACT...`, `// result: DIM,...` of
// the first output.
struct Idiom {
  std::string name, text, result;
  std::vector<std::string> dims;
};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() == ".txt") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

Idiom Read(const std::string& name) {
  Idiom idiom{name, "", "", {}};
  std::ifstream file(absl::StrCat(kFolder, "/", name, ".txt"));
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("// dims: ", 0) == 0) {
      idiom.dims = absl::StrSplit(line.substr(9), ' ');
    } else if (line.rfind("// result: ", 0) == 0) {
      idiom.result = line.substr(11);
    } else if (line.rfind("//", 0) != 0) {
      absl::StrAppend(&idiom.text, line, "\n");
    }
  }
  return idiom;
}

absl::StatusOr<onnx_import::ImportResult> Import(const Idiom& idiom) {
  onnx::ModelProto model;
  onnx::OnnxParser parser(idiom.text.c_str());
  if (const auto status = parser.Parse(model); !status.IsOK())
    return absl::InvalidArgumentError(status.ErrorMessage());
  onnx_import::ImportOptions options;
  for (const std::string& text : idiom.dims) {
    auto dim = onnx_import::ParseDimOption(text);
    if (!dim.ok()) return dim.status();
    options.dims.push_back(*std::move(dim));
  }
  auto bytes = std::make_shared<std::string>(model.SerializeAsString());
  return onnx_import::ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()},
                                  bytes, idiom.name, options);
}

class IdiomTest : public ::testing::TestWithParam<std::string> {
 protected:
  static void SetUpTestSuite() {
    static const bool once = [] {
      ir::Registry::Global().Add(ops::CoreOps());
      circle::RegisterOperators();
      return true;
    }();
    ASSERT_TRUE(once);
  }
};

TEST_P(IdiomTest, EveryDimIsKnownAndNothingIsLeftToProve) {
  const Idiom idiom = Read(GetParam());
  const auto import = Import(idiom);
  ASSERT_TRUE(import.ok()) << import.status();
  const ir::Graph& graph = *import->graph;
  for (const ir::Obligation& open : graph.obligations())
    ADD_FAILURE() << open.location.ToString() << ": " << open.predicate.ToString();
  const std::string dims = absl::StrJoin(
      graph.outputs()[0]->type().dims, ",",
      [](std::string* out, const ir::Expr& dim) { absl::StrAppend(out, dim.ToString()); });
  EXPECT_EQ(dims, idiom.result);
}

TEST_P(IdiomTest, CircleAgreesWithTheReference) {
  const Idiom idiom = Read(GetParam());
  const auto import = Import(idiom);
  ASSERT_TRUE(import.ok()) << import.status();
  const auto executor = reference::Executor::Create(*import->graph);
  ASSERT_TRUE(executor.ok()) << executor.status();
  const auto again = Import(idiom);
  ASSERT_TRUE(again.ok()) << again.status();
  const verification::Target& target = *verification::FindTarget("circle");
  const auto artifact = target.Compile(*again->graph);
  ASSERT_TRUE(artifact.ok()) << artifact.status();

  const auto sizes = verification::ChooseSizes(*import->graph, 5, 1);
  ASSERT_GE(sizes.size(), 3u);
  for (const solver::Assignment& at : sizes) {
    const auto inputs = verification::RandomInputs(*import->graph, at, 2);
    ASSERT_TRUE(inputs.ok()) << inputs.status();
    const auto expected = executor->Run(*inputs);
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto actual = target.Execute(*artifact, *inputs);
    ASSERT_TRUE(actual.ok()) << actual.status();
    ASSERT_EQ(actual->size(), expected->size());
    for (size_t i = 0; i < expected->size(); ++i) {
      const auto comparison =
          verification::Compare((*expected)[i], (*actual)[i], target.tolerance());
      EXPECT_TRUE(comparison.holds) << comparison.complaint;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, IdiomTest, ::testing::ValuesIn(Names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace tessera::testing
