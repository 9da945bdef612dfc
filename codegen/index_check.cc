#include "codegen/index_check.h"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace tessera::codegen {
namespace {

constexpr int kMostDepth = 32;  // functions that expand into each other

// A constant and how often each name counts. A list's name stands for its length.
class Sum {
 public:
  Sum() = default;
  explicit Sum(int64_t constant) : constant_(constant) {}
  static Sum Of(const std::string& name) {
    Sum sum;
    sum.terms_[name] = 1;
    return sum;
  }

  Sum Plus(const Sum& other, int64_t times = 1) const {
    Sum sum = *this;
    sum.constant_ += times * other.constant_;
    for (const auto& [name, factor] : other.terms_) {
      if ((sum.terms_[name] += times * factor) == 0) sum.terms_.erase(name);
    }
    return sum;
  }
  bool IsZero() const { return constant_ == 0 && terms_.empty(); }

  std::string Text() const {
    std::string text = constant_ != 0 || terms_.empty() ? absl::StrCat(constant_) : "";
    for (const auto& [name, factor] : terms_) {
      absl::StrAppend(&text,
                      text.empty() ? ""
                      : factor < 0 ? " - "
                                   : " + ",
                      text.empty() && factor < 0 ? "-" : "",
                      factor * factor == 1 ? "" : absl::StrCat(std::abs(factor), " * "), name);
    }
    return text;
  }

 private:
  int64_t constant_ = 0;
  std::map<std::string, int64_t> terms_;
};

using Length = std::optional<Sum>;

// What a name stands for: a list of a length, a tensor of a rank, or a number of the host.
struct Meaning {
  enum Kind { kList, kTensor, kNumber } kind = kList;
  Length sum;  // nothing: not known
};
using Names = std::map<std::string, Meaning>;

class IndexChecker {
 public:
  IndexChecker(const Program& program, const Op& op, Diagnostics& diagnostics)
      : program_(program), op_(op), diagnostics_(diagnostics) {}

  void Run() {
    for (const Operand& operand : op_.inputs) Declare(operand);
    for (const AttributeDecl& attribute : op_.attributes) Declare(attribute);
    for (const Statement& statement : op_.statements) {
      if (statement.kind == Statement::kRequire) {
        Require(statement.value);
      } else {
        Define(statement);
      }
    }
    for (const RefStatement& ref : op_.refs) {
      if (ref.kind == RefStatement::kExtern || ref.kind == RefStatement::kFast) continue;
      Assigned(ref);
    }
  }

 private:
  // Dims that an operand binds are lengths of their own.
  void Declare(const Operand& operand) {
    if (operand.form.kind == Form::kRank) {
      const std::string& rank = operand.form.rank_name;
      names_[rank] = {Meaning::kNumber, Sum::Of(rank)};
    }
    for (const FormEntry& entry : operand.form.dims) {
      if (entry.pack && operand.arity != Operand::kVariadic)
        names_[entry.name] = {Meaning::kList, Sum::Of(absl::StrCat("len(", entry.name, ")"))};
    }
    names_[operand.name] = {Meaning::kTensor, RankOf(operand)};
  }

  void Declare(const AttributeDecl& attribute) {
    if (!attribute.list) {
      names_[attribute.name] = {Meaning::kNumber, Sum::Of(attribute.name)};
      return;
    }
    const NodePtr& length = attribute.length;
    if (length->kind == Node::kName && names_.count(length->text) == 0)
      names_[length->text] = {Meaning::kNumber, Sum::Of(length->text)};
    names_[attribute.name] = {Meaning::kList, Number(length, names_)};
  }

  void Define(const Statement& statement) {
    if (!statement.binders.empty()) {
      names_[statement.name] = {Meaning::kList, Extent(statement.binders, names_)};
    } else if (const Length length = LengthOf(statement.value, names_)) {
      names_[statement.name] = {Meaning::kList, length};
    } else if (const Length number = Number(statement.value, names_)) {
      names_[statement.name] = {Meaning::kNumber, number};
    } else {
      names_[statement.name] = {Meaning::kList, std::nullopt};
    }
  }

  // Equal lists and numbers: what is required of ranks.
  void Require(const NodePtr& condition) {
    if (condition->kind != Node::kBinary) return;
    const NodePtr &left = condition->children[0], &right = condition->children[1];
    if (condition->text == "&&") {
      Require(left);
      Require(right);
    }
    if (condition->text != "==") return;
    Length a = LengthOf(left, names_), b = LengthOf(right, names_);
    if (!a || !b) {
      a = Number(left, names_);
      b = Number(right, names_);
    }
    if (a && b) zeros_.push_back(a->Plus(*b, -1));
  }

