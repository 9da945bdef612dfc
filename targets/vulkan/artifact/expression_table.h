// Expressions of sizes as the file holds them.
#ifndef TESSERA_TARGETS_VULKAN_ARTIFACT_EXPRESSION_TABLE_H_
#define TESSERA_TARGETS_VULKAN_ARTIFACT_EXPRESSION_TABLE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "solver/expr.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

using solver::Expr;

class ExpressionTable {
 public:
  // `symbols`: the number that each has in the file.
  ExpressionTable(solver::Context& context, std::map<std::string, int64_t, std::less<>> symbols)
      : context_(context), symbols_(std::move(symbols)) {}

  // The place of `e` in the table, equal expressions have one.
  uint32_t Add(const Expr& e);
  // The same, without what facts say of it: facts themselves would become true.
  uint32_t AddFact(const Expr& e) { return AddNormal(e); }
  // Makes a symbol of no input the position along an axis of that many. Its number, and what stands
  // for the symbol where it is that: another one, where it is the position along an axis of another
  // length already (the parts of what is joined share symbols).
  struct Axis {
    uint32_t number = 0;
    Expr symbol;
  };
  Axis AddAxis(const Expr& symbol, const Expr& extent);
  const std::vector<uint32_t>& axes() const { return axes_; }  // lengths, by number
  // InvalidArgument: a symbol that no size of an input gives, or an expression beyond 64 bits.
  const absl::Status& status() const { return status_; }
  size_t size() const { return rows_.size(); }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Expression>>> Write(
      flatbuffers::FlatBufferBuilder& builder) const;

 private:
  struct Row {
    file::Operation operation = file::Operation_CONSTANT;
    int64_t constant = 0;
    std::vector<uint32_t> arguments;
    std::vector<int64_t> coefficients;
  };
  uint32_t AddNormal(const Expr& e);
  uint32_t Symbol(std::string_view name);

  solver::Context& context_;
  std::map<std::string, int64_t, std::less<>> symbols_, axis_numbers_;
  std::vector<uint32_t> axes_;
  absl::flat_hash_map<Expr, uint32_t> places_;
  std::vector<Row> rows_;
  absl::Status status_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_ARTIFACT_EXPRESSION_TABLE_H_
