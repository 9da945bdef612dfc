#include "ir/text.h"

#include <cmath>
#include <limits>
#include <sstream>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gtest/gtest.h"
#include "ir/constants_file.h"
#include "ir/rewriter.h"
#include "ir/test_dialect.h"

namespace tessera::ir {
namespace {

class TextTest : public testing::Test {
 protected:
  void SetUp() override { RegisterOpsForTest(); }

  Value* Input(std::string name, std::vector<Expr> dims, DType dtype = DType::kF32) {
    return *rewriter_.AddInput(std::move(name), {dtype, std::move(dims)});
  }
  void Output(std::string name, Value* value) {
    ASSERT_TRUE(rewriter_.AddOutput(std::move(name), value).ok());
  }
  void ExpectRoundTrip(const Graph& graph, const ConstantSource& constants = nullptr) {
    const std::string text = Print(graph);
    const auto parsed = Parse(text, constants);
    ASSERT_TRUE(parsed.ok()) << parsed.status().message() << "\n" << text;
    EXPECT_EQ(Print(**parsed), text);
    EXPECT_EQ((*parsed)->Fingerprint(), graph.Fingerprint()) << text;
    const absl::Status status = Verify(**parsed);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  Graph graph_;
  Rewriter rewriter_{graph_};
};

TEST_F(TextTest, ReadsAsDocumented) {
  solver::Context& context = graph_.context();
  const Expr h = *context.Declare("H", {1, 4096}, {8, 0}, "dim 2 of input `x`");
  rewriter_.SetLocation(Location::Of("net/relu"));
  Value* x = Input("x", {1, h});
  Value* y = Make(rewriter_, "Relu", {x})->result();
  rewriter_.SetName(y, "y");
  rewriter_.SetLocation({});
  Value* w = rewriter_.CreateConstant(Tensor::Of<float>(DType::kF32, {1, 2}, {0.1f, -3}));
  Value* z = Make(rewriter_, "Concat", {y, w}, {int64_t{1}})->result();
  Output("out", z);
  EXPECT_EQ(Print(graph_),
            "ir 1\n"
            "symbol H : 8..4096 mod 8 = 0 \"dim 2 of input `x`\"\n"
            "input %0 \"x\" : f32[1,H]\n"
            "%1 \"y\" = t.Relu(%0) : f32[1,H] at \"net/relu\"\n"
            "%2 = ir.Constant [0.1,-3] : f32[1,2]\n"
            "%3 = t.Concat(%1, %2) {axis=1} : f32[1,H + 2]\n"
            "output \"out\" = %3\n"
            "obligations 0\n");
  ExpectRoundTrip(graph_);
  EXPECT_FALSE(absl::StrContains(Print(graph_, {.locations = false}), "net/relu"));
}

TEST_F(TextTest, EveryKindOfAttribute) {
  const Expr h = graph_.context().Symbol("H");
  Value* x = Input("x", {h});
  Output("a", Make(rewriter_, "Zoo", {x})->result());
  Output("b",
         Make(rewriter_, "Zoo", {x, nullptr, x},
              {std::numeric_limits<int64_t>::min(), -0.0, int64_t{0}, int64_t{1}, DType::kBF16,
               solver::Min(h, 7) - 2, std::vector<int64_t>{},
               std::vector<double>{std::numeric_limits<double>::infinity(), 1.0 / 3},
               std::vector<Expr>{h * 2 - 1, solver::FloorDiv(h, 2), solver::Mod(h, 3)}, int64_t{5}})
             ->result());
  ExpectRoundTrip(graph_);
}

TEST_F(TextTest, ConstantsKeepTheirBits) {
  const auto constant = [&](DType dtype, std::vector<double> values) {
    return rewriter_.CreateConstant(
        Tensor::Of<double>(dtype, {static_cast<int64_t>(values.size())}, values));
  };
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType dtype = static_cast<DType>(i);
    Output(absl::StrCat("c", i), constant(dtype, {0, 1, 1.0 / 3, 1e30, -0.0}));
    Output(absl::StrCat("nan", i), constant(dtype, {std::nan(""), -std::nan("")}));
    Output(absl::StrCat("empty", i), constant(dtype, {}));
    Output(absl::StrCat("max", i), rewriter_.CreateConstant(Tensor::Of<uint64_t>(
                                       dtype, {}, {std::numeric_limits<uint64_t>::max()})));
  }
  Output("denormal", constant(DType::kF64, {5e-324, -1e-310}));
  const auto odd = std::make_shared<std::vector<uint8_t>>(std::vector<uint8_t>{0, 1, 7});
  Output("bool", rewriter_.CreateConstant(*Tensor::View(DType::kBool, {3}, odd, *odd)));
  ExpectRoundTrip(graph_);
}

TEST_F(TextTest, SymbolsWithFacts) {
  solver::Context& context = graph_.context();
  const Expr a = *context.Declare("A", {2, 100}, {}, "said \"so\"");
  const Expr b = *context.Declare("B", {-5, 7}, {3, 1}, "");
  const Expr odd_name = context.Symbol("batch size/2");
  const Expr c = context.Symbol("C"), d = context.Symbol("D");
  ASSERT_TRUE(context.Assume(solver::Eq(d, c * 2), "twice").ok());
  ASSERT_TRUE(context.Assume(solver::Ge(a * odd_name, c * c), "a hypothesis").ok());
  const Expr e = context.Symbol("E"), f = context.Symbol("F");
  ASSERT_TRUE(context.Assume(solver::Eq(e, f), "same").ok());
  ASSERT_TRUE(context.Assume(solver::Eq(context.Symbol("G"), 5), "known").ok());
  Output("x", Input("x", {a, b + 5, odd_name, d, e + f, context.Symbol("G")}));
  ExpectRoundTrip(graph_);
  EXPECT_TRUE(absl::StrContains(Print(graph_), "a hypothesis"));
}

// Facts that come later change normal forms; what is printed is what will be read.
TEST_F(TextTest, FactsAfterTypes) {
  solver::Context& context = graph_.context();
  const Expr h = context.Symbol("H");
  Value* x = Input("x", {solver::FloorDiv(h, 2) * 2});
  Output("y", Make(rewriter_, "Relu", {x})->result());
  ASSERT_TRUE(context.Assume(solver::Eq(solver::Mod(h, 2), 0), "even").ok());
  const std::string text = Print(graph_);
  const auto parsed = Parse(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status().message();
  EXPECT_EQ(Print(**parsed), text);
  EXPECT_TRUE(Verify(graph_).ok());
}

// The text does not depend on what the context has seen before.
TEST_F(TextTest, OrderOfTermsDoesNotDependOnHistory) {
  solver::Context& context = graph_.context();
  const Expr h = context.Symbol("H"), w = context.Symbol("W");
  const Expr w2 = solver::FloorDiv(w, 2), h2 = solver::FloorDiv(h, 2);
  const Expr m = solver::Min(w2 * 3, h);
  Value* x = Input("x", {h2, w2 + h2 + m, h2 * w2 + m * h2, solver::Max(h2, w2)});
  Output("x", x);
  rewriter_.AddObligation(
      [&] {
        Obligation open;
        open.predicate = solver::And(solver::Eq(h2, w2 * 5), solver::Ne(m, h * w));
        return open;
      }(),
      "Add", nullptr);
  ExpectRoundTrip(graph_);
}

TEST_F(TextTest, ResultsBarriersEffects) {
  Value* x = Input("x", {8});
  Operation* halve = Make(rewriter_, "Halve", {x});
  Operation* print = Make(rewriter_, "Print", {x});
  Operation* relu = Make(rewriter_, "Relu", {x});
  ASSERT_TRUE(rewriter_.AddBarrier(halve, print).ok());
  ASSERT_TRUE(rewriter_.AddBarrier(print, relu).ok());
  ASSERT_TRUE(rewriter_.AddBarrier(halve, relu).ok());
  rewriter_.SetName(halve->result(1), "high \"half\"\n");
  Output("low", halve->result(0));
  Output("again", halve->result(0));
  Output("relu", relu->result());
  EXPECT_TRUE(absl::StrContains(
      Print(graph_),
      "%1, %2 \"high \\\"half\\\"\\x0a\", barrier %3 = t.Halve(%0) : f32[4], f32[4]\n"
      "barrier %4 = t.Print(%0) after %3\n"
      "%5 = t.Relu(%0) : f32[8] after %4, %3\n"))
      << Print(graph_);
  ExpectRoundTrip(graph_);
}

TEST_F(TextTest, ObligationsComeBackWithTheirOwners) {
  const Expr h = graph_.context().Symbol("H");
  Value* x = Input("x", {h});
  rewriter_.SetLocation(Location{{"a", "b"}});
  Operation* relu = Make(rewriter_, "Relu", {x});
  Output("y", Make(rewriter_, "Relu", {relu->result()})->result());
  const auto open = [&](const char* id, int inference) {
    Obligation obligation;
    obligation.constraint = id;
    obligation.message = "text \\ with \"quotes\"";
    obligation.predicate = solver::Ge(solver::FloorDiv(h, 2) * 3, h);
    obligation.inference = inference;
    return obligation;
  };
  rewriter_.AddObligation(open("inferred", 1), "Relu", relu);
  rewriter_.AddObligation(open("free", 0), "Relu", nullptr);
  rewriter_.AddObligation(open("lasting", 0), "Builder", relu);
  ExpectRoundTrip(graph_);
  const auto parsed = Parse(Print(graph_));
  ASSERT_TRUE(parsed.ok());
  const auto& obligations = (*parsed)->obligations();
  ASSERT_EQ(obligations.size(), 3u);
  EXPECT_EQ(obligations[0].constraint, "inferred");
  EXPECT_EQ(obligations[0].location.ToString(), "a + b");
  EXPECT_EQ(obligations[0].owner, (*parsed)->TopologicalOrder()[0]->id());
  EXPECT_EQ(obligations[1].op, "Builder");
  EXPECT_EQ(obligations[2].owner, -1);
  EXPECT_EQ(obligations[2].location.ToString(), "a + b");
}

TEST_F(TextTest, ProvedObligationsStayAway) {
  // A dim that is always 1, by Fermat's theorem for the exponent 3.
  const std::string head =
      "ir 1\nsymbol A : 1..2000 \"\"\nsymbol B : 1..2000 \"\"\nsymbol C : 1..2000 \"\"\n"
      "input %0 \"x\" : f32[min(1, max(0, (A*A*A + B*B*B - C*C*C)*(A*A*A + B*B*B - C*C*C)))]\n"
      "%1 = t.Slice(%0) {count=1}\noutput \"y\" = %1\n";
  // By hand, without a count: what inference leaves open is open.
  const auto inferred = Parse(head);
  ASSERT_TRUE(inferred.ok()) << inferred.status().message();
  EXPECT_EQ((*inferred)->obligations().size(), 1u);
  ExpectRoundTrip(**inferred);
  const auto none = Parse(head + "obligations 0\n");
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_TRUE((*none)->obligations().empty());
  ExpectRoundTrip(**none);
  const auto wrong_count = Parse("ir 1\nobligations 1\n");
  EXPECT_TRUE(absl::StrContains(wrong_count.status().message(), "0 obligations are listed"));
}

TEST_F(TextTest, LargeConstantsGoToTheSideFile) {
  std::vector<float> values(100);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.37f;
  const Tensor big = Tensor::Of<float>(DType::kF32, {10, 10}, values);
  Output("w", rewriter_.CreateConstant(big));
  Output("v", rewriter_.CreateConstant(Tensor::Of<float>(DType::kF32, {10, 10}, values)));
  Output("u", rewriter_.CreateConstant(big.CastTo(DType::kU8)));
  Output("small", rewriter_.CreateConstant(Tensor::Of<float>(DType::kF32, {2}, {1, 2})));
  const std::string text = Print(graph_);
  EXPECT_TRUE(absl::StrContains(text, absl::StrCat("digest ", DigestOf(big).ToString())));
  EXPECT_TRUE(absl::StrContains(Parse(text).status().message(), "no file of constants"));

  std::ostringstream out;
  ASSERT_TRUE(WriteConstants(graph_, {}, out).ok());
  const auto file = std::make_shared<const std::string>(out.str());
  EXPECT_LT(file->size(), 1024u) << "equal constants are stored once";
  const auto read = [](const std::shared_ptr<const std::string>& bytes) {
    return ReadConstants(bytes, {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
  };
  const auto source = read(file);
  ASSERT_TRUE(source.ok()) << source.status();
  ExpectRoundTrip(graph_, *source);
  const auto parsed = Parse(text, *source);
  EXPECT_TRUE(Identical(*(*parsed)->outputs()[0]->constant(), big));
  // A view of the file, at an address that suits any type.
  const auto* data = (*parsed)->outputs()[0]->constant()->bytes().data();
  EXPECT_EQ((data - reinterpret_cast<const uint8_t*>(file->data())) % 64, 0);
  // Everything in the text: no file needed.
  EXPECT_TRUE(Parse(Print(graph_, {.inline_elements = 100})).ok());

  // No damage is read: neither of the entries, nor of the data.
  for (size_t i = 0; i < file->size(); ++i) {
    std::string damaged = *file;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x41);
    const auto bytes = std::make_shared<const std::string>(damaged);
    const auto bad = read(bytes);
    if (!bad.ok()) continue;
    const auto graph = Parse(text, *bad);
    if (graph.ok()) {
      EXPECT_EQ((*graph)->Fingerprint(), graph_.Fingerprint()) << i;
    }
  }
  for (size_t size = 0; size < file->size(); ++size) {
    const auto bytes = std::make_shared<const std::string>(file->substr(0, size));
    const auto bad = read(bytes);
    if (bad.ok()) {
      EXPECT_FALSE(Parse(text, *bad).ok()) << size;
    }
  }
}

std::string Refusal(const std::string& text) {
  const auto parsed = Parse(text);
  return parsed.ok() ? "parsed" : std::string(parsed.status().message());
}

TEST_F(TextTest, ErrorsPointAtTheirPlace) {
  EXPECT_EQ(Refusal("ir 1\ninput %0 \"x\" : f32[2]\n%1 = t.Relu(%7)\n"),
            "line 3: no tensor `%7` before\n"
            "%1 = t.Relu(%7)\n"
            "            ^");
  EXPECT_EQ(Refusal("ir 1\ninput %0 \"x\" : f33[2]\n"),
            "line 2: no element type `f33`\n"
            "input %0 \"x\" : f33[2]\n"
            "               ^");
  EXPECT_EQ(Refusal("ir 1\ninput %0 \"x\" : f32[2]\n%1 = t.Rely(%0)\n"),
            "line 3: no op `Rely` in dialect `t`\n"
            "%1 = t.Rely(%0)\n"
            "     ^");
}

TEST_F(TextTest, RefusesWhatIsMalformed) {
  const std::string head = "ir 1\ninput %0 \"x\" : f32[2]\n";
  const std::pair<std::string, const char*> cases[] = {
      {"", "expected `ir 1`"},
      {"ir 2\n", "expected `ir 1`"},
      {"ir 1\ninput %0 \"x : f32[2]\n", "a string that does not end on its line"},
      {"ir 1\ninput %0 \"x\" : f32[-2]\n", "may be negative"},
      {"ir 1\ninput %0 \"x\" : f32[H]\n", "symbol `H` is not declared"},
      {"ir 1\nsymbol H : 5..2 \"\"\n", "line 2"},
      {"ir 1\nsymbol H : 1..4 \"\"\nassume \"\" : H >= 5\n", "contradicts"},
      {"ir 1\nsymbol H : 1..4 \"\"\nsymbol H : 1..4 \"\"\n", "line 3"},
      {head + "input %0 \"y\" : f32[2]\n", "redefinition of `%0`"},
      {head + "input %1 \"x\" : f32[2]\n", "redeclaration of input `x`"},
      {head + "%0 = t.Relu(%0)\n", "redefinition of `%0`"},
      {head + "%1, %2 = t.Relu(%0)\n", "2 results are named, the operation has 1"},
      {head + "t.Relu(%0)\n", "0 results are named, the operation has 1"},
      {head + "%1 = t.Relu(%0) : f32[3]\n", "result 0 is f32[3], f32[2] is inferred"},
      {head + "%1 = t.Relu(%0) : f32[2], f32[2]\n", "2 types for 1 results"},
      {head + "%1 = t.Add(%0)\n", "operand 1 `y` is missing"},
      {head + "%1 = t.Concat(%0) {axes=1}\n", "no attribute `axes`"},
      {head + "%1 = t.Concat(%0) {axis=0, axis=0}\n", "given twice"},
      {head + "%1 = t.Concat(%0) {axis=zero}\n", "expected an integer"},
      {head + "%1 = t.Concat(%0) {axis=99999999999999999999}\n", "beyond 64 bits"},
      {head + "%1 = t.Zoo(%0) {mode=mirror}\n", "`mirror` is no value of the attribute"},
      {head + "%1 = t.Zoo(%0) {f=1.2.3}\n", "no number of its type"},
      {head + "%1 = t.Zoo(%0) {d=1 +}\n", "line 3"},
      {head + "%1 = t.Relu(%0) after %0\n", "no barrier `%0` before"},
      {head + "%1 = t.Twice(%0)\n", "a builder is expanded"},
      {head + "%1 = ir.Constant [1,2] : f32[3]\n", "2 elements, the type has 3"},
      {head + "%1 = ir.Constant [300] : u8[1]\n", "does not fit"},
      {head + "%1 = ir.Constant [1]\n", "expected the static type"},
      {head + "%1 = ir.Constant [x] : f32[1]\n", "no number of its type"},
      {head + "%1 = ir.Constant bytes 0g : u8[1]\n", "expected hexadecimal"},
      {head + "%1 = ir.Constant bytes 00 : u8[2]\n", "takes 2 bytes, there are 1"},
      {head + "%1 = ir.Constant [] : f32[1099511627777]\n", "2^40"},
      {head + "output \"y\" = %1\n", "no tensor `%1` before"},
      {head + "output \"y\" = %0\noutput \"y\" = %0\n", "redeclaration of output `y`"},
      {head + "requires \"a\" \"b\" \"c\" : 1\n", "an obligation of no operation"},
  };
  for (const auto& [text, reason] : cases) {
    EXPECT_TRUE(absl::StrContains(Refusal(text), reason)) << text << "\n" << Refusal(text);
  }
}

// Mutations of a text that has everything: parsed or refused, never a crash; what is parsed prints
// as what it is.
TEST_F(TextTest, SurvivesMutations) {
  const std::string text =
      "ir 1 // comment\n"
      "symbol H : 1..64 mod 2 = 0 \"origin\"\nsymbol `W : 1.. \"\"\n"
      "assume \"o\" : H*H >= 5\n"
      "input %0 \"x\" : f32[H,2]\n"
      "%1 \"n\", %2, barrier %3 = t.Halve(%0) : f32[floordiv(H, 2),2], f32[floordiv(H, 2),2] at "
      "\"a\" + \"b\"\n"
      "  requires \"Halve\" \"even.x\" \"odd\" : H >= 3\n"
      "%4 = ir.Constant [1,-2.5] : f32[2]\n"
      "%5 = t.Zoo(%1, _, %4) {i=1, f=0.5, b=true, mode=edge, to=f16, d=H + 1, is=[1,2], fs=[], "
      "ds=[H]} after %3\n"
      "%6 = ir.SymbolicConstant() {dtype=i64, shape=[2], elements=[H,2]} : i64[2]\n"
      "%7 = t.Reshape(%0, %6) : f32[H,2]\n"
      "obligation \"X\" \"c\" \"m\" at \"s\" : min(H, 3) == 3\n"
      "output \"y\" = %7\nobligations 2\n";
  const std::string whole = absl::StrReplaceAll(text, {{"symbol `W : 1.. \"\"\n", ""}});
  ASSERT_TRUE(Parse(whole).ok()) << Parse(whole).status();
  EXPECT_FALSE(Parse(text).ok());
  const std::string_view pieces[] = {"%0", "\"", "[", "]",  "{",  "}",  "(", ")",
                                     ",",  ":",  "-", "9",  "H",  "=",  "`", "\\",
                                     "\n", " ",  "/", "//", "t.", "at", "0"};
  uint64_t state = 7;
  const auto random = [&](size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % n;
  };
  int parsed_count = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string mutant = whole;
    for (size_t edits = 1 + random(3); edits > 0; --edits) {
      const size_t at = random(mutant.size());
      const auto& piece = pieces[random(std::size(pieces))];
      switch (random(3)) {
        case 0:
          mutant.insert(at, piece);
          break;
        case 1:
          mutant.erase(at, 1 + random(12));
          break;
        default:
          mutant.replace(at, 1, piece);
      }
    }
    const auto parsed = Parse(mutant);
    if (!parsed.ok()) continue;
    ++parsed_count;
    const std::string printed = Print(**parsed);
    const auto again = Parse(printed);
    ASSERT_TRUE(again.ok()) << again.status().message() << "\n" << printed << "\nfrom\n" << mutant;
    EXPECT_EQ(Print(**again), printed) << mutant;
  }
  EXPECT_GT(parsed_count, 50) << "mutations that survive are the ones that test most";
}

}  // namespace
}  // namespace tessera::ir
