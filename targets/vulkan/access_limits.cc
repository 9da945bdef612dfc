#include "targets/vulkan/access_limits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "support/printable.h"
#include "targets/vulkan/file_sizes.h"
#include "targets/vulkan/statement_text.h"

namespace tessera::vulkan {
namespace {

using solver::Expr;
using List = flatbuffers::Vector<uint32_t>;

constexpr char kDevice[] = "vulkan";

std::string Quoted(const flatbuffers::String& text) {
  return absl::StrCat("`", support::Printable(text.str()), "`");
}

// What a dispatch reads and writes lies inside.
class Inside {
 public:
  Inside(const file::Model& model, const file::Dispatch& dispatch, Decided& decided)
      : model_(model), dispatch_(dispatch), decided_(decided), text_(model) {}

  std::optional<targets::DeviceLimit> Run() {
    for (const file::Access* access : *dispatch_.accesses()) Add(*access);
    Invocations();
    if (text_.empty()) return std::nullopt;
    std::string message =
        absl::StrCat(Quoted(*dispatch_.name()), " at ", Quoted(*dispatch_.location()), ": ",
                     inside_, " accesses lie in their tensors, and invocations compute all points");
    if (looked_at_ > 0) absl::StrAppend(&message, "; ", looked_at_, " are looked at when it runs");
    if (open_ > 0) absl::StrAppend(&message, "; of ", open_, " nothing is said");
    return targets::DeviceLimit{kDevice, "access.inside", std::move(message), text_.Text()};
  }

 private:
  void Add(const file::Access& access) {
    const file::Tensor& tensor =
        *model_.tensors()->Get(dispatch_.bindings()->Get(access.binding())->tensor());
    Sizes sizes(model_, decided_);
    bool points = true;
    std::vector<std::string> where, inside;
    for (uint32_t axis : *access.axes()) {
      const uint32_t extent = model_.axes()->Get(axis);
      points = points && sizes.Assume(solver::Lt(sizes.Axis(axis), sizes.Of(extent)));
      where.push_back(absl::StrCat(text_.Axis(axis), " < ", text_.Name(extent)));
    }
    for (uint32_t e : *access.given()) {
      points = points && sizes.Assume(sizes.Of(e));
      where.push_back(text_.Name(e));
    }
    bool holds = true, looked_at = false;
    for (uint32_t d = 0; d < access.at()->size(); ++d) {
      if (access.looked_at()->Get(d) != 0) {
        looked_at = true;
        continue;
      }
      const uint32_t at = access.at()->Get(d), dim = tensor.dims()->Get(d);
      holds =
          holds && (!points || sizes.Holds(solver::And(solver::Ge(sizes.Of(at), 0),
                                                       solver::Lt(sizes.Of(at), sizes.Of(dim)))));
      inside.push_back(
          absl::StrCat("0 <= ", text_.Name(at), " && ", text_.Name(at), " < ", text_.Name(dim)));
    }
    looked_at_ += looked_at ? 1 : 0;
    if (!holds) {
      ++open_;
    } else if (!inside.empty()) {
      ++inside_;
      const std::string all = absl::StrJoin(inside, " && ");
      text_.Add(where.empty()
                    ? all
                    : absl::StrCat("(!(", absl::StrJoin(where, " && "), ") || ", all, ")"));
    }
  }

