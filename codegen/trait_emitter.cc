#include "codegen/trait_emitter.h"

#include <algorithm>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "codegen/info_emitter.h"
#include "codegen/table_source.h"

namespace tessera::codegen {
namespace {

const std::vector<std::string>& Kinds() {
  static const std::vector<std::string> kKinds = {"inputs",    "fine",       "sums",    "clamps",
                                                  "weights",   "agnostic",   "unified", "never",
                                                  "quantizes", "dequantizes"};
  return kKinds;
}

int OperandIndex(const Op& op, const std::string& name) {
  for (size_t i = 0; i < op.inputs.size(); ++i) {
    if (op.inputs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int AttrIndex(const Op& op, const std::string& name) {
  for (size_t i = 0; i < op.attributes.size(); ++i) {
    if (op.attributes[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

// The operand whose elements `value` is, unchanged; empty: something is computed.
std::string MovedOperand(const NodePtr& value) {
  if (value == nullptr) return "";
  if (value->kind == Node::kIndex && value->children[0]->kind == Node::kName)
    return value->children[0]->text;
  if (value->kind == Node::kTernary) {
    const std::string first = MovedOperand(value->children[1]);
    return first == MovedOperand(value->children[2]) ? first : "";
  }
  return "";
}

// What follows from the `ref`: an op that puts elements elsewhere and leaves them as they are is
// agnostic; from several operands, they must be on one grid.
std::string DerivedKind(const Op& op, int& data) {
  std::string kind;
  for (const RefStatement& ref : op.refs) {
    if (ref.kind == RefStatement::kFast) continue;
    if (ref.kind != RefStatement::kAssign && ref.kind != RefStatement::kEach) return "never";
    const std::string moved = MovedOperand(ref.value);
    const int operand = OperandIndex(op, moved);
    if (operand < 0) return "never";
    const std::string found = ref.kind == RefStatement::kEach ? "unified" : "agnostic";
    if (!kind.empty() && (kind != found || data != operand)) return "never";
    kind = found;
    data = operand;
  }
  return kind.empty() ? "never" : kind;
}

std::string OnnxName(const Op& op) {
  for (const OnnxClause& clause : op.onnx) {
    if (clause.domain.empty()) return clause.name;
  }
  return "";
}

}  // namespace

void CheckTraits(const File& file, Diagnostics& diagnostics) {
  for (const Op& op : file.ops) {
    const QuantizeDecl& decl = op.quantize;
    if (decl.kind.empty()) continue;
    if (std::find(Kinds().begin(), Kinds().end(), decl.kind) == Kinds().end())
      diagnostics.Error(decl.place, absl::StrCat("unknown kind `", decl.kind, "` of `quantize`",
                                                 Suggestion(decl.kind, Kinds())));
    if (op.builder)
      diagnostics.Error(decl.place, absl::StrCat("`", op.name,
                                                 "` is a builder: what it builds says how it is "
                                                 "quantized"));
    std::vector<std::string> operands;
    for (const Operand& operand : op.inputs) operands.push_back(operand.name);
    const auto check = [&](const std::string& name, Place place) {
      if (!name.empty() && OperandIndex(op, name) < 0)
        diagnostics.Error(place, absl::StrCat("`", op.name, "` has no operand `", name, "`",
                                              Suggestion(name, operands)));
    };
    check(decl.weight, decl.weight_place);
    check(decl.bias, decl.bias_place);
    if (!decl.groups.empty() && AttrIndex(op, decl.groups) < 0)
      diagnostics.Error(decl.groups_place,
                        absl::StrCat("`", op.name, "` has no attribute `", decl.groups, "`"));
    if (decl.kind == "unified" && op.inputs.size() == 1 && op.inputs[0].arity != Operand::kVariadic)
      diagnostics.Error(decl.place, absl::StrCat("`", op.name,
                                                 "` has one operand, whose grid its "
                                                 "result has: that is `agnostic`"));
    int data = 0;
    if (DerivedKind(op, data) == decl.kind)
      diagnostics.Error(decl.place, absl::StrCat("that `", op.name, "` is `", decl.kind,
                                                 "` follows from its `ref` and need not be said"));
  }
}

std::string EmitTraits(const std::vector<const File*>& files, const std::string& title,
                       Diagnostics& diagnostics) {
  std::vector<const Op*> ops;
  for (const File* file : files) {
    CheckTraits(*file, diagnostics);
    for (const Op& op : file->ops) {
      if (!op.builder) ops.push_back(&op);
    }
  }
  std::sort(ops.begin(), ops.end(), [](const Op* a, const Op* b) { return a->name < b->name; });
  std::string entries;
  for (const Op* op : ops) {
    int data = 0;
    const std::string kind = op->quantize.kind.empty() ? DerivedKind(*op, data) : op->quantize.kind;
    std::string code = kind;
    code[0] = static_cast<char>(code[0] - 'a' + 'A');
    absl::StrAppend(&entries, "      {", Quote(op->dialect), ", ", Quote(op->name),
                    ", ir::Quantizable::k", code, ", ", data, ", ",
                    OperandIndex(*op, op->quantize.weight), ", ", op->quantize.axis, ", ",
                    op->quantize.result, ", ", OperandIndex(*op, op->quantize.bias), ", ",
                    AttrIndex(*op, op->quantize.groups), ", ", Quote(OnnxName(*op)), "},\n");
  }
  return EmitTable({absl::StrCat("what quantization may do at the ops of `", title, "`"),
                    {},
                    "codegen/support/quantize_trait.h",
                    "",
                    "absl::Span<const ir::QuantizeTrait>",
                    title + "Traits",
                    absl::StrCat("  static constexpr ir::QuantizeTrait kTraits[] = {\n", entries,
                                 "  };\n  return kTraits;\n")});
}

}  // namespace tessera::codegen
