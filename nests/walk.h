// Nests carried out over any kind of element: numbers (interpret.h) or terms (equal.h).
//
// A Domain has a type `Element`, and
//   Element Literal(const Value&)
//   Element Apply(Function, Number number, std::vector<Element>)  // of the result
//   Element Convert(Number, const Element&)
//   Element Combine(Reduction, const Element&, const Element&)
//   Element Narrow(ir::DType, const Element&)      // what a tensor keeps of it, as its number type
//   std::optional<int64_t> AsIndex(const Element&)
// and, unless kIndicesAreKnown,
//   Element Choose(const Element& index, int64_t at, const Element& entry, const Element& rest)
//   void Require(const Element& index, int64_t extent)  // what must hold for anything to be
//   computed
#ifndef TESSERA_NESTS_WALK_H_
#define TESSERA_NESTS_WALK_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "nests/index_program.h"
#include "nests/nest.h"

namespace tessera::nests {

inline constexpr int64_t kMostChoices = 64;  // among the entries that an index may stand for

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
    const absl::Span<const Nest> nests = computation_.nests;
    for (size_t begin = 0, end = 1; begin < nests.size(); begin = end, ++end) {
      while (end < nests.size() && nests[end].order.together) ++end;
      if (absl::Status status = Run(nests.subspan(begin, end - begin)); !status.ok()) return status;
    }
    results = std::move(tensors_[TensorId::kResult]);
    for (size_t i = 0; i < results.size(); ++i) {
      for (Element& element : results[i])
        element = domain_.Narrow(computation_.results[i].dtype, element);
    }
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

  // A nest, ready to be run.
  struct Statement {
    const Nest* nest;
    std::vector<Loop> loops;  // those in any order
    std::optional<Loop> along;
    std::vector<IndexProgram> at;
    std::unique_ptr<Step> body;
  };

  absl::Status Prepare(const Nest& nest, Statement& statement) {
    statement.nest = &nest;
    if (absl::Status status = Open(nest.axes, statement.loops); !status.ok()) return status;
    statement.at.resize(nest.at.size());
    for (size_t d = 0; d < nest.at.size(); ++d) {
      if (absl::Status status = IndexProgram::Compile(nest.at[d], slots_, statement.at[d]);
          !status.ok())
        return status;
    }
    absl::StatusOr<std::unique_ptr<Step>> body = Compile(nest.body);
    Close(nest.axes);
    if (!body.ok()) return body.status();
    statement.body = *std::move(body);
    if (nest.order.along >= 0) {
      const auto at = statement.loops.begin() + nest.order.along;
      statement.along = std::move(*at);
      statement.loops.erase(at);
    }
    return absl::OkStatus();
  }

  // Nests that advance together, or one alone.
  absl::Status Run(absl::Span<const Nest> nests) {
    std::vector<Statement> statements(nests.size());
    for (size_t i = 0; i < nests.size(); ++i) {
      if (absl::Status status = Prepare(nests[i], statements[i]); !status.ok()) return status;
    }
    const std::optional<Loop>& along = statements[0].along;
    const int64_t positions = along.has_value() ? along->extent.Run(values_) : 1;
    for (int64_t position = 0; position < positions; ++position) {
      for (const Statement& statement : statements) {
        if (statement.along.has_value())
          values_[statement.along->slot] =
              statement.nest->order.reverse ? positions - 1 - position : position;
        Execute(statement);
      }
    }
    return status_;
  }

