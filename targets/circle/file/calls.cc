#include "targets/circle/file/calls.h"

#include <algorithm>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "targets/circle/schema/schema.h"

namespace tessera::circle {
namespace {

std::string Text(const FileTensor& tensor) {
  return absl::StrCat(::circle::EnumNameTensorType(tensor.type), "[",
                      absl::StrJoin(tensor.shape, ","), "]");
}

// An unknown dim may be any.
bool Agree(const FileTensor& a, const FileTensor& b) {
  return a.type == b.type &&
         std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end(),
                    [](int64_t x, int64_t y) { return x == y || x == -1 || y == -1; });
}

bool IsCondition(const FileTensor& tensor) {
  return tensor.type == ::circle::TensorType_BOOL &&
         std::all_of(tensor.shape.begin(), tensor.shape.end(), [](int64_t d) { return d == 1; });
}

class CallChecker {
 public:
  CallChecker(const FileModel& model, FindingList& findings)
      : model_(model), findings_(findings), runs_(model.graphs.size()) {}

  void Run() {
    for (size_t g = 0; g < model_.graphs.size(); ++g) {
      const std::vector<FileOperator>& operators = model_.graphs[g].operators;
      for (size_t i = 0; i < operators.size(); ++i) CheckCall(g, i);
    }
    CheckNesting();
  }

 private:
  using Tensors = std::vector<int32_t>;

  template <class... Parts>
  void Error(size_t graph, size_t op, const Parts&... parts) {
    findings_.Add(true, absl::StrCat(GraphPlace(model_, graph),
                                     OperatorPlace(model_.graphs[graph], static_cast<int64_t>(op)),
                                     ": ", parts...));
  }

  void CheckCall(size_t g, size_t i) {
    const FileOperator& op = model_.graphs[g].operators[i];
    const GraphCall call = CallOf(op);
    for (int64_t graph : call.graphs) {
      if (graph < 0 || graph >= static_cast<int64_t>(model_.graphs.size()))
        return Error(g, i, "runs subgraph ", graph, "; the file has ", model_.graphs.size());
      runs_[g].push_back(static_cast<size_t>(graph));
    }
    if (call.kind == GraphCall::kWhile) {
      const size_t condition = static_cast<size_t>(call.graphs[0]);
      const size_t body = static_cast<size_t>(call.graphs[1]);
      Match(g, i, op.inputs, condition, model_.graphs[condition].inputs, "operand", "input");
      Match(g, i, op.inputs, body, model_.graphs[body].inputs, "operand", "input");
      Match(g, i, op.inputs, body, model_.graphs[body].outputs, "operand", "output");
      Match(g, i, op.outputs, body, model_.graphs[body].outputs, "result", "output");
      const FileGraph& decides = model_.graphs[condition];
      if (decides.outputs.size() != 1 || !InRange(decides, decides.outputs[0]) ||
          !IsCondition(TensorAt(decides, decides.outputs[0]))) {
        Error(g, i, "its condition, subgraph ", condition, ", yields other than one bool");
      }
    }
    if (call.kind == GraphCall::kIf) {
      if (op.inputs.empty() || !InRange(model_.graphs[g], op.inputs[0]) ||
          !IsCondition(TensorAt(model_.graphs[g], op.inputs[0]))) {
        return Error(g, i, "its first operand is no bool of one element");
      }
      const Tensors given(op.inputs.begin() + 1, op.inputs.end());
      for (int64_t graph : call.graphs) {
        const size_t branch = static_cast<size_t>(graph);
        Match(g, i, given, branch, model_.graphs[branch].inputs, "operand behind the first",
              "input");
        Match(g, i, op.outputs, branch, model_.graphs[branch].outputs, "result", "output");
      }
    }
  }

  static bool InRange(const FileGraph& graph, int32_t tensor) {
    return tensor >= 0 && static_cast<size_t>(tensor) < graph.tensors.size();
  }
  static const FileTensor& TensorAt(const FileGraph& graph, int32_t tensor) {
    return graph.tensors[static_cast<size_t>(tensor)];
  }

