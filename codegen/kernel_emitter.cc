#include "codegen/kernel_emitter.h"

#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_emitter.h"

namespace tessera::codegen {
namespace {

struct Tensor {  // C++ names of what a read needs
  std::string data, dims, strides, element;
  bool optional = false;
  int operand = -1;
};

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

class KernelEmitter : public ExpressionEmitter {
 public:
  using ExpressionEmitter::ExpressionEmitter;

  KernelText Run() {
    KernelText text;
    text.reads.assign(op_.inputs.size(), false);
    const RefStatement* external = nullptr;
    const RefStatement* fast = nullptr;
    for (const RefStatement& ref : op_.refs) {
      if (ref.kind == RefStatement::kExtern) external = &ref;
      if (ref.kind == RefStatement::kFast) fast = &ref;
    }
    std::string prologue = absl::StrCat("  ", op_.name,
                                        "Shape<int64_t> s;\n  ir::Checker<int64_t> checker;\n  "
                                        "const kernels::ConcreteInfos infos(args.inputs, ",
                                        op_.name,
                                        "Operands());\n  if (!s.Bind({infos.infos, args.attrs}, "
                                        "checker)) return checker.status();\n");
    if (external != nullptr) {
      text.reads.assign(op_.inputs.size(), true);
      text.code = absl::StrCat("absl::Status ", op_.name, "Kernel(const ir::KernelArgs& args) {\n",
                               prologue, "  return ", external->function, "(s, args);\n}\n\n");
      return text;
    }
    if (op_.refs.empty()) {
      Error(op_.place, absl::StrCat("`", op_.name, "` has no `ref`"));
      return text;
    }
    ChooseTypes();
    if (fast != nullptr)
      absl::StrAppend(&prologue, "  if (", fast->function, "(s, args)) return absl::OkStatus();\n");

    BindOperandNames("s.");
    BindAttributes("s.");
    BindLets();
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const Operand& operand = op_.inputs[i];
      const std::string name = Data(operand.name);
      tensors_[operand.name] = {name,
                                name + "_n",
                                name + "_st",
                                ElementType(operand.classes, operand.place),
                                operand.arity == Operand::kOptional,
                                static_cast<int>(i)};
    }
    bool elementwise = true;
    const std::string body = Capture([&] {
      for (const RefStatement& ref : op_.refs) {
        if (ref.kind == RefStatement::kTemp) elementwise = false;
        if (ref.kind == RefStatement::kTemp || ref.kind == RefStatement::kAssign)
          elementwise = Assign(ref) && elementwise;
        if (ref.kind == RefStatement::kEach) {
          Each(ref);
          elementwise = false;
        }
      }
    });
    text.elementwise = elementwise;
    text.reads = reads_;
    const auto has = [&](const char* dtype) {
      return std::find(primary_set_.begin(), primary_set_.end(), dtype) != primary_set_.end();
    };
    text.symbolic = exact_ && (primary_set_.empty() || has("i64") || (elementwise && has("f32")));
    text.code = Compute(body) + Numeric(prologue) + (text.symbolic ? Symbolic() : "");
    return text;
  }

 private:
  // The C++ variable that holds a tensor's elements.
  static std::string Data(const std::string& name) { return "t_" + name; }

  // --- Element types
  // ------------------------------------------------------------------------------------------------

  void ChooseTypes() {
    reads_.assign(op_.inputs.size(), false);
    std::vector<std::pair<std::string, std::vector<std::string>>> candidates;
    for (const TypeVariable& type : op_.types)
      candidates.emplace_back(type.name, DTypesIn(type.classes));
    for (const AttributeDecl& attribute : op_.attributes) {
      if (attribute.kind != "dtype") continue;
      for (const Operand& result : op_.outputs) {
        if (result.classes[0] == attribute.name)
          candidates.emplace_back(attribute.name, DTypesIn({"any"}));
      }
    }
    for (const auto& [name, set] : candidates) {
      if (!Homogeneous(set).empty() && !(Homogeneous(set) == "F" && primary_.empty())) continue;
      if (primary_.empty()) {
        primary_ = name;
        primary_set_ = set;
      } else if (secondary_.empty()) {
        secondary_ = name;
        secondary_set_ = set;
      }
    }
    if (!primary_.empty()) return;
    // A lone integer variable wider than an index is worth its own instantiations.
    for (const auto& [name, set] : candidates) {
      if (std::find(set.begin(), set.end(), "u64") != set.end()) {
        primary_ = name;
        primary_set_ = set;
        return;
      }
    }
  }

