#include "ir/rewriter.h"

#include <set>

#include "absl/strings/match.h"
#include "gtest/gtest.h"
#include "ir/registry.h"
#include "ir/test_dialect.h"
#include "ir/text.h"

namespace tessera::ir {
namespace {

using ::testing::Test;

class RewriterTest : public Test {
 protected:
  void SetUp() override { RegisterOpsForTest(); }

  Value* Input(std::string name, std::vector<Expr> dims, DType dtype = DType::kF32) {
    return *rewriter_.AddInput(std::move(name), {dtype, std::move(dims)});
  }
  Expr Symbol(const char* name) { return graph_.context().Symbol(name); }
  Value* Op(std::string_view name, std::vector<Value*> operands,
            std::vector<Attribute> attrs = {}) {
    return Make(rewriter_, name, std::move(operands), std::move(attrs))->result();
  }
  // Always 1, by Fermat's theorem for the exponent 3; beyond cheap layers, and not refutable.
  Expr NotDecided() {
    const Expr a = Symbol("A"), b = Symbol("B"), c = Symbol("C");
    const Expr p = a * a * a + b * b * b - c * c * c;
    return solver::Min(1, solver::Max(0, p * p));
  }
  Value* Ints(std::vector<int64_t> values) {
    return rewriter_.CreateConstant(
        Tensor::Of<int64_t>(DType::kI64, {static_cast<int64_t>(values.size())}, values));
  }
  void ExpectSound() {
    const absl::Status status = Verify(graph_);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  Graph graph_;
  Rewriter rewriter_{graph_};
};

Obligation Open(std::string constraint, Expr predicate) {
  Obligation open;
  open.constraint = std::move(constraint);
  open.predicate = predicate;
  return open;
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST_F(RewriterTest, CreateInfersTypesAndCompletesAttributes) {
  Value* x = Input("x", {Symbol("N"), 3});
  Value* y = Input("y", {Symbol("N") * 2, 3});
  Operation* concat = Make(rewriter_, "Concat", {x, y});
  EXPECT_EQ(std::get<int64_t>(concat->attr(0)), 0);
  EXPECT_EQ(concat->result()->type().ToString(), "f32[3*N,3]");
  EXPECT_EQ(x->UsesUnsorted().size(), 1u);
  EXPECT_EQ(x->UsesUnsorted()[0], (Use{concat, 0}));
  EXPECT_TRUE(graph_.obligations().empty());
  ASSERT_TRUE(rewriter_.AddOutput("out", concat->result()).ok());
  ExpectSound();
}

TEST_F(RewriterTest, ViolationsPointIntoThePrintedForm) {
  Value* x = Input("x", {2, 3});
  Value* y = Input("y", {2, 4});
  rewriter_.SetLocation(Location::Of("net/cat"));
  const auto cat = rewriter_.Create(OpForTest("Concat"), {x, y}, {});
  ASSERT_FALSE(cat.ok());
  EXPECT_EQ(Message(cat.status()),
            "`t.Concat` at `net/cat`: constraint `equal.xs`: dim 1 is 3 and 4\n"
            "  t.Concat(x: f32[2,3], y: f32[2,4]) {axis=0}\n"
            "           ^~~~~~~~~~~");
  const auto axis = rewriter_.Create(OpForTest("Concat"), {x, y}, {int64_t{5}});
  EXPECT_EQ(Message(axis.status()),
            "`t.Concat` at `net/cat`: constraint `where.axis`: axis 5\n"
            "  t.Concat(x: f32[2,3], y: f32[2,4]) {axis=5}\n"
            "                                      ^~~~~~");
  EXPECT_EQ(graph_.operation_count(), 0u);
  EXPECT_TRUE(x->UsesUnsorted().empty());
}

TEST_F(RewriterTest, RefutedConstraintsNameASize) {
  Value* x = Input("x", {Symbol("H")});
  Value* y = Input("y", {solver::FloorDiv(Symbol("H"), 2) * 2});
  const auto sum = rewriter_.Create(OpForTest("Add"), {x, y}, {});
  ASSERT_FALSE(sum.ok());
  EXPECT_TRUE(absl::StrContains(Message(sum.status()), "constraint `equal.D`: dim 0 is H and 2*"))
      << sum.status();
  EXPECT_TRUE(absl::StrContains(Message(sum.status()), "is false for H=")) << sum.status();
}

TEST_F(RewriterTest, MalformedOperandsAndAttributesAreErrors) {
  Graph other;
  Rewriter elsewhere(other);
  Value* foreign = *elsewhere.AddInput("x", {DType::kF32, {2}});
  Value* x = Input("x", {2});
  const auto message = [&](std::string_view op, std::vector<Value*> operands,
                           std::vector<Attribute> attrs) {
    return Message(rewriter_.Create(OpForTest(op), std::move(operands), std::move(attrs)).status());
  };
  const auto contains = [](const std::string& text, const char* piece) {
    return absl::StrContains(text, piece) ? testing::AssertionSuccess()
                                          : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(contains(message("Add", {x}, {}), "operand 1 `y` is missing"));
  EXPECT_TRUE(contains(message("Add", {x, nullptr}, {}), "operand 1 `y` is missing"));
  EXPECT_TRUE(contains(message("Add", {nullptr, x}, {}), "operand 0 `x` is absent"));
  EXPECT_TRUE(contains(message("Add", {x, x, x}, {}), "3 operands, the most are 2"));
  EXPECT_TRUE(contains(message("Relu", {foreign}, {}), "belongs to another graph"));
  EXPECT_TRUE(contains(message("Relu", {x}, {int64_t{1}}), "1 attributes, the most are 0"));
  EXPECT_TRUE(contains(message("Concat", {x}, {0.5}), "attribute `axis` is of another kind"));
  EXPECT_TRUE(contains(message("Slice", {x}, {}), "attribute `count` is missing"));
  EXPECT_TRUE(contains(message("Zoo", {x}, {{}, {}, {}, int64_t{3}}), "ordinal 3 is none"));
  EXPECT_TRUE(contains(message("Twice", {x}, {}), "a builder is expanded"));
}

TEST_F(RewriterTest, InputsAndOutputsHaveNames) {
  Value* x = Input("x", {2});
  EXPECT_EQ(Message(rewriter_.AddInput("x", {DType::kF32, {2}}).status()),
            "redeclaration of input `x`");
  EXPECT_FALSE(rewriter_.AddInput("", {DType::kF32, {2}}).ok());
  EXPECT_FALSE(rewriter_.AddInput("n", {DType::kF32, {-1}}).ok());
  EXPECT_FALSE(rewriter_.AddInput("n", {DType::kF32, {Symbol("H") - 5}}).ok());
  EXPECT_TRUE(rewriter_.AddOutput("x", x).ok());
  EXPECT_EQ(Message(rewriter_.AddOutput("x", x)), "redeclaration of output `x`");
  EXPECT_FALSE(rewriter_.AddOutput("y", nullptr).ok());
}

TEST_F(RewriterTest, UnknownConstraintsBecomeObligations) {
  Value* x = Input("x", {NotDecided()});
  rewriter_.SetLocation(Location::Of("net/slice"));
  Operation* slice = Make(rewriter_, "Slice", {x}, {Expr(0), int64_t{1}});
  ASSERT_TRUE(rewriter_.AddOutput("y", slice->result()).ok());
  ASSERT_EQ(graph_.obligations().size(), 1u);
  const Obligation open = graph_.obligations()[0];
  EXPECT_EQ(open.op, "Slice");
  EXPECT_EQ(open.constraint, "where.from");
  EXPECT_EQ(open.message, "from 0");
  EXPECT_EQ(open.location.ToString(), "net/slice");
  EXPECT_EQ(open.predicate, solver::Ge(NotDecided(), 1));
  EXPECT_EQ(open.owner, slice->id());
  // Inferred again, it is replaced by what is open then.
  Value* longer = Input("longer", {NotDecided() + Symbol("H") - 1});
  ASSERT_TRUE(rewriter_.SetOperand(slice, 0, longer).ok());
  ASSERT_EQ(graph_.obligations().size(), 1u);
  EXPECT_EQ(graph_.obligations()[0].predicate, solver::Ge(NotDecided() + Symbol("H") - 1, 1));
  ASSERT_TRUE(rewriter_.SetOperand(slice, 0, Input("enough", {Symbol("H")})).ok());
  EXPECT_TRUE(graph_.obligations().empty());
  ExpectSound();
}

TEST_F(RewriterTest, ReplacementsMayOweEqualDims) {
  Value* x = Input("x", {1});
  Value* y = Input("y", {NotDecided()});
  rewriter_.SetLocation(Location::Of("net/relu"));
  Value* from = Op("Relu", {x});
  Value* last = Op("Relu", {from});
  ASSERT_TRUE(rewriter_.AddOutput("last", last).ok());
  Value* to = Op("Relu", {y});
  ASSERT_TRUE(rewriter_.ReplaceAllUses(from, to).ok());
  EXPECT_EQ(last->type().dims[0], NotDecided()) << "users see the dims of the replacement";
  ASSERT_EQ(graph_.obligations().size(), 1u);
  const Obligation open = graph_.obligations()[0];
  EXPECT_EQ(open.constraint, "equal.replaced");
  EXPECT_EQ(open.predicate, solver::Eq(1, NotDecided()));
  EXPECT_EQ(open.location.ToString(), "net/relu");
  // It stays due when the replacement is itself replaced.
  ASSERT_TRUE(rewriter_.ReplaceAllUses(to, y).ok());
  EXPECT_EQ(graph_.operation_count(), 1u);
  EXPECT_EQ(graph_.obligations().size(), 1u);
  ExpectSound();
}

TEST_F(RewriterTest, ElementsOfShapeArithmetic) {
  Value* x = Input("x", {Symbol("N"), 3, Symbol("H")});
  Value* shape = Op("Shape", {x});
  ASSERT_NE(shape->elements(), nullptr);
  EXPECT_EQ(*shape->elements(), (std::vector<Expr>{Symbol("N"), 3, Symbol("H")}));
  Value* last = Op("Slice", {shape}, {Expr(2), int64_t{1}});
  EXPECT_EQ(*last->elements(), (std::vector<Expr>{Symbol("H")}));
  Value* doubled = Op("Add", {last, last});
  EXPECT_EQ(*doubled->elements(), (std::vector<Expr>{Symbol("H") * 2}));
  Value* target = Op("Concat", {Ints({3}), last, Op("Slice", {shape}, {Expr(0), int64_t{1}})});
  Value* reshaped = Op("Reshape", {x, target});
  EXPECT_EQ(reshaped->type().ToString(), "f32[3,H,N]");
  // Where the kernel needs a number that is symbolic, elements are unknown and nothing fails.
  Value* ids = Input("ids", {Symbol("N") + 1}, DType::kI64);
  EXPECT_EQ(Op("Slice", {ids}, {Expr(0), int64_t{1}})->elements(), nullptr);
  // Elements of floats are not tracked.
  Value* floats = rewriter_.CreateConstant(Tensor::Of<double>(DType::kF32, {1}, {{2.0}}));
  EXPECT_EQ(floats->elements(), nullptr);
  EXPECT_EQ(Op("Add", {floats, floats})->elements(), nullptr);
  // Nor are those of large tensors.
  EXPECT_NE(rewriter_.CreateConstant(*Tensor::Allocate(DType::kI32, {1024}))->elements(), nullptr);
  EXPECT_EQ(rewriter_.CreateConstant(*Tensor::Allocate(DType::kI32, {1025}))->elements(), nullptr);
  ExpectSound();
}

TEST_F(RewriterTest, SymbolicConstants) {
  const auto known = rewriter_.CreateSymbolicConstant(DType::kI32, {2}, {Expr(1), Expr(2)});
  ASSERT_TRUE(known.ok());
  EXPECT_NE((*known)->constant(), nullptr);
  const auto open = rewriter_.CreateSymbolicConstant(DType::kI64, {2}, {Expr(1), Symbol("H")});
  ASSERT_TRUE(open.ok());
  EXPECT_EQ((*open)->constant(), nullptr);
  EXPECT_EQ(*(*open)->elements(), (std::vector<Expr>{1, Symbol("H")}));
  EXPECT_EQ((*open)->producer()->info().role, Role::kSymbolicConstant);
  EXPECT_FALSE(rewriter_.CreateSymbolicConstant(DType::kI64, {3}, {Expr(1), Symbol("H")}).ok());
  EXPECT_FALSE(rewriter_.CreateSymbolicConstant(DType::kI64, {3}, {Expr(1)}).ok());
  EXPECT_FALSE(rewriter_.CreateSymbolicConstant(DType::kF32, {1}, {Symbol("H")}).ok());
  EXPECT_FALSE(rewriter_.CreateSymbolicConstant(DType::kI8, {1}, {Expr(200)}).ok());
  ExpectSound();
}

TEST_F(RewriterTest, OperandsPrecedeTheInsertionPoint) {
  Value* x = Input("x", {2});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {a});
  rewriter_.SetInsertionPoint(a->producer());
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.Create(OpForTest("Relu"), {b}, {}).status()),
                                "operand 0 does not precede the insertion point"));
  EXPECT_FALSE(rewriter_.Create(OpForTest("Relu"), {a}, {}).ok());
  Value* c = Op("Relu", {x});
  EXPECT_EQ(graph_.TopologicalOrder(),
            (std::vector<Operation*>{c->producer(), a->producer(), b->producer()}));
  ExpectSound();
}

TEST_F(RewriterTest, OrderSurvivesManyInsertionsAtOnePlace) {
  Value* x = Input("x", {2});
  std::vector<Operation*> expected{Make(rewriter_, "Relu", {x}), Make(rewriter_, "Relu", {x})};
  // Always before the last, always before the first, and at places all over.
  uint64_t state = 1;
  for (int i = 0; i < 6000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    size_t at = i % 3 == 0 ? expected.size() - 1 : i % 3 == 1 ? 0 : (state >> 33) % expected.size();
    rewriter_.SetInsertionPoint(expected[at]);
    expected.insert(expected.begin() + static_cast<ptrdiff_t>(at), Make(rewriter_, "Relu", {x}));
  }
  EXPECT_EQ(graph_.TopologicalOrder(), expected);
  ExpectSound();  // checks that labels increase
}

TEST_F(RewriterTest, ReplacingErasesWhatIsUnused) {
  Value* x = Input("x", {2});
  Value* a = Op("Relu", {x});
  rewriter_.SetName(a, "a");
  Value* b = Op("Relu", {a});
  rewriter_.SetName(b, "b");
  Value* c = Op("Add", {b, b});
  ASSERT_TRUE(rewriter_.AddOutput("out", b).ok());
  ASSERT_TRUE(rewriter_.AddOutput("sum", c).ok());
  std::vector<std::string> erased;
  rewriter_.OnErase([&](Operation* op) {
    erased.push_back(op->result()->name());  // still whole
    EXPECT_EQ(op->operands().size(), 1u);
  });
  const int a_id = a->id();
  rewriter_.SetInsertionPoint(b->producer());
  Value* fresh = Op("Relu", {x});
  ASSERT_TRUE(rewriter_.ReplaceAllUses(b, fresh).ok());
  EXPECT_EQ(erased, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(graph_.outputs()[0], fresh);
  EXPECT_EQ(fresh->name(), "b");
  EXPECT_EQ(c->producer()->operand(1), fresh);
  EXPECT_EQ(fresh->UsesUnsorted().size(), 2u);
  EXPECT_EQ(x->UsesUnsorted().size(), 1u);
  EXPECT_EQ(graph_.operation_count(), 2u);
  EXPECT_EQ(rewriter_.insertion_point(), c->producer());
  rewriter_.SetInsertionPoint(nullptr);
  EXPECT_GT(Op("Relu", {x})->id(), a_id);
  ExpectSound();
}

TEST_F(RewriterTest, ReplacingInfersDownstreamUntilNothingDiffers) {
  // Both are 2*floor(H/2) where H is even, in other normal forms.
  const Expr h = Symbol("H"), n = Symbol("N");
  Value* x = Input("x", {n, h});
  Value* y = Input("y", {n, h});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {a});
  Value* c = Op("Relu", {b});
  ASSERT_TRUE(rewriter_.AddOutput("c", c).ok());
  const int before = InferencesForTest();
  Value* other = Op("Relu", {y});
  EXPECT_EQ(InferencesForTest(), before + 1);
  ASSERT_TRUE(rewriter_.ReplaceAllUses(a, other).ok()) << "wrong order of creation is put right";
  // The types are equal: no user is inferred again.
  EXPECT_EQ(InferencesForTest(), before + 1);
  EXPECT_EQ(graph_.TopologicalOrder().front(), other->producer());
  ExpectSound();
}

TEST_F(RewriterTest, NewElementsReachWhatDependsOnThem) {
  const Expr h = Symbol("H");
  Value* x = Input("x", {h, 6});
  Value* ids = Input("ids", {2}, DType::kI64);
  Value* target = Op("Concat", {Op("Slice", {Op("Shape", {x})}, {Expr(0), int64_t{1}}), Ints({6})});
  Value* y = Op("Reshape", {x, target});
  Value* z = Op("Relu", {y});
  ASSERT_TRUE(rewriter_.AddOutput("z", z).ok());
  EXPECT_EQ(z->type().ToString(), "f32[H,6]");
  Value* swapped = *rewriter_.CreateSymbolicConstant(DType::kI64, {2}, {Expr(6), h});
  ASSERT_TRUE(rewriter_.ReplaceAllUses(target, swapped).ok());
  EXPECT_EQ(z->type().ToString(), "f32[6,H]");
  // Elements that inference needs cannot get lost, and after the refusal all is as before.
  const std::string text = Print(graph_);
  const absl::Status lost = rewriter_.ReplaceAllUses(swapped, ids);
  EXPECT_TRUE(absl::StrContains(Message(lost), "`elements.shape`")) << lost;
  EXPECT_EQ(Print(graph_), text);
  ExpectSound();
}

TEST_F(RewriterTest, ReplacementsOfAnotherTypeAreRefused) {
  Value* x = Input("x", {Symbol("H"), 2});
  Value* a = Op("Relu", {x});
  ASSERT_TRUE(rewriter_.AddOutput("a", a).ok());
  Value* wider = Input("wider", {Symbol("H"), 2}, DType::kF64);
  Value* flat = Input("flat", {Symbol("H")});
  Value* odd = Input("odd", {Symbol("H"), 3});
  Value* longer = Input("longer", {Symbol("H") + 1, 2});
  const std::string text = Print(graph_);
  EXPECT_TRUE(
      absl::StrContains(Message(rewriter_.ReplaceAllUses(a, wider)), "another element type"));
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.ReplaceAllUses(a, flat)), "another rank"));
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.ReplaceAllUses(a, odd)), "dim 1 is `2` and `3`"));
  EXPECT_TRUE(
      absl::StrContains(Message(rewriter_.ReplaceAllUses(a, longer)), "dim 0 is `H` and `H + 1`"));
  EXPECT_EQ(Print(graph_), text);
}

