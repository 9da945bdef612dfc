// Nests carried out over any kind of element: numbers (interpret.h) or terms (equal.h).
//
// A Domain has a type `Element`, and
//   Element Literal(const Value&)
//   Element Apply(Function, Number number, std::vector<Element>)  // of the result
//   Element Convert(Number, const Element&)
//   Element Combine(Reduction, const Element&, const Element&)
//   Element Narrow(ir::DType, const Element&)      // what a tensor keeps of it, as its number type
//   std::optional<int64_t> AsIndex(const Element&)
//   Element ReadAt(const std::vector<Element>& tensor, ...)  is not needed: an index that is data
//     must be known as a number.
#ifndef TESSERA_NESTS_WALK_H_
#define TESSERA_NESTS_WALK_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "nests/index_program.h"
#include "nests/nest.h"

namespace tessera::nests {

template <class Domain>
class Walker {
 public:
  using Element = typename Domain::Element;

  // `sizes` gives values to the symbols that the computation's sizes contain.
  Walker(const Computation& computation, Domain& domain, const solver::Assignment& sizes)
      : computation_(computation), domain_(domain) {
    for (const auto& [name, value] : sizes) {
      const size_t slot = slots_.Open(name);
      Slot(slot) = value;
    }
  }

  // `operands` hold the elements in row-major order; those of absent ones are not looked at. The
  // elements of the results.
  absl::Status Run(std::vector<std::vector<Element>> operands,
                   std::vector<std::vector<Element>>& results) {
    tensors_[TensorId::kOperand] = std::move(operands);
    tensors_[TensorId::kTemp].resize(computation_.temps.size());
    tensors_[TensorId::kResult].resize(computation_.results.size());
    const std::vector<TensorInfo>* infos[] = {&computation_.operands, &computation_.temps,
                                              &computation_.results};
    for (size_t kind = 0; kind < 3; ++kind) {
      shapes_[kind].resize(infos[kind]->size());
      for (size_t i = 0; i < infos[kind]->size(); ++i) {
        int64_t count = 1;
        for (const Expr& dim : (*infos[kind])[i].dims) {
          IndexProgram size;
          if (absl::Status status = IndexProgram::Compile(dim, slots_, size); !status.ok())
            return status;
          shapes_[kind][i].push_back(size.Run(values_));
          count *= shapes_[kind][i].back();
        }
        if (kind != TensorId::kOperand)
          tensors_[kind][i].assign(static_cast<size_t>(count),
                                   domain_.Literal(Value::OfInt(Number::kI64, 0)));
      }
    }
    for (const Nest& nest : computation_.nests) {
      if (absl::Status status = Run(nest); !status.ok()) return status;
    }
    results = std::move(tensors_[TensorId::kResult]);
    return absl::OkStatus();
  }
  const std::vector<int64_t>& ShapeOf(TensorId id) const {
    return shapes_[id.kind][static_cast<size_t>(id.index)];
  }

 private:
  struct Loop {
    size_t slot;
    IndexProgram extent;
  };
  struct Step {
    const ScalarNode* node;
    IndexProgram index;
    std::vector<IndexProgram> at;
    std::vector<std::unique_ptr<Step>> data;  // null: the program says it
    std::vector<Loop> loops;
    std::vector<std::unique_ptr<Step>> args;
    std::optional<Element> literal;
  };

  int64_t& Slot(size_t slot) {
    if (values_.size() <= slot) values_.resize(slot + 1, 0);
    return values_[slot];
  }

  absl::Status Open(const std::vector<Axis>& axes, std::vector<Loop>& loops) {
    for (const Axis& axis : axes) {
      Loop loop;
      if (absl::Status status = IndexProgram::Compile(axis.extent, slots_, loop.extent);
          !status.ok())
        return status;
      loop.slot = slots_.Open(std::string(solver::View(axis.symbol).symbol()));
      Slot(loop.slot) = 0;
      loops.push_back(std::move(loop));
    }
    return absl::OkStatus();
  }
  void Close(const std::vector<Axis>& axes) {
    for (const Axis& axis : axes) slots_.Close(std::string(solver::View(axis.symbol).symbol()));
  }

  absl::StatusOr<std::unique_ptr<Step>> Compile(const Scalar& scalar) {
    auto step = std::make_unique<Step>();
    step->node = &*scalar;
    if (scalar->kind == ScalarNode::kLiteral) step->literal = domain_.Literal(scalar->literal);
    if (scalar->kind == ScalarNode::kIndex || scalar->kind == ScalarNode::kChoose ||
        scalar->kind == ScalarNode::kWithin) {
      if (absl::Status status = IndexProgram::Compile(scalar->index, slots_, step->index);
          !status.ok())
        return status;
    }
    for (const Index& index : scalar->at) {
      IndexProgram program;
      std::unique_ptr<Step> data;
      if (index.data.IsNone()) {
        if (absl::Status status = IndexProgram::Compile(index.expr, slots_, program); !status.ok())
          return status;
      } else {
        absl::StatusOr<std::unique_ptr<Step>> compiled = Compile(index.data);
        if (!compiled.ok()) return compiled;
        data = *std::move(compiled);
      }
      step->at.push_back(std::move(program));
      step->data.push_back(std::move(data));
    }
    if (absl::Status status = Open(scalar->axes, step->loops); !status.ok()) return status;
    for (const Scalar& arg : scalar->args) {
      absl::StatusOr<std::unique_ptr<Step>> compiled = Compile(arg);
      if (!compiled.ok()) return compiled;
      step->args.push_back(*std::move(compiled));
    }
    Close(scalar->axes);
    return step;
  }

