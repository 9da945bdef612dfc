// The kernel of one op: what `EmitKernel` builds from.
#ifndef TESSERA_CODEGEN_KERNEL_CLASS_H_
#define TESSERA_CODEGEN_KERNEL_CLASS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/kernel_emitter.h"
#include "codegen/ref_emitter.h"

namespace tessera::codegen {

// C++ names of what a read needs.
struct Tensor {
  std::string data, dims, strides, element;
  bool optional = false;
  int operand = -1;
};

class KernelEmitter : public RefEmitter {
 public:
  using RefEmitter::RefEmitter;

  KernelText Run();

 private:
  // The C++ variable that holds a tensor's elements.
  static std::string Data(const std::string& name);

  std::string Fast(const RefStatement& ref);

  std::string ElementType(const std::vector<std::string>& classes, Place place) override;
  std::string OfType(const std::string& function, const std::string& type,
                     const std::string& arguments) const override;
  std::string SingleFloat() const override { return "float"; }

  bool movement() const;

  // Names.
  void BindLets();

  bool DimsAreHost() const override;
  std::string HostOfDim(const std::string& code) const override;
  void NoteElementOperation(bool exact) override;

  // The list as plain numbers; a named one is converted once, at the head of the kernel.
  std::string HostVector(const NodePtr& node, const Typed& list);

  bool SpecialLoop(const Binder& binder, const std::function<void()>& body) override;

  Typed PackIndex(const std::string& index, const std::string& offset,
                  const std::string& length) const;

  // Reads.
  bool Special(const NodePtr& pointer, Typed& out) override;

  Typed Within(const Node& node) override;

  Typed Read(const Node& node, const NodePtr& otherwise) override;

  // Row-major offset of the element that `node` reads; `inside` says whether it exists.
  void Address(const Node& node, const Tensor& tensor, const std::string& at,
               const std::string& inside, bool checked);

  // Assignments.
  // Reads are at the result's own index, aligned or broadcast, and the index is used for nothing
  // else.
  bool IsElementwise(const NodePtr& node, const std::string& index) const;

  // Declares the index names of `indices` over the extents `dims`.
  void BindIndices(const RefStatement& ref, const std::string& dims, const Operand* result);

  bool Assign(const RefStatement& ref);

  // Storage of a temp, and its name in scope.
  void DeclareTemp(const RefStatement& ref, const std::string& element);

  // Members of a recurrence, position by position.
  void Recur(const std::vector<const RefStatement*>& members);

  void Elementwise(const RefStatement& ref, const std::string& data, const std::string& dims,
                   const std::string& element);

  void Each(const RefStatement& ref);

  // Functions.
  std::string Compute(const std::string& body);

  // One instantiation: reads operands, runs, writes results back. T is bound by the caller.
  std::string Body(bool raw);

  static std::string Concrete(const std::string& element);

  // `case` labels of the dtypes that compute in each type; `raw`: by size.
  static std::string Cases(const std::vector<std::string>& set, bool raw, bool truth,
                           const std::function<std::string(const std::string&)>& call);

  std::string Numeric(const std::string& prologue);

  std::string Symbolic();

  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> hoisted_;
  std::vector<bool> reads_;
  std::string flat_index_;  // how elementwise code reads: `at`, or per-operand offsets
  bool arithmetic_ = false, exact_ = true, deriving_ = false, always_check_ = false;
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_KERNEL_CLASS_H_
