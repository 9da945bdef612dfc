// What generated importers, builders, rewrites and lowerings need beside the TermBuilder.
#ifndef TESSERA_CODEGEN_SUPPORT_TERM_SUPPORT_H_
#define TESSERA_CODEGEN_SUPPORT_TERM_SUPPORT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "codegen/support/domain.h"
#include "ir/import_node.h"
#include "ir/operation.h"
#include "ir/term_builder.h"

namespace tessera::ops {

using Values = std::vector<ir::Value*>;

inline const std::vector<Expr>& Dims(const ir::Value* value) {
  static const std::vector<Expr>* none = new std::vector<Expr>();
  return value == nullptr ? *none : value->type().dims;
}
inline ir::DType DTypeOf(const ir::Value* value) {
  return value == nullptr ? ir::DType::kF32 : value->type().dtype;
}
// The number in a constant of one element; 0 for anything else, which a guard has ruled out.
inline double NumberOf(const ir::Value* value) {
  const ir::Tensor* tensor = value == nullptr ? nullptr : value->constant();
  return tensor == nullptr || tensor->size() != 1 ? 0.0 : tensor->AsDouble(0);
}
inline ir::Value* ResultAt(const Values& results, size_t i) {
  return i < results.size() ? results[i] : nullptr;
}
inline void Append(Values& list, const Values& more) {
  list.insert(list.end(), more.begin(), more.end());
}

inline std::vector<double> ToDoubles(const std::vector<int64_t>& list) {
  return std::vector<double>(list.begin(), list.end());
}

// Operands of the same ranks whose dims are all 0: enough for the lengths of default attributes,
// which depend on ranks only.
class RankInfos {
 public:
  explicit RankInfos(absl::Span<const ir::OperandInfo<Expr>> operands);
  std::vector<ir::OperandInfo<int64_t>> infos;

 private:
  std::vector<int64_t> zeros_;
};

// What inference knows of `operands`.
std::vector<ir::OperandInfo<Expr>> InfosOf(absl::Span<ir::Value* const> operands);

// Binds the shape struct of an operation or of a builder's arguments. False: `b` has the reason.
template <class Shape>
bool BindShape(Shape& s, absl::Span<ir::Value* const> operands,
               absl::Span<const ir::Attribute> attrs, ir::TermBuilder& b) {
  if (!b.ok()) return false;
  ir::Checker<Expr> checker(b.rewriter().graph().context());
  const std::vector<ir::OperandInfo<Expr>> infos = InfosOf(operands);
  if (s.Bind({infos, attrs}, checker)) return true;
  b.Fail(checker.status());
  return false;
}

// The operand names alone, as far as they are there: an importer's clause may mention them before
// the op is built.
template <class Shape>
void BindNames(Shape& s, absl::Span<ir::Value* const> operands, ir::TermBuilder& b) {
  ir::Checker<Expr> checker(b.rewriter().graph().context());
  const std::vector<ir::OperandInfo<Expr>> infos = InfosOf(operands);
  s.lenient = true;
  s.BindOperands(infos, checker);
}

template <class T>
T Required(ir::ImportNode& node, const std::optional<T>& attribute, const char* name) {
  if (attribute.has_value()) return *attribute;
  if (!node.failed())
    node.Fail(absl::StrCat("attribute `", name, "` ",
                           node.HasAttr(name) ? "says nothing" : "is missing"));
  return T{};
}

// Of a list that a node of a model gives.
template <class T>
T EntryOf(ir::ImportNode& node, const char* attribute, const std::vector<T>& list, int64_t i) {
  if (i >= 0 && i < static_cast<int64_t>(list.size())) return list[static_cast<size_t>(i)];
  if (!node.failed())
    node.Fail(
        absl::StrCat("attribute `", attribute, "` has ", list.size(), " entries, more are needed"));
  return T{};
}

}  // namespace tessera::ops

#endif  // TESSERA_CODEGEN_SUPPORT_TERM_SUPPORT_H_
