#include "targets/circle/file/check.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/circle/file/calls.h"
#include "targets/circle/file/finding_list.h"
#include "targets/circle/file/options.h"
#include "targets/circle/schema/operator_rules.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

constexpr int64_t kMaxDim = std::numeric_limits<int32_t>::max();

class Checker {
 public:
  Checker(const FileModel& model, size_t index, FindingList& findings)
      : model_(model),
        graph_(model.graphs[index]),
        is_main_(index == 0),
        place_(GraphPlace(model, index)),
        tensors_(graph_.tensors.size()),
        findings_(findings) {}

  void Run() {
    for (int64_t i = 0; i < Size(graph_.tensors); ++i) CheckTensor(i);
    CheckInterface();
    for (int64_t i = 0; i < Size(graph_.operators); ++i) CheckOperator(i);
    CheckFlow();
    if (is_main_) CheckSignatures();
    CheckNames();
  }

 private:
  static constexpr int64_t kNobody = -1;

  struct TensorState {
    bool is_used = false;
    bool is_input = false;
    bool is_output = false;
    int64_t producer = kNobody;
  };

  template <class T>
  static int64_t Size(const std::vector<T>& list) {
    return static_cast<int64_t>(list.size());
  }

  template <class... Parts>
  void Error(const Parts&... parts) {
    findings_.Add(true, absl::StrCat(place_, parts...));
  }
  template <class... Parts>
  void Warn(const Parts&... parts) {
    findings_.Add(false, absl::StrCat(place_, parts...));
  }

  bool InRange(int64_t tensor) const { return tensor >= 0 && tensor < Size(graph_.tensors); }

  std::string Tensor(int64_t i) const { return TensorPlace(graph_, i); }
  std::string Operator(int64_t i) const { return OperatorPlace(graph_, i); }
  std::string Count() const { return absl::StrCat("the graph has ", graph_.tensors.size()); }

  void CheckTensor(int64_t index) {
    const FileTensor& tensor = graph_.tensors[index];
    if (tensor.name.empty()) Error("tensor ", index, ": no name, which readers do not expect");
    if (::circle::EnumNameTensorType(tensor.type)[0] == '\0') {
      Error(Tensor(index), ": type ", static_cast<int>(tensor.type), " is none of the format");
    }
    bool shape_ok = true;
    for (int64_t dim : tensor.shape) {
      if (dim >= -1 && dim <= kMaxDim) continue;
      shape_ok = false;
      Error(Tensor(index), ": dim ", dim, ", where dims are 0 to ", kMaxDim, " or -1");
    }
    if (tensor.is_constant && shape_ok) CheckConstant(index);
    if (!tensor.is_constant && tensor.contents().size() > 0)
      Error(Tensor(index), ": data of no constant");
    if (tensor.is_constant && tensor.is_variable) {
      Error(Tensor(index), ": both constant and variable");
    }
    if (tensor.quantization) CheckQuantization(index);
  }

  void CheckConstant(int64_t index) {
    const FileTensor& tensor = graph_.tensors[index];
    const std::string shape = absl::StrCat("[", absl::StrJoin(tensor.shape, ", "), "]");
    for (int64_t dim : tensor.shape) {
      if (dim < 0) return Error(Tensor(index), ": shape ", shape, " of a constant");
    }
    if (BitsOf(tensor.type) == 0) return;
    const std::optional<int64_t> bytes = ByteSize(tensor.type, tensor.shape);
    if (!bytes || *bytes != static_cast<int64_t>(tensor.contents().size())) {
      Error(Tensor(index), ": ", tensor.contents().size(), " bytes for ",
            ::circle::EnumNameTensorType(tensor.type), " of shape ", shape);
    }
  }

