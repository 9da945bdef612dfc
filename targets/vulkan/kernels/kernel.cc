#include "targets/vulkan/kernels/kernel.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/code.h"
#include "targets/vulkan/kernels/frame.h"
#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/shader_kernel.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/program/row_memory.h"
#include "targets/vulkan/program/rows.h"

namespace tessera::vulkan {
namespace {

constexpr int kWorkgroup = 64;  // unless a stage says otherwise

Expr PointsOf(const std::vector<nests::Axis>& axes, const std::vector<int64_t>& tiles) {
  Expr points = 1;
  for (size_t i = 0; i < axes.size(); ++i)
    points *= tiles[i] == 1 ? axes[i].extent : solver::CeilDiv(axes[i].extent, tiles[i]);
  return points;
}

class Writer {
 public:
  Writer(const Program& program, const Stage& stage)
      : program_(program),
        stage_(stage),
        frame_(program, stage),
        index_(code_),
        scalars_(program, code_, index_,
                 [&](int tensor, const std::string& index, bool by_four) {
                   if (const auto within = within_.find(tensor); within != within_.end())
                     return within->second;
                   const auto kept = kept_.find(tensor);
                   return kept == kept_.end() ? frame_.Load(tensor, index, by_four)
                                              : absl::StrCat(kept->second, "[", index, "]");
                 },
                 {.guarded = stage.guarded}) {}

  absl::StatusOr<KernelText> Run() {
    if (stage_.IsRecurrence())
      Recurrence();
    else if (stage_.rows.has_value())
      Rows();
    else
      Parallel(stage_.nests.front());
    if (!status_.ok()) return status_;
    if (!scalars_.status().ok()) return scalars_.status();
    return Finish();
  }

 private:
  // One invocation per tile.
  void Parallel(const nests::Nest& nest) {
    const std::vector<int64_t> tiles = TilesOf(stage_);
    for (size_t i = 0; i < tiles.size() && status_.ok(); ++i) {
      const auto known = nest.axes[i].extent.Constant();
      if (known.has_value() && tiles[i] > 1 && tiles[i] > *known)
        status_ = absl::InternalError(absl::StrCat("a tile of ", tiles[i], " along an axis of ",
                                                   *known, " would begin in front of it"));
    }
    KernelText& kernel = frame_.kernel();
    kernel.axes = nest.axes;
    kernel.tiles = tiles;
    kernel.invocations = PointsOf(nest.axes, tiles);
    index_.Limit(kernel.invocations);
    code_.Add(
        absl::StrCat("int id = int((gl_WorkGroupID.y * gl_NumWorkGroups.x + "
                     "gl_WorkGroupID.x) * ",
                     kWorkgroup, "u + gl_LocalInvocationID.x);"));
    // Groups are run in whole rows, so that numbers go on behind the last invocation, and from 2^31
    // on they have the sign.
    code_.Add(
        absl::StrCat("if (uint(id) >= uint(", index_.Int(kernel.invocations).text, ")) return;"));
    Points(nest, nest.axes, tiles, "id", FastestAxis(nest, tiles));
  }

