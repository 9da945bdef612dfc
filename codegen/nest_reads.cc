// Reads of tensors in nests.
#include "absl/strings/str_cat.h"
#include "codegen/nest_class.h"

namespace tessera::codegen {

bool NestEmitter::Special(const NodePtr& pointer, Typed& out) {
  const Node& node = *pointer;
  const bool component =
      node.kind == Node::kIndex && node.children.size() == 2 && !IsTensor(node.children[0]);
  return (component && PickedFrom(node, out)) || RefEmitter::Special(pointer, out);
}

std::string NestEmitter::OfType(const std::string& function, const std::string& type,
                                const std::string& arguments) const {
  return absl::StrCat("nests::", function, "(", type, ", ", arguments, ")");
}

// One component of a list, at an index that is no number when the nests are built.
bool NestEmitter::PickedFrom(const Node& node, Typed& out) {
  // Where a range could be a loop of the code that builds, its index is a number there.
  if (axes_ == kAllRanges) return false;
  Typed at;
  if (!Try([&] { return Emit(node.children[1]); }, at) || at.kind != Kind::kDim) return false;
  Typed list = Emit(node.children[0]);
  if (list.kind == Kind::kList && list.item == Kind::kFloat) {
    out = PickedFloat(list, Emit(node.children[1]), node.place);
    return true;
  }
  if (list.kind != Kind::kList || (list.item != Kind::kDim && list.item != Kind::kHost))
    return false;
  if (list.item != Kind::kDim) list.code.clear();
  list.item = Kind::kDim;
  const std::string values = AsVector(list, node.place);
  out = {.kind = Kind::kDim,
         .code = absl::StrCat("nests::Pick(", values, ", ", Emit(node.children[1]).code, ")")};
  return true;
}

Typed NestEmitter::PickedFloat(const Typed& list, const Typed& at, Place place) {
  const std::string picked = Unique("picked"), values = Unique("values"), i = Unique("i");
  Line(absl::StrCat("const std::vector<double> ", values, " = ", AsVector(list, place), ";"));
  Line(absl::StrCat("nests::Scalar ", picked, " = nests::Lit(F, 0.0);"));
  Line(absl::StrCat("for (size_t ", i, " = ", values, ".size(); ", i, "-- > 0;) ", picked,
                    " = nests::Scalar::Choose(Eq(", at.code, ", Expr(static_cast<int64_t>(", i,
                    "))), nests::Lit(F, ", values, "[", i, "]), ", picked, ");"));
  return {.kind = Kind::kElement, .code = picked, .element = "F", .weak = true};
}

Typed NestEmitter::Within(const Node& node) {
  if (node.children.size() != 2)
    return Error(node.place, "`within` takes an element and the extent of an axis");
  const Typed index = Emit(node.children[0]);
  const std::string element = index.kind == Kind::kElement ? index.element : "I";
  return {.kind = Kind::kElement,
          .code = absl::StrCat("nests::Scalar::Within(", AsElement(index, element, node.place),
                               ", ", Expression(Emit(node.children[1]), node.place), ")"),
          .element = element};
}

Typed NestEmitter::Read(const Node& node, const NodePtr& otherwise) {
  const std::string& name = node.children[0]->text;
  const Typed typed = *Find(name);
  const auto found = tensors_.find(typed.declaration != nullptr ? typed.declaration->name : name);
  if (found == tensors_.end()) return {};
  Tensor tensor = found->second;
  if (tensor.variadic)
    absl::StrAppend(&tensor.id, "[static_cast<size_t>(",
                    typed.index.empty() ? "which" : typed.index, ")]");
  std::string fallback;
  if (otherwise != nullptr)
    fallback = ", " + AsElement(Emit(otherwise), tensor.element, node.place);
  const std::string at = Unique("at"), read = Unique("read");
  Line(absl::StrCat("std::vector<nests::Index> ", at, ";"));
  Indices(node, tensor.id, at);
  Line(absl::StrCat("const nests::Scalar ", read, " = b.Read(", tensor.id, ", ", at, fallback,
                    ");"));
  return {.kind = Kind::kElement, .code = read, .element = tensor.element};
}

void NestEmitter::Indices(const Node& node, const std::string& tensor, const std::string& list) {
  const auto push = [&](const Typed& index) {
    Line(absl::StrCat(list, ".push_back(",
                      index.kind == Kind::kElement ? index.code : Expression(index, node.place),
                      ");"));
  };
  for (size_t i = 1; i < node.children.size(); ++i) {
    const Node& child = *node.children[i];
    const bool broadcast = child.kind == Node::kBroadcast;
    const Typed index =
        Emit(broadcast || child.kind == Node::kSpread ? child.children[0] : node.children[i]);
    if (index.kind == Kind::kError) return;
    if (index.kind != Kind::kList) {
      push(index);
      continue;
    }
    if (broadcast) {
      Typed whole = index;
      if (whole.item != Kind::kDim) whole.code.clear();
      whole.item = Kind::kDim;
      Line(absl::StrCat("nests::Append(", list, ", b.Aligned(", tensor, ", ",
                        AsVector(whole, node.place), "));"));
      continue;
    }
    const std::string d = Unique("d");
    Line(absl::StrCat("for (int64_t ", d, " = 0, ", d, "_end = ", index.length, "; ", d, " < ", d,
                      "_end; ++", d, ") {"));
    push(index.at(d));
    Line("}");
  }
}

}  // namespace tessera::codegen
