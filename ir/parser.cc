#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"
#include "ir/registry.h"
#include "ir/rewriter.h"
#include "ir/text.h"
#include "ir/text_reader.h"
#include "solver/decide.h"
#include "solver/expr.h"

namespace tessera::ir {
namespace {

// A constant as it is written; its type comes later in the line.
struct Payload {
  enum Kind { kNone, kElements, kBytes, kDigest } kind = kNone;
  size_t place = 0;
  std::vector<std::string_view> elements;
  std::string bytes;
  Digest digest;
};

class GraphParser {
 public:
  GraphParser(std::string_view text, const ConstantSource& constants)
      : in_(text), constants_(constants), graph_(std::make_unique<Graph>()), rewriter_(*graph_) {}

  absl::StatusOr<std::unique_ptr<Graph>> Run() {
    if (!in_.AcceptName("ir") || in_.AcceptInteger() != 1) in_.Fail("expected `ir 1`");
    while (!in_.AtEnd()) Statement();
    if (in_.ok()) Finish();
    if (!in_.ok()) return in_.status();
    return std::move(graph_);
  }

 private:
  void Statement() {
    if (in_.AcceptName("symbol")) return Symbol();
    if (in_.AcceptName("assume")) return Assumption();
    if (in_.AcceptName("input")) return Input();
    if (in_.AcceptName("output")) return Output();
    if (in_.AcceptName("requires")) return OpenObligation(OwnerKind::kInferred);
    if (in_.AcceptName("owes")) return OpenObligation(OwnerKind::kLasting);
    if (in_.AcceptName("obligation")) return OpenObligation(OwnerKind::kNone);
    if (in_.AcceptName("obligations")) {
      count_place_ = in_.place();
      obligation_count_ = in_.ExpectInteger();
      return;
    }
    OperationLine();
  }

  // --- Expressions and types ---

  Expr Expression(std::string_view text) {
    if (!in_.ok()) return Expr();
    int64_t number = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    if (end.ec == std::errc() && end.ptr == text.data() + text.size()) return Expr(number);
    const absl::StatusOr<Expr> expr = solver::Parse(graph_->context(), std::string(text));
    if (!expr.ok()) {
      in_.Fail(std::string(expr.status().message()));
      return Expr();
    }
    if (expr->IsInvalid()) in_.Fail("an expression that overflows 64 bits");
    return *expr;
  }

  template <class T, class F>
  std::vector<T> List(F element) {
    std::vector<T> list;
    if (!in_.Expect("[") || in_.Accept("]")) return list;
    do {
      list.push_back(element());
    } while (in_.Accept(","));
    in_.Expect("]");
    return list;
  }

  DType ElementType() {
    const std::string_view name = in_.ExpectName("an element type");
    const std::optional<DType> dtype = DTypeFromName(name);
    if (!dtype) in_.Fail(absl::StrCat("no element type `", AbslView(name), "`"));
    return dtype.value_or(DType::kF32);
  }

  TensorType Type() {
    TensorType type;
    type.dtype = ElementType();
    type.dims = List<Expr>([&] { return Expression(in_.Element()); });
    return type;
  }

  Location Scopes() {
    Location location;
    if (!in_.AcceptName("at")) return location;
    do {
      location.scopes.push_back(in_.ExpectQuoted("a scope"));
    } while (in_.Accept("+"));
    return location;
  }

  // --- Head ---

