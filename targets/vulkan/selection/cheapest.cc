#include "targets/vulkan/selection/cheapest.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tessera::vulkan {
namespace {

// A variable that was eliminated: which value is best, by those of its neighbours.
struct Decision {
  size_t variable = 0;
  std::vector<size_t> neighbours;
  std::vector<size_t> best;  // the last neighbour runs fastest
};

class Elimination {
 public:
  Elimination(const std::vector<size_t>& choices, std::vector<CostTable> tables,
              size_t most_entries)
      : choices_(choices), most_entries_(most_entries), neighbours_(choices.size()) {
    for (CostTable& table : tables) {
      if (table.variables.empty()) continue;
      Connect(table.variables);
      Add(std::move(table));
    }
  }

  std::vector<size_t> Run() {
    std::set<std::pair<size_t, size_t>> order;  // by how many neighbours
    for (size_t v = 0; v < choices_.size(); ++v) order.emplace(neighbours_[v].size(), v);
    while (!order.empty()) {
      const size_t variable = order.begin()->second;
      order.erase(order.begin());
      const std::set<size_t> around = std::move(neighbours_[variable]);
      for (size_t v : around) order.erase({neighbours_[v].size(), v});
      for (size_t v : around) neighbours_[v].erase(variable);
      Eliminate(variable, {around.begin(), around.end()});
      for (size_t v : around) order.emplace(neighbours_[v].size(), v);
    }
    std::vector<size_t> values(choices_.size(), 0);
    for (auto decision = decisions_.rbegin(); decision != decisions_.rend(); ++decision)
      values[decision->variable] = decision->best[Place(decision->neighbours, values)];
    return values;
  }

 private:
  size_t Place(const std::vector<size_t>& variables, const std::vector<size_t>& values) const {
    size_t place = 0;
    for (size_t v : variables) place = place * choices_[v] + values[v];
    return place;
  }

  void Connect(const std::vector<size_t>& variables) {
    for (size_t a : variables) {
      for (size_t b : variables) {
        if (a != b) neighbours_[a].insert(b);
      }
    }
  }

  void Add(CostTable table) {
    const size_t index = tables_.size();
    for (size_t v : table.variables) by_variable_[v].insert(index);
    tables_.push_back(std::move(table));
  }

  void Eliminate(size_t variable, const std::vector<size_t>& around) {
    std::vector<CostTable> own;
    const std::set<size_t> indices = std::exchange(by_variable_[variable], {});
    for (size_t index : indices) {
      for (size_t v : tables_[index].variables) by_variable_[v].erase(index);
      own.push_back(std::move(tables_[index]));
    }
    size_t entries = 1;
    for (size_t v : around) entries = std::min(most_entries_ + 1, entries * choices_[v]);
    const bool fixed = entries * choices_[variable] > most_entries_;
    if (fixed) {
      // Without it each of its tables is one over fewer variables.
      decisions_.push_back({variable, {}, {0}});
      for (const CostTable& table : own) Add(At(table, variable, 0));
      return;
    }
    Connect(around);
    CostTable made{around, std::vector<double>(entries, 0)};
    Decision decision{variable, around, std::vector<size_t>(entries, 0)};
    std::vector<size_t> values(choices_.size(), 0);
    for (size_t entry = 0; entry < entries; ++entry) {
      size_t rest = entry;
      for (size_t i = around.size(); i-- > 0; rest /= choices_[around[i]])
        values[around[i]] = rest % choices_[around[i]];
      double least = std::numeric_limits<double>::infinity();
      for (size_t value = 0; value < choices_[variable]; ++value) {
        values[variable] = value;
        double cost = 0;
        for (const CostTable& table : own) cost += table.costs[Place(table.variables, values)];
        if (cost >= least) continue;
        least = cost;
        decision.best[entry] = value;
      }
      made.costs[entry] = least;
    }
    decisions_.push_back(std::move(decision));
    if (!around.empty()) Add(std::move(made));
  }

  // The part of the table in which the variable has the value.
  CostTable At(const CostTable& table, size_t variable, size_t value) const {
    CostTable part;
    std::copy_if(table.variables.begin(), table.variables.end(), std::back_inserter(part.variables),
                 [&](size_t v) { return v != variable; });
    std::vector<size_t> values(choices_.size(), 0);
    size_t entries = 1;
    for (size_t v : part.variables) entries *= choices_[v];
    for (size_t entry = 0; entry < entries; ++entry) {
      size_t rest = entry;
      for (size_t i = part.variables.size(); i-- > 0; rest /= choices_[part.variables[i]])
        values[part.variables[i]] = rest % choices_[part.variables[i]];
      values[variable] = value;
      part.costs.push_back(table.costs[Place(table.variables, values)]);
    }
    return part;
  }

  const std::vector<size_t>& choices_;
  const size_t most_entries_;
  std::vector<CostTable> tables_;
  std::map<size_t, std::set<size_t>> by_variable_;  // which tables have it
  std::vector<std::set<size_t>> neighbours_;
  std::vector<Decision> decisions_;
};

}  // namespace

std::vector<size_t> Cheapest(const std::vector<size_t>& choices, std::vector<CostTable> tables,
                             size_t most_entries) {
  return Elimination(choices, std::move(tables), most_entries).Run();
}

}  // namespace tessera::vulkan
