#include "frontends/onnx/ops_for_test.h"

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/checker.h"
#include "ir/import_node.h"
#include "ir/op_info.h"
#include "ir/registry.h"
#include "ir/term_builder.h"

namespace tessera::onnx_import {
namespace {

using ir::Arity;
using ir::Checker;
using ir::DType;
using ir::Expr;
using ir::ImportNode;
using ir::InferArgs;
using ir::KernelArgs;
using ir::ResultInfo;
using ir::SymbolicKernelArgs;
using ir::TermBuilder;
using ir::Value;

constexpr std::string_view kDialect = "test";

bool Equal(int64_t a, int64_t b) { return a == b; }
Expr Equal(const Expr& a, const Expr& b) { return solver::Eq(a, b); }

template <class E>
absl::Status Like(const InferArgs<E>& args, Checker<E>& checker,
                  std::vector<ResultInfo<E>>& results) {
  const auto& x = args.operands[0];
  checker.Require("type.T", ir::IsFloat(x.dtype), [] { return "operand is no float"; });
  results.push_back({x.dtype, {x.dims.begin(), x.dims.end()}});
  return checker.status();
}

template <class E>
absl::Status SameShapes(const InferArgs<E>& args, Checker<E>& checker,
                        std::vector<ResultInfo<E>>& results) {
  const auto &x = args.operands[0], &y = args.operands[1];
  if (!checker.Require("rank", x.dims.size() == y.dims.size(),
                       [] { return "operands of different rank"; }))
    return checker.status();
  for (size_t i = 0; i < x.dims.size(); ++i) {
    checker.Require("equal", Equal(x.dims[i], y.dims[i]),
                    [&] { return absl::StrCat("operands differ in dim ", i); });
  }
  results.push_back({x.dtype, {x.dims.begin(), x.dims.end()}});
  return checker.status();
}

template <class E>
absl::Status OfShape(const InferArgs<E>& args, Checker<E>& checker,
                     std::vector<ResultInfo<E>>& results) {
  results.push_back({DType::kI64, {E(static_cast<int64_t>(args.operands[0].dims.size()))}});
  return checker.status();
}

absl::Status ShapeElements(const SymbolicKernelArgs& args) {
  args.outputs[0].elements = args.inputs[0]->dims;
  args.outputs[0].has_elements = true;
  return absl::OkStatus();
}

template <class E>
absl::Status Scalar(const InferArgs<E>&, Checker<E>& checker, std::vector<ResultInfo<E>>& results) {
  results.push_back({DType::kI64, {}});
  return checker.status();
}

absl::Status ElementAt(const SymbolicKernelArgs& args) {
  const int64_t index = std::get<int64_t>(args.attrs[0]);
  if (!args.inputs[0]->has_elements ||
      index >= static_cast<int64_t>(args.inputs[0]->elements.size())) {
    return absl::FailedPreconditionError("no such element known");
  }
  args.outputs[0].elements = {args.inputs[0]->elements[index]};
  args.outputs[0].has_elements = true;
  return absl::OkStatus();
}

template <class E>
absl::Status Joined(const InferArgs<E>& args, Checker<E>& checker,
                    std::vector<ResultInfo<E>>& results) {
  E total(0);
  for (const auto& x : args.operands) {
    if (!checker.Require("rank", x.dims.size() <= 1, [] { return "operand of rank above 1"; }))
      return checker.status();
    total = total + (x.dims.empty() ? E(1) : x.dims[0]);
  }
  results.push_back({args.operands[0].dtype, {total}});
  return checker.status();
}

absl::Status JoinedElements(const SymbolicKernelArgs& args) {
  auto& out = args.outputs[0];
  out.elements.clear();
  for (const ir::SymbolicTensor* x : args.inputs) {
    if (!x->has_elements) return absl::FailedPreconditionError("unknown elements");
    out.elements.insert(out.elements.end(), x->elements.begin(), x->elements.end());
  }
  out.has_elements = true;
  return absl::OkStatus();
}

template <class E>
absl::Status Reshaped(const InferArgs<E>& args, Checker<E>&, std::vector<ResultInfo<E>>& results) {
  const auto& shape = args.operands[1];
  if (!shape.has_elements) return absl::InvalidArgumentError("elements of `shape` are not known");
  results.push_back({args.operands[0].dtype, {shape.elements.begin(), shape.elements.end()}});
  return absl::OkStatus();
}

template <class E>
absl::Status ToI64(const InferArgs<E>& args, Checker<E>& checker,
                   std::vector<ResultInfo<E>>& results) {
  results.push_back({DType::kI64, {args.operands[0].dims.begin(), args.operands[0].dims.end()}});
  return checker.status();
}

absl::Status RoundKernel(const KernelArgs& args) {
  int64_t* out = args.outputs[0].mutable_data<int64_t>();
  for (int64_t i = 0; i < args.inputs[0]->size(); ++i)
    out[i] = std::lround(args.inputs[0]->AsDouble(i));
  return absl::OkStatus();
}

template <class E>
absl::Status Halves(const InferArgs<E>& args, Checker<E>& checker,
                    std::vector<ResultInfo<E>>& results) {
  const auto& x = args.operands[0];
  for (int half = 0; half < 2; ++half) results.push_back({x.dtype, {x.dims.begin(), x.dims.end()}});
  return checker.status();
}

absl::Status NoAttrs(absl::Span<const ir::OperandInfo<Expr>>, std::vector<ir::Attribute>&) {
  return absl::OkStatus();
}

constexpr ir::OperandSpec kData[] = {{"x", Arity::kRequired, false, true}};
constexpr ir::OperandSpec kDims[] = {{"x", Arity::kRequired, false, false}};
constexpr ir::OperandSpec kTwo[] = {{"x", Arity::kRequired, false, true},
                                    {"y", Arity::kRequired, false, true}};
constexpr ir::OperandSpec kMany[] = {{"xs", Arity::kVariadic, false, true}};
constexpr ir::OperandSpec kDataAndShape[] = {{"x", Arity::kRequired, false, true},
                                             {"shape", Arity::kRequired, true, false}};
constexpr ir::ResultSpec kResult[] = {{"y"}};
constexpr ir::ResultSpec kTwoResults[] = {{"y"}, {"z"}};
constexpr ir::AttrSpec kIndex[] = {{"index", ir::AttrKind::kInt, {}}};

ir::OpInfo Op(std::string_view name, absl::Span<const ir::OperandSpec> operands,
              ir::InferFn<int64_t> infer, ir::InferFn<Expr> infer_symbolic) {
  ir::OpInfo info{};
  info.dialect = kDialect;
  info.name = name;
  info.file = "ops_for_test.cc";
  info.operands = operands;
  info.results = kResult;
  info.complete = NoAttrs;
  info.infer = infer;
  info.infer_symbolic = infer_symbolic;
  return info;
}

const ir::OpInfo kRelu = Op("Relu", kData, Like<int64_t>, Like<Expr>);
const ir::OpInfo kAdd = Op("Add", kTwo, SameShapes<int64_t>, SameShapes<Expr>);
const ir::OpInfo kTotal = Op("Total", kData, Scalar<int64_t>, Scalar<Expr>);
const ir::OpInfo kReshape = Op("Reshape", kDataAndShape, Reshaped<int64_t>, Reshaped<Expr>);
const ir::OpInfo kShape = [] {
  ir::OpInfo info = Op("Shape", kDims, OfShape<int64_t>, OfShape<Expr>);
  info.symbolic = ShapeElements;
  return info;
}();
const ir::OpInfo kGather = [] {
  ir::OpInfo info = Op("Gather", kData, Scalar<int64_t>, Scalar<Expr>);
  info.attrs = kIndex;
  info.symbolic = ElementAt;
  return info;
}();
const ir::OpInfo kConcat = [] {
  ir::OpInfo info = Op("Concat", kMany, Joined<int64_t>, Joined<Expr>);
  info.symbolic = JoinedElements;
  return info;
}();
const ir::OpInfo kRound = [] {
  ir::OpInfo info = Op("Round", kData, ToI64<int64_t>, ToI64<Expr>);
  info.kernel = RoundKernel;
  return info;
}();
const ir::OpInfo kSplit = [] {
  ir::OpInfo info = Op("Split", kData, Halves<int64_t>, Halves<Expr>);
  info.results = kTwoResults;
  return info;
}();

const ir::OpInfo* const kOps[] = {&kRelu,   &kAdd,    &kTotal, &kReshape, &kShape,
                                  &kGather, &kConcat, &kRound, &kSplit};

std::vector<Value*> Make(TermBuilder& builder, std::string_view op, std::vector<Value*> operands) {
  return builder.Create(kDialect, op, std::move(operands),
                        std::initializer_list<std::pair<std::string_view, ir::TermAttribute>>{});
}

template <const auto& kInfo, int kOperands>
std::vector<Value*> Plain(ImportNode& node, TermBuilder& builder) {
  std::vector<Value*> operands;
  for (int i = 0; i < kOperands; ++i) {
    if (node.Input(i) == nullptr) {
      node.Fail(absl::StrCat("input ", i, " is missing"));
      return {};
    }
    operands.push_back(node.Input(i));
  }
  return Make(builder, kInfo.name, std::move(operands));
}

std::vector<Value*> ImportGather(ImportNode& node, TermBuilder& builder) {
  if (node.Int("axis").value_or(0) != 0) node.Fail("axis other than 0");
  const std::vector<Expr> index = node.Elements(node.Input(1));
  if (node.failed()) return {};
  return builder.Create(kDialect, "Gather", {node.Input(0)},
                        {{"index", ir::TermAttribute(ir::Attribute(*index[0].Constant()))}});
}

std::vector<Value*> ImportConcat(ImportNode& node, TermBuilder& builder) {
  if (!node.HasAttr("axis")) node.Fail("attribute `axis` is missing");
  if (node.Int("axis").value_or(0) != 0) node.Fail("axis other than 0");
  if (node.failed()) return {};
  std::vector<Value*> operands;
  for (int i = 0; i < node.input_count(); ++i) operands.push_back(node.Input(i));
  return Make(builder, "Concat", std::move(operands));
}

std::vector<Value*> ImportSplit(ImportNode& node, TermBuilder& builder) {
  node.Ints("split");
  node.Int("axis");
  if (node.failed()) return {};
  std::vector<Value*> halves = Make(builder, "Split", {node.Input(0)});
  if (!node.Wants(1)) halves.resize(1);
  return halves;
}

std::vector<Value*> ImportConstant(ImportNode& node, TermBuilder&) {
  Value* value = node.TensorAttr("value");
  if (value == nullptr) {
    node.Fail("attribute `value` is missing");
    return {};
  }
  return {value};
}

std::vector<Value*> ImportIdentity(ImportNode& node, TermBuilder&) { return {node.Input(0)}; }

std::vector<Value*> ImportConstantOfShape(ImportNode& node, TermBuilder& builder) {
  const std::vector<Expr> dims = node.Elements(node.Input(0));
  if (node.failed()) return {};
  return {builder.Fill(0, dims, DType::kF32)};
}

constexpr int kNoEnd = 1000;
constexpr std::string_view kConsumed[] = {"consumed_inputs"}, kAxis[] = {"axis"},
                           kAxisAndSplit[] = {"axis", "split"}, kValue[] = {"value"};
const ir::ImportInfo kImports[] = {
    {"Relu", "", 6, kNoEnd, {}, Plain<kRelu, 1>},
    {"Relu", "", 1, 5, kConsumed, Plain<kRelu, 1>},
    {"Relu", "org.others", 1, kNoEnd, {}, Plain<kRelu, 1>},
    {"Add", "", 7, kNoEnd, {}, Plain<kAdd, 2>},
    {"Split", "", 2, kNoEnd, kAxisAndSplit, ImportSplit},
    {"Shape", "", 1, kNoEnd, {}, Plain<kShape, 1>},
    {"Gather", "", 1, kNoEnd, kAxis, ImportGather},
    {"Concat", "", 4, kNoEnd, kAxis, ImportConcat},
    {"Reshape", "", 5, kNoEnd, {}, Plain<kReshape, 2>},
    {"Total", "", 1, kNoEnd, {}, Plain<kTotal, 1>},
    {"Round", "", 1, kNoEnd, {}, Plain<kRound, 1>},
    {"Constant", "", 1, kNoEnd, kValue, ImportConstant},
    {"Identity", "", 1, kNoEnd, {}, ImportIdentity},
    {"ConstantOfShape", "", 9, kNoEnd, {}, ImportConstantOfShape},
};
const absl::Span<const ir::ImportInfo> kImportLists[] = {kImports};

}  // namespace

void RegisterOpsForTest() {
  ir::Registry::Global().Add(ir::Dialect{kDialect, kOps, kImportLists, {}});
}

}  // namespace tessera::onnx_import
