#include "ir/printer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "ir/absl_view.h"

namespace tessera::ir {
namespace {

bool IsName(std::string_view text) {
  if (text.empty()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool later = (c >= '0' && c <= '9') || c == '.' || c == '\'';
    if (!letter && (i == 0 || !later)) return false;
  }
  return true;
}

void AppendSymbol(const solver::SymbolInfo& symbol, std::string& text) {
  using Limits = std::numeric_limits<int64_t>;
  absl::StrAppend(&text, "symbol ", IsName(symbol.name) ? symbol.name : Quoted(symbol.name), " : ");
  if (symbol.range.lo != Limits::min()) absl::StrAppend(&text, symbol.range.lo);
  text += "..";
  if (symbol.range.hi != Limits::max()) absl::StrAppend(&text, symbol.range.hi);
  if (symbol.congruence.stride > 1) {
    absl::StrAppend(&text, " mod ", symbol.congruence.stride, " = ", symbol.congruence.residue);
  }
  absl::StrAppend(&text, " ", Quoted(symbol.origin), "\n");
}

// As an expression names it.
std::string ReferenceTo(const solver::SymbolInfo& symbol) {
  return IsName(symbol.name) ? symbol.name : absl::StrCat("`", symbol.name, "`");
}

// Where facts that are kept as hypotheses were stated.
class Origins {
 public:
  explicit Origins(const solver::Context& context) {
    for (const solver::Fact& fact : context.facts()) of_.try_emplace(fact.predicate, fact.origin);
  }
  std::string Of(const Expr& hypothesis) const {
    const auto it = of_.find(hypothesis);
    return it == of_.end() ? std::string() : it->second;
  }

 private:
  absl::flat_hash_map<Expr, std::string> of_;
};

// A context with the same symbols and facts, as reading the text will make it. Null: it would be
// `context` once more.
std::unique_ptr<solver::Context> ReaderOf(const solver::Context& context) {
  if (context.facts().empty()) return nullptr;
  auto reader = std::make_unique<solver::Context>();
  const auto assume = [&](const std::string& text, const std::string& origin) {
    const absl::StatusOr<Expr> fact = solver::Parse(*reader, text);
    if (fact.ok()) reader->Assume(*fact, origin).IgnoreError();  // the reader will say so
  };
  for (const solver::SymbolInfo* symbol : context.symbols()) {
    solver::Congruence congruence = symbol->congruence;
    if (congruence.stride < 1) congruence = {};
    reader->Declare(symbol->name, symbol->range, congruence, symbol->origin).IgnoreError();
  }
  for (const solver::SymbolInfo* symbol : context.symbols()) {
    if (!symbol->value.has_value()) continue;
    assume(absl::StrCat(ReferenceTo(*symbol), " == ", symbol->value->ToString()), "");
  }
  const Origins origins(context);
  for (const Expr& hypothesis : context.hypotheses())
    assume(hypothesis.ToString(), origins.Of(hypothesis));
  return reader;
}

std::string LocationText(const Location& location) {
  std::string text;
  for (const std::string& scope : location.scopes) {
    absl::StrAppend(&text, text.empty() ? " at " : " + ", Quoted(scope));
  }
  return text;
}

// Of the payload's element: digits from which the same bytes are read again.
std::string ElementText(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kU64) return absl::StrCat(static_cast<uint64_t>(tensor.AsInt(i)));
  if (!IsFloat(tensor.dtype())) return absl::StrCat(tensor.AsInt(i));
  const double value = tensor.AsDouble(i);
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char digits[32];
  // The shortest digits for f32 are those of a float, not of the double it widens to.
  const std::to_chars_result end =
      tensor.dtype() == DType::kF64
          ? std::to_chars(digits, digits + sizeof(digits), value)
          : std::to_chars(digits, digits + sizeof(digits), static_cast<float>(value));
  return std::string(digits, end.ptr);
}

// Whether numbers say all: not the bits of a NaN, nor a bool that is neither 0 nor 1.
bool HasPlainElements(const Tensor& tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsFloat(tensor.dtype()) && std::isnan(tensor.AsDouble(i))) return false;
    if (tensor.dtype() == DType::kBool && tensor.bytes()[static_cast<size_t>(i)] > 1) return false;
  }
  return true;
}