  void Execute(const Statement& statement) {
    const TensorId id = statement.nest->target;
    const TensorInfo& target = computation_.At(id);
    std::vector<Element>& elements = tensors_[id.kind][static_cast<size_t>(id.index)];
    const std::vector<int64_t>& shape = ShapeOf(id);
    Each(statement.loops, 0, [&] {
      int64_t offset = 0;
      for (size_t d = 0; d < statement.at.size(); ++d) {
        const int64_t index = statement.at[d].Run(values_);
        if (index < 0 || index >= shape[d]) return Outside(target, d, index, shape[d], "written");
        offset = offset * shape[d] + index;
      }
      elements[static_cast<size_t>(offset)] = Evaluate(*statement.body);
    });
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
        if constexpr (!Domain::kIndicesAreKnown) {
          if (!index.has_value() && guarded_ && status_.ok())
            status_ = absl::FailedPreconditionError("an index that is not known, at times");
          if (!index.has_value()) domain_.Require(element, extent);
        }
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

  // An index of a read: a number, or an element that must choose.
  struct Where {
    std::optional<int64_t> known;
    Element data = {};
  };

  Element Read(const Step& step) {
    const ScalarNode& node = *step.node;
    const TensorInfo& tensor = computation_.At(node.tensor);
    const std::vector<int64_t>& shape = ShapeOf(node.tensor);
    std::vector<Where> at;
    bool known = true, outside = false;
    int64_t offset = 0, choices = 1;
    for (size_t d = 0; d < step.at.size(); ++d) {
      Where where;
      if (step.data[d] == nullptr) {
        where.known = step.at[d].Run(values_);
      } else {
        where.data = Evaluate(*step.data[d]);
        where.known = domain_.AsIndex(where.data);
      }
      if (!where.known.has_value()) {
        known = false;
        choices *= shape[d];
      } else if (*where.known < 0 || *where.known >= shape[d]) {
        if (step.args.empty()) Outside(tensor, d, *where.known, shape[d], "read");
        outside = true;
      } else {
        offset = offset * shape[d] + *where.known;
      }
      at.push_back(std::move(where));
    }
    if (outside)
      return step.args.empty() ? domain_.Literal(Value::OfInt(node.number, 0))
                               : Evaluate(*step.args[0]);
    const std::vector<Element>& elements =
        tensors_[node.tensor.kind][static_cast<size_t>(node.tensor.index)];
    if (known) return elements[static_cast<size_t>(offset)];
    if constexpr (!Domain::kIndicesAreKnown) {
      const bool conditional = !step.args.empty();
      if (choices <= kMostChoices && (choices > 0 || conditional) && !guarded_) {
        std::optional<Element> otherwise;
        guarded_ = conditional;  // what is required there is not required everywhere
        if (conditional) otherwise = Evaluate(*step.args[0]);
        guarded_ = false;
        for (size_t d = 0; d < at.size() && !conditional; ++d) {
          if (!at[d].known.has_value()) domain_.Require(at[d].data, shape[d]);
        }
        return Among(at, shape, elements, otherwise, 0, 0);
      }
    }
    if (status_.ok())
      status_ = absl::FailedPreconditionError(
          absl::StrCat("`", tensor.name, "` is read at an index that is not known"));
    return domain_.Literal(Value::OfInt(node.number, 0));
  }

  // The entry that the indices from axis d on choose; `otherwise`, if there is one, outside.
  Element Among(const std::vector<Where>& at, const std::vector<int64_t>& shape,
                const std::vector<Element>& elements, const std::optional<Element>& otherwise,
                size_t d, int64_t offset) {
    if (d == at.size()) return elements[static_cast<size_t>(offset)];
    const auto entry = [&](int64_t k) {
      return Among(at, shape, elements, otherwise, d + 1, offset * shape[d] + k);
    };
    if (at[d].known.has_value()) return entry(*at[d].known);
    // It lies within the tensor, so that what is not any other entry is the last one.
    const bool last = !otherwise.has_value();
    Element chosen = last ? entry(shape[d] - 1) : *otherwise;
    for (int64_t k = shape[d] - (last ? 2 : 1); k >= 0; --k)
      chosen = domain_.Choose(at[d].data, k, entry(k), chosen);
    return chosen;
  }

  const Computation& computation_;
  Domain& domain_;
  Slots slots_;
  std::vector<int64_t> values_;
  std::vector<std::vector<Element>> tensors_[3];
  std::vector<std::vector<int64_t>> shapes_[3];
  absl::Status status_;
  bool guarded_ = false;  // within what is computed for some inputs only
};

}  // namespace tessera::nests

#endif  // TESSERA_NESTS_WALK_H_
