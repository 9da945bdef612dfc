// The pieces of a printed graph, and where in a line they stand.
#ifndef TESSERA_IR_PRINTER_H_
#define TESSERA_IR_PRINTER_H_

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "ir/graph.h"
#include "ir/text.h"

namespace tessera::ir {

// In double quotes, with escapes that keep it on one line.
std::string Quoted(std::string_view text);

class Printer {
 public:
  struct Line {
    using Span = std::pair<size_t, size_t>;  // begin, end
    std::string text;
    Span op;
    std::vector<Span> results, operands;
  };

  // Numbers the values: linear in the graph.
  explicit Printer(const Graph& graph, const PrintOptions& options = {});

  Line LineOf(const Operation& op) const;
  std::string NumberOf(const Value* value) const;  // `%3`; `%?` of what is not in the graph
  std::string Text() const;

 private:
  const std::string& Text(const Expr& e) const;
  std::string Text(const TensorType& type) const;
  std::string Text(const Attribute& attribute, const AttrSpec& spec) const;
  std::string Head() const;
  std::string ObligationText(std::string_view keyword, const Obligation& obligation) const;
  std::string PayloadText(const Operation& op) const;

  const Graph& graph_;
  PrintOptions options_;
  absl::flat_hash_map<const Value*, size_t> numbers_;  // not by ids: what is erased has none
  // What a reader of the text will have. Expressions are printed as they come out of it: those of
  // the graph may be older than facts that change their normal form. Null: there are no such facts,
  // and the graph's own context says the same.
  std::unique_ptr<solver::Context> reader_;
  const solver::Context& sizes_;
  mutable absl::node_hash_map<Expr, std::string> texts_;
};

}  // namespace tessera::ir

#endif  // TESSERA_IR_PRINTER_H_
