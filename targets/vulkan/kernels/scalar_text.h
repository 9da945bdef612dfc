// Scalars of nests as statements of GLSL.
#ifndef TESSERA_TARGETS_VULKAN_KERNELS_SCALAR_TEXT_H_
#define TESSERA_TARGETS_VULKAN_KERNELS_SCALAR_TEXT_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "targets/vulkan/kernels/code.h"
#include "targets/vulkan/kernels/index_text.h"
#include "targets/vulkan/program/program.h"
#include "targets/vulkan/program/rewrite.h"

namespace tessera::vulkan {

// What must be less than what for a point to be there, and the axes that it follows from.
struct End {
  std::vector<std::string> axes;
  Expr at, extent;
};

// One of the elements that an invocation computes at once: what axes are for it.
struct Lane {
  int id = 0;
  Substitution symbols;
  std::vector<End> ends;  // which it may lie behind, where nothing is read or written
};
using Lanes = std::vector<Lane>;

class ScalarText {
 public:
  struct Options {
    bool guarded = false;  // every access is looked at
    // How many terms of a reduction are spelled out rather than looped over: for all lanes
    // together, and where each of several lanes has few.
    int64_t unroll = 128, unroll_of_lanes = 640, unroll_of_each = 16;
  };
  // `load` is the text of an element as it is stored, by its place; or of four elements, as a vec4,
  // by a fourth of the place of the first, of f32 and f16.
  using Load = std::function<std::string(int tensor, const std::string& index, bool by_four)>;
  ScalarText(const Program& program, Code& code, IndexText& index, Load load,
             const Options& options)
      : program_(program), code_(code), index_(index), load_(std::move(load)), options_(options) {}

  // A text per lane of what the scalar is, in its number.
  std::vector<std::string> Values(const nests::Scalar& scalar, const Lanes& lanes);
  // What each reduction in `scalar` is for the lane is remembered, as all invocations of a
  // workgroup compute it together, each of every `workgroup`th term; in floats, by way of `shared`,
  // an array of so many.
  void ReduceTogether(const nests::Scalar& scalar, const Lane& lane, int workgroup,
                      const std::string& shared);
  // The place of an element in its tensor, row-major.
  Term Offset(const std::vector<Expr>& at, const std::vector<Expr>& dims);

  int NewLane() { return lane_ids_++; }
  // Whether the kernel reports indices outside.
  bool checks() const { return checks_; }
  // What GLSL does not have.
  const absl::Status& status() const { return status_; }

 private:
  std::vector<std::string> Compute(const nests::Scalar& scalar, const Lanes& lanes);
  // Sizes and axes that it mentions, those of its own reductions included.
  const absl::flat_hash_set<std::string>& SymbolsIn(const nests::Scalar& scalar);
  std::vector<std::string> Call(const nests::ScalarNode& node, const Lanes& lanes);
  std::string CallText(const nests::ScalarNode& node, const std::vector<std::string>& args);
  std::vector<std::string> Choose(const nests::ScalarNode& node, const Lanes& lanes);
  std::vector<std::string> Within(const nests::ScalarNode& node, const Lanes& lanes);
  std::vector<std::string> Reduce(const nests::ScalarNode& node, const Lanes& lanes);
  void Accumulate(const nests::ScalarNode& node, size_t axis, const Lanes& lanes,
                  const std::vector<std::string>& sums);
  // The variable of a reduction of which no term is there yet.
  std::string NewSum(const nests::ScalarNode& reduction);
  // How many rounds along an axis of `longest` are a sum of their own, a multiple of four, where a
  // sum of all would lose what single terms are beside it; 0: all rounds are one.
  int64_t RoundsOfPart(const nests::ScalarNode& node, size_t axis, const Lane& lane,
                       const Expr& longest);
  // Whether four terms at a time along the axis `symbol` of the reduction make fewer loads: they
  // are neighbours in some tensor.
  bool IsReadByFours(const nests::ScalarNode& node, const Expr& symbol, const Expr& extent,
                     const Lanes& lanes) const;
  // The reduction with such an axis as its innermost, if there is one.
  nests::ScalarNode WithFoursLast(const nests::ScalarNode& node, const Lanes& lanes) const;
  // A step of the reduction.
  std::string Combined(const nests::ScalarNode& reduction, const std::string& a,
                       const std::string& b);
  // Where the reduction's axes are empty, `sum` becomes what it is of nothing.
  void OfNothing(const nests::ScalarNode& node, const Lane& lane, const std::string& sum);
  std::vector<std::string> Read(const nests::ScalarNode& node, const Lanes& lanes);
  // Reads of four neighbours at once, where that is allowed: by lane, empty where it is not.
  std::vector<std::string> ReadByFours(const nests::ScalarNode& node, const Lanes& lanes);
  // That the lane is one that there is, for a read that varies with where it is; empty: always.
  Term IsThere(const nests::ScalarNode& node, const Lane& lane);
  // That both hold, as far out as can be; an empty one always does.
  Term Both(const Term& a, const Term& b);
  // `element` of an index, where the condition holds; the element at 0 is looked at elsewhere.
  std::string Where(const Term& condition, const Term& offset, std::string_view type,
                    const std::string& otherwise,
                    const std::function<std::string(const std::string& index)>& element);
  // `given`: a condition under which it is read, if not empty; otherwise it is `instead`.
  std::string ReadAt(const nests::ScalarNode& node, const Lane& lane,
                     const std::vector<std::string>& data, const Term& given = {},
                     const nests::Scalar& instead = {});
  // The read that a choice between it and a number is, where loading it under a condition is
  // enough; null: it is no such.
  const nests::ScalarNode* ReadIn(const nests::ScalarNode& choice) const;
  std::string Declared(nests::Number number, const std::string& value, bool precise = false);
  std::string Outside(nests::Number number);
  std::string Fail(std::string_view why);

  const Program& program_;
  Code& code_;
  IndexText& index_;
  Load load_;
  Options options_;
  struct SameNode {
    bool operator()(const nests::Scalar& a, const nests::Scalar& b) const { return &*a == &*b; }
  };
  struct HashOfNode {
    size_t operator()(const nests::Scalar& a) const { return absl::HashOf(&*a); }
  };
  absl::flat_hash_map<nests::Scalar, std::unique_ptr<absl::flat_hash_set<std::string>>, HashOfNode,
                      SameNode>
      symbols_;
  int lane_ids_ = 0;
  bool checks_ = false;
  absl::Status status_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_KERNELS_SCALAR_TEXT_H_
