#include "planning/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera::planning {
namespace {

// Sections of buffers that a step of the search looks at before it counts for two.
constexpr int64_t kSpansPerStep = 4000;

// Searches in turn: steps of the first ones, how they grow when all orders have had their turn, and
// how much of the weights lasts from one to the next.
constexpr size_t kOrders = 6;
constexpr double kFirst = 500, kGrowth = 1.2, kDecay = 0.9;

}  // namespace

void Search::Stretch::Extend(const Stretch& other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

Search::Search(std::vector<Buffer> buffers, int64_t capacity)
    : buffers_(std::move(buffers)), capacity_(capacity) {
  std::vector<int64_t> times;
  unit_ = 0;
  for (const Buffer& buffer : buffers_) {
    times.push_back(buffer.begin);
    times.push_back(buffer.end);
    unit_ = std::gcd(unit_, buffer.size);
  }
  // What is a multiple of the unit stays one when it is aligned.
  for (bool changed = true; changed;) {
    changed = false;
    for (const Buffer& buffer : buffers_) {
      if (unit_ % buffer.alignment == 0) continue;
      const int64_t unit = std::gcd(unit_, buffer.alignment);
      changed = changed || unit != unit_;
      unit_ = unit;
    }
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto section = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  for (const Buffer& buffer : buffers_)
    spans_.push_back({section(buffer.begin), section(buffer.end)});
  const size_t sections = times.empty() ? 0 : times.size() - 1;
  load_.resize(sections);
  for (size_t b = 0; b < buffers_.size(); ++b) {
    for (int32_t s = spans_[b].first; s < spans_[b].last; ++s)
      load_[At(s)] += static_cast<double>(buffers_[b].size);
  }
  weight_.assign(sections, 1);
  rank_.resize(buffers_.size());
  for (auto* numbers : {&reached_, &with_gap_, &least_, &second_}) numbers->resize(sections);
  least_of_.resize(sections);
  in_.resize(sections);
  free_.resize(buffers_.size());
  below_.resize(buffers_.size());
  lies_.resize(buffers_.size());
}

// Choices are tried in six orders: by duration, area (duration times size), the fullest section,
// size, sections, and the weight that sections have by now.
void Search::Order(size_t round) {
  std::vector<std::pair<double, double>> key(buffers_.size());
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const double duration = static_cast<double>(buffers_[b].end - buffers_[b].begin);
    const double size = static_cast<double>(buffers_[b].size);
    const auto most = [&](const std::vector<double>& of) {
      return *std::max_element(of.begin() + spans_[b].first, of.begin() + spans_[b].last);
    };
    const std::pair<double, double> keys[] = {
        {duration, size},
        {duration * size, size},
        {most(load_), duration},
        {size, duration},
        {static_cast<double>(spans_[b].last - spans_[b].first), size},
        {most(weight_), size}};
    key[b] = keys[round % kOrders];
  }
  left_.resize(buffers_.size());
  std::iota(left_.begin(), left_.end(), 0);
  std::stable_sort(left_.begin(), left_.end(),
                   [&](int32_t x, int32_t y) { return key[At(x)] > key[At(y)]; });
  for (size_t i = 0; i < left_.size(); ++i) rank_[At(left_[i])] = static_cast<int32_t>(i);
  low_first_ = round / kOrders % 2 == 1;
}

void Search::Set(int32_t section, const Section& now) {
  changes_.push_back({section, sections_[At(section)]});
  sections_[At(section)] = now;
}

void Search::Place(int32_t buffer, int64_t offset) {
  const Stretch& span = spans_[At(buffer)];
  const int64_t top = offset + buffers_[At(buffer)].size;
  offsets_[At(buffer)] = offset;
  left_.erase(std::find(left_.begin(), left_.end(), buffer));
  placed_.push_back(buffer);
  changes_.push_back({-1, {}});
  // That it lies so high is what the decision depends on.
  for (int32_t s = span.first; s < span.last; ++s) Set(s, {top, top, {s, s + 1}});
}

void Search::TakeBack(size_t changes) {
  for (; changes_.size() > changes; changes_.pop_back()) {
    const Change& change = changes_.back();
    if (change.section >= 0) {
      sections_[At(change.section)] = change.before;
      continue;
    }
    const int32_t buffer = placed_.back();
    placed_.pop_back();
    left_.insert(
        std::lower_bound(left_.begin(), left_.end(), buffer,
                         [&](int32_t x, int32_t y) { return rank_[At(x)] < rank_[At(y)]; }),
        buffer);
  }
}

bool Search::Decide(Decision* decision, Stretch* conflict) {
  Raise();
  if (!Stacks(conflict)) return false;
  LookBelow();
  const int32_t section = Choose(conflict);
  if (section < 0) return false;
  decision->section = section;
  decision->offset = sections_[At(section)].filled;
  for (int32_t b : in_[At(section)]) {
    if (free_[At(b)] == decision->offset && lies_[At(b)] != 0) decision->choices.push_back(b);
  }
  decision->conflict = ReasonOfChoices(section);
  decision->gap = GapFits(section) ? NextStart(section, &decision->conflict) : 0;
  decision->changes = changes_.size();
  if (decision->Left()) return true;
  weight_[At(section)] += 1;
  *conflict = decision->conflict;
  return false;
}

void Search::Try(Decision& decision) {
  if (decision.tried < decision.choices.size()) {
    const int32_t buffer = decision.choices[decision.tried++];
    decision.last = spans_[At(buffer)];
    Place(buffer, decision.offset);
    return;
  }
  ++decision.tried;
  Section section = sections_[At(decision.section)];
  section.filled = decision.gap;
  section.reason.Extend(decision.conflict);
  decision.last = {decision.section, decision.section + 1};
  Set(decision.section, section);
}

bool Search::StepBack(std::vector<Decision>& decisions, Stretch conflict) {
  for (; !decisions.empty(); decisions.pop_back()) {
    Decision& decision = decisions.back();
    TakeBack(decision.changes);
    if (!conflict.Meets(decision.last)) continue;
    decision.conflict.Extend(conflict);
    if (decision.Left()) return true;
    conflict = decision.conflict;
  }
  return false;
}

Search::Outcome Search::Explore(int64_t effort, int64_t* spent) {
  sections_.clear();
  for (size_t s = 0; s < load_.size(); ++s)
    sections_.push_back({0, 0, {static_cast<int32_t>(s), static_cast<int32_t>(s) + 1}});
  placed_.clear();
  changes_.clear();
  std::vector<Decision> decisions;
  for (int64_t begin = *spent; !left_.empty();) {
    if (*spent - begin >= effort) return kCutOff;
    Decision decision;
    Stretch conflict = {0, 0};
    if (Decide(&decision, &conflict)) {
      decisions.push_back(std::move(decision));
    } else if (!StepBack(decisions, conflict)) {
      return kNone;
    }
    *spent += 1 + spans_left_ / kSpansPerStep;
    Try(decisions.back());
  }
  return kFound;
}

Search::Outcome Search::Run(int64_t effort, int64_t* spent) {
  offsets_.assign(buffers_.size(), 0);
  const int64_t end = *spent + effort;
  for (size_t round = 0; *spent < end; ++round) {
    Order(round);
    const auto turn =
        static_cast<int64_t>(kFirst * std::pow(kGrowth, static_cast<double>(round / kOrders)));
    const Outcome outcome = Explore(std::min(turn, end - *spent), spent);
    if (outcome == kFound || (outcome == kNone && !hasty_)) return outcome;
    if (outcome == kNone) hasty_ = false;
    for (double& weight : weight_) weight = 1 + (weight - 1) * kDecay;
  }
  return kCutOff;
}

}  // namespace tessera::planning
