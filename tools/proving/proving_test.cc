// What a network owes, from its file to a certificate.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontends/onnx/import.h"
#include "frontends/onnx/model_for_test.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/check.h"
#include "solver/prove.h"
#include "tools/cli/op_sets.h"
#include "tools/proving/certify.h"
#include "tools/proving/discharge.h"
#include "tools/proving/record.h"
#include "tools/proving/table.h"

namespace tessera::proving {
namespace {

using onnx_import::Assume;
using onnx_import::ImportBytes;
using onnx_import::ImportResult;
using onnx_import::ModelForTest;

class Proving : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cli::LinkOps(); }

  // Of the last import.
  static Record& Imported() {
    static Record record;
    return record;
  }

  static absl::StatusOr<ImportResult> Import(const ModelForTest& model,
                                             const std::vector<std::string>& dims = {},
                                             Assume assume = Assume::kNothing) {
    onnx_import::ImportOptions options;
    options.assume = assume;
    options.dims = onnx_import::ParseDimOptions(dims).value();
    options.imported = [](const ir::Graph& graph) { Imported() = RecordOf(graph); };
    auto bytes = std::make_shared<std::string>(model.proto.SerializeAsString());
    return ImportBytes({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()}, bytes,
                       "net.onnx", options);
  }

  // x joined with its own half, doubled: right for even H and W.
  static ModelForTest Halved() {
    ModelForTest model(13);
    model.Input("x", {1, 2, "H", "W"}).Output("y");
    onnx::NodeProto& pool = model.Node("MaxPool", {"x"}, {"half"}, "/pool");
    for (const char* name : {"kernel_shape", "strides"}) {
      onnx::AttributeProto& sizes = *pool.add_attribute();
      sizes.set_name(name);
      sizes.set_type(onnx::AttributeProto::INTS);
      sizes.add_ints(2);
      sizes.add_ints(2);
    }
    model.Floats("scales", {4}, {1, 1, 2, 2});
    model.Node("Resize", {"half", "", "scales"}, {"up"}, "/up");
    ModelForTest::Int(model.Node("Concat", {"x", "up"}, {"y"}, "/join"), "axis", 1);
    return model;
  }

  // A tensor of (H*H - 2*W*W)^2 - 1 elements. Never negative, since the root of 2 is irrational.
  static ModelForTest Irrational() {
    ModelForTest model(13);
    model.Input("x", {"H", "W"}).Output("y");
    model.Ints("zero", {0}).Ints("one", {1}).Ints("two", {2});
    model.Node("Shape", {"x"}, {"shape"});
    model.Node("Gather", {"shape", "zero"}, {"h"});
    model.Node("Gather", {"shape", "one"}, {"w"});
    model.Node("Mul", {"h", "h"}, {"hh"});
    model.Node("Mul", {"w", "w"}, {"ww"});
    model.Node("Mul", {"ww", "two"}, {"ww2"});
    model.Node("Sub", {"hh", "ww2"}, {"s"});
    model.Node("Mul", {"s", "s"}, {"ss"});
    model.Node("Sub", {"ss", "one"}, {"count"});
    model.Node("ConstantOfShape", {"count"}, {"zeros"}, "/zeros");
    ModelForTest::Int(model.Node("ReduceSum", {"zeros"}, {"sum"}), "keepdims", 0);
    model.Node("Add", {"x", "sum"}, {"y"});
    return model;
  }
};

TEST_F(Proving, RefusesWithTheSizeAndTheRemedy) {
  const absl::StatusOr<ImportResult> import = Import(Halved());
  ASSERT_FALSE(import.ok());
  const std::string text(import.status().message());
  EXPECT_NE(text.find("net.onnx"), std::string::npos) << text;
  EXPECT_NE(text.find("H=1"), std::string::npos) << text;
  EXPECT_NE(text.find("`--dim H=2..`"), std::string::npos) << text;
  EXPECT_NE(text.find("\nnet.onnx: all of its shapes are right with `--dim H%2=0 --dim W%2=0`"),
            std::string::npos)
      << text;
  // The remedies are taken one by one.
  const absl::StatusOr<ImportResult> next = Import(Halved(), {"H%2=0", "W=2.."});
  ASSERT_FALSE(next.ok());
  EXPECT_NE(next.status().message().find("`--dim W%2=0`"), std::string::npos) << next.status();
}

