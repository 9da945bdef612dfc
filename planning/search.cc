#include "planning/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string_view>

namespace tessera::planning {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

int64_t Aligned(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// In what order buffers are tried, by duration D, area A (duration times size), load L of the
// fullest section, size S, sections N that it is live in.
constexpr std::string_view kOrders[] = {"DAL", "LAD", "LDA", "SDA", "ADL", "NSL"};
constexpr size_t kOrderCount = std::size(kOrders);

// Searches in turn, of families that blame on their own. One looks ahead to choices that the
// fullest section does not bear, which then are no placements; two give up sooner. What they find
// quickly is different. Each kind takes all orders before the next one does, and takes longer from
// turn to turn.
struct Kind {
  size_t family;
  double blame_weight;   // beside the order's own
  double first, growth;  // placements of its first search, and how they grow
};
constexpr Kind kKinds[] = {{0, 0, 1000, 1.3}, {0, 2, 1000, 1.34}, {1, 0, 300, 1.3},
                           {1, 2, 300, 1.13}, {2, 0, 300, 1.3},   {2, 2, 300, 1.13}};
constexpr size_t kLooksAhead = 1;

// How much of the blame lasts from one search to the next.
constexpr double kDecay = 0.7;

}  // namespace

Search::Search(std::vector<Buffer> buffers, int64_t capacity)
    : buffers_(std::move(buffers)), capacity_(capacity) {
  std::vector<int64_t> times;
  for (const Buffer& buffer : buffers_) {
    times.push_back(buffer.begin);
    times.push_back(buffer.end);
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  const auto section = [&](int64_t time) {
    return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) - times.begin());
  };
  for (const Buffer& buffer : buffers_)
    spans_.push_back({section(buffer.begin), section(buffer.end)});
  sections_ = times.empty() ? 0 : static_cast<int32_t>(times.size()) - 1;
  std::vector<double> load(static_cast<size_t>(sections_));
  for (size_t b = 0; b < buffers_.size(); ++b) {
    for (int32_t s = spans_[b].first; s < spans_[b].last; ++s)
      load[static_cast<size_t>(s)] += static_cast<double>(buffers_[b].size);
  }
  for (const Span& span : spans_)
    load_.push_back(*std::max_element(load.begin() + span.first, load.begin() + span.last));
  for (std::vector<double>& blame : blame_) blame.assign(buffers_.size(), 0);
  rank_.resize(buffers_.size());
  reached_.resize(static_cast<size_t>(sections_));
}

void Search::Order(size_t round) {
  const std::string_view keys = kOrders[round % kOrderCount];
  const Kind& kind = kKinds[round / kOrderCount % std::size(kKinds)];
  family_ = kind.family;
  const std::vector<double>& blame = blame_[family_];
  const auto key = [&](char name, size_t b) {
    const Buffer& buffer = buffers_[b];
    const double duration = static_cast<double>(buffer.end - buffer.begin);
    switch (name) {
      case 'D':
        return duration;
      case 'A':
        return duration * static_cast<double>(buffer.size);
      case 'L':
        return load_[b];
      case 'S':
        return static_cast<double>(buffer.size);
      default:
        return static_cast<double>(spans_[b].last - spans_[b].first);
    }
  };
  double most = 1e-9, most_blame = 1e-9;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    most = std::max(most, key(keys[0], b));
    most_blame = std::max(most_blame, blame[b]);
  }
  std::vector<double> first(buffers_.size());
  for (size_t b = 0; b < buffers_.size(); ++b)
    first[b] = key(keys[0], b) / most + kind.blame_weight * blame[b] / most_blame;
  std::vector<int32_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int32_t x, int32_t y) {
    const size_t a = static_cast<size_t>(x), b = static_cast<size_t>(y);
    if (first[a] != first[b]) return first[a] > first[b];
    for (char name : keys) {
      if (key(name, a) != key(name, b)) return key(name, a) > key(name, b);
    }
    return false;
  });
  for (size_t i = 0; i < order.size(); ++i)
    rank_[static_cast<size_t>(order[i])] = static_cast<int32_t>(i);
}

