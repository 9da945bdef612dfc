#include "frontends/onnx/problems.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace tessera::onnx_import {

void Problems::Add(absl::string_view place, absl::string_view reason, bool invalid) {
  ++count_;
  invalid_ |= invalid;
  if (lines_.size() < kPrinted) {
    lines_.push_back(absl::StrCat(place, place.empty() ? "" : ": ",
                                  absl::StrReplaceAll(reason, {{"\n", "\n    "}})));
  }
}

void Problems::Add(absl::string_view place, const absl::Status& status) {
  if (remedy_.empty()) {
    remedy_ = solver::Attached(status);
    constraint_ = solver::ConstraintOf(status);
  }
  Add(place, status.message(), !absl::IsUnimplemented(status));
}

std::string Problems::FirstAfter(const Problems& before) const {
  return before.lines_.size() < lines_.size() ? lines_[before.lines_.size()] : "";
}

absl::Status Problems::ToStatus(absl::string_view file) const {
  if (count_ == 0) return absl::OkStatus();
  std::string text;
  for (const std::string& line : lines_)
    absl::StrAppend(&text, text.empty() ? "" : "\n", file, ": ", line);
  if (count_ > lines_.size())
    absl::StrAppend(&text, "\n", file, ": ", count_ - lines_.size(), " more problems");
  for (const std::string& remark : remarks_) absl::StrAppend(&text, "\n", file, ": ", remark);
  return invalid_ ? absl::InvalidArgumentError(text) : absl::UnimplementedError(text);
}

}  // namespace tessera::onnx_import
