// What an interpretation of a model finds, next to what the certificate lists.
#ifndef TESSERA_RECHECK_SESSION_H_
#define TESSERA_RECHECK_SESSION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "recheck/equal_numbers.h"
#include "recheck/fingerprint.h"
#include "recheck/terms.h"
#include "recheck/value.h"
#include "solver/certificate/certificate.h"
#include "solver/certificate/problem.h"

namespace tessera::recheck {

// A statement that a definition requires.
struct Requirement {
  std::string node, op, id;
  Dim statement = 0;
  std::vector<Dim> others;  // which would do as well
  enum Kind {
    kDue,      // the certificate must state it
    kImplied,  // the compiler may find that it need not be said; it is due all the same
    kAllowed,  // it may be said; nothing depends on it
  } kind = kDue;
};

// Sizes that a node takes through floats or narrow integers: these where all of `needs` hold.
struct Exactness {
  std::string node;
  std::vector<Dim> needs;
};

// Where a name of a dim stands first.
struct Origin {
  size_t order = 0;  // among the names
  std::string text;  // `dim 2 of input `x`` and the like
};

class Session {
 public:
  explicit Session(const certificate::Certificate& certificate);

  // Reads the certificate's symbols, terms, tensors and statements. Error: one is no expression.
  absl::Status Read();

  Terms& terms() { return terms_; }
  const certificate::Certificate& certificate() const { return certificate_; }

  // The next operation that the certificate lists for `node`; null: there are no more.
  const certificate::ListedOperation* Next(const std::string& node);
  bool HasNext(const std::string& node) const;
  // The same, which stays the next one.
  const certificate::ListedOperation* Peek(const std::string& node) const;
  bool Lists(const std::string& node, const std::string& op) const;
  // Passes over the rest of them.
  void Skip(const std::string& node);
  // A tensor that an operation lists; null: none is called so, or it is malformed.
  std::shared_ptr<Tensor> Listed(const std::string& name) const;
  std::shared_ptr<Tensor> Listed(const certificate::ListedTensor& tensor) const;

  // Something of the model that scopes may name: a node, an input, a constant.
  void Visit(const std::string& place) { places_.insert(place); }
  // What must be proved beside what is stated, of a place.
  void Owe(const std::string& place, Dim statement) { unstated_.emplace_back(place, statement); }
  void Require(Requirement requirement) { requirements_.push_back(std::move(requirement)); }
  // Sizes or conditions that a node takes through floats or narrow integers; `needs` are owed: what
  // the compiler assumes, so that they are exact, implies them.
  void TakeExact(const std::string& node, std::vector<Dim> needs);
  const std::vector<Exactness>& exactness() const { return exactness_; }

  // A loop that stays one. The compiler may have tried to unroll it: what it has assumed there, for
  // a node of one iteration, it assumes for the node that stays.
  void KeepLoop(const std::string& node) { kept_loops_.insert(node); }
  // The name of that node, for one within iterations of such loops.
  std::string AsKept(std::string node) const;
  // What a definition requires of numbers, and was found to hold: it may stand in the certificate
  // as it was computed.
  void Met(const std::string& node, const std::string& op, const std::string& id) {
    met_.insert({node, op, id});
  }
  // What a definition requires of elements of which nothing is known here but, at most, between
  // which they lie: the certificate may state it of more, which the compiler knows.
  void Free(const std::string& node, const std::string& op, const std::string& id) {
    free_.insert({node, op, id});
  }
  // The same of dims as they are listed and of facts: for all sizes that model and options admit.
  // Facts are stated in terms of these dims, and may exclude where they are wrong.
  void OweOfSizes(const std::string& place, Dim statement) {
    of_sizes_.emplace_back(place, statement);
  }
  // What model and options say of sizes beyond the ranges of symbols.
  void Say(Dim statement) { said_.push_back(statement); }
  // What a definition requires of elements that follow from sizes, and are not known here: where
  // the certificate states nothing of them, nobody has proved it.
  void Try(const std::string& node, const std::string& op, const std::string& id) {
    tried_.insert({node, op, id});
  }
  std::vector<std::string> Tried() const;
  // Whether both have the same value, for all that can be told by trying: whoever rests on it owes
  // it where they are not one term.
  bool Same(Dim a, Dim b) { return a == b || fingerprints_.Of(a) == fingerprints_.Of(b); }
  // The same at sizes that the ranges of the symbols admit: where it took a number for what is one
  // for all of these.
  bool SameWhereAdmitted(Dim a, Dim b) {
    return a == b || (fingerprints_.OfAdmitted(a) == fingerprints_.OfAdmitted(b) &&
                      !fingerprints_.DifferAtConstants(a, b));
  }
  // Takes both for one size, which is owed where they are not one term. False: they are not.
  bool TakeEqual(const std::string& place, Dim a, Dim b);

  std::optional<int64_t> QuotientOf(Dim a, Dim b) { return fingerprints_.QuotientOf(a, b); }
  bool IsPositive(Dim dim) { return fingerprints_.IsPositive(dim); }
  std::optional<Dim> RootOf(Dim square) { return fingerprints_.RootOf(square); }

  // Of values, as Same tells them apart.
  const std::string& FingerprintOf(Dim dim) { return fingerprints_.Of(dim); }
  // An expression over the certificate's symbols and terms. Error: it is none.
  absl::StatusOr<Dim> ReadDim(const std::string& text);
  // What is left to prove of a statement by what the certificate states at any stage: nothing where
  // it is that, and where a guard says it in other words that these are implied.
  std::optional<Dim> LeftToProve(Dim statement);

