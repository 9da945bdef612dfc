#include "targets/circle/emission/emit.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "targets/circle/emission/dtypes.h"
#include "targets/circle/emission/size_facts.h"
#include "targets/circle/emission/versions.h"
#include "targets/circle/schema/operator_rules.h"

namespace tessera::circle {
namespace {

using ir::Operation;
using ir::Value;

// nullopt: an attribute that the file leaves to the default.
absl::StatusOr<std::optional<OptionValue>> OptionOf(const ir::Attribute& attribute,
                                                    const ir::AttrSpec& spec) {
  switch (spec.kind) {
    case ir::AttrKind::kInt:
      return OptionValue(std::get<int64_t>(attribute));
    case ir::AttrKind::kBool:
      return OptionValue(std::get<int64_t>(attribute) != 0);
    case ir::AttrKind::kFloat:
      return OptionValue(std::get<double>(attribute));
    case ir::AttrKind::kEnum:
      return OptionValue(
          std::string(spec.enum_names[static_cast<size_t>(std::get<int64_t>(attribute))]));
    case ir::AttrKind::kDType:
      return OptionValue(
          std::string(::circle::EnumNameTensorType(TypeOf(std::get<ir::DType>(attribute)))));
    case ir::AttrKind::kInts: {
      const auto& list = std::get<std::vector<int64_t>>(attribute);
      if (list.empty()) return std::nullopt;
      return OptionValue(list);
    }
    default:
      return absl::InternalError(
          absl::StrCat("attribute `", std::string(spec.name), "` has no option's kind"));
  }
}

class Emitter {
 public:
  explicit Emitter(const ir::Graph& graph) : graph_(graph) {}

  absl::StatusOr<FileModel> Run(const std::map<std::string, std::string>& configuration) {
    model_.description = "tessera";
    model_.graph_name = "main";
    FileSignature signature{"serving_default", {}, {}};
    // The names of inputs and outputs are what applications know.
    for (const Value* input : graph_.inputs()) names_.insert(input->name());
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      output_names_[graph_.outputs()[i]] = graph_.output_names()[i];
      names_.insert(graph_.output_names()[i]);
    }
    for (const Value* input : graph_.inputs()) {
      model_.inputs.push_back(Add(*input, input->name()));
      signature.inputs.emplace_back(input->name(), model_.inputs.back());
    }
    for (const Operation* op : graph_.TopologicalOrder()) {
      if (op->info().role == ir::Role::kConstant) continue;
      if (absl::Status status = Append(*op); !status.ok()) return status;
    }
    for (size_t i = 0; i < graph_.outputs().size(); ++i) {
      const auto tensor = tensors_.find(graph_.outputs()[i]);
      if (tensor == tensors_.end()) return absl::InternalError("an output that no operator yields");
      model_.outputs.push_back(tensor->second);
      signature.outputs.emplace_back(graph_.output_names()[i], tensor->second);
    }
    model_.signatures.push_back(std::move(signature));
    model_.metadata[kSizeFactsName] = SizeFactsOf(graph_, configuration);
    return std::move(model_);
  }

 private:
  absl::Status Append(const Operation& op) {
    const ir::CodeInfo* code = op.info().code;
    if (code == nullptr) {
      return absl::InternalError(
          absl::StrCat("`", std::string(op.info().name), "` has no code in the format"));
    }
    FileOperator file_op;
    file_op.builtin_code = code->code;
    file_op.version = VersionOf(op);
    file_op.options_table = std::string(code->options);
    for (size_t i = 0; i < op.operands().size(); ++i) {
      const Value* operand = op.operand(i);
      if (operand == nullptr) {
        file_op.inputs.push_back(-1);
        continue;
      }
      const auto known = tensors_.find(operand);
      if (known != tensors_.end()) {
        file_op.inputs.push_back(known->second);
      } else if (operand->constant() != nullptr) {
        const ir::OperandSpec& spec =
            op.info().operands[std::min(i, op.info().operands.size() - 1)];
        file_op.inputs.push_back(
            Add(*operand, absl::StrCat(op.location().ToString(), ":", std::string(spec.name))));
      } else {
        return absl::InternalError(
            absl::StrCat("an operand of `", op.location().ToString(), "` is not computed"));
      }
    }
    const OperatorRule* rule = FindOperatorRule(code->code);
    const size_t least = rule == nullptr ? 0 : static_cast<size_t>(rule->min_inputs);
    while (file_op.inputs.size() < least) file_op.inputs.push_back(-1);
    for (const Value* result : op.results()) {
      file_op.outputs.push_back(
          Add(*result, absl::StrCat(op.location().ToString(), ":", std::string(op.info().name))));
    }
    if (!file_op.options_table.empty()) {
      for (size_t i = 0; i < op.attrs().size(); ++i) {
        const ir::AttrSpec& spec = op.info().attrs[i];
        absl::StatusOr<std::optional<OptionValue>> option = OptionOf(op.attr(i), spec);
        if (!option.ok()) return option.status();
        if (option->has_value())
          file_op.options.emplace_back(std::string(spec.name), *std::move(*option));
      }
    }
    model_.operators.push_back(std::move(file_op));
    return absl::OkStatus();
  }

  int32_t Add(const Value& value, const std::string& otherwise) {
    FileTensor tensor;
    const auto output = output_names_.find(&value);
    if (value.producer() == nullptr) {
      tensor.name = value.name();
    } else if (output != output_names_.end()) {
      tensor.name = output->second;
    } else {
      tensor.name = Unique(value.name().empty() ? otherwise : value.name());
    }
    tensor.type = TypeOf(value.type().dtype);
    for (const ir::Expr& dim : value.type().dims)
      tensor.shape.push_back(dim.Constant().value_or(-1));
    if (const ir::Tensor* constant = value.constant()) {
      tensor.is_constant = true;
      tensor.data = constant->bytes();
      tensor.owner = constant->owner();
    }
    const int32_t index = static_cast<int32_t>(model_.tensors.size());
    model_.tensors.push_back(std::move(tensor));
    tensors_[&value] = index;
    return index;
  }

  std::string Unique(const std::string& name) {
    if (names_.insert(name).second) return name;
    int& count = repeats_[name];
    for (;;) {
      std::string numbered = absl::StrCat(name, "#", ++count);
      if (names_.insert(numbered).second) return numbered;
    }
  }

  const ir::Graph& graph_;
  FileModel model_;
  absl::flat_hash_map<const Value*, int32_t> tensors_;
  absl::flat_hash_map<const Value*, std::string> output_names_;
  absl::flat_hash_set<std::string> names_;
  absl::flat_hash_map<std::string, int> repeats_;
};

}  // namespace

absl::StatusOr<FileModel> Emit(const ir::Graph& graph,
                               const std::map<std::string, std::string>& configuration) {
  return Emitter(graph).Run(configuration);
}

}  // namespace tessera::circle
