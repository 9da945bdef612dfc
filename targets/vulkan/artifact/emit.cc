#include "targets/vulkan/artifact/emit.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "nests/cost.h"
#include "targets/vulkan/artifact/accesses.h"
#include "targets/vulkan/artifact/expression_table.h"
#include "targets/vulkan/artifact/in_place.h"
#include "targets/vulkan/artifact/memory_plan.h"
#include "targets/vulkan/artifact/symbols.h"
#include "targets/vulkan/kernels/kernel.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/shared_axes.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/shader/compile.h"

namespace tessera::vulkan {
namespace {

constexpr size_t kMostWeights = size_t{1} << 31;
static_assert(static_cast<int>(ir::DType::kF64) == file::DType_F64 &&
              static_cast<int>(ir::DType::kI4) == file::DType_I4 &&
              static_cast<int>(ir::DType::kF4E2M1) == file::DType_F4E2M1 &&
              ir::kDTypeCount == file::DType_MAX + 1 &&
              static_cast<int>(ir::DType::kBool) == file::DType_BOOL);

template <class T>
using Rows = std::vector<flatbuffers::Offset<T>>;

std::map<std::string, int64_t, std::less<>> Numbered(const std::vector<BoundSymbol>& symbols) {
  std::map<std::string, int64_t, std::less<>> numbers;
  for (size_t i = 0; i < symbols.size(); ++i) numbers[symbols[i].name] = static_cast<int64_t>(i);
  return numbers;
}

class Emission {
 public:
  Emission(ir::Graph& graph, const Program& program, const Parts& parts, Shaders& shaders)
      : graph_(graph),
        program_(program),
        parts_(parts),
        shaders_(shaders),
        symbols_(SymbolsOf(graph)),
        table_(graph.context(), Numbered(symbols_)) {}

  absl::StatusOr<std::vector<uint8_t>> Run(const std::map<std::string, std::string>& settings) {
    // First what is written first, and so lies last: it is the largest.
    Find();
    if (absl::Status status = Weights(); !status.ok()) return status;
    const auto weights = builder_.CreateVector(weights_);
    Tensors();
    if (absl::Status status = Dispatches(); !status.ok()) return status;
    const uint32_t arena = table_.Add(plan_.bytes);
    const auto symbols = Symbols();
    const auto guards = Guards();
    const auto tilings = Tilings();
    if (!table_.status().ok()) return table_.status();
    std::vector<uint32_t> inputs, outputs;
    for (int input : program_.inputs) inputs.push_back(Place(input));
    for (int output : program_.outputs) outputs.push_back(Place(output));
    Rows<file::Setting> rows;
    for (const auto& [name, value] : settings)
      rows.push_back(
          file::CreateSetting(builder_, builder_.CreateString(name), builder_.CreateString(value)));
    const auto root = file::CreateModel(
        builder_, kFileVersion, builder_.CreateString("Tessera"), table_.Write(builder_), symbols,
        guards, builder_.CreateVector(tensors_), builder_.CreateVector(inputs),
        builder_.CreateVector(outputs), builder_.CreateVector(kernels_),
        builder_.CreateVector(dispatches_), arena, static_cast<file::Feature>(features_), weights,
        builder_.CreateVector(rows), builder_.CreateVector(table_.axes()), tilings,
        parts_.arena_limit);
    file::FinishModelBuffer(builder_, root);
    return Sealed();
  }

 private:
  // Tensors that stages use, inputs and outputs, in order.
  void Find() {
    std::set<int> used(program_.inputs.begin(), program_.inputs.end());
    used.insert(program_.outputs.begin(), program_.outputs.end());
    for (const Stage& stage : program_.stages) {
      for (const nests::Nest& nest : stage.nests) {
        used.insert(nest.target.index);
        EachRead(nest.body,
                 [&](const nests::ScalarNode& read, int) { used.insert(read.tensor.index); });
      }
    }
    std::erase_if(used, [&](int tensor) {
      return program_.tensors[static_cast<size_t>(tensor)].kind == Tensor::kWithin;
    });
    used_.assign(used.begin(), used.end());
    for (size_t i = 0; i < used_.size(); ++i) places_[used_[i]] = static_cast<uint32_t>(i);
    plan_ = PlanArena(program_, graph_.context());
  }
  uint32_t Place(int tensor) const { return places_.at(tensor); }