  // The points of `axes` by number, the axis `fastest` running fastest, then the last, if there are
  // such; the others are bound.
  void Points(const nests::Nest& nest, const std::vector<nests::Axis>& axes,
              const std::vector<int64_t>& tiles, const std::string& id, size_t fastest) {
    std::string rest = id;
    const size_t depth = code_.depth();
    std::vector<size_t> order(axes.size());  // from the slowest to the fastest
    std::iota(order.begin(), order.end(), size_t{0});
    if (fastest < order.size()) {
      order.erase(order.begin() + static_cast<int64_t>(fastest));
      order.push_back(fastest);
    }
    for (size_t place = order.size(); place-- > 0;) {
      const size_t i = order[place];
      const Expr count = tiles[i] == 1 ? axes[i].extent : solver::CeilDiv(axes[i].extent, tiles[i]);
      const std::string length = index_.Int(count).text;
      std::string at = "0";
      if (count != Expr(1)) {
        at = place == 0 ? rest
                        : code_.Variable(depth, "int", absl::StrCat(rest, " % ", length)).text;
        if (place > 0) rest = code_.Variable(depth, "int", absl::StrCat(rest, " / ", length)).text;
      }
      // Of a known length the last tile ends where the axis does, and overlaps the one before.
      const auto known = axes[i].extent.Constant();
      int64_t multiple = tiles[i];
      const bool overlaps = known.has_value() && *known % tiles[i] != 0;
      if (tiles[i] != 1) {
        at = code_
                 .Variable(depth, "int",
                           overlaps ? absl::StrCat("min(", at, " * ", tiles[i], ", ",
                                                   *known - tiles[i], ")")
                                    : absl::StrCat(at, " * ", tiles[i]))
                 .text;
        if (overlaps) multiple = std::gcd(tiles[i], *known);
      }
      index_.Bind(axes[i].symbol, {at, depth}, axes[i].extent, multiple);
    }
    Store(nest, LanesOf(axes, tiles));
    for (const nests::Axis& axis : axes) index_.Unbind(axis.symbol);
  }

  Lanes LanesOf(const std::vector<nests::Axis>& axes, const std::vector<int64_t>& tiles) {
    std::vector<Substitution> all(1);
    for (size_t i = 0; i < axes.size(); ++i) {
      if (tiles[i] == 1) continue;
      std::vector<Substitution> longer;
      for (const Substitution& one : all) {
        for (int64_t k = 0; k < tiles[i]; ++k) {
          longer.push_back(one);
          longer.back()[std::string(solver::View(axes[i].symbol).symbol())] = axes[i].symbol + k;
        }
      }
      all = std::move(longer);
    }
    Lanes lanes;
    for (Substitution& one : all) lanes.push_back({scalars_.NewLane(), std::move(one), {}});
    for (size_t i = 0; i < axes.size(); ++i) {
      if (tiles[i] == 1 || axes[i].extent.IsConstant() || IsMultipleOf(axes[i].extent, tiles[i]))
        continue;
      const std::string name(solver::View(axes[i].symbol).symbol());
      for (Lane& lane : lanes) lane.ends.push_back({{name}, lane.symbols.at(name), axes[i].extent});
    }
    for (const auto& [at, extent] : stage_.ends) {
      for (Lane& lane : lanes)
        lane.ends.push_back({solver::SymbolsOf(at), solver::Substitute(at, lane.symbols), extent});
    }
    return lanes;
  }

  void Store(const nests::Nest& nest, const Lanes& lanes) {
    const Tensor& target = program_.tensors[static_cast<size_t>(nest.target.index)];
    const std::vector<std::string> values = scalars_.Values(nest.body, lanes);
    std::vector<std::vector<Expr>> places;
    std::vector<std::string> there;
    for (const Lane& lane : lanes) {
      places.emplace_back();
      for (const Expr& e : nest.at) places.back().push_back(solver::Substitute(e, lane.symbols));
      there.emplace_back();
      for (const End& end : lane.ends)
        absl::StrAppend(&there.back(), there.back().empty() ? "if (" : " && ",
                        index_.Truth(solver::Lt(end.at, end.extent)).text);
      if (!there.back().empty()) there.back() += ") ";
    }
    const bool floats = nest.body->number == nests::Number::kF32;
    std::vector<bool> stored(lanes.size(), false);
    for (size_t i = 0; i < lanes.size(); ++i) {
      if (stored[i]) continue;
      const Term offset = scalars_.Offset(places[i], target.dims);
      const std::vector<size_t> four =
          floats ? FourFrom(nest, target, places, there, i) : std::vector<size_t>();
      if (four.empty()) {
        const auto kept = kept_.find(nest.target.index);
        const std::string buffer =
            kept == kept_.end() ? frame_.Buffer(nest.target.index, true) : kept->second;
        code_.Add(absl::StrCat(there[i], buffer, "[", offset.text,
                               "] = ", Narrowed(nest.body->number, target.dtype, values[i]), ";"));
        continue;
      }
      for (size_t lane : four) stored[lane] = true;
      const std::string buffer = frame_.Buffer(nest.target.index, true, true);
      std::string numbers;
      for (size_t lane : four) {
        absl::StrAppend(&numbers, numbers.empty() ? "" : ", ",
                        target.dtype == ir::DType::kF16 ? absl::StrCat("ToHalf(", values[lane], ")")
                                                        : values[lane]);
      }
      code_.Add(absl::StrCat(there[i], buffer, "[", offset.text, " >> 2] = ",
                             target.dtype == ir::DType::kF16 ? "u16vec4(uvec4(" : "(vec4(", numbers,
                             "));"));
    }
  }

