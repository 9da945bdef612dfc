#include "codegen/divisor_emitter.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "codegen/expression_printer.h"
#include "codegen/guard_translator.h"

namespace tessera::codegen {
namespace {

constexpr int kMostDepth = 32;  // functions that expand into each other

using Arguments = std::map<std::string, NodePtr>;

// The tree with names replaced; places stay where the text stands.
NodePtr Replaced(const NodePtr& node, const Arguments& arguments) {
  if (node == nullptr) return nullptr;
  if (node->kind == Node::kName) {
    const auto found = arguments.find(node->text);
    return found == arguments.end() ? node : found->second;
  }
  auto copy = std::make_shared<Node>(*node);
  Arguments inner = arguments;
  for (Binder& binder : copy->binders) {
    binder.from = Replaced(binder.from, inner);
    binder.to = Replaced(binder.to, inner);
    inner.erase(binder.name);
  }
  for (NodePtr& child : copy->children) child = Replaced(child, inner);
  for (auto& [name, child] : copy->named) child = Replaced(child, inner);
  return copy;
}

NodePtr Not(const NodePtr& condition) {
  auto node = std::make_shared<Node>();
  node->kind = Node::kUnary;
  node->text = "!";
  node->place = condition->place;
  node->children = {condition};
  return node;
}

NodePtr AtLeastOne(const NodePtr& divisor) {
  auto one = std::make_shared<Node>();
  one->kind = Node::kInt;
  one->text = "1";
  one->int_value = 1;
  one->place = divisor->place;
  auto node = std::make_shared<Node>();
  node->kind = Node::kBinary;
  node->text = ">=";
  node->place = divisor->place;
  node->children = {divisor, one};
  return node;
}

class Divisors {
 public:
  Divisors(const Program& program, const Op& op, std::string& table)
      : program_(program), op_(op), table_(table) {}

  void Run() {
    for (size_t i = 0; i < op_.statements.size(); ++i) {
      // Later constraints hold only if this one is got past.
      Op before = op_;
      before.statements.resize(i);
      GuardTranslator translator(before);
      translator_ = &translator;
      statement_ = &op_.statements[i];
      conditions_.clear();
      root_ = op_.statements[i].place;
      for (const Binder& binder : op_.statements[i].binders) {
        Visit(binder.from);
        Visit(binder.to);
      }
      Visit(op_.statements[i].value);
    }
  }

 private:
  void Under(const NodePtr& condition, const NodePtr& node) {
    conditions_.push_back(condition);
    Visit(node);
    conditions_.pop_back();
  }

  void Visit(const NodePtr& node) {
    if (node == nullptr) return;
    if (node->kind == Node::kTernary) {
      Visit(node->children[0]);
      Under(node->children[0], node->children[1]);
      Under(Not(node->children[0]), node->children[2]);
      return;
    }
    if (node->kind == Node::kBinary && (node->text == "&&" || node->text == "||")) {
      Visit(node->children[0]);
      Under(node->text == "&&" ? node->children[0] : Not(node->children[0]), node->children[1]);
      return;
    }
    if (node->kind == Node::kCall) {
      const Function* const function = program_.FindFunction(op_.dialect, node->text);
      if (function != nullptr) {
        Expand(*function, *node);
        return;
      }
      const bool divides =
          node->text == "floordiv" || node->text == "ceildiv" || node->text == "mod";
      if (divides && node->children.size() == 2) Divisor(node->children[1]);
    }
    for (const Binder& binder : node->binders) {
      Visit(binder.from);
      Visit(binder.to);
    }
    for (const NodePtr& child : node->children) Visit(child);
  }

  void Expand(const Function& function, const Node& call) {
    for (const NodePtr& child : call.children) Visit(child);
    if (depth_ > kMostDepth || function.parameters.size() != call.children.size()) return;
    Arguments arguments;
    for (size_t i = 0; i < function.parameters.size(); ++i)
      arguments[function.parameters[i]] = call.children[i];
    ++depth_;
    Visit(Replaced(function.body, arguments));
    --depth_;
  }

  // Divisors in what functions stand for, too: what a statement says is expanded.
  NodePtr Expanded(const NodePtr& node, int depth = 0) const {
    if (node == nullptr) return nullptr;
    auto copy = std::make_shared<Node>(*node);
    for (NodePtr& child : copy->children) child = Expanded(child, depth);
    if (node->kind != Node::kCall || depth > kMostDepth) return copy;
    const Function* const function = program_.FindFunction(op_.dialect, node->text);
    if (function == nullptr || function->parameters.size() != node->children.size()) return copy;
    Arguments arguments;
    for (size_t i = 0; i < function->parameters.size(); ++i)
      arguments[function->parameters[i]] = copy->children[i];
    return Expanded(Replaced(function->body, arguments), depth + 1);
  }

  // What `forall d in ...: body` says of the statement's own `d`, which has the same range.
  NodePtr ForTheSame(const NodePtr& constraint) const {
    const auto range = [](const Binder& binder) {
      return absl::StrCat(binder.name, " ", ExpressionText(binder.from), " ",
                          binder.to == nullptr ? "" : ExpressionText(binder.to));
    };
    const bool all = constraint->kind == Node::kFold && constraint->text == "forall" &&
                     constraint->binders.size() == 1 && statement_->binders.size() == 1 &&
                     range(constraint->binders[0]) == range(statement_->binders[0]);
    return all ? constraint->children[0] : constraint;
  }

  void Divisor(const NodePtr& divisor) {
    if (divisor->kind == Node::kInt && divisor->int_value > 0) return;
    translator_->Integers(Expanded(divisor));
    const std::string claim = translator_->Truth(AtLeastOne(Expanded(divisor)));
    std::vector<std::string> facts;
    std::string all = claim;
    for (const NodePtr& condition : conditions_) {
      facts.push_back(translator_->Truth(Expanded(condition)));
      absl::StrAppend(&all, " && ", facts.back());
    }
    for (const Statement& earlier : op_.statements) {
      if (&earlier == statement_) break;
      if (earlier.kind != Statement::kRequire) continue;
      // Now that divisors are integers, more of it can be said.
      const std::string fact = translator_->Truth(Expanded(ForTheSame(earlier.value)));
      const std::set<std::string> mentioned = SymbolsIn(fact);
      const std::set<std::string> own = SymbolsIn(claim);
      if (std::any_of(mentioned.begin(), mentioned.end(),
                      [&](const std::string& symbol) { return own.count(symbol) > 0; }))
        facts.push_back(fact);
    }
    const std::vector<std::string> known = translator_->FactsOf(all);
    facts.insert(facts.end(), known.begin(), known.end());
    const std::string row =
        absl::StrCat(op_.name, "\t", OriginOf(root_).source->path, ":", LineOf(root_), "\t",
                     absl::StrJoin(facts, "; "), "\t", claim, "\tvalid\n");
    if (rows_.insert(row).second) table_ += row;
  }

  const Program& program_;
  const Op& op_;
  std::string& table_;
  GuardTranslator* translator_ = nullptr;
  std::vector<NodePtr> conditions_;
  std::set<std::string> rows_;
  const Statement* statement_ = nullptr;
  Place root_;
  int depth_ = 0;
};

}  // namespace

std::string EmitDivisors(const Program& program, const std::vector<const File*>& files) {
  std::string table;
  for (const File* file : files) {
    for (const Op& op : file->ops) Divisors(program, op, table).Run();
  }
  return table;
}

}  // namespace tessera::codegen
