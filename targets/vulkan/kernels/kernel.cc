#include "targets/vulkan/kernels/kernel.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/code.h"
#include "targets/vulkan/kernels/functions.h"
#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/tiles.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/runtime/artifact.h"

namespace tessera::vulkan {
namespace {

constexpr int kWorkgroup = 64;

Expr PointsOf(const std::vector<nests::Axis>& axes, const std::vector<int64_t>& tiles) {
  Expr points = 1;
  for (size_t i = 0; i < axes.size(); ++i)
    points *= tiles[i] == 1 ? axes[i].extent : solver::CeilDiv(axes[i].extent, tiles[i]);
  return points;
}

// A load as the device does it best; which way is a constant of the pipeline.
std::string TexelFunction(size_t number, bool by_four) {
  const std::string name = absl::StrCat(by_four ? "quads" : "texels", number);
  const uint32_t binding = static_cast<uint32_t>(number) + (by_four ? kQuadBinding : kTexelBinding);
  return absl::StrCat("layout(binding = ", binding, ") uniform textureBuffer ", name, ";\n",
                      by_four ? "vec4 Quad" : "float Texel", number,
                      "(int i) {\n  return by_texels ? texelFetch(", name, ", i)",
                      by_four ? "" : ".x", " : ", by_four ? "vec4" : "float", "(b", number,
                      by_four ? "v" : "", "[i]);\n}\n");
}

class Writer {
 public:
  Writer(const Program& program, const Stage& stage)
      : program_(program),
        stage_(stage),
        index_(code_),
        scalars_(program, code_, index_,
                 [&](int tensor, const std::string& index, bool by_four) {
                   return Load(tensor, index, by_four);
                 },
                 {.guarded = stage.guarded}) {}

  absl::StatusOr<KernelText> Run() {
    if (stage_.IsRecurrence())
      Recurrence();
    else
      Parallel(stage_.nests.front());
    if (!scalars_.status().ok()) return scalars_.status();
    return Finish();
  }

 private:
  std::string Buffer(int tensor, bool written, bool by_four = false) {
    auto found = std::find_if(kernel_.bindings.begin(), kernel_.bindings.end(),
                              [&](const Bound& bound) { return bound.tensor == tensor; });
    if (found == kernel_.bindings.end()) {
      kernel_.bindings.push_back({tensor, false});
      found = kernel_.bindings.end() - 1;
    }
    found->written |= written;
    if (by_four) by_four_.insert(tensor);
    return absl::StrCat("b", found - kernel_.bindings.begin() + 1, by_four ? "v" : "");
  }

  // What is only read, and of a type that texels have.
  bool HasTexels(int tensor) const {
    const ir::DType dtype = program_.tensors[static_cast<size_t>(tensor)].dtype;
    return (dtype == ir::DType::kF32 || dtype == ir::DType::kF16) &&
           std::none_of(stage_.nests.begin(), stage_.nests.end(), [&](const nests::Nest& nest) {
             return program_.StorageOf(nest.target.index) == program_.StorageOf(tensor);
           });
  }

  std::string Load(int tensor, const std::string& index, bool by_four) {
    const std::string buffer = Buffer(tensor, false, by_four);
    if (!HasTexels(tensor)) {
      const std::string element = absl::StrCat(buffer, "[", index, "]");
      return by_four ? absl::StrCat("vec4(", element, ")") : element;
    }
    const size_t number = NumberOf(tensor);
    (by_four ? quads_ : texels_).insert(number);
    return absl::StrCat(by_four ? "Quad" : "Texel", number, "(", index, ")");
  }

  size_t NumberOf(int tensor) const {
    const auto found = std::find_if(kernel_.bindings.begin(), kernel_.bindings.end(),
                                    [&](const Bound& bound) { return bound.tensor == tensor; });
    return static_cast<size_t>(found - kernel_.bindings.begin()) + 1;
  }

