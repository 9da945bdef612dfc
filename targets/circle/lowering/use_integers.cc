#include "targets/circle/lowering/use_integers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "passes/replace_results.h"
#include "targets/circle/lowering/grids.h"
#include "targets/circle/lowering/integer_form.h"
#include "targets/circle/lowering/legalize.h"
#include "targets/circle/lowering/stored.h"

namespace tessera::circle {
namespace {

using ir::DType;
using ir::Operation;
using ir::Value;

constexpr int64_t kSign = 128;  // between the zero points of u8 and i8

class Integers {
 public:
  Integers(ir::Graph& graph, passes::PassContext& context, const Places* places)
      : graph_(graph), context_(context), rewriter_(graph), places_(places) {}

  absl::StatusOr<passes::PassResult> Run() {
    if (absl::Status status = MakeAllAsRead(); !status.ok()) return status;
    // There is something between integers that become floats and floats that become integers.
    const auto becomes_floats = [](const Operation* op) {
      return op->results().size() == 1 && DequantizedFrom(op->result()).has_value();
    };
    const auto becomes_integers = [](const Operation* op) { return QuantizedBy(op).has_value(); };
    const std::vector<Operation*> all = graph_.TopologicalOrder();
    if (std::none_of(all.begin(), all.end(), becomes_floats) ||
        std::none_of(all.begin(), all.end(), becomes_integers)) {
      return result_;
    }
    for (const auto step :
         {&Integers::RoundWhatIsNotStored, &Integers::Sign, &Integers::QuantizeEarlier,
          &Integers::Compute, &Integers::Convert, &Integers::ConvertOtherwise,
          &Integers::ConvertAtOnce, &Integers::Round}) {
      if (absl::Status status = (this->*step)(); !status.ok()) return status;
    }
    rewriter_.EraseUnused();
    result_.changed = result_.rewrites > 0;
    return result_;
  }

  IntegersReport Report() const {
    IntegersReport report;
    for (const Operation* op : graph_.TopologicalOrder()) {
      if (op->info().dialect == kIntegers) ++report.operators;
      if (op->info().dialect != kDialect || op->results().size() != 1) continue;
      const DType type = op->result()->type().dtype;
      const bool quantized = type == DType::kI8 || type == DType::kI16;
      if (quantized) ++report.moved;
      if (type != DType::kF32) continue;
      const auto known = reasons_.find(op->id());
      report.islands.push_back(
          {std::string(op->info().name), op->location().ToString(),
           known == reasons_.end() ? "its result is not quantized" : known->second});
    }
    return report;
  }

 private:
  void At(const Operation& op) { rewriter_.SetLocation(op.location()); }
  void Before(Operation& op) {
    rewriter_.SetInsertionPoint(&op);
    At(op);
  }

  // Why the operator that makes `value` is not for all places; empty: it is.
  std::string WhyNot(const Value& value) const {
    return places_ == nullptr || value.producer() == nullptr ? ""
                                                             : places_->WhyNot(*value.producer());
  }

  bool MayRewrite() const { return context_.rewrites_left > 0; }

  absl::Status Replace(Operation& op, Value* value) {
    if (value->name().empty()) rewriter_.SetName(value, op.result()->name());
    ++result_.rewrites;
    --context_.rewrites_left;
    return passes::ReplaceResults(rewriter_, op, {value});
  }

  static bool IsUnsigned(const Quantization& by) { return by.dtype == DType::kU8; }
  static Quantization Signed(const Quantization& by) {
    return {DType::kI8, by.scale, by.zero_point - kSign};
  }

  // What a rounding leaves in units of one, and others read by a scale.
  absl::Status MakeAllAsRead() {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite() || !QuantizedBy(op).has_value()) continue;
      Before(*op);
      const absl::StatusOr<Value*> made = MakeAsRead(*op, rewriter_);
      if (!made.ok()) return made.status();
      if (*made == nullptr) continue;
      if (absl::Status status = Replace(*op, *made); !status.ok()) return status;
    }
    result_.changed = result_.rewrites > 0;
    return absl::OkStatus();
  }

