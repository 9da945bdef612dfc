#include "targets/vulkan/kernels/shader_kernel.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/kernels/code.h"
#include "targets/vulkan/kernels/frame.h"
#include "targets/vulkan/kernels/matrices.h"
#include "targets/vulkan/kernels/scalar_text.h"
#include "targets/vulkan/kernels/types.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {
namespace {

// How far behind the end of an axis the positions lie that a shader may ask for.
constexpr int64_t kBeyond = 1 << 16;

std::vector<double> Numbers(const ShaderUse& use) {
  return {use.constants.begin(), use.constants.end()};
}

class ShaderWriter {
 public:
  ShaderWriter(const Program& program, const Stage& stage)
      : program_(program), stage_(stage), use_(*stage.shader), frame_(program, stage) {}

  absl::StatusOr<KernelText> Run() {
    KernelText& kernel = frame_.kernel();
    kernel.workgroup = static_cast<int>(WorkgroupOf(use_));
    kernel.shared_bytes = SharedBytesOf(use_);
    std::string text;
    kernel.shader = NameOf(use_);
    for (size_t i = 0; i < use_.constants.size(); ++i)
      absl::StrAppend(&text, "const int ", std::string(use_.shader->constants[i].name), " = ",
                      use_.constants[i], ";\n");
    absl::StrAppend(&text, "const int WORKGROUP = ", kernel.workgroup, ";\n");
    for (std::string_view size : use_.shader->sizes)
      absl::StrAppend(&text, "int ", std::string(size), ";\n");
    absl::StrAppend(&text, "int tile[", use_.result_axes, "];\n");
    const bool imitates = use_.shader->matrices && use_.imitates_matrices;
    absl::StrAppend(&text, "#define UNROLL [[", imitates ? "dont_unroll" : "unroll", "]]\n");
    if (use_.shader->matrices)
      absl::StrAppend(&text, imitates ? ImitatedMatrices(kernel.workgroup, kernel.shared_bytes)
                                      : DeviceMatrices(kernel.workgroup, kernel.shared_bytes));
    for (size_t i = 0; i < use_.operands.size(); ++i)
      absl::StrAppend(&text, "const int BESIDE_", std::string(use_.shader->operands[i].name), " = ",
                      BesideOf(use_.operands[i]), ";\n", LoadFunction(i));
    for (const ShaderUse::Made& made : use_.made) absl::StrAppend(&text, MadeText(made));
    absl::StrAppend(&text, StoreFunction(), std::string(use_.shader->source), Main());
    if (!status_.ok()) return status_;
    Code code;
    return frame_.Finish(IndexText(code, parameters_, limits_), text);
  }

 private:
  // Statements of positions along `axes`, which are p0 and on; `inside` says whether these are
  // positions that there are, and where they are none the first stands for them: without branches
  // many elements can be on their way at once, and what they have in common is computed once.
  std::string Function(const std::vector<size_t>& axes,
                       const std::function<void(Code&, IndexText&, ScalarText&)>& write) {
    Code code;
    IndexText index(code, parameters_, limits_);
    ScalarText scalars(program_, code, index,
                       [&](int tensor, const std::string& at, bool by_four) {
                         return frame_.Load(tensor, at, by_four);
                       },
                       {});
    std::string inside;
    for (size_t i = 0; i < axes.size(); ++i) {
      const nests::Axis& flat = use_.axes[axes[i]].flat;
      index.Limit(flat.extent + kBeyond);
      code.Add(absl::StrCat("const bool in", i, " = uint(p", i, ") < uint(",
                            index.Int(flat.extent).text, ");"));
      absl::StrAppend(&inside, i == 0 ? "" : " && ", "in", i);
    }
    code.Add(absl::StrCat("const bool inside = ", inside, ";"));
    for (size_t i = 0; i < axes.size(); ++i) {
      index.BindDigits(use_.axes[axes[i]].of,
                       code.Variable(0, "int", absl::StrCat("in", i, " ? p", i, " : 0")).text, 0);
    }
    for (const nests::Axis& axis : use_.single) index.Bind(axis.symbol, {"0", 0}, axis.extent);
    write(code, index, scalars);
    if (status_.ok()) status_ = scalars.status();
    steps_ += code.steps();
    parameters_ = index.parameters();
    limits_ = index.limits();
    return std::move(code).Finish();
  }

  // Along which of the operand's dims neighbours are neighbours in memory; the last, if along none.
  size_t BesideOf(const ShaderUse::Operand& operand) const {
    size_t beside = operand.axes.size() - 1;
    EachRead(operand.element, [&](const nests::ScalarNode& read, int) {
      if (read.at.empty() || !read.at.back().data.IsNone()) return;
      const std::vector<std::string> symbols = solver::SymbolsOf(read.at.back().expr);
      for (size_t i = 0; i < operand.axes.size(); ++i) {
        const std::vector<nests::Axis>& of = use_.axes[operand.axes[i]].of;
        if (!of.empty() &&
            std::find(symbols.begin(), symbols.end(),
                      std::string(solver::View(of.back().symbol).symbol())) != symbols.end())
          beside = i;
      }
    });
    return beside;
  }

  static std::string Positions(size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "int p", i);
    return text;
  }

