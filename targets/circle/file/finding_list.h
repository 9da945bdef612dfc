// Findings of one file while they are being collected.
#ifndef TESSERA_TARGETS_CIRCLE_FILE_FINDING_LIST_H_
#define TESSERA_TARGETS_CIRCLE_FILE_FINDING_LIST_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "targets/circle/file/check.h"

namespace tessera::circle {

class FindingList {
 public:
  void Add(bool is_error, std::string text) {
    if (++(is_error ? errors_ : warnings_) <= kMost)
      findings_.push_back({is_error, std::move(text)});
  }

  // Errors first.
  std::vector<Finding> Take() {
    std::stable_sort(findings_.begin(), findings_.end(),
                     [](const auto& a, const auto& b) { return a.is_error && !b.is_error; });
    if (findings_.size() > kMost) findings_.resize(kMost);
    return std::move(findings_);
  }

 private:
  static constexpr size_t kMost = 1000;

  std::vector<Finding> findings_;
  size_t errors_ = 0, warnings_ = 0;
};

}  // namespace tessera::circle

#endif  // TESSERA_TARGETS_CIRCLE_FILE_FINDING_LIST_H_
