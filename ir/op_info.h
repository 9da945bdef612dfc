// What the generator makes from one op definition, as data and functions: the IR, the passes, the
// importer and the targets know an op only through this.
#ifndef TESSERA_IR_OP_INFO_H_
#define TESSERA_IR_OP_INFO_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/attribute.h"
#include "ir/tensor.h"
#include "ir/type.h"

namespace tessera::ir {

class Operation;
class Value;
class TermBuilder;
class ImportNode;
struct Progression;
template <class E>
class Checker;

enum class Arity : uint8_t { kRequired, kOptional, kVariadic };

struct OperandSpec {
  std::string_view name;
  Arity arity;
  bool elements;  // the operand's values take part in shape inference
  bool data;      // the kernel reads the operand's values (not only its dims)
};

struct ResultSpec {
  std::string_view name;
};

// What shape inference knows of one operand, in the domain E: int64_t (concrete) or solver::Expr
// (symbolic).
template <class E>
struct OperandInfo {
  bool present = false;
  DType dtype = DType::kF32;
  absl::Span<const E> dims;
  bool has_elements = false;
  absl::Span<const E> elements;  // row-major
  // Elements that every other one lies between: all where they are known, the first and the last
  // along axes of symbolic size where they follow the index, none where nothing is known. Of the
  // rows of a tensor they are rows: their number is a multiple of the last dim.
  absl::Span<const E> extremes;
  const Progression* progression = nullptr;
};

template <class E>
struct ResultInfo {
  DType dtype = DType::kF32;
  std::vector<E> dims;
};

template <class E>
struct InferArgs {
  absl::Span<const OperandInfo<E>>
      operands;  // an absent optional operand has an entry with present == false
  absl::Span<const Attribute> attrs;  // in the int64_t domain dims are constant expressions
};

// Checks every constraint through `checker` and appends one entry per result. An error status
// means: refuted or malformed.
template <class E>
using InferFn = absl::Status (*)(const InferArgs<E>& args, Checker<E>& checker,
                                 std::vector<ResultInfo<E>>& results);

// Inputs have the dtypes and shapes that inference accepted; outputs are allocated. inputs[i] is
// null for an absent operand.
struct KernelArgs {
  absl::Span<const Tensor* const> inputs;
  absl::Span<Tensor> outputs;
  absl::Span<const Attribute> attrs;
  bool use_fast = true;  // false: the definition's `ref` alone, which tests compare with
};
using KernelFn = absl::Status (*)(const KernelArgs& args);

// The same kernel over symbolic elements.
struct SymbolicTensor {
  DType dtype = DType::kI64;
  std::vector<Expr> dims;
  std::vector<Expr> elements;  // empty with has_elements == false: unknown
  bool has_elements = false;
  // Of a float dtype: element i is elements[i] / denominators[i], or where rounded[i] the float
  // nearest to that, provided that `needs` holds. Empty: all 1, none.
  std::vector<Expr> denominators;
  std::vector<bool> rounded;
  Expr needs = 1;
  // Where axes are left out that the elements follow: what element i grows by from one index to the
  // next, one number per axis; empty: the same everywhere.
  std::vector<std::vector<Expr>> steps;
};
struct SymbolicKernelArgs {
  solver::Context* context;
  absl::Span<const SymbolicTensor* const> inputs;
  // dtype and dims set, has_elements true, elements allocated; the kernel fills them.
  absl::Span<SymbolicTensor> outputs;
  absl::Span<const Attribute> attrs;
};
// Error: something the kernel needs as a plain number is symbolic (not a failure of the network).
using SymbolicKernelFn = absl::Status (*)(const SymbolicKernelArgs& args);

// One `rewrite`. Returns the values that replace the results of `root`, empty when the pattern does
// not apply (nothing has been changed then).
struct RewriteInfo {
  std::string_view name;
  std::string_view root;  // op name at the root of the pattern
  std::vector<Value*> (*apply)(Operation& root, TermBuilder& builder);
};

// One `lower TARGET`. On refusal the builder holds the `unsupported` text.
struct LoweringInfo {
  std::string_view target;
  std::vector<Value*> (*apply)(Operation& op, TermBuilder& builder);
};

// One `onnx` clause. Returns the node's results; errors are reported through `node`.
struct ImportInfo {
  std::string_view name, domain;
  int since, until;                               // opset versions, inclusive
  absl::Span<const std::string_view> attributes;  // every attribute that the clause reads
  std::vector<Value*> (*apply)(ImportNode& node, TermBuilder& builder);
};

// How the attributes follow when the op commutes with a transposition of its full-rank operands
// (`permute`).
struct PermuteRule {
  enum Kind : uint8_t { kAxis, kAxes, kRows, kOperandRows, kOperandAxes } kind;
  int index;  // attribute index, or operand index for kOperand*
};

struct CodeInfo {  // how the op is stored in an artifact with numbered operators
  int32_t code;
  int version;
  std::string_view options;  // name of the options table; attributes are its fields by name
};

enum class Role : uint8_t { kNone, kTranspose, kReshape, kConstant, kSymbolicConstant };

struct OpInfo {
  std::string_view dialect, name, doc, file;
  absl::Span<const OperandSpec> operands;
  absl::Span<const ResultSpec> results;
  absl::Span<const AttrSpec> attrs;
  // The attributes with defaults filled in where absent; an error names a missing one. (Defaults
  // may depend on operand ranks.)
  absl::Status (*complete)(absl::Span<const OperandInfo<Expr>> operands,
                           std::vector<Attribute>& attrs);
  InferFn<int64_t> infer;
  InferFn<Expr> infer_symbolic;
  KernelFn kernel;            // null: a builtin that the executor knows (constants)
  bool fast = false;          // the kernel has a `fast` beside its `ref`
  SymbolicKernelFn symbolic;  // null: the op does not take part in shape arithmetic
  bool elementwise =
      false;  // result element depends on the aligned operand elements only (with broadcasting)
  bool index_valued = false;  // of rank 1, each element is its index
  bool effect = false;
  Role role = Role::kNone;
  absl::Span<const RewriteInfo> rewrites;
  absl::Span<const LoweringInfo> lowerings;
  absl::Span<const PermuteRule> permutes;
  bool permutable = false;
  const CodeInfo* code = nullptr;
  // Of a builder, which is never an operation of a graph: expands into operations. `attrs` are
  // complete. `infer` checks its constraints.
  std::vector<Value*> (*build)(absl::Span<Value* const> operands, absl::Span<const Attribute> attrs,
                               TermBuilder& builder) = nullptr;
};

// Operands may be fewer than specs where trailing ones are optional; a variadic operand takes all
// that follow.
const OperandSpec* OperandSpecAt(const OpInfo& info, size_t index);  // null: too many
int FindAttr(const OpInfo& info, std::string_view name);             // -1 if there is none

}  // namespace tessera::ir

#endif  // TESSERA_IR_OP_INFO_H_