  // Constants behind each other, those of the same bytes once.
  absl::Status Weights() {
    absl::flat_hash_map<std::string_view, size_t> known;
    for (int index : used_) {
      const int storage = program_.StorageOf(index);
      const Tensor& tensor = program_.tensors[static_cast<size_t>(storage)];
      if (tensor.kind != Tensor::kConstant || weight_offsets_.count(storage) != 0) continue;
      const absl::Span<const uint8_t> bytes = tensor.constant->bytes();
      const std::string_view key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      const auto [same, added] = known.emplace(key, weights_.size());
      weight_offsets_[storage] = static_cast<int64_t>(same->second);
      if (!added) continue;
      weights_.insert(weights_.end(), bytes.begin(), bytes.end());
      // Room behind the last one too: what is bound is whole words.
      weights_.resize((weights_.size() + kAlignment - 1) / kAlignment * kAlignment);
      if (weights_.size() > kMostWeights)
        return absl::UnimplementedError("the weights are more than the 2 GiB that a file holds");
    }
    return absl::OkStatus();
  }

  void Tensors() {
    Expr sizes_end = 0;
    absl::flat_hash_map<int, Expr> sizes;  // by storage
    for (int index : used_) {
      const Tensor& tensor = program_.tensors[static_cast<size_t>(index)];
      const int storage = program_.StorageOf(index);
      const Tensor& stored = program_.tensors[static_cast<size_t>(storage)];
      file::Storage kind = file::Storage_ARENA;
      Expr offset = plan_.offsets[static_cast<size_t>(index)];
      flatbuffers::Offset<flatbuffers::Vector<uint32_t>> elements = 0;
      if (stored.kind == Tensor::kConstant) {
        kind = file::Storage_WEIGHTS;
        offset = weight_offsets_.at(storage);
      } else if (stored.kind == Tensor::kSizes) {
        kind = file::Storage_SIZES;
        const auto [known, added] = sizes.emplace(storage, sizes_end);
        offset = known->second;
        if (added) sizes_end += AlignedBytes(BytesOf(stored));
        std::vector<uint32_t> rows;
        for (const Expr& e : stored.elements) rows.push_back(table_.Add(e));
        elements = builder_.CreateVector(rows);
      }
      std::vector<uint32_t> dims;
      for (const Expr& dim : tensor.dims) dims.push_back(table_.Add(dim));
      tensors_.push_back(file::CreateTensor(
          builder_, builder_.CreateString(NameOf(index)), static_cast<file::DType>(tensor.dtype),
          builder_.CreateVector(dims), kind, table_.Add(offset), elements));
    }
  }

  // Outputs have names of their own.
  std::string NameOf(int index) const {
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.outputs[i] == index) return program_.output_names[i];
    }
    return program_.tensors[static_cast<size_t>(index)].name;
  }

