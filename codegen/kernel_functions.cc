// The functions around a kernel: the template, its instantiations, the choice among them.
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/kernel_class.h"

namespace tessera::codegen {

std::string KernelEmitter::Compute(const std::string& body) {
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
                      "_st;\n  for (const std::vector<Domain>& dims : s.", member, "_dims) {\n    ",
                      name, "_n.push_back(host(dims));\n    ", name,
                      "_st.push_back(kernels::Strides(", name, "_n.back()));\n  }\n");
    } else if (body.find(name + "_") != std::string::npos) {
      // Only where they are used: the dims of an operand that is not read may stay symbolic.
      absl::StrAppend(&code, "  [[maybe_unused]] const std::vector<int64_t> ", name, "_n = host(s.",
                      member, "_dims);\n  [[maybe_unused]] const std::vector<int64_t> ", name,
                      "_st = kernels::Strides(", name, "_n);\n");
    }
  }
  absl::StrAppend(&code, "  std::vector<ir::ResultInfo<Domain>> results;\n  s.Results(results);\n");
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

std::string KernelEmitter::Body(bool raw) {
  std::string code = "  kernels::KernelIo io(args);\n";
  std::vector<std::string> actual = {"s"};
  for (size_t i = 0; i < op_.inputs.size(); ++i) {
    const Tensor& tensor = tensors_.at(op_.inputs[i].name);
    const std::string read = absl::StrCat(raw && tensor.element == "T" ? "ReadRaw<" : "Read<",
                                          Concrete(tensor.element), ">(");
    if (op_.inputs[i].arity == Operand::kVariadic) {
      absl::StrAppend(&code, "  std::vector<const ", Concrete(tensor.element), "*> in_", i,
                      ";\n  for (size_t each = ", i, "; each < args.inputs.size(); ++each) in_", i,
                      ".push_back(io.", read, "each));\n");
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

std::string KernelEmitter::Concrete(const std::string& element) {
  return element == "I"   ? "int64_t"
         : element == "B" ? "uint8_t"
         : element == "F" ? "double"
                          : element;
}

std::string KernelEmitter::Cases(const std::vector<std::string>& set, bool raw, bool truth,
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
      const std::string dtype = name;
      absl::StrAppend(&labels, "case ir::DType::k",
                      dtype == "bool" ? "Bool" : absl::AsciiStrToUpper(dtype), ": ");
    }
    if (!labels.empty()) absl::StrAppend(&code, "    ", labels, call(type), "\n");
  };
  add({"f16", "bf16", "f32"}, "float");
  // Narrow floats too, so that what comes from f64 is rounded once.
  add({"f64", "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0", "f4e2m1"}, "double");
  add({"u64"}, "uint64_t");
  add({"i8", "i16", "i32", "i64", "u8", "u16", "u32", "i4", "u4", "i2", "u2"}, "int64_t");
  add({"bool"}, truth ? "uint8_t" : "int64_t");
  return code;
}

std::string KernelEmitter::Numeric(const std::string& prologue) {
  const bool raw = movement();
  std::string code =
      absl::StrCat("template <class T, class U>\nabsl::Status ", op_.name, "Run(const ", op_.name,
                   "Shape<int64_t>& s, const ir::KernelArgs& args) {\n", Body(raw), "}\n\n");
  const std::string refuse =
      "    default: return absl::UnimplementedError(\"no kernel for this dtype\");\n  }\n";
  if (!types_.secondary.empty()) {
    absl::StrAppend(&code, "template <class T>\nabsl::Status ", op_.name, "Choose(const ", op_.name,
                    "Shape<int64_t>& s, const ir::KernelArgs& args) {\n  switch (s.",
                    Member(types_.secondary), ") {\n",
                    Cases(types_.secondary_set, false, true,
                          [&](const std::string& type) {
                            return absl::StrCat("return ", op_.name, "Run<T, ", type,
                                                ">(s, args);");
                          }),
                    refuse, "}\n\n");
  }
  absl::StrAppend(&code, "absl::Status ", op_.name, "Kernel(const ir::KernelArgs& args) {\n",
                  prologue);
  if (types_.primary.empty()) {
    absl::StrAppend(&code, "  return ", op_.name, "Run<int64_t, int64_t>(s, args);\n}\n\n");
    return code;
  }
  const std::string dtype = "s." + Member(types_.primary);
  absl::StrAppend(
      &code, "  switch (", raw ? absl::StrCat("ir::SizeOf(", dtype, ")") : dtype, ") {\n",
      Cases(types_.primary_set, raw, false,
            [&](const std::string& type) {
              return types_.secondary.empty()
                         ? absl::StrCat("return ", op_.name, "Run<", type, ", int64_t>(s, args);")
                         : absl::StrCat("return ", op_.name, "Choose<", type, ">(s, args);");
            }),
      refuse, "}\n\n");
  return code;
}

std::string KernelEmitter::Symbolic() {
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
                      ";\n  for (size_t each = ", i, "; each < args.inputs.size(); ++each) in_", i,
                      ".push_back(io.Read<", type, ">(each));\n");
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

}  // namespace tessera::codegen