  // Tiles cover their axes, and there is an invocation for each of them. Along an axis of known
  // length the last tile of a printed kernel ends where the axis does, so that none is longer.
  void Invocations() {
    std::vector<std::string> counts;
    for (uint32_t i = 0; i < dispatch_.axes()->size(); ++i) {
      const uint32_t extent = model_.axes()->Get(dispatch_.axes()->Get(i));
      const std::string count = text_.Name(dispatch_.counts()->Get(i));
      text_.Add(absl::StrCat(text_.Name(extent), " <= ", dispatch_.tiles()->Get(i), " * ", count));
      if (!dispatch_.by_workgroups() && dispatch_.tiles()->Get(i) > 1 && IsKnown(extent))
        text_.Add(absl::StrCat(dispatch_.tiles()->Get(i), " <= ", text_.Name(extent)));
      counts.push_back(count);
    }
    // So many invocations compute one tile.
    if (dispatch_.by_workgroups())
      counts.push_back(absl::StrCat(model_.kernels()->Get(dispatch_.kernel())->workgroup()));
    if (!counts.empty())
      text_.Add(
          absl::StrCat(text_.Name(dispatch_.invocations()), " == ", absl::StrJoin(counts, " * ")));
  }

  bool IsKnown(uint32_t e) const {
    return model_.expressions()->Get(e)->operation() == file::Operation_CONSTANT;
  }

  const file::Model& model_;
  const file::Dispatch& dispatch_;
  Decided& decided_;
  StatementText text_;
  size_t inside_ = 0, looked_at_ = 0, open_ = 0;
};

// Each element of a tensor is written: by which point of whose.
class Complete {
 public:
  Complete(const file::Model& model, uint32_t tensor, Decided& decided)
      : model_(model),
        tensor_(*model.tensors()->Get(tensor)),
        text_(model),
        sizes_(model, decided) {
    for (uint32_t d = 0; d < tensor_.dims()->size(); ++d) {
      positions_.push_back(sizes_.Fresh());
      const uint32_t dim = tensor_.dims()->Get(d);
      exists_ = exists_ && sizes_.Assume(solver::Lt(positions_.back(), sizes_.Of(dim)));
      inside_.push_back(absl::StrCat(text_.Position(d), " < ", text_.Name(dim)));
    }
  }

  void Add(const file::Dispatch& dispatch, const file::Access& access) {
    for (uint32_t axis : *access.axes()) {
      text_.SetAxis(axis, "0");
      sizes_.SetAxis(axis, 0);
    }
    for (uint32_t d = 0; d < access.at()->size(); ++d) {
      if (!SetAxes(d, access.at()->Get(d))) return;
    }
    std::vector<std::string> all;
    Expr holds = 1;
    for (uint32_t axis : *access.axes()) {
      const uint32_t extent = model_.axes()->Get(axis);
      all.push_back(absl::StrCat("0 <= ", text_.Axis(axis), " && ", text_.Axis(axis), " < ",
                                 text_.Name(extent)));
      holds = solver::And(holds, solver::And(solver::Ge(sizes_.Axis(axis), 0),
                                             solver::Lt(sizes_.Axis(axis), sizes_.Of(extent))));
    }
    for (uint32_t d = 0; d < access.at()->size(); ++d) {
      all.push_back(absl::StrCat(text_.Name(access.at()->Get(d)), " == ", text_.Position(d)));
      holds = solver::And(holds, solver::Eq(sizes_.Of(access.at()->Get(d)), positions_[d]));
    }
    for (uint32_t e : *access.given()) {
      all.push_back(text_.Name(e));
      holds = solver::And(holds, sizes_.Of(e));
    }
    if (all.empty()) all.push_back("1");
    writers_.push_back(absl::StrJoin(all, " && "));
    some_ = solver::Or(some_, holds);
    const std::string name = Quoted(*dispatch.name());
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.push_back(name);
  }

  std::optional<targets::DeviceLimit> Run() {
    if (writers_.empty() || (exists_ && !sizes_.Holds(some_))) return std::nullopt;
    std::vector<std::string> either;
    if (!inside_.empty()) either.push_back(absl::StrCat("!(", absl::StrJoin(inside_, " && "), ")"));
    for (const std::string& writer : writers_) either.push_back(absl::StrCat("(", writer, ")"));
    text_.Add(absl::StrJoin(either, " || "));
    return targets::DeviceLimit{kDevice, "access.complete",
                                absl::StrCat(absl::StrJoin(names_, " and "), ": each element of ",
                                             Quoted(*tensor_.name()), " is written"),
                                text_.Text()};
  }

