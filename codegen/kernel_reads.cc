// Names, indices and reads of tensors in kernels.

#include "absl/strings/str_cat.h"
#include "codegen/kernel_class.h"

namespace tessera::codegen {

std::string KernelEmitter::Data(const std::string& name) { return "t_" + name; }

Typed KernelEmitter::PackIndex(const std::string& index, const std::string& offset,
                               const std::string& length) const {
  Typed list{.kind = Kind::kList, .item = Kind::kHost, .length = length};
  list.at = [index, offset](const std::string& i) {
    return Typed{.kind = Kind::kHost,
                 .code = offset == "0" ? absl::StrCat(index, "[", i, "]")
                                       : absl::StrCat(index, "[", offset, " + ", i, "]")};
  };
  return list;
}

std::string KernelEmitter::HostVector(const NodePtr& node, const Typed& list) {
  if (node->kind == Node::kName && list.code.rfind("s.", 0) == 0) {
    const std::string name = absl::StrCat("h_", node->text);
    hoisted_[name] = list.code;
    return name;
  }
  Typed host = list;
  host.code.clear();
  host.item = Kind::kHost;
  return AsVector(host, node->place);
}

bool KernelEmitter::SpecialLoop(const Binder& binder, const std::function<void()>& body) {
  if (binder.pack) {
    const Typed list = Emit(binder.from);
    if (list.kind != Kind::kList) {
      if (list.kind != Kind::kError)
        Error(binder.place, "a pack index runs over a list of extents");
      return true;
    }
    const std::string extents = HostVector(binder.from, list);
    const std::string index = Unique(Member(binder.name));
    const std::string left = Unique("left");
    Line(absl::StrCat(
        "if (", extents,
        ".size() > kernels::kMaxRank) return absl::UnimplementedError(\"more than 16 axes\");"));
    Line(absl::StrCat("int64_t ", index, "[kernels::kMaxRank] = {};"));
    Line(absl::StrCat("for (int64_t ", left, " = kernels::Product(", extents, "); ", left,
                      " > 0; --", left, ", kernels::Next(", index, ", ", extents, ".data(), ",
                      extents, ".size())) {"));
    Bind(binder.name, PackIndex(index, "0", absl::StrCat("Len(", extents, ")")));
    body();
    Line("}");
    return true;
  }
  if (binder.to == nullptr && binder.from->kind == Node::kName && binder.from->text == "before" &&
      each_ != nullptr) {
    const std::string i = Unique("before");
    Line(absl::StrCat("for (int64_t ", i, " = 0; ", i, " < which; ++", i, ") {"));
    Bind(binder.name, VariadicItem(*Find(each_->name), i));
    body();
    Line("}");
    return true;
  }
  return false;
}

bool KernelEmitter::Special(const NodePtr& pointer, Typed& out) {
  // A `let` or a `shape` reads no elements.
  return !deriving_ && RefEmitter::Special(pointer, out);
}

std::string KernelEmitter::OfType(const std::string& function, const std::string& type,
                                  const std::string& arguments) const {
  return absl::StrCat("kernels::", function, "<", type, ">(", arguments, ")");
}

Typed KernelEmitter::Within(const Node& node) {
  if (node.children.size() != 2)
    return Error(node.place, "`within` takes an element and the extent of an axis");
  const Typed index = Emit(node.children[0]);
  const std::string extent = AsHost(Emit(node.children[1]), node.place);
  if (index.kind == Kind::kError || extent.empty()) return {};
  const std::string element = index.kind == Kind::kElement ? index.element : "I";
  const std::string value = Unique("within"), at = Unique("v");
  Line(absl::StrCat("const ", element, " ", value, " = ", AsElement(index, element, node.place),
                    ";"));
  // A symbolic one is for the constraints of the definition to bound.
  Line(absl::StrCat("if constexpr (!kernels::kIsSymbolic<", element, ">) {"));
  Line(absl::StrCat("  const int64_t ", at, " = kernels::ToIndex(", value, ", host);"));
  Line(absl::StrCat("  if (", at, " < 0 || ", at, " >= ", extent,
                    ") return kernels::IndexOutOfRange(", at, ", ", extent, ");"));
  Line("}");
  return {.kind = Kind::kElement, .code = value, .element = element};
}

Typed KernelEmitter::Read(const Node& node, const NodePtr& otherwise) {
  const std::string& name = node.children[0]->text;
  const Typed typed = *Find(name);
  Tensor tensor = tensors_.at(typed.declaration != nullptr ? typed.declaration->name : name);
  if (tensor.operand >= 0) reads_[static_cast<size_t>(tensor.operand)] = true;
  const std::string which = !typed.index.empty()            ? typed.index
                            : typed.kind == Kind::kOperands ? "which"
                                                            : "";
  if (!which.empty()) {
    for (std::string* text : {&tensor.data, &tensor.dims, &tensor.strides})
      absl::StrAppend(text, "[static_cast<size_t>(", which, ")]");
  }
  Typed fallback;
  if (otherwise != nullptr) fallback = Emit(otherwise);
  const Place place = node.place;
  std::string at, inside;
  if (!flat_index_.empty()) {
    at = node.children.size() == 1 ? "0" : flat_index_ == "at" ? "at" : tensor.data + "_at";
    inside = tensor.optional ? absl::StrCat(tensor.data, " != nullptr") : "true";
  } else {
    at = Unique("offset");
    inside = Unique("inside");
    Address(node, tensor, at, inside, otherwise != nullptr);
  }
  Typed value{.kind = Kind::kElement,
              .code = absl::StrCat(tensor.data, "[", at, "]"),
              .element = tensor.element};
  if (otherwise != nullptr)
    value.code = absl::StrCat("(", inside, " ? ", value.code, " : ",
                              AsElement(fallback, tensor.element, place), ")");
  return value;
}

void KernelEmitter::Address(const Node& node, const Tensor& tensor, const std::string& at,
                            const std::string& inside, bool checked) {
  std::vector<Typed> indices;
  bool dynamic = false;
  for (size_t i = 1; i < node.children.size(); ++i) {
    const Node& child = *node.children[i];
    const bool wrapped = child.kind == Node::kSpread || child.kind == Node::kBroadcast;
    indices.push_back(Emit(wrapped ? child.children[0] : node.children[i]));
    if (indices.back().kind == Kind::kError) return;
    if (indices.back().kind == Kind::kList) {
      const Typed sample = Probe([&] { return indices.back().at("0"); });
      dynamic = dynamic || sample.kind == Kind::kElement;
    } else {
      dynamic = dynamic || indices.back().kind == Kind::kElement;
    }
  }
  Line(absl::StrCat("int64_t ", at, " = 0;"));
  if (checked)
    Line(absl::StrCat("bool ", inside, " = ",
                      tensor.optional ? absl::StrCat(tensor.data, " != nullptr") : "true", ";"));
  const std::string guard = checked && tensor.optional ? absl::StrCat("if (", inside, ") ") : "";
  if (!guard.empty()) Line(guard + "{");
  const auto step = [&](const Typed& index, const std::string& axis) {
    const std::string v = Unique("v");
    const std::string code = index.kind == Kind::kElement
                                 ? absl::StrCat("kernels::ToIndex(", index.code, ", host)")
                                 : AsHost(index, node.place);
    Line(absl::StrCat("const int64_t ", v, " = ", code, ";"));
    if (checked) {
      Line(absl::StrCat(inside, " = ", inside, " && ", v, " >= 0 && ", v, " < ", tensor.dims,
                        "[static_cast<size_t>(", axis, ")];"));
    } else if (dynamic || always_check_) {
      Line(absl::StrCat("if (", v, " < 0 || ", v, " >= ", tensor.dims, "[static_cast<size_t>(",
                        axis, ")]) return kernels::IndexOutOfRange(", v, ", ", tensor.dims,
                        "[static_cast<size_t>(", axis, ")]);"));
    }
    const std::string stride = absl::StrCat(tensor.strides, "[static_cast<size_t>(", axis, ")]");
    // An index that is data may be any number where what is outside has a value.
    Line(checked && index.kind == Kind::kElement
             ? absl::StrCat(at, " = kernels::Add(", at, ", kernels::Mul(", v, ", ", stride, "));")
             : absl::StrCat(at, " += ", v, " * ", stride, ";"));
  };
  std::string axis = "0";
  int scalars = 0;
  std::string lists;
  for (size_t i = 0; i < indices.size(); ++i) {
    const Typed& index = indices[i];
    axis = absl::StrCat(scalars, lists);
    if (index.kind != Kind::kList) {
      if (!(index.kind == Kind::kElement) && AsHost(index, node.place).empty()) return;
      Line("{");
      step(index, axis);
      Line("}");
      ++scalars;
      continue;
    }
    const std::string d = Unique("d");
    const bool broadcast = node.children[i + 1]->kind == Node::kBroadcast;
    const std::string length = broadcast ? absl::StrCat("Len(", tensor.dims, ")") : index.length;
    Line(absl::StrCat("for (int64_t ", d, " = 0, ", d, "_end = ", length, "; ", d, " < ", d,
                      "_end; ++", d, ") {"));
    if (broadcast) {
      const Typed item = index.at(absl::StrCat("(", index.length, " - ", d, "_end + ", d, ")"));
      Line(absl::StrCat("if (", tensor.dims, "[static_cast<size_t>(", d, ")] != 1) {"));
      step(item, d);
      Line("}");
    } else {
      step(index.at(d), lists.empty() && scalars == 0 ? d : absl::StrCat(axis, " + ", d));
    }
    Line("}");
    absl::StrAppend(&lists, " + ", index.length);
  }
  if (!guard.empty()) Line("}");
}

}  // namespace tessera::codegen