TEST_F(RewriterTest, CyclesAreRefused) {
  Value* x = Input("x", {2});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {a});
  Value* c = Op("Relu", {b});
  ASSERT_TRUE(rewriter_.AddOutput("c", c).ok());
  const std::string text = Print(graph_);
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.ReplaceAllUses(a, c)), "cycle"));
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.SetOperand(a->producer(), 0, c)), "cycle"));
  EXPECT_TRUE(absl::StrContains(Message(rewriter_.SetOperand(a->producer(), 0, a)), "cycle"));
  EXPECT_TRUE(
      absl::StrContains(Message(rewriter_.AddBarrier(c->producer(), a->producer())), "cycle"));
  EXPECT_FALSE(rewriter_.AddBarrier(c->producer(), c->producer()).ok());
  EXPECT_EQ(Print(graph_), text);
  ExpectSound();
}

TEST_F(RewriterTest, UsersMoveBehindALaterReplacement) {
  Value* x = Input("x", {2});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {a});  // moves
  Value* stays = Op("Relu", {x});
  Value* c = Op("Add", {b, stays});  // moves
  Value* late = Op("Relu", {stays});
  Value* end = Op("Relu", {c});
  ASSERT_TRUE(rewriter_.AddOutput("end", end).ok());
  ASSERT_TRUE(rewriter_.SetOperand(b->producer(), 0, late).ok());
  EXPECT_EQ(graph_.TopologicalOrder(),
            (std::vector<Operation*>{stays->producer(), late->producer(), b->producer(),
                                     c->producer(), end->producer()}));
  ExpectSound();
}

