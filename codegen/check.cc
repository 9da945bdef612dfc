#include "codegen/check.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/aten_emitter.h"
#include "codegen/example_emitter.h"
#include "codegen/index_check.h"
#include "codegen/info_emitter.h"
#include "codegen/recurrence.h"
#include "codegen/refusal_emitter.h"
#include "codegen/shader_emitter.h"
#include "codegen/trait_emitter.h"

namespace tessera::codegen {
namespace {

class DeclarationChecker {
 public:
  DeclarationChecker(const Op& op, Diagnostics& diagnostics) : op_(op), diagnostics_(diagnostics) {}

  void Run() {
    if (op_.doc.empty()) Error(op_.place, absl::StrCat("`", op_.name, "` without `doc`"));
    Signature();
    Statements();
    Dims();
    Rewrites();
    Rejects();
    Commutes();
    CheckRecurrences(op_, diagnostics_);
  }

 private:
  void Error(Place place, const std::string& message) { diagnostics_.Error(place, message); }

  // Types, operands, results, attributes and what is derived from them share one namespace; dims of
  // operands may be named again, which means that they are equal.
  void Declare(const std::string& name, Place place) {
    if (!names_.insert(name).second) Error(place, absl::StrCat("redeclaration of `", name, "`"));
  }

  void Signature() {
    for (const TypeVariable& type : op_.types) {
      Declare(type.name, type.place);
      if (DTypeSetCode(type.classes).empty())
        Error(type.place,
              absl::StrCat("`", absl::StrJoin(type.classes, "|"), "` is no set of dtypes",
                           Suggestion(type.classes[0], DTypeClassNames())));
    }
    for (const Operand& operand : op_.inputs) {
      Declare(operand.name, operand.place);
      if (operand.arity == Operand::kVariadic && &operand != &op_.inputs.back())
        Error(operand.place, absl::StrCat("variadic operand `", operand.name, "` is not the last"));
    }
    for (const Operand& result : op_.outputs) {
      Declare(result.name, result.place);
      if (result.arity == Operand::kOptional)
        Error(result.place, absl::StrCat("result `", result.name, "` cannot be optional"));
      if (result.arity == Operand::kVariadic && !op_.builder)
        Error(result.place,
              absl::StrCat("variadic result `", result.name, "` of an op that is no builder"));
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      Declare(attribute.name, attribute.place);
      if (attribute.list && attribute.kind != "int" && attribute.kind != "float" &&
          attribute.kind != "dim")
        Error(attribute.place, absl::StrCat("no lists of `", attribute.kind, "`",
                                            Suggestion("", {"int", "float", "dim"})));
      std::set<std::string> values;
      for (const std::string& value : attribute.enum_names) {
        if (!values.insert(value).second)
          Error(attribute.place, absl::StrCat("`", attribute.name, "` has `", value, "` twice"));
      }
    }
  }

  // A dim that is named like something else would hide it.
  void Dims() {
    for (const Operand& operand : op_.inputs) {
      for (const FormEntry& entry : operand.form.dims) {
        if (names_.count(entry.name) != 0)
          Error(entry.place, absl::StrCat("redeclaration of `", entry.name, "` as a dim"));
      }
    }
  }

  void Statements() {
    for (const Statement& statement : op_.statements) {
      if (statement.kind != Statement::kRequire) {
        Declare(statement.name, statement.place);
        continue;
      }
      if (!constraints_.insert(statement.name).second)
        Error(statement.place, absl::StrCat("redeclaration of constraint `", statement.name, "`"));
    }
    std::set<std::string> rejected;
    for (const Example& example : op_.examples) {
      if (example.reject) rejected.insert(example.constraint);
    }
    for (const Statement& statement : op_.statements) {
      if (statement.kind == Statement::kRequire && rejected.count(statement.name) == 0)
        Error(statement.place, absl::StrCat("constraint `", statement.name, "` of `", op_.name,
                                            "` without a `reject`"));
    }
  }

  void Rewrites() {
    std::set<std::string> rewrites;
    for (const RewriteDecl& rewrite : op_.rewrites) {
      if (!rewrites.insert(rewrite.name).second)
        Error(rewrite.place, absl::StrCat("redeclaration of rewrite `", rewrite.name, "`"));
      if (rewrite.examples.empty())
        Error(rewrite.place, absl::StrCat("rewrite `", rewrite.name, "` of `", op_.name,
                                          "` without an `example`"));
    }
  }

  void Commutes() {
    if (!op_.commutes) return;
    const auto required = [](const Operand& operand) {
      return operand.arity == Operand::kRequired && !operand.elements;
    };
    if (op_.builder || op_.inputs.size() != 2 || !required(op_.inputs[0]) ||
        !required(op_.inputs[1]) || op_.inputs[0].classes != op_.inputs[1].classes)
      Error(op_.commutes_place,
            absl::StrCat("`", op_.name, "` commutes, but has not just two operands of one type"));
  }

  // The ids that the signature implies.
  std::set<std::string> ImpliedConstraints() const {
    std::set<std::string> ids = {"broadcast"};
    for (const TypeVariable& type : op_.types) ids.insert("type." + type.name);
    for (const Operand& operand : op_.inputs) {
      for (const char* kind : {"type.", "rank.", "equal.", "operand.", "elements."})
        ids.insert(kind + operand.name);
      for (const FormEntry& entry : operand.form.dims) ids.insert("equal." + entry.name);
    }
    for (const AttributeDecl& attribute : op_.attributes) {
      ids.insert("where." + attribute.name);
      ids.insert("length." + attribute.name);
    }
    for (const Statement& statement : op_.statements) {
      if (statement.kind == Statement::kShape) ids.insert("size." + statement.name);
    }
    return ids;
  }

  void Rejects() {
    std::set<std::string> ids = ImpliedConstraints();
    ids.insert(constraints_.begin(), constraints_.end());
    for (const Example& example : op_.examples) {
      if (example.reject && ids.count(example.constraint) == 0)
        Error(example.place,
              absl::StrCat("`", op_.name, "` has no constraint `", example.constraint, "`",
                           Suggestion(example.constraint, {ids.begin(), ids.end()})));
    }
  }

  const Op& op_;
  Diagnostics& diagnostics_;
  std::set<std::string> names_, constraints_;
};

}  // namespace

void CheckDeclarations(const Program& program, const File& file, Diagnostics& diagnostics) {
  for (const Family& family : file.families) {
    bool used = false;
    for (const File& other : program.files()) {
      used =
          used || std::any_of(other.members.begin(), other.members.end(),
                              [&](const Member& member) { return member.family == family.name; });
    }
    if (!used)
      diagnostics.Error(family.place, absl::StrCat("no op is of the family `", family.name, "`"));
  }
  for (const Op& op : file.ops) {
    DeclarationChecker(op, diagnostics).Run();
    CheckIndices(program, op, diagnostics);
  }
}

void CheckAll(const Program& program, const std::vector<const File*>& files,
              Diagnostics& diagnostics) {
  CheckAten(files, diagnostics);
  CheckRefusals(files, diagnostics);
  for (const File* file : files) {
    CheckDeclarations(program, *file, diagnostics);
    CheckTraits(*file, diagnostics);
    CheckShaders(*file, diagnostics);
    EmitSource(program, *file, "x", ".", diagnostics);
    EmitExamples(program, {file}, "x", diagnostics);
    EmitAtenClauses(program, {file}, {"x"}, diagnostics);
  }
}

}  // namespace tessera::codegen