  absl::Status Dispatches() {
    absl::flat_hash_map<std::string, uint32_t> known;
    for (const Stage& one : program_.stages) {
      const Stage stage = WithSharedAxes(one, graph_.context());
      const auto at = [&](const absl::Status& status) {
        return absl::Status(status.code(), absl::StrCat("`", stage.name, "` at `", stage.location,
                                                        "`: ", status.message()));
      };
      absl::StatusOr<KernelText> kernel = KernelOf(program_, stage);
      if (!kernel.ok()) return at(kernel.status());
      features_ |= kernel->features;
      const auto [place, added] =
          known.emplace(kernel->glsl, static_cast<uint32_t>(kernels_.size()));
      if (added) {
        const auto [shader, compiles] = shaders_.try_emplace(kernel->glsl);
        if (compiles) {
          absl::StatusOr<std::vector<uint32_t>> code = CompileShader(kernel->glsl);
          if (!code.ok()) return at(code.status());
          shader->second = *std::move(code);
        }
        const auto name = kernel->shader.empty() ? 0 : builder_.CreateString(kernel->shader);
        kernels_.push_back(file::CreateKernel(builder_, builder_.CreateVector(shader->second),
                                              static_cast<uint32_t>(kernel->workgroup),
                                              static_cast<uint32_t>(kernel->bindings.size()),
                                              static_cast<uint32_t>(kernel->parameters.size()),
                                              kernel->checks, builder_.CreateVector(kernel->texels),
                                              builder_.CreateVector(kernel->quads),
                                              static_cast<uint32_t>(kernel->shared_bytes), name));
      }
      if (kernel->number_parameter >= 0)
        kernel->parameters[static_cast<size_t>(kernel->number_parameter)] =
            static_cast<int64_t>(dispatches_.size()) + 1;
      dispatches_.push_back(DispatchOf(stage, *kernel, place->second));
    }
    return absl::OkStatus();
  }

