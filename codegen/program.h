// All definition files of one generator run, with lookup by name.
#ifndef TESSERA_CODEGEN_PROGRAM_H_
#define TESSERA_CODEGEN_PROGRAM_H_

#include <deque>
#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/source.h"

namespace tessera::codegen {

// dtypes and classes of the language, as sets (bit order of ir::DType; a test keeps them together).
const std::vector<std::string>& DTypeNames();
bool IsDTypeName(const std::string& name);
const std::vector<std::string>& DTypeClassNames();
// A name that is a value by itself, and cannot be bound by a pattern.
bool IsLiteralName(const std::string& name);
// C++ text of the set, empty if `name` is neither a dtype nor a class.
std::string DTypeSetCode(const std::vector<std::string>& classes);
// The dtypes in the set.
std::vector<std::string> DTypesIn(const std::vector<std::string>& classes);

class Program {
 public:
  // Reads every file; errors go to `diagnostics`.
  void Load(const std::vector<std::string>& paths, Diagnostics& diagnostics);
  // Files whose texts are at hand; what they mention of each other is here or was added before.
  void Add(std::vector<Source> sources, Diagnostics& diagnostics);

  const std::deque<File>& files() const { return files_; }
  // An op or builder of `dialect`, else of core; null if there is none.
  const Op* FindOp(const std::string& dialect, const std::string& name) const;
  const Function* FindFunction(const std::string& dialect, const std::string& name) const;
  const Family* FindFamily(const std::string& dialect, const std::string& name) const;
  std::vector<std::string> OpNames() const;
  std::vector<std::string> FunctionNames() const;
  std::vector<std::string> FamilyNames() const;
  const File* FileOf(const std::string& path) const;

 private:
  // Reads the members of families.
  void AddMembers(File& file, Diagnostics& diagnostics);
  // What follows from a definition's facts.
  void AddDerived(Op& op, Diagnostics& diagnostics);
  void CheckNames(const File& file, Diagnostics& diagnostics) const;

  std::deque<Source> sources_;
  std::deque<Source> derived_;  // texts that no file has
  std::deque<File> files_;
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_PROGRAM_H_
