#include "recheck/session.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "solver/certificate/statement.h"

namespace tessera::recheck {
namespace {

using certificate::Certificate;
using certificate::ListedOperation;
using certificate::ListedTensor;
using certificate::Obligation;

constexpr char kImport[] = "import";     // the stage of what is derived here
constexpr char kDevice[] = "device";     // of limits between numbers, which artifacts are asked for
constexpr char kDecided[] = "decided.";  // begins the ids of decisions
constexpr char kNumber[] = "decided.number";
constexpr char kNormal[] = "equal.normal";
constexpr char kReplaced[] = "equal.replaced";
constexpr char kDivisor[] = "positive.divisor";
constexpr size_t kMostScopes = 64;     // of an obligation
constexpr char kMoreScopes[] = "...";  // behind them, where there would be more

}  // namespace

Session::Session(const Certificate& certificate)
    : certificate_(certificate), fingerprints_(terms_) {}

absl::Status Session::ReadTensor(const ListedTensor& tensor) {
  auto read = std::make_shared<Tensor>();
  read->dtype = tensor.type;
  const auto all = [&](const std::vector<std::string>& texts, std::vector<Dim>& dims) {
    for (const std::string& text : texts) {
      const absl::StatusOr<certificate::Claim> claim = problem_->ReadClaim(text);
      if (!claim.ok()) {
        return absl::InvalidArgumentError(absl::StrCat("tensor `", tensor.name, "`: `",
                                                       certificate::Shown(text),
                                                       "`: ", claim.status().message()));
      }
      dims.push_back(terms_.Import(claim->statement));
    }
    return absl::OkStatus();
  };
  absl::Status status = all(tensor.dims, read->dims);
  if (status.ok() && tensor.elements) {
    read->has_elements = true;
    status = all(*tensor.elements, read->elements);
  }
  if (!by_name_.emplace(tensor.name, &tensor).second) {
    return absl::InvalidArgumentError(absl::StrCat("two tensors are called `", tensor.name, "`"));
  }
  listed_.insert(read);
  tensors_[&tensor] = std::move(read);
  return status;
}

absl::Status Session::Read() {
  absl::StatusOr<certificate::Problem> problem = certificate::Problem::Read(certificate_);
  if (!problem.ok()) return problem.status();
  problem_ = *std::move(problem);
  for (const certificate::DeclaredSymbol& symbol : certificate_.symbols) {
    const Dim size = terms_.Symbol(symbol.name);
    fingerprints_.Declare(size, symbol.lo.value_or(0), symbol.hi.value_or(INT32_MAX), symbol.stride,
                          symbol.residue);
    terms_.Declare(size, symbol.stride, symbol.residue);
  }
  for (const ListedTensor& input : certificate_.inputs) {
    if (absl::Status status = ReadTensor(input); !status.ok()) return status;
    tensors_.at(&input)->given = true;
  }
  for (const ListedOperation& operation : certificate_.operations) {
    by_node_[operation.node].push_back(&operation);
    for (const ListedTensor& result : operation.results) {
      if (absl::Status status = ReadTensor(result); !status.ok()) return status;
    }
  }
  absl::flat_hash_map<std::string, Dim> read;
  for (size_t i = 0; i < certificate_.obligations.size(); ++i) {
    const Obligation& o = certificate_.obligations[i];
    const auto [it, fresh] = read.try_emplace(o.statement);
    if (fresh) {
      const absl::StatusOr<certificate::Claim> claim = problem_->ReadClaim(o.statement);
      if (!claim.ok()) return claim.status();
      it->second = terms_.Import(claim->statement);
      if (claim->statement.symbols.empty() && o.stage != kDevice)
        failures_.push_back(absl::StrCat("obligation ", i, ", `", certificate::Shown(o.statement),
                                         "`, says nothing of any size"));
    }
    statements_.push_back(it->second);
    stated_.insert(it->second);
    if (o.verdict == certificate::Verdict::kGuarded) {
      guards_.insert(it->second);
      guarded_.try_emplace(fingerprints_.Of(it->second), it->second);
    }
    if (o.stage != kImport) continue;
    obligations_[{o.node, o.op}].push_back(i);
    if (absl::StartsWith(o.id, kDecided)) decisions_[o.node].push_back(i);
  }
  accounted_.assign(statements_.size(), false);
  return absl::OkStatus();
}

bool Session::HasNext(const std::string& node) const {
  const auto listed = by_node_.find(node);
  const auto next = next_.find(node);
  return listed != by_node_.end() &&
         (next == next_.end() ? 0 : next->second) < listed->second.size();
}

bool Session::Lists(const std::string& node, const std::string& op) const {
  const auto listed = by_node_.find(node);
  return listed != by_node_.end() &&
         std::any_of(listed->second.begin(), listed->second.end(),
                     [&](const ListedOperation* operation) { return operation->op == op; });
}

const ListedOperation* Session::Peek(const std::string& node) const {
  if (!HasNext(node)) return nullptr;
  const auto next = next_.find(node);
  return by_node_.at(node)[next == next_.end() ? 0 : next->second];
}

const ListedOperation* Session::Next(const std::string& node) {
  if (!HasNext(node)) return nullptr;
  const ListedOperation* const next = by_node_[node][next_[node]++];
  const auto place = static_cast<size_t>(next - certificate_.operations.data());
  if (place < place_ && misplaced_.empty())
    misplaced_ = absl::StrCat("operation ", place, ", `", next->op, "` at `", node,
                              "`, is listed before what the model asks for before it");
  place_ = place;
  return next;
}

void Session::Skip(const std::string& node) {
  if (HasNext(node)) next_[node] = by_node_[node].size();
}

std::shared_ptr<Tensor> Session::Listed(const ListedTensor& tensor) const {
  return tensors_.at(&tensor);
}

std::shared_ptr<Tensor> Session::Listed(const std::string& name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : tensors_.at(it->second);
}

absl::StatusOr<Dim> Session::ReadDim(const std::string& text) {
  const absl::StatusOr<certificate::Claim> claim = problem_->ReadClaim(text);
  if (!claim.ok()) return claim.status();
  return terms_.Import(claim->statement);
}

bool Session::TakeEqual(const std::string& place, Dim a, Dim b) {
  if (a == b) return true;
  if (!SameWhereAdmitted(a, b)) return false;
  Owe(place, terms_.Make(Operator::kEq, a, b));
  return true;
}

Dim Session::Implied(Dim guard, Dim statement) {
  return terms_.Make(Operator::kIte, guard, statement, terms_.Integer(1));
}

std::optional<Dim> Session::LeftToProve(Dim statement) {
  if (stated_.contains(statement)) return std::nullopt;
  if (guarded_.empty()) return statement;
  const auto guard = guarded_.find(fingerprints_.Of(statement));
  return guard == guarded_.end() ? statement : Implied(guard->second, statement);
}

bool Session::IsDecided(const std::string& node, const std::string& id, Dim proposition) {
  const auto it = decisions_.find(node);
  return it != decisions_.end() && std::any_of(it->second.begin(), it->second.end(), [&](size_t i) {
           return certificate_.obligations[i].id == id && Same(statements_[i], proposition);
         });
}

std::optional<int64_t> Session::DecidedNumber(const std::string& node, Dim value) {
  const auto it = decisions_.find(node);
  if (it == decisions_.end()) return std::nullopt;
  for (const size_t i : it->second) {
    const certificate::Term equal = terms_.terms()[statements_[i]];
    if (certificate_.obligations[i].id != kNumber || equal.op != Operator::kEq) continue;
    const std::optional<int64_t> number = terms_.Number(equal.operands[1]);
    if (!number || !Same(equal.operands[0], value)) continue;
    if (equal.operands[0] != value)
      Owe(node, terms_.Make(Operator::kEq, value, terms_.Integer(*number)));
    return number;
  }
  return std::nullopt;
}

void Session::Name(const TensorPtr& tensor, const std::string& name) {
  if (tensor != nullptr) names_.try_emplace(tensor, name);
}

std::string Session::WrongName(const std::string& name, const TensorPtr& tensor) const {
  constexpr char kWrong[] = "which it is not";
  if (tensor == nullptr || name.empty()) return tensor == nullptr && name.empty() ? "" : kWrong;
  if (const auto known = by_name_.find(name); known != by_name_.end())
    return tensors_.at(known->second) == tensor ? "" : kWrong;
  // A constant: it is not listed. Names that begin with `%` are made up.
  const auto given = names_.find(tensor);
  const bool right =
      !listed_.contains(tensor) &&
      (absl::StartsWith(name, "%") || (given != names_.end() && given->second == name));
  return right ? "" : kWrong;
}

std::string Session::CompareOperands(const ListedOperation& listed,
                                     const std::vector<TensorPtr>& operands) const {
  const size_t count = std::max(listed.operands.size(), operands.size());
  for (size_t i = 0; i < count; ++i) {
    const std::string name = i < listed.operands.size() ? listed.operands[i] : "";
    const std::string wrong = WrongName(name, i < operands.size() ? operands[i] : nullptr);
    if (!wrong.empty())
      return absl::StrCat("operand ", i, " of `", listed.op, "` is listed as `", name, "`, ",
                          wrong);
  }
  return "";
}

void Session::CompareLists() {
  for (const auto& [name, tensor] : by_name_) {
    const auto given = names_.find(tensors_.at(tensor));
    const bool made_up = absl::StartsWith(name, "%");
    if (made_up ? false : given == names_.end() || given->second != name) {
      if (left_.empty())
        failures_.push_back(absl::StrCat(
            "a tensor is listed as `", name, "`, the model calls it ",
            given == names_.end() ? "nothing" : absl::StrCat("`", given->second, "`")));
    }
  }
  for (size_t i = 0; i < certificate_.operations.size(); ++i) {
    const ListedOperation& operation = certificate_.operations[i];
    std::vector<int64_t> own;
    if (const auto it = obligations_.find({operation.node, operation.op}); it != obligations_.end())
      own.assign(it->second.begin(), it->second.end());
    if (own != operation.obligations)
      failures_.push_back(absl::StrCat("operation ", i, ", `", operation.op, "` at `",
                                       operation.node,
                                       "`: its obligations are not those that are listed for it"));
  }
  if (!misplaced_.empty()) failures_.push_back(misplaced_);
  for (size_t i = 0; i < certificate_.obligations.size(); ++i) {
    const Obligation& o = certificate_.obligations[i];
    if (o.node != (o.scopes.empty() ? "" : o.scopes.front()))
      failures_.push_back(absl::StrCat("obligation ", i, ": its node is not its first scope"));
    if (o.stage == kImport && o.scopes.size() > 1)
      failures_.push_back(
          absl::StrCat("obligation ", i, ": what a node requires has no scope but the node"));
    const bool more =
        o.stage != kImport && o.scopes.size() == kMostScopes + 1 && o.scopes.back() == kMoreScopes;
    for (const std::string& scope : o.scopes) {
      if (o.stage == kDevice || places_.contains(scope) || !left_.empty()) continue;
      if (more && &scope == &o.scopes.back()) continue;
      failures_.push_back(absl::StrCat("obligation ", i, ": the model has no node `", scope, "`"));
    }
    if (o.verdict == certificate::Verdict::kProved && o.stage != kDevice && !o.message.empty())
      failures_.push_back(absl::StrCat("obligation ", i, ": only guards have a message"));
  }
}

void Session::TakeExact(const std::string& node, std::vector<Dim> needs) {
  const auto known = [&](Dim need) { return terms_.Number(need).has_value(); };
  if (std::any_of(needs.begin(), needs.end(), [&](Dim need) { return terms_.Number(need) == 0; }))
    Fail(absl::StrCat("`", node,
                      "`: what it takes through floats or narrow integers is not exact there"));
  std::erase_if(needs, known);
  for (const Dim need : needs) Owe(node, need);
  if (!needs.empty()) exactness_.push_back({node, std::move(needs)});
}

std::string Session::AsKept(std::string node) const {
  for (const std::string& loop : kept_loops_) {
    const size_t begin = loop.size() + 1;
    if (!absl::StartsWith(node, loop + "/")) continue;
    const size_t end = node.find_first_not_of("0123456789", begin);
    if (end != std::string::npos && end > begin && node[end] == '/')
      node.erase(begin, end + 1 - begin);
  }
  return node;
}

void Session::Leave(const std::string& node, const std::string& why) {
  left_nodes_.insert(node);
  left_.push_back(absl::StrCat("`", node, "`: ", why));
  Skip(node);
  const std::string within = node + "/";
  for (auto it = by_node_.lower_bound(within);
       it != by_node_.end() && absl::StartsWith(it->first, within); ++it)
    Skip(it->first);
}

bool Session::IsLeft(const std::string& node) const {
  if (left_nodes_.contains(node)) return true;
  for (size_t at = node.find('/'); at != std::string::npos; at = node.find('/', at + 1)) {
    if (left_nodes_.contains(node.substr(0, at))) return true;
  }
  return false;
}

Dim Session::Any(const Requirement& required) {
  Dim any = required.statement;
  for (const Dim other : required.others) any = terms_.Make(Operator::kOr, any, other);
  return any;
}

void Session::Meet(const Requirement& required) {
  const auto same = [&](Dim statement) {
    return Same(statement, required.statement) ||
           std::any_of(required.others.begin(), required.others.end(),
                       [&](Dim other) { return Same(statement, other); });
  };
  const auto is_required = [&](Dim statement) {
    return statement == required.statement ||
           std::find(required.others.begin(), required.others.end(), statement) !=
               required.others.end();
  };
  const Obligation* near = nullptr;
  bool found = false, in_these_words = false;
  std::optional<Dim> guard;  // in other words
  if (const auto it = obligations_.find({required.node, required.op}); it != obligations_.end()) {
    for (const size_t i : it->second) {
      const Obligation& o = certificate_.obligations[i];
      if (o.id != required.id) continue;
      if (!same(statements_[i]) && !SameWhereAdmitted(statements_[i], required.statement)) {
        near = &o;
        continue;
      }
      accounted_[i] = found = true;
      // What is guarded is for the artifact to check, in words of its own that imply these.
      const bool guarded = o.verdict == certificate::Verdict::kGuarded;
      in_these_words = in_these_words || statements_[i] == required.statement ||
                       (guarded && is_required(statements_[i]));
      if (guarded) guard = statements_[i];
    }
  }
  if (required.kind == Requirement::kAllowed || (found && in_these_words)) return;
  // What is undecided stands as a guard where the last pass left it.
  const auto guarded = [&](Dim statement) { return guards_.contains(statement); };
  if (!found && (guarded(required.statement) ||
                 std::any_of(required.others.begin(), required.others.end(), guarded)))
    return;
  if (found || required.kind == Requirement::kImplied) {
    Owe(required.node, guard ? Implied(*guard, Any(required)) : required.statement);
    return;
  }
  const auto quoted = [](const std::string& text) {
    return absl::StrCat("`", certificate::Shown(text), "`");
  };
  failures_.push_back(absl::StrCat(
      "`", required.id, "` of `", required.op, "` at `", required.node, "` is ",
      near == nullptr ? "missing: the definition" : quoted(near->statement) + ", the definition",
      " requires ", quoted(terms_.Text(required.statement))));
}

std::vector<std::string> Session::Tried() const {
  std::vector<std::string> tried;
  for (const auto& [node, op, id] : tried_) {
    const auto stated = obligations_.find({node, op});
    const bool is_stated = stated != obligations_.end() &&
                           std::any_of(stated->second.begin(), stated->second.end(), [&](size_t i) {
                             return certificate_.obligations[i].id == id;
                           });
    if (!is_stated)
      tried.push_back(
          absl::StrCat("`", id, "` of `", op, "` at `", node, "`, of what is computed from sizes"));
  }
  return tried;
}

std::vector<std::string> Session::Compare() {
  for (const Requirement& required : requirements_) Meet(required);
  for (size_t i = 0; i < accounted_.size(); ++i) {
    const Obligation& o = certificate_.obligations[i];
    if (accounted_[i] || o.stage != kImport || IsLeft(o.node) || o.id == kNormal ||
        o.id == kDivisor || absl::StartsWith(o.id, kDecided) || o.id == kReplaced ||
        free_.contains({o.node, o.op, o.id}) ||
        (met_.contains({o.node, o.op, o.id}) && fingerprints_.IsOfNumbers(statements_[i])))
      continue;
    failures_.push_back(absl::StrCat("obligation ", i, ", `", o.id, "` of `", o.op, "` at `",
                                     o.node, "`: no definition requires `",
                                     certificate::Shown(o.statement), "`"));
  }
  CompareLists();
  for (const auto& [node, operations] : by_node_) {
    if (!HasNext(node)) continue;
    failures_.push_back(absl::StrCat("`", operations[next_[node]]->op, "` at `", node,
                                     "` is listed, but the model does not ask for it"));
  }
  return failures_;
}

}  // namespace tessera::recheck
