#include "codegen/support_emitter.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace tessera::codegen {
namespace {

constexpr int kOpen = 1 << 20;    // of a clause without `until`
constexpr size_t kMostShown = 6;  // operators in a cell
constexpr int kMostDepth = 40;    // functions and ops that expand into each other

using Names = std::vector<std::string>;

void Merge(Names& into, const Names& names) {
  for (const std::string& name : names) {
    if (std::find(into.begin(), into.end(), name) == into.end()) into.push_back(name);
  }
}

// The operators in a term: all that may appear, and those of the shortest way
// through its choices.
struct Found {
  Names all, least;
  Names movers;       // those that do not count
  bool whole = true;  // nothing in it is known to be unsupported
  Names seen = {};    // places where what has no clause was seen to run
};

class Terms {
 public:
  Terms(const Program& program, const std::string& target, const Observed& observed)
      : program_(program), target_(target) {
    if (const auto found = observed.find(target); found != observed.end()) seen_ = &found->second;
  }

  std::vector<std::string> PlacesOf(const Op& op) const {
    if (seen_ == nullptr || op.dialect == target_) return {};
    const auto found = seen_->find(op.name);
    return found == seen_->end() ? std::vector<std::string>{} : found->second;
  }

  // Of an op by its own lowering, or by the builder's body.
  Found Of(const Op& op, std::vector<std::string>& refusals) {
    std::vector<Found> cases;
    for (const LowerClause& clause : op.lowers) {
      if (clause.target != target_) continue;
      bindings_.clear();
      for (const ClauseItem& item : clause.items) {
        if (item.kind == ClauseItem::kLet) {
          bindings_[item.name] = item.value;
        } else if (item.value) {
          cases.push_back(In(item.value, op.dialect));
        } else {
          refusals.push_back(item.message.text);
        }
      }
    }
    if (op.builder && op.body) {
      bindings_.clear();
      for (const ClauseItem& item : op.body_lets) bindings_[item.name] = item.value;
      cases.push_back(In(op.body, op.dialect));
    }
    // Where an operand is the result already, nothing is needed: that says nothing of the rest.
    const auto bare = [](const Found& one) {
      return one.whole && one.all.empty() && one.movers.empty();
    };
    if (!std::all_of(cases.begin(), cases.end(), bare)) std::erase_if(cases, bare);
    return Either(cases);
  }

  // Of an operator of ONNX that becomes a term rather than the op whose file says so.
  Found OfTerm(const OnnxClause& clause, const Op& op) {
    bindings_.clear();
    for (const ClauseItem& item : clause.items) {
      if (item.kind == ClauseItem::kLet) bindings_[item.name] = item.value;
    }
    return In(clause.term, op.dialect);
  }

 private:
  using Bindings = std::map<std::string, NodePtr>;

  // What holds in one case at least.
  static Found Either(const std::vector<Found>& cases) {
    Found found;
    found.whole = false;
    for (const Found& one : cases) {
      if (!one.whole) continue;
      if (!found.whole || one.least.size() < found.least.size()) found.least = one.least;
      Merge(found.all, one.all);
      Merge(found.movers, one.movers);
      Merge(found.seen, one.seen);
      found.whole = true;
    }
    return found;
  }

  Found In(const NodePtr& pointer, const std::string& dialect) {
    Found found;
    if (!pointer || depth_ > kMostDepth) return found;
    const Node& node = *pointer;
    if (node.kind == Node::kTernary) {
      return Either({In(node.children[1], dialect), In(node.children[2], dialect)});
    }
    const auto add = [&](const Found& part) {
      Merge(found.all, part.all);
      Merge(found.movers, part.movers);
      Merge(found.seen, part.seen);
      Merge(found.least, part.least);
      found.whole = found.whole && part.whole;
    };
    if (node.kind == Node::kName) {
      const auto bound = bindings_.find(node.text);
      if (bound == bindings_.end()) return found;
      return Once(bound->second.get(), [&, value = bound->second] { return In(value, dialect); });
    }
    if (node.kind == Node::kCall) add(Called(node.text, dialect));
    // `fold(Op, xs)` names the op in place of calling it.
    if (node.kind == Node::kCall && node.text == "fold" && !node.children.empty())
      add(Called(node.children[0]->text, dialect));
    for (const NodePtr& child : node.children) add(In(child, dialect));
    for (const auto& [name, value] : node.named) add(In(value, dialect));
    return found;
  }