TEST_F(RewriterTest, ResultsAreReplacedTogether) {
  Value* x = Input("x", {8, 2});
  Operation* halve = Make(rewriter_, "Halve", {x});
  Value* low = Op("Relu", {halve->result(0)});
  Value* high = Op("Relu", {halve->result(1)});
  ASSERT_TRUE(rewriter_.AddOutput("low", low).ok());
  ASSERT_TRUE(rewriter_.AddOutput("high", high).ok());
  ASSERT_TRUE(rewriter_.AddOutput("raw", halve->result(1)).ok());
  rewriter_.SetInsertionPoint(halve);
  Operation* again = Make(rewriter_, "Halve", {x});
  rewriter_.SetInsertionPoint(nullptr);
  EXPECT_FALSE(rewriter_.Replace(halve, {again->result(0)}).ok());
  EXPECT_FALSE(rewriter_.Replace(halve, {again->result(0), nullptr}).ok());
  // Crossed over, which needs both at once.
  ASSERT_TRUE(rewriter_.Replace(halve, {again->result(1), again->result(0)}).ok());
  EXPECT_EQ(low->producer()->operand(0), again->result(1));
  EXPECT_EQ(high->producer()->operand(0), again->result(0));
  EXPECT_EQ(graph_.outputs()[2], again->result(0));
  EXPECT_EQ(graph_.operation_count(), 3u);
  // Its own results the other way round.
  ASSERT_TRUE(rewriter_.Replace(again, {again->result(1), again->result(0)}).ok());
  EXPECT_EQ(low->producer()->operand(0), again->result(0));
  EXPECT_EQ(graph_.outputs()[2], again->result(1));
  ExpectSound();
}

