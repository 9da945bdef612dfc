#include "targets/vulkan/program/lower.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "ir/loops.h"
#include "ir/registry.h"
#include "nests/bounds.h"
#include "nests/library.h"
#include "targets/vulkan/program/legalize.h"
#include "targets/vulkan/program/precision.h"

namespace tessera::vulkan {
namespace {

using nests::Computation;
using nests::Scalar;
using nests::TensorId;

// Every element is that of `from` at the same place.
nests::Nest CopyOf(const Program& program, int from, int to, Axes& axes) {
  const Tensor& tensor = program.tensors[static_cast<size_t>(to)];
  nests::Nest nest;
  nest.target = InProgram(to);
  std::vector<nests::Index> at;
  for (const Expr& dim : tensor.dims) {
    const Expr axis = axes.Fresh(dim);
    nest.axes.push_back({axis, dim});
    nest.at.push_back(axis);
    at.emplace_back(axis);
  }
  const nests::Number number = nests::NumberOf(program.tensors[static_cast<size_t>(from)].dtype);
  nest.body = Scalar::Cast(nests::NumberOf(tensor.dtype),
                           Scalar::Read(InProgram(from), number, std::move(at), {}));
  return nest;
}

class Lowering {
 public:
  Lowering(ir::Graph& graph, Axes& axes) : graph_(graph), axes_(axes) {}

  absl::StatusOr<Program> Run() {
    for (const ir::Value* input : graph_.inputs()) {
      program_.inputs.push_back(TensorOf(*input, Tensor::kInput));
    }
    for (const ir::Operation* op : graph_.TopologicalOrder()) {
      if (absl::Status status = Lower(*op); !status.ok())
        refusals_.push_back(RefusalOf(*op, std::string(status.message())));
    }
    if (absl::Status status = Refused(refusals_); !status.ok()) return status;
    for (size_t i = 0; i < graph_.outputs().size(); ++i) Output(*graph_.outputs()[i]);
    program_.output_names = graph_.output_names();
    return std::move(program_);
  }

 private:
  int Add(Tensor tensor) {
    program_.tensors.push_back(std::move(tensor));
    return static_cast<int>(program_.tensors.size()) - 1;
  }

  int TensorOf(const ir::Value& value, Tensor::Kind kind) {
    Tensor tensor;
    tensor.kind = kind;
    tensor.name = value.name().empty() ? absl::StrCat("%", value.id()) : value.name();
    tensor.dtype = value.type().dtype;
    tensor.dims = value.type().dims;
    return tensors_[&value] = Add(std::move(tensor));
  }

  absl::Status Lower(const ir::Operation& op) {
    if (ir::IsLoopOp(op))
      return absl::UnimplementedError(
          "a loop whose length sizes or data decide is not run on the device");
    for (const ir::Value* operand : op.operands()) {
      // Of what was refused before nothing more need be said.
      if (operand != nullptr && tensors_.count(operand) == 0) return absl::OkStatus();
    }
    if (op.payload() != nullptr) {
      const int tensor = TensorOf(*op.result(), Tensor::kConstant);
      program_.tensors[static_cast<size_t>(tensor)].constant = *op.payload();
      return absl::OkStatus();
    }
    if (&op.info() == &ir::SymbolicConstantInfo()) {
      Sizes(op);
      return absl::OkStatus();
    }
    if (op.info().role == ir::Role::kReshape && op.results().size() == 1 &&
        op.operand(0)->type().dtype == op.result()->type().dtype) {
      const int viewed = tensors_.at(op.operand(0));
      const int view = TensorOf(*op.result(), Tensor::kView);
      program_.tensors[static_cast<size_t>(view)].viewed = viewed;
      return absl::OkStatus();
    }
    return Compute(op);
  }

  void Sizes(const ir::Operation& op) {
    Tensor& sizes = program_.tensors[static_cast<size_t>(TensorOf(*op.result(), Tensor::kSizes))];
    sizes.elements = std::get<std::vector<Expr>>(op.attr(2));
  }

