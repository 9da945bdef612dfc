#include "solver/shared_syntax.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "solver/store.h"

namespace tessera::solver {
namespace {

// Larger subterms get a name of their own, so that no line nests without end.
constexpr int kLongestUnnamed = 24;

// Which nodes have names.
std::vector<bool> Named(const Syntax& syntax, absl::Span<const uint32_t> roots) {
  const size_t count = syntax.nodes.size();
  std::vector<int> uses(count, 0), sizes(count, 0);
  std::vector<bool> is_root(count, false), named(count, false);
  for (const uint32_t root : roots) {
    ++uses[root];
    is_root[root] = true;
  }
  for (const SyntaxNode& node : syntax.nodes) {
    for (int i = 0; i < OperandCount(node.op); ++i) ++uses[node.operands[i]];
  }
  for (size_t at = 0; at < count; ++at) {
    const SyntaxNode& node = syntax.nodes[at];
    if (OperandCount(node.op) == 0) continue;
    int size = 1;
    for (int i = 0; i < OperandCount(node.op); ++i) size += sizes[node.operands[i]];
    named[at] = uses[at] > 1 || (size >= kLongestUnnamed && !is_root[at]);
    sizes[at] = named[at] ? 0 : size;
  }
  return named;
}

// Of the names of nodes; no symbol looks like one.
std::string PrefixFor(const std::vector<std::string>& symbols) {
  std::string prefix = "term";
  const auto looks_alike = [&](const std::string& name) {
    return name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
           std::all_of(name.begin() + static_cast<std::ptrdiff_t>(prefix.size()), name.end(),
                       [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
  };
  while (std::any_of(symbols.begin(), symbols.end(), looks_alike)) prefix += "_";
  return prefix;
}

// A node by itself: nodes that have names are symbols in it.
class Part {
 public:
  Part(const Syntax& whole, const std::vector<std::string>& names) : whole_(whole), names_(names) {}

  std::string Text(uint32_t root) {
    part_ = {};
    const SyntaxNode& node = whole_.nodes[root];
    Copy(node);
    return ToText(part_);
  }

 private:
  // Unnamed nodes are used once, and nest no deeper than they are large.
  uint32_t Copy(const SyntaxNode& node) {
    SyntaxNode copy = node;
    for (int i = 0; i < OperandCount(node.op); ++i) {
      const uint32_t operand = node.operands[i];
      copy.operands[i] =
          names_[operand].empty() ? Copy(whole_.nodes[operand]) : Symbol(names_[operand]);
    }
    if (node.op == Op::kSymbol) return Symbol(whole_.symbols[static_cast<size_t>(node.value)]);
    return Put(copy);
  }
  uint32_t Symbol(const std::string& name) {
    size_t at = 0;
    while (at < part_.symbols.size() && part_.symbols[at] != name) ++at;
    if (at == part_.symbols.size()) part_.symbols.push_back(name);
    return Put({Op::kSymbol, {}, static_cast<int64_t>(at)});
  }
  // Leaves recur; they are one node.
  uint32_t Put(const SyntaxNode& node) {
    const auto it = OperandCount(node.op) == 0
                        ? std::find(part_.nodes.begin(), part_.nodes.end(), node)
                        : part_.nodes.end();
    if (it != part_.nodes.end()) return static_cast<uint32_t>(it - part_.nodes.begin());
    part_.nodes.push_back(node);
    return static_cast<uint32_t>(part_.nodes.size() - 1);
  }

  const Syntax& whole_;
  const std::vector<std::string>& names_;
  Syntax part_;
};

}  // namespace

uint32_t SharedSyntax::Integer(int64_t value) {
  const auto [it, fresh] =
      integers_.try_emplace(value, static_cast<uint32_t>(syntax_.nodes.size()));
  if (fresh) syntax_.nodes.push_back({Op::kInteger, {}, value});
  return it->second;
}

uint32_t SharedSyntax::Add(const Expr& e) {
  if (e.IsConstant() && e.IsLiteral()) return Integer(*e.Constant());
  using internal::Term;
  const Term* root = internal::Store::TermOf(e);
  if (root == nullptr) root = e.context()->store().TermFor(e);
  std::vector<const Term*> pending = {root};
  while (!pending.empty()) {
    const Term* term = pending.back();
    if (places_.contains(term)) {
      pending.pop_back();
      continue;
    }
    bool ready = true;
    for (int i = OperandCount(term->op); i-- > 0;) {
      if (places_.contains(term->operands[i])) continue;
      pending.push_back(term->operands[i]);
      ready = false;
    }
    if (!ready) continue;
    pending.pop_back();
    if (term->op == Op::kInteger) {
      places_.emplace(term, Integer(term->value));
      continue;
    }
    SyntaxNode node{term->op, {}, term->value};
    for (int i = 0; i < OperandCount(term->op); ++i) node.operands[i] = places_[term->operands[i]];
    if (term->op == Op::kSymbol) {
      node.value = static_cast<int64_t>(syntax_.symbols.size());
      syntax_.symbols.push_back(term->store->symbols[static_cast<size_t>(term->value)].info.name);
    }
    places_.emplace(term, static_cast<uint32_t>(syntax_.nodes.size()));
    syntax_.nodes.push_back(node);
  }
  return places_[root];
}

SharedTexts ToTexts(const Syntax& syntax, absl::Span<const uint32_t> roots) {
  const std::vector<bool> named = Named(syntax, roots);
  const std::string prefix = PrefixFor(syntax.symbols);
  std::vector<std::string> names(syntax.nodes.size());
  Part part(syntax, names);
  SharedTexts result;
  for (uint32_t i = 0; i < syntax.nodes.size(); ++i) {
    if (!named[i]) continue;
    const std::string name = absl::StrCat(prefix, result.definitions.size() + 1);
    result.definitions.push_back(absl::StrCat(name, " = ", part.Text(i)));
    names[i] = name;
  }
  for (const uint32_t root : roots)
    result.texts.push_back(names[root].empty() ? part.Text(root) : names[root]);
  return result;
}

}  // namespace tessera::solver