// y = N > 2 ? relu(x) : the mean of x, which has no axes
ModelForTest Choice() {
  ModelForTest model(13);
  model.Input("x", {"N", 3}).Output("y").Ints("zero", {0}, true).Ints("two", {2}, true);
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Gather", {"shape", "zero"}, {"n"});
  model.Node("Greater", {"n", "two"}, {"c"});
  onnx::NodeProto& choice = model.Node("If", {"c"}, {"y"}, "/choice");
  for (const char* branch : {"then_branch", "else_branch"}) {
    onnx::GraphProto& graph = ModelForTest::Graph(choice, branch);
    const bool yes = std::string(branch) == "then_branch";
    onnx::NodeProto& node =
        ModelForTest::AddNode(*graph.mutable_node(), yes ? "Relu" : "ReduceMean", {"x"}, {"r"});
    if (!yes) ModelForTest::Int(node, "keepdims", 0);
    graph.add_output()->set_name("r");
  }
  return model;
}

TEST_F(Proving, AConditionOnASize) {
  const absl::StatusOr<ImportResult> import = Import(Choice());
  ASSERT_FALSE(import.ok());
  EXPECT_NE(import.status().message().find("it is true where `N >= 3`; true with `--dim N=3..`; "
                                           "false with `--dim N=1..2`"),
            std::string::npos)
      << import.status();
  EXPECT_TRUE(Import(Choice(), {"N=3.."}).ok());
  EXPECT_TRUE(Import(Choice(), {"N=1..2"}).ok());
}

// What is not followed is named, not the sizes that it was computed from.
TEST_F(Proving, SizesThroughRoots) {
  ModelForTest model(13);
  model.Input("x", {"L", 4}).Output("y").Ints("first", {0}).Ints("rest", {-1});
  model.Node("Shape", {"x"}, {"shape"});
  model.Node("Gather", {"shape", "first"}, {"length"});
  ModelForTest::Int(model.Node("Cast", {"length"}, {"real"}), "to", onnx::TensorProto::FLOAT);
  model.Node("Sqrt", {"real"}, {"root"}, "/root");
  ModelForTest::Int(model.Node("Cast", {"root"}, {"side"}), "to", onnx::TensorProto::INT64);
  ModelForTest::Int(model.Node("Concat", {"side", "rest"}, {"sides"}), "axis", 0);
  model.Node("Reshape", {"x", "sides"}, {"y"});
  const absl::StatusOr<ImportResult> import = Import(model);
  ASSERT_FALSE(import.ok());
  EXPECT_NE(
      import.status().message().find(
          "they follow from the sizes of the input by way of `Sqrt` at `/root`, whose results "
          "are no expression of them, or one that is too long; `--dim` can fix the sizes"),
      std::string::npos)
      << import.status();
  EXPECT_TRUE(Import(model, {"L=16"}).ok());
}

// Each maximum doubles what the next is written with.
TEST_F(Proving, SizesThatAreTooLong) {
  ModelForTest model(13);
  model.Input("x", {"S"}).Output("y").Ints("two", {2}).Ints("three", {3});
  model.Node("Shape", {"x"}, {"s0"});
  for (int i = 0; i < 18; ++i) {
    const std::string from = absl::StrCat("s", i), half = absl::StrCat("h", i);
    const std::string more = absl::StrCat("m", i), to = absl::StrCat("s", i + 1);
    model.Node("Div", {from, "two"}, {half});
    model.Node("Mul", {half, "three"}, {more});
    model.Node("Max", {more, from}, {to}, absl::StrCat("/max", i));
  }
  model.Node("ConstantOfShape", {"s18"}, {"y"});
  const absl::StatusOr<ImportResult> import = Import(model);
  ASSERT_FALSE(import.ok());
  EXPECT_NE(import.status().message().find("by way of `Max` at `/max"), std::string::npos)
      << import.status();
  EXPECT_NE(import.status().message().find("or one that is too long"), std::string::npos)
      << import.status();
  EXPECT_TRUE(Import(model, {"S=16"}).ok());
}

