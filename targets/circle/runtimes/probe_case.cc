#include "targets/circle/runtimes/probe_case.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"
#include "targets/circle/emission/emit.h"
#include "targets/circle/file/writer.h"
#include "targets/circle/lowering/legalize.h"

namespace tessera::circle {
namespace {

bool ParseIntegers(absl::string_view text, std::vector<int64_t>& list) {
  for (const absl::string_view part : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    if (!absl::SimpleAtoi(part, &list.emplace_back())) return false;
  }
  return true;
}

// `i32<3[2,1]`, `=T[4,3]`, `=i32{1,2}`, `+[2,3]`, `~[2,3]`, `-`.
bool ParseOperand(absl::string_view text, ProbeOperand& operand) {
  if (text == "-") {
    operand.present = false;
    return true;
  }
  operand.constant = absl::ConsumePrefix(&text, "=");
  operand.positive = absl::ConsumePrefix(&text, "+");
  operand.whole = absl::ConsumePrefix(&text, "~");
  const size_t end = text.find_first_of("[{<");
  if (end == absl::string_view::npos) return false;
  operand.type = end == 0 ? "T" : std::string(text.substr(0, end));
  text.remove_prefix(end);
  if (absl::ConsumePrefix(&text, "<")) {
    const size_t bracket = text.find('[');
    if (!absl::SimpleAtoi(text.substr(0, bracket), &operand.below)) return false;
    text.remove_prefix(std::min(bracket, text.size()));
  }
  const bool shaped = absl::ConsumePrefix(&text, "[");
  if (shaped) {
    const size_t close = text.find(']');
    if (close == absl::string_view::npos || !ParseIntegers(text.substr(0, close), operand.shape))
      return false;
    text.remove_prefix(close + 1);
  }
  if (text.empty()) return shaped;
  if (!absl::ConsumePrefix(&text, "{") || !absl::ConsumeSuffix(&text, "}") ||
      !ParseIntegers(text, operand.values))
    return false;
  if (!shaped) operand.shape = {static_cast<int64_t>(operand.values.size())};
  return true;
}

bool ParseLine(absl::string_view line, std::vector<ProbeCase>& cases) {
  const std::vector<absl::string_view> sides = absl::StrSplit(line, '|');
  const std::vector<absl::string_view> words = absl::StrSplit(sides[0], ' ', absl::SkipEmpty());
  if (words.size() < 2 || sides.size() > 2) return false;
  ProbeCase probe;
  probe.op = std::string(words[0]);
  for (size_t i = 2; i < words.size(); ++i) {
    if (!ParseOperand(words[i], probe.operands.emplace_back())) return false;
  }
  if (sides.size() == 2) {
    for (absl::string_view word : absl::StrSplit(sides[1], ' ', absl::SkipEmpty())) {
      if (absl::ConsumePrefix(&word, "!")) probe.forms.emplace_back(word);
      const std::vector<std::string> parts = absl::StrSplit(word, '=');
      if (parts.size() != 2) return false;
      probe.attrs.emplace_back(parts[0], parts[1]);
    }
  }
  for (const absl::string_view type : absl::StrSplit(words[1], ',')) {
    probe.type = std::string(type);
    if (!ir::DTypeFromName(probe.type).has_value()) return false;
    cases.push_back(probe);
  }
  return true;
}

// The same for the same place: a small generator, for values that only have to differ.
class Values {
 public:
  explicit Values(uint64_t seed) : state_(seed * 2654435761u + 12345) {}
  int64_t Below(int64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<int64_t>((state_ >> 33) % static_cast<uint64_t>(n));
  }

 private:
  uint64_t state_;
};

ir::Tensor TensorOf(const ProbeOperand& operand, ir::DType dtype, uint64_t seed) {
  Values values(seed);
  const int64_t size =
      std::accumulate(operand.shape.begin(), operand.shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<double> elements(static_cast<size_t>(size));
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!operand.values.empty()) {
      elements[i] = static_cast<double>(operand.values[i % operand.values.size()]);
    } else if (operand.below > 0) {
      elements[i] = static_cast<double>(values.Below(operand.below));
    } else if (dtype == ir::DType::kBool) {
      elements[i] = static_cast<double>(values.Below(2));
    } else if (ir::IsFloat(dtype) && !operand.whole) {
      const auto part = static_cast<double>(values.Below(64));
      elements[i] = operand.positive ? (part + 8) / 16 : (part - 32) / 16;
    } else {
      elements[i] =
          static_cast<double>(operand.positive ? 1 + values.Below(4) : values.Below(9) - 4);
      if (ir::Contains(ir::kUnsignedTypes, dtype)) elements[i] += 4;
    }
  }
  return ir::Tensor::Of<double>(dtype, operand.shape, absl::MakeConstSpan(elements));
}

absl::StatusOr<ir::TermAttribute> AttributeOf(const ir::AttrSpec& spec, const std::string& text) {
  int64_t whole = 0;
  double number = 0;
  switch (spec.kind) {
    case ir::AttrKind::kBool:
      return ir::TermAttribute(ir::Attribute(int64_t{text == "true"}));
    case ir::AttrKind::kEnum:
      return ir::TermAttribute(std::string_view(text));
    case ir::AttrKind::kDType:
      if (const auto dtype = ir::DTypeFromName(text))
        return ir::TermAttribute(ir::Attribute(*dtype));
      break;
    case ir::AttrKind::kInt:
      if (absl::SimpleAtoi(text, &whole)) return ir::TermAttribute(ir::Attribute(whole));
      break;
    case ir::AttrKind::kFloat:
      if (absl::SimpleAtod(text, &number)) return ir::TermAttribute(ir::Attribute(number));
      break;
    default:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat("`", std::string(spec.name), "=", text, "`"));
}

}  // namespace

