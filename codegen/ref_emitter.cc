#include "codegen/ref_emitter.h"

#include "absl/strings/str_cat.h"

namespace tessera::codegen {

std::string RefEmitter::DTypeOfElement(const std::string& element) const {
  if (element == "T" && !types_.primary.empty()) return "s." + Member(types_.primary);
  if (element == "U" && !types_.secondary.empty()) return "s." + Member(types_.secondary);
  return ExpressionEmitter::DTypeOfElement(element);
}

bool RefEmitter::Special(const NodePtr& pointer, Typed& out) {
  const Node& node = *pointer;
  if (node.kind == Node::kIndex && IsTensor(node.children[0])) {
    out = Read(node, nullptr);
    return true;
  }
  if (node.kind == Node::kCoalesce && node.children[0]->kind == Node::kIndex &&
      IsTensor(node.children[0]->children[0])) {
    out = Read(*node.children[0], node.children[1]);
    return true;
  }
  if (node.kind == Node::kCall && (node.text == "cast" || node.text == "lowest" ||
                                   node.text == "highest" || node.text == "zero")) {
    out = TypeCall(node);
    return true;
  }
  if (node.kind == Node::kCall && node.text == "within") {
    out = Within(node);
    return true;
  }
  if (node.kind == Node::kCall && node.text == "present" && node.children.size() == 1 &&
      IsTensor(node.children[0])) {
    out = {.kind = Kind::kBool, .code = absl::StrCat("s.has_", node.children[0]->text)};
    return true;
  }
  return false;
}

bool RefEmitter::IsTensor(const NodePtr& node) const {
  if (node->kind != Node::kName) return false;
  const Typed* typed = Find(node->text);
  return typed != nullptr &&
         (typed->kind == Kind::kOperand ||
          (typed->kind == Kind::kOperands && each_ != nullptr && each_->name == node->text));
}

const Operand* RefEmitter::FindResult(const std::string& name) const {
  for (const Operand& result : op_.outputs) {
    if (result.name == name) return &result;
  }
  return nullptr;
}

std::string RefEmitter::ElementOf(const RefStatement& ref) {
  const Operand* result = FindResult(ref.target);
  const bool temp = ref.kind == RefStatement::kTemp;
  return ElementType(temp ? std::vector<std::string>{ref.type} : result->classes, ref.place);
}

Typed RefEmitter::TypeCall(const Node& node) {
  if (node.children.empty() || node.children[0]->kind != Node::kName)
    return Error(node.place, absl::StrCat("`", node.text, "` takes a type first"));
  const std::string& type = node.children[0]->text;
  const std::string element = ElementType({type}, node.place);
  const auto typed = [&](const std::string& code) {
    return Typed{.kind = Kind::kElement, .code = code, .element = element};
  };
  if (node.text == "zero") return typed(OfType("Lit", element, "int64_t{0}"));
  const Typed* dtype = Find(type);
  if (node.text != "cast") {
    NoteElementOperation(false);
    return typed(OfType(node.text == "lowest" ? "Lowest" : "Highest", element,
                        dtype != nullptr ? dtype->code : Emit(node.children[0]).code));
  }
  if (node.children.size() != 2) return Error(node.place, "`cast` takes a type and a value");
  const Typed value = Emit(node.children[1]);
  // A fraction cut off is not the identity, and a class of floats and integers at once may hold
  // either.
  if (value.kind == Kind::kElement && value.element != element) NoteElementOperation(true);
  // The dtype matters beyond the number type: what becomes a bool is compared with zero.
  if (value.kind == Kind::kElement && dtype != nullptr && dtype->kind == Kind::kDType)
    return typed(OfType("CastElement", element, absl::StrCat(value.code, ", ", dtype->code)));
  const std::string code = AsElement(value, element, node.place);
  if (type != "f32" || element != "F") return typed(code);
  NoteElementOperation(false);  // computed in f64, rounded to what was asked for
  return typed(OfType("Cast", element, OfType("Cast", SingleFloat(), code)));
}

}  // namespace tessera::codegen
