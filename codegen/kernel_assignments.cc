// Loops that assign to results and scratch tensors.

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/kernel_class.h"

namespace tessera::codegen {
namespace {

bool Mentions(const NodePtr& node, const std::string& name) {
  if (node == nullptr) return false;
  if (node->kind == Node::kName && node->text == name) return true;
  for (const NodePtr& child : node->children) {
    if (Mentions(child, name)) return true;
  }
  for (const auto& [key, child] : node->named) {
    if (Mentions(child, name)) return true;
  }
  for (const Binder& binder : node->binders) {
    if (Mentions(binder.from, name) || Mentions(binder.to, name)) return true;
  }
  return false;
}

}  // namespace

bool KernelEmitter::IsElementwise(const NodePtr& node, const std::string& index) const {
  if (node->kind == Node::kIndex && IsTensor(node->children[0])) {
    // What a temp holds may come from anywhere.
    if (tensors_.count(node->children[0]->text) != 0 &&
        tensors_.at(node->children[0]->text).operand < 0)
      return false;
    if (node->children.size() == 1) return true;
    const Node& child = *node->children[1];
    return node->children.size() == 2 &&
           (child.kind == Node::kSpread || child.kind == Node::kBroadcast) &&
           child.children[0]->kind == Node::kName && child.children[0]->text == index;
  }
  if (node->kind == Node::kFold || node->kind == Node::kListFor) return false;
  if (node->kind == Node::kName) return node->text != index && !IsTensor(node);
  for (const NodePtr& child : node->children) {
    if (!IsElementwise(child, index)) return false;
  }
  return true;
}

void KernelEmitter::BindIndices(const RefStatement& ref, const std::string& dims,
                                const Operand* result) {
  size_t packs = 0;
  for (const RefIndex& index : ref.indices) packs += index.pack ? 1 : 0;
  std::string offset = "0";
  for (const RefIndex& index : ref.indices) {
    if (!index.pack) {
      Bind(index.name, Host(absl::StrCat("ix[", offset, "]")));
      offset = offset == "0" ? "1" : absl::StrCat(offset, " + 1");
      continue;
    }
    std::string length = absl::StrCat("(Len(", dims, ") - ", ref.indices.size() - 1, ")");
    if (packs > 1) {
      // Several packs divide the result as its declaration does.
      const size_t position = static_cast<size_t>(&index - ref.indices.data());
      if (result == nullptr || result->form.dims.size() != ref.indices.size() ||
          !result->form.dims[position].pack) {
        Error(index.place,
              "several packs on the left need the same packs in the result's declaration");
        return;
      }
      length = absl::StrCat("Len(s.", Member(result->form.dims[position].name), ")");
    }
    Bind(index.name, PackIndex("ix", offset, length));
    offset = offset == "0" ? length : absl::StrCat(offset, " + ", length);
  }
}

void KernelEmitter::DeclareTemp(const RefStatement& ref, const std::string& element) {
  const std::string data = Data(ref.target);
  const std::string dims = data + "_n";
  // The extents of a temp come from its index lists.
  Line(absl::StrCat("std::vector<int64_t> ", dims, ";"));
  for (const RefIndex& index : ref.indices) {
    if (index.list == nullptr) {
      Error(index.place, "an index of a temp says its extent: `i... in LIST`, `i in N`");
      continue;
    }
    const Typed extent = Emit(index.list);
    if (extent.kind == Kind::kList) {
      const std::string list = HostVector(index.list, extent);
      Line(absl::StrCat(dims, ".insert(", dims, ".end(), ", list, ".begin(), ", list, ".end());"));
    } else {
      Line(absl::StrCat(dims, ".push_back(", AsHost(extent, index.place), ");"));
    }
  }
  Line(absl::StrCat("const std::vector<int64_t> ", data, "_st = kernels::Strides(", dims, ");"));
  Line(absl::StrCat("std::vector<", element, "> ", data,
                    "_store(static_cast<size_t>(kernels::Product(", dims, ")));"));
  Line(absl::StrCat(element, "* const ", data, " = ", data, "_store.data();"));
}

bool KernelEmitter::Assign(const RefStatement& ref) {
  const bool temp = ref.kind == RefStatement::kTemp;
  const Operand* result = FindResult(ref.target);
  if (!temp && result == nullptr) {
    Error(ref.place, absl::StrCat("`", ref.target, "` is not a result"));
    return false;
  }
  const std::string element = ElementOf(ref);
  const std::string data = Data(ref.target);
  const std::string dims = data + "_n";
  element_hint_ = element;
  Push();
  if (temp) DeclareTemp(ref, element);
  Line(absl::StrCat(
      "if (", dims,
      ".size() > kernels::kMaxRank) return absl::UnimplementedError(\"more than 16 axes\");"));
  const bool elementwise = !temp && ref.indices.size() == 1 && ref.indices[0].pack &&
                           IsElementwise(ref.value, ref.indices[0].name);
  if (elementwise) {
    Elementwise(ref, data, dims, element);
  } else {
    Line("{");
    Line("int64_t ix[kernels::kMaxRank] = {};");
    Line(absl::StrCat("const int64_t total = kernels::Product(", dims, ");"));
    Line(absl::StrCat("for (int64_t at = 0; at < total; ++at, kernels::Next(ix, ", dims,
                      ".data(), ", dims, ".size())) {"));
    BindIndices(ref, dims, result);
    const Typed value = Emit(ref.value);
    Line(absl::StrCat("  ", data, "[at] = ", AsElement(value, element, ref.place), ";"));
    Line("}");
    Line("}");
  }
  Pop();
  if (temp) {
    tensors_[ref.target] = {data, dims, data + "_st", element, false, -1};
    Bind(ref.target, {.kind = Kind::kOperand, .code = data, .operand = -2});
  }
  return elementwise;
}

void KernelEmitter::Elementwise(const RefStatement& ref, const std::string& data,
                                const std::string& dims, const std::string& element) {
  std::vector<const Operand*> read;
  for (const Operand& operand : op_.inputs) {
    if (Mentions(ref.value, operand.name) &&
        !(operand.form.kind == Form::kDims && operand.form.dims.empty()))
      read.push_back(&operand);
  }
  const std::string& index = ref.indices[0].name;
  Bind(index, PackIndex("ix", "0", absl::StrCat("Len(", dims, ")")));
  std::vector<std::string> same = {"true"};
  for (const Operand* operand : read)
    same.push_back(absl::StrCat("(", Data(operand->name), " == nullptr || ", Data(operand->name),
                                "_n == ", dims, ")"));
  Line("{");
  Line(absl::StrCat("const int64_t total = kernels::Product(", dims, ");"));
  Line(absl::StrCat("if (", absl::StrJoin(same, " && "), ") {"));
  Line("for (int64_t at = 0; at < total; ++at) {");
  flat_index_ = "at";
  Line(absl::StrCat("  ", data, "[at] = ", AsElement(Emit(ref.value), element, ref.place), ";"));
  Line("}");
  Line("} else {");
  for (const Operand* operand : read) {
    const std::string name = Data(operand->name);
    Line(absl::StrCat("const std::vector<int64_t> ", name, "_bs = kernels::BroadcastStrides(", name,
                      "_n, ", dims, ");"));
  }
  // Row by row: an element costs as much as it does where all operands have the result's dims.
  Line("int64_t ix[kernels::kMaxRank] = {};");
  Line(absl::StrCat("const size_t last = ", dims, ".empty() ? 0 : ", dims, ".size() - 1;"));
  Line(absl::StrCat("const int64_t row = ", dims, ".empty() ? 1 : ", dims, "[last];"));
  for (const Operand* operand : read) {
    const std::string name = Data(operand->name);
    Line(absl::StrCat("const int64_t ", name, "_by = ", dims, ".empty() ? 0 : ", name,
                      "_bs[last];"));
  }
  Line(absl::StrCat("for (int64_t begin = 0; begin < total; begin += row, kernels::Next(ix, ", dims,
                    ".data(), last)) {"));
  for (const Operand* operand : read) {
    const std::string name = Data(operand->name);
    Line(absl::StrCat("int64_t ", name, "_at = kernels::Offset(ix, ", name, "_bs.data(), last);"));
  }
  std::vector<std::string> steps = {"++at"};
  for (const Operand* operand : read) {
    const std::string name = Data(operand->name);
    steps.push_back(absl::StrCat(name, "_at += ", name, "_by"));
  }
  Line(absl::StrCat("for (int64_t at = begin; at < begin + row; ", absl::StrJoin(steps, ", "),
                    ") {"));
  flat_index_ = "broadcast";
  Line(absl::StrCat("  ", data, "[at] = ", AsElement(Emit(ref.value), element, ref.place), ";"));
  flat_index_.clear();
  Line("}");
  Line("}");
  Line("}");
  Line("}");
}

void KernelEmitter::Each(const RefStatement& ref) {
  const Operand* result = FindResult(ref.target);
  each_ = nullptr;
  for (const Operand& operand : op_.inputs) {
    if (operand.name == ref.each && operand.arity == Operand::kVariadic) each_ = &operand;
  }
  if (result == nullptr || each_ == nullptr || ref.indices.size() != 1 || !ref.indices[0].pack) {
    Error(ref.place,
          "`ref each` assigns a result over one pack index for every operand of a variadic");
    return;
  }
  const std::string element = ElementType(result->classes, ref.place);
  const std::string data = Data(ref.target);
  const std::string source = Data(each_->name);
  element_hint_ = element;
  Line(absl::StrCat("for (int64_t which = 0; which < Len(", source, "_n); ++which) {"));
  Push();
  Line(absl::StrCat("const std::vector<int64_t>& from_n = ", source,
                    "_n[static_cast<size_t>(which)];"));
  Line(
      "if (from_n.size() > kernels::kMaxRank) return absl::UnimplementedError(\"more than 16 "
      "axes\");");
  Line("int64_t shift = 0;");
  if (ref.indices[0].axis != nullptr) {
    const std::string axis = AsHost(Emit(ref.indices[0].axis), ref.place);
    const std::string by = AsHost(Emit(ref.indices[0].shift), ref.place);
    Line(absl::StrCat("shift = (", by, ") * At(", data, "_st, ", axis, ");"));
  }
  Line("int64_t ix[kernels::kMaxRank] = {};");
  Line("const int64_t total = kernels::Product(from_n);");
  Line(
      "for (int64_t at = 0; at < total; ++at, kernels::Next(ix, from_n.data(), from_n.size())) "
      "{");
  Bind(ref.indices[0].name, PackIndex("ix", "0", "Len(from_n)"));
  const bool copies =
      ref.value->kind == Node::kIndex && IsElementwise(ref.value, ref.indices[0].name);
  if (copies) {
    reads_[static_cast<size_t>(each_ - op_.inputs.data())] = true;
    Line(absl::StrCat("  ", data, "[shift + kernels::Offset(ix, ", data,
                      "_st.data(), from_n.size())] = ", source,
                      "[static_cast<size_t>(which)][at];"));
  } else {
    Line(absl::StrCat(
        "  ", data, "[shift + kernels::Offset(ix, ", data,
        "_st.data(), from_n.size())] = ", AsElement(Emit(ref.value), element, ref.place), ";"));
  }
  Line("}");
  Pop();
  Line("}");
  each_ = nullptr;
}

}  // namespace tessera::codegen