  void Symbol() {
    const size_t place = in_.place();
    std::string name;
    if (std::optional<std::string> quoted = in_.AcceptQuoted()) {
      name = *std::move(quoted);
    } else {
      name = std::string(in_.ExpectName("a symbol"));
      for (; in_.ok();) {
        // Names may hold dots and primes.
        if (in_.Accept(".")) {
          absl::StrAppend(&name, ".", AbslView(in_.ExpectName("the rest of a symbol")));
        } else if (in_.Accept("'")) {
          name += '\'';
        } else {
          break;
        }
      }
    }
    in_.Expect(":");
    solver::Range range{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    range.lo = in_.AcceptInteger().value_or(range.lo);
    in_.Expect("..");
    range.hi = in_.AcceptInteger().value_or(range.hi);
    solver::Congruence congruence;
    if (in_.AcceptName("mod")) {
      congruence.stride = in_.ExpectInteger();
      in_.Expect("=");
      congruence.residue = in_.ExpectInteger();
    }
    std::string origin = in_.ExpectQuoted("an origin");
    if (!in_.ok()) return;
    const absl::StatusOr<Expr> symbol =
        graph_->context().Declare(name, range, congruence, std::move(origin));
    if (!symbol.ok()) return in_.FailAt(place, std::string(symbol.status().message()));
    // The same declaration twice is none of the context's errors.
    if (graph_->context().symbols().size() != ++symbol_count_) {
      in_.FailAt(place, absl::StrCat("redeclaration of symbol `", name, "`"));
    }
  }

  void Assumption() {
    std::string origin = in_.ExpectQuoted("an origin");
    in_.Expect(":");
    const Expr fact = Expression(in_.RestOfLine());
    if (!in_.ok()) return;
    const absl::Status status = graph_->context().Assume(fact, std::move(origin));
    if (!status.ok()) in_.Fail(std::string(status.message()));
  }

  void Input() {
    const size_t place = in_.place();
    const int64_t number = Number();
    std::string name = in_.ExpectQuoted("the input's name");
    in_.Expect(":");
    TensorType type = Type();
    if (!in_.ok()) return;
    const absl::StatusOr<Value*> value = rewriter_.AddInput(std::move(name), std::move(type));
    if (!value.ok()) return in_.FailAt(place, std::string(value.status().message()));
    Define(place, number, *value);
  }

  void Output() {
    const size_t place = in_.place();
    std::string name = in_.ExpectQuoted("the output's name");
    in_.Expect("=");
    Value* const value = Tensor();
    if (!in_.ok()) return;
    const absl::Status status = rewriter_.AddOutput(std::move(name), value);
    if (!status.ok()) in_.FailAt(place, std::string(status.message()));
  }

  // --- Values ---

  int64_t Number() {
    in_.Expect("%");
    return in_.ExpectInteger();
  }

  void Define(size_t place, int64_t number, Value* value) {
    if (!values_.emplace(number, value).second || barriers_.contains(number)) {
      in_.FailAt(place, absl::StrCat("redefinition of `%", number, "`"));
    }
  }

  Value* Tensor() {
    const size_t place = in_.place();
    const int64_t number = Number();
    if (!in_.ok()) return nullptr;
    const auto it = values_.find(number);
    if (it == values_.end()) {
      in_.FailAt(place, absl::StrCat("no tensor `%", number, "` before"));
      return nullptr;
    }
    return it->second;
  }

  // --- Operations ---

  struct Definition {
    size_t place;
    int64_t number;
    std::string name;
    bool barrier;
  };

  void OperationLine() {
    const size_t start = in_.place();
    std::vector<Definition> definitions;
    while (in_.ok()) {
      const size_t place = in_.place();
      const bool barrier = in_.AcceptName("barrier");
      if (!barrier && !in_.Accept("%")) break;
      if (barrier) in_.Expect("%");
      Definition definition{place, in_.ExpectInteger(), "", barrier};
      definition.name = in_.AcceptQuoted().value_or("");
      definitions.push_back(std::move(definition));
      if (!in_.Accept(",")) break;
    }
    if (!definitions.empty()) in_.Expect("=");
    const size_t op_place = in_.place();
    const std::string_view dialect = in_.ExpectName("an operation");
    in_.Expect(".");
    const std::string_view op_name = in_.ExpectName("an op");
    if (!in_.ok()) return;
    const OpInfo* const info = Registry::Global().Find(dialect, op_name);
    if (info == nullptr) {
      return in_.FailAt(op_place, absl::StrCat("no op `", AbslView(op_name), "` in dialect `",
                                               AbslView(dialect), "`"));
    }
    const bool constant = info == &ConstantInfo();
    const Payload payload = constant ? PayloadText() : Payload();
    std::vector<Value*> operands;
    if (!constant) operands = Operands();
    std::vector<Attribute> attrs(info->attrs.size());
    if (in_.Accept("{")) Attributes(*info, attrs);
    const size_t types_place = in_.place();
    std::vector<TensorType> types;
    if (in_.Accept(":")) {
      do {
        types.push_back(Type());
      } while (in_.Accept(","));
    }
    std::vector<std::pair<size_t, int64_t>> after;
    if (in_.AcceptName("after")) {
      do {
        const size_t place = in_.place();
        after.emplace_back(place, Number());
      } while (in_.Accept(","));
    }
    rewriter_.SetLocation(Scopes());
    if (!in_.ok()) return;

    if (constant) {
      last_ = Constant(payload, types, types_place);
    } else {
      const absl::StatusOr<Operation*> op =
          rewriter_.Create(*info, std::move(operands), std::move(attrs));
      if (!op.ok()) return in_.FailAt(start, std::string(op.status().message()));
      last_ = *op;
    }
    if (!in_.ok()) return;
    DefineResults(start, definitions);
    CheckTypes(types_place, types);
    for (const auto& [place, number] : after) After(place, number);
  }

  void DefineResults(size_t start, const std::vector<Definition>& definitions) {
    size_t count = 0;
    for (const Definition& definition : definitions) {
      if (definition.barrier) {
        barriers_.emplace(definition.number, last_);
        if (values_.contains(definition.number)) {
          in_.FailAt(definition.place, absl::StrCat("redefinition of `%", definition.number, "`"));
        }
        continue;
      }
      if (count == last_->results().size()) break;
      Value* const result = last_->result(count++);
      Define(definition.place, definition.number, result);
      if (!definition.name.empty()) rewriter_.SetName(result, definition.name);
    }
    const auto tensors = std::count_if(definitions.begin(), definitions.end(),
                                       [](const Definition& d) { return !d.barrier; });
    if (static_cast<size_t>(tensors) != last_->results().size()) {
      in_.FailAt(start, absl::StrCat(tensors, " results are named, the operation has ",
                                     last_->results().size()));
    }
  }

  void CheckTypes(size_t place, const std::vector<TensorType>& types) {
    if (types.empty()) return;
    if (types.size() != last_->results().size()) {
      return in_.FailAt(
          place, absl::StrCat(types.size(), " types for ", last_->results().size(), " results"));
    }
    for (size_t i = 0; i < types.size(); ++i) {
      const TensorType& inferred = last_->result(i)->type();
      if (Agree(types[i], inferred)) continue;
      return in_.FailAt(place, absl::StrCat("result ", i, " is ", types[i].ToString(), ", ",
                                            inferred.ToString(), " is inferred"));
    }
  }

  // Equal in normal form, or proved to be: the printed type may be from before a change of facts.
  bool Agree(const TensorType& a, const TensorType& b) {
    if (a.dtype != b.dtype || a.rank() != b.rank()) return false;
    for (size_t i = 0; i < a.dims.size(); ++i) {
      if (a.dims[i] == b.dims[i]) continue;
      const auto verdict = solver::Decide(graph_->context(), solver::Eq(a.dims[i], b.dims[i]));
      if (verdict.kind != solver::Verdict::kProved) return false;
    }
    return true;
  }

  void After(size_t place, int64_t number) {
    const auto it = barriers_.find(number);
    if (it == barriers_.end()) {
      return in_.FailAt(place, absl::StrCat("no barrier `%", number, "` before"));
    }
    const absl::Status status = rewriter_.AddBarrier(it->second, last_);
    if (!status.ok()) in_.FailAt(place, std::string(status.message()));
  }

  std::vector<Value*> Operands() {
    std::vector<Value*> operands;
    if (!in_.Expect("(") || in_.Accept(")")) return operands;
    do {
      operands.push_back(in_.AcceptName("_") ? nullptr : Tensor());
    } while (in_.Accept(","));
    in_.Expect(")");
    return operands;
  }

  void Attributes(const OpInfo& info, std::vector<Attribute>& attrs) {
    do {
      const std::string_view name = in_.ExpectName("an attribute");
      const int index = FindAttr(info, name);
      if (index < 0) return in_.Fail(absl::StrCat("no attribute `", AbslView(name), "`"));
      Attribute& attr = attrs[static_cast<size_t>(index)];
      if (!std::holds_alternative<std::monostate>(attr)) {
        return in_.Fail(absl::StrCat("attribute `", AbslView(name), "` is given twice"));
      }
      in_.Expect("=");
      attr = AttributeValue(info.attrs[static_cast<size_t>(index)]);
    } while (in_.Accept(","));
    in_.Expect("}");
  }

  Attribute AttributeValue(const AttrSpec& spec) {
    switch (spec.kind) {
      case AttrKind::kInt:
        return in_.ExpectInteger();
      case AttrKind::kFloat:
        return Float();
      case AttrKind::kBool:
        if (in_.AcceptName("true")) return int64_t{1};
        if (!in_.AcceptName("false")) in_.FailAt(in_.place(), "expected `true` or `false`");
        return int64_t{0};
      case AttrKind::kEnum: {
        const std::string_view name = in_.Word();
        for (size_t i = 0; i < spec.enum_names.size(); ++i) {
          if (spec.enum_names[i] == name) return static_cast<int64_t>(i);
        }
        in_.Fail(absl::StrCat("`", AbslView(name), "` is no value of the attribute"));
        return {};
      }
      case AttrKind::kDType:
        return ElementType();
      case AttrKind::kDim:
        return Expression(in_.Element());
      case AttrKind::kInts:
        return List<int64_t>([&] { return in_.ExpectInteger(); });
      case AttrKind::kFloats:
        return List<double>([&] { return Float(); });
      case AttrKind::kDims:
        return List<Expr>([&] { return Expression(in_.Element()); });
    }
    return {};
  }

  template <class T>
  T NumberFrom(std::string_view text) {
    T value{};
    const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end.ec != std::errc() || end.ptr != text.data() + text.size()) {
      in_.Fail(absl::StrCat("`", AbslView(text), "` is no number of its type"));
    }
    return value;
  }
  double Float() { return NumberFrom<double>(in_.Word()); }