  absl::Status Compute(const ir::Operation& op) {
    const absl::StatusOr<Computation> computation = nests::ComputationOf(op, graph_.context());
    if (!computation.ok()) return computation.status();
    // Where the program has what the nests call operands, scratch and results.
    std::vector<int> places[3];
    for (size_t i = 0; i < computation->operands.size(); ++i) {
      const ir::Value* operand = op.operand(i);
      places[TensorId::kOperand].push_back(operand == nullptr ? -1 : tensors_.at(operand));
    }
    for (const nests::TensorInfo& temp : computation->temps) {
      Tensor tensor;
      tensor.name = absl::StrCat(op.results().empty() ? "" : op.result()->name(), ".", temp.name);
      tensor.dtype = temp.dtype;
      tensor.dims = temp.dims;
      places[TensorId::kTemp].push_back(Add(std::move(tensor)));
    }
    for (const ir::Value* result : op.results())
      places[TensorId::kResult].push_back(TensorOf(*result, Tensor::kComputed));
    bool guarded = false;
    for (const nests::Access& access : nests::CheckBounds(*computation, graph_.context()))
      guarded |= access.status == nests::Access::kOpen;

    const auto in_program = [&](TensorId id) {
      return InProgram(places[id.kind][static_cast<size_t>(id.index)]);
    };
    const std::vector<nests::Nest>& nests = computation->nests;
    for (size_t begin = 0, end = 1; begin < nests.size(); begin = end, ++end) {
      while (end < nests.size() && nests[end].order.together) ++end;
      Stage stage;
      for (size_t i = begin; i < end; ++i) {
        stage.nests.push_back(Renamed(nests[i], axes_, in_program));
        nests::Nest& nest = stage.nests.back();
        // Floats of few bits are computed in f64, and are all in f32.
        const auto is_small = [&](TensorId tensor) {
          return ir::Contains(ir::kNarrowFloatTypes,
                              program_.tensors[static_cast<size_t>(tensor.index)].dtype);
        };
        if (is_small(nest.target)) nest.body = Scalar::Cast(nests::Number::kF32, nest.body);
        nest.body = InSinglePrecision(nest.body, is_small);
      }
      stage.name = std::string(op.info().name);
      stage.location = op.location().ToString();
      stage.guarded = guarded;
      program_.stages.push_back(std::move(stage));
    }
    return absl::OkStatus();
  }

  // Outputs are read from the arena, each by a name of its own: what is an input, or an output
  // under another name already, is copied.
  void Output(const ir::Value& value) {
    const int tensor = tensors_.at(&value);
    const Tensor::Kind kind =
        program_.tensors[static_cast<size_t>(program_.StorageOf(tensor))].kind;
    const bool named = program_.tensors[static_cast<size_t>(tensor)].kind == Tensor::kInput ||
                       std::find(program_.outputs.begin(), program_.outputs.end(), tensor) !=
                           program_.outputs.end();
    if (!named && (kind == Tensor::kInput || kind == Tensor::kComputed)) {
      program_.outputs.push_back(tensor);
      return;
    }
    Tensor copy = program_.tensors[static_cast<size_t>(tensor)];
    copy.kind = Tensor::kComputed;
    copy.constant.reset();
    copy.elements.clear();
    copy.viewed = -1;
    const int to = Add(std::move(copy));
    Stage stage;
    stage.nests.push_back(CopyOf(program_, tensor, to, axes_));
    stage.name = "output";
    stage.location = program_.tensors[static_cast<size_t>(to)].name;
    program_.stages.push_back(std::move(stage));
    program_.outputs.push_back(to);
  }

  ir::Graph& graph_;
  Axes& axes_;
  Program program_;
  absl::flat_hash_map<const ir::Value*, int> tensors_;
  std::vector<std::string> refusals_;
};

}  // namespace

absl::StatusOr<Program> LowerToProgram(ir::Graph& graph, Axes& axes) {
  return Lowering(graph, axes).Run();
}

}  // namespace tessera::vulkan
