#include "targets/circle/lowering/loop_buffers.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "ir/loops.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

using ir::Operation;
using ir::Value;
using Values = std::vector<Value*>;

class Buffering {
 public:
  explicit Buffering(ir::Graph& graph) : graph_(graph), rewriter_(graph), builder_(rewriter_) {}

  absl::StatusOr<passes::PassResult> Run() {
    // Ends first: they replace what begins a loop, which its entries then refer to.
    for (bool entries : {false, true}) {
      for (Operation* op : graph_.TopologicalOrder()) {
        if (entries ? !IsLoopEntry(*op) : !Collects(*op)) continue;
        absl::Status status = entries ? Read(*op) : Collect(*op);
        if (!status.ok()) return status;
        ++result_.rewrites;
      }
    }
    result_.changed = result_.rewrites > 0;
    return result_;
  }

 private:
  static size_t StatesOf(const Operation& end) {
    return static_cast<size_t>(std::get<int64_t>(end.attr(0)));
  }
  static bool Collects(const Operation& op) {
    return IsLoopEnd(op) && op.results().size() > StatesOf(op);
  }

  void At(Operation* op) {
    rewriter_.SetInsertionPoint(op);
    rewriter_.SetLocation(op->location());
  }

  Value* Piece(std::string_view name, Values operands,
               std::initializer_list<std::pair<std::string_view, ir::TermAttribute>> attrs = {}) {
    const Values results = builder_.Create(kDialect, name, std::move(operands), attrs);
    return results.empty() ? nullptr : results[0];
  }

  absl::Status Read(Operation& entry) {
    At(&entry);
    Value* const value = Piece("LoopRead", {entry.operand(1), entry.operand(0)});
    if (!builder_.ok()) return builder_.status();
    return passes::ReplaceResults(rewriter_, entry, {value});
  }

  absl::Status Collect(Operation& end) {
    const size_t states = StatesOf(end), collected = end.results().size() - states;
    Operation& begin = *end.operand(0)->producer();
    At(&begin);
    Values before(begin.operands().begin(), begin.operands().end());
    before.resize(2 + states);
    for (size_t k = 0; k < collected; ++k) {
      const ir::TensorType& type = end.result(states + k)->type();
      before.push_back(Piece(
          "LoopRoom", {}, {{"to", ir::Attribute(type.dtype)}, {"size", ir::Attribute(type.dims)}}));
    }
    if (!builder_.ok()) return builder_.status();
    const absl::StatusOr<Operation*> wider = rewriter_.Create(
        begin.info(), std::move(before), {begin.attrs().begin(), begin.attrs().end()});
    if (!wider.ok()) return wider.status();
    const Values here((*wider)->results().begin(), (*wider)->results().end());
    absl::Status status = passes::ReplaceResults(
        rewriter_, begin, {here.begin(), here.begin() + static_cast<ptrdiff_t>(1 + states)});
    if (!status.ok()) return status;

    At(&end);
    Values after(end.operands().begin(), end.operands().begin() + 2);
    after.insert(after.end(), here.begin() + 1, here.end());
    for (size_t i = 0; i < states; ++i) after.push_back(end.operand(2 + states + i));
    for (size_t k = 0; k < collected; ++k) {
      after.push_back(Piece("LoopWrite", {here[1 + states + k], end.operand(2 + 2 * states + k)}));
    }
    if (!builder_.ok()) return builder_.status();
    const int64_t all = static_cast<int64_t>(states + collected);
    const absl::StatusOr<Operation*> last =
        rewriter_.Create(end.info(), std::move(after), {ir::Attribute(all), end.attr(1)});
    if (!last.ok()) return last.status();
    for (size_t i = 0; i < end.results().size(); ++i)
      rewriter_.SetName((*last)->result(i), end.result(i)->name());
    return passes::ReplaceResults(rewriter_, end,
                                  {(*last)->results().begin(), (*last)->results().end()});
  }

  ir::Graph& graph_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  passes::PassResult result_;
};

}  // namespace

absl::StatusOr<passes::PassResult> BufferLoops(ir::Graph& graph, passes::PassContext&) {
  return Buffering(graph).Run();
}

}  // namespace tessera::circle
