#include "passes/canonicalize.h"

#include <deque>
#include <iostream>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/fold.h"
#include "passes/replace_results.h"

namespace tessera::passes {
namespace {

class Worklist {
 public:
  explicit Worklist(uint64_t seed) : state_(seed) {}

  // As many are going to come at once.
  void Expect(size_t operations) { members_.reserve(operations); }
  void Push(ir::Operation* op) {
    if (op == nullptr || !members_.insert(op).second) return;
    queue_.push_back(op);
    if (state_ == 0 || queue_.size() < 2) return;
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    std::swap(queue_.back(), queue_[state_ % queue_.size()]);
  }
  void Remove(ir::Operation* op) { members_.erase(op); }
  // Null when it is empty.
  ir::Operation* Pop() {
    while (!queue_.empty()) {
      ir::Operation* op = queue_.front();
      queue_.pop_front();
      if (members_.erase(op) != 0) return op;
    }
    return nullptr;
  }

 private:
  std::deque<ir::Operation*> queue_;
  absl::flat_hash_set<ir::Operation*>
      members_;  // an operation that left is skipped when its turn comes
  uint64_t state_;
};

class Driver {
 public:
  Driver(ir::Graph& graph, const std::string& dialect, PassContext& context)
      : graph_(graph),
        dialect_(dialect),
        context_(context),
        rewriter_(graph),
        builder_(rewriter_),
        worklist_(context.shuffle_seed),
        late_(context.shuffle_seed),
        cap_(1000 + 64 * static_cast<int64_t>(graph.operation_count())) {
    rewriter_.OnCreate([this](ir::Operation* op) { worklist_.Push(op); });
    rewriter_.OnErase([this](ir::Operation* op) {
      // What fed it has a use less, which patterns ask about: whether one is left, as a rule. It is
      // among the users itself until it is gone.
      for (ir::Value* operand : op->operands()) PushProducerAndFewUsers(operand);
      worklist_.Remove(op);
      late_.Remove(op);
    });
  }

  absl::StatusOr<PassResult> Run() {
    // A rewrite puts its neighbours on the list again, and patterns see further than that: so all
    // is looked at until a whole round changes nothing.
    // Then, with nothing else left to do, a round of the late ones.
    bool late = false, done = false;
    while (!done && context_.rewrites_left > 0) {
      const int64_t before = result_.rewrites;
      Worklist& list = late ? late_ : worklist_;
      list.Expect(graph_.operation_count());
      for (ir::Operation* op : graph_.TopologicalOrder()) list.Push(op);
      if (absl::Status status = Drain(); !status.ok()) return status;
      const bool quiet = before == result_.rewrites;
      done = quiet && late;
      late = quiet;
    }
    const bool erased = rewriter_.EraseUnused() > 0;
    result_.changed = result_.rewrites > 0 || erased;
    return result_;
  }

 private:
  void PushAround(ir::Value* value) {
    if (value == nullptr) return;
    if (value->producer() != nullptr) worklist_.Push(value->producer());
    for (const ir::Use& use : value->UsesUnsorted()) worklist_.Push(use.op);
  }

  // Not all users of a value that many share: each of them would put all others on the list, which
  // is quadratic. What that passes over is looked at in the next round.
  void PushProducerAndFewUsers(ir::Value* value) {
    constexpr size_t kFew = 8;
    if (value == nullptr) return;
    if (value->UsesUnsorted().size() <= kFew) return PushAround(value);
    if (value->producer() != nullptr) worklist_.Push(value->producer());
  }

  // What a late rewrite leaves for the others is done before the next late one.
  absl::Status Drain() {
    while (context_.rewrites_left > 0) {
      ir::Operation* op = worklist_.Pop();
      const bool late = op == nullptr;
      if (late) op = late_.Pop();
      if (op == nullptr) break;
      if (absl::Status status = Visit(*op, late); !status.ok()) return status;
      if (result_.rewrites > cap_)
        return absl::InternalError(
            absl::StrCat("rewrites do not end; the last one was `", last_, "`"));
    }
    return absl::OkStatus();
  }

  absl::Status Visit(ir::Operation& op, bool late) {
    if (op.results().empty()) return absl::OkStatus();
    absl::StatusOr<std::vector<ir::Value*>> folded = FoldOperation(op, rewriter_, context_);
    if (!folded.ok()) return folded.status();
    if (!folded->empty()) return Replace(op, *folded, "fold");
    if (op.info().dialect != dialect_) return absl::OkStatus();
    const ir::Registry& registry = ir::Registry::Global();
    const std::string_view name = op.info().name;
    std::vector<const ir::RewriteInfo*> rewrites;
    if (late && !context_.requested.empty()) {
      for (const ir::RewriteInfo* rewrite : registry.RequestedRewritesAt(name)) {
        if (context_.requested.count(rewrite->name) != 0) rewrites.push_back(rewrite);
      }
    }
    for (const ir::RewriteInfo* rewrite :
         late ? registry.LateRewritesAt(name) : registry.RewritesAt(name)) {
      if (context_.without.empty() || context_.without.count(rewrite->name) == 0)
        rewrites.push_back(rewrite);
    }
    for (const ir::RewriteInfo* rewrite : rewrites) {
      if (context_.strict_floats && registry.AssumesFinite(*rewrite)) continue;
      builder_.Reset();
      rewriter_.SetInsertionPoint(&op);
      rewriter_.SetLocation(op.location());
      const std::vector<ir::Value*> values = rewrite->apply(op, builder_);
      if (!builder_.ok()) {
        return absl::Status(
            builder_.status().code(),
            absl::StrCat("rewrite `", std::string(rewrite->name), "` at `",
                         op.location().ToString(), "`: ", builder_.status().message()));
      }
      if (values.empty()) continue;
      result_.assuming += registry.AssumesFinite(*rewrite) ? 1 : 0;
      if (context_.requested.count(rewrite->name) != 0)
        ++result_.requested[std::string(rewrite->name)];
      return Replace(op, values, std::string(rewrite->name));
    }
    return absl::OkStatus();
  }

  absl::Status Replace(ir::Operation& op, const std::vector<ir::Value*>& values,
                       const std::string& name) {
    if (context_.trace_matches)
      std::cerr << "  " << name << " at " << op.location().ToString() << "\n";
    const std::vector<ir::Value*> old(op.results().begin(), op.results().end());
    if (values.size() != old.size())
      return absl::InternalError(absl::StrCat("`", name, "` yields ", values.size(), " values for ",
                                              old.size(), " results"));
    const std::string place = op.location().ToString();
    for (ir::Value* value : old) PushAround(value);
    if (absl::Status status = ReplaceResults(rewriter_, op, values); !status.ok()) {
      return absl::Status(
          status.code(), absl::StrCat("rewrite `", name, "` at `", place, "`: ", status.message()));
    }
    // Who used the old values is on the list already.
    for (ir::Value* value : values) PushProducerAndFewUsers(value);
    last_ = name;
    ++result_.rewrites;
    --context_.rewrites_left;
    return absl::OkStatus();
  }

  ir::Graph& graph_;
  const std::string& dialect_;
  PassContext& context_;
  ir::Rewriter rewriter_;
  ir::TermBuilder builder_;
  Worklist worklist_, late_;
  const int64_t cap_;
  PassResult result_;
  std::string last_;
};

}  // namespace

absl::StatusOr<PassResult> Canonicalize(ir::Graph& graph, const std::string& dialect,
                                        PassContext& context) {
  return Driver(graph, dialect, context).Run();
}

}  // namespace tessera::passes
