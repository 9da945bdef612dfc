#include "targets/vulkan/program/fuse.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {
namespace {

using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

constexpr size_t kMostTensors = 12;  // that one stage binds; devices bind some more

// What a body does besides reading.
struct Work {
  bool reduces = false, computes = false, looks_up = false;
  size_t reads = 0;
};

void AddWork(const Scalar& scalar, Work& work) {
  switch (scalar->kind) {
    case ScalarNode::kReduce:
      work.reduces = true;
      break;
    case ScalarNode::kCall:
      work.computes = true;
      break;
    case ScalarNode::kWithin:
      work.looks_up = true;
      break;
    case ScalarNode::kRead:
      ++work.reads;
      break;
    default:
      break;
  }
  for (const nests::Index& index : scalar->at) {
    if (index.data.IsNone()) continue;
    work.looks_up = true;
    AddWork(index.data, work);
  }
  for (const Scalar& arg : scalar->args) AddWork(arg, work);
}

// One that stores what it computes as it is: nothing is narrowed.
bool IsStoredExactly(ir::DType dtype) {
  return dtype == ir::DType::kF32 || dtype == ir::DType::kF64 || dtype == ir::DType::kI64 ||
         dtype == ir::DType::kU64 || dtype == ir::DType::kBool;
}

// The axis of `reader` that an index is, up to a factor and what does not vary; null: it is no
// such.
const nests::Axis* AxisOf(const Nest& reader, const nests::Index& index) {
  if (!index.data.IsNone()) return nullptr;
  const auto find = [&](const Expr& e) -> const nests::Axis* {
    for (const nests::Axis& axis : reader.axes) {
      if (axis.symbol == e) return &axis;
    }
    return nullptr;
  };
  const solver::View view(index.expr);
  if (view.kind() != solver::ExprKind::kSum) return find(index.expr);
  const nests::Axis* only = nullptr;
  for (size_t i = 0; i < view.size(); ++i) {
    const std::vector<std::string> symbols = solver::SymbolsOf(view.child(i));
    const bool varies = std::any_of(reader.axes.begin(), reader.axes.end(), [&](const auto& axis) {
      return std::find(symbols.begin(), symbols.end(), axis.symbol.ToString()) != symbols.end();
    });
    if (!varies) continue;
    if (only != nullptr || find(view.child(i)) == nullptr) return nullptr;
    only = find(view.child(i));
  }
  return only;
}

// Each point of `reader` reads another element.
bool ReadsEachOnce(const Nest& producer, const Nest& reader, const ScalarNode& read) {
  std::set<const nests::Axis*> used;
  for (size_t d = 0; d < producer.axes.size(); ++d) {
    if (producer.axes[d].extent == Expr(1)) continue;
    const nests::Axis* axis = AxisOf(reader, read.at[d]);
    if (axis == nullptr || !used.insert(axis).second) return false;
  }
  return std::all_of(reader.axes.begin(), reader.axes.end(), [&](const nests::Axis& axis) {
    return axis.extent == Expr(1) || used.count(&axis) != 0;
  });
}

class Fusion {
 public:
  Fusion(Program& program, Axes& axes) : program_(program), axes_(axes) {}

  void Run() {
    for (const Tensor& tensor : program_.tensors) {
      if (tensor.kind == Tensor::kView) kept_.insert(tensor.viewed);
    }
    kept_.insert(program_.outputs.begin(), program_.outputs.end());
    Count();
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      if (CanLeave(s)) PutIntoReaders(s);
    }
    std::erase_if(program_.stages, [](const Stage& stage) { return stage.nests.empty(); });
  }