  Length RankOf(const Operand& operand) const {
    if (operand.form.kind == Form::kRank) return Sum::Of(operand.form.rank_name);
    if (operand.form.kind == Form::kLike) {
      const auto like = names_.find(operand.form.like);
      return like == names_.end() ? std::nullopt : like->second.sum;
    }
    if (operand.form.kind != Form::kDims) return std::nullopt;
    Sum rank;
    for (const FormEntry& entry : operand.form.dims) {
      if (!entry.pack) {
        rank = rank.Plus(Sum(1));
        continue;
      }
      const auto pack = names_.find(entry.name);
      if (pack == names_.end() || !pack->second.sum) return std::nullopt;
      rank = rank.Plus(*pack->second.sum);
    }
    return rank;
  }

  // The names of the left side, and what the right side reads under them.
  void Assigned(const RefStatement& ref) {
    Length rank;
    if (ref.kind == RefStatement::kEach) {
      const auto each = names_.find(ref.each);
      if (each != names_.end()) rank = each->second.sum;
    } else if (ref.kind == RefStatement::kAssign) {
      for (const Operand& result : op_.outputs) {
        if (result.name == ref.target) rank = RankOf(result);
      }
    }
    Names names = names_;
    int64_t packs = 0;
    for (const RefIndex& index : ref.indices) packs += index.pack ? 1 : 0;
    const Sum scalars(static_cast<int64_t>(ref.indices.size()) - packs);
    if (packs == 0 && rank) Compare(ref.target, *rank, scalars, ref.place);
    Length all = Sum();
    for (const RefIndex& index : ref.indices) {
      Meaning meaning{Meaning::kNumber, Sum::Of(index.name)};
      if (index.list != nullptr) {
        meaning = {index.pack ? Meaning::kList : Meaning::kNumber,
                   index.pack ? LengthOf(index.list, names_) : Sum::Of(index.name)};
      } else if (index.pack) {
        meaning = {Meaning::kList,
                   rank && packs == 1 ? Length(rank->Plus(scalars, -1)) : PackOf(ref, index)};
      }
      const Length count = index.pack ? meaning.sum : Length(Sum(1));
      all = all && count ? Length(all->Plus(*count)) : std::nullopt;
      names[index.name] = meaning;
    }
    Read(ref.value, names);
    if (ref.kind == RefStatement::kTemp) names_[ref.target] = {Meaning::kTensor, all};
  }

  // Several packs divide the result as its declaration does.
  Length PackOf(const RefStatement& ref, const RefIndex& index) const {
    const size_t at = static_cast<size_t>(&index - ref.indices.data());
    for (const Operand& result : op_.outputs) {
      if (result.name != ref.target || result.form.dims.size() != ref.indices.size()) continue;
      const auto pack = names_.find(result.form.dims[at].name);
      if (pack != names_.end()) return pack->second.sum;
    }
    return std::nullopt;
  }

  void Compare(const std::string& tensor, const Sum& rank, const Sum& given, Place place) {
    const Sum more = given.Plus(rank, -1);
    if (more.IsZero()) return;
    for (const Sum& zero : zeros_) {
      if (more.Plus(zero).IsZero() || more.Plus(zero, -1).IsZero()) return;
    }
    diagnostics_.Error(place, absl::StrCat("`", tensor, "` has ", rank.Text(), " axes, ",
                                           given.Text(), " indices are given"));
  }

  // Every read in an expression.
  void Read(const NodePtr& node, const Names& names) {
    if (node == nullptr) return;
    if (node->kind == Node::kIndex && node->children[0]->kind == Node::kName) {
      const auto tensor = names.find(node->children[0]->text);
      if (tensor != names.end() && tensor->second.kind == Meaning::kTensor && tensor->second.sum)
        ReadOf(*node, *tensor->second.sum, names);
    }
    if (node->kind == Node::kFold || node->kind == Node::kListFor) {
      Names inner = names;
      for (const Binder& binder : node->binders) {
        Read(binder.from, inner);
        Read(binder.to, inner);
        inner[binder.name] = Bound(binder, inner);
      }
      for (const NodePtr& child : node->children) Read(child, inner);
      return;
    }
    for (const NodePtr& child : node->children) Read(child, names);
    for (const auto& [name, child] : node->named) Read(child, names);
  }

  void ReadOf(const Node& node, const Sum& rank, const Names& names) {
    Sum given;
    for (size_t i = 1; i < node.children.size(); ++i) {
      const Node& child = *node.children[i];
      // What is broadcast has an index for each axis, however many there are.
      if (child.kind == Node::kBroadcast) return;
      const NodePtr& index = child.kind == Node::kSpread ? child.children[0] : node.children[i];
      const std::optional<Length> list = AsList(index, names);
      if (list && !*list) return;
      given = given.Plus(list ? **list : Sum(1));
    }
    Compare(node.children[0]->text, rank, given, node.place);
  }

  Meaning Bound(const Binder& binder, const Names& names) const {
    if (binder.pack) return {Meaning::kList, LengthOf(binder.from, names)};
    return {Meaning::kNumber, Sum::Of(binder.name)};
  }

  Length Extent(const std::vector<Binder>& binders, const Names& names) const {
    if (binders.size() != 1) return std::nullopt;
    if (binders[0].to == nullptr) return LengthOf(binders[0].from, names);
    const Length from = Number(binders[0].from, names), to = Number(binders[0].to, names);
    return from && to ? Length(to->Plus(*from, -1)) : std::nullopt;
  }

