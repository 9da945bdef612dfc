// Binding operands: their types, ranks and named dims.
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/shape_class.h"

namespace tessera::codegen {

void ShapeEmitter::BindOperands() {
  std::set<std::string> bound;
  if (op_.inputs.empty()) Line("(void)operands; (void)checker;");
  for (const TypeVariable& type : op_.types)
    Declare("ir::DType", Member(type.name), " = ir::DType::kF32");
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    const Operand& operand = op_.inputs[i];
    const std::string name = Member(operand.name);
    const std::string info = Unique("info");
    if (operand.arity == Operand::kVariadic) {
      Declare("std::vector<std::vector<Domain>>", name + "_dims");
      Declare("std::vector<ir::DType>", name + "_dtypes");
      Line(absl::StrCat("for (size_t each = ", i, "; each < operands.size(); ++each) {"));
      Line(absl::StrCat("  const ir::OperandInfo<Domain>& ", info, " = operands[each];"));
      Line(absl::StrCat("  ", name, "_dims.emplace_back(", info, ".dims.begin(), ", info,
                        ".dims.end());"));
      Line(absl::StrCat("  ", name, "_dtypes.push_back(", info, ".dtype);"));
      CheckType(operand, info + ".dtype", bound, absl::StrCat("each == ", i));
      if (operand.form.kind == Form::kRank) {
        Declare("int64_t", Member(operand.form.rank_name), " = 0");
        const std::string rank = Member(operand.form.rank_name);
        Line(absl::StrCat("  if (each == ", i, ") ", rank, " = static_cast<int64_t>(", info,
                          ".dims.size());"));
        Line(absl::StrCat(
            "  if (!checker.Require(\"rank.", operand.name, "\", static_cast<int64_t>(", info,
            ".dims.size()) == ", rank, ", [&] { return absl::StrCat(\"operands of `", operand.name,
            "` have rank \", ", rank, ", \" and \", ", info, ".dims.size()); })) return false;"));
      }
      Line("}");
      Line(absl::StrCat("if (!lenient && !checker.Require(\"operand.", operand.name,
                        "\", operands.size() > ", i, ", [&] { return std::string(\"`", operand.name,
                        "` needs at least one operand\"); })) return false;"));
      continue;
    }
    Declare("bool", "has_" + operand.name, " = false");
    Declare("std::vector<Domain>", name + "_dims");
    Declare("ir::DType", name + "_dtype", " = ir::DType::kF32");
    Line(absl::StrCat("has_", operand.name, " = operands.size() > ", i, " && operands[", i,
                      "].present;"));
    if (operand.arity == Operand::kRequired) {
      Line(absl::StrCat("if (!lenient && !checker.Require(\"operand.", operand.name, "\", has_",
                        operand.name, ", [&] { return std::string(\"operand `", operand.name,
                        "` is missing\"); })) return false;"));
    }
    Line(absl::StrCat("if (has_", operand.name, ") {"));
    Line(absl::StrCat("  const ir::OperandInfo<Domain>& ", info, " = operands[", i, "];"));
    Line(absl::StrCat("  ", name, "_dims.assign(", info, ".dims.begin(), ", info, ".dims.end());"));
    Line(absl::StrCat("  ", name, "_dtype = ", info, ".dtype;"));
    CheckType(operand, info + ".dtype", bound, "");
    BindForm(operand, name + "_dims", bound);
    if (operand.elements) {
      Declare("std::vector<Domain>", name + "_elements");
      Line(absl::StrCat("  if (!lenient && !checker.Require(\"elements.", operand.name, "\", ",
                        info, ".has_elements, [&] { return std::string(\"the values of `",
                        operand.name, "` must be known\"); })) return false;"));
      Line(absl::StrCat("  ", name, "_elements.assign(", info, ".elements.begin(), ", info,
                        ".elements.end());"));
    }
    if (operand.known_elements) {
      Declare("std::vector<Domain>", name + "_elements");
      Declare("std::vector<Domain>", name + "_extremes");
      for (const char* list : {"elements", "extremes"})
        Line(absl::StrCat("  ", name, "_", list, ".assign(", info, ".", list, ".begin(), ", info,
                          ".", list, ".end());"));
    }
    Line("}");
  }
}