  // --- Constants ---

  Payload PayloadText() {
    Payload payload;
    payload.place = in_.place();
    if (in_.AcceptName("digest")) {
      payload.kind = Payload::kDigest;
      const std::optional<Digest> digest = Digest::FromString(in_.Word());
      if (!digest) in_.Fail("expected 32 hexadecimal digits");
      payload.digest = digest.value_or(Digest());
    } else if (in_.AcceptName("bytes")) {
      payload.kind = Payload::kBytes;
      const std::string_view hex = in_.Word();
      for (char c : hex) {
        if (!absl::ascii_isxdigit(static_cast<unsigned char>(c))) in_.Fail("expected hexadecimal");
      }
      if (hex.size() % 2 != 0) in_.Fail("expected whole bytes");
      if (in_.ok()) payload.bytes = absl::HexStringToBytes(AbslView(hex));
    } else {
      payload.kind = Payload::kElements;
      payload.elements = List<std::string_view>([&] { return in_.Word(); });
    }
    return payload;
  }

  template <class T>
  ir::Tensor Elements(DType dtype, const std::vector<int64_t>& shape, const Payload& payload) {
    std::vector<T> values;
    for (std::string_view element : payload.elements) values.push_back(NumberFrom<T>(element));
    return ir::Tensor::Of<T>(dtype, shape, values);
  }