  void CheckQuantization(int64_t index) {
    const FileTensor& tensor = graph_.tensors[index];
    const FileQuantization& quantization = *tensor.quantization;
    const int64_t scales = Size(quantization.scale);
    if (Size(quantization.zero_point) != scales) {
      Error(Tensor(index), ": ", scales, " scales and ", quantization.zero_point.size(),
            " zero points, which come in pairs");
    }
    if (quantization.min.size() != quantization.max.size()) {
      Error(Tensor(index), ": ", quantization.min.size(), " minima and ", quantization.max.size(),
            " maxima, which come in pairs");
    }
    for (int64_t zero_point : quantization.zero_point) {
      if (zero_point == static_cast<int32_t>(zero_point)) continue;
      Error(Tensor(index), ": zero point ", zero_point, " beyond 32 bits");
      break;
    }
    if (scales <= 1) return;
    const int32_t axis = quantization.axis;
    if (axis < 0 || axis >= Size(tensor.shape)) {
      Error(Tensor(index), ": quantized along axis ", axis, " of ", tensor.shape.size());
    } else if (tensor.shape[axis] != scales) {
      Error(Tensor(index), ": ", scales, " scales along an axis of ", tensor.shape[axis]);
    }
  }

  void CheckInterface() {
    for (int64_t i = 0; i < Size(graph_.inputs); ++i) {
      const int64_t tensor = graph_.inputs[i];
      if (!InRange(tensor)) {
        Error(Input(), " ", i, ": tensor ", tensor, "; ", Count());
        continue;
      }
      if (tensors_[tensor].is_input) Error(Tensor(tensor), ": ", Input(), " twice");
      if (graph_.tensors[tensor].is_constant) Error(Tensor(tensor), ": constant as ", Input());
      tensors_[tensor].is_input = tensors_[tensor].is_used = true;
    }
    for (int64_t i = 0; i < Size(graph_.outputs); ++i) {
      const int64_t tensor = graph_.outputs[i];
      if (!InRange(tensor)) {
        Error(Output(), " ", i, ": tensor ", tensor, "; ", Count());
      } else {
        tensors_[tensor].is_output = tensors_[tensor].is_used = true;
      }
    }
  }

  void CheckOperator(int64_t index) {
    const FileOperator& op = graph_.operators[index];
    const bool is_custom = op.builtin_code == ::circle::BuiltinOperator_CUSTOM;
    if (OperatorName(op.builtin_code).empty() ||
        op.builtin_code == ::circle::BuiltinOperator_PLACEHOLDER_FOR_GREATER_OP_CODES) {
      Error("operator ", index, ": code ", op.builtin_code, " is none of the format");
    }
    if (is_custom == op.custom_code.empty()) {
      Error(Operator(index), ": ", is_custom ? "no custom code" : "a custom code beside a builtin");
    }
    if (!is_custom && !op.custom_options.empty()) Error(Operator(index), ": custom options");
    if (op.version < 1) Error(Operator(index), ": version ", op.version, ", they begin at 1");
    if (auto status = CheckOptions(op.options_table, op.options); !status.ok()) {
      Error(Operator(index), ": ", status.message());
    }
    CheckRule(index);
    for (int64_t i = 0; i < Size(op.inputs); ++i) {
      const int64_t tensor = op.inputs[i];
      if (tensor == -1) continue;
      if (!InRange(tensor)) {
        Error(Operator(index), ": input ", i, " is tensor ", tensor, "; ", Count());
      } else {
        tensors_[tensor].is_used = true;
      }
    }
    for (int64_t i = 0; i < Size(op.outputs); ++i) CheckResult(index, i);
  }

  void CheckResult(int64_t index, int64_t output) {
    const int64_t tensor = graph_.operators[index].outputs[output];
    if (!InRange(tensor)) {
      Error(Operator(index), ": output ", output, " is tensor ", tensor, "; ", Count());
      return;
    }
    TensorState& state = tensors_[tensor];
    if (state.producer != kNobody) {
      Error(Tensor(tensor), ": produced by ", Operator(state.producer), " and by ",
            Operator(index));
    } else if (state.is_input) {
      Error(Tensor(tensor), ": ", Input(), ", and produced by ", Operator(index));
    } else if (graph_.tensors[tensor].is_constant) {
      Error(Tensor(tensor), ": constant, and produced by ", Operator(index));
    }
    state.producer = index;
    state.is_used = true;
  }

