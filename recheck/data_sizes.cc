// Sizes that data decide: an operation says of each which symbol it is, one of its own, or that of
// another size that is counted alike.
#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "recheck/declarations.h"
#include "recheck/interpreter.h"

namespace tessera::recheck {

using codegen::Node;

namespace {

constexpr char kDataSize[] = "DataSize";

}  // namespace

Value Interpreter::DataSize(const Node& node) {
  const TensorPtr count = AsTensor(Evaluate(node.children[0]));
  const Dim most = AsDim(Evaluate(node.children[1]));
  if (!ok() || count == nullptr) return {};
  if (count->has_elements && count->elements.size() == 1) return Value::Int(count->elements[0]);
  const certificate::ListedOperation* const listed = session_.Next(node_.name);
  if (listed == nullptr || listed->op != kDataSize) {
    Wrong(absl::StrCat("a size that data decide has `", kDataSize, "`, the certificate lists ",
                       listed == nullptr ? "nothing more" : absl::StrCat("`", listed->op, "`")));
    return {};
  }
  if (std::string wrong = session_.CompareOperands(*listed, {count}); !wrong.empty()) {
    Wrong(std::move(wrong));
    return {};
  }
  const TensorPtr result =
      listed->results.size() == 1 ? session_.Listed(listed->results[0]) : nullptr;
  if (result == nullptr || result->dtype != "i64" || !result->dims.empty()) {
    Wrong(absl::StrCat("`", kDataSize, "` is listed with another result than a scalar of i64"));
    return {};
  }
  const std::optional<Dim> size = session_.TakeCounted(node_.name, most, count);
  if (!size) {
    Wrong("no symbol of the certificate is the size that data decide there");
    return {};
  }
  return Value::Int(*size);
}

std::optional<Dim> Session::TakeCounted(const std::string& node, Dim most, const TensorPtr& count) {
  const int64_t equal = equal_numbers_.Of(count);
  const std::string origin = absl::StrCat("data decide it, at `", node, "`");
  for (const certificate::DeclaredSymbol& symbol : certificate_.symbols) {
    const bool taken = std::any_of(counted_.begin(), counted_.end(), [&](const Counted& counted) {
      return counted.symbol == symbol.name;
    });
    if (taken || symbol.origin != origin) continue;
    const absl::StatusOr<Dim> size = ReadDim(symbol.name);
    if (!size.ok()) return std::nullopt;
    counted_.push_back({symbol.name, *size, most, origin, equal});
    // A narrower range follows from what bounds it.
    const int64_t high = symbol.hi.value_or(INT64_MAX);
    if (high < kMostDim)
      Require({node,
               kDataSize,
               "size.most",
               terms_.Make(Operator::kLe, most, terms_.Integer(high)),
               {},
               Requirement::kImplied});
    return *size;
  }
  for (const Counted& counted : counted_) {
    if (counted.equal == equal) return counted.size;
  }
  return std::nullopt;
}

}  // namespace tessera::recheck
