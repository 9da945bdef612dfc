#include "ir/test_dialect.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/checker.h"
#include "ir/registry.h"
#include "ir/term_builder.h"

namespace tessera::ir {
namespace {

int inferences = 0;

bool Equal(int64_t a, int64_t b) { return a == b; }
Expr Equal(const Expr& a, const Expr& b) { return solver::Eq(a, b); }
bool AtLeast(int64_t a, int64_t b) { return a >= b; }
Expr AtLeast(const Expr& a, const Expr& b) { return solver::Ge(a, b); }
std::string Text(int64_t v) { return absl::StrCat(v); }
std::string Text(const Expr& v) { return v.ToString(); }

template <class E>
std::vector<E> Dims(const OperandInfo<E>& x) {
  return {x.dims.begin(), x.dims.end()};
}

template <class E>
void Like(const OperandInfo<E>& x, std::vector<ResultInfo<E>>& results) {
  results.push_back({x.dtype, Dims(x)});
}

template <class E>
void SameDims(const OperandInfo<E>& x, const OperandInfo<E>& y, Checker<E>& checker) {
  if (!checker.Require("rank.y", x.dims.size() == y.dims.size(), [] { return "other rank"; })) {
    return;
  }
  for (size_t i = 0; i < x.dims.size(); ++i) {
    checker.Require("equal.D", Equal(x.dims[i], y.dims[i]), [&] {
      return absl::StrCat("dim ", i, " is ", Text(x.dims[i]), " and ", Text(y.dims[i]));
    });
  }
}

template <class E>
absl::Status Relu(const InferArgs<E>& args, Checker<E>& checker,
                  std::vector<ResultInfo<E>>& results) {
  ++inferences;
  checker.Require("type.x", IsFloat(args.operands[0].dtype), [] { return "not a float"; });
  Like(args.operands[0], results);
  return checker.status();
}

template <class E>
absl::Status Add(const InferArgs<E>& args, Checker<E>& checker,
                 std::vector<ResultInfo<E>>& results) {
  ++inferences;
  checker.Require("type.y", args.operands[0].dtype == args.operands[1].dtype,
                  [] { return "other element type"; });
  SameDims(args.operands[0], args.operands[1], checker);
  Like(args.operands[0], results);
  return checker.status();
}

absl::Status AddElements(const SymbolicKernelArgs& args) {
  const auto &a = *args.inputs[0], &b = *args.inputs[1];
  for (size_t i = 0; i < a.elements.size(); ++i) {
    args.outputs[0].elements[i] = a.elements[i] + b.elements[i];
  }
  return absl::OkStatus();
}

template <class E>
absl::Status Concat(const InferArgs<E>& args, Checker<E>& checker,
                    std::vector<ResultInfo<E>>& results) {
  ++inferences;
  const int64_t axis = std::get<int64_t>(args.attrs[0]);
  if (!checker.Require("count.xs", !args.operands.empty(), [] { return "no operands"; })) {
    return checker.status();
  }
  const auto& first = args.operands[0];
  if (!checker.Require("where.axis", axis >= 0 && axis < static_cast<int64_t>(first.dims.size()),
                       [&] { return absl::StrCat("axis ", axis); })) {
    return checker.status();
  }
  std::vector<E> dims = Dims(first);
  for (size_t k = 1; k < args.operands.size(); ++k) {
    const auto& x = args.operands[k];
    if (!checker.Require("rank.xs", x.dims.size() == dims.size(), [] { return "other rank"; })) {
      return checker.status();
    }
    for (size_t i = 0; i < dims.size(); ++i) {
      if (static_cast<int64_t>(i) == axis) {
        dims[i] = dims[i] + x.dims[i];
        continue;
      }
      checker.Require("equal.xs", Equal(first.dims[i], x.dims[i]), [&] {
        return absl::StrCat("dim ", i, " is ", Text(first.dims[i]), " and ", Text(x.dims[i]));
      });
    }
  }
  results.push_back({first.dtype, dims});
  return checker.status();
}

absl::Status ConcatElements(const SymbolicKernelArgs& args) {
  auto next = args.outputs[0].elements.begin();
  for (const SymbolicTensor* x : args.inputs) {
    if (x->dims.size() != 1) return absl::FailedPreconditionError("not of rank 1");
    next = std::copy(x->elements.begin(), x->elements.end(), next);
  }
  return absl::OkStatus();
}

template <class E>
absl::Status Shape(const InferArgs<E>& args, Checker<E>& checker,
                   std::vector<ResultInfo<E>>& results) {
  ++inferences;
  results.push_back({DType::kI64, {E(static_cast<int64_t>(args.operands[0].dims.size()))}});
  return checker.status();
}

absl::Status ShapeElements(const SymbolicKernelArgs& args) {
  args.outputs[0].elements = args.inputs[0]->dims;
  args.outputs[0].has_elements = true;
  return absl::OkStatus();
}

// `count` elements from `from` on.
template <class E>
absl::Status Slice(const InferArgs<E>& args, Checker<E>& checker,
                   std::vector<ResultInfo<E>>& results) {
  ++inferences;
  const Expr& from = std::get<Expr>(args.attrs[0]);
  const int64_t count = std::get<int64_t>(args.attrs[1]);
  const auto& x = args.operands[0];
  if (!checker.Require("rank.x", x.dims.size() == 1, [] { return "not of rank 1"; }) ||
      !checker.Require("where.count", count >= 0 && count < 100, [] { return "bad count"; }) ||
      !checker.Require("where.from", from.Constant().value_or(0) >= 0, [] { return "negative"; })) {
    return checker.status();
  }
  if constexpr (std::is_same_v<E, Expr>) {
    checker.Require("where.from", AtLeast(x.dims[0], from + count),
                    [&] { return absl::StrCat("from ", from.ToString()); });
  } else {
    checker.Require("where.from", AtLeast(x.dims[0], *from.Constant() + count),
                    [&] { return absl::StrCat("from ", from.ToString()); });
  }
  results.push_back({x.dtype, {E(count)}});
  return checker.status();
}

absl::Status SliceElements(const SymbolicKernelArgs& args) {
  const auto from = std::get<Expr>(args.attrs[0]).Constant();
  if (!from) return absl::FailedPreconditionError("`from` is symbolic");
  const auto& elements = args.inputs[0]->elements;
  const int64_t end = *from + std::get<int64_t>(args.attrs[1]);
  if (end > static_cast<int64_t>(elements.size())) return absl::OutOfRangeError("too long");
  const auto begin = elements.begin() + *from;
  args.outputs[0].elements.assign(begin, begin + std::get<int64_t>(args.attrs[1]));
  args.outputs[0].has_elements = true;
  return absl::OkStatus();
}

template <class E>
absl::Status Reshape(const InferArgs<E>& args, Checker<E>& checker,
                     std::vector<ResultInfo<E>>& results) {
  ++inferences;
  if (!checker.Require("elements.shape", args.operands[1].has_elements,
                       [] { return "elements are not known"; })) {
    return checker.status();
  }
  E before(1), after(1);
  for (const E& dim : args.operands[0].dims) before = before * dim;
  for (const E& dim : args.operands[1].elements) after = after * dim;
  checker.Require("count", Equal(before, after),
                  [&] { return absl::StrCat(Text(before), " elements as ", Text(after)); });
  results.push_back({args.operands[0].dtype,
                     {args.operands[1].elements.begin(), args.operands[1].elements.end()}});
  return checker.status();
}

// Two halves along axis 0.
template <class E>
absl::Status Halve(const InferArgs<E>& args, Checker<E>& checker,
                   std::vector<ResultInfo<E>>& results) {
  ++inferences;
  if constexpr (std::is_same_v<E, Expr>) {
    std::vector<Expr> dims = Dims(args.operands[0]);
    if (!checker.Require("rank.x", !dims.empty(), [] { return "a scalar"; })) {
      return checker.status();
    }
    const Expr half = solver::FloorDiv(dims[0], 2);
    checker.Require("even.x", solver::Eq(half * 2, dims[0]), [] { return "odd"; });
    dims[0] = half;
    results.push_back({args.operands[0].dtype, dims});
    results.push_back({args.operands[0].dtype, dims});
    return checker.status();
  } else {
    return absl::UnimplementedError("symbolic only");
  }
}

template <class E>
absl::Status NoResults(const InferArgs<E>&, Checker<E>& checker, std::vector<ResultInfo<E>>&) {
  ++inferences;
  return checker.status();
}

// Attributes of every kind, an optional operand.
template <class E>
absl::Status Zoo(const InferArgs<E>& args, Checker<E>& checker,
                 std::vector<ResultInfo<E>>& results) {
  ++inferences;
  results.push_back({std::get<DType>(args.attrs[4]), Dims(args.operands[0])});
  return checker.status();
}

template <class E>
absl::Status Twice(const InferArgs<E>& args, Checker<E>& checker,
                   std::vector<ResultInfo<E>>& results) {
  ++inferences;
  if (args.operands[0].dims.empty()) {
    checker.Require("rank.x", false, [] { return "a scalar"; });
    return checker.status();
  }
  checker.Require("size.x", AtLeast(args.operands[0].dims[0], E(2)), [] { return "too small"; });
  Like(args.operands[0], results);
  return checker.status();
}
std::vector<Value*> BuildTwice(absl::Span<Value* const> operands, absl::Span<const Attribute>,
                               TermBuilder& builder) {
  return builder.Create("t", "Add", {operands[0], operands[0]}, {});
}

using Infos = absl::Span<const OperandInfo<Expr>>;
absl::Status Nothing(Infos, std::vector<Attribute>&) { return absl::OkStatus(); }

absl::Status Axis(Infos, std::vector<Attribute>& attrs) {
  if (std::holds_alternative<std::monostate>(attrs[0])) attrs[0] = int64_t{0};
  return absl::OkStatus();
}

absl::Status FromCount(Infos, std::vector<Attribute>& attrs) {
  if (std::holds_alternative<std::monostate>(attrs[0])) attrs[0] = Expr(0);
  if (std::holds_alternative<std::monostate>(attrs[1])) {
    return absl::InvalidArgumentError("attribute `count` is missing");
  }
  return absl::OkStatus();
}

absl::Status ZooDefaults(Infos, std::vector<Attribute>& attrs) {
  const std::vector<Attribute> defaults = {
      int64_t{-7},
      0.1,
      int64_t{1},
      int64_t{2},
      DType::kI32,
      Expr(3),
      std::vector<int64_t>{1, -2},
      std::vector<double>{1e300, -0.5},
      std::vector<Expr>{Expr(4)},
  };
  for (size_t i = 0; i < defaults.size(); ++i) {
    if (std::holds_alternative<std::monostate>(attrs[i])) attrs[i] = defaults[i];
  }
  return absl::OkStatus();
}

constexpr OperandSpec kX[] = {{"x", Arity::kRequired, false, true}};
constexpr OperandSpec kDims[] = {{"x", Arity::kRequired, false, false}};
constexpr OperandSpec kXY[] = {{"x", Arity::kRequired, false, true},
                               {"y", Arity::kRequired, false, true}};
constexpr OperandSpec kXs[] = {{"xs", Arity::kVariadic, false, true}};
constexpr OperandSpec kXShape[] = {{"x", Arity::kRequired, false, true},
                                   {"shape", Arity::kRequired, true, true}};
constexpr OperandSpec kXOptional[] = {{"x", Arity::kRequired, false, true},
                                      {"a", Arity::kOptional, false, true},
                                      {"b", Arity::kOptional, false, true}};
constexpr ResultSpec kY[] = {{"y"}};
constexpr ResultSpec kHalves[] = {{"low"}, {"high"}};
constexpr AttrSpec kAxis[] = {{"axis", AttrKind::kInt, {}}};
constexpr AttrSpec kFromCount[] = {{"from", AttrKind::kDim, {}}, {"count", AttrKind::kInt, {}}};
constexpr std::string_view kModes[] = {"constant", "reflect", "edge"};
const AttrSpec kZoo[] = {
    {"i", AttrKind::kInt, {}},         {"f", AttrKind::kFloat, {}},   {"b", AttrKind::kBool, {}},
    {"mode", AttrKind::kEnum, kModes}, {"to", AttrKind::kDType, {}},  {"d", AttrKind::kDim, {}},
    {"is", AttrKind::kInts, {}},       {"fs", AttrKind::kFloats, {}}, {"ds", AttrKind::kDims, {}},
    {"absent", AttrKind::kInt, {}},
};

std::vector<OpInfo> MakeOps() {
  std::vector<OpInfo> ops;
  const auto add = [&](std::string_view name, absl::Span<const OperandSpec> operands,
                       absl::Span<const ResultSpec> results, InferFn<int64_t> infer,
                       InferFn<Expr> infer_symbolic) -> OpInfo& {
    OpInfo& op = ops.emplace_back();
    op = OpInfo{};
    op.dialect = "t";
    op.name = name;
    op.operands = operands;
    op.results = results;
    op.complete = Nothing;
    op.infer = infer;
    op.infer_symbolic = infer_symbolic;
    return op;
  };
  add("Relu", kX, kY, Relu<int64_t>, Relu<Expr>);
  add("Add", kXY, kY, Add<int64_t>, Add<Expr>).symbolic = AddElements;
  OpInfo& concat = add("Concat", kXs, kY, Concat<int64_t>, Concat<Expr>);
  concat.attrs = kAxis;
  concat.complete = Axis;
  concat.symbolic = ConcatElements;
  add("Shape", kDims, kY, Shape<int64_t>, Shape<Expr>).symbolic = ShapeElements;
  OpInfo& slice = add("Slice", kX, kY, Slice<int64_t>, Slice<Expr>);
  slice.attrs = kFromCount;
  slice.complete = FromCount;
  slice.symbolic = SliceElements;
  OpInfo& reshape = add("Reshape", kXShape, kY, Reshape<int64_t>, Reshape<Expr>);
  reshape.role = Role::kReshape;
  add("Halve", kX, kHalves, Halve<int64_t>, Halve<Expr>);
  add("Print", kX, {}, NoResults<int64_t>, NoResults<Expr>).effect = true;
  OpInfo& zoo = add("Zoo", kXOptional, kY, Zoo<int64_t>, Zoo<Expr>);
  zoo.attrs = kZoo;
  zoo.complete = ZooDefaults;
  add("Twice", kX, kY, Twice<int64_t>, Twice<Expr>).build = BuildTwice;
  return ops;
}

const std::vector<OpInfo>& Ops() {
  static const auto* const ops = new std::vector<OpInfo>(MakeOps());
  return *ops;
}

}  // namespace

void RegisterOpsForTest() {
  static const auto* const pointers = [] {
    auto* all = new std::vector<const OpInfo*>;
    for (const OpInfo& op : Ops()) all->push_back(&op);
    return all;
  }();
  Registry::Global().Add(Dialect{"t", *pointers, {}, {}});
}

int InferencesForTest() { return inferences; }

const OpInfo& OpForTest(std::string_view name) {
  for (const OpInfo& op : Ops()) {
    if (op.name == name) return op;
  }
  std::abort();
}

Operation* Make(Rewriter& rewriter, std::string_view name, std::vector<Value*> operands,
                std::vector<Attribute> attrs) {
  const absl::StatusOr<Operation*> op =
      rewriter.Create(OpForTest(name), std::move(operands), std::move(attrs));
  if (!op.ok()) {
    std::fprintf(stderr, "%s\n", op.status().ToString().c_str());
    std::abort();
  }
  return *op;
}

}  // namespace tessera::ir
