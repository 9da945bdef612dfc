#include "tools/compression/commit.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/compression/traits/traits.h"

namespace tessera::tools {
namespace {

using compression::AddOperand;
using compression::ApplyBefore;
using compression::Command;
using compression::Grid;
using compression::Place;
using compression::Quantize;
using compression::ReplaceNode;
using compression::SetAttribute;
using compression::SetConstant;
using onnx_import::ModelEditor;
using onnx_import::NewNode;

// Versions of ONNX's own operator set from which its Q/DQ nodes can say something.
constexpr int64_t kFirst = 10, kAxis = 13, kSixteenBits = 21, kBlocks = 21, kNarrowFloats = 23,
                  kExponents = 24;
constexpr int64_t kOnnxFloat = 1;  // ONNX's number of f32
constexpr char kContributed[] = "com.microsoft";

bool IsWide(ir::DType storage) { return storage == ir::DType::kI16 || storage == ir::DType::kU16; }
bool IsNarrow(ir::DType storage) {
  return ir::Contains(ir::kNarrowIntTypes | ir::kNarrowFloatTypes, storage);
}

// The tensors of a grid in the file, and how nodes with them look.
struct Stored {
  std::string scale, zero_point, domain;
  std::vector<NewNode::Attribute> attributes;
};

class Committer {
 public:
  explicit Committer(ModelEditor& editor) : editor_(editor) {}

  absl::StatusOr<std::vector<std::string>> Run(std::vector<Command> commands) {
    std::stable_sort(commands.begin(), commands.end(),
                     [](const Command& a, const Command& b) { return a.priority < b.priority; });
    if (absl::Status status = CheckConflicts(commands); !status.ok()) return status;
    for (size_t i = 0; i < commands.size(); ++i) {
      if (done_.contains(i)) continue;
      if (absl::Status status = Apply(commands, i); !status.ok()) return status;
    }
    if (resized_) editor_.ForgetSizes();
    editor_.RemoveUnread(replaced_);
    return std::move(merged_);
  }

