#include "passes/parts.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "ir/absl_view.h"
#include "ir/attribute.h"
#include "ir/dtype.h"

namespace tessera::passes {
namespace {

constexpr std::array<std::pair<Parts, const char*>, 5> kNames = {{{kLinks, "links"},
                                                                  {kOperators, "operators"},
                                                                  {kTypes, "types"},
                                                                  {kConstants, "constants"},
                                                                  {kSizes, "sizes"}}};

std::string OperatorOf(const ir::Operation& op) {
  std::string text = absl::StrCat(std::string(op.info().dialect), ".", std::string(op.info().name));
  for (size_t i = 0; i < op.attrs().size(); ++i)
    absl::StrAppend(&text, " ", ir::ToString(op.attr(i), op.info().attrs[i]));
  return text;
}

std::string ConstantOf(const ir::Operation& op) {
  if (const ir::Tensor& tensor = *op.payload(); ir::IsLarge(tensor))
    return absl::StrCat("@", reinterpret_cast<uintptr_t>(tensor.place()));
  const ir::Digest& digest = op.payload_digest();
  return absl::StrCat(digest.high, " ", digest.low);
}

std::string SignatureOf(const ir::Graph& graph) {
  std::string text;
  const auto append = [&text](const char* what, const std::string& name, const ir::Value& value) {
    absl::StrAppend(&text, what, name, "` ", ir::AbslView(ir::NameOf(value.type().dtype)),
                    " of rank ", value.type().dims.size(), "\n");
  };
  for (const ir::Value* input : graph.inputs()) append("input `", input->name(), *input);
  for (size_t i = 0; i < graph.outputs().size(); ++i)
    append("output `", graph.output_names()[i], *graph.outputs()[i]);
  return text;
}

// Of the first `symbols`: those that are declared later name nothing that was there before.
std::string SizesOf(const ir::Graph& graph, size_t symbols) {
  std::string text;
  for (const solver::SymbolInfo* symbol : graph.context().symbols()) {
    if (symbols-- == 0) break;
    absl::StrAppend(&text, symbol->name, " ", symbol->range.lo, "..", symbol->range.hi);
    absl::StrAppend(&text, " ", symbol->congruence.stride, " ", symbol->congruence.residue);
    if (symbol->value.has_value()) absl::StrAppend(&text, " = ", symbol->value->ToString());
    text += "\n";
  }
  for (const ir::Expr& hypothesis : graph.context().hypotheses())
    absl::StrAppend(&text, hypothesis.ToString(), "\n");
  return text;
}

absl::Status Wrote(const char* part, const std::string& what) {
  return absl::InternalError(
      absl::StrCat("does not say that it writes ", part, ", and there is now ", what));
}

std::string At(const ir::Operation& op) {
  return absl::StrCat("at `", op.location().ToString(), "`");
}

}  // namespace

std::string NamesOf(Parts parts) {
  if (parts == kNoParts) return "nothing";
  if (parts == kAllParts) return "all";
  std::vector<const char*> names;
  for (const auto& [part, name] : kNames) {
    if ((parts & part) != 0) names.push_back(name);
  }
  return absl::StrJoin(names, ", ");
}

Unwritten::Unwritten(const ir::Graph& graph, Parts writes, const Unwritten* same)
    : writes_(writes), before_(same == nullptr ? std::make_shared<Before>() : same->before_) {
  if (same == nullptr) {
    before_->symbols = graph.context().symbols().size();
    before_->signature = SignatureOf(graph);
    before_->sizes = SizesOf(graph, before_->symbols);
  }
  if ((writes & kContents) != kContents && !before_->listed) List(graph, *before_);
}

void Unwritten::List(const ir::Graph& graph, Before& before) {
  before.listed = true;
  for (const ir::Value* input : graph.inputs())
    before.types.insert(static_cast<int>(input->type().dtype));
  for (const ir::Operation* op : graph.TopologicalOrder()) {
    if (op->payload() != nullptr) {
      before.constants.insert(ConstantOf(*op));
    } else {
      before.operators.insert(OperatorOf(*op));
    }
    for (const ir::Value* result : op->results())
      before.types.insert(static_cast<int>(result->type().dtype));
  }
}

absl::Status Unwritten::Check(const ir::Graph& after) const {
  if (writes_ == kNoParts)
    return absl::InternalError("says that it writes nothing, and changed the graph");
  if (const std::string now = SignatureOf(after); now != before_->signature) {
    return absl::InternalError(
        absl::StrCat("changed what goes in or out, which no pass may; before:\n",
                     before_->signature, "after:\n", now));
  }
  if ((writes_ & kSizes) == 0) {
    if (const std::string now = SizesOf(after, before_->symbols); now != before_->sizes)
      return Wrote("sizes", absl::StrCat("known of them:\n", now, "before:\n", before_->sizes));
  }
  if ((writes_ & kContents) == kContents) return absl::OkStatus();
  for (const ir::Operation* op : after.TopologicalOrder()) {
    if (op->payload() != nullptr) {
      if ((writes_ & kConstants) == 0 && !before_->constants.contains(ConstantOf(*op)))
        return Wrote("constants", absl::StrCat("another one ", At(*op)));
    } else if ((writes_ & kOperators) == 0) {
      if (const std::string now = OperatorOf(*op); !before_->operators.contains(now))
        return Wrote("operators", absl::StrCat("`", now, "` ", At(*op)));
    }
    if ((writes_ & kTypes) != 0) continue;
    for (const ir::Value* result : op->results()) {
      if (!before_->types.contains(static_cast<int>(result->type().dtype)))
        return Wrote("types", absl::StrCat("`", std::string(ir::NameOf(result->type().dtype)), "` ",
                                           At(*op)));
    }
  }
  return absl::OkStatus();
}

}  // namespace tessera::passes
