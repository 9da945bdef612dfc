#include "targets/vulkan/program/rows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "targets/vulkan/program/rewrite.h"
#include "targets/vulkan/program/row_memory.h"

namespace tessera::vulkan {
namespace {

using nests::Scalar;
using nests::ScalarNode;

// What a workgroup can hold of a reduction for its invocations: floats.
bool AreFloats(const Scalar& scalar) {
  if (scalar->kind == ScalarNode::kReduce) return scalar->number == nests::Number::kF32;
  return std::all_of(scalar->args.begin(), scalar->args.end(), AreFloats);
}

class Search {
 public:
  Search(const Program& program, const Links& links, size_t stage)
      : program_(program), links_(links), last_(stage) {}

  std::optional<RowStages> Run() {
    const nests::Nest& nest = Nest(last_);
    if (!IsPlain(program_.stages[last_]) || Reduces(nest.body)) return std::nullopt;
    std::vector<std::optional<size_t>> own;
    for (size_t i = 0; i < nest.axes.size(); ++i) own.emplace_back(i);
    Visit(last_, own);
    DropThoseReadElsewhere();
    if (found_.empty()) return std::nullopt;
    RowStages rows;
    rows.axes = rows_;
    for (const auto& [stage, axes] : found_) {
      rows.reductions.push_back(stage);
      rows.own.emplace_back();
      for (size_t row : rows_)
        rows.own.back().push_back(static_cast<size_t>(
            std::find(axes.begin(), axes.end(), std::optional<size_t>(row)) - axes.begin()));
    }
    return rows;
  }

 private:
  using AxesOf = std::vector<std::optional<size_t>>;  // by axis of a nest: of the last one's

  const nests::Nest& Nest(size_t stage) const { return program_.stages[stage].nests.front(); }

  void Visit(size_t stage, const AxesOf& axes) {
    EachRead(Nest(stage).body,
             [&](const ScalarNode& read, int) { TakeWriter(read, Nest(stage), axes); });
  }

  // The stage that computes what is read, if it does so once for each row; where it is read in
  // another way, or as another row, it stays in memory.
  void TakeWriter(const ScalarNode& read, const nests::Nest& reader, const AxesOf& axes) {
    const std::optional<size_t> writer = links_.WriterOf(read.tensor.index);
    if (!writer.has_value()) return;
    const std::optional<AxesOf> own = OwnAxes(read, Nest(*writer), reader, axes);
    std::vector<size_t> rows;
    for (const std::optional<size_t>& row : own.value_or(AxesOf())) {
      if (row.has_value()) rows.push_back(*row);
    }
    std::sort(rows.begin(), rows.end());
    const bool fits = own.has_value() && rows.size() < Nest(last_).axes.size() &&
                      (found_.empty() || rows == rows_);
    if (!fits) {
      in_memory_.insert(*writer);
      return;
    }
    const auto [known, added] = found_.try_emplace(*writer, *own);
    if (!added) {
      if (known->second != *own) in_memory_.insert(*writer);
      return;
    }
    rows_ = std::move(rows);
    Visit(*writer, *own);
  }

  // Nothing: what is read is no reduction, or not read by the axes of a row, each once.
  static std::optional<AxesOf> OwnAxes(const ScalarNode& read, const nests::Nest& nest,
                                       const nests::Nest& reader, const AxesOf& axes) {
    if (!read.args.empty() || !Reduces(nest.body) || !AreFloats(nest.body) ||
        nest.body->number != nests::Number::kF32)
      return std::nullopt;
    AxesOf own;
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      if (nest.axes[d].extent == Expr(1)) {
        own.emplace_back();
        continue;
      }
      const auto along =
          std::find_if(reader.axes.begin(), reader.axes.end(), [&](const nests::Axis& axis) {
            return axis.symbol == read.at[d].expr && axis.extent == nest.axes[d].extent;
          });
      if (along == reader.axes.end()) return std::nullopt;
      const std::optional<size_t> row = axes[static_cast<size_t>(along - reader.axes.begin())];
      if (!row.has_value() || std::find(own.begin(), own.end(), row) != own.end())
        return std::nullopt;
      own.push_back(row);
    }
    return own;
  }

  void DropThoseReadElsewhere() {
    for (size_t stage : in_memory_) found_.erase(stage);
    const auto within = [&](size_t stage) { return stage == last_ || found_.count(stage) != 0; };
    for (bool again = true; again;) {
      again = std::erase_if(found_, [&](const auto& found) {
                const std::vector<size_t>& readers =
                    links_.ReadersOf(Nest(found.first).target.index);
                return !std::all_of(readers.begin(), readers.end(), within);
              }) > 0;
    }
  }

  const Program& program_;
  const Links& links_;
  const size_t last_;
  std::map<size_t, AxesOf> found_;
  std::vector<size_t> rows_;
  std::set<size_t> in_memory_;
};

}  // namespace

std::optional<RowStages> RowStagesOf(const Program& program, const Links& links, size_t stage) {
  return Search(program, links, stage).Run();
}

RowAxes RowAxesOf(const Stage& stage) {
  RowAxes axes;
  const std::vector<size_t>& rows = stage.rows->axes;
  const std::vector<nests::Axis>& all = stage.nests.back().axes;
  for (size_t i = 0; i < all.size(); ++i)
    (std::find(rows.begin(), rows.end(), i) != rows.end() ? axes.rows : axes.others)
        .push_back(all[i]);
  return axes;
}

Stage Joined(const RowStages& rows, const Program& program, size_t stage, int64_t workgroup,
             int64_t shared_bytes) {
  Stage joined = program.stages[stage];
  joined.rows = Stage::Rows{.axes = rows.axes, .workgroup = workgroup};
  std::vector<nests::Nest> nests;
  std::vector<std::string> names;
  for (size_t r = 0; r < rows.reductions.size(); ++r) {
    const Stage& one = program.stages[rows.reductions[r]];
    if (names.empty() || names.back() != one.name) names.push_back(one.name);
    nests::Nest nest = one.nests.front();
    Rewrite first;
    std::vector<nests::Axis> axes;
    for (size_t own : rows.own[r]) axes.push_back(nest.axes[own]);
    for (size_t d = 0; d < nest.axes.size(); ++d) {
      if (std::find(rows.own[r].begin(), rows.own[r].end(), d) != rows.own[r].end()) continue;
      first.symbols[std::string(solver::View(nest.axes[d].symbol).symbol())] = 0;
    }
    nest.axes = std::move(axes);
    for (Expr& at : nest.at) at = solver::Substitute(at, first.symbols);
    nest.body = Rewritten(nest.body, first);
    nests.push_back(std::move(nest));
  }
  if (names.back() != joined.name) names.push_back(joined.name);
  joined.name = absl::StrJoin(names, " + ");
  nests.push_back(std::move(joined.nests.front()));
  joined.nests = std::move(nests);
  KeepRows(joined, program, shared_bytes / int64_t{sizeof(float)} - workgroup);
  return joined;
}

void UseRows(const RowStages& rows, Stage joined, Program& program, size_t stage) {
  for (size_t s : rows.reductions) {
    const int target = program.stages[s].nests.front().target.index;
    program.tensors[static_cast<size_t>(target)].kind = Tensor::kWithin;
    program.stages[s].nests.clear();
  }
  const std::vector<Tensor>& kept = joined.rows->kept;
  program.tensors.insert(program.tensors.end(), kept.begin(), kept.end());
  program.stages[stage] = std::move(joined);
}

}  // namespace tessera::vulkan
