// The ops of loops. A loop is no operation but the operations between its ends: what varies with
// its position is computed anew at each of them (ir/loops.h).
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/checker.h"
#include "ir/op_info.h"

namespace tessera::ir {
namespace {

bool Equal(int64_t a, int64_t b) { return a == b; }
Expr Equal(const Expr& a, const Expr& b) { return solver::Eq(a, b); }
std::string Text(int64_t dim) { return absl::StrCat(dim); }
std::string Text(const Expr& dim) { return dim.ToString(); }
Expr Dim(const Attribute& attribute, const Expr&) { return std::get<Expr>(attribute); }
int64_t Dim(const Attribute& attribute, int64_t) { return *std::get<Expr>(attribute).Constant(); }

absl::Status CompleteAll(absl::Span<const AttrSpec> specs, const std::vector<Attribute>& attrs) {
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(attrs[i])) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("attribute `", AbslView(specs[i].name), "` is missing"));
  }
  return absl::OkStatus();
}

template <class E>
bool IsScalar(const OperandInfo<E>& operand) {
  return operand.present && operand.dims.empty();
}

// --- LoopBegin(trips, goes_on?, initial states...) ---

constexpr OperandSpec kBeginOperands[] = {{"trips", Arity::kRequired, false, true},
                                          {"goes_on", Arity::kOptional, false, true},
                                          {"initial", Arity::kVariadic, false, true}};
constexpr ResultSpec kBeginResults[] = {{"position"}, {"state"}};
constexpr AttrSpec kBeginAttrs[] = {{"loop", AttrKind::kInt, {}}};

absl::Status CompleteBegin(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>& attrs) {
  return CompleteAll(kBeginAttrs, attrs);
}

template <class E>
absl::Status InferBegin(const InferArgs<E>& args, Checker<E>& checker,
                        std::vector<ResultInfo<E>>& results) {
  const auto& operands = args.operands;
  const DType counter = operands[0].dtype;
  if (!checker.Require("type.trips",
                       IsScalar(operands[0]) && (counter == DType::kI32 || counter == DType::kI64),
                       [] { return "the number of positions is a scalar of `i32` or `i64`"; }) ||
      !checker.Require("type.goes_on",
                       operands.size() < 2 || !operands[1].present ||
                           (IsScalar(operands[1]) && operands[1].dtype == DType::kBool),
                       [] { return "a condition is a scalar of `bool`"; })) {
    return checker.status();
  }
  results.push_back({counter, {}});
  for (size_t i = 2; i < operands.size(); ++i) {
    if (!checker.Require("initial", operands[i].present,
                         [&] { return absl::StrCat("state ", i - 2, " has no initial value"); })) {
      return checker.status();
    }
    results.push_back({operands[i].dtype, {operands[i].dims.begin(), operands[i].dims.end()}});
  }
  return absl::OkStatus();
}

// --- LoopEntry(position, x) ---

constexpr OperandSpec kEntryOperands[] = {{"position", Arity::kRequired, false, true},
                                          {"x", Arity::kRequired, false, true}};
constexpr ResultSpec kEntryResults[] = {{"entry"}};
constexpr AttrSpec kEntryAttrs[] = {{"length", AttrKind::kDim, {}}};

absl::Status CompleteEntry(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>& attrs) {
  return CompleteAll(kEntryAttrs, attrs);
}

template <class E>
absl::Status InferEntry(const InferArgs<E>& args, Checker<E>& checker,
                        std::vector<ResultInfo<E>>& results) {
  const OperandInfo<E>& x = args.operands[1];
  if (!checker.Require("rank.x", !x.dims.empty(),
                       [] { return "a scalar has no entries to go through"; })) {
    return checker.status();
  }
  const E length = Dim(args.attrs[0], x.dims[0]);
  if (!checker.Require("length", Equal(x.dims[0], length), [&] {
        return absl::StrCat(Text(x.dims[0]), " entries for ", Text(length), " positions");
      })) {
    return checker.status();
  }
  results.push_back({x.dtype, {x.dims.begin() + 1, x.dims.end()}});
  return absl::OkStatus();
}

// --- LoopEnd(position, goes_on?, states..., next states..., collected...) ---

constexpr OperandSpec kEndOperands[] = {{"position", Arity::kRequired, false, true},
                                        {"goes_on", Arity::kOptional, false, true},
                                        {"value", Arity::kVariadic, false, true}};
constexpr ResultSpec kEndResults[] = {{"result"}};
constexpr AttrSpec kEndAttrs[] = {{"states", AttrKind::kInt, {}}, {"length", AttrKind::kDim, {}}};

absl::Status CompleteEnd(absl::Span<const OperandInfo<Expr>>, std::vector<Attribute>& attrs) {
  return CompleteAll(kEndAttrs, attrs);
}