TEST_F(RewriterTest, OptionalOperandsComeAndGo) {
  Value* x = Input("x", {2});
  Value* a = Op("Relu", {x});
  Operation* zoo = Make(rewriter_, "Zoo", {x, nullptr, nullptr});
  EXPECT_EQ(zoo->operands().size(), 1u);
  ASSERT_TRUE(rewriter_.AddOutput("zoo", zoo->result()).ok());
  ASSERT_TRUE(rewriter_.SetOperand(zoo, 2, a).ok());
  EXPECT_EQ(zoo->operands().size(), 3u);
  EXPECT_EQ(zoo->operand(1), nullptr);
  ExpectSound();
  EXPECT_FALSE(rewriter_.SetOperand(zoo, 0, nullptr).ok());
  EXPECT_FALSE(rewriter_.SetOperand(zoo, 3, a).ok());
  ASSERT_TRUE(rewriter_.SetOperand(zoo, 2, nullptr).ok());
  EXPECT_EQ(zoo->operands().size(), 1u);
  EXPECT_EQ(graph_.operation_count(), 1u) << "what the operand was is unused and gone";
  ExpectSound();
}

TEST_F(RewriterTest, EffectsAndBarriersKeepOperations) {
  Value* x = Input("x", {2});
  Value* shown = Op("Relu", {x});
  Operation* print = Make(rewriter_, "Print", {shown});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {x});
  ASSERT_TRUE(rewriter_.AddOutput("a", a).ok());
  ASSERT_TRUE(rewriter_.AddBarrier(b->producer(), a->producer()).ok());
  ASSERT_TRUE(rewriter_.AddBarrier(b->producer(), a->producer()).ok()) << "twice is once";
  EXPECT_EQ(a->producer()->barriers().size(), 1u);
  EXPECT_EQ(graph_.TopologicalOrder().back(), a->producer()) << "moved behind what it waits for";
  ExpectSound();
  EXPECT_EQ(rewriter_.EraseUnused(), 0u);
  rewriter_.EraseIfUnused(print);
  EXPECT_EQ(graph_.operation_count(), 4u);
  ASSERT_TRUE(rewriter_.SetOutput(0, x).ok());
  // With `a`, what only ordered it goes.
  EXPECT_EQ(graph_.operation_count(), 2u);
  ExpectSound();
}