  Length LengthOf(const NodePtr& node, const Names& names) const {
    const std::optional<Length> list = AsList(node, names);
    return list ? *list : std::nullopt;
  }

  // Nothing: no list, or none that is seen to be one; a list of unknown length otherwise.
  std::optional<Length> AsList(const NodePtr& pointer, const Names& names) const {
    const Node& node = *pointer;
    switch (node.kind) {
      case Node::kName: {
        const auto found = names.find(node.text);
        if (found == names.end() || found->second.kind != Meaning::kList) return std::nullopt;
        return found->second.sum;
      }
      case Node::kList:
        return Length(Sum(static_cast<int64_t>(node.children.size())));
      case Node::kListFor:
        return Extent(node.binders, names);
      case Node::kUnary:
        return AsList(node.children[0], names);
      case Node::kBinary: {
        const std::optional<Length> left = AsList(node.children[0], names);
        const std::optional<Length> right = AsList(node.children[1], names);
        if (node.text == "++") {
          if (!left || !right || !*left || !*right) return Length();
          return Length((*left)->Plus(**right));
        }
        return left && *left ? left : right ? right : left;
      }
      case Node::kTernary: {
        const std::optional<Length> yes = AsList(node.children[1], names);
        const std::optional<Length> no = AsList(node.children[2], names);
        return yes && *yes ? yes : no;
      }
      case Node::kCall:
        return CallAsList(node, names);
      default:
        return std::nullopt;
    }
  }

  std::optional<Length> CallAsList(const Node& node, const Names& names) const {
    if (node.text == "dims" && node.children.size() == 1) return RankOf(node.children[0], names);
    if (node.text == "elements" || node.text == "extremes" || node.text == "broadcast")
      return Length();
    if ((node.text == "take" || node.text == "drop") && node.children.size() == 2) {
      const Length list = LengthOf(node.children[0], names);
      const Length n = Number(node.children[1], names);
      if (!list || !n) return Length();
      return Length(node.text == "take" ? *n : list->Plus(*n, -1));
    }
    const Function* const function = program_.FindFunction(op_.dialect, node.text);
    if (function != nullptr) {
      if (depth_ > kMostDepth || function->parameters.size() != node.children.size())
        return Length();
      ++depth_;
      const std::optional<Length> list = AsList(function->body, Arguments(*function, node, names));
      --depth_;
      return list;
    }
    static const std::set<std::string> kElementByElement = {"floordiv", "ceildiv", "mod",
                                                            "min",      "max",     "abs"};
    if (kElementByElement.count(node.text) == 0) return std::nullopt;
    for (const NodePtr& child : node.children) {
      const std::optional<Length> list = AsList(child, names);
      if (list) return list;
    }
    return std::nullopt;
  }

  Names Arguments(const Function& function, const Node& call, const Names& names) const {
    Names inner;
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      const std::optional<Length> list = AsList(call.children[i], names);
      const Length rank = RankOf(call.children[i], names);
      inner[function.parameters[i]] =
          list   ? Meaning{Meaning::kList, *list}
          : rank ? Meaning{Meaning::kTensor, rank}
                 : Meaning{Meaning::kNumber, Number(call.children[i], names)};
    }
    return inner;
  }

  Length RankOf(const NodePtr& node, const Names& names) const {
    const auto tensor = node->kind == Node::kName ? names.find(node->text) : names.end();
    if (tensor == names.end() || tensor->second.kind != Meaning::kTensor) return std::nullopt;
    return tensor->second.sum;
  }

  Length Number(const NodePtr& pointer, const Names& names) const {
    const Node& node = *pointer;
    if (node.kind == Node::kInt) return Sum(node.int_value);
    if (node.kind == Node::kName) {
      const auto found = names.find(node.text);
      if (found == names.end() || found->second.kind != Meaning::kNumber) return std::nullopt;
      return found->second.sum;
    }
    if (node.kind == Node::kBinary && (node.text == "+" || node.text == "-")) {
      const Length left = Number(node.children[0], names), right = Number(node.children[1], names);
      if (!left || !right) return std::nullopt;
      return left->Plus(*right, node.text == "+" ? 1 : -1);
    }
    if (node.kind == Node::kCall && node.children.size() == 1) {
      if (node.text == "len") return LengthOf(node.children[0], names);
      if (node.text == "rank") return RankOf(node.children[0], names);
      if (node.text == "int") return Number(node.children[0], names);
    }
    return std::nullopt;
  }

  const Program& program_;
  const Op& op_;
  Diagnostics& diagnostics_;
  Names names_;
  std::vector<Sum> zeros_;  // what is required to be nothing
  mutable int depth_ = 0;
};

}  // namespace

void CheckIndices(const Program& program, const Op& op, Diagnostics& diagnostics) {
  IndexChecker(program, op, diagnostics).Run();
}

}  // namespace tessera::codegen