  std::string LoadFunction(size_t operand) {
    const ShaderUse::Operand& of = use_.operands[operand];
    const std::string body = Function(of.axes, [&](Code& code, IndexText&, ScalarText& scalars) {
      code.Add(absl::StrCat("return mix(0.0, ",
                            scalars.Values(of.element, {{scalars.NewLane(), {}, {}}}).front(),
                            ", inside);"));
    });
    return absl::StrCat("float Load_", std::string(use_.shader->operands[operand].name), "(",
                        Positions(of.axes.size()), ") {\n", body, "}\n");
  }

  // What a stage computes from a sum that is kept for further statements.
  std::string MadeText(const ShaderUse::Made& made) {
    const std::string body = Function(made.axes, [&](Code& code, IndexText&, ScalarText& scalars) {
      const Lane lane{scalars.NewLane(), {}, {}};
      code.Remember(made.sum, lane.id, "value");
      code.Add(absl::StrCat("return mix(0.0, ", scalars.Values(made.body, {lane}).front(),
                            ", inside);"));
    });
    return absl::StrCat("float ", made.function, "(", Positions(made.axes.size()),
                        ", float value) {\n", body, "}\n");
  }

  // What the stage computes from the shader's result, with that in the place of it.
  std::string StoreFunction() {
    const nests::Nest& nest = stage_.nests.back();
    const Tensor& target = program_.tensors[static_cast<size_t>(nest.target.index)];
    std::vector<size_t> axes;
    for (size_t i = 0; i < use_.result_axes; ++i) axes.push_back(i);
    const std::string body = Function(axes, [&](Code& code, IndexText&, ScalarText& scalars) {
      code.Add("if (!inside) return;");
      const Lane lane{scalars.NewLane(), {}, {}};
      code.Remember(use_.result, lane.id, "value");
      const std::string value = scalars.Values(nest.body, {lane}).front();
      const std::string offset = scalars.Offset(nest.at, target.dims).text;
      code.Add(absl::StrCat(frame_.Buffer(nest.target.index, true), "[", offset,
                            "] = ", Narrowed(nest.body->number, target.dtype, value), ";"));
    });
    return absl::StrCat("void Store_", std::string(use_.shader->result), "(",
                        Positions(use_.result_axes), ", float value) {\n", body, "}\n");
  }

  // A workgroup computes the tile of its number, those along the last axis side by side.
  std::string Main() {
    Code code;
    IndexText index(code, parameters_, limits_);
    KernelText& kernel = frame_.kernel();
    kernel.tiles = TileOf(use_);
    Expr groups = 1;
    std::vector<Expr> counts;
    for (size_t i = 0; i < use_.result_axes; ++i) {
      kernel.axes.push_back(use_.axes[i].flat);
      counts.push_back(solver::CeilDiv(use_.axes[i].flat.extent, kernel.tiles[i]));
      groups *= counts.back();
    }
    kernel.invocations = groups * static_cast<int64_t>(kernel.workgroup);
    // What it calls has loops for an element or two of each round at most.
    const Expr rounds = use_.shader->steps(use_.constants, use_.sizes);
    kernel.steps = rounds * (1 + steps_ * 2);
    index.Limit(kernel.invocations);
    code.Add("int group = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);");
    code.Add(absl::StrCat("if (group >= ", index.Int(groups).text, ") return;"));
    for (size_t i = 0; i < use_.sizes.size(); ++i)
      code.Add(absl::StrCat(std::string(use_.shader->sizes[i]), " = ",
                            index.Int(use_.sizes[i]).text, ";"));
    for (size_t i = use_.result_axes; i-- > 0;) {
      const std::string count = index.Int(counts[i]).text;
      code.Add(absl::StrCat("tile[", i, "] = group % ", count, " * ", kernel.tiles[i], ";"));
      if (i > 0) code.Add(absl::StrCat("group /= ", count, ";"));
    }
    code.Add("Compute();");
    parameters_ = index.parameters();
    limits_ = index.limits();
    return absl::StrCat("void main() {\n", std::move(code).Finish(), "}\n");
  }

  const Program& program_;
  const Stage& stage_;
  const ShaderUse& use_;
  Frame frame_;
  std::vector<Expr> parameters_, limits_;
  Expr steps_ = 0;  // of the functions that the shader calls
  absl::Status status_;
};

}  // namespace

absl::StatusOr<KernelText> ShaderKernelOf(const Program& program, const Stage& stage) {
  return ShaderWriter(program, stage).Run();
}

std::string NameOf(const ShaderUse& use) {
  std::string name(use.shader->op);
  for (size_t i = 0; i < use.constants.size(); ++i)
    absl::StrAppend(&name, " ", std::string(use.shader->constants[i].name), "=", use.constants[i]);
  return name;
}

int64_t WorkgroupOf(const ShaderUse& use) {
  return static_cast<int64_t>(use.shader->workgroup(Numbers(use), {}));
}

int64_t SharedBytesOf(const ShaderUse& use) {
  return static_cast<int64_t>(use.shader->shared(Numbers(use), {}));
}

std::vector<int64_t> TileOf(const ShaderUse& use) {
  std::vector<int64_t> tile;
  for (const ir::ShaderAmount amount : use.shader->tile)
    tile.push_back(static_cast<int64_t>(amount(Numbers(use), {})));
  return tile;
}

}  // namespace tessera::vulkan
