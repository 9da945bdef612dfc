// Types expressions of the op language and turns them into C++: one implementation for all
// contexts; what only a context knows (tensor reads, terms, node attributes) is in subclasses.
#ifndef TESSERA_CODEGEN_EXPRESSION_EMITTER_H_
#define TESSERA_CODEGEN_EXPRESSION_EMITTER_H_

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/ast.h"
#include "codegen/program.h"
#include "codegen/source.h"

namespace tessera::codegen {

enum class Kind {
  kError,      // a diagnostic has been given
  kHost,       // int64_t
  kDim,        // the domain's type
  kFloat,      // double
  kBool,       // bool
  kProp,       // a proposition of the domain
  kElement,    // a tensor element of C++ type `element`
  kCondition,  // a truth value about elements
  kEnum,
  kString,
  kDType,
  kList,      // of kHost, kDim, kFloat (`item`)
  kOperand,   // a tensor operand (`operand`: its index)
  kOperands,  // a variadic operand
  kValue,
  kValues,  // terms
};

// A scalar of the host, a dim, a number with a fraction or a truth value.
inline bool IsNumber(Kind kind) {
  return kind == Kind::kHost || kind == Kind::kDim || kind == Kind::kFloat || kind == Kind::kBool;
}

struct Typed {
  Kind kind = Kind::kError;
  std::string code = {};
  std::string element = {};                  // kElement: C++ type
  std::vector<std::string> enum_names = {};  // kEnum
  Kind item = Kind::kHost;                   // kList
  std::function<Typed(const std::string&)> at =
      {};                      // kList: one component, code goes to the current block
  std::string length = {};     // kList: code
  std::string attribute = {};  // kList: of a node of a model, which may have fewer than are read
  int operand = -1;
  std::string index = {};                // kOperand: which one of a variadic
  const Operand* declaration = nullptr;  // kOperand(s)
  bool weak = false;                     // kElement: takes the type of an element it meets
};

class ExpressionEmitter {
 public:
  ExpressionEmitter(const Program& program, const Op& op, Diagnostics& diagnostics)
      : program_(program), op_(op), diagnostics_(diagnostics) {}
  virtual ~ExpressionEmitter() = default;

  Typed Emit(const NodePtr& node);

  // C++ statements written so far; `Capture` runs `f` and returns what it wrote.
  std::string TakeBlock() { return std::move(block_); }
  std::string Capture(const std::function<void()>& f);
  void Line(const std::string& text) { block_ += indent_ + text + "\n"; }
  std::string Unique(const std::string& stem) { return stem + "_" + std::to_string(++unique_); }

  void Push() { scopes_.emplace_back(); }
  void Pop() { scopes_.pop_back(); }
  void Bind(const std::string& name, Typed typed) { scopes_.back()[name] = std::move(typed); }
  const Typed* Find(const std::string& name) const;

  // Names of the signature and what they are; `prefix` reaches the shape struct's members.
  void BindOperandNames(const std::string& prefix);
  void BindAttributes(const std::string& prefix);
  // What `Derive` has stored is there under its name; only its kind is found again.
  void BindStatements(const std::string& prefix);

  // Conversions; a diagnostic where there is none.
  std::string AsHost(const Typed& typed, Place place);
  std::string AsDim(const Typed& typed, Place place);
  std::string AsBool(const Typed& typed, Place place);
  std::string AsProp(const Typed& typed, Place place);
  std::string AsFloat(const Typed& typed, Place place);
  virtual std::string AsElement(const Typed& typed, const std::string& element, Place place);
  virtual std::string AsCondition(const Typed& typed, Place place);
  std::string AsVector(const Typed& typed, Place place);  // a std::vector of the list
  std::string Message(const MessageText& message);        // C++ string expression

  Typed Host(std::string code) const { return Typed{.kind = Kind::kHost, .code = std::move(code)}; }
  Typed ListOf(const std::string& vector_code, Kind item, const std::string& attribute = {});
  virtual std::string CppType(const Typed& typed) const;
  Typed Error(Place place, const std::string& message);

  // Runs `body` in C++ loops over the binders.
  void Loops(const std::vector<Binder>& binders, size_t from, const std::function<void()>& body);
  // The list `[for binders: body]`.
  Typed Comprehension(const std::vector<Binder>& binders, const NodePtr& body, Place place);

  static std::string Member(const std::string& name);  // a C++ name for a name of the language

 protected:
  // A node that the context knows; false: the common meaning.
  virtual bool Special(const NodePtr&, Typed&) { return false; }
  // Where names of functions are looked up first.
  virtual const std::string& Dialect() const { return op_.dialect; }
  // What a dim is in comparisons: kernels know them as numbers.
  virtual bool DimsAreHost() const { return false; }
  virtual std::string HostOfDim(const std::string& code) const { return code; }
  virtual std::string DomainType() const { return "Domain"; }
  virtual std::string CheckerCode() { return "checker"; }
  // After what required something of `checker`, the code that CheckerCode gave.
  virtual void Required(const std::string& checker) { (void)checker; }
  virtual Typed DimsOf(const Typed& operand, Place place);
  virtual Typed VariadicItem(const Typed& operands, const std::string& index);
  virtual std::string CountOf(const Typed& operands);
  virtual void NoteElementOperation(bool /*exact*/) {}
  // C++ of the dtype that elements of a compute type are of.
  virtual std::string DTypeOfElement(const std::string& /*element*/) const {
    return "ir::DType::kI64";
  }
  virtual bool SpecialLoop(const Binder&, const std::function<void()>&) { return false; }
  // Arguments of one function or operator, before their kinds decide what it is.
  virtual void Harmonize(const std::string& /*function*/, std::vector<Typed>& /*args*/) {}

  Typed Binary(const Node& node);
  Typed Arithmetic(const std::string& op, const Typed& a, const Typed& b, Place place);
  Typed Compare(const std::string& op, const Typed& a, const Typed& b, Place place);
  Typed CompareLists(const Typed& a, const Typed& b, bool equal, Place place);
  Typed Logic(const Node& node);
  Typed Not(const Typed& a, Place place);
  virtual Typed Ternary(const Node& node);
  Typed Choose(const std::string& condition, const std::function<Typed()>& yes,
               const std::function<Typed()>& no, Place place);
  Typed Unify(const Typed& typed, const Typed& like, Place place);
  Typed Call(const Node& node);
  Typed IntegerCall(const Node& node);
  Typed ElementCall(const Node& node, const std::vector<Typed>& args);
  Typed ListCall(const Node& node);
  Typed Expand(const Function& function, const Node& node);
  virtual Typed Fold(const Node& node);
  Typed Index(const Node& node);
  Typed Coalesce(const Node& node);
  Typed Name(const Node& node);
  std::string MessagePart(const NodePtr& node);
  Typed ListLiteral(const Node& node);
  Typed Lift(const Typed& a, const Typed& b,
             const std::function<Typed(const Typed&, const Typed&)>& f);
  Typed Store(const Typed& typed, const std::string& stem);  // into a local variable
  Typed Probe(const std::function<Typed()>& f);

  const Program& program_;
  const Op& op_;
  Diagnostics& diagnostics_;
  std::vector<std::map<std::string, Typed>> scopes_{1};
  std::string block_;
  std::string indent_ = "  ";
  int unique_ = 0;
  int refusals_ = 0;  // places of the code that refuse, if they are reached
  int expansion_depth_ = 0;
  std::string element_hint_;  // C++ element type that literals take where nothing else says
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_EXPRESSION_EMITTER_H_