 private:
  static absl::Status CheckConflicts(const std::vector<Command>& commands) {
    using Key = std::tuple<int, const ir::Operation*, int, size_t, std::string>;
    std::map<Key, const Command*> seen;
    for (const Command& command : commands) {
      const auto* attribute = std::get_if<SetAttribute>(&command.change);
      const Key key{static_cast<int>(command.point.place), command.point.op, command.point.index,
                    command.change.index(), attribute == nullptr ? "" : attribute->name};
      const auto [place, fresh] = seen.emplace(key, &command);
      if (!fresh)
        return absl::InvalidArgumentError(absl::StrCat(
            "`", place->second->algorithm, "` and `", command.algorithm,
            "` both ask for something at ", command.point.ToString(), ": ", command.ToString()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<int> NodeOf(const Command& command) const {
    const int node = editor_.Find(command.point.node, command.point.tensor);
    if (node < 0)
      return absl::InternalError(absl::StrCat(command.point.ToString(), ": no node `",
                                              command.point.node, "` in the file"));
    return node;
  }

  absl::Status Apply(const std::vector<Command>& commands, size_t at) {
    const Command& command = commands[at];
    const absl::StatusOr<int> node = NodeOf(command);
    if (!node.ok()) return node.status();
    if (std::holds_alternative<Quantize>(command.change)) return ApplyQuantize(commands, at);
    if (std::holds_alternative<ApplyBefore>(command.change)) return ApplySteps(commands, at);
    if (std::holds_alternative<SetConstant>(command.change)) return SetTensor(commands, at);
    if (const auto* operand = std::get_if<AddOperand>(&command.change)) {
      const std::string name =
          editor_.Fresh(absl::StrCat(command.point.node, "_operand_", command.point.index));
      editor_.SetInput(*node, command.point.index, name);
      return editor_.AddInitializer(name, operand->tensor);
    }
    if (const auto* attribute = std::get_if<SetAttribute>(&command.change)) {
      editor_.SetAttribute(*node, attribute->name, attribute->values, attribute->list);
      return absl::OkStatus();
    }
    return Replace(command.point.node, *node, std::get<ReplaceNode>(command.change));
  }

  // The constant, or where others read it too, a copy of those that ask for the same.
  absl::Status SetTensor(const std::vector<Command>& commands, size_t at) {
    const Command& first = commands[at];
    const ir::Tensor& tensor = std::get<SetConstant>(first.change).tensor;
    const absl::StatusOr<std::vector<int>> readers =
        ReadersThat(commands, at, [&](const compression::Change& other) {
          const auto* same = std::get_if<SetConstant>(&other);
          return same != nullptr && ir::Identical(same->tensor, tensor);
        });
    if (!readers.ok()) return readers.status();
    const std::string& name = first.point.tensor;
    const ir::Tensor* before =
        first.point.value == nullptr ? nullptr : first.point.value->constant();
    resized_ = resized_ || before == nullptr || before->shape() != tensor.shape();
    if (editor_.ReadersOf(name) == *readers && !editor_.ReadBySubgraph(name) &&
        !editor_.IsOutput(name) && editor_.IsInitializer(name))
      return editor_.ReplaceConstant(name, tensor);
    replaced_.push_back(name);
    const std::string own = editor_.Fresh(absl::StrCat(name, "_of_", first.point.node));
    if (absl::Status status = ReadInstead(*readers, first, own); !status.ok()) return status;
    return editor_.AddInitializer(own, tensor);
  }

  // An initializer called after `base`; one for all that ask for the same.
  absl::StatusOr<std::string> Constant(const std::string& base, const ir::Tensor& tensor) {
    const auto [first, last] = constants_.equal_range(base);
    for (auto known = first; known != last; ++known) {
      if (ir::Identical(known->second.second, tensor)) return known->second.first;
    }
    const std::string name = editor_.Fresh(base);
    if (absl::Status status = editor_.AddInitializer(name, tensor); !status.ok()) return status;
    constants_.emplace(base, std::make_pair(name, tensor));
    return name;
  }

  absl::Status Replace(const std::string& replaced, int node, const ReplaceNode& change) {
    for (const std::string& input : editor_.nodes()[static_cast<size_t>(node)].inputs)
      replaced_.push_back(input);
    std::vector<std::vector<std::string>> made(change.nodes.size());
    for (size_t i = 0; i < change.nodes.size(); ++i) {
      const ReplaceNode::Node& asked = change.nodes[i];
      NewNode with;
      with.op_type = asked.op_type;
      with.domain = asked.domain;
      for (const ReplaceNode::Input& input : asked.inputs) {
        absl::StatusOr<std::string> name = input.tensor;
        if (input.node >= 0)
          name = made[static_cast<size_t>(input.node)][static_cast<size_t>(input.result)];
        else if (input.constant)
          name = Constant(input.tensor, *input.constant);
        if (!name.ok()) return name.status();
        with.inputs.push_back(*std::move(name));
      }
      for (const ReplaceNode::Attribute& attribute : asked.attributes)
        with.attributes.emplace_back(attribute.name, attribute.value);
      if (asked.same_attributes) with.attributes_of = node;
      if (!asked.domain.empty()) editor_.RequireOpset(asked.domain, asked.domain_version);
      if (i + 1 == change.nodes.size()) {
        editor_.Replace(node, with);
        continue;
      }
      const std::string key = absl::StrCat(asked.op_type, ":", absl::StrJoin(with.inputs, ":"));
      if (const auto known = shared_.find(key); asked.shared && known != shared_.end()) {
        made[i] = known->second;
        continue;
      }
      const std::string base =
          absl::StrCat(asked.shared ? with.inputs[0] : replaced, "_", asked.op_type);
      for (int result = 0; result < asked.results; ++result)
        made[i].push_back(editor_.Fresh(absl::StrCat(base, "_result")));
      with.name = editor_.Fresh(base);
      with.outputs = made[i];
      // All that may ask for it read what it reads.
      editor_.AddBefore(asked.shared ? editor_.ReadersOf(with.inputs[0])[0] : node, with);
      if (asked.shared) shared_[key] = made[i];
    }
    return absl::OkStatus();
  }

  absl::StatusOr<Stored> Store(const Grid& grid, const std::string& base) {
    Stored stored;
    const int64_t opset = editor_.Opset("");
    const bool blocks = grid.block > 0, axis = grid.scale.rank() == 1;
    const bool is_float = ir::Contains(ir::kNarrowFloatTypes, grid.storage);
    const int64_t needed = grid.scale_storage != ir::DType::kF32 ? kExponents
                           : is_float                            ? kNarrowFloats
                                                                 : kBlocks;
    const bool own = opset >= kFirst && !(is_float && opset < needed) && !(axis && opset < kAxis) &&
                     !(IsWide(grid.storage) && opset < kSixteenBits) &&
                     !(blocks && opset < kBlocks) && !(IsNarrow(grid.storage) && opset < kBlocks);
    if (!own) {
      if (blocks || IsNarrow(grid.storage))
        return absl::UnimplementedError(absl::StrCat("`", base, "` as ",
                                                     compression::Describe(grid), " needs opset ",
                                                     needed, " or newer, the model has ", opset));
      stored.domain = kContributed;
      editor_.RequireOpset(kContributed, 1);
    }
    stored.scale = editor_.Fresh(absl::StrCat(base, "_scale"));
    stored.zero_point = editor_.Fresh(absl::StrCat(base, "_zero_point"));
    absl::Status status = editor_.AddInitializer(
        stored.scale,
        grid.scale_storage == ir::DType::kF32 ? grid.scale : grid.scale.CastTo(grid.scale_storage));
    if (!status.ok()) return status;
    if (grid.scale_storage != ir::DType::kF32)
      stored.attributes.emplace_back("output_dtype", kOnnxFloat);
    if (is_float) {
      // They have no zero point.
      stored.zero_point.clear();
      if (grid.axis >= 0) stored.attributes.emplace_back("axis", grid.axis);
      if (blocks) stored.attributes.emplace_back("block_size", grid.block);
      return stored;
    }
    absl::StatusOr<ir::Tensor> zero = ir::Tensor::Allocate(ir::DType::kI32, grid.scale.shape());
    if (!zero.ok()) return zero.status();
    status = editor_.AddInitializer(
        stored.zero_point, (grid.zero_point ? *grid.zero_point : *zero).CastTo(grid.storage));
    if (!status.ok()) return status;
    if (grid.axis >= 0 && (axis || blocks)) stored.attributes.emplace_back("axis", grid.axis);
    if (blocks) stored.attributes.emplace_back("block_size", grid.block);
    return stored;
  }

  NewNode Node(ir::Quantizable kind, const Stored& stored, const std::string& from,
               const std::string& to, const std::string& base) {
    const std::string type(compression::TraitThat(kind)->onnx);
    std::vector<std::string> inputs = {from, stored.scale};
    if (!stored.zero_point.empty()) inputs.push_back(stored.zero_point);
    return {type, stored.domain,    editor_.Fresh(absl::StrCat(base, "_", type)), std::move(inputs),
            {to}, stored.attributes};
  }

  // The nodes of all that ask for the same at one tensor, first to last.
  template <class Same>
  absl::StatusOr<std::vector<int>> ReadersThat(const std::vector<Command>& commands, size_t at,
                                               const Same& same) {
    std::vector<int> readers;
    for (size_t i = at; i < commands.size(); ++i) {
      if (commands[i].point.tensor != commands[at].point.tensor ||
          commands[i].point.place != commands[at].point.place || !same(commands[i].change))
        continue;
      const absl::StatusOr<int> node = NodeOf(commands[i]);
      if (!node.ok()) return node.status();
      readers.push_back(*node);
      done_.insert(i);
    }
    std::sort(readers.begin(), readers.end());
    // A node that reads the tensor at two places asks twice.
    readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
    return readers;
  }

  absl::Status ReadInstead(const std::vector<int>& readers, const Command& command,
                           const std::string& tensor) {
    for (const int reader : readers) {
      if (!editor_.RenameInput(reader, command.point.tensor, tensor))
        return absl::InternalError(absl::StrCat(
            "`", command.point.tensor, "` is not read by the node of ", command.point.ToString()));
    }
    return absl::OkStatus();
  }

  absl::Status ApplySteps(const std::vector<Command>& commands, size_t at) {
    const auto& change = std::get<ApplyBefore>(commands[at].change);
    const absl::StatusOr<std::vector<int>> readers =
        ReadersThat(commands, at, [&](const compression::Change& other) {
          const auto* same = std::get_if<ApplyBefore>(&other);
          return same != nullptr && *same == change;
        });
    if (!readers.ok()) return readers.status();
    const std::string& tensor = commands[at].point.tensor;
    std::string made = tensor;
    for (const ApplyBefore::Step& step : change.steps) {
      const std::string base = absl::StrCat(tensor, "_", step.op_type);
      const std::string constant = editor_.Fresh(absl::StrCat(base, "_by"));
      if (absl::Status status = editor_.AddInitializer(constant, step.constant); !status.ok())
        return status;
      const std::string to = editor_.Fresh(absl::StrCat(base, "_result"));
      editor_.AddBefore((*readers)[0],
                        {step.op_type, "", editor_.Fresh(base), {made, constant}, {to}, {}});
      made = to;
    }
    return ReadInstead(*readers, commands[at], made);
  }

  absl::Status ApplyQuantize(const std::vector<Command>& commands, size_t at) {
    if (compression::TraitThat(ir::Quantizable::kQuantizes) == nullptr ||
        compression::TraitThat(ir::Quantizable::kDequantizes) == nullptr)
      return absl::InternalError("no operations that quantize are linked");
    const Command& first = commands[at];
    const auto& change = std::get<Quantize>(first.change);
    const absl::StatusOr<std::vector<int>> found =
        ReadersThat(commands, at, [&](const compression::Change& other) {
          const auto* same = std::get_if<Quantize>(&other);
          return same != nullptr && same->grid == change.grid &&
                 same->codes.has_value() == change.codes.has_value() &&
                 (!same->codes || ir::Identical(*same->codes, *change.codes));
        });
    if (!found.ok()) return found.status();
    const std::vector<int>& readers = *found;
    const std::string& tensor = first.point.tensor;
    if (readers.size() > 1)
      merged_.push_back(absl::StrCat("`", tensor, "`: ", readers.size(), " readers, ",
                                     compression::Describe(change.grid)));
    const absl::StatusOr<Stored> stored = Store(change.grid, tensor);
    if (!stored.ok()) return stored.status();
    if (first.point.place == Place::kPostHook) return AfterResult(first, readers[0], *stored);
    const std::string codes = editor_.Fresh(absl::StrCat(tensor, "_quantized"));
    const std::string numbers = editor_.Fresh(absl::StrCat(tensor, "_dequantized"));
    if (first.point.place == Place::kWeight) {
      if (!change.codes) return absl::InternalError(absl::StrCat("no codes of `", tensor, "`"));
      absl::Status status =
          editor_.AddInitializer(codes, change.codes->CastTo(change.grid.storage));
      if (!status.ok()) return status;
      replaced_.push_back(tensor);
    } else {
      editor_.AddBefore(readers[0],
                        Node(ir::Quantizable::kQuantizes, *stored, tensor, codes, tensor));
    }
    editor_.AddBefore(readers[0],
                      Node(ir::Quantizable::kDequantizes, *stored, codes, numbers, tensor));
    return ReadInstead(readers, first, numbers);
  }

  // What everybody reads as the result keeps its name, the outputs of the network too.
  absl::Status AfterResult(const Command& command, int node, const Stored& stored) {
    const std::string& tensor = command.point.tensor;
    const std::string exact = editor_.Fresh(absl::StrCat(tensor, "_exact"));
    const std::string codes = editor_.Fresh(absl::StrCat(tensor, "_quantized"));
    editor_.RenameOutput(node, tensor, exact);
    editor_.AddAfter(node, Node(ir::Quantizable::kQuantizes, stored, exact, codes, tensor));
    editor_.AddAfter(node, Node(ir::Quantizable::kDequantizes, stored, codes, tensor, tensor));
    return absl::OkStatus();
  }

  ModelEditor& editor_;
  std::set<size_t> done_;
  std::multimap<std::string, std::pair<std::string, ir::Tensor>> constants_;  // by base
  std::map<std::string, std::vector<std::string>> shared_;  // results of nodes, by type and inputs
  std::vector<std::string> replaced_, merged_;
  bool resized_ = false;  // a constant that sizes follow from
};

}  // namespace

absl::StatusOr<std::vector<std::string>> Commit(std::vector<Command> commands,
                                                ModelEditor& editor) {
  return Committer(editor).Run(std::move(commands));
}

}  // namespace tessera::tools