absl::StatusOr<std::vector<ProbeCase>> ParseProbes(std::string_view text) {
  std::vector<ProbeCase> cases;
  int number = 0;
  for (const absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n')) {
    ++number;
    if (line.empty() || line[0] == '#') continue;
    if (!ParseLine(line, cases))
      return absl::InvalidArgumentError(absl::StrCat("line ", number, ": `", line, "`"));
  }
  return cases;
}

absl::StatusOr<ProbeFile> MakeProbe(const ProbeCase& probe, Sizes sizes) {
  const ir::OpInfo* info = ir::Registry::Global().Find(kDialect, probe.op);
  if (info == nullptr) info = ir::Registry::Global().Find(kIntegers, probe.op);
  if (info == nullptr) return absl::InvalidArgumentError(absl::StrCat("no `", probe.op, "`"));
  ir::Graph graph;
  ir::Rewriter rewriter(graph);
  ir::TermBuilder builder(rewriter);
  rewriter.SetLocation(ir::Location::Of(probe.op));
  ProbeFile file;
  std::vector<ir::Value*> operands;
  for (size_t i = 0; i < probe.operands.size(); ++i) {
    const ProbeOperand& operand = probe.operands[i];
    if (!operand.present) {
      operands.push_back(nullptr);
      continue;
    }
    const std::optional<ir::DType> dtype =
        ir::DTypeFromName(operand.type == "T" ? probe.type : operand.type);
    if (!dtype.has_value())
      return absl::InvalidArgumentError(absl::StrCat(probe.op, ": no type `", operand.type, "`"));
    ir::Tensor tensor = TensorOf(operand, *dtype, i + 1);
    if (operand.constant) {
      operands.push_back(rewriter.CreateConstant(std::move(tensor)));
      continue;
    }
    std::vector<ir::Expr> dims;
    for (size_t axis = 0; axis < operand.shape.size(); ++axis) {
      const int64_t size = operand.shape[axis];
      const bool last = axis + 1 == operand.shape.size();
      const bool first = sizes == Sizes::kUnknownFirst && axis == 0;
      const bool known =
          !first && (size <= 1 || sizes == Sizes::kKnown || sizes == Sizes::kUnknownFirst ||
                     (sizes == Sizes::kUnknownButLast && last));
      dims.push_back(known ? ir::Expr(size) : graph.context().Symbol(absl::StrCat("d", size)));
    }
    absl::StatusOr<ir::Value*> input =
        rewriter.AddInput(absl::StrCat("in", i), {*dtype, std::move(dims)});
    if (!input.ok()) return input.status();
    operands.push_back(*input);
    file.inputs.push_back(std::move(tensor));
  }
  std::vector<std::pair<std::string_view, ir::TermAttribute>> attrs;
  for (const auto& [name, text] : probe.attrs) {
    const int index = ir::FindAttr(*info, name);
    if (index < 0)
      return absl::InvalidArgumentError(absl::StrCat(probe.op, " has no `", name, "`"));
    absl::StatusOr<ir::TermAttribute> attr =
        AttributeOf(info->attrs[static_cast<size_t>(index)], text);
    if (!attr.ok()) return attr.status();
    attrs.emplace_back(name, *std::move(attr));
  }
  const std::vector<ir::Value*> results = builder.Create(info->dialect, probe.op, operands, attrs);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < results.size(); ++i) {
    if (absl::Status status = rewriter.AddOutput(absl::StrCat("out", i), results[i]); !status.ok())
      return status;
  }
  return Finished(graph, *results[0]->producer(), std::move(file));
}

absl::StatusOr<ProbeFile> Finished(const ir::Graph& graph, const ir::Operation& op,
                                   ProbeFile file) {
  const std::optional<Use> use = UseOf(op);
  if (!use.has_value())
    return absl::InternalError(absl::StrCat("no use of ", std::string(op.info().name)));
  file.use = *use;
  absl::StatusOr<FileModel> model = Emit(graph, {});
  if (!model.ok()) return model.status();
  // Files have no integers of 8 bits without a scale.
  for (FileTensor& tensor : model->main().tensors) {
    if (tensor.type == ::circle::TensorType_INT8 && !tensor.quantization.has_value())
      tensor.quantization = FileQuantization{{}, {}, {0.5F}, {3}};
  }
  absl::StatusOr<std::string> bytes = WriteCircle(*model);
  if (!bytes.ok()) return bytes.status();
  file.circle = *std::move(bytes);
  return file;
}

}  // namespace tessera::circle