int64_t Search::LowestFree(const Part& part, int32_t buffer) const {
  const Span& span = spans_[static_cast<size_t>(buffer)];
  int64_t offset = part.lowest;
  for (int32_t s = span.first; s < span.last; ++s)
    offset = std::max(offset, part.filled[static_cast<size_t>(s - part.first)]);
  return Aligned(offset, buffers_[static_cast<size_t>(buffer)].alignment);
}

// What is to be placed in the section would have been better placed earlier.
void Search::Blame(const Part& part, int32_t section) {
  for (int32_t b : part.buffers) {
    const Span& span = spans_[static_cast<size_t>(b)];
    if (span.first <= section && section < span.last) blame_[family_][static_cast<size_t>(b)] += 1;
  }
}

bool Search::Tighten(Part& part, std::vector<int64_t>& free) {
  free.resize(part.buffers.size());
  // Each round may raise others; more than a few find little.
  for (int round = 0; round < 4; ++round) {
    std::fill(reached_.begin() + part.first, reached_.begin() + part.last, kNever);
    for (size_t i = 0; i < part.buffers.size(); ++i) {
      const size_t b = static_cast<size_t>(part.buffers[i]);
      free[i] = LowestFree(part, part.buffers[i]);
      if (free[i] + buffers_[b].size > capacity_) {
        blame_[family_][b] += 1;
        return false;
      }
      for (int32_t s = spans_[b].first; s < spans_[b].last; ++s) {
        int64_t& least = reached_[static_cast<size_t>(s)];
        least = std::min(least, free[i]);
      }
    }
    bool raised = false;
    for (int32_t s = part.first; s < part.last; ++s) {
      const int64_t least = reached_[static_cast<size_t>(s)];
      int64_t& filled = part.filled[static_cast<size_t>(s - part.first)];
      if (least == kNever || least <= filled) continue;
      filled = least;
      raised = true;
    }
    if (!raised) break;
  }
  by_offset_.resize(part.buffers.size());
  std::iota(by_offset_.begin(), by_offset_.end(), 0);
  std::sort(by_offset_.begin(), by_offset_.end(), [&](int32_t x, int32_t y) {
    return free[static_cast<size_t>(x)] < free[static_cast<size_t>(y)];
  });
  std::copy(part.filled.begin(), part.filled.end(), reached_.begin() + part.first);
  for (int32_t i : by_offset_) {
    const size_t b = static_cast<size_t>(part.buffers[static_cast<size_t>(i)]);
    for (int32_t s = spans_[b].first; s < spans_[b].last; ++s) {
      int64_t& reached = reached_[static_cast<size_t>(s)];
      reached = std::max(reached, free[static_cast<size_t>(i)]) + buffers_[b].size;
      if (reached <= capacity_) continue;
      Blame(part, s);
      return false;
    }
  }
  return true;
}

// With the buffer at position `placed` of the part at `offset`.
Search::Outcome Search::SolveRest(const Part& part, size_t placed, int64_t offset) {
  const size_t b = static_cast<size_t>(part.buffers[placed]);
  const auto filled = [&](int32_t s) {
    const bool under = spans_[b].first <= s && s < spans_[b].last;
    return under ? offset + buffers_[b].size : part.filled[static_cast<size_t>(s - part.first)];
  };
  // Stretches of time that no buffer crosses the ends of.
  std::vector<int32_t> ends(static_cast<size_t>(part.last - part.first), 0);
  for (size_t i = 0; i < part.buffers.size(); ++i) {
    if (i == placed) continue;
    const Span& span = spans_[static_cast<size_t>(part.buffers[i])];
    int32_t& end = ends[static_cast<size_t>(span.first - part.first)];
    end = std::max(end, span.last);
  }
  std::vector<Part> rest;
  for (int32_t s = part.first; s < part.last;) {
    int32_t last = ends[static_cast<size_t>(s - part.first)];
    if (last == 0) {
      ++s;
      continue;
    }
    for (int32_t t = s; t < last; ++t)
      last = std::max(last, ends[static_cast<size_t>(t - part.first)]);
    Part& stretch = rest.emplace_back();
    stretch.first = s;
    stretch.last = last;
    stretch.lowest = offset;
    stretch.rank = rank_[b];
    for (int32_t t = s; t < last; ++t) stretch.filled.push_back(filled(t));
    s = last;
  }
  for (size_t i = 0; i < part.buffers.size(); ++i) {
    if (i == placed) continue;
    const int32_t first = spans_[static_cast<size_t>(part.buffers[i])].first;
    const auto in = std::find_if(rest.begin(), rest.end(),
                                 [&](const Part& stretch) { return first < stretch.last; });
    in->buffers.push_back(part.buffers[i]);
  }
  std::sort(rest.begin(), rest.end(), [](const Part& x, const Part& y) {
    return x.buffers.size() != y.buffers.size() ? x.buffers.size() < y.buffers.size()
                                                : x.first < y.first;
  });
  for (Part& stretch : rest) {
    if (const Outcome outcome = Solve(std::move(stretch)); outcome != kFound) return outcome;
  }
  return kFound;
}

