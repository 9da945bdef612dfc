// What an artifact says of sizes beside what its format has for them: names of unknown dims, dims
// that are computed from others, the range and congruence of each symbol, and what the compiler
// could not decide. It is kept as JSON in the artifact's metadata, where executors and the check of
// certificates read it.
//
// {"version": 1,
//  "inputs": [{"name": "x", "dims": ["N", "3", "8*k"]}], "outputs": [...],
//  "symbols": [{"name": "N", "min": 1, "max": 4096, "stride": 1, "residue": 0, "origin": "..."}],
//  "obligations": [{"op": "Concat", "scope": "...", "constraint": "agree", "message": "...",
//                   "predicate": "..."}],
//  "relations": [{"predicate": "M > N", "origin": "..."}],  // where several sizes are related
//  "counted": [{"symbol": "count_1", "tensor": "t"}],       // where data decide sizes
//  "configuration": {"key": "value"}}
#ifndef TESSERA_TARGETS_SIZE_FACTS_H_
#define TESSERA_TARGETS_SIZE_FACTS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/graph.h"
#include "solver/expr.h"

namespace tessera::targets {

// The entry's name in the metadata.
inline constexpr char kSizeFactsName[] = "tessera";

// A size that data decide, and the artifact's tensor of one integer that it is.
struct CountedSize {
  std::string symbol, tensor;
};

std::string SizeFactsOf(const ir::Graph& graph,
                        const std::map<std::string, std::string>& configuration,
                        absl::Span<const CountedSize> counted = {});

class SizeFacts {
 public:
  // Error: text that is not of the form above, or that names an unknown version.
  static absl::StatusOr<SizeFacts> Parse(absl::string_view text);

  // The sizes that the shapes of the inputs, in their order, tell. Error: a dim that is not what
  // the symbols say, a symbol outside its range or congruence, an obligation that does not hold;
  // all of them. Nothing is asked yet of what depends on sizes that data decide.
  absl::StatusOr<solver::Assignment> Bind(absl::Span<const std::vector<int64_t>> shapes) const;
  absl::Status Check(absl::Span<const std::vector<int64_t>> shapes) const {
    return Bind(shapes).status();
  }

  const std::vector<CountedSize>& counted() const { return counted_; }
  // Adds a size that data have decided to those that are known. Error: it was counted as another,
  // is outside its range, or what is required of it and the others does not hold.
  absl::Status Count(const std::string& symbol, int64_t size, solver::Assignment& known) const;

 private:
  struct Input {
    std::string name;
    std::vector<solver::Expr> dims;
  };
  struct Obligation {
    std::string place, message;
    solver::Expr predicate;
  };
  // What is assumed of sizes together, and where it was said.
  struct Relation {
    solver::Expr predicate;
    std::string origin;
  };
  std::string ProblemOf(const solver::SymbolInfo& symbol, int64_t size) const;
  // Of relations and obligations whose sizes are known, and which depend on `symbol` unless it is
  // empty, the first that does not hold.
  std::string ProblemsOf(const solver::Assignment& known, const std::string& symbol) const;

  std::unique_ptr<solver::Context> context_;
  std::vector<Input> inputs_;
  std::vector<Relation> relations_;
  std::vector<Obligation> obligations_;
  std::vector<CountedSize> counted_;
};

}  // namespace tessera::targets

#endif  // TESSERA_TARGETS_SIZE_FACTS_H_
