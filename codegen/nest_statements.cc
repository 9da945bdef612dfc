// Statements of a `ref` as nests.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/info_emitter.h"
#include "codegen/nest_class.h"
#include "codegen/recurrence.h"

namespace tessera::codegen {

void NestEmitter::BindIndices(const RefStatement& ref, const std::string& target,
                              const std::string& extents, const Operand* result) {
  const auto packs = std::count_if(ref.indices.begin(), ref.indices.end(),
                                   [](const RefIndex& index) { return index.pack; });
  std::vector<std::string> names, lengths;
  for (size_t i = 0; i < ref.indices.size(); ++i) {
    const RefIndex& index = ref.indices[i];
    std::string length = absl::StrCat("Len(", extents, ") - ", ref.indices.size() - 1);
    if (packs > 1) {
      // Several packs divide the result as its declaration does.
      if (result == nullptr || result->form.dims.size() != ref.indices.size() ||
          !result->form.dims[i].pack) {
        Error(index.place,
              "several packs on the left need the same packs in the result's declaration");
        return;
      }
      length = absl::StrCat("Len(s.", Member(result->form.dims[i].name), ")");
    }
    lengths.push_back(index.pack ? length : "1");
    names.push_back(index.pack ? absl::StrCat("{\"", index.name, "\", ", length, "}")
                               : absl::StrCat("{\"", index.name, "\"}"));
  }
  const std::string ix = Unique("ix");
  Line(absl::StrCat("[[maybe_unused]] const std::vector<Expr> ", ix, " = b.Open(", target, ", ",
                    extents, ", {", absl::StrJoin(names, ", "), "});"));
  std::string offset = "0";
  for (size_t i = 0; i < ref.indices.size(); ++i) {
    const RefIndex& index = ref.indices[i];
    if (index.pack) {
      const std::string name = Unique(Member(index.name));
      Line(absl::StrCat("[[maybe_unused]] const std::vector<Expr> ", name, " = nests::Part(", ix,
                        ", ", offset, ", ", lengths[i], ");"));
      Bind(index.name, ListOf(name, Kind::kDim));
    } else {
      Bind(index.name, {.kind = Kind::kDim, .code = absl::StrCat("At(", ix, ", ", offset, ")")});
    }
    offset = offset == "0" ? lengths[i] : absl::StrCat(offset, " + ", lengths[i]);
  }
}

void NestEmitter::Define(const RefStatement& ref, const std::string& element) {
  const Typed value = Emit(ref.value);
  Line(absl::StrCat("b.Assign(", AsElement(value, element, ref.place), ");"));
}

bool NestEmitter::DeclareTemp(const RefStatement& ref, const std::string& element) {
  const std::string extents = Unique("extents");
  Line(absl::StrCat("std::vector<Expr> ", extents, ";"));
  for (const RefIndex& index : ref.indices) {
    if (index.list == nullptr) return false;
    Typed extent = Emit(index.list);
    if (extent.kind == Kind::kList) {
      if (extent.item != Kind::kDim) extent.code.clear();
      extent.item = Kind::kDim;
      Line(absl::StrCat("nests::Append(", extents, ", ", AsVector(extent, index.place), ");"));
    } else {
      Line(absl::StrCat(extents, ".push_back(", AsDim(extent, index.place), ");"));
    }
  }
  Line(absl::StrCat("const nests::TensorId ", TensorVariable(ref.target), " = b.Temp(",
                    Quote(ref.target), ", ", element, ", ", extents, ");"));
  return true;
}

void NestEmitter::Name(const RefStatement& ref, const std::string& element) {
  const std::string target = TensorVariable(ref.target);
  tensors_[ref.target] = {target, element};
  Bind(ref.target, {.kind = Kind::kOperand, .code = target, .operand = -2});
}

void NestEmitter::Assign(const RefStatement& ref) {
  const bool temp = ref.kind == RefStatement::kTemp;
  const Operand* result = FindResult(ref.target);
  if (!temp && result == nullptr) return;  // the kernel's emitter has said so
  const std::string element = ElementOf(ref), target = TensorVariable(ref.target);
  element_hint_ = element;
  if (temp && !DeclareTemp(ref, element)) return;
  Push();
  BindIndices(ref, target, absl::StrCat("b.At(", target, ").dims"), result);
  Define(ref, element);
  Pop();
  if (temp) Name(ref, element);
}

void NestEmitter::Recur(const std::vector<const RefStatement*>& members) {
  // Each may read the others' earlier positions.
  for (const RefStatement* ref : members) {
    const bool temp = ref->kind == RefStatement::kTemp;
    if (!temp && FindResult(ref->target) == nullptr) return;
    const std::string element = ElementOf(*ref);
    element_hint_ = element;
    if (temp && !DeclareTemp(*ref, element)) return;
    Name(*ref, element);
  }
  for (const RefStatement* ref : members) {
    const std::string element = ElementOf(*ref), target = TensorVariable(ref->target);
    const size_t along = *SequentialIndex(*ref);
    element_hint_ = element;
    Push();
    BindIndices(*ref, target, absl::StrCat("b.At(", target, ").dims"), FindResult(ref->target));
    Line(absl::StrCat("b.Sequence({", along, ", ",
                      ref->indices[along].order == RefIndex::kBackward ? "true" : "false", ", ",
                      ref == members[0] ? "false" : "true", "});"));
    Define(*ref, element);
    Pop();
  }
}

void NestEmitter::Each(const RefStatement& ref) {
  const Operand* result = FindResult(ref.target);
  for (const Operand& operand : op_.inputs) {
    if (operand.name == ref.each && operand.arity == Operand::kVariadic) each_ = &operand;
  }
  if (result == nullptr || each_ == nullptr || ref.indices.size() != 1) return;
  const std::string element = ElementType(result->classes, ref.place);
  element_hint_ = element;
  const std::string dims = absl::StrCat("s.", Member(each_->name), "_dims");
  Line(absl::StrCat("for (int64_t which = 0; which < Len(", dims, "); ++which) {"));
  Push();
  Line(absl::StrCat("const std::vector<Expr>& extents = ", dims, "[static_cast<size_t>(which)];"));
  BindIndices(ref, TensorVariable(ref.target), "extents", result);
  if (ref.indices[0].axis != nullptr) {
    const std::string axis = AsHost(Emit(ref.indices[0].axis), ref.place);
    Line(absl::StrCat("b.Shift(", axis, ", ",
                      Expression(Emit(ref.indices[0].shift), ref.indices[0].place), ");"));
  }
  Define(ref, element);
  Pop();
  Line("}");
  each_ = nullptr;
}

}  // namespace tessera::codegen
