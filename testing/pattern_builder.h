// The left side of a rewrite as a graph, from the example that the definition gives.
#ifndef TESSERA_TESTING_PATTERN_BUILDER_H_
#define TESSERA_TESTING_PATTERN_BUILDER_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codegen/support/examples.h"
#include "ir/op_info.h"
#include "ir/rewriter.h"
#include "ir/term_builder.h"

namespace tessera::testing {

// The rewrite of that name at an op; null: there is none.
const ir::RewriteInfo* FindRewrite(const std::string& name, std::string_view root);

class PatternBuilder {
 public:
  PatternBuilder(const ops::RewriteExample& example, ir::Rewriter& rewriter)
      : example_(example), rewriter_(rewriter), builder_(rewriter) {
    for (const auto& [name, attribute] : example.attrs) attrs_[name] = attribute;
  }
  // Which leaves, by bits in order of appearance, are constants; the others are inputs.
  void set_mask(int mask) { mask_ = mask; }
  // In place of f32, in leaves and numbers.
  void set_dtype(ir::DType dtype) { dtype_ = dtype; }
  // The dims of an input in place of the example's sizes.
  void set_dims(std::function<std::vector<ir::Expr>(const ir::Tensor&)> dims) {
    dims_ = std::move(dims);
  }

  // Null values where the status is not ok.
  std::vector<ir::Value*> Build(const ops::Pattern& pattern);
  ir::Operation* last() const { return last_; }
  // One per operation of the pattern, each before those that it reads.
  const std::vector<ir::Operation*>& built() const { return built_; }
  // How many bits of the mask mean something.
  int leaves() const { return leaves_ < 8 ? leaves_ : 8; }
  const absl::Status& status() const { return builder_.status(); }
  // The inputs of the graph, in order, with the example's sizes.
  const std::vector<ir::Tensor>& inputs() const { return inputs_; }

 private:
  std::vector<ir::Value*> Named(const ops::Pattern& pattern);
  ir::Value* Leaf(const ops::Literal& literal);
  std::vector<ir::Value*> BuildOp(const ops::Pattern& pattern);

  const ops::RewriteExample& example_;
  ir::Rewriter& rewriter_;
  ir::TermBuilder builder_;
  std::function<std::vector<ir::Expr>(const ir::Tensor&)> dims_;
  ir::DType dtype_ = ir::DType::kF32;
  std::map<std::string, ir::Attribute> attrs_;
  std::map<std::string, std::vector<ir::Value*>> values_;
  std::vector<ir::Tensor> inputs_;
  ir::Operation* last_ = nullptr;
  std::vector<ir::Operation*> built_;
  int mask_ = 0;
  int leaves_ = 0;
  int constants_ = 0;
};

}  // namespace tessera::testing

#endif  // TESSERA_TESTING_PATTERN_BUILDER_H_