  // The lanes from `i` on that write four neighbours which begin at a multiple of four, all of them
  // there or none; none: there are no such.
  std::vector<size_t> FourFrom(const nests::Nest& nest, const Tensor& target,
                               const std::vector<std::vector<Expr>>& places,
                               const std::vector<std::string>& there, size_t i) const {
    // Of the only row what is behind its end is there too, and nothing else.
    const bool only = target.dims.size() == 1 && places.size() == 4 && nest.axes.size() == 1 &&
                      nest.axes[0].extent == target.dims[0] && nest.at[0] == nest.axes[0].symbol;
    if (target.dims.empty() || (!only && !IsMultipleOf(target.dims.back(), 4)) ||
        (target.dtype != ir::DType::kF32 && target.dtype != ir::DType::kF16) ||
        !index_.IsMultiple(places[i].back(), 4))
      return {};
    std::vector<size_t> four = {i};
    for (size_t k = 1; k < 4; ++k) {
      std::vector<Expr> place = places[i];
      place.back() = place.back() + static_cast<int64_t>(k);
      size_t lane = four.back() + 1;
      while (lane < places.size() && (places[lane] != place || (!only && there[lane] != there[i])))
        ++lane;
      if (lane == places.size()) return {};
      four.push_back(lane);
    }
    return four;
  }

  // One workgroup: its invocations share the points of each position, and wait for one another
  // before the next nest.
  void Recurrence() {
    frame_.kernel().invocations = kWorkgroup;
    const nests::Nest& first = stage_.nests.front();
    const Expr& length = first.axes[static_cast<size_t>(first.order.along)].extent;
    const std::string positions = index_.Int(length).text;
    const std::string position = code_.Name("s");
    code_.Open(absl::StrCat("for (int ", position, " = 0; ", position, " < ", positions, "; ++",
                            position, ")"),
               index_.AtMost(length));
    for (const nests::Nest& nest : stage_.nests) {
      const size_t along = static_cast<size_t>(nest.order.along);
      std::string at = position;
      if (nest.order.reverse)
        at =
            code_.Variable(code_.depth(), "int", absl::StrCat(positions, " - 1 - ", position)).text;
      index_.Bind(nest.axes[along].symbol, {at, code_.depth()}, nest.axes[along].extent);
      std::vector<nests::Axis> axes = nest.axes;
      axes.erase(axes.begin() + nest.order.along);
      SharedPoints(nest, axes);
      code_.Add("memoryBarrierBuffer();");
      code_.Add("barrier();");
      index_.Unbind(nest.axes[along].symbol);
    }
    code_.Close();
  }

  // What the workgroup keeps of the row: each element is read once.
  void Keep(const nests::Nest& nest, const RowAxes& split) {
    const int64_t elements = *MostPoints(split.others);
    const std::string name = absl::StrCat("kept", kept_.size());
    kept_[nest.target.index] = name;
    absl::StrAppend(&globals_, "shared float ", name, "[", elements, "];\n");
    frame_.kernel().shared_bytes += elements * int64_t{sizeof(float)};
    const auto rows = nest.axes.begin() + static_cast<int64_t>(split.rows.size());
    index_.BindDigits({nest.axes.begin(), rows}, "row", 0);
    SharedPoints(nest, {rows, nest.axes.end()});
    code_.Add("barrier();");
  }