TEST_F(RewriterTest, EraseUnusedSweepsChains) {
  Value* x = Input("x", {2});
  Value* chain = x;
  for (int i = 0; i < 50000; ++i) chain = Op("Relu", {chain});
  EXPECT_EQ(rewriter_.EraseUnused(), 50000u);
  for (int i = 0; i < 50000; ++i) chain = Op("Relu", {i == 0 ? x : chain});
  rewriter_.EraseIfUnused(chain->producer());  // cascades without recursion
  EXPECT_EQ(graph_.operation_count(), 0u);
  EXPECT_TRUE(x->UsesUnsorted().empty());
  ExpectSound();
}

TEST_F(RewriterTest, AChangeCostsWhatItChanges) {
  Value* x = Input("x", {Symbol("H")});
  Value* shared = Op("Relu", {x});
  Value* sum = shared;
  for (int i = 0; i < 20000; ++i) sum = Op("Add", {sum, shared});
  ASSERT_TRUE(rewriter_.AddOutput("sum", sum).ok());
  const int before = InferencesForTest();
  // One operand of each user at a time: quadratic if a use were searched for.
  std::vector<Operation*> order = graph_.TopologicalOrder();
  for (size_t i = 1; i < order.size(); ++i) {
    ASSERT_TRUE(rewriter_.SetOperand(order[i], 1, x).ok());
  }
  EXPECT_EQ(InferencesForTest(), before);
  EXPECT_EQ(shared->UsesUnsorted().size(), 1u);
  ExpectSound();
}