 private:
  // The axes of an index for which it is the position along the dimension `d`: its digits. Whether
  // these are they is part of the statement.
  bool SetAxes(uint32_t d, uint32_t at) {
    const file::Expression& e = *model_.expressions()->Get(at);
    std::map<int64_t, uint32_t> axes;  // by factor
    std::string rest = text_.Position(d);
    Expr value = positions_[d];
    const auto axis_of = [&](uint32_t i) {
      const file::Expression& arg = *model_.expressions()->Get(i);
      return arg.operation() == file::Operation_AXIS
                 ? std::optional(static_cast<uint32_t>(arg.constant()))
                 : std::nullopt;
    };
    if (const auto axis = axis_of(at)) {
      axes[1] = *axis;
    } else if (e.operation() == file::Operation_SUM) {
      value -= e.constant();
      absl::StrAppend(&rest, " - ", e.constant());
      for (uint32_t i = 0; i < e.arguments()->size(); ++i) {
        const int64_t factor = e.coefficients()->Get(i);
        if (const auto argument = axis_of(e.arguments()->Get(i))) {
          if (factor < 1 || !axes.emplace(factor, *argument).second) return false;
          continue;
        }
        if (Varies(e.arguments()->Get(i))) return false;
        value -= sizes_.Of(e.arguments()->Get(i)) * factor;
        absl::StrAppend(&rest, " - ", factor, " * ", text_.Name(e.arguments()->Get(i)));
      }
    } else {
      return !Varies(at);
    }
    for (auto axis = axes.begin(); axis != axes.end(); ++axis) {
      const auto next = std::next(axis);
      if (next != axes.end() && next->first % axis->first != 0) return false;
      Expr digit = solver::FloorDiv(value, axis->first);
      std::string text = axis->first == 1 ? absl::StrCat("(", rest, ")")
                                          : absl::StrCat("floordiv(", rest, ", ", axis->first, ")");
      if (next != axes.end()) {
        const int64_t base = next->first / axis->first;
        digit = solver::Mod(digit, base);
        text = absl::StrCat("mod(", text, ", ", base, ")");
      }
      sizes_.SetAxis(axis->second, digit);
      text_.SetAxis(axis->second, text);
    }
    return true;
  }

  bool Varies(uint32_t e) const {
    const file::Expression& expression = *model_.expressions()->Get(e);
    if (expression.operation() == file::Operation_AXIS) return true;
    for (uint32_t i = 0; expression.arguments() != nullptr && i < expression.arguments()->size();
         ++i) {
      if (Varies(expression.arguments()->Get(i))) return true;
    }
    return false;
  }

  const file::Model& model_;
  const file::Tensor& tensor_;
  StatementText text_;
  Sizes sizes_;
  std::vector<Expr> positions_;
  std::vector<std::string> inside_, writers_, names_;
  Expr some_ = 0;
  bool exists_ = true;
};

}  // namespace

std::vector<targets::DeviceLimit> AccessLimits(const file::Model& model) {
  std::vector<targets::DeviceLimit> limits;
  Decided decided;
  std::map<uint32_t, Complete> written;
  for (const file::Dispatch* dispatch : *model.dispatches()) {
    if (auto limit = Inside(model, *dispatch, decided).Run()) limits.push_back(*std::move(limit));
    for (const file::Access* access : *dispatch->accesses()) {
      const file::Binding& binding = *dispatch->bindings()->Get(access->binding());
      if (access->written())
        written.try_emplace(binding.tensor(), model, binding.tensor(), decided)
            .first->second.Add(*dispatch, *access);
    }
  }
  for (auto& [tensor, complete] : written) {
    if (auto limit = complete.Run()) limits.push_back(*std::move(limit));
  }
  return limits;
}

}  // namespace tessera::vulkan