  // Integers that places do not make of floats.
  absl::Status RoundWhatIsNotStored() {
    return RoundWhere([&](const Stored& from) { return !Stores(from); },
                      "no integers of its type are made");
  }

  // Whether places make such integers of floats. Those of 8 bits they make in one way or another.
  bool Stores(const Stored& from) {
    if (from.by.dtype == DType::kI8 || from.by.dtype == DType::kU8) return true;
    const absl::StatusOr<Value*> made =
        MakeQuantized(from.value->producer()->operand(0), from.by, rewriter_);
    // What its definition refuses of 16 bits. Of other types none is made, but spelled out later.
    if (!made.ok()) return from.by.dtype != DType::kI16;
    const bool stored = WhyNot(**made).empty();
    rewriter_.EraseIfUnused((*made)->producer());
    return stored;
  }

  // i8 for u8, which kernels with a scale for each channel do not take: the same numbers less 128.
  absl::Status Sign() {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite() || op->results().size() != 1) continue;
      const std::optional<Quantization> by = QuantizedBy(op);
      if (by.has_value() && IsUnsigned(*by)) {
        Before(*op);
        const absl::StatusOr<Value*> stored =
            MakeToBeStored(op->operand(0), Signed(*by), rewriter_);
        if (!stored.ok()) return stored.status();
        const absl::StatusOr<Stored> back = MakeRequantized({*stored, Signed(*by)}, *by, rewriter_);
        if (!back.ok()) return back.status();
        if (absl::Status status = Replace(*op, back->value); !status.ok()) return status;
        continue;  // it is gone
      }
      const std::optional<Stored> from = DequantizedFrom(op->result());
      if (from.has_value() && IsUnsigned(from->by)) {
        Before(*op);
        // Behind what the first case has left, just its operand.
        const Operation* const made = from->value->producer();
        const bool converted = made != nullptr && made->info().dialect == kIntegers;
        absl::StatusOr<Value*> stored = converted ? made->operand(0) : nullptr;
        if (!converted) {
          const absl::StatusOr<Stored> other = MakeRequantized(*from, Signed(from->by), rewriter_);
          if (!other.ok()) return other.status();
          stored = other->value;
        }
        const absl::StatusOr<Value*> floats = MakeStandIn({*stored, Signed(from->by)}, rewriter_);
        if (!floats.ok()) return floats.status();
        if (absl::Status status = Replace(*op, *floats); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  // What is moved or chosen among and quantized then is quantized first, which is the same.
  absl::Status QuantizeEarlier() {
    std::vector<Operation*> work;
    for (Operation* op : graph_.TopologicalOrder()) {
      if (QuantizedBy(op).has_value()) work.push_back(op);
    }
    while (!work.empty() && MayRewrite()) {
      Operation* const op = work.back();
      work.pop_back();
      Operation* const before = op->operand(0)->producer();
      if (before == nullptr || before->info().dialect != kDialect ||
          before->results().size() != 1 || before->operands().empty() ||
          ir::UseCount(op->operand(0)) != 1 || DequantizedFrom(before->result()).has_value()) {
        continue;
      }
      const absl::Status status = ChoosesElements(*before) ? MovePastChoice(*op, *before, work)
                                                           : MovePast(*op, *before, work);
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

  static bool IsFloat(const Value* v) { return v != nullptr && v->type().dtype == DType::kF32; }

  // `op` quantizes what `mover` moved: a move of what is quantized.
  absl::Status MovePast(Operation& op, Operation& mover, std::vector<Operation*>& work) {
    const auto is_variable = [](const Value* v) { return IsFloat(v) && v->constant() == nullptr; };
    const auto variables =
        std::count_if(mover.operands().begin(), mover.operands().end(), is_variable);
    if (variables != 1 || !is_variable(mover.operand(0))) return absl::OkStatus();
    Before(mover);
    const Quantization by = *QuantizedBy(&op);
    const absl::StatusOr<Value*> early = MakeToBeStored(mover.operand(0), by, rewriter_);
    if (!early.ok()) return early.status();
    std::vector<Value*> operands(mover.operands().begin(), mover.operands().end());
    operands[0] = *early;
    for (Value*& operand : operands) {
      if (!IsFloat(operand)) continue;
      operand = rewriter_.CreateConstant(
          SaturatedCodesOf(*operand->constant(), by.scale, by.zero_point, by.dtype));
    }
    Before(op);
    At(mover);
    const absl::StatusOr<Operation*> moved = rewriter_.Create(
        mover.info(), std::move(operands), {mover.attrs().begin(), mover.attrs().end()});
    // Whatever computes with numbers does not take them.
    if (!moved.ok() || (*moved)->result()->type().dtype != op.result()->type().dtype ||
        !WhyNot(*(*moved)->result()).empty()) {
      rewriter_.EraseIfUnused(moved.ok() ? *moved : (*early)->producer());
      return absl::OkStatus();
    }
    work.push_back((*early)->producer());
    return Replace(op, (*moved)->result());
  }

  // A choice among what is quantized alike, unless that is what it is.
  absl::Status MovePastChoice(Operation& op, Operation& choice, std::vector<Operation*>& work) {
    std::optional<Quantization> first;
    bool alike = true;
    for (const Value* operand : choice.operands()) {
      if (!IsFloat(operand)) continue;
      if (operand->constant() != nullptr) return absl::OkStatus();
      const std::optional<Stored> stored = DequantizedFrom(operand);
      alike = alike && stored.has_value() && (!first.has_value() || *first == stored->by);
      if (stored.has_value() && !first.has_value()) first = stored->by;
    }
    if (alike) return absl::OkStatus();
    const Quantization by = *QuantizedBy(&op);
    std::vector<Value*> operands(choice.operands().begin(), choice.operands().end());
    Before(choice);
    for (Value*& operand : operands) {
      if (!IsFloat(operand)) continue;
      const absl::StatusOr<Value*> early = MakeToBeStored(operand, by, rewriter_);
      if (!early.ok()) return early.status();
      const absl::StatusOr<Value*> floats = MakeStandIn({*early, by}, rewriter_);
      if (!floats.ok()) return floats.status();
      work.push_back((*early)->producer());
      operand = *floats;
    }
    const absl::StatusOr<Operation*> chosen = rewriter_.Create(
        choice.info(), std::move(operands), {choice.attrs().begin(), choice.attrs().end()});
    if (!chosen.ok()) return chosen.status();
    Before(op);
    const absl::StatusOr<Value*> late = MakeToBeStored((*chosen)->result(), by, rewriter_);
    if (!late.ok()) return late.status();
    return Replace(op, *late);
  }

  absl::Status Compute() {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite()) break;
      if (op->results().size() != 1) continue;
      Before(*op);
      if (const std::optional<Quantization> wanted = QuantizedBy(op)) {
        if (absl::Status status = ComputeQuantized(*op, *wanted); !status.ok()) return status;
      } else if (const std::optional<Stored> moved = MakeMoved(*op, rewriter_);
                 moved.has_value() && WhyNot(*moved->value).empty()) {
        const absl::StatusOr<Value*> floats = MakeStandIn(*moved, rewriter_);
        if (!floats.ok()) return floats.status();
        if (absl::Status status = Replace(*op, *floats); !status.ok()) return status;
      }
    }
    return absl::OkStatus();
  }

  absl::Status ComputeQuantized(Operation& op, const Quantization& wanted) {
    Value* const floats = op.operand(0);
    absl::StatusOr<Stored> made = absl::UnimplementedError("");
    if (const std::optional<Stored> from = DequantizedFrom(floats)) {
      made = *from;
    } else {
      const Operation* const computed = floats->producer();
      if (computed == nullptr) return absl::OkStatus();
      if (ir::UseCount(floats) != 1) {
        reasons_[computed->id()] = "its result is also read as floats";
        return absl::OkStatus();
      }
      rewriter_.SetLocation(ir::Location::Merge({&computed->location(), &op.location()}));
      made = MakeInteger(*computed, wanted, rewriter_);
      if (!made.ok()) {
        // The first line; what follows shows the operation.
        const std::string reason(made.status().message());
        reasons_[computed->id()] = reason.substr(0, reason.find('\n'));
        return absl::OkStatus();
      }
      if (const std::string reason = WhyNot(*made->value); !reason.empty()) {
        reasons_[computed->id()] = reason;
        return absl::OkStatus();
      }
    }
    const absl::StatusOr<Stored> result = MakeRequantized(*made, wanted, rewriter_);
    // Types that the format does not convert.
    if (!result.ok()) return absl::OkStatus();
    found_ = true;
    return Replace(op, result->value);
  }

  // What is left between floats and integers.
  absl::Status Convert() {
    if (!found_) return absl::OkStatus();
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite()) break;
      if (op->results().size() != 1) continue;
      Before(*op);
      absl::StatusOr<Value*> made = absl::UnimplementedError("");
      if (const std::optional<Quantization> by = QuantizedBy(op)) {
        made = MakeQuantized(op->operand(0), *by, rewriter_);
      } else if (const std::optional<Stored> from = DequantizedFrom(op->result())) {
        made = MakeDequantized(*from, rewriter_);
      }
      if (!made.ok()) continue;  // spelled out later
      if (absl::Status status = Replace(*op, *made); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Integers that nothing computes with, and no operator makes.
  absl::Status Round() {
    return RoundWhere([](const Stored&) { return true; }, "nothing computes with the integers");
  }

  // Where floats become such integers and floats again: they are rounded to those that the integers
  // stand for, so that no integers are in the artifact, which not all places make.
  absl::Status RoundWhere(const std::function<bool(const Stored&)>& chosen,
                          const std::string& reason) {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite()) break;
      if (op->results().size() != 1) continue;
      const std::optional<Stored> from = DequantizedFrom(op->result());
      if (!from.has_value() || !QuantizedBy(from->value->producer()).has_value()) continue;
      Before(*op);
      if (!chosen(*from)) continue;
      const absl::StatusOr<Value*> made =
          MakeRounded(from->value->producer()->operand(0), from->by, rewriter_);
      if (!made.ok()) return made.status();
      reasons_[(*made)->producer()->id()] = reason;
      if (absl::Status status = Replace(*op, *made); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  // Where places do not convert as they should.
  absl::Status ConvertOtherwise() {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (op->results().size() != 1 || op->info().dialect != kIntegers ||
          WhyNot(*op->result()).empty())
        continue;
      Before(*op);
      const absl::StatusOr<Value*> made = MakeConvertedOtherwise(*op, rewriter_);
      if (!made.ok()) continue;
      if (absl::Status status = Replace(*op, *made); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  absl::Status ConvertAtOnce() {
    for (Operation* op : graph_.TopologicalOrder()) {
      if (!MayRewrite()) break;
      if (op->results().size() != 1) continue;
      Before(*op);
      const absl::StatusOr<Value*> made = MakeConvertedAtOnce(*op, rewriter_);
      if (!made.ok()) continue;
      if (absl::Status status = Replace(*op, *made); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

  ir::Graph& graph_;
  passes::PassContext& context_;
  ir::Rewriter rewriter_;
  passes::PassResult result_;
  bool found_ = false;                  // an operator over integers
  const Places* const places_;          // null: any
  std::map<int, std::string> reasons_;  // by the id of what stays in floats
};

}  // namespace

absl::StatusOr<passes::PassResult> UseIntegers(ir::Graph& graph, passes::PassContext& context,
                                               IntegersReport* report, const Places* places) {
  Integers integers(graph, context, places);
  absl::StatusOr<passes::PassResult> result = integers.Run();
  if (result.ok() && report != nullptr) {
    *report = integers.Report();
    if (report->operators == 0) *report = {};
  }
  return result;
}

}  // namespace tessera::circle
