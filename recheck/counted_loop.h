// How often a loop runs that its condition counts, found again from what one iteration computes of
// a position that is a symbol.
#ifndef TESSERA_RECHECK_COUNTED_LOOP_H_
#define TESSERA_RECHECK_COUNTED_LOOP_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "recheck/session.h"
#include "recheck/terms.h"
#include "recheck/value.h"

namespace tessera::recheck {

class CountedLoop {
 public:
  CountedLoop(Session& session, std::string node) : session_(session), node_(std::move(node)) {}

  // Symbols for the position and for all states that are one integer and begin as one that is
  // known; `states` and `initial` are parallel. No certificate lists them, so that they go where
  // elements go that are only passed on (Tensor::through).
  void Follow(Tensor& position, const std::vector<std::shared_ptr<Tensor>>& states,
              const std::vector<TensorPtr>& initial);

  // The number n, at least 1, such that the loop goes on behind position j where j + 1 < n, for all
  // j below n, given that it begins. `again`: whether it goes on; `next`: the states that follow.
  // What that rests on is owed. Nothing: no such number is found.
  std::optional<Dim> Count(const TensorPtr& again, const std::vector<TensorPtr>& next);

 private:
  // rest + slope * position
  struct Line {
    Dim rest = 0;
    int64_t slope = 0;
  };
  struct Counter {
    size_t state;
    Dim symbol, begin;
    std::vector<Dim> needs;  // under which it begins as that
  };

  // Of a symbol that does not stand for a line: that there is none.
  std::optional<Line> LineOf(Dim dim);
  std::optional<Line> Sum(Operator op, const Line& a, const Line& b);
  // A tensor's only element; what it rests on goes to `needs`.
  std::optional<Dim> ElementOf(const TensorPtr& tensor, std::vector<Dim>& needs);
  void FollowCounters(const std::vector<TensorPtr>& next, std::vector<Dim>& needs);
  std::optional<Dim> CountOf(Dim again);
  // Statements under which `need`, comparisons of lines, holds at positions 0 to `last`.
  bool AtBothEnds(Dim need, Dim last, std::vector<Dim>& statements);

  Session& session_;
  const std::string node_;
  Dim position_ = 0;
  std::vector<Counter> counters_;
  std::map<Dim, std::optional<Line>> lines_;
};

}  // namespace tessera::recheck

#endif  // TESSERA_RECHECK_COUNTED_LOOP_H_
