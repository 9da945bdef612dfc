#include "ir/draft.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "ir/absl_view.h"
#include "ir/type.h"
#include "solver/remedy.h"

namespace tessera::ir {
namespace {

constexpr size_t kLongestAttr = 120;
constexpr char kConstraint[] = "tessera/constraint";

size_t Columns(std::string_view text) {
  size_t columns = 0;
  for (char c : text) columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  return columns;
}

}  // namespace

Blame BlameFor(const OpInfo& info, std::string_view constraint) {
  const size_t dot = constraint.rfind('.');
  if (dot == std::string_view::npos) return {};
  const std::string_view name = constraint.substr(dot + 1);
  for (size_t i = 0; i < info.operands.size(); ++i) {
    if (info.operands[i].name == name) return {Blame::kOperand, i};
  }
  const int attr = FindAttr(info, name);
  if (attr >= 0) return {Blame::kAttr, static_cast<size_t>(attr)};
  return {};
}

std::string WithCaret(std::string_view line, size_t begin, size_t end) {
  const size_t width = Columns(line.substr(begin, end - begin));
  return absl::StrCat(AbslView(line), "\n", std::string(Columns(line.substr(0, begin)), ' '), "^",
                      std::string(width > 1 ? width - 1 : 0, '~'));
}

void NoteConstraint(std::string_view constraint, absl::Status& status) {
  if (!constraint.empty()) status.SetPayload(kConstraint, absl::Cord(AbslView(constraint)));
}

std::string ConstraintOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kConstraint);
  return payload.has_value() ? std::string(*payload) : "";
}

absl::Status Explain(const absl::Status& reason, const Draft& draft, Blame blame) {
  const OpInfo& info = draft.info;
  const std::string name = absl::StrCat(AbslView(info.dialect), ".", AbslView(info.name));
  std::string line = "  ";
  size_t begin = line.size();
  absl::StrAppend(&line, name);
  size_t end = line.size();
  const auto add = [&](const std::string& text, bool blamed) {
    if (blamed) begin = line.size();
    line += text;
    if (blamed) end = line.size();
  };
  line += "(";
  for (size_t i = 0; i < draft.operands.size(); ++i) {
    if (i > 0) line += ", ";
    std::string text = "_";
    if (draft.operands[i].present) {
      const TensorType type{draft.operands[i].dtype,
                            {draft.operands[i].dims.begin(), draft.operands[i].dims.end()}};
      text = type.ToString();
      if (i < draft.names.size() && !draft.names[i].empty()) {
        text = absl::StrCat(draft.names[i], ": ", text);
      }
    }
    add(text, blame.kind == Blame::kOperand && blame.index == i);
  }
  line += ")";
  bool first = true;
  for (size_t i = 0; i < draft.attrs.size() && i < info.attrs.size(); ++i) {
    const bool blamed = blame.kind == Blame::kAttr && blame.index == i;
    if (std::holds_alternative<std::monostate>(draft.attrs[i]) && !blamed) continue;
    std::string value = ToString(draft.attrs[i], info.attrs[i]);
    if (value.size() > kLongestAttr) value = value.substr(0, kLongestAttr) + "...";
    line += first ? " {" : ", ";
    first = false;
    add(absl::StrCat(AbslView(info.attrs[i].name), "=", value), blamed);
  }
  if (!first) line += "}";
  const std::string where = draft.location.ToString();
  absl::Status status(
      reason.code(), absl::StrCat("`", name, "`", where.empty() ? "" : " at `", where,
                                  where.empty() ? ": " : "`: ", std::string(reason.message()), "\n",
                                  WithCaret(line, begin, end)));
  solver::Attach(solver::Attached(reason), status, solver::ConstraintOf(reason));
  return status;
}

}  // namespace tessera::ir
