#include "targets/npu/pwl/curves.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/text.h"
#include "nests/library.h"

namespace tessera::ops {
const ir::Dialect& CoreOps();
absl::Span<const nests::Definition* const> CoreNests();
}  // namespace tessera::ops

namespace tessera::npu {

namespace {

[[noreturn]] void Abort(const absl::Status& status) {
  std::cerr << status << "\n";
  std::abort();
}

}  // namespace

void RegisterOperations() {
  static const bool once = [] {
    ir::Registry::Global().Add(ops::CoreOps());
    nests::Library::Global().Add(ops::CoreNests());
    return true;
  }();
  static_cast<void>(once);
}

Function FunctionOfText(const std::string& operations) {
  RegisterOperations();
  const absl::StatusOr<std::unique_ptr<ir::Graph>> graph =
      ir::Parse(absl::StrCat("ir 1\ninput %0 \"x\" : f32[8]\n", operations, "\nobligations 0\n"));
  if (!graph.ok()) Abort(graph.status());
  const absl::StatusOr<Function> function =
      Function::Between((*graph)->inputs()[0], (*graph)->outputs()[0], (*graph)->context());
  if (!function.ok()) Abort(function.status());
  return *function;
}

std::vector<Curve> Curves() {
  return {
      {"sigmoid",
       FunctionOfText("%1 = core.Sigmoid(%0) : f32[8]\noutput \"y\" = %1"),
       -10,
       10,
       {0}},
      {"tanh", FunctionOfText("%1 = core.Tanh(%0) : f32[8]\noutput \"y\" = %1"), -5, 5, {0}},
      {"softsign",
       FunctionOfText("%1 = core.Abs(%0) : f32[8]\n"
                      "%2 = ir.Constant [1] : f32[]\n"
                      "%3 = core.Add(%1, %2) : f32[8]\n"
                      "%4 = core.Div(%0, %3) : f32[8]\noutput \"y\" = %4"),
       -10,
       10,
       {0}},
      {"exp", FunctionOfText("%1 = core.Exp(%0) : f32[8]\noutput \"y\" = %1"), -15, 4.515, {0.045}},
      {"gelu",
       FunctionOfText("%1 = ir.Constant [0.7071067811865476] : f32[]\n"
                      "%2 = core.Mul(%0, %1) : f32[8]\n"
                      "%3 = core.Erf(%2) : f32[8]\n"
                      "%4 = ir.Constant [1] : f32[]\n"
                      "%5 = core.Add(%3, %4) : f32[8]\n"
                      "%6 = ir.Constant [0.5] : f32[]\n"
                      "%7 = core.Mul(%0, %6) : f32[8]\n"
                      "%8 = core.Mul(%7, %5) : f32[8]\noutput \"y\" = %8"),
       -10,
       10,
       {-1.41421356, 1.41421356}},
      {"swish",
       FunctionOfText("%1 = core.Sigmoid(%0) : f32[8]\n"
                      "%2 = core.Mul(%0, %1) : f32[8]\noutput \"y\" = %2"),
       -10,
       10,
       {-2.39935728, 2.39935728}},
  };
}

}  // namespace tessera::npu
