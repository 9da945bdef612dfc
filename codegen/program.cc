#include "codegen/program.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "codegen/families.h"
#include "codegen/parser.h"

namespace tessera::codegen {

const std::vector<std::string>& DTypeNames() {
  static const std::vector<std::string> kNames = {
      "bool", "i8",       "i16",        "i32",    "i64",        "u8",     "u16",   "u32",
      "u64",  "f16",      "bf16",       "f32",    "f64",        "i4",     "u4",    "i2",
      "u2",   "f8e4m3fn", "f8e4m3fnuz", "f8e5m2", "f8e5m2fnuz", "f8e8m0", "f4e2m1"};
  return kNames;
}

const std::vector<std::string>& DTypeClassNames() {
  static const std::vector<std::string> kNames = {"any",    "bool",   "float",        "index",
                                                  "int",    "narrow", "narrow_float", "narrow_int",
                                                  "number", "signed"};
  return kNames;
}

bool IsDTypeName(const std::string& name) {
  return std::find(DTypeNames().begin(), DTypeNames().end(), name) != DTypeNames().end();
}

bool IsLiteralName(const std::string& name) {
  return name == "inf" || name == "true" || name == "false";
}

namespace {

// Of the narrow types of ir/dtype.h, which are in no class but their own.
bool IsNarrow(const std::string& dtype) {
  return dtype == "i4" || dtype == "u4" || dtype == "i2" || dtype == "u2" ||
         dtype.starts_with("f8") || dtype.starts_with("f4");
}

}  // namespace

std::vector<std::string> DTypesIn(const std::vector<std::string>& classes) {
  std::vector<std::string> result;
  for (const std::string& dtype : DTypeNames()) {
    const bool is_float = dtype.find('f') != std::string::npos;
    const bool is_signed = dtype[0] == 'i';
    const bool is_int = is_signed || dtype[0] == 'u';
    const bool is_narrow = IsNarrow(dtype);
    for (const std::string& name : classes) {
      if (is_narrow) {
        if (name != dtype && name != "narrow" && name != (is_float ? "narrow_float" : "narrow_int"))
          continue;
        result.push_back(dtype);
        break;
      }
      if (name == dtype || name == "any" || (name == "float" && is_float) ||
          (name == "int" && is_int) || (name == "signed" && (is_signed || is_float)) ||
          (name == "number" && (is_float || is_int)) ||
          (name == "index" && (dtype == "i32" || dtype == "i64"))) {
        result.push_back(dtype);
        break;
      }
    }
  }
  return result;
}

std::string DTypeSetCode(const std::vector<std::string>& classes) {
  const std::vector<std::string> all = DTypesIn(classes);
  for (const std::string& name : classes) {
    if (DTypesIn({name}).empty()) return "";
  }
  int set = 0;
  for (const std::string& dtype : all)
    set |= 1 << (std::find(DTypeNames().begin(), DTypeNames().end(), dtype) - DTypeNames().begin());
  return absl::StrCat("0x", absl::Hex(set));
}

void Program::Load(const std::vector<std::string>& paths, Diagnostics& diagnostics) {
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
      diagnostics.Error({}, absl::StrCat("cannot read `", path, "`"));
      continue;
    }
    std::stringstream text;
    text << in.rdbuf();
    sources.push_back({path, text.str()});
  }
  Add(std::move(sources), diagnostics);
}

void Program::Add(std::vector<Source> sources, Diagnostics& diagnostics) {
  const size_t begin = files_.size();
  for (Source& source : sources) {
    sources_.push_back(std::move(source));
    files_.push_back(Parse(sources_.back(), diagnostics));
  }
  if (!diagnostics.empty()) return;  // what is missing follows from that
  for (size_t i = begin; i < files_.size(); ++i) {
    AddMembers(files_[i], diagnostics);
    for (Op& op : files_[i].ops) AddDerived(op, diagnostics);
  }
  for (size_t i = begin; i < files_.size(); ++i) CheckNames(files_[i], diagnostics);
}

void Program::AddMembers(File& file, Diagnostics& diagnostics) {
  for (const Member& member : file.members) {
    const Family* const family = FindFamily(file.dialect, member.family);
    if (family == nullptr) {
      diagnostics.Error(member.place, absl::StrCat("unknown family `", member.family, "`",
                                                   Suggestion(member.family, FamilyNames())));
      continue;
    }
    Op& op = file.ops[member.op];
    if (!CheckArguments(op, member, *family, diagnostics)) continue;
    derived_.push_back(MemberText(op, member, *family, diagnostics));
    File made = Parse(derived_.back(), diagnostics);
    if (made.ops.size() != 1) continue;  // an error already
    made.ops[0].stem = std::move(op.stem);
    made.ops[0].place = op.place;
    op = std::move(made.ops[0]);
  }
}