void ShapeEmitter::CheckType(const Operand& operand, const std::string& dtype,
                             std::set<std::string>& bound, const std::string& first) {
  const TypeVariable* variable = nullptr;
  for (const TypeVariable& type : op_.types) {
    if (operand.classes.size() == 1 && operand.classes[0] == type.name) variable = &type;
  }
  const std::string set =
      variable != nullptr ? DTypeSetCode(variable->classes) : DTypeSetCode(operand.classes);
  if (set.empty()) {
    if (variable != nullptr) return;  // its declaration is wrong
    Error(operand.place, absl::StrCat("`", operand.classes[0],
                                      "` is neither a type variable, a dtype nor a class of dtypes",
                                      Suggestion(operand.classes[0], DTypeClassNames())));
    return;
  }
  if (variable == nullptr) {
    Line(absl::StrCat("  if (!checker.Require(\"type.", operand.name, "\", ir::Contains(", set,
                      ", ", dtype, "), [&] { return absl::StrCat(\"`", operand.name,
                      "` is \", Text(", dtype, "), \", not ",
                      absl::StrJoin(operand.classes, " or "), "\"); })) return false;"));
    return;
  }
  const std::string name = Member(variable->name);
  const bool fresh = bound.insert("type " + variable->name).second;
  const std::string mismatch =
      absl::StrCat("if (!checker.Require(\"type.", variable->name, "\", ", dtype, " == ", name,
                   ", [&] { return absl::StrCat(\"`", operand.name, "` is \", Text(", dtype,
                   "), \", other operands of type ", variable->name, " are \", Text(", name,
                   ")); })) return false;");
  if (!fresh && first.empty()) {
    Line("  " + mismatch);
    return;
  }
  const std::string bind = absl::StrCat(
      name, " = ", dtype, "; if (!checker.Require(\"type.", variable->name, "\", ir::Contains(",
      set, ", ", name, "), [&] { return absl::StrCat(\"`", operand.name, "` is \", Text(", dtype,
      "), \", not ", absl::StrJoin(variable->classes, " or "), "\"); })) return false;");
  if (!fresh) {
    Line("  " + mismatch);
  } else if (first.empty()) {
    Line("  " + bind);
  } else {
    Line(absl::StrCat("  if (", first, ") { ", bind, " }"));
    Line("  " + mismatch);
  }
}

void ShapeEmitter::BindForm(const Operand& operand, const std::string& dims,
                            std::set<std::string>& bound) {
  const Form& form = operand.form;
  if (form.kind == Form::kRank) {
    const std::string rank = Member(form.rank_name);
    Declare("int64_t", rank, " = 0");
    if (bound.insert(form.rank_name).second) {
      Line(absl::StrCat("  ", rank, " = Len(", dims, ");"));
    } else {
      Line(absl::StrCat("  if (!checker.Require(\"rank.", operand.name, "\", Len(", dims,
                        ") == ", rank, ", [&] { return absl::StrCat(\"`", operand.name,
                        "` has rank \", Len(", dims, "), \", not \", ", rank,
                        "); })) return false;"));
    }
    return;
  }
  if (form.kind != Form::kDims) return;
  size_t scalars = 0;
  const FormEntry* pack = nullptr;
  for (const FormEntry& entry : form.dims) {
    if (entry.pack) {
      if (pack != nullptr) Error(entry.place, "an operand has at most one pack");
      pack = &entry;
    } else {
      ++scalars;
    }
  }
  Line(absl::StrCat("  if (!checker.Require(\"rank.", operand.name, "\", Len(", dims, ") ",
                    pack != nullptr ? ">= " : "== ", scalars, ", [&] { return absl::StrCat(\"`",
                    operand.name, "` has rank \", Len(", dims, "), \", not ",
                    pack != nullptr ? "at least " : "", scalars, "\"); })) return false;"));
  size_t position = 0;
  bool after_pack = false;
  for (const FormEntry& entry : form.dims) {
    const size_t behind = form.dims.size() - 1 - position;
    const std::string at =
        after_pack ? absl::StrCat("Len(", dims, ") - ", behind + 1) : absl::StrCat(position);
    const std::string name = Member(entry.name);
    if (entry.pack) {
      const std::string slice = absl::StrCat("std::vector<Domain>(", dims, ".begin() + ", position,
                                             ", ", dims, ".end() - ", behind, ")");
      Declare("std::vector<Domain>", name);
      if (bound.insert(entry.name).second) {
        Line(absl::StrCat("  ", name, " = ", slice, ";"));
      } else {
        const std::string other = Unique("other");
        Line(absl::StrCat("  const std::vector<Domain> ", other, " = ", slice, ";"));
        Line(absl::StrCat("  if (!checker.Require(\"equal.", entry.name, "\", Len(", other,
                          ") == Len(", name, "), [&] { return absl::StrCat(\"`", operand.name,
                          "` has \", Text(", other, "), \" where ", entry.name, " is \", Text(",
                          name, ")); })) return false;"));
        Line(absl::StrCat("  for (int64_t d = 0; d < Len(", name, "); ++d) {"));
        Line(absl::StrCat("    if (!checker.Require(\"equal.", entry.name, "\", Eq(At(", name,
                          ", d), At(", other, ", d)), [&] { return absl::StrCat(\"`", operand.name,
                          "` has \", Text(", other, "), \" where ", entry.name, " is \", Text(",
                          name, ")); })) return false;"));
        Line("  }");
      }
      after_pack = true;
    } else if (entry.name.empty()) {
      Line(absl::StrCat("  if (!checker.Require(\"equal.", operand.name, "\", Eq(At(", dims, ", ",
                        at, "), Domain(", entry.literal, ")), [&] { return absl::StrCat(\"`",
                        operand.name, "` has dims \", Text(", dims, "), \", axis ", position,
                        " must be ", entry.literal, "\"); })) return false;"));
    } else {
      Declare("Domain", name);
      if (bound.insert(entry.name).second) {
        Line(absl::StrCat("  ", name, " = At(", dims, ", ", at, ");"));
      } else {
        Line(absl::StrCat("  if (!checker.Require(\"equal.", entry.name, "\", Eq(", name, ", At(",
                          dims, ", ", at, ")), [&] { return absl::StrCat(\"`", operand.name,
                          "` has \", Text(At(", dims, ", ", at, ")), \" where ", entry.name,
                          " is \", Text(", name, ")); })) return false;"));
      }
    }
    ++position;
  }
}

}  // namespace tessera::codegen
