#include "codegen/kernel_emitter.h"

#include <algorithm>

#include "absl/status/status.h"
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
  reads_.assign(op_.inputs.size(), false);
  text.fast = fast != nullptr;
  BindOperandNames("s.");
  BindAttributes("s.");
  BindLets();
  if (fast != nullptr) absl::StrAppend(&prologue, Fast(*fast));
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
    return std::find(types_.primary_set.begin(), types_.primary_set.end(), dtype) !=
           types_.primary_set.end();
  };
  text.symbolic =
      exact_ && (types_.primary_set.empty() || has("i64") || (elementwise && has("f32")));
  text.code = Compute(body) + Numeric(prologue) + (text.symbolic ? Symbolic() : "");
  return text;
}

// The call of what is faster, where it applies.
std::string KernelEmitter::Fast(const RefStatement& ref) {
  std::string condition = "args.use_fast";
  std::string code;
  if (ref.condition != nullptr) {
    deriving_ = true;
    code = Capture([&] {
      const Typed holds = Emit(ref.condition);
      absl::StrAppend(&condition, " && ", AsBool(holds, ref.condition->place));
    });
    deriving_ = false;
  }
  const std::string call = absl::StrCat(ref.function, "(s, args)");
  return ref.whole ? absl::StrCat(code, "  if (", condition, ") return ", call, ";\n")
                   : absl::StrCat(code, "  if (", condition, " && ", call,
                                  ") return absl::OkStatus();\n");
}

std::string KernelEmitter::ElementType(const std::vector<std::string>& classes, Place place) {
  const std::string type = types_.Of(classes);
  if (!type.empty()) return type;
  Error(place, absl::StrCat("a kernel computes in at most two open types (`",
                            absl::StrJoin(classes, "|"), "` is a third); say `ref extern`"));
  return "T";
}

bool KernelEmitter::movement() const {
  return !arithmetic_ && types_.secondary.empty() &&
         std::find(types_.primary_set.begin(), types_.primary_set.end(), "bool") !=
             types_.primary_set.end() &&
         types_.primary_set.size() > 8;
}

void KernelEmitter::BindLets() {
  deriving_ = true;
  BindStatements("s.");
  deriving_ = false;
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

KernelText EmitKernel(const Program& program, const Op& op, Diagnostics& diagnostics) {
  return KernelEmitter(program, op, diagnostics).Run();
}

}  // namespace tessera::codegen
