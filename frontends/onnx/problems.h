// What is wrong with a model: all of it, not the first thing.
#ifndef TESSERA_FRONTENDS_ONNX_PROBLEMS_H_
#define TESSERA_FRONTENDS_ONNX_PROBLEMS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "solver/remedy.h"

namespace tessera::onnx_import {

class Problems {
 public:
  // `place` says where (`node `conv1` (`Conv`, ai.onnx opset 13)`); empty: the model as a whole.
  void AddInvalid(absl::string_view place, absl::string_view reason) { Add(place, reason, true); }
  // Legal in ONNX, but not something that we import.
  void AddUnsupported(absl::string_view place, absl::string_view reason) {
    Add(place, reason, false);
  }

  // One of either, by its code, with the remedy that is attached to it.
  void Add(absl::string_view place, const absl::Status& status);

  // No problem, but what may be the reason for one.
  void AddRemark(absl::string_view text) { remarks_.emplace_back(text); }

  // Of the first problem that has one.
  const solver::Remedy& remedy() const { return remedy_; }
  // The constraint that it mends.
  const std::string& constraint() const { return constraint_; }
  bool empty() const { return count_ == 0; }
  size_t size() const { return count_; }
  // The first that `before`, an earlier copy, has not; empty if there is none.
  std::string FirstAfter(const Problems& before) const;
  // OK, or one line per problem: `FILE: PLACE: REASON`, further lines of a reason indented; then
  // the remarks.
  // InvalidArgument if any is invalid, else Unimplemented.
  absl::Status ToStatus(absl::string_view file) const;

 private:
  void Add(absl::string_view place, absl::string_view reason, bool invalid);

  static constexpr size_t kPrinted = 500;  // further ones are only counted
  std::vector<std::string> lines_;
  std::vector<std::string> remarks_;
  size_t count_ = 0;
  bool invalid_ = false;
  solver::Remedy remedy_;
  std::string constraint_;
};

}  // namespace tessera::onnx_import

#endif  // TESSERA_FRONTENDS_ONNX_PROBLEMS_H_