Search::Outcome Search::Solve(Part part) {
  if (--left_ < 0) return kCutOff;
  std::vector<int64_t> free;
  if (!Tighten(part, free)) return kNone;
  // Above the end of another buffer that could come first, nothing comes first.
  int64_t bound = kNever;
  for (size_t i = 0; i < free.size(); ++i)
    bound = std::min(bound, free[i] + buffers_[static_cast<size_t>(part.buffers[i])].size);
  std::vector<Choice> choices;
  for (size_t i = 0; i < free.size(); ++i) {
    const int32_t rank = rank_[static_cast<size_t>(part.buffers[i])];
    if (free[i] >= bound || (free[i] == part.lowest && rank < part.rank)) continue;
    choices.push_back({free[i], rank, static_cast<int32_t>(i)});
  }
  std::sort(choices.begin(), choices.end(), [](const Choice& x, const Choice& y) {
    return x.offset != y.offset ? x.offset < y.offset : x.rank < y.rank;
  });
  // Nothing starts below a choice any more: above that height the fullest section does not fit.
  std::vector<int64_t> left(static_cast<size_t>(part.last - part.first), 0);
  for (int32_t b : part.buffers) {
    const Span& span = spans_[static_cast<size_t>(b)];
    for (int32_t s = span.first; s < span.last; ++s)
      left[static_cast<size_t>(s - part.first)] += buffers_[static_cast<size_t>(b)].size;
  }
  const auto fullest = std::max_element(left.begin(), left.end());
  for (const Choice& choice : choices) {
    if (family_ == kLooksAhead && choice.offset + *fullest > capacity_) {
      Blame(part, part.first + static_cast<int32_t>(fullest - left.begin()));
      break;
    }
    const size_t at = static_cast<size_t>(choice.at);
    offsets_[static_cast<size_t>(part.buffers[at])] = choice.offset;
    if (const Outcome outcome = SolveRest(part, at, choice.offset); outcome != kNone)
      return outcome;
  }
  return kNone;
}

Search::Outcome Search::Run(int64_t placements, int64_t* spent) {
  offsets_.assign(buffers_.size(), 0);
  if (buffers_.empty()) return kFound;
  for (size_t round = 0; placements > 0; ++round) {
    Order(round);
    const Kind& kind = kKinds[round / kOrderCount % std::size(kKinds)];
    const double turn = static_cast<double>(round / (kOrderCount * std::size(kKinds)));
    const int64_t limit =
        std::min(placements, static_cast<int64_t>(kind.first * std::pow(kind.growth, turn)));
    left_ = limit;
    Part all;
    all.first = 0;
    all.last = sections_;
    all.filled.assign(static_cast<size_t>(sections_), 0);
    all.buffers.resize(buffers_.size());
    std::iota(all.buffers.begin(), all.buffers.end(), 0);
    const Outcome outcome = Solve(std::move(all));
    const int64_t tried = limit - std::max<int64_t>(0, left_);
    *spent += tried;
    placements -= std::max<int64_t>(1, tried);
    if (outcome != kCutOff) return outcome;
    for (double& blame : blame_[family_]) blame *= kDecay;
  }
  return kCutOff;
}

}  // namespace tessera::planning