// A barrier that nothing waits for is not shown.
bool IsOrdering(const Operation& op) {
  return op.barrier() != nullptr && !op.barrier()->UsesUnsorted().empty();
}

}  // namespace

std::string Quoted(std::string_view text) {
  const auto is_plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte != 0x7f && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), is_plain))
    return absl::StrCat("\"", AbslView(text), "\"");
  std::string quoted;
  quoted.reserve(text.size() + 2);
  quoted += '"';
  for (char c : text) {
    if (is_plain(c)) {
      quoted += c;
    } else if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else {
      absl::StrAppend(&quoted, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    }
  }
  return quoted + '"';
}

Printer::Printer(const Graph& graph, const PrintOptions& options)
    : graph_(graph),
      options_(options),
      reader_(ReaderOf(graph.context())),
      sizes_(reader_ == nullptr ? graph.context() : *reader_) {
  numbers_.reserve(graph.inputs().size() + graph.operation_count());
  const auto number = [this](const Value* value) {
    if (value != nullptr) numbers_.try_emplace(value, numbers_.size());
  };
  for (const Value* input : graph.inputs()) number(input);
  for (const Operation* op : graph.TopologicalOrder()) {
    for (const Value* result : op->results()) number(result);
    if (IsOrdering(*op)) number(op->barrier());
  }
}

const std::string& Printer::Text(const Expr& e) const {
  auto [it, fresh] = texts_.try_emplace(e);
  if (fresh) {
    if (reader_ == nullptr) return it->second = e.ToString();
    const solver::View view(e);
    if (view.kind() == solver::ExprKind::kSymbol && reader_->Find(view.symbol()) != nullptr) {
      it->second = reader_->Symbol(view.symbol()).ToString();
      return it->second;
    }
    it->second = e.ToString();
    if (e.IsConstant()) return it->second;
    const absl::StatusOr<Expr> read = solver::Parse(*reader_, it->second);
    if (read.ok() && !read->IsInvalid()) it->second = read->ToString();
  }
  return it->second;
}

std::string Printer::Text(const TensorType& type) const {
  std::string text = absl::StrCat(AbslView(NameOf(type.dtype)), "[");
  for (size_t i = 0; i < type.dims.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", Text(type.dims[i]));
  }
  text += ']';
  return text;
}

std::string Printer::Text(const Attribute& attribute, const AttrSpec& spec) const {
  if (const auto* dim = std::get_if<Expr>(&attribute)) return Text(*dim);
  if (const auto* dims = std::get_if<std::vector<Expr>>(&attribute)) {
    std::string text = "[";
    for (size_t i = 0; i < dims->size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ",", Text((*dims)[i]));
    }
    return text + "]";
  }
  return ToString(attribute, spec);
}

std::string Printer::NumberOf(const Value* value) const {
  const auto it = numbers_.find(value);
  return it == numbers_.end() ? "%?" : absl::StrCat("%", it->second);
}

