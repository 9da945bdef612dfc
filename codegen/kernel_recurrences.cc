// Loops along one axis whose positions read those before them.

#include "absl/strings/str_cat.h"
#include "codegen/kernel_class.h"
#include "codegen/recurrence.h"

namespace tessera::codegen {

void KernelEmitter::Recur(const std::vector<const RefStatement*>& members) {
  // All members are in scope of all: each may read the others' earlier positions.
  for (const RefStatement* ref : members) {
    if (ref->kind != RefStatement::kTemp && FindResult(ref->target) == nullptr) {
      Error(ref->place, absl::StrCat("`", ref->target, "` is not a result"));
      return;
    }
    const std::string element = ElementOf(*ref);
    const std::string data = Data(ref->target);
    if (ref->kind == RefStatement::kTemp) DeclareTemp(*ref, element);
    tensors_[ref->target] = {data, data + "_n", data + "_st", element, false, -1};
    Bind(ref->target, {.kind = Kind::kOperand, .code = data, .operand = -2});
    Line(absl::StrCat("if (", data,
                      "_n.size() > kernels::kMaxRank) return absl::UnimplementedError(\"more than "
                      "16 axes\");"));
  }
  const size_t first = *SequentialIndex(*members[0]);
  const bool forward = members[0]->indices[first].order == RefIndex::kForward;
  const std::string step = Unique("step");
  const std::string steps = Unique("steps");
  Line(absl::StrCat("const int64_t ", steps, " = ", Data(members[0]->target), "_n[", first, "];"));
  Line(absl::StrCat("for (int64_t ", step, " = ", forward ? "0" : steps + " - 1", "; ", step,
                    forward ? " < " + steps : std::string(" >= 0"), "; ", forward ? "++" : "--",
                    step, ") {"));
  for (const RefStatement* ref : members) {
    const std::string data = Data(ref->target);
    const size_t at = *SequentialIndex(*ref);
    const std::string element = ElementOf(*ref);
    element_hint_ = element;
    Push();
    // One position: an index space of extent 1 along the sequential axis.
    Line("{");
    Line(absl::StrCat("std::vector<int64_t> here = ", data, "_n;"));
    Line(absl::StrCat("here[", at, "] = 1;"));
    Line("int64_t ix[kernels::kMaxRank] = {};");
    Line(
        "for (int64_t left = kernels::Product(here); left > 0; --left, kernels::Next(ix, "
        "here.data(), here.size())) {");
    Line(absl::StrCat("ix[", at, "] = ", step, ";"));
    BindIndices(*ref, data + "_n", FindResult(ref->target));
    const Typed value = Emit(ref->value);
    Line(absl::StrCat("  ", data, "[kernels::Offset(ix, ", data,
                      "_st.data(), here.size())] = ", AsElement(value, element, ref->place), ";"));
    Line("}");
    Line("}");
    Pop();
  }
  Line("}");
  // Symbolic elements could not say where a recurrence ends.
  NoteElementOperation(false);
}

}  // namespace tessera::codegen
