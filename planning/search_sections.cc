// What a step of the search finds about sections: how low their buffers can start, whether they
// hold what is left, and which one to decide of.
#include <algorithm>
#include <limits>
#include <utility>

#include "planning/search.h"

namespace tessera::planning {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// How much earlier a section is decided of that is filled less, in choices.
constexpr double kLowFirst = 3;

// A gap beside other choices.
constexpr double kGap = 0.5;

int64_t Aligned(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

}  // namespace

void Search::AddReason(int32_t buffer, Stretch* stretch) const {
  stretch->Extend(spans_[At(buffer)]);
  for (int32_t s = spans_[At(buffer)].first; s < spans_[At(buffer)].last; ++s)
    stretch->Extend(sections_[At(s)].reason);
}

Search::Stretch Search::ReasonOf(int32_t section) const {
  Stretch reason = {section, section + 1};
  for (int32_t b : in_[At(section)]) AddReason(b, &reason);
  return reason;
}

// A choice that lies on nothing is none, unless something could get below it.
Search::Stretch Search::ReasonOfChoices(int32_t section) const {
  Stretch reason = ReasonOf(section);
  Stretch below = {section, section};
  for (int32_t b : in_[At(section)]) {
    if (free_[At(b)] == sections_[At(section)].filled) below.Extend(spans_[At(b)]);
  }
  const int64_t offset = sections_[At(section)].filled;
  for (int32_t b : left_) {
    if (!spans_[At(b)].Meets(below) || spans_[At(b)].Has(section)) continue;
    const int32_t first = std::max(below.first, spans_[At(b)].first);
    const int32_t last = std::min(below.last, spans_[At(b)].last);
    for (int32_t s = first; s < last; ++s) {
      if (sections_[At(s)].filled >= offset) continue;
      AddReason(b, &reason);
      break;
    }
  }
  return reason;
}

// It is where another buffer ends, which is placed or may still be in the sections that buffers of
// this one are live in: these are beside each other.
int64_t Search::NextStart(int32_t section, Stretch* conflict) const {
  const int64_t next = sections_[At(section)].filled + unit_;
  const std::vector<int32_t>& here = in_[At(section)];
  Stretch span = {section, section + 1};
  int64_t least = kNever;
  for (int32_t b : here) {
    span.Extend(spans_[At(b)]);
    if (free_[At(b)] >= next) least = std::min(least, free_[At(b)]);  // which may be aligned
  }
  for (int32_t s = span.first; s < span.last; ++s) {
    if (sections_[At(s)].top >= next) least = std::min(least, sections_[At(s)].top);
  }
  for (int32_t b : left_) {
    if (!spans_[At(b)].Meets(span) || (here.size() == 1 && here[0] == b)) continue;
    least = std::min(least, std::max(next, free_[At(b)] + buffers_[At(b)].size));
    AddReason(b, conflict);
  }
  return least == kNever ? 0 : least;
}

// The lowest free offsets. A section is filled as high as the lowest of its buffers can start,
// which may raise others.
void Search::Raise() {
  for (std::vector<int32_t>& buffers : in_) buffers.clear();
  spans_left_ = 0;
  for (int32_t b : left_) {
    spans_left_ += spans_[At(b)].last - spans_[At(b)].first;
    for (int32_t s = spans_[At(b)].first; s < spans_[At(b)].last; ++s) in_[At(s)].push_back(b);
  }
  for (bool raised = true; raised;) {
    raised = false;
    std::fill(least_.begin(), least_.end(), kNever);
    for (int32_t b : left_) {
      const Stretch& span = spans_[At(b)];
      int64_t offset = 0;
      for (int32_t s = span.first; s < span.last; ++s)
        offset = std::max(offset, sections_[At(s)].filled);
      free_[At(b)] = offset = Aligned(offset, buffers_[At(b)].alignment);
      for (int32_t s = span.first; s < span.last; ++s)
        least_[At(s)] = std::min(least_[At(s)], offset);
    }
    for (size_t s = 0; s < sections_.size(); ++s) {
      if (in_[s].empty() || least_[s] <= sections_[s].filled) continue;
      const auto section = static_cast<int32_t>(s);
      Set(section, {least_[s], sections_[s].top, ReasonOf(section)});
      raised = true;
    }
  }
}

bool Search::Stacks(Stretch* conflict) {
  order_ = left_;
  std::sort(order_.begin(), order_.end(), [&](int32_t x, int32_t y) {
    return free_[At(x)] != free_[At(y)] ? free_[At(x)] < free_[At(y)] : rank_[At(x)] < rank_[At(y)];
  });
  for (size_t s = 0; s < sections_.size(); ++s) {
    reached_[s] = sections_[s].filled;
    with_gap_[s] = reached_[s] + unit_;
  }
  for (int32_t b : order_) {
    for (int32_t i = spans_[At(b)].first; i < spans_[At(b)].last; ++i) {
      const size_t s = At(i);
      reached_[s] = std::max(reached_[s], free_[At(b)]) + buffers_[At(b)].size;
      with_gap_[s] = std::max(with_gap_[s], free_[At(b)]) + buffers_[At(b)].size;
    }
  }
  int32_t worst = -1;
  for (size_t s = 0; s < sections_.size(); ++s) {
    if (!in_[s].empty() && reached_[s] > capacity_ &&
        (worst < 0 || weight_[s] > weight_[At(worst)]))
      worst = static_cast<int32_t>(s);
  }
  if (worst < 0) return true;
  weight_[At(worst)] += 1;
  *conflict = ReasonOf(worst);
  return false;
}

// Whether something could still get below a buffer at its lowest offset, and whether it would lie
// on something there.
void Search::LookBelow() {
  std::fill(least_.begin(), least_.end(), kNever);
  std::fill(second_.begin(), second_.end(), kNever);
  for (int32_t b : left_) {
    const int64_t top = free_[At(b)] + buffers_[At(b)].size;
    for (int32_t i = spans_[At(b)].first; i < spans_[At(b)].last; ++i) {
      const size_t s = At(i);
      if (top < least_[s]) {
        second_[s] = std::exchange(least_[s], top);
        least_of_[s] = b;
      } else if (top < second_[s]) {
        second_[s] = top;
      }
    }
  }
  for (int32_t b : left_) {
    int64_t top = 0;
    below_[At(b)] = 0;
    for (int32_t i = spans_[At(b)].first; i < spans_[At(b)].last; ++i) {
      const size_t s = At(i);
      top = std::max(top, sections_[s].top);
      if ((least_of_[s] == b ? second_[s] : least_[s]) <= free_[At(b)]) below_[At(b)] = 1;
    }
    lies_[At(b)] = Aligned(top, buffers_[At(b)].alignment) == free_[At(b)] ? 1 : 0;
  }
}

// The section to decide of; -1: there is one that nothing can be done about.
int32_t Search::Choose(Stretch* conflict) {
  int32_t best = -1;
  double least = 0;
  for (size_t s = 0; s < sections_.size(); ++s) {
    if (in_[s].empty()) continue;
    int count = 0;
    bool waits = false;
    for (int32_t b : in_[s]) {
      if (free_[At(b)] != sections_[s].filled) continue;
      waits = waits || below_[At(b)] != 0;
      count += lies_[At(b)];
    }
    if (waits) continue;
    const bool gap = GapFits(static_cast<int32_t>(s));
    if (count == 0 && !gap) {
      weight_[s] += 1;
      *conflict = ReasonOfChoices(static_cast<int32_t>(s));
      return -1;
    }
    double value = count + (gap ? kGap : 0);
    if (low_first_)
      value +=
          kLowFirst * static_cast<double>(sections_[s].filled) / static_cast<double>(capacity_);
    value /= weight_[s];
    if (best >= 0 && value >= least) continue;
    best = static_cast<int32_t>(s);
    least = value;
  }
  return best;
}

}  // namespace tessera::planning