  // One invocation per tile.
  void Parallel(const nests::Nest& nest) {
    std::vector<int64_t> tiles = TilesOf(nest, stage_.tiling);
    // What lies behind an end that is not known is not told from what lies outside by mistake.
    for (size_t i = 0; i < tiles.size(); ++i) {
      if (stage_.guarded && !nest.axes[i].extent.IsConstant()) tiles[i] = 1;
    }
    kernel_.tiles = tiles;
    kernel_.invocations = PointsOf(nest.axes, tiles);
    index_.Limit(kernel_.invocations);
    code_.Add(
        absl::StrCat("int id = int((gl_WorkGroupID.y * gl_NumWorkGroups.x + "
                     "gl_WorkGroupID.x) * ",
                     kWorkgroup, "u + gl_LocalInvocationID.x);"));
    code_.Add(absl::StrCat("if (id >= ", index_.Int(kernel_.invocations).text, ") return;"));
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
    for (size_t i = 0; i < lanes.size(); ++i) {
      const Term offset = scalars_.Offset(places[i], target.dims);
      if (!floats || !AreFour(nest, target, places, there, i)) {
        const std::string buffer = Buffer(nest.target.index, true);
        code_.Add(absl::StrCat(there[i], buffer, "[", offset.text,
                               "] = ", Narrowed(nest.body->number, target.dtype, values[i]), ";"));
        continue;
      }
      const std::string buffer = Buffer(nest.target.index, true, true);
      code_.Add(absl::StrCat(there[i], buffer, "[", offset.text, " >> 2] = ",
                             target.dtype == ir::DType::kF16 ? "f16vec4" : "", "(vec4(", values[i],
                             ", ", values[i + 1], ", ", values[i + 2], ", ", values[i + 3], "));"));
      i += 3;
    }
  }

  // Whether what the lanes from `i` on write are four neighbours that begin at a multiple of four,
  // all of them there or none.
  bool AreFour(const nests::Nest& nest, const Tensor& target,
               const std::vector<std::vector<Expr>>& places, const std::vector<std::string>& there,
               size_t i) const {
    // Of the only row what is behind its end is there too, and nothing else.
    const bool only = target.dims.size() == 1 && places.size() == 4 && nest.axes.size() == 1 &&
                      nest.axes[0].extent == target.dims[0] && nest.at[0] == nest.axes[0].symbol;
    if (target.dims.empty() || (!only && !IsMultipleOf(target.dims.back(), 4)) ||
        i + 4 > places.size() ||
        (target.dtype != ir::DType::kF32 && target.dtype != ir::DType::kF16) ||
        !index_.IsMultiple(places[i].back(), 4))
      return false;
    for (size_t k = 1; k < 4; ++k) {
      std::vector<Expr> place = places[i];
      place.back() = place.back() + static_cast<int64_t>(k);
      if (places[i + k] != place || (!only && there[i + k] != there[i])) return false;
    }
    return true;
  }

  // One workgroup: its invocations share the points of each position, and wait for one another
  // before the next nest.
  void Recurrence() {
    kernel_.invocations = kWorkgroup;
    const nests::Nest& first = stage_.nests.front();
    const std::string positions =
        index_.Int(first.axes[static_cast<size_t>(first.order.along)].extent).text;
    const std::string position = code_.Name("s");
    code_.Open(absl::StrCat("for (int ", position, " = 0; ", position, " < ", positions, "; ++",
                            position, ")"));
    for (const nests::Nest& nest : stage_.nests) {
      const size_t along = static_cast<size_t>(nest.order.along);
      std::string at = position;
      if (nest.order.reverse)
        at =
            code_.Variable(code_.depth(), "int", absl::StrCat(positions, " - 1 - ", position)).text;
      index_.Bind(nest.axes[along].symbol, {at, code_.depth()}, nest.axes[along].extent);
      std::vector<nests::Axis> axes = nest.axes;
      axes.erase(axes.begin() + nest.order.along);
      const std::vector<int64_t> tiles(axes.size(), 1);
      const Expr points = PointsOf(axes, tiles);
      index_.Limit(points + kWorkgroup);
      const std::string count = index_.Int(points).text;
      const std::string id = code_.Name("i");
      code_.Open(absl::StrCat("for (int ", id, " = int(gl_LocalInvocationID.x); ", id, " < ", count,
                              "; ", id, " += ", kWorkgroup, ")"));
      Points(nest, axes, tiles, id, axes.size());
      code_.Close();
      code_.Add("memoryBarrierBuffer();");
      code_.Add("barrier();");
      index_.Unbind(nest.axes[along].symbol);
    }
    code_.Close();
  }