  // What a name stands for does not depend on where it stands; it is looked into once.
  template <class F>
  Found Once(const void* key, F look) {
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    known_[key] = {};  // one that mentions itself adds nothing
    ++depth_;
    const Found found = look();
    --depth_;
    return known_[key] = found;
  }

  Found Called(const std::string& name, const std::string& dialect) {
    if (const Op* const op = FindOp(name, dialect)) {
      if (op->dialect == target_) {
        if (!op->role.empty()) return {{}, {}, {op->name}, true};
        return {{op->name}, {op->name}, {}, true};
      }
      return Once(op, [&] {
        const Bindings caller = std::exchange(bindings_, {});
        std::vector<std::string> refusals;
        Found found = Of(*op, refusals);
        bindings_ = caller;
        if (!found.whole && op->role.empty()) found.seen = PlacesOf(*op);
        found.whole = found.whole || !op->role.empty() || !found.seen.empty();
        return found;
      });
    }
    const Function* const function = FindFunction(name, dialect);
    if (function == nullptr) return {};
    return Once(function, [&] {
      // The caller's names mean nothing in it; what its parameters stand for is in the call.
      const Bindings caller = std::exchange(bindings_, {});
      Found found = In(function->body, dialect);
      bindings_ = caller;
      return found;
    });
  }

  const Op* FindOp(const std::string& name, const std::string& dialect) const {
    const Op* const op = program_.FindOp(target_, name);
    return op != nullptr ? op : program_.FindOp(dialect, name);
  }
  const Function* FindFunction(const std::string& name, const std::string& dialect) const {
    const Function* const function = program_.FindFunction(target_, name);
    return function != nullptr ? function : program_.FindFunction(dialect, name);
  }

  const Program& program_;
  const std::string& target_;
  const std::map<std::string, std::vector<std::string>>* seen_ = nullptr;
  Bindings bindings_;  // `let`s in scope
  std::map<const void*, Found> known_;
  int depth_ = 0;
};

TargetSupport Judged(const Found& found, std::vector<std::string> refusals,
                     std::vector<std::string> places) {
  TargetSupport support;
  if (found.whole && found.all.empty() && found.movers.empty() && !found.seen.empty()) {
    support.how = TargetSupport::kSeen;
    if (places.empty()) places = found.seen;
  } else if (found.whole) {
    support.how = found.least.size() <= 1 ? TargetSupport::kDirectly : TargetSupport::kComposition;
    support.operators = found.all.empty() ? found.movers : found.all;
  } else if (!places.empty()) {
    support.how = TargetSupport::kSeen;
  }
  support.places = std::move(places);
  support.refusals = std::move(refusals);
  return support;
}

struct Row {
  std::vector<const OnnxClause*> clauses;
  std::vector<const Op*> ops;
};

std::string Escaped(const std::string& text) {
  std::string escaped;
  for (char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string Cell(const TargetSupport& support) {
  std::string text = support.how == TargetSupport::kDirectly      ? "directly"
                     : support.how == TargetSupport::kComposition ? "by composition"
                     : support.how == TargetSupport::kSeen
                         ? absl::StrCat("without a clause: ", absl::StrJoin(support.places, ", "))
                         : "no";
  const size_t shown = std::min<size_t>(support.operators.size(), kMostShown);
  for (size_t i = 0; i < shown; ++i)
    absl::StrAppend(&text, i == 0 ? ": " : ", ", "`", support.operators[i], "`");
  if (shown < support.operators.size())
    absl::StrAppend(&text, " and ", support.operators.size() - shown, " more");
  if (support.refusals.empty()) return text;
  return absl::StrCat(text, support.how == TargetSupport::kNot ? ": " : "; not: ",
                      Escaped(absl::StrJoin(support.refusals, "; ")));
}

std::string Anchor(const Op& op) { return absl::AsciiStrToLower(op.name); }

}  // namespace

void AddObserved(const std::string& target, const std::string& golden, Observed& observed) {
  for (const absl::string_view line : absl::StrSplit(golden, '\n', absl::SkipEmpty())) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(line, absl::MaxSplits(": ", 1));
    Names& places = observed[target][parts.first.substr(0, parts.first.find(' '))];
    Merge(places, absl::StrSplit(parts.second, ' ', absl::SkipEmpty()));
  }
}

TargetSupport SupportOf(const Program& program, const Op& op, const std::string& target,
                        const Observed& observed) {
  std::vector<std::string> refusals;
  Terms terms(program, target, observed);
  const Found found = terms.Of(op, refusals);
  return Judged(found, std::move(refusals), terms.PlacesOf(op));
}

std::vector<std::string> TargetsOf(const Program& program, const std::vector<const File*>& files) {
  const auto is_given = [&](const std::string& target) {
    return std::any_of(program.files().begin(), program.files().end(),
                       [&](const File& file) { return file.dialect == target; });
  };
  std::set<std::string> targets;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const LowerClause& clause : op.lowers) {
        if (is_given(clause.target)) targets.insert(clause.target);
      }
    }
  }
  return {targets.begin(), targets.end()};
}

