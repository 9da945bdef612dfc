// The nests of one op: what `EmitNests` builds from. Indices are expressions of sizes and axes,
// elements are scalars of nests; ranks, packs and attributes are known when the code runs.
#ifndef TESSERA_CODEGEN_NEST_CLASS_H_
#define TESSERA_CODEGEN_NEST_CLASS_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/ref_emitter.h"

namespace tessera::codegen {

class NestEmitter : public RefEmitter {
 public:
  using RefEmitter::RefEmitter;

  // The body of the function that builds them.
  std::string Run();

 private:
  struct Tensor {
    std::string id, element;
    bool variadic = false;
  };

  std::string DomainType() const override { return "Expr"; }
  std::string CppType(const Typed& typed) const override;
  std::string AsElement(const Typed& typed, const std::string& element, Place place) override;
  std::string AsCondition(const Typed& typed, Place place) override;
  // A number with a fraction that was computed from an index is an f64 element, which takes the
  // type of whatever element it meets, as a number does in a kernel.
  void Harmonize(const std::string& function, std::vector<Typed>& args) override;
  Typed Ternary(const Node& node) override;
  Typed Fold(const Node& node) override;
  bool SpecialLoop(const Binder& binder, const std::function<void()>& body) override;
  bool Special(const NodePtr& pointer, Typed& out) override;

  std::string ElementType(const std::vector<std::string>& classes, Place place) override;
  std::string OfType(const std::string& function, const std::string& type,
                     const std::string& arguments) const override;
  std::string SingleFloat() const override { return "nests::Number::kF32"; }
  // b[condition] where the condition is about sizes and indices.
  Typed Choice(const Typed& condition, const Typed& yes, const Typed& no, Place place);
  std::string Expression(const Typed& typed, Place place);  // an index as an Expr
  Typed Weak(const Typed& typed, Place place);
  std::string CommonElement(const std::vector<Typed>& args) const;

  // Runs `f` for what it would give; false where it cannot be said so.
  bool Try(const std::function<Typed()>& f, Typed& result);
  Typed ElementFold(const Node& node, const Typed& sample);
  void OpenAxes(const Binder& binder, const std::function<void()>& body);

  bool PickedFrom(const Node& node, Typed& out);
  // The same of numbers, which makes an element of it.
  Typed PickedFloat(const Typed& list, const Typed& at, Place place);
  Typed Read(const Node& node, const NodePtr& otherwise) override;
  void Indices(const Node& node, const std::string& tensor, const std::string& list);
  Typed Within(const Node& node) override;

  void Head();
  // The variable that holds a tensor's id.
  static std::string TensorVariable(const std::string& name) { return "t_" + name; }
  void Assign(const RefStatement& ref);
  // Statements that advance together along one axis.
  void Recur(const std::vector<const RefStatement*>& members);
  // Makes the scratch tensor of a temp; false: the kernel's emitter has said what is wrong.
  bool DeclareTemp(const RefStatement& ref, const std::string& element);
  // The target becomes a tensor that can be read.
  void Name(const RefStatement& ref, const std::string& element);
  void Each(const RefStatement& ref);
  // Declares the index names of `ref` over the extents in the C++ list `extents`.
  void BindIndices(const RefStatement& ref, const std::string& target, const std::string& extents,
                   const Operand* result);
  void Define(const RefStatement& ref, const std::string& element);

  std::map<std::string, Tensor> tensors_;
  // What loops over numbers become: axes of the fold `fold_`, or loops of the code that builds.
  enum { kNoFold, kPacksAndSizes, kAllRanges } axes_ = kNoFold;
  std::string fold_;
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_NEST_CLASS_H_