TEST_F(RewriterTest, ObligationsGoWithTheirOperations) {
  Value* x = Input("x", {Symbol("H")});
  Value* a = Op("Relu", {x});
  Value* b = Op("Relu", {a});
  ASSERT_TRUE(rewriter_.AddOutput("b", b).ok());
  const auto oblige = [&](const char* id, const Operation* owner) {
    rewriter_.AddObligation(Open(id, solver::Eq(Symbol("H"), 4)), "Relu", owner);
  };
  oblige("of a", a->producer());
  oblige("of b", b->producer());
  oblige("of none", nullptr);
  oblige("proved", b->producer());
  rewriter_.FilterObligations([](const Obligation& o) { return o.constraint != "proved"; });
  const auto ids = [&] {
    std::vector<std::string> result;
    for (const Obligation& o : graph_.obligations()) result.push_back(o.constraint);
    return result;
  };
  EXPECT_EQ(ids(), (std::vector<std::string>{"of a", "of b", "of none"}));
  ASSERT_TRUE(rewriter_.ReplaceAllUses(b, x).ok());
  EXPECT_EQ(ids(), (std::vector<std::string>{"of none"}));
}

TEST_F(RewriterTest, CallbacksSeeEveryCreation) {
  std::vector<std::string> created;
  rewriter_.OnCreate([&](Operation* op) { created.emplace_back(op->info().name); });
  Value* x = Input("x", {2});
  Op("Relu", {x});
  Ints({1});
  EXPECT_EQ(created, (std::vector<std::string>{"Relu", "Constant"}));
}

TEST_F(RewriterTest, FingerprintsTellGraphsApart) {
  const auto build = [](const char* op, int64_t size, float weight, const char* scope,
                        const char* name) {
    Graph graph;
    Rewriter rewriter(graph);
    rewriter.SetLocation(Location::Of(scope));
    Value* x = *rewriter.AddInput("x", {DType::kF32, {size, graph.context().Symbol("H")}});
    Value* y = Make(rewriter, op, {x, x})->result();
    Value* w = rewriter.CreateConstant(Tensor::Of<float>(DType::kF32, {1}, {weight}));
    rewriter.SetName(y, name);
    EXPECT_TRUE(rewriter.AddOutput("y", y).ok());
    EXPECT_TRUE(rewriter.AddOutput("w", w).ok());
    return graph.Fingerprint();
  };
  const uint64_t one = build("Add", 2, 1, "a", "n");
  EXPECT_EQ(one, build("Add", 2, 1, "b", "m")) << "names and locations do not count";
  const std::set<uint64_t> all{one, build("Concat", 2, 1, "a", "n"), build("Add", 3, 1, "a", "n"),
                               build("Add", 2, 2, "a", "n")};
  EXPECT_EQ(all.size(), 4u);
}

}  // namespace
}  // namespace tessera::ir