std::string OpsetText(const std::vector<const OnnxClause*>& clauses) {
  std::vector<std::pair<int, int>> ranges;
  for (const OnnxClause* clause : clauses) ranges.emplace_back(clause->since, clause->until);
  std::sort(ranges.begin(), ranges.end());
  std::vector<std::pair<int, int>> joined;
  for (const auto& [since, until] : ranges) {
    if (!joined.empty() && since <= joined.back().second + 1) {
      joined.back().second = std::max(joined.back().second, until);
    } else {
      joined.emplace_back(since, until);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [since, until] : joined) {
    texts.push_back(until >= kOpen   ? absl::StrCat("from ", since)
                    : since == until ? absl::StrCat(since)
                                     : absl::StrCat(since, " to ", until));
  }
  return absl::StrJoin(texts, ", ");
}

std::string EmitSupport(const Program& program, const std::vector<const File*>& files,
                        const Observed& observed) {
  std::map<std::pair<std::string, std::string>, Row> rows;
  for (const File* file : files) {
    for (const Op& op : file->ops) {
      for (const OnnxClause& clause : op.onnx) {
        Row& row = rows[{clause.domain, clause.name}];
        row.clauses.push_back(&clause);
        if (row.ops.empty() || row.ops.back() != &op) row.ops.push_back(&op);
      }
    }
  }
  const std::vector<std::string> targets = TargetsOf(program, files);
  std::map<std::string, std::map<TargetSupport::How, int>> counts;
  std::string table = "| ONNX | opsets | definition | reference |";
  for (const std::string& target : targets) absl::StrAppend(&table, " ", target, " |");
  table += "\n|---|---|---|---|";
  for (size_t i = 0; i < targets.size(); ++i) table += "---|";
  table += "\n";
  for (const auto& [key, row] : rows) {
    // The clause for the newest opsets says what the operator is today.
    const auto newest = std::max_element(
        row.clauses.begin(), row.clauses.end(),
        [](const OnnxClause* a, const OnnxClause* b) { return a->until < b->until; });
    const Op* definition = row.ops[0];
    for (const Op* op : row.ops) {
      for (const OnnxClause& clause : op->onnx) {
        if (&clause == *newest) definition = op;
      }
    }
    absl::StrAppend(&table, "| ", key.first.empty() ? "" : key.first + " ", "`", key.second, "` | ",
                    OpsetText(row.clauses), " | [", definition->name, "](docs/ops.md#",
                    Anchor(*definition), ") | yes |");
    for (const std::string& target : targets) {
      const TargetSupport support =
          (*newest)->term
              ? Judged(Terms(program, target, observed).OfTerm(**newest, *definition), {}, {})
              : SupportOf(program, *definition, target, observed);
      ++counts[target][support.how];
      absl::StrAppend(&table, " ", Cell(support), " |");
    }
    table += "\n";
  }
  std::string text = absl::StrCat(rows.size(),
                                  " operators of ONNX are imported and run on the "
                                  "reference.");
  for (const std::string& target : targets) {
    std::map<TargetSupport::How, int>& count = counts[target];
    absl::StrAppend(&text, " Target `", target, "` holds ",
                    count[TargetSupport::kDirectly] + count[TargetSupport::kComposition] +
                        count[TargetSupport::kSeen],
                    " of them: ", count[TargetSupport::kDirectly], " directly, ",
                    count[TargetSupport::kComposition], " by composition");
    if (count[TargetSupport::kSeen] > 0)
      absl::StrAppend(&text, ", ", count[TargetSupport::kSeen], " without a clause");
    absl::StrAppend(&text, "; ", count[TargetSupport::kNot], " not.");
  }
  return absl::StrCat(text, "\n\n", table);
}

}  // namespace tessera::codegen
