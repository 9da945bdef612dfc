// Expressions of a file in the language of certificates (solver/certificate/statement.h).
#ifndef TESSERA_TARGETS_VULKAN_STATEMENT_TEXT_H_
#define TESSERA_TARGETS_VULKAN_STATEMENT_TEXT_H_

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "targets/vulkan/schema/tvk_generated.h"

namespace tessera::vulkan {

// One statement: propositions that all hold. Expressions with arguments have names in it, which say
// themselves from what others are made; positions along axes are symbols of its own, any numbers
// from 0 on.
class StatementText {
 public:
  explicit StatementText(const file::Model& model);

  // What names the expression, or the axis, in the text.
  std::string Name(uint32_t e);
  std::string Axis(uint32_t axis);
  // From here on the axis is the value of this text.
  void SetAxis(uint32_t axis, std::string text);
  // A position of its own, of no axis.
  std::string Position(size_t number) const { return absl::StrCat(axis_prefix_, ".", number); }
  // The expression as it is, of others' names; for propositions.
  std::string TextOf(uint32_t e);

  // `a` less `b`, without the terms that both are sums of.
  std::string Difference(uint32_t a, uint32_t b);

  // Once each.
  void Add(const std::string& proposition);
  bool empty() const { return propositions_.empty(); }
  std::string Text();

 private:
  const file::Expression& At(uint32_t e) const { return *model_.expressions()->Get(e); }

  const file::Model& model_;
  std::string axis_prefix_;
  // Arguments stand before what is made from them.
  std::vector<std::string> definitions_;
  std::map<std::string, std::string> defined_;  // names by texts
  std::map<uint32_t, std::string> names_;       // by expression, as axes are set now
  std::map<uint32_t, size_t> axes_;
  std::map<uint32_t, std::string> set_;
  std::vector<std::string> propositions_;
};

}  // namespace tessera::vulkan

#endif  // TESSERA_TARGETS_VULKAN_STATEMENT_TEXT_H_