  void CheckRule(int64_t index) {
    const FileOperator& op = graph_.operators[index];
    const OperatorRule* rule = FindOperatorRule(op.builtin_code);
    if (rule == nullptr) {
      Warn(Operator(index), ": not known to the importer of ONE's compiler");
      return;
    }
    const int64_t inputs = Size(op.inputs);
    if (inputs < rule->min_inputs || inputs > rule->max_inputs) {
      Error(Operator(index), ": ", inputs, " inputs; it takes ", rule->min_inputs,
            rule->max_inputs == OperatorRule::kAnyNumber ? " or more"
            : rule->max_inputs == rule->min_inputs       ? ""
                                                         : absl::StrCat(" to ", rule->max_inputs));
    }
    if (rule->options_table.empty() || op.options_table == rule->options_table) return;
    // Tables without fields are not looked at.
    const bool matters = !FieldsInOrder(*FindTable(rule->options_table)).empty();
    if (!op.options_table.empty() || matters) {
      Error(Operator(index), ": options `", op.options_table, "`; it takes `", rule->options_table,
            "`");
    }
  }

  // Every tensor that is read has its value by then.
  void CheckFlow() {
    std::vector<bool> ready(graph_.tensors.size());
    for (size_t i = 0; i < ready.size(); ++i) {
      const FileTensor& tensor = graph_.tensors[i];
      ready[i] = tensors_[i].is_input || tensor.is_constant || tensor.is_variable;
    }
    for (int64_t i = 0; i < Size(graph_.operators); ++i) {
      for (int64_t tensor : graph_.operators[i].inputs) {
        if (!InRange(tensor) || ready[tensor]) continue;
        const int64_t producer = tensors_[tensor].producer;
        Error(Operator(i), ": reads ", Tensor(tensor), ", which ",
              producer == kNobody ? "nothing produces"
                                  : absl::StrCat(Operator(producer), " has not produced yet"));
      }
      for (int64_t tensor : graph_.operators[i].outputs) {
        if (InRange(tensor)) ready[tensor] = true;
      }
    }
    for (int64_t i = 0; i < Size(graph_.outputs); ++i) {
      const int64_t tensor = graph_.outputs[i];
      if (InRange(tensor) && !ready[tensor]) {
        Error(Output(), " ", i, ": ", Tensor(tensor), ", which nothing produces");
      }
    }
  }

  void CheckSignatures() {
    for (const FileSignature& signature : model_.signatures) {
      for (const auto& [name, tensor] : signature.inputs) {
        if (InRange(tensor) && tensors_[tensor].is_input) continue;
        Error("signature `", signature.key, "`: input `", name, "` is tensor ", tensor,
              ", which is no input of the model");
      }
      for (const auto& [name, tensor] : signature.outputs) {
        if (InRange(tensor) && tensors_[tensor].is_output) continue;
        Error("signature `", signature.key, "`: output `", name, "` is tensor ", tensor,
              ", which is no output of the model");
      }
    }
  }

  void CheckNames() {
    absl::flat_hash_map<absl::string_view, int64_t> first;
    for (int64_t i = 0; i < Size(graph_.tensors); ++i) {
      const FileTensor& tensor = graph_.tensors[i];
      if (!tensors_[i].is_used) Warn(Tensor(i), ": nothing uses it");
      if (tensor.name.empty()) continue;
      if (const auto [entry, is_new] = first.emplace(tensor.name, i); !is_new) {
        Warn(Tensor(i), ": also the name of tensor ", entry->second);
      }
    }
  }

  const char* Input() const { return is_main_ ? "model input" : "input"; }
  const char* Output() const { return is_main_ ? "model output" : "output"; }

  const FileModel& model_;
  const FileGraph& graph_;
  const bool is_main_;
  const std::string place_;
  std::vector<TensorState> tensors_;
  FindingList& findings_;
};

}  // namespace

std::vector<Finding> CheckCircle(const FileModel& model) {
  if (model.graphs.empty()) return {{true, "no graph"}};
  FindingList findings;
  for (size_t i = 0; i < model.graphs.size(); ++i) Checker(model, i, findings).Run();
  CheckCalls(model, findings);
  return findings.Take();
}

}  // namespace tessera::circle