  // Whether the certificate says of `node` that the proposition was proved, and decided something.
  bool IsDecided(const std::string& node, const std::string& id, Dim proposition);
  // The number that the certificate says was proved to be the value of an expression at `node`.
  std::optional<int64_t> DecidedNumber(const std::string& node, Dim value);
  EqualNumbers& equal_numbers() { return equal_numbers_; }
  // A name that the model gives to a tensor; the first one counts.
  void Name(const TensorPtr& tensor, const std::string& name);
  // What is wrong with a name under which a tensor is listed; empty: nothing. Constants have names
  // only.
  std::string WrongName(const std::string& name, const TensorPtr& tensor) const;
  // The same of operands.
  std::string CompareOperands(const certificate::ListedOperation& listed,
                              const std::vector<TensorPtr>& operands) const;

  // That one name of a dim means another, or what others make of it.
  struct Definition {
    std::string name, other;   // other: empty, or what it equals
    std::optional<Dim> value;  // nothing: it equals
  };
  // What the model's names of dims stand for, and what it says of them itself.
  void NameDims(std::map<std::string, Dim> dims, std::map<std::string, Origin> origins,
                std::vector<Definition> definitions = {}) {
    named_dims_ = std::move(dims);
    origins_ = std::move(origins);
    definitions_ = std::move(definitions);
  }
  const std::vector<Definition>& definitions() const { return definitions_; }
  const std::map<std::string, Origin>& origins() const { return origins_; }
  const std::map<std::string, Dim>& named_dims() const { return named_dims_; }

  // What the model says of several dims together, and the option that tells it.
  void Relate(Dim statement, std::string option) {
    relations_.emplace_back(statement, std::move(option));
  }
  const std::vector<std::pair<Dim, std::string>>& relations() const { return relations_; }
  // The same as the model says it.
  void Restate(const std::string& option, Dim statement) {
    for (auto& [said, by] : relations_) {
      if (by == option) said = statement;
    }
  }

  // A size that data decide: a symbol from 0 to `most` that no other such size and no dim of an
  // input is.
  struct Counted {
    std::string symbol;
    Dim size = 0, most = 0;
    std::string origin;
    int64_t equal = 0;  // the number of what counts it, of `equal_numbers`
  };
  // The next one of which the certificate says that data decide it at `node`, or where there is
  // none, one of which the count is known to be what `count` is; nothing: neither.
  std::optional<Dim> TakeCounted(const std::string& node, Dim most, const TensorPtr& count);
  const std::vector<Counted>& counted() const { return counted_; }

  void Fail(std::string what) { failures_.push_back(std::move(what)); }
  // A node that was not derived, with all that is within it, and why.
  void Leave(const std::string& node, const std::string& why);

  // What does not agree, after all was required.
  std::vector<std::string> Compare();
  // Statements that hold if the model's requirements do, but that the certificate has not in these
  // words.
  const std::vector<std::pair<std::string, Dim>>& unstated() const { return unstated_; }
  const std::vector<std::pair<std::string, Dim>>& of_sizes() const { return of_sizes_; }
  const std::vector<Dim>& said() const { return said_; }
  const std::vector<std::string>& failures() const { return failures_; }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  const std::vector<std::string>& left() const { return left_; }
  size_t derived() const { return requirements_.size(); }

 private:
  using Key = std::pair<std::string, std::string>;  // of node and op

  absl::Status ReadTensor(const certificate::ListedTensor& tensor);
  void Meet(const Requirement& required);
  // Where what is guarded holds.
  Dim Implied(Dim guard, Dim statement);
  Dim Any(const Requirement& required);
  void CompareLists();
  bool IsLeft(const std::string& node) const;

  const certificate::Certificate& certificate_;
  std::optional<certificate::Problem> problem_;
  Terms terms_;
  Fingerprints fingerprints_;
  absl::flat_hash_map<const certificate::ListedTensor*, std::shared_ptr<Tensor>> tensors_;
  absl::flat_hash_set<TensorPtr> listed_;
  absl::flat_hash_map<TensorPtr, std::string> names_;  // that the model gives
  std::map<std::string, const certificate::ListedTensor*> by_name_;
  std::map<std::string, std::vector<const certificate::ListedOperation*>> by_node_;
  std::map<std::string, size_t> next_;
  absl::flat_hash_set<std::string> places_;
  size_t place_ = 0;                 // of the operation that was asked for last
  std::string misplaced_;            // the first one that is not behind that before it
  std::vector<Dim> statements_;      // of the obligations
  std::set<Dim> stated_;             // the same
  absl::flat_hash_set<Dim> guards_;  // of these, what the artifact checks
  absl::flat_hash_map<std::string, Dim> guarded_;  // that by its fingerprint
  std::map<Key, std::vector<size_t>> obligations_;
  std::map<std::string, std::vector<size_t>> decisions_;  // by node
  std::vector<bool> accounted_;                           // for, of the obligations
  std::map<std::string, Dim> named_dims_;
  std::map<std::string, Origin> origins_;
  std::vector<Definition> definitions_;
  std::vector<std::pair<Dim, std::string>> relations_;
  std::vector<Counted> counted_;
  EqualNumbers equal_numbers_;
  std::set<std::string> left_nodes_;
  std::vector<Requirement> requirements_;
  std::vector<Exactness> exactness_;  // in the order of the nodes
  std::set<std::string> kept_loops_;  // outer ones before those within
  std::set<std::tuple<std::string, std::string, std::string>> met_, free_, tried_;  // node, op, id
  std::vector<std::pair<std::string, Dim>> unstated_, of_sizes_;
  std::vector<Dim> said_;
  std::vector<std::string> failures_, left_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_SESSION_H_