  // Calls `body` for every point of the loops, in row-major order.
  template <class F>
  void Each(const std::vector<Loop>& loops, size_t from, F body) {
    if (!status_.ok()) return;
    if (from == loops.size()) {
      body();
      return;
    }
    const int64_t extent = loops[from].extent.Run(values_);
    for (int64_t i = 0; i < extent; ++i) {
      values_[loops[from].slot] = i;
      Each(loops, from + 1, body);
    }
  }

  absl::Status Run(const Nest& nest) {
    std::vector<Loop> loops;
    if (absl::Status status = Open(nest.axes, loops); !status.ok()) return status;
    std::vector<IndexProgram> at(nest.at.size());
    for (size_t d = 0; d < at.size(); ++d) {
      if (absl::Status status = IndexProgram::Compile(nest.at[d], slots_, at[d]); !status.ok())
        return status;
    }
    absl::StatusOr<std::unique_ptr<Step>> body = Compile(nest.body);
    Close(nest.axes);
    if (!body.ok()) return body.status();
    const TensorInfo& target = computation_.At(nest.target);
    std::vector<Element>& elements =
        tensors_[nest.target.kind][static_cast<size_t>(nest.target.index)];
    const std::vector<int64_t>& shape = ShapeOf(nest.target);
    Each(loops, 0, [&] {
      int64_t offset = 0;
      for (size_t d = 0; d < at.size(); ++d) {
        const int64_t index = at[d].Run(values_);
        if (index < 0 || index >= shape[d]) return Outside(target, d, index, shape[d], "written");
        offset = offset * shape[d] + index;
      }
      Element element = Evaluate(**body);
      elements[static_cast<size_t>(offset)] = nest.target.kind == TensorId::kTemp
                                                  ? std::move(element)
                                                  : domain_.Narrow(target.dtype, element);
    });
    return status_;
  }

  void Outside(const TensorInfo& tensor, size_t axis, int64_t index, int64_t size,
               std::string_view what) {
    if (status_.ok())
      status_ = absl::OutOfRangeError(absl::StrCat("`", tensor.name, "` is ", std::string(what),
                                                   " at ", index, " of axis ", axis, ", which has ",
                                                   size, " entries"));
  }

  Element Evaluate(const Step& step) {
    const ScalarNode& node = *step.node;
    switch (node.kind) {
      case ScalarNode::kLiteral:
        return *step.literal;
      case ScalarNode::kIndex:
        return domain_.Literal(Value::OfInt(node.number, step.index.Run(values_)));
      case ScalarNode::kRead:
        return Read(step);
      case ScalarNode::kChoose:
        return Evaluate(*step.args[step.index.Run(values_) != 0 ? 0 : 1]);
      case ScalarNode::kCast:
        return domain_.Convert(node.number, Evaluate(*step.args[0]));
      case ScalarNode::kCall: {
        std::vector<Element> args;
        args.reserve(step.args.size());
        for (const auto& arg : step.args) args.push_back(Evaluate(*arg));
        return domain_.Apply(node.function, node.number, std::move(args));
      }
      case ScalarNode::kWithin: {
        Element element = Evaluate(*step.args[0]);
        const std::optional<int64_t> index = domain_.AsIndex(element);
        const int64_t extent = step.index.Run(values_);
        if (index.has_value() && (*index < 0 || *index >= extent) && status_.ok())
          status_ =
              absl::OutOfRangeError(absl::StrCat("index ", *index, " outside an axis of ", extent));
        return element;
      }
      case ScalarNode::kReduce:
        break;
    }
    std::optional<Element> sum;
    // Sums begin with 0 (which decides the sign of a sum of -0), extremes with their first term.
    const bool extreme = node.reduction == Reduction::kMin || node.reduction == Reduction::kMax;
    if (!extreme) sum = domain_.Literal(node.literal);
    Each(step.loops, 0, [&] {
      for (const auto& arg : step.args) {
        const Element term = Evaluate(*arg);
        sum = sum.has_value() ? domain_.Combine(node.reduction, *sum, term) : term;
      }
    });
    return sum.has_value() ? *sum : domain_.Literal(node.literal);
  }

  Element Read(const Step& step) {
    const ScalarNode& node = *step.node;
    const TensorInfo& tensor = computation_.At(node.tensor);
    const std::vector<int64_t>& shape = ShapeOf(node.tensor);
    int64_t offset = 0;
    for (size_t d = 0; d < step.at.size(); ++d) {
      std::optional<int64_t> index;
      if (step.data[d] == nullptr) {
        index = step.at[d].Run(values_);
      } else {
        index = domain_.AsIndex(Evaluate(*step.data[d]));
        if (!index.has_value()) {
          if (status_.ok())
            status_ = absl::FailedPreconditionError(
                absl::StrCat("`", tensor.name, "` is read at an index that is not known"));
          return domain_.Literal(Value::OfInt(node.number, 0));
        }
      }
      if (*index < 0 || *index >= shape[d]) {
        if (!step.args.empty()) return Evaluate(*step.args[0]);
        Outside(tensor, d, *index, shape[d], "read");
        return domain_.Literal(Value::OfInt(node.number, 0));
      }
      offset = offset * shape[d] + *index;
    }
    return tensors_[node.tensor.kind][static_cast<size_t>(node.tensor.index)]
                   [static_cast<size_t>(offset)];
  }

  const Computation& computation_;
  Domain& domain_;
  Slots slots_;
  std::vector<int64_t> values_;
  std::vector<std::vector<Element>> tensors_[3];
  std::vector<std::vector<int64_t>> shapes_[3];
  absl::Status status_;
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_WALK_H_
