#include "codegen/kernel_emitter.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/kernel_class.h"
#include "codegen/recurrence.h"

namespace tessera::codegen {

KernelText KernelEmitter::Run() {
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
  text.fast = fast != nullptr;
  if (fast != nullptr)
    absl::StrAppend(&prologue, "  if (args.use_fast && ", fast->function,
                    "(s, args)) return absl::OkStatus();\n");

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
    for (const std::vector<const RefStatement*>& group : RefGroups(op_)) {
      const RefStatement& ref = *group[0];
      if (SequentialIndex(ref).has_value()) {
        Recur(group);
        elementwise = false;
      } else if (ref.kind == RefStatement::kEach) {
        Each(ref);
        elementwise = false;
      } else {
        if (ref.kind == RefStatement::kTemp) elementwise = false;
        elementwise = Assign(ref) && elementwise;
      }
    }
  });
  text.elementwise = elementwise;
  const RefStatement& first = op_.refs.front();
  text.index_valued = op_.refs.size() == 1 && first.kind == RefStatement::kAssign &&
                      first.indices.size() == 1 && !first.indices[0].pack &&
                      first.value->kind == Node::kName &&
                      first.value->text == first.indices[0].name;
  text.reads = reads_;
  const auto has = [&](const char* dtype) {
    return std::find(primary_set_.begin(), primary_set_.end(), dtype) != primary_set_.end();
  };
  text.symbolic = exact_ && (primary_set_.empty() || has("i64") || (elementwise && has("f32")));
  text.code = Compute(body) + Numeric(prologue) + (text.symbolic ? Symbolic() : "");
  return text;
}

void KernelEmitter::ChooseTypes() {
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

std::string KernelEmitter::Homogeneous(const std::vector<std::string>& set) {
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

std::string KernelEmitter::ElementType(const std::vector<std::string>& classes, Place place) {
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

bool KernelEmitter::movement() const {
  return !arithmetic_ && secondary_.empty() &&
         std::find(primary_set_.begin(), primary_set_.end(), "bool") != primary_set_.end() &&
         primary_set_.size() > 8;
}

void KernelEmitter::BindLets() {
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

bool KernelEmitter::DimsAreHost() const { return !deriving_; }

std::string KernelEmitter::HostOfDim(const std::string& code) const {
  return absl::StrCat("host(", code, ")");
}

void KernelEmitter::NoteElementOperation(bool exact) {
  arithmetic_ = true;
  exact_ = exact_ && exact;
}

std::string KernelEmitter::DTypeOfElement(const std::string& element) const {
  if (element == "T" && !primary_.empty()) return "s." + Member(primary_);
  if (element == "U" && !secondary_.empty()) return "s." + Member(secondary_);
  return ExpressionEmitter::DTypeOfElement(element);
}

KernelText EmitKernel(const Program& program, const Op& op, Diagnostics& diagnostics) {
  return KernelEmitter(program, op, diagnostics).Run();
}

}  // namespace tessera::codegen