// Opset 9 of PyTorch's exporter: a factor that is a quotient of sizes.
TEST_F(Proving, AFactorThatIsNoNumber) {
  ModelForTest model(9);
  model.Input("x", {1, "H"}).Input("like", {1, "K"}).Output("y").Ints("one", {1});
  model.Floats("ones", {1}, {1});
  for (const std::string name : {"x", "like"}) {
    model.Node("Shape", {name}, {name + "_shape"});
    model.Node("Gather", {name + "_shape", "one"}, {name + "_size"});
    ModelForTest::Int(model.Node("Cast", {name + "_size"}, {name + "_real"}), "to",
                      onnx::TensorProto::FLOAT);
  }
  model.Node("Div", {"like_real", "x_real"}, {"factor"});
  ModelForTest::Int(model.Node("Concat", {"ones", "factor"}, {"factors"}), "axis", 0);
  model.Node("Upsample", {"x", "factors"}, {"y"}, "/up");
  const absl::StatusOr<ImportResult> import = Import(model);
  ASSERT_FALSE(import.ok());
  EXPECT_NE(import.status().message().find(
                "they depend on the size of the input, as in `H`; `--dim` can fix it"),
            std::string::npos)
      << import.status();
  EXPECT_TRUE(Import(model, {"H=3", "K=6"}).ok());
}

TEST_F(Proving, AnOddSizeIsNamedWhereTheHalvesDiffer) {
  const absl::StatusOr<ImportResult> import = Import(Halved(), {"H=2..", "W%2=0"});
  ASSERT_FALSE(import.ok());
  const std::string text(import.status().message());
  EXPECT_NE(text.find("/join"), std::string::npos) << text;
  EXPECT_NE(text.find("H=3"), std::string::npos) << text;
}

// Least sizes for windows are assumed: what is wrong is what is wrong with them.
TEST_F(Proving, WhatIsWrongWhereWindowsFitIsNamed) {
  ModelForTest model(13);
  model.Input("x", {1, 1, "L"}).Output("y");
  onnx::AttributeProto& kernel =
      *model.Node("MaxPool", {"x"}, {"greatest"}, "/pool").add_attribute();
  kernel.set_name("kernel_shape");
  kernel.set_type(onnx::AttributeProto::INTS);
  kernel.add_ints(3);
  ModelForTest::Int(model.Node("Concat", {"x", "greatest"}, {"y"}, "/join"), "axis", 1);
  const absl::StatusOr<ImportResult> import = Import(model, {}, Assume::kWindows);
  ASSERT_FALSE(import.ok());
  const std::string text(import.status().message());
  const size_t fit = text.find("where windows fit (`--dim L=3..`)");
  ASSERT_NE(fit, std::string::npos) << text;
  EXPECT_NE(text.find("/join", fit), std::string::npos) << text;
}

TEST_F(Proving, ProvesCertifiesAndChecks) {
  const absl::StatusOr<ImportResult> import = Import(Halved(), {"H%2=0", "W%2=0"});
  ASSERT_TRUE(import.ok()) << import.status();
  solver::Prover prover;
  Ledger ledger;
  ASSERT_TRUE(ledger.Discharge(*import->graph, prover, "import", false, "net.onnx").ok());
  ledger.Finish(*import->graph, "import");
  EXPECT_GT(ledger.CountOf(false), 0u);
  EXPECT_EQ(ledger.CountOf(true), 0u);
  absl::StatusOr<certificate::Certificate> certificate =
      Certify(*import->graph, Imported(), ledger, {"--dim H%2=0", "--dim W%2=0"});
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  certificate->model = DigestOf("folder/net.onnx", {});
  EXPECT_EQ(certificate->model.file, "net.onnx");
  // The statement says how the sizes came about, not what became of them.
  bool joined = false;
  for (const certificate::Obligation& obligation : certificate->obligations) {
    joined |= obligation.node == "/join" &&
              obligation.statement.find("floordiv") != std::string::npos &&
              obligation.statement.find("== H") != std::string::npos;
  }
  EXPECT_TRUE(joined) << certificate::WriteCertificate(*certificate);
  const absl::StatusOr<certificate::Certificate> read =
      certificate::ReadCertificate(certificate::WriteCertificate(*certificate));
  ASSERT_TRUE(read.ok()) << read.status();
  const absl::StatusOr<certificate::CheckReport> report = certificate::Check(*read, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed()) << certificate::ToText(*read, *report);
  EXPECT_EQ(report->CountOf(certificate::Outcome::kProved),
            static_cast<int64_t>(read->obligations.size()));
}

