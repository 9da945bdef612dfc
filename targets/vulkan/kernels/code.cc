#include "targets/vulkan/kernels/code.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tessera::vulkan {

size_t Code::Open(std::string_view head, const nests::Expr& rounds) {
  const nests::Expr all = blocks_.back().rounds * rounds;
  if (rounds != nests::Expr(1)) steps_ += all;
  blocks_.emplace_back();
  blocks_.back().rounds = all;
  absl::StrAppend(&blocks_.back().text, std::string((blocks_.size() - 1) * 2, ' '),
                  std::string(head), " {\n");
  return depth();
}

void Code::Close() {
  Block block = std::move(blocks_.back());
  blocks_.pop_back();
  absl::StrAppend(&blocks_.back().text, block.text, std::string(blocks_.size() * 2, ' '), "}\n");
}

void Code::AddAt(size_t depth, std::string_view statement) {
  absl::StrAppend(&blocks_[depth].text, std::string((depth + 1) * 2, ' '), std::string(statement),
                  "\n");
}

Term Code::Variable(size_t depth, std::string_view type, const std::string& value) {
  const std::string key = absl::StrCat(std::string(type), " ", value);
  for (size_t d = 0; d <= depth; ++d) {
    const auto found = blocks_[d].variables.find(key);
    if (found != blocks_[d].variables.end()) return {found->second, d};
  }
  const std::string name = Name("t");
  AddAt(depth, absl::StrCat(std::string(type), " ", name, " = ", value, ";"));
  blocks_[depth].variables.emplace(key, name);
  return {name, depth};
}

std::string Code::Name(std::string_view prefix) {
  auto count = counts_.find(prefix);
  if (count == counts_.end()) count = counts_.emplace(std::string(prefix), 0).first;
  return absl::StrCat(std::string(prefix), count->second++);
}

void Code::Remember(const nests::Scalar& scalar, int lane, const std::string& text) {
  Block& block = blocks_.back();
  block.alive.push_back(scalar);
  block.scalars[{&*scalar, lane}] = text;
}

const std::string* Code::Recall(const nests::Scalar& scalar, int lane) const {
  for (const Block& block : blocks_) {
    const auto found = block.scalars.find({&*scalar, lane});
    if (found != block.scalars.end()) return &found->second;
  }
  return nullptr;
}

std::string Code::Finish() && { return std::move(blocks_.front().text); }

}  // namespace tessera::vulkan
