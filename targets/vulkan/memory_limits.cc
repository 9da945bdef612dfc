#include "targets/vulkan/memory_limits.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"
#include "targets/vulkan/report.h"
#include "targets/vulkan/runtime/artifact.h"
#include "targets/vulkan/runtime/lifetimes.h"

namespace tessera::vulkan {
namespace {

constexpr char kDevice[] = "vulkan";

bool IsName(const std::string& text) {
  return !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
         });
}

// Expressions of a file in the language of certificates (solver/certificate/statement.h). Those
// with arguments have names, which say themselves from what others are made.
class Statement {
 public:
  explicit Statement(const file::Model& model) : model_(model) {}

  // What names the expression in the text.
  std::string Name(uint32_t e) {
    const file::Expression& expression = At(e);
    if (expression.operation() == file::Operation_CONSTANT)
      return absl::StrCat(expression.constant());
    if (expression.operation() == file::Operation_SYMBOL) {
      const std::string name =
          model_.symbols()->Get(static_cast<uint32_t>(expression.constant()))->name()->str();
      return IsName(name) ? name : absl::StrCat("`", name, "`");
    }
    Need(e);
    return absl::StrCat("e", e, "'");
  }
  std::string Offset(const Held& held) {
    return Name(model_.tensors()->Get(held.tensor)->offset());
  }
  // Where it ends, as it is bound.
  std::string End(const Held& held) {
    const file::Tensor& tensor = *model_.tensors()->Get(held.tensor);
    std::string bytes = absl::StrCat(BytesOf(tensor.dtype()));
    for (uint32_t dim : *tensor.dims()) absl::StrAppend(&bytes, " * ", Name(dim));
    return absl::StrCat(Offset(held), " + ", kAlignment, " * ceildiv(", bytes, ", ", kAlignment,
                        ")");
  }
  void Add(std::string conjunct) { conjuncts_.push_back(std::move(conjunct)); }
  bool empty() const { return conjuncts_.empty(); }

  std::string Text() {
    std::string text;
    for (uint32_t e : needed_) absl::StrAppend(&text, "e", e, "' = ", TextOf(At(e)), "; ");
    return text + absl::StrJoin(conjuncts_, " && ");
  }

 private:
  const file::Expression& At(uint32_t e) const { return *model_.expressions()->Get(e); }

  // With all that it is made from.
  void Need(uint32_t e) {
    if (!needed_.insert(e).second) return;
    for (uint32_t i = 0; i < At(e).arguments()->size(); ++i) Name(At(e).arguments()->Get(i));
  }

  std::string TextOf(const file::Expression& e) {
    std::vector<std::string> args;
    for (uint32_t i = 0; i < e.arguments()->size(); ++i)
      args.push_back(Name(e.arguments()->Get(i)));
    switch (e.operation()) {
      case file::Operation_SUM: {
        for (uint32_t i = 0; i < args.size(); ++i)
          args[i] = absl::StrCat(e.coefficients()->Get(i), " * ", args[i]);
        args.push_back(absl::StrCat(e.constant()));
        return absl::StrJoin(args, " + ");
      }
      case file::Operation_PRODUCT:
        return absl::StrJoin(args, " * ");
      case file::Operation_FLOOR_DIV:
        return absl::StrCat("floordiv(", args[0], ", ", args[1], ")");
      case file::Operation_LEAST:
        return absl::StrCat("min(", absl::StrJoin(args, ", "), ")");
      case file::Operation_IF:
        return absl::StrCat("ite(", absl::StrJoin(args, ", "), ")");
      case file::Operation_EQ_ZERO:
        return absl::StrCat(args[0], " == 0");
      case file::Operation_GE_ZERO:
        return absl::StrCat(args[0], " >= 0");
      case file::Operation_AND:
        return absl::StrJoin(args, " && ");
      default:
        return "0";
    }
  }

  const file::Model& model_;
  std::set<uint32_t> needed_;  // arguments stand before what is made from them
  std::vector<std::string> conjuncts_;
};

std::string Named(const file::Model& model, const Held& held) {
  return absl::StrCat("`", support::Printable(model.tensors()->Get(held.tensor)->name()->str()),
                      "`");
}

}  // namespace

std::vector<targets::DeviceLimit> MemoryLimits(const file::Model& model) {
  std::vector<targets::DeviceLimit> limits;
  const std::optional<AtSizes> at = AtUsualSizes(model);
  if (!at.has_value() || model.symbols()->size() == 0) return limits;
  Statement inside(model);
  const std::string arena = inside.Name(model.arena_bytes());
  for (const Held& above : at->held) {
    inside.Add(absl::StrCat("0 <= ", inside.Offset(above)));
    inside.Add(absl::StrCat(inside.End(above), " <= ", arena));
    Statement apart(model);
    std::vector<std::string> names;
    for (const Held& below : at->held) {
      const bool together = below.first <= above.last && above.first <= below.last;
      if (!together || below.offset + below.bytes > above.offset || below.bytes == 0) continue;
      apart.Add(absl::StrCat(apart.End(below), " <= ", apart.Offset(above)));
      names.push_back(Named(model, below));
    }
    if (apart.empty()) continue;
    limits.push_back(
        {kDevice, "memory.apart",
         absl::StrCat(Named(model, above), " begins where ", absl::StrJoin(names, ", "),
                      ", in use at the same time, ends or above"),
         apart.Text()});
  }
  if (!inside.empty())
    limits.push_back({kDevice, "memory.inside", "all tensors lie within the arena", inside.Text()});
  return limits;
}

}  // namespace tessera::vulkan
