#include "targets/circle/runtimes/integer_probes.h"

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "codegen/support/examples.h"
#include "ir/op_info.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/circle/emission/emit.h"
#include "targets/circle/file/writer.h"
#include "testing/example_case.h"

namespace tessera::ops {
const std::vector<OpExamples>& CircleIntegersExamples();
}  // namespace tessera::ops

namespace tessera::circle {
namespace {

// Whether an operand is a tensor with one scale, which a file may have as an input.
bool IsActivation(const ir::OpInfo& info, const ir::OperandSpec& spec) {
  return ir::FindAttr(info, absl::StrCat(std::string(spec.name), "_scale")) >= 0;
}

absl::StatusOr<ProbeFile> MakeProbe(const testing::Case& c,
                                    const std::vector<ir::Attribute>& attributes) {
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(c.op->op));
  ProbeFile file;
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    if (c.operands[i] == nullptr) {
      values.push_back(nullptr);
      continue;
    }
    const ir::Tensor& tensor = *c.operands[i];
    if (!IsActivation(*c.info, *ir::OperandSpecAt(*c.info, i))) {
      values.push_back(rewriter.CreateConstant(tensor));
      continue;
    }
    const ir::TensorType type{tensor.dtype(), {tensor.shape().begin(), tensor.shape().end()}};
    const absl::StatusOr<ir::Value*> input = rewriter.AddInput(absl::StrCat("in", i), type);
    if (!input.ok()) return input.status();
    values.push_back(*input);
    file.inputs.push_back(tensor);
  }
  while (!values.empty() && values.back() == nullptr) values.pop_back();
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (size_t i = 0; i < attributes.size(); ++i) {
    if (!std::holds_alternative<std::monostate>(attributes[i]))
      attrs.emplace_back(c.info->attrs[i].name, attributes[i]);
  }
  const std::vector<ir::Value*> results =
      builder.Create(c.op->dialect, c.op->op, std::move(values), attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    const absl::Status added = rewriter.AddOutput(absl::StrCat("out", i), results[i]);
    if (!added.ok()) return added;
  }
  return Finished(graph, *results[0]->producer(), std::move(file));
}

}  // namespace

absl::StatusOr<std::vector<ProbeFile>> MakeIntegerProbes() {
  std::vector<ProbeFile> files;
  for (const ops::OpExamples& op : ops::CircleIntegersExamples()) {
    for (const ops::Example& example : op.examples) {
      if (example.reject) continue;
      testing::Case c;
      absl::Status status = testing::Prepare(op, example, c);
      if (!status.ok()) return status;
      absl::StatusOr<ProbeFile> file = MakeProbe(c, example.attrs);
      if (!file.ok())
        return absl::Status(file.status().code(),
                            absl::StrCat(op.op, ": ", std::string(file.status().message())));
      files.push_back(*std::move(file));
    }
  }
  return files;
}

}  // namespace tessera::circle
