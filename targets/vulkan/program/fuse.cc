#include "targets/vulkan/program/fuse.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/program/rounds.h"

namespace tessera::vulkan {
namespace {

using nests::Nest;
using nests::Scalar;
using nests::ScalarNode;

constexpr size_t kMostTensors = 12;  // that one stage binds; devices bind some more
// Scalars of a body, each as often as it is met: beyond that bodies that read one value twice, put
// into one another, would double each time.
constexpr size_t kMostScalars = 4096;
// Of a body: branches in branches of a long chain of pads take the validator of shaders, and
// drivers, a time that grows with their square.
constexpr size_t kMostBranches = 32;
// Of a body, functions that take long, and are branches too: beside so many of them what lies in
// between takes no time to store and to load.
constexpr size_t kMostCostly = 32;

// Of a function's loop within a reduction: drivers that count rounds count those of all its terms.
constexpr int64_t kMostRounds = 8;

// What a body does besides reading.
struct Work {
  bool reduces = false, computes = false, looks_up = false;
  bool loops = false;  // in functions, for long
  size_t costly = 0;   // functions that take longer than to store their value and load it again
  size_t reads = 0, scalars = 0, branches = 0;
};

bool IsCostly(nests::Function function) {
  return function == nests::Function::kPow || function == nests::Function::kFmod ||
         function == nests::Function::kPyMod ||
         (function >= nests::Function::kLog && function <= nests::Function::kErf);
}

void AddWork(const Scalar& scalar, Work& work) {
  ++work.scalars;
  switch (scalar->kind) {
    case ScalarNode::kReduce:
      work.reduces = true;
      break;
    case ScalarNode::kCall:
      work.computes = true;
      if (IsCostly(scalar->function)) ++work.costly;
      work.loops |= RoundsOf(scalar->function, scalar->args[0]->number) > kMostRounds;
      break;
    case ScalarNode::kWithin:
      work.looks_up = true;
      break;
    case ScalarNode::kChoose:
      ++work.branches;
      break;
    case ScalarNode::kRead:
      ++work.reads;
      if (!scalar->args.empty()) ++work.branches;  // what lies outside
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

// The places at which a body reads the tensor, each once where one computation serves all reads of
// it: those that are met whatever indices are. A read in a branch, or in the place of another that
// lies outside, is a place of its own.
class Places {
 public:
  explicit Places(nests::TensorId tensor) : tensor_(tensor) {}
  void Add(const Scalar& scalar, bool always = true) {
    for (const nests::Index& index : scalar->at) {
      if (!index.data.IsNone()) Add(index.data, always);
    }
    if (scalar->kind == ScalarNode::kRead && scalar->tensor == tensor_) {
      const auto same = [&](const ScalarNode* other) {
        return other->at == scalar->at && other->number == scalar->number &&
               other->args == scalar->args;
      };
      if (!always || std::none_of(met_.begin(), met_.end(), same)) ++count_;
      if (always) met_.push_back(&*scalar);
    }
    const bool branches = scalar->kind == ScalarNode::kChoose || scalar->kind == ScalarNode::kRead;
    for (const Scalar& arg : scalar->args) Add(arg, always && !branches);
  }
  size_t count() const { return count_; }

 private:
  nests::TensorId tensor_;
  std::vector<const ScalarNode*> met_;
  size_t count_ = 0;
};

// Reads of as many elements as the nest has points: all others are of rows, channels, numbers.
size_t LargeReads(const Nest& nest) {
  std::set<std::pair<int, std::string>> large;
  EachRead(nest.body, [&](const ScalarNode& read, int) {
    std::string text;
    std::set<std::string> symbols;
    for (const nests::Index& index : read.at) {
      for (std::string& symbol : solver::SymbolsOf(index.expr)) symbols.insert(std::move(symbol));
      absl::StrAppend(&text, index.expr.ToString(), ",");
    }
    const bool all = std::all_of(nest.axes.begin(), nest.axes.end(), [&](const nests::Axis& axis) {
      return axis.extent == Expr(1) || symbols.count(axis.symbol.ToString()) != 0;
    });
    if (all) large.emplace(read.tensor.index, std::move(text));
  });
  return large.size();
}

// One that stores what it computes as it is: nothing is narrowed.
bool IsStoredExactly(ir::DType dtype) {
  return dtype == ir::DType::kF32 || dtype == ir::DType::kF64 || dtype == ir::DType::kI64 ||
         dtype == ir::DType::kU64 || dtype == ir::DType::kBool;
}

// The one of `axes` that an index is, up to a factor and what does not vary; null: it is no such.
const nests::Axis* AxisOf(const std::vector<nests::Axis>& axes, const nests::Index& index) {
  if (!index.data.IsNone()) return nullptr;
  const auto find = [&](const Expr& e) -> const nests::Axis* {
    for (const nests::Axis& axis : axes) {
      if (axis.symbol == e) return &axis;
    }
    return nullptr;
  };
  const solver::View view(index.expr);
  if (view.kind() != solver::ExprKind::kSum) return find(index.expr);
  const nests::Axis* only = nullptr;
  for (size_t i = 0; i < view.size(); ++i) {
    const std::vector<std::string> symbols = solver::SymbolsOf(view.child(i));
    const bool varies = std::any_of(axes.begin(), axes.end(), [&](const auto& axis) {
      return std::find(symbols.begin(), symbols.end(), axis.symbol.ToString()) != symbols.end();
    });
    if (!varies) continue;
    if (only != nullptr || find(view.child(i)) == nullptr) return nullptr;
    only = find(view.child(i));
  }
  return only;
}

// Each point of the axes reads another element.
bool ReadsEachOnce(const Nest& producer, const std::vector<nests::Axis>& axes,
                   const ScalarNode& read) {
  std::set<const nests::Axis*> used;
  for (size_t d = 0; d < producer.axes.size(); ++d) {
    if (producer.axes[d].extent == Expr(1)) continue;
    const nests::Axis* axis = AxisOf(axes, read.at[d]);
    if (axis == nullptr || !used.insert(axis).second) return false;
  }
  return std::all_of(axes.begin(), axes.end(), [&](const nests::Axis& axis) {
    return axis.extent == Expr(1) || used.count(&axis) != 0;
  });
}

// That reductions of `scalar` read each element that `producer` yields once, as sums of rows do,
// and convolutions do not.
bool ReducesEachOnce(const Nest& producer, const Scalar& scalar, std::vector<nests::Axis> axes,
                     bool within = false) {
  const auto data = [](const nests::Index& index) { return !index.data.IsNone(); };
  if (scalar->kind == ScalarNode::kRead && scalar->tensor == producer.target && within &&
      (std::any_of(scalar->at.begin(), scalar->at.end(), data) ||
       !ReadsEachOnce(producer, axes, *scalar)))
    return false;
  axes.insert(axes.end(), scalar->axes.begin(), scalar->axes.end());
  within |= scalar->kind == ScalarNode::kReduce;
  return std::all_of(scalar->args.begin(), scalar->args.end(), [&](const Scalar& arg) {
    return ReducesEachOnce(producer, arg, axes, within);
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
    for (size_t s = 0; s < program_.stages.size(); ++s) open_.insert(s);
    while (!open_.empty()) {
      const size_t s = *open_.begin();
      open_.erase(open_.begin());
      if (CanLeave(s)) PutIntoReaders(s);
    }
    std::erase_if(program_.stages, [](const Stage& stage) { return stage.nests.empty(); });
  }

 private:
  void Count() {
    writers_.assign(program_.tensors.size(), 0);
    last_writer_.assign(program_.tensors.size(), 0);
    readers_.assign(program_.tensors.size(), {});
    for (size_t s = 0; s < program_.stages.size(); ++s) {
      for (const Nest& nest : program_.stages[s].nests) {
        ++writers_[static_cast<size_t>(nest.target.index)];
        last_writer_[static_cast<size_t>(nest.target.index)] = s;
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
    // More readers than one would each read all that this one reads, and compute it again: that is
    // less than to write it, and read it, where little is read besides a tensor of its size.
    return sites == 1 ||
           (!work.reduces &&
            (work.reads <= 1 || (work.costly == 0 && !work.looks_up && LargeReads(nest) <= 1)));
  }

  // Whether a stage may have the body in the place of its reads, which `sites` counts.
  bool Takes(const Nest& producer, const Work& work, const Stage& reader, size_t& sites) const {
    if (reader.IsRecurrence()) return false;
    const Nest& nest = reader.nests.front();
    bool takes = true;
    Work own;
    AddWork(nest.body, own);
    Places places(producer.target);
    places.Add(nest.body);
    sites += places.count();
    std::set<int> tensors = {nest.target.index};
    size_t reads = 0;
    const bool once = !work.looks_up && !work.reduces && !work.loops &&
                      ReducesEachOnce(producer, nest.body, nest.axes);
    const auto note = [&](const ScalarNode& read, int) { tensors.insert(read.tensor.index); };
    EachRead(producer.body, note);
    EachRead(nest.body, note);
    EachRead(nest.body, [&](const ScalarNode& read, int depth) {
      if (read.tensor != producer.target) return;
      ++reads;
      const bool known = std::all_of(read.at.begin(), read.at.end(),
                                     [](const nests::Index& i) { return i.data.IsNone(); });
      takes &= known;
      if (work.computes || work.looks_up) takes &= depth == 0 || once;
      if (work.reduces)
        takes &= depth == 0 && !own.reduces && ReadsEachOnce(producer, nest.axes, read);
    });
    return takes && tensors.size() <= kMostTensors &&
           own.scalars + reads * work.scalars <= kMostScalars &&
           own.branches + reads * work.branches <= std::max(kMostBranches, own.branches) &&
           own.costly + reads * work.costly <= std::max(kMostCostly, own.costly);
  }

  void PutIntoReaders(size_t s) {
    Stage stage = std::move(program_.stages[s]);
    program_.stages[s].nests.clear();
    const Nest& producer = stage.nests.front();
    const size_t target = static_cast<size_t>(producer.target.index);
    for (size_t reader : readers_[target]) {
      Stage& into = program_.stages[reader];
      Rewrite rewrite;
      // What is read at one place several times is one scalar, and computed once.
      std::vector<std::pair<Scalar, Scalar>> filled;
      rewrite.read = [&](const ScalarNode& read, std::vector<nests::Index> at, Scalar otherwise) {
        Scalar same = Scalar::Read(read.tensor, read.number, at, otherwise);
        if (read.tensor != producer.target) return same;
        for (const auto& [known, body] : filled) {
          if (known == same) return body;
        }
        Scalar body = Filled(producer, read.number, at, otherwise);
        filled.emplace_back(std::move(same), body);
        return body;
      };
      into.nests.front().body = Rewritten(into.nests.front().body, rewrite);
      into.name = absl::StrCat(stage.name, " + ", into.name);
      into.guarded |= stage.guarded;
      NoteReads(into.nests.front(), reader);
    }
    EachRead(producer.body, [&](const ScalarNode& read, int) {
      const size_t tensor = static_cast<size_t>(read.tensor.index);
      readers_[tensor].erase(s);
      // Two that read it may have become one.
      if (writers_[tensor] == 1) open_.insert(last_writer_[tensor]);
    });
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
  std::set<size_t> open_;                  // stages that have not been looked at as they are now
  std::vector<int> writers_;               // by tensor
  std::vector<size_t> last_writer_;        // by tensor: stage
  std::vector<std::set<size_t>> readers_;  // by tensor: stages
};

}  // namespace

void Fuse(Program& program, Axes& axes) { Fusion(program, axes).Run(); }

}  // namespace tessera::vulkan
