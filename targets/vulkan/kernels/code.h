// The text of a kernel while it is written: statements in nested blocks. What is computed from
// indices alone is written in the outermost block that has all it needs, so that no loop repeats
// it; equal texts are computed once.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_CODE_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_CODE_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "nests/scalar.h"

namespace tessera::vulkan {

// A variable or a literal, and the block that it belongs to: 0 is the outermost.
struct Term {
  std::string text;
  size_t depth = 0;
};

class Code {
 public:
  Code() : blocks_(1) {}

  // Begins a block with `head`, e.g. `for (...)`, within the innermost one; its depth. `rounds` is
  // how often it is gone through at most, of sizes alone.
  size_t Open(std::string_view head, const nests::Expr& rounds = 1);
  // Ends the innermost block.
  void Close();
  size_t depth() const { return blocks_.size() - 1; }

  // A statement at the end of a block.
  void Add(std::string_view statement) { AddAt(depth(), statement); }
  void AddAt(size_t depth, std::string_view statement);
  // The variable that holds `value`, declared in the block `depth` unless there is one.
  Term Variable(size_t depth, std::string_view type, const std::string& value);
  // A name that nothing else has.
  std::string Name(std::string_view prefix);

  // Remembers in the innermost block what a scalar is for one lane.
  void Remember(const nests::Scalar& scalar, int lane, const std::string& text);
  const std::string* Recall(const nests::Scalar& scalar, int lane) const;

  // A loop of so many rounds stands in a function that the innermost block calls.
  void Count(const nests::Expr& rounds) { steps_ += blocks_.back().rounds * rounds; }
  // How often an invocation goes round loops, all together.
  const nests::Expr& steps() const { return steps_; }

  std::string Finish() &&;

 private:
  struct Block {
    std::string text;
    std::map<std::string, std::string, std::less<>> variables;  // by type and value
    absl::flat_hash_map<std::pair<const nests::ScalarNode*, int>, std::string> scalars;
    std::vector<nests::Scalar> alive;  // what `scalars` points to
    nests::Expr rounds = 1;            // how often it is gone through
  };
  std::vector<Block> blocks_;
  nests::Expr steps_ = 0;
  std::map<std::string, int, std::less<>> counts_;  // by prefix
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_CODE_H_