TEST_F(Proving, ACertificateWithoutItsFactsFails) {
  const absl::StatusOr<ImportResult> import = Import(Halved(), {"H%2=0", "W%2=0"});
  ASSERT_TRUE(import.ok()) << import.status();
  solver::Prover prover;
  Ledger ledger;
  ASSERT_TRUE(ledger.Discharge(*import->graph, prover, "import", false, "net.onnx").ok());
  absl::StatusOr<certificate::Certificate> certificate =
      Certify(*import->graph, Imported(), ledger, {});
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  certificate->model = DigestOf("net.onnx", {});
  for (certificate::DeclaredSymbol& symbol : certificate->symbols) {
    symbol.stride = 1;
    symbol.residue = 0;
  }
  // Sealed anew, as a forger would.
  const absl::StatusOr<certificate::Certificate> forged =
      certificate::ReadCertificate(certificate::WriteCertificate(*certificate));
  ASSERT_TRUE(forged.ok()) << forged.status();
  const absl::StatusOr<certificate::CheckReport> report = certificate::Check(*forged, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_FALSE(report->passed());
}

TEST_F(Proving, WhatIsUndecidedIsAnErrorOrAGuard) {
  const absl::StatusOr<ImportResult> import = Import(Irrational());
  ASSERT_TRUE(import.ok()) << import.status();
  ASSERT_FALSE(import->graph->obligations().empty());
  solver::Prover prover;
  Ledger refused;
  const absl::Status status =
      refused.Discharge(*import->graph, prover, "import", false, "net.onnx");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("`--guards`"), std::string::npos) << status;
  EXPECT_NE(status.message().find("neither proved nor refuted"), std::string::npos) << status;

  Ledger guarded;
  ASSERT_TRUE(guarded.Discharge(*import->graph, prover, "import", true, "net.onnx").ok());
  guarded.Finish(*import->graph, "import");
  EXPECT_GT(guarded.CountOf(true), 0u);
  EXPECT_NE(LedgerTable(*import->graph, guarded, prover, false).find("guarded"), std::string::npos);
  absl::StatusOr<certificate::Certificate> certificate =
      Certify(*import->graph, Imported(), guarded, {});
  ASSERT_TRUE(certificate.ok()) << certificate.status();
  certificate->model = DigestOf("net.onnx", {});
  const auto is_guarded = [](const certificate::Obligation& obligation) {
    return obligation.verdict == certificate::Verdict::kGuarded;
  };
  EXPECT_GT(
      std::count_if(certificate->obligations.begin(), certificate->obligations.end(), is_guarded),
      0);
  const absl::StatusOr<certificate::Certificate> sealed =
      certificate::ReadCertificate(certificate::WriteCertificate(*certificate));
  ASSERT_TRUE(sealed.ok()) << sealed.status();
  const absl::StatusOr<certificate::CheckReport> report = certificate::Check(*sealed, {});
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_TRUE(report->passed()) << certificate::ToText(*sealed, *report);
  EXPECT_EQ(
      report->CountOf(certificate::Outcome::kGuarded),
      std::count_if(certificate->obligations.begin(), certificate->obligations.end(), is_guarded));
}

TEST_F(Proving, NumbersAloneNeedNoStatements) {
  const absl::StatusOr<ImportResult> import = Import(Halved(), {"H=8", "W=16"});
  ASSERT_TRUE(import.ok()) << import.status();
  solver::Prover prover;
  Ledger ledger;
  ASSERT_TRUE(ledger.Discharge(*import->graph, prover, "import", false, "net.onnx").ok());
  EXPECT_TRUE(ledger.entries().empty());
  EXPECT_NE(LedgerTable(*import->graph, ledger, prover, false).find("no dim is symbolic"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::proving