  // Values of the operator against those of the graph that it runs.
  void Match(size_t g, size_t i, const Tensors& values, size_t run, const Tensors& expected,
             const char* value, const char* other) {
    if (values.size() != expected.size()) {
      return Error(g, i, values.size(), " ", value, "s; subgraph ", run, " has ", expected.size(),
                   " ", other, "s");
    }
    for (size_t k = 0; k < values.size(); ++k) {
      if (values[k] == -1) {
        Error(g, i, value, " ", k, " is left out; subgraph ", run, " needs all");
        continue;
      }
      if (!InRange(model_.graphs[g], values[k]) || !InRange(model_.graphs[run], expected[k]))
        continue;  // said elsewhere
      const FileTensor& a = TensorAt(model_.graphs[g], values[k]);
      const FileTensor& b = TensorAt(model_.graphs[run], expected[k]);
      if (Agree(a, b)) continue;
      Error(g, i, value, " ", k, " is ", Text(a), ", ", other, " ", k, " of subgraph ", run, " is ",
            Text(b));
    }
  }

  // Without recursion of our own: a file may nest as deep as it has graphs.
  void CheckNesting() {
    constexpr int kUnseen = -1, kOpen = -2;
    std::vector<int> depth(model_.graphs.size(), kUnseen);  // of graphs run therein, or a state
    struct Visit {
      size_t graph, next;
    };
    const auto visit = [&](size_t root) {
      std::vector<Visit> stack{{root, 0}};
      depth[root] = kOpen;
      while (!stack.empty()) {
        Visit& top = stack.back();
        if (top.next < runs_[top.graph].size()) {
          const size_t run = runs_[top.graph][top.next++];
          if (depth[run] == kOpen) {
            findings_.Add(true, absl::StrCat("subgraph ", run, " is run by itself"));
            return false;
          }
          if (depth[run] == kUnseen) {
            depth[run] = kOpen;
            stack.push_back({run, 0});
          }
          continue;
        }
        int deepest = 0;
        for (size_t run : runs_[top.graph]) deepest = std::max(deepest, depth[run] + 1);
        depth[top.graph] = deepest;
        stack.pop_back();
      }
      return true;
    };
    if (!visit(0)) return;
    for (size_t g = 1; g < model_.graphs.size(); ++g) {
      if (depth[g] != kUnseen) continue;
      findings_.Add(false, absl::StrCat(GraphPlace(model_, g), "nothing runs it"));
      if (!visit(g)) return;
    }
    const int deepest = *std::max_element(depth.begin(), depth.end());
    if (deepest <= kMostNested) return;
    findings_.Add(true, absl::StrCat("subgraphs run one another ", deepest, " deep, at most ",
                                     kMostNested, " are read"));
  }

  const FileModel& model_;
  FindingList& findings_;
  std::vector<std::vector<size_t>> runs_;  // by graph: those that its operators run
};

}  // namespace

GraphCall CallOf(const FileOperator& op) {
  GraphCall call;
  const ::reflection::Object* const table =
      op.options_table.empty() ? nullptr : FindTable(op.options_table);
  if (table == nullptr) return call;
  for (const ::reflection::Field* field : FieldsInOrder(*table)) {
    const absl::string_view name(field->name()->c_str(), field->name()->size());
    if (!absl::StrContains(name, "subgraph")) continue;
    const OptionValue* const value = FindOption(op, {name.data(), name.size()});
    if (const auto* list = value == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(value)) {
      call.graphs.insert(call.graphs.end(), list->begin(), list->end());
    } else if (field->type()->base_type() != ::reflection::Vector) {
      const auto* index = value == nullptr ? nullptr : std::get_if<int64_t>(value);
      call.graphs.push_back(index == nullptr ? field->default_integer() : *index);
    }
  }
  if (call.graphs.empty()) return call;
  call.kind = op.builtin_code == ::circle::BuiltinOperator_WHILE && call.graphs.size() == 2
                  ? GraphCall::kWhile
              : op.builtin_code == ::circle::BuiltinOperator_IF && call.graphs.size() == 2
                  ? GraphCall::kIf
                  : GraphCall::kOther;
  return call;
}

void CheckCalls(const FileModel& model, FindingList& findings) {
  CallChecker(model, findings).Run();
}

}  // namespace tessera::circle