template <class E>
bool Stays(const OperandInfo<E>& state, const OperandInfo<E>& next, size_t index,
           Checker<E>& checker) {
  if (!checker.Require(
          "type.state", state.dtype == next.dtype && state.dims.size() == next.dims.size(), [&] {
            return absl::StrCat("state ", index, " is `", AbslView(NameOf(state.dtype)),
                                "` of rank ", state.dims.size(), " and becomes `",
                                AbslView(NameOf(next.dtype)), "` of rank ", next.dims.size());
          })) {
    return false;
  }
  for (size_t d = 0; d < state.dims.size(); ++d) {
    if (!checker.Require("state", Equal(state.dims[d], next.dims[d]), [&] {
          return absl::StrCat("axis ", d, " of state ", index, " has ", Text(state.dims[d]),
                              " entries and gets ", Text(next.dims[d]));
        })) {
      return false;
    }
  }
  return true;
}

template <class E>
absl::Status InferEnd(const InferArgs<E>& args, Checker<E>& checker,
                      std::vector<ResultInfo<E>>& results) {
  const auto& operands = args.operands;
  const int64_t declared = std::get<int64_t>(args.attrs[0]);
  const int64_t given = std::max<int64_t>(static_cast<int64_t>(operands.size()) - 2, 0);
  if (!checker.Require("states", declared >= 0 && declared <= given / 2,
                       [&] {
                         return absl::StrCat(given, " values for ", declared,
                                             " states and what follows each");
                       }) ||
      !checker.Require("type.goes_on",
                       operands.size() < 2 || !operands[1].present ||
                           (IsScalar(operands[1]) && operands[1].dtype == DType::kBool),
                       [] { return "a condition is a scalar of `bool`"; }) ||
      !checker.Require("value",
                       std::all_of(operands.begin() + std::min<ptrdiff_t>(2, std::ssize(operands)),
                                   operands.end(), [](const auto& o) { return o.present; }),
                       [] { return "a state, or what is collected, is absent"; })) {
    return checker.status();
  }
  const size_t states = static_cast<size_t>(declared);
  for (size_t i = 0; i < states; ++i) {
    const OperandInfo<E>& state = operands[2 + i];
    if (!Stays(state, operands[2 + states + i], i, checker)) return checker.status();
    results.push_back({state.dtype, {state.dims.begin(), state.dims.end()}});
  }
  for (size_t i = 2 + 2 * states; i < operands.size(); ++i) {
    ResultInfo<E>& result = results.emplace_back();
    result.dtype = operands[i].dtype;
    result.dims = {Dim(args.attrs[1], E{})};
    result.dims.insert(result.dims.end(), operands[i].dims.begin(), operands[i].dims.end());
  }
  return absl::OkStatus();
}

OpInfo MakeInfo(std::string_view name, std::string_view doc, absl::Span<const OperandSpec> operands,
                absl::Span<const ResultSpec> results, absl::Span<const AttrSpec> attrs) {
  OpInfo info{};
  info.dialect = "ir";
  info.name = name;
  info.doc = doc;
  info.file = "ir/loop_ops.cc";
  info.operands = operands;
  info.results = results;
  info.attrs = attrs;
  return info;
}

OpInfo MakeBegin() {
  OpInfo info = MakeInfo("LoopBegin",
                         "The position of a loop, from 0 on below `trips`, and its states there.",
                         kBeginOperands, kBeginResults, kBeginAttrs);
  info.complete = CompleteBegin;
  info.infer = InferBegin<int64_t>;
  info.infer_symbolic = InferBegin<Expr>;
  return info;
}

OpInfo MakeEntry() {
  OpInfo info = MakeInfo("LoopEntry", "The entry of x's first axis at a loop's position.",
                         kEntryOperands, kEntryResults, kEntryAttrs);
  info.complete = CompleteEntry;
  info.infer = InferEntry<int64_t>;
  info.infer_symbolic = InferEntry<Expr>;
  return info;
}

OpInfo MakeEnd() {
  OpInfo info = MakeInfo("LoopEnd",
                         "The states behind the last position of a loop, and what was collected, "
                         "side by side along a new first axis.",
                         kEndOperands, kEndResults, kEndAttrs);
  info.complete = CompleteEnd;
  info.infer = InferEnd<int64_t>;
  info.infer_symbolic = InferEnd<Expr>;
  return info;
}

}  // namespace

absl::Span<const OpInfo* const> LoopOps() {
  static const OpInfo* const ops[] = {new OpInfo(MakeBegin()), new OpInfo(MakeEntry()),
                                      new OpInfo(MakeEnd())};
  return ops;
}

}  // namespace tessera::ir