void Program::CheckNames(const File& file, Diagnostics& diagnostics) const {
  for (const Op& op : file.ops) {
    const Op* other = FindOp(file.dialect, op.name);
    if (other != &op && other != nullptr && other->dialect == op.dialect)
      diagnostics.Error(op.place, absl::StrCat("redeclaration of `", op.name, "`"));
  }
  for (const Function& function : file.functions) {
    if (FindFunction(file.dialect, function.name) != &function)
      diagnostics.Error(function.place,
                        absl::StrCat("redeclaration of function `", function.name, "`"));
  }
  for (const Family& family : file.families) {
    if (FindFamily(file.dialect, family.name) != &family)
      diagnostics.Error(family.place, absl::StrCat("redeclaration of family `", family.name, "`"));
    CheckFamily(family, diagnostics);
  }
}

// Constants stand on the right, so that equal operations look alike.
void Program::AddDerived(Op& op, Diagnostics& diagnostics) {
  if (!op.commutes || op.inputs.size() != 2) return;  // an error elsewhere
  // Of two of one shape, a constant would say all sizes of the other.
  const auto& left = op.inputs[0].form.dims;
  const auto& right = op.inputs[1].form.dims;
  const bool same =
      std::equal(left.begin(), left.end(), right.begin(), right.end(),
                 [](const FormEntry& a, const FormEntry& b) { return a.name == b.name; });
  if (same) return;
  const Operand& operand = op.inputs[0];
  std::vector<std::string> dtypes = DTypesIn(operand.classes);
  for (const TypeVariable& type : op.types) {
    if (operand.classes.size() == 1 && operand.classes[0] == type.name)
      dtypes = DTypesIn(type.classes);
  }
  if (dtypes.empty()) return;
  const bool plain = std::find(dtypes.begin(), dtypes.end(), "f32") != dtypes.end();
  const std::string dtype = plain ? "f32" : dtypes[0];
  const std::string rest = op.attributes.empty() ? "" : ", ..";
  const char* const values = dtype == "bool" ? "[true, false]" : "[1, 2]";
  derived_.push_back(
      {OriginOf(op.place).source->path,
       absl::StrCat("dialect ", op.dialect, " op ", op.name, " { rewrite constant_right { ",
                    op.name, "(k, x", rest, ") => ", op.name, "(x, k", rest,
                    ") when constant(k) && !constant(x) example { k = ", values, " as ", dtype,
                    " x = ", dtype, "[3, 2] } } }")});
  const File file = Parse(derived_.back(), diagnostics);
  if (file.ops.empty() || file.ops[0].rewrites.empty()) return;
  op.rewrites.insert(op.rewrites.begin(), file.ops[0].rewrites[0]);
  RewriteDecl& rewrite = op.rewrites.front();
  rewrite.ordered = true;
  rewrite.place = op.commutes_place;
  for (Example& example : rewrite.examples) example.place = op.commutes_place;
}

namespace {

// Of `dialect`, else of core.
template <class T>
const T* Find(const std::deque<File>& files, std::deque<T> File::*list, const std::string& dialect,
              const std::string& name) {
  const T* core = nullptr;
  for (const File& file : files) {
    for (const T& candidate : file.*list) {
      if (candidate.name != name) continue;
      if (file.dialect == dialect) return &candidate;
      if (file.dialect == "core") core = &candidate;
    }
  }
  return core;
}

template <class T>
std::vector<std::string> NamesOf(const std::deque<File>& files, std::deque<T> File::*list) {
  std::vector<std::string> names;
  for (const File& file : files) {
    for (const T& candidate : file.*list) names.push_back(candidate.name);
  }
  return names;
}

}  // namespace

const Op* Program::FindOp(const std::string& dialect, const std::string& name) const {
  return Find(files_, &File::ops, dialect, name);
}

const Function* Program::FindFunction(const std::string& dialect, const std::string& name) const {
  return Find(files_, &File::functions, dialect, name);
}

const Family* Program::FindFamily(const std::string& dialect, const std::string& name) const {
  return Find(files_, &File::families, dialect, name);
}

std::vector<std::string> Program::OpNames() const { return NamesOf(files_, &File::ops); }

std::vector<std::string> Program::FunctionNames() const {
  return NamesOf(files_, &File::functions);
}

std::vector<std::string> Program::FamilyNames() const { return NamesOf(files_, &File::families); }

const File* Program::FileOf(const std::string& path) const {
  for (size_t i = 0; i < sources_.size(); ++i) {
    if (sources_[i].path == path) return &files_[i];
  }
  return nullptr;
}

}  // namespace tessera::codegen
