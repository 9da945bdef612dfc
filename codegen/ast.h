// The syntax tree of the op language.
#ifndef TESSERA_CODEGEN_AST_H_
#define TESSERA_CODEGEN_AST_H_

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/source.h"

namespace tessera::codegen {

struct Node;
using NodePtr = std::shared_ptr<const Node>;

// `d in 0..n` (range: to set), `x in xs`, `v in LIST`, `k... in LIST` (pack).
struct Binder {
  std::string name;
  bool pack = false;
  NodePtr from, to;  // a range, or `from` alone: a list or a pack of operands
  Place place;
};

struct Node {
  enum Kind {
    kInt,
    kFloat,
    kString,
    kName,
    kUnary,      // text: ! -
    kBinary,     // text: + - * / == != < <= > >= && || ++
    kCoalesce,   // a ?? b
    kTernary,    // c ? a : b
    kCall,       // text(args, name: arg)
    kIndex,      // children[0][children[1...]]
    kMember,     // children[0].text: a result of a term
    kList,       // [a, b]
    kListFor,    // [for binders: body]
    kFold,       // text(binders: body): sum product min max forall exists any all
    kSpread,     // children[0]...
    kBroadcast,  // `broadcast children[0]` in an index
    kAs,         // children[0] as text
    kBind,       // children[0]:text in a pattern: names the matched value
    kScan,       // scan(binders, named = state: children[0])
  };
  Kind kind;
  std::string text;
  Place place;
  std::vector<NodePtr> children;
  std::vector<std::pair<std::string, NodePtr>> named;
  std::vector<Binder> binders;
  int64_t int_value = 0;
  double float_value = 0;
  bool optional = false;  // a pattern name followed by `?`
  bool rest = false;      // a call that ends in `..`: the attributes that it does not name
};

// A message in quotes, where `{e}` is an expression.
struct MessageText {
  std::string text;
  Place place;  // of its first character
};

// One entry of an operand form.
struct FormEntry {
  std::string name;  // empty: a literal
  int64_t literal = 0;
  bool pack = false;
  NodePtr expression;  // of a result
  Place place;
};

struct Form {
  enum Kind { kDims, kRank, kAny, kLike } kind = kAny;
  std::vector<FormEntry> dims;
  std::string rank_name;  // kRank
  std::string like;       // kLike
};

struct Operand {
  std::string name;
  enum Arity { kRequired, kOptional, kVariadic } arity = kRequired;
  std::string type;  // a type variable, a dtype attribute, or empty when `classes` says it
  std::vector<std::string> classes;
  Form form;
  bool elements = false;        // `elements`: the values must be known
  bool known_elements = false;  // `elements?`: they are seen where they are known
  Place place;
};

struct TypeVariable {
  std::string name;
  std::vector<std::string> classes;
  Place place;
};

struct AttributeDecl {
  std::string name;
  std::string kind;  // int float bool dtype enum dim
  bool list = false;
  NodePtr length;  // of a list
  std::vector<std::string> enum_names;
  NodePtr default_value;
  NodePtr where;
  Place place;
};

struct Statement {  // let, require, shape: in order
  enum Kind { kLet, kRequire, kShape } kind;
  std::string name;             // or id
  std::vector<Binder> binders;  // `L[d in 0..n]`
  NodePtr value;
  MessageText message;
  Place place;
};

struct RefIndex {
  std::string name;
  bool pack = false;
  // `t scan`, `t scan reverse`: position after position, each reading what those before it hold.
  enum Order { kAnyOrder, kForward, kBackward } order = kAnyOrder;
  NodePtr list;         // `i... in LIST` of a temp
  NodePtr axis, shift;  // `with axis += shift`
  Place place;
};

struct RefStatement {
  enum Kind { kAssign, kTemp, kEach, kExtern, kFast } kind;
  std::string target;  // result or temp name
  std::string each;    // variadic operand
  std::vector<RefIndex> indices;
  std::string type;  // of a temp
  NodePtr value;
  std::string header, function;  // extern, fast
  bool whole = false;            // fast: a kernel, which is never found not to apply
  NodePtr condition;             // fast: where it applies
  Place place;
};

struct ClauseItem {  // inside an onnx clause or a lower clause
  enum Kind { kAssign, kLet, kRequire, kWhen, kOtherwise } kind = kLet;
  std::string name;
  std::vector<Binder> binders;
  NodePtr condition, value;
  bool assumes_finite = false;  // of a lowering's clause: floats may part at exceptions
  MessageText message;
  Place place;
};

struct OnnxClause {
  std::string name, domain;
  int since = 1, until = 1 << 20;
  bool has_inputs = false;
  std::vector<std::string> inputs;
  std::vector<ClauseItem> items;
  NodePtr term;                  // `=> TERM`
  std::string header, function;  // extern
  Place place;
};

// The same for an overload of ATen, `name`: its inputs are arguments, by name.
struct AtenClause : OnnxClause {
  std::vector<std::string> arguments;  // what the inputs are called in ATen's schema
  bool view = false;                   // the result may share the memory of the first argument
  // Says what the first argument is once `src` is written over the view that the overload makes.
  bool written = false;
  // Of complex tensors (ir::AtenNumbers): makes parts of parts; is linear in each argument; takes
  // and makes both parts.
  bool parts = false;
  bool linear = false;
  bool complex = false;
};

struct ExampleItem {
  std::string name;
  NodePtr value;
};

struct Example {
  std::string constraint;  // of a reject
  bool reject = false;
  std::vector<ExampleItem> items;
  double tolerance = 0;
  Place place;
};

struct RewriteDecl {
  std::string name;
  bool late = false;            // only where no other applies
  bool requested = false;       // only where a user asks for it, by name
  std::string doc;              // of one that is requested: what it does to the results
  bool ordered = false;         // operands are matched in the order they are written
  bool assumes_finite = false;  // equal over the reals; floats may part at exceptions
  NodePtr pattern;
  std::vector<ClauseItem> lets;
  NodePtr replacement, guard;
  std::vector<Example> examples, keeps;  // where it applies, where it does not
  Place place;
};

struct LowerClause {
  std::string target;
  std::vector<ClauseItem> items;
  Place place;
};

struct PermuteDecl {
  std::string kind;  // axis axes rows
  std::string name;  // attribute or operand
  Place place;
};

struct Function {
  std::string name;
  std::vector<std::string> parameters;
  NodePtr body;
  Place place;
};

// `quantize KIND`: what quantization may do at the op's operands.
struct QuantizeDecl {
  std::string kind;  // empty: nothing is said
  std::string weight, bias, groups;
  int axis = 0;    // of the weight, with a scale per entry; from the end where negative
  int result = 0;  // the axis of the result that it becomes
  Place place, weight_place, bias_place, groups_place;
};

// `shader { ... }`: a kernel that is written by hand, in the `.comp` beside the definition.
struct ShaderDecl {
  struct Constant {
    std::string name;
    NodePtr values;
    Place place;
  };
  std::vector<Constant> constants;
  std::map<std::string, NodePtr> amounts;  // `workgroup`, `tile` ...
  bool matrices = false;                   // `matrices f16`
  Place place;
};

struct Op {
  bool builder = false;
  std::string dialect, name, doc;
  std::string stem;  // file name without folder and suffix
  std::vector<TypeVariable> types;
  std::vector<Operand> inputs, outputs;
  std::vector<AttributeDecl> attributes;
  std::vector<Statement> statements;
  std::vector<RefStatement> refs;
  NodePtr body;  // of a builder
  std::vector<ClauseItem> body_lets;
  std::vector<OnnxClause> onnx;
  std::vector<AtenClause> aten;
  std::vector<RewriteDecl> rewrites;
  std::vector<LowerClause> lowers;
  bool permutable = false;
  std::vector<PermuteDecl> permutes;
  std::vector<Example> examples;
  std::string role;
  Place role_place;
  bool effect = false;
  bool commutes = false;  // its two operands may change places
  Place commutes_place;
  QuantizeDecl quantize;
  std::optional<ShaderDecl> shader;
  std::vector<std::string> makers;  // C++ sources that create it by name
  bool has_code = false;
  int code = 0, code_version = 1;
  std::string options;
  Place place;
};

// A part of a file's text.
struct TextRange {
  size_t begin = 0, end = 0;
};

// What ops have in common but for what its parameters stand for; a text until an op is read by it.
struct Family {
  struct Parameter {
    std::string name;
    std::optional<TextRange> default_text;
    Place place;
  };
  std::string name;
  std::vector<Parameter> parameters;
  TextRange text;  // between its braces
  Place place;
};

// `op NAME : FAMILY(parameter: argument, ...) { own statements }`.
struct Member {
  struct Argument {
    std::string parameter;
    TextRange text;
    Place place;
  };
  size_t op = 0;  // of the file
  std::string family;
  std::vector<Argument> arguments;
  TextRange own;  // its statements
  Place place;    // of the family's name
};

// `refuse "reason" { ... }`: operators of others that have no clause, and why. Those of ATen stand
// for all their overloads.
struct RefuseDecl {
  struct Operator {
    std::string name;
    bool aten = false;  // or ONNX's
    Place place;
  };
  std::string reason;
  std::vector<Operator> operators;
  Place place;
};

struct File {
  std::string dialect = "core";
  std::deque<Function> functions;
  std::deque<Op> ops;
  std::deque<Family> families;
  std::vector<Member> members;
  std::vector<RefuseDecl> refusals;
};

}  // namespace tessera::codegen

#endif  // TESSERA_CODEGEN_AST_H_