std::string Printer::PayloadText(const Operation& op) const {
  const Tensor& tensor = *op.payload();
  if (tensor.size() > options_.inline_elements) {
    const Digest digest = options_.digest_of ? options_.digest_of(op) : op.payload_digest();
    return absl::StrCat(" digest ", digest.ToString());
  }
  if (!HasPlainElements(tensor)) {
    const auto bytes = tensor.bytes();
    return absl::StrCat(" bytes ", absl::BytesToHexString(absl::string_view(
                                       reinterpret_cast<const char*>(bytes.data()), bytes.size())));
  }
  std::string text = " [";
  for (int64_t i = 0; i < tensor.size(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", ElementText(tensor, i));
  }
  return text + "]";
}

Printer::Line Printer::LineOf(const Operation& op) const {
  Line line;
  std::string& text = line.text;
  const auto define = [&](const Value* value) {
    if (!text.empty()) text += ", ";
    const size_t begin = text.size();
    if (value->kind() == Value::Kind::kBarrier) text += "barrier ";
    text += NumberOf(value);
    if (!value->name().empty()) absl::StrAppend(&text, " ", Quoted(value->name()));
    line.results.emplace_back(begin, text.size());
  };
  for (const Value* result : op.results()) define(result);
  if (IsOrdering(op)) define(op.barrier());
  if (!text.empty()) text += " = ";
  line.op.first = text.size();
  absl::StrAppend(&text, AbslView(op.info().dialect), ".", AbslView(op.info().name));
  line.op.second = text.size();
  if (op.payload() != nullptr) {
    text += PayloadText(op);
  } else {
    text += "(";
    for (size_t i = 0; i < op.operands().size(); ++i) {
      if (i > 0) text += ", ";
      const size_t begin = text.size();
      text += op.operand(i) == nullptr ? "_" : NumberOf(op.operand(i));
      line.operands.emplace_back(begin, text.size());
    }
    text += ")";
  }
  bool first = true;
  for (size_t i = 0; i < op.attrs().size() && i < op.info().attrs.size(); ++i) {
    if (std::holds_alternative<std::monostate>(op.attr(i))) continue;
    const AttrSpec& spec = op.info().attrs[i];
    absl::StrAppend(&text, first ? " {" : ", ", AbslView(spec.name), "=", Text(op.attr(i), spec));
    first = false;
  }
  if (!first) text += "}";
  for (size_t i = 0; i < op.results().size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " : " : ", ", Text(op.result(i)->type()));
  }
  for (size_t i = 0; i < op.barriers().size(); ++i) {
    absl::StrAppend(&text, i == 0 ? " after " : ", ", NumberOf(op.barriers()[i]));
  }
  if (options_.locations) text += LocationText(op.location());
  return line;
}

std::string Printer::ObligationText(std::string_view keyword, const Obligation& obligation) const {
  return absl::StrCat(AbslView(keyword), " ", Quoted(obligation.op), " ",
                      Quoted(obligation.constraint), " ", Quoted(obligation.message),
                      obligation.owner < 0 && options_.locations ? LocationText(obligation.location)
                                                                 : std::string(),
                      " : ", Text(obligation.predicate), "\n");
}

std::string Printer::Head() const {
  std::string text = "ir 1\n";
  for (const solver::SymbolInfo* symbol : sizes_.symbols()) {
    AppendSymbol(*symbol, text);
  }
  // What other facts say has become part of the symbols.
  for (const solver::SymbolInfo* symbol : sizes_.symbols()) {
    if (!symbol->value.has_value()) continue;
    absl::StrAppend(&text, "assume \"\" : ", ReferenceTo(*symbol),
                    " == ", symbol->value->ToString(), "\n");
  }
  const Origins origins(sizes_);
  for (const Expr& hypothesis : sizes_.hypotheses()) {
    absl::StrAppend(&text, "assume ", Quoted(origins.Of(hypothesis)), " : ", hypothesis.ToString(),
                    "\n");
  }
  for (const Value* input : graph_.inputs()) {
    absl::StrAppend(&text, "input ", NumberOf(input), " ", Quoted(input->name()), " : ",
                    Text(input->type()), "\n");
  }
  return text;
}

std::string Printer::Text() const {
  std::string text = Head();
  const std::vector<Obligation>& obligations = graph_.obligations();
  absl::flat_hash_map<int, std::vector<const Obligation*>> owned;
  for (const Obligation& obligation : obligations) owned[obligation.owner].push_back(&obligation);
  for (const Operation* op : graph_.TopologicalOrder()) {
    absl::StrAppend(&text, LineOf(*op).text, "\n");
    const auto it = owned.find(op->id());
    if (it == owned.end()) continue;
    for (const Obligation* obligation : it->second) {
      absl::StrAppend(
          &text, "  ",
          ObligationText(obligation->inference == 0 ? "owes" : "requires", *obligation));
    }
  }
  for (const Obligation* obligation : owned[-1]) text += ObligationText("obligation", *obligation);
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    absl::StrAppend(&text, "output ", Quoted(graph_.output_names()[i]), " = ",
                    NumberOf(graph_.outputs()[i]), "\n");
  }
  absl::StrAppend(&text, "obligations ", obligations.size(), "\n");
  return text;
}

std::string Print(const Graph& graph, const PrintOptions& options) {
  return Printer(graph, options).Text();
}

}  // namespace tessera::ir