 private:
  void Count() {
    writers_.assign(program_.tensors.size(), 0);
    readers_.assign(program_.tensors.size(), {});
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      for (const Nest& nest : program_.stages[s].nests) {
        ++writers_[static_cast<size_t>(nest.target.index)];
        NoteReads(nest, s);
      }
    }
  }
  void NoteReads(const Nest& nest, size_t stage) {
    EachRead(nest.body, [&](const ScalarNode& read, int) {
      readers_[static_cast<size_t>(read.tensor.index)].insert(stage);
    });
  }

  // A stage that defines one tensor, element by element, and may be read as a scalar.
  bool CanLeave(size_t s) const {
    const Stage& stage = program_.stages[s];
    if (stage.nests.size() != 1 || stage.IsRecurrence()) return false;
    const Nest& nest = stage.nests.front();
    const size_t target = static_cast<size_t>(nest.target.index);
    if (writers_[target] != 1 || kept_.count(nest.target.index) != 0 || readers_[target].empty() ||
        !IsStoredExactly(program_.tensors[target].dtype))
      return false;
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      if (nest.at[d] != nest.axes[d].symbol) return false;
    }
    Work work;
    AddWork(nest.body, work);
    size_t sites = 0;
    for (size_t reader : readers_[target]) {
      if (!Takes(nest, work, program_.stages[reader], sites)) return false;
    }
    // More readers than one would each read all that this one reads.
    return sites == 1 || (!work.reduces && work.reads <= 1);
  }

  // Whether a stage may have the body in the place of its reads, which `sites` counts.
  bool Takes(const Nest& producer, const Work& work, const Stage& reader, size_t& sites) const {
    if (reader.IsRecurrence()) return false;
    const Nest& nest = reader.nests.front();
    bool takes = true;
    Work own;
    AddWork(nest.body, own);
    std::set<int> tensors = {nest.target.index};
    const auto note = [&](const ScalarNode& read, int) { tensors.insert(read.tensor.index); };
    EachRead(producer.body, note);
    EachRead(nest.body, note);
    EachRead(nest.body, [&](const ScalarNode& read, int depth) {
      if (read.tensor != producer.target) return;
      ++sites;
      const bool known = std::all_of(read.at.begin(), read.at.end(),
                                     [](const nests::Index& i) { return i.data.IsNone(); });
      takes &= known;
      if (work.computes || work.looks_up) takes &= depth == 0;
      if (work.reduces) takes &= depth == 0 && !own.reduces && ReadsEachOnce(producer, nest, read);
    });
    return takes && tensors.size() <= kMostTensors;
  }

  void PutIntoReaders(size_t s) {
    Stage stage = std::move(program_.stages[s]);
    program_.stages[s].nests.clear();
    const Nest& producer = stage.nests.front();
    const size_t target = static_cast<size_t>(producer.target.index);
    for (size_t reader : readers_[target]) {
      Stage& into = program_.stages[reader];
      Rewrite rewrite;
      rewrite.read = [&](const ScalarNode& read, std::vector<nests::Index> at, Scalar otherwise) {
        if (read.tensor != producer.target)
          return Scalar::Read(read.tensor, read.number, std::move(at), std::move(otherwise));
        return Filled(producer, read.number, at, otherwise);
      };
      into.nests.front().body = Rewritten(into.nests.front().body, rewrite);
      into.name = absl::StrCat(stage.name, " + ", into.name);
      into.guarded |= stage.guarded;
      NoteReads(into.nests.front(), reader);
    }
    for (std::set<size_t>& readers : readers_) readers.erase(s);
    readers_[target].clear();
    writers_[target] = 0;
  }

  // The body at these indices.
  Scalar Filled(const Nest& producer, nests::Number number, const std::vector<nests::Index>& at,
                const Scalar& otherwise) {
    const Tensor& tensor = program_.tensors[static_cast<size_t>(producer.target.index)];
    Rewrite rewrite;
    rewrite.axes = &axes_;
    Expr inside = 1;
    for (size_t d = 0; d < at.size(); ++d) {
      rewrite.symbols[std::string(solver::View(producer.axes[d].symbol).symbol())] = at[d].expr;
      inside = solver::And(
          inside, solver::And(solver::Ge(at[d].expr, 0), solver::Lt(at[d].expr, tensor.dims[d])));
    }
    const Scalar body = Scalar::Cast(
        number, Scalar::Cast(nests::NumberOf(tensor.dtype), Rewritten(producer.body, rewrite)));
    return otherwise.IsNone() ? body : Scalar::Choose(inside, body, otherwise);
  }

  Program& program_;
  Axes& axes_;
  std::set<int> kept_;                     // tensors that must be in memory
  std::vector<int> writers_;               // by tensor
  std::vector<std::set<size_t>> readers_;  // by tensor: stages
};

}  // namespace

void Fuse(Program& program, Axes& axes) { Fusion(program, axes).Run(); }

}  // namespace tessera::vulkan