  Operation* Constant(const Payload& payload, const std::vector<TensorType>& types,
                      size_t types_place) {
    if (types.size() != 1 || !types[0].IsStatic()) {
      in_.FailAt(types_place, "expected the static type of the constant");
      return nullptr;
    }
    const DType dtype = types[0].dtype;
    std::vector<int64_t> shape;
    for (const Expr& dim : types[0].dims) shape.push_back(*dim.Constant());
    const absl::StatusOr<ir::Tensor> tensor = PayloadTensor(payload, dtype, shape);
    if (!tensor.ok()) in_.FailAt(payload.place, std::string(tensor.status().message()));
    if (!in_.ok()) return nullptr;
    return rewriter_.CreateConstant(*tensor)->producer();
  }

  absl::StatusOr<ir::Tensor> PayloadTensor(const Payload& payload, DType dtype,
                                           const std::vector<int64_t>& shape) {
    const absl::StatusOr<int64_t> count = ElementCount(shape, SizeOf(dtype));
    if (!count.ok()) return count.status();
    if (payload.kind == Payload::kDigest) {
      if (constants_ == nullptr) {
        return absl::NotFoundError("a constant by digest, and no file of constants");
      }
      absl::StatusOr<ir::Tensor> tensor = constants_(payload.digest);
      if (tensor.ok() && (tensor->dtype() != dtype || tensor->shape() != shape)) {
        return absl::InvalidArgumentError("the constant of that digest is of another type");
      }
      return tensor;
    }
    if (payload.kind == Payload::kBytes) {
      const auto bytes = std::make_shared<const std::string>(payload.bytes);
      return ir::Tensor::View(dtype, shape, bytes,
                              {reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
    }
    if (*count != static_cast<int64_t>(payload.elements.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat(payload.elements.size(), " elements, the type has ", *count));
    }
    if (dtype == DType::kF64) return Elements<double>(dtype, shape, payload);
    if (IsFloat(dtype)) return Elements<float>(dtype, shape, payload);
    if (dtype == DType::kU64) return Elements<uint64_t>(dtype, shape, payload);
    ir::Tensor tensor = Elements<int64_t>(dtype, shape, payload);
    for (size_t i = 0; i < payload.elements.size(); ++i) {
      if (tensor.AsInt(static_cast<int64_t>(i)) != NumberFrom<int64_t>(payload.elements[i])) {
        return absl::InvalidArgumentError(
            absl::StrCat("element `", AbslView(payload.elements[i]), "` does not fit the type"));
      }
    }
    return tensor;
  }

  // --- Obligations ---

  enum class OwnerKind { kInferred, kLasting, kNone };

  void OpenObligation(OwnerKind kind) {
    const size_t place = in_.place();
    Obligation open;
    std::string op = in_.ExpectQuoted("an op");
    open.constraint = in_.ExpectQuoted("a constraint");
    open.message = in_.ExpectQuoted("a message");
    open.location = Scopes();
    in_.Expect(":");
    open.predicate = Expression(in_.RestOfLine());
    if (!in_.ok()) return;
    if (kind != OwnerKind::kNone && last_ == nullptr) {
      return in_.FailAt(place, "an obligation of no operation");
    }
    open.inference = kind == OwnerKind::kInferred ? 1 : 0;
    open_.push_back({std::move(open), std::move(op), kind == OwnerKind::kNone ? nullptr : last_});
  }

  void Finish() {
    if (obligation_count_ >= 0) {
      if (obligation_count_ != static_cast<int64_t>(open_.size())) {
        return in_.FailAt(count_place_, absl::StrCat(open_.size(), " obligations are listed"));
      }
      rewriter_.FilterObligations([](const Obligation&) { return false; });
      for (Listed& listed : open_) {
        // An obligation without a location has none, whatever came last.
        rewriter_.SetLocation({});
        rewriter_.AddObligation(std::move(listed.open), std::move(listed.op), listed.owner);
      }
    }
    const auto symbols = graph_->context().symbols();
    if (symbols.size() > symbol_count_) {
      in_.FailAt(0, absl::StrCat("symbol `", symbols[symbol_count_]->name, "` is not declared"));
    }
  }

  struct Listed {
    Obligation open;
    std::string op;
    const Operation* owner;
  };

  TextReader in_;
  const ConstantSource& constants_;
  std::unique_ptr<Graph> graph_;
  Rewriter rewriter_;
  absl::flat_hash_map<int64_t, Value*> values_;
  absl::flat_hash_map<int64_t, Operation*> barriers_;  // by number: who yields it
  Operation* last_ = nullptr;
  std::vector<Listed> open_;
  int64_t obligation_count_ = -1;  // not stated
  size_t count_place_ = 0;
  size_t symbol_count_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Graph>> Parse(std::string_view text,
                                             const ConstantSource& constants) {
  return GraphParser(text, constants).Run();
}

}  // namespace tessera::ir
