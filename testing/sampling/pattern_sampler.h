// Graphs that the left side of a rewrite matches.
#ifndef TESSERA_TESTING_SAMPLING_PATTERN_SAMPLER_H_
#define TESSERA_TESTING_SAMPLING_PATTERN_SAMPLER_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/examples.h"
#include "codegen/support/signatures.h"
#include "ir/graph.h"
#include "ir/op_info.h"
#include "testing/sampling/edits.h"
#include "testing/sampling/instance.h"
#include "testing/sampling/random.h"
#include "testing/sampling/values.h"

namespace tessera::testing {

// What a graph is built from.
struct Match {
  Instance leaves;                    // and the attributes of all operations
  int mask = 0;                       // which leaves are constants
  ir::DType dtype = ir::DType::kF32;  // of the leaves that the example has in f32
  bool shared = false;                // what lies between is an output too
  Style style = Style::kPlain;
};

struct LeftSide {
  ir::Graph graph;
  ir::Operation* root = nullptr;
  std::vector<ir::Value*> results;  // of the root: the first outputs
  std::vector<ir::Tensor> inputs;
};

class PatternSampler {
 public:
  PatternSampler(const ops::Signature& signature, const ops::RewriteExample& example,
                 uint64_t seed);
  PatternSampler(const PatternSampler&) = delete;
  PatternSampler& operator=(const PatternSampler&) = delete;

  // A legal graph; false: none of many proposals was.
  bool Next(Match& match);
  // The same graph with finite values; what is equal everywhere stays.
  void ChoosePlain(Match& match);
  // Error: it is not legal.
  absl::Status Build(const Match& match, LeftSide& left) const;
  std::string Text(const Match& match) const;
  // What shrinking has to know of the leaves.
  const Subject& subject() const { return subject_; }

 private:
  // An attribute: bound by name, or of the k-th operation of the pattern and not mentioned.
  struct Slot {
    std::string name;
    int operation = -1;
    int attribute = 0;
  };
  struct Leaf {
    std::string name;
    bool f32 = false;  // in the example
    bool random = false;
  };

  void CollectLeaves(const ops::Pattern& pattern);
  void CollectSlots(const ops::Pattern& pattern, int& operation);
  void FindDefaults();
  void ChooseValues(Match& match);
  ops::RewriteExample ExampleOf(const Match& match) const;

  const ops::RewriteExample& example_;
  std::deque<std::string> names_;  // that views point to
  std::vector<ir::OperandSpec> operand_specs_;
  std::vector<ir::AttrSpec> attr_specs_;
  ir::OpInfo info_{};
  ops::Signature signature_;
  Subject subject_;
  std::vector<Leaf> leaves_;
  std::vector<Slot> slots_;
  Random random_;
  Editor editor_;
  Match first_;
  std::vector<Match> pool_;
  bool usable_ = true;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_SAMPLING_PATTERN_SAMPLER_H_