  KernelText Finish() {
    kernel_.checks = scalars_.checks();
    kernel_.workgroup = kWorkgroup;
    std::string body = std::move(code_).Finish();
    kernel_.parameters = index_.parameters();
    kernel_.limits = index_.limits();
    std::string outside;
    for (nests::Number number : {nests::Number::kF32, nests::Number::kF64, nests::Number::kI64,
                                 nests::Number::kU64, nests::Number::kBool}) {
      const std::string type(TypeOf(number));
      if (!absl::StrContains(body, absl::StrCat("Outside_", type, "()"))) continue;
      if (kernel_.number_parameter < 0) {
        kernel_.number_parameter = static_cast<int>(kernel_.parameters.size());
        kernel_.parameters.emplace_back(0);
      }
      absl::StrAppend(&outside, type, " Outside_", type, "() {\n  status = uint(p.p",
                      kernel_.number_parameter, ");\n  return ",
                      LiteralOf(nests::IdentityOf(nests::Reduction::kSum, number)), ";\n}\n");
    }
    std::string blocks;
    if (!kernel_.parameters.empty()) {
      absl::StrAppend(&blocks, "layout(binding = 0, std140) uniform Parameters {\n");
      for (size_t i = 0; i < kernel_.parameters.size(); ++i)
        absl::StrAppend(&blocks, "  int p", i, ";\n");
      absl::StrAppend(&blocks, "} p;\nlayout(constant_id = ", kSizedConstant,
                      ") const bool sized = false;\n");
      for (size_t i = 0; i < kernel_.parameters.size(); ++i)
        absl::StrAppend(&blocks, "layout(constant_id = ", kParameterConstant + i, ") const int s",
                        i, " = 0;\n");
    }
    for (size_t i = 0; i < kernel_.bindings.size(); ++i) {
      const Bound& bound = kernel_.bindings[i];
      absl::StrAppend(
          &blocks, "layout(binding = ", i + 1, ", std430) ",
          !bound.written          ? "readonly "
          : stage_.IsRecurrence() ? "coherent "
                                  : "",
          "buffer B", i + 1, " { ",
          std::string(StorageOf(program_.tensors[static_cast<size_t>(bound.tensor)].dtype)), " b",
          i + 1, "[]; };\n");
      const bool half =
          program_.tensors[static_cast<size_t>(bound.tensor)].dtype == ir::DType::kF16;
      if (by_four_.count(bound.tensor) != 0)
        absl::StrAppend(&blocks, "layout(binding = ", i + 1, ", std430) ",
                        bound.written ? "" : "readonly ", "buffer B", i + 1, "v { ",
                        half ? "f16vec4" : "vec4", " b", i + 1, "v[]; };\n");
    }
    if (!texels_.empty() || !quads_.empty())
      absl::StrAppend(&blocks, "layout(constant_id = 0) const bool by_texels = false;\n");
    for (const bool by_four : {false, true}) {
      for (const size_t number : by_four ? quads_ : texels_) {
        (by_four ? kernel_.quads : kernel_.texels).push_back(static_cast<uint32_t>(number));
        absl::StrAppend(&blocks, TexelFunction(number, by_four));
      }
    }
    if (kernel_.checks)
      absl::StrAppend(&blocks, "layout(binding = ", kernel_.bindings.size() + 1,
                      ", std430) buffer Status { uint status; };\n");
    const std::string text =
        absl::StrCat(blocks, FunctionsFor(body), outside, "void main() {\n", body, "}\n");
    const Needs needs = NeedsOf(text);
    kernel_.features = needs.features;
    kernel_.glsl = absl::StrCat("#version 450\n", needs.extensions,
                                "layout(local_size_x = ", kWorkgroup, ") in;\n", text);
    return std::move(kernel_);
  }

  const Program& program_;
  const Stage& stage_;
  KernelText kernel_;
  std::set<int> by_four_;            // tensors that are read in steps of four elements
  std::set<size_t> texels_, quads_;  // bindings that are read as texels
  Code code_;
  IndexText index_;
  ScalarText scalars_;
};

}  // namespace

absl::StatusOr<KernelText> KernelOf(const Program& program, const Stage& stage) {
  return Writer(program, stage).Run();
}

}  // namespace tessera::vulkan