  // B, I or F where one compute type holds the whole set, empty otherwise.
  static std::string Homogeneous(const std::vector<std::string>& set) {
    bool all_bool = true, all_int = true, all_float = true;
    for (const std::string& dtype : set) {
      const bool is_float = dtype.find('f') != std::string::npos;
      const bool is_bool = dtype == "bool";
      all_bool = all_bool && is_bool;
      all_float = all_float && is_float;
      all_int = all_int && !is_float && !is_bool;
    }
    return all_bool ? "B" : all_int ? "I" : all_float ? "F" : "";
  }

  std::string ElementType(const std::vector<std::string>& classes, Place place) {
    if (classes.size() == 1 && classes[0] == primary_) return "T";
    if (classes.size() == 1 && classes[0] == secondary_) return "U";
    std::vector<std::string> set;
    for (const TypeVariable& type : op_.types) {
      if (classes.size() == 1 && classes[0] == type.name) set = DTypesIn(type.classes);
    }
    if (set.empty()) set = DTypesIn(classes);
    const std::string type = Homogeneous(set);
    if (set.empty() || type.empty()) {
      Error(place, absl::StrCat("a kernel computes in at most two open types (`",
                                absl::StrJoin(classes, "|"), "` is a third); say `ref extern`"));
      return "T";
    }
    return type;
  }

  bool movement() const {
    return !arithmetic_ && secondary_.empty() &&
           std::find(primary_set_.begin(), primary_set_.end(), "bool") != primary_set_.end() &&
           primary_set_.size() > 8;
  }

  // --- Names
  // --------------------------------------------------------------------------------------------------------

  void BindLets() {
    // What `Derive` has stored is there under its name; only its kind has to be found again.
    for (const Statement& statement : op_.statements) {
      if (statement.kind == Statement::kRequire) continue;
      deriving_ = true;
      Typed value = Probe([&] {
        return statement.binders.empty()
                   ? Emit(statement.value)
                   : Comprehension(statement.binders, statement.value, statement.place);
      });
      deriving_ = false;
      const std::string code = "s." + Member(statement.name);
      if (statement.kind == Statement::kShape || value.kind == Kind::kProp) {
        if (value.kind == Kind::kList) value.item = Kind::kDim;
        if (value.kind == Kind::kHost || value.kind == Kind::kProp) value.kind = Kind::kDim;
      }
      if (value.kind == Kind::kList) {
        Bind(statement.name, ListOf(code, value.item));
      } else {
        value.code = code;
        Bind(statement.name, value);
      }
    }
    arithmetic_ = false;
    exact_ = true;
  }

  bool DimsAreHost() const override { return !deriving_; }
  std::string HostOfDim(const std::string& code) const override {
    return absl::StrCat("host(", code, ")");
  }
  void NoteElementOperation(bool exact) override {
    arithmetic_ = true;
    exact_ = exact_ && exact;
  }