  // A workgroup for each row: its invocations compute reductions together, one after the other, and
  // then share the row's elements.
  void Rows() {
    const nests::Nest& last = stage_.nests.back();
    KernelText& kernel = frame_.kernel();
    kernel.workgroup = static_cast<int>(stage_.rows->workgroup);
    kernel.shared_bytes = stage_.rows->workgroup * int64_t{sizeof(float)};
    globals_ = absl::StrCat("shared float parts[", kernel.workgroup, "];\n");
    const RowAxes split = RowAxesOf(stage_);
    kernel.axes = split.rows;
    Expr rows = 1;
    for (const nests::Axis& axis : kernel.axes) rows *= axis.extent;
    kernel.tiles.assign(kernel.axes.size(), 1);
    kernel.invocations = rows * stage_.rows->workgroup;
    index_.Limit(kernel.invocations);
    code_.Add("const int row = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);");
    code_.Add(absl::StrCat("if (row >= ", index_.Int(rows).text, ") return;"));
    for (const nests::Nest& nest : stage_.nests) {
      if (&nest == &last) {
        index_.BindDigits(kernel.axes, "row", 0);
        SharedPoints(nest, split.others);
        continue;
      }
      if (stage_.rows->Keeps(nest.target.index)) {
        Keep(nest, split);
        continue;
      }
      index_.BindDigits(nest.axes, "row", 0);
      const Lane lane{scalars_.NewLane(), {}, {}};
      scalars_.ReduceTogether(nest.body, lane, kernel.workgroup, "parts");
      const std::string name = code_.Name("w");
      code_.Add(absl::StrCat("const float ", name, " = ",
                             scalars_.Values(nest.body, {lane}).front(), ";"));
      within_[nest.target.index] = name;
    }
  }

  // The points of `axes`, which the invocations of a workgroup share.
  void SharedPoints(const nests::Nest& nest, const std::vector<nests::Axis>& axes) {
    const int workgroup = frame_.kernel().workgroup;
    const std::vector<int64_t> tiles(axes.size(), 1);
    const Expr points = PointsOf(axes, tiles);
    index_.Limit(points + workgroup);
    const std::string count = index_.Int(points).text;
    const std::string id = code_.Name("i");
    code_.Open(absl::StrCat("for (int ", id, " = int(gl_LocalInvocationID.x); ", id, " < ", count,
                            "; ", id, " += ", workgroup, ")"),
               solver::CeilDiv(index_.AtMost(points), workgroup));
    Points(nest, axes, tiles, id, axes.size());
    code_.Close();
  }

  KernelText Finish() {
    frame_.kernel().checks = scalars_.checks();
    frame_.kernel().steps = code_.steps();
    const std::string body = std::move(code_).Finish();
    return frame_.Finish(index_, absl::StrCat(globals_, "void main() {\n", body, "}\n"));
  }

  const Program& program_;
  const Stage& stage_;
  Frame frame_;
  Code code_;
  IndexText index_;
  ScalarText scalars_;
  absl::Status status_;
  std::string globals_;
  std::map<int, std::string> within_;  // tensors that are in no memory: the row's own
  std::map<int, std::string> kept_;    // of its elements
};

// Above 32 bits whatever the sizes are: no session would run it, and no text could say it.
bool IsTooLarge(const Expr& e) {
  return e.IsInvalid() || solver::RangeOf(e).lo > std::numeric_limits<int32_t>::max();
}

}  // namespace

absl::StatusOr<KernelText> KernelOf(const Program& program, const Stage& stage) {
  absl::StatusOr<KernelText> kernel =
      stage.shader.has_value() ? ShaderKernelOf(program, stage) : Writer(program, stage).Run();
  if (!kernel.ok()) return kernel.status();
  const auto large = std::find_if(kernel->limits.begin(), kernel->limits.end(), IsTooLarge);
  if (large == kernel->limits.end()) return kernel;
  return absl::UnimplementedError(absl::StrCat(
      "it counts to ", large->IsInvalid() ? "more than 64 bits hold" : large->ToString(),
      ", a kernel at most to ", std::numeric_limits<int32_t>::max()));
}

}  // namespace tessera::vulkan