  flatbuffers::Offset<file::Dispatch> DispatchOf(const Stage& stage, const KernelText& kernel,
                                                 uint32_t place) {
    Rows<file::Binding> bindings;
    Expr bytes = 0;
    for (const Bound& bound : kernel.bindings) {
      bindings.push_back(file::CreateBinding(builder_, Place(bound.tensor), bound.written));
      bytes += BytesOf(program_.tensors[static_cast<size_t>(bound.tensor)]);
    }
    std::vector<uint32_t> parameters, limits;
    for (const Expr& e : kernel.parameters) parameters.push_back(table_.Add(e));
    for (const Expr& e : kernel.limits) limits.push_back(table_.Add(e));
    // What is read and written is counted above, by the tensors that are bound.
    nests::Computation computation;
    computation.nests = stage.nests;
    const Expr flops = nests::CostOf(computation).flops;
    const auto accesses = Accesses(stage, kernel);
    std::vector<uint32_t> axes, tiles, counts;
    for (size_t i = 0; i < kernel.tiles.size(); ++i) {
      const nests::Axis& axis = kernel.axes[i];
      axes.push_back(table_.AddAxis(axis.symbol, axis.extent).number);
      tiles.push_back(static_cast<uint32_t>(kernel.tiles[i]));
      counts.push_back(table_.Add(solver::CeilDiv(axis.extent, kernel.tiles[i])));
    }
    return file::CreateDispatch(
        builder_, builder_.CreateString(stage.name), builder_.CreateString(stage.location), place,
        table_.Add(kernel.invocations), builder_.CreateVector(bindings),
        builder_.CreateVector(parameters), builder_.CreateVector(limits), table_.Add(flops),
        table_.Add(bytes), accesses, builder_.CreateVector(axes), builder_.CreateVector(tiles),
        stage.IsByWorkgroups(), builder_.CreateVector(counts), table_.Add(kernel.steps));
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Access>>> Accesses(
      const Stage& stage, const KernelText& kernel) {
    Rows<file::Access> rows;
    for (const Access& access : AccessesOf(program_, stage)) {
      const auto bound = std::find_if(kernel.bindings.begin(), kernel.bindings.end(),
                                      [&](const Bound& b) { return b.tensor == access.tensor; });
      if (bound == kernel.bindings.end())
        continue;  // the kernel's text has no use for it, or it is in no memory
      std::vector<uint32_t> axes, given, at;
      std::map<std::string, Expr, std::less<>> others;  // that stand for symbols
      for (const nests::Axis& axis : access.axes) {
        const ExpressionTable::Axis added = table_.AddAxis(axis.symbol, axis.extent);
        axes.push_back(added.number);
        if (added.symbol != axis.symbol)
          others.emplace(std::string(solver::View(axis.symbol).symbol()), added.symbol);
      }
      const auto add = [&](const Expr& e) {
        return table_.Add(others.empty() ? e : solver::Substitute(e, others));
      };
      for (const Expr& e : access.given) given.push_back(add(e));
      for (const Expr& e : access.at) at.push_back(add(e));
      rows.push_back(file::CreateAccess(
          builder_, static_cast<uint32_t>(bound - kernel.bindings.begin()), access.written,
          builder_.CreateVector(axes), builder_.CreateVector(given), builder_.CreateVector(at),
          builder_.CreateVector(access.looked_at)));
    }
    return builder_.CreateVector(rows);
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Symbol>>> Symbols() {
    Rows<file::Symbol> rows;
    for (const BoundSymbol& symbol : symbols_)
      rows.push_back(file::CreateSymbolDirect(
          builder_, symbol.name.c_str(), symbol.input, symbol.axis, symbol.scale, symbol.offset,
          symbol.range.lo, symbol.range.hi, symbol.congruence.stride, symbol.congruence.residue,
          symbol.origin.c_str()));
    return builder_.CreateVector(rows);
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Guard>>> Guards() {
    Rows<file::Guard> rows;
    for (const GuardText& guard : GuardsOf(graph_)) {
      const uint32_t proposition = table_.AddFact(guard.proposition);
      rows.push_back(file::CreateGuardDirect(builder_, proposition, guard.message.c_str()));
    }
    return builder_.CreateVector(rows);
  }

  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<file::Tiling>>> Tilings() {
    Rows<file::Tiling> rows;
    for (const Reach& reach : parts_.along) {
      Rows<file::TiledOutput> outputs;
      for (const Reach::Output& output : reach.outputs)
        outputs.push_back(file::CreateTiledOutput(builder_, output.axis, output.numerator,
                                                  output.denominator, output.before, output.after));
      const auto symbol = std::find_if(symbols_.begin(), symbols_.end(), [&](const BoundSymbol& s) {
        return s.name == reach.symbol;
      });
      rows.push_back(file::CreateTiling(builder_, static_cast<uint32_t>(symbol - symbols_.begin()),
                                        reach.step,
                                        builder_.CreateVector(std::vector<int32_t>(
                                            reach.input_axes.begin(), reach.input_axes.end())),
                                        builder_.CreateVector(outputs)));
    }
    return builder_.CreateVector(rows);
  }

  std::vector<uint8_t> Sealed() const {
    std::vector<uint8_t> bytes(builder_.GetBufferPointer(),
                               builder_.GetBufferPointer() + builder_.GetSize());
    bytes.resize((bytes.size() + 7) / 8 * 8);
    const uint64_t crc = Crc64(bytes);
    bytes.insert(bytes.end(), kTrailerTag, kTrailerTag + 8);
    uint8_t raw[8];
    std::memcpy(raw, &crc, sizeof raw);
    bytes.insert(bytes.end(), raw, raw + 8);
    return bytes;
  }

  ir::Graph& graph_;
  const Program& program_;
  const Parts& parts_;
  Shaders& shaders_;
  std::vector<BoundSymbol> symbols_;
  ExpressionTable table_;
  MemoryPlan plan_;
  flatbuffers::FlatBufferBuilder builder_;
  std::vector<int> used_;
  absl::flat_hash_map<int, uint32_t> places_;
  std::vector<uint8_t> weights_;
  absl::flat_hash_map<int, int64_t> weight_offsets_;
  Rows<file::Tensor> tensors_;
  Rows<file::Kernel> kernels_;
  Rows<file::Dispatch> dispatches_;
  unsigned features_ = 0;
};

}  // namespace

std::vector<std::string> SizesOf(const ir::Graph& graph) {
  std::vector<std::string> names;
  for (const BoundSymbol& symbol : SymbolsOf(graph)) {
    if (symbol.scale == 1 && symbol.offset == 0) names.push_back(symbol.name);
  }
  return names;
}

absl::StatusOr<std::vector<uint8_t>> EmitProgram(ir::Graph& graph, const Program& program,
                                                 const Parts& parts,
                                                 const std::map<std::string, std::string>& settings,
                                                 Shaders& shaders) {
  Program placed = program;
  PlaceResults(placed);
  return Emission(graph, placed, parts, shaders).Run(settings);
}

}  // namespace tessera::vulkan