  // The list as plain numbers; a named one is converted once, at the head of the kernel.
  std::string HostVector(const NodePtr& node, const Typed& list) {
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

  bool SpecialLoop(const Binder& binder, const std::function<void()>& body) override {
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

  Typed PackIndex(const std::string& index, const std::string& offset,
                  const std::string& length) const {
    Typed list{.kind = Kind::kList, .item = Kind::kHost, .length = length};
    list.at = [index, offset](const std::string& i) {
      return Typed{.kind = Kind::kHost,
                   .code = offset == "0" ? absl::StrCat(index, "[", i, "]")
                                         : absl::StrCat(index, "[", offset, " + ", i, "]")};
    };
    return list;
  }

  // --- Reads
  // --------------------------------------------------------------------------------------------------------

  bool Special(const NodePtr& pointer, Typed& out) override {
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
    if (node.kind == Node::kCall && node.text == "present" && node.children.size() == 1 &&
        IsTensor(node.children[0])) {
      out = {.kind = Kind::kBool, .code = absl::StrCat("s.has_", node.children[0]->text)};
      return true;
    }
    return false;
  }

  bool IsTensor(const NodePtr& node) const {
    if (node->kind != Node::kName) return false;
    const Typed* typed = Find(node->text);
    return typed != nullptr &&
           (typed->kind == Kind::kOperand ||
            (typed->kind == Kind::kOperands && each_ != nullptr && each_->name == node->text));
  }

  Typed TypeCall(const Node& node) {
    if (node.children.empty() || node.children[0]->kind != Node::kName)
      return Error(node.place, absl::StrCat("`", node.text, "` takes a type first"));
    const std::string& type = node.children[0]->text;
    const std::string element = ElementType({type}, node.place);
    if (node.text == "cast") {
      if (node.children.size() != 2) return Error(node.place, "`cast` takes a type and a value");
      const Typed value = Emit(node.children[1]);
      // A fraction cut off is not the identity, and a class of floats and integers at once may hold
      // either.
      if (value.kind == Kind::kElement && value.element != element) NoteElementOperation(true);
      const Typed* dtype = Find(type);
      if (value.kind == Kind::kElement && dtype != nullptr && dtype->kind == Kind::kDType) {
        // The dtype matters beyond the compute type: what becomes a bool is compared with zero.
        return {.kind = Kind::kElement,
                .code = absl::StrCat("kernels::CastElement<", element, ">(", value.code, ", ",
                                     dtype->code, ")"),
                .element = element};
      }
      return {.kind = Kind::kElement,
              .code = AsElement(value, element, node.place),
              .element = element};
    }
    if (node.text == "zero")
      return {.kind = Kind::kElement,
              .code = absl::StrCat("kernels::Lit<", element, ">(int64_t{0})"),
              .element = element};
    NoteElementOperation(false);
    const Typed* dtype = Find(type);
    const std::string code = dtype != nullptr ? dtype->code : Emit(node.children[0]).code;
    return {.kind = Kind::kElement,
            .code = absl::StrCat("kernels::", node.text == "lowest" ? "Lowest<" : "Highest<",
                                 element, ">(", code, ")"),
            .element = element};
  }

  Typed Read(const Node& node, const NodePtr& otherwise) {
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

  // Row-major offset of the element that `node` reads; `inside` says whether it exists.
  void Address(const Node& node, const Tensor& tensor, const std::string& at,
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
      Line(
          absl::StrCat(at, " += ", v, " * ", tensor.strides, "[static_cast<size_t>(", axis, ")];"));
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

  // --- Assignments
  // --------------------------------------------------------------------------------------------------

  // Reads are at the result's own index, aligned or broadcast, and the index is used for nothing
  // else.
  bool IsElementwise(const NodePtr& node, const std::string& index) const {
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

  const Operand* FindResult(const std::string& name) const {
    for (const Operand& result : op_.outputs) {
      if (result.name == name) return &result;
    }
    return nullptr;
  }

  // Declares the index names of `indices` over the extents `dims`.
  void BindIndices(const RefStatement& ref, const std::string& dims, const Operand* result) {
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

  bool Assign(const RefStatement& ref) {
    const bool temp = ref.kind == RefStatement::kTemp;
    const Operand* result = FindResult(ref.target);
    if (!temp && result == nullptr) {
      Error(ref.place, absl::StrCat("`", ref.target, "` is not a result"));
      return false;
    }
    const std::string element =
        ElementType(temp ? std::vector<std::string>{ref.type} : result->classes, ref.place);
    const std::string data = Data(ref.target);
    const std::string dims = data + "_n";
    element_hint_ = element;
    Push();
    if (temp) {
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
          Line(absl::StrCat(dims, ".insert(", dims, ".end(), ", list, ".begin(), ", list,
                            ".end());"));
        } else {
          Line(absl::StrCat(dims, ".push_back(", AsHost(extent, index.place), ");"));
        }
      }
      Line(
          absl::StrCat("const std::vector<int64_t> ", data, "_st = kernels::Strides(", dims, ");"));
      Line(absl::StrCat("std::vector<", element, "> ", data,
                        "_store(static_cast<size_t>(kernels::Product(", dims, ")));"));
      Line(absl::StrCat(element, "* const ", data, " = ", data, "_store.data();"));
    }
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

  void Elementwise(const RefStatement& ref, const std::string& data, const std::string& dims,
                   const std::string& element) {
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
      Line(absl::StrCat("const std::vector<int64_t> ", name, "_bs = kernels::BroadcastStrides(",
                        name, "_n, ", dims, ");"));
    }
    Line("int64_t ix[kernels::kMaxRank] = {};");
    Line(absl::StrCat("for (int64_t at = 0; at < total; ++at, kernels::Next(ix, ", dims,
                      ".data(), ", dims, ".size())) {"));
    for (const Operand* operand : read) {
      const std::string name = Data(operand->name);
      Line(absl::StrCat("const int64_t ", name, "_at = kernels::Offset(ix, ", name, "_bs.data(), ",
                        dims, ".size());"));
    }
    flat_index_ = "broadcast";
    Line(absl::StrCat("  ", data, "[at] = ", AsElement(Emit(ref.value), element, ref.place), ";"));
    flat_index_.clear();
    Line("}");
    Line("}");
    Line("}");
  }

  void Each(const RefStatement& ref) {
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

  // --- Functions
  // ----------------------------------------------------------------------------------------------------

  std::string Compute(const std::string& body) {
    std::string code = absl::StrCat(
        "template <class Domain, class T, class U, class I, class B, class F>\nabsl::Status ",
        op_.name, "Compute([[maybe_unused]] const ", op_.name, "Shape<Domain>& s");
    for (const Operand& operand : op_.inputs) {
      const Tensor& tensor = tensors_.at(operand.name);
      absl::StrAppend(
          &code, ", ",
          operand.arity == Operand::kVariadic
              ? absl::StrCat("[[maybe_unused]] const std::vector<const ", tensor.element, "*>& ")
              : absl::StrCat("[[maybe_unused]] const ", tensor.element, "* "),
          tensor.data);
    }
    for (const Operand& result : op_.outputs)
      absl::StrAppend(&code, ", ", ElementType(result.classes, result.place), "* ",
                      Data(result.name));
    absl::StrAppend(&code, ") {\n  [[maybe_unused]] kernels::HostOf host;\n");
    for (const auto& [name, source] : hoisted_)
      absl::StrAppend(&code, "  const std::vector<int64_t> ", name, " = host(", source, ");\n");
    for (const Operand& operand : op_.inputs) {
      const std::string name = Data(operand.name);
      const std::string member = Member(operand.name);
      if (operand.arity == Operand::kVariadic) {
        absl::StrAppend(&code, "  std::vector<std::vector<int64_t>> ", name, "_n, ", name,
                        "_st;\n  for (const std::vector<Domain>& dims : s.", member,
                        "_dims) {\n    ", name, "_n.push_back(host(dims));\n    ", name,
                        "_st.push_back(kernels::Strides(", name, "_n.back()));\n  }\n");
      } else if (body.find(name + "_") != std::string::npos) {
        // Only where they are used: the dims of an operand that is not read may stay symbolic.
        absl::StrAppend(&code, "  [[maybe_unused]] const std::vector<int64_t> ", name,
                        "_n = host(s.", member,
                        "_dims);\n  [[maybe_unused]] const std::vector<int64_t> ", name,
                        "_st = kernels::Strides(", name, "_n);\n");
      }
    }
    absl::StrAppend(&code,
                    "  std::vector<ir::ResultInfo<Domain>> results;\n  s.Results(results);\n");
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      const std::string name = Data(op_.outputs[i].name);
      absl::StrAppend(&code, "  const std::vector<int64_t> ", name, "_n = host(results[", i,
                      "].dims);\n  [[maybe_unused]] const std::vector<int64_t> ", name,
                      "_st = kernels::Strides(", name, "_n);\n");
    }
    absl::StrAppend(&code, "  if (!host.ok) return host.status();\n", body,
                    "  return host.status();\n}\n\n");
    return code;
  }

  // One instantiation: reads operands, runs, writes results back. T is bound by the caller.
  std::string Body(bool raw) {
    std::string code = "  kernels::KernelIo io(args);\n";
    std::vector<std::string> actual = {"s"};
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const Tensor& tensor = tensors_.at(op_.inputs[i].name);
      const std::string read = absl::StrCat(raw && tensor.element == "T" ? "ReadRaw<" : "Read<",
                                            Concrete(tensor.element), ">(");
      if (op_.inputs[i].arity == Operand::kVariadic) {
        absl::StrAppend(&code, "  std::vector<const ", Concrete(tensor.element), "*> in_", i,
                        ";\n  for (size_t each = ", i, "; each < args.inputs.size(); ++each) in_",
                        i, ".push_back(io.", read, "each));\n");
      } else if (reads_[i]) {
        absl::StrAppend(&code, "  const ", Concrete(tensor.element), "* in_", i, " = io.", read, i,
                        ");\n");
      } else {
        absl::StrAppend(&code, "  const ", Concrete(tensor.element), "* in_", i, " = nullptr;\n");
      }
      actual.push_back(absl::StrCat("in_", i));
    }
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      const std::string element = ElementType(op_.outputs[i].classes, op_.outputs[i].place);
      absl::StrAppend(&code, "  ", Concrete(element), "* out_", i, " = io.",
                      raw && element == "T" ? "WriteRaw<" : "Write<", Concrete(element), ">(", i,
                      ");\n");
      actual.push_back(absl::StrCat("out_", i));
    }
    absl::StrAppend(
        &code,
        "  if (!io.status().ok()) return io.status();\n  const absl::Status status = ", op_.name,
        "Compute<int64_t, T, U, int64_t, uint8_t, double>(", absl::StrJoin(actual, ", "),
        ");\n  if (status.ok()) io.Finish();\n  return status;\n");
    return code;
  }

  static std::string Concrete(const std::string& element) {
    return element == "I"   ? "int64_t"
           : element == "B" ? "uint8_t"
           : element == "F" ? "double"
                            : element;
  }

  // `case` labels of the dtypes that compute in each type; `raw`: by size.
  static std::string Cases(const std::vector<std::string>& set, bool raw, bool truth,
                           const std::function<std::string(const std::string&)>& call) {
    std::string code;
    const auto has = [&](const char* name) {
      return std::find(set.begin(), set.end(), name) != set.end();
    };
    if (raw) {
      for (int size : {1, 2, 4, 8})
        absl::StrAppend(&code, "    case ", size, ": ", call(absl::StrCat("uint", size * 8, "_t")),
                        "\n");
      return code;
    }
    const auto add = [&](std::initializer_list<const char*> names, const std::string& type) {
      std::string labels;
      for (const char* name : names) {
        if (!has(name)) continue;
        std::string dtype = name;
        dtype[0] = static_cast<char>(std::toupper(dtype[0]));
        absl::StrAppend(&labels, "case ir::DType::k", dtype == "Bf16" ? "BF16" : dtype, ": ");
      }
      if (!labels.empty()) absl::StrAppend(&code, "    ", labels, call(type), "\n");
    };
    add({"f16", "bf16", "f32"}, "float");
    add({"f64"}, "double");
    add({"u64"}, "uint64_t");
    add({"i8", "i16", "i32", "i64", "u8", "u16", "u32"}, "int64_t");
    add({"bool"}, truth ? "uint8_t" : "int64_t");
    return code;
  }

  std::string Numeric(const std::string& prologue) {
    const bool raw = movement();
    std::string code =
        absl::StrCat("template <class T, class U>\nabsl::Status ", op_.name, "Run(const ", op_.name,
                     "Shape<int64_t>& s, const ir::KernelArgs& args) {\n", Body(raw), "}\n\n");
    const std::string refuse =
        "    default: return absl::UnimplementedError(\"no kernel for this dtype\");\n  }\n";
    if (!secondary_.empty()) {
      absl::StrAppend(&code, "template <class T>\nabsl::Status ", op_.name, "Choose(const ",
                      op_.name, "Shape<int64_t>& s, const ir::KernelArgs& args) {\n  switch (s.",
                      Member(secondary_), ") {\n",
                      Cases(secondary_set_, false, true,
                            [&](const std::string& type) {
                              return absl::StrCat("return ", op_.name, "Run<T, ", type,
                                                  ">(s, args);");
                            }),
                      refuse, "}\n\n");
    }
    absl::StrAppend(&code, "absl::Status ", op_.name, "Kernel(const ir::KernelArgs& args) {\n",
                    prologue);
    if (primary_.empty()) {
      absl::StrAppend(&code, "  return ", op_.name, "Run<int64_t, int64_t>(s, args);\n}\n\n");
      return code;
    }
    const std::string dtype = "s." + Member(primary_);
    absl::StrAppend(
        &code, "  switch (", raw ? absl::StrCat("ir::SizeOf(", dtype, ")") : dtype, ") {\n",
        Cases(primary_set_, raw, false,
              [&](const std::string& type) {
                return secondary_.empty()
                           ? absl::StrCat("return ", op_.name, "Run<", type, ", int64_t>(s, args);")
                           : absl::StrCat("return ", op_.name, "Choose<", type, ">(s, args);");
              }),
        refuse, "}\n\n");
    return code;
  }

  std::string Symbolic() {
    std::string code = absl::StrCat(
        "absl::Status ", op_.name, "Symbolic(const ir::SymbolicKernelArgs& args) {\n  ", op_.name,
        "Shape<Expr> s;\n  ir::Checker<Expr> checker(*args.context);\n  const auto infos = "
        "kernels::SymbolicInfos(args.inputs);\n  if (!s.Bind({infos, args.attrs}, checker)) return "
        "checker.status();\n");
    absl::StrAppend(&code, "  kernels::SymbolicIo io(args);\n");
    // Open types may be floats, which are fractions.
    const auto symbolic = [](const std::string& element) {
      return element == "I" || element == "B" ? "Expr" : "kernels::Fraction";
    };
    std::vector<std::string> actual = {"s"};
    for (size_t i = 0; i < op_.inputs.size(); ++i) {
      const std::string type = symbolic(tensors_.at(op_.inputs[i].name).element);
      if (op_.inputs[i].arity == Operand::kVariadic) {
        absl::StrAppend(&code, "  std::vector<const ", type, "*> in_", i,
                        ";\n  for (size_t each = ", i, "; each < args.inputs.size(); ++each) in_",
                        i, ".push_back(io.Read<", type, ">(each));\n");
      } else {
        absl::StrAppend(&code, "  const ", type, "* in_", i, " = io.Read<", type, ">(", i, ");\n");
      }
      actual.push_back(absl::StrCat("in_", i));
    }
    for (size_t i = 0; i < op_.outputs.size(); ++i) {
      const std::string type = symbolic(ElementType(op_.outputs[i].classes, op_.outputs[i].place));
      actual.push_back(absl::StrCat("io.Write<", type, ">(", i, ")"));
    }
    absl::StrAppend(&code, "  const absl::Status status = ", op_.name,
                    "Compute<Expr, kernels::Fraction, kernels::Fraction, Expr, Expr, "
                    "kernels::Fraction>(",
                    absl::StrJoin(actual, ", "),
                    ");\n  if (status.ok()) io.Finish();\n  return status;\n}\n\n");
    return code;
  }

  std::string primary_, secondary_;
  std::vector<std::string> primary_set_, secondary_set_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> hoisted_;
  std::vector<bool> reads_;
  const Operand* each_ = nullptr;
  std::string flat_index_;  // how elementwise code reads: `at`, or per-operand offsets
  bool arithmetic_ = false, exact_ = true, deriving_ = false, always_check_ = false;
};

}  // namespace

KernelText EmitKernel(const Program& program, const Op& op, Diagnostics& diagnostics) {
  return KernelEmitter(program, op, diagnostics).Run();
}

}  // namespace tessera::codegen
