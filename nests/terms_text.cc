// Text of terms.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "nests/terms.h"

namespace tessera::nests {

std::string Terms::Text(Element value, int depth) const {
  const Node& node = At(value);
  if (depth == 0) return "...";
  const auto poly = [&](const auto& terms, auto text) {
    std::vector<std::string> parts;
    for (const auto& [monomial, coefficient] : terms) {
      std::string part = text(coefficient);
      for (const auto& [atom, exponent] : monomial)
        absl::StrAppend(&part, "*", Text(atom, depth - 1),
                        exponent == 1 ? "" : absl::StrCat("^", exponent));
      parts.push_back(part);
      if (parts.size() == 8) {
        parts.push_back("...");
        break;
      }
    }
    return absl::StrCat("(", absl::StrJoin(parts, " + "), ")");
  };
  switch (node.kind) {
    case Node::kLiteral:
      return ToString(node.literal);
    case Node::kInput:
      return node.name;
    case Node::kReal:
      return poly(node.real, [](const Rational& c) { return c.ToString(); });
    case Node::kWhole:
      return poly(node.whole, [](uint64_t c) { return absl::StrCat(static_cast<int64_t>(c)); });
    case Node::kApply:
      break;
  }
  std::vector<std::string> args;
  for (const int arg : node.args) args.push_back(Text(arg, depth - 1));
  const std::string name = node.code == kOpaque       ? node.name
                           : node.code == kConvert    ? std::string(NameOf(node.number))
                           : node.code == kNarrow     ? std::string(ir::NameOf(node.dtype))
                           : node.code == kBelowZero  ? "0 > "
                           : node.code == kAtMostZero ? "0 >= "
                           : node.code == kIsZero
                               ? "0 == "
                               : std::string(NameOf(static_cast<Function>(node.code)));
  return absl::StrCat(name, "(", absl::StrJoin(args, ", "), ")");
}

}  // namespace tessera::nests
